// SPDX-License-Identifier: MIT
// The training step: any slicing and any grouping give the same bits, mistakes are named and change nothing, two
// instances do not disturb each other; decoding with the cache equals computing the whole sequence.
#include "af.h"
#include "chapter.h"

#include <criterion/criterion.h>
#include <math.h>
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
    const struct af_reader wrong = {(const struct af_weights *)misaligned(weight), reader.packed, reader.kernels};
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
    const struct af_reader plain = {&m.weight->at, NULL, NULL};
    af_decode_reset(&again);
    cr_assert_eq(af_decode_push(&again, &plain, task.token[0][0]), AF_OK);
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
    const struct af_reader empty = {NULL, NULL, NULL};
    af_token out[AF_CONTEXT + 2];
    memset(out, 0x5A, sizeof(out));
    const af_token prompt[2] = {0, AF_VOCAB};
    REFUSED(af_decode_push(d, w, AF_VOCAB), AF_ERR_TOKEN);
    REFUSED(af_decode_push(NULL, w, 0), AF_ERR_NULL);
    REFUSED(af_decode_push(d, NULL, 0), AF_ERR_NULL);
    if (reader.kernels != NULL && reader.kernels->needs_packed) {
        const struct af_reader unpacked = {reader.weight, NULL, reader.kernels};
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

Test(selftest, this_machine_passes) {
    cr_assert_eq(af_selftest(), AF_OK, "%s", af_status_text(af_selftest()));
}
