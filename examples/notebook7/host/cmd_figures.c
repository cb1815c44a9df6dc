// SPDX-License-Identifier: MIT
// The document's figures, and one for what it says in words: influence against distance.
#include "heat.h"
#include "host.h"
#include "print_file.h"

static struct n7_arena *const arena = &n7_arena;

static const struct svg_style title_style = {16, SVG_MIDDLE, "#111111", false, true, false};
static const struct svg_style head_style = {13, SVG_MIDDLE, "#111111", false, true, false};
static const struct svg_style axis_style = {12, SVG_MIDDLE, "#444444", false, false, false};
static const struct svg_style side_style = {12, SVG_MIDDLE, "#444444", false, false, true};
static const struct svg_style tick_style = {11, SVG_MIDDLE, "#444444", false, false, false};
static const struct svg_style row_style = {12, SVG_END, "#111111", false, false, false};
static const struct svg_style column_style = {12, SVG_END, "#111111", false, false, true};
static const struct svg_style row_tick_style = {11, SVG_END, "#444444", false, false, false};

static const char frame_colour[] = "#666666";

// -------------------------------------------------------------------------------------------------- attention maps

enum { CELL = 44, MAP = CELL * N7_N, MAP_LEFT = 112, MAP_TOP = 74, MAP_STEP = MAP + 150 };

static void draw_weight(FILE *const file, const double weight, const double x, const double y) {
    char fill[HEAT_COLOUR_BYTES];
    const struct svg_box box = {x, y, CELL, CELL};
    const struct svg_style style = {11, SVG_MIDDLE, weight > 0.5 ? "#ffffff" : "#222222", false, false, false};
    heat_blue(fill, weight);
    svg_rect(file, box, fill, "#d0d0d0", NULL);
    if (weight > 0) {
        char text[16];
        (void)snprintf(text, sizeof(text), "%.2f", weight);
        svg_text(file, x + CELL / 2.0, y + CELL / 2.0 + 4, &style, text);
    }
}

static void draw_map(FILE *const file, const af_real *const weight, const double x, const char *const title) {
    svg_text(file, x + MAP / 2.0, MAP_TOP - 14, &head_style, title);
    for (size_t i = 0; i < N7_N * N7_N; i++) {
        draw_weight(file, weight[i], x + (double)(CELL * (i % N7_N)), MAP_TOP + (double)(CELL * (i / N7_N)));
    }
    for (size_t i = 0; i < N7_N; i++) {
        const double middle = CELL * ((double)i + 0.5) + 4;
        svg_text(file, x - 8, MAP_TOP + middle, &row_style, n7_word(i));
        svg_text(file, x + middle, MAP_TOP + MAP + 8, &column_style, n7_word(i));
    }
    const struct svg_box frame = {x, MAP_TOP, MAP, MAP};
    svg_rect(file, frame, "none", frame_colour, NULL);
    svg_text(file, x + MAP / 2.0, MAP_TOP + MAP + 92, &axis_style, "attends to (keys)");
    svg_text(file, x - 84, MAP_TOP + MAP / 2.0, &side_style, "token (queries)");
}

static void print_attention(FILE *const file, const void *const what) {
    (void)what;
    const double width = MAP_LEFT + MAP_STEP + MAP + 90;
    svg_begin(file, width, MAP_TOP + MAP + 110, "Self-attention with random weights");
    svg_text(file, width / 2, 30, &title_style, "Attention weights of the sentence, before training");
    draw_map(file, &arena->work.self.w_full[0][0], MAP_LEFT, "Self-attention (every token sees every token)");
    draw_map(file, &arena->work.self.w_causal[0][0], MAP_LEFT + MAP_STEP, "Causal self-attention (no looking ahead)");
    const struct svg_box bar = {MAP_LEFT + MAP_STEP + MAP + 24, MAP_TOP, 16, MAP};
    heat_bar(file, bar, heat_blue, 0, 1);
    svg_end(file);
}

// -------------------------------------------------------------------------------------------------------- positions

enum { PE_X = 8, PE_Y = 22, PE_LEFT = 70, PE_TOP = 54, PE_RIGHT = PE_LEFT + PE_X * N7_PLACES };

