// SPDX-License-Identifier: MIT
// Self-test of a model: the operations of its table, compared bit by bit with scalar references; and its runner.
//
// A reference does one operation at a time, in the order of the header, and stores each result in volatile memory: no
// compiler can fuse or regroup operations. Inputs are functions of their index, so they need no memory; so are the
// initial values of outputs that gradients are added to.
#define AF_FILE_check_model 0, AF_OWN
#include "af_check.h"
#include "af_inner_elementwise.h"
#include "af_inner_kernels.h"
#include "af_inner_liberties.h"
#include "af_inner_reader.h"
#include "af_kernels.h"
#include "af_reader.h"
#include "af_train.h"

static af_real plus(const af_real a, const af_real b) {
    volatile const af_real sum = a + b;
    return sum;
}

static af_real minus(const af_real a, const af_real b) {
    volatile const af_real difference = a - b;
    return difference;
}

static af_real times(const af_real a, const af_real b) {
    volatile const af_real product = a * b;
    return product;
}

static af_real over(const af_real a, const af_real b) {
    volatile const af_real quotient = a / b;
    return quotient;
}

/// Result of a check: the bits in which numbers differ from their references; 0: none.
typedef af_bits wrong;

static wrong other(const af_real a, const af_real b) {
    return af_bits_of(a) ^ af_bits_of(b);
}

// ------------------------------------------------------------------------------------------------- memory and numbers

/// Identifies numbers: those of an array, times `scale`.
struct numbers {
    af_real scale;
    uint32_t array;
};

/// Number i of an array: 24 bits in [-4, 4), times the scale. Not -0.
static af_real number(const struct numbers from, const size_t i) {
    uint32_t word = ((uint32_t)i + 1U) * 2654435761U + from.array * 0x9E3779B9U;
    word = (word ^ (word >> 15)) * 0x2C1B3C6DU;
    word ^= word >> 12;
    return times(((af_real)(int32_t)(word >> 8) - AF_R(8388608)) / AF_R(2097152), from.scale);
}

static void fill_with(af_real *const x, const struct numbers from, const size_t n) {
    for (size_t i = 0; i < n; i++) {
        x[i] = number(from, i);
    }
}

/// The part of the workspace that is still free.
struct pool {
    af_real *next;
    size_t n;
};

static af_real *take(struct pool *const pool, const size_t n) {
    af_real *const taken = pool->next;
    pool->next = &pool->next[n];
    pool->n -= n;
    return taken;
}

static af_real *take_filled(struct pool *const pool, const struct numbers from, const size_t n) {
    af_real *const x = take(pool, n);
    fill_with(x, from, n);
    return x;
}

/// The operands of a trial. Each array has its own numbers, by the letter of its name.
struct trial {
    const struct af_kernels *k;
    struct pool pool;
    af_real scale;
};

static struct numbers of(const struct trial *const t, const uint32_t array) {
    const struct numbers numbers = {t->scale, array};
    return numbers;
}

// Numbers of the arrays; of gradients, their initial values.
enum { X = 1, W, B, G, DY, DX, DW, DB, Q, KV, DH, DQ, DKV, M, V, P };

/// Rows of a trial: as many as tiles take side by side, and one more.
enum { MOST_ROWS = 9 };

static size_t smaller(const size_t a, const size_t b) {
    return a < b ? a : b;
}

// ---------------------------------------------------------------------------------------------------- linear layer

struct linear {
    size_t n;
    size_t n_in;
    size_t n_out;
};

static wrong in_linear_forward(const struct trial *const t, const af_real *const y, const struct linear s) {
    wrong found = 0;
    for (size_t i = 0; i < s.n * s.n_out; i++) {
        const size_t r = i / s.n_out;
        const size_t o = i % s.n_out;
        af_real sum = number(of(t, B), o);
        for (size_t k = 0; k < s.n_in; k++) {
            sum = plus(sum, times(number(of(t, X), r * s.n_in + k), number(of(t, W), o * s.n_in + k)));
        }
        found |= other(y[i], sum);
    }
    return found;
}

