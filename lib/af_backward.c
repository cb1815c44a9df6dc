// SPDX-License-Identifier: MIT
// Backward through the model, stage by stage.
#define AF_FILE_backward 0, AF_OWN
#include "af_inner_reader.h"
#include "af_stage.h"

#if AF_TRAINING

static void clear(af_real *const x, const size_t n) {
    for (size_t i = 0; i < n; i++) {
        x[i] = 0;
    }
}

// ------------------------------------------------------------------------------------------------ gradients of weights

/// Outputs of a linear layer whose gradients are a piece: some 4096 weights, and at least one output.
#define AFI_OUTPUTS_PER_PIECE(n_in) ((4096 + (n_in)-1) / (n_in))

/// A linear layer whose gradient is due: n rows of d_y and x.
struct due {
    af_real *d_w;
    af_real *d_b;
    const af_real *d_y;
    const af_real *x;
    size_t n;
    size_t n_in;
    size_t n_out;
};

/// Runs piece `*piece` of a layer's gradient if it belongs to it; otherwise takes the layer's pieces off the number.
static bool take_due(const struct af_stage *const g, const struct due *const due, size_t *const piece) {
    const size_t per_piece = AFI_OUTPUTS_PER_PIECE(due->n_in);
    const size_t n_pieces = (due->n_out + per_piece - 1) / per_piece;
    if (*piece >= n_pieces) {
        *piece -= n_pieces;
        return false;
    }
    const size_t from = *piece * per_piece;
    const size_t n = due->n_out - from < per_piece ? due->n_out - from : per_piece;
    g->k->linear_backward_w(due->d_w, due->d_b, due->d_y, due->x, due->n, due->n_in, due->n_out, from, n);
    return true;
}

#define AFI_PIECES_OF(n_in, n_out) (((n_out) + AFI_OUTPUTS_PER_PIECE(n_in) - 1) / AFI_OUTPUTS_PER_PIECE(n_in))
#define AFI_PIECES_MLP             (AFI_PIECES_OF(AF_FF, AF_DIM) + AFI_PIECES_OF(AF_DIM, AF_FF) + 1)
#define AFI_PIECES_ATTENTION       (AFI_PIECES_OF(AF_DIM, AF_DIM) * 2 + AFI_PIECES_OF(AF_DIM, 2 * AF_DIM) + 1)
#define AFI_PIECES_HEAD            (AFI_PIECES_OF(AF_DIM, AF_VOCAB) + 1)

/// Weights of the MLP and of the layer norm before it, from the queries at hand.
static void mlp_weights(void *const work, size_t piece, const size_t worker) {
    const struct af_stage *const g = (const struct af_stage *)work;
    struct af_train *const t = g->train;
    struct af_block_weights *const d = &g->model->grad->at.block[g->block];
    const af_saved *const a = AF_SAVED_OF(t, g->block);
    const size_t q = g->from;
    const struct af_mlp mlp = af_mlp_of(t, g->block, q);
    const struct due ff2 = {d->ff2_w[0], d->ff2_b, t->d_x[q], mlp.ff_act, g->n, AF_FF, AF_DIM};
    const struct due ff1 = {d->ff1_w[0], d->ff1_b, mlp.d_ff, mlp.ln2, g->n, AF_DIM, AF_FF};
    (void)worker;
    if (!take_due(g, &ff2, &piece) && !take_due(g, &ff1, &piece)) {
        const struct af_norm norm = af_norm_of(g, AF_NORM_BETWEEN, q);
        g->k->layernorm_backward_w(AF_POST_NORM ? d->ln1_g : d->ln2_g, AF_POST_NORM ? d->ln1_b : d->ln2_b,
                                   t->d_branch[q], a->x_mid[q], norm.mean, norm.rstd, g->n);
    }
}

