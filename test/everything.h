// SPDX-License-Identifier: MIT
/// One number for all that lib/ computes: training, decoding, every random stream; and all that the operations of
/// notebook 7 do. And the self-tests as one. For programs that are built in many ways, on the host and for boards.
#ifndef EVERYTHING_H
#define EVERYTHING_H

#include "af.h"
#include "layers/layers.h"

#define EVERY_STEP     (AF_DIM < 64 ? 30 : 1)
#define EVERY_SEQUENCE (AF_DIM < 64 ? 4 : 2)

static af_token every_token[EVERY_SEQUENCE][AF_CONTEXT];
static af_token every_target[EVERY_SEQUENCE][AF_CONTEXT];
static struct af_sequence every_sequence[EVERY_SEQUENCE];

/// Sequences of all lengths, the later half of each with targets. Returns the number of targets.
static inline uint32_t every_draw(struct af_numpy *const stream) {
    uint32_t n_targets = 0;
    for (size_t s = 0; s < EVERY_SEQUENCE; s++) {
        const uint32_t n = af_numpy_integer(stream, 3, AF_CONTEXT + 1);
        for (uint32_t i = 0; i < n; i++) {
            every_token[s][i] = (af_token)af_numpy_integer(stream, 0, AF_VOCAB);
            every_target[s][i] = i < n / 2 ? AF_IGNORE : (af_token)((every_token[s][i] + 1U) % AF_VOCAB);
            n_targets += i < n / 2 ? 0U : 1U;
        }
        every_sequence[s].token = every_token[s];
        every_sequence[s].target = every_target[s];
        every_sequence[s].n = n;
    }
    return n_targets;
}

/// Losses, gradients, weights and moments. 0: a call failed. First moments begin with numbers that are subnormal soon.
static inline uint32_t every_training(const struct af_model *const m) {
    static const struct af_adamw how = AF_ADAMW_CHAPTER;
    struct af_numpy stream;
    uint32_t crc = 0;
    if (af_init_weights(&m->weight->at, m->work->init_stream, 1) != AF_OK || af_train_reset(m) != AF_OK) {
        return 0;
    }
    for (size_t i = 0; i < AF_N_PARAMS; i += 7) {
        m->adam_m->flat[i] = AF_TINY * AF_R(1.5);
    }
    af_numpy_seed(&stream, 0);
    for (size_t step = 0; step < EVERY_STEP; step++) {
        af_real loss = 0;
        const uint32_t n_targets = every_draw(&stream);
        if (af_train_begin(m, n_targets) != AF_OK || af_train_accumulate(m, every_sequence, EVERY_SEQUENCE) != AF_OK) {
            return 0;
        }
        crc = af_crc32c_reals(crc, m->grad->flat, AF_N_PARAMS);
        if (af_train_end(m, how, &loss) != AF_OK) {
            return 0;
        }
        crc = af_crc32c_reals(crc, &loss, 1);
    }
    crc = af_crc32c_reals(crc, m->weight->flat, AF_N_PARAMS);
    crc = af_crc32c_reals(crc, m->adam_m->flat, AF_N_PARAMS);
    return af_crc32c_reals(crc, m->adam_v->flat, AF_N_PARAMS);
}

/// Logits of a sequence, token by token, and of a prompt with its continuation. 0: a call failed.
static inline uint32_t every_decoding(uint32_t crc, const struct af_model *const m) {
    struct af_decode *decode = NULL;
    af_token out = 0;
    if (crc == 0 || af_decode_open(m, &decode) != AF_OK) {
        return 0;
    }
    const struct af_reader reader = af_reader_of(m);
    for (size_t i = 0; i < every_sequence[0].n && AF_CAN_CACHE; i++) {
        if (af_decode_push(decode, &reader, every_token[0][i]) != AF_OK) {
            return 0;
        }
        crc = af_crc32c_reals(crc, decode->logits, AF_VOCAB);
    }
    if (af_decode_greedy(&out, decode, &reader, every_token[0], every_sequence[0].n, 1) != AF_OK) {
        return 0;
    }
    crc = af_crc32c_reals(crc, decode->logits, AF_VOCAB);
    if (af_forward(m, every_sequence, 1, AF_EVERY) != AF_OK) {
        return 0;
    }
    return af_crc32c_reals(crc, m->work->train.logits[0], every_sequence[0].n * AF_VOCAB);
}

// ------------------------------------------------------------------------------------------------ notebook 7's operations

enum {
    EVERY_N = 5,
    EVERY_D = 6,
    EVERY_HEADS = 2,
    EVERY_FF = 7,
    EVERY_SAVED = 305,
    EVERY_WEIGHTS = 4 * 36 + 2 * 42 + 13
};

/// Normal numbers for the next n of an array.
static inline void every_fill(af_real *const x, const size_t n, struct af_numpy *const stream) {
    for (size_t i = 0; i < n; i++) {
        x[i] = (af_real)af_numpy_normal(stream, 0, 1);
    }
}

