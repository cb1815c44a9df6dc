// SPDX-License-Identifier: MIT
// The stages of a pass: where their activations and gradients are, and the pieces that they are cut into.
//
// A piece is some sequences, or some outputs of a gradient of weights. Pieces of one run do not touch each other's
// outputs, and no sum is ever cut, so neither the pieces nor who runs them changes a bit. This file alone knows which
// activations the configuration keeps (AF_RECOMPUTE), and what may run beside what.
#define AF_FILE_pass 0, AF_OWN
#include "af_inner_block.h"
#include "af_inner_kernels.h"
#include "af_inner_liberties.h"
#include "af_inner_pass.h"
#include "af_inner_reader.h"

#if AF_TRAINING

/// What a stage works on. Its pieces only read it.
struct stage {
    const struct af_model *model;
    struct af_reader reader;
    struct af_block block; // the output layer has the rows of the last one
    size_t n_sequences;
    const struct af_weight_grad *due; // gradients of weights that are added
    af_real inverse_count;            // loss: 1 / number of targets of the whole step
    bool has_mlp;                     // forward through a block: its second half, too
};

static size_t least_of(const size_t a, const size_t b) {
    return a < b ? a : b;
}

static void open_stage(struct stage *const g, const struct af_model *const model, const size_t n_sequences,
                       const size_t number) {
    g->model = model;
    g->reader = af_reader_of(model);
    g->block.reader = &g->reader;
    g->block.k = af_kernels_of(&g->reader);
    g->block.number = number;
    g->n_sequences = n_sequences;
    g->due = NULL;
    g->inverse_count = 0;
    g->has_mlp = true;
}

static struct af_train *train_of(const struct stage *const g) {
    return &g->model->work->train;
}

// ------------------------------------------------------------------------------------------------------------- pieces

/// Sequences in a piece: enough rows to fill tiles, few enough to stay in a cache from one operation to the next.
#define AFI_SEQUENCES_PER_PIECE 8

static size_t n_pieces(const struct stage *const g) {
    return (g->n_sequences + AFI_SEQUENCES_PER_PIECE - 1) / AFI_SEQUENCES_PER_PIECE;
}

/// The first sequence of a piece, or behind the last piece, the end.
static size_t first_sequence(const struct stage *const g, const size_t piece) {
    return least_of(piece * AFI_SEQUENCES_PER_PIECE, g->n_sequences);
}

static bool is_last(const struct stage *const g) {
    return AF_BLOCKS == 1 || g->block.number == AF_BLOCKS - 1; // the first for compilers, which warn of block 1
}

static struct af_rows rows_of_piece(const struct stage *const g, const size_t piece) {
    return af_rows_of(train_of(g), is_last(g), first_sequence(g, piece), first_sequence(g, piece + 1));
}

static struct af_rows all_rows(const struct stage *const g) {
    return af_rows_of(train_of(g), is_last(g), 0, g->n_sequences);
}

/// Outputs of a linear layer whose gradients are a piece: some 4096 weights, and at least one output. A layer norm's
/// gradient is one piece.
static size_t outputs_per_piece(const struct af_weight_grad *const due) {
    return due->stats.mean != NULL ? due->n_out : (4096 + due->n_in - 1) / due->n_in;
}

static size_t n_pieces_of(const struct af_weight_grad *const due) {
    return (due->n_out + outputs_per_piece(due) - 1) / outputs_per_piece(due);
}

/// Piece `piece` of one gradient.
static void add_weight_grad(const struct af_kernels *const k, const struct af_weight_grad *const due,
                            const size_t piece) {
    if (due->stats.mean != NULL) {
        k->layernorm_backward_w(due->d_w, due->d_b, due->d_y, due->x, due->stats.mean, due->stats.rstd, due->n);
        return;
    }
    const size_t from = piece * outputs_per_piece(due);
    k->linear_backward_w(due->d_w, due->d_b, due->d_y, due->x, due->n, due->n_in, due->n_out, from,
                         least_of(outputs_per_piece(due), due->n_out - from));
}

/// A piece of the gradients that are due, counted through all of them.
static void weights_piece(void *const work, size_t piece, const size_t worker) {
    const struct stage *const g = (const struct stage *)work;
    const struct af_weight_grad *due = g->due;
    (void)worker;
    while (piece >= n_pieces_of(due)) {
        piece -= n_pieces_of(due);
        due++;
    }
    add_weight_grad(g->block.k, due, piece);
}

