// SPDX-License-Identifier: MIT
#include "af_pass.h"

#if AF_TRAINING

// ------------------------------------------------------------------------------------------------- the micro-batch

af_status af_sequence_check(const struct af_sequence *const sequence, uint32_t *const n_targets) {
    if (sequence == NULL || sequence->token == NULL || sequence->target == NULL || n_targets == NULL) {
        return AF_ERR_NULL;
    }
    if (sequence->n < 1 || sequence->n > AF_CONTEXT) {
        return AF_ERR_LENGTH;
    }
    uint32_t count = 0;
    for (size_t i = 0; i < sequence->n; i++) {
        if (sequence->token[i] >= AF_VOCAB) {
            return AF_ERR_TOKEN;
        }
        if (sequence->target[i] != AF_IGNORE) {
            if (sequence->target[i] >= AF_VOCAB) {
                return AF_ERR_TARGET;
            }
            count++;
        }
    }
    *n_targets = count;
    return AF_OK;
}

void af_pass_load(struct af_train *const train, const struct af_sequence *const sequence, const size_t n_sequences,
                  const enum af_extent extent) {
    size_t row = 0;
    size_t query = 0;
    for (size_t s = 0; s < n_sequences; s++) {
        train->row_start[s] = (af_index)row;
        train->query_start[s] = (af_index)query;
        const struct af_sequence *const seq = &sequence[s];
        size_t end = seq->n; // one past the last position that matters
        size_t first = 0;    // first query of the last block
        if (extent == AF_VISIBLE) {
            while (end > 0 && seq->target[end - 1] == AF_IGNORE) {
                end--;
            }
            while (first < end && seq->target[first] == AF_IGNORE) {
                first++;
            }
        }
        for (size_t i = 0; i < end; i++) {
            train->token[row] = seq->token[i];
            train->position[row] = (af_index)i;
            if (i >= first) {
                train->query_row[query] = (af_index)row;
                train->target[query] = seq->target[i];
                query++;
            }
            row++;
        }
    }
    train->row_start[n_sequences] = (af_index)row;
    train->query_start[n_sequences] = (af_index)query;
}

/// The rows of one block. Every row has a key and a value; the queries are all rows, or in the last block a part.
struct rows {
    size_t n;                    // rows
    size_t n_queries;            // queries
    const af_index *query_row;   // row of each query; NULL: query r is row r
    const af_index *row_start;   // first row of each sequence
    const af_index *query_start; // first query of each sequence
};

static struct rows rows_of(const struct af_train *const train, const size_t block, const size_t n_sequences) {
    struct rows rows;
    const bool last = block == AF_BLOCKS - 1;
    rows.row_start = train->row_start;
    rows.query_start = last ? train->query_start : train->row_start;
    rows.query_row = last ? train->query_row : NULL;
    rows.n = rows.row_start[n_sequences];
    rows.n_queries = rows.query_start[n_sequences];
    return rows;
}

static void clear(af_real *const x, const size_t n) {
    for (size_t i = 0; i < n; i++) {
        x[i] = 0;
    }
}

// --------------------------------------------------------------------------------------------------------- forward

/// Residual stream out of block b.
static af_real *block_output(struct af_train *const train, const size_t b) {
    return b + 1 < AF_BLOCKS ? train->block[b + 1].x[0] : train->x_out[0];
}

