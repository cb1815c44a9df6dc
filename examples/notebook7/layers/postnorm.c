// SPDX-License-Identifier: MIT
// A post-norm transformer block, and its gradient.
#include "inner.h"
#include "layers.h"

/// y[r] += b, for n rows of d.
static void add_bias(af_real *const y, const af_real *const b, const size_t n, const size_t d) {
    for (size_t i = 0; i < n * d; i++) {
        y[i] += b[i % d];
    }
}

/// y = norm(x + branch), or norm(branch).
static void add_and_norm(af_real *const y, af_real *const spread, const af_real *const x, const af_real *const branch,
                         const bool has_residual, const size_t n, const size_t d) {
    for (size_t i = 0; i < n * d; i++) {
        y[i] = has_residual ? x[i] + branch[i] : branch[i];
    }
    n7_norm_forward(y, spread, y, n, d);
}

void n7_postnorm_forward(af_real *const y, const struct n7_postnorm_saved *const saved,
                         const struct n7_postnorm *const w, const af_real *const x, const uint8_t *const mask,
                         const size_t n) {
    const size_t d = w->attention.d;
    n7_multihead_forward(saved->mh, &saved->attention, &w->attention, x, mask, n);
    add_and_norm(saved->norm1, saved->spread1, x, saved->mh, w->has_residual, n, d);
    n7_matmul_forward(saved->hidden, saved->norm1, w->w1, n, d, w->d_ff);
    add_bias(saved->hidden, w->b1, n, w->d_ff);
    n7_relu_forward(saved->hidden, saved->hidden, n * w->d_ff);
    n7_matmul_forward(saved->ffn, saved->hidden, w->w2, n, w->d_ff, d);
    add_bias(saved->ffn, w->b2, n, d);
    add_and_norm(y, saved->spread2, saved->norm1, saved->ffn, w->has_residual, n, d);
}

/// d_b += d_y[r], row after row.
static void add_rows(af_real *const d_b, const af_real *const d_y, const size_t n, const size_t d) {
    for (size_t i = 0; i < n * d; i++) {
        d_b[i % d] += d_y[i];
    }
}

/// to = from where there is a residual connection, else 0.
static void through_residual(af_real *const to, const af_real *const from, const bool has_residual, const size_t n) {
    for (size_t i = 0; i < n; i++) {
        to[i] = has_residual ? from[i] : AF_R(0);
    }
}

void n7_postnorm_backward(af_real *const d_x, const struct n7_postnorm_grad *const grad, const af_real *const d_y,
                          const af_real *const y, const struct n7_postnorm_saved *const saved,
                          const struct n7_postnorm *const w, const af_real *const x, const size_t n) {
    const size_t d = w->attention.d;
    af_real *const d_sum = grad->scratch; // of what a norm reads
    af_real *const d_norm1 = &d_sum[n * d];
    af_real *const d_hidden = &d_norm1[n * d];
    n7_clear(d_sum, n * d);
    n7_norm_backward(d_sum, d_y, y, saved->spread2, n, d);

    through_residual(d_norm1, d_sum, w->has_residual, n * d);
    add_rows(grad->b2, d_sum, n, d);
    n7_matmul_backward_w(grad->w2, d_sum, saved->hidden, n, w->d_ff, d);
    n7_clear(d_hidden, n * w->d_ff);
    n7_matmul_backward_x(d_hidden, d_sum, w->w2, n, w->d_ff, d);
    n7_relu_backward(d_hidden, d_hidden, saved->hidden, n * w->d_ff);
    add_rows(grad->b1, d_hidden, n, w->d_ff);
    n7_matmul_backward_w(grad->w1, d_hidden, saved->norm1, n, d, w->d_ff);
    n7_matmul_backward_x(d_norm1, d_hidden, w->w1, n, d, w->d_ff);

    n7_clear(d_sum, n * d);
    n7_norm_backward(d_sum, d_norm1, saved->norm1, saved->spread1, n, d);
    for (size_t i = 0; i < n * d && w->has_residual; i++) {
        d_x[i] += d_sum[i];
    }
    n7_multihead_backward(d_x, &grad->attention, d_sum, &saved->attention, &w->attention, x, n);
}

af_status n7_liberties_postnorm(const volatile af_real *const v) {
    return af_liberties(v);
}
