// SPDX-License-Identifier: MIT
// Linear layer, and its gradients.
#define AF_FILE_linear 0, AF_OWN
#include "af_inner_liberties.h"
#include "af_ops.h"

void af_linear_forward(af_real *const y, const af_real *const x, const af_real *const w, const af_real *const b,
                       const size_t n, const size_t n_in, const size_t n_out) {
    for (size_t r = 0; r < n; r++) {
        for (size_t o = 0; o < n_out; o++) {
            af_real sum = b[o];
            for (size_t k = 0; k < n_in; k++) {
                sum += x[r * n_in + k] * w[o * n_in + k];
            }
            y[r * n_out + o] = sum;
        }
    }
}

#if AF_TRAINING
void af_linear_backward_x(af_real *const d_x, const af_real *const d_y, const af_real *const w, const size_t n,
                          const size_t n_in, const size_t n_out) {
    for (size_t r = 0; r < n; r++) {
        for (size_t o = 0; o < n_out; o++) {
            const af_real d = d_y[r * n_out + o];
            for (size_t k = 0; k < n_in; k++) {
                d_x[r * n_in + k] += d * w[o * n_in + k];
            }
        }
    }
}

void af_linear_backward_w(af_real *const d_w, af_real *const d_b, const af_real *const d_y, const af_real *const x,
                          const size_t n, const size_t n_in, const size_t n_out, const size_t from,
                          const size_t n_part) {
    for (size_t r = 0; r < n; r++) {
        for (size_t o = from; o < from + n_part; o++) {
            const af_real d = d_y[r * n_out + o];
            d_b[o] += d;
            for (size_t k = 0; k < n_in; k++) {
                d_w[o * n_in + k] += d * x[r * n_in + k];
            }
        }
    }
}
#endif

af_status af_liberties_linear(const volatile af_real *const v) {
    return af_liberties(v);
}

#include "af_inner_export.h"
