// SPDX-License-Identifier: MIT
// GELU, and its gradient.
#define AF_FILE_gelu 0, AF_OWN
#include "af_inner_elementwise.h"
#include "af_inner_liberties.h"

void af_gelu_forward(af_real *const y, const af_real *const x, const size_t n) {
    af_gelu_loop(y, x, n);
}

#if AF_TRAINING
void af_gelu_backward(af_real *const d_x, const af_real *const d_y, const af_real *const x, const size_t n) {
    for (size_t i = 0; i < n; i++) {
        d_x[i] = d_y[i] * af_gelu_slope(x[i], AF_R(0.5) * af_one_erf(x[i]));
    }
}
#endif

af_status af_liberties_gelu(const volatile af_real *const v) {
    return af_liberties(v);
}

#include "af_inner_export.h"
