// SPDX-License-Identifier: MIT
// Checkpoints: pages, slots, what may be erased, and in which order things are written.
#define AF_FILE_checkpoint 0, AF_OWN
#include "af_checkpoint.h"
#include "af_crc32c.h"
#include "af_math.h"

#if AF_TRAINING

AF_STATIC_ASSERT(AF_CHECKPOINT_BYTES / AF_CHECKPOINT_PAGE_BYTES == AF_CHECKPOINT_PAGES, checkpoint_bytes);

#define AFI_PAGE        AF_CHECKPOINT_PAGE_BYTES
#define AFI_N_DATA      (3U * AF_CHECKPOINT_PLANE_PAGES) // pages 1 to AFI_N_DATA
#define AFI_LAST_COMMIT (AFI_N_DATA + 2U)                // and the one before it

#define AFI_MAGIC          0x50434641U // "AFCP"
#define AFI_FORMAT_VERSION 1U

// Where things stand in a page. What is not named in the header page is 0.
#define AFI_AT_NUMBER          0
#define AFI_AT_MAGIC           4
#define AFI_AT_VERSION         8
#define AFI_AT_DIGEST          12
#define AFI_AT_N_PARAMS        16
#define AFI_AT_REAL_BYTES      20
#define AFI_AT_STREAMS         24
#define AFI_AT_STEP            28
#define AFI_AT_SEQUENCE        32
#define AFI_AT_CORRECTION1     40
#define AFI_AT_CORRECTION2     48
#define AFI_AT_STREAM          56
#define AFI_AT_NOTE            96
#define AFI_AT_REALS           4
#define AFI_AT_COMMIT_SEQUENCE 4
#define AFI_AT_COMMIT_SUM      12
#define AFI_AT_CRC             (AFI_PAGE - 4)

// --------------------------------------------------------------------------------------------------- bytes of a page

static void put(uint8_t *const at, const uint64_t number, const size_t n_bytes) {
    for (size_t i = 0; i < n_bytes; i++) {
        at[i] = (uint8_t)(number >> (8U * i) & 255U);
    }
}

static uint64_t get(const uint8_t *const at, const size_t n_bytes) {
    uint64_t number = 0;
    for (size_t i = 0; i < n_bytes; i++) {
        number |= (uint64_t)at[i] << (8U * i);
    }
    return number;
}

static uint32_t get32(const uint8_t *const at) {
    return (uint32_t)get(at, 4);
}

static void clear_page(uint8_t page[AFI_PAGE]) {
    for (size_t i = 0; i < AFI_PAGE; i++) {
        page[i] = 0;
    }
}

/// Completes a page: its number and its check sum, which continues from `crc`.
static void seal_page(uint8_t page[AFI_PAGE], const uint32_t number, const uint32_t crc) {
    put(&page[AFI_AT_NUMBER], number, 4);
    put(&page[AFI_AT_CRC], af_crc32c(crc, page, AFI_AT_CRC), 4);
}

static bool is_page_good(const uint8_t page[AFI_PAGE], const uint32_t number, const uint32_t crc) {
    return get32(&page[AFI_AT_NUMBER]) == number && get32(&page[AFI_AT_CRC]) == af_crc32c(crc, page, AFI_AT_CRC);
}

/// A check sum over the check sums of data pages, one page further.
static uint32_t add_to_sum(const uint32_t sum, const uint8_t page[AFI_PAGE]) {
    return af_crc32c(sum, &page[AFI_AT_CRC], 4);
}

// ------------------------------------------------------------------------------------------------------- data pages

/// What of a model a data page holds.
struct page_reals {
    af_real *first;
    size_t n;
    unsigned plane; // 0 weights, 1 first moments, 2 second moments
};

static struct page_reals reals_of(const struct af_model *const model, const uint32_t number) {
    union af_plane *const planes[3] = {model->weight, model->adam_m, model->adam_v};
    const uint32_t i = (number - 1U) % AF_CHECKPOINT_PLANE_PAGES * AF_CHECKPOINT_PAGE_REALS;
    struct page_reals reals = {NULL, AF_N_PARAMS - i, (number - 1U) / AF_CHECKPOINT_PLANE_PAGES};
    reals.first = &planes[reals.plane]->flat[i];
    reals.n = reals.n < AF_CHECKPOINT_PAGE_REALS ? reals.n : AF_CHECKPOINT_PAGE_REALS;
    return reals;
}

