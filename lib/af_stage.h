// SPDX-License-Identifier: MIT
/// Inside the pass: what a stage works on, and the pieces that it is cut into. Not for programs: they use af_pass.h.
///
/// A stage is cut into pieces that do not touch each other's outputs: sequences where rows are independent, outputs
/// where a gradient sums over rows. No sum is ever cut, so neither the pieces nor who runs them changes a bit.
#ifndef AF_STAGE_H
#define AF_STAGE_H

#include "af_inner_reader.h"
#include "af_pass.h"

#if AF_TRAINING

#ifdef __cplusplus
extern "C" {
#endif

/// Sequences in a piece: enough rows to fill tiles, few enough to stay in a cache from one operation to the next.
#define AF_SEQUENCES_PER_PIECE 8

/// What a stage works on.
struct af_stage {
    const struct af_model *model;
    const struct af_kernels *k;
    struct af_reader reader;
    struct af_train *train;
    size_t n_sequences;
    size_t block;
    size_t from; // rows at hand where gradients of weights are summed: from to from + n - 1,
    size_t n;
    size_t query_from; // and the queries among them
    size_t n_queries;
    af_real inverse_count; // 1 / number of targets of the whole step, for the loss
    af_status mode;        // of a thread on which pieces ran: AF_OK, or the first wrong one
};

struct af_stage af_stage_of(const struct af_model *model, size_t n_sequences, size_t block);

/// Runs pieces 0 to n_pieces - 1 of a stage; the second form cuts by sequences. After a wrong floating-point mode, which
/// stage->mode keeps, no more pieces are run.
void af_stage_run(struct af_stage *stage, af_piece *piece, size_t n_pieces);
void af_stage_run_by_sequences(struct af_stage *stage, af_piece *piece);

/// The rows of a piece in one block. Every row has a key and a value; the queries are all rows, or in the last block
/// those that the loss can see.
struct af_stage_rows {
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

/// Of all sequences, and of those of a piece.
struct af_stage_rows af_stage_all_rows(const struct af_stage *stage);
struct af_stage_rows af_stage_rows_of(const struct af_stage *stage, size_t piece);

/// One sequence of a piece, for attention.
struct af_stage_span {
    size_t r;     // its first row
    size_t q;     // its first query
    size_t first; // position of that query
    size_t n;     // queries
    size_t n_keys;
};

struct af_stage_span af_stage_span_of(const struct af_stage_rows *rows, size_t s);

// ------------------------------------------------------------------------- what is kept, and what is computed again

/// A block's activations of attention.
#if AF_RECOMPUTE == 2
typedef struct af_saved_once af_saved;
#define AF_SAVED_OF(train, b) (&(train)->once)
#else
typedef struct af_saved_block af_saved;
#define AF_SAVED_OF(train, b) (&(train)->block[b])
#endif

/// What attention takes, the output of a layer norm or of the block before; from row r on. Outputs of layer norms are
/// kept, or are those of the few rows at hand.
#if AF_RECOMPUTE
#define AF_ATTENDED(train, b, r) (train)->norm[0]
#define AF_LNF(train, r)         (train)->norm[0]
#define AF_D_LOGITS(train)       (train)->logits
#else
#if AF_POST_NORM
#define AF_ATTENDED(train, b, r) (train)->block[b].x[r]
#else
#define AF_ATTENDED(train, b, r) (train)->block[b].ln1[r]
#endif
#define AF_LNF(train, r)   (train)->lnf[r]
#define AF_D_LOGITS(train) (train)->d_logits
#endif

/// A layer norm of the block at hand, with its statistics from row r on. One stands between attention and MLP: the
/// second, or where layer norms come after additions, the first. The other one is at the block's beginning or at its
/// end.
struct af_norm {
    af_real *mean;
    af_real *rstd;
    const af_real *g;
    const af_real *b;
};

enum af_norm_name { AF_NORM_FIRST, AF_NORM_SECOND };
#define AF_NORM_BETWEEN (AF_POST_NORM ? AF_NORM_FIRST : AF_NORM_SECOND)

struct af_norm af_norm_of(const struct af_stage *stage, enum af_norm_name name, size_t r);

/// The MLP's activations of a block from query q on.
struct af_mlp {
    af_real *ln2;
    af_real *ff_in;
    af_real *ff_act;
    af_real *ff_cdf; // where GELU's forward may leave something for its backward; NULL if nowhere
    af_real *d_ff;
};

struct af_mlp af_mlp_of(struct af_train *train, size_t block, size_t q);

/// Of n numbers from `from` on, those that are at hand together: at most AF_CHUNK_ROWS.
static inline size_t af_chunk(const size_t from, const size_t n) {
    return n - from < AF_CHUNK_ROWS ? n - from : AF_CHUNK_ROWS;
}

/// Queries among those from `query` on whose rows are below `end`.
size_t af_queries_below(const struct af_stage_rows *rows, size_t query, size_t end);

// --------------------------------------------------------------------------------------------------- parts of forward

void af_stage_linear_forward(const struct af_stage *stage, af_real *y, const af_real *x, enum af_layer_name name,
                             size_t n);

/// x_mid = x + Attn(LN(x)), or x + Attn(x): a piece by sequences.
void af_stage_attention_forward(void *work, size_t piece, size_t worker);

/// LN(x_mid), the MLP's hidden layer before and after GELU, for n queries from q on.
void af_stage_hidden_forward(const struct af_stage *stage, size_t q, size_t n);

#ifdef __cplusplus
}
#endif
#endif
#endif
