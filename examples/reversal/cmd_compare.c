// SPDX-License-Identifier: MIT
// Every number of the chapter that its main run can give, beside what this program's run gives. Nothing of ours is
// written down here: it all comes from the weights file, the training log, the map, or the training stream drawn again.
//
// Ranges of trajectory rows are those of 23 trainings in PyTorch from the chapter's seeds and of 30 of ours (make spread),
// their initial weights changed by at most one unit in the last place: as far as the order of sums may move a run on
// another machine.
#include "compare.h"
#include "af_port.h"

static const char about_runs[] =
    "Of trajectory rows the ranges are those of 53 runs from initial weights at most one rounding unit apart: 23 in\n"
    "PyTorch, and 30 of ours, which make spread repeats.";

static void print_heading(const struct facts *const facts, const char *const log_path) {
    const struct run *const run = &facts->run;
    (void)printf("Weights: %s\n  %u steps of %u, seeds %llu (weights) and %llu (training), hash %08X\n", run->path,
                 (unsigned)run->note.n_steps, (unsigned)run->batch, (unsigned long long)run->note.seed_weights,
                 (unsigned long long)run->note.seed_training, (unsigned)run->note.hash);
    if (facts->log.missing == NULL) {
        (void)printf("Log: %s\n", log_path);
    } else {
        (void)printf("Log: %s is not used: %s\n", log_path, facts->log.missing);
    }
    if (facts->settings.n > 0) {
        (void)printf("This is not the chapter's run. It has\n");
        for (size_t i = 0; i < facts->settings.n; i++) {
            const struct setting *const setting = &facts->settings.setting[i];
            (void)printf("  %-24s the chapter's: %s%s\n", setting->text, setting->chapter,
                         setting->bit == 0 ? "; no row rests on it" : "");
        }
        (void)printf("Rows that rest on one of these do not apply; rows that state one of them differ.\n");
    }
    (void)printf("%s\n\n", about_runs);
}

static void print_html_heading(const struct facts *const facts) {
    (void)printf("<p>%s</p>\n", about_runs);
    if (facts->settings.n > 0) {
        (void)printf("<p>This is not the chapter's run. It has");
        for (size_t i = 0; i < facts->settings.n; i++) { // words and numbers, nothing to escape
            (void)printf("%s %s", i > 0 ? "," : "", facts->settings.setting[i].text);
        }
        (void)printf(". Rows that rest on one of these do not apply; rows that state one of them differ.</p>\n");
    }
}

static void write_rows(struct comparison *const c, const struct facts *const facts) {
    row_parameters(c, facts, "intro");
    rows_of_method(c, facts);
    rows_of_project(c, facts);
    rows_of_attention(c, facts);
    const struct statement statement = {"end", "seconds of all of it, tests included", "55"};
    rest_on(c, facts, ON_SIZE | ON_STEPS | ON_BATCH);
    if (has_losses(c, facts, statement, 1)) {
        const double ours = (double)(af_port_ticks() - facts->start) / (double)af_port_ticks_per_second();
        compare_row(c, statement, MACHINE, true, "", "%.1f", facts->log.seconds + ours);
    }
}

int cmd_compare(int argc, char **argv) {
    static char log_path[PATH_BYTES];
    static struct comparison comparison;
    static struct facts facts;
    const char *csv = NULL;
    facts.start = af_port_ticks();
    const bool is_html = take_switch(&argc, argv, "html");
    if (!take_path(&argc, argv, "csv", &csv) || !load_run_for_command(&argc, argv, &facts.run) ||
        !no_options_left(argc, argv)) {
        return STATUS_USAGE;
    }
    if (argc > 1) {
        return complain("compare: \"%s\" is no option; try: reversal compare --help", argv[1]);
    }
    if (csv == NULL) {
        if (!log_path_of(log_path, facts.run.path)) {
            return STATUS_USAGE;
        }
        csv = log_path;
    }
    settings_find(&facts.settings, &facts.run);
    facts.log = read_training_log(csv, &facts.run);
    facts.drawn = redraw_training(&facts.run);
    if (is_html) {
        print_html_heading(&facts);
        comparison_begin_html(&comparison, stdout);
    } else {
        print_heading(&facts, csv);
        comparison_begin(&comparison, stdout);
    }
    write_rows(&comparison, &facts);
    return comparison_end(&comparison) ? STATUS_DONE : STATUS_FAILED;
}
