// SPDX-License-Identifier: MIT
// Greedy decoding, a few rows at a time, on the same kernels as training.
#define AF_FILE_decode 0, AF_OWN
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
#endif
    if (af_regions_check(model) != AF_OK) {
        return AF_ERR_ALIGN;
    }
#if AF_TRAINING
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

/// Rows at hand: n tokens, the first of them at `position`. The last block computes queries for those from `first` on.
struct decoding {
    struct af_decode *d;
    const struct af_reader *reader;
    const struct af_kernels *k;
    size_t position;
    size_t n;
    size_t first;
};

static void linear(const struct decoding *const g, af_real *const y, const af_real *const x,
                   const enum af_layer_name name, const size_t b, const size_t n) {
    const struct af_layer layer = af_layer_of(g->reader, name, b);
    g->k->linear_forward(y, x, &layer, n);
}

static void layernorm(const struct decoding *const g, af_real *const y, const af_real *const x,
                      const af_real *const gain, const af_real *const bias, const size_t n) {
    af_real mean[AF_DECODE_ROWS];
    af_real rstd[AF_DECODE_ROWS];
    g->k->layernorm_forward(y, mean, rstd, x, gain, bias, n);
}

#if AF_DECODE_ROWS > 1
#define AFI_SCRATCH(d) ((d)->scratch)
#else
#define AFI_SCRATCH(d) NULL
#endif

/// The first row whose query block b computes. With AF_SOFTMAX_QUERIES every query has a part in every weight.
#define AFI_FIRST_QUERY(g, b) ((b) == AF_BLOCKS - 1 && !AF_SOFTMAX_QUERIES ? (g)->first : 0)

/// Attention of the queries from row r on.
static void attend(const struct decoding *const g, const size_t b, const size_t r) {
    struct af_decode *const d = g->d;
    g->k->attention_forward(d->heads[r], d->att[r][0], AFI_SCRATCH(d), d->q[r], d->block[b].kv[0], g->position + r,
                            g->n - r, g->position + g->n);
}

/// y += x, a residual connection.
static void add_residual(af_real *const y, const af_real *const x, const size_t n) {
    if (AF_RESIDUAL) {
        af_residual(y, x, NULL, n);
    }
}

#if AF_POST_NORM

/// A block: x = LN(x + Attn(x));  x = LN(x + MLP(x)).
static void block_rows(const struct decoding *const g, const size_t b) {
    const struct af_block_weights *const w = &g->reader->weight->block[b];
    struct af_decode *const d = g->d;
    const size_t r = AFI_FIRST_QUERY(g, b);
    const size_t n = g->n - r;
    linear(g, d->block[b].kv[g->position], d->x[0], AF_LAYER_KV, b, g->n);
    if (n == 0) {
        return;
    }
    linear(g, d->q[r], d->x[r], AF_LAYER_Q, b, n);
    attend(g, b, r);
    linear(g, d->branch[r], d->heads[r], AF_LAYER_OUT, b, n);
    add_residual(d->branch[r], d->x[r], n);
    layernorm(g, d->norm[r], d->branch[r], w->ln1_g, w->ln1_b, n);

    linear(g, d->ff[r], d->norm[r], AF_LAYER_FF1, b, n);
    g->k->gelu_forward(d->ff[r], NULL, d->ff[r], n * AF_FF);
    linear(g, d->branch[r], d->ff[r], AF_LAYER_FF2, b, n);
    add_residual(d->branch[r], d->norm[r], n);
    layernorm(g, d->x[r], d->branch[r], w->ln2_g, w->ln2_b, n);
}

#else

/// A block: x = x + Attn(LN(x));  x = x + MLP(LN(x)). Every row gets a key and a value; what comes after them is
/// computed from row r on.
static void block_rows(const struct decoding *const g, const size_t b) {
    const struct af_block_weights *const w = &g->reader->weight->block[b];
    struct af_decode *const d = g->d;
    const size_t r = AFI_FIRST_QUERY(g, b);
    const size_t n = g->n - r;
    layernorm(g, d->norm[0], d->x[0], w->ln1_g, w->ln1_b, g->n);
    linear(g, d->block[b].kv[g->position], d->norm[0], AF_LAYER_KV, b, g->n);
    if (n == 0) {
        return;
    }
    linear(g, d->q[r], d->norm[r], AF_LAYER_Q, b, n);
    attend(g, b, r);
    linear(g, d->branch[r], d->heads[r], AF_LAYER_OUT, b, n);
    add_residual(d->branch[r], d->x[r], n);

    layernorm(g, d->norm[r], d->branch[r], w->ln2_g, w->ln2_b, n);
    linear(g, d->ff[r], d->norm[r], AF_LAYER_FF1, b, n);
    g->k->gelu_forward(d->ff[r], NULL, d->ff[r], n * AF_FF);
    linear(g, d->x[r], d->ff[r], AF_LAYER_FF2, b, n);
    add_residual(d->x[r], d->branch[r], n);
}

