// SPDX-License-Identifier: MIT
// Every operation, forward and backward: against PyTorch in float64 (vectors/ops.h, written by vectors/make_model.py),
// against integer arithmetic, and by the properties that af_ops.h states.
#include "af.h"
#include "layers/functions.h"
#include "chapter.h"
#include "vectors/ops.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#if AF_VOCAB != 12 || AF_CONTEXT != 25 || AF_DIM != 64 || AF_HEADS != 2
#error "vectors/ops.h has the shapes of the default configuration: build test_ops.c without sizes of your own."
#endif

// --------------------------------------------------------------------------------------------------------- helpers

#define MAX_N 4096

/// Memory for one operation; every test is a process of its own and starts with all of it 0.
static af_real in[6][MAX_N], out[6][MAX_N], other[6][MAX_N];

/// Poison: what an output holds before an operation that overwrites it.
#define POISON AF_R(-77.25)

static void poison(af_real *x, size_t n) {
    for (size_t i = 0; i < n; i++) {
        x[i] = POISON;
    }
}

/// Stops the test unless the error of x, relative to the norm of what PyTorch has, is within the bound of the build.
static void check(const char *name, const af_real *x, const double *expected, size_t n, double bound) {
    const double error = error_of(x, expected, n);
    printf("    %-34s error %8.1e   bound %8.1e\n", name, error, bound);
    fflush(stdout);
    cr_assert(error <= bound, "%s: error %.3e is above %.3e", name, error, bound);
}

/// What a gradient holds before a backward function adds to it: small multiples of 1/4.
static af_real start_value(size_t i) {
    return (af_real)(int)(i % 7) / AF_R(4) - AF_R(0.75);
}

static void start_values(af_real *x, size_t n) {
    for (size_t i = 0; i < n; i++) {
        x[i] = start_value(i);
    }
}

/// A gradient that was added to start values: that much of them, no more, no less. The sum's roundings are relative to
/// the larger of start value and gradient, so the error is taken relative to both together.
static void check_added(const char *name, const af_real *x, const double *expected, size_t n, double bound) {
    static double sum[MAX_N];
    for (size_t i = 0; i < n; i++) {
        sum[i] = (double)start_value(i) + expected[i];
    }
    const double error = error_of(x, sum, n);
    cr_assert(error <= bound, "%s is not added to what was there: error %.3e", name, error);
}

/// A random row number below n.
static size_t below(struct af_numpy *stream, size_t n) {
    return af_numpy_integer(stream, 0, (uint32_t)n);
}

// Bounds, relative to the norm of the result. A sum of n terms in index order has an error of about sqrt(n) / 2
// roundings of 2^-24 = 6.0e-8 (float) or 2^-53 = 1.1e-16 (double); the longest sums here have 64 terms, and what
// follows a sum adds a few more roundings. Elementary functions count as 4 roundings, whatever their last bit is.
#define FEW  BOUND(2e-7, 1e-14) /* a handful of roundings a number */
#define SUMS BOUND(5e-7, 1e-14) /* sums, and what is made of sums */

// ------------------------------------------------------------------------------------------------------ layer norm

Test(layernorm, pytorch) {
    enum { N = LAYERNORM_N };
    reals_of_bits(in[0], layernorm_x, N * AF_DIM);
    reals_of_bits(in[1], layernorm_g, AF_DIM);
    reals_of_bits(in[2], layernorm_b, AF_DIM);
    reals_of_bits(in[3], layernorm_d_y, N * AF_DIM);
    for (size_t k = 0; k < 3; k++) {
        poison(out[k], MAX_N);
    }
    af_layernorm_forward(out[0], out[1], out[2], in[0], in[1], in[2], N);
    check("layer norm: y", out[0], layernorm_y, N * AF_DIM, SUMS);
    check("mean", out[1], layernorm_mean, N, SUMS);
    check("rstd", out[2], layernorm_rstd, N, SUMS);
    cr_assert(out[0][N * AF_DIM] == POISON && out[1][N] == POISON && out[2][N] == POISON, "wrote behind its rows");

    af_layernorm_backward_x(out[3], in[3], in[0], out[1], out[2], in[1], N);
    af_layernorm_backward_w(out[4], out[5], in[3], in[0], out[1], out[2], N);
    check("d_x", out[3], layernorm_d_x, N * AF_DIM, SUMS);
    check("d_g", out[4], layernorm_d_g, AF_DIM, SUMS);
    check("d_b", out[5], layernorm_d_b, AF_DIM, SUMS);

    for (size_t k = 3; k < 6; k++) {
        start_values(other[k], MAX_N);
    }
    af_layernorm_backward_x(other[3], in[3], in[0], out[1], out[2], in[1], N);
    af_layernorm_backward_w(other[4], other[5], in[3], in[0], out[1], out[2], N);
    check_added("d_x", other[3], layernorm_d_x, N * AF_DIM, SUMS);
    check_added("d_g", other[4], layernorm_d_g, AF_DIM, SUMS);
    check_added("d_b", other[5], layernorm_d_b, AF_DIM, SUMS);
    cr_assert(other[3][N * AF_DIM] == start_value(N * AF_DIM) && other[4][AF_DIM] == start_value(AF_DIM) &&
              other[5][AF_DIM] == start_value(AF_DIM));
}

/// With one row, each gradient is one number added to 0: a second run adds the same number.
Test(layernorm, two_runs_double_the_gradient) {
    struct af_numpy stream;
    af_numpy_seed(&stream, 1);
    for (size_t k = 0; k < 4; k++) {
        fill_uniform(in[k], AF_DIM, &stream);
    }
    af_layernorm_forward(out[0], out[1], out[2], in[0], in[1], in[2], 1);
    af_layernorm_backward_x(out[3], in[3], in[0], out[1], out[2], in[1], 1);
    af_layernorm_backward_w(out[4], out[5], in[3], in[0], out[1], out[2], 1);
    memcpy(other, out, sizeof(out));
    af_layernorm_backward_x(other[3], in[3], in[0], out[1], out[2], in[1], 1);
    af_layernorm_backward_w(other[4], other[5], in[3], in[0], out[1], out[2], 1);
    for (size_t k = 3; k < 6; k++) {
        for (size_t i = 0; i < AF_DIM; i++) {
            cr_assert(out[k][i] != 0 && other[k][i] == 2 * out[k][i]);
        }
    }
}

// ---------------------------------------------------------------------------------------------------------- linear

/// One case of the vectors: all that the operation reads and what it should give.
struct linear_case {
    const char *name;
    size_t n, n_x, n_in, n_out;
    const uint8_t *row;
    const uint32_t *x, *w, *b, *d_y;
    const double *y, *d_x, *d_w, *d_b;
};

static const struct linear_case linear_cases[] = {
    {"linear", LINEAR_PLAIN_N, LINEAR_PLAIN_N_X, LINEAR_PLAIN_N_IN, LINEAR_PLAIN_N_OUT, NULL, linear_plain_x,
     linear_plain_w, linear_plain_b, linear_plain_d_y, linear_plain_y, linear_plain_d_x, linear_plain_d_w,
     linear_plain_d_b},
    {"linear, rows gathered", LINEAR_GATHER_N, LINEAR_GATHER_N_X, LINEAR_GATHER_N_IN, LINEAR_GATHER_N_OUT,
     linear_gather_row, linear_gather_x, linear_gather_w, linear_gather_b, linear_gather_d_y, linear_gather_y,
     linear_gather_d_x, linear_gather_d_w, linear_gather_d_b},
};

// ---- helpers: rows gathered by index, and both gradients of a layer in one call

static af_real gathered[MAX_N];

static const af_real *rows_of_x(const af_real *x, const af_index *x_row, size_t n, size_t n_in) {
    for (size_t r = 0; x_row != NULL && r < n; r++) {
        memcpy(&gathered[r * n_in], &x[x_row[r] * n_in], n_in * sizeof(af_real));
    }
    return x_row == NULL ? x : gathered;
}

static void linear_backward(af_real *d_x, af_real *d_w, af_real *d_b, const af_real *d_y, const af_real *x,
                            const af_index *x_row, const af_real *w, size_t n, size_t n_in, size_t n_out) {
    static af_real d_rows[MAX_N];
    const size_t half = n_out / 2; // in two parts: the whole has to come together from its parts
    af_linear_backward_w(d_w, d_b, d_y, rows_of_x(x, x_row, n, n_in), n, n_in, n_out, 0, half);
    af_linear_backward_w(d_w, d_b, d_y, rows_of_x(x, x_row, n, n_in), n, n_in, n_out, half, n_out - half);
    for (size_t r = 0; x_row != NULL && r < n; r++) {
        memcpy(&d_rows[r * n_in], &d_x[x_row[r] * n_in], n_in * sizeof(af_real));
    }
    af_linear_backward_x(x_row == NULL ? d_x : d_rows, d_y, w, n, n_in, n_out);
    for (size_t r = 0; x_row != NULL && r < n; r++) {
        memcpy(&d_x[x_row[r] * n_in], &d_rows[r * n_in], n_in * sizeof(af_real));
    }
}

