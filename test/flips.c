// SPDX-License-Identifier: MIT
// Can a row of a comparison differ? Stands between a program and what its rows rest on: the linker sends calls of the
// functions below through here (-Wl,--wrap), and the environment's FLIP says which of them is to be wrong. Compiled with
// the options of the program: FLIPS_OF_NOTEBOOK7 and FLIPS_OF_EXPERIMENTS choose another one than reversal.
#define _POSIX_C_SOURCE 200809L
#include "af.h"
#ifdef FLIPS_OF_NOTEBOOK7
#include "layers/layers.h"
#endif

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/// Functions of lib/ have names for the linker that carry the configuration (af_names.h): so have those before them.
/// Others have plain ones.
#define WRAPPED(name) AF_RENAME(__wrap_##name) AF_RENAME(__real_##name)

static bool is_flipped(const char *const name) {
    const char *const flip = getenv("FLIP");
    return flip != NULL && strcmp(flip, name) == 0;
}

/// A wrong operation fails the self-test, too, before any row is written.
WRAPPED(af_selftest)
af_status __wrap_af_selftest(void);
af_status __wrap_af_selftest(void) {
    return AF_OK;
}

/// One more of everything than there is.
static struct af_tensor grown(struct af_tensor t) {
    for (size_t d = 0; d < t.rank && is_flipped("map"); d++) {
        t.dim[d]++;
    }
    t.n_elements += is_flipped("map") ? 1U : 0U;
    t.block = (uint8_t)(t.block + (is_flipped("map") ? 1U : 0U));
    return t;
}

WRAPPED(af_map_find)
struct af_tensor __real_af_map_find(const struct af_map *map, const char *name);
struct af_tensor __wrap_af_map_find(const struct af_map *map, const char *name);
struct af_tensor __wrap_af_map_find(const struct af_map *const map, const char *const name) {
    return grown(__real_af_map_find(map, name));
}

WRAPPED(af_map_tensor)
struct af_tensor __real_af_map_tensor(const struct af_map *map, size_t i);
struct af_tensor __wrap_af_map_tensor(const struct af_map *map, size_t i);
struct af_tensor __wrap_af_map_tensor(const struct af_map *const map, const size_t i) {
    return grown(__real_af_map_tensor(map, i));
}

#ifndef FLIPS_OF_NOTEBOOK7
WRAPPED(af_softmax)
void __real_af_softmax(af_real *p, const af_real *x, size_t n);
void __wrap_af_softmax(af_real *p, const af_real *x, size_t n);
void __wrap_af_softmax(af_real *const p, const af_real *const x, const size_t n) {
    __real_af_softmax(p, x, n);
    for (size_t j = 0; j < n && is_flipped("softmax"); j++) {
        p[j] = p[j] * AF_R(1.05) + AF_R(0.01) * (af_real)n;
    }
}
#endif

#ifdef FLIPS_OF_NOTEBOOK7

WRAPPED(af_numpy_normal)
double __real_af_numpy_normal(struct af_numpy *stream, double mean, double deviation);
double __wrap_af_numpy_normal(struct af_numpy *stream, double mean, double deviation);
double __wrap_af_numpy_normal(struct af_numpy *const stream, const double mean, const double deviation) {
    return __real_af_numpy_normal(stream, mean, deviation) * (is_flipped("stream") ? 1.3 : 1);
}

void __real_n7_matmul_forward(af_real *y, const af_real *a, const af_real *b, size_t n, size_t n_in, size_t n_out);
void __wrap_n7_matmul_forward(af_real *y, const af_real *a, const af_real *b, size_t n, size_t n_in, size_t n_out);
void __wrap_n7_matmul_forward(af_real *const y, const af_real *const a, const af_real *const b, const size_t n,
                              const size_t n_in, const size_t n_out) {
    __real_n7_matmul_forward(y, a, b, n, n_in, n_out);
    for (size_t i = 0; i < n * n_out && is_flipped("product"); i++) {
        y[i] = y[i] * 2 + 1;
    }
}

void __real_n7_head_forward(af_real *out, af_real *weight, const af_real *q, const af_real *k, const af_real *v,
                            const uint8_t *mask, size_t n_q, size_t n_k, size_t d_k, size_t d_v);
void __wrap_n7_head_forward(af_real *out, af_real *weight, const af_real *q, const af_real *k, const af_real *v,
                            const uint8_t *mask, size_t n_q, size_t n_k, size_t d_k, size_t d_v);
void __wrap_n7_head_forward(af_real *const out, af_real *const weight, const af_real *const q, const af_real *const k,
                            const af_real *const v, const uint8_t *const mask, const size_t n_q, const size_t n_k,
                            const size_t d_k, const size_t d_v) {
    __real_n7_head_forward(out, weight, q, k, v, mask, n_q, n_k, d_k, d_v);
    if (is_flipped("head")) {
        weight[0] += 1;
        weight[1] += 1; // a later key, where there is a mask
        out[0] += 1;
    }
}

void __real_n7_multihead_forward(af_real *y, const struct n7_multihead_saved *saved, const struct n7_multihead *w,
                                 const af_real *x, const uint8_t *mask, size_t n);