/// Whether training can have left a number in a plane: finite; moments are 0 before the first step, and second moments
/// never negative.
static bool is_number_possible(const af_bits bits, const unsigned plane, const uint32_t step) {
    const bool is_finite = (bits & AF_INFINITY_BITS) != AF_INFINITY_BITS;
    const bool is_new = plane == 0 || step != 0 || bits == 0;
    const bool has_sign = plane != 2 || (bits & AF_SIGN_MASK) == 0;
    return is_finite && is_new && has_sign;
}

/// Whether all numbers of a data page are possible. (Behind the last number of a plane stand zeros, which are.)
static bool is_data_possible(const uint8_t page[AFI_PAGE], const uint32_t number, const uint32_t step) {
    const unsigned plane = (number - 1U) / AF_CHECKPOINT_PLANE_PAGES;
    bool is_possible = true;
    for (size_t i = 0; i < AF_CHECKPOINT_PAGE_REALS; i++) {
        const af_bits bits = (af_bits)get(&page[AFI_AT_REALS + i * AF_REAL_BYTES], AF_REAL_BYTES);
        is_possible = is_possible && is_number_possible(bits, plane, step);
    }
    return is_possible;
}

static void fill_data(uint8_t page[AFI_PAGE], const struct af_model *const model, const uint32_t number) {
    const struct page_reals reals = reals_of(model, number);
    for (size_t i = 0; i < reals.n; i++) {
        put(&page[AFI_AT_REALS + i * AF_REAL_BYTES], af_bits_of(reals.first[i]), AF_REAL_BYTES);
    }
}

static void take_data(const struct af_model *const model, const uint8_t page[AFI_PAGE], const uint32_t number) {
    const struct page_reals reals = reals_of(model, number);
    for (size_t i = 0; i < reals.n; i++) {
        reals.first[i] = af_real_of((af_bits)get(&page[AFI_AT_REALS + i * AF_REAL_BYTES], AF_REAL_BYTES));
    }
}

// ------------------------------------------------------------------------------------------------------- header page

#if AF_STREAMS
static void put_stream(uint8_t *const at, const struct af_numpy *const stream) {
    put(&at[0], stream->state_hi, 8);
    put(&at[8], stream->state_lo, 8);
    put(&at[16], stream->increment_hi, 8);
    put(&at[24], stream->increment_lo, 8);
    put(&at[32], stream->half, 4);
    put(&at[36], stream->half_pending, 4);
}

static struct af_numpy get_stream(const uint8_t *const at) {
    const struct af_numpy stream = {get(&at[0], 8),  get(&at[8], 8), get(&at[16], 8),
                                    get(&at[24], 8), get32(&at[32]), get32(&at[36])};
    return stream;
}
#endif

/// Page 0 but for the number of the checkpoint and the check sum.
static void fill_header(uint8_t page[AFI_PAGE], const struct af_state *const state, const uint8_t *const note) {
    clear_page(page);
    put(&page[AFI_AT_MAGIC], AFI_MAGIC, 4);
    put(&page[AFI_AT_VERSION], AFI_FORMAT_VERSION, 4);
    put(&page[AFI_AT_DIGEST], af_config_digest(), 4);
    put(&page[AFI_AT_N_PARAMS], AF_N_PARAMS, 4);
    put(&page[AFI_AT_REAL_BYTES], AF_REAL_BYTES, 4);
    put(&page[AFI_AT_STREAMS], AF_STREAMS, 4);
    put(&page[AFI_AT_STEP], state->progress[0].step, 4);
    put(&page[AFI_AT_CORRECTION1], af_bits_of(state->progress[0].correction1), 8);
    put(&page[AFI_AT_CORRECTION2], af_bits_of(state->progress[0].correction2), 8);
#if AF_STREAMS
    put_stream(&page[AFI_AT_STREAM], &state->data_stream[0]);
#endif
    for (size_t i = 0; i < AF_CHECKPOINT_NOTE_BYTES && note != NULL; i++) {
        page[AFI_AT_NOTE + i] = note[i];
    }
}

