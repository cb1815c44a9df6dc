// SPDX-License-Identifier: MIT
// A block of the transformer: forward as the diagram of af_inner_block.h reads, backward from its end.
#define AF_FILE_block 0, AF_OWN
#include "af_inner_block.h"
#include "af_inner_elementwise.h"

/// The layer norm between attention and MLP is the second, or where norms follow the (+), the first.
enum norm_name { NORM_1, NORM_2 };
#define AFI_NORM_MID  (AF_POST_NORM ? NORM_1 : NORM_2)
#define AFI_STATS_MID (AF_POST_NORM ? a->stats1 : a->stats2)

/// y = LN(x)
static void norm(const struct af_block *const b, const enum norm_name name, af_real *const y, const af_real *const x,
                 const struct af_norm_stats stats, const size_t n) {
    const struct af_block_weights *const w = &b->reader->weight->block[b->number];
    b->k->layernorm_forward(y, stats.mean, stats.rstd, x, name == NORM_1 ? w->ln1_g : w->ln2_g,
                            name == NORM_1 ? w->ln1_b : w->ln2_b, n);
}

/// y += x
static void residual(af_real *const y, const af_real *const x, const af_index *const x_row, const size_t n) {
    if (AF_RESIDUAL) {
        af_residual(y, x, x_row, n);
    }
}

// ----------------------------------------------------------------------------------------------------------- forward

void af_block_take(const struct af_block *const b, const struct af_block_acts *const a,
                   const struct af_rows *const rows) {
    if (!AF_POST_NORM) {
        norm(b, NORM_1, a->ln1, a->x, a->stats1, rows->n);
    }
#if AF_TRAINING
    af_block_gather(a, rows);
#endif
}

void af_block_project(const struct af_block *const b, const struct af_block_acts *const a,
                      const struct af_rows *const rows) {
    af_block_linear(b, a->kv, a->ln1, AF_LAYER_KV, rows->n);
    af_block_linear(b, a->q, a->ln1_q, AF_LAYER_Q, rows->m);
}

void af_block_attend(const struct af_block *const b, const struct af_attention_acts *const a,
                     const struct af_span *const s, af_real *const scratch) {
    const size_t q = s->q * AF_DIM;
    b->k->attention_forward(&a->heads[q], &a->att[s->q * AF_HEADS * AF_CONTEXT], scratch, &a->q[q],
                            &a->kv[s->r * 2 * AF_DIM], s->first, s->n, s->n_keys);
}

void af_block_mix(const struct af_block *const b, const struct af_block_acts *const a,
                  const struct af_rows *const rows) {
    af_block_linear(b, a->x_mid, a->heads, AF_LAYER_OUT, rows->m);
    residual(a->x_mid, a->x_q, rows->query_row, rows->m);
}

void af_block_hidden(const struct af_block *const b, const struct af_block_acts *const a, const size_t m) {
    norm(b, AFI_NORM_MID, a->ln2, a->x_mid, AFI_STATS_MID, m);
    af_block_linear(b, a->ff_in, a->ln2, AF_LAYER_FF1, m);
    b->k->gelu_forward(a->ff_act, a->ff_cdf, a->ff_in, m * AF_FF);
}

void af_block_output(const struct af_block *const b, const struct af_block_acts *const a, const size_t m) {
    af_block_linear(b, a->sum, a->ff_act, AF_LAYER_FF2, m);
    residual(a->sum, AF_POST_NORM ? a->ln2 : a->x_mid, NULL, m);
    if (AF_POST_NORM) {
        norm(b, NORM_2, a->y, a->sum, a->stats2, m);
    }
}

#if AF_TRAINING

void af_block_gather(const struct af_block_acts *const a, const struct af_rows *const rows) {
    if (rows->query_row != NULL) {
        af_rows_gather(a->ln1_q, a->ln1, rows->query_row, rows->r, rows->m);
    }
}

// ---------------------------------------------------------------------------------------------------------- backward

