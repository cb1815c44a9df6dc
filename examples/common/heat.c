// SPDX-License-Identifier: MIT
#include "heat.h"

static void mix(char out[HEAT_COLOUR_BYTES], const double from[3], const double to[3], const double share) {
    unsigned channel[3];
    for (size_t c = 0; c < 3; c++) {
        const double value = from[c] + (to[c] - from[c]) * share;
        channel[c] = (unsigned)(value < 0 ? 0 : value + 0.5) & 0xFFU;
    }
    (void)snprintf(out, HEAT_COLOUR_BYTES, "#%02x%02x%02x", channel[0], channel[1], channel[2]);
}

static const double white[3] = {255, 255, 255};

void heat_blue(char out[HEAT_COLOUR_BYTES], const double share) {
    static const double dark[3] = {8, 29, 88};
    mix(out, white, dark, share);
}

void heat_red_blue(char out[HEAT_COLOUR_BYTES], const double share) {
    static const double red[3] = {150, 15, 35};
    static const double blue[3] = {10, 60, 130};
    if (share < 0.5) {
        mix(out, red, white, 2 * share);
    } else {
        mix(out, white, blue, 2 * share - 1);
    }
}

static const struct svg_style under_style = {11, SVG_MIDDLE, "#444444", false, false, false};
static const struct svg_style beside_style = {11, SVG_START, "#444444", false, false, false};

void heat_bar(FILE *const file, const struct svg_box box, heat_colour *const colour, const double low,
              const double high) {
    enum { N_STEPS = 20, N_LABELS = 5 };
    const bool is_upright = box.height > box.width;
    for (size_t i = 0; i < N_STEPS; i++) {
        char fill[HEAT_COLOUR_BYTES];
        colour(fill, ((double)i + 0.5) / N_STEPS);
        struct svg_box step = {box.x + box.width * (double)i / N_STEPS, box.y, box.width / N_STEPS, box.height};
        if (is_upright) {
            step.x = box.x;
            step.y = box.y + box.height * (double)(N_STEPS - 1 - i) / N_STEPS;
            step.width = box.width;
            step.height = box.height / N_STEPS;
        }
        svg_rect(file, step, fill, NULL, NULL);
    }
    svg_rect(file, box, "none", "#666666", NULL);
    for (size_t i = 0; i < N_LABELS; i++) {
        const double share = (double)i / (N_LABELS - 1);
        char text[16];
        (void)snprintf(text, sizeof(text), "%.2f", low + (high - low) * share);
        if (is_upright) {
            svg_text(file, box.x + box.width + 6, box.y + box.height * (1 - share) + 4, &beside_style, text);
        } else {
            svg_text(file, box.x + box.width * share, box.y + box.height + 14, &under_style, text);
        }
    }
}