static void take_header(struct af_state *const state, const uint8_t page[AFI_PAGE]) {
    static const struct af_progress idle = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, AF_TRAIN_IDLE, 0, 0, 0};
    struct af_progress *const p = &state->progress[0];
    const uint16_t run = p->run;
    *p = idle;
    p->run = (uint16_t)(run + 1U);
    p->step = get32(&page[AFI_AT_STEP]);
    p->correction1 = af_real_of((af_bits)get(&page[AFI_AT_CORRECTION1], 8));
    p->correction2 = af_real_of((af_bits)get(&page[AFI_AT_CORRECTION2], 8));
#if AF_STREAMS
    state->data_stream[0] = get_stream(&page[AFI_AT_STREAM]);
#endif
}

static struct af_checkpoint_info info_of(const uint8_t page[AFI_PAGE], const unsigned slot) {
    struct af_checkpoint_info info = {get(&page[AFI_AT_SEQUENCE], 8), get32(&page[AFI_AT_STEP]), (uint8_t)slot, {0}};
    for (size_t i = 0; i < AF_CHECKPOINT_NOTE_BYTES; i++) {
        info.note[i] = page[AFI_AT_NOTE + i];
    }
    return info;
}

/// Whether 1 - beta^step can be `bits`. It is 0, then `rest`, 1 - beta, and grows towards 1, which rounding may pass by
/// a few units.
static bool is_correction_possible(const uint64_t bits, const uint32_t step, const af_real rest) {
    const af_real c = af_real_of((af_bits)bits);
    const bool is_real = AF_REAL_IS_DOUBLE || bits <= UINT32_MAX;
    return step == 0 ? bits == 0 : is_real && c >= rest && c < AF_R(1.001);
}

/// Whether training can have left what the header says.
static bool is_header_possible(const uint8_t page[AFI_PAGE]) {
    const uint32_t step = get32(&page[AFI_AT_STEP]);
    bool is_possible = is_correction_possible(get(&page[AFI_AT_CORRECTION1], 8), step, AF_R(AF_ADAMW_BETA1_REST)) &&
                       is_correction_possible(get(&page[AFI_AT_CORRECTION2], 8), step, AF_R(AF_ADAMW_BETA2_REST));
#if AF_STREAMS
    const struct af_numpy stream = get_stream(&page[AFI_AT_STREAM]);
    is_possible = is_possible && (stream.increment_lo & 1U) == 1U && stream.half_pending <= 1U &&
                  (stream.half_pending == 1U || stream.half == 0U);
#endif
    return is_possible;
}

// ------------------------------------------------------------------------------------------------- what a slot holds

/// The pages of a slot in the order in which they are looked at: header, commit, data. So a slot that has no commit, as
/// after a cut, costs three reads.
static uint32_t page_of_visit(const uint32_t visit) {
    if (visit == 0) {
        return 0;
    }
    return visit <= 2U ? AFI_N_DATA + visit : visit - 2U;
}

static struct af_checkpoint_slot unread_slot(void) {
    const struct af_checkpoint_slot slot = {0, 0, 0, 0, 0, 0, AF_ERR_NO_CHECKPOINT, false, false, false};
    return slot;
}

/// The examine functions judge a page and return whether the slot is worth reading on.
static bool examine_header(struct af_checkpoint_slot *const slot, const uint8_t page[AFI_PAGE]) {
    if (get32(&page[AFI_AT_MAGIC]) != AFI_MAGIC) {
        return false;
    }
    if (get32(&page[AFI_AT_VERSION]) != AFI_FORMAT_VERSION) {
        slot->status = AF_ERR_CHECKPOINT_VERSION;
        return false;
    }
    if (get32(&page[AFI_AT_DIGEST]) != af_config_digest() || get32(&page[AFI_AT_N_PARAMS]) != AF_N_PARAMS ||
        get32(&page[AFI_AT_REAL_BYTES]) != AF_REAL_BYTES || get32(&page[AFI_AT_STREAMS]) != AF_STREAMS) {
        slot->status = AF_ERR_CHECKPOINT_CONFIG;
        return false;
    }
    slot->sequence = get(&page[AFI_AT_SEQUENCE], 8);
    slot->step = get32(&page[AFI_AT_STEP]);
    slot->header_crc = get32(&page[AFI_AT_CRC]);
    slot->is_possible = is_header_possible(page);
    return true;
}

