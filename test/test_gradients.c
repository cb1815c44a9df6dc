// SPDX-License-Identifier: MIT
// The gradient of every parameter against central differences of the loss: no other library is asked, only the
// definition of a gradient. For a small configuration in double, where every number can be moved:
//     gcc ... -DAF_REAL=double -DAF_VOCAB=7 -DAF_CONTEXT=6 -DAF_DIM=8 -DAF_HEADS=2 -DAF_FF=16 -DAF_BLOCKS=2
#include "af.h"
#include "chapter.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

#if !AF_REAL_IS_DOUBLE
#error "Differences of losses need double: build test_gradients.c with -DAF_REAL=double."
#elif AF_VOCAB < 7 || AF_CONTEXT < 6
#error "The sequences of test_gradients.c have up to 6 tokens out of 7."
#elif AF_DIM * AF_FF > 4096
#error "Every parameter is moved twice: build test_gradients.c with a small AF_DIM and AF_FF."
#endif

// ------------------------------------------------------------------------------------------------------- the loss

#define X AF_IGNORE

/// Tokens and targets; targets are ignored at the start, in the middle, at the end, everywhere and nowhere. More
/// sequences than a micro-batch of 8 takes.
static const struct {
    size_t n;
    af_token token[6], target[6];
} example[] = {
    {6, {0, 1, 2, 3, 4, 5}, {X, X, X, 2, 1, 0}}, // as in the chapter: from the middle on
    {6, {3, 3, 6, 0, 2, 2}, {1, X, 4, X, X, 5}}, // some in between
    {6, {5, 4, 5, 4, 5, 4}, {6, 2, X, X, X, X}}, // only at the start
    {6, {6, 0, 0, 6, 1, 1}, {0, 1, 2, 3, 4, 5}}, // all
    {5, {2, 6, 1, 0, 5}, {X, X, X, X, X}},       // none: the loss does not see this sequence
    {1, {4}, {4}},                               // a single token
    {4, {1, 2, 3, 1}, {X, 0, X, X}},             // one target
    {3, {0, 5, 6}, {X, X, 6}},                   // the last one
    {6, {1, 1, 1, 1, 1, 1}, {X, 3, X, 3, X, X}}, // equal tokens, told apart by their positions
    {2, {6, 2}, {2, X}},
};

#undef X

static struct af_sequence sequence[COUNT(example)];
static uint32_t n_targets;
static struct af_model model;

/// Runs the step's forward and backward and returns the mean loss; gradients are in model.grad. No update.
static double loss(void) {
    cr_assert_eq(af_train_begin(&model, n_targets), AF_OK);
    cr_assert_eq(af_train_accumulate(&model, sequence, COUNT(sequence)), AF_OK);
    cr_assert_eq(model.state->progress[0].n_taken, n_targets);
    const double mean = (double)model.state->progress[0].loss_sum / (double)n_targets;
    cr_assert_eq(af_train_abandon(&model), AF_OK);
    return mean;
}

/// Weights at which no term of a gradient vanishes: those of seed 1, with gains and biases of layer norms moved away
/// from 1 and 0, too.
static void start(void) {
    model = af_model_of(&af_arena);
    af_init_weights(&model.weight->at, model.work->init_stream, 1);
    cr_assert_eq(af_train_reset(&model), AF_OK);
    struct af_numpy stream;
    af_numpy_seed(&stream, 9);
    for (size_t i = 0; i < AF_N_PARAMS; i++) {
        model.weight->flat[i] += 0.4 * af_numpy_double(&stream) - 0.2;
    }
    n_targets = 0;
    for (size_t s = 0; s < COUNT(sequence); s++) {
        sequence[s] = (struct af_sequence){example[s].token, example[s].target, example[s].n};
        uint32_t count = 0;
        cr_assert_eq(af_sequence_check(&sequence[s], &count), AF_OK);
        n_targets += count;
    }
}

// ------------------------------------------------------------------------------------------------ the differences

/// Step of the differences. A rounding of the loss counts as 1e-16 / STEP = 1e-12, terms of order STEP^4 as 1e-16.
#define STEP 1e-4

/// Largest error of a tensor's gradient, relative to its norm; measured are 3e-9 at most. A single term left out shows
/// as 1e-3 and more.
#define ERROR_BOUND 1e-7

/// Where the gradient is 0 in mathematics: largest norms of what the library has and of the differences.
#define ZERO_GRADIENT    1e-15
#define ZERO_DIFFERENCES 1e-10

/// Two central differences, with STEP and half of it, combined so that the terms of order STEP^2 cancel.
static double difference(af_real *weight) {
    const af_real kept = *weight;
    double slope[2];
    for (int k = 0; k < 2; k++) {
        const double step = k == 0 ? STEP : STEP / 2;
        *weight = kept + step;
        const double above = loss();
        *weight = kept - step;
        slope[k] = (above - loss()) / (2 * step);
    }
    *weight = kept;
    return (4 * slope[1] - slope[0]) / 3;
}