#if AF_TRAINING
static wrong in_linear_backward_x(const struct trial *const t, const af_real *const d_x, const struct linear s,
                                  const bool adds) {
    wrong found = 0;
    for (size_t i = 0; i < s.n * s.n_in; i++) {
        const size_t r = i / s.n_in;
        const size_t k = i % s.n_in;
        af_real sum = adds ? number(of(t, DX), i) : AF_R(0);
        for (size_t o = 0; o < s.n_out; o++) {
            sum = plus(sum, times(number(of(t, DY), r * s.n_out + o), number(of(t, W), o * s.n_in + k)));
        }
        found |= other(d_x[i], sum);
    }
    return found;
}

static wrong in_linear_backward_w(const struct trial *const t, const af_real *const d_w, const af_real *const d_b,
                                  const struct linear s) {
    wrong found = 0;
    for (size_t o = 0; o < s.n_out; o++) {
        af_real sum = number(of(t, DB), o);
        for (size_t r = 0; r < s.n; r++) {
            sum = plus(sum, number(of(t, DY), r * s.n_out + o));
        }
        found |= other(d_b[o], sum);
        for (size_t k = 0; k < s.n_in; k++) {
            sum = number(of(t, DW), o * s.n_in + k);
            for (size_t r = 0; r < s.n; r++) {
                sum = plus(sum, times(number(of(t, DY), r * s.n_out + o), number(of(t, X), r * s.n_in + k)));
            }
            found |= other(d_w[o * s.n_in + k], sum);
        }
    }
    return found;
}

static wrong try_linear_backward(struct trial t, const struct af_layer *const layer, const af_real *const x,
                                 const struct linear s) {
    const af_real *const d_y = take_filled(&t.pool, of(&t, DY), s.n * s.n_out);
    af_real *const d_x = take_filled(&t.pool, of(&t, DX), s.n * s.n_in);
    af_real *const d_w = take_filled(&t.pool, of(&t, DW), s.n_out * s.n_in);
    af_real *const d_b = take_filled(&t.pool, of(&t, DB), s.n_out);
    t.k->linear_backward_w(d_w, d_b, d_y, x, s.n, s.n_in, s.n_out, 0, s.n_out);
    t.k->linear_backward_x(d_x, d_y, layer, s.n, true);
    const wrong adds = in_linear_backward_x(&t, d_x, s, true);
    t.k->linear_backward_x(d_x, d_y, layer, s.n, false);
    return adds | in_linear_backward_x(&t, d_x, s, false) | in_linear_backward_w(&t, d_w, d_b, s);
}
#endif

/// How many numbers a trial of a linear layer needs.
static size_t reals_of_linear(const struct linear s) {
    const size_t panels =
        AF_PACKED * (AF_PACKED_REALS(s.n_out, s.n_in) + AF_TRAINING * AF_PACKED_REALS(s.n_in, s.n_out));
    return (1 + AF_TRAINING) * (s.n_out * (s.n_in + 1 + s.n) + s.n * s.n_in) + panels;
}

/// A layer of odd sizes, if there is room wide enough for every way in which tiles take columns: with all rows, and
/// with the first row alone.
static wrong try_linear(struct trial t) {
    struct linear s = {MOST_ROWS, 19, 67};
    while (reals_of_linear(s) > t.pool.n) {
        size_t *const larger = s.n_out > s.n_in ? &s.n_out : s.n_in > s.n ? &s.n_in : &s.n;
        (*larger)--;
    }
    struct af_layer layer = {take_filled(&t.pool, of(&t, W), s.n_out * s.n_in),
                             take_filled(&t.pool, of(&t, B), s.n_out),
                             NULL,
                             NULL,
                             s.n_in,
                             s.n_out};
#if AF_PACKED
    af_real *const packed = take(&t.pool, AF_PACKED_REALS(s.n_out, s.n_in));
    af_pack(packed, layer.w, s.n_in, 1, s.n_out, s.n_in);
    layer.packed = packed;
#if AF_TRAINING
    af_real *const packed_back = take(&t.pool, AF_PACKED_REALS(s.n_in, s.n_out));
    af_pack(packed_back, layer.w, 1, s.n_in, s.n_in, s.n_out);
    layer.packed_back = packed_back;
#endif
#endif
    const af_real *const x = take_filled(&t.pool, of(&t, X), s.n * s.n_in);
    af_real *const y = take(&t.pool, s.n * s.n_out);
    const struct linear one = {1, s.n_in, s.n_out};
    t.k->linear_forward(y, x, &layer, 1);
    wrong found = in_linear_forward(&t, y, one);
    t.k->linear_forward(y, x, &layer, s.n);
    found |= in_linear_forward(&t, y, s);
#if AF_TRAINING
    found |= try_linear_backward(t, &layer, x, s);
#endif
    return found;
}

