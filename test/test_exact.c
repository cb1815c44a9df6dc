// SPDX-License-Identifier: MIT
// Sums of whole numbers: where every partial sum is below 2^24, floating point makes no error, so the operations must
// equal a calculation in 64-bit integers, number for number, with no tolerance. N_CASES random shapes of each
// operation; linear layers, layer norm and attention with the plain loops and with every table of tiles.
//
// A softmax has whole numbers too: where scores are so far apart that exp(score - max) is 0 but for the largest, each
// of m equal largest ones gets 1 / m. So a wrong score shows as another winner.
//
// Every array has exactly the size that the headers state, so that a sanitizer sees what leaves it.
#include "af.h"
#include "af_inner_kernels.h"
#include "layers/layers.h"
#include "tables.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef N_CASES
#define N_CASES 100000
#endif

/// sqrt(dk), which has to be a whole number.
#define ROOT (!AF_SCALED || AF_HEAD_DIM == 1 ? 1 : AF_HEAD_DIM == 4 ? 2 : AF_HEAD_DIM == 16 ? 4 : 0)
AF_STATIC_ASSERT(ROOT != 0, the_root_of_a_heads_width_is_a_whole_number);
AF_STATIC_ASSERT(!AF_SOFTMAX_QUERIES, each_query_has_a_softmax);

// --------------------------------------------------------------------------------------------------------- arrays

static uint32_t state = 1;

static uint32_t draw(uint32_t n) { // below n
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return (uint32_t)((uint64_t)state * n >> 32);
}

/// Mostly small, some that fill tiles, few that are longer than what a kernel sums in one go.
static size_t size(void) {
    const uint32_t dice = draw(64);
    return 1 + draw(dice < 50 ? 12 : dice < 62 ? 40 : 150);
}

static void *taken[64];
static size_t n_taken;

static void *room(size_t n_bytes) {
    void *x = malloc(n_bytes);
    cr_assert(n_taken < 64 && (x != NULL || n_bytes == 0));
    taken[n_taken++] = x;
    return x;
}

static void give_back(void) {
    while (n_taken > 0) {
        free(taken[--n_taken]);
    }
}

/// The same numbers as af_real and as integers.
struct numbers {
    af_real *real;
    int64_t *whole;
    size_t n;
};

/// n numbers from -limit to limit.
static struct numbers numbers(size_t n, int limit) {
    const struct numbers x = {room(n * sizeof(af_real)), room(n * sizeof(int64_t)), n};
    for (size_t i = 0; i < n; i++) {
        x.whole[i] = (int64_t)draw(2 * (uint32_t)limit + 1) - limit;
        x.real[i] = (af_real)x.whole[i];
    }
    return x;
}

static af_real *copy(struct numbers x) {
    af_real *y = room(x.n * sizeof(af_real));
    for (size_t i = 0; i < x.n; i++) {
        y[i] = x.real[i];
    }
    return y;
}

static af_real *empty(size_t n) {
    af_real *y = room(n * sizeof(af_real));
    for (size_t i = 0; i < n; i++) {
        y[i] = af_real_of(AF_INFINITY_BITS);
    }
    return y;
}

/// The integers of x, times `scale`, to be added to.
static int64_t *scaled(struct numbers x, int64_t scale) {
    int64_t *y = room(x.n * sizeof(int64_t));
    for (size_t i = 0; i < x.n; i++) {
        y[i] = x.whole[i] * scale;
    }
    return y;
}

/// Stops the test unless got[i] scale = expected[i] for all i.
static void equal(const char *what, const int64_t *expected, const af_real *got, size_t n, int64_t scale) {
    for (size_t i = 0; i < n; i++) {
        const af_real x = got[i] * (af_real)scale;
        if (!(x >= (af_real)expected[i] && x <= (af_real)expected[i])) {
            cr_assert_fail("%s: number %zu of %zu is %a, not %lld / %lld", what, i, n, (double)got[i],
                           (long long)expected[i], (long long)scale);
        }
    }
}