static void print_positions(FILE *const file, const void *const what) {
    (void)what;
    const double bottom = PE_TOP + PE_Y * N7_WIDTH;
    svg_begin(file, PE_RIGHT + 100, bottom + 60, "Sinusoidal positional encoding");
    svg_text(file, PE_LEFT + PE_X * N7_PLACES / 2.0, 30, &title_style,
             "Sinusoidal positional encoding: fast frequencies at the top, slow ones at the bottom");
    for (size_t p = 0; p < N7_PLACES; p++) {
        for (size_t i = 0; i < N7_WIDTH; i++) {
            char fill[HEAT_COLOUR_BYTES];
            const struct svg_box box = {PE_LEFT + (double)(PE_X * p), PE_TOP + (double)(PE_Y * i), PE_X, PE_Y};
            heat_red_blue(fill, (arena->work.late.part.positions.PE[p][i] + 1) / 2);
            svg_rect(file, box, fill, NULL, NULL);
        }
    }
    char text[16];
    for (size_t i = 0; i < N7_WIDTH; i += 2) {
        (void)snprintf(text, sizeof(text), "%zu", i);
        svg_text(file, PE_LEFT - 8, PE_TOP + PE_Y * ((double)i + 0.5) + 4, &row_tick_style, text);
    }
    for (size_t p = 0; p < N7_PLACES; p += 10) {
        (void)snprintf(text, sizeof(text), "%zu", p);
        svg_text(file, PE_LEFT + PE_X * ((double)p + 0.5), bottom + 16, &tick_style, text);
    }
    const struct svg_box frame = {PE_LEFT, PE_TOP, PE_X * N7_PLACES, PE_Y * N7_WIDTH};
    const struct svg_box bar = {PE_RIGHT + 24, PE_TOP, 16, PE_Y * N7_WIDTH};
    svg_rect(file, frame, "none", frame_colour, NULL);
    svg_text(file, PE_LEFT + PE_X * N7_PLACES / 2.0, bottom + 40, &axis_style, "position in the sequence");
    svg_text(file, PE_LEFT - 40, PE_TOP + PE_Y * N7_WIDTH / 2.0, &side_style, "dimension");
    heat_bar(file, bar, heat_red_blue, -1, 1);
    svg_end(file);
}

// -------------------------------------------------------------------------------------------------------- influence

enum {
    PLOT_LEFT = 90,
    PLOT_TOP = 60,
    PLOT_X = 11,
    PLOT_Y = 28,
    LOWEST = -14,
    HIGHEST = 1,
    N_DECADES = HIGHEST - LOWEST
};

static double plot_x(const size_t n_tokens) {
    return PLOT_LEFT + (double)(PLOT_X * n_tokens);
}

/// Where a size is on the logarithmic scale.
static double plot_y(const double size) {
    const double log10_size = af_log(size) / af_log(AF_R(10));
    return PLOT_TOP + PLOT_Y * ((double)HIGHEST - log10_size);
}

static void draw_curve(FILE *const file, const af_real influence[N7_LONG], const char *const colour) {
    for (size_t t = 0; t < N7_LONG; t++) {
        const double x = plot_x(t + 1);
        const double y = plot_y(influence[t]);
        const struct svg_box dot = {x - 2, y - 2, 4, 4};
        char tip[64];
        (void)snprintf(tip, sizeof(tip), "after %zu tokens: %.2e", t + 1, influence[t]);
        if (t > 0) {
            svg_line(file, plot_x(t), plot_y(influence[t - 1]), x, y, colour, 1.6);
        }
        svg_rect(file, dot, colour, NULL, tip);
    }
}