/// x = x + Attn(LN(x));  x = x + MLP(LN(x))
static void block_forward(struct af_train *const train, const struct af_block_weights *const w, const size_t b,
                          const size_t n_sequences) {
    struct af_saved_block *const a = &train->block[b];
    const struct rows rows = rows_of(train, b, n_sequences);
    const size_t n = rows.n;
    const size_t m = rows.n_queries;
    af_real *const y = block_output(train, b);

    af_layernorm_forward(a->ln1[0], a->ln1_mean, a->ln1_rstd, a->x[0], w->ln1_g, w->ln1_b, n);
    af_linear_forward(a->q[0], a->ln1[0], rows.query_row, w->qkv_w[0], w->qkv_b, m, AF_DIM, AF_DIM);
    af_linear_forward(a->kv[0], a->ln1[0], NULL, w->qkv_w[AF_DIM], &w->qkv_b[AF_DIM], n, AF_DIM, 2 * AF_DIM);
    for (size_t s = 0; s < n_sequences; s++) {
        const size_t r = rows.row_start[s];
        const size_t i = rows.query_start[s];
        const size_t n_s = rows.row_start[s + 1] - r;
        const size_t m_s = rows.query_start[s + 1] - i;
        af_attention_forward(a->heads[i], a->att[i][0], a->q[i], a->kv[r], n_s - m_s, m_s);
    }
    af_linear_forward(a->x_mid[0], a->heads[0], NULL, w->out_w[0], w->out_b, m, AF_DIM, AF_DIM);
    af_residual(a->x_mid[0], a->x[0], rows.query_row, m);

    af_layernorm_forward(a->ln2[0], a->ln2_mean, a->ln2_rstd, a->x_mid[0], w->ln2_g, w->ln2_b, m);
    af_linear_forward(a->ff_in[0], a->ln2[0], NULL, w->ff1_w[0], w->ff1_b, m, AF_DIM, AF_FF);
    af_gelu_forward(a->ff_act[0], a->ff_in[0], m * AF_FF);
    af_linear_forward(y, a->ff_act[0], NULL, w->ff2_w[0], w->ff2_b, m, AF_FF, AF_DIM);
    af_residual(y, a->x_mid[0], NULL, m);
}

void af_pass_forward(struct af_train *const train, const struct af_weights *const weight, const size_t n_sequences,
                     const size_t stage) {
    if (stage == 0) {
        af_embedding_forward(train->block[0].x[0], weight->tok[0], weight->pos[0], train->token, train->position,
                             train->row_start[n_sequences]);
    } else if (stage <= AF_BLOCKS) {
        block_forward(train, &weight->block[stage - 1], stage - 1, n_sequences);
    } else {
        const size_t m = train->query_start[n_sequences];
        af_layernorm_forward(train->lnf[0], train->lnf_mean, train->lnf_rstd, train->x_out[0], weight->lnf_g,
                             weight->lnf_b, m);
        af_linear_forward(train->logits[0], train->lnf[0], NULL, weight->head_w[0], weight->head_b, m, AF_DIM,
                          AF_VOCAB);
    }
}

af_real af_pass_loss(struct af_train *const train, const size_t n_sequences, const af_real inverse_count,
                     const af_real loss_sum) {
    return af_cross_entropy(train->d_logits[0], train->logits[0], train->target, inverse_count, loss_sum,
                            train->query_start[n_sequences]);
}

// -------------------------------------------------------------------------------------------------------- backward

