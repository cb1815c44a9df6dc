// SPDX-License-Identifier: MIT
// Greedy decoding, a few rows at a time, on the same kernels as training.
#define AF_FILE_decode 0, AF_OWN
#include "af_check.h"
#include "af_crc32c.h"
#include "af_decode.h"
#include "af_inner_block.h"
#include "af_inner_kernels.h"
#include "af_inner_reader.h"
#include "af_inner_regions.h"
#include "af_train.h"

/// Whether decoding may be opened: the statuses of af_decode_open(), but for those of the floating-point mode.
static af_status open_check(const struct af_model *const model) {
    if (model->weight == NULL || model->work == NULL) {
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
    return AF_OK;
}

af_status af_decode_open(const struct af_model *const model, struct af_decode **const decode) {
    if (model == NULL || decode == NULL) {
        return AF_ERR_NULL;
    }
    af_status status = open_check(model);
    if (status == AF_OK) {
        status = af_float_check();
    }
    if (status == AF_OK) {
        status = af_pack_weights(model);
    }
    if (status != AF_OK) {
        return status;
    }
    *decode = &model->work->decode;
    af_decode_reset(*decode);
    return AF_OK;
}

void af_decode_reset(struct af_decode *const decode) {
    decode->n_tokens[0] = 0;
}

#if AF_TRAINING
/// Writes which weights the reader's are: the low 32 bits of the run of their training, and its step; 0 where nobody trains
/// them. Two runs that are 2^32 resets apart are taken for one.
static void trained_by(af_index trained[4], const struct af_progress *const p) {
    const uint32_t run = p == NULL ? 0 : (uint32_t)p->run;
    const uint32_t step = p == NULL ? 0 : p->step;
    trained[0] = (af_index)(run & 0xFFFFU);
    trained[1] = (af_index)(run >> 16);
    trained[2] = (af_index)(step & 0xFFFFU);
    trained[3] = (af_index)(step >> 16);
}
#endif

/// Whether the reader's weights, packed ones too, are those of one step.
static bool are_weights_whole(const struct af_reader *const reader) {
#if AF_TRAINING
    const struct af_progress *const p = reader->progress;
    if (p == NULL) {
        return true;
    }
    switch (p->phase) {
    case AF_TRAIN_IDLE:
    case AF_TRAIN_OPEN:
    case AF_TRAIN_PASS:
    case AF_TRAIN_CHECK:
        return p->is_packed != 0 || !af_kernels_of(reader)->needs_packed;
    default:
        return false;
    }
#else
    (void)reader;
    return true;
#endif
}

/// Whether the tokens that `d` holds went through the reader's weights.
static bool are_tokens_of(const struct af_decode *const d, const struct af_reader *const reader) {
#if AF_TRAINING
    af_index trained[4];
    trained_by(trained, reader->progress);
    bool is_same = true;
    for (size_t i = 0; i < 4; i++) {
        is_same = is_same & (d->trained[i] == trained[i]);
    }
    return is_same || d->n_tokens[0] == 0 || reader->progress == NULL;
#else
    (void)d;
    (void)reader;
    return true;
#endif
}

/// Rows at hand, which follow the tokens so far, in the block at hand.
struct decoding {
    struct af_decode *d;
    struct af_block block;
    struct af_rows rows;
};

#if AF_DECODE_ROWS > 1
#define AFI_SCRATCH(d) ((d)->scratch)
#else
#define AFI_SCRATCH(d) NULL
#endif

/// Numbers that a layer norm leaves and nobody reads.
struct statistics {
    af_real mean[AF_DECODE_ROWS];
    af_real rstd[AF_DECODE_ROWS];
};

static struct af_block_acts acts_at_hand(const struct decoding *const g, struct statistics *const s) {
    struct af_decode *const d = g->d;
    const size_t q = g->rows.q;
    const struct af_block_acts a = {
        .x = d->x[0],
        .x_q = d->x[q],
        .ln1 = AF_POST_NORM ? d->x[0] : d->norm[0],
        .ln1_q = AF_POST_NORM ? d->x[q] : d->norm[q],
        .q = d->q[q],
        .kv = d->block[g->block.number].kv[d->n_tokens[0]],
        .heads = d->heads[q],
        .x_mid = d->branch[q],
        .ln2 = d->norm[q],
        .ff_in = d->ff[q],
        .ff_act = d->ff[q],
        .sum = AF_POST_NORM ? d->branch[q] : d->x[q],
        .y = d->x[q],
        .stats1 = {s->mean, s->rstd},
        .stats2 = {s->mean, s->rstd},
    };
    return a;
}

AF_OWN_FRAME static void project_rows(const struct decoding *const g) {
    struct statistics s;
    const struct af_block_acts a = acts_at_hand(g, &s);
    af_block_take(&g->block, &a, &g->rows);
    af_block_project(&g->block, &a, &g->rows);
}

static void attend_rows(const struct decoding *const g) {
    struct af_decode *const d = g->d;
    const struct af_attention_acts a = {
        .q = d->q[g->rows.q],
        .kv = d->block[g->block.number].kv[0],
        .att = d->att[g->rows.q][0],
        .heads = d->heads[g->rows.q],
    };
    const struct af_span span = {
        .q = 0, .n = g->rows.m, .first = d->n_tokens[0] + g->rows.q, .r = 0, .n_keys = d->n_tokens[0] + g->rows.n};
    af_block_attend(&g->block, &a, &span, AFI_SCRATCH(d));
}

AF_OWN_FRAME static void finish_rows(const struct decoding *const g) {
    struct statistics s;
    const struct af_block_acts a = acts_at_hand(g, &s);
    af_block_mix(&g->block, &a, &g->rows);
    af_block_hidden(&g->block, &a, g->rows.m);
    af_block_output(&g->block, &a, g->rows.m);
}

/// The logits after row `row`.
AF_OWN_FRAME static void logits_after(const struct decoding *const g, const size_t row) {
    struct af_decode *const d = g->d;
    struct statistics s;
    const struct af_output_acts a = {
        .x = d->x[row], .lnf = d->norm[row], .logits = d->logits, .stats = {s.mean, s.rstd}};
    af_output_norm(&g->block, &a, 1);
    af_output_logits(&g->block, &a, 1);
}

/// Puts n tokens into the rows from `row` on, of which row 0 is the next token.
static void embed(struct af_decode *const d, const struct af_weights *const weight, const af_token *const token,
                  const size_t row, const size_t n) {
    for (size_t r = 0; r < n; r++) {
        const af_index position = (af_index)(d->n_tokens[0] + row + r);
        af_embedding_forward(d->x[row + r], weight->tok[0], weight->pos[0], &token[r], &position, 1);
    }
}

/// Appends the n tokens, at most AF_DECODE_ROWS, that are embedded; the logits are those after the last one, if they
/// are wanted. Returns false, and appends nothing, if they are not finite.
static bool push_rows(struct af_decode *const d, const struct af_reader *const reader, const size_t n,
                      const bool wants_logits) {
    struct decoding g = {
        .d = d,
        .block = {reader, af_kernels_of(reader), 0},
        .rows = {.r = 0, .n = n, .q = 0, .m = n, .query_row = NULL},
    };
    for (; g.block.number < AF_BLOCKS; g.block.number++) {
        if (g.block.number == AF_BLOCKS - 1 && !AF_SOFTMAX_QUERIES) { // else every query has a part in every weight
            g.rows.q = n - 1;
            if (wants_logits) {
                g.rows.m = 1;
            } else {
                g.rows.m = 0;
            }
        }
        project_rows(&g);
        if (g.rows.m > 0) {
            attend_rows(&g);
            finish_rows(&g);
        }
    }
    if (wants_logits) {
        logits_after(&g, n - 1);
        if (!af_finite(d->logits, AF_VOCAB)) {
            return false;
        }
    }
#if AF_TRAINING
    trained_by(d->trained, reader->progress);
#endif
    d->n_tokens[0] = (af_index)(d->n_tokens[0] + n);
    return true;
}

/// AF_OK if the memory is there, the reader has what its kernels read, and both are aligned.
static af_status check_pointers(const struct af_decode *const d, const struct af_reader *const reader) {
    if (d == NULL || reader == NULL || reader->weight == NULL ||
        (af_kernels_of(reader)->needs_packed && reader->packed == NULL)) {
        return AF_ERR_NULL;
    }
    return ((uintptr_t)d | (uintptr_t)reader->weight) % AF_ALIGN_OF_REAL == 0 ? AF_OK : AF_ERR_ALIGN;
}

/// Checks a token and whether it may come next; the statuses are those of af_decode_push().
static af_status token_check(const struct af_decode *const d, const struct af_reader *const reader,
                             const af_token token) {
    if (token >= AF_VOCAB) {
        return AF_ERR_TOKEN;
    }
    if (d->n_tokens[0] >= AF_CONTEXT) {
        return AF_ERR_CONTEXT_FULL;
    }
    if (!AF_CAN_CACHE) {
        return AF_ERR_NO_CACHE;
    }
    return are_weights_whole(reader) && are_tokens_of(d, reader) ? AF_OK : AF_ERR_ORDER;
}

af_status af_decode_push(struct af_decode *const d, const struct af_reader *const reader, const af_token token) {
    af_status status = check_pointers(d, reader);
    if (status == AF_OK) {
        status = token_check(d, reader, token);
    }
    if (status == AF_OK) {
        status = af_float_check();
    }
    if (status != AF_OK) {
        return status;
    }
    embed(d, reader->weight, &token, 0, 1);
    return push_rows(d, reader, 1, true) ? AF_OK : AF_ERR_NOT_FINITE;
}

/// Checks the prompt and n_out; the statuses are those of af_decode_greedy().
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

/// Starts with a prompt. False if its logits are not finite, as in the next function.
static bool push_prompt(struct af_decode *const d, const struct af_reader *const reader, const af_token *const prompt,
                        const size_t n_prompt) {
    bool is_finite = false;
    af_decode_reset(d);
    for (size_t i = 0; i < n_prompt; i += AF_DECODE_ROWS) {
        const size_t n = n_prompt - i < AF_DECODE_ROWS ? n_prompt - i : AF_DECODE_ROWS;
        embed(d, reader->weight, &prompt[i], 0, n);
        is_finite = push_rows(d, reader, n, i + n == n_prompt);
    }
    return is_finite;
}

/// Appends the last of n_out tokens, which follow a prompt.
static bool push_answer(struct af_decode *const d, const struct af_reader *const reader, const af_token *const prompt,
                        const size_t n_prompt, const af_token *const out, const size_t n_out) {
    if (AF_CAN_CACHE) {
        embed(d, reader->weight, &out[n_out - 1], 0, 1);
        return push_rows(d, reader, 1, true);
    }
    // The new token changes the rows before it: all of them again.
    af_decode_reset(d);
    embed(d, reader->weight, prompt, 0, n_prompt);
    embed(d, reader->weight, out, n_prompt, n_out);
    return push_rows(d, reader, n_prompt + n_out, true);
}

/// What af_decode_greedy() does, once all is checked.
static af_status generate(af_token *const out, struct af_decode *const d, const struct af_reader *const reader,
                          const af_token *const prompt, const size_t n_prompt, const size_t n_out) {
    bool is_finite = push_prompt(d, reader, prompt, n_prompt);
    for (size_t i = 0; i < n_out && is_finite; i++) {
        out[i] = (af_token)af_argmax(d->logits, AF_VOCAB);
        if (i + 1 < n_out) {
            is_finite = push_answer(d, reader, prompt, n_prompt, out, i + 1);
        }
    }
    return is_finite ? AF_OK : AF_ERR_NOT_FINITE;
}

af_status af_decode_greedy(af_token *const out, struct af_decode *const decode, const struct af_reader *const reader,
                           const af_token *const prompt, const size_t n_prompt, const size_t n_out) {
    if (prompt == NULL || (out == NULL && n_out > 0)) {
        return AF_ERR_NULL;
    }
    af_status status = check_pointers(decode, reader);
    if (status == AF_OK) {
        status = prompt_check(prompt, n_prompt, n_out);
    }
    if (status == AF_OK) {
        status = af_float_check();
    }
    if (status != AF_OK) {
        return status;
    }
    return are_weights_whole(reader) ? generate(out, decode, reader, prompt, n_prompt, n_out) : AF_ERR_ORDER;
}

#include "af_inner_export.h"
