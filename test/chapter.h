// SPDX-License-Identifier: MIT
/// What several tests share: comparing numbers, and the data of the chapter "Attention and the transformer block".
#ifndef CHAPTER_H
#define CHAPTER_H

#include "af.h"

#include <math.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

// ------------------------------------------------------------------------------------------------ comparing numbers

/// The bound of the build at hand.
#define BOUND(float_bound, double_bound) (AF_REAL_IS_DOUBLE ? (double_bound) : (float_bound))

/// The larger one; NaN if one of them is NaN, so that a bound that is held against it fails.
static inline double larger(double a, double b) {
    return a >= b || isnan(a) ? a : b;
}

static inline double norm_of(const af_real *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += (double)x[i] * (double)x[i];
    }
    return sqrt(sum);
}

/// Norm of (x - expected) relative to the norm of expected. 0 if both are 0 throughout; infinite or NaN where
/// nothing was expected but something came.
static inline double error_of(const af_real *x, const double *expected, size_t n) {
    double difference = 0;
    double size = 0;
    for (size_t i = 0; i < n; i++) {
        difference += ((double)x[i] - expected[i]) * ((double)x[i] - expected[i]);
        size += expected[i] * expected[i];
    }
    return difference == 0 ? 0 : sqrt(difference / size);
}

/// Numbers given as the bits of floats; in the double build, too, they are the numbers of these floats.
static inline void reals_of_bits(af_real *out, const uint32_t *bits, size_t n) {
    for (size_t i = 0; i < n; i++) {
        float x;
        memcpy(&x, &bits[i], sizeof(x));
        out[i] = (af_real)x;
    }
}

/// Whether x and y have the same bytes.
static inline bool same_bits(const af_real *x, const af_real *y, size_t n) {
    return memcmp(x, y, n * sizeof(af_real)) == 0;
}

/// n numbers that are uniform in [-1, 1).
static inline void fill_uniform(af_real *out, size_t n, struct af_numpy *stream) {
    for (size_t i = 0; i < n; i++) {
        out[i] = (af_real)(2 * af_numpy_double(stream) - 1);
    }
}

// ------------------------------------------------------------------------------------------------ the chapter's data

#if AF_TRAINING && AF_VOCAB == 12 && AF_CONTEXT == 25

enum { CHAPTER_BATCH = 64, CHAPTER_SEPARATOR = 10, CHAPTER_PAD = 11, CHAPTER_LETTERS = 8 };

/// The examples of one step. `sequence` points into the other two: do not copy it.
struct chapter_batch {
    af_token token[CHAPTER_BATCH][AF_CONTEXT];
    af_token target[CHAPTER_BATCH][AF_CONTEXT];
    struct af_sequence sequence[CHAPTER_BATCH]; // string, separator, reversed string
    uint32_t n_targets;
};

/// The next step's examples: L = integers(3, 9), then L letters by integers(0, 10). What comes after a position is
/// its target from the separator on, ignored before it. Behind the last letter tokens are padding, targets are ignored.
static inline void chapter_draw(struct chapter_batch *batch, struct af_numpy *stream) {
    batch->n_targets = 0;
    for (size_t s = 0; s < CHAPTER_BATCH; s++) {
        af_token *const token = batch->token[s];
        af_token *const target = batch->target[s];
        memset(token, CHAPTER_PAD, sizeof(batch->token[s]));
        for (size_t i = 0; i < AF_CONTEXT; i++) {
            target[i] = AF_IGNORE;
        }
        const size_t n = af_numpy_integer(stream, 3, CHAPTER_LETTERS + 1);
        for (size_t i = 0; i < n; i++) {
            token[i] = (af_token)af_numpy_integer(stream, 0, 10);
        }
        token[n] = CHAPTER_SEPARATOR;
        for (size_t i = 0; i < n; i++) {
            token[n + 1 + i] = token[n - 1 - i];
            target[n + i] = token[n - 1 - i];
        }
        batch->sequence[s] = (struct af_sequence){token, target, 2 * n + 1};
        batch->n_targets += (uint32_t)n;
    }
}

/// Begins the chapter's run on the default arena: initial weights of seed 1, no training yet, data of seed 0.
static inline struct af_model chapter_start(struct af_numpy *stream) {
    const struct af_model model = af_model_of(&af_arena);
    af_init_weights(&model.weight->at, model.work->init_stream, 1);
    (void)af_train_reset(&model);
    af_numpy_seed(stream, 0);
    return model;
}

#endif
#endif
