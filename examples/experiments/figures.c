// SPDX-License-Identifier: MIT
// The chapter's figures 1.1 and 1.3, and what it only says in words: the position table before and after training, what
// moves when a later token changes, runs that part.
#include "experiments.h"
#include "chart.h"

#include <math.h>
#include <string.h>

// With a bar for each position a chart is wider than usual.
enum { POSITIONS_WIDTH = 720, LEGEND = 44 };
enum { N_SMOOTH = 25 };

/// Five colours that differ in lightness too (after Okabe and Ito).
static const char *const colour[N_FAULTS] = {"#111111", "#0072b2", "#d55e00", "#009e73", "#cc79a7"};

static void draw_run(FILE *const file, const struct chart *const c, const struct experiment *const e,
                     const uint32_t n_smooth, const char *const stroke, const double width, const double opacity) {
    chart_draw_losses(file, c, e->loss, e->n_steps, n_smooth, stroke, width, opacity);
}

void draw_losses(FILE *const file, const void *const unused) {
    const struct experiment *const e = &experiment[REFERENCE];
    (void)unused;
    svg_begin(file, CHART_WIDTH, CHART_HEIGHT, "Figure 1.1. Training loss, one point per step");
    svg_text(file, CHART_LEFT, 26, &chart_title, "Training loss of the reference, one point per step");
    const struct chart c = chart_of_losses(file, e->n_steps, 250, 1e-5, 0);
    draw_run(file, &c, e, 1, "#0072b2", 0.9, 1);
    svg_end(file);
}

/// Names and colours of the runs, at the bottom: three and two.
static void draw_legend(FILE *const file) {
    for (size_t i = 0; i < N_FAULTS; i++) {
        const double x = CHART_LEFT + 155 * (double)(i % 3);
        const double y = CHART_HEIGHT - (i < 3 ? 42 : 22);
        const struct svg_box box = {x, y, 14, 12};
        svg_rect(file, box, colour[i], NULL, NULL);
        svg_text(file, x + 19, y + 10, &chart_note, fault_title[i]);
    }
}

void draw_fault_losses(FILE *const file, const void *const unused) {
    (void)unused;
    svg_begin(file, CHART_WIDTH, CHART_HEIGHT,
              "Figure 1.3, left. Training loss of the reference and of four faulty variants");
    svg_text(file, CHART_LEFT, 26, &chart_title, "Training loss, mean of 25 steps");
    const struct chart c = chart_of_losses(file, 1500, 250, 1e-5, LEGEND);
    for (size_t i = N_FAULTS; i > 0; i--) { // the reference on top
        if (experiment[i - 1].is_there) {
            draw_run(file, &c, &experiment[i - 1], N_SMOOTH, colour[i - 1], i == 1 ? 2.2 : 1.5, 1);
        }
    }
    draw_legend(file);
    svg_end(file);
}

void draw_fault_accuracy(FILE *const file, const void *const unused) {
    enum { N_GROUPS = 6, SHORTEST = 3 };
    const struct chart c = {CHART_LEFT,
                            CHART_TOP,
                            CHART_WIDTH - CHART_LEFT - CHART_RIGHT,
                            CHART_HEIGHT - CHART_TOP - CHART_BOTTOM - LEGEND,
                            0,
                            N_GROUPS,
                            0,
                            105,
                            false};
    (void)unused;
    svg_begin(file, CHART_WIDTH, CHART_HEIGHT, "Figure 1.3, right. Test accuracy by length");
    svg_text(file, CHART_LEFT, 26, &chart_title, "The same runs: strings reversed, percent, by length");
    for (int y = 0; y <= 100; y += 25) {
        chart_y_tick(file, &c, y, 0);
    }
    const double bar = c.width / N_GROUPS / (N_FAULTS + 1);
    for (size_t g = 0; g < N_GROUPS; g++) {
        char text[24];
        const double left = c.left + c.width * (double)g / N_GROUPS + bar / 2;
        (void)snprintf(text, sizeof(text), "%zu", g + SHORTEST);
        svg_text(file, left + bar * N_FAULTS / 2, c.top + c.height + 19, &chart_tick, text);
        for (size_t i = 0; i < N_FAULTS; i++) {
            const struct share share = experiment[i].right[g + SHORTEST];
            const double percent = share.of > 0 ? 100.0 * share.n / share.of : 0;
            const double y = chart_y(&c, percent);
            const double floor = c.top + c.height;
            const struct svg_box box = {left + bar * (double)i, percent > 0 ? y : floor - 1.5, bar * 0.9,
                                        percent > 0 ? floor - y : 1.5};
            char tip[96];
            (void)snprintf(tip, sizeof(tip), "%s, %zu letters: %u of %u", fault_title[i], g + SHORTEST, share.n,
                           share.of);
            svg_rect(file, box, colour[i], NULL, tip);
        }
    }
    chart_frame(file, &c, "letters", "percent right");
    draw_legend(file);
    svg_end(file);
}