/// d_x += the gradient of x, for y = LN(x).
static void norm_backward(const struct af_block *const b, const enum norm_name name, af_real *const d_x,
                          const af_real *const d_y, const af_real *const x, const struct af_norm_stats stats,
                          const size_t n) {
    const struct af_block_weights *const w = &b->reader->weight->block[b->number];
    b->k->layernorm_backward_x(d_x, d_y, x, stats.mean, stats.rstd, name == NORM_1 ? w->ln1_g : w->ln2_g, n);
}

void af_block_output_backward(const struct af_block *const b, const struct af_block_acts *const a,
                              const struct af_block_grads *const d, const size_t m) {
    if (AF_POST_NORM) {
        af_clear(d->d_y, m * AF_DIM);
        af_residual(d->d_y, d->d_sum, NULL, m);
        af_clear(d->d_sum, m * AF_DIM);
        norm_backward(b, NORM_2, d->d_sum, d->d_y, a->sum, a->stats2, m);
    }
}

void af_block_hidden_backward(const struct af_block *const b, const struct af_block_acts *const a,
                              const struct af_block_grads *const d, const size_t m) {
    af_block_linear_backward(b, d->d_ff, d->d_sum, AF_LAYER_FF2, m, false);
    b->k->gelu_backward(d->d_ff, d->d_ff, a->ff_in, a->ff_cdf, m * AF_FF);
    af_block_linear_backward(b, d->d_ln2, d->d_ff, AF_LAYER_FF1, m, false);
    if (AF_POST_NORM) {
        residual(d->d_ln2, d->d_sum, NULL, m);
    }
}

void af_block_mid_backward(const struct af_block *const b, const struct af_block_acts *const a,
                           const struct af_block_grads *const d, const size_t m) {
    if (AF_POST_NORM || !AF_RESIDUAL) { // else d_x_mid begins with what passes by the MLP
        af_clear(d->d_x_mid, m * AF_DIM);
    }
    norm_backward(b, AFI_NORM_MID, d->d_x_mid, d->d_ln2, a->x_mid, AFI_STATS_MID, m);
}

void af_block_mix_backward(const struct af_block *const b, const struct af_block_grads *const d,
                           const struct af_rows *const rows) {
    af_block_linear_backward(b, d->d_heads, d->d_x_mid, AF_LAYER_OUT, rows->m, false);
    af_clear(d->d_q, rows->m * AF_DIM);
    af_clear(d->d_kv, rows->n * 2 * AF_DIM);
}

void af_block_attend_backward(const struct af_block *const b, const struct af_attention_acts *const a,
                              const struct af_attention_grads *const d, const struct af_span *const s,
                              af_real *const scratch) {
    const size_t q = s->q * AF_DIM;
    const size_t kv = s->r * 2 * AF_DIM;
    b->k->attention_backward(&d->d_q[q], &d->d_kv[kv], scratch, &d->d_heads[q], &a->att[s->q * AF_HEADS * AF_CONTEXT],
                             &a->q[q], &a->kv[kv], s->first, s->n, s->n_keys);
}

void af_block_project_backward(const struct af_block *const b, const struct af_block_grads *const d,
                               const struct af_rows *const rows) {
    // The gradient of ln1 begins with what comes from q; what comes from k and v is added to it.
    if (rows->query_row == NULL) {
        af_block_linear_backward(b, d->d_ln1, d->d_q, AF_LAYER_Q, rows->m, false);
    } else {
        af_block_linear_backward(b, d->d_ln1_q, d->d_q, AF_LAYER_Q, rows->m, false);
        af_clear(d->d_ln1, rows->n * AF_DIM);
        af_rows_scatter(d->d_ln1, d->d_ln1_q, rows->query_row, rows->r, rows->m);
    }
    af_block_linear_backward(b, d->d_ln1, d->d_kv, AF_LAYER_KV, rows->n, true);
}

