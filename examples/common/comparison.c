// SPDX-License-Identifier: MIT
#include "comparison.h"
#include "escaped.h"

#include <stdarg.h>
#include <string.h>

enum { VALUE_BYTES = 256 };

static const char *const kind_name[N_KINDS] = {"exact", "stable", "trajectory", "cannot match", "machine-dependent",
                                               "shown"};

static const char *const kind_meaning[N_KINDS] = {
    "has to be equal",
    "has to be equal: it is the same in every run from these seeds, whatever the rounding",
    "after some 150 steps the last bits of the sums decide; beside it what other runs gave",
    "no run gives the printed value; ours has to be what all of them give",
    "a time",
    "said in words, shown here with numbers"};

enum { N_COLUMNS = 5 };
static const char *const heading[N_COLUMNS] = {"where", "statement", "printed", "ours", "verdict"};

void comparison_begin(struct comparison *const comparison, FILE *const file) {
    static const struct table columns = {NULL, 5, {{5, false}, {33, false}, {25, false}, {25, false}, {24, false}}};
    (void)memset(comparison, 0, sizeof(*comparison));
    comparison->table = columns;
    comparison->table.file = file;
    table_row(&comparison->table, heading);
    table_rule(&comparison->table);
}

static void write_html_row(FILE *const file, const char *const *const cell, const char *const tag) {
    (void)fputs("<tr>", file);
    for (size_t i = 0; i < N_COLUMNS; i++) {
        (void)fprintf(file, "<%s>", tag);
        write_escaped(file, cell[i]);
        (void)fprintf(file, "</%s>", tag);
    }
    (void)fputs("</tr>\n", file);
}

void comparison_begin_html(struct comparison *const comparison, FILE *const file) {
    (void)memset(comparison, 0, sizeof(*comparison));
    comparison->table.file = file;
    comparison->is_html = true;
    (void)fputs("<table class=\"compare\">\n<thead>\n", file);
    write_html_row(file, heading, "th");
    (void)fputs("</thead>\n<tbody>\n", file);
}

/// A line between the rows of different sections.
static void separate(struct comparison *const comparison, const char *const where) {
    static char last[16];
    if (comparison->n_rows > 0 && strcmp(last, where) != 0) {
        (void)fputc('\n', comparison->table.file);
    }
    (void)snprintf(last, sizeof(last), "%s", where);
}

static void write_row(struct comparison *const comparison, const struct statement *const statement,
                      const char *const ours, const char *const verdict) {
    const char *const cell[N_COLUMNS] = {statement->where, statement->text, statement->printed, ours, verdict};
    if (comparison->is_html) {
        write_html_row(comparison->table.file, cell, "td");
    } else {
        separate(comparison, statement->where);
        table_row(&comparison->table, cell);
    }
    comparison->n_rows++;
}

static void write_verdict(struct comparison *const comparison, const struct statement *const statement,
                          const enum kind kind, const bool agrees, const char *const reason, const char *const ours) {
    char verdict[2 * VALUE_BYTES];
    const bool differs = (kind == EXACT || kind == STABLE || kind == CANNOT_MATCH) && !agrees;
    if (comparison->elsewhere[0] != '\0') {
        (void)snprintf(verdict, sizeof(verdict), "does not apply: %s", comparison->elsewhere);
        write_row(comparison, statement, ours, verdict);
        comparison->n_elsewhere++;
        return;
    }
    (void)snprintf(verdict, sizeof(verdict), "%s%s%s%s", differs ? "DIFFERS: " : "", kind_name[kind],
                   reason[0] != '\0' ? ": " : "", reason);
    write_row(comparison, statement, ours, verdict);
    comparison->n_of_kind[kind]++;
    comparison->n_differ += differs ? 1U : 0U;
}

void compare_elsewhere(struct comparison *const comparison, const char *const why) {
    (void)snprintf(comparison->elsewhere, sizeof(comparison->elsewhere), "%s", why);
}

