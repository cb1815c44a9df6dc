// SPDX-License-Identifier: MIT
// How the time of a step grows with batch, width and context, beside PyTorch in the same run.
//
// The batch is chosen at run time; every width and context is a build of its own that answers as a peer. PyTorch
// computes the positions that the strings reach, as ours does; all are measured in turns.
#include "bench.h"
#include "af_port.h"
#include "command_line.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { OURS_1, OURS_2, TORCH_1, TORCH_2, N_CURVES };

/// What grows.
struct family {
    const char *name; // of the picture's file, and what PyTorch is asked for
    const char *build;
    const char *title;
    const char *x_name;
    const char *request; // to our own builds, with the number of workers behind it; NULL: the batch, as it is asked for
    size_t n_sizes;
    unsigned size[MAX_POINTS];
};

static const struct family families[] = {
    {"batch",
     NULL,
     "A training step over its batch",
     "strings of 3 to 8 letters in a step (width 64, context 25)",
     NULL,
     10,
     {1, 2, 4, 8, 16, 32, 64, 128, 256, 512}},
    {"width",
     "dim",
     "A training step over the width of the model",
     "width (64 strings of 3 to 8 letters, context 25)",
     "batch 64",
     5,
     {32, 64, 128, 256, 512}},
    {"context",
     "context",
     "A training step over the context",
     "positions (64 strings of half as many letters, width 64)",
     "longest",
     5,
     {16, 32, 64, 128, 256}},
};
enum { N_FAMILIES = sizeof(families) / sizeof(families[0]) };

static struct peer torch[2]; // with one and with two threads
static struct peer ours;     // the build for a size, or for the batch "plain"

/// Keeps the smaller of two times, of which 0 is none.
static void keep_smaller(double *const least, const double ms) {
    if (ms > 0 && (*least <= 0 || ms < *least)) {
        *least = ms;
    }
}

static void measure(double least[N_CURVES], const struct family *const f, const unsigned size) {
    char request[64];
    double ms[2] = {0};
    for (size_t workers = 1; workers <= 2; workers++) {
        if (f->request != NULL) {
            (void)snprintf(request, sizeof(request), "%s %zu", f->request, workers);
        } else {
            (void)snprintf(request, sizeof(request), "%s %u %zu", f->name, size, workers);
        }
        if (ours.is_there && peer_ask(&ours, request, 3, ms, 1) == 1) {
            keep_smaller(&least[OURS_1 + workers - 1], ms[0]);
        }
        (void)snprintf(request, sizeof(request), "%s %u", f->name, size);
        if (torch[workers - 1].is_there && peer_ask(&torch[workers - 1], request, 3, ms, 2) == 2) {
            keep_smaller(&least[TORCH_1 + workers - 1], ms[0]);
        }
    }
}

/// Measures a family. The time in milliseconds goes into the plot and, a line a size, to stdout.
static void measure_family(struct plot *const plot, const struct family *const f, const char *const builds,
                           const size_t n_rounds) {
    (void)printf("\n%s: ms a step\n%12s", f->title, f->name);
    for (size_t c = 0; c < N_CURVES; c++) {
        (void)printf("  %16s", plot->curve[c].name);
    }
    (void)printf("\n");
    for (size_t i = 0; i < f->n_sizes; i++) {
        char build[32];
        double least[N_CURVES] = {0};
        (void)snprintf(build, sizeof(build), "%s-%u", f->build != NULL ? f->build : "dim",
                       f->build != NULL ? f->size[i] : 64);
        if (!peer_start_build(&ours, builds, build)) {
            (void)printf("no build for %s: make curves\n", build);
        }
        for (size_t round = 0; round < n_rounds; round++) {
            measure(least, f, f->size[i]);
        }
        peer_stop(&ours);
        plot->x[i] = f->size[i];
        (void)printf("%12u", f->size[i]);
        for (size_t c = 0; c < N_CURVES; c++) {
            plot->curve[c].y[i] = least[c];
            (void)printf("  %16.4f", least[c]);
        }
        (void)printf("\n");
        (void)fflush(stdout);
    }
}

static bool draw_family(const struct family *const f, const char *const folder, const char *const builds,
                        const size_t n_rounds) {
    static struct plot plot;
    char path[512];
    const struct plot empty = {
        f->title,
        f->x_name,
        "ms a step, the smallest",
        f->n_sizes,
        {0},
        N_CURVES,
        {{"ours, 1 worker", {0}}, {"ours, 2 workers", {0}}, {"PyTorch, 1 thread", {0}}, {"PyTorch, 2 threads", {0}}}};
    const int n = snprintf(path, sizeof(path), "%s/%s.svg", folder, f->name);
    if (n < 0 || (size_t)n >= sizeof(path)) {
        (void)complain("the folder's name is too long");
        return false;
    }
    plot = empty;
    measure_family(&plot, f, builds, n_rounds);
    if (!plot_write(&plot, path)) {
        (void)complain("cannot write %s", path);
        return false;
    }
    (void)printf("%s\n", path);
    return true;
}

int draw_curves(const char *const folder, const char *const builds, const size_t n_rounds) {
    bool is_good = true;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        (void)complain("cannot make the folder %s: %s", folder, strerror(errno));
        return STATUS_FAILED;
    }
    if (!peer_start_torch(&torch[0], "1") || !peer_start_torch(&torch[1], "2")) {
        (void)printf("without PyTorch: it is missing (Debian: python3-torch)\n");
    }
    for (size_t i = 0; i < N_FAMILIES && is_good; i++) {
        is_good = draw_family(&families[i], folder, builds, n_rounds);
    }
    peer_stop(&torch[0]);
    peer_stop(&torch[1]);
    return is_good ? STATUS_DONE : STATUS_FAILED;
}
