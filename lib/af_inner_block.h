// SPDX-License-Identifier: MIT
/// Inside lib/: a block of the transformer, and the output layer, as lists of operations. Training, computing again and
/// decoding call the same lists; each says where its activations are. Not for programs.
///
///     x -+-> norm 1 -> query, key, value -> attention -> out -> (+) -+-> norm 2 -> FF1 -> GELU -> FF2 -> (+) -> y
///        +------------------------------------------------------^    +------------------------------------^
///
/// With AF_POST_NORM the norms follow the (+): attention takes x, and the MLP takes norm 1 of x_mid. Without AF_RESIDUAL
/// nothing is added.
///
/// A list runs over any rows: the rows of a sequence meet in attention alone, and sequences only in the gradients of
/// weights, which have lists of their own. So no bit depends on how many rows are at hand.
#ifndef AF_INNER_BLOCK_H
#define AF_INNER_BLOCK_H

#include "af_inner_reader.h"
#include "af_inner_rows.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What computes: whose weights, by which kernels. Of the output layer, `number` is that of the last block.
struct af_block {
    const struct af_reader *reader;
    const struct af_kernels *k;
    size_t number;
};

/// Where the statistics of a layer norm are, a number a row.
struct af_norm_stats {
    af_real *mean;
    af_real *rstd;
};

// ----------------------------------------------------------------------------------------------------------- forward

/// Where the activations of the rows at hand are: n rows, and m queries among them. Two may be one array where the later
/// one takes the place of the earlier.
struct af_block_acts {
    const af_real *x;   // [n][D] what comes in
    const af_real *x_q; // [m][D] its rows for the queries: row query_row[i], or where query_row is NULL, row i
    af_real *ln1;       // [n][D] what attention takes: norm 1 of x; with AF_POST_NORM x itself
    af_real *ln1_q;     // [m][D] its rows for the queries; where query_row is NULL, part of ln1
    af_real *q;         // [m][D]
    af_real *kv;        // [n][2 D]
    af_real *heads;     // [m][D]
    af_real *x_mid;     // [m][D]
    af_real *ln2;       // [m][D] what the MLP takes: the norm of x_mid
    af_real *ff_in;     // [m][F]
    af_real *ff_act;    // [m][F]
    af_real *ff_cdf;    // [m][F] what GELU leaves for its backward; NULL: nothing
    af_real *sum;       // [m][D] with AF_POST_NORM what norm 2 takes; else y
    af_real *y;         // [m][D] what goes out
    struct af_norm_stats stats1;
    struct af_norm_stats stats2;
};

/// Of them, what attention takes and gives, from the first query and the first key at hand on.
struct af_attention_acts {
    const af_real *q;  // [..][D]
    const af_real *kv; // [..][2 D]
    af_real *att;      // [..][H][T]
    af_real *heads;    // [..][D]
};

/// List by list. For `rows`: from x to ln1 and ln1_q; to q and kv.
void af_block_take(const struct af_block *b, const struct af_block_acts *a, const struct af_rows *rows);
void af_block_project(const struct af_block *b, const struct af_block_acts *a, const struct af_rows *rows);

/// From q and kv to heads, for one sequence. scratch [AF_SCRATCH_REALS].
void af_block_attend(const struct af_block *b, const struct af_attention_acts *a, const struct af_span *span,
                     af_real *scratch);

/// For the queries: from heads to x_mid, to ff_act, to y.
void af_block_mix(const struct af_block *b, const struct af_block_acts *a, const struct af_rows *rows);
void af_block_hidden(const struct af_block *b, const struct af_block_acts *a, size_t m);
void af_block_output(const struct af_block *b, const struct af_block_acts *a, size_t m);

/// Of the output layer: m queries.
struct af_output_acts {
    const af_real *x; // [m][D]
    af_real *lnf;     // [m][D]
    af_real *logits;  // [m][V]
    struct af_norm_stats stats;
};

/// From x to lnf; to the logits.
void af_output_norm(const struct af_block *b, const struct af_output_acts *a, size_t m);
void af_output_logits(const struct af_block *b, const struct af_output_acts *a, size_t m);

// ---------------------------------------------------------------------------------------------------------- backward

#if AF_TRAINING

/// The queries' rows of ln1, where query_row is not NULL: an entry of af_block_take(), and before their weights.
void af_block_gather(const struct af_block_acts *a, const struct af_rows *rows);

/// A gradient of weights that is due: the sum over n rows of d_y and x, in their order. Its outputs are independent.
struct af_weight_grad {
    af_real *d_w;               // [n_out][n_in], or the gain [D] of a layer norm; added to
    af_real *d_b;               // [n_out]; added to
    const af_real *d_y;         // [n][n_out]
    const af_real *x;           // [n][n_in]
    struct af_norm_stats stats; // of a layer norm; NULL: this is a linear layer
    size_t n;
    size_t n_in;
    size_t n_out;
};

/// Most of them that are due at a time.
#define AF_MOST_WEIGHT_GRADS 4