// promise: ops-as-pytorch
Test(linear, pytorch) {
    for (size_t k = 0; k < COUNT(linear_cases); k++) {
        const struct linear_case *const c = &linear_cases[k];
        af_index row[16];
        for (size_t r = 0; c->row != NULL && r < c->n; r++) {
            row[r] = c->row[r];
        }
        const af_index *const x_row = c->row == NULL ? NULL : row;
        reals_of_bits(in[0], c->x, c->n_x * c->n_in);
        reals_of_bits(in[1], c->w, c->n_out * c->n_in);
        reals_of_bits(in[2], c->b, c->n_out);
        reals_of_bits(in[3], c->d_y, c->n * c->n_out);
        poison(out[0], MAX_N);
        af_linear_forward(out[0], rows_of_x(in[0], x_row, c->n, c->n_in), in[1], in[2], c->n, c->n_in, c->n_out);
        printf("    %s\n", c->name);
        check("y", out[0], c->y, c->n * c->n_out, SUMS);
        cr_assert(out[0][c->n * c->n_out] == POISON, "wrote behind its rows");

        memset(&out[1], 0, 3 * sizeof(out[1]));
        linear_backward(out[1], out[2], out[3], in[3], in[0], x_row, in[1], c->n, c->n_in, c->n_out);
        check("d_x", out[1], c->d_x, c->n_x * c->n_in, SUMS);
        check("d_w", out[2], c->d_w, c->n_out * c->n_in, SUMS);
        check("d_b", out[3], c->d_b, c->n_out, SUMS);

        for (size_t j = 1; j < 4; j++) {
            start_values(other[j], MAX_N);
        }
        linear_backward(other[1], other[2], other[3], in[3], in[0], x_row, in[1], c->n, c->n_in, c->n_out);
        check_added("d_x", other[1], c->d_x, c->n_x * c->n_in, SUMS);
        check_added("d_w", other[2], c->d_w, c->n_out * c->n_in, SUMS);
        check_added("d_b", other[3], c->d_b, c->n_out, SUMS);
    }
}

/// A small shape with integers: sums stay far below 2^24, so that even float computes without rounding.
struct integer_linear {
    size_t n, n_x, n_in, n_out;
    af_index row[6];
    const af_index *x_row;
    int64_t x[9 * 9], w[9 * 9], b[9], d_y[9 * 9], y[9 * 9], d_x[9 * 9], d_w[9 * 9], d_b[9];
};

static void draw_integers(int64_t *x, size_t n, struct af_numpy *stream) {
    for (size_t i = 0; i < n; i++) {
        x[i] = (int64_t)af_numpy_integer(stream, 0, 101) - 50;
    }
}

static void reals_of_integers(af_real *x, const int64_t *integer, size_t n) {
    for (size_t i = 0; i < n; i++) {
        x[i] = (af_real)integer[i];
    }
}

static bool equal_integers(const af_real *x, const int64_t *integer, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (x[i] != (af_real)integer[i]) {
            return false;
        }
    }
    return true;
}

/// Draws a shape, its inputs and what its gradients hold before; half of the shapes gather rows, which ascend.
static void draw_linear(struct integer_linear *t, struct af_numpy *stream) {
    t->n = below(stream, 6);
    t->n_x = t->n + below(stream, 4);
    t->n_in = 1 + below(stream, 9);
    t->n_out = 1 + below(stream, 9);
    t->x_row = NULL;
    if (below(stream, 2) == 1) {
        size_t taken = 0;
        for (size_t r = 0; r < t->n_x && taken < t->n; r++) {
            if (below(stream, t->n_x - r) < t->n - taken) {
                t->row[taken++] = (af_index)r;
            }
        }
        t->x_row = t->row;
    }
    draw_integers(t->x, COUNT(t->x), stream);
    draw_integers(t->w, COUNT(t->w), stream);
    draw_integers(t->b, COUNT(t->b), stream);
    draw_integers(t->d_y, COUNT(t->d_y), stream);
    draw_integers(t->d_x, COUNT(t->d_x), stream);
    draw_integers(t->d_w, COUNT(t->d_w), stream);
    draw_integers(t->d_b, COUNT(t->d_b), stream);
    memset(t->y, 0, sizeof(t->y));
}

/// Output by output, gradient by gradient: no loop in the order of the library's.
static void integer_oracle(struct integer_linear *t) {
    for (size_t o = 0; o < t->n_out; o++) {
        for (size_t r = 0; r < t->n; r++) {
            const size_t row = t->x_row == NULL ? r : t->x_row[r];
            int64_t sum = 0;
            for (size_t k = t->n_in; k-- > 0;) {
                sum += t->x[row * t->n_in + k] * t->w[o * t->n_in + k];
                t->d_x[row * t->n_in + k] += t->d_y[r * t->n_out + o] * t->w[o * t->n_in + k];
                t->d_w[o * t->n_in + k] += t->d_y[r * t->n_out + o] * t->x[row * t->n_in + k];
            }
            t->y[r * t->n_out + o] = sum + t->b[o];
            t->d_b[o] += t->d_y[r * t->n_out + o];
        }
    }
}

Test(linear, integers_are_exact) {
    struct af_numpy stream;
    af_numpy_seed(&stream, 2);
    static struct integer_linear t;
    for (int shape = 0; shape < 500; shape++) {
        draw_linear(&t, &stream);
        reals_of_integers(in[0], t.x, COUNT(t.x));
        reals_of_integers(in[1], t.w, COUNT(t.w));
        reals_of_integers(in[2], t.b, COUNT(t.b));
        reals_of_integers(in[3], t.d_y, COUNT(t.d_y));
        reals_of_integers(out[1], t.d_x, COUNT(t.d_x));
        reals_of_integers(out[2], t.d_w, COUNT(t.d_w));
        reals_of_integers(out[3], t.d_b, COUNT(t.d_b));
        memset(out[0], 0, sizeof(out[0]));
        af_linear_forward(out[0], rows_of_x(in[0], t.x_row, t.n, t.n_in), in[1], in[2], t.n, t.n_in, t.n_out);
        linear_backward(out[1], out[2], out[3], in[3], in[0], t.x_row, in[1], t.n, t.n_in, t.n_out);
        integer_oracle(&t);
        // All of the arrays are compared, so also what the operation must leave alone.
        cr_assert(equal_integers(out[0], t.y, COUNT(t.y)), "y of shape %d", shape);
        cr_assert(equal_integers(out[1], t.d_x, COUNT(t.d_x)), "d_x of shape %d", shape);
        cr_assert(equal_integers(out[2], t.d_w, COUNT(t.d_w)), "d_w of shape %d", shape);
        cr_assert(equal_integers(out[3], t.d_b, COUNT(t.d_b)), "d_b of shape %d", shape);
        // A second run adds the same again.
        linear_backward(out[1], out[2], out[3], in[3], in[0], t.x_row, in[1], t.n, t.n_in, t.n_out);
        integer_oracle(&t);
        cr_assert(equal_integers(out[1], t.d_x, COUNT(t.d_x)), "d_x of shape %d, second run", shape);
        cr_assert(equal_integers(out[2], t.d_w, COUNT(t.d_w)), "d_w of shape %d, second run", shape);
        cr_assert(equal_integers(out[3], t.d_b, COUNT(t.d_b)), "d_b of shape %d, second run", shape);
    }
}

Test(rows, gather_picks_and_scatter_adds) {
    enum { N = 6, N_X = 11 };
    static const af_index row[N] = {0, 2, 3, 7, 9, 10};
    struct af_numpy stream;
    af_numpy_seed(&stream, 3);
    fill_uniform(in[0], N_X * AF_DIM, &stream);
    fill_uniform(out[1], N_X * AF_DIM, &stream);
    memcpy(other[1], out[1], sizeof(out[1]));
    af_rows_gather(out[0], in[0], row, 0, N);
    af_rows_scatter(out[1], out[0], row, 0, N);
    for (size_t r = 0; r < N; r++) {
        cr_assert(same_bits(&out[0][r * AF_DIM], &in[0][row[r] * AF_DIM], AF_DIM));
    }
    for (size_t x = 0, r = 0; x < N_X; x++) {
        const bool is_taken = r < N && row[r] == x;
        for (size_t i = 0; i < AF_DIM; i++) {
            const af_real sum = other[1][x * AF_DIM + i] + in[0][x * AF_DIM + i];
            cr_assert(out[1][x * AF_DIM + i] == (is_taken ? sum : other[1][x * AF_DIM + i]), "row %zu", x);
        }
        r += is_taken ? 1 : 0;
    }
}

