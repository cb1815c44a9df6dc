// SPDX-License-Identifier: MIT
// Forward and backward through the model, stage by stage; each stage in pieces that may run at the same time.
#include "af_pass.h"
#include "af_reader.h"

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

// ---------------------------------------------------------------------------------------------------------- pieces

// A stage is cut into pieces that do not touch each other's outputs: sequences where rows are independent, outputs where
// a gradient sums over rows. No sum is ever cut, so neither the pieces nor who runs them changes a bit.

/// Sequences in a piece: enough rows to fill tiles, few enough to stay in a cache from one operation to the next.
#define SEQUENCES_PER_PIECE 8

/// Weights of a linear layer's gradient in a piece.
#define WEIGHTS_PER_PIECE 4096

/// What a stage works on.
struct stage {
    const struct af_model *model;
    const struct af_kernels *k;
    struct af_reader reader;
    struct af_train *train;
    size_t n_sequences;
    size_t block;
};

static struct stage stage_of(const struct af_model *const model, const size_t n_sequences, const size_t block) {
    struct stage stage;
    stage.model = model;
    stage.reader = af_reader_of(model);
    stage.k = af_kernels_of(&stage.reader);
    stage.train = &model->work->train;
    stage.n_sequences = n_sequences;
    stage.block = block;
    return stage;
}

static void run(struct stage *const stage, af_piece *const piece, const size_t n_pieces) {
    const struct af_runner *const runner = stage->model->runner;
    if (runner != NULL && n_pieces > 1) {
        runner->run(runner->context, piece, stage, n_pieces);
        return;
    }
    for (size_t i = 0; i < n_pieces; i++) {
        piece(stage, i, 0);
    }
}

static void run_by_sequences(struct stage *const stage, af_piece *const piece) {
    run(stage, piece, (stage->n_sequences + SEQUENCES_PER_PIECE - 1) / SEQUENCES_PER_PIECE);
}

/// The rows of a piece in one block. Every row has a key and a value; the queries are all rows, or in the last block
/// those from each sequence's first target on.
struct rows {
    size_t s0; // sequences s0 to s1 - 1
    size_t s1;
    size_t r0; // rows r0 to r0 + n - 1
    size_t n;
    size_t q0; // queries q0 to q0 + m - 1
    size_t m;
    const af_index *row_start;   // first row of each sequence
    const af_index *query_start; // first query of each sequence
    const af_index *query_row;   // row of each query; NULL: query r is row r
};

static struct rows rows_of(const struct stage *const stage, const size_t s0, const size_t s1) {
    const struct af_train *const train = stage->train;
    const bool last = stage->block == AF_BLOCKS - 1;
    struct rows rows;
    rows.s0 = s0;
    rows.s1 = s1;
    rows.row_start = train->row_start;
    rows.query_start = last ? train->query_start : train->row_start;
    rows.query_row = last ? train->query_row : NULL;
    rows.r0 = rows.row_start[s0];
    rows.n = rows.row_start[s1] - rows.r0;
    rows.q0 = rows.query_start[s0];
    rows.m = rows.query_start[s1] - rows.q0;
    return rows;
}

static struct rows rows_of_piece(const struct stage *const stage, const size_t piece) {
    const size_t s0 = piece * SEQUENCES_PER_PIECE;
    const size_t s1 = s0 + SEQUENCES_PER_PIECE < stage->n_sequences ? s0 + SEQUENCES_PER_PIECE : stage->n_sequences;
    return rows_of(stage, s0, s1);
}

/// One sequence of a piece, for attention.
struct span {
    size_t r;     // its first row
    size_t q;     // its first query
    size_t first; // position of that query
    size_t n;     // queries
};

static struct span span_of(const struct rows *const rows, const size_t s) {
    struct span span;
    span.r = rows->row_start[s];
    span.q = rows->query_start[s];
    span.n = rows->query_start[s + 1] - span.q;
    span.first = rows->row_start[s + 1] - span.r - span.n;
    return span;
}

static void clear(af_real *const x, const size_t n) {
    for (size_t i = 0; i < n; i++) {
        x[i] = 0;
    }
}

// --------------------------------------------------------------------------------------------------------- forward

