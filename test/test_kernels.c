// SPDX-License-Identifier: MIT
// Every function of every table of tiles gives the bits of af_kernels_plain: for all row counts, shapes that fill a
// strip of columns and that do not, numbers of many magnitudes, subnormals, zeros of both signs, sums that start from
// something. Every array has exactly the size that af_kernels.h states, so that a sanitizer sees what leaves it.
//
// Where a result is NaN only that is compared: its sign and payload are the processor's affair.
#include "af.h"
#include "af_inner_kernels.h"
#include "af_kernels.h"
#include "af_port.h"
#include "tables.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if !AF_HAS_TILE
#error "test_kernels.c needs tiles: build it with -DAF_PACKED=1 and float."
#endif

static const struct af_kernels *const plain = &af_kernels_plain;

// ----------------------------------------------------------------------------------------------------------- numbers

/// Numbers of an array. MIXED: one of those before it, drawn for each array.
enum kind { ORDINARY, WIDE, TINY, ZEROS, MIXED, N_KINDS, HUGE_ONES };

static uint32_t state = 1;

static uint32_t draw(void) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

static af_real of_bits(uint32_t bits) {
    af_real x;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

/// Either sign, 2^low <= |x| < 2^(high + 1).
static af_real between(int low, int high) {
    const uint32_t sign = draw() & 0x80000000u;
    const uint32_t exponent = (uint32_t)(low + 127) + draw() % (uint32_t)(high - low + 1);
    return of_bits(sign | exponent << 23 | draw() >> 9);
}

static af_real zero(void) {
    return of_bits(draw() & 0x80000000u);
}

static af_real subnormal(void) {
    return of_bits((draw() & 0x80000000u) | draw() >> (9 + draw() % 23));
}

static af_real number(enum kind kind) {
    const uint32_t dice = draw() >> 16 & 15;
    switch (kind) {
    case WIDE:
        return dice == 0 ? zero() : dice == 1 ? subnormal() : between(-30, 30);
    case TINY:
        return dice < 2 ? zero() : between(-78, -60); // products are subnormal, or vanish
    case ZEROS:
        return dice < 9 ? zero() : dice < 11 ? subnormal() : dice < 13 ? between(-78, -70) : between(0, 0);
    case HUGE_ONES:
        return between(100, 127);
    default:
        return between(-3, 0);
    }
}

// ------------------------------------------------------------------------------------------------------------ arrays

static void *taken[64];
static size_t n_taken;

/// An array of exactly n numbers, on the heap, until give_back.
static af_real *room(size_t n) {
    af_real *x = malloc(n * sizeof(af_real));
    cr_assert(n_taken < 64 && (x != NULL || n == 0));
    taken[n_taken++] = x;
    for (size_t i = 0; i < n; i++) {
        x[i] = (af_real)NAN;
    }
    return x;
}

static void give_back(void) {
    while (n_taken > 0) {
        free(taken[--n_taken]);
    }
}

static af_real *numbers(size_t n, enum kind kind) {
    af_real *x = room(n);
    kind = kind == MIXED ? (enum kind)(draw() % MIXED) : kind;
    for (size_t i = 0; i < n; i++) {
        x[i] = number(kind);
    }
    return x;
}

static af_real *copy(const af_real *x, size_t n) {
    af_real *y = room(n);
    for (size_t i = 0; i < n; i++) {
        y[i] = x[i];
    }
    return y;
}

/// Stops the test at the first number whose bits differ; `text` is what printf takes.
#define SAME(expected, got, n, ...)                                                                                    \
    do {                                                                                                               \
        const size_t at_ = differs(expected, got, n);                                                                  \
        if (at_ < (n)) {                                                                                               \
            char text_[160];                                                                                           \
            (void)snprintf(text_, sizeof(text_), __VA_ARGS__);                                                         \
            cr_assert_fail("%s: number %zu of %zu of " #got " is %a, not %a", text_, at_, (size_t)(n),                 \
                           (double)(got)[at_], (double)(expected)[at_]);                                               \
        }                                                                                                              \
    } while (0)

static size_t differs(const af_real *a, const af_real *b, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (memcmp(&a[i], &b[i], sizeof(af_real)) != 0 && !(isnan(a[i]) && isnan(b[i]))) {
            return i;
        }
    }
    return n;
}

