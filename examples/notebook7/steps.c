// SPDX-License-Identifier: MIT
// The steps in order.
#include "notebook7.h"

const struct n7_step n7_step[N7_LAST_STEP + 1] = {
    {NULL, NULL, NULL},
    {NULL, NULL, NULL},
    {"The wall of recurrent networks", n7_recurrent_run, n7_recurrent_print},
    {"Scaled dot-product attention", n7_toy_run, n7_toy_print},
    {"Why divide by the root of d_k", n7_scaling_run, n7_scaling_print},
    {"Self-attention over a sentence, and the causal mask", n7_self_run, n7_self_print},
    {"Multi-head attention", n7_heads_run, n7_heads_print},
    {"Positional encoding", n7_positions_run, n7_positions_print},
    {"A complete Transformer block", n7_block_run, n7_block_print},
};

void n7_drop(const char *const text, const size_t n) {
    (void)text;
    (void)n;
}

uint64_t n7_seed;

void n7_begin(struct n7_arena *const a) {
    af_numpy_seed(&a->kept.rng[0], n7_seed);
}

void n7_run_to(struct n7_arena *const a, const unsigned last) {
    n7_begin(a);
    for (unsigned i = N7_FIRST_STEP; i <= last; i++) {
        n7_step[i].run(a);
    }
}

/// CRC-32C of what lives in a step, continued from `crc`.
static uint32_t step_crc(const unsigned step, uint32_t crc) {
    for (size_t i = 0; i < af_map_count(&n7_map); i++) {
        const struct af_tensor t = af_map_tensor(&n7_map, i);
        if (t.type == AF_TYPE_REAL && (t.live >> (step - N7_FIRST_STEP) & 1U) != 0) {
            crc = af_crc32c_reals(crc, t.address, t.n_elements);
        }
    }
    return crc;
}

uint32_t n7_run(n7_write *const write) {
    uint32_t crc = 0;
    n7_begin(&n7_arena);
    for (unsigned i = N7_FIRST_STEP; i <= N7_LAST_STEP; i++) {
        n7_step[i].run(&n7_arena);
        n7_step[i].print(&n7_arena, write);
        crc = step_crc(i, crc);
    }
    return crc;
}
