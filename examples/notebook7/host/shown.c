// SPDX-License-Identifier: MIT
// What the document says in words, as numbers. Each function works on what its step has left in the arena.
#include "host.h"

#include <string.h>

static struct n7_arena *const arena = &n7_arena;

// ------------------------------------------------------------------------------------------- steps 2 and 5: distance

/// Norm of d out / d x[0] of the last of n tokens, by one backward pass for each component of out.
static af_real influence_of_first(const af_real x[][N7_HIDDEN], const size_t n) {
    static af_real weight[N7_LONG];
    static af_real d_x[3][N7_LONG][N7_HIDDEN]; // by way of queries, keys and values
    af_real out[N7_HIDDEN];
    af_real scratch[N7_LONG];
    af_real jacobian[N7_HIDDEN][N7_HIDDEN];
    const af_real *const last = x[n - 1];
    n7_head_forward(out, weight, last, x[0], x[0], NULL, 1, n, N7_HIDDEN, N7_HIDDEN);
    for (size_t m = 0; m < N7_HIDDEN; m++) {
        af_real d_out[N7_HIDDEN] = {0};
        d_out[m] = 1;
        (void)memset(d_x, 0, sizeof(d_x));
        n7_head_backward(d_x[0][n - 1], d_x[1][0], d_x[2][0], scratch, d_out, weight, last, x[0], x[0], 1, n, N7_HIDDEN,
                         N7_HIDDEN);
        for (size_t i = 0; i < N7_HIDDEN; i++) {
            jacobian[m][i] = d_x[0][0][i] + d_x[1][0][i] + d_x[2][0][i];
        }
    }
    return n7_norm(&jacobian[0][0], N7_HIDDEN * N7_HIDDEN);
}

void shown_recurrent_influence(af_real influence[N7_LONG]) {
    static af_real j[2][N7_HIDDEN * N7_HIDDEN];
    const struct n7_recurrent *const s = &arena->work.recurrent;
    for (size_t i = 0; i < (size_t)N7_HIDDEN * N7_HIDDEN; i++) {
        j[1][i] = i % (N7_HIDDEN + 1) == 0 ? AF_R(1) : AF_R(0);
    }
    for (size_t t = 0; t < N7_LONG; t++) { // the first token comes in through U, what follows through W
        n7_rnn_jacobian(j[t % 2], j[(t + 1) % 2], s->h[t], t == 0 ? &s->U[0][0] : &s->W[0][0], N7_HIDDEN);
        influence[t] = n7_norm(j[t % 2], (size_t)N7_HIDDEN * N7_HIDDEN);
    }
}

void shown_attention_influence(af_real influence[N7_LONG]) {
    for (size_t t = 0; t < N7_LONG; t++) {
        influence[t] = influence_of_first((const af_real(*)[N7_HIDDEN])arena->work.recurrent.inputs, t + 1);
    }
}

// --------------------------------------------------------------------------------------------------- step 4: scaling

af_real shown_softmax_jacobian(const af_real *const w, const size_t n) {
    af_real sum = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            const af_real slope = (i == j ? w[i] : AF_R(0)) - w[i] * w[j];
            sum += slope * slope;
        }
    }
    return af_sqrt(sum);
}

// ----------------------------------------------------------------------------------------------------- step 6: heads

/// Row o of a stacked projection [output][input]: column o % N7_DH of head o / N7_DH, part 0, 1 or 2.
static void stack_row(af_real *const row, const size_t part, const size_t o) {
    const struct n7_head *const head = &arena->kept.heads[o / N7_DH];
    for (size_t k = 0; k < N7_D; k++) {
        const af_real choice[3] = {head->Wq[k][o % N7_DH], head->Wk[k][o % N7_DH], head->Wv[k][o % N7_DH]};
        row[k] = choice[part];
    }
}

