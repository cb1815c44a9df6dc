// SPDX-License-Identifier: MIT
/// Tables of text in columns of fixed width. A cell that is wider than its column continues on the next line, so a
/// table never gets wider than its columns.
#ifndef TABLE_H
#define TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { TABLE_MAX_COLUMNS = 8 };

struct table_column {
    size_t width;   // in characters
    bool is_number; // aligned to the right
};

/// A table and where it goes. Columns stand two spaces apart.
struct table {
    FILE *file;
    size_t n_columns; // 1 to TABLE_MAX_COLUMNS
    struct table_column column[TABLE_MAX_COLUMNS];
};

/// Writes a row: a cell a column. Cells break at spaces, and inside a word only if it is wider than its column.
void table_row(const struct table *table, const char *const *cell);

/// Writes a rule as wide as the table.
void table_rule(const struct table *table);

enum { GROUPED_BYTES = 28 };

/// Writes n with commas between groups of three digits, as in 103,244. Returns `out`.
const char *grouped(char out[GROUPED_BYTES], uint64_t n);

#endif
