// SPDX-License-Identifier: MIT
// The chapter's figures 1.1 and 1.2 of a run: its losses, and the attention weights of its example.
#include "chart.h"
#include "look.h"
#include "table.h"

#include <string.h>

/// What stands between two ticks of the axis: the least of 1, 2.5 and 5 times a power of ten that gives at most 7.
static uint32_t tick_of(const uint32_t n_steps) {
    static const uint32_t shape[] = {10, 25, 50};
    uint32_t power = 1;
    for (size_t i = 0;; i = (i + 1) % 3) {
        const uint32_t tick = power * shape[i] / 10;
        if (tick > 0 && n_steps / tick <= 7) {
            return tick;
        }
        power *= i == 2 ? 10U : 1U;
    }
}

/// Where the chart's scale begins: the power of ten below all losses.
static double lowest_of(const struct training_log *const log) {
    double lowest = 0.1;
    for (uint32_t step = 0; step < log->n_steps; step++) {
        while (log->loss[step] < lowest && lowest > 2e-9) {
            lowest /= 10;
        }
    }
    return lowest;
}

/// A figure's title and what it is drawn from.
struct figure {
    const struct run *run;
    const struct training_log *log;
};

static void print_losses(FILE *const file, const void *const what) {
    const struct figure *const figure = what;
    const struct training_log *const log = figure->log;
    char title[96];
    char steps[GROUPED_BYTES];
    (void)snprintf(title, sizeof(title), "Training loss, one point per step: %s steps of %u",
                   grouped(steps, log->n_steps), (unsigned)figure->run->batch);
    svg_begin(file, CHART_WIDTH, CHART_HEIGHT, title);
    svg_text(file, CHART_LEFT, 26, &chart_title, title);
    const struct chart c = chart_of_losses(file, log->n_steps, tick_of(log->n_steps), lowest_of(log), 0);
    chart_draw_losses(file, &c, log->loss, log->n_steps, 1, "#0072b2", 0.9, 1);
    svg_end(file);
}

/// Draws a figure beside the weights, and says where it is.
static int draw(const struct run *const run, const char *const ending,
                void (*const print)(FILE *file, const void *what), const void *const what) {
    char path[PATH_BYTES];
    if (!path_beside(path, run->path, ending)) {
        return STATUS_USAGE;
    }
    const int status = write_file(path, print, what);
    if (status == STATUS_DONE) {
        (void)printf("%s\n", path);
    }
    return status;
}

static int draw_losses(const struct run *const run, const char *csv) {
    char log_path[PATH_BYTES];
    if (csv == NULL && !log_path_of(log_path, run->path)) {
        return STATUS_USAGE;
    }
    csv = csv != NULL ? csv : log_path;
    const struct training_log log = read_training_log(csv, run);
    if (log.missing == NULL && log.n_steps > 0) {
        const struct figure figure = {run, &log};
        return draw(run, "-figure-1.1.svg", print_losses, &figure);
    }
    return complain("figures: there is no figure 1.1, which needs the log %s: %s", csv,
                    log.missing != NULL ? log.missing : "it has no steps");
}

int cmd_figures(int argc, char **argv) {
    static struct sequence sequence;
    struct run run;
    const char *csv = NULL;
    if (!take_path(&argc, argv, "csv", &csv) || !load_run_for_command(&argc, argv, &run) ||
        !no_options_left(argc, argv)) {
        return STATUS_USAGE;
    }
    if (argc > 1) {
        return complain("figures: \"%s\" is no option; try: reversal figures --help", argv[1]);
    }
    if (!sequence_parse(&sequence, "fgcabe", ANSWER_MODEL)) {
        return STATUS_FAILED;
    }
    sequence_forward(&sequence);
    if (!are_logits_finite(af_arena.work.train.logits[0], sequence.n * AF_VOCAB)) {
        return STATUS_FAILED;
    }
    const int status = draw(&run, "-figure-1.2.svg", attention_svg, &sequence);
    return status == STATUS_DONE ? draw_losses(&run, csv) : status;
}
