// SPDX-License-Identifier: MIT
#include "chart.h"
#include "af_math.h"
#include "losses.h"

const struct svg_style chart_title = {16, SVG_START, "#111111", false, true, false};
const struct svg_style chart_note = {12, SVG_START, "#444444", false, false, false};
const struct svg_style chart_tick = {12, SVG_MIDDLE, "#333333", false, false, false};
const struct svg_style chart_axis = {13, SVG_MIDDLE, "#111111", false, false, false};
const struct svg_style chart_upright = {13, SVG_MIDDLE, "#111111", false, false, true};

static const struct svg_style left_style = {12, SVG_END, "#333333", false, false, false};

static double log_of(const double x) {
    return (double)af_log((af_real)x);
}

double chart_x(const struct chart *const c, const double x) {
    return c->left + c->width * (x - c->x0) / (c->x1 - c->x0);
}

double chart_y(const struct chart *const c, double y) {
    y = y < c->y0 ? c->y0 : y > c->y1 ? c->y1 : y;
    const double share = c->is_log ? log_of(y / c->y0) / log_of(c->y1 / c->y0) : (y - c->y0) / (c->y1 - c->y0);
    return c->top + c->height * (1 - share);
}

void chart_y_tick(FILE *const file, const struct chart *const c, const double y, const int n_decimals) {
    char text[24];
    (void)snprintf(text, sizeof(text), "%.*f", n_decimals, y);
    svg_line(file, c->left, chart_y(c, y), c->left + c->width, chart_y(c, y), "#dddddd", 0.8);
    svg_text(file, c->left - 7, chart_y(c, y) + 4, &left_style, text);
}

void chart_x_tick(FILE *const file, const struct chart *const c, const double x) {
    char text[24];
    (void)snprintf(text, sizeof(text), "%.0f", x);
    svg_line(file, chart_x(c, x), c->top + c->height, chart_x(c, x), c->top + c->height + 5, "#333333", 1);
    svg_text(file, chart_x(c, x), c->top + c->height + 19, &chart_tick, text);
}

void chart_frame(FILE *const file, const struct chart *const c, const char *const x_title, const char *const y_title) {
    const struct svg_box box = {c->left, c->top, c->width, c->height};
    svg_rect(file, box, "none", "#333333", NULL);
    svg_text(file, c->left + c->width / 2, c->top + c->height + 39, &chart_axis, x_title);
    svg_text(file, c->left - 48, c->top + c->height / 2, &chart_upright, y_title);
}

struct chart chart_of_losses(FILE *const file, const uint32_t n_steps, const uint32_t x_tick, const double lowest,
                             const double below) {
    const struct chart c = {CHART_LEFT,
                            CHART_TOP,
                            CHART_WIDTH - CHART_LEFT - CHART_RIGHT,
                            CHART_HEIGHT - CHART_TOP - CHART_BOTTOM - below,
                            0,
                            n_steps,
                            lowest,
                            4,
                            true};
    int n_decimals = 0;
    double power = 1;
    while (power >= lowest * 0.99) {
        chart_y_tick(file, &c, power, n_decimals);
        n_decimals++;
        power /= 10;
    }
    for (uint32_t x = 0; x <= n_steps; x += x_tick) {
        chart_x_tick(file, &c, x);
    }
    chart_frame(file, &c, "step", "loss");
    return c;
}

void chart_draw_losses(FILE *const file, const struct chart *const c, const double *const loss, const uint32_t n_steps,
                       const uint32_t n_smooth, const char *const stroke, const double width, const double opacity) {
    static double points[CHART_MAX_STEPS][2];
    size_t n = 0;
    for (uint32_t step = n_smooth; step <= n_steps && step <= (uint32_t)c->x1 && n < CHART_MAX_STEPS; step++) {
        points[n][0] = chart_x(c, step);
        points[n][1] = chart_y(c, mean_loss(loss, step - n_smooth + 1, step));
        n++;
    }
    svg_polyline(file, points[0], n, stroke, width, opacity);
}
