// SPDX-License-Identifier: MIT
#include "page.h"
#include "escaped.h"

#include <stdarg.h>
#include <string.h>

enum { COLUMNS = 100, TEXT_BYTES = 1536 };

void page_heading(struct page *const page, const int level, const char *const text) {
    if (page->is_html) {
        (void)fprintf(page->file, "<h%d>", level);
        write_escaped(page->file, text);
        (void)fprintf(page->file, "</h%d>\n", level);
    } else {
        (void)fprintf(page->file, "\n%s\n\n", text);
    }
}

/// Breaks at spaces.
static void write_wrapped(FILE *const file, const char *text) {
    size_t column = 0;
    while (*text != '\0') {
        const size_t n = strcspn(text, " ");
        if (column > 0 && column + 1 + n > COLUMNS) {
            (void)fputc('\n', file);
            column = 0;
        }
        (void)fprintf(file, "%s%.*s", column > 0 ? " " : "", (int)n, text);
        column += n + (column > 0 ? 1U : 0U);
        text += n + (text[n] == ' ' ? 1U : 0U);
    }
    (void)fputs("\n\n", file);
}

void page_text(struct page *const page, const char *const format, ...) {
    char text[TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (page->is_html) {
        (void)fputs("<p>", page->file);
        write_escaped(page->file, text);
        (void)fputs("</p>\n", page->file);
    } else {
        write_wrapped(page->file, text);
    }
}

void page_table(struct page *const page, const char *const *const heading, const int *const width,
                const size_t n_columns) {
    page->heading = heading;
    page->width = width;
    page->n_columns = n_columns;
    if (page->is_html) {
        (void)fputs("<div class=\"wide\"><table>\n<thead><tr>", page->file);
        for (size_t i = 0; i < n_columns; i++) {
            (void)fputs(page->width[i] > 0 ? "<th class=\"n\">" : "<th>", page->file);
            write_escaped(page->file, heading[i]);
            (void)fputs("</th>", page->file);
        }
        (void)fputs("</tr></thead>\n<tbody>\n", page->file);
    } else {
        page_row(page, heading);
    }
}

void page_row(struct page *const page, const char *const *const cell) {
    if (page->is_html) {
        (void)fputs("<tr>", page->file);
        for (size_t i = 0; i < page->n_columns; i++) {
            (void)fputs(page->width[i] > 0 ? "<td class=\"n\">" : "<td>", page->file);
            write_escaped(page->file, cell[i]);
            (void)fputs("</td>", page->file);
        }
        (void)fputs("</tr>\n", page->file);
        return;
    }
    for (size_t i = 0; i < page->n_columns; i++) {
        (void)fprintf(page->file, "  %*s", page->width[i], cell[i]);
    }
    (void)fputc('\n', page->file);
}

void page_table_end(struct page *const page) {
    (void)fputs(page->is_html ? "</tbody></table></div>\n" : "\n", page->file);
}
