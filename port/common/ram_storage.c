// SPDX-License-Identifier: MIT
// Storage of a machine whose flash is not used for it: memory that behaves like flash and keeps its content through a
// reset, but not without power.
// A byte that is programmed twice without an erase keeps the bits that were 0, as NOR flash does. A port with flash of
// its own defines these functions, which then count.
#include "af_port.h"

#define DEFAULT __attribute__((weak))

enum { ERASE_BYTES = 4096, PROGRAM_BYTES = 8, ERASED = 0xFF };

#ifndef AF_STORAGE_BYTES
#define AF_STORAGE_BYTES (4 * 1024 * 1024)
#endif

/// The linker script places it outside of what start-up clears.
__attribute__((section(".bss.af_storage"))) static uint8_t storage[AF_STORAGE_BYTES];

DEFAULT struct af_port_storage af_port_storage(void) {
    const struct af_port_storage facts = {AF_STORAGE_BYTES, ERASE_BYTES, PROGRAM_BYTES, true};
    return facts;
}

DEFAULT bool af_port_storage_open(const char *const name, const char **const reason) {
    (void)name;
    *reason = NULL;
    return true;
}

DEFAULT bool af_port_read(const uint32_t offset, void *const data, const uint32_t n_bytes) {
    uint8_t *const to = data;
    for (uint32_t i = 0; i < n_bytes; i++) {
        to[i] = storage[offset + i];
    }
    return true;
}

DEFAULT bool af_port_program(const uint32_t offset, const void *const data, const uint32_t n_bytes) {
    const uint8_t *const from = data;
    for (uint32_t i = 0; i < n_bytes; i++) {
        storage[offset + i] &= from[i];
    }
    return true;
}

DEFAULT bool af_port_erase(const uint32_t offset, const uint32_t n_bytes) {
    for (uint32_t i = 0; i < n_bytes; i++) {
        storage[offset + i] = ERASED;
    }
    return true;
}

DEFAULT bool af_port_sync(void) {
    return true;
}
