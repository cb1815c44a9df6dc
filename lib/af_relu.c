// SPDX-License-Identifier: MIT
// ReLU, and its gradient.
#define AF_FILE_relu 0, AF_OWN
#include "af_layers.h"
#include "af_liberties.h"

void af_relu_forward(af_real *const y, const af_real *const x, const size_t n) {
    for (size_t i = 0; i < n; i++) {
        y[i] = x[i] < AF_R(0) ? AF_R(0) : x[i]; // this way round a NaN is not hidden
    }
}

#if AF_TRAINING
void af_relu_backward(af_real *const d_x, const af_real *const d_y, const af_real *const y, const size_t n) {
    for (size_t i = 0; i < n; i++) {
        d_x[i] = y[i] > AF_R(0) ? d_y[i] : AF_R(0);
    }
}
#endif

af_status af_liberties_relu(const volatile af_real *const v) {
    return af_liberties(v);
}

#include "af_export.h"
