// SPDX-License-Identifier: MIT
// Scaled dot-product attention with a causal mask, and its gradient.
#define AF_FILE_attention 0, AF_OWN
#include "af_inner_liberties.h"
#include "af_math.h"
#include "af_ops.h"

// Offsets of head h: its components in a row of D, its key and its value in a row of kv, its weights in a row of att.
#define AFI_COMPONENT(row, h) (AF_DIM * (row) + AF_HEAD_DIM * (h))
#define AFI_KEY(row, h)       (2 * AF_DIM * (row) + AF_HEAD_DIM * (h))
#define AFI_VALUE(row, h)     (AFI_KEY(row, h) + AF_DIM)
#define AFI_WEIGHTS(row, h)   (((row)*AF_HEADS + (h)) * AF_CONTEXT)

/// The scores of all queries; for masked and missing keys, a weight of 0.
static void scores(af_real *const att, const af_real *const q, const af_real *const kv, const size_t first,
                   const size_t n, const size_t n_keys) {
    const af_real divisor = AF_SCORE_DIVISOR;
    for (size_t i = 0; i < n; i++) {
        const size_t n_seen = af_keys_seen(first + i, n_keys);
        for (size_t h = 0; h < AF_HEADS; h++) {
            const af_real *const query = &q[AFI_COMPONENT(i, h)];
            af_real *const score = &att[AFI_WEIGHTS(i, h)];
            for (size_t j = 0; j < n_seen; j++) {
                const af_real *const key = &kv[AFI_KEY(j, h)];
                af_real dot = 0;
                for (size_t m = 0; m < AF_HEAD_DIM; m++) {
                    dot += query[m] * key[m];
                }
                score[j] = dot / divisor;
            }
            for (size_t j = n_seen; j < AF_CONTEXT; j++) {
                score[j] = 0;
            }
        }
    }
}

#if AF_SOFTMAX_QUERIES

/// The first query that sees key j: the one at the key's position; query 0 if that is before them or without a mask.
static size_t first_query_of(const size_t j, const size_t first) {
    return AF_CAUSAL && j > first ? j - first : 0;
}

/// From scores to weights, in place: for each key a softmax over the queries that see it.
static void weights(af_real *const att, const size_t first, const size_t n, const size_t n_keys) {
    for (size_t h = 0; h < AF_HEADS; h++) {
        for (size_t j = 0; j < n_keys; j++) {
            const size_t from = first_query_of(j, first);
            af_real max = from < n ? att[AFI_WEIGHTS(from, h) + j] : AF_R(0);
            af_real sum = 0;
            for (size_t i = from; i < n; i++) {
                max = att[AFI_WEIGHTS(i, h) + j] > max ? att[AFI_WEIGHTS(i, h) + j] : max;
            }
            for (size_t i = from; i < n; i++) {
                att[AFI_WEIGHTS(i, h) + j] = af_exp(att[AFI_WEIGHTS(i, h) + j] - max);
                sum += att[AFI_WEIGHTS(i, h) + j];
            }
            for (size_t i = from; i < n; i++) {
                att[AFI_WEIGHTS(i, h) + j] = att[AFI_WEIGHTS(i, h) + j] / sum;
            }
        }
    }
}

#else

/// From scores to weights, in place: for each query a softmax over the keys that it sees.
static void weights(af_real *const att, const size_t first, const size_t n, const size_t n_keys) {
    for (size_t i = 0; i < n; i++) {
        for (size_t h = 0; h < AF_HEADS; h++) {
            af_softmax(&att[AFI_WEIGHTS(i, h)], &att[AFI_WEIGHTS(i, h)], af_keys_seen(first + i, n_keys));
        }
    }
}

#endif

