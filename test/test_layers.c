// SPDX-License-Identifier: MIT
// The operations of examples/notebook7/layers: each gradient against central differences of a loss, and what each has to be equal to.
//     gcc ... -DAF_REAL=double -DAF_DIM=8 -DAF_HEADS=2 -DAF_CONTEXT=9
#include "af.h"
#include "layers/layers.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#if !AF_REAL_IS_DOUBLE || AF_DIM != 8 || AF_HEADS != 2 || AF_CONTEXT != 9
#error "test_layers.c is built with -DAF_REAL=double -DAF_DIM=8 -DAF_HEADS=2 -DAF_CONTEXT=9."
#endif

enum { N = 5, D = 8, HEADS = 2, DK = D / HEADS, FF = 12, MOST = 4096 };

static struct af_numpy stream;

static void draw(af_real *x, size_t n, double deviation) {
    for (size_t i = 0; i < n; i++) {
        x[i] = af_numpy_normal(&stream, 0, deviation);
    }
}

static void start(void) {
    af_numpy_seed(&stream, 7);
}

// ------------------------------------------------------------------------------------------------------ differences

/// A function of `input`, n_in numbers, with n_out numbers as its value.
struct function {
    const char *name;
    void (*forward)(af_real *output, const af_real *input);
    /// d_input, 0 at first, gets the gradient of sum of d_output * output.
    void (*backward)(af_real *d_input, const af_real *d_output, const af_real *input);
    size_t n_in, n_out;
};

/// Compares the gradient of a random weighted sum of the outputs with two central differences of each input, combined
/// so that terms of order step^2 cancel. Backward has to ADD: it starts from 1000, and a second time from 0.
static void check(const struct function *f) {
    static af_real input[MOST], output[MOST], weight[MOST], d_input[MOST], again[MOST];
    const double step = 1e-4; // smaller than the distance of any input of ReLU here to its corner
    cr_assert(f->n_in <= MOST && f->n_out <= MOST);
    start();
    draw(input, f->n_in, 0.7);
    draw(weight, f->n_out, 1);
    memset(d_input, 0, sizeof(d_input));
    f->backward(d_input, weight, input);
    for (size_t i = 0; i < f->n_in; i++) {
        again[i] = 1000;
    }
    f->backward(again, weight, input);
    double size = 0;
    double worst = 0;
    for (size_t i = 0; i < f->n_in; i++) {
        const af_real kept = input[i];
        double slope[2];
        for (int k = 0; k < 2; k++) {
            const double h = k == 0 ? step : step / 2;
            double sum[2] = {0, 0};
            for (int side = 0; side < 2; side++) {
                input[i] = side == 0 ? kept + h : kept - h;
                f->forward(output, input);
                for (size_t o = 0; o < f->n_out; o++) {
                    sum[side] += weight[o] * output[o];
                }
            }
            slope[k] = (sum[0] - sum[1]) / (2 * h);
        }
        input[i] = kept;
        const double expected = (4 * slope[1] - slope[0]) / 3;
        size = fmax(size, fabs(expected));
        worst = fmax(worst, fabs(expected - d_input[i]));
        cr_assert(fabs(again[i] - 1000 - d_input[i]) < 1e-10, "%s: backward does not add at %zu", f->name, i);
    }
    cr_assert(size > 0.1, "%s: nothing to see", f->name);
    cr_assert(worst < 1e-8 * size, "%s: largest error %.2e of %.2e", f->name, worst, size);
}

// ------------------------------------------------------------------------------------------------- the small ones

static void matmul(af_real *y, const af_real *in) {
    n7_matmul_forward(y, in, in + N * D, N, D, FF);
}
static void matmul_back(af_real *d_in, const af_real *d_y, const af_real *in) {
    n7_matmul_backward_x(d_in, d_y, in + N * D, N, D, FF);
    n7_matmul_backward_w(d_in + N * D, d_y, in, N, D, FF);
}

static void norm(af_real *y, const af_real *in) {
    af_real spread[N];
    n7_norm_forward(y, spread, in, N, D);
}
static void norm_back(af_real *d_in, const af_real *d_y, const af_real *in) {
    af_real y[N * D], spread[N];
    n7_norm_forward(y, spread, in, N, D);
    n7_norm_backward(d_in, d_y, y, spread, N, D);
}

