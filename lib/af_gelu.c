// SPDX-License-Identifier: MIT
#include "af_math.h"
#include "af_ops.h"

#define SQRT_HALF        AF_R(0.70710678118654752440) /* 1 / sqrt 2 */
#define INVERSE_SQRT_2PI AF_R(0.39894228040143267794) /* 1 / sqrt(2 pi) */

void af_gelu_forward(af_real *const y, const af_real *const x, const size_t n) {
    for (size_t i = 0; i < n; i++) {
        y[i] = AF_R(0.5) * x[i] * (AF_R(1) + af_erf(x[i] * SQRT_HALF));
    }
}

#if AF_TRAINING
void af_gelu_backward(af_real *const d_x, const af_real *const d_y, const af_real *const x, const size_t n) {
    for (size_t i = 0; i < n; i++) {
        const af_real cdf = AF_R(0.5) * (AF_R(1) + af_erf(x[i] * SQRT_HALF));
        const af_real pdf = INVERSE_SQRT_2PI * af_exp(AF_R(-0.5) * x[i] * x[i]);
        d_x[i] = d_y[i] * (cdf + x[i] * pdf);
    }
}
#endif
