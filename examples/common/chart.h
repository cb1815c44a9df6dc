// SPDX-License-Identifier: MIT
/// Charts: numbers over an axis, with ticks, a frame and titles.
#ifndef CHART_H
#define CHART_H

#include "svg.h"

#include <stdint.h>

/// Small enough for a phone.
enum { CHART_WIDTH = 560, CHART_HEIGHT = 400, CHART_LEFT = 66, CHART_RIGHT = 20, CHART_TOP = 44, CHART_BOTTOM = 48 };

/// A chart's area: x linear, y linear or logarithmic.
struct chart {
    double left;
    double top;
    double width;
    double height;
    double x0;
    double x1;
    double y0;
    double y1;
    bool is_log;
};

extern const struct svg_style chart_title;
extern const struct svg_style chart_note;
extern const struct svg_style chart_tick;
extern const struct svg_style chart_axis;
extern const struct svg_style chart_upright;

/// Where a number is in the picture; one outside the chart's y0 to y1 is at its edge.
double chart_x(const struct chart *c, double x);
double chart_y(const struct chart *c, double y);

/// A line across at y, with its number of n_decimals; a tick below at x.
void chart_y_tick(FILE *file, const struct chart *c, double y, int n_decimals);
void chart_x_tick(FILE *file, const struct chart *c, double x);

/// The frame, and the titles of the axes.
void chart_frame(FILE *file, const struct chart *c, const char *x_title, const char *y_title);

/// A chart of losses from `lowest`, a power of ten, to 4 over steps 0 to n_steps, on a log scale; ticks at every x_tick
/// steps; `below` pixels are left free below it.
struct chart chart_of_losses(FILE *file, uint32_t n_steps, uint32_t x_tick, double lowest, double below);

/// A run's losses [n_steps], each the mean of the n_smooth steps up to it; those behind the chart's end are left out.
/// At most CHART_MAX_STEPS are drawn.
enum { CHART_MAX_STEPS = 1000000 };
void chart_draw_losses(FILE *file, const struct chart *c, const double *loss, uint32_t n_steps, uint32_t n_smooth,
                       const char *stroke, double width, double opacity);

#endif
