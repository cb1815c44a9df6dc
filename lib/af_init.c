// SPDX-License-Identifier: MIT
// Initial weights: each tensor starts as its line of the tensor list says.
#define AF_FILE_init 0, AF_OWN
#include "af_arena.h"
#include "af_check.h"

#if AF_STREAMS

static void fill(af_real *const x, const size_t n, const af_real value) {
    for (size_t i = 0; i < n; i++) {
        x[i] = value;
    }
}

// How a tensor starts, as the tensor list says it. Its words are pasted here, so that no macro of a program meets them.
#define AFI_START_NORMAL        (void)af_torch_normal(stream, x, n)
#define AFI_START_UNIFORM(n_in) af_torch_uniform(stream, x, n, n_in)
#define AFI_START_ONE           fill(x, n, AF_R(1))
#define AFI_START_ZERO          fill(x, n, AF_R(0))

/// Starts one tensor: x its first number, n how many it has.
#define AFI_START(member, start)                                                                                       \
    {                                                                                                                  \
        af_real *const x = (af_real *)(member);                                                                        \
        const size_t n = sizeof(member) / sizeof(af_real);                                                             \
        start;                                                                                                         \
    }

af_status af_init_weights(struct af_weights *const weight, struct af_torch *const stream, const uint64_t seed) {
    if (weight == NULL || stream == NULL) {
        return AF_ERR_NULL;
    }
    if ((uintptr_t)weight % AF_ALIGN_OF_REAL != 0 || (uintptr_t)stream % AF_ALIGN_OF_32 != 0) {
        return AF_ERR_ALIGN;
    }
    const af_status mode = af_float_check();
    if (mode != AF_OK) {
        return mode;
    }
    af_torch_seed(stream, seed);
#define AF_WEIGHT_INPUT(name, shape, start, torch, text) AFI_START(weight->name, AFI_START_##start)
#include "af_tensors.def"
    for (size_t b = 0; b < AF_BLOCKS; b++) {
        struct af_block_weights *const block = &weight->block[b];
#define AF_WEIGHT_BLOCK(name, shape, start, torch, text) AFI_START(block->name, AFI_START_##start)
#include "af_tensors.def"
    }
#define AF_WEIGHT_OUTPUT(name, shape, start, torch, text) AFI_START(weight->name, AFI_START_##start)
#include "af_tensors.def"
    return AF_OK;
}

#endif

#include "af_inner_export.h"
