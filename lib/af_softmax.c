// SPDX-License-Identifier: MIT
// Softmax and argmax.
#define AF_FILE_softmax 0, AF_OWN
#include "af_inner_liberties.h"
#include "af_math.h"
#include "af_ops.h"

void af_softmax(af_real *const p, const af_real *const x, const size_t n) {
    const af_real max = x[af_argmax(x, n)];
    // Every x - max is at most 0 and one of them is 0: each exp is in [0, 1] and their sum in [1, n].
    af_real sum = 0;
    for (size_t j = 0; j < n; j++) {
        p[j] = af_exp(x[j] - max);
        sum += p[j];
    }
    for (size_t j = 0; j < n; j++) {
        p[j] = p[j] / sum;
    }
}

size_t af_argmax(const af_real *const x, const size_t n) {
    size_t best = 0;
    for (size_t j = 1; j < n; j++) {
        if (x[j] > x[best]) {
            best = j;
        }
    }
    return best;
}

af_status af_liberties_softmax(const volatile af_real *const v) {
    return af_liberties(v);
}

#include "af_inner_export.h"
