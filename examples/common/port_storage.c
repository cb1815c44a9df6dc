// SPDX-License-Identifier: MIT
#include "port_storage.h"
#include "af_port.h"

static bool read_bytes(void *const context, const uint32_t offset, void *const data, const uint32_t n_bytes) {
    (void)context;
    return af_port_read(offset, data, n_bytes);
}

static bool program_bytes(void *const context, const uint32_t offset, const void *const data, const uint32_t n_bytes) {
    (void)context;
    return af_port_program(offset, data, n_bytes);
}

static bool erase_bytes(void *const context, const uint32_t offset, const uint32_t n_bytes) {
    (void)context;
    return af_port_erase(offset, n_bytes);
}

static bool sync_bytes(void *const context) {
    (void)context;
    return af_port_sync();
}

struct af_storage port_storage(void) {
    const struct af_port_storage facts = af_port_storage();
    const uint32_t half = facts.n_bytes / 2;
    const struct af_storage storage = {
        read_bytes,        program_bytes,       erase_bytes,       sync_bytes, NULL, half - half % facts.erase_bytes,
        facts.erase_bytes, facts.program_bytes, facts.reads_erased};
    return storage;
}