// ------------------------------------------------------------------------------------------------- the position table

static void draw_norms(FILE *const file, const struct experiment *const e, const char *const text, const double top,
                       const double height) {
    const struct chart c = {CHART_LEFT, top,  POSITIONS_WIDTH - CHART_LEFT - CHART_RIGHT, height, 0, N_POSITIONS, 0,
                            13,         false};
    const double step = c.width / N_POSITIONS;
    svg_text(file, CHART_LEFT, top - 8, &chart_note, text);
    for (int y = 0; y <= 12; y += 3) {
        chart_y_tick(file, &c, y, 0);
    }
    for (size_t row = 0; row < N_POSITIONS; row++) {
        const struct table_row_facts *const r = &e->position[row];
        const double left = c.left + step * (double)row;
        const double floor = c.top + c.height;
        char tip[128];
        char number[12];
        const struct svg_box before = {left + step * 0.1, chart_y(&c, r->before), step * 0.38,
                                       floor - chart_y(&c, r->before)};
        const struct svg_box after = {left + step * 0.5, chart_y(&c, r->after), step * 0.38,
                                      floor - chart_y(&c, r->after)};
        (void)snprintf(tip, sizeof(tip), "row %zu: %.3f before, %.3f after, times %.4f", row, r->before, r->after,
                       r->after / r->before);
        svg_rect(file, before, "#c8c8c8", NULL, tip);
        svg_rect(file, after, r->gradient > 0 ? "#0072b2" : "#d55e00", NULL, tip);
        (void)snprintf(number, sizeof(number), "%zu", row);
        svg_text(file, left + step / 2, floor + 16, &chart_tick, number);
    }
    chart_frame(file, &c, "", "norm of the row");
}

/// By how many percent each row has grown or shrunk, in two runs.
static void draw_changes(FILE *const file, const double top, const double height) {
    const struct chart c = {CHART_LEFT, top,  POSITIONS_WIDTH - CHART_LEFT - CHART_RIGHT, height, 0, N_POSITIONS, -12,
                            8,          false};
    const double step = c.width / N_POSITIONS;
    svg_text(file, CHART_LEFT, top - 8, &chart_note,
             "the change in percent, beside it (green) that with the softmax over queries");
    for (int y = -12; y <= 8; y += 4) {
        chart_y_tick(file, &c, y, 0);
    }
    for (size_t i = 0; i < 2 * (size_t)N_POSITIONS; i++) {
        const size_t row = i / 2;
        const struct table_row_facts *const r = &experiment[i % 2 == 0 ? REFERENCE : QUERIES].position[row];
        const double percent = r->before > 0 ? 100 * (r->after / r->before - 1) : 0;
        const double from = chart_y(&c, percent > 0 ? percent : 0);
        const double to = chart_y(&c, percent > 0 ? 0 : percent);
        const struct svg_box box = {c.left + step * ((double)row + (i % 2 == 0 ? 0.1 : 0.5)), from, step * 0.38,
                                    to - from};
        char text[64];
        (void)snprintf(text, sizeof(text), "row %zu: %+.2f %%", row, percent);
        svg_rect(file, box, i % 2 == 1 ? "#009e73" : r->gradient > 0 ? "#0072b2" : "#d55e00", NULL, text);
        (void)snprintf(text, sizeof(text), "%zu", row);
        if (i % 2 == 0) {
            svg_text(file, c.left + step * ((double)row + 0.5), c.top + c.height + 16, &chart_tick, text);
        }
    }
    svg_line(file, c.left, chart_y(&c, 0), c.left + c.width, chart_y(&c, 0), "#333333", 1);
    chart_frame(file, &c, "", "percent");
}