size_t shown_fused_equal(size_t *const n) {
    static af_real qkv_w[3][N7_D][N7_D];
    static af_real out_w[N7_D][N7_D];
    static af_real q[N7_N][N7_D];
    static af_real kv[N7_N][2 * N7_D];
    static af_real att[N7_N][N7_H][N7_N];
    static af_real heads[N7_N][N7_D];
    static af_real mh[N7_N][N7_D];
    static const af_real zero[2 * N7_D];
    for (size_t o = 0; o < N7_D; o++) {
        for (size_t part = 0; part < 3; part++) {
            stack_row(qkv_w[part][o], part, o);
        }
        for (size_t k = 0; k < N7_D; k++) {
            out_w[o][k] = arena->kept.W_O[k][o];
        }
    }
    af_linear_forward(&q[0][0], &arena->kept.X[0][0], &qkv_w[0][0][0], zero, N7_N, N7_D, N7_D);
    af_linear_forward(&kv[0][0], &arena->kept.X[0][0], &qkv_w[1][0][0], zero, N7_N, N7_D, 2 * N7_D);
    af_attention_forward(&heads[0][0], &att[0][0][0], &q[0][0], &kv[0][0], 0, N7_N, N7_N);
    af_linear_forward(&mh[0][0], &heads[0][0], &out_w[0][0], zero, N7_N, N7_D, N7_D);
    size_t n_equal = 0;
    *n = N7_N * N7_D;
    for (size_t i = 0; i < *n; i++) {
        n_equal += af_bits_of(mh[i / N7_D][i % N7_D]) == af_bits_of(arena->work.late.mh[i / N7_D][i % N7_D]) ? 1U : 0U;
    }
    return n_equal;
}

// ------------------------------------------------------------------------------------------------- step 7: positions

/// Multi-head attention of n tokens, without mask.
static void attend(af_real *const y, const af_real *const x, const uint8_t *const mask, const size_t n) {
    static struct {
        af_real qkv[N7_H * 3 * N7_N * N7_DH];
        af_real weight[N7_H * N7_N * N7_N];
        af_real cat[N7_N * N7_D];
    } room;
    const struct n7_multihead w = n7_multihead_of(arena);
    const struct n7_multihead_saved saved = {room.qkv, room.weight, room.cat};
    n7_multihead_forward(y, &saved, &w, x, mask, n);
}

struct shown_sentences shown_doctor(void) {
    enum { WORDS = 5 };
    // Vectors of X stand for the words: 0 the, 1 patient, 2 treated, 3 doctor.
    static const af_index sentence[2][WORDS] = {{0, 1, 2, 0, 3}, {0, 3, 2, 0, 1}};
    static const size_t place_of[WORDS] = {0, 4, 2, 3, 1}; // of a word of the first sentence in the second one
    struct shown_sentences largest = {0, 0};
    for (size_t k = 0; k < 2; k++) {
        af_real y[2][WORDS * N7_D];
        for (size_t s = 0; s < 2; s++) {
            af_real x[WORDS * N7_D];
            n7_reorder(x, &arena->kept.X[0][0], sentence[s], WORDS);
            if (k == 1) {
                n7_add(x, x, &arena->kept.PE8[0][0], WORDS * N7_D);
            }
            attend(y[s], x, NULL, WORDS);
        }
        af_real *const worst = k == 0 ? &largest.without : &largest.with;
        for (size_t i = 0; i < WORDS; i++) {
            const af_real distance = n7_distance(&y[0][i * N7_D], &y[1][place_of[i] * N7_D], N7_D);
            *worst = distance > *worst ? distance : *worst;
        }
    }
    return largest;
}

/// One head, that of step 5 with W_q, W_k and W_v of head 0: outputs when the rows of keys and values are reordered.
static af_real keys_reordered(const af_index *const perm) {
    const struct n7_head *const head = &arena->kept.heads[0];
    const af_real *const matrix[3] = {&head->Wq[0][0], &head->Wk[0][0], &head->Wv[0][0]};
    af_real part[3][N7_N * N7_DH];
    af_real turned[2][N7_N * N7_DH];
    af_real weight[N7_N * N7_N];
    af_real out[2][N7_N * N7_DH];
    for (size_t p = 0; p < 3; p++) {
        n7_matmul_forward(part[p], &arena->kept.X[0][0], matrix[p], N7_N, N7_D, N7_DH);
    }
    for (size_t i = 0; i < N7_N * N7_DH; i++) {
        const size_t from = perm[i / N7_DH] * (size_t)N7_DH + i % N7_DH;
        turned[0][i] = part[1][from];
        turned[1][i] = part[2][from];
    }
    n7_head_forward(out[0], weight, part[0], part[1], part[2], NULL, N7_N, N7_N, N7_DH, N7_DH);
    n7_head_forward(out[1], weight, part[0], turned[0], turned[1], NULL, N7_N, N7_N, N7_DH, N7_DH);
    return n7_distance(out[0], out[1], N7_N * N7_DH);
}