// --------------------------------------------------------------------------------------------------- linear layer

struct shape {
    size_t n, n_in, n_out;
};

/// y[r][o] += sum over s of a[r][s] b[s][o]; a step in an axis moves by the strides.
struct product {
    const int64_t *a;
    size_t a_row, a_sum;
    const int64_t *b;
    size_t b_sum, b_column;
};

static void multiply(int64_t *y, size_t n_rows, size_t n_columns, size_t n_sum, struct product p) {
    for (size_t r = 0; r < n_rows; r++) {
        for (size_t c = 0; c < n_columns; c++) {
            for (size_t s = 0; s < n_sum; s++) {
                y[r * n_columns + c] += p.a[r * p.a_row + s * p.a_sum] * p.b[s * p.b_sum + c * p.b_column];
            }
        }
    }
}

static void forward_case(struct shape s, int limit) {
    const struct numbers x = numbers(s.n * s.n_in, limit);
    const struct numbers w = numbers(s.n_in * s.n_out, limit);
    const struct numbers b = numbers(s.n_out, 100000);
    const struct numbers start = numbers(s.n * s.n_in, 100000);
    const struct numbers d_y = numbers(s.n * s.n_out, limit);
    const size_t panels = (s.n_out + AF_LANES - 1) / AF_LANES * AF_LANES * s.n_in;
    const size_t panels_back = (s.n_in + AF_LANES - 1) / AF_LANES * AF_LANES * s.n_out;
    af_real *packed = empty(panels);
    af_real *packed_back = empty(panels_back);
    const struct af_layer layer = {w.real, b.real, packed, packed_back, s.n_in, s.n_out};
    af_pack(packed, w.real, s.n_in, 1, s.n_out, s.n_in);
    af_pack(packed_back, w.real, 1, s.n_in, s.n_in, s.n_out);

    int64_t *y = room(s.n * s.n_out * sizeof(int64_t));
    for (size_t i = 0; i < s.n * s.n_out; i++) {
        y[i] = b.whole[i % s.n_out];
    }
    multiply(y, s.n, s.n_out, s.n_in, (struct product){x.whole, s.n_in, 1, w.whole, 1, s.n_in});
    const bool adds = draw(2) == 1;
    int64_t *d_x = scaled(start, adds ? 1 : 0);
    multiply(d_x, s.n, s.n_in, s.n_out, (struct product){d_y.whole, s.n_out, 1, w.whole, s.n_in, 1});
    FOR_PLAIN_AND_EVERY_TABLE(k) {
        af_real *got = empty(s.n * s.n_out);
        k->linear_forward(got, x.real, &layer, s.n);
        equal(k->name, y, got, s.n * s.n_out, 1);
        got = copy(start);
        k->linear_backward_x(got, d_y.real, &layer, s.n, adds);
        equal(k->name, d_x, got, s.n * s.n_in, 1);
    }
}

static void weights_case(struct shape s, int limit) {
    const struct numbers x = numbers(s.n * s.n_in, limit);
    const struct numbers d_y = numbers(s.n * s.n_out, limit);
    const struct numbers start = numbers(s.n_in * s.n_out, 100000);
    const struct numbers start_b = numbers(s.n_out, 100000);
    const int64_t one = 1;
    const size_t from = draw((uint32_t)s.n_out);
    const size_t n_part = draw((uint32_t)(s.n_out - from + 1));
    int64_t *d_w = scaled(start, 1);
    int64_t *d_b = scaled(start_b, 1);
    multiply(&d_w[from * s.n_in], n_part, s.n_in, s.n,
             (struct product){&d_y.whole[from], 1, s.n_out, x.whole, s.n_in, 1});
    multiply(&d_b[from], 1, n_part, s.n, (struct product){&one, 0, 0, &d_y.whole[from], s.n_out, 1});
    FOR_PLAIN_AND_EVERY_TABLE(k) {
        af_real *got = copy(start);
        af_real *got_b = copy(start_b);
        k->linear_backward_w(got, got_b, d_y.real, x.real, s.n, s.n_in, s.n_out, from, n_part);
        equal(k->name, d_w, got, s.n_in * s.n_out, 1);
        equal(k->name, d_b, got_b, s.n_out, 1);
    }
}

