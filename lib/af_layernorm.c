// SPDX-License-Identifier: MIT
// Layer norm, and its gradients.
#define AF_FILE_layernorm 0, AF_OWN
#include "af_inner_elementwise.h"
#include "af_inner_liberties.h"

void af_layernorm_forward(af_real *const y, af_real *const mean, af_real *const rstd, const af_real *const x,
                          const af_real *const g, const af_real *const b, const size_t n) {
    for (size_t r = 0; r < n; r++) {
        const af_real *const row = &x[r * AF_DIM];
        af_real sum = 0;
        for (size_t i = 0; i < AF_DIM; i++) {
            sum += row[i];
        }
        const af_real m = sum / AF_R(AF_DIM);
        af_real squares = 0;
        for (size_t i = 0; i < AF_DIM; i++) {
            squares += (row[i] - m) * (row[i] - m);
        }
        // The variance is not negative, so the root is at least sqrt(eps) = 0.003 and its inverse is finite.
        const af_real root = af_sqrt(squares / AF_R(AF_DIM) + AF_R(AF_LAYERNORM_EPS));
        const af_real s = AF_R(1) / af_finite_or_nan(root);
        for (size_t i = 0; i < AF_DIM; i++) {
            y[r * AF_DIM + i] = (row[i] - m) * s * g[i] + b[i];
        }
        mean[r] = m;
        rstd[r] = s;
    }
}

#if AF_TRAINING
void af_layernorm_backward_x(af_real *const d_x, const af_real *const d_y, const af_real *const x,
                             const af_real *const mean, const af_real *const rstd, const af_real *const g,
                             const size_t n) {
    for (size_t r = 0; r < n; r++) {
        const af_real *const row = &x[r * AF_DIM];
        const af_real *const dy = &d_y[r * AF_DIM];
        // h = d_y g is the gradient of z. Subtract its components along 1 and along z, in which a norm cannot change.
        af_real sum_h = 0;
        af_real sum_hz = 0;
        for (size_t i = 0; i < AF_DIM; i++) {
            const af_real z = (row[i] - mean[r]) * rstd[r];
            const af_real h = dy[i] * g[i];
            sum_h += h;
            sum_hz += h * z;
        }
        const af_real mean_h = sum_h / AF_R(AF_DIM);
        const af_real mean_hz = sum_hz / AF_R(AF_DIM);
        for (size_t i = 0; i < AF_DIM; i++) {
            const af_real z = (row[i] - mean[r]) * rstd[r];
            d_x[r * AF_DIM + i] += rstd[r] * (dy[i] * g[i] - mean_h - z * mean_hz);
        }
    }
}

void af_layernorm_backward_w(af_real *const d_g, af_real *const d_b, const af_real *const d_y, const af_real *const x,
                             const af_real *const mean, const af_real *const rstd, const size_t n) {
    af_layernorm_w_loop(d_g, d_b, d_y, x, mean, rstd, n);
}
#endif

af_status af_liberties_layernorm(const volatile af_real *const v) {
    return af_liberties(v);
}

#include "af_inner_export.h"