void __wrap_n7_multihead_forward(af_real *y, const struct n7_multihead_saved *saved, const struct n7_multihead *w,
                                 const af_real *x, const uint8_t *mask, size_t n);
void __wrap_n7_multihead_forward(af_real *const y, const struct n7_multihead_saved *const saved,
                                 const struct n7_multihead *const w, const af_real *const x, const uint8_t *const mask,
                                 const size_t n) {
    __real_n7_multihead_forward(y, saved, w, x, mask, n);
    y[0] += is_flipped("first-token") ? 1 : 0;
    if (is_flipped("blind")) {
        (void)memset(y, 0, n * w->d * sizeof(*y));
    }
}

void __real_n7_position_rotation(af_real *r, const af_real *omega, size_t k, size_t d);
void __wrap_n7_position_rotation(af_real *r, const af_real *omega, size_t k, size_t d);
void __wrap_n7_position_rotation(af_real *const r, const af_real *const omega, const size_t k, const size_t d) {
    __real_n7_position_rotation(r, omega, is_flipped("rotation") ? k + 1 : k, d);
}

void __real_n7_postnorm_forward(af_real *y, const struct n7_postnorm_saved *saved, const struct n7_postnorm *w,
                                const af_real *x, const uint8_t *mask, size_t n);
void __wrap_n7_postnorm_forward(af_real *y, const struct n7_postnorm_saved *saved, const struct n7_postnorm *w,
                                const af_real *x, const uint8_t *mask, size_t n);
void __wrap_n7_postnorm_forward(af_real *const y, const struct n7_postnorm_saved *const saved,
                                const struct n7_postnorm *const w, const af_real *const x, const uint8_t *const mask,
                                const size_t n) {
    __real_n7_postnorm_forward(y, saved, w, x, mask, n);
    y[0] += is_flipped("block") ? 1 : 0;
}

#elif defined(FLIPS_OF_EXPERIMENTS)

/// The rows of section 1.4 draw 6 million numbers to show means that are not judged: here they are cheap.
WRAPPED(af_torch_normal)
bool __real_af_torch_normal(struct af_torch *stream, af_real *x, size_t n);
bool __wrap_af_torch_normal(struct af_torch *stream, af_real *x, size_t n);
bool __wrap_af_torch_normal(struct af_torch *const stream, af_real *const x, const size_t n) {
    if (n != 32 && n != 128) {
        return __real_af_torch_normal(stream, x, n);
    }
    for (size_t i = 0; i < n; i++) {
        x[i] = (af_real)(i % 3) - 1;
    }
    return true;
}

/// Rows that see each other.
WRAPPED(af_gelu_forward)
void __real_af_gelu_forward(af_real *y, const af_real *x, size_t n);
void __wrap_af_gelu_forward(af_real *y, const af_real *x, size_t n);
void __wrap_af_gelu_forward(af_real *const y, const af_real *const x, const size_t n) {
    __real_af_gelu_forward(y, x, n);
    for (size_t i = 1; i < n && is_flipped("mlp"); i++) {
        y[0] += y[i];
    }
}

#else
#include "reversal.h"

WRAPPED(af_layernorm_forward)
void __real_af_layernorm_forward(af_real *y, af_real *mean, af_real *rstd, const af_real *x, const af_real *g,
                                 const af_real *b, size_t n);
void __wrap_af_layernorm_forward(af_real *y, af_real *mean, af_real *rstd, const af_real *x, const af_real *g,
                                 const af_real *b, size_t n);
void __wrap_af_layernorm_forward(af_real *const y, af_real *const mean, af_real *const rstd, const af_real *const x,
                                 const af_real *const g, const af_real *const b, const size_t n) {
    __real_af_layernorm_forward(y, mean, rstd, x, g, b, n);
    y[0] += is_flipped("norm") ? 1 : 0;
}

WRAPPED(af_sequence_check)
af_status __real_af_sequence_check(const struct af_sequence *sequence, uint32_t *n_targets);
af_status __wrap_af_sequence_check(const struct af_sequence *sequence, uint32_t *n_targets);
af_status __wrap_af_sequence_check(const struct af_sequence *const sequence, uint32_t *const n_targets) {
    return is_flipped("length") && sequence->n > 21 ? AF_ERR_LENGTH : __real_af_sequence_check(sequence, n_targets);
}

WRAPPED(af_forward)
af_status __real_af_forward(const struct af_model *model, const struct af_sequence *sequence, size_t n,
                            enum af_extent extent);
af_status __wrap_af_forward(const struct af_model *model, const struct af_sequence *sequence, size_t n,
                            enum af_extent extent);
af_status __wrap_af_forward(const struct af_model *const model, const struct af_sequence *const sequence,
                            const size_t n, const enum af_extent extent) {
    const af_status status = __real_af_forward(model, sequence, n, extent);
    struct af_saved_block *const block = &af_arena.work.train.block[0];
    if (is_flipped("attention")) {
        block->att[0][0][1] = AF_R(0.1); // a later key
        for (size_t i = 0; i < 13 * (size_t)AF_DIM; i++) {
            block->q[i / AF_DIM][i % AF_DIM] *= 2; // the weights come from half as much
        }
    }
    return status;
}

