// SPDX-License-Identifier: MIT
// How fast training and decoding are: against what a core can do at most, and against PyTorch.
//
//     bench measure; bench curves DIR; bench serve     (bench help: their options)
//
// All subjects are measured in turns, round by round, so that a machine that slows down slows all of them. The smallest
// time is the one that others on the machine disturbed least; ratios are of smallest times. A training repetition is
// the first steps of the chapter's run, from its initial weights: all tables and workers do the same work, to the bit.
#define _POSIX_C_SOURCE 200809L

#include "bench.h"
#include "af_port.h"
#include "command_line.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum {
    PEER_REPETITIONS = 3,
    SLOWLY = 8,   // rounds from one measurement of the plain loops to the next
    SLOW_MS = 60, // of a peer: for each of these it leaves out a round
    ROUNDS = 60,
    QUICK_ROUNDS = 8
};

const char program_name[] = "bench";

// ------------------------------------------------------------------------------------------------------------- ours

enum { FAST_1, FAST_2, TILE_V3, TILE_BASELINE, PLAIN, CLANG, UNPRUNED, N_SUBJECTS };
static struct subject subject[N_SUBJECTS];
static struct peer clang;         // this program, compiled by clang
static struct peer unpruned;      // this program, computing every position
static struct times decode_times; // of a string

static void describe_subject(const size_t which, const char *const name, const struct af_kernels *const kernels,
                             const size_t n_workers) {
    struct subject *const s = &subject[which];
    s->name = name;
    s->kernels = kernels;
    s->n_workers = n_workers;
    s->n_steps = which == PLAIN ? 1 : N_STEPS;
    s->every = which == PLAIN ? SLOWLY : 1;
    s->flops = which == UNPRUNED ? work_flops_of_every(BATCH) : work_flops(0, s->n_steps * BATCH) / (double)s->n_steps;
}

static void describe_subjects(const char *const builds) {
    const struct af_kernels *const fast = af_port_kernels();
    describe_subject(FAST_1, "port's kernels, 1 worker", fast, 1);
    describe_subject(FAST_2, "port's kernels, 2 workers", fast, 2);
    describe_subject(PLAIN, "plain loops, 1 worker", &af_kernels_plain, 1);
#if AF_HAS_TILE
    describe_subject(TILE_BASELINE, "baseline tiles, 1 worker", &af_kernels_tile, 1);
#if defined(__x86_64__)
    if (fast == &af_kernels_tile_v3 || fast == &af_kernels_tile_v4) {
        describe_subject(TILE_V3, "v3 tiles, 1 worker", &af_kernels_tile_v3, 1);
    }
#endif
#endif
    if (peer_start_build(&clang, builds, "clang")) {
        describe_subject(CLANG, "built by clang, 1 worker", NULL, 1);
        subject[CLANG].peer = &clang;
    }
    if (peer_start_build(&unpruned, builds, "unpruned")) {
        describe_subject(UNPRUNED, "nothing pruned, 1 worker", NULL, 1);
        subject[UNPRUNED].peer = &unpruned;
    }
}

// ------------------------------------------------------------------------------------------------------------ PyTorch

struct request {
    const char *what;
    size_t n_threads;
    struct times least; // smallest of each round
    struct times times; // medians
    size_t next;        // round of the next request: who is slow is asked less often
};

static struct request request[] = {
    {"train full", 1, {{0}, 0}, {{0}, 0}, 0},
    {"train cut", 1, {{0}, 0}, {{0}, 0}, 0},
    {"train full-foreach", 1, {{0}, 0}, {{0}, 0}, 0},
    {"train cut-foreach", 1, {{0}, 0}, {{0}, 0}, 0},
    {"train full", 2, {{0}, 0}, {{0}, 0}, 0},
    {"train cut", 2, {{0}, 0}, {{0}, 0}, 0},
    {"decode", 1, {{0}, 0}, {{0}, 0}, 0},
};
enum { N_REQUESTS = sizeof(request) / sizeof(request[0]) };

static struct peer peer[2]; // with one and with two threads

