// SPDX-License-Identifier: MIT
/// The operations of notebook 7, "Attention and the Transformer, from scratch", that lib/ does not have, each with its
/// gradient beside it. Their sizes are arguments.
///
/// The conventions are those of af_ops.h: forward overwrites, backward ADDS unless it says "overwrites", outputs SHALL
/// be distinct from inputs, sums have one accumulator and run in index order, nothing is allocated and nothing fails,
/// what is not finite goes on. But weights are [input][output] here, as the document writes X W; and nothing is kept
/// apart from what a caller hands in as `saved`, which backward reads again.
/// promise: layer-gradients
#ifndef LAYERS_H
#define LAYERS_H

// Not af.h, behind which a compiler may contract a * b + c again (af_config.h).
#include "af_status.h"

/// How each file of this folder was compiled: AF_OK, AF_ERR_CONTRACTED, AF_ERR_FAST_MATH or AF_ERR_FLUSH_TO_ZERO, as
/// af_selftest() answers for the files of lib/.
af_status n7_selftest(void);

// ------------------------------------------------------------------------------------------------- products, ReLU

/// y = x w:  y[r][o] = sum over k of x[r][k] w[k][o]
///
///   y [n][n_out]   x [n][n_in]   w [n_in][n_out]
///
/// Cost: n n_in n_out multiplications and additions.
void n7_matmul_forward(af_real *y, const af_real *x, const af_real *w, size_t n, size_t n_in, size_t n_out);

/// Gradients of n7_matmul_forward: d_x[r][k] += sum over o of d_y[r][o] w[k][o], and d_w[k][o] += sum over r of
/// x[r][k] d_y[r][o]; both sums start from what is there. Cost: that of forward, each.
void n7_matmul_backward_x(af_real *d_x, const af_real *d_y, const af_real *w, size_t n, size_t n_in, size_t n_out);
void n7_matmul_backward_w(af_real *d_w, const af_real *d_y, const af_real *x, size_t n, size_t n_in, size_t n_out);

/// y = max(0, x)                                                                              (notebook 7, step 8)
///
///   y, x [n]; y MAY be x. -0 and NaN stay what they are.
void n7_relu_forward(af_real *y, const af_real *x, size_t n);
// promise: relu-keeps

/// d_x = d_y where y > 0, else 0; overwrites d_x [n], which MAY be d_y. y is forward's. 0 where y is NaN.
void n7_relu_backward(af_real *d_x, const af_real *d_y, const af_real *y, size_t n);

// -------------------------------------------------------------------------------------------------- normalisation

/// y[r] = (x[r] - mean) / spread[r], spread = sqrt(variance + 1e-5), with the row's mean and biased variance: layer
/// normalisation without gain and bias. It divides, as the document does, where af_layernorm_forward() multiplies by
/// 1 / spread.                                                                                (notebook 7, step 8)
///
///   y, x [n][d]   spread [n]; y MAY be x
///
/// A row with a number that is not finite, or whose sum or squares overflow, has spread and y NaN.
/// Cost: about 6 n d operations, of them n d divisions; n square roots.
void n7_norm_forward(af_real *y, af_real *spread, const af_real *x, size_t n, size_t d);

/// Gradient of n7_norm_forward: d_x += (d_y - mean(d_y) - y mean(d_y y)) / spread. y and spread are forward's.
void n7_norm_backward(af_real *d_x, const af_real *d_y, const af_real *y, const af_real *spread, size_t n, size_t d);

// ------------------------------------------------------------------------------------------------------ attention

/// One head of attention, softmax(q k^T / sqrt(d)) v, the softmax over keys                   (notebook 7, step 3)
///
///   q [n][d]   k, v [n_keys][d]   weight [n][n_keys]   out: n rows of d, `stride` numbers from one to the next
///   mask [n][n_keys]: 0 where a query may not see a key; NULL: every query sees every key
///
/// A hidden score counts as -inf, so its weight is exactly 0. Every query SHALL see a key. A score of
/// NaN or +inf makes the query's weights NaN; a value that is not finite makes `out` NaN also where it is hidden.
/// Cost: 2 n n_keys d multiplications and additions, n n_keys exp.
void n7_head_forward(af_real *out, af_real *weight, const af_real *q, const af_real *k, const af_real *v,
                     const uint8_t *mask, size_t n, size_t n_keys, size_t d, size_t stride);
// promise: masked-weights-zero

/// Gradients of n7_head_forward: adds to d_q [n][d], d_k and d_v [n_keys][d]. d_weight [n_keys] is scratch,
/// overwritten. d_out has out's stride; weight is forward's. Sums over queries run in their order. Cost: twice forward,
/// without exp.
void n7_head_backward(af_real *d_q, af_real *d_k, af_real *d_v, af_real *d_weight, const af_real *d_out,
                      const af_real *weight, const af_real *q, const af_real *k, const af_real *v, size_t n,
                      size_t n_keys, size_t d, size_t stride);

/// Weights of multi-head attention, as separate heads: head[h][0], [1], [2] are the projections to queries, keys,
/// values.
struct n7_multihead {
    const af_real *head; // [n_heads][3][d][d / n_heads]
    const af_real *w_o;  // [d][d], mixes the heads
    size_t n_heads;      // divides d
    size_t d;
};

/// What forward leaves for backward, for n positions.
struct n7_multihead_saved {
    af_real *qkv;    // [n_heads][3][n][d / n_heads]
    af_real *weight; // [n_heads][n][n]
    af_real *cat;    // [n][d]: the heads' outputs, side by side
};

/// Gradients of the weights, added to; and scratch, overwritten.
struct n7_multihead_grad {
    af_real *head;    // [n_heads][3][d][d / n_heads]
    af_real *w_o;     // [d][d]
    af_real *scratch; // n d + 3 n d / n_heads + n numbers
};

