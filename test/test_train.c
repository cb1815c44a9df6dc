// SPDX-License-Identifier: MIT
// The training step: any slicing and any grouping give the same bits, mistakes are named and change nothing, two
// instances do not disturb each other; decoding with the cache equals computing the whole sequence.
#include "af.h"
#include "af_inner_reader.h"
#include "af_inner_regions.h"
#include "chapter.h"

#include <criterion/criterion.h>
#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifndef N_STEPS
#define N_STEPS 20
#endif
#ifndef STEP_BATCH
#define STEP_BATCH 64
#endif

#ifdef TEST_KERNELS
#include "af_port.h"
#ifndef TEST_WORKERS
#define TEST_WORKERS 1
#endif
#endif

/// The kernels under test, on the workers under test.
static struct af_model with_kernels(struct af_model m) {
#ifdef TEST_KERNELS
    static struct af_runner runner = {af_port_run, NULL, TEST_WORKERS};
    af_port_set_workers(TEST_WORKERS);
    m.kernels = &TEST_KERNELS;
    m.runner = TEST_WORKERS > 1 ? &runner : NULL;
#endif
    return m;
}

static struct af_model model(void) {
    return with_kernels(af_model_of(&af_arena));
}

/// A task for any configuration with at least 3 tokens: up to T tokens, each to be predicted from the one before it,
/// with ignored targets at the start and at the end.
struct task {
    af_token token[STEP_BATCH][AF_CONTEXT];
    af_token target[STEP_BATCH][AF_CONTEXT];
    struct af_sequence sequence[STEP_BATCH];
    uint32_t n_targets;
};
static struct task task;

static void draw(struct af_numpy *stream) {
    task.n_targets = 0;
    for (size_t s = 0; s < STEP_BATCH; s++) {
        const uint32_t n = af_numpy_integer(stream, AF_CONTEXT < 3 ? AF_CONTEXT : 3, AF_CONTEXT + 1);
        for (uint32_t i = 0; i < AF_CONTEXT; i++) {
            task.token[s][i] = (af_token)af_numpy_integer(stream, 0, AF_VOCAB);
            task.target[s][i] = AF_IGNORE;
        }
        for (uint32_t i = n / 2; i + 1 < n; i++) {
            task.target[s][i] = (af_token)((task.token[s][i] + 1u) % AF_VOCAB);
            task.n_targets++;
        }
        task.sequence[s] = (struct af_sequence){task.token[s], task.target[s], AF_CONTEXT};
    }
}

static uint32_t hash_of(const struct af_model *m) {
    uint32_t crc = af_crc32c_reals(0, m->weight->flat, AF_N_PARAMS);
    crc = af_crc32c_reals(crc, m->adam_m->flat, AF_N_PARAMS);
    return af_crc32c_reals(crc, m->adam_v->flat, AF_N_PARAMS);
}

static void start(const struct af_model *m, struct af_numpy *stream) {
    af_init_weights(&m->weight->at, m->work->init_stream, 1);
    cr_assert_eq(af_train_reset(m), AF_OK);
    af_numpy_seed(stream, 0);
}

static const struct af_adamw how = AF_ADAMW_CHAPTER;

/// Ways to cut a step into pieces.
enum slicing { WHOLE, ONE_BY_ONE, SLICES, UNEVEN, N_SLICINGS };

static void accumulate(const struct af_model *m, enum slicing slicing, size_t step) {
    size_t s = 0;
    while (s < STEP_BATCH) {
        size_t n = STEP_BATCH - s;
        if (slicing == ONE_BY_ONE) {
            n = 1;
        } else if (slicing == UNEVEN) {
            n = 1 + (s + step) % 5;
        } else if (slicing == SLICES) {
            n = AF_MICRO_BATCH - (s + step) % AF_MICRO_BATCH;
        }
        n = n > STEP_BATCH - s ? STEP_BATCH - s : n;
        if (slicing == SLICES) {
            cr_assert_eq(af_train_load(m, &task.sequence[s], n), AF_OK);
            size_t n_slices = 1;
            while (af_train_slice(m) == AF_MORE) {
                n_slices++;
            }
            cr_assert_eq(n_slices, (size_t)AF_N_STAGES);
        } else {
            cr_assert_eq(af_train_accumulate(m, &task.sequence[s], n), AF_OK);
        }
        s += n;
    }
}

static void step(const struct af_model *m, struct af_numpy *stream, enum slicing slicing, size_t i) {
    draw(stream);
    cr_assert_eq(af_train_begin(m, task.n_targets), AF_OK);
    accumulate(m, slicing, i);
    af_real loss = -1;
    af_status status = AF_MORE;
    const size_t all = ((size_t)AF_N_PARAMS + AF_UPDATE_SLICE - 1) / AF_UPDATE_SLICE; // of the check, and of the update
    if (slicing == SLICES) {
        size_t n_slices = 0;
        do {
            status = af_train_update(m, how, &loss);
            n_slices++;
        } while (status == AF_MORE);
        cr_assert_eq(status, AF_OK);
        cr_assert_eq(n_slices, 2 * all, "%zu", n_slices);
    } else {
        for (size_t k = 0; k <= all && slicing == UNEVEN && status == AF_MORE; k++) { // the rest in one call
            status = af_train_update(m, how, &loss);
        }
        cr_assert_eq(status == AF_MORE ? af_train_end(m, how, &loss) : status, AF_OK);
    }
    cr_assert(loss > 0 && loss < 10);
    cr_assert_eq(m->state->progress[0].step, i + 1);
}

// promise: same-bits, slices-same-bits, any-memory
Test(train, any_slicing_gives_the_same_bits) {
    uint32_t hash[N_SLICINGS];
    for (size_t k = 0; k < N_SLICINGS; k++) {
        memset(&af_arena, 0xA5, sizeof(af_arena)); // nothing may depend on what memory held before
        struct af_model m = model();
        struct af_numpy stream;
        start(&m, &stream);
        for (size_t i = 0; i < N_STEPS; i++) {
            step(&m, &stream, (enum slicing)k, i);
        }
        cr_assert(af_finite(m.weight->flat, AF_N_PARAMS));
        hash[k] = hash_of(&m);
        cr_assert_eq(hash[k], hash[0], "slicing %zu", k);
    }
    cr_log_info("hash after %d steps: 0x%08x", N_STEPS, hash[0]);
#ifdef GOLDEN_HASH
    cr_assert_eq(hash[0], GOLDEN_HASH, "0x%08x is not the committed hash", hash[0]);
#endif
}

// promise: instances-apart
Test(train, two_instances_do_not_disturb_each_other) {
    static struct af_arena other;
    struct af_model a = with_kernels(af_model_of(&other));
    struct af_numpy stream;
    start(&a, &stream);
    for (size_t i = 0; i < 3; i++) {
        step(&a, &stream, WHOLE, i);
    }
    const uint32_t alone = hash_of(&a);

    struct af_model b = model();
    struct af_numpy stream_b;
    start(&a, &stream);
    start(&b, &stream_b);
    af_init_weights(&b.weight->at, b.work->init_stream, 2);
    for (size_t i = 0; i < 3; i++) {
        // The second instance trains in the middle of the first one's step.
        draw(&stream);
        cr_assert_eq(af_train_begin(&a, task.n_targets), AF_OK);
        cr_assert_eq(af_train_accumulate(&a, task.sequence, 7), AF_OK);
        struct task kept = task;
        step(&b, &stream_b, ONE_BY_ONE, i);
        task = kept;
        cr_assert_eq(af_train_accumulate(&a, &task.sequence[7], STEP_BATCH - 7), AF_OK);
        cr_assert_eq(af_train_end(&a, how, NULL), AF_OK);
    }
    cr_assert_eq(hash_of(&a), alone);
    cr_assert_neq(hash_of(&b), alone);
}

// promise: regions-may-move
Test(train, regions_may_be_separate_objects) {
    static union af_plane weight, grad, m1, m2;
    static struct af_state state;
    static union af_work work;
    struct af_model together = model();
    struct af_model apart = together;
    apart.weight = &weight;
    apart.grad = &grad;
    apart.adam_m = &m1;
    apart.adam_v = &m2;
    apart.state = &state;
    apart.work = &work;
    struct af_numpy stream;
    start(&together, &stream);
    step(&together, &stream, WHOLE, 0);
    start(&apart, &stream);
    step(&apart, &stream, WHOLE, 0);
    cr_assert_eq(hash_of(&apart), hash_of(&together));
}

// promise: unseen-changes-nothing
Test(train, what_the_loss_cannot_see_does_not_matter) {
    struct af_model m = model();
    struct af_numpy stream;
    uint32_t hash[2];
    for (size_t k = 0; k < 2; k++) {
        start(&m, &stream);
        draw(&stream);
        for (size_t s = 0; s < STEP_BATCH; s++) {
            size_t end = AF_CONTEXT;
            while (end > 1 && task.target[s][end - 1] == AF_IGNORE) {
                end--;
            }
            if (k == 1) { // no padding at all
                task.sequence[s].n = end;
            }
        }
        cr_assert_eq(af_train_begin(&m, task.n_targets), AF_OK);
        cr_assert_eq(af_train_accumulate(&m, task.sequence, STEP_BATCH), AF_OK);
        hash[k] = af_crc32c_reals(0, m.grad->flat, AF_N_PARAMS);
        cr_assert_eq(af_train_abandon(&m), AF_OK);
    }
    cr_assert_eq(hash[0], hash[1]);
}

// ---------------------------------------------------------------------------------------------------------- errors

static uint32_t whole_arena(void) {
    return af_crc32c(0, &af_arena, sizeof(af_arena));
}