static void ask(struct request *const r, const size_t round) {
    struct peer *const p = &peer[r->n_threads - 1];
    double ms[2] = {0}; // smallest and median
    if (round >= r->next && p->is_there && peer_ask(p, r->what, PEER_REPETITIONS, ms, 2) == 2) {
        times_add(&r->least, ms[0]);
        times_add(&r->times, ms[1]);
        r->next = round + 1 + (size_t)(ms[1] / SLOW_MS);
    }
}

/// The smallest time of all requests that begin so, with at most so many threads; 0 if there is none.
static double best_peer(const char *const begin, const size_t max_threads) {
    double best = 0;
    for (size_t i = 0; i < N_REQUESTS; i++) {
        const double ms = times_min(&request[i].least);
        if (strncmp(request[i].what, begin, strlen(begin)) == 0 && request[i].n_threads <= max_threads && ms > 0 &&
            (best <= 0 || ms < best)) {
            best = ms;
        }
    }
    return best;
}

// ------------------------------------------------------------------------------------------------------------ rounds

/// Of the port's kernels with one core and with two, and of 16-byte vectors, which the baseline has.
enum { STRICT_1, STRICT_2, FUSED_1, FUSED_2, STRICT_BASELINE, N_PEAKS };
static struct times peak_times[N_PEAKS]; // nanoseconds for a thousand operations

static void measure_peaks(void) {
    const struct af_kernels *const fast = af_port_kernels();
    const double gflops[N_PEAKS] = {peak_gflops(PEAK_STRICT, fast, 1), peak_gflops(PEAK_STRICT, fast, 2),
                                    peak_gflops(PEAK_FUSED, fast, 1), peak_gflops(PEAK_FUSED, fast, 2),
                                    peak_gflops(PEAK_STRICT, &af_kernels_plain, 1)};
    for (size_t i = 0; i < N_PEAKS; i++) {
        if (gflops[i] > 0) {
            times_add(&peak_times[i], 1000 / gflops[i]);
        }
    }
}

/// Lets the threads of a peer fall asleep that still look for work after an answer.
static void let_cores_rest(void) {
    const struct timespec a_while = {0, 50000000};
    (void)nanosleep(&a_while, NULL);
}

static void measure_round(const size_t round) {
    if (peer[0].is_there) {
        let_cores_rest();
    }
    measure_peaks();
    for (size_t i = 0; i < N_SUBJECTS; i++) {
        if (subject[i].name != NULL && round % subject[i].every == 0) {
            (void)subject_train(&subject[i]);
        }
    }
    stages_measure(af_port_kernels());
    times_add(&decode_times, work_decode());
    for (size_t i = 0; i < N_REQUESTS; i++) {
        ask(&request[i], round);
    }
}

// ------------------------------------------------------------------------------------------------------------ tables

/// GFLOP/s, best of all rounds.
static double peak(const size_t which) {
    return ratio(1000, times_min(&peak_times[which]));
}

/// Share of the strict peak that a subject reaches: of as many cores as it has workers, of its own vectors.
static double share_of_peak(const struct subject *const s) {
    const size_t which = s == &subject[TILE_BASELINE] ? STRICT_BASELINE : s->n_workers > 1 ? STRICT_2 : STRICT_1;
    return ratio(ratio(s->flops, subject_ms(s, times_min)) * 1e-6, peak(which));
}

static void print_peaks(void) {
    static const char *const name[N_PEAKS] = {"strict multiply, add, 1 core", "strict multiply, add, 2 cores",
                                              "fused multiply-add, 1 core", "fused multiply-add, 2 cores",
                                              "strict, 128-bit, 1 core"};
    (void)printf("\npeak in registers, %u-bit vectors     GFLOP/s: best   median\n",
                 8 * (unsigned)peak_vector_bytes(af_port_kernels()));
    for (size_t i = 0; i < N_PEAKS; i++) {
        (void)printf("  %-42s %8.1f %8.1f\n", name[i], peak(i), ratio(1000, times_median(&peak_times[i])));
    }
}