/// ReLU overwrites; here its result is added.
static void relu(af_real *y, const af_real *in) {
    n7_relu_forward(y, in, N * D);
}
static void relu_back(af_real *d_in, const af_real *d_y, const af_real *in) {
    af_real y[N * D], d[N * D];
    n7_relu_forward(y, in, N * D);
    n7_relu_backward(d, d_y, y, N * D);
    for (size_t i = 0; i < N * D; i++) {
        d_in[i] += d[i];
    }
}

/// W, U, h, x to the hidden state.
static void rnn(af_real *y, const af_real *in) {
    const af_real *u = in + D * D, *h = u + D * FF, *x = h + D;
    n7_rnn_forward(y, h, x, in, u, D, FF);
}
static void rnn_back(af_real *d_in, const af_real *d_y, const af_real *in) {
    const af_real *u = in + D * D, *h = u + D * FF, *x = h + D;
    af_real *d_u = d_in + D * D, *d_h = d_u + D * FF, *d_x = d_h + D;
    af_real y[D];
    n7_rnn_forward(y, h, x, in, u, D, FF);
    n7_rnn_backward(d_h, d_x, d_in, d_u, d_y, y, h, x, in, u, D, FF);
}

// promise: layer-gradients
Test(layers, gradients_of_small_operations) {
    static const struct function functions[] = {
        {"matmul", matmul, matmul_back, N * D + D * FF, N * FF},
        {"norm", norm, norm_back, N * D, N * D},
        {"relu", relu, relu_back, N * D, N * D},
        {"rnn", rnn, rnn_back, D * D + D * FF + D + FF, D},
    };
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        check(&functions[i]);
    }
}

// -------------------------------------------------------------------------------------------------------- attention

/// A mask that is not the causal one: every query sees some keys, not always itself.
static const uint8_t mask[N][N] = {{0, 1, 0, 0, 1}, {1, 1, 1, 1, 1}, {0, 0, 1, 0, 0}, {1, 0, 0, 0, 1}, {0, 1, 1, 1, 0}};
static const uint8_t *used_mask;

/// Three queries of 4 numbers in rows of 6, five keys.
enum { QUERIES = 3, STRIDE = 6 };

static void head(af_real *y, const af_real *in) {
    const af_real *k = in + QUERIES * DK, *v = k + N * DK;
    af_real weight[QUERIES * N];
    memset(y, 0, QUERIES * STRIDE * sizeof(af_real));
    n7_head_forward(y, weight, in, k, v, used_mask, QUERIES, N, DK, STRIDE);
}
static void head_back(af_real *d_in, const af_real *d_y, const af_real *in) {
    const af_real *k = in + QUERIES * DK, *v = k + N * DK;
    af_real *d_k = d_in + QUERIES * DK, *d_v = d_k + N * DK;
    af_real weight[QUERIES * N], y[QUERIES * STRIDE], d_weight[N];
    n7_head_forward(y, weight, in, k, v, used_mask, QUERIES, N, DK, STRIDE);
    n7_head_backward(d_in, d_k, d_v, d_weight, d_y, weight, in, k, v, QUERIES, N, DK, STRIDE);
}

static af_real qkv[HEADS * 3 * N * DK], weights[HEADS * N * N], cat[N * D];
static const struct n7_multihead_saved saved = {qkv, weights, cat};
enum { N_HEAD_WEIGHTS = 3 * D * D, N_ATTENTION = N_HEAD_WEIGHTS + D * D };

static struct n7_multihead multihead_of(const af_real *in) {
    return (struct n7_multihead){in, in + N_HEAD_WEIGHTS, HEADS, D};
}

/// As long as the header asks, and behind it what has to stay as it is.
enum { N_SCRATCH = N * D + 3 * N * DK + N, N_BEHIND = N * D };
static af_real attention_scratch[N_SCRATCH + N_BEHIND];
static struct n7_multihead_grad multihead_grad_of(af_real *d_in) {
    return (struct n7_multihead_grad){d_in, d_in + N_HEAD_WEIGHTS, attention_scratch};
}

/// Weights, then x.
static void multihead(af_real *y, const af_real *in) {
    const struct n7_multihead w = multihead_of(in);
    n7_multihead_forward(y, &saved, &w, in + N_ATTENTION, used_mask, N);
}
static void multihead_back(af_real *d_in, const af_real *d_y, const af_real *in) {
    const struct n7_multihead w = multihead_of(in);
    const struct n7_multihead_grad grad = multihead_grad_of(d_in);
    af_real y[N * D];
    n7_multihead_forward(y, &saved, &w, in + N_ATTENTION, used_mask, N);
    n7_multihead_backward(d_in + N_ATTENTION, &grad, d_y, &saved, &w, in + N_ATTENTION, N);
}

