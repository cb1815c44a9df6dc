// SPDX-License-Identifier: MIT
// Residual connection, and its gradient.
#define AF_FILE_residual 0, AF_OWN
#include "af_inner_liberties.h"
#include "af_ops.h"

void af_residual(af_real *const y, const af_real *const x, const af_index *const x_row, const size_t n) {
    for (size_t r = 0; r < n; r++) {
        const size_t row = x_row == NULL ? r : x_row[r];
        for (size_t i = 0; i < AF_DIM; i++) {
            y[r * AF_DIM + i] += x[row * AF_DIM + i];
        }
    }
}

#if AF_TRAINING
void af_residual_backward(af_real *const d, const af_index *const x_row, size_t n, const size_t n_x) {
    // From the back: x_row[r] >= r, so no row is overwritten before it has moved.
    for (size_t row = n_x; row > 0; row--) {
        const bool taken = n > 0 && x_row[n - 1] == row - 1;
        n -= taken ? 1U : 0U;
        for (size_t i = 0; i < AF_DIM; i++) {
            d[(row - 1) * AF_DIM + i] = taken ? d[n * AF_DIM + i] : AF_R(0);
        }
    }
}
#endif

af_status af_liberties_residual(const volatile af_real *const v) {
    return af_liberties(v);
}

#include "af_inner_export.h"