/// Residual stream out of block b.
static af_real (*block_output(struct af_train *const train, const size_t b))[AF_DIM] {
    return b + 1 < AF_BLOCKS ? train->block[b + 1].x : train->x_out;
}

static void forward_linear(const struct stage *const g, af_real *const y, const af_real *const x,
                           const enum af_layer_name name, const size_t n) {
    const struct af_layer layer = af_layer_of(&g->reader, name, g->block);
    g->k->linear_forward(y, x, &layer, n);
}

static void embedding_forward(void *const work, const size_t piece, const size_t worker) {
    const struct stage *const g = (const struct stage *)work;
    struct af_train *const t = g->train;
    const struct af_weights *const w = g->reader.weight;
    const struct rows rows = rows_of_piece(g, piece);
    (void)worker;
    af_embedding_forward(t->block[0].x[rows.r0], w->tok[0], w->pos[0], &t->token[rows.r0], &t->position[rows.r0],
                         rows.n);
}

// Where GELU's forward may leave something for its backward.
#if AF_PACKED
#define FF_CDF(a, q) ((a)->ff_cdf[q])
#else
#define FF_CDF(a, q) NULL
#endif

/// x = x + Attn(LN(x));  x = x + MLP(LN(x))
static void block_forward(void *const work, const size_t piece, const size_t worker) {
    const struct stage *const g = (const struct stage *)work;
    const struct af_block_weights *const w = &g->reader.weight->block[g->block];
    struct af_saved_block *const a = &g->train->block[g->block];
    const struct rows rows = rows_of_piece(g, piece);
    const size_t r = rows.r0;
    const size_t q = rows.q0;
    af_real *const y = block_output(g->train, g->block)[q];

    g->k->layernorm_forward(a->ln1[r], &a->ln1_mean[r], &a->ln1_rstd[r], a->x[r], w->ln1_g, w->ln1_b, rows.n);
    const af_real *queries = a->ln1[r];
    if (rows.query_row != NULL) { // a->heads is free until attention fills it
        af_rows_gather(a->heads[q], a->ln1[0], &rows.query_row[q], rows.m);
        queries = a->heads[q];
    }
    forward_linear(g, a->q[q], queries, AF_LAYER_Q, rows.m);
    forward_linear(g, a->kv[r], a->ln1[r], AF_LAYER_KV, rows.n);
    for (size_t s = rows.s0; s < rows.s1; s++) {
        const struct span span = span_of(&rows, s);
        g->k->attention_forward(a->heads[span.q], a->att[span.q][0], g->train->scratch[worker], a->q[span.q],
                                a->kv[span.r], span.first, span.n);
    }
    forward_linear(g, a->x_mid[q], a->heads[q], AF_LAYER_OUT, rows.m);
    if (rows.query_row != NULL) {
        af_residual(a->x_mid[q], a->x[0], &rows.query_row[q], rows.m);
    } else {
        af_residual(a->x_mid[q], a->x[r], NULL, rows.m);
    }

    g->k->layernorm_forward(a->ln2[q], &a->ln2_mean[q], &a->ln2_rstd[q], a->x_mid[q], w->ln2_g, w->ln2_b, rows.m);
    forward_linear(g, a->ff_in[q], a->ln2[q], AF_LAYER_FF1, rows.m);
    g->k->gelu_forward(a->ff_act[q], FF_CDF(a, q), a->ff_in[q], rows.m * AF_FF);
    forward_linear(g, y, a->ff_act[q], AF_LAYER_FF2, rows.m);
    af_residual(y, a->x_mid[q], NULL, rows.m);
}

static void head_forward(void *const work, const size_t piece, const size_t worker) {
    const struct stage *const g = (const struct stage *)work;
    struct af_train *const t = g->train;
    const struct rows rows = rows_of_piece(g, piece);
    const size_t q = rows.q0;
    (void)worker;
    g->k->layernorm_forward(t->lnf[q], &t->lnf_mean[q], &t->lnf_rstd[q], t->x_out[q], g->reader.weight->lnf_g,
                            g->reader.weight->lnf_b, rows.m);
    forward_linear(g, t->logits[q], t->lnf[q], AF_LAYER_HEAD, rows.m);
}

