// SPDX-License-Identifier: MIT
// Power cuts on a board: a device that loads its checkpoint or starts anew, trains, saves after each step, and loses
// its power in the middle of a program or an erase. Whatever it lost, it ends in the hash of the run that was not
// interrupted. Every cut there is, in many ways, is test/power_cuts.c on the host; here the storage is the port's.
#include "firmware.h"
#include "port_storage.h"
#include "task.h"

enum { N_SAVES = 3, N_SEQUENCES = 2, NO_CUT = -1 };
enum { PAGE_BYTES = AF_CHECKPOINT_PAGE_BYTES, MOST_ERASE_BYTES = 4096 };

static struct af_storage port; // the port's storage; the device has one that can be cut

// ------------------------------------------------------------------------------------------------ storage that is cut

static int32_t n_left; // programs and erases until the power fails; NO_CUT: it does not
static bool is_off;

/// Counts a call. True: it is the one that is interrupted.
static bool is_cut(void) {
    if (n_left < 0 || n_left-- > 0) {
        return false;
    }
    is_off = true;
    return true;
}

static bool cut_read(void *const context, const uint32_t offset, void *const data, const uint32_t n_bytes) {
    return !is_off && port.read(context, offset, data, n_bytes);
}

/// Interrupted: the first half is there.
static bool cut_program(void *const context, const uint32_t offset, const void *const data, const uint32_t n_bytes) {
    if (is_off) {
        return false;
    }
    if (is_cut()) {
        (void)port.program(context, offset, data, n_bytes / 2);
    }
    return !is_off && port.program(context, offset, data, n_bytes);
}

/// Interrupted: the second half is as it was.
static bool cut_erase(void *const context, const uint32_t offset, const uint32_t n_bytes) {
    static uint8_t half[MOST_ERASE_BYTES / 2];
    if (is_off) {
        return false;
    }
    if (is_cut()) {
        (void)port.read(context, offset + n_bytes / 2, half, n_bytes / 2);
        (void)port.erase(context, offset, n_bytes);
        (void)port.program(context, offset + n_bytes / 2, half, n_bytes / 2);
    }
    return !is_off && port.erase(context, offset, n_bytes);
}

static bool cut_sync(void *const context) {
    return !is_off && port.sync(context);
}

// --------------------------------------------------------------------------------------------------------- the device

static void fill(void *const at, const size_t n_bytes, const uint8_t value) {
    uint8_t *const byte = at;
    for (size_t i = 0; i < n_bytes; i++) {
        byte[i] = value;
    }
}

/// What memory may hold after the power was gone.
static void forget(const struct af_model *const model) {
    fill(model->weight, sizeof(*model->weight), 0xA5);
    fill(model->adam_m, sizeof(*model->adam_m), 0xA5);
    fill(model->adam_v, sizeof(*model->adam_v), 0xA5);
    fill(model->state, sizeof(*model->state), 0);
    fill(model->grad, sizeof(*model->grad), 0xA5);
    fill(model->work, sizeof(*model->work), 0xA5);
}

static af_status train_step(const struct af_model *const model) {
    static struct example example[N_SEQUENCES];
    static struct af_sequence sequence[N_SEQUENCES];
    const struct af_adamw how = AF_ADAMW_CHAPTER;
    const struct batch_size size =
        draw_batch(example, sequence, &model->state->data_stream[0], N_SEQUENCES, SHORTEST, LONGEST);
    af_status status = af_train_begin(model, size.n_targets);
    if (status == AF_OK) {
        status = af_train_accumulate(model, sequence, N_SEQUENCES);
    }
    return status == AF_OK ? af_train_end(model, how, NULL) : status;
}

/// From power-on to the end or to the next cut. `step` becomes the one that training goes on from: 0, if no checkpoint.
static af_status run(const struct af_model *const model, uint32_t *const step) {
    const struct af_storage storage = {cut_read,        cut_program,      cut_erase,          cut_sync,         NULL,
                                       port.slot_bytes, port.erase_bytes, port.program_bytes, port.reads_erased};
    struct af_checkpoint_info info = {0};
    is_off = false;
    forget(model);
    af_status status = af_checkpoint_load(model, &info, &storage);
    if (status == AF_ERR_NO_CHECKPOINT) {
        status = af_train_reset(model);
        af_init_weights(&model->weight->at, &model->work->init_stream[0], SEED_WEIGHTS);
        af_numpy_seed(&model->state->data_stream[0], SEED_TRAINING);
    }
    *step = info.step;
    while (status == AF_OK && model->state->progress[0].step < N_SAVES) {
        status = train_step(model);
        if (status == AF_OK) {
            status = af_checkpoint_save(&storage, model, NULL);
        }
    }
    return status;
}

// ----------------------------------------------------------------------------------------------------------- the check

static bool erase_all(void) {
    bool is_good = true;
    for (uint32_t at = 0; at < 2 * port.slot_bytes; at += port.erase_bytes) {
        is_good = is_good && port.erase(port.context, at, port.erase_bytes);
    }
    return is_good;
}

/// Cuts call number `call` of save number `save`, both from 0 on, and lets the device start again. Whether it goes on
/// from the save before or from this one, and ends as it should. "cut in save 1, call 2656: goes on from step 1, ends
/// in 1A2B3C4D"
static bool check(const struct af_model *const model, const uint32_t save, const uint32_t call, const uint32_t n_calls,
                  const uint32_t hash) {
    uint32_t step = 0;
    n_left = (int32_t)(save * n_calls + call);
    const bool is_cut_there = erase_all() && run(model, &step) == AF_ERR_STORAGE && step == 0;
    n_left = NO_CUT;
    const af_status status = run(model, &step);
    const uint32_t end = state_hash(model);
    print("cut in save ");
    print_whole(save);
    print(", call ");
    print_whole(call);
    print(": goes on from step ");
    print_whole(step);
    print(", ends in ");
    print_hex(end);
    print("\n");
    return is_cut_there && status == AF_OK && (step == save || step == save + 1) && end == hash;
}

int main(void) {
    if (!firmware_begin("resume")) {
        return 1;
    }
    const struct af_model model = firmware_model();
    port = port_storage();
    if (port.slot_bytes < AF_CHECKPOINT_BYTES || port.erase_bytes > MOST_ERASE_BYTES) {
        print("FAIL: no storage for two checkpoints\n");
        return 1;
    }
    uint32_t step = 0;
    n_left = NO_CUT;
    const af_status status = erase_all() ? run(&model, &step) : AF_ERR_STORAGE;
    if (status != AF_OK) {
        return firmware_fail("the run without a cut", status);
    }
    const uint32_t hash = state_hash(&model);
    print("without a cut: ends in ");
    print_hex(hash);
    print("\n");
    // Of a save: the first erase, the first program, one in the middle, the last page of data, both commit pages.
    const uint32_t n_erases = (AF_CHECKPOINT_BYTES + port.erase_bytes - 1) / port.erase_bytes;
    const uint32_t n_calls = n_erases + AF_CHECKPOINT_PAGES;
    const uint32_t call[] = {0, n_erases, n_calls / 2, n_calls - 3, n_calls - 2, n_calls - 1};
    bool is_good = true;
    for (uint32_t i = 0; i < sizeof(call) / sizeof(call[0]); i++) {
        is_good = check(&model, i % N_SAVES, call[i], n_calls, hash) && is_good;
    }
    print(is_good ? "good\n" : "FAIL: a cut is not survived\n");
    return is_good ? 0 : 1;
}
