// SPDX-License-Identifier: MIT
// Loss and gradient of the logits.
#define AF_FILE_cross_entropy 0, AF_OWN
#include "af_inner_liberties.h"
#include "af_math.h"
#include "af_ops.h"

#if AF_TRAINING
void af_cross_entropy(af_real *const d_logits, af_real *const loss, const af_real *const logits,
                      const af_token *const target, const af_real inverse_count, const size_t n) {
    for (size_t r = 0; r < n; r++) {
        const af_real *const z = &logits[r * AF_VOCAB];
        af_real *const d = &d_logits[r * AF_VOCAB];
        if (target[r] == AF_IGNORE) {
            for (size_t v = 0; v < AF_VOCAB; v++) {
                d[v] = 0;
            }
            loss[r] = 0;
            continue;
        }
        const af_real max = z[af_argmax(z, AF_VOCAB)];
        const af_real wanted = z[target[r]] - max;
        af_real sum = 0; // in [1, V], so its logarithm is in [0, log V]
        for (size_t v = 0; v < AF_VOCAB; v++) {
            d[v] = af_exp(z[v] - max);
        }
        for (size_t v = 0; v < AF_VOCAB; v++) {
            sum += d[v];
        }
        loss[r] = af_log(sum) - wanted;
        for (size_t v = 0; v < AF_VOCAB; v++) {
            const af_real onehot = v == target[r] ? AF_R(1) : AF_R(0);
            d[v] = (d[v] / sum - onehot) * inverse_count;
        }
    }
}

af_status af_liberties_cross_entropy(const volatile af_real *const v) {
    return af_liberties(v);
}
#endif

#include "af_inner_export.h"
