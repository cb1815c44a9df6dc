// SPDX-License-Identifier: MIT
// Stages of a pass, cut into pieces.
#define AF_FILE_stage 0, AF_OWN
#include "af_inner_kernels.h"
#include "af_inner_reader.h"
#include "af_stage.h"

#if AF_TRAINING

struct af_stage af_stage_of(const struct af_model *const model, const size_t n_sequences, const size_t block) {
    struct af_stage stage;
    stage.model = model;
    stage.reader = af_reader_of(model);
    stage.k = af_kernels_of(&stage.reader);
    stage.train = &model->work->train;
    stage.n_sequences = n_sequences;
    stage.block = block;
    stage.from = 0;
    stage.n = 0;
    stage.query_from = 0;
    stage.n_queries = 0;
    stage.inverse_count = 0;
    stage.mode = AF_OK;
    return stage;
}

void af_stage_run(struct af_stage *const stage, af_piece *const piece, const size_t n_pieces) {
    if (stage->mode == AF_OK) {
        stage->mode = af_run(stage->model->runner, piece, stage, n_pieces);
    }
}

void af_stage_run_by_sequences(struct af_stage *const stage, af_piece *const piece) {
    af_stage_run(stage, piece, (stage->n_sequences + AF_SEQUENCES_PER_PIECE - 1) / AF_SEQUENCES_PER_PIECE);
}

static struct af_stage_rows rows_between(const struct af_stage *const stage, const size_t s0, const size_t s1) {
    const struct af_train *const train = stage->train;
    const bool last = stage->block == AF_BLOCKS - 1;
    struct af_stage_rows rows;
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

struct af_stage_rows af_stage_all_rows(const struct af_stage *const stage) {
    return rows_between(stage, 0, stage->n_sequences);
}

struct af_stage_rows af_stage_rows_of(const struct af_stage *const stage, const size_t piece) {
    const size_t s0 = piece * AF_SEQUENCES_PER_PIECE;
    const size_t rest = stage->n_sequences - s0;
    return rows_between(stage, s0, s0 + (rest < AF_SEQUENCES_PER_PIECE ? rest : AF_SEQUENCES_PER_PIECE));
}

struct af_stage_span af_stage_span_of(const struct af_stage_rows *const rows, const size_t s) {
    struct af_stage_span span;
    span.r = rows->row_start[s];
    span.q = rows->query_start[s];
    span.n = rows->query_start[s + 1] - span.q;
    span.n_keys = rows->row_start[s + 1] - span.r;
    span.first = rows->query_row != NULL && span.n > 0 ? rows->query_row[span.q] - span.r : 0;
    return span;
}

struct af_norm af_norm_of(const struct af_stage *const stage, const enum af_norm_name name, const size_t r) {
    const struct af_block_weights *const w = &stage->reader.weight->block[stage->block];
    af_saved *const a = AF_SAVED_OF(stage->train, stage->block);
    struct af_norm norm = {&a->ln1_mean[r], &a->ln1_rstd[r], w->ln1_g, w->ln1_b};
    if (name == AF_NORM_SECOND) {
        norm.mean = &a->ln2_mean[r];
        norm.rstd = &a->ln2_rstd[r];
        norm.g = w->ln2_g;
        norm.b = w->ln2_b;
    }
    return norm;
}

struct af_mlp af_mlp_of(struct af_train *const train, const size_t block, const size_t q) {
    struct af_mlp mlp = {NULL, NULL, NULL, NULL, NULL};
#if AF_RECOMPUTE
    struct af_backward_ff *const kept = &train->part.ff;
    const size_t row = 0;
    (void)block;
    (void)q;
    mlp.ln2 = train->norm[0];
#else
    struct af_saved_block *const kept = &train->block[block];
    const size_t row = q;
    mlp.ln2 = kept->ln2[q];
#endif
    mlp.ff_in = kept->ff_in[row];
    mlp.ff_act = kept->ff_act[row];
#if AF_PACKED
    mlp.ff_cdf = kept->ff_cdf[row];
#endif
    mlp.d_ff = train->part.ff.d_ff[row];
    return mlp;
}

size_t af_queries_below(const struct af_stage_rows *const rows, const size_t query, const size_t end) {
    size_t n = 0;
    while (query + n < rows->q0 + rows->m && (rows->query_row == NULL ? query + n : rows->query_row[query + n]) < end) {
        n++;
    }
    return n;
}

#endif

#include "af_inner_export.h"