#define REFUSED(call, expected)                                                                                        \
    do {                                                                                                               \
        const uint32_t before = whole_arena();                                                                         \
        const af_status got = (call);                                                                                  \
        cr_assert_eq(got, expected, "%s gave %s", #call, af_status_name(got));                                         \
        cr_assert_eq(whole_arena(), before, "%s changed the arena", #call);                                            \
    } while (0)

/// A pointer that no object of its type has.
static void *misaligned(void *p) {
    return (unsigned char *)p + 1;
}

Test(train, regions_that_are_not_aligned_are_refused_and_change_nothing) {
    const struct af_model m = model();
    struct af_numpy stream;
    struct af_decode *decode = NULL;
    start(&m, &stream);
    draw(&stream);
    cr_assert_eq(af_regions_check(&m), AF_OK);
    for (int i = 0; i < 6 + AF_PACKED; i++) {
        struct af_model w = m;
        if (i == 0) {
            w.weight = (union af_plane *)misaligned(m.weight);
        } else if (i == 1) {
            w.grad = (union af_plane *)misaligned(m.grad);
        } else if (i == 2) {
            w.adam_m = (union af_plane *)misaligned(m.adam_m);
        } else if (i == 3) {
            w.adam_v = (union af_plane *)misaligned(m.adam_v);
        } else if (i == 4) { // 4 modulo 8, where a struct holds 64 bits
            w.state = (struct af_state *)((unsigned char *)m.state + (AF_STREAMS && AF_ALIGN_OF_64 == 8 ? 4 : 1));
        } else if (i == 5) {
            w.work = (union af_work *)misaligned(m.work);
        } else {
#if AF_PACKED
            w.packed = (struct af_packed *)misaligned(m.packed);
#endif
        }
        cr_assert_eq(af_regions_check(&w), AF_ERR_ALIGN);
        cr_assert_eq(af_decode_open(&w, &decode), AF_ERR_ALIGN);
        cr_assert_null(decode);
        REFUSED(af_train_reset(&w), AF_ERR_ALIGN);
        REFUSED(af_train_begin(&w, task.n_targets), AF_ERR_ALIGN);
        REFUSED(af_train_accumulate(&w, task.sequence, 1), AF_ERR_ALIGN);
        REFUSED(af_train_load(&w, task.sequence, 1), AF_ERR_ALIGN);
        REFUSED(af_train_slice(&w), AF_ERR_ALIGN);
        REFUSED(af_train_end(&w, how, NULL), AF_ERR_ALIGN);
        REFUSED(af_train_update(&w, how, NULL), AF_ERR_ALIGN);
        REFUSED(af_train_abandon(&w), AF_ERR_ALIGN);
        REFUSED(af_forward(&w, task.sequence, 1, AF_EVERY), AF_ERR_ALIGN);
    }
}

Test(train, initial_weights_and_decoding_need_aligned_addresses) {
    const struct af_model m = model();
    struct af_numpy stream;
    struct af_weights *const weight = &m.weight->at;
    struct af_torch *const torch = m.work->init_stream;
    start(&m, &stream);
    REFUSED(af_init_weights(NULL, torch, 1), AF_ERR_NULL);
    REFUSED(af_init_weights(weight, NULL, 1), AF_ERR_NULL);
    REFUSED(af_init_weights((struct af_weights *)misaligned(weight), torch, 1), AF_ERR_ALIGN);
    REFUSED(af_init_weights(weight, (struct af_torch *)misaligned(torch), 1), AF_ERR_ALIGN);
    cr_assert_eq(af_init_weights(weight, torch, 1), AF_OK);
    const struct af_reader reader = af_reader_of(&m);
    const struct af_reader wrong = {(const struct af_weights *)misaligned(weight), reader.packed, reader.kernels,
                                    reader.progress};
    const af_token prompt[] = {0};
    af_token out[] = {1};
    struct af_decode *decode = NULL;
    cr_assert_eq(af_decode_open(&m, &decode), AF_OK);
    struct af_decode *const wrong_decode = (struct af_decode *)misaligned(decode);
    cr_assert_eq(af_decode_push(decode, &wrong, 0), AF_ERR_ALIGN);
    cr_assert_eq(af_decode_push(wrong_decode, &reader, 0), AF_ERR_ALIGN);
    cr_assert_eq(af_decode_greedy(out, decode, &wrong, prompt, 1, 1), AF_ERR_ALIGN);
    cr_assert_eq(af_decode_greedy(out, wrong_decode, &reader, prompt, 1, 1), AF_ERR_ALIGN);
    cr_assert_eq(out[0], 1);
    cr_assert_eq(decode->n_tokens[0], 0);
    cr_assert_eq(af_decode_greedy(out, decode, &reader, prompt, 1, 1), AF_OK);
}

// promise: order-refused, failed-call-changes-nothing
Test(train, calls_out_of_order_are_refused_and_change_nothing) {
    struct af_model m = model();
    struct af_numpy stream;
    struct af_decode *decode = NULL;
    start(&m, &stream);
    draw(&stream);
    REFUSED(af_train_accumulate(&m, task.sequence, 1), AF_ERR_ORDER);
    REFUSED(af_train_load(&m, task.sequence, 1), AF_ERR_ORDER);
    REFUSED(af_train_slice(&m), AF_ERR_ORDER);
    REFUSED(af_train_end(&m, how, NULL), AF_ERR_ORDER);
    REFUSED(af_train_begin(&m, 0), AF_ERR_COUNT);
    cr_assert_eq(af_train_abandon(&m), AF_OK);
    cr_assert_eq(af_train_begin(&m, task.n_targets), AF_OK);
    REFUSED(af_train_begin(&m, task.n_targets), AF_ERR_ORDER);
    REFUSED(af_train_slice(&m), AF_ERR_ORDER);
    REFUSED(af_train_end(&m, how, NULL), AF_ERR_COUNT);
    REFUSED(af_decode_open(&m, &decode), AF_ERR_ORDER);
    cr_assert_null(decode);
    cr_assert_eq(af_train_load(&m, task.sequence, 1), AF_OK);
    REFUSED(af_train_load(&m, task.sequence, 1), AF_ERR_ORDER);
    REFUSED(af_train_accumulate(&m, task.sequence, 1), AF_ERR_ORDER);
    REFUSED(af_train_end(&m, how, NULL), AF_ERR_ORDER);
    while (af_train_slice(&m) == AF_MORE) {
    }
    cr_assert_eq(af_train_accumulate(&m, &task.sequence[1], STEP_BATCH - 1), AF_OK);
    REFUSED(af_train_accumulate(&m, task.sequence, 1), AF_ERR_COUNT);
    struct af_adamw wrong = how;
    wrong.learning_rate = -1;
    REFUSED(af_train_end(&m, wrong, NULL), AF_ERR_RANGE);
    wrong.learning_rate = (af_real)INFINITY;
    REFUSED(af_train_end(&m, wrong, NULL), AF_ERR_RANGE);
    wrong.learning_rate = (af_real)NAN;
    REFUSED(af_train_end(&m, wrong, NULL), AF_ERR_RANGE);
    wrong = how;
    wrong.weight_decay = -1;
    REFUSED(af_train_end(&m, wrong, NULL), AF_ERR_RANGE);
    wrong.weight_decay = (af_real)INFINITY;
    REFUSED(af_train_end(&m, wrong, NULL), AF_ERR_RANGE);
    // Rate and decay that would make every weight infinite, or huge, by themselves or together.
    static const double beyond[][2] = {
        {1e38, 0},        {1e38, 1e38},  {1e38, 0.01}, {0.003, 1e38},    {AF_RATE_MAX * 1.000001, 0},
        {1, 1.000001},    {0.5, 2.1},    {1e30, 1e30}, {0, (double)NAN}, {0, (double)INFINITY},
        {(double)NAN, 0}, {-1e-30, 0.01}};
    for (size_t i = 0; i < sizeof(beyond) / sizeof(beyond[0]); i++) {
        wrong = (struct af_adamw){(af_real)beyond[i][0], (af_real)beyond[i][1]};
        REFUSED(af_train_end(&m, wrong, NULL), AF_ERR_RANGE);
        REFUSED(af_train_update(&m, wrong, NULL), AF_ERR_RANGE);
    }
    af_status status = af_train_update(&m, how, NULL);
    while (status == AF_MORE && m.state->progress[0].phase == AF_TRAIN_CHECK) {
        status = af_train_update(&m, how, NULL);
    }
    REFUSED(af_train_abandon(&m), AF_ERR_ORDER); // weights are about to change: no way back
    while (af_train_update(&m, how, NULL) == AF_MORE) {
    }
    REFUSED(af_train_end(&m, how, NULL), AF_ERR_ORDER);
}

// promise: abandoned-step-leaves-no-trace
Test(train, an_abandoned_step_leaves_no_trace) {
    struct af_model m = model();
    uint32_t hash[2];
    for (size_t k = 0; k < 2; k++) {
        struct af_numpy stream;
        start(&m, &stream);
        step(&m, &stream, WHOLE, 0);
        if (k == 1) {
            const uint32_t before = hash_of(&m);
            cr_assert_eq(af_train_begin(&m, task.n_targets), AF_OK);
            cr_assert_eq(af_train_accumulate(&m, task.sequence, 1), AF_OK);
            cr_assert_eq(af_train_load(&m, &task.sequence[1], 1), AF_OK);
            cr_assert_eq(af_train_slice(&m), AF_MORE);
            cr_assert_eq(af_train_abandon(&m), AF_OK);
            cr_assert_eq(hash_of(&m), before);
        }
        step(&m, &stream, WHOLE, 1);
        hash[k] = hash_of(&m);
    }
    cr_assert_eq(hash[1], hash[0]);
}

// promise: bad-input-named, failed-call-changes-nothing, no-index-before-check
Test(train, bad_sequences_are_refused_and_change_nothing) {
    struct af_model m = model();
    struct af_numpy stream;
    start(&m, &stream);
    draw(&stream);
    cr_assert_eq(af_train_begin(&m, task.n_targets), AF_OK);
    // A mistake in the last of three sequences: the first two must not count either.
    const struct af_sequence good = task.sequence[2];
    const size_t lengths[] = {0, AF_CONTEXT + 1, SIZE_MAX};
    for (size_t i = 0; i < 3; i++) {
        task.sequence[2].n = lengths[i];
        REFUSED(af_train_accumulate(&m, task.sequence, 3), AF_ERR_LENGTH);
        REFUSED(af_train_load(&m, &task.sequence[2], 1), AF_ERR_LENGTH);
    }
    task.sequence[2] = good;
    for (unsigned bad = AF_VOCAB; bad <= 255; bad += 255 - AF_VOCAB) {
        const af_token kept = task.token[2][1];
        task.token[2][1] = (af_token)bad;
        REFUSED(af_train_accumulate(&m, task.sequence, 3), AF_ERR_TOKEN);
        task.token[2][1] = kept;
    }
    const af_token kept = task.target[2][0];
    task.target[2][0] = AF_VOCAB;
    REFUSED(af_train_accumulate(&m, task.sequence, 3), AF_ERR_TARGET);
    task.target[2][0] = kept;
    task.sequence[2].token = NULL;
    REFUSED(af_train_accumulate(&m, task.sequence, 3), AF_ERR_NULL);
    task.sequence[2] = good;
    task.sequence[2].target = NULL;
    REFUSED(af_train_accumulate(&m, task.sequence, 3), AF_ERR_NULL);
    task.sequence[2] = good;
    REFUSED(af_train_accumulate(&m, NULL, 3), AF_ERR_NULL);
    static struct af_sequence many[AF_MICRO_BATCH + 1];
    for (size_t i = 0; i <= AF_MICRO_BATCH; i++) {
        many[i] = task.sequence[0];
        many[i].n = 1;
    }
    REFUSED(af_train_load(&m, many, AF_MICRO_BATCH + 1), AF_ERR_COUNT);
    REFUSED(af_train_load(&m, many, SIZE_MAX), AF_ERR_COUNT);
    cr_assert_eq(af_train_accumulate(&m, task.sequence, STEP_BATCH), AF_OK);
    cr_assert_eq(af_train_end(&m, how, NULL), AF_OK);
    REFUSED(af_forward(&m, NULL, 1, AF_EVERY), AF_ERR_NULL);
    REFUSED(af_forward(&m, many, AF_MICRO_BATCH + 1, AF_EVERY), AF_ERR_COUNT);
    many[0].n = 0;
    REFUSED(af_forward(&m, many, 1, AF_EVERY), AF_ERR_LENGTH);
    REFUSED(af_forward(&m, many, AF_MICRO_BATCH, AF_EVERY), AF_ERR_LENGTH);
    uint32_t n_targets = 7;
    cr_assert_eq(af_sequence_check(NULL, &n_targets), AF_ERR_NULL);
    cr_assert_eq(af_sequence_check(&good, NULL), AF_ERR_NULL);
    cr_assert_eq(n_targets, 7u);
}

static void run_nothing(void *context, af_piece *piece, void *work, size_t n_pieces) {
    (void)context;
    (void)piece;
    (void)work;
    (void)n_pieces;
}

// promise: bad-input-named
Test(train, a_runner_must_be_able_to_run) {
    struct af_model m = model();
    struct af_numpy stream;
    start(&m, &stream);
    const struct af_runner bad[] = {{NULL, NULL, 1}, {run_nothing, NULL, 0}, {run_nothing, NULL, AF_WORKERS + 1}};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct af_runner runner = bad[i];
        m.runner = &runner;
        REFUSED(af_train_begin(&m, 1), AF_ERR_RANGE);
    }
    struct af_runner runner = {run_nothing, NULL, 1};
    m.runner = &runner;
    cr_assert_eq(af_train_begin(&m, 1), AF_OK);
}

static bool is_packed_missing(const struct af_model *m) {
#if AF_PACKED
    return m->packed == NULL;
#else
    (void)m;
    return false;
#endif
}

// promise: null-refused, failed-call-changes-nothing
Test(train, missing_regions_are_refused) {
    const struct af_model whole = model();
    struct af_numpy stream;
    start(&whole, &stream);
    REFUSED(af_train_begin(NULL, 1), AF_ERR_NULL);
    for (size_t i = 0; i < AF_N_REGIONS; i++) {
        struct af_model m = whole;
        void **const pointer = (void **)&m; // all members are pointers
        pointer[i] = NULL;
        REFUSED(af_train_begin(&m, 1), AF_ERR_NULL);
        REFUSED(af_train_reset(&m), AF_ERR_NULL);
        REFUSED(af_train_load(&m, task.sequence, 1), AF_ERR_NULL);
        REFUSED(af_train_slice(&m), AF_ERR_NULL);
        REFUSED(af_train_accumulate(&m, task.sequence, 1), AF_ERR_NULL);
        REFUSED(af_train_update(&m, how, NULL), AF_ERR_NULL);
        REFUSED(af_train_end(&m, how, NULL), AF_ERR_NULL);
        REFUSED(af_train_abandon(&m), AF_ERR_NULL);
        if (m.weight == NULL || m.state == NULL || m.work == NULL || is_packed_missing(&m)) {
            struct af_decode *decode = NULL;
            REFUSED(af_forward(&m, task.sequence, 1, AF_EVERY), AF_ERR_NULL);
            REFUSED(af_decode_open(&m, &decode), AF_ERR_NULL);
            cr_assert_null(decode);
        }
    }
    struct af_decode *decode = NULL;
    REFUSED(af_forward(NULL, task.sequence, 1, AF_EVERY), AF_ERR_NULL);
    REFUSED(af_decode_open(NULL, &decode), AF_ERR_NULL);
    REFUSED(af_decode_open(&whole, NULL), AF_ERR_NULL);
}

// promise: not-finite-stops
Test(train, a_loss_that_is_not_finite_stops_before_the_update) {
    struct af_model m = model();
    struct af_numpy stream;
    start(&m, &stream);
    step(&m, &stream, WHOLE, 0);
    const uint32_t good = hash_of(&m);
    draw(&stream);
    const af_real kept = m.weight->at.head_b[1];
    m.weight->at.head_b[1] = (af_real)INFINITY;
    cr_assert_eq(af_train_begin(&m, task.n_targets), AF_OK);
    cr_assert_eq(af_train_accumulate(&m, task.sequence, STEP_BATCH), AF_ERR_NOT_FINITE);
    m.weight->at.head_b[1] = kept;
    cr_assert_eq(hash_of(&m), good);
    cr_assert_eq(af_train_begin(&m, task.n_targets), AF_OK, "the step must be closed");
    cr_assert_eq(af_train_accumulate(&m, task.sequence, STEP_BATCH), AF_OK);
    m.grad->flat[AF_N_PARAMS - 1] = (af_real)NAN;
    af_real loss = -7;
    cr_assert_eq(af_train_end(&m, how, &loss), AF_ERR_NOT_FINITE);
    cr_assert_eq(hash_of(&m), good);
    cr_assert(loss < -6, "a failed call must not write its result");
    cr_assert_eq(m.state->progress[0].step, 1u);
    step(&m, &stream, WHOLE, 1);
}

/// The step is opened and all of it is accumulated.
static void open_step(const struct af_model *m, struct af_numpy *stream) {
    draw(stream);
    cr_assert_eq(af_train_begin(m, task.n_targets), AF_OK);
    cr_assert_eq(af_train_accumulate(m, task.sequence, STEP_BATCH), AF_OK);
}

/// The update in one call, or slice by slice.
static af_status update(const struct af_model *m, struct af_adamw with, bool is_sliced, af_real *loss) {
    af_status status = is_sliced ? AF_MORE : af_train_end(m, with, loss);
    while (status == AF_MORE) {
        status = af_train_update(m, with, loss);
    }
    return status;
}

// promise: update-keeps-numbers
Test(train, an_update_that_would_lose_a_number_is_refused_and_changes_nothing) {
    struct af_model m = model();
    struct af_numpy stream;
    start(&m, &stream);
    step(&m, &stream, WHOLE, 0);
    union af_plane *const planes[] = {m.weight, m.grad, m.adam_m, m.adam_v};
    const double overflowing = AF_REAL_IS_DOUBLE ? 1e160 : 1e22; // finite, its square is not
    const struct {
        size_t plane;
        double number;
    } bad[] = {{0, (double)NAN},
               {0, (double)INFINITY},
               {0, -(double)INFINITY},
               {1, (double)NAN},
               {1, (double)INFINITY},
               {1, overflowing},
               {1, -overflowing},
               {2, (double)NAN},
               {2, -(double)INFINITY},
               {2, 1e12},
               {3, (double)NAN},
               {3, (double)INFINITY},
               {3, -1e-12},
               {3, -0.0}};
    const size_t place[] = {0, AF_N_PARAMS / 2, AF_N_PARAMS - 1};
    for (size_t i = 0; i < 2 * sizeof(bad) / sizeof(bad[0]); i += AF_N_PARAMS < 20000 ? 1 : 7) {
        open_step(&m, &stream);
        af_real *const x = &planes[bad[i / 2].plane]->flat[place[i % 3]];
        const af_real kept = *x;
        const uint32_t good = hash_of(&m);
        const struct af_progress before = m.state->progress[0];
        *x = (af_real)bad[i / 2].number;
        af_real loss = -7;
        cr_assert_eq(update(&m, how, i % 2 == 1, &loss), AF_ERR_NOT_FINITE, "number %zu", i);
        *x = kept;
        cr_assert_eq(hash_of(&m), good, "number %zu", i);
        cr_assert(loss < -6, "a failed call must not write its result");
        const struct af_progress after = m.state->progress[0];
        cr_assert(after.step == before.step && after.phase == AF_TRAIN_IDLE &&
                  after.correction1 >= before.correction1 && after.correction2 >= before.correction2 &&
                  after.correction1 <= before.correction1 && after.correction2 <= before.correction2);
    }
    step(&m, &stream, WHOLE, 1);
    // A sum of losses that has become infinite by itself.
    open_step(&m, &stream);
    const uint32_t good = hash_of(&m);
    m.state->progress[0].loss_sum = (af_real)INFINITY;
    cr_assert_eq(update(&m, how, false, NULL), AF_ERR_DAMAGED);
    cr_assert_eq(hash_of(&m), good);
    cr_assert_eq(m.state->progress[0].phase, AF_TRAIN_IDLE);
    // The largest settings leave numbers.
    open_step(&m, &stream);
    const struct af_adamw largest = {AF_R(AF_RATE_MAX), AF_R(1) / AF_R(AF_RATE_MAX)};
    cr_assert_eq(update(&m, largest, false, NULL), AF_OK);
    cr_assert(af_finite(m.weight->flat, AF_N_PARAMS));
}

#if AF_N_PARAMS < 20000 // what sizes do not matter to is not tried with large ones

static af_status ended; // how a run has ended

/// Trains until something is wrong, at most `most` steps; what, in which step and with which weights, as one number.
static uint32_t end_of_run(const struct af_model *m, const struct af_adamw with, const enum slicing slicing,
                           size_t most) {
    struct af_numpy stream;
    af_status status = AF_OK;
    size_t i = 0;
    cr_assert_eq(af_train_reset(m), AF_OK);
    af_numpy_seed(&stream, 0);
    for (; i < most && status == AF_OK; i++) {
        draw(&stream);
        cr_assert_eq(af_train_begin(m, task.n_targets), AF_OK);
        for (size_t s = 0; s < STEP_BATCH && status == AF_OK;) {
            const size_t n = slicing == WHOLE ? STEP_BATCH : slicing == ONE_BY_ONE ? 1 : 1 + (s + i) % 5;
            const size_t left = STEP_BATCH - s;
            status = af_train_accumulate(m, &task.sequence[s], n < left ? n : left);
            s += n;
        }
        status = status == AF_OK ? update(m, with, slicing != WHOLE, NULL) : status;
    }
    const int32_t what[2] = {(int32_t)status, (int32_t)i};
    ended = status;
    return af_crc32c(hash_of(m), what, sizeof(what));
}

// promise: update-keeps-numbers
// Plain loops and the kernels under test, with any slicing and on any number of workers, end in the same error in the
// same step, with the same weights.
Test(train, every_table_and_slicing_ends_in_the_same_error) {
    struct af_model tested = model();
    struct af_model plain = af_model_of(&af_arena);
    const double inf = (double)INFINITY, huge = AF_REAL_IS_DOUBLE ? 1e200 : 1e25;
    const struct {
        size_t at; // weight that is changed
        double number, rate, decay;
    } runs[] = {{0, 0, 1e6, 0},
                {0, 0, 1e4, 1e-4},
                {AF_OFFSET(weight.at.block[0].qkv_b[0]) / sizeof(af_real), huge, 0.003,
                 0.01}, // scores are huge, their softmax is a number
                {AF_OFFSET(weight.at.head_b[1]) / sizeof(af_real), -inf, 0.003, 0.01},
                {AF_OFFSET(weight.at.head_w[0][1]) / sizeof(af_real), inf, 0.003, 0.01},
                {AF_OFFSET(weight.at.block[0].qkv_b[AF_DIM]) / sizeof(af_real), -inf, 0.003, 0.01},
                {AF_OFFSET(weight.at.block[AF_BLOCKS - 1].qkv_b[2 * AF_DIM]) / sizeof(af_real), inf, 0.003, 0.01},
                {AF_OFFSET(weight.at.block[0].out_b[0]) / sizeof(af_real), -huge, 0.003, 0.01},
                {AF_OFFSET(weight.at.pos[AF_CONTEXT - 1][0]) / sizeof(af_real), (double)NAN, 0.003, 0.01},
                {AF_OFFSET(weight.at.lnf_g[0]) / sizeof(af_real), (double)NAN, 0.003, 0.01}};
    for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
        uint32_t first = 0;
        for (size_t k = 0; k < 6; k++) {
            const struct af_model *const m = k % 2 == 0 ? &plain : &tested;
            const enum slicing slicing = k < 2 ? WHOLE : k < 4 ? ONE_BY_ONE : UNEVEN;
            af_init_weights(&m->weight->at, m->work->init_stream, 1);
            if (runs[i].number != 0) {
                m->weight->flat[runs[i].at] = (af_real)runs[i].number;
            }
            const struct af_adamw with = {(af_real)runs[i].rate, (af_real)runs[i].decay};
            const uint32_t end = end_of_run(m, with, slicing, 8);
            first = k == 0 ? end : first;
            cr_assert_eq(end, first, "run %zu, way %zu", i, k);
            cr_assert(i < 3 || ended == AF_ERR_NOT_FINITE, "run %zu: %s", i, af_status_name(ended));
        }
    }
}

