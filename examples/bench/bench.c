// SPDX-License-Identifier: MIT
// How fast training and decoding are: against what a core can do at most, and against PyTorch.
//
//     bench [--rounds N] [--quick] [--alone]
//
// All subjects are measured in turns, round by round, so that a machine that slows down slows all of them. The smallest
// time is the one that others on the machine disturbed least; ratios are of smallest times. A training repetition is
// the first steps of the chapter's run, from its initial weights: all tables and workers do the same work, to the bit.
#define _POSIX_C_SOURCE 200809L

#include "bench.h"
#include "af_port.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

AF_STATIC_ASSERT(AF_VOCAB == 12 && AF_CONTEXT >= 17, the_task_has_letters_a_separator_and_a_pad_token);

enum {
    BATCH = 64,
    SHORTEST = 3,
    LONGEST = 8,
    N_LETTERS = 10,
    SEPARATOR = 10,
    PAD = 11,
    SEED_WEIGHTS = 1,
    SEED_TRAINING = 0,
    N_STEPS = 8,     // of a repetition
    N_DECODED = 200, // strings of a repetition
    PEER_REPETITIONS = 3,
    PLAIN_EVERY = 8, // rounds from one measurement of the plain loops to the next
    SLOW_MS = 60,    // of a peer: for each of these it leaves out a round
    ROUNDS = 60,
    QUICK_ROUNDS = 8
};

// ------------------------------------------------------------------------------------------------------- times

double milliseconds(const uint64_t from, const uint64_t to) {
    return 1000.0 * (double)(to - from) / (double)af_port_ticks_per_second();
}

void times_add(struct times *const times, const double ms) {
    if (times->n < MAX_ROUNDS) {
        times->ms[times->n] = ms;
        times->n++;
    }
}