/// Adds the n_due gradients of weights that are due.
static af_status add_weight_grads(struct stage *const g, const struct af_weight_grad *const due, const size_t n_due) {
    size_t n = 0;
    for (size_t i = 0; i < n_due; i++) {
        n += n_pieces_of(&due[i]);
    }
    g->due = due;
    return af_run(g->model->runner, weights_piece, g, n);
}

// ----------------------------------------------------------------------------------------------- where everything is

/// A block's activations of some rows. Where they are computed again, outputs of layer norms and the MLP's hidden layer
/// are those of a chunk.
AF_OWN_FRAME static struct af_block_acts acts_of(const struct stage *const g, const struct af_rows *const rows) {
    struct af_train *const t = train_of(g);
    struct af_saved_block *const block = &t->block[g->block.number];
    const size_t r = rows->r;
    const size_t q = rows->q;
    const size_t next = least_of(g->block.number + 1, AF_BLOCKS - 1);
    const size_t mid = AF_POST_NORM ? q : r; // norm 1 stands behind attention, or before it
#if AF_RECOMPUTE == 2
    struct af_saved_once *const saved = &t->once;
#else
    struct af_saved_block *const saved = block;
#endif
#if AF_RECOMPUTE
    struct af_backward_ff *const mlp = &t->part.ff;
    const size_t hidden = 0;
#else
    struct af_saved_block *const mlp = block;
    const size_t hidden = q;
#endif
    struct af_block_acts a = {
        .x = block->x[r],
        .x_q = rows->query_row != NULL ? block->x[0] : block->x[q],
#if AF_RECOMPUTE
        .ln1 = t->norm[0],
        .ln2 = t->norm[0],
#else
#if AF_POST_NORM
        .ln1 = block->x[r],
#else
        .ln1 = block->ln1[r],
#endif
        .ln2 = block->ln2[q],
#endif
        .q = saved->q[q],
        .kv = saved->kv[r],
        .heads = saved->heads[q],
        .x_mid = saved->x_mid[q],
        .ff_in = mlp->ff_in[hidden],
        .ff_act = mlp->ff_act[hidden],
#if AF_PACKED
        .ff_cdf = mlp->ff_cdf[hidden],
#endif
        .y = is_last(g) ? t->x_out[q] : t->block[next].x[q],
        .stats1 = {&saved->ln1_mean[mid], &saved->ln1_rstd[mid]},
        .stats2 = {&saved->ln2_mean[q], &saved->ln2_rstd[q]},
    };
#if AF_POST_NORM
    a.sum = block->x_end[q];
#else
    a.sum = a.y;
#endif
    a.ln1_q = rows->query_row != NULL ? a.heads : a.ln1; // heads are not there yet
    return a;
}

static struct af_attention_acts attention_acts_of(const struct stage *const g, const struct af_rows *const rows) {
#if AF_RECOMPUTE == 2
    struct af_saved_once *const saved = &train_of(g)->once;
#else
    struct af_saved_block *const saved = &train_of(g)->block[g->block.number];
#endif
    const struct af_attention_acts a = {
        .q = saved->q[rows->q],
        .kv = saved->kv[rows->r],
        .att = saved->att[rows->q][0],
        .heads = saved->heads[rows->q],
    };
    return a;
}

static struct af_attention_grads attention_grads_of(const struct stage *const g, const struct af_rows *const rows) {
    struct af_backward_attention *const part = &train_of(g)->part.attention;
    const struct af_attention_grads d = {
        .d_heads = part->d_heads[rows->q],
        .d_q = part->d_q[rows->q],
        .d_kv = part->d_kv[rows->r],
    };
    return d;
}

/// A block's gradients of some rows.
AF_OWN_FRAME static struct af_block_grads grads_of(const struct stage *const g, const struct af_rows *const rows) {
    struct af_train *const t = train_of(g);
    const struct af_block_grads d = {
        .d_y = t->d_branch[rows->q],
        .d_sum = t->d_x[rows->q],
        .d_ff = t->part.ff.d_ff[AF_RECOMPUTE ? 0 : rows->q],
        .d_ln2 = t->d_branch[rows->q],
        .d_x_mid = t->d_x[rows->q],
        .d_heads = t->part.attention.d_heads[rows->q],
        .d_q = t->part.attention.d_q[rows->q],
        .d_kv = t->part.attention.d_kv[rows->r],
        .d_ln1_q = t->part.attention.d_heads[rows->q],
        .d_ln1 = t->d_branch[rows->r],
        .d_x = t->d_x[rows->r],
    };
    return d;
}

