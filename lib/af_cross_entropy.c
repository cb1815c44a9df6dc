// SPDX-License-Identifier: MIT
// Loss and gradient of the logits.
#include "af_math.h"
#include "af_ops.h"

#if AF_TRAINING
af_real af_cross_entropy(af_real *const d_logits, const af_real *const logits, const af_token *const target,
                         const af_real inverse_count, af_real loss_sum, const size_t n) {
    for (size_t r = 0; r < n; r++) {
        const af_real *const z = &logits[r * AF_VOCAB];
        af_real *const d = &d_logits[r * AF_VOCAB];
        if (target[r] == AF_IGNORE) {
            for (size_t v = 0; v < AF_VOCAB; v++) {
                d[v] = 0;
            }
            continue;
        }
        const af_real max = z[af_argmax(z, AF_VOCAB)];
        af_real sum = 0; // in [1, V], so its logarithm is in [0, log V]
        for (size_t v = 0; v < AF_VOCAB; v++) {
            d[v] = af_exp(z[v] - max);
            sum += d[v];
        }
        loss_sum += af_log(sum) - (z[target[r]] - max);
        for (size_t v = 0; v < AF_VOCAB; v++) {
            const af_real onehot = v == target[r] ? AF_R(1) : AF_R(0);
            d[v] = (d[v] / sum - onehot) * inverse_count;
        }
    }
    return loss_sum;
}
#endif
