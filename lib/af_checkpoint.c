// SPDX-License-Identifier: MIT
// Checkpoints: pages, slots, which slot may be erased, and in which order pages are written.
#define AF_FILE_checkpoint 0, AF_OWN
#include "af_check.h"
#include "af_checkpoint.h"
#include "af_crc32c.h"
#include "af_inner_regions.h"
#include "af_math.h"

#if AF_TRAINING

AF_STATIC_ASSERT(AF_CHECKPOINT_BYTES / AF_CHECKPOINT_PAGE_BYTES == AF_CHECKPOINT_PAGES, checkpoint_bytes);
AF_STATIC_ASSERT(AF_CHECKPOINT_BYTES_FOR(AF_CHECKPOINT_PAGE_BYTES) == AF_CHECKPOINT_BYTES, checkpoint_bytes_for);

#define AFI_PAGE        AF_CHECKPOINT_PAGE_BYTES
#define AFI_N_DATA      (3U * AF_CHECKPOINT_PLANE_PAGES) // pages 1 to AFI_N_DATA
#define AFI_LAST_COMMIT (AFI_N_DATA + 2U)                // and the one before it
#define AFI_NO_PAGE     UINT32_MAX                       // bytes that pad a program unit
#define AFI_MOST_UNIT   65536U // largest program unit of an image: the range of AF_STORAGE_UNIT

#define AFI_MAGIC          0x50434641U // "AFCP"
#define AFI_FORMAT_VERSION 1U
#define AFI_LAST_STEP      (UINT32_MAX - 1U) // one more step and the count of steps would wrap

// Offsets in a page. All other bytes of the header page are 0.
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
#define AFI_AT_UNIT            160
#define AFI_AT_NOTHING         164 // up to the check sum
#define AFI_AT_REALS           4
#define AFI_AT_COMMIT_SEQUENCE 4
#define AFI_AT_COMMIT_SUM      12
#define AFI_AT_COMMIT_NOTHING  16
#define AFI_AT_CRC             (AFI_PAGE - 4)

// The part of the header page that differs from save to save; a save in progress keeps it.
#define AFI_AT_KEPT    AFI_AT_STEP
#define AFI_KEPT(at)   ((at)-AFI_AT_KEPT)
#define AFI_KEPT_BYTES AF_CHECKPOINT_KEPT_BYTES
AF_STATIC_ASSERT(AFI_AT_KEPT + AFI_KEPT_BYTES == AFI_AT_NOTE + AF_CHECKPOINT_NOTE_BYTES, kept_bytes);

// Memory for a page is an array of these: struct af_storage promises its alignment.
#define AFI_PAGE_WORDS (AFI_PAGE / 8)

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