void draw_position_norms(FILE *const file, const void *const unused) {
    static const char *const key[] = {"before training", "after, trained",
                                      "after, no gradient: only decayed, times 0.956"};
    static const char *const fill[] = {"#c8c8c8", "#0072b2", "#d55e00"};
    static const double at[] = {0, 140, 270};
    (void)unused;
    svg_begin(file, POSITIONS_WIDTH, 560, "Norm of each row of the position table before and after training");
    svg_text(file, CHART_LEFT, 26, &chart_title, "Rows of the position table before and after training");
    for (size_t i = 0; i < 3; i++) {
        const struct svg_box box = {CHART_LEFT + at[i], 38, 14, 12};
        svg_rect(file, box, fill[i], NULL, NULL);
        svg_text(file, CHART_LEFT + at[i] + 20, 48, &chart_note, key[i]);
    }
    draw_norms(file, &experiment[REFERENCE], "the reference: no target sees a position behind 15", 84, 176);
    draw_changes(file, 320, 176);
    svg_text(file, POSITIONS_WIDTH / 2.0, 545, &chart_axis, "position");
    svg_end(file);
}

// ------------------------------------------------------------------------------------------------------------ the leak

/// From a light orange, which nobody takes for white, over red to a dark red, on a log scale from 0.001 to 10; 0 is white.
static void leak_colour(char out[8], const double moved) {
    static const double stop[3][3] = {{253, 205, 140}, {227, 74, 51}, {80, 0, 10}};
    const double share = moved > 0 ? fmin(1, fmax(0, (log10(moved) + 3) / 4)) : 0;
    const size_t from = share < 0.5 ? 0 : 1;
    unsigned channel[3];
    for (size_t i = 0; i < 3; i++) {
        const double part = 2 * share - (double)from;
        channel[i] = (unsigned)(stop[from][i] + (stop[from + 1][i] - stop[from][i]) * part + 0.5) & 0xFFU;
    }
    if (moved > 0) {
        (void)snprintf(out, 8, "#%02x%02x%02x", channel[0], channel[1], channel[2]);
    } else {
        (void)snprintf(out, 8, "#ffffff");
    }
}

static void draw_moved(FILE *const file, const struct experiment *const e, const char *const text, const double x,
                       const double y, const double cell) {
    static const char token[] = "fgcabe|EBACGF";
    static const struct svg_style bold = {13, SVG_MIDDLE, "#111111", false, true, false};
    static const struct svg_style mono = {12, SVG_MIDDLE, "#111111", true, false, false};
    const double size = cell * N_EXAMPLE;
    svg_text(file, x + size / 2, y - 26, &bold, text);
    for (size_t changed = 0; changed < N_EXAMPLE; changed++) {
        const char one[2] = {token[changed], '\0'};
        svg_text(file, x + cell * ((double)changed + 0.5), y - 7, &mono, one);
        svg_text(file, x - 11, y + cell * ((double)changed + 0.5) + 4, &mono, one);
        for (size_t at = 0; at < N_EXAMPLE; at++) {
            const struct svg_box box = {x + cell * (double)at, y + cell * (double)changed, cell, cell};
            const double moved = e->moved[changed][at];
            char fill[8];
            char tip[96];
            leak_colour(fill, moved);
            (void)snprintf(tip, sizeof(tip), "token %zu changed: logits of position %zu move by up to %.4g", changed,
                           at, moved);
            svg_rect(file, box, fill, "#d8d8d8", tip);
        }
    }
    for (size_t k = 1; k < N_EXAMPLE; k++) { // earlier positions are on the left of this staircase
        const double corner = cell * (double)k;
        svg_line(file, x + corner, y + corner - cell, x + corner, y + corner, "#0072b2", 2);
        svg_line(file, x + corner, y + corner, x + corner + cell, y + corner, "#0072b2", 2);
    }
    svg_text(file, x + size / 2, y + size + 19, &chart_tick, "logits of this position move");
}

