// SPDX-License-Identifier: MIT
#include "af_math.h"
#include "af_ops.h"

#if AF_TRAINING
void af_adamw_update(af_real *const p, af_real *const m, af_real *const v, const af_real *const d,
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
#endif
