// SPDX-License-Identifier: MIT
/// A line of output, put together piece by piece as Python's format strings do, without a C library.
#ifndef LINE_H
#define LINE_H

#include "notebook7.h"

enum { LINE_BYTES = 240 };

/// What does not fit is cut off.
struct line {
    char text[LINE_BYTES];
    size_t n;
};

/// Appends text; the second one fills up to `width` characters with spaces behind it, as {:<8} does.
void line_text(struct line *line, const char *text);
void line_left(struct line *line, const char *text, size_t width);

/// Appends a number, with spaces before it up to `width` characters: {:>3}, {:6.2f}, {:.2e}.
void line_number(struct line *line, size_t number, size_t width);
void line_fixed(struct line *line, double x, unsigned n_digits, size_t width);
void line_exponent(struct line *line, double x, unsigned n_digits);

/// Appends a number as eight hexadecimal digits.
void line_hash(struct line *line, uint32_t hash);

/// Appends True or False.
void line_truth(struct line *line, bool is_true);

/// Appends n numbers as NumPy prints an array with precision=3 and suppress=True: at most three digits behind the
/// point, zeros at the end left out, points in a column. No line breaks.
void line_array(struct line *line, const double *x, size_t n);

/// Appends a shape, "(9, 8)".
void line_shape(struct line *line, size_t n_rows, size_t n_columns);

/// Writes the line and a newline, and empties it.
void line_end(struct line *line, n7_write *write);

#endif