// ------------------------------------------------------------------------------------------------------ layer norm

/// The mean of a row, and 1 / its standard deviation.
struct statistics {
    af_real mean;
    af_real rstd;
};

static struct statistics statistics_of(const struct trial *const t, const size_t r) {
    struct statistics s = {0, 0};
    for (size_t i = 0; i < AF_DIM; i++) {
        s.mean = plus(s.mean, number(of(t, X), r * AF_DIM + i));
    }
    s.mean = over(s.mean, AF_R(AF_DIM));
    for (size_t i = 0; i < AF_DIM; i++) {
        const af_real d = minus(number(of(t, X), r * AF_DIM + i), s.mean);
        s.rstd = plus(s.rstd, times(d, d));
    }
    s.rstd = over(AF_R(1), af_sqrt(plus(over(s.rstd, AF_R(AF_DIM)), AF_R(AF_LAYERNORM_EPS))));
    return s;
}

/// (x - mean) / standard deviation
static af_real normalised(const struct trial *const t, const struct statistics s, const size_t i) {
    return times(minus(number(of(t, X), i), s.mean), s.rstd);
}

static wrong in_layernorm_forward(const struct trial *const t, const af_real *const y, const af_real *const mean,
                                  const af_real *const rstd, const size_t n) {
    wrong found = 0;
    for (size_t r = 0; r < n; r++) {
        const struct statistics s = statistics_of(t, r);
        found |= other(mean[r], s.mean) | other(rstd[r], s.rstd);
        for (size_t i = 0; i < AF_DIM; i++) {
            const af_real z = normalised(t, s, r * AF_DIM + i);
            found |= other(y[r * AF_DIM + i], plus(times(z, number(of(t, G), i)), number(of(t, B), i)));
        }
    }
    return found;
}

#if AF_TRAINING
static wrong in_layernorm_backward_x(const struct trial *const t, const af_real *const d_x, const size_t n) {
    wrong found = 0;
    for (size_t r = 0; r < n; r++) {
        const struct statistics s = statistics_of(t, r);
        af_real mean_h = 0;
        af_real mean_hz = 0;
        for (size_t i = 0; i < AF_DIM; i++) {
            const af_real h = times(number(of(t, DY), r * AF_DIM + i), number(of(t, G), i));
            mean_h = plus(mean_h, h);
            mean_hz = plus(mean_hz, times(h, normalised(t, s, r * AF_DIM + i)));
        }
        mean_h = over(mean_h, AF_R(AF_DIM));
        mean_hz = over(mean_hz, AF_R(AF_DIM));
        for (size_t i = 0; i < AF_DIM; i++) {
            const size_t at = r * AF_DIM + i;
            const af_real h = times(number(of(t, DY), at), number(of(t, G), i));
            const af_real d = minus(minus(h, mean_h), times(normalised(t, s, at), mean_hz));
            found |= other(d_x[at], plus(number(of(t, DX), at), times(s.rstd, d)));
        }
    }
    return found;
}

static wrong in_layernorm_backward_w(const struct trial *const t, const af_real *const d_g, const af_real *const d_b,
                                     const af_real *const mean, const af_real *const rstd, const size_t n) {
    wrong found = 0;
    for (size_t i = 0; i < AF_DIM; i++) {
        af_real gain = number(of(t, DW), i);
        af_real bias = number(of(t, DB), i);
        for (size_t r = 0; r < n; r++) {
            const struct statistics s = {mean[r], rstd[r]}; // already checked
            const af_real d = number(of(t, DY), r * AF_DIM + i);
            gain = plus(gain, times(d, normalised(t, s, r * AF_DIM + i)));
            bias = plus(bias, d);
        }
        found |= other(d_g[i], gain) | other(d_b[i], bias);
    }
    return found;
}
#endif

