// SPDX-License-Identifier: MIT
// Prints one hash of all that lib/ computes: check_matrix.sh and check_files.sh build this program in many ways, and every
// build has to print the same one. Where a self-test says no, it prints the status and its sentence instead and returns
// 1. Where there is a tile, it does all of it a second time on it; that has to end in the same hash.
#include "everything.h"

#include <stdio.h>

/// The hash by these kernels; prints what a self-test does not like, and returns 0.
static uint32_t run(const struct af_kernels *const kernels) {
    struct af_model m = af_model_of(&af_arena);
    m.kernels = kernels;
    const af_status status = every_selftest(&m);
    if (status != AF_OK) {
        printf("%s: %s\n", af_status_name(status), af_status_text(status));
        return 0;
    }
    return everything(&m);
}

int main(void) {
    const uint32_t plain = run(&af_kernels_plain);
    if (plain == 0) {
        return 1;
    }
#if AF_HAS_TILE
    const uint32_t tile = run(&af_kernels_tile);
    if (tile == 0) {
        return 1;
    }
    if (tile != plain) {
        printf("%08lx by the tile\n", (unsigned long)tile);
        return 1;
    }
#endif
    printf("%08lx\n", (unsigned long)plain);
    return 0;
}