static int compare(const void *const a, const void *const b) {
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

/// The time at a fraction of the way from smallest to largest.
static double times_at(const struct times *const times, const size_t numerator, const size_t denominator) {
    static double sorted[MAX_ROUNDS];
    if (times->n == 0) {
        return 0;
    }
    memcpy(sorted, times->ms, times->n * sizeof(sorted[0]));
    qsort(sorted, times->n, sizeof(sorted[0]), compare);
    return sorted[(times->n - 1) * numerator / denominator];
}

double times_min(const struct times *const times) {
    return times_at(times, 0, 1);
}

double times_median(const struct times *const times) {
    return times_at(times, 1, 2);
}

/// a / b, or 0 where one of them was not measured.
static double ratio(const double a, const double b) {
    return a > 0 && b > 0 ? a / b : 0;
}

// ----------------------------------------------------------------------------------------------------- the chapter's run

static af_token token[N_STEPS][BATCH][AF_CONTEXT];
static af_token target[N_STEPS][BATCH][AF_CONTEXT];
static struct af_sequence sequence[N_STEPS][BATCH];
static uint32_t n_targets[N_STEPS];
static union af_plane first_weights;
static double visible_flops[N_STEPS];

/// Multiplications and additions of matrix products, forward and backward, of a string of n letters: on the positions
/// that the loss can see, and where only later ones read a position's keys and values, no more of it than these.
static double flops_of(const double n) {
    const double d = AF_DIM;
    const double rows = 2 * n;
    const double a_row = 2 * d * 3 * d + 2 * d * d + 4 * d * AF_FF;
    const double linear =
        (AF_BLOCKS - 1) * rows * a_row + rows * 4 * d * d + n * (4 * d * d + 4 * d * AF_FF) + n * 2 * d * AF_VOCAB;
    const double attention = (AF_BLOCKS - 1) * 2 * d * rows * (rows + 1) + 2 * d * n * (3 * n + 1);
    return 3 * (linear + attention);
}

static void draw_example(struct af_numpy *const stream, const size_t step, const size_t i) {
    const size_t n = af_numpy_integer(stream, SHORTEST, LONGEST + 1);
    af_token *const x = token[step][i];
    memset(x, PAD, sizeof(token[step][i]));
    memset(target[step][i], AF_IGNORE, sizeof(target[step][i]));
    for (size_t k = 0; k < n; k++) {
        x[k] = (af_token)af_numpy_integer(stream, 0, N_LETTERS);
    }
    x[n] = SEPARATOR;
    for (size_t k = 0; k < n; k++) {
        x[n + 1 + k] = x[n - 1 - k];
        target[step][i][n + k] = x[n - 1 - k];
    }
    sequence[step][i].token = x;
    sequence[step][i].target = target[step][i];
    sequence[step][i].n = AF_CONTEXT;
    n_targets[step] += (uint32_t)n;
    visible_flops[step] += flops_of((double)n);
}

/// Of a step, on average over the first so many.
static double flops_of_steps(const size_t n_steps) {
    double sum = 0;
    for (size_t step = 0; step < n_steps; step++) {
        sum += visible_flops[step];
    }
    return n_steps > 0 ? sum / (double)n_steps : 0;
}

static void draw_run(void) {
    struct af_numpy stream;
    af_numpy_seed(&stream, SEED_TRAINING);
    for (size_t step = 0; step < N_STEPS; step++) {
        for (size_t i = 0; i < BATCH; i++) {
            draw_example(&stream, step, i);
        }
    }
    af_init_weights(&first_weights.at, &af_arena.work.init_stream[0], SEED_WEIGHTS);
}

// ------------------------------------------------------------------------------------------------------------- ours

/// A way to compute that is measured.
struct subject {
    const char *name;
    const struct af_kernels *kernels;
    size_t n_workers;
    size_t n_steps;              // of a repetition
    size_t every;                // measured every so many rounds
    struct times times[N_STEPS]; // of each step of a repetition
    uint32_t hash;               // of weights after the last repetition
};

enum { FAST_1, FAST_2, TILE_V3, TILE_BASELINE, PLAIN, N_SUBJECTS };
static struct subject subject[N_SUBJECTS];
static struct times decode_times; // of a string

static void describe_subject(const size_t which, const char *const name, const struct af_kernels *const kernels,
                             const size_t n_workers) {
    struct subject *const s = &subject[which];
    s->name = name;
    s->kernels = kernels;
    s->n_workers = n_workers;
    s->n_steps = which == PLAIN ? 1 : N_STEPS;
    s->every = which == PLAIN ? PLAIN_EVERY : 1;
}

static void describe_subjects(void) {
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
}

static af_status train_step(const struct af_model *const model, const size_t step) {
    const struct af_adamw how = AF_ADAMW_CHAPTER;
    af_status status = af_train_begin(model, n_targets[step]);
    if (status == AF_OK) {
        status = af_train_accumulate(model, sequence[step], BATCH);
    }
    return status == AF_OK ? af_train_end(model, how, NULL) : status;
}

/// A repetition: the first steps of the run. Each step has times of its own: steps differ in what there is to do.
static void train(struct subject *const s) {
    static struct af_runner runner = {af_port_run, NULL, 1};
    struct af_model model = af_model_of(&af_arena);
    af_port_set_workers(s->n_workers);
    runner.n_workers = s->n_workers;
    model.kernels = s->kernels;
    model.runner = s->n_workers > 1 ? &runner : NULL;
    (void)af_train_reset(&model);
    af_arena.weight = first_weights;
    for (size_t step = 0; step < s->n_steps; step++) {
        const uint64_t from = af_port_ticks();
        const af_status status = train_step(&model, step);
        const uint64_t to = af_port_ticks();
        if (status != AF_OK) {
            (void)printf("%s: %s, %s\n", s->name, af_status_name(status), af_status_text(status));
            return;
        }
        times_add(&s->times[step], milliseconds(from, to));
    }
    s->hash = af_crc32c_reals(0, af_arena.weight.flat, AF_N_PARAMS);
}

/// Of a step: the mean over the steps of each one's smallest time, or median. 0 if there is none.
static double step_ms(const struct subject *const s, double (*const of)(const struct times *times)) {
    double sum = 0;
    for (size_t step = 0; step < s->n_steps; step++) {
        sum += of(&s->times[step]);
    }
    return s->n_steps > 0 ? sum / (double)s->n_steps : 0;
}

/// A repetition: strings of eight letters.
static void decode(void) {
    static const af_token prompt[LONGEST + 1] = {5, 6, 2, 0, 1, 4, 9, 3, SEPARATOR};
    af_token out[LONGEST];
    struct af_decode *memory = NULL;
    struct af_model model = af_model_of(&af_arena);
    model.kernels = af_port_kernels();
    const struct af_reader reader = af_reader_of(&model);
    if (af_decode_open(&model, &memory) != AF_OK) {
        return;
    }
    const uint64_t from = af_port_ticks();
    for (size_t i = 0; i < N_DECODED; i++) {
        af_decode_reset(memory);
        (void)af_decode_greedy(out, memory, &reader, prompt, LONGEST + 1, LONGEST);
    }
    times_add(&decode_times, milliseconds(from, af_port_ticks()) / N_DECODED);
}

// ------------------------------------------------------------------------------------------------------------ peers

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
    double min_ms = 0;
    double median_ms = 0;
    if (round >= r->next && p->is_there && peer_ask(p, r->what, PEER_REPETITIONS, &min_ms, &median_ms)) {
        times_add(&r->least, min_ms);
        times_add(&r->times, median_ms);
        r->next = round + 1 + (size_t)(median_ms / SLOW_MS);
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

static struct times peak_times[2][2]; // [kind][cores - 1]: nanoseconds for a thousand operations

static void measure_peaks(void) {
    for (size_t kind = 0; kind < 2; kind++) {
        for (size_t cores = 1; cores <= 2; cores++) {
            const double gflops = peak_gflops(kind == 0 ? PEAK_STRICT : PEAK_FUSED, af_port_kernels(), cores);
            if (gflops > 0) {
                times_add(&peak_times[kind][cores - 1], 1000 / gflops);
            }
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
            train(&subject[i]);
        }
    }
    decode();
    for (size_t i = 0; i < N_REQUESTS; i++) {
        ask(&request[i], round);
    }
}

// ------------------------------------------------------------------------------------------------------------ tables

static double peak(const enum peak_kind kind, const size_t cores) {
    return ratio(1000, times_min(&peak_times[kind == PEAK_STRICT ? 0 : 1][cores - 1]));
}

static void print_peaks(void) {
    static const char *const kind_name[2] = {"strict multiply, add", "fused multiply-add"};
    (void)printf("\npeak in registers, %u-bit vectors     GFLOP/s: best   median\n",
                 8 * (unsigned)peak_vector_bytes(af_port_kernels()));
    for (size_t kind = 0; kind < 2; kind++) {
        for (size_t cores = 1; cores <= 2; cores++) {
            const struct times *const times = &peak_times[kind][cores - 1];
            (void)printf("  %-22s %zu core%-17s %8.1f %8.1f\n", kind_name[kind], cores, cores > 1 ? "s" : "",
                         ratio(1000, times_min(times)), ratio(1000, times_median(times)));
        }
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

static void print_row(const char *const name, const double min_ms, const double median_ms, const double flops,
                      const size_t n_cores, const double best) {
    const double gflops = ratio(flops, min_ms) * 1e-6;
    (void)printf("  %-28s", name);
    print_number(9, 3, min_ms, "");
    print_number(9, 3, median_ms, "");
    print_number(8, 1, gflops, "");
    print_number(6, 1, 100 * ratio(gflops, peak(PEAK_STRICT, n_cores)), " %");
    print_number(8, 2, ratio(best, min_ms), "x");
    (void)printf("\n");
}

static void print_training(void) {
    const double best = best_peer("train", 2);
    (void)printf("\na training step, batch %d       min ms  median ms GFLOP/s  of peak  PyTorch's best / this\n",
                 (int)BATCH);
    for (size_t i = 0; i < N_SUBJECTS; i++) {
        const struct subject *const s = &subject[i];
        if (s->name != NULL) {
            print_row(s->name, step_ms(s, times_min), step_ms(s, times_median), flops_of_steps(s->n_steps),
                      s->n_workers, best);
        }
    }
    for (size_t i = 0; i < N_REQUESTS; i++) {
        const struct request *const r = &request[i];
        if (r->times.n > 0 && strncmp(r->what, "train", 5) == 0) {
            char name[64];
            (void)snprintf(name, sizeof(name), "PyTorch %s, %zu thr.", &r->what[6], r->n_threads);
            print_row(name, times_min(&r->least), times_median(&r->times), flops_of_steps(N_STEPS), r->n_threads, best);
        }
    }
    (void)printf("  GFLOP/s are over the %.0f operations a step that can change the loss; of peak: of as many cores'\n"
                 "  strict multiply and add. PyTorch full: all %d positions; cut: the first %d.\n",
                 flops_of_steps(N_STEPS), (int)AF_CONTEXT, 2 * LONGEST);
}

static void print_decoding(void) {
    const struct request *const r = &request[N_REQUESTS - 1];
    const double ours = times_min(&decode_times);
    (void)printf("\n8 letters, greedily             min ms  median ms\n  %-28s %9.4f %9.4f\n",
                 "port's kernels, 1 worker", ours, times_median(&decode_times));
    if (r->times.n > 0) {
        (void)printf("  %-28s %9.4f %9.4f\n", "PyTorch, 1 thread", times_min(&r->least), times_median(&r->times));
    }
}

/// Whether all tables and workers gave the same bits.
static void print_bits(void) {
    bool is_same = true;
    for (size_t i = 0; i < N_SUBJECTS; i++) {
        if (subject[i].name != NULL && subject[i].n_steps == N_STEPS) {
            is_same = is_same && subject[i].hash == subject[FAST_1].hash;
        }
    }
    (void)printf("\nweights after %d steps: %s, hash %08X\n", (int)N_STEPS,
                 is_same ? "the same bits for all tables and workers" : "they DIFFER between tables or workers",
                 (unsigned)subject[FAST_1].hash);
}

static void print_target(const char *const name, const double target_value, const double measured) {
    (void)printf("  %-58s >= %5.2f  ", name, target_value);
    if (measured <= 0) {
        (void)printf("not measured\n");
    } else {
        (void)printf("%6.2f  %s by %.1f %%\n", measured, measured >= target_value ? "met   " : "missed",
                     100 * (measured >= target_value ? measured / target_value - 1 : 1 - measured / target_value));
    }
}

static void print_targets(void) {
    const double one = step_ms(&subject[FAST_1], times_min);
    const double two = step_ms(&subject[FAST_2], times_min);
    (void)printf("\ntargets (smallest times)                                       wanted  measured\n");
    print_target("training, 1 worker: share of the strict peak of a core", 0.76,
                 ratio(ratio(flops_of_steps(N_STEPS), one) * 1e-6, peak(PEAK_STRICT, 1)));
    print_target("training, 1 worker: PyTorch full, its best / ours", 4.3, ratio(best_peer("train full", 2), one));
    print_target("training, 1 worker: PyTorch cut, its best / ours", 2.8, ratio(best_peer("train cut", 2), one));
    print_target("training, 2 workers: own time with 1 / with 2", 1.8, ratio(one, two));
    print_target("training, 2 workers: PyTorch full, its best / ours", 8, ratio(best_peer("train full", 2), two));
    print_target("8 letters, greedily: PyTorch / ours", 40, ratio(best_peer("decode", 2), times_min(&decode_times)));
}

// ----------------------------------------------------------------------------------------------------------- options

struct options {
    size_t rounds;
    bool is_alone; // without PyTorch
    bool is_good;
};

static struct options options_of(const int argc, char **const argv) {
    struct options options = {ROUNDS, false, true};
    for (int i = 1; i < argc && options.is_good; i++) {
        if (strcmp(argv[i], "--quick") == 0) {
            options.rounds = QUICK_ROUNDS;
        } else if (strcmp(argv[i], "--alone") == 0) {
            options.is_alone = true;
        } else if (strcmp(argv[i], "--rounds") == 0 && i + 1 < argc) {
            i++;
            char *end = NULL;
            const long n = strtol(argv[i], &end, 10);
            options.is_good = end != argv[i] && *end == '\0' && n >= 1 && n <= MAX_ROUNDS;
            options.rounds = options.is_good ? (size_t)n : 0;
        } else {
            options.is_good = false;
        }
    }
    return options;
}

/// Starts the peers, unless they are not wanted, and prints what is measured.
static void begin(const struct options options) {
    const struct af_kernels *const fast = af_port_kernels();
    char line[512] = "";
    if (!options.is_alone && peer_start(&peer[0], "1") && peer_start(&peer[1], "2")) {
        peer_about(&peer[0], line, sizeof(line));
    }
    draw_run();
    describe_subjects();
    (void)printf("kernels: %s; micro-batch %d; %zu rounds\n", fast != NULL ? fast->name : "plain", (int)AF_MICRO_BATCH,
                 options.rounds);
    if (line[0] != '\0') {
        (void)printf("%s\n", line);
    }
    (void)fflush(stdout);
}

int main(const int argc, char **const argv) {
    const struct options options = options_of(argc, argv);
    if (!options.is_good) {
        (void)printf("usage: bench [--rounds N] [--quick] [--alone]\n"
                     "  N       rounds, 1 to %d; otherwise %d\n  --quick %d rounds\n  --alone without PyTorch\n",
                     (int)MAX_ROUNDS, (int)ROUNDS, (int)QUICK_ROUNDS);
        return 0;
    }
    begin(options);
    const uint64_t from = af_port_ticks();
    for (size_t round = 0; round < options.rounds; round++) {
        measure_round(round);
    }
    print_peaks();
    print_training();
    print_decoding();
    print_bits();
    print_targets();
    (void)printf("\n%zu rounds in %.0f s\n", options.rounds, milliseconds(from, af_port_ticks()) / 1000);
    peer_stop(&peer[0]);
    peer_stop(&peer[1]);
    return 0;
}