// ------------------------------------------------------------------------------------------------------- the levels

Test(kernels, the_port_takes_the_highest_level_that_runs) {
    struct level level[MAX_LEVELS];
    const size_t n = levels(level);
    const struct af_kernels *highest = NULL;
    for (size_t i = 0; i < n; i++) {
        if (level[i].runs) {
            highest = level[i].kernels;
        } else {
            printf("not tested: %s, this processor lacks its instructions\n", level[i].kernels->name);
            fflush(stdout);
        }
    }
    cr_assert_eq(af_port_kernels(), highest);
    FOR_EVERY_TABLE(k) {
        cr_assert(k->needs_packed);
        cr_assert_str_neq(k->name, plain->name);
    }
}

// ------------------------------------------------------------------------------------------------------ linear layer

static const size_t sizes[] = {1, 3, 12, 16, 17, 31, 33, 64, 65, 192, 256};
#define N_SIZES (sizeof(sizes) / sizeof(sizes[0]))

/// Every row count up to 40, and odd ones beyond; of large shapes fewer. SIZE_MAX: none is left.
static size_t next_rows(size_t n, size_t n_in, size_t n_out) {
    static const size_t beyond[] = {41, 47, 63, 95, 96, 97, 101, 193, 259};
    if (n < 40) {
        return n_in * n_out <= 65 * 65 ? n + 1 : n + 1 + (n > 9 ? draw() % 4 : 0);
    }
    for (size_t i = 0; i < sizeof(beyond) / sizeof(beyond[0]); i++) {
        if (beyond[i] > n && (n_in * n_out <= 65 * 65 || i % 2 == 1)) {
            return beyond[i];
        }
    }
    return SIZE_MAX;
}

#define FOR_EVERY_SHAPE(n_in, n_out, n)                                                                                \
    for (size_t a_ = 0; a_ < N_SIZES * N_SIZES; a_++)                                                                  \
        for (size_t n_in = sizes[a_ / N_SIZES], n_out = sizes[a_ % N_SIZES], n = 0; n != SIZE_MAX;                     \
             n = next_rows(n, n_in, n_out))

static size_t packed_size(size_t n_columns, size_t n_sum) {
    return (n_columns + AF_LANES - 1) / AF_LANES * AF_LANES * n_sum;
}

static struct af_layer layer_of(size_t n_in, size_t n_out, enum kind kind) {
    af_real *packed = room(packed_size(n_out, n_in));
    af_real *packed_back = room(packed_size(n_in, n_out));
    const af_real *w = numbers(n_in * n_out, kind);
    af_pack(packed, w, n_in, 1, n_out, n_in);
    af_pack(packed_back, w, 1, n_in, n_in, n_out);
    return (struct af_layer){w, numbers(n_out, kind), packed, packed_back, n_in, n_out};
}

// promise: tiles-same-bits
Test(kernels, linear_forward) {
    FOR_EVERY_SHAPE(n_in, n_out, n) {
        const enum kind kind = (enum kind)(draw() % N_KINDS);
        const struct af_layer layer = layer_of(n_in, n_out, kind);
        const af_real *x = numbers(n * n_in, kind);
        af_real *expected = room(n * n_out);
        plain->linear_forward(expected, x, &layer, n);
        FOR_EVERY_TABLE(k) {
            af_real *y = room(n * n_out);
            k->linear_forward(y, x, &layer, n);
            SAME(expected, y, n * n_out, "%s, n %zu, %zu to %zu, kind %d", k->name, n, n_in, n_out, (int)kind);
        }
        give_back();
    }
}