/// Most of the weights [input][output], of layers.h.
static void matmul_case(struct shape s, int limit) {
    const struct numbers x = numbers(s.n * s.n_in, limit);
    const struct numbers w = numbers(s.n_in * s.n_out, limit);
    const struct numbers d_y = numbers(s.n * s.n_out, limit);
    const struct numbers start = numbers(s.n * s.n_in, 100000);
    const struct numbers start_w = numbers(s.n_in * s.n_out, 100000);
    int64_t *y = scaled(d_y, 0);
    int64_t *d_x = scaled(start, 1);
    int64_t *d_w = scaled(start_w, 1);
    multiply(y, s.n, s.n_out, s.n_in, (struct product){x.whole, s.n_in, 1, w.whole, s.n_out, 1});
    multiply(d_x, s.n, s.n_in, s.n_out, (struct product){d_y.whole, s.n_out, 1, w.whole, 1, s.n_out});
    multiply(d_w, s.n_in, s.n_out, s.n, (struct product){x.whole, 1, s.n_in, d_y.whole, s.n_out, 1});
    af_real *got = empty(s.n * s.n_out);
    n7_matmul_forward(got, x.real, w.real, s.n, s.n_in, s.n_out);
    equal("product", y, got, s.n * s.n_out, 1);
    got = copy(start);
    n7_matmul_backward_x(got, d_y.real, w.real, s.n, s.n_in, s.n_out);
    equal("product, d_x", d_x, got, s.n * s.n_in, 1);
    got = copy(start_w);
    n7_matmul_backward_w(got, d_y.real, x.real, s.n, s.n_in, s.n_out);
    equal("product, d_w", d_w, got, s.n_in * s.n_out, 1);
}

/// Calls a case with shapes whose sums stay below 2^24: 190 products of 2 numbers up to 255, and a start.
static void every_shape(void (*one)(struct shape s, int limit)) {
    static const int limits[] = {1, 3, 15, 255};
    for (size_t i = 0; i < N_CASES; i++) {
        const struct shape s = {size(), size(), size()};
        one(s, limits[draw(4)]);
        give_back();
    }
}

Test(exact, linear_forward_and_gradient_of_x) {
    every_shape(forward_case);
}

Test(exact, gradients_of_weights_and_bias) {
    every_shape(weights_case);
}

Test(exact, products) {
    every_shape(matmul_case);
}

// ------------------------------------------------------------------------------------------------------ attention

/// One head: arrays with the numbers from one row to the next, `mask` [n][n_keys].
struct head {
    size_t n, n_keys, d;
    const uint8_t *mask;
    const int64_t *q, *k, *v;
    size_t q_row, k_row;
    size_t w_row, out_row;
};

/// Apart by this factor in both q and k, scores / root differ by 0 or by more than the logarithm of any number.
#define APART 64

static bool is_power_of_2(int64_t n) {
    return (n & (n - 1)) == 0;
}