static wrong try_layernorm(struct trial t) {
    const size_t n = smaller(MOST_ROWS, (t.pool.n - (2 + 2 * AF_TRAINING) * (size_t)AF_DIM) /
                                            ((2 + 2 * AF_TRAINING) * (size_t)AF_DIM + 2));
    const af_real *const x = take_filled(&t.pool, of(&t, X), n * AF_DIM);
    const af_real *const g = take_filled(&t.pool, of(&t, G), AF_DIM);
    const af_real *const b = take_filled(&t.pool, of(&t, B), AF_DIM);
    af_real *const y = take(&t.pool, n * AF_DIM);
    af_real *const mean = take(&t.pool, n);
    af_real *const rstd = take(&t.pool, n);
    t.k->layernorm_forward(y, mean, rstd, x, g, b, n);
    wrong found = in_layernorm_forward(&t, y, mean, rstd, n);
#if AF_TRAINING
    const af_real *const d_y = take_filled(&t.pool, of(&t, DY), n * AF_DIM);
    af_real *const d_x = take_filled(&t.pool, of(&t, DX), n * AF_DIM);
    af_real *const d_g = take_filled(&t.pool, of(&t, DW), AF_DIM);
    af_real *const d_b = take_filled(&t.pool, of(&t, DB), AF_DIM);
    t.k->layernorm_backward_x(d_x, d_y, x, mean, rstd, g, n);
    t.k->layernorm_backward_w(d_g, d_b, d_y, x, mean, rstd, n);
    found |= in_layernorm_backward_x(&t, d_x, n) | in_layernorm_backward_w(&t, d_g, d_b, mean, rstd, n);
#endif
    return found;
}

// ------------------------------------------------------------------------------------------------------- attention

/// Attention of n queries, the first at position `first`, over n_keys keys.
struct attention {
    size_t first;
    size_t n;
    size_t n_keys;
    const af_real *att; // forward's weights, already checked
};

/// Sum over the components of head h of a[i] b[j], rows a_row and b_row long; b's components begin at `at`.
static af_real dot_of(const struct numbers a, const size_t i, const struct numbers b, const size_t j, const size_t h) {
    const size_t at = b.array == KV ? 0 : (size_t)AF_DIM; // a key, or a value
    const struct numbers kv = {b.scale, KV};
    af_real sum = 0;
    for (size_t m = h * AF_HEAD_DIM; m < (h + 1) * AF_HEAD_DIM; m++) {
        sum = plus(sum, times(number(a, i * AF_DIM + m), number(kv, j * 2 * AF_DIM + at + m)));
    }
    return sum;
}

static af_real score_of(const struct trial *const t, const size_t i, const size_t j, const size_t h) {
    return over(dot_of(of(t, Q), i, of(t, KV), j, h), AF_SCORE_DIVISOR);
}

/// The range of the softmax of weight (i, j): keys, or with AF_SOFTMAX_QUERIES queries, from `from` to `to` - 1.
struct axis {
    size_t from;
    size_t to;
};

static struct axis axis_of(const struct attention *const s, const size_t i, const size_t j) {
    struct axis axis = {0, af_keys_seen(s->first + i, s->n_keys)};
    if (AF_SOFTMAX_QUERIES) {
        axis.from = AF_CAUSAL && j > s->first ? j - s->first : 0;
        axis.to = s->n;
    }
    return axis;
}

static af_real weight_of(const struct trial *const t, const struct attention *const s, const size_t i, const size_t j,
                         const size_t h) {
    const struct axis axis = axis_of(s, i, j);
    af_real max = score_of(t, i, j, h);
    for (size_t a = axis.from; a < axis.to; a++) {
        const af_real score = score_of(t, AF_SOFTMAX_QUERIES ? a : i, AF_SOFTMAX_QUERIES ? j : a, h);
        max = score > max ? score : max;
    }
    af_real sum = 0;
    for (size_t a = axis.from; a < axis.to; a++) {
        const af_real score = score_of(t, AF_SOFTMAX_QUERIES ? a : i, AF_SOFTMAX_QUERIES ? j : a, h);
        sum = plus(sum, af_exp(minus(score, max)));
    }
    return over(af_exp(minus(score_of(t, i, j, h), max)), sum);
}

