// SPDX-License-Identifier: MIT
/// Puts the runs of a folder side by side; run.sh makes the runs.
#define _POSIX_C_SOURCE 200809L
#include "experiments.h"
#include "atomic_file.h"
#include "command_line.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_BYTES = 4096 };

const char program_name[] = "experiments";

static const char *const name_of[N_RUNS] = {
    [REFERENCE] = "reference",
    [UNSCALED] = "unscaled",
    [QUERIES] = "queries",
    [NO_MASK] = "no-mask",
    [ALL_TARGETS] = "all-targets",
    [LONGER] = "longer",
    [DEEP] = "deep",
    [DEEP_NO_RESIDUAL] = "deep-no-residual",
    [POST_NORM] = "post-norm",
    [POST_NORM_WARMUP] = "post-norm-warmup",
    [DEEP_POST_NORM] = "deep-post-norm",
    [DEEP_POST_NORM_WARMUP] = "deep-post-norm-warmup",
    [WARMUP_DECAY] = "warmup-decay",
    [ONE_BLOCK] = "one-block",
    [ONE_BLOCK_5000] = "one-block-5000",
    [OFFSET] = "offset",
    [OFFSET_3000] = "offset-3000",
    [WIDE] = "wide",
    [WIDE_UNSCALED] = "wide-unscaled",
};

static bool load_all(const char *const folder) {
    bool is_good = true;
    for (size_t i = 0; i < N_RUNS; i++) {
        is_good = experiment_load(&experiment[i], folder, name_of[i]) && is_good;
    }
    for (size_t kind = 0; kind < N_FAULTS; kind++) {
        for (size_t i = 0; i < MAX_SPREAD; i++) {
            char name[NAME_BYTES];
            (void)snprintf(name, sizeof(name), "spread-%s-%zu", name_of[kind], i + 1);
            is_good = experiment_load(&spread[kind][i], folder, name) && is_good;
        }
    }
    return is_good;
}

/// Writes a file of the folder, whole or not at all, and says where it is.
static bool write_file(const char *const folder, const char *const name,
                       void (*const write)(FILE *file, const void *folder)) {
    static struct atomic_file file;
    char path[PATH_BYTES];
    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    if (!atomic_file_open(&file, path)) {
        (void)complain("cannot open %s for writing: %s", path, strerror(errno));
        return false;
    }
    write(file.file, folder);
    if (!atomic_file_close(&file) || !atomic_file_publish(&file)) {
        (void)complain("cannot write %s: %s", path, strerror(errno));
        return false;
    }
    (void)printf("%s\n", path);
    return true;
}

static void report(FILE *const file, const void *const folder) {
    write_report(file, folder);
}

static bool compare(void (*const rows)(struct comparison *c)) {
    struct comparison c;
    comparison_begin(&c, stdout);
    rows(&c);
    return comparison_end(&c);
}

static bool show_faults(const char *const folder) {
    struct page page = {stdout, false, NULL, 0, NULL};
    write_summary(&page);
    const bool is_equal = compare(rows_of_faults);
    (void)printf("\nPictures:\n");
    return write_file(folder, "figure-1.1.svg", draw_losses) &&
           write_file(folder, "figure-1.3-left.svg", draw_fault_losses) &&
           write_file(folder, "figure-1.3-right.svg", draw_fault_accuracy) &&
           write_file(folder, "positions.svg", draw_position_norms) && write_file(folder, "leak.svg", draw_leak) &&
           is_equal;
}

static bool show_longer(const char *const folder) {
    (void)folder;
    return compare(rows_of_longer);
}

static bool show_exercises(const char *const folder) {
    struct page page = {stdout, false, NULL, 0, NULL};
    (void)folder;
    write_exercises(&page);
    return true;
}

static bool show_spread(const char *const folder) {
    struct page page = {stdout, false, NULL, 0, NULL};
    write_spread(&page);
    return write_file(folder, "spread.svg", draw_spread);
}

static bool show_report(const char *const folder) {
    return write_file(folder, "report.html", report);
}

static bool is_folder(const char *const path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/// Takes the folder from the arguments, reads its runs and shows them.
static int run(const int argc, char **const argv, bool (*const show)(const char *folder)) {
    if (!no_options_left(argc, argv)) {
        return STATUS_USAGE;
    }
    if (argc != 2 || argv[1][0] == '\0') {
        return complain("%s needs one folder, that of the runs", argv[0]);
    }
    if (!is_folder(argv[1])) {
        return complain("%s: no such folder; make %s makes the runs", argv[1], argv[0]);
    }
    return load_all(argv[1]) && show(argv[1]) ? STATUS_DONE : STATUS_FAILED;
}

static int cmd_faults(const int argc, char **const argv) {
    return run(argc, argv, show_faults);
}

static int cmd_longer(const int argc, char **const argv) {
    return run(argc, argv, show_longer);
}

static int cmd_exercises(const int argc, char **const argv) {
    return run(argc, argv, show_exercises);
}

static int cmd_spread(const int argc, char **const argv) {
    return run(argc, argv, show_spread);
}

static int cmd_report(const int argc, char **const argv) {
    return run(argc, argv, show_report);
}

static const struct command commands[] = {
    {"faults", cmd_faults, "FOLDER", "the reference beside the chapter's four faults, and each statement beside ours",
     NULL},
    {"longer", cmd_longer, "FOLDER", "training on lengths 3 to 12 beside what the chapter says of it", NULL},
    {"exercises", cmd_exercises, "FOLDER", "for each of the five exercises the runs it compares, and the answer", NULL},
    {"spread", cmd_spread, "FOLDER", "printed numbers among those of runs that begin one rounding unit apart", NULL},
    {"report", cmd_report, "FOLDER", "all of this and all figures on one page, FOLDER/report.html", NULL}};

int main(const int argc, char **const argv) {
    return run_program(argc, argv, commands, sizeof(commands) / sizeof(commands[0]),
                       "FOLDER has the runs, and gets the pictures: build/host/results, where make faults, longer,\n"
                       "exercises, spread and report leave theirs.\n");
}