#endif

Test(train, a_step_may_be_abandoned_until_weights_change) {
    struct af_model m = model();
    struct af_numpy stream;
    start(&m, &stream);
    draw(&stream);
    const uint32_t untouched = hash_of(&m);
    cr_assert_eq(af_train_begin(&m, task.n_targets), AF_OK);
    cr_assert_eq(af_train_load(&m, task.sequence, 1), AF_OK);
    cr_assert_eq(af_train_slice(&m), AF_MORE);
    cr_assert_eq(af_train_abandon(&m), AF_OK);
    open_step(&m, &stream);
    cr_assert_eq(af_train_update(&m, how, NULL), AF_MORE);
    if (m.state->progress[0].phase == AF_TRAIN_CHECK) { // a model of one slice has been looked at
        cr_assert_eq(af_train_abandon(&m), AF_OK);
        cr_assert_eq(m.state->progress[0].phase, AF_TRAIN_IDLE);
        open_step(&m, &stream);
    }
    cr_assert_eq(hash_of(&m), untouched);
    m.state->progress[0].phase = AF_TRAIN_CHECK;
    cr_assert_eq(af_train_abandon(&m), AF_OK);
    m.state->progress[0].phase = AF_TRAIN_LOST;
    REFUSED(af_train_abandon(&m), AF_ERR_ORDER);
    REFUSED(af_train_begin(&m, 1), AF_ERR_ORDER);
    REFUSED(af_forward(&m, task.sequence, 1, AF_EVERY), AF_ERR_ORDER);
}