#define AFI_WEIGHT(s, i, j, h) ((s)->att[((i)*AF_HEADS + (h)) * AF_CONTEXT + (j)])

static wrong in_attention_forward(const struct trial *const t, const af_real *const heads,
                                  const struct attention *const s) {
    wrong found = 0;
    for (size_t at = 0; at < s->n * AF_HEADS; at++) {
        const size_t i = at / AF_HEADS;
        const size_t h = at % AF_HEADS;
        const size_t n_seen = af_keys_seen(s->first + i, s->n_keys);
        for (size_t j = 0; j < AF_CONTEXT; j++) {
            const af_real weight = j < n_seen ? weight_of(t, s, i, j, h) : AF_R(0);
            found |= other(AFI_WEIGHT(s, i, j, h), weight);
        }
        for (size_t m = h * AF_HEAD_DIM; m < (h + 1) * AF_HEAD_DIM; m++) {
            af_real sum = 0;
            for (size_t j = 0; j < n_seen; j++) {
                sum = plus(sum, times(AFI_WEIGHT(s, i, j, h), number(of(t, KV), j * 2 * AF_DIM + AF_DIM + m)));
            }
            found |= other(heads[i * AF_DIM + m], sum);
        }
    }
    return found;
}

#if AF_TRAINING
/// Gradient of the weight (i, j) of head h.
static af_real d_weight_of(const struct trial *const t, const size_t i, const size_t j, const size_t h) {
    return dot_of(of(t, DH), i, of(t, V), j, h);
}

/// The gradient of the dot product (i, j) of head h.
static af_real d_dot_of(const struct trial *const t, const struct attention *const s, const size_t i, const size_t j,
                        const size_t h) {
    const struct axis axis = axis_of(s, i, j);
    af_real dot = 0;
    for (size_t a = axis.from; a < axis.to; a++) {
        const size_t query = AF_SOFTMAX_QUERIES ? a : i;
        const size_t key = AF_SOFTMAX_QUERIES ? j : a;
        dot = plus(dot, times(AFI_WEIGHT(s, query, key, h), d_weight_of(t, query, key, h)));
    }
    return over(times(AFI_WEIGHT(s, i, j, h), minus(d_weight_of(t, i, j, h), dot)), AF_SCORE_DIVISOR);
}

/// Gradients of queries, keys and values of head h, given those of the dot products, d_dot [n][n_keys].
static wrong in_head_backward(const struct trial *const t, const af_real *const d_q, const af_real *const d_kv,
                              const af_real *const d_dot, const struct attention *const s, const size_t h) {
    wrong found = 0;
    for (size_t m = h * AF_HEAD_DIM; m < (h + 1) * AF_HEAD_DIM; m++) {
        for (size_t i = 0; i < s->n; i++) {
            af_real sum = number(of(t, DQ), i * AF_DIM + m);
            for (size_t j = 0; j < af_keys_seen(s->first + i, s->n_keys); j++) {
                sum = plus(sum, times(d_dot[i * s->n_keys + j], number(of(t, KV), j * 2 * AF_DIM + m)));
            }
            found |= other(d_q[i * AF_DIM + m], sum);
        }
        for (size_t j = 0; j < s->n_keys; j++) {
            const size_t at = j * 2 * AF_DIM + m;
            af_real key = number(of(t, DKV), at);
            af_real value = number(of(t, DKV), at + AF_DIM);
            for (size_t i = AF_CAUSAL ? j : 0; i < s->n; i++) {
                key = plus(key, times(d_dot[i * s->n_keys + j], number(of(t, Q), i * AF_DIM + m)));
                value = plus(value, times(AFI_WEIGHT(s, i, j, h), number(of(t, DH), i * AF_DIM + m)));
            }
            found |= other(d_kv[at], key) | other(d_kv[at + AF_DIM], value);
        }
    }
    return found;
}