Test(kernels, linear_backward_x) {
    FOR_EVERY_SHAPE(n_in, n_out, n) {
        const enum kind kind = (enum kind)(draw() % N_KINDS);
        const struct af_layer layer = layer_of(n_in, n_out, kind);
        const af_real *d_y = numbers(n * n_out, kind);
        const af_real *start = numbers(n * n_in, kind);
        af_real *expected = copy(start, n * n_in);
        const bool adds = (n & 1) != 0;
        plain->linear_backward_x(expected, d_y, &layer, n, adds);
        FOR_EVERY_TABLE(k) {
            af_real *d_x = copy(start, n * n_in);
            k->linear_backward_x(d_x, d_y, &layer, n, adds);
            SAME(expected, d_x, n * n_in, "%s, n %zu, %zu to %zu, kind %d", k->name, n, n_in, n_out, (int)kind);
        }
        give_back();
    }
}

Test(kernels, linear_backward_w_whole_and_in_parts) {
    FOR_EVERY_SHAPE(n_in, n_out, n) {
        const enum kind kind = (enum kind)(draw() % N_KINDS);
        const af_real *d_y = numbers(n * n_out, kind);
        const af_real *x = numbers(n * n_in, kind);
        const af_real *start_w = numbers(n_in * n_out, kind);
        const af_real *start_b = numbers(n_out, kind);
        af_real *w = copy(start_w, n_in * n_out);
        af_real *b = copy(start_b, n_out);
        plain->linear_backward_w(w, b, d_y, x, n, n_in, n_out, 0, n_out);
        const size_t from = draw() % n_out;
        const size_t n_part = draw() % (n_out - from + 1);
        af_real *part_w = copy(start_w, n_in * n_out);
        af_real *part_b = copy(start_b, n_out);
        plain->linear_backward_w(part_w, part_b, d_y, x, n, n_in, n_out, from, n_part);
        FOR_EVERY_TABLE(k) {
            for (size_t way = 0; way < 3; way++) {
                af_real *d_w = copy(start_w, n_in * n_out);
                af_real *d_b = copy(start_b, n_out);
                if (way == 0) {
                    k->linear_backward_w(d_w, d_b, d_y, x, n, n_in, n_out, 0, n_out);
                } else if (way == 1) { // one part: nothing beside it may change
                    k->linear_backward_w(d_w, d_b, d_y, x, n, n_in, n_out, from, n_part);
                } else { // all parts, the last one first
                    k->linear_backward_w(d_w, d_b, d_y, x, n, n_in, n_out, from + n_part, n_out - from - n_part);
                    k->linear_backward_w(d_w, d_b, d_y, x, n, n_in, n_out, from, n_part);
                    k->linear_backward_w(d_w, d_b, d_y, x, n, n_in, n_out, 0, from);
                }
                SAME(way == 1 ? part_w : w, d_w, n_in * n_out, "%s, n %zu, %zu to %zu, way %zu, from %zu %zu, kind %d",
                     k->name, n, n_in, n_out, way, from, n_part, (int)kind);
                SAME(way == 1 ? part_b : b, d_b, n_out, "%s, n %zu, %zu to %zu, way %zu, from %zu %zu, kind %d",
                     k->name, n, n_in, n_out, way, from, n_part, (int)kind);
            }
        }
        give_back();
    }
}

// -------------------------------------------------------------------------------------------------------- layer norm