void draw_leak(FILE *const file, const void *const unused) {
    static const double scale[] = {0.001, 0.01, 0.1, 1, 10};
    const double cell = 17;
    const double step = cell * N_EXAMPLE + 44;
    (void)unused;
    svg_begin(file, 800, 384, "What moves when a later token changes");
    svg_text(file, 34, 26, &chart_title, "One token changes: how far do the logits of each position move?");
    svg_text(file, 34, 46, &chart_note,
             "fgcabe|EBACGF, capitals the answer. Left of the blue line are positions before the changed token.");
    draw_moved(file, &experiment[REFERENCE], "reference", 46, 100, cell);
    draw_moved(file, &experiment[QUERIES], "softmax over queries", 46 + step, 100, cell);
    draw_moved(file, &experiment[NO_MASK], "no mask", 46 + 2 * step, 100, cell);
    svg_text(file, 17, 100 + cell * N_EXAMPLE / 2, &chart_upright, "this token changes");
    for (size_t i = 0; i < sizeof(scale) / sizeof(scale[0]); i++) {
        char fill[8];
        char text[16];
        const struct svg_box box = {46 + 74 * (double)i, 352, 20, 14};
        leak_colour(fill, scale[i]);
        (void)snprintf(text, sizeof(text), "%g", scale[i]);
        svg_rect(file, box, fill, "#999999", NULL);
        svg_text(file, 72 + 74 * (double)i, 364, &chart_note, text);
    }
    svg_text(file, 430, 364, &chart_note, "white: not a bit moves");
    svg_end(file);
}

// ---------------------------------------------------------------------------------------------------------- the spread

/// How far the runs are apart at each step: the largest loss less the smallest, as a share of the smallest.
static void draw_parting(FILE *const file, const size_t n, const uint32_t n_steps, const double top) {
    static double points[MAX_STEPS][2];
    const struct chart c = {CHART_LEFT, top, CHART_WIDTH - CHART_LEFT - CHART_RIGHT, 150, 0, n_steps, 1e-7, 1000, true};
    const uint32_t n_there = spread[REFERENCE][0].n_steps < n_steps ? spread[REFERENCE][0].n_steps : n_steps;
    svg_text(file, CHART_LEFT, top - 8, &chart_note, "how far they are apart: (largest - smallest) / smallest");
    for (int power = 2; power >= -4; power -= 2) {
        chart_y_tick(file, &c, pow(10, power), power < 0 ? -power : 0);
    }
    for (uint32_t step = 1; step <= n_there; step++) {
        double low = spread[REFERENCE][0].loss[step - 1];
        double high = low;
        for (size_t i = 1; i < n; i++) {
            low = fmin(low, spread[REFERENCE][i].loss[step - 1]);
            high = fmax(high, spread[REFERENCE][i].loss[step - 1]);
        }
        points[step - 1][0] = chart_x(&c, step);
        points[step - 1][1] = chart_y(&c, high / low - 1);
    }
    svg_polyline(file, points[0], n_there, "#0072b2", 1.2, 1);
    svg_line(file, chart_x(&c, 150), c.top, chart_x(&c, 150), c.top + c.height, "#d55e00", 1.5);
    for (uint32_t x = 0; x <= n_steps; x += 50) {
        chart_x_tick(file, &c, x);
    }
    chart_frame(file, &c, "step", "");
}

void draw_spread(FILE *const file, const void *const unused) {
    enum { N_SHOWN = 500, PARTING = 232 }; // steps; height of the lower chart with its text
    const size_t n = n_spread(REFERENCE);
    char text[96];
    (void)unused;
    svg_begin(file, CHART_WIDTH, CHART_HEIGHT + PARTING,
              "Losses of runs whose initial weights differ by one rounding unit");
    (void)snprintf(text, sizeof(text), "Losses of runs one rounding unit apart: %zu runs", n);
    svg_text(file, CHART_LEFT, 26, &chart_title, text);
    const struct chart c = chart_of_losses(file, N_SHOWN, 50, 1e-4, 0);
    for (size_t i = 0; i < n; i++) {
        draw_run(file, &c, &spread[REFERENCE][i], 1, "#0072b2", 0.8, 0.45);
    }
    svg_line(file, chart_x(&c, 150), c.top, chart_x(&c, 150), c.top + c.height, "#d55e00", 1.5);
    svg_text(file, chart_x(&c, 150) + 6, c.top + 18, &chart_note, "step 150: before it one line, behind it they part");
    draw_parting(file, n, N_SHOWN, CHART_HEIGHT + 26);
    svg_end(file);
}