/// Compares n gradients from number `first` of the plane on. `is_zero`: they are 0 in mathematics.
static void compare(const char *name, size_t first, size_t n, bool is_zero) {
    static af_real gradient[AF_N_PARAMS];
    loss();
    memcpy(gradient, &model.grad->flat[first], n * sizeof(af_real));
    double error = 0;
    double size = 0;
    for (size_t i = 0; i < n; i++) {
        const double slope = difference(&model.weight->flat[first + i]);
        error += (slope - gradient[i]) * (slope - gradient[i]);
        size += slope * slope;
    }
    error = sqrt(error);
    size = sqrt(size);
    if (is_zero) {
        const double norm = norm_of(gradient, n);
        printf("    %-28s norm %9.1e of the gradient, %9.1e of the differences: 0\n", name, norm, size);
        cr_expect(norm <= ZERO_GRADIENT && size <= ZERO_DIFFERENCES, "%s", name);
    } else {
        printf("    %-28s norm %9.2e   error %8.1e\n", name, size, error / size);
        cr_expect(size > 1e-6 && error <= ERROR_BOUND * size, "%s: error %.2e of %.2e", name, error, size);
    }
    fflush(stdout);
}

/// Every number of every tensor. The bias of query, key and value is looked at in its three parts: the key bias adds
/// one and the same number to all scores of a query, which the softmax does not see, so its gradient is 0. (A softmax
/// over queries does not see what the query bias adds to all scores of a key.) What the library has there is rounding,
/// and an error relative to its norm would say nothing: it is compared absolutely.
// promise: gradients-right
Test(gradients, central_differences) {
    start();
    size_t n_compared = 0;
    for (size_t i = 0; i < af_map_count(&af_map); i++) {
        const struct af_tensor t = af_map_tensor(&af_map, i);
        if (t.region != AF_REGION_weight || t.type != AF_TYPE_REAL) {
            continue;
        }
        const size_t first = (t.offset - AF_OFFSET(weight)) / sizeof(af_real);
        if (strstr(t.torch, "attn.qkv.bias") != NULL) {
            static const char *const part[] = {"query", "key", "value"};
            for (size_t k = 0; k < 3; k++) {
                char name[64];
                snprintf(name, sizeof(name), "%s: %s", t.torch, part[k]);
                compare(name, first + k * AF_DIM, AF_DIM, k == (AF_SOFTMAX_QUERIES ? 0 : 1));
            }
        } else {
            compare(t.torch, first, t.n_elements, false);
        }
        n_compared += t.n_elements;
    }
    cr_assert_eq(n_compared, AF_N_PARAMS, "the map has every parameter once");
}

/// What the loss cannot see has a gradient of exactly 0: positions behind the last target of every sequence, unless
/// they have a part in the rows before them.
Test(gradients, unseen_positions_have_none) {
    start();
    n_targets = 0;
    for (size_t s = 0; s < COUNT(sequence); s++) {
        static af_token target[COUNT(example)][6];
        memcpy(target[s], example[s].target, sizeof(target[s]));
        for (size_t i = 3; i < 6; i++) {
            target[s][i] = AF_IGNORE;
        }
        sequence[s].target = target[s];
        uint32_t count = 0;
        cr_assert_eq(af_sequence_check(&sequence[s], &count), AF_OK);
        n_targets += count;
    }
    loss();
    for (size_t i = 0; i < AF_DIM; i++) {
        cr_assert(model.grad->at.pos[2][i] != 0);
        for (size_t p = 3; p < AF_CONTEXT; p++) {
            cr_assert_eq(model.grad->at.pos[p][i] == 0, AF_CAN_CACHE || p >= 6);
        }
    }
}

/// Sequences without targets at all change neither loss nor gradient, wherever they stand.
Test(gradients, sequences_without_targets_change_nothing) {
    start();
    const double with = loss();
    static af_real gradient[AF_N_PARAMS];
    memcpy(gradient, model.grad->flat, sizeof(gradient));
    cr_assert_eq(af_train_begin(&model, n_targets), AF_OK);
    for (size_t s = 0; s < COUNT(sequence); s++) {
        if (s != 4) {
            cr_assert_eq(af_train_accumulate(&model, &sequence[s], 1), AF_OK);
        }
    }
    cr_assert(with == (double)model.state->progress[0].loss_sum / (double)n_targets);
    cr_assert_eq(af_train_abandon(&model), AF_OK);
    cr_assert(same_bits(gradient, model.grad->flat, AF_N_PARAMS));
}
