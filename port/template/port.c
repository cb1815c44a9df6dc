// SPDX-License-Identifier: MIT
// The smallest port that links. Copy this folder, fill in the bodies, and build with PORT=<the folder's name>.
#include "af_port.h"

// Clock: return a hardware counter, extended to 64 bits. Here there is none: speeds are shown as 0.
uint64_t af_port_ticks(void) {
    return 0;
}
uint32_t af_port_ticks_per_second(void) {
    return 1;
}

// Kernels: the plain loops. Workers: this one.
const struct af_kernels *af_port_kernels(void) {
    return NULL;
}

size_t af_port_workers(void) {
    return 1;
}

void af_port_set_workers(const size_t n_workers) {
    (void)n_workers;
}

void af_port_run(void *const context, void (*const piece)(void *work, size_t number, size_t worker), void *const work,
                 const size_t n_pieces) {
    (void)context;
    for (size_t i = 0; i < n_pieces; i++) {
        piece(work, i, 0);
    }
}

// Watchdog: write what keeps it from resetting the machine. Here there is none.
void af_port_feed_watchdog(void) {}

// Protection: set the memory protection unit up, and try a write. Here there is none.
bool af_port_protect(const void *const address, const size_t n_bytes) {
    (void)address;
    (void)n_bytes;
    return false;
}

// Seed: from a hardware generator if the board has one. A fixed number makes every run the same.
uint64_t af_port_seed(void) {
    return 1;
}

// Console: send `n` bytes to a UART and wait until they are accepted. Here they are dropped.
void af_port_write(const char *const text, const size_t n) {
    (void)text;
    (void)n;
}

// Storage: n_bytes 0 says that there is none, and the other functions are never called.
struct af_port_storage af_port_storage(void) {
    const struct af_port_storage none = {0, 1, 1, false};
    return none;
}

bool af_port_storage_open(const char *const name, const char **const reason) {
    (void)name;
    *reason = "this machine has no storage";
    return false;
}

bool af_port_read(const uint32_t offset, void *const data, const uint32_t n_bytes) {
    (void)offset;
    (void)data;
    (void)n_bytes;
    return false;
}

bool af_port_program(const uint32_t offset, const void *const data, const uint32_t n_bytes) {
    (void)offset;
    (void)data;
    (void)n_bytes;
    return false;
}

bool af_port_erase(const uint32_t offset, const uint32_t n_bytes) {
    (void)offset;
    (void)n_bytes;
    return false;
}

bool af_port_sync(void) {
    return false;
}