static bool examine_commit(struct af_checkpoint_slot *const slot, const uint8_t page[AFI_PAGE], const bool is_good,
                           const bool is_last) {
    if (is_good && get(&page[AFI_AT_COMMIT_SEQUENCE], 8) == slot->sequence) {
        slot->sum = get32(&page[AFI_AT_COMMIT_SUM]);
        slot->is_committed = true;
        slot->is_sealed = is_last;
    }
    return slot->is_committed || !is_last;
}

static bool examine_data(struct af_checkpoint_slot *const slot, const uint8_t page[AFI_PAGE], const bool is_good,
                         const uint32_t number) {
    if (!is_good) {
        return false;
    }
    slot->sum_so_far = add_to_sum(slot->sum_so_far, page);
    slot->is_possible = slot->is_possible && is_data_possible(page, number, slot->step);
    if (number < AFI_N_DATA) {
        return true;
    }
    if (slot->sum_so_far == slot->sum) {
        slot->status = slot->is_possible ? AF_OK : AF_ERR_CHECKPOINT_CONTENT;
    }
    return false;
}

/// Looks at the next page of the slot that begins at `start`. AF_MORE; AF_OK once its status is final; AF_ERR_STORAGE.
static af_status examine(struct af_checkpoint_slot *const slot, const struct af_storage *const storage,
                         const uint32_t start) {
    uint8_t page[AFI_PAGE];
    const uint32_t number = page_of_visit(slot->n_read);
    if (!storage->read(storage->context, start + number * AFI_PAGE, page, AFI_PAGE)) {
        return AF_ERR_STORAGE;
    }
    const bool is_good = is_page_good(page, number, slot->header_crc); // page 0 comes first: 0 until it is known
    bool goes_on = false;
    if (number == 0) {
        goes_on = is_good && examine_header(slot, page);
    } else if (number > AFI_N_DATA) {
        goes_on = examine_commit(slot, page, is_good, number == AFI_LAST_COMMIT);
    } else {
        goes_on = examine_data(slot, page, is_good, number);
    }
    slot->n_read++;
    return goes_on ? AF_MORE : AF_OK;
}

static bool is_whole(const struct af_checkpoint_slot *const slot) {
    return slot->status == AF_OK || slot->status == AF_ERR_CHECKPOINT_CONTENT;
}

/// Which of two examined slots a load takes. The errors are those of af_checkpoint_find(), but for the storage's.
static af_status choose(unsigned *const newest, const struct af_checkpoint_slot slot[2]) {
    *newest = 0;
    if (is_whole(&slot[0]) && is_whole(&slot[1])) {
        const bool is_same = slot[0].header_crc == slot[1].header_crc && slot[0].sum == slot[1].sum;
        if (slot[0].sequence == slot[1].sequence && !is_same) {
            return AF_ERR_CHECKPOINT_TWINS;
        }
        if (slot[1].sequence > slot[0].sequence) {
            *newest = 1;
        }
        return slot[*newest].status;
    }
    if (is_whole(&slot[1])) {
        *newest = 1;
    }
    if (!is_whole(&slot[*newest]) && slot[0].status == AF_ERR_NO_CHECKPOINT) {
        return slot[1].status; // of two slots without a checkpoint, the one that has more to say
    }
    return slot[*newest].status;
}

// ------------------------------------------------------------------------------------------------------------- checks

static bool is_size_good(const struct af_storage *const s) {
    return s->program_bytes > 0 && AFI_PAGE % s->program_bytes == 0 && s->erase_bytes > 0 &&
           s->erase_bytes % s->program_bytes == 0 && s->slot_bytes % s->erase_bytes == 0 &&
           s->slot_bytes >= AF_CHECKPOINT_BYTES && s->slot_bytes <= 0x7FFFFFFFU;
}