// promise: reset-makes-new
// What memory held before: a warm start looks like a run that goes on; a reset makes it the run of a new arena.
Test(train, a_warm_start_needs_a_reset) {
    struct af_model m = model();
    struct af_numpy stream;
    uint32_t hash[3];
    for (size_t run = 0; run < 3; run++) { // in a new arena; in a warm one without, and with a reset
        if (run == 2) {
            cr_assert_eq(af_train_reset(&m), AF_OK);
        }
        af_init_weights(&m.weight->at, m.work->init_stream, 1);
        af_numpy_seed(&stream, 0);
        step(&m, &stream, WHOLE, run == 1 ? 1 : 0);
        hash[run] = hash_of(&m);
    }
    cr_assert_neq(hash[1], hash[0]);
    cr_assert_eq(hash[2], hash[0]);
    // A step that does not go with its bias corrections is noticed.
    const struct af_progress kept = m.state->progress[0];
    m.state->progress[0].step = 0;
    REFUSED(af_train_begin(&m, 1), AF_ERR_DAMAGED);
    m.state->progress[0] = kept;
    m.state->progress[0].correction2 = AF_R(1.25);
    REFUSED(af_train_begin(&m, 1), AF_ERR_DAMAGED);
    m.state->progress[0].correction2 = (af_real)NAN;
    REFUSED(af_train_begin(&m, 1), AF_ERR_DAMAGED);
}

// ------------------------------------------------------------------------------------------------------ flipped bits

#if AF_N_PARAMS < 20000

#if defined(__SANITIZE_ADDRESS__)
#define HAS_POISON 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_POISON 1
#endif
#endif
#ifdef HAS_POISON
#include <sanitizer/asan_interface.h>
#define POISON(at, n) ASAN_POISON_MEMORY_REGION(at, n)
#else
#define POISON(at, n) ((void)(at), (void)(n))
#endif

enum { GUARD = 4096, N_OWNED = 7 }; // bytes before and behind each region

/// A region of the program's own between guards.
struct owned {
    uint8_t *at;
    uint8_t *kept; // its content at the boundary at hand
    size_t n;
};

static struct owned owned[N_OWNED];
static size_t n_owned;

static void *own(size_t n) {
    void *memory = NULL;
    cr_assert_eq(posix_memalign(&memory, 4096, 2 * GUARD + n), 0);
    memset(memory, 0xA5, 2 * GUARD + n);
    struct owned *const o = &owned[n_owned++];
    *o = (struct owned){(uint8_t *)memory + GUARD, malloc(n), n};
    cr_assert_not_null(o->kept);
    memset(o->at, 0, n);
    POISON(memory, GUARD);
    POISON(o->at + n, GUARD);
    return o->at;
}

static void look_at_guards(const char *what) {
#ifndef HAS_POISON
    for (size_t i = 0; i < n_owned; i++) {
        for (size_t k = 1; k <= GUARD; k++) {
            cr_assert(owned[i].at[-(ptrdiff_t)k] == 0xA5 && owned[i].at[owned[i].n + k - 1] == 0xA5, "%s: region %zu",
                      what, i);
        }
    }
#else
    (void)what;
#endif
}

static void keep(void) {
    for (size_t i = 0; i < n_owned; i++) {
        memcpy(owned[i].kept, owned[i].at, owned[i].n);
    }
}

static void restore(void) {
    for (size_t i = 0; i < n_owned; i++) {
        memcpy(owned[i].at, owned[i].kept, owned[i].n);
    }
}

static struct af_model owned_model(void) {
    struct af_model m = model();
    m.weight = own(sizeof(union af_plane));
    m.grad = own(sizeof(union af_plane));
    m.adam_m = own(sizeof(union af_plane));
    m.adam_v = own(sizeof(union af_plane));
    m.state = own(sizeof(struct af_state));
    m.work = own(sizeof(union af_work));
#if AF_PACKED
    m.packed = own(sizeof(struct af_packed));
#endif
    return m;
}

/// The next slice of a step: of the micro-batch at hand, then of the update.
static af_status next_slice(const struct af_model *m, bool is_update, af_real *loss) {
    return is_update ? af_train_update(m, how, loss) : af_train_slice(m);
}

/// Goes on with a step to its end or to an error.
static af_status go_on(const struct af_model *m, bool is_update) {
    const size_t most = AF_N_STAGES + 2 * ((size_t)AF_N_PARAMS / AF_UPDATE_SLICE + 2);
    af_status status = AF_MORE;
    af_real loss = -7;
    for (size_t i = 0; i <= most && status == AF_MORE; i++) {
        status = next_slice(m, is_update, &loss);
        if (status == AF_OK && !is_update) {
            is_update = true;
            status = AF_MORE;
        }
    }
    cr_assert(status != AF_MORE, "a step has no end");
    cr_assert(status == AF_OK ? af_finite(&loss, 1) && af_finite(m->weight->flat, AF_N_PARAMS) : loss < -6);
    return status;
}

static size_t n_flipped, n_noticed;

/// Flips every bit of n bytes, one after another, and goes on from the boundary that was kept.
static void flip_all(const struct af_model *m, void *bytes, size_t n, bool is_update, uint32_t before,
                     const char *what) {
    const uint16_t phase = m->state->progress[0].phase;
    for (size_t bit = 0; bit < 8 * n; bit++) {
        ((uint8_t *)bytes)[bit / 8] ^= (uint8_t)(1U << bit % 8);
        const bool is_phase = m->state->progress[0].phase != phase;
        const af_status status = go_on(m, is_update);
        look_at_guards(what);
        const bool is_named =
            status == AF_ERR_DAMAGED || status == AF_ERR_NOT_FINITE || status == AF_ERR_ORDER || status == AF_ERR_COUNT;
        cr_assert(status == AF_OK || is_named, "%s, bit %zu: %s", what, bit, af_status_name(status));
        cr_assert(!is_phase || status == AF_ERR_ORDER, "%s, bit %zu: %s", what, bit, af_status_name(status));
        if (status != AF_OK && m->state->progress[0].phase != AF_TRAIN_LOST && phase != AF_TRAIN_UPDATE) {
            cr_assert_eq(hash_of(m), before, "%s, bit %zu", what, bit);
        }
        if (status == AF_ERR_DAMAGED && phase == AF_TRAIN_UPDATE) {
            cr_assert_eq(m->state->progress[0].phase, AF_TRAIN_LOST, "%s, bit %zu", what, bit);
        }
        n_flipped++;
        n_noticed += status != AF_OK;
        restore();
    }
}

#define FLIP(array, n) flip_all(&m, array, (n) * sizeof((array)[0]), is_update, before, #array)

// promise: flipped-bits-stay-inside
Test(train, a_bit_flipped_between_slices_leads_nowhere_outside) {
    struct af_model m = owned_model();
    struct af_numpy stream;
    start(&m, &stream);
    step(&m, &stream, WHOLE, 0);
    draw(&stream);
    const size_t n_sequences = AF_MICRO_BATCH < 3 ? AF_MICRO_BATCH : 3;
    uint32_t n_targets = 0;
    for (size_t s = 0; s < n_sequences; s++) {
        uint32_t n = 0;
        cr_assert_eq(af_sequence_check(&task.sequence[s], &n), AF_OK);
        n_targets += n;
    }
    const uint32_t before = hash_of(&m);
    cr_assert_eq(af_train_begin(&m, n_targets), AF_OK);
    cr_assert_eq(af_train_load(&m, task.sequence, n_sequences), AF_OK);
    struct af_train *const t = &m.work->train;
    bool is_update = false;
    for (af_status status = AF_MORE; status == AF_MORE;) {
        keep();
        flip_all(&m, &m.state->progress[0], sizeof(m.state->progress[0]), is_update, before, "progress");
        if (!is_update) {
            FLIP(t->position, n_sequences * AF_CONTEXT);
            FLIP(t->query_row, n_sequences * AF_CONTEXT);
            FLIP(t->row_start, n_sequences + 1);
            FLIP(t->query_start, n_sequences + 1);
            FLIP(t->token, n_sequences * AF_CONTEXT);
            FLIP(t->target, n_sequences * AF_CONTEXT);
        }
        status = next_slice(&m, is_update, NULL);
        if (status == AF_OK && !is_update) {
            is_update = true;
            status = AF_MORE;
        }
    }
    cr_log_info("%zu of %zu flipped bits noticed", n_noticed, n_flipped);
    cr_assert(n_noticed > n_flipped / 4 && n_noticed < n_flipped);
    cr_assert_eq(m.state->progress[0].step, 2u);
}

#endif

Test(train, rate_and_decay_count_from_step_to_step) {
    struct af_model m = model();
    struct af_numpy stream;
    start(&m, &stream);
    draw(&stream);
    const uint32_t before = af_crc32c_reals(0, m.weight->flat, AF_N_PARAMS);
    const struct af_adamw still = {0, 1};
    cr_assert_eq(af_train_begin(&m, task.n_targets), AF_OK);
    cr_assert_eq(af_train_accumulate(&m, task.sequence, STEP_BATCH), AF_OK);
    cr_assert_eq(af_train_end(&m, still, NULL), AF_OK);
    cr_assert_eq(af_crc32c_reals(0, m.weight->flat, AF_N_PARAMS), before, "rate 0 moves nothing");
    step(&m, &stream, WHOLE, 1);
    cr_assert_neq(af_crc32c_reals(0, m.weight->flat, AF_N_PARAMS), before);
}