static void draw_axes(FILE *const file) {
    char text[16];
    for (int decade = LOWEST; decade <= HIGHEST; decade++) {
        const double y = PLOT_TOP + (double)(PLOT_Y * (HIGHEST - decade));
        svg_line(file, plot_x(0), y, plot_x(N7_LONG + 1), y, "#dddddd", 0.8);
        (void)snprintf(text, sizeof(text), "1e%+d", decade);
        if (decade % 2 == 0) {
            svg_text(file, plot_x(0) - 8, y + 4, &row_tick_style, text);
        }
    }
    for (size_t n = 0; n <= N7_LONG; n += 10) {
        svg_line(file, plot_x(n), PLOT_TOP, plot_x(n), PLOT_TOP + PLOT_Y * N_DECADES, "#dddddd", 0.8);
        (void)snprintf(text, sizeof(text), "%zu", n);
        svg_text(file, plot_x(n), PLOT_TOP + PLOT_Y * N_DECADES + 18, &tick_style, text);
    }
    const struct svg_box frame = {plot_x(0), PLOT_TOP, plot_x(N7_LONG + 1) - plot_x(0), PLOT_Y * N_DECADES};
    svg_rect(file, frame, "none", frame_colour, NULL);
}

/// What the figure shows.
struct curves {
    af_real recurrent[N7_LONG]; // d h_T / d x_1
    af_real attention[N7_LONG]; // d out_T / d x_1
    af_real document[N7_LONG];  // d h_T / d h_0, whose size the document prints
};

static void print_influence(FILE *const file, const void *const what) {
    static const char red[] = "#a3232f";
    static const char blue[] = "#0a3c82";
    static const struct svg_style red_style = {13, SVG_START, red, false, true, false};
    static const char grey[] = "#888888";
    static const struct svg_style blue_style = {13, SVG_START, blue, false, true, false};
    static const struct svg_style grey_style = {12, SVG_START, "#555555", false, false, false};
    const struct curves *const curves = what;
    const double width = plot_x(N7_LONG + 1) + 30;
    const double bottom = PLOT_TOP + PLOT_Y * N_DECADES;
    svg_begin(file, width, bottom + 56, "Influence of the first token");
    svg_text(file, width / 2, 30, &title_style, "How much the last output depends on the first token");
    draw_axes(file);
    draw_curve(file, curves->document, grey);
    draw_curve(file, curves->recurrent, red);
    draw_curve(file, curves->attention, blue);
    svg_text(file, plot_x(26), plot_y(3e-4), &red_style, "recurrent network, d h_T / d x_1: it fades");
    svg_text(file, plot_x(26), plot_y(1.2), &blue_style, "attention, d out_T / d x_1: one step");
    svg_text(file, plot_x(2), plot_y(3e-12), &grey_style, "grey: d h_T / d h_0, which the document prints:");
    svg_text(file, plot_x(2), plot_y(3e-13), &grey_style, "of the state before the first token, not of the token");
    svg_text(file, (plot_x(0) + plot_x(N7_LONG)) / 2, bottom + 42, &axis_style, "tokens read");
    svg_text(file, PLOT_LEFT - 58, (PLOT_TOP + bottom) / 2, &side_style, "size of d output / d first token");
    svg_end(file);
}

// ---------------------------------------------------------------------------------------------------------- command

static int write_figure(const char *const folder, const char *const name, void (*const print)(FILE *, const void *),
                        const void *const what) {
    char path[4096];
    const int n = snprintf(path, sizeof(path), "%s/%s", folder, name);
    if (n < 0 || (size_t)n >= sizeof(path)) {
        return complain("figures: the folder's name is too long");
    }
    return print_file(path, print, what);
}

int cmd_figures(int argc, char **argv) {
    static struct curves curves;
    if (!take_stream(&argc, argv) || !no_options_left(argc, argv)) {
        return STATUS_USAGE;
    }
    if (argc != 2 || argv[1][0] == '\0') {
        return complain("figures: give one folder to write them into");
    }
    n7_run_to(arena, 2);
    for (size_t t = 0; t < N7_LONG; t++) {
        curves.document[t] = arena->work.recurrent.influence[t];
    }
    shown_recurrent_influence(curves.recurrent);
    shown_attention_influence(curves.attention);
    int status = write_figure(argv[1], "influence.svg", print_influence, &curves);
    n7_run_to(arena, 5);
    status = status == STATUS_DONE ? write_figure(argv[1], "attention.svg", print_attention, NULL) : status;
    n7_run_to(arena, 7);
    return status == STATUS_DONE ? write_figure(argv[1], "positions.svg", print_positions, NULL) : status;
}