Test(layers, gradients_of_attention) {
    static const af_real untouched[N_BEHIND] = {0};
    static const struct function functions[] = {
        {"head", head, head_back, QUERIES * DK + 2 * N * DK, QUERIES * STRIDE},
        {"multihead", multihead, multihead_back, N_ATTENTION + N * D, N * D},
    };
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        for (int k = 0; k < 2; k++) {
            used_mask = k == 0 ? NULL : &mask[0][0];
            check(&functions[i]);
        }
    }
    cr_assert(memcmp(&attention_scratch[N_SCRATCH], untouched, sizeof(untouched)) == 0, "more scratch than is stated");
}

// promise: masked-weights-zero
Test(layers, a_hidden_key_has_weight_zero_and_the_rest_sums_to_one) {
    af_real q[N * DK], k[N * DK], v[N * DK], weight[N * N], out[N * DK], same[N * DK];
    start();
    draw(q, N * DK, 1);
    draw(k, N * DK, 1);
    draw(v, N * DK, 1);
    n7_head_forward(out, weight, q, k, v, &mask[0][0], N, N, DK, DK);
    for (size_t i = 0; i < N; i++) {
        double sum = 0;
        for (size_t j = 0; j < N; j++) {
            sum += weight[i * N + j];
            cr_assert(mask[i][j] != 0 ? weight[i * N + j] > 0 : af_bits_of(weight[i * N + j]) == 0);
        }
        cr_assert(fabs(sum - 1) < 1e-15);
    }
    // What a hidden key holds does not matter: key 0 is hidden from queries 0, 2 and 4.
    k[1] = 1e300;
    v[2] = -1e300;
    n7_head_forward(same, weight, q, k, v, &mask[0][0], N, N, DK, DK);
    for (size_t i = 0; i < N; i += 2) {
        cr_assert(memcmp(&out[i * DK], &same[i * DK], DK * sizeof(af_real)) == 0);
    }
}

/// Separate heads and the fused form of af_attention.c: the same numbers in other places, and the same bits.
// promise: heads-as-fused
Test(layers, separate_heads_are_the_fused_form) {
    enum { T = AF_CONTEXT };
    static af_real w[N_ATTENTION], x[T * D], y[T * D], part[HEADS * 3 * T * DK], att[HEADS * T * T], together[T * D];
    static af_real qkv_w[3 * D][D], out_w[D][D], zero[3 * D], q[T * D], kv[T * 2 * D], fused_att[T * HEADS * T];
    static af_real heads[T * D], fused[T * D];
    static uint8_t causal[T][T];
    const struct n7_multihead separate = multihead_of(w);
    const struct n7_multihead_saved kept = {part, att, together};
    start();
    draw(w, N_ATTENTION, 0.5);
    draw(x, T * D, 1);
    for (size_t i = 0; i < T; i++) {
        for (size_t j = 0; j < T; j++) {
            causal[i][j] = j <= i;
        }
    }
    for (size_t o = 0; o < D; o++) {
        for (size_t k = 0; k < D; k++) {
            for (size_t p = 0; p < 3; p++) {
                qkv_w[p * D + o][k] = w[((o / DK * 3 + p) * D + k) * DK + o % DK];
            }
            out_w[o][k] = w[N_HEAD_WEIGHTS + k * D + o];
        }
    }
    n7_multihead_forward(y, &kept, &separate, x, &causal[0][0], T);
    af_linear_forward(q, x, &qkv_w[0][0], zero, T, D, D);
    af_linear_forward(kv, x, &qkv_w[D][0], zero, T, D, 2 * D);
    af_attention_forward(heads, fused_att, q, kv, 0, T, T);
    af_linear_forward(fused, heads, &out_w[0][0], zero, T, D, D);
    cr_assert(memcmp(y, fused, sizeof(y)) == 0);
    cr_assert(memcmp(together, heads, sizeof(heads)) == 0);
    for (size_t i = 0; i < T; i++) {
        for (size_t h = 0; h < HEADS; h++) {
            cr_assert(memcmp(&att[(h * T + i) * T], &fused_att[(i * HEADS + h) * T], T * sizeof(af_real)) == 0);
        }
    }
}

// ---------------------------------------------------------------------------------------------------- whole block

static af_real mh[N * D], norm1[N * D], spread1[N], hidden[N * FF], ffn[N * D], spread2[N];
static const struct n7_postnorm_saved block_saved = {{qkv, weights, cat}, mh, norm1, spread1, hidden, ffn, spread2};
static bool has_residual;
enum { W1 = N_ATTENTION, B1 = W1 + D * FF, W2 = B1 + FF, B2 = W2 + FF * D, BLOCK_X = B2 + D };