// -------------------------------------------------------------------------------------------------------- decoding

// promise: cache-same-bits
Test(decode, the_cache_gives_the_bits_of_the_whole_sequence) {
    struct af_model m = model();
    struct af_numpy stream;
    start(&m, &stream);
    for (size_t i = 0; i < 2; i++) {
        step(&m, &stream, WHOLE, i);
    }
    draw(&stream);
    static struct af_decode cache;
    af_pack_weights(&m);
    const struct af_reader reader = af_reader_of(&m);
    memset(&cache, 0xA5, sizeof(cache));
    for (size_t s = 0; s < STEP_BATCH; s++) {
        task.sequence[s].n = 1 + s % AF_CONTEXT;
        cr_assert_eq(af_forward(&m, &task.sequence[s], 1, AF_EVERY), AF_OK);
        af_decode_reset(&cache);
        for (size_t i = 0; i < task.sequence[s].n; i++) {
            cr_assert_eq(af_decode_push(&cache, &reader, task.token[s][i]), AF_OK);
            cr_assert_arr_eq(cache.logits, m.work->train.logits[i], sizeof(cache.logits));
            cr_assert_arr_eq(cache.x[0], m.work->train.x_out[i], sizeof(cache.x[0]));
        }
    }
}

// promise: unseen-changes-nothing
Test(decode, computing_only_what_the_loss_sees_gives_the_same_logits) {
    struct af_model m = model();
    struct af_numpy stream;
    start(&m, &stream);
    draw(&stream);
    static af_real every[AF_CONTEXT][AF_VOCAB];
    for (size_t s = 0; s < STEP_BATCH; s++) {
        cr_assert_eq(af_forward(&m, &task.sequence[s], 1, AF_EVERY), AF_OK);
        memcpy(every, m.work->train.logits, sizeof(every));
        cr_assert_eq(af_forward(&m, &task.sequence[s], 1, AF_VISIBLE), AF_OK);
        const struct af_train *const t = &m.work->train;
        for (size_t q = 0; q < t->query_start[1]; q++) {
            cr_assert_arr_eq(t->logits[q], every[t->query_row[q]], sizeof(every[0]));
        }
    }
}

// promise: loss-is-mean
Test(train, the_loss_is_the_mean_over_the_targets) {
    struct af_model m = model();
    struct af_numpy stream;
    start(&m, &stream);
    step(&m, &stream, WHOLE, 0); // what an earlier step summed up does not count
    draw(&stream);
    double sum = 0;
    for (size_t s = 0; s < STEP_BATCH; s++) {
        cr_assert_eq(af_forward(&m, &task.sequence[s], 1, AF_EVERY), AF_OK);
        for (size_t i = 0; i < task.sequence[s].n; i++) {
            const af_real *const logits = m.work->train.logits[i];
            double total = 0;
            for (size_t v = 0; v < AF_VOCAB && task.target[s][i] != AF_IGNORE; v++) {
                total += exp((double)logits[v] - (double)logits[task.target[s][i]]);
            }
            sum += total > 0 ? log(total) : 0;
        }
    }
    af_real loss = 0;
    cr_assert_eq(af_train_begin(&m, task.n_targets), AF_OK);
    cr_assert_eq(af_train_accumulate(&m, task.sequence, STEP_BATCH), AF_OK);
    cr_assert_eq(af_train_end(&m, how, &loss), AF_OK);
    cr_assert_lt(fabs((double)loss - sum / task.n_targets), 1e-4, "%g, not %g", (double)loss, sum / task.n_targets);
}

// promise: unseen-changes-nothing
// ------------------------------------------------------------------------------------------------- a loss of one's own

/// A step whose loss the test computes, micro-batch by micro-batch.
static void step_with(const struct af_model *m, af_real (*loss_of)(const struct af_logits *l), af_real *loss) {
    cr_assert_eq(af_train_begin(m, task.n_targets), AF_OK);
    for (size_t s = 0; s < STEP_BATCH; s += AF_MICRO_BATCH) {
        const size_t left = STEP_BATCH - s;
        struct af_logits l;
        uint32_t n_targets = 0;
        cr_assert_eq(af_train_load(m, &task.sequence[s], left < AF_MICRO_BATCH ? left : AF_MICRO_BATCH), AF_OK);
        cr_assert_eq(af_train_forward(m, &l), AF_OK);
        for (size_t q = 0; q < l.n; q++) {
            n_targets += l.target[q] != AF_IGNORE;
        }
        cr_assert_eq(af_train_take(m, loss_of(&l), n_targets), AF_MORE);
        af_status status = AF_MORE;
        while (status == AF_MORE) {
            status = af_train_slice(m);
        }
        cr_assert_eq(status, AF_OK);
    }
    cr_assert_eq(af_train_end(m, how, loss), AF_OK);
}

static af_real cross_entropy_of(const struct af_logits *l) {
    static af_real loss[AF_ROWS];
    af_real sum = 0;
    af_cross_entropy(l->d_logits, loss, l->logits, l->target, (af_real)1 / (af_real)task.n_targets, l->n);
    for (size_t q = 0; q < l->n; q++) {
        sum += loss[q];
    }
    return sum;
}

// promise: own-loss
Test(train, a_cross_entropy_of_the_program_gives_the_same_bits) {
    struct af_model m = model();
    struct af_numpy stream;
    uint32_t hash[2];
    for (size_t own = 0; own < 2; own++) {
        start(&m, &stream);
        for (size_t step = 0; step < 3; step++) {
            draw(&stream);
            if (own == 1) {
                step_with(&m, cross_entropy_of, NULL);
            } else {
                cr_assert_eq(af_train_begin(&m, task.n_targets), AF_OK);
                accumulate(&m, WHOLE, step);
                cr_assert_eq(af_train_end(&m, how, NULL), AF_OK);
            }
        }
        hash[own] = hash_of(&m);
    }
    cr_assert_eq(hash[0], hash[1]);
}

/// Mean squared error: each logit is to be 1 for the target, and 0 for every other token.
static af_real squared_error_of(const struct af_logits *l) {
    af_real sum = 0;
    for (size_t q = 0; q < l->n; q++) {
        for (size_t v = 0; v < AF_VOCAB; v++) {
            const af_real wanted = l->target[q] == v ? 1 : 0;
            const af_real error = l->target[q] == AF_IGNORE ? 0 : l->logits[q * AF_VOCAB + v] - wanted;
            l->d_logits[q * AF_VOCAB + v] = 2 * error / (af_real)task.n_targets;
            sum += error * error;
        }
    }
    return sum;
}

// promise: own-loss
Test(train, a_mean_squared_error_falls) {
    struct af_model m = model();
    struct af_numpy stream;
    af_real first = 0;
    af_real last = 0;
    start(&m, &stream);
    draw(&stream);
    step_with(&m, squared_error_of, &first);
    for (size_t step = 0; step < 30; step++) {
        step_with(&m, squared_error_of, &last);
    }
    cr_assert(first > 0 && last > 0 && last < first / 2, "%g to %g", (double)first, (double)last);
}

// promise: own-loss
Test(train, a_loss_of_the_program_is_refused_out_of_order) {
    struct af_model m = model();
    struct af_numpy stream;
    struct af_logits l;
    uint32_t n_targets = 0;
    start(&m, &stream);
    draw(&stream);
    if (AF_CONTEXT >= 3) { // a position between targets that has none
        static const af_token target[3] = {0, AF_IGNORE, 1};
        task.sequence[0] = (struct af_sequence){task.token[0], target, 3};
    }
    cr_assert_eq(af_sequence_check(task.sequence, &n_targets), AF_OK);
    REFUSED(af_train_forward(NULL, &l), AF_ERR_NULL);
    REFUSED(af_train_forward(&m, NULL), AF_ERR_NULL);
    REFUSED(af_train_take(NULL, 0, 0), AF_ERR_NULL);
    REFUSED(af_train_forward(&m, &l), AF_ERR_ORDER);
    REFUSED(af_train_take(&m, 0, 0), AF_ERR_ORDER);
    cr_assert_eq(af_train_begin(&m, n_targets + 1), AF_OK);
    REFUSED(af_train_forward(&m, &l), AF_ERR_ORDER);
    cr_assert_eq(af_train_load(&m, task.sequence, 1), AF_OK);
    REFUSED(af_train_take(&m, 0, n_targets), AF_ERR_ORDER);
    cr_assert_eq(af_train_slice(&m), AF_MORE); // the embedding: forward goes on behind it
    cr_assert_eq(af_train_forward(&m, &l), AF_OK);
    cr_assert_eq(af_train_forward(&m, &l), AF_OK);
    REFUSED(af_train_take(&m, 0, n_targets + 2), AF_ERR_COUNT);
    (void)squared_error_of(&l);
    cr_assert_eq(af_train_take(&m, 0, n_targets + 1), AF_MORE); // one more than the sequence says
    REFUSED(af_train_forward(&m, &l), AF_ERR_ORDER);
    REFUSED(af_train_take(&m, 0, 0), AF_ERR_ORDER);
    while (af_train_slice(&m) == AF_MORE) {
    }
    cr_assert_eq(af_train_end(&m, how, NULL), AF_OK);

    // What is not finite ends the step, and weights stay.
    const uint32_t hash = hash_of(&m);
    cr_assert_eq(af_train_begin(&m, n_targets), AF_OK);
    cr_assert_eq(af_train_load(&m, task.sequence, 1), AF_OK);
    cr_assert_eq(af_train_forward(&m, &l), AF_OK);
    cr_assert_eq(af_train_take(&m, (af_real)INFINITY, n_targets), AF_ERR_NOT_FINITE);
    REFUSED(af_train_slice(&m), AF_ERR_ORDER);

    // A target that has appeared since the sequence was loaded.
    cr_assert_eq(af_train_begin(&m, n_targets), AF_OK);
    cr_assert_eq(af_train_load(&m, task.sequence, 1), AF_OK);
    cr_assert_eq(af_train_forward(&m, &l), AF_OK);
    m.state->progress[0].n_taken = 0;
    cr_assert_eq(af_train_take(&m, 0, 0), n_targets == 0 ? AF_MORE : AF_ERR_DAMAGED);
    (void)af_train_abandon(&m);

    // A slice of forward that fails.
    cr_assert_eq(af_train_begin(&m, n_targets), AF_OK);
    cr_assert_eq(af_train_load(&m, task.sequence, 1), AF_OK);
    m.state->progress[0].n_sequences = AF_MICRO_BATCH + 1;
    cr_assert_eq(af_train_forward(&m, &l), AF_ERR_DAMAGED);
    cr_assert_eq(hash_of(&m), hash);
}

Test(train, without_targets_the_loss_sees_nothing) {
    struct af_model m = model();
    struct af_numpy stream;
    start(&m, &stream);
    draw(&stream);
    memset(task.target[0], AF_IGNORE, sizeof(task.target[0]));
    cr_assert_eq(af_forward(&m, &task.sequence[0], 1, AF_VISIBLE), AF_OK);
    cr_assert_eq(m.work->train.query_start[1], AF_PRUNED ? 0 : task.sequence[0].n);
    cr_assert_eq(m.work->train.row_start[1], AF_PRUNED ? 0 : task.sequence[0].n);
}