Test(kernels, layernorm) {
    for (size_t n = 0; n <= 71; n += n < 40 ? 1 : 31) {
        for (int kind = 0; kind < N_KINDS; kind++) {
            const size_t all = n * AF_DIM;
            const af_real *x = numbers(all, (enum kind)kind);
            const af_real *g = numbers(AF_DIM, (enum kind)kind);
            const af_real *b = numbers(AF_DIM, (enum kind)kind);
            const af_real *d_y = numbers(all, (enum kind)kind);
            const af_real *start_x = numbers(all, (enum kind)kind);
            const af_real *start_g = numbers(AF_DIM, (enum kind)kind);
            af_real *y0 = room(all), *mean0 = room(n), *rstd0 = room(n);
            plain->layernorm_forward(y0, mean0, rstd0, x, g, b, n);
            af_real *d_x0 = copy(start_x, all), *d_g0 = copy(start_g, AF_DIM), *d_b0 = copy(start_g, AF_DIM);
            plain->layernorm_backward_x(d_x0, d_y, x, mean0, rstd0, g, n);
            plain->layernorm_backward_w(d_g0, d_b0, d_y, x, mean0, rstd0, n);
            FOR_EVERY_TABLE(k) {
                af_real *y = room(all), *mean = room(n), *rstd = room(n);
                k->layernorm_forward(y, mean, rstd, x, g, b, n);
                SAME(y0, y, all, "%s, n %zu, kind %d", k->name, n, kind);
                SAME(mean0, mean, n, "%s, n %zu, kind %d", k->name, n, kind);
                SAME(rstd0, rstd, n, "%s, n %zu, kind %d", k->name, n, kind);
                af_real *d_x = copy(start_x, all), *d_g = copy(start_g, AF_DIM), *d_b = copy(start_g, AF_DIM);
                k->layernorm_backward_x(d_x, d_y, x, mean0, rstd0, g, n);
                k->layernorm_backward_w(d_g, d_b, d_y, x, mean0, rstd0, n);
                SAME(d_x0, d_x, all, "%s, n %zu, kind %d", k->name, n, kind);
                SAME(d_g0, d_g, AF_DIM, "%s, n %zu, kind %d", k->name, n, kind);
                SAME(d_b0, d_b, AF_DIM, "%s, n %zu, kind %d", k->name, n, kind);
            }
            give_back();
        }
    }
}

// --------------------------------------------------------------------------------------------------------- attention

#define N_ATT (AF_HEADS * AF_CONTEXT) /* weights of a query */

/// Start values of attention's gradients: no -0, as af_kernels.h asks.
static af_real *without_minus_zero(af_real *x, size_t n) {
    for (size_t i = 0; i < n; i++) {
        x[i] += AF_R(0);
    }
    return x;
}

/// Forward and backward of n queries from position `first` on. With a huge last row of kv, all other queries are not to
/// notice what they do not see.
static void attention(size_t first, size_t n, size_t n_keys, enum kind kind, bool last_is_huge) {
    const size_t rows = n * AF_DIM, kv_rows = n_keys * 2 * AF_DIM;
    const af_real *q = numbers(rows, kind);
    const af_real *d_heads = numbers(rows, kind);
    af_real *kv = numbers(kv_rows, kind);
    for (size_t i = 0; last_is_huge && i < 2 * AF_DIM; i++) {
        kv[kv_rows - 1 - i] = number(HUGE_ONES);
    }
    const af_real *start_q = without_minus_zero(numbers(rows, kind), rows);
    const af_real *start_kv = without_minus_zero(numbers(kv_rows, kind), kv_rows);
    af_real *heads0 = room(rows), *att0 = room(n * N_ATT);
    af_real *d_q0 = copy(start_q, rows), *d_kv0 = copy(start_kv, kv_rows);
    plain->attention_forward(heads0, att0, room(AF_SCRATCH_REALS), q, kv, first, n, n_keys);
    plain->attention_backward(d_q0, d_kv0, room(AF_SCRATCH_REALS), d_heads, att0, q, kv, first, n, n_keys);
    for (size_t i = 0; last_is_huge && i + AF_DIM < rows; i++) {
        cr_assert(isfinite(heads0[i]) && isfinite(d_q0[i]), "the specification itself looks behind the mask");
    }
    FOR_EVERY_TABLE(k) {
        af_real *heads = room(rows), *att = room(n * N_ATT);
        af_real *d_q = copy(start_q, rows), *d_kv = copy(start_kv, kv_rows);
        k->attention_forward(heads, att, room(AF_SCRATCH_REALS), q, kv, first, n, n_keys);
        SAME(att0, att, n * N_ATT, "%s, first %zu, n %zu of %zu, kind %d", k->name, first, n, n_keys, (int)kind);
        SAME(heads0, heads, rows, "%s, first %zu, n %zu of %zu, kind %d", k->name, first, n, n_keys, (int)kind);
        k->attention_backward(d_q, d_kv, room(AF_SCRATCH_REALS), d_heads, att0, q, kv, first, n, n_keys);
        SAME(d_q0, d_q, rows, "%s, first %zu, n %zu of %zu, kind %d", k->name, first, n, n_keys, (int)kind);
        SAME(d_kv0, d_kv, kv_rows, "%s, first %zu, n %zu of %zu, kind %d", k->name, first, n, n_keys, (int)kind);
    }
    give_back();
}

