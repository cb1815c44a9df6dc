// SPDX-License-Identifier: MIT
// Initial weights: each tensor starts as its line of the tensor list says.
#define AF_FILE_init 0, AF_OWN
#include "af_arena.h"

#if AF_STREAMS

static void fill(af_real *const x, const size_t n, const af_real value) {
    for (size_t i = 0; i < n; i++) {
        x[i] = value;
    }
}

// How a tensor starts, as the tensor list says it.
#define START_NORMAL(x, n)        (void)af_torch_normal(stream, x, n)
#define START_UNIFORM_IN(x, n, k) af_torch_uniform(stream, x, n, k)
#define START_ONE(x, n)           fill(x, n, AF_R(1))
#define START_ZERO(x, n)          fill(x, n, AF_R(0))
#define NORMAL                    START_NORMAL(x, n)
#define ONE                       START_ONE(x, n)
#define ZERO                      START_ZERO(x, n)
#define UNIFORM(n_in)             START_UNIFORM_IN(x, n, n_in)

/// Starts one tensor: x its first number, n how many it has.
#define START(member, start)                                                                                           \
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
    af_torch_seed(stream, seed);
#define AF_WEIGHT_INPUT(name, shape, start, torch, text) START(weight->name, start)
#include "af_tensors.def"
    for (size_t b = 0; b < AF_BLOCKS; b++) {
        struct af_block_weights *const block = &weight->block[b];
#define AF_WEIGHT_BLOCK(name, shape, start, torch, text) START(block->name, start)
#include "af_tensors.def"
    }
#define AF_WEIGHT_OUTPUT(name, shape, start, torch, text) START(weight->name, start)
#include "af_tensors.def"
    return AF_OK;
}

#endif

#include "af_export.h"
