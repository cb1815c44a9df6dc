// SPDX-License-Identifier: MIT
// A storage full of bytes that someone else chose. Byte 0 of the input says whether check sums are made right (bit 0:
// slot 0, bit 1: slot 1) and which call of the storage fails (upper six bits, 0: none); the rest is slot 0, then slot
// 1; what is missing is erased. Then: find, load, save, load. Whatever happens has a name; a refused load changes
// nothing; after a save that worked, a load gives what was saved.
#include "flash.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE = AF_CHECKPOINT_PAGE_BYTES, ERASE = 1024, SLOT = (AF_CHECKPOINT_BYTES + ERASE - 1) / ERASE * ERASE };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static uint8_t cell[2 * SLOT];
static unsigned n_calls, fail_at;

static bool is_good(uint32_t offset, uint32_t n) {
    if (offset > sizeof(cell) || n > sizeof(cell) - offset) {
        abort();
    }
    return ++n_calls != fail_at;
}

static bool read_cells(void *context, uint32_t offset, void *data, uint32_t n) {
    (void)context;
    memcpy(data, &cell[offset], n);
    return is_good(offset, n);
}

static bool program_cells(void *context, uint32_t offset, const void *data, uint32_t n) {
    (void)context;
    for (uint32_t i = 0; i < n; i++) {
        cell[offset + i] &= ((const uint8_t *)data)[i];
    }
    return is_good(offset, n);
}

static bool erase_cells(void *context, uint32_t offset, uint32_t n) {
    (void)context;
    memset(&cell[offset], 0xFF, n);
    return is_good(offset, n);
}

static const struct af_storage storage = {read_cells, program_cells, erase_cells, NULL, NULL, SLOT, ERASE, 8, true};

static uint32_t hash_of(const struct af_model *m) {
    uint32_t crc = af_crc32c(0, m->weight, sizeof(*m->weight));
    crc = af_crc32c(crc, m->adam_m, sizeof(*m->adam_m));
    crc = af_crc32c(crc, m->adam_v, sizeof(*m->adam_v));
    return af_crc32c(crc, m->state, sizeof(*m->state));
}

static void require(bool condition) {
    if (!condition) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    const struct af_model m = af_model_of(&af_arena);
    struct af_checkpoint_info info;
    static const uint8_t note[AF_CHECKPOINT_NOTE_BYTES] = {1, 2, 3};
    const uint8_t first = n > 0 ? data[0] : 0;
    n = n == 0 ? 0 : n - 1 < sizeof(cell) ? n - 1 : sizeof(cell);
    memset(cell, 0xFF, sizeof(cell));
    memcpy(cell, data + (n > 0 ? 1 : 0), n);
    for (size_t i = 0; i < 2; i++) {
        if ((first >> i & 1) != 0) {
            flash_reseal(&cell[i * SLOT]);
        }
    }
    (void)af_train_reset(&m);
    memset(m.weight, 0, sizeof(*m.weight));
    af_numpy_seed(m.state->data_stream, 0);
    const uint32_t before = hash_of(&m);
    n_calls = 0;
    fail_at = first >> 2;
    const af_status found = af_checkpoint_find(&info, &storage);
    n_calls = 0;
    const af_status loaded = af_checkpoint_load(&m, &info, &storage);
    if (loaded != AF_OK && loaded != AF_ERR_CHECKPOINT_LOST) {
        require(hash_of(&m) == before);
        require(fail_at != 0 || found == loaded);
    }
    if (loaded == AF_ERR_CHECKPOINT_LOST) {
        require(af_train_begin(&m, 1) == AF_ERR_ORDER && af_train_reset(&m) == AF_OK);
        return 0;
    }
    if (loaded == AF_OK) {
        require(af_finite(m.weight->flat, AF_N_PARAMS) && m.state->progress[0].phase == AF_TRAIN_IDLE);
    }
    m.state->progress[0].run = 0; // each load makes it another number
    const uint32_t now = hash_of(&m);
    n_calls = 0;
    const af_status saved = af_checkpoint_save(&storage, &m, note);
    fail_at = 0;
    const af_status again = af_checkpoint_load(&m, &info, &storage);
    m.state->progress[0].run = 0;
    if (saved == AF_OK) {
        require(again == AF_OK && hash_of(&m) == now && memcmp(info.note, note, sizeof(note)) == 0);
    } else if (loaded == AF_OK) { // what could be loaded before, can be loaded still
        require(again == AF_OK && hash_of(&m) == now);
    }
    return 0;
}