static struct af_block_weights *grad_of(const struct stage *const g) {
    return &g->model->grad->at.block[g->block.number];
}

/// The output layer's activations and gradients of some queries.
static struct af_output_acts output_acts_of(const struct stage *const g, const size_t q) {
    struct af_train *const t = train_of(g);
    const struct af_output_acts a = {
        .x = t->x_out[q],
#if AF_RECOMPUTE
        .lnf = t->norm[0],
#else
        .lnf = t->lnf[q],
#endif
        .logits = t->logits[q],
        .stats = {&t->lnf_mean[q], &t->lnf_rstd[q]},
    };
    return a;
}

static struct af_output_grads output_grads_of(const struct stage *const g, const size_t q) {
    struct af_train *const t = train_of(g);
    const struct af_output_grads d = {
        .d_logits = &af_pass_d_logits(t)[q * AF_VOCAB],
        .d_lnf = t->d_branch[q],
        .d_x = t->d_x[q],
    };
    return d;
}

// ----------------------------------------------------------------------------------------------------------- forward

static void embedding_forward(void *const work, const size_t piece, const size_t worker) {
    const struct stage *const g = (const struct stage *)work;
    struct af_train *const t = train_of(g);
    const struct af_weights *const w = &g->model->weight->at;
    const struct af_rows rows = rows_of_piece(g, piece);
    (void)worker;
    af_embedding_forward(t->block[0].x[rows.r], w->tok[0], w->pos[0], &t->token[rows.r], &t->position[rows.r], rows.n);
}

/// From x to q and kv, a chunk at a time.
AF_OWN_FRAME static void project(const struct stage *const g, const struct af_rows *const rows) {
    for (struct af_rows chunk = af_rows_first(rows); chunk.n > 0; chunk = af_rows_next(rows, &chunk)) {
        const struct af_block_acts a = acts_of(g, &chunk);
        af_block_take(&g->block, &a, &chunk);
        af_block_project(&g->block, &a, &chunk);
    }
}

/// From heads to x_mid, and on to y, a chunk at a time.
AF_OWN_FRAME static void finish(const struct stage *const g, const struct af_rows *const rows) {
    const struct af_block_acts all = acts_of(g, rows);
    af_block_mix(&g->block, &all, rows);
    for (struct af_rows chunk = af_rows_first_queries(rows); chunk.m > 0 && g->has_mlp;
         chunk = af_rows_next_queries(rows, &chunk)) {
        const struct af_block_acts a = acts_of(g, &chunk);
        af_block_hidden(&g->block, &a, chunk.m);
        af_block_output(&g->block, &a, chunk.m);
    }
}

/// x = x + Attn(LN(x));  x = x + MLP(LN(x)).  With AF_POST_NORM: x = LN(x + Attn(x));  x = LN(x + MLP(x)).
static void block_forward(void *const work, const size_t piece, const size_t worker) {
    const struct stage *const g = (const struct stage *)work;
    const struct af_rows rows = rows_of_piece(g, piece);
    const struct af_attention_acts a = attention_acts_of(g, &rows);
    project(g, &rows);
    for (size_t s = first_sequence(g, piece); s < first_sequence(g, piece + 1); s++) {
        const struct af_span span = af_rows_span(train_of(g), &rows, s);
        af_block_attend(&g->block, &a, &span, train_of(g)->scratch[worker]);
    }
    finish(g, &rows);
}

/// logits = LN(x) W + b
static void output_forward(void *const work, const size_t piece, const size_t worker) {
    const struct stage *const g = (const struct stage *)work;
    const struct af_rows rows = rows_of_piece(g, piece);
    (void)worker;
    for (struct af_rows chunk = af_rows_first_queries(&rows); chunk.m > 0;
         chunk = af_rows_next_queries(&rows, &chunk)) {
        const struct af_output_acts a = output_acts_of(g, chunk.q);
        af_output_norm(&g->block, &a, chunk.m);
        af_output_logits(&g->block, &a, chunk.m);
    }
}