#endif

/// Puts n tokens into the rows from `row` on, of which row 0 is the next token.
static void embed(struct af_decode *const d, const struct af_weights *const weight, const af_token *const token,
                  const size_t row, const size_t n) {
    for (size_t r = 0; r < n; r++) {
        const af_index position = (af_index)(d->n_tokens[0] + row + r);
        af_embedding_forward(d->x[row + r], weight->tok[0], weight->pos[0], &token[r], &position, 1);
    }
}

/// Appends the n tokens, at most AF_DECODE_ROWS, that are embedded; the logits are those after the last one, if they
/// are wanted.
static void push_rows(struct af_decode *const d, const struct af_reader *const reader, const size_t n,
                      const bool wants_logits) {
    const struct af_weights *const weight = reader->weight;
    const size_t last = n - 1;
    const struct decoding g = {d, reader, af_kernels_of(reader), d->n_tokens[0], n, wants_logits ? last : n};
    for (size_t b = 0; b < AF_BLOCKS; b++) {
        block_rows(&g, b);
    }
    if (wants_logits) {
        layernorm(&g, d->norm[last], d->x[last], weight->lnf_g, weight->lnf_b, 1);
        linear(&g, d->logits, d->norm[last], AF_LAYER_HEAD, 0, 1);
    }
    d->n_tokens[0] = (af_index)(g.position + n);
}

/// Whether the reader has what its kernels read.
static bool is_readable(const struct af_reader *const reader) {
    return reader != NULL && reader->weight != NULL && !(af_kernels_of(reader)->needs_packed && reader->packed == NULL);
}

static bool is_aligned(const struct af_decode *const d, const struct af_reader *const reader) {
    return ((uintptr_t)d | (uintptr_t)reader->weight) % AF_ALIGN_OF_REAL == 0;
}

af_status af_decode_push(struct af_decode *const d, const struct af_reader *const reader, const af_token token) {
    if (d == NULL || !is_readable(reader)) {
        return AF_ERR_NULL;
    }
    if (!is_aligned(d, reader)) {
        return AF_ERR_ALIGN;
    }
    if (token >= AF_VOCAB) {
        return AF_ERR_TOKEN;
    }
    if (d->n_tokens[0] >= AF_CONTEXT) {
        return AF_ERR_CONTEXT_FULL;
    }
    if (!AF_CAN_CACHE) {
        return AF_ERR_NO_CACHE;
    }
    embed(d, reader->weight, &token, 0, 1);
    push_rows(d, reader, 1, true);
    return AF_OK;
}

/// What af_decode_greedy() says to its prompt and to how much is wanted.
static af_status prompt_check(const af_token *const prompt, const size_t n_prompt, const size_t n_out) {
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
    return AF_OK;
}

static void push_prompt(struct af_decode *const d, const struct af_reader *const reader, const af_token *const prompt,
                        const size_t n_prompt) {
    af_decode_reset(d);
    for (size_t i = 0; i < n_prompt; i += AF_DECODE_ROWS) {
        const size_t n = n_prompt - i < AF_DECODE_ROWS ? n_prompt - i : AF_DECODE_ROWS;
        embed(d, reader->weight, &prompt[i], 0, n);
        push_rows(d, reader, n, i + n == n_prompt);
    }
}

/// Appends the last of n_out tokens, which follow a prompt.
static void push_answer(struct af_decode *const d, const struct af_reader *const reader, const af_token *const prompt,
                        const size_t n_prompt, const af_token *const out, const size_t n_out) {
    if (AF_CAN_CACHE) {
        embed(d, reader->weight, &out[n_out - 1], 0, 1);
        push_rows(d, reader, 1, true);
    } else { // the new token changes the rows before it: all of them again
        af_decode_reset(d);
        embed(d, reader->weight, prompt, 0, n_prompt);
        embed(d, reader->weight, out, n_prompt, n_out);
        push_rows(d, reader, n_prompt + n_out, true);
    }
}

af_status af_decode_greedy(af_token *const out, struct af_decode *const decode, const struct af_reader *const reader,
                           const af_token *const prompt, const size_t n_prompt, const size_t n_out) {
    if (!is_readable(reader) || decode == NULL || prompt == NULL || (out == NULL && n_out > 0)) {
        return AF_ERR_NULL;
    }
    if (!is_aligned(decode, reader)) {
        return AF_ERR_ALIGN;
    }
    const af_status status = prompt_check(prompt, n_prompt, n_out);
    if (status != AF_OK) {
        return status;
    }
    push_prompt(decode, reader, prompt, n_prompt);
    for (size_t i = 0; i < n_out; i++) {
        out[i] = (af_token)af_argmax(decode->logits, AF_VOCAB);
        if (i + 1 < n_out) {
            push_answer(decode, reader, prompt, n_prompt, out, i + 1);
        }
    }
    return AF_OK;
}

#include "af_export.h"