static af_status check_storage(const struct af_storage *const s) {
    if (s == NULL || s->read == NULL || s->program == NULL || s->erase == NULL) {
        return AF_ERR_NULL;
    }
    return is_size_good(s) ? AF_OK : AF_ERR_STORAGE_SIZE;
}

static af_status check_model(const struct af_model *const model) {
    const bool is_there = model != NULL && model->weight != NULL && model->adam_m != NULL && model->adam_v != NULL &&
                          model->state != NULL;
    return is_there ? af_regions_check(model) : AF_ERR_NULL;
}

static uint32_t start_of(const struct af_storage *const storage, const unsigned slot) {
    return slot == 0 ? 0 : storage->slot_bytes;
}

// --------------------------------------------------------------------------------------------------------------- save

// What the next slice of a save does.
#define AFI_STAGE_OVER      0 // nothing: no save is under way
#define AFI_STAGE_EXAMINE_0 1
#define AFI_STAGE_EXAMINE_1 2
#define AFI_STAGE_ERASE     3
#define AFI_STAGE_PROGRAM   4

af_status af_checkpoint_begin(struct af_checkpoint *const save, const struct af_storage *const storage,
                              const struct af_model *const model, const uint8_t *const note) {
    const af_status model_status = check_model(model);
    const af_status storage_status = check_storage(storage);
    if (save == NULL || model_status != AF_OK) {
        return save == NULL ? AF_ERR_NULL : model_status;
    }
    if (storage_status != AF_OK) {
        return storage_status;
    }
    if (model->state->progress[0].phase != AF_TRAIN_IDLE) {
        return AF_ERR_ORDER;
    }
    uint8_t page[AFI_PAGE];
    fill_header(page, model->state, note);
    if (!is_header_possible(page)) {
        return AF_ERR_RANGE;
    }
    for (size_t i = 0; i < AFI_PAGE; i++) {
        save->header[i] = page[i];
    }
    save->slot[0] = unread_slot();
    save->slot[1] = unread_slot();
    save->sum = 0;
    save->cursor = 0;
    save->run = model->state->progress[0].run;
    save->target = 0;
    save->stage = AFI_STAGE_EXAMINE_0;
    return AF_OK;
}

/// Both slots are known: chooses the one to write and the number of the new checkpoint.
static af_status aim(struct af_checkpoint *const save) {
    unsigned newest = 0;
    const af_status status = choose(&newest, save->slot);
    for (unsigned i = 0; i < 2U; i++) {
        if (save->slot[i].status == AF_ERR_CHECKPOINT_VERSION || save->slot[i].status == AF_ERR_CHECKPOINT_CONFIG) {
            return save->slot[i].status;
        }
    }
    if (status != AF_OK && status != AF_ERR_NO_CHECKPOINT) {
        return status;
    }
    uint64_t sequence = 1;
    if (status == AF_OK) {
        const unsigned other = 1U - newest;
        // A newest checkpoint whose commit may not be steady must not be the only one while the other is erased.
        const bool is_steady = save->slot[newest].is_sealed || !is_whole(&save->slot[other]);
        save->target = (uint8_t)(is_steady ? other : newest);
        if (save->slot[newest].sequence == UINT64_MAX) {
            return AF_ERR_RANGE;
        }
        sequence = save->slot[newest].sequence + 1U;
    }
    put(&save->header[AFI_AT_SEQUENCE], sequence, 8);
    seal_page(save->header, 0, 0);
    return AF_MORE;
}

static af_status examine_slice(struct af_checkpoint *const save, const struct af_storage *const storage) {
    const unsigned slot = (unsigned)save->stage - AFI_STAGE_EXAMINE_0;
    af_status status = examine(&save->slot[slot], storage, start_of(storage, slot));
    if (status == AF_OK) { // this slot is known
        status = slot == 0 ? AF_MORE : aim(save);
        save->stage++;
    }
    return status;
}

static af_status erase_slice(struct af_checkpoint *const save, const struct af_storage *const storage) {
    const uint32_t offset = start_of(storage, save->target) + save->cursor;
    if (!storage->erase(storage->context, offset, storage->erase_bytes)) {
        return AF_ERR_STORAGE;
    }
    save->cursor += storage->erase_bytes;
    if (save->cursor >= AF_CHECKPOINT_BYTES) {
        save->cursor = 0;
        save->stage = AFI_STAGE_PROGRAM;
    }
    return AF_MORE;
}

