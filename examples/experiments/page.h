// SPDX-License-Identifier: MIT
/// Text with tables, for a terminal or as HTML.
#ifndef PAGE_H
#define PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct page {
    FILE *file;
    bool is_html;
    const char *const *heading; // of the table at hand
    size_t n_columns;
    const int *width; // of its columns, in characters: negative where text is aligned to the left
};

#if defined(__GNUC__)
#define PAGE_FORMAT __attribute__((format(printf, 2, 3)))
#else
#define PAGE_FORMAT
#endif

/// A heading of level 2 or 3.
void page_heading(struct page *page, int level, const char *text);

/// A paragraph; on a terminal broken at 100 columns. At most 1,500 characters.
void page_text(struct page *page, const char *format, ...) PAGE_FORMAT;

/// A table: begin, rows of n_columns cells, end. `heading` and `width` are kept until the end.
void page_table(struct page *page, const char *const *heading, const int *width, size_t n_columns);
void page_row(struct page *page, const char *const *cell);
void page_table_end(struct page *page);

#endif