static wrong try_attention_backward(struct trial t, const af_real *const q, const af_real *const kv,
                                    af_real *const scratch, const struct attention *const s) {
    const af_real *const d_heads = take_filled(&t.pool, of(&t, DH), s->n * AF_DIM);
    af_real *const d_q = take_filled(&t.pool, of(&t, DQ), s->n * AF_DIM);
    af_real *const d_kv = take_filled(&t.pool, of(&t, DKV), s->n_keys * 2 * AF_DIM);
    af_real *const d_dot = take(&t.pool, s->n * s->n_keys);
    t.k->attention_backward(d_q, d_kv, scratch, d_heads, s->att, q, kv, s->first, s->n, s->n_keys);
    wrong found = 0;
    for (size_t h = 0; h < AF_HEADS; h++) {
        for (size_t i = 0; i < s->n; i++) {
            for (size_t j = 0; j < af_keys_seen(s->first + i, s->n_keys); j++) {
                d_dot[i * s->n_keys + j] = d_dot_of(&t, s, i, j, h);
            }
        }
        found |= in_head_backward(&t, d_q, d_kv, d_dot, s, h);
    }
    return found;
}
#endif

// Numbers of keys and of queries in a trial: as many queries as decoding takes at a time.
enum {
    N_KEYS = AF_CONTEXT < 6 ? AF_CONTEXT : 6,
    N_QUERIES = AF_TRAINING || AF_DECODE_ROWS > N_KEYS ? N_KEYS : AF_DECODE_ROWS
};

/// A whole sequence; and, as in decoding, the last query of a sequence alone.
static wrong try_attention(struct trial t) {
    af_real *const scratch = AF_TRAINING || AF_DECODE_ROWS > 1 ? take(&t.pool, AF_SCRATCH_REALS) : NULL;
    const af_real *const q = take_filled(&t.pool, of(&t, Q), N_QUERIES * AF_DIM);
    const af_real *const kv = take_filled(&t.pool, of(&t, KV), N_KEYS * 2 * AF_DIM);
    af_real *const heads = take(&t.pool, N_QUERIES * AF_DIM);
    af_real *const att = take(&t.pool, N_QUERIES * AF_HEADS * AF_CONTEXT);
    const struct attention whole = {0, N_QUERIES, N_QUERIES, att};
    wrong found = 0;
    if (AF_CAN_CACHE) {
        const struct attention last = {N_KEYS - 1, 1, N_KEYS, att};
        t.k->attention_forward(heads, att, scratch, q, kv, N_KEYS - 1, 1, N_KEYS);
        found = in_attention_forward(&t, heads, &last);
    }
    t.k->attention_forward(heads, att, scratch, q, kv, 0, N_QUERIES, N_QUERIES);
    found |= in_attention_forward(&t, heads, &whole);
#if AF_TRAINING
    found |= try_attention_backward(t, q, kv, scratch, &whole);
#endif
    return found;
}

// ---------------------------------------------------------------------------------------------------- GELU and AdamW

static wrong try_gelu(struct trial t) {
    const size_t n = smaller(67, t.pool.n / 4);
    const af_real *const x = take_filled(&t.pool, of(&t, X), n);
    af_real *const y = take(&t.pool, n);
    af_real *const cdf = AF_PACKED ? take(&t.pool, n) : NULL;
    wrong found = 0;
    t.k->gelu_forward(y, cdf, x, n);
    for (size_t i = 0; i < n; i++) {
        found |= other(y[i], times(times(AF_R(0.5), x[i]), af_one_erf(x[i])));
    }
#if AF_TRAINING
    af_real *const d = take_filled(&t.pool, of(&t, DY), n);
    t.k->gelu_backward(d, d, x, cdf, n);
    for (size_t i = 0; i < n; i++) {
        const af_real slope = af_gelu_slope(x[i], times(AF_R(0.5), af_one_erf(x[i])));
        found |= other(d[i], times(number(of(&t, DY), i), slope));
    }
#endif
    return found;
}