/// The header promises one accumulator a sum, in index order, with the bias first: checked number by number.
Test(linear, sums_run_in_index_order) {
    enum { N = 5, N_IN = 61, N_OUT = 7 };
    struct af_numpy stream;
    af_numpy_seed(&stream, 4);
    for (size_t k = 0; k < 4; k++) {
        fill_uniform(in[k], N * N_IN + N_OUT * N_IN, &stream);
    }
    af_linear_forward(out[0], in[0], in[1], in[2], N, N_IN, N_OUT);
    linear_backward(out[1], out[2], out[3], in[3], in[0], NULL, in[1], N, N_IN, N_OUT);
    for (size_t r = 0; r < N; r++) {
        for (size_t o = 0; o < N_OUT; o++) {
            volatile af_real sum = in[2][o];
            for (size_t k = 0; k < N_IN; k++) {
                volatile af_real product = in[0][r * N_IN + k] * in[1][o * N_IN + k];
                sum = sum + product;
            }
            cr_assert(out[0][r * N_OUT + o] == sum);
        }
        for (size_t k = 0; k < N_IN; k++) {
            volatile af_real sum = 0;
            for (size_t o = 0; o < N_OUT; o++) {
                volatile af_real product = in[3][r * N_OUT + o] * in[1][o * N_IN + k];
                sum = sum + product;
            }
            cr_assert(out[1][r * N_IN + k] == sum);
        }
    }
    for (size_t o = 0; o < N_OUT; o++) {
        for (size_t k = 0; k < N_IN; k++) {
            volatile af_real sum = 0;
            for (size_t r = 0; r < N; r++) {
                volatile af_real product = in[3][r * N_OUT + o] * in[0][r * N_IN + k];
                sum = sum + product;
            }
            cr_assert(out[2][o * N_IN + k] == sum);
        }
    }
}

// ------------------------------------------------------------------------------------------------------- attention

struct attention_case {
    const char *name;
    size_t first, n;
    const uint32_t *q, *kv, *d_heads;
    const double *heads, *att, *d_q, *d_kv;
};

static const struct attention_case attention_cases[] = {
    {"attention, whole sequence", ATTENTION_WHOLE_FIRST, ATTENTION_WHOLE_N, attention_whole_q, attention_whole_kv,
     attention_whole_d_heads, attention_whole_heads, attention_whole_att, attention_whole_d_q, attention_whole_d_kv},
    {"attention, last queries", ATTENTION_LAST_FIRST, ATTENTION_LAST_N, attention_last_q, attention_last_kv,
     attention_last_d_heads, attention_last_heads, attention_last_att, attention_last_d_q, attention_last_d_kv},
};

#define ATT_ROW (AF_HEADS * AF_CONTEXT) /* numbers of att that a query has */

// promise: ops-as-pytorch
Test(attention, pytorch) {
    for (size_t k = 0; k < COUNT(attention_cases); k++) {
        const struct attention_case *const c = &attention_cases[k];
        const size_t n_keys = c->first + c->n;
        reals_of_bits(in[0], c->q, c->n * AF_DIM);
        reals_of_bits(in[1], c->kv, n_keys * 2 * AF_DIM);
        reals_of_bits(in[2], c->d_heads, c->n * AF_DIM);
        poison(out[0], MAX_N);
        poison(out[1], MAX_N);
        af_attention_forward(out[0], out[1], in[0], in[1], c->first, c->n, n_keys);
        printf("    %s\n", c->name);
        check("heads", out[0], c->heads, c->n * AF_DIM, SUMS);
        check("att", out[1], c->att, c->n * ATT_ROW, SUMS);
        cr_assert(out[0][c->n * AF_DIM] == POISON && out[1][c->n * ATT_ROW] == POISON, "wrote behind its rows");

        memset(&out[2], 0, 2 * sizeof(out[2]));
        poison(out[4], MAX_N);
        af_attention_backward(out[2], out[3], out[4], in[2], out[1], in[0], in[1], c->first, c->n, n_keys);
        check("d_q", out[2], c->d_q, c->n * AF_DIM, SUMS);
        check("d_kv", out[3], c->d_kv, n_keys * 2 * AF_DIM, SUMS);
        cr_assert(out[4][AF_CONTEXT] == POISON, "wrote behind its scratch");

        start_values(other[2], MAX_N);
        start_values(other[3], MAX_N);
        af_attention_backward(other[2], other[3], out[4], in[2], out[1], in[0], in[1], c->first, c->n, n_keys);
        check_added("d_q", other[2], c->d_q, c->n * AF_DIM, SUMS);
        check_added("d_kv", other[3], c->d_kv, n_keys * 2 * AF_DIM, SUMS);
    }
}

/// Inputs of n queries from `first` on, large enough that some weights are near 0 and some near 1.
static void draw_attention(size_t first, size_t n) {
    struct af_numpy stream;
    af_numpy_seed(&stream, 5);
    fill_uniform(in[0], n * AF_DIM, &stream);
    fill_uniform(in[1], (first + n) * 2 * AF_DIM, &stream);
    fill_uniform(in[2], n * AF_DIM, &stream);
    for (size_t i = 0; i < n * AF_DIM; i++) {
        in[0][i] *= 4;
    }
}

// promise: masked-weights-zero
Test(attention, masked_part_is_zero_and_the_rest_sums_to_one) {
    draw_attention(3, 22);
    poison(out[1], MAX_N);
    af_attention_forward(out[0], out[1], in[0], in[1], 3, 22, 25);
    for (size_t i = 0; i < 22; i++) {
        for (size_t h = 0; h < AF_HEADS; h++) {
            const af_real *const row = &out[1][i * ATT_ROW + h * AF_CONTEXT];
            double sum = 0;
            for (size_t j = 0; j < AF_CONTEXT; j++) {
                if (j > 3 + i) {
                    cr_assert(row[j] == 0 && !signbit(row[j]), "query %zu sees key %zu", 3 + i, j);
                } else {
                    cr_assert(row[j] > 0 && row[j] <= 1);
                }
                sum += (double)row[j];
            }
            cr_assert(fabs(sum - 1) <= BOUND(1e-6, 2e-15), "query %zu: the weights sum to 1 %+.1e", 3 + i, sum - 1);
        }
    }
}

/// Keys and values behind a query's own position are not read: with infinities there nothing changes.
// promise: later-keys-unread
Test(attention, later_keys_are_not_looked_at) {
    draw_attention(0, AF_CONTEXT);
    af_attention_forward(out[0], out[1], in[0], in[1], 0, 10, 10);
    for (size_t i = 10 * 2 * AF_DIM; i < MAX_N; i++) {
        in[1][i] = (af_real)INFINITY;
    }
    af_attention_forward(other[0], other[1], in[0], in[1], 0, 10, 10);
    cr_assert(same_bits(out[0], other[0], 10 * AF_DIM));
    cr_assert(same_bits(out[1], other[1], 10 * ATT_ROW));
    // The own position is seen: it is the last one that is.
    in[1][9 * 2 * AF_DIM + AF_DIM] += 1;
    af_attention_forward(other[0], other[1], in[0], in[1], 0, 10, 10);
    cr_assert(same_bits(out[0], other[0], 9 * AF_DIM));
    cr_assert(other[0][9 * AF_DIM] != out[0][9 * AF_DIM]);
}

/// One query after another, as in decoding, gives the bits of all at once; also backward, since gradients add over
/// queries in their order.
Test(attention, one_query_at_a_time) {
    draw_attention(0, AF_CONTEXT);
    af_attention_forward(out[0], out[1], in[0], in[1], 0, AF_CONTEXT, AF_CONTEXT);
    af_attention_backward(out[2], out[3], out[4], in[2], out[1], in[0], in[1], 0, AF_CONTEXT, AF_CONTEXT);
    for (size_t i = 0; i < AF_CONTEXT; i++) {
        af_attention_forward(&other[0][i * AF_DIM], &other[1][i * ATT_ROW], &in[0][i * AF_DIM], in[1], i, 1, i + 1);
        af_attention_backward(&other[2][i * AF_DIM], other[3], other[4], &in[2][i * AF_DIM], &other[1][i * ATT_ROW],
                              &in[0][i * AF_DIM], in[1], i, 1, i + 1);
    }
    cr_assert(same_bits(out[0], other[0], AF_CONTEXT * AF_DIM));
    cr_assert(same_bits(out[1], other[1], AF_CONTEXT * ATT_ROW));
    cr_assert(same_bits(out[2], other[2], AF_CONTEXT * AF_DIM));
    cr_assert(same_bits(out[3], other[3], AF_CONTEXT * 2 * AF_DIM));
}

