// SPDX-License-Identifier: MIT
// One head of scaled dot-product attention, and its gradient.
#include "af_math.h"
#include "af_ops.h"
#include "inner.h"
#include "layers.h"

void n7_head_forward(af_real *const out, af_real *const weight, const af_real *const q, const af_real *const k,
                     const af_real *const v, const uint8_t *const mask, const size_t n, const size_t n_keys,
                     const size_t d, const size_t stride) {
    const af_real root = af_sqrt((af_real)d);
    const af_real hidden = -af_real_of(AF_INFINITY_BITS);
    for (size_t i = 0; i < n; i++) {
        af_real *const row = &weight[i * n_keys];
        for (size_t j = 0; j < n_keys; j++) {
            af_real dot = 0;
            for (size_t m = 0; m < d; m++) {
                dot += q[i * d + m] * k[j * d + m];
            }
            const bool is_seen = mask == NULL || mask[i * n_keys + j] != 0;
            row[j] = is_seen ? dot / root : hidden;
        }
        af_softmax(row, row, n_keys);
        for (size_t m = 0; m < d; m++) {
            af_real sum = 0;
            for (size_t j = 0; j < n_keys; j++) {
                sum += row[j] * v[j * d + m];
            }
            out[i * stride + m] = sum;
        }
    }
}

void n7_head_backward(af_real *const d_q, af_real *const d_k, af_real *const d_v, af_real *const d_weight,
                      const af_real *const d_out, const af_real *const weight, const af_real *const q,
                      const af_real *const k, const af_real *const v, const size_t n, const size_t n_keys,
                      const size_t d, const size_t stride) {
    const af_real root = af_sqrt((af_real)d);
    for (size_t i = 0; i < n; i++) {
        const af_real *const row = &weight[i * n_keys];
        // out = sum of weight[j] v[j]: the gradient goes to the values and to the weights.
        af_real dot = 0; // sum over j of weight[j] d_weight[j]
        for (size_t j = 0; j < n_keys; j++) {
            af_real sum = 0;
            for (size_t m = 0; m < d; m++) {
                sum += d_out[i * stride + m] * v[j * d + m];
                d_v[j * d + m] += row[j] * d_out[i * stride + m];
            }
            d_weight[j] = sum;
            dot += row[j] * sum;
        }
        // Through the softmax, d_score = weight (d_weight - dot), and the division. A hidden key's weight is 0.
        for (size_t j = 0; j < n_keys; j++) {
            const af_real d_score = row[j] * (d_weight[j] - dot) / root;
            for (size_t m = 0; m < d; m++) {
                d_q[i * d + m] += d_score * k[j * d + m];
                d_k[j * d + m] += d_score * q[i * d + m];
            }
        }
    }
}

af_status n7_liberties_head(const volatile af_real *const v) {
    return af_liberties(v);
}