/// Whether the weights and the sums of a softmax with 1 / m for each of m largest scores are as they should be. Sums
/// are compared where 1 / m is a power of two; returns of how many queries they were.
static size_t check_head(const struct head *h, const af_real *weight, const af_real *out) {
    size_t n_compared = 0;
    for (size_t i = 0; i < h->n; i++) {
        int64_t score[AF_CONTEXT];
        int64_t max = INT64_MIN;
        int64_t n_max = 0;
        for (size_t j = 0; j < h->n_keys; j++) {
            score[j] = h->mask[i * h->n_keys + j] != 0 ? 0 : INT64_MIN;
            for (size_t c = 0; c < h->d && score[j] != INT64_MIN; c++) {
                score[j] += h->q[i * h->q_row + c] * h->k[j * h->k_row + c];
            }
            n_max = score[j] > max ? 1 : n_max + (score[j] == max);
            max = score[j] > max ? score[j] : max;
        }
        for (size_t j = 0; j < h->n_keys; j++) {
            const af_real expected = score[j] == max ? AF_R(1) / (af_real)n_max : AF_R(0);
            const af_real got = weight[i * h->w_row + j];
            if (!(got >= expected && got <= expected)) {
                cr_assert_fail("query %zu of %zu, key %zu of %zu: weight %a, not %a", i, h->n, j, h->n_keys,
                               (double)got, (double)expected);
            }
        }
        for (size_t c = 0; c < h->d && is_power_of_2(n_max); c++) {
            int64_t sum = 0;
            for (size_t j = 0; j < h->n_keys; j++) {
                sum += score[j] == max ? h->v[j * h->k_row + c] : 0;
            }
            equal("weighted sum", &sum, &out[i * h->out_row + c], 1, n_max);
        }
        n_compared += is_power_of_2(n_max);
    }
    return n_compared;
}

/// Gradients of one head, times `root`, added to d_q, d_k, d_v: laid out as q, k, v.
struct head_gradient {
    int64_t *d_q, *d_k, *d_v;
};

static void head_backward(struct head_gradient g, const struct head *h, const int64_t *w, const int64_t *d_out,
                          int64_t root) {
    for (size_t i = 0; i < h->n; i++) {
        int64_t d_w[AF_CONTEXT];
        int64_t dot = 0;
        for (size_t j = 0; j < h->n_keys; j++) {
            d_w[j] = 0;
            for (size_t c = 0; c < h->d; c++) {
                d_w[j] += d_out[i * h->out_row + c] * h->v[j * h->k_row + c];
                g.d_v[j * h->k_row + c] += w[i * h->w_row + j] * d_out[i * h->out_row + c] * root;
            }
            dot += w[i * h->w_row + j] * d_w[j];
        }
        for (size_t j = 0; j < h->n_keys; j++) {
            const int64_t d_score = w[i * h->w_row + j] * (d_w[j] - dot);
            for (size_t c = 0; c < h->d; c++) {
                g.d_q[i * h->q_row + c] += d_score * h->k[j * h->k_row + c];
                g.d_k[j * h->k_row + c] += d_score * h->q[i * h->q_row + c];
            }
        }
    }
}

/// Keys of which half are copies of another one, so that scores are often equal.
static void repeat_keys(struct numbers k, size_t n_keys, size_t row, size_t from, size_t d) {
    for (size_t j = 1; j < n_keys; j++) {
        const size_t other = draw(2) == 0 ? draw((uint32_t)j) : j;
        for (size_t c = 0; c < d; c++) {
            k.whole[j * row + from + c] = k.whole[other * row + from + c];
        }
    }
}

/// q or k times APART, as af_real only.
static af_real *apart(struct numbers x) {
    af_real *y = copy(x);
    for (size_t i = 0; i < x.n; i++) {
        y[i] = (af_real)(x.whole[i] * APART);
    }
    return y;
}

struct queries {
    size_t first, n, n_keys;
    uint8_t mask[AF_CONTEXT * AF_CONTEXT];
};

static struct queries draw_queries(void) {
    struct queries s = {0, 1 + draw(AF_CONTEXT), 0, {0}};
    s.first = draw((uint32_t)(AF_CONTEXT - s.n + 1));
    s.n_keys = s.first + s.n + draw((uint32_t)(AF_CONTEXT - s.first - s.n + 1));
    for (size_t i = 0; i < s.n; i++) {
        for (size_t j = 0; j < s.n_keys; j++) {
            s.mask[i * s.n_keys + j] = j < af_keys_seen(s.first + i, s.n_keys);
        }
    }
    return s;
}

