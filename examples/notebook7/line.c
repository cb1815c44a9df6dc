// SPDX-License-Identifier: MIT
#include "line.h"
#include "decimal_double.h"

static void append(struct line *const line, const char character) {
    if (line->n < LINE_BYTES - 1) { // room for the newline
        line->text[line->n] = character;
        line->n++;
    }
}

static void fill(struct line *const line, const size_t from, const size_t to) {
    for (size_t i = from; i < to; i++) {
        append(line, ' ');
    }
}

void line_text(struct line *const line, const char *text) {
    for (; *text != '\0'; text++) {
        append(line, *text);
    }
}

void line_left(struct line *const line, const char *const text, const size_t width) {
    size_t n = 0;
    for (; text[n] != '\0'; n++) {
        append(line, text[n]);
    }
    fill(line, n, width);
}

void line_number(struct line *const line, size_t number, const size_t width) {
    char digit[3 * sizeof(number)];
    size_t n = 0;
    do {
        digit[n] = (char)('0' + number % 10);
        number /= 10;
        n++;
    } while (number > 0);
    fill(line, n, width);
    for (; n > 0; n--) {
        append(line, digit[n - 1]);
    }
}

void line_fixed(struct line *const line, const double x, const unsigned n_digits, const size_t width) {
    char text[DECIMAL_DOUBLE_BYTES];
    fill(line, decimal_fixed(text, x, n_digits), width);
    line_text(line, text);
}

void line_exponent(struct line *const line, const double x, const unsigned n_digits) {
    char text[DECIMAL_DOUBLE_BYTES];
    (void)decimal_exponent(text, x, n_digits);
    line_text(line, text);
}

void line_hash(struct line *const line, const uint32_t hash) {
    for (unsigned i = 8; i > 0; i--) {
        append(line, "0123456789ABCDEF"[hash >> 4 * (i - 1) & 15U]);
    }
}

void line_truth(struct line *const line, const bool is_true) {
    line_text(line, is_true ? "True" : "False");
}

/// A number of an array: its text without zeros at the end, and where its point is.
struct element {
    char text[DECIMAL_DOUBLE_BYTES];
    size_t n;
    size_t point;
};

static struct element element_of(const double x) {
    struct element e;
    e.n = decimal_fixed(e.text, x, 3);
    e.point = 0;
    while (e.point < e.n && e.text[e.point] != '.') {
        e.point++;
    }
    while (e.n > e.point + 1 && e.text[e.n - 1] == '0') {
        e.n--;
    }
    e.text[e.n] = '\0';
    return e;
}

void line_array(struct line *const line, const double *const x, const size_t n) {
    size_t before = 0; // most characters before the point, and behind it
    size_t behind = 0;
    for (size_t i = 0; i < n; i++) {
        const struct element e = element_of(x[i]);
        before = e.point > before ? e.point : before;
        behind = e.n - e.point > behind ? e.n - e.point : behind;
    }
    append(line, '[');
    for (size_t i = 0; i < n; i++) {
        const struct element e = element_of(x[i]);
        fill(line, 0, (i > 0 ? 1U : 0U) + before - e.point);
        line_text(line, e.text);
        fill(line, e.n - e.point, behind);
    }
    append(line, ']');
}

void line_shape(struct line *const line, const size_t n_rows, const size_t n_columns) {
    append(line, '(');
    line_number(line, n_rows, 0);
    line_text(line, ", ");
    line_number(line, n_columns, 0);
    append(line, ')');
}

void line_end(struct line *const line, n7_write *const write) {
    line->text[line->n] = '\n';
    write(line->text, line->n + 1);
    line->n = 0;
}