/// Outputs of reordered tokens against reordered outputs.
static af_real tokens_reordered(const af_index *const perm, const uint8_t *const mask) {
    af_real x[N7_N * N7_D];
    af_real y[N7_N * N7_D];
    af_real expected[N7_N * N7_D];
    attend(y, &arena->kept.X[0][0], mask, N7_N);
    n7_reorder(expected, y, perm, N7_N);
    n7_reorder(x, &arena->kept.X[0][0], perm, N7_N);
    attend(y, x, mask, N7_N);
    return n7_distance(y, expected, N7_N * N7_D);
}

struct shown_orders shown_orders(void) {
    const af_index *const perm = arena->work.late.part.positions.perm;
    const struct shown_orders orders = {keys_reordered(perm), tokens_reordered(perm, NULL),
                                        tokens_reordered(perm, &arena->kept.causal[0][0])};
    return orders;
}

// ------------------------------------------------------------------------------------------------- step 8: residuals

enum { N_OUT = N7_N * N7_D };

/// Takes N_OUT gradients, one a row, from the block's output y to its input x.
static void pull_back(af_real gradient[N_OUT][N_OUT], const struct n7_postnorm *const w, const af_real *const x,
                      const af_real *const y, const struct n7_postnorm_saved *const saved) {
    static struct {
        af_real heads[N7_H * 3 * N7_D * N7_DH];
        af_real w_o[N7_D * N7_D];
        af_real w1[N7_D * N7_FF];
        af_real b1[N7_FF];
        af_real w2[N7_FF * N7_D];
        af_real b2[N7_D];
        af_real scratch[2][N7_N * (2 * N7_D + N7_FF)];
    } of; // gradients of the weights, which are not looked at
    const struct n7_postnorm_grad grad = {{of.heads, of.w_o, of.scratch[0]}, of.w1, of.b1, of.w2, of.b2, of.scratch[1]};
    for (size_t o = 0; o < N_OUT; o++) {
        af_real d_x[N_OUT] = {0};
        n7_postnorm_backward(d_x, &grad, gradient[o], y, saved, w, x, N7_N);
        (void)memcpy(gradient[o], d_x, sizeof(d_x));
    }
}

af_real shown_stack_gradient(const size_t n, const bool has_residual) {
    static af_real x[SHOWN_MOST_BLOCKS + 1][N_OUT];
    static af_real gradient[N_OUT][N_OUT];
    struct n7_postnorm w = n7_postnorm_of(arena);
    w.has_residual = has_residual;
    const struct n7_postnorm_saved saved = n7_postnorm_saved_of(arena);
    const uint8_t *const mask = &arena->kept.causal[0][0];
    (void)memcpy(x[0], arena->kept.x_in, sizeof(x[0]));
    for (size_t l = 0; l < n; l++) {
        n7_postnorm_forward(x[l + 1], &saved, &w, x[l], mask, N7_N);
    }
    for (size_t o = 0; o < N_OUT * N_OUT; o++) {
        gradient[o / N_OUT][o % N_OUT] = o % (N_OUT + 1) == 0 ? AF_R(1) : AF_R(0);
    }
    for (size_t l = n; l > 0; l--) {
        n7_postnorm_forward(x[l], &saved, &w, x[l - 1], mask, N7_N); // again, for what backward reads
        pull_back(gradient, &w, x[l - 1], x[l], &saved);
    }
    return n7_norm(&gradient[0][0], N_OUT * N_OUT);
}