Test(kernels, attention_of_every_stretch_of_the_context) {
    for (size_t first = 0; first <= (AF_SOFTMAX_QUERIES ? 0 : AF_CONTEXT); first++) { // these need all queries
        for (size_t n = 0; first + n <= AF_CONTEXT; n++) {
            for (int kind = 0; kind < N_KINDS; kind++) {
                attention(first, n, first + n, (enum kind)kind, false);
                if (!AF_CAN_CACHE && !AF_SOFTMAX_QUERIES) { // keys behind the last query
                    attention(first, n, AF_CONTEXT, (enum kind)kind, false);
                }
            }
        }
    }
}

#if AF_CAN_CACHE

Test(kernels, attention_does_not_notice_a_masked_key_of_any_size) {
    for (size_t first = 0; first < AF_CONTEXT; first++) {
        for (size_t n = 1; first + n <= AF_CONTEXT; n++) {
            attention(first, n, first + n, ORDINARY, true);
        }
    }
}

#endif

/// Each softmax takes off the largest of its own scores: with huge ones no exponential overflows, and not all are 0.
Test(kernels, weights_of_huge_scores_sum_to_one) {
    enum { N = 6 };
    af_real *const q = numbers((size_t)N * AF_DIM, ORDINARY), *const kv = numbers((size_t)N * 2 * AF_DIM, ORDINARY);
    for (size_t i = 0; i < (size_t)N * AF_DIM; i++) {
        q[i] *= 1000;
    }
    FOR_EVERY_TABLE(k) {
        af_real *const heads = room((size_t)N * AF_DIM), *const att = room(N * N_ATT);
        k->attention_forward(heads, att, room(AF_SCRATCH_REALS), q, kv, 0, N, N);
        for (size_t h = 0; h < AF_HEADS; h++) {
            for (size_t a = 0; a < N; a++) {
                double sum = 0;
                for (size_t b = 0; b < N; b++) {
                    const size_t query = AF_SOFTMAX_QUERIES ? b : a, key = AF_SOFTMAX_QUERIES ? a : b;
                    sum += (double)att[query * N_ATT + h * AF_CONTEXT + key];
                }
                cr_assert(fabs(sum - 1) < 1e-5, "%s, head %zu, %zu: %g", k->name, h, a, sum);
            }
        }
    }
    give_back();
}

// -------------------------------------------------------------------------------------------------- GELU and AdamW

static size_t next_count(size_t n) {
    return n < 40 ? n + 1 : n < 100 ? n + 27 : 4 * n + 3;
}