/// A number, or a dash where there is none.
static void print_number(const int width, const int digits, const double x, const char *const unit) {
    if (x > 0) {
        (void)printf(" %*.*f%s", width, digits, x, unit);
    } else {
        (void)printf(" %*s%*s", width, "-", (int)strlen(unit), "");
    }
}

static void print_row(const char *const name, const double min_ms, const double median_ms, const double gflops,
                      const double share, const double best) {
    (void)printf("  %-28s", name);
    print_number(9, 3, min_ms, "");
    print_number(9, 3, median_ms, "");
    print_number(8, 1, gflops, "");
    print_number(6, 1, 100 * share, " %");
    print_number(8, 2, ratio(best, min_ms), "x");
    (void)printf("\n");
}

static void print_training(void) {
    const double best = best_peer("train", 2);
    (void)printf("\na training step, batch %d       min ms  median ms GFLOP/s  of peak  PyTorch's best / this\n",
                 (int)BATCH);
    for (size_t i = 0; i < N_SUBJECTS; i++) {
        const struct subject *const s = &subject[i];
        const double ms = subject_ms(s, times_min);
        if (ms > 0) {
            print_row(s->name, ms, subject_ms(s, times_median), ratio(s->flops, ms) * 1e-6, share_of_peak(s), best);
        }
    }
    for (size_t i = 0; i < N_REQUESTS; i++) {
        const struct request *const r = &request[i];
        if (r->times.n > 0 && strncmp(r->what, "train", 5) == 0) {
            char name[64];
            const double gflops = ratio(subject[FAST_1].flops, times_min(&r->least)) * 1e-6;
            (void)snprintf(name, sizeof(name), "PyTorch %s, %zu thr.", &r->what[6], r->n_threads);
            print_row(name, times_min(&r->least), times_median(&r->times), gflops,
                      ratio(gflops, peak(r->n_threads > 1 ? STRICT_2 : STRICT_1)), best);
        }
    }
    (void)printf(
        "  GFLOP/s are over the %.0f operations a step that can change the loss (nothing pruned: the %.0f of all\n"
        "  positions); of peak: of as many cores' strict multiply and add. PyTorch full: all %d positions; cut:\n"
        "  the first %d.\n",
        subject[FAST_1].flops, work_flops_of_every(BATCH), (int)AF_CONTEXT, 2 * LONGEST);
}

static void print_stages(void) {
    double sum = 0;
    for (size_t i = 0; i < N_STAGES; i++) {
        sum += stage_ms((enum stage)i);
    }
    (void)printf("\nstages of a step, 1 worker      min ms  of all\n");
    for (size_t i = 0; i < N_STAGES; i++) {
        const double ms = stage_ms((enum stage)i);
        (void)printf("  %-28s%9.3f %6.1f %%\n", stage_name((enum stage)i), ms, 100 * ratio(ms, sum));
    }
}

static void print_decoding(void) {
    const struct request *const r = &request[N_REQUESTS - 1];
    (void)printf("\n8 letters, greedily             min ms  median ms\n  %-28s %9.4f %9.4f\n",
                 "port's kernels, 1 worker", times_min(&decode_times), times_median(&decode_times));
    if (r->times.n > 0) {
        (void)printf("  %-28s %9.4f %9.4f\n", "PyTorch, 1 thread", times_min(&r->least), times_median(&r->times));
    }
}

/// Whether all tables and workers gave the same bits.
static void print_bits(void) {
    bool is_same = true;
    for (size_t i = 0; i < N_SUBJECTS; i++) {
        if (subject[i].name != NULL && subject[i].peer == NULL && subject[i].n_steps == N_STEPS) {
            is_same = is_same && subject[i].hash == subject[FAST_1].hash;
        }
    }
    (void)printf("\nweights after %d steps: %s, hash %08X\n", (int)N_STEPS,
                 is_same ? "the same bits for all tables and workers" : "they DIFFER between tables or workers",
                 (unsigned)subject[FAST_1].hash);
}

// ----------------------------------------------------------------------------------------------------------- targets