/// Where there is one key its weight is 1, its value is the output, and scores have no gradient.
Test(attention, first_query_copies_the_first_value) {
    draw_attention(0, 1);
    af_attention_forward(out[0], out[1], in[0], in[1], 0, 1, 1);
    cr_assert(same_bits(out[0], &in[1][AF_DIM], AF_DIM));
    for (int run = 1; run <= 2; run++) {
        af_attention_backward(out[2], out[3], out[4], in[2], out[1], in[0], in[1], 0, 1, 1);
        for (size_t i = 0; i < AF_DIM; i++) {
            cr_assert(out[2][i] == 0 && out[3][i] == 0 && out[3][AF_DIM + i] == (af_real)run * in[2][i]);
        }
    }
}

// ------------------------------------------------------------------------------------------------------------ GELU

Test(gelu, pytorch) {
    reals_of_bits(in[0], gelu_x, GELU_N);
    reals_of_bits(in[1], gelu_d_y, GELU_N);
    poison(out[0], MAX_N);
    poison(out[1], MAX_N);
    af_gelu_forward(out[0], in[0], GELU_N);
    af_gelu_backward(out[1], in[1], in[0], GELU_N);
    check("GELU: y", out[0], gelu_y, GELU_N, FEW);
    check("d_x", out[1], gelu_d_x, GELU_N, FEW);
    cr_assert(out[0][GELU_N] == POISON && out[1][GELU_N] == POISON, "wrote behind its numbers");
    // The norm is that of the large inputs: each number by itself, relative to its input or to the whole gradient.
    for (size_t i = 0; i < GELU_N; i++) {
        const double x = (double)in[0][i];
        cr_assert(fabs((double)out[0][i] - gelu_y[i]) <= FEW * fabs(x), "GELU(%g)", x);
        cr_assert(fabs((double)out[1][i] - gelu_d_x[i]) <= FEW * fabs((double)in[1][i]), "gradient at %g", x);
    }
}

// promise: gelu-in-place
Test(gelu, output_may_be_input) {
    reals_of_bits(in[0], gelu_x, GELU_N);
    reals_of_bits(in[1], gelu_d_y, GELU_N);
    af_gelu_forward(out[0], in[0], GELU_N);
    af_gelu_backward(out[1], in[1], in[0], GELU_N);
    memcpy(other, in, sizeof(in));
    af_gelu_backward(other[1], other[1], other[0], GELU_N);
    af_gelu_forward(other[0], other[0], GELU_N);
    cr_assert(same_bits(out[0], other[0], GELU_N));
    cr_assert(same_bits(out[1], other[1], GELU_N));
}

// --------------------------------------------------------------------------------------------- softmax and argmax

Test(softmax, pytorch) {
    size_t total = 0;
    for (size_t k = 0; k < SOFTMAX_VECTORS; k++) {
        total += softmax_n[k];
    }
    reals_of_bits(in[0], softmax_x, total);
    size_t at = 0;
    for (size_t k = 0; k < SOFTMAX_VECTORS; k++) {
        const size_t n = softmax_n[k];
        af_real *const p = &out[0][at];
        poison(p, n + 1);
        af_softmax(p, &in[0][at], n);
        cr_assert(p[n] == POISON, "wrote behind its numbers");
        char name[40];
        snprintf(name, sizeof(name), "softmax of %zu", n);
        check(name, p, &softmax_p[at], n, SUMS);
        double sum = 0;
        for (size_t i = 0; i < n; i++) {
            cr_assert(p[i] >= 0 && p[i] <= 1);
            sum += (double)p[i];
        }
        cr_assert(fabs(sum - 1) <= SUMS);
        memcpy(&other[0][at], &in[0][at], n * sizeof(af_real));
        af_softmax(&other[0][at], &other[0][at], n);
        cr_assert(same_bits(p, &other[0][at], n), "p may be x");
        at += n;
    }
}

/// Only differences count, so far away numbers neither overflow nor vanish.
Test(softmax, far_away) {
    static const af_real x[4] = {1, 2, 3, 0};
    for (size_t i = 0; i < 4; i++) {
        in[0][i] = x[i] + AF_R(65536);
        in[1][i] = x[i] - AF_R(65536);
    }
    af_softmax(out[0], x, 4);
    af_softmax(out[1], in[0], 4);
    af_softmax(out[2], in[1], 4);
    cr_assert(same_bits(out[0], out[1], 4));
    cr_assert(same_bits(out[0], out[2], 4));
}

// promise: softmax-not-finite
Test(softmax, not_finite) {
    static const af_real bad[] = {(af_real)INFINITY, (af_real)NAN};
    for (size_t k = 0; k < COUNT(bad); k++) {
        for (size_t place = 0; place < 3; place++) {
            for (size_t i = 0; i < 3; i++) {
                in[0][i] = i == place ? bad[k] : (af_real)(int)i;
            }
            af_softmax(out[0], in[0], 3);
            cr_assert(!isfinite(out[0][place]));
        }
    }
}

// promise: argmax-lowest
Test(argmax, ties_take_the_lowest_index) {
    static const af_real x[] = {-3, -1, -2, -1, -1, -7};
    cr_assert_eq(af_argmax(x, COUNT(x)), 1);
    cr_assert_eq(af_argmax(x, 1), 0);
    cr_assert_eq(af_argmax(&x[1], 4), 0);
    cr_assert_eq(af_argmax(&x[2], 4), 1);
    static const af_real zeros[] = {AF_R(-0.0), 0, AF_R(-0.0)};
    cr_assert_eq(af_argmax(zeros, 3), 0, "zeros of both signs are equal");
    // Every place of a single maximum, and of the second of two.
    for (size_t i = 0; i < AF_VOCAB; i++) {
        for (size_t j = i; j < AF_VOCAB; j++) {
            memset(in[0], 0, AF_VOCAB * sizeof(af_real));
            in[0][i] = in[0][j] = 5;
            cr_assert_eq(af_argmax(in[0], AF_VOCAB), i);
        }
    }
}

// --------------------------------------------------------------------------------------------------- cross entropy

static void targets_of_vectors(af_token *target) {
    for (size_t r = 0; r < CROSS_ENTROPY_N; r++) {
        target[r] = cross_entropy_target[r] == 255 ? AF_IGNORE : (af_token)cross_entropy_target[r];
    }
}

/// Sum of n losses in order.
static af_real sum_of(const af_real *const loss, const size_t n) {
    af_real sum = 0;
    for (size_t r = 0; r < n; r++) {
        sum += loss[r];
    }
    return sum;
}

Test(cross_entropy, pytorch) {
    enum { N = CROSS_ENTROPY_N };
    af_token target[N];
    targets_of_vectors(target);
    reals_of_bits(in[0], cross_entropy_logits, N * AF_VOCAB);
    poison(out[0], MAX_N);
    const af_real inverse = AF_R(1) / AF_R(CROSS_ENTROPY_N_TARGETS);
    poison(other[0], MAX_N);
    af_cross_entropy(out[0], other[0], in[0], target, inverse, N);
    const af_real sum = sum_of(other[0], N);
    cr_assert(other[0][N] == POISON, "wrote behind its rows");
    check("cross entropy: sum of losses", &sum, cross_entropy_loss_sum, 1, SUMS);
    check("d_logits", out[0], cross_entropy_d_logits, N * AF_VOCAB, SUMS);
    cr_assert(out[0][N * AF_VOCAB] == POISON, "wrote behind its rows");
    for (size_t r = 0; r < N; r++) {
        double row = 0;
        for (size_t v = 0; v < AF_VOCAB; v++) {
            const af_real d = out[0][r * AF_VOCAB + v];
            cr_assert(target[r] != AF_IGNORE || (d == 0 && !signbit(d)), "ignored row %zu has a gradient", r);
            row += (double)d;
        }
        cr_assert(fabs(row) <= SUMS * (double)inverse, "the gradient of a row sums to 0");
        cr_assert(target[r] == AF_IGNORE || out[0][r * AF_VOCAB + target[r]] < 0);
    }
}