static struct n7_postnorm block_of(const af_real *in) {
    return (struct n7_postnorm){multihead_of(in), in + W1, in + B1, in + W2, in + B2, FF, has_residual};
}

static void block(af_real *y, const af_real *in) {
    const struct n7_postnorm w = block_of(in);
    n7_postnorm_forward(y, &block_saved, &w, in + BLOCK_X, used_mask, N);
}
static void block_back(af_real *d_in, const af_real *d_y, const af_real *in) {
    static af_real scratch[N * (2 * D + FF)];
    const struct n7_postnorm w = block_of(in);
    const struct n7_postnorm_grad grad = {multihead_grad_of(d_in), d_in + W1, d_in + B1, d_in + W2, d_in + B2, scratch};
    af_real y[N * D];
    n7_postnorm_forward(y, &block_saved, &w, in + BLOCK_X, used_mask, N);
    n7_postnorm_backward(d_in + BLOCK_X, &grad, d_y, y, &block_saved, &w, in + BLOCK_X, N);
}

Test(layers, gradients_of_a_block) {
    static const struct function function = {"postnorm", block, block_back, BLOCK_X + N * D, N * D};
    for (int k = 0; k < 4; k++) {
        used_mask = (k & 1) == 0 ? NULL : &mask[0][0];
        has_residual = k < 2;
        check(&function);
    }
}

Test(layers, norm_is_layernorm_without_gain_and_bias) {
    af_real x[N * D], y[N * D], spread[N], z[N * D], mean[N], rstd[N], one[D], zero[D] = {0};
    start();
    draw(x, N * D, 3);
    for (size_t i = 0; i < D; i++) {
        one[i] = 1;
    }
    n7_norm_forward(y, spread, x, N, D);
    af_layernorm_forward(z, mean, rstd, x, one, zero, N);
    for (size_t i = 0; i < N * D; i++) {
        cr_assert(fabs(y[i] - z[i]) < 1e-15);
    }
    n7_norm_forward(x, spread, x, N, D); // in place
    cr_assert(memcmp(x, y, sizeof(x)) == 0);
}

// promise: relu-keeps
Test(layers, relu_keeps_what_it_does_not_clip) {
    const af_real x[5] = {-1, 0, 2, -AF_R(0), (af_real)NAN};
    af_real y[5];
    n7_relu_forward(y, x, 5);
    cr_assert(y[0] == 0 && !signbit(y[0]) && y[1] == 0 && y[2] == 2 && signbit(y[3]) && isnan(y[4]));
}

/// The gradient where forward's output is no number is 0; a variance that overflows is no number, not infinite; a value
/// that is hidden is looked at, a hidden key is not; a state that overflows is saturated.
Test(layers, numbers_at_the_ends) {
    const af_real y[3] = {(af_real)NAN, (af_real)INFINITY, -1}, d_y[3] = {1, 2, 3};
    af_real d_x[3];
    n7_relu_backward(d_x, d_y, y, 3);
    cr_assert(d_x[0] == 0 && d_x[1] == 2 && d_x[2] == 0);
    const af_real far[4] = {1e155, -1e155, 1e155, -1e155}, near[4] = {1e150, -1e150, 1e150, -1e150};
    af_real n[4], spread[1];
    n7_norm_forward(n, spread, far, 1, 4);
    cr_assert(isnan(n[0]) && isnan(spread[0]));
    n7_norm_forward(n, spread, near, 1, 4);
    cr_assert(n[0] == 1 && n[1] == -1);

    const uint8_t only_first[2] = {1, 0};
    af_real q[1] = {1}, k[2] = {1, (af_real)NAN}, v[2] = {3, 4}, weight[2], head[1];
    n7_head_forward(head, weight, q, k, v, only_first, 1, 2, 1, 1);
    cr_assert(head[0] == 3 && weight[1] == 0);
    v[1] = (af_real)INFINITY;
    n7_head_forward(head, weight, q, k, v, only_first, 1, 2, 1, 1);
    cr_assert(isnan(head[0]));
    k[0] = (af_real)NAN;
    n7_head_forward(head, weight, q, k, v, NULL, 1, 2, 1, 1);
    cr_assert(isnan(head[0]) && isnan(weight[0]));

    const af_real w[1] = {1e300}, h[1] = {1e300}, x[1] = {0}, bad[1] = {(af_real)NAN};
    af_real state[1];
    n7_rnn_forward(state, h, x, w, w, 1, 1);
    cr_assert(state[0] == 1);
    n7_rnn_forward(state, bad, x, w, w, 1, 1);
    cr_assert(isnan(state[0]));
    n7_matmul_forward(n, bad, w, 1, 1, 1);
    cr_assert(isnan(n[0]));
    n7_position_forward(n, bad, 1, 2);
    cr_assert(isnan(n[0]) && isnan(n[1]));
}