/// A ratio that has to be at least `value`.
static void print_target(const char *const name, const double value, const double measured) {
    (void)printf("  %-62s >= %5.2f  ", name, value);
    if (measured <= 0) {
        (void)printf("not measured\n");
    } else {
        (void)printf("%6.2f  %s by %.1f %%\n", measured, measured >= value ? "met   " : "missed",
                     100 * (measured >= value ? measured / value - 1 : 1 - measured / value));
    }
}

static void print_targets(void) {
    const double one = subject_ms(&subject[FAST_1], times_min);
    const double two = subject_ms(&subject[FAST_2], times_min);
    const double full = best_peer("train full", 2);
    (void)printf("\ntargets (smallest times)                                           wanted  measured\n");
    print_target("training, 1 worker: share of the strict peak of a core", 0.76, share_of_peak(&subject[FAST_1]));
    print_target("training, v3 tiles: share of their own peak", 0.70, share_of_peak(&subject[TILE_V3]));
    print_target("training, baseline tiles: share of their own peak", 0.55, share_of_peak(&subject[TILE_BASELINE]));
    print_target("training, 1 worker: PyTorch full, its best / ours", 4.3, ratio(full, one));
    print_target("training, 1 worker: PyTorch cut, its best / ours", 2.8, ratio(best_peer("train cut", 2), one));
    print_target("training, 2 workers: own time with 1 / with 2", 1.8, ratio(one, two));
    print_target("training, 2 workers: PyTorch full, its best / ours", 8, ratio(full, two));
    print_target("training, nothing pruned: PyTorch full, its best / ours", 1.4,
                 ratio(full, subject_ms(&subject[UNPRUNED], times_min)));
    print_target("training, built by clang: gcc's time / clang's (1 / 1.15)", 1 / 1.15,
                 ratio(one, subject_ms(&subject[CLANG], times_min)));
    print_target("8 letters, greedily: PyTorch / ours", 40, ratio(best_peer("decode", 2), times_min(&decode_times)));
}

// ---------------------------------------------------------------------------------------------------------- markdown

/// A row of README's table.
static void markdown_row(const char *const name, const double ms, const double share, const double full,
                         const double cut) {
    if (ms > 0) {
        (void)printf("| %s | %.2f |", name, ms);
        (void)(share > 0 ? printf(" %.0f %% |", 100 * share) : printf(" |"));
        (void)(full > 0 ? printf(" %.2f |", ratio(full, ms)) : printf(" |"));
        (void)(cut > 0 ? printf(" %.2f |\n", ratio(cut, ms)) : printf(" |\n"));
    }
}

static void print_markdown(void) {
    static const char *const name[N_SUBJECTS] = {"1 worker",
                                                 "2 workers",
                                                 "1 worker, AVX2",
                                                 "1 worker, SSE2",
                                                 "plain loops",
                                                 "1 worker, built by clang",
                                                 "1 worker, nothing pruned"};
    const double full = best_peer("train full", 2);
    const double cut = best_peer("train cut", 2);
    (void)printf(
        "\n| a training step, batch %d | ms | of the core's peak | PyTorch full / this | PyTorch cut / this |\n"
        "|---|--:|--:|--:|--:|\n",
        (int)BATCH);
    for (size_t i = 0; i < N_SUBJECTS; i++) {
        markdown_row(name[i], subject_ms(&subject[i], times_min), share_of_peak(&subject[i]), full, cut);
    }
    markdown_row("PyTorch, all 25 positions", full, 0, 0, 0);
    markdown_row("PyTorch, the first 16", cut, 0, 0, 0);
    (void)printf("\nEight letters decoded greedily: %.3f ms", times_min(&decode_times));
    if (best_peer("decode", 2) > 0) {
        (void)printf("; PyTorch: %.2f ms", best_peer("decode", 2));
    }
    (void)printf(". Peak: %.0f GFLOP/s of separate multiply and add.\n", peak(STRICT_1));
}

// ----------------------------------------------------------------------------------------------------------- options

struct options {
    uint64_t n_rounds;
    bool is_alone; // without PyTorch
    bool is_markdown;
    bool has_targets; // and how far from the project's goals they are
    const char *builds;
};