/// Ignored rows might as well not be there; rows may come in pieces.
// promise: ignored-targets-zero
Test(cross_entropy, ignored_rows_and_pieces) {
    enum { N = CROSS_ENTROPY_N };
    af_token target[N], kept[N];
    af_real loss[N], dense[N], pieces[N];
    targets_of_vectors(target);
    reals_of_bits(in[0], cross_entropy_logits, N * AF_VOCAB);
    size_t n = 0;
    for (size_t r = 0; r < N; r++) {
        if (target[r] != AF_IGNORE) {
            kept[n] = target[r];
            memcpy(&in[1][n * AF_VOCAB], &in[0][r * AF_VOCAB], AF_VOCAB * sizeof(af_real));
            n++;
        }
    }
    cr_assert_eq(n, CROSS_ENTROPY_N_TARGETS);
    af_cross_entropy(out[0], loss, in[0], target, AF_R(0.25), N);
    af_cross_entropy(out[1], dense, in[1], kept, AF_R(0.25), n);
    for (size_t r = 0, k = 0; r < N; r++) {
        if (target[r] == AF_IGNORE) {
            cr_assert(loss[r] == 0 && !signbit(loss[r]), "ignored row %zu has a loss", r);
        } else {
            cr_assert(loss[r] > 0 && loss[r] == dense[k], "row %zu", r);
            k++;
        }
    }
    for (size_t cut = 0; cut <= N; cut++) {
        af_cross_entropy(other[0], pieces, in[0], target, AF_R(0.25), cut);
        af_cross_entropy(&other[0][cut * AF_VOCAB], &pieces[cut], &in[0][cut * AF_VOCAB], &target[cut], AF_R(0.25),
                         N - cut);
        cr_assert(same_bits(loss, pieces, N));
        cr_assert(same_bits(out[0], other[0], N * AF_VOCAB));
    }
    memcpy(other[0], in[0], N * AF_VOCAB * sizeof(af_real));
    af_cross_entropy(other[0], pieces, other[0], target, AF_R(0.25), N);
    cr_assert(same_bits(out[0], other[0], N * AF_VOCAB) && same_bits(loss, pieces, N), "in place");
}

/// Guessing uniformly costs log V, an enormous lead costs nothing, being wrong by 1000 costs 1000.
Test(cross_entropy, known_losses) {
    const af_token target = 4;
    af_real loss = -1;
    memset(in[0], 0, sizeof(in[0]));
    af_cross_entropy(out[0], &loss, in[0], &target, 1, 1);
    const double log_12 = 2.4849066497880004;
    cr_assert(fabs((double)loss - log_12) <= FEW * log_12);
    in[0][4] = 1000;
    af_cross_entropy(out[0], &loss, in[0], &target, 1, 1);
    cr_assert(loss == 0);
    in[0][4] = -1000;
    in[0][5] = 1000;
    af_cross_entropy(out[0], &loss, in[0], &target, 1, 1);
    cr_assert(loss == 2000);
    cr_assert(out[0][4] == -1 && out[0][5] == 1);
}

// ------------------------------------------------------------------------------------------------------- embedding

static void rows_of_vectors(af_token *token, af_index *position) {
    for (size_t r = 0; r < EMBEDDING_N; r++) {
        token[r] = embedding_token[r];
        position[r] = embedding_position[r];
    }
}

Test(embedding, pytorch) {
    enum { N = EMBEDDING_N, N_TOK = AF_VOCAB * AF_DIM, N_POS = AF_CONTEXT * AF_DIM };
    af_token token[N];
    af_index position[N];
    rows_of_vectors(token, position);
    reals_of_bits(in[0], embedding_tok, N_TOK);
    reals_of_bits(in[1], embedding_pos, N_POS);
    reals_of_bits(in[2], embedding_d_x, N * AF_DIM);
    poison(out[0], MAX_N);
    af_embedding_forward(out[0], in[0], in[1], token, position, N);
    check("embedding: x", out[0], embedding_x, N * AF_DIM, FEW);
    cr_assert(out[0][N * AF_DIM] == POISON, "wrote behind its rows");
    af_embedding_backward(out[1], out[2], in[2], token, position, N, 0, AF_DIM);
    check("d_tok", out[1], embedding_d_tok, N_TOK, FEW);
    check("d_pos", out[2], embedding_d_pos, N_POS, FEW);
    start_values(other[1], MAX_N);
    start_values(other[2], MAX_N);
    // Components in parts: what is not in a part stays as it is.
    for (size_t from = 0; from < AF_DIM; from += 7) {
        cr_assert(other[1][from] == start_value(from) && other[2][from] == start_value(from));
        const size_t n_part = AF_DIM - from < 7 ? AF_DIM - from : 7;
        af_embedding_backward(other[1], other[2], in[2], token, position, N, from, n_part);
    }
    check_added("d_tok", other[1], embedding_d_tok, N_TOK, FEW);
    check_added("d_pos", other[2], embedding_d_pos, N_POS, FEW);
    // Tokens and positions that do not occur: nothing was added.
    cr_assert(other[1][4 * AF_DIM + 1] == start_value(4 * AF_DIM + 1));
    cr_assert(other[2][5 * AF_DIM + 1] == start_value(5 * AF_DIM + 1));
    cr_assert(other[1][N_TOK] == start_value(N_TOK) && other[2][N_POS] == start_value(N_POS));
}

/// With integers for gradients sums are exact, and a second run doubles them.
Test(embedding, integers_are_exact) {
    enum { N = EMBEDDING_N };
    af_token token[N];
    af_index position[N];
    rows_of_vectors(token, position);
    for (size_t i = 0; i < N * AF_DIM; i++) {
        in[2][i] = (af_real)((int)(i * 37 % 101) - 50);
    }
    for (int run = 1; run <= 2; run++) {
        af_embedding_backward(out[1], out[2], in[2], token, position, N, 0, AF_DIM);
        for (size_t v = 0; v < AF_CONTEXT; v++) {
            for (size_t i = 0; i < AF_DIM; i++) {
                af_real of_token = 0;
                af_real of_position = 0;
                for (size_t r = 0; r < N; r++) {
                    of_token += token[r] == v ? in[2][r * AF_DIM + i] : AF_R(0);
                    of_position += position[r] == v ? in[2][r * AF_DIM + i] : AF_R(0);
                }
                cr_assert(v >= AF_VOCAB || out[1][v * AF_DIM + i] == (af_real)run * of_token);
                cr_assert(out[2][v * AF_DIM + i] == (af_real)run * of_position);
            }
        }
    }
}

// -------------------------------------------------------------------------------------------------------- residual

Test(residual, adds_rows_and_takes_them_apart) {
    static const af_index rows[][4] = {{0, 1, 2, 3}, {3, 4, 5, 6}, {0, 2, 3, 6}, {1, 2, 4, 5}};
    struct af_numpy stream;
    af_numpy_seed(&stream, 6);
    for (size_t k = 0; k < COUNT(rows); k++) {
        fill_uniform(in[0], 8 * AF_DIM, &stream);
        fill_uniform(in[1], 8 * AF_DIM, &stream);
        memcpy(out[0], in[0], sizeof(in[0]));
        af_residual(out[0], in[1], rows[k], 4);
        for (size_t i = 0; i < 8 * AF_DIM; i++) {
            const size_t r = i / AF_DIM;
            const af_real added = r < 4 ? in[1][rows[k][r % 4] * AF_DIM + i % AF_DIM] : 0;
            cr_assert(out[0][i] == in[0][i] + added);
        }
        // Backward: row r goes to row rows[r] of 7, the others become 0, what lies behind them stays.
        memcpy(out[1], in[0], sizeof(in[0]));
        af_residual_backward(out[1], rows[k], 4, 7);
        memset(other[0], 0, 7 * AF_DIM * sizeof(af_real));
        memcpy(&other[0][7 * AF_DIM], &in[0][7 * AF_DIM], AF_DIM * sizeof(af_real));
        for (size_t r = 0; r < 4; r++) {
            memcpy(&other[0][rows[k][r] * AF_DIM], &in[0][r * AF_DIM], AF_DIM * sizeof(af_real));
        }
        cr_assert(same_bits(out[1], other[0], 8 * AF_DIM), "rows %zu", k);
    }
    memcpy(out[2], in[0], sizeof(in[0]));
    af_residual(out[2], in[1], NULL, 8);
    for (size_t i = 0; i < 8 * AF_DIM; i++) {
        cr_assert(out[2][i] == in[0][i] + in[1][i]);
    }
}

// ----------------------------------------------------------------------------------------------------------- AdamW

