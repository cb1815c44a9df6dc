// SPDX-License-Identifier: MIT
// Multi-head attention as separate heads, and its gradient.
#include "inner.h"
#include "layers.h"

void n7_multihead_forward(af_real *const y, const struct n7_multihead_saved *const saved,
                          const struct n7_multihead *const w, const af_real *const x, const uint8_t *const mask,
                          const size_t n) {
    const size_t d_k = w->d / w->n_heads;
    for (size_t h = 0; h < w->n_heads; h++) {
        af_real *const qkv = &saved->qkv[h * 3 * n * d_k];
        for (size_t part = 0; part < 3; part++) {
            n7_matmul_forward(&qkv[part * n * d_k], x, &w->head[(h * 3 + part) * w->d * d_k], n, w->d, d_k);
        }
        n7_head_forward(&saved->cat[h * d_k], &saved->weight[h * n * n], qkv, &qkv[n * d_k], &qkv[2 * n * d_k], mask, n,
                        n, d_k, w->d);
    }
    n7_matmul_forward(y, saved->cat, w->w_o, n, w->d, w->d);
}

void n7_multihead_backward(af_real *const d_x, const struct n7_multihead_grad *const grad, const af_real *const d_y,
                           const struct n7_multihead_saved *const saved, const struct n7_multihead *const w,
                           const af_real *const x, const size_t n) {
    const size_t d_k = w->d / w->n_heads;
    af_real *const d_cat = grad->scratch;
    af_real *const d_qkv = &d_cat[n * w->d];
    af_real *const d_weight = &d_qkv[3 * n * d_k];
    n7_clear(d_cat, n * w->d);
    n7_matmul_backward_x(d_cat, d_y, w->w_o, n, w->d, w->d);
    n7_matmul_backward_w(grad->w_o, d_y, saved->cat, n, w->d, w->d);
    for (size_t h = 0; h < w->n_heads; h++) {
        const af_real *const qkv = &saved->qkv[h * 3 * n * d_k];
        n7_clear(d_qkv, 3 * n * d_k);
        n7_head_backward(d_qkv, &d_qkv[n * d_k], &d_qkv[2 * n * d_k], d_weight, &d_cat[h * d_k],
                         &saved->weight[h * n * n], qkv, &qkv[n * d_k], &qkv[2 * n * d_k], n, n, d_k, w->d);
        for (size_t part = 0; part < 3; part++) {
            const size_t at = (h * 3 + part) * w->d * d_k;
            n7_matmul_backward_x(d_x, &d_qkv[part * n * d_k], &w->head[at], n, w->d, d_k);
            n7_matmul_backward_w(&grad->head[at], &d_qkv[part * n * d_k], x, n, w->d, d_k);
        }
    }
}