af_status af_pass_forward(const struct af_model *const model, const size_t n_sequences, const size_t stage) {
    struct stage g;
    open_stage(&g, model, n_sequences, stage == 0 ? 0 : least_of(stage, AF_BLOCKS) - 1);
    return af_run(model->runner,
                  stage == 0           ? embedding_forward
                  : stage <= AF_BLOCKS ? block_forward
                                       : output_forward,
                  &g, n_pieces(&g));
}

// -------------------------------------------------------------------------------------------------------------- loss

af_real *af_pass_d_logits(struct af_train *const train) {
#if AF_RECOMPUTE
    return train->logits[0];
#else
    return train->d_logits[0];
#endif
}

static void loss_of_piece(void *const work, const size_t piece, const size_t worker) {
    const struct stage *const g = (const struct stage *)work;
    struct af_train *const t = train_of(g);
    const struct af_rows rows = rows_of_piece(g, piece);
    (void)worker;
    af_cross_entropy(&af_pass_d_logits(t)[rows.q * AF_VOCAB], &t->loss[rows.q], t->logits[rows.q], &t->target[rows.q],
                     g->inverse_count, rows.m);
}

af_status af_pass_loss(const struct af_model *const model, const size_t n_sequences, const af_real inverse_count,
                       af_real *const loss_sum) {
    struct stage g;
    open_stage(&g, model, n_sequences, AF_BLOCKS - 1);
    g.inverse_count = inverse_count;
    const af_status mode = af_run(model->runner, loss_of_piece, &g, n_pieces(&g));
    const size_t m = all_rows(&g).m;
    for (size_t q = 0; q < m; q++) {
        *loss_sum += train_of(&g)->loss[q];
    }
    return mode;
}

// ---------------------------------------------------------------------------------------------------------- backward

// Gradients of weights sum over rows in order. Where activations were not kept, they are computed again for a chunk of
// rows before these are summed; else all rows are one chunk.

static void output_logits_backward(void *const work, const size_t piece, const size_t worker) {
    const struct stage *const g = (const struct stage *)work;
    const struct af_rows rows = rows_of_piece(g, piece);
    const struct af_output_grads d = output_grads_of(g, rows.q);
    (void)worker;
    af_output_logits_backward(&g->block, &d, rows.m);
}

static void output_norm_backward(void *const work, const size_t piece, const size_t worker) {
    const struct stage *const g = (const struct stage *)work;
    const struct af_rows rows = rows_of_piece(g, piece);
    const struct af_output_acts a = output_acts_of(g, rows.q);
    const struct af_output_grads d = output_grads_of(g, rows.q);
    (void)worker;
    af_output_norm_backward(&g->block, &a, &d, rows.m);
}

AF_OWN_FRAME static af_status output_weights(struct stage *const g) {
    const struct af_rows rows = all_rows(g);
    af_status mode = AF_OK;
    for (struct af_rows chunk = af_rows_first_queries(&rows); chunk.m > 0 && mode == AF_OK;
         chunk = af_rows_next_queries(&rows, &chunk)) {
        struct af_weight_grad due[AF_MOST_WEIGHT_GRADS];
        const struct af_output_acts a = output_acts_of(g, chunk.q);
        const struct af_output_grads d = output_grads_of(g, chunk.q);
        if (AF_RECOMPUTE) {
            af_output_norm(&g->block, &a, chunk.m);
        }
        mode = add_weight_grads(g, due, af_output_weights(due, &g->model->grad->at, &a, &d, chunk.m));
    }
    return mode;
}

/// From the gradient of the logits to that of what the last block hands on.
static af_status output_backward(struct stage *const g) {
    const size_t n = n_pieces(g);
    af_status mode = af_run(g->model->runner, output_logits_backward, g, n);
    mode = mode == AF_OK ? output_weights(g) : mode;
    return mode == AF_OK ? af_run(g->model->runner, output_norm_backward, g, n) : mode;
}

#if AF_POST_NORM
static void block_output_backward(void *const work, const size_t piece, const size_t worker) {
    const struct stage *const g = (const struct stage *)work;
    const struct af_rows rows = rows_of_piece(g, piece);
    const struct af_block_acts a = acts_of(g, &rows);
    const struct af_block_grads d = grads_of(g, &rows);
    (void)worker;
    af_block_output_backward(&g->block, &a, &d, rows.m);
}
#endif