// ------------------------------------------------------------------------------------------- recurrence, positions

Test(layers, jacobian_of_a_sequence) {
    enum { STEPS = 4 };
    af_real w[D * D], u[D * FF], x[STEPS][FF], h[STEPS + 1][D], j[2][D * D], moved[D];
    start();
    draw(w, D * D, 0.4);
    draw(u, D * FF, 0.3);
    draw(&x[0][0], STEPS * FF, 1);
    draw(h[0], D, 0.5);
    for (size_t i = 0; i < D * D; i++) {
        j[0][i] = i % (D + 1) == 0;
    }
    for (size_t t = 0; t < STEPS; t++) {
        n7_rnn_forward(h[t + 1], h[t], x[t], w, u, D, FF);
        n7_rnn_jacobian(j[(t + 1) % 2], j[t % 2], h[t + 1], w, D);
    }
    for (size_t c = 0; c < D; c++) {
        af_real difference[D] = {0};
        for (int side = 0; side < 2; side++) {
            memcpy(moved, h[0], sizeof(moved));
            moved[c] += side == 0 ? 1e-6 : -1e-6;
            for (size_t t = 0; t < STEPS; t++) {
                af_real next[D];
                n7_rnn_forward(next, moved, x[t], w, u, D, FF);
                memcpy(moved, next, sizeof(moved));
            }
            for (size_t i = 0; i < D; i++) {
                difference[i] += side == 0 ? moved[i] : -moved[i];
            }
        }
        for (size_t i = 0; i < D; i++) {
            cr_assert(fabs(difference[i] / 2e-6 - j[0][i * D + c]) < 1e-8);
        }
    }
}

/// The angles of a model of 64 components at 25 positions, as the chapter adds them: sines and cosines beside each
/// other.
Test(layers, sines_and_cosines) {
    enum { PLACES = 25, WIDTH = 64 };
    static af_real omega[WIDTH / 2], pe[PLACES][WIDTH];
    n7_position_omega(omega, WIDTH);
    n7_position_forward(pe[0], omega, PLACES, WIDTH);
    for (size_t i = 0; i < WIDTH / 2; i++) {
        const double exact = pow(10000, -2.0 * (double)i / WIDTH);
        cr_assert_lt(fabs(omega[i] / exact - 1), 1e-15, "omega %zu", i);
        for (size_t t = 0; t < PLACES; t++) {
            const double angle = (double)t * omega[i];
            cr_assert_lt(fabs(pe[t][2 * i] - sin(angle)), 3e-16);
            cr_assert_lt(fabs(pe[t][2 * i + 1] - cos(angle)), 3e-16);
        }
    }
}

Test(layers, a_rotation_leads_from_every_position_to_every_later_one) {
    enum { WIDTH = 16, POSITIONS = 40 };
    static af_real omega[WIDTH / 2], pe[POSITIONS][WIDTH], rotation[WIDTH][WIDTH];
    n7_position_omega(omega, WIDTH);
    cr_assert(omega[0] == 1 && fabs(omega[4] - 0.01) < 1e-17);
    n7_position_forward(&pe[0][0], omega, POSITIONS, WIDTH);
    for (size_t p = 0; p < POSITIONS; p++) {
        for (size_t i = 0; i < WIDTH; i++) {
            const double angle = (double)p * omega[i / 2];
            cr_assert(fabs(pe[p][i] - (i % 2 == 0 ? sin(angle) : cos(angle))) < 2e-16);
        }
    }
    for (size_t k = 0; k < POSITIONS; k++) {
        n7_position_rotation(&rotation[0][0], omega, k, WIDTH);
        for (size_t p = 0; p + k < POSITIONS; p++) {
            for (size_t i = 0; i < WIDTH; i++) {
                double sum = 0;
                for (size_t m = 0; m < WIDTH; m++) {
                    sum += rotation[i][m] * pe[p][m];
                }
                cr_assert(fabs(sum - pe[p + k][i]) < 1e-14);
            }
        }
    }
}
