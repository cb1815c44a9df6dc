// SPDX-License-Identifier: MIT
// Forward through the model, stage by stage.
#define AF_FILE_forward 0, AF_OWN
#include "af_inner_liberties.h"
#include "af_inner_reader.h"
#include "af_stage.h"

#if AF_TRAINING

void af_stage_linear_forward(const struct af_stage *const stage, af_real *const y, const af_real *const x,
                             const enum af_layer_name name, const size_t n) {
    const struct af_layer layer = af_layer_of(&stage->reader, name, stage->block);
    stage->k->linear_forward(y, x, &layer, n);
}

static void embedding_forward(void *const work, const size_t piece, const size_t worker) {
    const struct af_stage *const g = (const struct af_stage *)work;
    struct af_train *const t = g->train;
    const struct af_weights *const w = g->reader.weight;
    const struct af_stage_rows rows = af_stage_rows_of(g, piece);
    (void)worker;
    af_embedding_forward(t->block[0].x[rows.r0], w->tok[0], w->pos[0], &t->token[rows.r0], &t->position[rows.r0],
                         rows.n);
}

static void norm_forward(const struct af_stage *const g, af_real *const y, const af_real *const x,
                         const enum af_norm_name name, const size_t r, const size_t n) {
    const struct af_norm norm = af_norm_of(g, name, r);
    g->k->layernorm_forward(y, norm.mean, norm.rstd, x, norm.g, norm.b, n);
}

/// q, k, v = LN(x) W + b, or x W + b, for the rows of a piece.
static void projection_forward(const struct af_stage *const g, const struct af_stage_rows *const rows) {
    struct af_train *const t = g->train;
    af_saved *const a = AF_SAVED_OF(t, g->block);
    size_t q = rows->q0;
    for (size_t i = 0; i < rows->n; i += AF_CHUNK_ROWS) {
        const size_t r = rows->r0 + i;
        const size_t n = af_chunk(i, rows->n);
        const size_t m = af_queries_below(rows, q, r + n);
        af_real *const attended = AF_ATTENDED(t, g->block, r);
        if (!AF_POST_NORM) {
            norm_forward(g, attended, t->block[g->block].x[r], AF_NORM_FIRST, r, n);
        }
        af_stage_linear_forward(g, a->kv[r], attended, AF_LAYER_KV, n);
        if (rows->query_row == NULL) {
            af_stage_linear_forward(g, a->q[q], attended, AF_LAYER_Q, m);
        } else { // a->heads is free until attention fills it
            af_rows_gather(a->heads[q], attended, &rows->query_row[q], r, m);
            af_stage_linear_forward(g, a->q[q], a->heads[q], AF_LAYER_Q, m);
        }
        q += m;
    }
}

void af_stage_attention_forward(void *const work, const size_t piece, const size_t worker) {
    const struct af_stage *const g = (const struct af_stage *)work;
    struct af_train *const t = g->train;
    af_saved *const a = AF_SAVED_OF(t, g->block);
    const struct af_stage_rows rows = af_stage_rows_of(g, piece);
    const size_t q = rows.q0;

    projection_forward(g, &rows);
    for (size_t s = rows.s0; s < rows.s1; s++) {
        const struct af_stage_span span = af_stage_span_of(&rows, s);
        g->k->attention_forward(a->heads[span.q], a->att[span.q][0], t->scratch[worker], a->q[span.q], a->kv[span.r],
                                span.first, span.n, span.n_keys);
    }
    af_stage_linear_forward(g, a->x_mid[q], a->heads[q], AF_LAYER_OUT, rows.m);
    if (!AF_RESIDUAL) {
        return;
    }
    if (rows.query_row != NULL) {
        af_residual(a->x_mid[q], t->block[g->block].x[0], &rows.query_row[q], rows.m);
    } else {
        af_residual(a->x_mid[q], t->block[g->block].x[rows.r0], NULL, rows.m);
    }
}

void af_stage_hidden_forward(const struct af_stage *const stage, const size_t q, const size_t n) {
    const af_saved *const a = AF_SAVED_OF(stage->train, stage->block);
    const struct af_mlp mlp = af_mlp_of(stage->train, stage->block, q);
    norm_forward(stage, mlp.ln2, a->x_mid[q], AF_NORM_BETWEEN, q, n);
    af_stage_linear_forward(stage, mlp.ff_in, mlp.ln2, AF_LAYER_FF1, n);
    stage->k->gelu_forward(mlp.ff_act, mlp.ff_cdf, mlp.ff_in, n * AF_FF);
}