static bool is_zero(const uint8_t *const bytes, const size_t from, const size_t to) {
    uint8_t all = 0;
    for (size_t i = from; i < to; i++) {
        all |= bytes[i];
    }
    return all == 0;
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

// -------------------------------------------------------------------------------------------------- places of pages

// A program unit of more than a page holds several pages, except for the commit: each commit page has a unit of its
// own.

static uint32_t unit_of(const struct af_storage *const storage) {
    return storage->program_bytes > AFI_PAGE ? storage->program_bytes : AFI_PAGE;
}

/// Number of units of header and data.
static uint32_t n_data_units(const uint32_t unit) {
    return ((AFI_N_DATA + 1U) * AFI_PAGE + unit - 1U) / unit;
}

static uint32_t bytes_for(const uint32_t unit) {
    return (n_data_units(unit) + 2U) * unit;
}

/// Offset of a page in its slot.
static uint32_t offset_of(const uint32_t number, const uint32_t unit) {
    return number <= AFI_N_DATA ? number * AFI_PAGE : (n_data_units(unit) + number - AFI_N_DATA - 1U) * unit;
}

/// The page that stands at place i of a unit.
static uint32_t page_in_unit(const uint32_t i_unit, const uint32_t i, const uint32_t unit) {
    const uint32_t n_data = n_data_units(unit);
    if (i_unit >= n_data) {
        return i == 0 ? AFI_N_DATA + 1U + i_unit - n_data : AFI_NO_PAGE;
    }
    const uint32_t number = i_unit * (unit / AFI_PAGE) + i;
    return number <= AFI_N_DATA ? number : AFI_NO_PAGE;
}

// ------------------------------------------------------------------------------------------------------- data pages

/// The part of a model that a data page holds.
struct page_reals {
    af_real *first;
    size_t n;
};

/// Index in its plane of the first real of a data page.
static size_t first_real_of(const uint32_t number) {
    return (size_t)(number - 1U) % AF_CHECKPOINT_PLANE_PAGES * AF_CHECKPOINT_PAGE_REALS;
}

static size_t n_reals_of(const uint32_t number) {
    const size_t n_left = AF_N_PARAMS - first_real_of(number);
    return n_left < AF_CHECKPOINT_PAGE_REALS ? n_left : AF_CHECKPOINT_PAGE_REALS;
}

static struct page_reals reals_of(const struct af_model *const model, const uint32_t number) {
    union af_plane *const planes[3] = {model->weight, model->adam_m, model->adam_v};
    const struct page_reals reals = {&planes[(number - 1U) / AF_CHECKPOINT_PLANE_PAGES]->flat[first_real_of(number)],
                                     n_reals_of(number)};
    return reals;
}

/// True if training can have left a number in a plane (0 weights, 1 first moments, 2 second moments): it is finite,
/// moments are 0 before the first step, and second moments are never negative.
static bool is_number_possible(const af_bits bits, const unsigned plane, const uint32_t step) {
    const bool is_finite = (bits & AF_INFINITY_BITS) != AF_INFINITY_BITS;
    const bool is_new = plane == 0 || step != 0 || bits == 0;
    const bool has_sign = plane != 2 || (bits & AF_SIGN_MASK) == 0;
    return is_finite && is_new && has_sign;
}

/// True if a save can have written a data page: all its numbers are possible, and zeros follow the last one.
static bool is_data_possible(const uint8_t page[AFI_PAGE], const uint32_t number, const uint32_t step) {
    const unsigned plane = (number - 1U) / AF_CHECKPOINT_PLANE_PAGES;
    const size_t n = n_reals_of(number);
    bool is_possible = is_zero(page, AFI_AT_REALS + n * AF_REAL_BYTES, AFI_AT_CRC);
    for (size_t i = 0; i < n; i++) {
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
/// The stream as a checkpoint has it: one that was never seeded (all 0) becomes that of seed 0, as the first draw makes
/// it.
static struct af_numpy seeded(struct af_numpy stream) {
    const uint64_t bits = stream.state_hi | stream.state_lo | stream.increment_hi | stream.increment_lo | stream.half |
                          stream.half_pending;
    if (bits == 0) {
        af_numpy_seed(&stream, 0);
    }
    return stream;
}

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

/// Writes the part of page 0 that all checkpoints of this configuration share.
static void put_constants(uint8_t page[AFI_PAGE], const uint32_t unit) {
    put(&page[AFI_AT_MAGIC], AFI_MAGIC, 4);
    put(&page[AFI_AT_VERSION], AFI_FORMAT_VERSION, 4);
    put(&page[AFI_AT_DIGEST], af_config_digest(), 4);
    put(&page[AFI_AT_N_PARAMS], AF_N_PARAMS, 4);
    put(&page[AFI_AT_REAL_BYTES], AF_REAL_BYTES, 4);
    put(&page[AFI_AT_STREAMS], AF_STREAMS, 4);
    put(&page[AFI_AT_UNIT], unit > AFI_PAGE ? unit : 0, 4);
}

/// Writes the part that describes a state, except the checkpoint's number.
static void put_state(uint8_t kept[AFI_KEPT_BYTES], const struct af_state *const state, const uint8_t *const note) {
    put(&kept[AFI_KEPT(AFI_AT_STEP)], state->progress[0].step, 4);
    put(&kept[AFI_KEPT(AFI_AT_CORRECTION1)], af_bits_of(state->progress[0].correction1), 8);
    put(&kept[AFI_KEPT(AFI_AT_CORRECTION2)], af_bits_of(state->progress[0].correction2), 8);
#if AF_STREAMS
    const struct af_numpy stream = seeded(state->data_stream[0]);
    put_stream(&kept[AFI_KEPT(AFI_AT_STREAM)], &stream);
#endif
    for (size_t i = 0; i < AF_CHECKPOINT_NOTE_BYTES && note != NULL; i++) {
        kept[AFI_KEPT(AFI_AT_NOTE) + i] = note[i];
    }
}

static void take_header(struct af_state *const state, const uint8_t page[AFI_PAGE]) {
    static const struct af_progress idle = {0}; // AF_TRAIN_IDLE
    struct af_progress *const p = &state->progress[0];
    const uint64_t run = p->run;
    *p = idle;
    p->run = run + 1U;
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

/// True if `bits` are 1 - beta^step as training computes it: by a recurrence that grows until it reaches a fixed
/// number.
static bool is_correction_possible(const uint64_t bits, const uint32_t step, const af_real beta, const af_real rest) {
    af_real c = 0;
    bool has_grown = true;
    for (uint32_t i = 0; i < step && has_grown; i++) {
        const af_real next = c * beta + rest;
        has_grown = next > c;
        c = next;
    }
    return bits == af_bits_of(c);
}

/// True if training can have left the state that a header describes.
static bool is_state_possible(const uint8_t kept[AFI_KEPT_BYTES]) {
    const uint32_t step = get32(&kept[AFI_KEPT(AFI_AT_STEP)]);
    bool is_possible = step <= AFI_LAST_STEP &&
                       is_correction_possible(get(&kept[AFI_KEPT(AFI_AT_CORRECTION1)], 8), step, AF_R(AF_ADAMW_BETA1),
                                              AF_R(AF_ADAMW_BETA1_REST)) &&
                       is_correction_possible(get(&kept[AFI_KEPT(AFI_AT_CORRECTION2)], 8), step, AF_R(AF_ADAMW_BETA2),
                                              AF_R(AF_ADAMW_BETA2_REST));
#if AF_STREAMS
    const struct af_numpy stream = get_stream(&kept[AFI_KEPT(AFI_AT_STREAM)]);
    is_possible = is_possible && (stream.increment_lo & 1U) == 1U && stream.half_pending <= 1U &&
                  (stream.half_pending == 1U || stream.half == 0U);
#else
    is_possible = is_possible && is_zero(kept, AFI_KEPT(AFI_AT_STREAM), AFI_KEPT(AFI_AT_NOTE));
#endif
    return is_possible;
}

// -------------------------------------------------------------------------------------------------- contents of slots

/// The pages of a slot in the order in which they are examined: header, commit, data. So a slot without a commit, as
/// after a cut, costs three reads.
static uint32_t page_of_visit(const uint32_t visit) {
    if (visit == 0) {
        return 0;
    }
    return visit <= 2U ? AFI_N_DATA + visit : visit - 2U;
}

static struct af_checkpoint_slot unread_slot(void) {
    const struct af_checkpoint_slot slot = {.unit = AFI_PAGE, .status = AF_ERR_NO_CHECKPOINT};
    return slot;
}

/// True if an image can have such program units: 0 (a page or less) or several pages, and the image fits into the slot.
static bool is_unit_possible(const uint32_t unit, const uint32_t slot_bytes) {
    return unit == 0 ||
           (unit > AFI_PAGE && unit % AFI_PAGE == 0 && unit <= AFI_MOST_UNIT && bytes_for(unit) <= slot_bytes);
}

static bool is_of_configuration(const uint8_t page[AFI_PAGE]) {
    return get32(&page[AFI_AT_DIGEST]) == af_config_digest() && get32(&page[AFI_AT_N_PARAMS]) == AF_N_PARAMS &&
           get32(&page[AFI_AT_REAL_BYTES]) == AF_REAL_BYTES && get32(&page[AFI_AT_STREAMS]) == AF_STREAMS;
}

/// The examine functions judge a page and return whether the slot is worth reading on.
static bool examine_header(struct af_checkpoint_slot *const slot, const uint8_t page[AFI_PAGE],
                           const uint32_t slot_bytes) {
    if (get32(&page[AFI_AT_MAGIC]) != AFI_MAGIC) {
        return false;
    }
    if (get32(&page[AFI_AT_VERSION]) != AFI_FORMAT_VERSION) {
        slot->status = AF_ERR_CHECKPOINT_VERSION;
        return false;
    }
    if (!is_of_configuration(page)) {
        slot->status = AF_ERR_CHECKPOINT_CONFIG;
        return false;
    }
    slot->sequence = get(&page[AFI_AT_SEQUENCE], 8);
    slot->step = get32(&page[AFI_AT_STEP]);
    slot->header_crc = get32(&page[AFI_AT_CRC]);
    const uint32_t unit = get32(&page[AFI_AT_UNIT]);
    slot->is_possible = is_state_possible(&page[AFI_AT_KEPT]) && is_zero(page, AFI_AT_NOTHING, AFI_AT_CRC) &&
                        is_unit_possible(unit, slot_bytes) && slot->sequence != 0;
    slot->unit = slot->is_possible && unit != 0 ? unit : AFI_PAGE;
    return true;
}

static bool examine_commit(struct af_checkpoint_slot *const slot, const uint8_t page[AFI_PAGE], const bool is_good,
                           const bool is_last) {
    if (is_good && get(&page[AFI_AT_COMMIT_SEQUENCE], 8) == slot->sequence) {
        const uint32_t sum = get32(&page[AFI_AT_COMMIT_SUM]);
        const bool is_same = !slot->is_committed || sum == slot->sum; // as the other commit page
        slot->is_possible = slot->is_possible && is_same && is_zero(page, AFI_AT_COMMIT_NOTHING, AFI_AT_CRC);
        slot->sum = sum;
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

/// Examines the next page of the slot that begins at `start`, and leaves it in `page`. Returns AF_MORE; AF_OK once the
/// slot's status is final; the codes of af_float_check(), since a correction is computed again.
static af_status examine(struct af_checkpoint_slot *const slot, const struct af_storage *const storage,
                         const uint32_t start, uint8_t page[AFI_PAGE]) {
    const uint32_t number = page_of_visit(slot->n_read);
    const af_status mode = number == 0 ? af_float_check() : AF_OK;
    if (mode != AF_OK) {
        return mode;
    }
    // A page that cannot be read is a bad page. Page 0 comes first; until it is known, its check sum is 0.
    const bool is_read = storage->read(storage->context, start + offset_of(number, slot->unit), page, AFI_PAGE);
    const bool is_good = is_read && is_page_good(page, number, slot->header_crc);
    bool goes_on = false;
    if (number == 0) {
        slot->is_readable = is_read;
        goes_on = is_good && examine_header(slot, page, storage->slot_bytes);
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

/// Which of two examined slots a load takes. Errors are those of af_checkpoint_find(), except the storage's.
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
        return slot[1].status; // of two slots without a checkpoint, the status that tells more
    }
    return slot[*newest].status;
}

// ------------------------------------------------------------------------------------------------------------- checks

/// Whether a program unit is a part of a page, or several pages that a save has room for.
static bool is_unit_good(const uint32_t program_bytes) {
    return program_bytes > AFI_PAGE ? program_bytes % AFI_PAGE == 0 && program_bytes <= AF_STORAGE_UNIT
                                    : program_bytes > 0 && AFI_PAGE % program_bytes == 0;
}

static bool is_size_good(const struct af_storage *const s) {
    return is_unit_good(s->program_bytes) && s->erase_bytes > 0 && s->erase_bytes % s->program_bytes == 0 &&
           s->slot_bytes % s->erase_bytes == 0 && s->slot_bytes >= bytes_for(unit_of(s)) &&
           s->slot_bytes <= 0x7FFFFFFFU;
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

// The task of a save's next slice.
#define AFI_STAGE_OVER      0 // nothing: no save is in progress
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
    const af_status mode = af_float_check();
    if (mode != AF_OK) {
        return mode;
    }
    uint8_t kept[AFI_KEPT_BYTES] = {0};
    put_state(kept, model->state, note);
    if (!is_state_possible(kept)) {
        return AF_ERR_RANGE;
    }
    for (size_t i = 0; i < AFI_KEPT_BYTES; i++) {
        save->header[i] = kept[i];
    }
    save->slot[0] = unread_slot();
    save->slot[1] = unread_slot();
    save->header_crc = 0;
    save->sum = 0;
    save->cursor = 0;
    save->run = model->state->progress[0].run;
    save->target = 0;
    save->stage = AFI_STAGE_EXAMINE_0;
    return AF_OK;
}

/// Numbers the new checkpoint: higher than all that are there. A slot with an unreadable page counts, since it may
/// become readable again.
static af_status number_it(struct af_checkpoint *const save) {
    const uint64_t a = save->slot[0].sequence;
    const uint64_t b = save->slot[1].sequence;
    const uint64_t sequence = a > b ? a : b;
    if (sequence == UINT64_MAX) {
        return AF_ERR_RANGE;
    }
    put(&save->header[AFI_KEPT(AFI_AT_SEQUENCE)], sequence + 1U, 8);
    return AF_MORE;
}

/// Both slots are known: chooses the one to write.
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
    if (status == AF_OK) {
        const unsigned other = 1U - newest;
        // A newest checkpoint whose commit may not be steady must not be the only one while the other is erased.
        const bool is_steady = save->slot[newest].is_sealed || !is_whole(&save->slot[other]);
        save->target = (uint8_t)(is_steady ? other : newest);
    }
    return number_it(save);
}

static af_status examine_slice(struct af_checkpoint *const save, const struct af_storage *const storage) {
    const unsigned slot = (unsigned)save->stage - AFI_STAGE_EXAMINE_0;
    af_status status = examine(&save->slot[slot], storage, start_of(storage, slot), (uint8_t *)save->unit);
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
    if (save->cursor >= bytes_for(unit_of(storage))) {
        save->cursor = 0;
        save->stage = AFI_STAGE_PROGRAM;
    }
    return AF_MORE;
}

/// Makes page `number` of the new checkpoint. False if a number in it is not finite.
static bool make_page(uint8_t page[AFI_PAGE], struct af_checkpoint *const save, const struct af_model *const model,
                      const uint32_t number, const uint32_t unit) {
    if (number == 0) {
        put_constants(page, unit);
        for (size_t i = 0; i < AFI_KEPT_BYTES; i++) {
            page[AFI_AT_KEPT + i] = save->header[i];
        }
        seal_page(page, 0, 0);
        save->header_crc = get32(&page[AFI_AT_CRC]);
        return true;
    }
    if (number <= AFI_N_DATA) {
        fill_data(page, model, number);
        if (!is_data_possible(page, number, get32(&save->header[AFI_KEPT(AFI_AT_STEP)]))) {
            return false;
        }
    } else {
        put(&page[AFI_AT_COMMIT_SEQUENCE], get(&save->header[AFI_KEPT(AFI_AT_SEQUENCE)], 8), 8);
        put(&page[AFI_AT_COMMIT_SUM], save->sum, 4);
    }
    seal_page(page, number, save->header_crc);
    save->sum = number <= AFI_N_DATA ? add_to_sum(save->sum, page) : save->sum;
    return true;
}

/// Makes the pages of a unit, in save->unit.
static bool make_unit(struct af_checkpoint *const save, const struct af_model *const model, const uint32_t i_unit,
                      const uint32_t unit) {
    bool is_good = true;
    for (uint32_t i = 0; i < unit / AFI_PAGE; i++) {
        uint8_t *const page = (uint8_t *)save->unit + i * AFI_PAGE;
        const uint32_t number = page_in_unit(i_unit, i, unit);
        clear_page(page);
        is_good = is_good && (number == AFI_NO_PAGE || make_page(page, save, model, number, unit));
    }
    return is_good;
}

/// Programs the unit in save->unit and reads its pages back, into the same bytes.
static bool program_unit(struct af_checkpoint *const save, const struct af_storage *const storage,
                         const uint32_t i_unit, const uint32_t unit) {
    const uint32_t offset = start_of(storage, save->target) + i_unit * unit;
    bool is_good = storage->program(storage->context, offset, save->unit, unit);
    for (uint32_t i = 0; i < unit / AFI_PAGE; i++) {
        uint8_t *const page = (uint8_t *)save->unit + i * AFI_PAGE;
        const uint32_t number = page_in_unit(i_unit, i, unit);
        const uint32_t crc = get32(&page[AFI_AT_CRC]);
        is_good = is_good &&
                  (number == AFI_NO_PAGE ||
                   (storage->read(storage->context, offset + i * AFI_PAGE, page, AFI_PAGE) &&
                    is_page_good(page, number, number == 0 ? 0 : save->header_crc) && get32(&page[AFI_AT_CRC]) == crc));
    }
    return is_good;
}

static af_status program_slice(struct af_checkpoint *const save, const struct af_storage *const storage,
                               const struct af_model *const model) {
    const uint32_t unit = unit_of(storage);
    const uint32_t n_data = n_data_units(unit);
    const uint32_t i_unit = save->cursor;
    if (!make_unit(save, model, i_unit, unit)) {
        return AF_ERR_NOT_FINITE;
    }
    if (!program_unit(save, storage, i_unit, unit)) {
        return AF_ERR_STORAGE;
    }
    if (i_unit + 1U >= n_data && storage->sync != NULL && !storage->sync(storage->context)) {
        return AF_ERR_STORAGE;
    }
    save->cursor++;
    return i_unit > n_data ? AF_OK : AF_MORE; // two units of the commit
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
    if (p->run != save->run || p->step != get32(&save->header[AFI_KEPT(AFI_AT_STEP)]) || p->phase == AF_TRAIN_LOST) {
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
                             const struct af_storage *const storage, uint8_t page[AFI_PAGE]) {
    for (unsigned i = 0; i < 2U; i++) {
        slot[i] = unread_slot();
        af_status status = AF_MORE;
        while (status == AF_MORE) {
            status = examine(&slot[i], storage, start_of(storage, i), page);
        }
        if (status != AF_OK) {
            return status;
        }
    }
    const bool is_dead = storage->reads_erased && !slot[0].is_readable && !slot[1].is_readable;
    return is_dead ? AF_ERR_STORAGE : choose(newest, slot);
}

/// Reads page `number` of a slot again. False if it is no longer the same page.
static bool read_again(uint8_t page[AFI_PAGE], const struct af_checkpoint_slot *const slot,
                       const struct af_storage *const storage, const uint32_t start, const uint32_t number) {
    return storage->read(storage->context, start + number * AFI_PAGE, page, AFI_PAGE) &&
           is_page_good(page, number, number == 0 ? 0 : slot->header_crc);
}

/// The same for the header, whose check sum alone does not show that it is the one that was checked.
static bool read_header_again(uint8_t page[AFI_PAGE], const struct af_checkpoint_slot *const slot,
                              const struct af_storage *const storage, const uint32_t start) {
    struct af_checkpoint_slot again = unread_slot();
    return read_again(page, slot, storage, start, 0) && examine_header(&again, page, storage->slot_bytes) &&
           again.is_possible && again.header_crc == slot->header_crc && again.sequence == slot->sequence &&
           again.step == slot->step;
}

af_status af_checkpoint_find(struct af_checkpoint_info *const info, const struct af_storage *const storage) {
    const af_status checked = check_storage(storage);
    if (info == NULL || checked != AF_OK) {
        return info == NULL ? AF_ERR_NULL : checked;
    }
    uint64_t memory[AFI_PAGE_WORDS];
    uint8_t *const page = (uint8_t *)memory;
    struct af_checkpoint_slot slot[2];
    unsigned newest = 0;
    const af_status status = find_newest(&newest, slot, storage, page);
    if (status != AF_OK) {
        return status;
    }
    bool is_same = false;
    do {
        is_same = read_header_again(page, &slot[newest], storage, start_of(storage, newest));
        slot[newest].status = AF_ERR_NO_CHECKPOINT; // if it differs, only the other slot is left
    } while (!is_same && choose(&newest, slot) == AF_OK);
    if (!is_same) {
        return AF_ERR_STORAGE;
    }
    *info = info_of(page, newest);
    return AF_OK;
}

/// Copies a whole checkpoint of a slot into the model: first the data pages, then the header, which makes the state
/// that of a run again. Checks once more what it copies, each page and the sum over them.
static af_status copy(const struct af_model *const model, const struct af_checkpoint_slot *const slot,
                      const struct af_storage *const storage, const uint32_t start, uint8_t page[AFI_PAGE]) {
    uint32_t sum = 0;
    model->state->progress[0].phase = AF_TRAIN_LOST;
    for (uint32_t number = 1; number <= AFI_N_DATA; number++) {
        if (!read_again(page, slot, storage, start, number) || !is_data_possible(page, number, slot->step)) {
            return AF_ERR_CHECKPOINT_LOST;
        }
        take_data(model, page, number);
        sum = add_to_sum(sum, page);
    }
    if (sum != slot->sum || !read_header_again(page, slot, storage, start)) {
        return AF_ERR_CHECKPOINT_LOST;
    }
    take_header(model->state, page);
    return AF_OK;
}

static af_status check_load(const struct af_model *const model, const struct af_storage *const storage) {
    const af_status checked = check_storage(storage);
    const af_status model_status = check_model(model);
    if (model_status != AF_OK || checked != AF_OK) {
        return model_status != AF_OK ? model_status : checked;
    }
    const uint16_t phase = model->state->progress[0].phase;
    return phase == AF_TRAIN_IDLE || phase == AF_TRAIN_LOST ? AF_OK : AF_ERR_ORDER;
}

af_status af_checkpoint_load(const struct af_model *const model, struct af_checkpoint_info *const info,
                             const struct af_storage *const storage) {
    const af_status checked = check_load(model, storage);
    if (checked != AF_OK) {
        return checked;
    }
    uint64_t memory[AFI_PAGE_WORDS];
    uint8_t *const page = (uint8_t *)memory;
    struct af_checkpoint_slot slot[2];
    unsigned newest = 0;
    af_status status = find_newest(&newest, slot, storage, page);
    if (status != AF_OK) {
        return status;
    }
    do {
        status = copy(model, &slot[newest], storage, start_of(storage, newest), page);
        slot[newest].status = AF_ERR_NO_CHECKPOINT; // if the copy broke off, only the other slot is left
    } while (status != AF_OK && choose(&newest, slot) == AF_OK);
    if (status == AF_OK && info != NULL) {
        *info = info_of(page, newest);
    }
    return status;
}

#endif

#include "af_inner_export.h"