/// A post-norm block, which has matrix products, heads, ReLU and norms in it, forward and backward.
static inline uint32_t every_block(const uint32_t crc, struct af_numpy *const stream) {
    enum { N = EVERY_N, D = EVERY_D, FF = EVERY_FF, H = EVERY_HEADS };
    static af_real w[EVERY_WEIGHTS];
    static af_real d_w[EVERY_WEIGHTS];
    static af_real saved[EVERY_SAVED];
    static af_real scratch[2][EVERY_SAVED];
    af_real x[N * D];
    af_real y[N * D];
    af_real d_x[N * D];
    every_fill(w, EVERY_WEIGHTS, stream);
    every_fill(d_w, EVERY_WEIGHTS, stream);
    every_fill(x, N * D, stream);
    every_fill(d_x, N * D, stream);
    const struct n7_postnorm block = {
        {w, &w[108], H, D}, &w[144], &w[144 + D * FF], &w[144 + D * FF + FF], &w[144 + 2 * D * FF + FF], FF, true};
    const struct n7_postnorm_saved s = {
        {saved, &saved[90], &saved[140]}, &saved[170], &saved[200], &saved[230], &saved[235], &saved[270], &saved[300]};
    const struct n7_postnorm_grad g = {{d_w, &d_w[108], scratch[0]}, &d_w[144],
                                       &d_w[144 + D * FF],           &d_w[144 + D * FF + FF],
                                       &d_w[144 + 2 * D * FF + FF],  scratch[1]};
    n7_postnorm_forward(y, &s, &block, x, NULL, N);
    n7_postnorm_backward(d_x, &g, x, y, &s, &block, x, N);
    uint32_t sum = af_crc32c_reals(crc, y, N * D);
    sum = af_crc32c_reals(sum, d_x, N * D);
    return af_crc32c_reals(sum, d_w, EVERY_WEIGHTS);
}

/// Positions and the recurrent network.
static inline uint32_t every_rest(const uint32_t crc, struct af_numpy *const stream) {
    enum { N = EVERY_N, D = EVERY_D };
    af_real a[9][D * D];
    af_real omega[D / 2];
    n7_position_omega(omega, D);
    n7_position_forward(a[0], omega, N, D);
    n7_position_rotation(a[1], omega, 3, D);
    uint32_t sum = af_crc32c_reals(crc, a[0], N * D);
    sum = af_crc32c_reals(sum, a[1], D * D);
    for (size_t i = 0; i < 9; i++) {
        every_fill(a[i], D * D, stream);
    }
    for (size_t i = 0; i < D * D; i++) {
        a[2][i] = a[2][i] * AF_R(0.25); // the values of tanh are to be apart from 1
        a[3][i] = a[3][i] * AF_R(0.25);
    }
    n7_rnn_forward(a[0], a[1], a[4], a[2], a[3], D, D);
    n7_rnn_backward(a[5], a[6], a[7], a[8], &a[1][D], a[0], a[1], a[4], a[2], a[3], D, D);
    for (size_t i = 0; i < 9; i++) {
        sum = af_crc32c_reals(sum, a[i], i == 0 ? D : D * D);
    }
    n7_rnn_jacobian(a[5], a[6], a[0], a[2], D);
    return af_crc32c_reals(sum, a[5], D * D);
}

// ------------------------------------------------------------------------------------------------------ random streams

static inline uint32_t every_double(uint32_t crc, const double x) {
    const uint64_t whole = (uint64_t)(x < 0 ? -x : x);
    const double fraction = (x < 0 ? -x : x) - (double)whole;
    const uint64_t bits = (uint64_t)(fraction * 9007199254740992.0 * 4.0); // of numbers above 2^-3 all of them
    for (size_t i = 0; i < 8; i++) {
        const uint8_t byte[2] = {(uint8_t)(bits >> 8 * i), (uint8_t)((uint8_t)whole + (x < 0 ? 128U : 0U))};
        crc = af_crc32c(crc, byte, 2);
    }
    return crc;
}

static inline uint32_t every_stream(uint32_t crc, struct af_torch *const torch) {
    static af_real x[200];
    struct af_numpy stream;
    uint16_t permutation[100];
    af_numpy_seed(&stream, 5);
    for (size_t i = 0; i < 20000; i++) { // five of the tail, 300 of the edges of layers
        crc = every_double(crc, af_numpy_normal(&stream, 0.1, 1.7));
    }
    for (size_t i = 0; i < 100; i++) {
        crc = every_double(crc, af_numpy_double(&stream));
        crc = every_double(crc, (double)af_numpy_integer(&stream, 7, 1U << 31));
        crc = every_double(crc, (double)af_numpy_u32(&stream));
    }
    af_numpy_permutation(&stream, permutation, 100);
    for (size_t i = 0; i < 100; i++) {
        crc = every_double(crc, (double)permutation[i]);
    }
    af_torch_seed(torch, 3);
    for (size_t i = 0; i < 50; i++) {
        (void)af_torch_normal(torch, x, 200 - i);
        crc = af_crc32c_reals(crc, x, 200 - i);
        af_torch_uniform(torch, x, 200, i + 1);
        crc = af_crc32c_reals(crc, x, 200);
    }
    return every_double(crc, (double)af_torch_u32(torch));
}

/// All of it, by a model's kernels and runner. 0: a call failed.
static inline uint32_t everything(const struct af_model *const model) {
    struct af_numpy stream;
    uint32_t crc = every_training(model);
    crc = every_decoding(crc, model);
    if (crc == 0) {
        return 0;
    }
    af_numpy_seed(&stream, 2);
    crc = every_block(crc, &stream);
    crc = every_rest(crc, &stream);
    return every_stream(crc, model->work->init_stream);
}

/// The self-tests, one after another. What is not AF_OK is returned.
static inline af_status every_selftest(const struct af_model *const model) {
    (void)af_train_reset(model); // the model is whole: this cannot fail
    af_status status = af_selftest();
    if (status == AF_OK) {
        status = af_selftest_model(model);
    }
    if (status == AF_OK) {
        status = n7_selftest();
    }
    return status == AF_OK ? af_selftest_streams(model->work->init_stream) : status;
}

#endif
