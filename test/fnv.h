// SPDX-License-Identifier: MIT
/// One number for a stream of words: FNV-1a, as vectors/*.h have it.
#ifndef FNV_H
#define FNV_H

#include <stdint.h>
#include <string.h>

static const uint64_t fnv_start = 0xCBF29CE484222325U;

/// Goes on over the `n_bytes` lower bytes of `word`, the lowest first.
static inline uint64_t fnv(uint64_t hash, uint64_t word, unsigned n_bytes) {
    for (unsigned i = 0; i < n_bytes; ++i) {
        hash = (hash ^ (word >> 8 * i & 0xFF)) * 0x100000001B3U;
    }
    return hash;
}

static inline uint64_t bits_of_double(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

#endif
