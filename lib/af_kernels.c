// SPDX-License-Identifier: MIT
// The table of the plain loops, how pieces are run, and panels of packed weights.
#define AF_FILE_kernels 0, AF_OWN
#include "af_check.h"
#include "af_inner_kernels.h"
#include "af_kernels.h"

static void linear_forward(af_real *const y, const af_real *const x, const struct af_layer *const l, const size_t n) {
    af_linear_forward(y, x, l->w, l->b, n, l->n_in, l->n_out);
}

// The plain loops use neither `scratch` nor `cdf`; the signature has them for the tiles.
// NOLINTBEGIN(readability-non-const-parameter)
static void attention_forward(af_real *const heads, af_real *const att, af_real *const scratch, const af_real *const q,
                              const af_real *const kv, const size_t first, const size_t n, const size_t n_keys) {
    (void)scratch;
    af_attention_forward(heads, att, q, kv, first, n, n_keys);
}

static void gelu_forward(af_real *const y, af_real *const cdf, const af_real *const x, const size_t n) {
    (void)cdf;
    af_gelu_forward(y, x, n);
}

// NOLINTEND(readability-non-const-parameter)

#if AF_TRAINING
static void gelu_backward(af_real *const d_x, const af_real *const d_y, const af_real *const x,
                          const af_real *const cdf, const size_t n) {
    (void)cdf;
    af_gelu_backward(d_x, d_y, x, n);
}

static void linear_backward_x(af_real *const d_x, const af_real *const d_y, const struct af_layer *const l,
                              const size_t n, const bool adds) {
    for (size_t i = 0; !adds && i < n * l->n_in; i++) {
        d_x[i] = 0;
    }
    af_linear_backward_x(d_x, d_y, l->w, n, l->n_in, l->n_out);
}
#endif

const struct af_kernels af_kernels_plain = {
    .name = "plain",
    .needs_packed = false,
    .linear_forward = linear_forward,
    .layernorm_forward = af_layernorm_forward,
    .attention_forward = attention_forward,
    .gelu_forward = gelu_forward,
#if AF_TRAINING
    .linear_backward_x = linear_backward_x,
    .linear_backward_w = af_linear_backward_w,
    .layernorm_backward_x = af_layernorm_backward_x,
    .layernorm_backward_w = af_layernorm_backward_w,
    .attention_backward = af_attention_backward,
    .gelu_backward = gelu_backward,
    .adamw_update = af_adamw_update,
#endif
    .liberties = NULL, // its files answer to af_selftest()
};

/// The current pieces, and for each worker the last wrong mode found.
struct watched {
    af_piece *piece;
    void *work;
    af_status mode[AF_WORKERS];
};

static void watched_piece(void *const work, const size_t piece, const size_t worker) {
    struct watched *const w = (struct watched *)work;
    const af_status mode = af_float_check();
    if (mode != AF_OK) {
        w->mode[worker] = mode;
        return;
    }
    w->piece(w->work, piece, worker);
}

/// Runs pieces by a runner, and keeps the mode of each worker.
AF_OWN_FRAME static af_status run_by(const struct af_runner *const runner, af_piece *const piece, void *const work,
                                     const size_t n_pieces) {
    struct watched watched = {piece, work, {AF_OK}};
    af_status mode = AF_OK;
    runner->run(runner->context, watched_piece, &watched, n_pieces);
    for (size_t worker = 0; worker < AF_WORKERS && mode == AF_OK; worker++) {
        mode = watched.mode[worker];
    }
    return mode;
}

af_status af_run(const struct af_runner *const runner, af_piece *const piece, void *const work, const size_t n_pieces) {
    if (runner != NULL && n_pieces > 1) {
        return run_by(runner, piece, work, n_pieces);
    }
    const af_status mode = af_float_check();
    for (size_t i = 0; i < n_pieces && mode == AF_OK; i++) {
        piece(work, i, 0);
    }
    return mode;
}

void af_pack(af_real *const packed, const af_real *const w, const size_t row, const size_t column,
             const size_t n_columns, const size_t n_sum) {
    for (size_t p = 0; p * AF_LANES < n_columns; p++) {
        af_real *const panel = &packed[p * AF_LANES * n_sum];
        for (size_t s = 0; s < n_sum; s++) {
            for (size_t lane = 0; lane < AF_LANES; lane++) {
                const size_t c = p * AF_LANES + lane;
                panel[s * AF_LANES + lane] = c < n_columns ? w[c * row + s * column] : AF_R(0);
            }
        }
    }
}

#include "af_inner_export.h"