/// y = Concat(head_1, ..., head_h) w_o, head_i = n7_head_forward of x head[i][0], x head[i][1], x head[i][2]
///                                                                                            (notebook 7, step 6)
///   y, x [n][d]   mask [n][n] or NULL: n7_head_forward()'s
///
/// The same bits as af_attention_forward() between linear layers whose biases are 0, where the mask is the causal one.
void n7_multihead_forward(af_real *y, const struct n7_multihead_saved *saved, const struct n7_multihead *w,
                          const af_real *x, const uint8_t *mask, size_t n);
// promise: heads-as-fused

/// Gradients of n7_multihead_forward: adds to d_x [n][d] and to grad's weights. saved is forward's.
void n7_multihead_backward(af_real *d_x, const struct n7_multihead_grad *grad, const af_real *d_y,
                           const struct n7_multihead_saved *saved, const struct n7_multihead *w, const af_real *x,
                           size_t n);

// ------------------------------------------------------------------------------------------------------ positions

/// omega[i] = 1 / 10000^(2 i / d): the frequency of each pair of dimensions                   (notebook 7, step 7)
///
///   omega [d / 2]   d even
///
/// Three roundings, as NumPy has them: 2 i / d, the power, its inverse. The power is correctly rounded: it is computed
/// to twice the precision. (NumPy's is that of its machine's library; with glibc's, one omega in 1,000 is a unit in the
/// last place away, in widths up to 1,024.) Cost: about 2,000 operations for each number.
void n7_position_omega(af_real *omega, size_t d);
// promise: frequencies-rounded

/// pe[p][2 i] = sin(p omega[i]), pe[p][2 i + 1] = cos(p omega[i])
///
///   pe [n][d]   omega [d / 2]   d even   n - 1 <= N7_TURN_MAX, or the rest is NaN
///
/// Cost: n d / 2 sines and as many cosines, about 150 operations each.
void n7_position_forward(af_real *pe, const af_real *omega, size_t n, size_t d);

/// The matrix with R pe[p] = pe[p + k] for every p: blocks of {{cos(k omega), sin(k omega)}, {-sin(k omega),
/// cos(k omega)}} on the diagonal, 0 elsewhere. Overwrites rotation [d][d].
void n7_position_rotation(af_real *rotation, const af_real *omega, size_t k, size_t d);

// ------------------------------------------------------------------------------------------------ recurrent network

/// One step of a recurrent network, h_out = tanh(W h + U x)                                   (notebook 7, step 2)
///
///   h_out, h [d]   x [d_x]   w [d][d]   u [d][d_x]: a row an output
///
/// A sum of +-inf gives +-1. Cost: d (d + d_x) multiplications and additions, d tanh.
void n7_rnn_forward(af_real *h_out, const af_real *h, const af_real *x, const af_real *w, const af_real *u, size_t d,
                    size_t d_x);

/// Gradients of n7_rnn_forward: adds to d_h [d], d_in [d_x] (of x), d_w [d][d] and d_u [d][d_x].
void n7_rnn_backward(af_real *d_h, af_real *d_in, af_real *d_w, af_real *d_u, const af_real *d_h_out,
                     const af_real *h_out, const af_real *h, const af_real *x, const af_real *w, const af_real *u,
                     size_t d, size_t d_x);

/// The chain rule over one step: j_out = (diag(1 - h_out^2) W) j, d h_out / d h_0 from j = d h / d h_0.
///
///   j_out, j [d][d]   h_out [d]   w [d][d]
///
/// Cost: d^3 multiplications and additions, d^3 more for the factors.
void n7_rnn_jacobian(af_real *j_out, const af_real *j, const af_real *h_out, const af_real *w, size_t d);

// ---------------------------------------------------------------------------------------------------- a whole block

/// A post-norm transformer block: z = norm(x + multihead(x)), y = norm(z + max(0, z w1 + b1) w2 + b2).
struct n7_postnorm {
    struct n7_multihead attention;
    const af_real *w1; // [d][d_ff]
    const af_real *b1; // [d_ff]
    const af_real *w2; // [d_ff][d]
    const af_real *b2; // [d]
    size_t d_ff;
    bool has_residual; // false leaves "x +" and "z +" out: to see what they are for
};

/// What forward leaves for backward, for n positions.
struct n7_postnorm_saved {
    struct n7_multihead_saved attention;
    af_real *mh;      // [n][d]: what attention gives
    af_real *norm1;   // [n][d]: z
    af_real *spread1; // [n]
    af_real *hidden;  // [n][d_ff]: max(0, z w1 + b1)
    af_real *ffn;     // [n][d]: hidden w2 + b2
    af_real *spread2; // [n]
};

/// Gradients of the weights, added to; and scratch, overwritten.
struct n7_postnorm_grad {
    struct n7_multihead_grad attention;
    af_real *w1;
    af_real *b1;
    af_real *w2;
    af_real *b2;
    af_real *scratch; // n (2 d + d_ff) numbers
};

/// y [n][d] of x [n][d]; mask [n][n] or NULL: n7_head_forward()'s.                            (notebook 7, step 8)
void n7_postnorm_forward(af_real *y, const struct n7_postnorm_saved *saved, const struct n7_postnorm *w,
                         const af_real *x, const uint8_t *mask, size_t n);

/// Gradients of n7_postnorm_forward: adds to d_x [n][d] and to grad's weights. y and saved are forward's.
void n7_postnorm_backward(af_real *d_x, const struct n7_postnorm_grad *grad, const af_real *d_y, const af_real *y,
                          const struct n7_postnorm_saved *saved, const struct n7_postnorm *w, const af_real *x,
                          size_t n);

#endif