Test(adamw, pytorch) {
    for (size_t k = 0; k < ADAMW_SETTINGS; k++) {
        const struct af_adamw how = {(af_real)adamw_setting[2 * k], (af_real)adamw_setting[2 * k + 1]};
        reals_of_bits(out[0], adamw_p, ADAMW_N);
        reals_of_bits(out[1], adamw_m, ADAMW_N);
        reals_of_bits(out[2], adamw_v, ADAMW_N);
        reals_of_bits(in[0], adamw_d, ADAMW_STEPS * ADAMW_N);
        for (size_t j = 0; j < 3; j++) {
            out[j][ADAMW_N] = POISON;
        }
        af_real c1 = 0;
        af_real c2 = 0;
        for (size_t step = 0; step < ADAMW_DONE + ADAMW_STEPS; step++) {
            c1 = c1 * AF_R(AF_ADAMW_BETA1) + AF_R(AF_ADAMW_BETA1_REST);
            c2 = c2 * AF_R(AF_ADAMW_BETA2) + AF_R(AF_ADAMW_BETA2_REST);
            if (step < ADAMW_DONE) {
                continue;
            }
            const size_t done = step - ADAMW_DONE;
            const size_t at = (k * ADAMW_STEPS + done) * ADAMW_N;
            af_adamw_update(out[0], out[1], out[2], &in[0][done * ADAMW_N], how, c1, c2, ADAMW_N);
            char name[40];
            snprintf(name, sizeof(name), "AdamW, setting %zu, step %zu: p", k, done + 1);
            check(name, out[0], &adamw_after_p[at], ADAMW_N, FEW);
            check("m", out[1], &adamw_after_m[at], ADAMW_N, FEW);
            check("v", out[2], &adamw_after_v[at], ADAMW_N, FEW);
            // Number by number: gradients span twelve orders of magnitude, the norm sees the largest only. An update
            // has a size of about the rate, whatever its gradient is.
            for (size_t i = 0; i < ADAMW_N; i++) {
                const double p = adamw_after_p[at + i];
                cr_assert(fabs((double)out[0][i] - p) <= SUMS * (fabs(p) + 10 * adamw_setting[2 * k]), "p[%zu]", i);
            }
        }
        cr_assert(out[0][ADAMW_N] == POISON && out[1][ADAMW_N] == POISON && out[2][ADAMW_N] == POISON);
    }
}

/// Without a gradient, moments stay 0 and only the decay is left; without decay and rate nothing moves.
Test(adamw, decay_alone) {
    struct af_numpy stream;
    af_numpy_seed(&stream, 7);
    fill_uniform(in[0], 100, &stream);
    memcpy(out[0], in[0], sizeof(in[0]));
    const struct af_adamw how = {AF_R(0.5), AF_R(0.25)};
    af_adamw_update(out[0], out[1], out[2], in[1], how, AF_R(0.1), AF_R(0.001), 100);
    for (size_t i = 0; i < 100; i++) {
        cr_assert(out[0][i] == in[0][i] * AF_R(0.875) && out[1][i] == 0 && out[2][i] == 0);
    }
    const struct af_adamw still = {0, AF_R(0.25)};
    fill_uniform(in[1], 100, &stream);
    memcpy(other[0], out[0], sizeof(out[0]));
    af_adamw_update(out[0], out[1], out[2], in[1], still, AF_R(0.1), AF_R(0.001), 100);
    cr_assert(same_bits(out[0], other[0], 100));
    cr_assert(out[1][5] != 0 && out[2][5] > 0);
}

/// The first step goes against the gradient's sign, as far as the rate says, whatever the gradient's size is.
Test(adamw, first_step_is_the_rate) {
    af_real size = 1; // down to 2e-9, below eps
    for (size_t i = 0; i < 10; i++) {
        in[1][i] = i % 2 == 0 ? size : -size;
        size *= AF_R(0.109375);
    }
    const struct af_adamw how = {AF_R(0.003), 0};
    af_adamw_update(out[0], out[1], out[2], in[1], how, AF_R(AF_ADAMW_BETA1_REST), AF_R(AF_ADAMW_BETA2_REST), 10);
    for (size_t i = 0; i < 10; i++) {
        const double d = (double)in[1][i];
        const double expected = -0.003 * d / (fabs(d) + 1e-8);
        cr_assert(fabs((double)out[0][i] - expected) <= 0.003 * SUMS, "gradient %g", d);
    }
}

/// A plane in slices, as the training step updates it, gives the bits of the plane in one piece.
Test(adamw, slices) {
    enum { N = 1000 };
    struct af_numpy stream;
    af_numpy_seed(&stream, 8);
    for (size_t k = 0; k < 4; k++) {
        fill_uniform(out[k], N, &stream);
    }
    for (size_t i = 0; i < N; i++) {
        out[2][i] *= out[2][i];
    }
    memcpy(other, out, sizeof(out));
    const struct af_adamw how = AF_ADAMW_CHAPTER;
    af_adamw_update(out[0], out[1], out[2], out[3], how, AF_R(0.3), AF_R(0.01), N);
    for (size_t i = 0; i < N;) {
        const size_t n = i + 1 + i % 5 > N ? N - i : 1 + i % 5;
        af_adamw_update(&other[0][i], &other[1][i], &other[2][i], &other[3][i], how, AF_R(0.3), AF_R(0.01), n);
        i += n;
    }
    cr_assert(memcmp(out, other, sizeof(out)) == 0);
}

#define TOP (af_real_of(AF_INFINITY_BITS - 1)) /* the largest number */

// promise: update-keeps-numbers
/// One number after another that the step would lose, at every place of a row as long as a vector and a rest.
Test(adamw, check_says_what_the_step_would_lose) {
    const double inf = (double)INFINITY, nan = (double)NAN;
    const double huge = AF_REAL_IS_DOUBLE ? 1e160 : 1e22;  // its square overflows
    const double large = AF_REAL_IS_DOUBLE ? 1e150 : 1e18; // its square does not
    const struct {
        double p, m, v, d;
        bool is_good;
    } rows[] = {{0.1, 0.01, 1e-3, 0.5, true},
                {(double)TOP, 0, 0, 0, true},
                {-(double)TOP, 0.01, 1e-3, 0.5, true},
                {0, 0, 0, 0, true},
                {0.1, 0, 0, large, true},
                {0.1, 0, 0, -large, true},
                {0.1, 1e-39, 0, 0, true},
                {0.1, -1e-10, 0, 0, true},
                {0.1, -0.01, 1e-3, -0.0, true},
                {inf, 0.01, 1e-3, 0.5, false},
                {-inf, 0, 0, 0, false},
                {nan, 0.01, 1e-3, 0.5, false},
                {0.1, inf, 1e-3, 0.5, false},
                {0.1, -inf, 1e-3, 0, false},
                {0.1, nan, 1e-3, 0.5, false},
                {0.1, 0.01, inf, 0.5, false},
                {0.1, 0, -inf, 0, false},
                {0.1, 0.01, nan, 0.5, false},
                {0.1, 0, nan, 0, false},
                {0.1, 0.01, -1e-3, 0.5, false},
                {0.1, 0.01, -1e-38, 0.5, false},
                {0.1, 0.01, -0.0, 0.5, false},
                {0.1, 0.01, 1e-3, inf, false},
                {0.1, 0.01, 1e-3, -inf, false},
                {0.1, 0.01, 1e-3, nan, false},
                {0.1, 0.01, 1e-3, huge, false},
                {0.1, 0.01, 1e-3, -huge, false},
                {0.1, 0, (double)TOP, large, true},
                {0.1, 1e6, 1e-3, 0.5, false},
                {0.1, 0.01, 0, 0, false}};
    enum { N = 19 };
    const af_real c[][2] = {{AF_R(AF_ADAMW_BETA1_REST), AF_R(AF_ADAMW_BETA2_REST)}, {1, 1}};
    const struct af_adamw largest = {AF_R(AF_RATE_MAX), AF_R(1) / AF_R(AF_RATE_MAX)};
    for (size_t i = 0; i < 2 * COUNT(rows) * N; i++) {
        const size_t k = i / (2 * N);
        const size_t place = i / 2 % N;
        for (size_t j = 0; j < N; j++) {
            const size_t row = j == place ? k : 0;
            in[0][j] = (af_real)rows[row].p;
            in[1][j] = (af_real)rows[row].m;
            in[2][j] = (af_real)rows[row].v;
            in[3][j] = (af_real)rows[row].d;
        }
        const bool is_good = af_adamw_check(in[0], in[1], in[2], in[3], c[i % 2][0], c[i % 2][1], N);
        cr_assert_eq(is_good, rows[k].is_good, "row %zu at %zu, corrections %zu", k, place, i % 2);
        if (is_good) {
            af_adamw_update(in[0], in[1], in[2], in[3], largest, c[i % 2][0], c[i % 2][1], N);
            cr_assert(af_finite(in[0], N) && af_finite(in[1], N) && af_finite(in[2], N), "row %zu at %zu", k, place);
        }
    }
    cr_assert(af_adamw_check(in[0], in[1], in[2], in[3], 1, 1, 0));
}