/// Head `number` of those side by side.
static struct head head_of(const struct queries *s, const int64_t *q, const int64_t *kv, size_t number) {
    const size_t c = number * AF_HEAD_DIM;
    return (struct head){s->n,   s->n_keys,  AF_HEAD_DIM,           s->mask, &q[c], &kv[c], &kv[AF_DIM + c],
                         AF_DIM, 2 * AF_DIM, AF_HEADS * AF_CONTEXT, AF_DIM};
}

Test(exact, attention_forward) {
    size_t n_all = 0;
    size_t n_compared = 0;
    for (size_t i = 0; i < N_CASES; i++) {
        const struct queries s = draw_queries();
        const struct numbers q = numbers(s.n * AF_DIM, 2);
        const struct numbers kv = numbers(s.n_keys * 2 * AF_DIM, 2);
        for (size_t h = 0; h < AF_HEADS; h++) {
            repeat_keys(kv, s.n_keys, 2 * AF_DIM, h * AF_HEAD_DIM, AF_HEAD_DIM);
        }
        af_real *keys_and_values = apart(kv);
        for (size_t j = 0; j < s.n_keys * 2 * AF_DIM; j++) {
            keys_and_values[j] = j / AF_DIM % 2 == 0 ? keys_and_values[j] : (af_real)kv.whole[j];
        }
        af_real *queries = apart(q);
        FOR_PLAIN_AND_EVERY_TABLE(k) {
            af_real *heads = empty(s.n * AF_DIM);
            af_real *att = empty(s.n * AF_HEADS * AF_CONTEXT);
            k->attention_forward(heads, att, empty(AF_SCRATCH_REALS), queries, keys_and_values, s.first, s.n, s.n_keys);
            for (size_t h = 0; h < AF_HEADS; h++) {
                const struct head head = head_of(&s, q.whole, kv.whole, h);
                n_compared += check_head(&head, &att[h * AF_CONTEXT], &heads[h * AF_HEAD_DIM]);
                n_all += s.n;
            }
        }
        give_back();
    }
    cr_assert_gt(n_compared, n_all / 2);
}

Test(exact, attention_backward) {
    for (size_t i = 0; i < N_CASES; i++) {
        const struct queries s = draw_queries();
        const struct numbers q = numbers(s.n * AF_DIM, 2);
        const struct numbers kv = numbers(s.n_keys * 2 * AF_DIM, 2);
        const struct numbers d_heads = numbers(s.n * AF_DIM, 2);
        const struct numbers att = numbers(s.n * AF_HEADS * AF_CONTEXT, 2);
        for (size_t a = 0; a < att.n; a++) { // as forward leaves it
            const size_t j = a % AF_CONTEXT;
            if (j >= s.n_keys || s.mask[a / (AF_HEADS * AF_CONTEXT) * s.n_keys + j] == 0) {
                att.whole[a] = 0;
                att.real[a] = 0;
            }
        }
        const struct numbers start_q = numbers(s.n * AF_DIM, 1000);
        const struct numbers start_kv = numbers(s.n_keys * 2 * AF_DIM, 1000);
        int64_t *d_q = scaled(start_q, ROOT);
        int64_t *d_kv = scaled(start_kv, ROOT);
        for (size_t h = 0; h < AF_HEADS; h++) {
            const struct head head = head_of(&s, q.whole, kv.whole, h);
            const size_t c = h * AF_HEAD_DIM;
            head_backward((struct head_gradient){&d_q[c], &d_kv[c], &d_kv[AF_DIM + c]}, &head,
                          &att.whole[h * AF_CONTEXT], &d_heads.whole[c], ROOT);
        }
        FOR_PLAIN_AND_EVERY_TABLE(k) {
            af_real *got_q = copy(start_q);
            af_real *got_kv = copy(start_kv);
            k->attention_backward(got_q, got_kv, empty(AF_SCRATCH_REALS), d_heads.real, att.real, q.real, kv.real,
                                  s.first, s.n, s.n_keys);
            equal(k->name, d_q, got_q, s.n * AF_DIM, ROOT);
            equal(k->name, d_kv, got_kv, s.n_keys * 2 * AF_DIM, ROOT);
        }
        give_back();
    }
}