#if AF_TRAINING
/// A step of AdamW, from moments that are not 0.
static wrong try_adamw(struct trial t) {
    static const struct af_adamw how = AF_ADAMW_CHAPTER;
    const size_t n = smaller(67, t.pool.n / 4);
    const af_real c1 = AF_R(AF_ADAMW_BETA1_REST);
    const af_real c2 = AF_R(AF_ADAMW_BETA2_REST);
    const af_real keep = minus(AF_R(1), times(how.learning_rate, how.weight_decay));
    const af_real rate = over(how.learning_rate, c1);
    af_real *const p = take_filled(&t.pool, of(&t, P), n);
    af_real *const m = take_filled(&t.pool, of(&t, M), n);
    af_real *const v = take_filled(&t.pool, of(&t, V), n);
    const af_real *const d = take_filled(&t.pool, of(&t, DW), n);
    wrong found = 0;
    for (size_t i = 0; i < n; i++) {
        v[i] = af_abs(v[i]);
    }
    t.k->adamw_update(p, m, v, d, how, c1, c2, n);
    for (size_t i = 0; i < n; i++) {
        const af_real first = plus(times(number(of(&t, M), i), AF_R(AF_ADAMW_BETA1)), times(c1, d[i]));
        const af_real second =
            plus(times(af_abs(number(of(&t, V), i)), AF_R(AF_ADAMW_BETA2)), times(times(c2, d[i]), d[i]));
        const af_real root = plus(over(af_sqrt(second), af_sqrt(c2)), AF_R(AF_ADAMW_EPS));
        const af_real weight = minus(times(number(of(&t, P), i), keep), times(rate, over(first, root)));
        found |= other(m[i], first) | other(v[i], second) | other(p[i], weight);
    }
    return found;
}

// ------------------------------------------------------------------------------- what has one way to be carried out

/// Rows of the chapter's loss. One has too few numbers to show every rounding, so there are several, one after another.
static wrong try_cross_entropy(struct trial t) {
    static const af_token target = 1;
    const af_real share = AF_R(1) / AF_R(3);
    af_real *const d = take(&t.pool, AF_VOCAB);
    wrong found = 0;
    for (uint32_t row = 0; row < MOST_ROWS; row++) {
        const struct numbers logits = of(&t, P + row);
        af_real loss = 0;
        af_real sum = 0;
        fill_with(d, logits, AF_VOCAB);
        const af_real max = d[af_argmax(d, AF_VOCAB)];
        const af_real wanted = minus(d[target], max);
        for (size_t v = 0; v < AF_VOCAB; v++) {
            sum = plus(sum, af_exp(minus(d[v], max)));
        }
        af_cross_entropy(d, &loss, d, &target, share, 1);
        found |= other(loss, minus(af_log(sum), wanted));
        for (size_t v = 0; v < AF_VOCAB; v++) {
            const af_real p = over(af_exp(minus(number(logits, v), max)), sum);
            found |= other(d[v], times(minus(p, v == target ? AF_R(1) : AF_R(0)), share));
        }
    }
    return found;
}
#endif

/// Sums of two rows: embedding, residual connection; and picking rows, with one row left out.
static wrong try_rows(struct trial t) {
    static const af_token token[] = {1, 0};
    static const af_index row = 0;
    const af_real *const a = take_filled(&t.pool, of(&t, W), 2 * (size_t)AF_DIM);
    af_real *const y = take(&t.pool, AF_DIM);
    wrong found = 0;
    af_embedding_forward(y, a, a, &token[0], &row, 1);
    for (size_t i = 0; i < AF_DIM; i++) {
        found |= other(y[i], plus(a[AF_DIM + i], a[i]));
    }
    af_residual(y, a, NULL, 1);
    for (size_t i = 0; i < AF_DIM; i++) {
        found |= other(y[i], plus(plus(a[AF_DIM + i], a[i]), a[i]));
    }
#if AF_TRAINING
    af_real *const d = take_filled(&t.pool, of(&t, DX), AF_DIM);
    fill_with(y, of(&t, DY), AF_DIM);
    af_rows_gather(y, a, &row, 0, 1);
    af_rows_scatter(d, y, &row, 0, 1);
    for (size_t i = 0; i < AF_DIM; i++) {
        found |= other(y[i], a[i]) | other(d[i], plus(number(of(&t, DX), i), a[i]));
    }
    fill_with(d, of(&t, DX), AF_DIM);
    fill_with(y, of(&t, DY), AF_DIM);
    af_embedding_backward(d, y, a, &token[1], &row, 1, 0, AF_DIM);
    for (size_t i = 0; i < AF_DIM; i++) {
        found |= other(d[i], plus(number(of(&t, DX), i), a[i])) | other(y[i], plus(number(of(&t, DY), i), a[i]));
    }
#endif
    return found;
}