#if AF_SOFTMAX_QUERIES && AF_CAUSAL
/// Keys that no query sees change nothing, and have no weights.
Test(kernels, attention_with_keys_behind_the_last_query) {
    enum { N = 3, N_KEYS = 5 };
    static af_real expected[N][AF_DIM], got[N][AF_DIM], att[N][AF_HEADS][AF_CONTEXT], more[N][AF_HEADS][AF_CONTEXT];
    const af_real *const q = numbers(N * AF_DIM, ORDINARY);
    const af_real *const kv = numbers(N_KEYS * 2 * AF_DIM, ORDINARY);
    af_attention_forward(expected[0], att[0][0], q, kv, 0, N, N);
    af_attention_forward(got[0], more[0][0], q, kv, 0, N, N_KEYS);
    SAME(expected[0], got[0], sizeof(got) / sizeof(af_real), "heads");
    SAME(att[0][0], more[0][0], sizeof(more) / sizeof(af_real), "weights");
    give_back();
}
#endif

Test(kernels, gelu) {
    for (size_t n = 0; n < 3000; n = next_count(n)) {
        for (int kind = 0; kind <= HUGE_ONES; kind++) {
            const af_real *x = numbers(n, (enum kind)kind);
            const af_real *d_y = numbers(n, (enum kind)(kind == HUGE_ONES ? ORDINARY : kind));
            af_real *y0 = room(n), *d_x0 = room(n);
            plain->gelu_forward(y0, NULL, x, n);
            plain->gelu_backward(d_x0, d_y, x, NULL, n);
            FOR_EVERY_TABLE(k) {
                af_real *y = room(n), *y_cdf = room(n), *cdf = room(n), *d_x = room(n);
                k->gelu_forward(y, NULL, x, n);
                SAME(y0, y, n, "%s, n %zu, kind %d", k->name, n, kind);
                k->gelu_forward(y_cdf, cdf, x, n);
                SAME(y0, y_cdf, n, "%s, n %zu, kind %d", k->name, n, kind);
                k->gelu_backward(d_x, d_y, x, cdf, n);
                SAME(d_x0, d_x, n, "%s, n %zu, kind %d", k->name, n, kind);
                af_real *in_place = copy(x, n), *d_in_place = copy(d_y, n);
                k->gelu_forward(in_place, NULL, in_place, n);
                SAME(y0, in_place, n, "%s, n %zu, kind %d", k->name, n, kind);
                k->gelu_backward(d_in_place, d_in_place, x, cdf, n);
                SAME(d_x0, d_in_place, n, "%s, n %zu, kind %d", k->name, n, kind);
            }
            give_back();
        }
    }
}

Test(kernels, adamw) {
    const af_real c1[] = {AF_R(0.1), AF_R(0.19), AF_R(0.9), AF_R(1)};
    const af_real c2[] = {AF_R(0.001), AF_R(0.001999), AF_R(0.5), AF_R(1)};
    for (size_t n = 0; n < 3000; n = next_count(n)) {
        for (int kind = 0; kind < N_KINDS; kind++) {
            for (size_t c = 0; c < 4; c++) {
                const struct af_adamw how = {c == 3 ? 0 : AF_R(0.003), c == 2 ? 0 : AF_R(0.01)};
                const af_real *p = numbers(n, (enum kind)kind), *m = numbers(n, (enum kind)kind);
                const af_real *d = numbers(n, (enum kind)kind);
                af_real *v = numbers(n, (enum kind)kind);
                for (size_t i = 0; i < n; i++) {
                    v[i] = (af_real)fabs((double)v[i]);
                }
                af_real *p0 = copy(p, n), *m0 = copy(m, n), *v0 = copy(v, n);
                plain->adamw_update(p0, m0, v0, d, how, c1[c], c2[c], n);
                FOR_EVERY_TABLE(k) {
                    af_real *p1 = copy(p, n), *m1 = copy(m, n), *v1 = copy(v, n);
                    k->adamw_update(p1, m1, v1, d, how, c1[c], c2[c], n);
                    SAME(p0, p1, n, "%s, n %zu, kind %d", k->name, n, kind);
                    SAME(m0, m1, n, "%s, n %zu, kind %d", k->name, n, kind);
                    SAME(v0, v1, n, "%s, n %zu, kind %d", k->name, n, kind);
                }
                give_back();
            }
        }
    }
}
