// SPDX-License-Identifier: MIT
#include "table.h"

#include <string.h>

static const char gap[] = "  ";

/// How many characters of `text` go on one line of `width`: as many whole words as fit.
static size_t line_length(const char *const text, const size_t width) {
    const size_t n = strlen(text);
    if (n <= width) {
        return n;
    }
    size_t end = width;
    while (end > 0 && text[end] != ' ') {
        end--;
    }
    while (end > 0 && text[end - 1] == ' ') {
        end--;
    }
    return end > 0 ? end : width;
}

/// Writes the next line of a cell and returns where the rest begins. A line ends with its last text, not with spaces.
static const char *write_line(const struct table *const table, const size_t c, const char *const text,
                              const bool is_last) {
    const size_t width = table->column[c].width;
    const size_t n = line_length(text, width);
    const int fill = (int)(width - n);
    const bool is_number = table->column[c].is_number;
    (void)fprintf(table->file, "%*s%.*s%*s", is_number ? fill : 0, "", (int)n, text, is_number || is_last ? 0 : fill,
                  "");
    const char *rest = text + n;
    while (*rest == ' ') {
        rest++;
    }
    return rest;
}

/// Whether any column from c on has text left: a line ends where nothing follows.
static bool is_any_left(const struct table *const table, const char *const *const rest, const size_t c) {
    for (size_t i = c; i < table->n_columns; i++) {
        if (rest[i][0] != '\0') {
            return true;
        }
    }
    return false;
}

void table_row(const struct table *const table, const char *const *const cell) {
    const char *rest[TABLE_MAX_COLUMNS];
    for (size_t c = 0; c < table->n_columns; c++) {
        rest[c] = cell[c];
    }
    do {
        for (size_t c = 0; c < table->n_columns && is_any_left(table, rest, c); c++) {
            (void)fputs(c > 0 ? gap : "", table->file);
            rest[c] = write_line(table, c, rest[c], !is_any_left(table, rest, c + 1));
        }
        (void)fputc('\n', table->file);
    } while (is_any_left(table, rest, 0));
}

void table_rule(const struct table *const table) {
    size_t width = (table->n_columns - 1) * (sizeof(gap) - 1);
    for (size_t c = 0; c < table->n_columns; c++) {
        width += table->column[c].width;
    }
    for (size_t i = 0; i < width; i++) {
        (void)fputc('-', table->file);
    }
    (void)fputc('\n', table->file);
}

const char *grouped(char out[GROUPED_BYTES], const uint64_t n) {
    char digits[GROUPED_BYTES];
    const int n_digits = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)n);
    size_t length = 0;
    for (int i = 0; i < n_digits; i++) {
        if (i > 0 && (n_digits - i) % 3 == 0) {
            out[length++] = ',';
        }
        out[length++] = digits[i];
    }
    out[length] = '\0';
    return out;
}