/// The head of layers.h: any width whose root is whole, any mask, rows of `out` apart.
Test(exact, head) {
    static const size_t widths[] = {1, 4, 16};
    for (size_t i = 0; i < N_CASES; i++) {
        const size_t root = (size_t)1 << draw(3);
        const size_t d = widths[root >> 1];
        const size_t n = 1 + draw(9);
        const size_t n_keys = 1 + draw(9);
        const size_t stride = d + draw(5);
        const struct numbers q = numbers(n * d, 2);
        const struct numbers k = numbers(n_keys * d, 2);
        const struct numbers v = numbers(n_keys * d, 2);
        const struct numbers w = numbers(n * n_keys, 2);
        const struct numbers d_out = numbers((n - 1) * stride + d, 2);
        const struct numbers start_q = numbers(n * d, 1000);
        const struct numbers start_k = numbers(n_keys * d, 1000);
        const struct numbers start_v = numbers(n_keys * d, 1000);
        uint8_t *mask = room(n * n_keys);
        repeat_keys(k, n_keys, d, 0, d);
        for (size_t j = 0; j < n * n_keys; j++) {
            mask[j] = j % n_keys == 0 || draw(3) > 0;
        }
        const struct head head = {n, n_keys, d, mask, q.whole, k.whole, v.whole, d, d, n_keys, stride};
        af_real *out = empty((n - 1) * stride + d);
        af_real *weight = empty(n * n_keys);
        n7_head_forward(out, weight, apart(q), apart(k), v.real, mask, n, n_keys, d, stride);
        (void)check_head(&head, weight, out);

        af_real *d_q = copy(start_q);
        af_real *d_k = copy(start_k);
        af_real *d_v = copy(start_v);
        const struct head_gradient g = {scaled(start_q, (int64_t)root), scaled(start_k, (int64_t)root),
                                        scaled(start_v, (int64_t)root)};
        head_backward(g, &head, w.whole, d_out.whole, (int64_t)root);
        for (size_t j = 0; j < n_keys * d; j++) {
            k.real[j] = (af_real)k.whole[j];
        }
        n7_head_backward(d_q, d_k, d_v, empty(n_keys), d_out.real, w.real, q.real, k.real, v.real, n, n_keys, d,
                         stride);
        equal("head, d_q", g.d_q, d_q, n * d, (int64_t)root);
        equal("head, d_k", g.d_k, d_k, n_keys * d, (int64_t)root);
        equal("head, d_v", g.d_v, d_v, n_keys * d, (int64_t)root);
        give_back();
    }
}

// ----------------------------------------------------------------------------------------- embedding and residual

/// n of the numbers below n_all, ascending.
static af_index *ascending(size_t n, size_t n_all) {
    af_index *row = room(n * sizeof(af_index));
    for (size_t taken_rows = 0, r = 0; r < n_all && taken_rows < n; r++) {
        if (draw((uint32_t)(n_all - r)) < n - taken_rows) {
            row[taken_rows++] = (af_index)r;
        }
    }
    return row;
}

