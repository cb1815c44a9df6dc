// SPDX-License-Identifier: MIT
// A step of a recurrent network, its gradient, and the product of Jacobians along a sequence.
#include "functions.h"
#include "inner.h"
#include "layers.h"

/// Row i of a matrix [..][n] times x.
static af_real dot(const af_real *const matrix, const size_t i, const af_real *const x, const size_t n) {
    af_real sum = 0;
    for (size_t k = 0; k < n; k++) {
        sum += matrix[i * n + k] * x[k];
    }
    return sum;
}

void n7_rnn_forward(af_real *const h_out, const af_real *const h, const af_real *const x, const af_real *const w,
                    const af_real *const u, const size_t d, const size_t d_x) {
    for (size_t i = 0; i < d; i++) {
        h_out[i] = n7_tanh(dot(w, i, h, d) + dot(u, i, x, d_x));
    }
}

/// The derivative of tanh where its value is h.
static af_real slope(const af_real h) {
    return AF_R(1) - h * h;
}

void n7_rnn_backward(af_real *const d_h, af_real *const d_in, af_real *const d_w, af_real *const d_u,
                     const af_real *const d_h_out, const af_real *const h_out, const af_real *const h,
                     const af_real *const x, const af_real *const w, const af_real *const u, const size_t d,
                     const size_t d_x) {
    for (size_t i = 0; i < d; i++) {
        const af_real d_sum = d_h_out[i] * slope(h_out[i]);
        for (size_t k = 0; k < d; k++) {
            d_h[k] += d_sum * w[i * d + k];
            d_w[i * d + k] += d_sum * h[k];
        }
        for (size_t k = 0; k < d_x; k++) {
            d_in[k] += d_sum * u[i * d_x + k];
            d_u[i * d_x + k] += d_sum * x[k];
        }
    }
}

void n7_rnn_jacobian(af_real *const j_out, const af_real *const j, const af_real *const h_out, const af_real *const w,
                     const size_t d) {
    for (size_t i = 0; i < d; i++) {
        for (size_t c = 0; c < d; c++) {
            af_real sum = 0;
            for (size_t k = 0; k < d; k++) {
                sum += slope(h_out[i]) * w[i * d + k] * j[k * d + c];
            }
            j_out[i * d + c] = sum;
        }
    }
}

af_status n7_liberties_rnn(const volatile af_real *const v) {
    return af_liberties(v);
}
