// SPDX-License-Identifier: MIT
// Layer normalisation without gain and bias, and its gradient.
#include "af_math.h"
#include "inner.h"
#include "layers.h"

void n7_norm_forward(af_real *const y, af_real *const spread, const af_real *const x, const size_t n, const size_t d) {
    for (size_t r = 0; r < n; r++) {
        const af_real *const row = &x[r * d];
        af_real sum = 0;
        for (size_t i = 0; i < d; i++) {
            sum += row[i];
        }
        const af_real mean = sum / (af_real)d;
        af_real squares = 0;
        for (size_t i = 0; i < d; i++) {
            squares += (row[i] - mean) * (row[i] - mean);
        }
        // The variance is not negative, so the divisor is at least sqrt(eps) = 0.003.
        spread[r] = af_finite_or_nan(af_sqrt(squares / (af_real)d + AF_R(AF_LAYERNORM_EPS)));
        for (size_t i = 0; i < d; i++) {
            y[r * d + i] = (row[i] - mean) / spread[r];
        }
    }
}

void n7_norm_backward(af_real *const d_x, const af_real *const d_y, const af_real *const y, const af_real *const spread,
                      const size_t n, const size_t d) {
    for (size_t r = 0; r < n; r++) {
        // A norm cannot move along the two directions whose means are taken off.
        af_real sum = 0;
        af_real sum_y = 0;
        for (size_t i = r * d; i < (r + 1) * d; i++) {
            sum += d_y[i];
            sum_y += d_y[i] * y[i];
        }
        const af_real mean = sum / (af_real)d;
        const af_real mean_y = sum_y / (af_real)d;
        for (size_t i = r * d; i < (r + 1) * d; i++) {
            d_x[i] += (d_y[i] - mean - y[i] * mean_y) / spread[r];
        }
    }
}

af_status n7_liberties_norm(const volatile af_real *const v) {
    return af_liberties(v);
}
