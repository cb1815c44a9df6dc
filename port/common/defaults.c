// SPDX-License-Identifier: MIT
// A machine with one processor, no source of random numbers, no watchdog and no memory protection. A port that
// has one of these defines its function, which then counts.
#include "af_kernels.h"
#include "af_port.h"

#define DEFAULT __attribute__((weak))

DEFAULT const struct af_kernels *af_port_kernels(void) {
#if AF_HAS_TILE
    return &af_kernels_tile;
#else
    return NULL;
#endif
}

DEFAULT size_t af_port_workers(void) {
    return 1;
}

DEFAULT void af_port_set_workers(const size_t n_workers) {
    (void)n_workers;
}

DEFAULT void af_port_run(void *const context, void (*const piece)(void *work, size_t number, size_t worker),
                         void *const work, const size_t n_pieces) {
    (void)context;
    for (size_t i = 0; i < n_pieces; i++) {
        piece(work, i, 0);
    }
}

DEFAULT uint64_t af_port_seed(void) {
    return 1;
}

DEFAULT void af_port_feed_watchdog(void) {}

DEFAULT bool af_port_protect(const void *const address, const size_t n_bytes) {
    (void)address;
    (void)n_bytes;
    return false;
}