/// Moments of any sizes: where the check says yes, a parameter changes by no more rates than promised and everything is
/// finite; moments that come from gradients of any sizes pass, and change it by no more than 7.3 rates.
Test(adamw, check_bounds_the_step) {
    enum { N = 4000, STEPS = 60 };
    struct af_numpy stream;
    af_numpy_seed(&stream, 11);
    const struct af_adamw how = {1, 0};
    size_t n_good = 0;
    for (size_t i = 0; i < N; i++) {
        const double exponent[3] = {af_numpy_normal(&stream, -4, 6), af_numpy_normal(&stream, -8, 8),
                                    af_numpy_normal(&stream, -4, 6)};
        af_real p = 0;
        af_real m = (af_real)pow(10, exponent[0]);
        af_real v = (af_real)pow(10, exponent[1]);
        const af_real d = (af_real)(pow(10, exponent[2]) * (i % 2 == 0 ? 1 : -1));
        const af_real c1 = i % 3 == 0 ? AF_R(AF_ADAMW_BETA1_REST) : 1;
        const af_real c2 = i % 3 == 0 ? AF_R(AF_ADAMW_BETA2_REST) : 1;
        const bool is_good = af_adamw_check(&p, &m, &v, &d, c1, c2, 1);
        af_adamw_update(&p, &m, &v, &d, how, c1, c2, 1);
        if (is_good) {
            cr_assert(af_finite(&m, 1) && af_finite(&v, 1) && fabs((double)p) <= AF_STEP_MAX * 1.00001, "%g",
                      (double)p);
        } else {
            cr_assert(!(fabs((double)p) < AF_STEP_MAX / 2.00001), "refused though it is %g", (double)p);
        }
        n_good += is_good;
    }
    cr_assert(n_good > N / 3 && n_good < N - N / 10, "%zu", n_good);
    for (size_t i = 0; i < N / 8; i++) {
        af_real p = 0, m = 0, v = 0, c1 = 0, c2 = 0;
        double exponent = af_numpy_normal(&stream, -4, 6);
        for (size_t t = 0; t < STEPS; t++) {
            c1 = c1 * AF_R(AF_ADAMW_BETA1) + AF_R(AF_ADAMW_BETA1_REST);
            c2 = c2 * AF_R(AF_ADAMW_BETA2) + AF_R(AF_ADAMW_BETA2_REST);
            exponent += af_numpy_normal(&stream, 0, 0.3);
            const af_real d = (af_real)(t < STEPS / 2 && i % 2 == 0 ? 0 : pow(10, fmin(exponent, 12)));
            cr_assert(af_adamw_check(&p, &m, &v, &d, c1, c2, 1), "gradient %g at step %zu", (double)d, t);
            p = 0;
            af_adamw_update(&p, &m, &v, &d, how, c1, c2, 1);
            cr_assert(fabs((double)p) <= 7.3, "%g", (double)p);
        }
    }
}

// ------------------------------------------------------------------------------------- numbers that are not finite

/// Operations on in[0], in[1], ...: what each is computed from, and how many numbers it gives. Rows, targets and
/// positions are such that every input has a part in some output.
static const af_token some_token[3] = {1, 4, 2};
static const af_index some_row[3] = {0, 1, 2};
enum { NR = 3 }; // rows

static void embed(void) {
    af_embedding_forward(out[0], in[0], in[1], some_token, some_row, NR);
}
static void embed_back(void) {
    af_embedding_backward(out[0], out[1], in[0], some_token, some_row, NR, 0, AF_DIM);
}
static void norm(void) {
    af_layernorm_forward(out[0], out[1], out[2], in[0], in[1], in[2], NR);
}
static void norm_back_x(void) {
    af_layernorm_backward_x(out[0], in[0], in[1], in[2], in[3], in[4], NR);
}
static void norm_back_w(void) {
    af_layernorm_backward_w(out[0], out[1], in[0], in[1], in[2], in[3], NR);
}
static void linear(void) {
    af_linear_forward(out[0], in[0], in[1], in[2], NR, 5, 4);
}
static void linear_back_x(void) {
    af_linear_backward_x(out[0], in[0], in[1], NR, 5, 4);
}
static void linear_back_w(void) {
    af_linear_backward_w(out[0], out[1], in[0], in[1], NR, 5, 4, 0, 4);
}
static void gather(void) {
    af_rows_gather(out[0], in[0], some_row, 0, NR);
}
static void scatter(void) {
    af_rows_scatter(out[0], in[0], some_row, 0, NR);
}
static void attend(void) {
    af_attention_forward(out[0], out[1], in[0], in[1], 0, NR, NR);
}
static void attend_back(void) {
    af_attention_backward(out[0], out[1], out[2], in[0], in[1], in[2], in[3], 0, NR, NR);
}
static void gelu(void) {
    af_gelu_forward(out[0], in[0], AF_DIM);
}
static void gelu_back(void) {
    af_gelu_backward(out[0], in[0], in[1], AF_DIM);
}
static void add(void) {
    memcpy(out[0], in[1], sizeof(out[0]));
    af_residual(out[0], in[0], NULL, NR);
}
static void add_back(void) {
    memcpy(out[0], in[0], sizeof(out[0]));
    af_residual_backward(out[0], some_row, NR, NR);
}
static void loss(void) {
    af_cross_entropy(out[0], out[1], in[0], some_token, in[1][0], NR);
}
static void soft(void) {
    af_softmax(out[0], in[0], 9);
}
static void adam(void) {
    const struct af_adamw how = {in[4][0], in[5][0]};
    memcpy(out, in, 3 * sizeof(in[0]));
    af_adamw_update(out[0], out[1], out[2], in[3], how, AF_R(0.1), AF_R(0.001), 9);
}

// promise: not-finite-goes-on
/// A NaN shows in an output, whichever input has it; so does an infinity, but for those whose limit is a number.
Test(all, what_is_not_finite_goes_on) {
    enum { R = NR * AF_DIM };
    const struct {
        const char *name;
        void (*run)(void);
        size_t n_in[6]; // numbers of each input
        bool has_limits;
    } ops[] = {{"embedding", embed, {5 * AF_DIM, 3 * AF_DIM}, false},
               {"embedding backward", embed_back, {R}, false},
               {"layer norm", norm, {R, AF_DIM, AF_DIM}, false},
               {"layer norm backward x", norm_back_x, {R, R, NR, NR, AF_DIM}, false},
               {"layer norm backward w", norm_back_w, {R, R, NR, NR}, false},
               {"linear", linear, {15, 20, 4}, false},
               {"linear backward x", linear_back_x, {12, 20}, false},
               {"linear backward w", linear_back_w, {12, 15}, false},
               {"gather", gather, {R}, false},
               {"scatter", scatter, {R}, false},
               {"attention", attend, {R, 2 * R}, true}, // a score of -inf has weight 0
               {"attention backward", attend_back, {R, NR * AF_HEADS * AF_CONTEXT, R, 2 * R}, false},
               {"GELU", gelu, {AF_DIM}, false},
               {"GELU backward", gelu_back, {AF_DIM, AF_DIM}, false},
               {"residual", add, {R, R}, false},
               {"residual backward", add_back, {R}, false},
               {"cross entropy", loss, {NR * AF_VOCAB, 1}, true}, // a logit of -inf has probability 0
               {"softmax", soft, {9}, true},
               {"AdamW", adam, {9, 9, 9, 9, 1, 1}, false}};
    const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    struct af_numpy stream;
    for (size_t i = 0; i < COUNT(ops); i++) {
        for (size_t k = 0; k < 6 && ops[i].n_in[k] > 0; k++) {
            for (size_t b = 0; b < COUNT(bad) + 1; b++) { // at last a run without any
                const size_t places[] = {0, ops[i].n_in[k] / 3, ops[i].n_in[k] - 1};
                af_numpy_seed(&stream, 3);
                memset(out, 0, sizeof(out));
                for (size_t j = 0; j < 6; j++) {
                    fill_uniform(in[j], MAX_N, &stream);
                    for (size_t n = 0; n < MAX_N; n++) {
                        in[j][n] = AF_R(0.1) + in[j][n] * in[j][n]; // second moments have no sign
                    }
                }
                size_t place = places[b % 3];
                if (ops[i].run == embed) {
                    place = k == 0 ? AF_DIM : place; // a token that is there
                }
                if (ops[i].run == attend_back && k == 1) {
                    place = (NR - 1) * AF_HEADS * AF_CONTEXT; // a weight that is not masked
                }
                if (b < COUNT(bad)) {
                    in[k][place] = (af_real)bad[b];
                }
                ops[i].run();
                bool is_finite = true;
                for (size_t j = 0; j < 3; j++) {
                    is_finite = is_finite && af_finite(out[j], MAX_N);
                }
                const bool is_wanted = b == COUNT(bad) || (b > 0 && ops[i].has_limits);
                cr_assert(is_finite == (b == COUNT(bad)) || is_wanted, "%s, input %zu, number %zu", ops[i].name, k, b);
            }
        }
    }
}

