// SPDX-License-Identifier: MIT
/// The tables of kernels that this build has and this processor can run.
#ifndef TABLES_H
#define TABLES_H

#include "af_kernels.h"
#if AF_HAS_TILE
#include "af_port.h"
#endif

struct level {
    const struct af_kernels *kernels;
    bool runs; // whether this processor has its instructions
};

enum { MAX_LEVELS = 3 };

/// Fills in the tables of tiles, from the baseline up; returns how many there are.
static inline size_t levels(struct level level[MAX_LEVELS]) {
    size_t n = 0;
#if AF_HAS_TILE
    level[n++] = (struct level){&af_kernels_tile, true};
#if defined(__x86_64__)
    const struct af_kernels *const best = af_port_kernels();
    level[n++] = (struct level){&af_kernels_tile_v3, best != &af_kernels_tile};
    level[n++] = (struct level){&af_kernels_tile_v4, best == &af_kernels_tile_v4};
#endif
#else
    (void)level;
#endif
    return n;
}

/// The table of tiles after k that this processor can run; NULL for k: the first one. NULL: there is none.
static inline const struct af_kernels *next_table(const struct af_kernels *k) {
    struct level level[MAX_LEVELS];
    const size_t n = levels(level);
    size_t i = 0;
    if (k != NULL) {
        while (level[i].kernels != k) {
            i++;
        }
        i++;
    }
    while (i < n && !level[i].runs) {
        i++;
    }
    return i < n ? level[i].kernels : NULL;
}

#define FOR_EVERY_TABLE(k) for (const struct af_kernels *k = next_table(NULL); k != NULL; k = next_table(k))

#define FOR_PLAIN_AND_EVERY_TABLE(k)                                                                                   \
    for (const struct af_kernels *k = &af_kernels_plain; k != NULL; k = next_table(k == &af_kernels_plain ? NULL : k))

#endif