/// Takes the options out of argv, of which n_arguments are to be left.
static bool parse_options(struct options *const options, int *const argc, char **const argv, const int n_arguments) {
    const char *rounds = NULL;
    options->n_rounds = take_switch(argc, argv, "quick") ? QUICK_ROUNDS : ROUNDS;
    options->is_alone = take_switch(argc, argv, "alone");
    options->is_markdown = take_switch(argc, argv, "markdown");
    options->has_targets = take_switch(argc, argv, "targets");
    options->builds = "build";
    if (!take_option(argc, argv, "rounds", &rounds) || !take_option(argc, argv, "builds", &options->builds) ||
        !no_options_left(*argc, argv) ||
        (rounds != NULL && !parse_number(&options->n_rounds, rounds, 1, MAX_ROUNDS, "--rounds"))) {
        return false;
    }
    if (*argc != 1 + n_arguments) {
        (void)complain("%s: %d arguments instead of %d", argv[0], *argc - 1, n_arguments);
        return false;
    }
    return true;
}

/// Starts the peers, unless they are not wanted, and prints what is measured.
static void begin(const struct options *const options) {
    const struct af_kernels *const fast = af_port_kernels();
    char line[512] = "";
    work_draw(SHORTEST, LONGEST);
    describe_subjects(options->builds);
    if (!options->is_alone) {
        if (peer_start_torch(&peer[0], "1") && peer_start_torch(&peer[1], "2")) {
            peer_about(&peer[0], line, sizeof(line));
        } else {
            (void)printf("no comparison with PyTorch: it is missing (Debian: python3-torch)\n");
        }
    }
    (void)printf("kernels: %s; micro-batch %d; %u rounds\n", fast != NULL ? fast->name : "plain", (int)AF_MICRO_BATCH,
                 (unsigned)options->n_rounds);
    if (line[0] != '\0') {
        (void)printf("%s\n", line);
    }
    (void)fflush(stdout);
}

static void print_all(const struct options *const options) {
    print_peaks();
    print_training();
    print_stages();
    print_decoding();
    print_bits();
    if (options->has_targets) {
        print_targets();
    }
    if (options->is_markdown) {
        print_markdown();
    }
}

static void stop_peers(void) {
    peer_stop(&peer[0]);
    peer_stop(&peer[1]);
    peer_stop(&clang);
    peer_stop(&unpruned);
}

static int cmd_measure(int argc, char **const argv) {
    struct options options;
    if (!parse_options(&options, &argc, argv, 0)) {
        return STATUS_USAGE;
    }
    begin(&options);
    const uint64_t from = af_port_ticks();
    for (size_t round = 0; round < options.n_rounds; round++) {
        measure_round(round);
    }
    print_all(&options);
    (void)printf("\n%u rounds in %.0f s\n", (unsigned)options.n_rounds, milliseconds(from, af_port_ticks()) / 1000);
    stop_peers();
    return STATUS_DONE;
}

static int cmd_curves(int argc, char **const argv) {
    struct options options;
    if (!parse_options(&options, &argc, argv, 1)) {
        return STATUS_USAGE;
    }
    return draw_curves(argv[1], options.builds, (size_t)options.n_rounds);
}

static int cmd_serve(int argc, char **const argv) {
    struct options options;
    return parse_options(&options, &argc, argv, 0) ? serve() : STATUS_USAGE;
}

static const struct command commands[] = {
    {"measure", cmd_measure, "[--rounds N] [--quick] [--alone] [--builds DIR] [--markdown] [--targets]",
     "training and decoding against the processor's peak and PyTorch",
     "  --quick     a few rounds\n"
     "  --alone     without PyTorch\n"
     "  --markdown  README's table as well\n"
     "  --targets   and the goals of the authors, met or missed\n"},
    {"curves", cmd_curves, "[--rounds N] [--builds DIR] DIR",
     "steps of other batches, widths and contexts beside PyTorch, as pictures in a folder", NULL},
    {"serve", cmd_serve, "", "answer another benchmark's requests: this program as its peer", NULL},
};

int main(const int argc, char **const argv) {
    return run_program(argc, argv, commands, sizeof(commands) / sizeof(commands[0]),
                       "--builds: the folder of the other builds of this program, build.\n");
}