/// Where gradients of the rows at hand are. Arrays take turns: d_x_mid overwrites d_sum, and d_x overwrites d_x_mid.
struct af_block_grads {
    af_real *d_y;     // [m][D] with AF_POST_NORM a copy of the gradient of y, for norm 2
    af_real *d_sum;   // [m][D] on entry the gradient of y
    af_real *d_ff;    // [m][F] gradient of ff_act, then of ff_in
    af_real *d_ln2;   // [m][D]
    af_real *d_x_mid; // [m][D]
    af_real *d_heads; // [m][D]
    af_real *d_q;     // [m][D]
    af_real *d_kv;    // [n][2 D]
    af_real *d_ln1_q; // [m][D] where query_row is not NULL
    af_real *d_ln1;   // [n][D]
    af_real *d_x;     // [n][D]
};

/// Of them, what attention takes and gives.
struct af_attention_grads {
    const af_real *d_heads;
    af_real *d_q;
    af_real *d_kv;
};

/// The lists from their ends. Behind a list that names a function for it, gradients of weights are due: once all rows
/// are through this list, and before the next one overwrites what they read. Such a function writes them and says how
/// many there are.

/// From the gradient of y to d_sum. Without AF_POST_NORM they are the same.
void af_block_output_backward(const struct af_block *b, const struct af_block_acts *a, const struct af_block_grads *d,
                              size_t m);
size_t af_block_output_weights(struct af_weight_grad due[AF_MOST_WEIGHT_GRADS], struct af_block_weights *d_w,
                               const struct af_block_acts *a, const struct af_block_grads *d, size_t m);

/// From d_sum to d_ff and d_ln2; and on to d_x_mid.
void af_block_hidden_backward(const struct af_block *b, const struct af_block_acts *a, const struct af_block_grads *d,
                              size_t m);
size_t af_block_mlp_weights(struct af_weight_grad due[AF_MOST_WEIGHT_GRADS], struct af_block_weights *d_w,
                            const struct af_block_acts *a, const struct af_block_grads *d, size_t m);
void af_block_mid_backward(const struct af_block *b, const struct af_block_acts *a, const struct af_block_grads *d,
                           size_t m);

/// From d_x_mid to d_heads; for one sequence to d_q and d_kv; for `rows` to d_ln1.
void af_block_mix_backward(const struct af_block *b, const struct af_block_grads *d, const struct af_rows *rows);
void af_block_attend_backward(const struct af_block *b, const struct af_attention_acts *a,
                              const struct af_attention_grads *d, const struct af_span *span, af_real *scratch);
void af_block_project_backward(const struct af_block *b, const struct af_block_grads *d, const struct af_rows *rows);
size_t af_block_attention_weights(struct af_weight_grad due[AF_MOST_WEIGHT_GRADS], struct af_block_weights *d_w,
                                  const struct af_block_acts *a, const struct af_block_grads *d,
                                  const struct af_rows *rows);

/// From d_ln1 to d_x, where d_x_mid has become the rows that it is added to: af_residual_backward().
void af_block_take_backward(const struct af_block *b, const struct af_block_acts *a, const struct af_block_grads *d,
                            size_t n);

/// The gradient of a linear layer, and of a layer norm.
struct af_weight_grad af_block_linear_grad(af_real *d_w, af_real *d_b, const af_real *d_y, const af_real *x, size_t n,
                                           size_t n_in, size_t n_out);
struct af_weight_grad af_block_norm_grad(af_real *d_w, af_real *d_b, const af_real *d_y, const af_real *x,
                                         struct af_norm_stats stats, size_t n);

struct af_output_grads {
    af_real *d_logits; // [m][V]
    af_real *d_lnf;    // [m][D]
    af_real *d_x;      // [m][D]
};

/// From d_logits to d_lnf; and on to d_x.
void af_output_logits_backward(const struct af_block *b, const struct af_output_grads *d, size_t m);
size_t af_output_weights(struct af_weight_grad due[AF_MOST_WEIGHT_GRADS], struct af_weights *d_w,
                         const struct af_output_acts *a, const struct af_output_grads *d, size_t m);
void af_output_norm_backward(const struct af_block *b, const struct af_output_acts *a, const struct af_output_grads *d,
                             size_t m);

#endif

// ----------------------------------------------------------------------------------------------- entries of many lists

/// y = x W + b, for n rows.
static inline void af_block_linear(const struct af_block *const b, af_real *const y, const af_real *const x,
                                   const enum af_layer_name name, const size_t n) {
    const struct af_layer layer = af_layer_of(b->reader, name, b->number);
    b->k->linear_forward(y, x, &layer, n);
}

#if AF_TRAINING
/// d_x = d_y W; where it `adds`, d_x += d_y W.
static inline void af_block_linear_backward(const struct af_block *const b, af_real *const d_x,
                                            const af_real *const d_y, const enum af_layer_name name, const size_t n,
                                            const bool adds) {
    const struct af_layer layer = af_layer_of(b->reader, name, b->number);
    b->k->linear_backward_x(d_x, d_y, &layer, n, adds);
}
#endif

#ifdef __cplusplus
}
#endif
#endif