void af_block_take_backward(const struct af_block *const b, const struct af_block_acts *const a,
                            const struct af_block_grads *const d, const size_t n) {
    if (!AF_RESIDUAL) { // else d_x begins with what passes by attention
        af_clear(d->d_x, n * AF_DIM);
    }
    if (AF_POST_NORM) {
        af_residual(d->d_x, d->d_ln1, NULL, n);
    } else {
        norm_backward(b, NORM_1, d->d_x, d->d_ln1, a->x, a->stats1, n);
    }
}

// ------------------------------------------------------------------------------------------- weights: d_y and x of each

// The checker does not see that what a struct points to is written.
// NOLINTBEGIN(readability-non-const-parameter)
struct af_weight_grad af_block_linear_grad(af_real *const d_w, af_real *const d_b, const af_real *const d_y,
                                           const af_real *const x, const size_t n, const size_t n_in,
                                           const size_t n_out) {
    const struct af_weight_grad grad = {
        .d_w = d_w, .d_b = d_b, .d_y = d_y, .x = x, .stats = {NULL, NULL}, .n = n, .n_in = n_in, .n_out = n_out};
    return grad;
}

struct af_weight_grad af_block_norm_grad(af_real *const d_w, af_real *const d_b, const af_real *const d_y,
                                         const af_real *const x, const struct af_norm_stats stats, const size_t n) {
    const struct af_weight_grad grad = {
        .d_w = d_w, .d_b = d_b, .d_y = d_y, .x = x, .stats = stats, .n = n, .n_in = AF_DIM, .n_out = AF_DIM};
    return grad;
}
// NOLINTEND(readability-non-const-parameter)

size_t af_block_output_weights(struct af_weight_grad due[AF_MOST_WEIGHT_GRADS], struct af_block_weights *const d_w,
                               const struct af_block_acts *const a, const struct af_block_grads *const d,
                               const size_t m) {
    due[0] = af_block_norm_grad(d_w->ln2_g, d_w->ln2_b, d->d_y, a->sum, a->stats2, m);
    return AF_POST_NORM;
}

size_t af_block_mlp_weights(struct af_weight_grad due[AF_MOST_WEIGHT_GRADS], struct af_block_weights *const d_w,
                            const struct af_block_acts *const a, const struct af_block_grads *const d, const size_t m) {
    af_real *const d_gain = AF_POST_NORM ? d_w->ln1_g : d_w->ln2_g;
    af_real *const d_bias = AF_POST_NORM ? d_w->ln1_b : d_w->ln2_b;
    due[0] = af_block_linear_grad(d_w->ff2_w[0], d_w->ff2_b, d->d_sum, a->ff_act, m, AF_FF, AF_DIM);
    due[1] = af_block_linear_grad(d_w->ff1_w[0], d_w->ff1_b, d->d_ff, a->ln2, m, AF_DIM, AF_FF);
    due[2] = af_block_norm_grad(d_gain, d_bias, d->d_ln2, a->x_mid, AFI_STATS_MID, m);
    return 3;
}

size_t af_block_attention_weights(struct af_weight_grad due[AF_MOST_WEIGHT_GRADS], struct af_block_weights *const d_w,
                                  const struct af_block_acts *const a, const struct af_block_grads *const d,
                                  const struct af_rows *const rows) {
    const size_t n = rows->n;
    const size_t m = rows->m;
    due[0] = af_block_linear_grad(d_w->out_w[0], d_w->out_b, d->d_x_mid, a->heads, m, AF_DIM, AF_DIM);
    due[1] = af_block_linear_grad(d_w->qkv_w[0], d_w->qkv_b, d->d_q, a->ln1_q, m, AF_DIM, AF_DIM);
    due[2] =
        af_block_linear_grad(d_w->qkv_w[AF_DIM], &d_w->qkv_b[AF_DIM], d->d_kv, a->ln1, n, AF_DIM, 2 * (size_t)AF_DIM);
    due[3] = af_block_norm_grad(d_w->ln1_g, d_w->ln1_b, d->d_ln1, a->x, a->stats1, n);
    return AF_POST_NORM ? 3 : 4; // norm 1 has another place there
}

#endif

#include "af_inner_export.h"
