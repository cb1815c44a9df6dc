// SPDX-License-Identifier: MIT
/// Loops without sums, shared by the plain operations and the tiles. Vectorising them changes no bit, because each
/// element is computed on its own.
#ifndef AF_INNER_ELEMENTWISE_H
#define AF_INNER_ELEMENTWISE_H

#include "af_math.h"
#include "af_ops.h"

#define AF_SQRT_HALF        AF_R(0.70710678118654752440) /* 1 / sqrt 2 */
#define AF_INVERSE_SQRT_2PI AF_R(0.39894228040143267794) /* 1 / sqrt(2 pi) */

static inline void af_clear(af_real *const x, const size_t n) {
    for (size_t i = 0; i < n; i++) {
        x[i] = 0;
    }
}

/// 1 + erf(x / sqrt 2): twice the share of a normal distribution that lies below x.
static inline af_real af_one_erf(const af_real x) {
    return AF_R(1) + af_erf(x * AF_SQRT_HALF);
}

/// GELU(x) = 0.5 x (1 + erf(x / sqrt 2))
static inline void af_gelu_loop(af_real *const y, const af_real *const x, const size_t n) {
    for (size_t i = 0; i < n; i++) {
        y[i] = AF_R(0.5) * x[i] * af_one_erf(x[i]);
    }
}

#if AF_TRAINING
/// d GELU / dx = cdf + x pdf, with cdf = 0.5 (1 + erf(x / sqrt 2)) and pdf = exp(-x^2 / 2) / sqrt(2 pi)
static inline af_real af_gelu_slope(const af_real x, const af_real cdf) {
    const af_real pdf = AF_INVERSE_SQRT_2PI * af_exp(AF_R(-0.5) * x * x);
    return cdf + x * pdf;
}

/// One step of AdamW: see af_adamw_update().
static inline void af_adamw_loop(af_real *const p, af_real *const m, af_real *const v, const af_real *const d,
                                 const struct af_adamw how, const af_real c1, const af_real c2, const size_t n) {
    const af_real keep = AF_R(1) - how.learning_rate * how.weight_decay;
    const af_real step = how.learning_rate / c1;
    const af_real root = af_sqrt(c2);
    for (size_t i = 0; i < n; i++) {
        m[i] = m[i] * AF_R(AF_ADAMW_BETA1) + AF_R(AF_ADAMW_BETA1_REST) * d[i];
        v[i] = v[i] * AF_R(AF_ADAMW_BETA2) + AF_R(AF_ADAMW_BETA2_REST) * d[i] * d[i];
        p[i] = p[i] * keep - step * (m[i] / (af_sqrt(v[i]) / root + AF_R(AF_ADAMW_EPS)));
    }
}

/// True if that step keeps every number finite: see af_adamw_check(). Without branches and in any order, so that
/// compilers vectorise it: a number that is not finite makes `share` NaN, and no comparison with a NaN holds.
static inline bool af_adamw_check_loop(const af_real *const p, const af_real *const m, const af_real *const v,
                                       const af_real *const d, const af_real c1, const af_real c2, const size_t n) {
    const af_real root = af_sqrt(c2);
    const af_real floor = (AF_R(AF_ADAMW_EPS) * root) * (AF_R(AF_ADAMW_EPS) * root);
    const af_real scale = root / (c1 * AF_R(AF_STEP_MAX));
    const af_real largest = af_real_of(AF_INFINITY_BITS - 1);
    af_bits sign = 0;
    af_bits bad = 0;
    for (size_t i = 0; i < n; i++) {
        const af_real m_new = m[i] * AF_R(AF_ADAMW_BETA1) + AF_R(AF_ADAMW_BETA1_REST) * d[i];
        const af_real v_new = v[i] * AF_R(AF_ADAMW_BETA2) + AF_R(AF_ADAMW_BETA2_REST) * d[i] * d[i];
        // |m_new| <= AF_STEP_MAX c1 max(sqrt(v_new) / sqrt(c2), eps), squared
        const af_real share = (m_new * scale) * (m_new * scale) + (p[i] - p[i]);
        const af_real limit = v_new > floor ? v_new : floor;
        bad |= share <= limit ? 0U : 1U;
        bad |= v_new <= largest ? 0U : 1U;
        sign |= af_bits_of(v[i]);
    }
    return (bad | (sign & AF_SIGN_MASK)) == 0;
}

/// d_g += d_y z, d_b += d_y, row after row: see af_layernorm_backward_w().
static inline void af_layernorm_w_loop(af_real *const d_g, af_real *const d_b, const af_real *const d_y,
                                       const af_real *const x, const af_real *const mean, const af_real *const rstd,
                                       const size_t n) {
    for (size_t r = 0; r < n; r++) {
        const af_real m = mean[r];
        const af_real s = rstd[r];
        for (size_t i = 0; i < AF_DIM; i++) {
            const af_real z = (x[r * AF_DIM + i] - m) * s;
            d_g[i] += d_y[r * AF_DIM + i] * z;
            d_b[i] += d_y[r * AF_DIM + i];
        }
    }
}
#endif

#endif