/// Makes page `number`, but for its number and check sum. False if it holds what training cannot produce.
static bool fill_page(uint8_t page[AFI_PAGE], struct af_checkpoint *const save, const struct af_model *const model,
                      const uint32_t number) {
    clear_page(page);
    if (number <= AFI_N_DATA) {
        fill_data(page, model, number);
        return is_data_possible(page, number, get32(&save->header[AFI_AT_STEP]));
    }
    put(&page[AFI_AT_COMMIT_SEQUENCE], get(&save->header[AFI_AT_SEQUENCE], 8), 8);
    put(&page[AFI_AT_COMMIT_SUM], save->sum, 4);
    return true;
}

/// Programs a page and reads it back, into the same bytes. `crc` is what the page's check sum continues from.
static af_status program_page(const struct af_storage *const storage, const uint32_t offset, uint8_t page[AFI_PAGE],
                              const uint32_t number, const uint32_t crc) {
    const uint32_t page_crc = get32(&page[AFI_AT_CRC]);
    if (!storage->program(storage->context, offset, page, AFI_PAGE) ||
        !storage->read(storage->context, offset, page, AFI_PAGE)) {
        return AF_ERR_STORAGE;
    }
    return is_page_good(page, number, crc) && get32(&page[AFI_AT_CRC]) == page_crc ? AF_OK : AF_ERR_STORAGE;
}

/// Fills in page `number` as it has to stand in the slot. Returns false if a number in it is not finite.
static bool prepare_page(uint8_t *const page, struct af_checkpoint *const save, const struct af_model *const model,
                         const uint32_t number) {
    if (number == 0) {
        for (size_t i = 0; i < AFI_PAGE; i++) {
            page[i] = save->header[i];
        }
        return true;
    }
    if (!fill_page(page, save, model, number)) {
        return false;
    }
    seal_page(page, number, get32(&save->header[AFI_AT_CRC]));
    save->sum = number <= AFI_N_DATA ? add_to_sum(save->sum, page) : save->sum;
    return true;
}

static af_status program_slice(struct af_checkpoint *const save, const struct af_storage *const storage,
                               const struct af_model *const model) {
    uint8_t page[AFI_PAGE];
    const uint32_t number = save->cursor;
    if (!prepare_page(page, save, model, number)) {
        return AF_ERR_NOT_FINITE;
    }
    const af_status status = program_page(storage, start_of(storage, save->target) + number * AFI_PAGE, page, number,
                                          number == 0 ? 0 : get32(&save->header[AFI_AT_CRC]));
    if (status != AF_OK) {
        return status;
    }
    if (number >= AFI_N_DATA && storage->sync != NULL && !storage->sync(storage->context)) {
        return AF_ERR_STORAGE;
    }
    save->cursor++;
    return number == AFI_LAST_COMMIT ? AF_OK : AF_MORE;
}

af_status af_checkpoint_slice(struct af_checkpoint *const save, const struct af_storage *const storage,
                              const struct af_model *const model) {
    const af_status model_status = check_model(model);
    if (save == NULL || model_status != AF_OK) {
        return save == NULL ? AF_ERR_NULL : model_status;
    }
    af_status status = check_storage(storage);
    if (status != AF_OK) {
        return status;
    }
    const struct af_progress *const p = &model->state->progress[0];
    if (p->run != save->run || p->step != get32(&save->header[AFI_AT_STEP]) || p->phase == AF_TRAIN_LOST) {
        save->stage = AFI_STAGE_OVER; // weights and moments are no longer those of the header
    }
    switch (save->stage) {
    case AFI_STAGE_EXAMINE_0:
    case AFI_STAGE_EXAMINE_1:
        status = examine_slice(save, storage);
        break;
    case AFI_STAGE_ERASE:
        status = erase_slice(save, storage);
        break;
    case AFI_STAGE_PROGRAM:
        status = program_slice(save, storage, model);
        break;
    default:
        status = AF_ERR_ORDER;
        break;
    }
    if (status != AF_MORE) {
        save->stage = AFI_STAGE_OVER;
    }
    return status;
}

