// SPDX-License-Identifier: MIT
// Permutations of NumPy's stream.
#define AF_FILE_numpy_permutation 0, AF_OWN
#include "af_numpy.h"

#if AF_STREAMS

/// A random integer in [0, max]: draws words under the smallest mask that covers max until one is not above max. NumPy
/// draws the integers of a shuffle in this way, others as af_numpy_integer() does.
static uint32_t masked(struct af_numpy *const stream, const uint32_t max) {
    uint32_t mask = max;
    for (unsigned shift = 1; shift < 32; shift *= 2) {
        mask |= mask >> shift;
    }
    uint32_t word = 0;
    do {
        word = af_numpy_u32(stream) & mask;
    } while (word > max);
    return word;
}

void af_numpy_permutation(struct af_numpy *const stream, uint16_t *const out, const uint16_t n) {
    for (uint16_t i = 0; i < n; i++) {
        out[i] = i;
    }
    for (uint32_t i = n; i > 1; i--) {
        const uint32_t j = masked(stream, i - 1);
        const uint16_t kept = out[i - 1];
        out[i - 1] = out[j];
        out[j] = kept;
    }
}

#endif

#include "af_inner_export.h"