/// Numbers whose squares overflow are no numbers for a layer norm: it does not make 0 of them.
Test(layernorm, a_variance_that_overflows_is_no_number) {
    const double large = AF_REAL_IS_DOUBLE ? 1e153 : 1e18;
    for (size_t k = 0; k < 2; k++) {
        for (size_t i = 0; i < AF_DIM; i++) {
            in[0][i] = (af_real)((i % 2 == 0 ? large : -large) * (k == 0 ? 1 : 1e3));
            in[0][AF_DIM + i] = (af_real)(i % 3);
            in[1][i] = 1;
        }
        af_layernorm_forward(out[0], out[1], out[2], in[0], in[1], in[2], 2);
        cr_assert(k == 0 ? out[0][0] > AF_R(0.99) && out[0][1] < AF_R(-0.99) : isnan(out[0][0]) && isnan(out[2][0]));
        cr_assert(af_finite(&out[0][AF_DIM], AF_DIM), "the other row is as ever");
    }
}

Test(argmax, a_nan_is_the_largest_only_at_the_front) {
    const af_real nan = (af_real)NAN;
    const af_real inf = (af_real)INFINITY;
    const af_real x[][4] = {
        {nan, 1, 2, 3}, {1, nan, 2, 0}, {-inf, nan, -inf, -1}, {3, inf, nan, inf}, {nan, nan, nan, nan}};
    const size_t expected[] = {0, 2, 3, 1, 0};
    for (size_t i = 0; i < COUNT(expected); i++) {
        cr_assert_eq(af_argmax(x[i], 4), expected[i], "row %zu", i);
    }
}

Test(cross_entropy, logits_at_the_ends) {
    const af_token target = 2;
    const struct {
        double other, own; // logits of token 1 and of the target
        double loss;       // NaN: none
    } rows[] = {{-(double)INFINITY, 0, 10},
                {(double)INFINITY, 0, (double)NAN},
                {(double)NAN, 0, (double)NAN},
                {0, -(double)INFINITY, (double)INFINITY},
                {0, (double)INFINITY, (double)NAN},
                {-(double)TOP, (double)TOP, 0},
                {(double)TOP, -(double)TOP, (double)INFINITY}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        memset(in[0], 0, sizeof(in[0]));
        in[0][1] = (af_real)rows[i].other;
        in[0][target] = (af_real)rows[i].own;
        af_cross_entropy(out[0], out[1], in[0], &target, 1, 1);
        const double got = (double)out[1][0];
        if (isnan(rows[i].loss)) {
            cr_assert(isnan(got) && !af_finite(out[0], AF_VOCAB), "row %zu", i);
        } else if (i == 0) {
            cr_assert(fabs(got - log(AF_VOCAB - 1)) < 1e-6 && out[0][1] == 0);
        } else {
            cr_assert(got == rows[i].loss, "row %zu: %g", i, got);
        }
    }
}

/// The ends of the elementary functions, as af_math.h says them.
Test(math, values_at_the_ends) {
    const af_real inf = (af_real)INFINITY, nan = (af_real)NAN, top = TOP, tiny = af_real_of(1);
    cr_assert(af_exp(-inf) == 0 && af_exp(inf) == inf && af_exp(top) == inf && af_exp(-top) == 0 && isnan(af_exp(nan)));
    cr_assert(af_log(0) == -inf && af_log(AF_R(-0.0)) == -inf && isnan(af_log(-1)) && isnan(af_log(-inf)));
    cr_assert(af_log(inf) == inf && af_finite((af_real[]){af_log(top), af_log(tiny)}, 2) && isnan(af_log(nan)));
    for (size_t k = 0; k < 2; k++) {
        af_real (*const root)(af_real) = k == 0 ? af_sqrt : af_sqrt_portable;
        cr_assert(root(inf) == inf && isnan(root(-1)) && isnan(root(-inf)) && isnan(root(-tiny)) && isnan(root(nan)));
        cr_assert(root(0) == 0 && signbit(root(AF_R(-0.0))) && root(top) > 0 && root(tiny) > 0);
    }
    cr_assert(af_erf(inf) == 1 && af_erf(-inf) == -1 && af_erf(top) == 1 && isnan(af_erf(nan)));
    cr_assert(n7_tanh(inf) == 1 && n7_tanh(-inf) == -1 && n7_tanh(-top) == -1 && isnan(n7_tanh(nan)));
    const af_real outside[] = {inf, -inf, nan, top, -top, N7_TURN_MAX * AF_R(1.001), -N7_TURN_MAX * AF_R(1.001)};
    for (size_t i = 0; i < COUNT(outside); i++) {
        cr_assert(isnan(n7_sin(outside[i])) && isnan(n7_cos(outside[i])), "%zu", i);
    }
    cr_assert(fabs((double)n7_sin(N7_TURN_MAX)) <= 1 && fabs((double)n7_cos(-N7_TURN_MAX)) <= 1);
    cr_assert(af_abs(-inf) == inf && isnan(af_abs(-nan)) && !signbit(af_abs(-nan)) && af_copysign(inf, -1) == -inf);
    cr_assert(af_finite_or_nan(top) == top && af_finite_or_nan(tiny) == tiny && af_finite_or_nan(-top) == -top);
    cr_assert(isnan(af_finite_or_nan(inf)) && isnan(af_finite_or_nan(-inf)) && isnan(af_finite_or_nan(nan)));
    cr_assert(isnan(n7_pair_sum(inf, 1).low) && n7_pair_product(top, 2).high == inf);
}

// -------------------------------------------------------------------------------------------------------- no rows

/// Nothing to do is done: not one number changes.
Test(all, no_rows) {
    const af_token token[1] = {0};
    const af_index index[1] = {0};
    const struct af_adamw how = AF_ADAMW_CHAPTER;
    for (size_t k = 0; k < 6; k++) {
        poison(in[k], MAX_N);
        poison(out[k], MAX_N);
        poison(other[k], MAX_N);
    }
    af_embedding_forward(out[0], in[0], in[1], token, index, 0);
    af_embedding_backward(out[0], out[1], in[0], token, index, 0, 0, AF_DIM);
    af_layernorm_forward(out[0], out[1], out[2], in[0], in[1], in[2], 0);
    af_layernorm_backward_x(out[0], in[0], in[1], in[2], in[3], in[4], 0);
    af_layernorm_backward_w(out[1], out[2], in[0], in[1], in[2], in[3], 0);
    af_linear_forward(out[0], in[0], in[1], in[2], 0, 3, 4);
    af_rows_gather(out[0], in[0], index, 0, 0);
    af_rows_scatter(out[0], in[0], index, 0, 0);
    linear_backward(out[0], out[1], out[2], in[0], in[1], NULL, in[2], 0, 3, 4);
    linear_backward(out[0], out[1], out[2], in[0], in[1], index, in[2], 0, 3, 4);
    af_attention_forward(out[0], out[1], in[0], in[1], 0, 0, 0);
    af_attention_forward(out[0], out[1], in[0], in[1], 5, 0, 5);
    af_attention_backward(out[0], out[1], out[2], in[0], in[1], in[2], in[3], 0, 0, 0);
    af_attention_backward(out[0], out[1], out[2], in[0], in[1], in[2], in[3], 5, 0, 5);
    af_gelu_forward(out[0], in[0], 0);
    af_gelu_backward(out[0], in[0], in[1], 0);
    af_residual(out[0], in[0], NULL, 0);
    af_residual(out[0], in[0], index, 0);
    af_residual_backward(out[0], index, 0, 0);
    af_cross_entropy(out[0], out[1], in[0], token, 1, 0);
    af_adamw_update(out[0], out[1], out[2], in[0], how, AF_R(0.1), AF_R(0.001), 0);
    for (size_t k = 0; k < 6; k++) {
        cr_assert(same_bits(out[k], other[k], MAX_N), "output %zu", k);
        cr_assert(same_bits(in[k], other[k], MAX_N), "input %zu", k);
    }
    // A residual without a query: the gradient of all its rows is 0.
    af_residual_backward(out[0], index, 0, 2);
    for (size_t i = 0; i < 2 * AF_DIM; i++) {
        cr_assert(out[0][i] == 0);
    }
    cr_assert(out[0][2 * AF_DIM] == POISON);
}