af_status af_checkpoint_save(const struct af_storage *const storage, const struct af_model *const model,
                             const uint8_t *const note) {
    struct af_checkpoint save;
    af_status status = af_checkpoint_begin(&save, storage, model, note);
    if (status == AF_OK) {
        do {
            status = af_checkpoint_slice(&save, storage, model);
        } while (status == AF_MORE);
    }
    return status;
}

// --------------------------------------------------------------------------------------------------------------- load

/// Reads both slots and chooses the newest checkpoint.
static af_status find_newest(unsigned *const newest, struct af_checkpoint_slot slot[2],
                             const struct af_storage *const storage) {
    for (unsigned i = 0; i < 2U; i++) {
        slot[i] = unread_slot();
        af_status status = AF_MORE;
        while (status == AF_MORE) {
            status = examine(&slot[i], storage, start_of(storage, i));
        }
        if (status != AF_OK) {
            return status;
        }
    }
    return choose(newest, slot);
}

/// Reads page `number` of a slot once more. False if it is not the page that it was.
static bool read_again(uint8_t page[AFI_PAGE], const struct af_checkpoint_slot *const slot,
                       const struct af_storage *const storage, const uint32_t start, const uint32_t number) {
    return storage->read(storage->context, start + number * AFI_PAGE, page, AFI_PAGE) &&
           is_page_good(page, number, number == 0 ? 0 : slot->header_crc) &&
           (number != 0 || get32(&page[AFI_AT_CRC]) == slot->header_crc);
}

af_status af_checkpoint_find(struct af_checkpoint_info *const info, const struct af_storage *const storage) {
    const af_status checked = check_storage(storage);
    if (info == NULL || checked != AF_OK) {
        return info == NULL ? AF_ERR_NULL : checked;
    }
    struct af_checkpoint_slot slot[2];
    unsigned newest = 0;
    const af_status status = find_newest(&newest, slot, storage);
    if (status != AF_OK) {
        return status;
    }
    uint8_t page[AFI_PAGE];
    if (!read_again(page, &slot[newest], storage, start_of(storage, newest), 0)) {
        return AF_ERR_STORAGE;
    }
    *info = info_of(page, newest);
    return AF_OK;
}

/// Copies a whole checkpoint into the model: data pages first, then the header, which makes the state one of a run
/// again.
static af_status copy(const struct af_model *const model, struct af_checkpoint_info *const info,
                      const struct af_checkpoint_slot *const slot, const struct af_storage *const storage,
                      const unsigned number_of_slot) {
    uint8_t page[AFI_PAGE];
    const uint32_t start = start_of(storage, number_of_slot);
    model->state->progress[0].phase = AF_TRAIN_LOST;
    for (uint32_t number = 1; number <= AFI_N_DATA; number++) {
        if (!read_again(page, slot, storage, start, number)) {
            return AF_ERR_CHECKPOINT_LOST;
        }
        take_data(model, page, number);
    }
    if (!read_again(page, slot, storage, start, 0)) {
        return AF_ERR_CHECKPOINT_LOST;
    }
    take_header(model->state, page);
    if (info != NULL) {
        *info = info_of(page, number_of_slot);
    }
    return AF_OK;
}

af_status af_checkpoint_load(const struct af_model *const model, struct af_checkpoint_info *const info,
                             const struct af_storage *const storage) {
    const af_status model_status = check_model(model);
    const af_status checked = check_storage(storage);
    if (model_status != AF_OK || checked != AF_OK) {
        return model_status != AF_OK ? model_status : checked;
    }
    const uint16_t phase = model->state->progress[0].phase;
    if (phase != AF_TRAIN_IDLE && phase != AF_TRAIN_LOST) {
        return AF_ERR_ORDER;
    }
    struct af_checkpoint_slot slot[2];
    unsigned newest = 0;
    const af_status status = find_newest(&newest, slot, storage);
    if (status != AF_OK) {
        return status;
    }
    return copy(model, info, &slot[newest], storage, newest);
}

#endif

#include "af_export.h"
