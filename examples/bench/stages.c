// SPDX-License-Identifier: MIT
// Stages of a step, measured by a table of kernels that look at the clock around those of another table.
#include "bench.h"
#include "af_port.h"

static const struct af_kernels *timed;
static uint64_t ticks[N_STAGES]; // of the repetition at hand
static struct times stage_times[N_STAGES];

static const char *const names[N_STAGES] = {
    "linear layers, forward",
    "their gradients of inputs",
    "their gradients of weights",
    "attention, forward",
    "attention, backward",
    "GELU, forward",
    "GELU, backward",
    "layer norms, forward",
    "layer norms, backward",
    "AdamW",
    "packing weights",
    "the rest",
};

// Each function of the wrapping table: its stage, parameters as in af_kernels.h, arguments.
#define TIMED(name, stage, parameters, arguments)                                                                      \
    static void name parameters {                                                                                      \
        const uint64_t from = af_port_ticks();                                                                         \
        timed->name arguments;                                                                                         \
        ticks[stage] += af_port_ticks() - from;                                                                        \
    }

TIMED(linear_forward, STAGE_FORWARD,
      (af_real *const y, const af_real *const x, const struct af_layer *const layer, const size_t n), (y, x, layer, n))
TIMED(layernorm_forward, STAGE_NORM,
      (af_real *const y, af_real *const mean, af_real *const rstd, const af_real *const x, const af_real *const g,
       const af_real *const b, const size_t n),
      (y, mean, rstd, x, g, b, n))
TIMED(attention_forward, STAGE_ATTENTION,
      (af_real *const heads, af_real *const att, af_real *const scratch, const af_real *const q,
       const af_real *const kv, const size_t first, const size_t n, const size_t n_keys),
      (heads, att, scratch, q, kv, first, n, n_keys))
TIMED(gelu_forward, STAGE_GELU, (af_real *const y, af_real *const cdf, const af_real *const x, const size_t n),
      (y, cdf, x, n))
TIMED(linear_backward_x, STAGE_BACKWARD_X,
      (af_real *const d_x, const af_real *const d_y, const struct af_layer *const layer, const size_t n,
       const bool adds),
      (d_x, d_y, layer, n, adds))
TIMED(linear_backward_w, STAGE_BACKWARD_W,
      (af_real *const d_w, af_real *const d_b, const af_real *const d_y, const af_real *const x, const size_t n,
       const size_t n_in, const size_t n_out, const size_t from_output, const size_t n_part),
      (d_w, d_b, d_y, x, n, n_in, n_out, from_output, n_part))
TIMED(layernorm_backward_x, STAGE_NORM_BACK,
      (af_real *const d_x, const af_real *const d_y, const af_real *const x, const af_real *const mean,
       const af_real *const rstd, const af_real *const g, const size_t n),
      (d_x, d_y, x, mean, rstd, g, n))
TIMED(layernorm_backward_w, STAGE_NORM_BACK,
      (af_real *const d_g, af_real *const d_b, const af_real *const d_y, const af_real *const x,
       const af_real *const mean, const af_real *const rstd, const size_t n),
      (d_g, d_b, d_y, x, mean, rstd, n))
TIMED(attention_backward, STAGE_ATTENTION_BACK,
      (af_real *const d_q, af_real *const d_kv, af_real *const scratch, const af_real *const d_heads,
       const af_real *const att, const af_real *const q, const af_real *const kv, const size_t first, const size_t n,
       const size_t n_keys),
      (d_q, d_kv, scratch, d_heads, att, q, kv, first, n, n_keys))
TIMED(gelu_backward, STAGE_GELU_BACK,
      (af_real *const d_x, const af_real *const d_y, const af_real *const x, const af_real *const cdf, const size_t n),
      (d_x, d_y, x, cdf, n))
TIMED(adamw_update, STAGE_ADAMW,
      (af_real *const p, af_real *const m, af_real *const v, const af_real *const d, const struct af_adamw how,
       const af_real c1, const af_real c2, const size_t n),
      (p, m, v, d, how, c1, c2, n))

void stages_measure(const struct af_kernels *const kernels) {
    timed = kernels != NULL ? kernels : &af_kernels_plain;
    const struct af_kernels wrapped = {
        timed->name,        timed->needs_packed, linear_forward,    layernorm_forward,    attention_forward,
        gelu_forward,       linear_backward_x,   linear_backward_w, layernorm_backward_x, layernorm_backward_w,
        attention_backward, gelu_backward,       adamw_update,      timed->liberties,
    };
    for (size_t i = 0; i < N_STAGES; i++) {
        ticks[i] = 0;
    }
    const struct af_model model = work_model(&wrapped, 1);
    const uint64_t from = af_port_ticks();
    for (size_t step = 0; step < N_STEPS; step++) {
        if (work_train(&model, step * BATCH, BATCH) != AF_OK) {
            return;
        }
    }
    const uint64_t to = af_port_ticks();
    for (size_t step = 0; step < N_STEPS; step++) {
        af_pack_weights(&model);
    }
    ticks[STAGE_PACKING] = af_port_ticks() - to;
    ticks[STAGE_REST] = to - from;
    for (size_t i = 0; i < STAGE_REST; i++) {
        ticks[STAGE_REST] -= ticks[i];
    }
    for (size_t i = 0; i < N_STAGES; i++) {
        times_add(&stage_times[i], milliseconds(0, ticks[i]) / N_STEPS);
    }
}

double stage_ms(const enum stage stage) {
    return times_min(&stage_times[stage]);
}

const char *stage_name(const enum stage stage) {
    return names[stage];
}
