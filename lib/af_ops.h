// SPDX-License-Identifier: MIT
/// The operations of a transformer, each with its gradient beside it: af_NAME_forward, af_NAME_backward.
///
/// Conventions, in force wherever a function does not say otherwise:
///  - arrays are row-major, their shapes stand in the comment; outputs come first, then inputs, then sizes;
///  - forward functions overwrite their outputs;
///  - backward functions ADD to gradients (d_x, d_w, ...), unless they say "overwrites";
///  - outputs SHALL be distinct from inputs and from each other;
///  - no function allocates, keeps a pointer, or fails: arguments and the floating-point mode are checked where they
///    enter the library;
///  - every sum has one accumulator and runs in index order, and every operation is rounded on its own: these loops
///    specify the bits of the results;
///  - numbers are not checked: every output computed from a NaN is NaN, every output computed from an infinity is
///    infinite or NaN, and a sum or product that overflows is infinite. Exceptions are stated at the function. Sums
///    that are added to are inputs, too.
/// promise: not-finite-goes-on
///
/// Axes: V vocabulary, T context, D width, H heads, dk = D / H, F feed-forward width; n rows.
/// promise: sums-in-order, ops-as-pytorch, gradients-right
#ifndef AF_OPS_H
#define AF_OPS_H

#include "af_arena.h"

