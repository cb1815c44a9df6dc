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
    CANNOT_MATCH, // no run gives the printed value, all give another one, which ours has to be
    MACHINE,      // a time
    SHOWN,        // said in words: shown with numbers
    N_KINDS
};

enum { COMPARISON_REASON_BYTES = 192 };

struct comparison {
    struct table table;
    unsigned n_rows;
    unsigned n_of_kind[N_KINDS];
    unsigned n_differ;    // exact, stable and cannot-match rows that are not as they have to be
    unsigned n_outside;   // trajectory rows outside the range of other runs
    unsigned n_missing;   // rows that need something that is not there
    unsigned n_elsewhere; // rows that do not apply to what is compared
    bool is_html;
    char elsewhere[COMPARISON_REASON_BYTES]; // why the next rows do not apply; empty: they do
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

/// From here on rows do not apply to what is compared, and why, in a few words: "steps=60". Their values are shown, their
/// verdict says so, and none of them DIFFERS. "": rows apply, as at the start.
void compare_elsewhere(struct comparison *comparison, const char *why);

/// A row. The format and what follows it make our value, at most 255 characters. `agrees` counts for exact, stable and
/// cannot-match rows: where it is false the row DIFFERS. `reason` is one short clause, or "".
void compare_row(struct comparison *comparison, struct statement statement, enum kind kind, bool agrees,
                 const char *reason, const char *format, ...) COMPARISON_FORMAT(6, 7);

/// A row that agrees if our value is, letter by letter, the printed one.
void compare_text(struct comparison *comparison, struct statement statement, enum kind kind, const char *reason,
                  const char *format, ...) COMPARISON_FORMAT(5, 6);

/// A row that depends on the trajectory: says whether `value` lies inside what known runs gave, low to high, and where
/// these numbers come from.
void compare_range(struct comparison *comparison, struct statement statement, double value, double low, double high,
                   const char *source, const char *format, ...) COMPARISON_FORMAT(7, 8);

/// The same for what is no number: is_inside says whether it is as in known runs.
void compare_place(struct comparison *comparison, struct statement statement, bool is_inside, const char *source,
                   const char *format, ...) COMPARISON_FORMAT(5, 6);

/// A row whose value is not there, and the reason: "needs training log". Where rows do not apply, it says that instead.
void compare_missing(struct comparison *comparison, struct statement statement, const char *reason);

/// Writes what the verdicts mean and how many there are of each, and how many rows were not compared. Returns whether no
/// row differs.
bool comparison_end(const struct comparison *comparison);

#endif