// promise: greedy-takes-likeliest
Test(decode, greedy_takes_the_most_likely_token_each_time) {
    struct af_model m = model();
    struct af_numpy stream;
    start(&m, &stream);
    draw(&stream);
    struct af_decode *decode = NULL;
    cr_assert_eq(af_decode_open(&m, &decode), AF_OK);
    const struct af_reader reader = af_reader_of(&m);
    af_token out[AF_CONTEXT];
    const size_t n_prompt = AF_CONTEXT / 2;
    const size_t n_out = AF_CONTEXT + 1 - n_prompt;
    cr_assert_eq(af_decode_greedy(out, decode, &reader, task.token[0], n_prompt, n_out), AF_OK);
    static struct af_decode again;
    af_decode_reset(&again);
    for (size_t i = 0; i < n_prompt + n_out - 1; i++) {
        const af_token token = i < n_prompt ? task.token[0][i] : out[i - n_prompt];
        cr_assert_eq(af_decode_push(&again, &reader, token), AF_OK);
        if (i + 1 >= n_prompt) {
            cr_assert_eq(out[i + 1 - n_prompt], af_argmax(again.logits, AF_VOCAB));
        }
    }
    cr_assert_eq(af_decode_push(&again, &reader, 0), AF_ERR_CONTEXT_FULL);
    // The plain loops read the weights as they are stored, packed or not.
    const struct af_reader plain = {&m.weight->at, NULL, NULL, NULL};
    af_decode_reset(&again);
    cr_assert_eq(af_decode_push(&again, &plain, task.token[0][0]), AF_OK);
}

// promise: weights-of-one-step
// Weights that are being trained: what a reader with their progress refuses, and from which weights it decodes.
Test(decode, weights_in_the_middle_of_an_update_are_refused) {
    struct af_model m = model();
    struct af_numpy stream;
    static struct af_decode d;
    af_token out[2] = {77, 77};
    start(&m, &stream);
    step(&m, &stream, WHOLE, 0);
    const struct af_reader reader = af_reader_of(&m);
    const bool is_packed = af_kernels_of(&reader)->needs_packed;
    af_decode_reset(&d);
    if (is_packed) { // packed weights are still those of before the step
        cr_assert_eq(af_decode_push(&d, &reader, 0), AF_ERR_ORDER);
        cr_assert_eq(af_decode_greedy(out, &d, &reader, task.token[0], 1, 1), AF_ERR_ORDER);
        const struct af_reader plain = {&m.weight->at, NULL, NULL,
                                        reader.progress}; // who does not need them does not care
        cr_assert_eq(af_decode_push(&d, &plain, 0), AF_OK);
        af_decode_reset(&d);
        af_pack_weights(&m);
    }
    cr_assert_eq(af_decode_push(&d, &reader, 0), AF_OK);
    // A step is open: decoding goes on, from the weights before it, until they change.
    af_real expected[AF_VOCAB];
    cr_assert_eq(af_decode_push(&d, &reader, 1), AF_OK);
    memcpy(expected, d.logits, sizeof(expected));
    open_step(&m, &stream);
    af_status status = AF_MORE;
    size_t n_refused = 0;
    for (size_t n_slices = 0; status == AF_MORE; n_slices++) {
        const bool is_old = m.state->progress[0].phase != AF_TRAIN_UPDATE;
        static struct af_decode other;
        af_decode_reset(&other);
        cr_assert_eq(af_decode_push(&other, &reader, 0), is_old ? AF_OK : AF_ERR_ORDER);
        cr_assert_eq(af_decode_push(&other, &reader, 1), is_old ? AF_OK : AF_ERR_ORDER);
        cr_assert_eq(af_decode_greedy(out, &other, &reader, task.token[0], 1, 0), is_old ? AF_OK : AF_ERR_ORDER);
        if (is_old) {
            af_decode_reset(&other);
            cr_assert_eq(af_decode_push(&other, &reader, 0), AF_OK);
            cr_assert_eq(af_decode_push(&other, &reader, 1), AF_OK);
            cr_assert_arr_eq(other.logits, expected, sizeof(expected));
        }
        n_refused += !is_old;
        status = af_train_update(&m, how, NULL);
    }
    cr_assert(status == AF_OK && n_refused > 0);
    // The step is done: the tokens in the memory are of other weights now.
    af_pack_weights(&m);
    static struct af_decode kept;
    memcpy(&kept, &d, sizeof(d));
    cr_assert_eq(af_decode_push(&d, &reader, 2), AF_ERR_ORDER);
    cr_assert_arr_eq(&kept, &d, sizeof(d));
    af_decode_reset(&d);
    cr_assert_eq(af_decode_push(&d, &reader, 2), AF_OK);
    // Another run of as many steps is another one, too.
    const uint32_t n_steps = m.state->progress[0].step;
    cr_assert_eq(af_train_reset(&m), AF_OK);
    m.state->progress[0].step = n_steps;
    af_pack_weights(&m);
    cr_assert_eq(af_decode_push(&d, &reader, 2), AF_ERR_ORDER);
    // Who says that nobody trains the weights is believed.
    struct af_reader trusting = reader;
    trusting.progress = NULL;
    cr_assert_eq(af_decode_push(&d, &trusting, 2), AF_OK);
    // In a phase that is none (one bit of any phase has flipped) or that lost the weights, nothing is decoded; in all
    // phases without changes it is.
    static const uint16_t whole[] = {AF_TRAIN_IDLE, AF_TRAIN_OPEN, AF_TRAIN_PASS, AF_TRAIN_CHECK};
    for (uint16_t phase = 0; phase < 40; phase++) {
        bool is_whole = false;
        for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++) {
            is_whole = is_whole || phase == whole[i];
        }
        m.state->progress[0].phase = phase;
        af_decode_reset(&d);
        cr_assert_eq(af_decode_push(&d, &reader, 0), is_whole ? AF_OK : AF_ERR_ORDER, "phase %u", phase);
        cr_assert_eq(af_decode_greedy(out, &d, &reader, task.token[0], 1, 0), is_whole ? AF_OK : AF_ERR_ORDER);
    }
    cr_assert(out[0] == 77 && out[1] == 77);
    struct af_model stateless = m;
    stateless.state = NULL;
    cr_assert_null(af_reader_of(&stateless).progress);
    af_pack_weights(&stateless);
}

// promise: logits-are-numbers
Test(decode, logits_show_what_is_wrong) {
    struct af_model m = model();
    struct af_numpy stream;
    struct af_decode *d = NULL;
    af_token out[2] = {77, 77};
    start(&m, &stream);
    m.weight->at.head_b[1] = (af_real)NAN;
    cr_assert_eq(af_decode_open(&m, &d), AF_OK);
    const struct af_reader reader = af_reader_of(&m);
    cr_assert_eq(af_decode_push(d, &reader, 0), AF_ERR_NOT_FINITE);
    cr_assert_eq(d->n_tokens[0], 0);
    cr_assert_eq(af_decode_greedy(out, d, &reader, task.token[0], 1, 2), AF_ERR_NOT_FINITE);
    cr_assert(out[0] == 77 && out[1] == 77);
}

// promise: bad-input-named, null-refused, failed-call-changes-nothing, no-index-before-check
Test(decode, mistakes_are_named_and_write_nothing) {
    struct af_model m = model();
    struct af_numpy stream;
    start(&m, &stream);
    struct af_decode *d = NULL;
    cr_assert_eq(af_decode_open(&m, &d), AF_OK);
    const struct af_reader reader = af_reader_of(&m);
    const struct af_reader *const w = &reader;
    const struct af_reader empty = {NULL, NULL, NULL, NULL};
    af_token out[AF_CONTEXT + 2];
    memset(out, 0x5A, sizeof(out));
    const af_token prompt[2] = {0, AF_VOCAB};
    REFUSED(af_decode_push(d, w, AF_VOCAB), AF_ERR_TOKEN);
    REFUSED(af_decode_push(NULL, w, 0), AF_ERR_NULL);
    REFUSED(af_decode_push(d, NULL, 0), AF_ERR_NULL);
    if (reader.kernels != NULL && reader.kernels->needs_packed) {
        const struct af_reader unpacked = {reader.weight, NULL, reader.kernels, NULL};
        REFUSED(af_decode_push(d, &unpacked, 0), AF_ERR_NULL);
        REFUSED(af_decode_greedy(out, d, &unpacked, prompt, 1, 1), AF_ERR_NULL);
    }
    REFUSED(af_decode_greedy(out, d, w, prompt, 2, 1), AF_ERR_TOKEN);
    REFUSED(af_decode_greedy(out, d, w, prompt, 0, 1), AF_ERR_LENGTH);
    REFUSED(af_decode_greedy(out, d, w, prompt, 1, AF_CONTEXT + 1), AF_ERR_CONTEXT_FULL);
    REFUSED(af_decode_greedy(out, d, w, prompt, AF_CONTEXT + 1, 0), AF_ERR_CONTEXT_FULL);
    REFUSED(af_decode_greedy(out, d, w, prompt, 1, SIZE_MAX), AF_ERR_CONTEXT_FULL);
    REFUSED(af_decode_greedy(NULL, d, w, prompt, 1, 1), AF_ERR_NULL);
    REFUSED(af_decode_greedy(out, d, &empty, prompt, 1, 1), AF_ERR_NULL);
    REFUSED(af_decode_push(d, &empty, 0), AF_ERR_NULL);
    REFUSED(af_decode_greedy(out, NULL, w, prompt, 1, 1), AF_ERR_NULL);
    REFUSED(af_decode_greedy(out, d, NULL, prompt, 1, 1), AF_ERR_NULL);
    REFUSED(af_decode_greedy(out, d, w, NULL, 1, 1), AF_ERR_NULL);
    for (size_t i = 0; i < sizeof(out); i++) {
        cr_assert_eq(((uint8_t *)out)[i], 0x5A);
    }
    cr_assert_eq(af_decode_greedy(out, d, w, prompt, 1, 0), AF_OK);
    cr_assert_eq(af_decode_greedy(NULL, d, w, prompt, 1, 0), AF_OK);
    cr_assert_null(af_layer_of(w, (enum af_layer_name)99, 0).w);
}

// ------------------------------------------------------------------------------------------------------ small things