/// Weights of attention and of the layer norm before it, from the rows at hand and the queries among them. With
/// AF_POST_NORM there is none before it.
static void attention_weights(void *const work, size_t piece, const size_t worker) {
    const struct af_stage *const g = (const struct af_stage *)work;
    struct af_train *const t = g->train;
    struct af_backward_attention *const att = &t->part.attention;
    struct af_block_weights *const d = &g->model->grad->at.block[g->block];
    const af_saved *const a = AF_SAVED_OF(t, g->block);
    const size_t r = g->from;
    const size_t q = g->query_from;
    const af_real *const attended = AF_ATTENDED(t, g->block, r);
    const af_real *const queries = g->block == AF_BLOCKS - 1 ? att->d_heads[q] : attended;
    const struct due out = {d->out_w[0], d->out_b, t->d_x[q], a->heads[q], g->n_queries, AF_DIM, AF_DIM};
    const struct due query = {d->qkv_w[0], d->qkv_b, att->d_q[q], queries, g->n_queries, AF_DIM, AF_DIM};
    const struct due kv = {d->qkv_w[AF_DIM], &d->qkv_b[AF_DIM], att->d_kv[r], attended, g->n,
                           AF_DIM,           2 * (size_t)AF_DIM};
    (void)worker;
    if (!take_due(g, &kv, &piece) && !take_due(g, &query, &piece) && !take_due(g, &out, &piece) && !AF_POST_NORM) {
        g->k->layernorm_backward_w(d->ln1_g, d->ln1_b, t->d_branch[r], t->block[g->block].x[r], &a->ln1_mean[r],
                                   &a->ln1_rstd[r], g->n);
    }
}

/// Weights of the output layer and of the final layer norm, from the queries at hand.
static void head_weights(void *const work, size_t piece, const size_t worker) {
    const struct af_stage *const g = (const struct af_stage *)work;
    struct af_train *const t = g->train;
    struct af_weights *const d = &g->model->grad->at;
    const size_t q = g->from;
    const struct due head = {d->head_w[0], d->head_b, AF_D_LOGITS(t)[q], AF_LNF(t, q), g->n, AF_DIM, AF_VOCAB};
    (void)worker;
    if (!take_due(g, &head, &piece)) {
        g->k->layernorm_backward_w(d->lnf_g, d->lnf_b, t->d_branch[q], t->x_out[q], &t->lnf_mean[q], &t->lnf_rstd[q],
                                   g->n);
    }
}

// -------------------------------------------------------------------------------------------- gradients of activations

/// d_x = d_y W, or where it `adds`, d_x += d_y W
static void backward_linear(const struct af_stage *const g, af_real *const d_x, const af_real *const d_y,
                            const enum af_layer_name name, const size_t n, const bool adds) {
    const struct af_layer layer = af_layer_of(&g->reader, name, g->block);
    g->k->linear_backward_x(d_x, d_y, &layer, n, adds);
}

/// Output layer: from d_logits to the gradient of the final layer norm's output, d_branch.
static void head_backward(void *const work, const size_t piece, const size_t worker) {
    const struct af_stage *const g = (const struct af_stage *)work;
    struct af_train *const t = g->train;
    const struct af_stage_rows rows = af_stage_rows_of(g, piece);
    (void)worker;
    backward_linear(g, t->d_branch[rows.q0], AF_D_LOGITS(t)[rows.q0], AF_LAYER_HEAD, rows.m, false);
}

/// Final layer norm: from d_branch to d_x.
static void final_norm_backward(void *const work, const size_t piece, const size_t worker) {
    const struct af_stage *const g = (const struct af_stage *)work;
    struct af_train *const t = g->train;
    const struct af_stage_rows rows = af_stage_rows_of(g, piece);
    const size_t q = rows.q0;
    (void)worker;
    clear(t->d_x[q], rows.m * AF_DIM);
    g->k->layernorm_backward_x(t->d_x[q], t->d_branch[q], t->x_out[q], &t->lnf_mean[q], &t->lnf_rstd[q],
                               g->reader.weight->lnf_g, rows.m);
}

