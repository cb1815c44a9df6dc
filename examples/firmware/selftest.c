// SPDX-License-Identifier: MIT
// Does this machine, with this build and this port, compute and behave as promised?
#include "firmware.h"

/// Prints what was looked at and whether it was good, and counts what was not.
static void check(const char *const what, const bool is_good, int *const n_failed) {
    print(what);
    print(is_good ? ": good\n" : ": WRONG\n");
    *n_failed += is_good ? 0 : 1;
}

static bool is_clock_good(void) {
    const uint64_t start = af_port_ticks();
    uint64_t last = start;
    for (uint32_t i = 0; i < 100000; i++) {
        const uint64_t now = af_port_ticks();
        if (now < last) {
            return false;
        }
        last = now;
    }
    return last > start && af_port_ticks_per_second() > 0;
}

// A model of which there is only what the self-test takes. The linker script places it by its name.
static union af_work af_arena_work;
#if AF_TRAINING
static struct af_state af_arena_state;
#endif

/// The operations of the port's kernels, and the pieces of its workers.
static bool is_model_good(void) {
    const struct af_runner runner = {af_port_run, NULL, af_port_workers()};
    struct af_model model = {0};
    model.work = &af_arena_work;
    model.kernels = af_port_kernels();
    model.runner = runner.n_workers > 1 ? &runner : NULL;
#if AF_TRAINING
    model.state = &af_arena_state;
#endif
    return af_selftest_model(&model) == AF_OK;
}

static bool are_streams_good(void) {
#if AF_STREAMS
    return af_selftest_streams(&af_arena_work.init_stream[0]) == AF_OK;
#else
    return true;
#endif
}

/// Every piece once, on a worker that there is.
struct pieces {
    uint8_t n_done[16];
    size_t n_workers;
};

static void do_piece(void *const work, const size_t number, const size_t worker) {
    struct pieces *const pieces = work;
    pieces->n_done[number] = (uint8_t)(pieces->n_done[number] + (worker < pieces->n_workers ? 1 : 2));
}

static bool are_workers_good(void) {
    struct pieces pieces = {{0}, af_port_workers()};
    af_port_run(NULL, do_piece, &pieces, sizeof(pieces.n_done));
    bool is_good = pieces.n_workers >= 1 && pieces.n_workers <= AF_WORKERS;
    for (size_t i = 0; i < sizeof(pieces.n_done); i++) {
        is_good = is_good && pieces.n_done[i] == 1;
    }
    return is_good;
}

/// Room for a program unit, and what is programmed: 0, 1, 2, ...
static uint8_t byte[AF_STORAGE_UNIT];

static void fill_bytes(void) {
    for (size_t i = 0; i < sizeof(byte); i++) {
        byte[i] = (uint8_t)i;
    }
}

/// Whether the program unit at `offset` reads 0, 1, 2, ... or, if `step` is 0, erased: whatever that is, one value.
static bool reads(const struct af_port_storage storage, const uint32_t offset, const unsigned step) {
    if (step == 0 && !storage.reads_erased) {
        return true;
    }
    bool is_good = af_port_read(offset, byte, storage.program_bytes);
    const unsigned first = step == 0 ? byte[0] : 0;
    for (size_t i = 0; is_good && i < storage.program_bytes; i++) {
        is_good = byte[i] == (uint8_t)(first + i * step);
    }
    return is_good;
}

/// Erases the last erase unit, programs the last program unit of it, and reads the first and the last one back.
static bool is_storage_good(void) {
    const struct af_port_storage storage = af_port_storage();
    if (storage.program_bytes > sizeof(byte) || storage.n_bytes % storage.erase_bytes != 0 ||
        storage.erase_bytes % storage.program_bytes != 0) {
        return false;
    }
    const uint32_t unit = storage.n_bytes - storage.erase_bytes;
    const uint32_t last = storage.n_bytes - storage.program_bytes;
    bool is_good = af_port_erase(unit, storage.erase_bytes) && reads(storage, unit, 0) && reads(storage, last, 0);
    fill_bytes();
    is_good = is_good && af_port_program(last, byte, storage.program_bytes) && af_port_sync() &&
              reads(storage, last, 1) && reads(storage, unit, 0);
    return is_good && af_port_erase(unit, storage.erase_bytes) && reads(storage, last, 0);
}

int main(void) {
    if (!firmware_begin("selftest")) {
        return 1;
    }
    int n_failed = 0;
    check("operations", is_model_good(), &n_failed);
    check("random streams", are_streams_good(), &n_failed);
    check("clock", is_clock_good(), &n_failed);
    check("workers", are_workers_good(), &n_failed);
    if (af_port_storage().n_bytes == 0) {
        print("storage: none\n");
    } else {
        check("storage", is_storage_good(), &n_failed);
    }
    return n_failed == 0 ? 0 : 1;
}