Test(exact, embedding) {
    for (size_t i = 0; i < N_CASES; i++) {
        const size_t n = size();
        af_token *token = room(n * sizeof(af_token));
        af_index *position = room(n * sizeof(af_index));
        const struct numbers tok = numbers(AF_VOCAB * AF_DIM, 100000);
        const struct numbers pos = numbers(AF_CONTEXT * AF_DIM, 100000);
        const struct numbers d_x = numbers(n * AF_DIM, 100000);
        int64_t *x = scaled(d_x, 0);
        int64_t *d_tok = scaled(tok, 1);
        int64_t *d_pos = scaled(pos, 1);
        for (size_t r = 0; r < n; r++) {
            token[r] = (af_token)draw(AF_VOCAB);
            position[r] = (af_index)draw(AF_CONTEXT);
            for (size_t c = 0; c < AF_DIM; c++) {
                const size_t t = (size_t)token[r] * AF_DIM + c;
                const size_t p = (size_t)position[r] * AF_DIM + c;
                x[r * AF_DIM + c] = tok.whole[t] + pos.whole[p];
                d_tok[t] += d_x.whole[r * AF_DIM + c];
                d_pos[p] += d_x.whole[r * AF_DIM + c];
            }
        }
        af_real *got = empty(n * AF_DIM);
        af_embedding_forward(got, tok.real, pos.real, token, position, n);
        equal("embedding", x, got, n * AF_DIM, 1);
        af_real *got_pos = copy(pos);
        got = copy(tok);
        af_embedding_backward(got, got_pos, d_x.real, token, position, n, 0, AF_DIM);
        equal("embedding, d_tok", d_tok, got, AF_VOCAB * AF_DIM, 1);
        equal("embedding, d_pos", d_pos, got_pos, AF_CONTEXT * AF_DIM, 1);
        give_back();
    }
}

Test(exact, residual_and_rows) {
    for (size_t i = 0; i < N_CASES; i++) {
        const size_t n_x = size();
        const size_t n = 1 + draw((uint32_t)n_x);
        const size_t first = draw(10);
        af_index *row = ascending(n, n_x);
        af_index *row_from_first = room(n * sizeof(af_index));
        const struct numbers x = numbers(n_x * AF_DIM, 4000000);
        const struct numbers y = numbers(n * AF_DIM, 4000000);
        int64_t *sum = scaled(y, 1);
        int64_t *sum_of_first = scaled(y, 1);
        int64_t *gathered = scaled(y, 0);
        int64_t *scattered = scaled(x, 1);
        int64_t *moved = scaled(x, 0);
        for (size_t r = 0; r < n; r++) {
            row_from_first[r] = (af_index)(row[r] + first);
            for (size_t c = 0; c < AF_DIM; c++) {
                const size_t to = r * AF_DIM + c;
                const size_t from = (size_t)row[r] * AF_DIM + c;
                sum[to] += x.whole[from];
                sum_of_first[to] += x.whole[to];
                gathered[to] = x.whole[from];
                scattered[from] += y.whole[to];
                moved[from] = x.whole[to];
            }
        }
        af_real *got = copy(y);
        af_residual(got, x.real, row, n);
        equal("residual", sum, got, n * AF_DIM, 1);
        got = copy(y);
        af_residual(got, x.real, NULL, n);
        equal("residual, same rows", sum_of_first, got, n * AF_DIM, 1);
        got = copy(x);
        af_residual_backward(got, row, n, n_x);
        equal("residual, d_x", moved, got, n_x * AF_DIM, 1);
        got = empty(n * AF_DIM);
        af_rows_gather(got, x.real, row_from_first, first, n);
        equal("gather", gathered, got, n * AF_DIM, 1);
        got = copy(x);
        af_rows_scatter(got, y.real, row, 0, n);
        equal("scatter", scattered, got, n_x * AF_DIM, 1);
        give_back();
    }
}

// ------------------------------------------------------------------------------------- layer norm, recurrent step

