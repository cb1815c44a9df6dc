// SPDX-License-Identifier: MIT
#include "af_ops.h"

/// The row of x that belongs to row r.
static size_t row_of(const af_index *const x_row, const size_t r) {
    return x_row == NULL ? r : x_row[r];
}

void af_linear_forward(af_real *const y, const af_real *const x, const af_index *const x_row, const af_real *const w,
                       const af_real *const b, const size_t n, const size_t n_in, const size_t n_out) {
    for (size_t r = 0; r < n; r++) {
        const af_real *const xr = &x[row_of(x_row, r) * n_in];
        for (size_t o = 0; o < n_out; o++) {
            af_real sum = b[o];
            for (size_t k = 0; k < n_in; k++) {
                sum += xr[k] * w[o * n_in + k];
            }
            y[r * n_out + o] = sum;
        }
    }
}

#if AF_TRAINING
void af_linear_backward(af_real *const d_x, af_real *const d_w, af_real *const d_b, const af_real *const d_y,
                        const af_real *const x, const af_index *const x_row, const af_real *const w, const size_t n,
                        const size_t n_in, const size_t n_out) {
    for (size_t r = 0; r < n; r++) {
        const size_t row = row_of(x_row, r);
        for (size_t o = 0; o < n_out; o++) {
            const af_real d = d_y[r * n_out + o];
            d_b[o] += d;
            for (size_t k = 0; k < n_in; k++) {
                d_x[row * n_in + k] += d * w[o * n_in + k];
                d_w[o * n_in + k] += d * x[row * n_in + k];
            }
        }
    }
}
#endif