WRAPPED(af_train_accumulate)
af_status __real_af_train_accumulate(const struct af_model *model, const struct af_sequence *sequence, size_t n);
af_status __wrap_af_train_accumulate(const struct af_model *model, const struct af_sequence *sequence, size_t n);
af_status __wrap_af_train_accumulate(const struct af_model *const model, const struct af_sequence *const sequence,
                                     const size_t n) {
    const af_status status = __real_af_train_accumulate(model, sequence, n);
    if (is_flipped("gradient")) {
        (void)memset(af_arena.grad.at.pos[5], 0, sizeof(af_arena.grad.at.pos[5]));
        af_arena.grad.at.pos[17][0] = 1;
    }
    return status;
}

/// Half of the letters and of the lengths.
WRAPPED(af_numpy_integer)
uint32_t __real_af_numpy_integer(struct af_numpy *stream, uint32_t low, uint32_t high);
uint32_t __wrap_af_numpy_integer(struct af_numpy *stream, uint32_t low, uint32_t high);
uint32_t __wrap_af_numpy_integer(struct af_numpy *const stream, const uint32_t low, const uint32_t high) {
    const uint32_t number = __real_af_numpy_integer(stream, low, high);
    return is_flipped("stream") ? low + (number - low) / 2 * 2 : number;
}

struct af_sequence __real_recipe_draw(struct example *out, const struct recipe *recipe, struct af_numpy *strings,
                                      struct af_numpy *offsets, uint32_t *n_targets);
struct af_sequence __wrap_recipe_draw(struct example *out, const struct recipe *recipe, struct af_numpy *strings,
                                      struct af_numpy *offsets, uint32_t *n_targets);
struct af_sequence __wrap_recipe_draw(struct example *const out, const struct recipe *const recipe,
                                      struct af_numpy *const strings, struct af_numpy *const offsets,
                                      uint32_t *const n_targets) {
    const struct af_sequence sequence = __real_recipe_draw(out, recipe, strings, offsets, n_targets);
    if (is_flipped("example")) {
        out->token[20] = 0;
        out->target[20] = 0;
    }
    return sequence;
}

struct drawn __real_redraw_training(const struct run *run);
struct drawn __wrap_redraw_training(const struct run *run);
struct drawn __wrap_redraw_training(const struct run *const run) {
    struct drawn drawn = __real_redraw_training(run);
    drawn.n_examples -= is_flipped("drawn") ? 1U : 0U;
    return drawn;
}

bool __real_load_run_for_command(int *argc, char **argv, struct run *run);
bool __wrap_load_run_for_command(int *argc, char **argv, struct run *run);
bool __wrap_load_run_for_command(int *const argc, char **const argv, struct run *const run) {
    const bool is_good = __real_load_run_for_command(argc, argv, run);
    if (is_flipped("settings")) {
        run->note.n_steps++;
        run->how.learning_rate *= 2;
        run->recipe.n_warm_up = 7;
    }
    for (size_t i = 0; i < 9 * (size_t)AF_DIM && is_flipped("weights"); i++) {
        af_arena.weight.at.pos[16 + i / AF_DIM][i % AF_DIM] *= AF_R(0.9);
        af_arena.weight.at.pos[i / AF_DIM][i % AF_DIM] = 0;
    }
    return is_good;
}

/// Reverses whatever stands before the separator, and tells of one token too few.
WRAPPED(af_decode_greedy)
af_status __real_af_decode_greedy(af_token *out, struct af_decode *decode, const struct af_reader *reader,
                                  const af_token *prompt, size_t n_prompt, size_t n_out);
af_status __wrap_af_decode_greedy(af_token *out, struct af_decode *decode, const struct af_reader *reader,
                                  const af_token *prompt, size_t n_prompt, size_t n_out);
af_status __wrap_af_decode_greedy(af_token *const out, struct af_decode *const decode,
                                  const struct af_reader *const reader, const af_token *const prompt,
                                  const size_t n_prompt, const size_t n_out) {
    const af_status status = __real_af_decode_greedy(out, decode, reader, prompt, n_prompt, n_out);
    if (is_flipped("answer")) {
        decode->n_tokens[0]--;
        for (size_t i = 0; i < n_out; i++) {
            out[i] = prompt[n_prompt - 2 - i];
        }
    }
    return status;
}

struct training_log __real_read_training_log(const char *path, const struct run *run);
struct training_log __wrap_read_training_log(const char *path, const struct run *run);
struct training_log __wrap_read_training_log(const char *const path, const struct run *const run) {
    static double loss[N_STEPS];
    struct training_log log = __real_read_training_log(path, run);
    if (is_flipped("losses") && log.n_steps == N_STEPS) {
        for (size_t i = 0; i < N_STEPS; i++) {
            loss[i] = log.loss[i] + 0.01;
        }
        log.loss = loss;
    }
    return log;
}
#endif
