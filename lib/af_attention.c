// SPDX-License-Identifier: MIT
// Scaled dot-product attention with a causal mask, and its gradient.
#include "af_math.h"
#include "af_ops.h"

// Places of head h: its components in a row of D, its key and its value in a row of kv.
#define COMPONENT(row, h) (AF_DIM * (row) + AF_HEAD_DIM * (h))
#define KEY(row, h)       (2 * AF_DIM * (row) + AF_HEAD_DIM * (h))
#define VALUE(row, h)     (KEY(row, h) + AF_DIM)

void af_attention_forward(af_real *const heads, af_real *const att, const af_real *const q, const af_real *const kv,
                          const size_t first, const size_t n) {
    const af_real root = af_sqrt(AF_R(AF_HEAD_DIM));
    for (size_t i = 0; i < n; i++) {
        const size_t n_keys = first + i + 1; // the mask: a query sees the keys up to its own position
        for (size_t h = 0; h < AF_HEADS; h++) {
            const af_real *const query = &q[COMPONENT(i, h)];
            af_real *const weight = &att[(i * AF_HEADS + h) * AF_CONTEXT];
            for (size_t j = 0; j < n_keys; j++) {
                const af_real *const key = &kv[KEY(j, h)];
                af_real dot = 0;
                for (size_t m = 0; m < AF_HEAD_DIM; m++) {
                    dot += query[m] * key[m];
                }
                weight[j] = dot / root;
            }
            af_softmax(weight, weight, n_keys);
            for (size_t j = n_keys; j < AF_CONTEXT; j++) {
                weight[j] = 0;
            }
            af_real *const out = &heads[COMPONENT(i, h)];
            for (size_t m = 0; m < AF_HEAD_DIM; m++) {
                af_real sum = 0;
                for (size_t j = 0; j < n_keys; j++) {
                    sum += weight[j] * kv[VALUE(j, h) + m];
                }
                out[m] = sum;
            }
        }
    }
}

#if AF_TRAINING
void af_attention_backward(af_real *const d_q, af_real *const d_kv, af_real *const d_att, const af_real *const d_heads,
                           const af_real *const att, const af_real *const q, const af_real *const kv,
                           const size_t first, const size_t n) {
    const af_real root = af_sqrt(AF_R(AF_HEAD_DIM));
    for (size_t i = 0; i < n; i++) {
        const size_t n_keys = first + i + 1;
        for (size_t h = 0; h < AF_HEADS; h++) {
            const af_real *const weight = &att[(i * AF_HEADS + h) * AF_CONTEXT];
            const af_real *const d_out = &d_heads[COMPONENT(i, h)];
            // heads = sum of weight[j] v[j]: the gradient goes to the values and to the weights.
            af_real dot = 0; // sum over j of weight[j] d_att[j]
            for (size_t j = 0; j < n_keys; j++) {
                af_real sum = 0;
                for (size_t m = 0; m < AF_HEAD_DIM; m++) {
                    sum += d_out[m] * kv[VALUE(j, h) + m];
                    d_kv[VALUE(j, h) + m] += weight[j] * d_out[m];
                }
                d_att[j] = sum;
                dot += weight[j] * sum;
            }
            // Through the softmax, d_score = weight (d_att - dot), and through the division by the root.
            for (size_t j = 0; j < n_keys; j++) {
                const af_real d_score = weight[j] * (d_att[j] - dot) / root;
                for (size_t m = 0; m < AF_HEAD_DIM; m++) {
                    d_q[COMPONENT(i, h) + m] += d_score * kv[KEY(j, h) + m];
                    d_kv[KEY(j, h) + m] += d_score * q[COMPONENT(i, h) + m];
                }
            }
        }
    }
}
#endif
