// SPDX-License-Identifier: MIT
/// SVG pictures of plain shapes and text: no scripts, no style sheets, no other file is needed to show them.
///
/// Lengths are in pixels, y grows downwards. Nothing here fails: a write that does not succeed is in the file's error
/// flag, which whoever closes the file looks at.
#ifndef SVG_H
#define SVG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct svg_box {
    double x;
    double y;
    double width;
    double height;
};

enum svg_anchor {
    SVG_START, // text begins at its point
    SVG_MIDDLE,
    SVG_END
};

struct svg_style {
    double size; // height of the font
    enum svg_anchor anchor;
    const char *fill;
    bool is_mono; // every character is as wide as svg_mono_width() says
    bool is_bold;
    bool is_upright; // turned by a quarter, read from bottom to top
};

/// Writes the head of a picture of width x height on white. `title` is what a viewer shows as the picture's name.
void svg_begin(FILE *file, double width, double height, const char *title);

void svg_end(FILE *file);

/// A rectangle; `stroke` may be NULL. `tip` (may be NULL) is shown when a pointer rests on it.
void svg_rect(FILE *file, struct svg_box box, const char *fill, const char *stroke, const char *tip);

void svg_line(FILE *file, double x1, double y1, double x2, double y2, const char *stroke, double width);

/// A line through n points [n][2].
void svg_polyline(FILE *file, const double *points, size_t n, const char *stroke, double width, double opacity);

/// Text whose base line is at y (if upright: at x). Any characters are allowed.
void svg_text(FILE *file, double x, double y, const struct svg_style *style, const char *text);

/// Width of n characters of the monospaced font.
double svg_mono_width(double size, size_t n);

#endif