#ifdef __cplusplus
extern "C" {
#endif

/// x[r] = tok[token[r]] + pos[position[r]]                                          (chapter, section 1.8)
///
///   x [n][D]   tok [V][D]   pos [T][D]   token, position [n]: token[r] < V, position[r] < T
///
/// Cost: n D additions.
void af_embedding_forward(af_real *x, const af_real *tok, const af_real *pos, const af_token *token,
                          const af_index *position, size_t n);

/// Gradients of af_embedding_forward: adds d_x [n][D], row after row, to d_tok [V][D] and to d_pos [T][D], for
/// components from to from + n_part - 1 of D.
void af_embedding_backward(af_real *d_tok, af_real *d_pos, const af_real *d_x, const af_token *token,
                           const af_index *position, size_t n, size_t from, size_t n_part);

/// y[r] = (x[r] - mean[r]) * rstd[r] * g + b, with mean the row's mean, rstd = 1 / sqrt(variance + 1e-5), and the
/// biased variance, the mean of (x - mean)^2                                        (chapter, section 1.7)
///
///   y, x [n][D]   mean, rstd [n]   g, b [D]
///
/// Cost: about 8 n D operations, n square roots, 3 n divisions.
/// A row with a number that is not finite, or so large that its sum or its squares overflow (from about 10^18 on in
/// float), has rstd and y NaN: an infinite variance does not turn finite numbers into 0.
void af_layernorm_forward(af_real *y, af_real *mean, af_real *rstd, const af_real *x, const af_real *g,
                          const af_real *b, size_t n);

/// Gradient of af_layernorm_forward with respect to x: adds to d_x [n][D]. mean and rstd are forward's.
/// With z = (x - mean) rstd and h = d_y g:  d_x = rstd (h - mean(h) - z mean(h z)).
void af_layernorm_backward_x(af_real *d_x, const af_real *d_y, const af_real *x, const af_real *mean,
                             const af_real *rstd, const af_real *g, size_t n);

/// Gradients of af_layernorm_forward with respect to gain and bias: d_g [D] += d_y z, d_b [D] += d_y, row after row.
void af_layernorm_backward_w(af_real *d_g, af_real *d_b, const af_real *d_y, const af_real *x, const af_real *mean,
                             const af_real *rstd, size_t n);

/// y[r][o] = b[o] + sum over k of x[r][k] w[o][k]
///
///   y [n][n_out]   x [n][n_in]   w [n_out][n_in]   b [n_out]
///
/// Cost: n n_in n_out multiplications and additions.
void af_linear_forward(af_real *y, const af_real *x, const af_real *w, const af_real *b, size_t n, size_t n_in,
                       size_t n_out);

/// Gradient of af_linear_forward with respect to x: d_x[r][k] += sum over o of d_y[r][o] w[o][k], where the sum starts
/// from what d_x [n][n_in] holds. Cost: that of forward.
void af_linear_backward_x(af_real *d_x, const af_real *d_y, const af_real *w, size_t n, size_t n_in, size_t n_out);

/// Gradients of af_linear_forward with respect to weights and bias, for the outputs from `from` on, n_part of them:
/// d_w[o][k] += d_y[r][o] x[r][k], d_b[o] += d_y[r][o], row after row. d_w [n_out][n_in], d_b [n_out], d_y [n][n_out]
/// are the whole arrays. Cost: n n_in n_part multiplications and additions.
void af_linear_backward_w(af_real *d_w, af_real *d_b, const af_real *d_y, const af_real *x, size_t n, size_t n_in,
                          size_t n_out, size_t from, size_t n_part);

/// y[r] = x[row[r] - first], rows of D: picks the rows of the queries; x begins with row `first`. Rows ascend.
void af_rows_gather(af_real *y, const af_real *x, const af_index *row, size_t first, size_t n);

/// Gradient of af_rows_gather: d_x[row[r] - first] += d_y[r].
void af_rows_scatter(af_real *d_x, const af_real *d_y, const af_index *row, size_t first, size_t n);

/// How many of n_keys keys a query at `position` sees: the mask of the chapter, section 1.5.
static inline size_t af_keys_seen(const size_t position, const size_t n_keys) {
    return AF_CAUSAL ? position + 1 : n_keys;
}

/// What scores are divided by: sqrt(dk), or unscaled 1.
#define AF_SCORE_DIVISOR (AF_SCALED ? af_sqrt(AF_R(AF_HEAD_DIM)) : AF_R(1))

/// Scaled dot-product attention of all heads for the queries of one sequence (chapter, section 1.3):
///   score[i][j] = (sum over m of q[i][m] k[j][m]) / sqrt(dk)   for the keys j = 0 ... first + i, later ones are masked;
///   att[i][h] = softmax(score[i]) over keys;   heads[i][h] = sum over j of att[i][h][j] v[j]
///
///   heads, q [n][D], head beside head   att [n][H][T]   kv [n_keys][2 D]: a row holds a key, then a value
///   first: position of query 0 in its sequence; query i stands at position first + i, and first + n <= n_keys
/// promise: later-keys-unread
///
/// Without AF_SCALED scores are not divided; without AF_CAUSAL no key is masked. With AF_SOFTMAX_QUERIES att[.][h][j]
/// is the softmax of score[.][j] over the queries that see key j; the call SHALL then have all queries of the sequence.
/// Masked weights are set to 0, as are those from n_keys on. A score of NaN or +inf makes its softmax NaN; a score of
/// -inf among finite ones gives a weight of 0. Keys and values that no query sees are not read. Cost: 2 D
/// multiplications and additions for each pair of query and visible key; H exp for each pair.
void af_attention_forward(af_real *heads, af_real *att, const af_real *q, const af_real *kv, size_t first, size_t n,
                          size_t n_keys);
// promise: masked-weights-zero

/// Gradients of af_attention_forward: adds to d_q [n][D] and d_kv [n_keys][2 D]. d_att [T] is scratch, overwritten.
/// Sums over queries run in the order of queries. Cost: twice that of forward, without the exp.
void af_attention_backward(af_real *d_q, af_real *d_kv, af_real *d_att, const af_real *d_heads, const af_real *att,
                           const af_real *q, const af_real *kv, size_t first, size_t n, size_t n_keys);

/// y = 0.5 x (1 + erf(x / sqrt 2)): the exact GELU, as PyTorch's nn.GELU()             (chapter, section 1.7)
///
///   y, x [n]; y MAY be x
/// promise: gelu-in-place
///
/// Error in the float build: below 1.9 * 2^-24 max(1, |x|) for all x. Far below 0 GELU itself is smaller than that
/// bound, so no digit of it is promised. -inf and NaN give NaN.
void af_gelu_forward(af_real *y, const af_real *x, size_t n);
// promise: gelu-error

/// d_x = d_y (0.5 (1 + erf(x / sqrt 2)) + x exp(-x^2 / 2) / sqrt(2 pi)); overwrites d_x [n], which MAY be d_y.
/// Error of the factor of d_y in the float build, over all 2^32 inputs: at most 2.5 * 2^-24 max(1, |x|). Infinities and
/// NaN give NaN.
void af_gelu_backward(af_real *d_x, const af_real *d_y, const af_real *x, size_t n);

/// y[r] += x[row(r)]: a residual connection.
///
///   y [n][D]   x [..][D]   x_row [n]: the row of x that row r of y comes from; NULL where that is row r itself
void af_residual(af_real *y, const af_real *x, const af_index *x_row, size_t n);

/// Gradient of af_residual with respect to x, in place. On entry the first n rows of d [n_x][D] hold the gradient of y;
/// on return d holds the gradient of x: row x_row[r] is the former row r, every other row is 0. x_row ascends; n <=
/// n_x.
void af_residual_backward(af_real *d, const af_index *x_row, size_t n, size_t n_x);

/// Softmax cross entropy over the vocabulary, ignored targets left out (chapter, section 1.9):
///   loss[r] = log(sum exp(z)) - z[target]  with z = logits[r] - max(logits[r])
///   d_logits[r] = (softmax(logits[r]) - onehot(target)) * inverse_count;   all 0 where target[r] is AF_IGNORE
///
///   d_logits, logits [n][V]   target [n]   inverse_count: 1 / number of targets of the whole step
///
/// Overwrites d_logits, which MAY be logits, and loss [n], 0 where target[r] is AF_IGNORE.
/// A row with a target and a logit of NaN or +inf has loss and d_logits NaN. A logit of -inf, or one so far below the
/// largest that the difference overflows, has probability 0: if it is the target, the loss is +inf.
void af_cross_entropy(af_real *d_logits, af_real *loss, const af_real *logits, const af_token *target,
                      af_real inverse_count, size_t n);
// promise: ignored-targets-zero

/// p[j] = exp(x[j] - max x) / sum of the exp, over n numbers, n >= 1; p MAY be x. A NaN or +inf makes every p NaN; -inf
/// among finite numbers gives 0.
void af_softmax(af_real *p, const af_real *x, size_t n);
// promise: softmax-not-finite

/// The lowest index of the largest number of x [n]; n >= 1. NaN is neither larger nor smaller than any number: the
/// result is 0 if x[0] is NaN; any other NaN is ignored.
size_t af_argmax(const af_real *x, size_t n);
// promise: argmax-lowest

/// Settings of AdamW that a program may change from step to step (Loshchilov and Hutter, 2019; order as in PyTorch).
struct af_adamw {
    af_real learning_rate;
    af_real weight_decay;
};

/// The chapter's settings.
#define AF_ADAMW_CHAPTER                                                                                               \
    { AF_R(0.003), AF_R(0.01) }

/// Step t of AdamW on n parameters, with the bias corrections c1 = 1 - beta1^t and c2 = 1 - beta2^t:
///   p *= 1 - rate decay;  m = beta1 m + (1 - beta1) d;  v = beta2 v + (1 - beta2) d d;
///   p -= (rate / c1) (m / (sqrt(v) / sqrt(c2) + eps))
///
///   p, m, v, d [n]; overwrites p, m and v. Every parameter decays.
///
/// NaN stays NaN, and a second moment that overflows stops its parameter; af_adamw_check() tells beforehand whether
/// either happens. Settings are not checked: with rate 1e38 parameters become infinite.
void af_adamw_update(af_real *p, af_real *m, af_real *v, const af_real *d, struct af_adamw how, af_real c1, af_real c2,
                     size_t n);

/// Valid settings of a training step: 0 <= learning_rate <= AF_RATE_MAX, weight_decay >= 0, and their product at most
/// 1, so that decay makes no parameter larger.
#define AF_RATE_MAX 1048576

/// Largest change of a parameter in one step, apart from its decay, in units of the learning rate. Training with the
/// default constants changes it by at most 7.3: |m| <= 7.3 sqrt(v) for any gradients.
#define AF_STEP_MAX 1024

/// True if af_adamw_update() with the same arguments and any valid settings gives finite numbers, that is, if
///   - every p, m and d is finite, and every v is finite and has no sign bit (-0 has one);
///   - every new second moment, and so every new first moment, is finite: d d does not overflow;
///   - |new m| / c1 <= AF_STEP_MAX max(sqrt(new v) / sqrt(c2), eps), so no p changes by more than AF_STEP_MAX rates.
/// Then every new p is finite. (Moments that fail the last condition are damaged, or belong to betas with beta1^2 >=
/// beta2.)
///
///   p, m, v, d [n] as above, only read
///
/// Cost: about 20 operations a parameter and no division, in a loop that vectorises.
bool af_adamw_check(const af_real *p, const af_real *m, const af_real *v, const af_real *d, af_real c1, af_real c2,
                    size_t n);
// promise: update-keeps-numbers

#ifdef __cplusplus
}
#endif
#endif