// promise: status-named
Test(status, every_code_has_a_name_and_a_sentence) {
#define ROW(name, value, text)                                                                                         \
    cr_assert_eq((int)(name), (value));                                                                                \
    cr_assert_str_eq(af_status_name(name), #name);                                                                     \
    cr_assert_str_eq(af_status_text(name), text);
    AF_STATUS_LIST(ROW)
#undef ROW
    cr_assert_str_eq(af_status_name((af_status)99), "?");
    cr_assert_str_eq(af_status_text((af_status)99), "unknown status");
}

/// The values of the codes as they were when each came in. A new code adds a row; none of these ever changes.
// promise: status-values-stay
Test(status, values_do_not_change) {
    static const struct {
        int value;
        const char *name;
    } committed[] = {{0, "AF_OK"},
                     {1, "AF_MORE"},
                     {-1, "AF_ERR_NULL"},
                     {-2, "AF_ERR_TOKEN"},
                     {-3, "AF_ERR_TARGET"},
                     {-4, "AF_ERR_LENGTH"},
                     {-5, "AF_ERR_COUNT"},
                     {-6, "AF_ERR_ORDER"},
                     {-7, "AF_ERR_RANGE"},
                     {-8, "AF_ERR_NOT_FINITE"},
                     {-9, "AF_ERR_CONTEXT_FULL"},
                     {-10, "AF_ERR_NO_CACHE"},
                     {-20, "AF_ERR_FLUSH_TO_ZERO"},
                     {-21, "AF_ERR_SUBNORMAL_INPUT"},
                     {-22, "AF_ERR_ROUND_UP"},
                     {-23, "AF_ERR_ROUND_DOWN"},
                     {-24, "AF_ERR_ROUND_TO_ZERO"},
                     {-25, "AF_ERR_CONTRACTED"},
                     {-26, "AF_ERR_EXCESS_PRECISION"},
                     {-27, "AF_ERR_DIVISION"},
                     {-28, "AF_ERR_SQUARE_ROOT"},
                     {-29, "AF_ERR_SUM_ORDER"},
                     {-30, "AF_ERR_KERNEL"},
                     {-31, "AF_ERR_ROUND_TIES"},
                     {-32, "AF_ERR_FAST_MATH"},
                     {-40, "AF_ERR_STORAGE"},
                     {-41, "AF_ERR_STORAGE_SIZE"},
                     {-42, "AF_ERR_NO_CHECKPOINT"},
                     {-43, "AF_ERR_CHECKPOINT_VERSION"},
                     {-44, "AF_ERR_CHECKPOINT_CONFIG"},
                     {-45, "AF_ERR_CHECKPOINT_CONTENT"},
                     {-46, "AF_ERR_CHECKPOINT_TWINS"},
                     {-47, "AF_ERR_CHECKPOINT_LOST"},
                     {-50, "AF_ERR_DAMAGED"}};
    for (size_t i = 0; i < sizeof(committed) / sizeof(committed[0]); i++) {
        cr_assert_str_eq(af_status_name((af_status)committed[i].value), committed[i].name);
    }
}

// promise: crc-known
Test(crc, known_answers) {
    cr_assert_eq(af_crc32c(0, "123456789", 9), 0xE3069283u);
    cr_assert_eq(af_crc32c(af_crc32c(0, "1234", 4), "56789", 5), 0xE3069283u);
    cr_assert_eq(af_crc32c(0, "", 0), 0u);
    const uint8_t zeros[32] = {0};
    cr_assert_eq(af_crc32c(0, zeros, 32), 0x8A9136AAu); // RFC 3720, appendix B.4
    const af_real one = 1;
    const uint8_t pattern[8] = {0, 0, 0x80, 0x3F, 0, 0, 0xF0, 0x3F}; // 1.0f; with 0 0 before the last two: 1.0
    cr_assert_eq(af_crc32c_reals(0, &one, 1),
                 AF_REAL_IS_DOUBLE ? af_crc32c(af_crc32c(0, zeros, 6), &pattern[6], 2) : af_crc32c(0, pattern, 4));
}

// promise: finite-sees-all
Test(crc, finite_sees_every_number_that_is_not) {
    af_real x[5] = {0, (af_real)-0.0, 1, -1, AF_REAL_IS_DOUBLE ? (af_real)1e308 : (af_real)3e38};
    cr_assert(af_finite(x, 5));
    cr_assert(af_finite(x, 0));
    const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    for (size_t k = 0; k < 3; k++) {
        for (size_t i = 0; i < 5; i++) {
            const af_real kept = x[i];
            x[i] = (af_real)bad[k];
            cr_assert_not(af_finite(x, 5));
            x[i] = kept;
        }
    }
}

Test(config, the_digest_is_of_this_configuration) {
    cr_assert_eq(af_config_digest(), af_config_digest());
    cr_assert_neq(af_config_digest(), 0u);
#ifdef GOLDEN_DIGEST
    cr_assert_eq(af_config_digest(), GOLDEN_DIGEST, "0x%08x", af_config_digest());
#endif
}

// -------------------------------------------------------------------------------------------------------- self-tests

Test(selftest, this_machine_passes) {
    cr_assert_eq(af_selftest(), AF_OK, "%s", af_status_text(af_selftest()));
    struct af_torch scratch;
    cr_assert_eq(af_selftest_streams(&scratch), AF_OK);
    cr_assert_eq(af_selftest_streams(NULL), AF_ERR_NULL);
}

/// All regions but the workspace, byte for byte.
static uint32_t others_of(const struct af_model *m) {
    uint32_t crc = af_crc32c(0, m->weight, sizeof(*m->weight));
    crc = af_crc32c(crc, m->grad, sizeof(*m->grad));
    crc = af_crc32c(crc, m->adam_m, sizeof(*m->adam_m));
    crc = af_crc32c(crc, m->adam_v, sizeof(*m->adam_v));
#if AF_PACKED
    crc = af_crc32c(crc, m->packed, sizeof(*m->packed));
#endif
    return af_crc32c(crc, m->state, sizeof(*m->state));
}

Test(selftest, a_model_passes_whatever_is_in_its_regions_and_only_its_workspace_changes) {
    struct af_model m = model();
    memset(&af_arena, 0xFF, sizeof(af_arena)); // every number is a NaN
    cr_assert_eq(af_train_reset(&m), AF_OK);
    const uint32_t before = others_of(&m);
    cr_assert_eq(af_selftest_model(&m), AF_OK);
    m.kernels = NULL;
    m.runner = NULL;
    cr_assert_eq(af_selftest_model(&m), AF_OK);
    cr_assert_eq(others_of(&m), before);
}

/// What the operations of a table write. Of one of them, one bit of the last number is wrong.
enum output {
    Y,
    NORM,
    MEAN,
    RSTD,
    HEADS,
    WEIGHTS,
    GELU,
    D_X,
    D_X_ADDED,
    D_W,
    D_B,
    D_NORM,
    D_GAIN,
    D_BIAS,
    D_Q,
    D_KV,
    D_GELU,
    P,
    M,
    V,
    N_OUTPUTS
};
static enum output spoilt;
static const struct af_kernels *real;

static void spoil(enum output output, af_real *x, size_t n) {
    if (output == spoilt) {
        x[n - 1] = af_real_of(af_bits_of(x[n - 1]) ^ 1U);
    }
}

static void spoilt_linear(af_real *y, const af_real *x, const struct af_layer *layer, size_t n) {
    real->linear_forward(y, x, layer, n);
    spoil(Y, y, n * layer->n_out);
}

static void spoilt_norm(af_real *y, af_real *mean, af_real *rstd, const af_real *x, const af_real *g, const af_real *b,
                        size_t n) {
    real->layernorm_forward(y, mean, rstd, x, g, b, n);
    spoil(NORM, y, n * AF_DIM);
    spoil(MEAN, mean, n);
    spoil(RSTD, rstd, n);
}

static void spoilt_attention(af_real *heads, af_real *att, af_real *scratch, const af_real *q, const af_real *kv,
                             size_t first, size_t n, size_t n_keys) {
    real->attention_forward(heads, att, scratch, q, kv, first, n, n_keys);
    spoil(HEADS, heads, n * AF_DIM);
    spoil(WEIGHTS, att, n * AF_HEADS * AF_CONTEXT);
}

static void spoilt_gelu(af_real *y, af_real *cdf, const af_real *x, size_t n) {
    real->gelu_forward(y, cdf, x, n);
    spoil(GELU, y, n);
}

static void spoilt_linear_x(af_real *d_x, const af_real *d_y, const struct af_layer *layer, size_t n, bool adds) {
    real->linear_backward_x(d_x, d_y, layer, n, adds);
    spoil(adds ? D_X_ADDED : D_X, d_x, n * layer->n_in);
}

static void spoilt_linear_w(af_real *d_w, af_real *d_b, const af_real *d_y, const af_real *x, size_t n, size_t n_in,
                            size_t n_out, size_t from, size_t n_part) {
    real->linear_backward_w(d_w, d_b, d_y, x, n, n_in, n_out, from, n_part);
    spoil(D_W, d_w, n_in * n_out);
    spoil(D_B, d_b, n_out);
}

static void spoilt_norm_x(af_real *d_x, const af_real *d_y, const af_real *x, const af_real *mean, const af_real *rstd,
                          const af_real *g, size_t n) {
    real->layernorm_backward_x(d_x, d_y, x, mean, rstd, g, n);
    spoil(D_NORM, d_x, n * AF_DIM);
}

static void spoilt_norm_w(af_real *d_g, af_real *d_b, const af_real *d_y, const af_real *x, const af_real *mean,
                          const af_real *rstd, size_t n) {
    real->layernorm_backward_w(d_g, d_b, d_y, x, mean, rstd, n);
    spoil(D_GAIN, d_g, AF_DIM);
    spoil(D_BIAS, d_b, AF_DIM);
}

static void spoilt_attention_back(af_real *d_q, af_real *d_kv, af_real *scratch, const af_real *d_heads,
                                  const af_real *att, const af_real *q, const af_real *kv, size_t first, size_t n,
                                  size_t n_keys) {
    real->attention_backward(d_q, d_kv, scratch, d_heads, att, q, kv, first, n, n_keys);
    spoil(D_Q, d_q, n * AF_DIM);
    spoil(D_KV, d_kv, n_keys * 2 * AF_DIM);
}

static void spoilt_gelu_back(af_real *d_x, const af_real *d_y, const af_real *x, const af_real *cdf, size_t n) {
    real->gelu_backward(d_x, d_y, x, cdf, n);
    spoil(D_GELU, d_x, n);
}

static void spoilt_adamw(af_real *p, af_real *m, af_real *v, const af_real *d, struct af_adamw rates, af_real c1,
                         af_real c2, size_t n) {
    real->adamw_update(p, m, v, d, rates, c1, c2, n);
    spoil(P, p, n);
    spoil(M, m, n);
    spoil(V, v, n);
}

static af_status contracted(void) {
    return AF_ERR_CONTRACTED;
}

/// The table under test, through functions that spoil.
static struct af_kernels spoilt_table(const struct af_model *m) {
    real = m->kernels != NULL ? m->kernels : &af_kernels_plain;
    struct af_kernels table = *real;
    table.linear_forward = spoilt_linear;
    table.layernorm_forward = spoilt_norm;
    table.attention_forward = spoilt_attention;
    table.gelu_forward = spoilt_gelu;
    table.linear_backward_x = spoilt_linear_x;
    table.linear_backward_w = spoilt_linear_w;
    table.layernorm_backward_x = spoilt_norm_x;
    table.layernorm_backward_w = spoilt_norm_w;
    table.attention_backward = spoilt_attention_back;
    table.gelu_backward = spoilt_gelu_back;
    table.adamw_update = spoilt_adamw;
    return table;
}

Test(selftest, every_number_that_a_table_writes_is_looked_at) {
    struct af_model m = model();
    struct af_kernels table = spoilt_table(&m);
    m.kernels = &table;
    cr_assert_eq(af_train_reset(&m), AF_OK);
    for (spoilt = 0; spoilt < N_OUTPUTS; spoilt++) {
        cr_assert_eq(af_selftest_model(&m), AF_ERR_KERNEL, "output %d", (int)spoilt);
    }
    cr_assert_eq(af_selftest_model(&m), AF_OK);
    table.liberties = contracted;
    cr_assert_eq(af_selftest_model(&m), AF_ERR_CONTRACTED);
}

/// A runner that makes a mistake, of that many kinds.
enum mistake { NONE, LEAVES_OUT, TWICE, NO_SUCH_WORKER, N_MISTAKES };

static void run_wrongly(void *context, af_piece *piece, void *work, size_t n_pieces) {
    const enum mistake mistake = *(const enum mistake *)context;
    for (size_t i = mistake == LEAVES_OUT ? 1 : 0; i < n_pieces; i++) {
        piece(work, i, mistake == NO_SUCH_WORKER ? AF_WORKERS : 0);
    }
    if (mistake == TWICE) {
        piece(work, n_pieces - 1, 0);
    }
}

Test(selftest, a_models_mistakes_are_named) {
    enum mistake mistake = NONE;
    struct af_runner runner = {run_wrongly, &mistake, 1};
    struct af_model m = model();
    cr_assert_eq(af_train_reset(&m), AF_OK);
    cr_assert_eq(af_selftest_model(NULL), AF_ERR_NULL);
    struct af_model without = m;
    without.work = NULL;
    cr_assert_eq(af_selftest_model(&without), AF_ERR_NULL);
    without = m;
    without.state = NULL;
    cr_assert_eq(af_selftest_model(&without), AF_ERR_NULL);
    cr_assert_eq(af_train_begin(&m, 1), AF_OK);
    cr_assert_eq(af_selftest_model(&m), AF_ERR_ORDER);
    cr_assert_eq(af_train_abandon(&m), AF_OK);

    m.runner = &runner;
    cr_assert_eq(af_selftest_model(&m), AF_OK);
    for (mistake = LEAVES_OUT; mistake < N_MISTAKES; mistake++) {
        cr_assert_eq(af_selftest_model(&m), AF_ERR_RUNNER, "mistake %d", (int)mistake);
    }
    mistake = NONE;
    runner.n_workers = 0;
    cr_assert_eq(af_selftest_model(&m), AF_ERR_RANGE);
    runner.n_workers = AF_WORKERS + 1;
    cr_assert_eq(af_selftest_model(&m), AF_ERR_RANGE);
    runner.n_workers = 1;
    runner.run = NULL;
    cr_assert_eq(af_selftest_model(&m), AF_ERR_RANGE);
}

// --------------------------------------------------------------------------------- floating-point modes that are wrong

/// Wrong modes of a thread: rounding, and where the processor has it, what becomes of subnormal numbers.
enum wrong_mode { UP, FLUSH, N_MODES };

static af_status wrong_mode_set(enum wrong_mode mode) {
#ifdef __SSE2__
    if (mode == FLUSH) {
        __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8000U);
        return AF_ERR_FLUSH_TO_ZERO;
    }
#endif
    (void)mode;
    (void)fesetround(FE_UPWARD);
    return AF_ERR_ROUND_UP;
}