/// MLP: from d_x, the gradient of the block's output, to d_ff and to d_branch, the gradient of ln2's output. A piece by
/// sequences, or where MLPs are computed again, the queries at hand.
static void mlp_backward(void *const work, const size_t piece, const size_t worker) {
    const struct af_stage *const g = (const struct af_stage *)work;
    struct af_train *const t = g->train;
    const struct af_stage_rows rows = af_stage_rows_of(g, piece);
    const size_t q = AF_RECOMPUTE ? g->from : rows.q0;
    const size_t n = AF_RECOMPUTE ? g->n : rows.m;
    const struct af_mlp mlp = af_mlp_of(t, g->block, q);
    (void)worker;
    backward_linear(g, mlp.d_ff, t->d_x[q], AF_LAYER_FF2, n, false);
    g->k->gelu_backward(mlp.d_ff, mlp.d_ff, mlp.ff_in, mlp.ff_cdf, n * AF_FF);
    backward_linear(g, t->d_branch[q], mlp.d_ff, AF_LAYER_FF1, n, false);
    if (AF_POST_NORM && AF_RESIDUAL) { // what the residual connection takes past the MLP comes from the layer norm too
        af_residual(t->d_branch[q], t->d_x[q], NULL, n);
    }
}

/// Attention: from d_x to d_q, d_kv and d_branch, the gradient of what attention took.
static void attention_backward(void *const work, const size_t piece, const size_t worker) {
    const struct af_stage *const g = (const struct af_stage *)work;
    struct af_train *const t = g->train;
    struct af_backward_attention *const att = &t->part.attention;
    const af_saved *const a = AF_SAVED_OF(t, g->block);
    const struct af_stage_rows rows = af_stage_rows_of(g, piece);
    const size_t r = rows.r0;
    const size_t q = rows.q0;

    backward_linear(g, att->d_heads[q], t->d_x[q], AF_LAYER_OUT, rows.m, false);
    clear(att->d_q[q], rows.m * AF_DIM);
    clear(att->d_kv[r], rows.n * 2 * AF_DIM);
    for (size_t s = rows.s0; s < rows.s1; s++) {
        const struct af_stage_span span = af_stage_span_of(&rows, s);
        g->k->attention_backward(att->d_q[span.q], att->d_kv[span.r], t->scratch[worker], att->d_heads[span.q],
                                 a->att[span.q][0], a->q[span.q], a->kv[span.r], span.first, span.n, span.n_keys);
    }
    // The gradient of what attention took: the outputs of q come first, then those of k and v.
    if (rows.query_row != NULL) {
        backward_linear(g, att->d_heads[q], att->d_q[q], AF_LAYER_Q, rows.m, false);
        clear(t->d_branch[r], rows.n * AF_DIM);
        af_rows_scatter(t->d_branch[0], att->d_heads[q], &rows.query_row[q], rows.m);
#if !AF_RECOMPUTE
        af_rows_gather(att->d_heads[q], AF_ATTENDED(t, g->block, 0), &rows.query_row[q], 0, rows.m); // for q's weights
#endif
    } else {
        backward_linear(g, t->d_branch[r], att->d_q[q], AF_LAYER_Q, rows.m, false);
    }
    backward_linear(g, t->d_branch[r], att->d_kv[r], AF_LAYER_KV, rows.n, true);
}

/// The layer norm between attention and MLP: from d_branch to d_x, the gradient of x_mid. A residual connection that
/// goes past the layer norm has its gradient in d_x already.
static void norm_between_backward(void *const work, const size_t piece, const size_t worker) {
    const struct af_stage *const g = (const struct af_stage *)work;
    struct af_train *const t = g->train;
    const af_saved *const a = AF_SAVED_OF(t, g->block);
    const struct af_stage_rows rows = af_stage_rows_of(g, piece);
    const size_t q = rows.q0;
    const struct af_norm norm = af_norm_of(g, AF_NORM_BETWEEN, q);
    (void)worker;
    if (AF_POST_NORM || !AF_RESIDUAL) {
        clear(t->d_x[q], rows.m * AF_DIM);
    }
    g->k->layernorm_backward_x(t->d_x[q], t->d_branch[q], a->x_mid[q], norm.mean, norm.rstd, norm.g, rows.m);
}

