// SPDX-License-Identifier: MIT
// What sections 1.4, 1.5 and 1.8 say in words, with numbers: random queries and keys, softmax, mask, permutations. The
// numbers are those of torch.randn after torch.manual_seed(0).
#include "af.h"
#include "af_math.h"
#include "experiments.h"

#include <math.h>

#if !AF_SCALED || !AF_CAN_CACHE
#error "The experiments are shown by the chapter's model: build them without options."
#endif

enum { MAX_WIDTH = 256, N_DRAWS = 2000, N_KEYS = 13 };

/// What comes of scores of random queries and keys of a width: their variance, the largest weight, and the norm of the
/// softmax's derivative, p_i (1 if i = j, else 0) - p_i p_j, as means over draws.
struct scores {
    double variance;
    double largest;
    double jacobian;
};

static double jacobian_norm(const af_real p[N_KEYS]) {
    double sum = 0;
    for (size_t i = 0; i < N_KEYS; i++) {
        for (size_t j = 0; j < N_KEYS; j++) {
            const double d = (double)p[i] * ((i == j ? 1.0 : 0.0) - (double)p[j]);
            sum += d * d;
        }
    }
    return sqrt(sum);
}

static struct scores measure_scores(const size_t width, const bool is_scaled) {
    static af_real query[MAX_WIDTH];
    static af_real key[MAX_WIDTH];
    struct af_torch stream;
    struct scores s = {0, 0, 0};
    const double divisor = is_scaled ? sqrt((double)width) : 1;
    af_torch_seed(&stream, 0);
    for (size_t k = 0; k < N_DRAWS; k++) {
        af_real score[N_KEYS];
        af_real p[N_KEYS];
        (void)af_torch_normal(&stream, query, width);
        for (size_t j = 0; j < N_KEYS; j++) {
            double dot = 0;
            (void)af_torch_normal(&stream, key, width);
            for (size_t m = 0; m < width; m++) {
                dot += (double)query[m] * (double)key[m];
            }
            score[j] = (af_real)(dot / divisor);
            s.variance += dot / divisor * dot / divisor / ((double)N_DRAWS * N_KEYS);
        }
        af_softmax(p, score, N_KEYS);
        s.largest += (double)p[af_argmax(p, N_KEYS)] / N_DRAWS;
        s.jacobian += jacobian_norm(p) / N_DRAWS;
    }
    return s;
}

void rows_of_scaling(struct comparison *const c) {
    const struct scores raw = measure_scores(32, false);
    const struct scores scaled = measure_scores(32, true);
    const struct scores raw_wide = measure_scores(128, false);
    compare_row(c, (struct statement){"1.4", "variance of q . k, 32 and 128 components", "d_k"}, SHOWN, true,
                "26,000 random scores", "%.1f and %.1f", raw.variance, raw_wide.variance);
    compare_row(c, (struct statement){"1.4", "divided by the root, 32 components", "back to one"}, SHOWN, true, "",
                "%.2f", scaled.variance);
    compare_row(c, (struct statement){"1.4", "largest of 13 weights, without and with division", "one weight near 1"},
                SHOWN, true, "of 32 components the words say too much: means of 2,000 draws", "%.2f; %.2f (128: %.2f)",
                raw.largest, scaled.largest, raw_wide.largest);
    compare_row(c, (struct statement){"1.4", "norm of the softmax's derivative, the same", "gradients nearly zero"},
                SHOWN, true, "of 32 components the words do not hold: a third less, and less as the width grows",
                "%.2f; %.2f (128: %.2f)", raw.jacobian, scaled.jacobian, raw_wide.jacobian);
}

// -------------------------------------------------------------------------------------------------------- the mask

enum { N_SEEN = 5, N_DRAWN = 16 }; // shorter vectors torch draws in another way