void af_attention_forward(af_real *const heads, af_real *const att, const af_real *const q, const af_real *const kv,
                          const size_t first, const size_t n, const size_t n_keys) {
    scores(att, q, kv, first, n, n_keys);
    weights(att, first, n, n_keys);
    for (size_t i = 0; i < n; i++) {
        const size_t n_seen = af_keys_seen(first + i, n_keys);
        for (size_t h = 0; h < AF_HEADS; h++) {
            for (size_t m = 0; m < AF_HEAD_DIM; m++) {
                af_real sum = 0;
                for (size_t j = 0; j < n_seen; j++) {
                    sum += att[AFI_WEIGHTS(i, h) + j] * kv[AFI_VALUE(j, h) + m];
                }
                heads[AFI_COMPONENT(i, h) + m] = sum;
            }
        }
    }
}

#if AF_TRAINING

/// The arrays of a backward pass.
struct gradient {
    af_real *d_q;
    af_real *d_kv;
    const af_real *d_heads;
    const af_real *att;
    const af_real *q;
    const af_real *kv;
};

/// heads = sum of weight[j] v[j]: adds the gradient of the value of key j, and returns that of the weight.
static af_real weight_backward(const struct gradient *const g, const size_t i, const size_t j, const size_t h) {
    const af_real *const d_out = &g->d_heads[AFI_COMPONENT(i, h)];
    const af_real weight = g->att[AFI_WEIGHTS(i, h) + j];
    af_real d_weight = 0;
    for (size_t m = 0; m < AF_HEAD_DIM; m++) {
        d_weight += d_out[m] * g->kv[AFI_VALUE(j, h) + m];
        g->d_kv[AFI_VALUE(j, h) + m] += weight * d_out[m];
    }
    return d_weight;
}

/// Adds a dot product's gradient to query i and key j.
static void dot_backward(const struct gradient *const g, const size_t i, const size_t j, const size_t h,
                         const af_real d_dot) {
    for (size_t m = 0; m < AF_HEAD_DIM; m++) {
        g->d_q[AFI_COMPONENT(i, h) + m] += d_dot * g->kv[AFI_KEY(j, h) + m];
        g->d_kv[AFI_KEY(j, h) + m] += d_dot * g->q[AFI_COMPONENT(i, h) + m];
    }
}

// The gradient of a softmax is d_score = weight (d_weight - dot), where dot is the sum of weight d_weight over the
// numbers that the softmax ran over; then follows the gradient of the division.

// The checker does not notice writes through a struct's pointers.
// NOLINTBEGIN(readability-non-const-parameter)
void af_attention_backward(af_real *const d_q, af_real *const d_kv, af_real *const d_att, const af_real *const d_heads,
                           const af_real *const att, const af_real *const q, const af_real *const kv,
                           const size_t first, const size_t n, const size_t n_keys) {
    const struct gradient g = {d_q, d_kv, d_heads, att, q, kv};
    const af_real divisor = AF_SCORE_DIVISOR;
#if AF_SOFTMAX_QUERIES
    for (size_t h = 0; h < AF_HEADS; h++) {
        for (size_t j = 0; j < n_keys; j++) {
            af_real dot = 0;
            for (size_t i = first_query_of(j, first); i < n; i++) {
                d_att[i] = weight_backward(&g, i, j, h);
                dot += att[AFI_WEIGHTS(i, h) + j] * d_att[i];
            }
            for (size_t i = first_query_of(j, first); i < n; i++) {
                dot_backward(&g, i, j, h, att[AFI_WEIGHTS(i, h) + j] * (d_att[i] - dot) / divisor);
            }
        }
    }
#else
    for (size_t i = 0; i < n; i++) {
        const size_t n_seen = af_keys_seen(first + i, n_keys);
        for (size_t h = 0; h < AF_HEADS; h++) {
            af_real dot = 0;
            for (size_t j = 0; j < n_seen; j++) {
                d_att[j] = weight_backward(&g, i, j, h);
                dot += att[AFI_WEIGHTS(i, h) + j] * d_att[j];
            }
            for (size_t j = 0; j < n_seen; j++) {
                dot_backward(&g, i, j, h, att[AFI_WEIGHTS(i, h) + j] * (d_att[j] - dot) / divisor);
            }
        }
    }
#endif
}
// NOLINTEND(readability-non-const-parameter)
#endif

af_status af_liberties_attention(const volatile af_real *const v) {
    return af_liberties(v);
}

#include "af_inner_export.h"