void compare_row(struct comparison *const comparison, const struct statement statement, const enum kind kind,
                 const bool agrees, const char *const reason, const char *const format, ...) {
    char ours[VALUE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(ours, sizeof(ours), format, arguments);
    va_end(arguments);
    write_verdict(comparison, &statement, kind, agrees, reason, ours);
}

void compare_text(struct comparison *const comparison, const struct statement statement, const enum kind kind,
                  const char *const reason, const char *const format, ...) {
    char ours[VALUE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(ours, sizeof(ours), format, arguments);
    va_end(arguments);
    write_verdict(comparison, &statement, kind, strcmp(ours, statement.printed) == 0, reason, ours);
}

static void write_place(struct comparison *const comparison, const struct statement *const statement,
                        const bool is_inside, const char *const source, const char *const ours) {
    char reason[VALUE_BYTES];
    (void)snprintf(reason, sizeof(reason), "%s %s", is_inside ? "inside" : "outside", source);
    comparison->n_outside += is_inside || comparison->elsewhere[0] != '\0' ? 0U : 1U;
    write_verdict(comparison, statement, TRAJECTORY, true, reason, ours);
}

void compare_range(struct comparison *const comparison, const struct statement statement, const double value,
                   const double low, const double high, const char *const source, const char *const format, ...) {
    char ours[VALUE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(ours, sizeof(ours), format, arguments);
    va_end(arguments);
    write_place(comparison, &statement, value >= low && value <= high, source, ours);
}

void compare_place(struct comparison *const comparison, const struct statement statement, const bool is_inside,
                   const char *const source, const char *const format, ...) {
    char ours[VALUE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(ours, sizeof(ours), format, arguments);
    va_end(arguments);
    write_place(comparison, &statement, is_inside, source, ours);
}

void compare_missing(struct comparison *const comparison, const struct statement statement, const char *const reason) {
    if (comparison->elsewhere[0] != '\0') {
        write_verdict(comparison, &statement, SHOWN, true, "", "-");
        return;
    }
    write_row(comparison, &statement, "-", reason);
    comparison->n_missing++;
}

/// What the end says of rows that no kind counts: how many, a word, what it means.
struct rest {
    unsigned n;
    const char *word;
    const char *meaning;
};

enum { N_RESTS = 3 };

static void count_rests(struct rest rest[N_RESTS], const struct comparison *const comparison) {
    const struct rest counted[N_RESTS] = {
        {comparison->n_elsewhere, "does not apply", "what is compared has other settings there: both are shown"},
        {comparison->n_missing, "not compared", "what they need is not there"},
        {comparison->n_outside, "outside", "of the trajectory rows: no run has to be inside what other runs gave"}};
    (void)memcpy(rest, counted, sizeof(counted));
}

static void end_html(const struct comparison *const comparison, const struct rest rest[N_RESTS]) {
    FILE *const file = comparison->table.file;
    (void)fprintf(file, "</tbody></table>\n<p>%u rows, %u of them differ%s.", comparison->n_rows, comparison->n_differ,
                  comparison->n_differ == 1 ? "s" : "");
    for (size_t i = 0; i < N_RESTS; i++) {
        if (rest[i].n > 0) {
            (void)fprintf(file, " %u %s: %s.", rest[i].n, rest[i].word, rest[i].meaning);
        }
    }
    (void)fputs("</p>\n", file);
}

bool comparison_end(const struct comparison *const comparison) {
    FILE *const file = comparison->table.file;
    struct rest rest[N_RESTS];
    count_rests(rest, comparison);
    if (comparison->is_html) {
        end_html(comparison, rest);
        return comparison->n_differ == 0;
    }
    table_rule(&comparison->table);
    for (size_t i = 0; i < N_KINDS; i++) {
        if (comparison->n_of_kind[i] > 0) {
            (void)fprintf(file, "%3u  %-18s %s\n", comparison->n_of_kind[i], kind_name[i], kind_meaning[i]);
        }
    }
    for (size_t i = 0; i < N_RESTS; i++) {
        if (rest[i].n > 0) {
            (void)fprintf(file, "%3u  %-18s %s\n", rest[i].n, rest[i].word, rest[i].meaning);
        }
    }
    (void)fprintf(file, "%3u  rows in all, %u of them differ%s\n", comparison->n_rows, comparison->n_differ,
                  comparison->n_differ == 1 ? "s" : "");
    return comparison->n_differ == 0;
}
