// SPDX-License-Identifier: MIT
/// A table that puts what a text says beside what a program finds: where it stands, the statement, the printed value,
/// ours, and a verdict. 120 columns wide.
#ifndef COMPARISON_H
#define COMPARISON_H

#include "table.h"

/// What can be asked of a printed value.
enum kind {
    EXACT,        // has to be equal
    STABLE,       // has to be equal: it is the same in every run
    TRAJECTORY,   // depends on the last bits of the sums before it: shown beside the range of known runs
    CANNOT_MATCH, // no run of ours gives the printed value; the reason stands beside it
    MACHINE,      // a time
    SHOWN,        // said in words: shown with numbers
    N_KINDS
};

struct comparison {
    struct table table;
    unsigned n_rows;
    unsigned n_of_kind[N_KINDS];
    unsigned n_differ;  // exact or stable rows that are not equal
    unsigned n_outside; // trajectory rows outside the range of other runs
    unsigned n_missing; // rows that need something that is not there
    bool is_html;
};

/// A statement: section, what it is about, the value as printed.
struct statement {
    const char *where;
    const char *text;
    const char *printed;
};

#if defined(__GNUC__)
#define COMPARISON_FORMAT(f, a) __attribute__((format(printf, f, a)))
#else
#define COMPARISON_FORMAT(f, a)
#endif

/// Writes the heading. The second form makes a table of HTML, of the class "compare".
void comparison_begin(struct comparison *comparison, FILE *file);
void comparison_begin_html(struct comparison *comparison, FILE *file);

/// A row. The format and what follows it make our value, at most 255 characters. `agrees` counts for exact and stable
/// rows only: where it is false the row DIFFERS. `reason` is one short clause, or "".
void compare_row(struct comparison *comparison, struct statement statement, enum kind kind, bool agrees,
                 const char *reason, const char *format, ...) COMPARISON_FORMAT(6, 7);

/// A row that agrees if our value is, letter by letter, the printed one.
void compare_text(struct comparison *comparison, struct statement statement, enum kind kind, const char *reason,
                  const char *format, ...) COMPARISON_FORMAT(5, 6);

/// A row that depends on the trajectory: says whether `value` lies inside what known runs gave, low to high, and where
/// these numbers come from.
void compare_range(struct comparison *comparison, struct statement statement, double value, double low, double high,
                   const char *source, const char *format, ...) COMPARISON_FORMAT(7, 8);

/// A row whose value is not there, and the reason: "needs training log".
void compare_missing(struct comparison *comparison, struct statement statement, const char *reason);

/// Writes what the verdicts mean and how many there are of each. Returns whether no row differs.
bool comparison_end(const struct comparison *comparison);

#endif