#if !AF_RECOMPUTE
static void block_hidden_backward(void *const work, const size_t piece, const size_t worker) {
    const struct stage *const g = (const struct stage *)work;
    const struct af_rows rows = rows_of_piece(g, piece);
    const struct af_block_acts a = acts_of(g, &rows);
    const struct af_block_grads d = grads_of(g, &rows);
    (void)worker;
    af_block_hidden_backward(&g->block, &a, &d, rows.m);
}
#endif

static void block_mid_backward(void *const work, const size_t piece, const size_t worker) {
    const struct stage *const g = (const struct stage *)work;
    const struct af_rows rows = rows_of_piece(g, piece);
    const struct af_block_acts a = acts_of(g, &rows);
    const struct af_block_grads d = grads_of(g, &rows);
    (void)worker;
    af_block_mid_backward(&g->block, &a, &d, rows.m);
}

/// From d_x_mid to d_heads.
AF_OWN_FRAME static void mix_backward(const struct stage *const g, const struct af_rows *const rows) {
    const struct af_block_grads d = grads_of(g, rows);
    af_block_mix_backward(&g->block, &d, rows);
}

/// From d_q and d_kv to d_ln1.
AF_OWN_FRAME static void project_backward(const struct stage *const g, const struct af_rows *const rows) {
    const struct af_block_grads d = grads_of(g, rows);
    af_block_project_backward(&g->block, &d, rows);
    if (!AF_RECOMPUTE) { // d_ln1_q is passed on: its place is free for ln1_q, which the weights need
        struct af_block_acts a = acts_of(g, rows);
        a.ln1_q = d.d_ln1_q;
        af_block_gather(&a, rows);
    }
}

static void block_heads_backward(void *const work, const size_t piece, const size_t worker) {
    const struct stage *const g = (const struct stage *)work;
    const struct af_rows rows = rows_of_piece(g, piece);
    const struct af_attention_acts a = attention_acts_of(g, &rows);
    const struct af_attention_grads d = attention_grads_of(g, &rows);
    mix_backward(g, &rows);
    for (size_t s = first_sequence(g, piece); s < first_sequence(g, piece + 1); s++) {
        const struct af_span span = af_rows_span(train_of(g), &rows, s);
        af_block_attend_backward(&g->block, &a, &d, &span, train_of(g)->scratch[worker]);
    }
    project_backward(g, &rows);
}

static void block_take_backward(void *const work, const size_t piece, const size_t worker) {
    const struct stage *const g = (const struct stage *)work;
    const struct af_rows rows = rows_of_piece(g, piece);
    const struct af_block_acts a = acts_of(g, &rows);
    const struct af_block_grads d = grads_of(g, &rows);
    (void)worker;
    af_block_take_backward(&g->block, &a, &d, rows.n);
}

#if AF_POST_NORM
AF_OWN_FRAME static af_status norm2_weights(struct stage *const g) {
    const struct af_rows rows = all_rows(g);
    const struct af_block_acts a = acts_of(g, &rows);
    const struct af_block_grads d = grads_of(g, &rows);
    struct af_weight_grad due[AF_MOST_WEIGHT_GRADS];
    return add_weight_grads(g, due, af_block_output_weights(due, grad_of(g), &a, &d, rows.m));
}
#endif

AF_OWN_FRAME static af_status mlp_weights(struct stage *const g) {
    const struct af_rows rows = all_rows(g);
    af_status mode = AF_OK;
    for (struct af_rows chunk = af_rows_first_queries(&rows); chunk.m > 0 && mode == AF_OK;
         chunk = af_rows_next_queries(&rows, &chunk)) {
        struct af_weight_grad due[AF_MOST_WEIGHT_GRADS];
        const struct af_block_acts a = acts_of(g, &chunk);
        const struct af_block_grads d = grads_of(g, &chunk);
        if (AF_RECOMPUTE) {
            af_block_hidden(&g->block, &a, chunk.m);
            af_block_hidden_backward(&g->block, &a, &d, chunk.m);
        }
        mode = add_weight_grads(g, due, af_block_mlp_weights(due, grad_of(g), &a, &d, chunk.m));
    }
    return mode;
}