void rows_of_mask(struct comparison *const c) {
    struct af_torch stream;
    af_real score[N_DRAWN];
    af_real masked[N_KEYS];
    af_real zeroed[N_KEYS];
    af_real alone[N_SEEN];
    double difference = 0;
    double late = 0;
    double kept = 0;
    double hidden = 0;
    af_torch_seed(&stream, 0);
    (void)af_torch_normal(&stream, score, N_DRAWN);
    af_softmax(alone, score, N_SEEN);
    for (size_t j = 0; j < N_KEYS; j++) {
        masked[j] = j < N_SEEN ? score[j] : (af_real)-INFINITY;
        zeroed[j] = j < N_SEEN ? score[j] : AF_R(0);
    }
    af_softmax(masked, masked, N_KEYS);
    af_softmax(zeroed, zeroed, N_KEYS);
    af_softmax(score, score, N_KEYS); // and only then the mask
    for (size_t j = 0; j < N_KEYS; j++) {
        hidden += j < N_SEEN ? 0 : (double)masked[j];
        late += j < N_SEEN ? 0 : (double)zeroed[j];
        kept += j < N_SEEN ? (double)score[j] : 0;
        difference = j < N_SEEN ? fmax(difference, fabs((double)masked[j] - (double)alone[j])) : difference;
    }
    compare_row(c, (struct statement){"1.5", "masked with -inf: weights of 8 later keys", "exactly 0"}, EXACT,
                !(hidden > 0), "", "%g", hidden);
    compare_row(c, (struct statement){"1.5", "the rest: as if there were no other keys", "renormalised"}, EXACT,
                !(difference > 0), "the same bits", "differs by %g", difference);
    compare_row(c,
                (struct statement){"1.5", "masked with 0 instead: weight of the later keys", "would receive a weight"},
                SHOWN, true, "", "%.2f", late);
    compare_row(c, (struct statement){"1.5", "masked after the softmax: what is left sums to", "not sum to one"}, SHOWN,
                true, "", "%.2f", kept);
}

// --------------------------------------------------------------------------------------------------------- the MLP

static void feed_forward(af_real y[N_KEYS][AF_DIM], const af_real x[N_KEYS][AF_DIM], const af_real *const w1,
                         const af_real *const w2) {
    static const af_real zero[AF_FF];
    static af_real hidden[N_KEYS * AF_FF];
    af_linear_forward(hidden, x[0], w1, zero, N_KEYS, AF_DIM, AF_FF);
    af_gelu_forward(hidden, hidden, (size_t)N_KEYS * AF_FF);
    af_linear_forward(y[0], hidden, w2, zero, N_KEYS, AF_FF, AF_DIM);
}

static bool has_same_bits(const af_real a[AF_DIM], const af_real b[AF_DIM]) {
    size_t n = 0;
    for (size_t i = 0; i < AF_DIM; i++) {
        n += af_bits_of(a[i]) == af_bits_of(b[i]) ? 1U : 0U;
    }
    return n == AF_DIM;
}

/// Rows of which no bit has changed, but for one; SIZE_MAX if that one has not changed.
static size_t rows_kept(const af_real a[N_KEYS][AF_DIM], const af_real b[N_KEYS][AF_DIM], const size_t changed) {
    size_t n = 0;
    for (size_t i = 0; i < N_KEYS; i++) {
        n += i != changed && has_same_bits(a[i], b[i]) ? 1U : 0U;
    }
    return has_same_bits(a[changed], b[changed]) ? SIZE_MAX : n;
}

void rows_of_mlp(struct comparison *const c) {
    enum { CHANGED = 5 };
    static af_real x[N_KEYS][AF_DIM];
    static af_real y[2][N_KEYS][AF_DIM];
    static af_real w1[AF_FF * AF_DIM];
    static af_real w2[AF_DIM * AF_FF];
    const struct af_tensor up = af_map_find(&af_map, "blocks.0.mlp.0.weight"); // [output][input]
    const struct af_tensor down = af_map_find(&af_map, "blocks.0.mlp.2.weight");
    struct af_torch stream;
    af_torch_seed(&stream, 0);
    (void)af_torch_normal(&stream, x[0], (size_t)N_KEYS * AF_DIM);
    (void)af_torch_normal(&stream, w1, (size_t)AF_FF * AF_DIM);
    (void)af_torch_normal(&stream, w2, (size_t)AF_FF * AF_DIM);
    feed_forward(y[0], (const af_real(*)[AF_DIM])x, w1, w2);
    (void)af_torch_normal(&stream, x[CHANGED], AF_DIM);
    feed_forward(y[1], (const af_real(*)[AF_DIM])x, w1, w2);
    const size_t n = rows_kept((const af_real(*)[AF_DIM])y[0], (const af_real(*)[AF_DIM])y[1], CHANGED);
    compare_text(c, (struct statement){"1.7", "the feed-forward network expands", "from 64 to 256 dimensions and back"},
                 EXACT, "", "from %zu to %zu dimensions %s", up.dim[1], up.dim[0],
                 down.dim[1] == up.dim[0] && down.dim[0] == up.dim[1] ? "and back" : "only");
    compare_row(c, (struct statement){"1.7", "one position of 13 changes: the others", "each position on its own"},
                EXACT, n == N_KEYS - 1, "", n == SIZE_MAX ? "it has no effect" : "%zu of %d keep their bits", n,
                N_KEYS - 1);
}