/// What came into the block: from d_branch to d_x, through the layer norm if there is one before attention.
static void input_backward(void *const work, const size_t piece, const size_t worker) {
    const struct af_stage *const g = (const struct af_stage *)work;
    struct af_train *const t = g->train;
    const struct af_stage_rows rows = af_stage_rows_of(g, piece);
    const size_t r = rows.r0;
    (void)worker;
    if (!AF_RESIDUAL) {
        clear(t->d_x[r], rows.n * AF_DIM);
    }
    if (AF_POST_NORM) {
        af_residual(t->d_x[r], t->d_branch[r], NULL, rows.n);
    } else {
        const struct af_norm norm = af_norm_of(g, AF_NORM_FIRST, r);
        g->k->layernorm_backward_x(t->d_x[r], t->d_branch[r], t->block[g->block].x[r], norm.mean, norm.rstd, norm.g,
                                   rows.n);
    }
}

#if AF_POST_NORM
/// The layer norm at the end of a block: from d_x, the gradient of its output, kept in d_branch, to that of its input.
static void norm_end_backward(void *const work, const size_t piece, const size_t worker) {
    const struct af_stage *const g = (const struct af_stage *)work;
    struct af_train *const t = g->train;
    const struct af_stage_rows rows = af_stage_rows_of(g, piece);
    const size_t q = rows.q0;
    const struct af_norm norm = af_norm_of(g, AF_NORM_SECOND, q);
    (void)worker;
    clear(t->d_branch[q], rows.m * AF_DIM);
    af_residual(t->d_branch[q], t->d_x[q], NULL, rows.m);
    clear(t->d_x[q], rows.m * AF_DIM);
    g->k->layernorm_backward_x(t->d_x[q], t->d_branch[q], t->block[g->block].x_end[q], norm.mean, norm.rstd, norm.g,
                               rows.m);
}
#endif

/// Components of a row in a piece of the embeddings' gradients.
#define AFI_COMPONENTS_PER_PIECE 16
#define AFI_PIECES_EMBEDDING     ((AF_DIM + AFI_COMPONENTS_PER_PIECE - 1) / AFI_COMPONENTS_PER_PIECE)

static void embedding_backward(void *const work, const size_t piece, const size_t worker) {
    const struct af_stage *const g = (const struct af_stage *)work;
    const struct af_train *const t = g->train;
    struct af_weights *const d = &g->model->grad->at;
    const size_t from = piece * AFI_COMPONENTS_PER_PIECE;
    const size_t n = AF_DIM - from < AFI_COMPONENTS_PER_PIECE ? AF_DIM - from : AFI_COMPONENTS_PER_PIECE;
    (void)worker;
    af_embedding_backward(d->tok[0], d->pos[0], t->d_x[0], t->token, t->position, af_stage_all_rows(g).n, from, n);
}

// ------------------------------------------------------------------------------------------------------------ stages

// Gradients of weights sum over rows in order. Where activations were not kept, they are computed again for a few rows
// before these are summed; else all rows are at hand at once.

static void head_again(const struct af_stage *const g) {
#if AF_RECOMPUTE
    struct af_train *const t = g->train;
    g->k->layernorm_forward(t->norm[0], &t->lnf_mean[g->from], &t->lnf_rstd[g->from], t->x_out[g->from],
                            g->reader.weight->lnf_g, g->reader.weight->lnf_b, g->n);
#else
    (void)g;
#endif
}

static void head_stage(struct af_stage *const g) {
    const size_t m = af_stage_all_rows(g).m;
    af_stage_run_by_sequences(g, head_backward);
    for (g->from = 0; g->from < m; g->from += AF_CHUNK_ROWS) {
        g->n = af_chunk(g->from, m);
        head_again(g);
        af_stage_run(g, head_weights, AFI_PIECES_HEAD);
    }
    af_stage_run_by_sequences(g, final_norm_backward);
}