/// Gradients with means and inverse spreads that are whole numbers; those of x where a mean is, in parts of D.
Test(exact, gradients_of_layer_norm) {
    for (size_t i = 0; i < N_CASES; i++) {
        const size_t n = 1 + draw(24);
        const struct numbers x = numbers(n * AF_DIM, 3);
        const struct numbers d_y = numbers(n * AF_DIM, 3);
        const struct numbers mean = numbers(n, 2);
        const struct numbers rstd = numbers(n, 2);
        const struct numbers g = numbers(AF_DIM, 3);
        const struct numbers start = numbers(n * AF_DIM, 1000);
        const struct numbers start_g = numbers(AF_DIM, 1000);
        const struct numbers start_b = numbers(AF_DIM, 1000);
        int64_t *d_x = scaled(start, AF_DIM);
        int64_t *d_g = scaled(start_g, 1);
        int64_t *d_b = scaled(start_b, 1);
        for (size_t r = 0; r < n; r++) {
            const int64_t *dy = &d_y.whole[r * AF_DIM];
            int64_t z[AF_DIM];
            int64_t sum_h = 0;
            int64_t sum_hz = 0;
            for (size_t c = 0; c < AF_DIM; c++) {
                z[c] = (x.whole[r * AF_DIM + c] - mean.whole[r]) * rstd.whole[r];
                sum_h += dy[c] * g.whole[c];
                sum_hz += dy[c] * g.whole[c] * z[c];
                d_g[c] += dy[c] * z[c];
                d_b[c] += dy[c];
            }
            for (size_t c = 0; c < AF_DIM; c++) {
                d_x[r * AF_DIM + c] += rstd.whole[r] * (dy[c] * g.whole[c] * AF_DIM - sum_h - z[c] * sum_hz);
            }
        }
        FOR_PLAIN_AND_EVERY_TABLE(k) {
            af_real *got_g = copy(start_g);
            af_real *got_b = copy(start_b);
            k->layernorm_backward_w(got_g, got_b, d_y.real, x.real, mean.real, rstd.real, n);
            equal(k->name, d_g, got_g, AF_DIM, 1);
            equal(k->name, d_b, got_b, AF_DIM, 1);
            if (is_power_of_2(AF_DIM)) {
                af_real *got = copy(start);
                k->layernorm_backward_x(got, d_y.real, x.real, mean.real, rstd.real, g.real, n);
                equal(k->name, d_x, got, n * AF_DIM, AF_DIM);
            }
        }
        give_back();
    }
}

/// A recurrent step's gradients where the derivative of tanh, 1 - h^2, is a whole number; and its Jacobian.
Test(exact, recurrent_step) {
    for (size_t i = 0; i < N_CASES; i++) {
        const size_t d = 1 + draw(12);
        const size_t d_in = 1 + draw(12);
        const struct numbers h_out = numbers(d, 2);
        const struct numbers h = numbers(d, 5);
        const struct numbers x = numbers(d_in, 5);
        const struct numbers w = numbers(d * d, 5);
        const struct numbers u = numbers(d * d_in, 5);
        const struct numbers j = numbers(d * d, 5);
        const struct numbers d_h_out = numbers(d, 5);
        const struct numbers start[4] = {numbers(d, 1000), numbers(d_in, 1000), numbers(d * d, 1000),
                                         numbers(d * d_in, 1000)};
        int64_t *expected[4];
        af_real *got[4];
        for (size_t k = 0; k < 4; k++) {
            expected[k] = scaled(start[k], 1);
            got[k] = copy(start[k]);
        }
        int64_t *jacobian = scaled(j, 0);
        for (size_t r = 0; r < d; r++) {
            const int64_t slope = 1 - h_out.whole[r] * h_out.whole[r];
            for (size_t c = 0; c < d; c++) {
                expected[0][c] += d_h_out.whole[r] * slope * w.whole[r * d + c];
                expected[2][r * d + c] += d_h_out.whole[r] * slope * h.whole[c];
                for (size_t k = 0; k < d; k++) {
                    jacobian[r * d + c] += slope * w.whole[r * d + k] * j.whole[k * d + c];
                }
            }
            for (size_t c = 0; c < d_in; c++) {
                expected[1][c] += d_h_out.whole[r] * slope * u.whole[r * d_in + c];
                expected[3][r * d_in + c] += d_h_out.whole[r] * slope * x.whole[c];
            }
        }
        n7_rnn_backward(got[0], got[1], got[2], got[3], d_h_out.real, h_out.real, h.real, x.real, w.real, u.real, d,
                        d_in);
        for (size_t k = 0; k < 4; k++) {
            equal("recurrent step", expected[k], got[k], start[k].n, 1);
        }
        af_real *product = empty(d * d);
        n7_rnn_jacobian(product, j.real, h_out.real, w.real, d);
        equal("Jacobian", jacobian, product, d * d, 1);
        give_back();
    }
}
