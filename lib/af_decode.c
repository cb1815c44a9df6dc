// SPDX-License-Identifier: MIT
// Greedy decoding, row by row, on the same kernels as training.
#include "af_decode.h"
#include "af_train.h"

af_status af_decode_open(const struct af_model *const model, struct af_decode **const decode) {
    if (model == NULL || model->weight == NULL || model->work == NULL || decode == NULL) {
        return AF_ERR_NULL;
    }
#if AF_PACKED
    if (model->packed == NULL) {
        return AF_ERR_NULL;
    }
#endif
#if AF_TRAINING
    if (model->state == NULL) {
        return AF_ERR_NULL;
    }
    if (model->state->progress[0].phase != AF_TRAIN_IDLE) {
        return AF_ERR_ORDER;
    }
#endif
    af_pack_weights(model);
    *decode = &model->work->decode;
    af_decode_reset(*decode);
    return AF_OK;
}

void af_decode_reset(struct af_decode *const decode) {
    decode->n_tokens[0] = 0;
}

static void linear(const struct af_reader *const reader, af_real *const y, const af_real *const x,
                   const enum af_layer_name name, const size_t b) {
    const struct af_layer layer = af_layer_of(reader, name, b);
    af_kernels_of(reader)->linear_forward(y, x, &layer, 1);
}

/// A block for one row: x = x + Attn(LN(x));  x = x + MLP(LN(x)). `position` is the row's.
static void block_row(struct af_decode *const d, const struct af_reader *const reader, const size_t b,
                      const size_t position) {
    const struct af_block_weights *const w = &reader->weight->block[b];
    af_real mean = 0;
    af_real rstd = 0;
    af_layernorm_forward(d->norm, &mean, &rstd, d->x, w->ln1_g, w->ln1_b, 1);
    linear(reader, d->q, d->norm, AF_LAYER_Q, b);
    linear(reader, d->block[b].kv[position], d->norm, AF_LAYER_KV, b);
    af_kernels_of(reader)->attention_forward(d->heads, d->att[0], NULL, d->q, d->block[b].kv[0], position, 1);
    linear(reader, d->branch, d->heads, AF_LAYER_OUT, b);
    af_residual(d->branch, d->x, NULL, 1);

    af_layernorm_forward(d->norm, &mean, &rstd, d->branch, w->ln2_g, w->ln2_b, 1);
    linear(reader, d->ff, d->norm, AF_LAYER_FF1, b);
    af_kernels_of(reader)->gelu_forward(d->ff, NULL, d->ff, AF_FF);
    linear(reader, d->x, d->ff, AF_LAYER_FF2, b);
    af_residual(d->x, d->branch, NULL, 1);
}

af_status af_decode_push(struct af_decode *const d, const struct af_reader *const reader, const af_token token) {
    if (d == NULL || reader == NULL || reader->weight == NULL) {
        return AF_ERR_NULL;
    }
    if (af_kernels_of(reader)->needs_packed && reader->packed == NULL) {
        return AF_ERR_NULL;
    }
    if (token >= AF_VOCAB) {
        return AF_ERR_TOKEN;
    }
    const af_index position = d->n_tokens[0];
    if (position >= AF_CONTEXT) {
        return AF_ERR_CONTEXT_FULL;
    }
    const struct af_weights *const weight = reader->weight;
    af_embedding_forward(d->x, weight->tok[0], weight->pos[0], &token, &position, 1);
    for (size_t b = 0; b < AF_BLOCKS; b++) {
        block_row(d, reader, b, position);
    }
    af_real mean = 0;
    af_real rstd = 0;
    af_layernorm_forward(d->norm, &mean, &rstd, d->x, weight->lnf_g, weight->lnf_b, 1);
    linear(reader, d->logits, d->norm, AF_LAYER_HEAD, 0);
    d->n_tokens[0] = (af_index)(position + 1);
    return AF_OK;
}

af_status af_decode_greedy(af_token *const out, struct af_decode *const decode, const struct af_reader *const reader,
                           const af_token *const prompt, const size_t n_prompt, const size_t n_out) {
    if (decode == NULL || reader == NULL || reader->weight == NULL || prompt == NULL || (out == NULL && n_out > 0) ||
        (af_kernels_of(reader)->needs_packed && reader->packed == NULL)) {
        return AF_ERR_NULL;
    }
    if (n_prompt == 0) {
        return AF_ERR_LENGTH;
    }
    if (n_prompt > AF_CONTEXT || n_out > AF_CONTEXT + 1 - n_prompt) {
        return AF_ERR_CONTEXT_FULL;
    }
    for (size_t i = 0; i < n_prompt; i++) {
        if (prompt[i] >= AF_VOCAB) {
            return AF_ERR_TOKEN;
        }
    }
    af_decode_reset(decode);
    af_status status = AF_OK;
    for (size_t i = 0; i < n_prompt && status == AF_OK; i++) {
        status = af_decode_push(decode, reader, prompt[i]);
    }
    for (size_t i = 0; i < n_out && status == AF_OK; i++) {
        out[i] = (af_token)af_argmax(decode->logits, AF_VOCAB);
        if (i + 1 < n_out) {
            status = af_decode_push(decode, reader, out[i]);
        }
    }
    return status;
}
