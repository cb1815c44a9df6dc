// SPDX-License-Identifier: MIT
// Times over sizes, both axes logarithmic.
#include "bench.h"
#include "svg.h"

#include <math.h>
#include <stdio.h>

enum { WIDTH = 720, HEIGHT = 460, LEFT = 84, RIGHT = 190, TOP = 56, BOTTOM = 64 };

static const char *const colour[MAX_CURVES] = {"#0b5fa5", "#c2410c", "#15803d", "#6b21a8"};

/// An axis: decades of y from low to high, or x from its first to its last point, onto pixels.
struct axis {
    double low; // logarithms
    double high;
    double from; // pixels
    double to;
};

static double place(const struct axis *const axis, const double value) {
    return axis->from + (log10(value) - axis->low) / (axis->high - axis->low) * (axis->to - axis->from);
}

static struct axis axis_of_x(const struct plot *const plot) {
    const struct axis axis = {log10(plot->x[0]), log10(plot->x[plot->n_points - 1]), LEFT, WIDTH - RIGHT};
    return axis;
}

static struct axis axis_of_y(const struct plot *const plot) {
    struct axis axis = {1e9, -1e9, HEIGHT - BOTTOM, TOP};
    for (size_t c = 0; c < plot->n_curves; c++) {
        for (size_t i = 0; i < plot->n_points; i++) {
            const double y = plot->curve[c].y[i];
            if (y > 0) {
                axis.low = fmin(axis.low, floor(log10(y)));
                axis.high = fmax(axis.high, ceil(log10(y)));
            }
        }
    }
    return axis;
}

static void draw_frame(FILE *const file, const struct plot *const plot, const struct axis *const x,
                       const struct axis *const y) {
    const struct svg_style title = {15, SVG_START, "#111111", false, true, false};
    const struct svg_style label = {13, SVG_MIDDLE, "#333333", false, false, false};
    const struct svg_style upright = {13, SVG_MIDDLE, "#333333", false, false, true};
    const struct svg_style number = {12, SVG_END, "#333333", false, false, false};
    char text[32];
    svg_text(file, LEFT, 30, &title, plot->title);
    svg_text(file, (x->from + x->to) / 2, HEIGHT - 18, &label, plot->x_name);
    svg_text(file, 24, (y->from + y->to) / 2, &upright, plot->y_name);
    for (int decade = (int)y->low; decade <= (int)y->high; decade++) {
        const double unit = pow(10, decade);
        for (int digit = 1; digit <= 9 && (digit == 1 || decade < (int)y->high); digit++) {
            const double at = place(y, digit * unit);
            svg_line(file, x->from, at, x->to, at, digit == 1 ? "#9a9a9a" : "#ececec", 0.8);
        }
        (void)snprintf(text, sizeof(text), "%g", unit);
        svg_text(file, x->from - 8, place(y, unit) + 4, &number, text);
    }
    for (size_t i = 0; i < plot->n_points; i++) {
        const double at = place(x, plot->x[i]);
        svg_line(file, at, y->from, at, y->to, "#d4d4d4", 0.8);
        (void)snprintf(text, sizeof(text), "%g", plot->x[i]);
        svg_text(file, at, y->from + 18, &label, text);
    }
}

/// The curves, with their names beside their last points, or below one another where these would touch.
static void draw_curves_of(FILE *const file, const struct plot *const plot, const struct axis *const x,
                           const struct axis *const y) {
    for (size_t c = 0; c < plot->n_curves; c++) {
        const struct curve *const curve = &plot->curve[c];
        double last_x = 0;
        double last_y = 0;
        for (size_t i = 0; i < plot->n_points; i++) {
            if (curve->y[i] <= 0) {
                continue;
            }
            const double to_x = place(x, plot->x[i]);
            const double to_y = place(y, curve->y[i]);
            const struct svg_box dot = {to_x - 3, to_y - 3, 6, 6};
            char tip[64];
            (void)snprintf(tip, sizeof(tip), "%s at %g: %.4g", curve->name, plot->x[i], curve->y[i]);
            if (last_x > 0) {
                svg_line(file, last_x, last_y, to_x, to_y, colour[c], 2);
            }
            svg_rect(file, dot, colour[c], NULL, tip);
            last_x = to_x;
            last_y = to_y;
        }
        const double key_y = TOP + 14 + 22 * (double)c;
        const struct svg_style key = {13, SVG_START, colour[c], false, true, false};
        svg_line(file, WIDTH - RIGHT + 16, key_y - 4, WIDTH - RIGHT + 36, key_y - 4, colour[c], 3);
        svg_text(file, WIDTH - RIGHT + 42, key_y, &key, curve->name);
    }
}

bool plot_write(const struct plot *const plot, const char *const path) {
    FILE *const file = fopen(path, "w");
    const struct axis x = axis_of_x(plot);
    const struct axis y = axis_of_y(plot);
    if (file == NULL) {
        return false;
    }
    svg_begin(file, WIDTH, HEIGHT, plot->title);
    if (y.low < y.high) {
        draw_frame(file, plot, &x, &y);
        draw_curves_of(file, plot, &x, &y);
    }
    svg_end(file);
    const bool is_written = ferror(file) == 0;
    return fclose(file) == 0 && is_written;
}
