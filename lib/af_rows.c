// SPDX-License-Identifier: MIT
// Picks the rows of the queries; and the gradient of that.
#define AF_FILE_rows 0, AF_OWN
#include "af_liberties.h"
#include "af_ops.h"

#if AF_TRAINING
void af_rows_gather(af_real *const y, const af_real *const x, const af_index *const row, const size_t first,
                    const size_t n) {
    for (size_t r = 0; r < n; r++) {
        for (size_t i = 0; i < AF_DIM; i++) {
            y[r * AF_DIM + i] = x[(row[r] - first) * AF_DIM + i];
        }
    }
}

void af_rows_scatter(af_real *const d_x, const af_real *const d_y, const af_index *const row, const size_t n) {
    for (size_t r = 0; r < n; r++) {
        for (size_t i = 0; i < AF_DIM; i++) {
            d_x[row[r] * (size_t)AF_DIM + i] += d_y[r * AF_DIM + i];
        }
    }
}

af_status af_liberties_rows(const volatile af_real *const v) {
    return af_liberties(v);
}
#endif

#include "af_export.h"