/// From the gradient of y to that of x_mid.
static af_status mlp_backward(struct stage *const g) {
    const struct af_runner *const runner = g->model->runner;
    const size_t n = n_pieces(g);
#if AF_RECOMPUTE
    af_status mode = mlp_weights(g);
#else
#if AF_POST_NORM
    af_status mode = af_run(runner, block_output_backward, g, n);
    mode = mode == AF_OK ? norm2_weights(g) : mode;
    mode = mode == AF_OK ? af_run(runner, block_hidden_backward, g, n) : mode;
#else
    af_status mode = af_run(runner, block_hidden_backward, g, n);
#endif
    mode = mode == AF_OK ? mlp_weights(g) : mode;
#endif
    return mode == AF_OK ? af_run(runner, block_mid_backward, g, n) : mode;
}

AF_OWN_FRAME static af_status attention_weights(struct stage *const g) {
    const struct af_rows rows = all_rows(g);
    af_status mode = AF_OK;
    for (struct af_rows chunk = af_rows_first(&rows); chunk.n > 0 && mode == AF_OK;
         chunk = af_rows_next(&rows, &chunk)) {
        struct af_weight_grad due[AF_MOST_WEIGHT_GRADS];
        const struct af_block_grads d = grads_of(g, &chunk);
        struct af_block_acts a = acts_of(g, &chunk);
        a.ln1_q = chunk.query_row != NULL ? d.d_ln1_q : a.ln1;
        if (AF_RECOMPUTE) {
            af_block_take(&g->block, &a, &chunk);
        }
        mode = add_weight_grads(g, due, af_block_attention_weights(due, grad_of(g), &a, &d, &chunk));
    }
    return mode;
}

/// The gradient of x_mid, a row a query, becomes rows of that of x.
AF_OWN_FRAME static void spread_queries(const struct stage *const g) {
    const struct af_rows rows = all_rows(g);
    if (rows.query_row != NULL && AF_RESIDUAL) {
        af_residual_backward(train_of(g)->d_x[0], rows.query_row, rows.m, rows.n);
    }
}

/// From the gradient of x_mid to that of x.
static af_status attention_backward(struct stage *const g) {
    const struct af_runner *const runner = g->model->runner;
    const size_t n = n_pieces(g);
    af_status mode = af_run(runner, block_heads_backward, g, n);
    mode = mode == AF_OK ? attention_weights(g) : mode;
    if (mode != AF_OK) {
        return mode;
    }
    spread_queries(g);
    return af_run(runner, block_take_backward, g, n);
}

#if AF_RECOMPUTE == 2
/// Attention's activations once more; those of the last block are there from forward.
static af_status attention_again(struct stage *const g) {
    g->has_mlp = false;
    return is_last(g) ? AF_OK : af_run(g->model->runner, block_forward, g, n_pieces(g));
}
#endif

/// A block's forward in reverse. On entry d_x is the gradient of the block's output, on return of its input.
static af_status block_backward(struct stage *const g) {
#if AF_RECOMPUTE == 2
    af_status mode = attention_again(g);
    mode = mode == AF_OK ? mlp_backward(g) : mode;
#else
    const af_status mode = mlp_backward(g);
#endif
    return mode == AF_OK ? attention_backward(g) : mode;
}

/// Components of a row in a piece of the embeddings' gradients.
#define AFI_COMPONENTS_PER_PIECE 16
#define AFI_PIECES_EMBEDDING     ((AF_DIM + AFI_COMPONENTS_PER_PIECE - 1) / AFI_COMPONENTS_PER_PIECE)

static void embedding_backward(void *const work, const size_t piece, const size_t worker) {
    const struct stage *const g = (const struct stage *)work;
    const struct af_train *const t = train_of(g);
    struct af_weights *const d = &g->model->grad->at;
    const size_t from = piece * AFI_COMPONENTS_PER_PIECE;
    (void)worker;
    af_embedding_backward(d->tok[0], d->pos[0], t->d_x[0], t->token, t->position, all_rows(g).n, from,
                          least_of(AFI_COMPONENTS_PER_PIECE, AF_DIM - from));
}

af_status af_pass_backward(const struct af_model *const model, const size_t n_sequences, const size_t stage) {
    struct stage g;
    open_stage(&g, model, n_sequences, stage > AF_BLOCKS ? 0 : AF_BLOCKS - (stage == 0 ? 1 : stage));
    if (stage == 0) {
        return output_backward(&g);
    }
    return stage <= AF_BLOCKS ? block_backward(&g)
                              : af_run(model->runner, embedding_backward, &g, AFI_PIECES_EMBEDDING);
}

af_status af_liberties_pass(const volatile af_real *const v) {
    return af_liberties(v);
}

#endif

#include "af_inner_export.h"
