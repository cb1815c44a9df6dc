// SPDX-License-Identifier: MIT
// What is measured: the first steps of the chapter's run, and decoding.
#include "bench.h"
#include "af_port.h"

#include <stdio.h>
#include <string.h>

AF_STATIC_ASSERT(AF_VOCAB == 12, the_task_has_ten_letters_a_separator_and_a_pad_token);
AF_STATIC_ASSERT(AF_CONTEXT >= 2 * LONGEST, the_strings_fit);

enum {
    N_LETTERS = 10,
    SEPARATOR = 10,
    PAD = 11,
    SEED_WEIGHTS = 1,
    SEED_TRAINING = 0,
    N_DECODED = 20, // strings of a repetition: short enough to be left alone by others on the machine
};

static af_token token[POOL][AF_CONTEXT];
static af_token target[POOL][AF_CONTEXT];
static struct af_sequence sequence[POOL];
static size_t n_letters[POOL];
static union af_plane first_weights;

// -------------------------------------------------------------------------------------------------------- operations

/// Matrix products of a sequence with so many rows, of which the last block has so many queries with so many pairs of
/// query and key.
static double flops_of(const double rows, const double queries, const double pairs) {
    const double d = AF_DIM;
    const double a_row = 2 * d * 3 * d + 2 * d * d + 4 * d * AF_FF;
    const double linear = (AF_BLOCKS - 1) * rows * a_row + rows * 4 * d * d + queries * (4 * d * d + 4 * d * AF_FF) +
                          queries * 2 * d * AF_VOCAB;
    const double attention = (AF_BLOCKS - 1) * 2 * d * rows * (rows + 1) + 4 * d * pairs;
    return 3 * (linear + attention);
}

double work_flops(const size_t first, const size_t n) {
    double sum = 0;
    for (size_t i = first; i < first + n; i++) {
        const double letters = (double)n_letters[i];
        sum += flops_of(2 * letters, letters, letters * (3 * letters + 1) / 2);
    }
    return sum;
}

double work_flops_of_every(const size_t n) {
    const double rows = AF_CONTEXT;
    return (double)n * flops_of(rows, rows, rows * (rows + 1) / 2);
}

// ----------------------------------------------------------------------------------------------------------- drawing

static void draw_string(struct af_numpy *const stream, const size_t i, const size_t shortest, const size_t longest) {
    const size_t n = af_numpy_integer(stream, (uint32_t)shortest, (uint32_t)longest + 1);
    af_token *const x = token[i];
    memset(x, PAD, sizeof(token[i]));
    memset(target[i], AF_IGNORE, sizeof(target[i]));
    for (size_t k = 0; k < n; k++) {
        x[k] = (af_token)af_numpy_integer(stream, 0, N_LETTERS);
    }
    x[n] = SEPARATOR;
    for (size_t k = 0; k < n; k++) {
        target[i][n + k] = x[n - 1 - k];
        if (n + 1 + k < AF_CONTEXT) {
            x[n + 1 + k] = x[n - 1 - k];
        }
    }
    sequence[i].token = x;
    sequence[i].target = target[i];
    sequence[i].n = AF_CONTEXT;
    n_letters[i] = n;
}

void work_draw(const size_t shortest, const size_t longest) {
    struct af_numpy stream;
    af_numpy_seed(&stream, SEED_TRAINING);
    for (size_t i = 0; i < POOL; i++) {
        draw_string(&stream, i, shortest, longest);
    }
    af_init_weights(&first_weights.at, &af_arena.work.init_stream[0], SEED_WEIGHTS);
}

// ---------------------------------------------------------------------------------------------------------- training

struct af_model work_model(const struct af_kernels *const kernels, const size_t n_workers) {
    static struct af_runner runner = {af_port_run, NULL, 1};
    struct af_model model = af_model_of(&af_arena);
    af_port_set_workers(n_workers);
    runner.n_workers = n_workers;
    model.kernels = kernels;
    model.runner = n_workers > 1 ? &runner : NULL;
    (void)af_train_reset(&model);
    af_arena.weight = first_weights;
    return model;
}

af_status work_train(const struct af_model *const model, const size_t first, const size_t n) {
    const struct af_adamw how = AF_ADAMW_CHAPTER;
    uint32_t n_targets = 0;
    for (size_t i = first; i < first + n; i++) {
        n_targets += (uint32_t)n_letters[i];
    }
    af_status status = af_train_begin(model, n_targets);
    if (status == AF_OK) {
        status = af_train_accumulate(model, &sequence[first], n);
    }
    return status == AF_OK ? af_train_end(model, how, NULL) : status;
}

/// A peer's repetition; how much it repeats for its answer is its affair.
static bool ask_peer(struct subject *const s) {
    double ms[N_STEPS] = {0};
    if (s->peer->is_there && peer_ask(s->peer, "train 1", 1, ms, N_STEPS) == N_STEPS) {
        for (size_t step = 0; step < N_STEPS; step++) {
            times_add(&s->times[step], ms[step]);
        }
    }
    return true;
}

bool subject_train(struct subject *const s) {
    if (s->peer != NULL) {
        return ask_peer(s);
    }
    const struct af_model model = work_model(s->kernels, s->n_workers);
    for (size_t step = 0; step < s->n_steps; step++) {
        const uint64_t from = af_port_ticks();
        const af_status status = work_train(&model, step * BATCH, BATCH);
        const uint64_t to = af_port_ticks();
        if (status != AF_OK) {
            (void)fprintf(stderr, "bench: %s: %s, %s\n", s->name, af_status_name(status), af_status_text(status));
            return false;
        }
        times_add(&s->times[step], milliseconds(from, to));
    }
    s->hash = af_crc32c_reals(0, af_arena.weight.flat, AF_N_PARAMS);
    return true;
}

double subject_ms(const struct subject *const s, double (*const of)(const struct times *times)) {
    double sum = 0;
    for (size_t step = 0; step < s->n_steps; step++) {
        sum += of(&s->times[step]);
    }
    return s->n_steps > 0 ? sum / (double)s->n_steps : 0;
}

// ---------------------------------------------------------------------------------------------------------- decoding

double work_decode(void) {
    static const af_token prompt[LONGEST + 1] = {5, 6, 2, 0, 1, 4, 9, 3, SEPARATOR};
    af_token out[LONGEST];
    struct af_decode *memory = NULL;
    const struct af_model model = work_model(af_port_kernels(), 1);
    const struct af_reader reader = af_reader_of(&model);
    if (af_decode_open(&model, &memory) != AF_OK) {
        return 0;
    }
    const uint64_t from = af_port_ticks();
    for (size_t i = 0; i < N_DECODED; i++) {
        (void)af_decode_greedy(out, memory, &reader, prompt, LONGEST + 1, LONGEST);
    }
    return milliseconds(from, af_port_ticks()) / N_DECODED;
}
