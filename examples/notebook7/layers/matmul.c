// SPDX-License-Identifier: MIT
// Product with a matrix of weights [input][output], and its gradients.
#include "inner.h"
#include "layers.h"

void n7_matmul_forward(af_real *const y, const af_real *const x, const af_real *const w, const size_t n,
                       const size_t n_in, const size_t n_out) {
    for (size_t r = 0; r < n; r++) {
        for (size_t o = 0; o < n_out; o++) {
            af_real sum = 0;
            for (size_t k = 0; k < n_in; k++) {
                sum += x[r * n_in + k] * w[k * n_out + o];
            }
            y[r * n_out + o] = sum;
        }
    }
}

void n7_matmul_backward_x(af_real *const d_x, const af_real *const d_y, const af_real *const w, const size_t n,
                          const size_t n_in, const size_t n_out) {
    for (size_t r = 0; r < n; r++) {
        for (size_t k = 0; k < n_in; k++) {
            for (size_t o = 0; o < n_out; o++) {
                d_x[r * n_in + k] += d_y[r * n_out + o] * w[k * n_out + o];
            }
        }
    }
}

void n7_matmul_backward_w(af_real *const d_w, const af_real *const d_y, const af_real *const x, const size_t n,
                          const size_t n_in, const size_t n_out) {
    for (size_t r = 0; r < n; r++) {
        for (size_t k = 0; k < n_in; k++) {
            for (size_t o = 0; o < n_out; o++) {
                d_w[k * n_out + o] += x[r * n_in + k] * d_y[r * n_out + o];
            }
        }
    }
}

af_status n7_liberties_matmul(const volatile af_real *const v) {
    return af_liberties(v);
}