// ---------------------------------------------------------------------------------------------------------- the runner

/// Pieces that only record that they were run: each is 1 if it was run once, on an existing worker.
struct roll {
    uint8_t n_done[32];
    size_t n_workers;
};

static void answer(void *const work, const size_t piece, const size_t worker) {
    struct roll *const roll = (struct roll *)work;
    roll->n_done[piece] = (uint8_t)(roll->n_done[piece] + (worker < roll->n_workers ? 1 : 2));
}

static af_status runner_check(const struct af_runner *const runner) {
    if (runner == NULL) {
        return AF_OK;
    }
    if (runner->run == NULL || runner->n_workers < 1 || runner->n_workers > AF_WORKERS) {
        return AF_ERR_RANGE;
    }
    struct roll roll = {{0}, runner->n_workers};
    af_status status = af_run(runner, answer, &roll, sizeof(roll.n_done));
    for (size_t i = 0; i < sizeof(roll.n_done) && status == AF_OK; i++) {
        status = roll.n_done[i] == 1 ? AF_OK : AF_ERR_RUNNER;
    }
    return status;
}

// ------------------------------------------------------------------------------------------------------- all of them

#if AF_TRAINING
#define AFI_WORK_REALS AF_TRAIN_REALS
#else
#define AFI_WORK_REALS ((AF_DECODE_BYTES - 16 * AF_INDEX_BYTES) / AF_REAL_BYTES) // behind them are indexes
#endif

// Numbers of about 2^-66, in double 2^-530, are normal; their products are subnormal.
#if AF_REAL_IS_DOUBLE
#define AFI_LITTLE_EXPONENT 530
#else
#define AFI_LITTLE_EXPONENT 66
#endif

/// Tries the table on numbers of about 1, and on numbers whose products are subnormal.
static af_status table_check(const struct af_kernels *const k, const struct pool pool) {
    // Called through pointers: if inlined, their frames would add up.
    static wrong (*const trial_of[])(struct trial t) = {
        try_linear,
        try_layernorm,
        try_attention,
        try_gelu,
        try_rows,
#if AF_TRAINING
        try_adamw,
        try_cross_entropy,
#endif
    };
    const size_t n_trials = sizeof(trial_of) / sizeof(trial_of[0]);
    const af_real little = af_exp_scale((af_bits)(AF_EXPONENT_BIAS - AFI_LITTLE_EXPONENT));
    struct trial t = {k, pool, 1};
#if AFI_WORK_REALS < 64 // only if every size is 1 or 2
    af_real own[64];
    t.pool.next = own;
    t.pool.n = 64;
#endif
    wrong found = 0;
    for (size_t i = 0; i < 2 * n_trials; i++) {
        t.scale = i < n_trials ? AF_R(1) : little;
        found |= trial_of[i % n_trials](t);
    }
    return found == 0 ? AF_OK : AF_ERR_KERNEL;
}

static af_status model_check(const struct af_model *const model) {
    if (model == NULL || model->work == NULL) {
        return AF_ERR_NULL;
    }
#if AF_TRAINING
    if (model->state == NULL) {
        return AF_ERR_NULL;
    }
    if (model->state->progress[0].phase != AF_TRAIN_IDLE) {
        return AF_ERR_ORDER;
    }
#endif
    return AF_OK;
}

/// The model's table: its file, then its operations.
static af_status kernels_check(const struct af_model *const model) {
    const struct af_kernels *const k = model->kernels == NULL ? &af_kernels_plain : model->kernels;
    const struct pool pool = {(af_real *)model->work, AFI_WORK_REALS};
    const af_status status = k->liberties == NULL ? AF_OK : k->liberties();
    return status == AF_OK ? table_check(k, pool) : status;
}

af_status af_selftest_model(const struct af_model *const model) {
    af_status status = model_check(model);
    if (status == AF_OK) {
        status = af_selftest();
    }
    if (status == AF_OK) {
        status = af_liberties(af_liberty_number); // of this file
    }
    if (status == AF_OK) {
        status = runner_check(model->runner);
    }
    return status == AF_OK ? kernels_check(model) : status;
}

#include "af_inner_export.h"