static void norm_end_stage(struct af_stage *const g) {
#if AF_POST_NORM
    struct af_block_weights *const d = &g->model->grad->at.block[g->block];
    const struct af_train *const t = g->train;
    const struct af_norm norm = af_norm_of(g, AF_NORM_SECOND, 0);
    af_stage_run_by_sequences(g, norm_end_backward);
    g->k->layernorm_backward_w(d->ln2_g, d->ln2_b, t->d_branch[0], t->block[g->block].x_end[0], norm.mean, norm.rstd,
                               af_stage_all_rows(g).m);
#else
    (void)g;
#endif
}

static void mlp_stage(struct af_stage *const g) {
    const size_t m = af_stage_all_rows(g).m;
    for (g->from = 0; g->from < m; g->from += AF_CHUNK_ROWS) {
        g->n = af_chunk(g->from, m);
        if (AF_RECOMPUTE) {
            af_stage_hidden_forward(g, g->from, g->n);
            mlp_backward(g, 0, 0);
        } else {
            af_stage_run_by_sequences(g, mlp_backward);
        }
        af_stage_run(g, mlp_weights, AFI_PIECES_MLP);
    }
    af_stage_run_by_sequences(g, norm_between_backward);
}

/// ln1's output for the rows at hand, and in the last block its rows for queries: d_heads is free again.
static void attention_again(const struct af_stage *const g, const struct af_stage_rows *const rows) {
#if AF_RECOMPUTE
    struct af_train *const t = g->train;
    af_real *const ln1 = t->norm[0];
    const struct af_block_weights *const w = &g->reader.weight->block[g->block];
    af_saved *const a = AF_SAVED_OF(t, g->block);
    g->k->layernorm_forward(ln1, &a->ln1_mean[g->from], &a->ln1_rstd[g->from], t->block[g->block].x[g->from], w->ln1_g,
                            w->ln1_b, g->n);
    if (rows->query_row != NULL) {
        af_rows_gather(t->part.attention.d_heads[g->query_from], ln1, &rows->query_row[g->query_from], g->from,
                       g->n_queries);
    }
#else
    (void)g;
    (void)rows;
#endif
}

static void attention_stage(struct af_stage *const g) {
    const struct af_stage_rows rows = af_stage_all_rows(g);
    af_stage_run_by_sequences(g, attention_backward);
    g->query_from = 0;
    for (g->from = 0; g->from < rows.n; g->from += AF_CHUNK_ROWS) {
        g->n = af_chunk(g->from, rows.n);
        g->n_queries = af_queries_below(&rows, g->query_from, g->from + g->n);
        attention_again(g, &rows);
        af_stage_run(g, attention_weights, AFI_PIECES_ATTENTION);
        g->query_from += g->n_queries;
    }
    if (rows.query_row != NULL && AF_RESIDUAL) {
        af_residual_backward(g->train->d_x[0], rows.query_row, rows.m, rows.n);
    }
    af_stage_run_by_sequences(g, input_backward);
}

/// A block's forward in reverse. On entry d_x is the gradient of the block's output, on return of its input.
static void block_backward(struct af_stage *const g) {
    if (AF_RECOMPUTE == 2 && g->block + 1 < AF_BLOCKS) {
        af_stage_run_by_sequences(g, af_stage_attention_forward);
    }
    norm_end_stage(g);
    mlp_stage(g);
    attention_stage(g);
}

af_status af_pass_backward(const struct af_model *const model, const size_t n_sequences, const size_t stage) {
    struct af_stage g =
        af_stage_of(model, n_sequences, stage == 0 || stage > AF_BLOCKS ? AF_BLOCKS - 1 : AF_BLOCKS - stage);
    if (stage == 0) {
        head_stage(&g);
    } else if (stage <= AF_BLOCKS) {
        block_backward(&g);
    } else {
        af_stage_run(&g, embedding_backward, AFI_PIECES_EMBEDDING);
    }
    return g.mode;
}

#endif

#include "af_inner_export.h"