/// The MLP of n queries from q on, after its hidden layer: y, what the block hands on.
static void output_forward(const struct af_stage *const g, af_real *const y, const size_t q, const size_t n) {
    const af_saved *const a = AF_SAVED_OF(g->train, g->block);
    const struct af_mlp mlp = af_mlp_of(g->train, g->block, q);
#if AF_POST_NORM
    af_real *const sum = g->train->block[g->block].x_end[q];
    const af_real *const x = mlp.ln2;
    (void)a;
#else
    af_real *const sum = y;
    const af_real *const x = a->x_mid[q];
#endif
    af_stage_linear_forward(g, sum, mlp.ff_act, AF_LAYER_FF2, n);
    if (AF_RESIDUAL) {
        af_residual(sum, x, NULL, n);
    }
    if (AF_POST_NORM) {
        norm_forward(g, y, sum, AF_NORM_SECOND, q, n);
    }
}

/// x = x + Attn(LN(x));  x = x + MLP(LN(x)).  With AF_POST_NORM: x = LN(x + Attn(x));  x = LN(x + MLP(x)).
static void block_forward(void *const work, const size_t piece, const size_t worker) {
    const struct af_stage *const g = (const struct af_stage *)work;
    struct af_train *const t = g->train;
    const struct af_stage_rows rows = af_stage_rows_of(g, piece);

    af_stage_attention_forward(work, piece, worker);
    for (size_t i = 0; i < rows.m; i += AF_CHUNK_ROWS) {
        const size_t q = rows.q0 + i;
        const size_t n = af_chunk(i, rows.m);
        af_real *const y = g->block + 1 < AF_BLOCKS ? t->block[g->block + 1].x[q] : t->x_out[q];
        af_stage_hidden_forward(g, q, n);
        output_forward(g, y, q, n);
    }
}

/// logits = LN(x) W + b
static void head_forward(void *const work, const size_t piece, const size_t worker) {
    const struct af_stage *const g = (const struct af_stage *)work;
    struct af_train *const t = g->train;
    const struct af_weights *const w = g->reader.weight;
    const struct af_stage_rows rows = af_stage_rows_of(g, piece);
    (void)worker;
    for (size_t i = 0; i < rows.m; i += AF_CHUNK_ROWS) {
        const size_t q = rows.q0 + i;
        const size_t n = af_chunk(i, rows.m);
        af_real *const lnf = AF_LNF(t, q);
        g->k->layernorm_forward(lnf, &t->lnf_mean[q], &t->lnf_rstd[q], t->x_out[q], w->lnf_g, w->lnf_b, n);
        af_stage_linear_forward(g, t->logits[q], lnf, AF_LAYER_HEAD, n);
    }
}

af_status af_pass_forward(const struct af_model *const model, const size_t n_sequences, const size_t stage) {
    const size_t block = stage == 0 ? 0 : stage <= AF_BLOCKS ? stage - 1 : AF_BLOCKS - 1;
    struct af_stage g = af_stage_of(model, n_sequences, block);
    af_stage_run_by_sequences(&g, stage == 0 ? embedding_forward : stage <= AF_BLOCKS ? block_forward : head_forward);
    return g.mode;
}

static void loss_of_piece(void *const work, const size_t piece, const size_t worker) {
    const struct af_stage *const g = (const struct af_stage *)work;
    struct af_train *const t = g->train;
    const struct af_stage_rows rows = af_stage_rows_of(g, piece);
    const size_t q = rows.q0;
    (void)worker;
    af_cross_entropy(AF_D_LOGITS(t)[q], &t->loss[q], t->logits[q], &t->target[q], g->inverse_count, rows.m);
}

af_status af_pass_loss(const struct af_model *const model, const size_t n_sequences, const af_real inverse_count,
                       af_real *const loss_sum) {
    struct af_stage g = af_stage_of(model, n_sequences, AF_BLOCKS - 1);
    g.inverse_count = inverse_count;
    af_stage_run_by_sequences(&g, loss_of_piece);
    const size_t m = af_stage_all_rows(&g).m;
    for (size_t q = 0; q < m; q++) {
        *loss_sum += g.train->loss[q];
    }
    return g.mode;
}

af_status af_liberties_forward(const volatile af_real *const v) {
    return af_liberties(v);
}

#endif

#include "af_inner_export.h"