/// block_forward's calls in reverse. On entry d_x is the gradient of the block's output, on return of its input.
static void block_backward(struct af_train *const train, struct af_block_weights *const d_w,
                           const struct af_block_weights *const w, const size_t b, const size_t n_sequences) {
    const struct af_saved_block *const a = &train->block[b];
    const struct rows rows = rows_of(train, b, n_sequences);
    const size_t n = rows.n;
    const size_t m = rows.n_queries;
    af_real *const d_x = train->d_x[0];
    af_real *const d_branch = train->d_branch[0];

    struct af_backward_ff *const ff = &train->part.ff;
    clear(ff->d_ff[0], m * AF_FF);
    af_linear_backward(ff->d_ff[0], d_w->ff2_w[0], d_w->ff2_b, d_x, a->ff_act[0], NULL, w->ff2_w[0], m, AF_FF, AF_DIM);
    af_gelu_backward(ff->d_ff[0], ff->d_ff[0], a->ff_in[0], m * AF_FF);
    clear(d_branch, m * AF_DIM);
    af_linear_backward(d_branch, d_w->ff1_w[0], d_w->ff1_b, ff->d_ff[0], a->ln2[0], NULL, w->ff1_w[0], m, AF_DIM,
                       AF_FF);
    af_layernorm_backward(d_x, d_w->ln2_g, d_w->ln2_b, d_branch, a->x_mid[0], a->ln2_mean, a->ln2_rstd, w->ln2_g, m);

    struct af_backward_attention *const att = &train->part.attention;
    clear(d_branch, m * AF_DIM);
    af_linear_backward(d_branch, d_w->out_w[0], d_w->out_b, d_x, a->heads[0], NULL, w->out_w[0], m, AF_DIM, AF_DIM);
    clear(att->d_q[0], m * AF_DIM);
    clear(att->d_kv[0], n * 2 * AF_DIM);
    for (size_t s = 0; s < n_sequences; s++) {
        const size_t r = rows.row_start[s];
        const size_t i = rows.query_start[s];
        const size_t n_s = rows.row_start[s + 1] - r;
        const size_t m_s = rows.query_start[s + 1] - i;
        af_attention_backward(att->d_q[i], att->d_kv[r], att->d_att, train->d_branch[i], a->att[i][0], a->q[i],
                              a->kv[r], n_s - m_s, m_s);
    }
    clear(d_branch, n * AF_DIM);
    af_linear_backward(d_branch, d_w->qkv_w[0], d_w->qkv_b, att->d_q[0], a->ln1[0], rows.query_row, w->qkv_w[0], m,
                       AF_DIM, AF_DIM);
    af_linear_backward(d_branch, d_w->qkv_w[AF_DIM], &d_w->qkv_b[AF_DIM], att->d_kv[0], a->ln1[0], NULL,
                       w->qkv_w[AF_DIM], n, AF_DIM, 2 * AF_DIM);
    if (rows.query_row != NULL) {
        af_residual_backward(d_x, rows.query_row, m, n);
    }
    af_layernorm_backward(d_x, d_w->ln1_g, d_w->ln1_b, d_branch, a->x[0], a->ln1_mean, a->ln1_rstd, w->ln1_g, n);
}

void af_pass_backward(struct af_train *const train, struct af_weights *const grad,
                      const struct af_weights *const weight, const size_t n_sequences, const size_t stage) {
    if (stage == 0) {
        const size_t m = train->query_start[n_sequences];
        clear(train->d_branch[0], m * AF_DIM);
        clear(train->d_x[0], m * AF_DIM);
        af_linear_backward(train->d_branch[0], grad->head_w[0], grad->head_b, train->d_logits[0], train->lnf[0], NULL,
                           weight->head_w[0], m, AF_DIM, AF_VOCAB);
        af_layernorm_backward(train->d_x[0], grad->lnf_g, grad->lnf_b, train->d_branch[0], train->x_out[0],
                              train->lnf_mean, train->lnf_rstd, weight->lnf_g, m);
    } else if (stage <= AF_BLOCKS) {
        const size_t b = AF_BLOCKS - stage;
        block_backward(train, &grad->block[b], &weight->block[b], b, n_sequences);
    } else {
        af_embedding_backward(grad->tok[0], grad->pos[0], train->d_x[0], train->token, train->position,
                              train->row_start[n_sequences]);
    }
}

// ------------------------------------------------------------------------------------------------------ in one call

af_status af_forward(struct af_train *const train, const struct af_weights *const weight,
                     const struct af_sequence *const sequence, const size_t n_sequences, const enum af_extent extent) {
    if (train == NULL || weight == NULL || sequence == NULL) {
        return AF_ERR_NULL;
    }
    if (n_sequences > AF_MICRO_BATCH) {
        return AF_ERR_COUNT;
    }
    for (size_t s = 0; s < n_sequences; s++) {
        uint32_t n_targets = 0;
        const af_status status = af_sequence_check(&sequence[s], &n_targets);
        if (status != AF_OK) {
            return status;
        }
    }
    af_pass_load(train, sequence, n_sequences, extent);
    for (size_t stage = 0; stage < AF_BLOCKS + 2; stage++) {
        af_pass_forward(train, weight, n_sequences, stage);
    }
    return AF_OK;
}

#endif