static void right_mode_set(void) {
#ifdef __SSE2__
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() & ~0x8000U);
#endif
    (void)fesetround(FE_TONEAREST);
}

/// A runner whose worker has a wrong mode in one call, for the last piece.
struct bad_worker {
    size_t bad_call;
    size_t n_calls;
    enum wrong_mode mode;
};

static void run_badly(void *context, af_piece *piece, void *work, size_t n_pieces) {
    struct bad_worker *bad = context;
    for (size_t i = 0; i < n_pieces; i++) {
        if (bad->n_calls == bad->bad_call && i + 1 == n_pieces) {
            (void)wrong_mode_set(bad->mode);
        }
        piece(work, i, 0);
    }
    right_mode_set();
    bad->n_calls++;
}

/// Weights as at the start, and moments that are subnormal: where they are flushed, other numbers come out.
static uint32_t start_subnormal(const struct af_model *m) {
    struct af_numpy stream;
    start(m, &stream);
    draw(&stream);
    for (size_t i = 0; i < AF_N_PARAMS; i++) {
        m->adam_m->flat[i] = AF_TINY / 8;
    }
    return hash_of(m);
}

/// A step of a few sequences.
static af_status few(const struct af_model *m) {
    const size_t n = AF_MICRO_BATCH > 8 && STEP_BATCH > 8 ? 9 : 1;
    uint32_t n_targets = 0;
    for (size_t s = 0; s < n; s++) {
        uint32_t count = 0;
        cr_assert_eq(af_sequence_check(&task.sequence[s], &count), AF_OK);
        n_targets += count;
    }
    af_status status = af_train_begin(m, n_targets);
    if (status == AF_OK) {
        status = af_train_accumulate(m, task.sequence, n);
    }
    return status == AF_OK ? af_train_end(m, how, NULL) : status;
}

Test(mode, a_workers_wrong_mode_is_named_wherever_its_pieces_run) {
    struct af_model m = model();
    size_t n_named = 0;
    m.runner = NULL;
    (void)start_subnormal(&m);
    cr_assert_eq(few(&m), AF_OK);
    const uint32_t right = hash_of(&m);
    for (enum wrong_mode mode = UP; mode < N_MODES; mode++) {
        struct bad_worker bad = {0, 0, mode};
        const struct af_runner runner = {run_badly, &bad, 1};
        const af_status expected = wrong_mode_set(mode);
        right_mode_set();
        for (;; bad.bad_call++) {
            const uint32_t before = start_subnormal(&m);
            bad.n_calls = 0;
            m.runner = &runner;
            const af_status status = few(&m);
            m.runner = NULL;
            if (bad.n_calls <= bad.bad_call) { // the step has no such call
                cr_assert_eq(status, AF_OK);
                cr_assert_eq(hash_of(&m), right);
                break;
            }
            cr_assert_eq(status, expected, "call %zu: %s", bad.bad_call, af_status_name(status));
            n_named++;
            if (m.state->progress[0].phase == AF_TRAIN_LOST) {
                cr_assert_eq(bad.n_calls, bad.bad_call + 1);
                cr_assert_eq(af_train_begin(&m, 1), AF_ERR_ORDER);
            } else {
                cr_assert_eq(hash_of(&m), before, "call %zu", bad.bad_call);
                (void)af_train_abandon(&m); // begin leaves no step open, and what fails later closes it
            }
        }
    }
    cr_assert_gt(n_named, 0U);
}

/// Forward, then decoding, by a runner.
static af_status look(const struct af_model *m) {
    struct af_decode *decode = NULL;
    const size_t n = AF_MICRO_BATCH > 8 && STEP_BATCH > 8 ? 9 : 1;
    const af_status status = af_forward(m, task.sequence, n, AF_EVERY);
    return status == AF_OK ? af_decode_open(m, &decode) : status;
}

Test(mode, a_workers_wrong_mode_is_named_by_forward_and_decoding) {
    struct bad_worker bad = {0, 0, UP};
    const struct af_runner runner = {run_badly, &bad, 1};
    struct af_model m = model();
    m.runner = &runner;
    (void)start_subnormal(&m);
    af_status status = AF_OK;
    do {
        bad.n_calls = 0;
        status = look(&m);
        cr_assert_eq(status, bad.n_calls <= bad.bad_call ? AF_OK : AF_ERR_ROUND_UP);
        bad.bad_call++;
    } while (status != AF_OK);
}

Test(mode, this_threads_wrong_mode_is_named_in_every_call) {
    struct af_model m = model();
    struct af_decode *decode = NULL;
    const uint32_t before = start_subnormal(&m);
    uint32_t n_targets = 0;
    cr_assert_eq(af_sequence_check(task.sequence, &n_targets), AF_OK);
    (void)wrong_mode_set(UP);
    const af_status weights = af_init_weights(&m.weight->at, m.work->init_stream, 2);
    const af_status open = af_decode_open(&m, &decode);
    const af_status forward = af_forward(&m, task.sequence, 1, AF_EVERY);
    const af_status begin = af_train_begin(&m, n_targets);
    right_mode_set();
    cr_assert_null(decode);
    cr_assert_eq(af_decode_open(&m, &decode), AF_OK);
    const struct af_reader reader = af_reader_of(&m);
    af_token out = 0;
    (void)wrong_mode_set(UP);
    const af_status push = af_decode_push(decode, &reader, 0);
    const af_status greedy = af_decode_greedy(&out, decode, &reader, task.token[0], 1, 1);
    right_mode_set();
    cr_assert_eq(push, AF_CAN_CACHE ? AF_ERR_ROUND_UP : AF_ERR_NO_CACHE);
    cr_assert_eq(greedy, AF_ERR_ROUND_UP);
    cr_assert_eq(decode->n_tokens[0], 0U);
    cr_assert_eq(weights, AF_ERR_ROUND_UP);
    cr_assert_eq(open, AF_ERR_ROUND_UP);
    cr_assert_eq(forward, AF_ERR_ROUND_UP);
    cr_assert_eq(begin, AF_ERR_ROUND_UP);
    cr_assert_eq(hash_of(&m), before);

    // On the way to the logits of a program with a loss of its own.
    struct af_logits l;
    cr_assert_eq(af_train_begin(&m, n_targets), AF_OK);
    cr_assert_eq(af_train_load(&m, task.sequence, 1), AF_OK);
    (void)wrong_mode_set(UP);
    const af_status logits = af_train_forward(&m, &l);
    right_mode_set();
    cr_assert_eq(logits, AF_ERR_ROUND_UP);

    // In the n-th slice of a pass: it ends the step, and nothing has changed.
    for (size_t n = 0; n < AF_N_STAGES; n++) {
        cr_assert_eq(af_train_begin(&m, n_targets), AF_OK);
        cr_assert_eq(af_train_load(&m, task.sequence, 1), AF_OK);
        for (size_t i = 0; i < n; i++) {
            cr_assert_eq(af_train_slice(&m), AF_MORE);
        }
        (void)wrong_mode_set(UP);
        const af_status slice = af_train_slice(&m);
        right_mode_set();
        cr_assert_eq(slice, AF_ERR_ROUND_UP);
        cr_assert_eq(af_train_slice(&m), AF_ERR_ORDER);
        cr_assert_eq(hash_of(&m), before);
    }
}

Test(mode, an_update_waits_for_the_right_mode) {
    struct af_model m = model();
    uint32_t hash[2];
    for (size_t disturbed = 0; disturbed < 2; disturbed++) {
        (void)start_subnormal(&m);
        uint32_t n_targets = 0;
        cr_assert_eq(af_sequence_check(task.sequence, &n_targets), AF_OK);
        cr_assert_eq(af_train_begin(&m, n_targets), AF_OK);
        cr_assert_eq(af_train_accumulate(&m, task.sequence, 1), AF_OK);
        af_status status = AF_MORE;
        while (status == AF_MORE) {
            if (disturbed == 1) {
                (void)wrong_mode_set(FLUSH);
                const af_status refused = af_train_update(&m, how, NULL);
                right_mode_set();
                cr_assert_lt(refused, AF_OK);
            }
            status = af_train_update(&m, how, NULL);
        }
        cr_assert_eq(status, AF_OK);
        hash[disturbed] = hash_of(&m);
    }
    cr_assert_eq(hash[0], hash[1]);
}