void af_pass_forward(const struct af_model *const model, const size_t n_sequences, const size_t stage) {
    const size_t block = stage == 0 ? 0 : stage <= AF_BLOCKS ? stage - 1 : AF_BLOCKS - 1;
    struct stage g = stage_of(model, n_sequences, block);
    run_by_sequences(&g, stage == 0 ? embedding_forward : stage <= AF_BLOCKS ? block_forward : head_forward);
}

af_real af_pass_loss(struct af_train *const train, const size_t n_sequences, const af_real inverse_count,
                     const af_real loss_sum) {
    return af_cross_entropy(train->d_logits[0], train->logits[0], train->target, inverse_count, loss_sum,
                            train->query_start[n_sequences]);
}

// ------------------------------------------------------------------------------------- backward: gradients of weights

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
static bool take_due(const struct stage *const g, const struct due *const due, size_t *const piece) {
    const size_t per_piece = due->n_in < WEIGHTS_PER_PIECE ? WEIGHTS_PER_PIECE / due->n_in : 1;
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

#define PIECES_OF(n_in, n_out)                                                                                         \
    ((n_in) < WEIGHTS_PER_PIECE ? ((n_out) + WEIGHTS_PER_PIECE / (n_in)-1) / (WEIGHTS_PER_PIECE / (n_in)) : (n_out))
#define PIECES_FF        (PIECES_OF(AF_FF, AF_DIM) + PIECES_OF(AF_DIM, AF_FF) + 1)
#define PIECES_ATTENTION (PIECES_OF(AF_DIM, AF_DIM) * 2 + PIECES_OF(AF_DIM, 2 * AF_DIM) + 1)
#define PIECES_HEAD      (PIECES_OF(AF_DIM, AF_VOCAB) + 1)

/// Weights of the MLP and of its layer norm.
static void ff_weights(void *const work, size_t piece, const size_t worker) {
    const struct stage *const g = (const struct stage *)work;
    struct af_train *const t = g->train;
    struct af_block_weights *const d = &g->model->grad->at.block[g->block];
    const struct af_saved_block *const a = &t->block[g->block];
    const size_t m = rows_of(g, 0, g->n_sequences).m;
    const struct due ff2 = {d->ff2_w[0], d->ff2_b, t->d_x[0], a->ff_act[0], m, AF_FF, AF_DIM};
    const struct due ff1 = {d->ff1_w[0], d->ff1_b, t->part.ff.d_ff[0], a->ln2[0], m, AF_DIM, AF_FF};
    (void)worker;
    if (!take_due(g, &ff2, &piece) && !take_due(g, &ff1, &piece)) {
        g->k->layernorm_backward_w(d->ln2_g, d->ln2_b, t->d_branch[0], a->x_mid[0], a->ln2_mean, a->ln2_rstd, m);
    }
}

/// Weights of attention and of its layer norm.
static void attention_weights(void *const work, size_t piece, const size_t worker) {
    const struct stage *const g = (const struct stage *)work;
    struct af_train *const t = g->train;
    struct af_backward_attention *const att = &t->part.attention;
    struct af_block_weights *const d = &g->model->grad->at.block[g->block];
    const struct af_saved_block *const a = &t->block[g->block];
    const struct rows rows = rows_of(g, 0, g->n_sequences);
    const af_real *const queries = rows.query_row != NULL ? att->d_heads[0] : a->ln1[0];
    const struct due out = {d->out_w[0], d->out_b, t->d_x[0], a->heads[0], rows.m, AF_DIM, AF_DIM};
    const struct due q = {d->qkv_w[0], d->qkv_b, att->d_q[0], queries, rows.m, AF_DIM, AF_DIM};
    const struct due kv = {d->qkv_w[AF_DIM], &d->qkv_b[AF_DIM], att->d_kv[0], a->ln1[0], rows.n, AF_DIM, 2 * AF_DIM};
    (void)worker;
    if (!take_due(g, &kv, &piece) && !take_due(g, &q, &piece) && !take_due(g, &out, &piece)) {
        g->k->layernorm_backward_w(d->ln1_g, d->ln1_b, t->d_branch[0], a->x[0], a->ln1_mean, a->ln1_rstd, rows.n);
    }
}

static void head_weights(void *const work, size_t piece, const size_t worker) {
    const struct stage *const g = (const struct stage *)work;
    struct af_train *const t = g->train;
    struct af_weights *const d = &g->model->grad->at;
    const size_t m = t->query_start[g->n_sequences];
    const struct due head = {d->head_w[0], d->head_b, t->d_logits[0], t->lnf[0], m, AF_DIM, AF_VOCAB};
    (void)worker;
    if (!take_due(g, &head, &piece)) {
        g->k->layernorm_backward_w(d->lnf_g, d->lnf_b, t->d_branch[0], t->x_out[0], t->lnf_mean, t->lnf_rstd, m);
    }
}

// --------------------------------------------------------------------------------- backward: gradients of activations

static void backward_linear(const struct stage *const g, af_real *const d_x, const af_real *const d_y,
                            const enum af_layer_name name, const size_t n) {
    const struct af_layer layer = af_layer_of(&g->reader, name, g->block);
    g->k->linear_backward_x(d_x, d_y, &layer, n);
}

/// Output layer: from d_logits to the gradient of the final layer norm's output, d_branch.
static void head_backward(void *const work, const size_t piece, const size_t worker) {
    const struct stage *const g = (const struct stage *)work;
    struct af_train *const t = g->train;
    const struct rows rows = rows_of_piece(g, piece);
    (void)worker;
    clear(t->d_branch[rows.q0], rows.m * AF_DIM);
    backward_linear(g, t->d_branch[rows.q0], t->d_logits[rows.q0], AF_LAYER_HEAD, rows.m);
}

/// Final layer norm: from d_branch to d_x.
static void final_norm_backward(void *const work, const size_t piece, const size_t worker) {
    const struct stage *const g = (const struct stage *)work;
    struct af_train *const t = g->train;
    const struct rows rows = rows_of_piece(g, piece);
    const size_t q = rows.q0;
    (void)worker;
    clear(t->d_x[q], rows.m * AF_DIM);
    g->k->layernorm_backward_x(t->d_x[q], t->d_branch[q], t->x_out[q], &t->lnf_mean[q], &t->lnf_rstd[q],
                               g->reader.weight->lnf_g, rows.m);
}

/// MLP: from d_x, the gradient of the block's output, to d_ff and to d_branch, the gradient of ln2's output.
static void ff_backward(void *const work, const size_t piece, const size_t worker) {
    const struct stage *const g = (const struct stage *)work;
    struct af_train *const t = g->train;
    const struct af_saved_block *const a = &t->block[g->block];
    const struct rows rows = rows_of_piece(g, piece);
    const size_t q = rows.q0;
    af_real *const d_ff = t->part.ff.d_ff[q];
    (void)worker;
    clear(d_ff, rows.m * AF_FF);
    backward_linear(g, d_ff, t->d_x[q], AF_LAYER_FF2, rows.m);
    g->k->gelu_backward(d_ff, d_ff, a->ff_in[q], FF_CDF(a, q), rows.m * AF_FF);
    clear(t->d_branch[q], rows.m * AF_DIM);
    backward_linear(g, t->d_branch[q], d_ff, AF_LAYER_FF1, rows.m);
}

/// Layer norm of the MLP, then attention: d_branch becomes the gradient of ln1's output.
static void attention_backward(void *const work, const size_t piece, const size_t worker) {
    const struct stage *const g = (const struct stage *)work;
    struct af_train *const t = g->train;
    struct af_backward_attention *const att = &t->part.attention;
    const struct af_saved_block *const a = &t->block[g->block];
    const struct rows rows = rows_of_piece(g, piece);
    const size_t r = rows.r0;
    const size_t q = rows.q0;

    clear(att->d_heads[q], rows.m * AF_DIM);
    backward_linear(g, att->d_heads[q], t->d_x[q], AF_LAYER_OUT, rows.m);
    clear(att->d_q[q], rows.m * AF_DIM);
    clear(att->d_kv[r], rows.n * 2 * AF_DIM);
    for (size_t s = rows.s0; s < rows.s1; s++) {
        const struct span span = span_of(&rows, s);
        g->k->attention_backward(att->d_q[span.q], att->d_kv[span.r], t->scratch[worker], att->d_heads[span.q],
                                 a->att[span.q][0], a->q[span.q], a->kv[span.r], span.first, span.n);
    }
    // The gradient of ln1's output: the outputs of q come first, then those of k and v.
    clear(t->d_branch[r], rows.n * AF_DIM);
    if (rows.query_row != NULL) {
        clear(att->d_heads[q], rows.m * AF_DIM);
        backward_linear(g, att->d_heads[q], att->d_q[q], AF_LAYER_Q, rows.m);
        af_rows_scatter(t->d_branch[0], att->d_heads[q], &rows.query_row[q], rows.m);
        af_rows_gather(att->d_heads[q], a->ln1[0], &rows.query_row[q], rows.m); // for the weights of q
    } else {
        backward_linear(g, t->d_branch[r], att->d_q[q], AF_LAYER_Q, rows.m);
    }
    backward_linear(g, t->d_branch[r], att->d_kv[r], AF_LAYER_KV, rows.n);
}

/// The two layer norms of a block: each adds what goes through it to d_x.
static void ff_norm_backward(void *const work, const size_t piece, const size_t worker) {
    const struct stage *const g = (const struct stage *)work;
    struct af_train *const t = g->train;
    const struct af_saved_block *const a = &t->block[g->block];
    const struct rows rows = rows_of_piece(g, piece);
    const size_t q = rows.q0;
    (void)worker;
    g->k->layernorm_backward_x(t->d_x[q], t->d_branch[q], a->x_mid[q], &a->ln2_mean[q], &a->ln2_rstd[q],
                               g->reader.weight->block[g->block].ln2_g, rows.m);
}

static void attention_norm_backward(void *const work, const size_t piece, const size_t worker) {
    const struct stage *const g = (const struct stage *)work;
    struct af_train *const t = g->train;
    const struct af_saved_block *const a = &t->block[g->block];
    const struct rows rows = rows_of_piece(g, piece);
    const size_t r = rows.r0;
    (void)worker;
    g->k->layernorm_backward_x(t->d_x[r], t->d_branch[r], a->x[r], &a->ln1_mean[r], &a->ln1_rstd[r],
                               g->reader.weight->block[g->block].ln1_g, rows.n);
}

/// block_forward in reverse. On entry d_x is the gradient of the block's output, on return of its input.
static void block_backward(struct stage *const g) {
    const struct rows rows = rows_of(g, 0, g->n_sequences);
    run_by_sequences(g, ff_backward);
    run(g, ff_weights, PIECES_FF);
    run_by_sequences(g, ff_norm_backward);
    run_by_sequences(g, attention_backward);
    run(g, attention_weights, PIECES_ATTENTION);
    if (rows.query_row != NULL) {
        af_residual_backward(g->train->d_x[0], rows.query_row, rows.m, rows.n);
    }
    run_by_sequences(g, attention_norm_backward);
}

void af_pass_backward(const struct af_model *const model, const size_t n_sequences, const size_t stage) {
    struct stage g = stage_of(model, n_sequences, stage == 0 || stage > AF_BLOCKS ? AF_BLOCKS - 1 : AF_BLOCKS - stage);
    if (stage == 0) {
        run_by_sequences(&g, head_backward);
        run(&g, head_weights, PIECES_HEAD);
        run_by_sequences(&g, final_norm_backward);
    } else if (stage <= AF_BLOCKS) {
        block_backward(&g);
    } else {
        struct af_weights *const d = &model->grad->at;
        const struct af_train *const t = g.train;
        af_embedding_backward(d->tok[0], d->pos[0], t->d_x[0], t->token, t->position, t->row_start[n_sequences]);
    }
}

// ------------------------------------------------------------------------------------------------------ in one call

af_status af_forward(const struct af_model *const model, const struct af_sequence *const sequence,
                     const size_t n_sequences, const enum af_extent extent) {
    if (model == NULL || model->weight == NULL || model->state == NULL || model->work == NULL || sequence == NULL) {
        return AF_ERR_NULL;
    }
#if AF_PACKED
    if (model->packed == NULL) {
        return AF_ERR_NULL;
    }
#endif
    if (model->state->progress[0].phase != 0) {
        return AF_ERR_ORDER;
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
    af_pack_weights(model);
    af_pass_load(&model->work->train, sequence, n_sequences, extent);
    for (size_t stage = 0; stage < AF_BLOCKS + 2; stage++) {
        af_pass_forward(model, n_sequences, stage);
    }
    return AF_OK;
}

#endif