// ----------------------------------------------------------------------------------------------------- permutations

static const size_t permutation[N_KEYS] = {7, 2, 11, 0, 9, 4, 12, 1, 6, 3, 10, 5, 8};

/// Attention of each of n queries over all keys, as without a mask: as the last query of a causal sequence.
static void attend(af_real *const heads, const af_real *const q, const af_real *const kv) {
    static af_real att[AF_HEADS * AF_CONTEXT];
    for (size_t i = 0; i < N_KEYS; i++) {
        af_attention_forward(&heads[i * AF_DIM], att, &q[i * AF_DIM], kv, N_KEYS - 1, 1, N_KEYS);
    }
}

static double largest_difference(const af_real *const a, const af_real *const b, const bool is_permuted) {
    double largest = 0;
    for (size_t i = 0; i < N_KEYS; i++) {
        for (size_t m = 0; m < AF_DIM; m++) {
            const size_t row = is_permuted ? permutation[i] : i;
            largest = fmax(largest, fabs((double)a[i * AF_DIM + m] - (double)b[row * AF_DIM + m]));
        }
    }
    return largest;
}

void rows_of_permutations(struct comparison *const c) {
    enum { KV = 2 * AF_DIM };
    static af_real q[N_KEYS * AF_DIM];
    static af_real other_q[N_KEYS * AF_DIM];
    static af_real kv[N_KEYS * KV];
    static af_real other_kv[N_KEYS * KV];
    static af_real heads[3][N_KEYS * AF_DIM];
    static af_real causal[2][N_KEYS * AF_DIM];
    static af_real att[N_KEYS * AF_HEADS * AF_CONTEXT];
    struct af_torch stream;
    af_torch_seed(&stream, 0);
    (void)af_torch_normal(&stream, q, N_KEYS * AF_DIM);
    (void)af_torch_normal(&stream, kv, N_KEYS * KV);
    for (size_t i = 0; i < N_KEYS * KV; i++) {
        other_kv[i] = kv[permutation[i / KV] * KV + i % KV];
        other_q[i / 2] = q[permutation[i / KV] * AF_DIM + i / 2 % AF_DIM];
    }
    attend(heads[0], q, kv);
    attend(heads[1], q, other_kv);
    attend(heads[2], other_q, other_kv);
    af_attention_forward(causal[0], att, q, kv, 0, N_KEYS, N_KEYS);
    af_attention_forward(causal[1], att, other_q, other_kv, 0, N_KEYS, N_KEYS);
    compare_row(c, (struct statement){"1.8", "keys and values permuted: outputs", "the same outputs, permuted"}, SHOWN,
                true, "the words do not hold: they stay where they are", "differ by %.0e",
                largest_difference(heads[1], heads[0], false));
    compare_row(c, (struct statement){"1.8", "all tokens permuted, no mask: outputs", ""}, SHOWN, true,
                "these are permuted", "permuted, differ by %.0e", largest_difference(heads[2], heads[0], true));
    compare_row(c, (struct statement){"1.8", "all tokens permuted, causal mask: outputs", ""}, SHOWN, true,
                "with a mask attention does see order", "permuted, differ by %.1f",
                largest_difference(causal[1], causal[0], true));
}
