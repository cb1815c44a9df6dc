// SPDX-License-Identifier: MIT
// The output layer: logits = LN(x) W + b, and backward.
#define AF_FILE_output 0, AF_OWN
#include "af_inner_block.h"
#include "af_inner_elementwise.h"

void af_output_norm(const struct af_block *const b, const struct af_output_acts *const a, const size_t m) {
    const struct af_weights *const w = b->reader->weight;
    b->k->layernorm_forward(a->lnf, a->stats.mean, a->stats.rstd, a->x, w->lnf_g, w->lnf_b, m);
}

void af_output_logits(const struct af_block *const b, const struct af_output_acts *const a, const size_t m) {
    af_block_linear(b, a->logits, a->lnf, AF_LAYER_HEAD, m);
}

#if AF_TRAINING

void af_output_logits_backward(const struct af_block *const b, const struct af_output_grads *const d, const size_t m) {
    af_block_linear_backward(b, d->d_lnf, d->d_logits, AF_LAYER_HEAD, m, false);
}

void af_output_norm_backward(const struct af_block *const b, const struct af_output_acts *const a,
                             const struct af_output_grads *const d, const size_t m) {
    af_clear(d->d_x, m * AF_DIM);
    b->k->layernorm_backward_x(d->d_x, d->d_lnf, a->x, a->stats.mean, a->stats.rstd, b->reader->weight->lnf_g, m);
}

size_t af_output_weights(struct af_weight_grad due[AF_MOST_WEIGHT_GRADS], struct af_weights *const d_w,
                         const struct af_output_acts *const a, const struct af_output_grads *const d, const size_t m) {
    due[0] = af_block_linear_grad(d_w->head_w[0], d_w->head_b, d->d_logits, a->lnf, m, AF_DIM, AF_VOCAB);
    due[1] = af_block_norm_grad(d_w->lnf_g, d_w->lnf_b, d->d_lnf, a->x, a->stats, m);
    return 2;
}

#endif

#include "af_inner_export.h"
