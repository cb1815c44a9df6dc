// SPDX-License-Identifier: MIT
// ReLU, and its gradient.
#include "inner.h"
#include "layers.h"

void n7_relu_forward(af_real *const y, const af_real *const x, const size_t n) {
    for (size_t i = 0; i < n; i++) {
        y[i] = x[i] < AF_R(0) ? AF_R(0) : x[i]; // this way round a NaN is not hidden
    }
}

void n7_relu_backward(af_real *const d_x, const af_real *const d_y, const af_real *const y, const size_t n) {
    for (size_t i = 0; i < n; i++) {
        d_x[i] = y[i] > AF_R(0) ? d_y[i] : AF_R(0);
    }
}

af_status n7_liberties_relu(const volatile af_real *const v) {
    return af_liberties(v);
}
