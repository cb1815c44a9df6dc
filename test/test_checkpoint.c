// SPDX-License-Identifier: MIT
// Checkpoints: what is saved comes back bit for bit, an image has the same bytes everywhere, saving in slices disturbs
// nothing; and whatever a storage holds or does, a load gives a whole state or a named error and touches nothing.
// (Power cuts: power_cuts.c.)
#include "flash.h"

#include <criterion/criterion.h>
#include <fenv.h>
#include <math.h>

enum { ERASE = 512, SLOT = (AF_CHECKPOINT_BYTES + ERASE - 1) / ERASE * ERASE, PAGE = AF_CHECKPOINT_PAGE_BYTES };
enum { N_PAGES = AF_CHECKPOINT_PAGES, N_DATA = N_PAGES - 3 };
enum { AT_CRC = PAGE - 4 };

/// Flips of every byte and cuts at every length where that is a matter of seconds, else of some.
enum { STRIDE = AF_CHECKPOINT_BYTES < 100000 ? 1 : AF_CHECKPOINT_BYTES / 997 };

static const struct af_adamw how = AF_ADAMW_CHAPTER;
static uint8_t note[AF_CHECKPOINT_NOTE_BYTES];

// ------------------------------------------------------------------------------------------------- a model, a storage

struct copy {
    union af_plane weight, adam_m, adam_v;
    struct af_state state;
};

static struct af_model model(void) {
    return af_model_of(&af_arena);
}

static struct af_model model_of(struct copy *c) {
    struct af_model m = af_model_of(&af_arena);
    m.weight = &c->weight;
    m.adam_m = &c->adam_m;
    m.adam_v = &c->adam_v;
    m.state = &c->state;
    return m;
}

static struct copy copy_of(const struct af_model *m) {
    static struct copy c;
    c.weight = *m->weight;
    c.adam_m = *m->adam_m;
    c.adam_v = *m->adam_v;
    c.state = *m->state;
    // What a step leaves behind and no one reads again.
    const struct af_progress p = m->state->progress[0];
    memset(&c.state.progress[0], 0, sizeof(p));
    c.state.progress[0].step = p.step;
    c.state.progress[0].correction1 = p.correction1;
    c.state.progress[0].correction2 = p.correction2;
    return c;
}

static af_token token[AF_CONTEXT], target[AF_CONTEXT];
static const struct af_sequence sequence = {token, target, AF_CONTEXT};

static void draw(const struct af_model *m) {
    for (size_t i = 0; i < AF_CONTEXT; i++) {
        token[i] = (af_token)af_numpy_integer(&m->state->data_stream[0], 0, AF_VOCAB);
        target[i] = (af_token)((token[i] + 1u) % AF_VOCAB);
    }
}

static void step(const struct af_model *m) {
    draw(m);
    cr_assert_eq(af_train_begin(m, AF_CONTEXT), AF_OK);
    cr_assert_eq(af_train_accumulate(m, &sequence, 1), AF_OK);
    cr_assert_eq(af_train_end(m, how, NULL), AF_OK);
}

static void start(const struct af_model *m, size_t n_steps) {
    cr_assert_eq(af_train_reset(m), AF_OK);
    af_init_weights(&m->weight->at, m->work->init_stream, 1);
    af_numpy_seed(&m->state->data_stream[0], 0);
    (void)af_numpy_u32(&m->state->data_stream[0]); // a half word is pending
    for (size_t i = 0; i < n_steps; i++) {
        step(m);
    }
    for (size_t i = 0; i < sizeof(note); i++) {
        note[i] = (uint8_t)(7 * i + 1);
    }
}

static struct flash new_flash(void) {
    return flash_new(2 * SLOT, ERASE, 8);
}

/// A storage with one checkpoint of a model after two steps, in slot 0; or with two, of steps 2 and 3.
static struct flash saved(size_t n_saves) {
    struct flash f = new_flash();
    const struct af_model m = model();
    const struct af_storage s = flash_storage(&f);
    start(&m, 2);
    cr_assert_eq(af_checkpoint_save(&s, &m, note), AF_OK);
    if (n_saves > 1) {
        step(&m);
        cr_assert_eq(af_checkpoint_save(&s, &m, note), AF_OK);
    }
    cr_assert_null(f.broken, "%s", f.broken);
    return f;
}

static bool is_state(const struct copy *a, const struct copy *b) {
    return memcmp(&a->weight, &b->weight, sizeof(a->weight)) == 0 &&
           memcmp(&a->adam_m, &b->adam_m, sizeof(a->adam_m)) == 0 &&
           memcmp(&a->adam_v, &b->adam_v, sizeof(a->adam_v)) == 0 &&
           memcmp(&a->state, &b->state, sizeof(a->state)) == 0;
}

/// Whether a load into memory that held 0x5A has given `expected`; the run is another one than the memory's.
static bool is_loaded(struct copy *to, const struct copy *expected) {
    const bool is_another_run = to->state.progress[0].run == UINT64_C(0x5A5A5A5A5A5A5A5B);
    to->state.progress[0].run = expected->state.progress[0].run;
    return is_another_run && is_state(to, expected);
}

/// Loads into a model whose every byte is 0x5A: AF_OK with exactly `expected`, or an error that changes nothing.
static af_status load(struct flash *f, const struct copy *expected) {
    static struct copy to, untouched;
    memset(&untouched, 0x5A, sizeof(untouched));
    untouched.state.progress[0].phase = AF_TRAIN_IDLE;
    to = untouched;
    const struct af_model m = model_of(&to);
    const struct af_storage s = flash_storage(f);
    struct af_checkpoint_info info;
    memset(&info, 0xA5, sizeof(info));
    const struct af_checkpoint_info before = info;
    const af_status status = af_checkpoint_load(&m, &info, &s);
    if (status == AF_OK) {
        cr_assert(expected != NULL && is_loaded(&to, expected), "loaded something else than was saved");
        cr_assert_arr_eq(info.note, note, sizeof(note));
    } else {
        cr_assert(is_state(&to, &untouched), "%s, but the model has changed", af_status_name(status));
        cr_assert_arr_eq(&info, &before, sizeof(info));
    }
    struct af_checkpoint_info found = before;
    const af_status again = af_checkpoint_find(&found, &s);
    cr_assert_eq(again, status, "find gives %s, load %s", af_status_name(again), af_status_name(status));
    if (status == AF_OK) {
        cr_assert(found.sequence == info.sequence && found.step == info.step && found.slot == info.slot);
        cr_assert_arr_eq(found.note, info.note, sizeof(note));
    } else {
        cr_assert_arr_eq(&found, &before, sizeof(found));
    }
    return status;
}

#define LOADS(f, expected, status)                                                                                     \
    do {                                                                                                               \
        const af_status got = load(f, expected);                                                                       \
        cr_assert_eq(got, status, "%s gives %s", #status, af_status_name(got));                                        \
    } while (0)

// ------------------------------------------------------------------------------------------------- forging an image

static void put_real(uint8_t *image, size_t plane, size_t i, af_real x) {
    uint8_t *const at = &image[(1 + plane * AF_CHECKPOINT_PLANE_PAGES + i / AF_CHECKPOINT_PAGE_REALS) * PAGE + 4 +
                               i % AF_CHECKPOINT_PAGE_REALS * sizeof(af_real)];
    memcpy(at, &x, sizeof(x));
}

// ------------------------------------------------------------------------------------------------------- round trips

Test(checkpoint, what_is_saved_comes_back_bit_for_bit) {
    const struct af_model m = model();
    for (size_t n_steps = 0; n_steps < 3; n_steps++) {
        struct flash f = new_flash();
        const struct af_storage s = flash_storage(&f);
        start(&m, n_steps);
        const struct copy expected = copy_of(&m);
        cr_assert_eq(af_checkpoint_save(&s, &m, note), AF_OK);
        LOADS(&f, &expected, AF_OK);
        cr_assert_null(f.broken, "%s", f.broken);
        flash_free(&f);
    }
}

// promise: newest-checkpoint-found
Test(checkpoint, slots_take_turns_and_the_newest_wins) {
    const struct af_model m = model();
    struct flash f = new_flash();
    const struct af_storage s = flash_storage(&f);
    start(&m, 0);
    for (uint32_t i = 1; i <= 5; i++) {
        step(&m);
        cr_assert_eq(af_checkpoint_save(&s, &m, note), AF_OK);
        const struct copy expected = copy_of(&m);
        LOADS(&f, &expected, AF_OK);
        struct af_checkpoint_info info;
        cr_assert_eq(af_checkpoint_find(&info, &s), AF_OK);
        cr_assert(info.sequence == i && info.step == i && info.slot == (i + 1) % 2);
    }
    flash_free(&f);
}

// promise: image-same-everywhere
Test(checkpoint, an_image_has_the_same_bytes_on_every_machine) {
    struct flash f = saved(1);
    cr_assert_eq(memcmp(f.byte, "\0\0\0\0AFCP\1\0\0\0", 12), 0);
#ifdef GOLDEN_IMAGE
    const uint32_t crc = af_crc32c(0, f.byte, AF_CHECKPOINT_BYTES);
    cr_assert_eq(crc, GOLDEN_IMAGE, "0x%08x", crc);
#endif
    flash_free(&f);
}

// promise: save-while-training
Test(checkpoint, training_goes_on_while_a_save_is_under_way) {
    const struct af_model m = model();
    struct flash f = saved(1);
    const struct af_storage s = flash_storage(&f);
    step(&m);
    const struct copy expected = copy_of(&m);
    struct af_checkpoint save;
    cr_assert_eq(af_checkpoint_begin(&save, &s, &m, note), AF_OK);
    af_status status = AF_MORE;
    for (int round = 0; status == AF_MORE; round++) { // draws, forward, backward, given up: all but the update
        draw(&m);
        cr_assert_eq(af_train_begin(&m, AF_CONTEXT), AF_OK);
        cr_assert_eq(af_train_load(&m, &sequence, 1), AF_OK);
        do {
            status = af_checkpoint_slice(&save, &s, &m);
        } while (status == AF_MORE && af_train_slice(&m) == AF_MORE);
        cr_assert_eq(af_train_abandon(&m), AF_OK);
    }
    cr_assert_eq(status, AF_OK);
    LOADS(&f, &expected, AF_OK);
    cr_assert_eq(af_checkpoint_slice(&save, &s, &m), AF_ERR_ORDER);
    flash_free(&f);
}

// promise: update-ends-save
Test(checkpoint, an_update_ends_a_save_that_is_under_way) {
    const struct af_model m = model();
    struct flash f = saved(1);
    const struct af_storage s = flash_storage(&f);
    const struct copy old = copy_of(&m);
    for (size_t n_slices = 0; n_slices < 2 * (size_t)N_PAGES; n_slices += 1 + N_PAGES / 16) {
        struct af_checkpoint save;
        cr_assert_eq(af_checkpoint_begin(&save, &s, &m, note), AF_OK);
        for (size_t i = 0; i < n_slices; i++) {
            cr_assert_eq(af_checkpoint_slice(&save, &s, &m), AF_MORE);
        }
        step(&m);
        cr_assert_eq(af_checkpoint_slice(&save, &s, &m), AF_ERR_ORDER);
        cr_assert_eq(af_checkpoint_slice(&save, &s, &m), AF_ERR_ORDER);
        LOADS(&f, &old, AF_OK);
    }
    flash_free(&f);
}

/// With as many steps as the state that is saved: the number of steps does not tell them apart.
// promise: update-ends-save
Test(checkpoint, another_run_in_the_same_memory_ends_a_save_that_is_under_way) {
    const struct af_model m = model();
    struct flash f = saved(1);
    const struct af_storage s = flash_storage(&f);
    const struct copy old = copy_of(&m);
    for (size_t kind = 0; kind < 2; kind++) {
        struct af_checkpoint save;
        cr_assert_eq(af_checkpoint_begin(&save, &s, &m, note), AF_OK);
        for (size_t i = 0; i < N_PAGES; i++) {
            cr_assert_eq(af_checkpoint_slice(&save, &s, &m), AF_MORE);
        }
        if (kind == 0) {
            cr_assert_eq(af_train_reset(&m), AF_OK);
            for (uint32_t i = 0; i < old.state.progress[0].step; i++) {
                step(&m);
            }
        } else {
            cr_assert_eq(af_checkpoint_load(&m, NULL, &s), AF_OK);
        }
        cr_assert_eq(m.state->progress[0].step, old.state.progress[0].step);
        cr_assert_eq(af_checkpoint_slice(&save, &s, &m), AF_ERR_ORDER);
        LOADS(&f, &old, AF_OK);
        cr_assert_eq(af_checkpoint_load(&m, NULL, &s), AF_OK);
    }
    flash_free(&f);
}

/// However often: a counter of 16 bits would be where it was.
Test(checkpoint, any_number_of_other_runs_ends_a_save_that_is_under_way) {
    enum { N_TIMES = AF_N_PARAMS < 1000 ? 65536 : 16 };
    const struct af_model m = model();
    struct flash f = saved(1);
    const struct copy old = copy_of(&m);
    const struct af_storage s = flash_storage(&f);
    struct af_checkpoint save;
    cr_assert_eq(af_checkpoint_begin(&save, &s, &m, note), AF_OK);
    cr_assert_eq(af_checkpoint_slice(&save, &s, &m), AF_MORE);
    for (size_t i = 1; i < N_TIMES; i++) {
        cr_assert_eq(af_train_reset(&m), AF_OK);
    }
    cr_assert_eq(af_checkpoint_load(&m, NULL, &s), AF_OK); // a state with as many steps
    cr_assert_eq(af_checkpoint_slice(&save, &s, &m), AF_ERR_ORDER);
    m.state->progress[0].run = UINT32_MAX; // nor is one of 32 bits
    cr_assert_eq(af_checkpoint_begin(&save, &s, &m, note), AF_OK);
    cr_assert_eq(af_checkpoint_load(&m, NULL, &s), AF_OK);
    cr_assert_eq(m.state->progress[0].run, UINT64_C(0x100000000));
    cr_assert_eq(af_train_reset(&m), AF_OK);
    cr_assert_eq(m.state->progress[0].run, UINT64_C(0x100000001));
    LOADS(&f, &old, AF_OK);
    flash_free(&f);
}

// promise: impossible-state-unsaved
Test(checkpoint, a_state_that_training_cannot_leave_is_not_saved) {
    const struct af_model m = model();
    struct flash f = saved(1);
    const struct af_storage s = flash_storage(&f);
    const struct copy old = copy_of(&m);
    const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    union af_plane *const plane[] = {m.weight, m.adam_m, m.adam_v};
    for (size_t p = 0; p < 3; p++) {
        for (size_t k = 0; k < 3; k++) {
            af_real *const x = &plane[p]->flat[k == 0 ? 0 : k == 1 ? AF_N_PARAMS / 2 : AF_N_PARAMS - 1];
            const af_real kept = *x;
            *x = (af_real)bad[k];
            cr_assert_eq(af_checkpoint_save(&s, &m, note), AF_ERR_NOT_FINITE);
            *x = kept;
            LOADS(&f, &old, AF_OK);
        }
    }
    // What a load would refuse is not begun: a stream that is none, a step without its corrections.
    struct af_checkpoint save, untouched;
    memset(&save, 0x5A, sizeof(save));
    memset(&untouched, 0x5A, sizeof(untouched));
    struct af_state *const state = m.state;
    const struct af_state kept = *state;
    state->data_stream[0].increment_lo ^= 1;
    cr_assert_eq(af_checkpoint_begin(&save, &s, &m, note), AF_ERR_RANGE);
    *state = kept;
    state->progress[0].correction2 = 0;
    cr_assert_eq(af_checkpoint_begin(&save, &s, &m, note), AF_ERR_RANGE);
    *state = kept;
    cr_assert(memcmp(&save, &untouched, sizeof(save)) == 0, "a save that is refused changes nothing");
    LOADS(&f, &old, AF_OK);
    cr_assert_eq(af_checkpoint_save(&s, &m, note), AF_OK);
    LOADS(&f, &old, AF_OK);
    flash_free(&f);
}

// A program that never draws from the stream need not seed it: it is saved as the one that it becomes with a first draw.
Test(checkpoint, a_stream_that_was_never_seeded_is_that_of_seed_0) {
    struct flash f = saved(1);
    struct af_model m = model();
    const struct af_storage s = flash_storage(&f);
    struct af_numpy seed_0;
    af_numpy_seed(&seed_0, 0);
    memset(&m.state->data_stream[0], 0, sizeof(m.state->data_stream));
    cr_assert_eq(af_checkpoint_save(&s, &m, note), AF_OK);
    cr_assert_eq(m.state->data_stream[0].increment_lo, 0u, "a save changes nothing in the model");
    cr_assert_eq(af_checkpoint_load(&m, NULL, &s), AF_OK);
    cr_assert_eq(memcmp(&m.state->data_stream[0], &seed_0, sizeof(seed_0)), 0);
    flash_free(&f);
}

// ------------------------------------------------------------------------------------------------------------ mistakes

// promise: failed-call-changes-nothing, null-refused
Test(checkpoint, mistakes_are_named_and_change_nothing) {
    struct flash f = saved(1);
    struct af_model m = model();
    const struct af_storage good = flash_storage(&f);
    struct af_checkpoint save;
    struct af_checkpoint_info info;
    const uint64_t n_calls = f.n_calls;
    cr_assert_eq(af_checkpoint_begin(NULL, &good, &m, note), AF_ERR_NULL);
    cr_assert_eq(af_checkpoint_begin(&save, NULL, &m, note), AF_ERR_NULL);
    cr_assert_eq(af_checkpoint_begin(&save, &good, NULL, note), AF_ERR_NULL);
    cr_assert_eq(af_checkpoint_load(NULL, &info, &good), AF_ERR_NULL);
    cr_assert_eq(af_checkpoint_load(&m, &info, NULL), AF_ERR_NULL);
    cr_assert_eq(af_checkpoint_find(NULL, &good), AF_ERR_NULL);
    cr_assert_eq(af_checkpoint_find(&info, NULL), AF_ERR_NULL);
    cr_assert_eq(af_checkpoint_begin(&save, &good, &m, NULL), AF_OK);
    struct af_model apart = m; // a region at an address that its type cannot have
    apart.adam_v = (union af_plane *)((unsigned char *)m.adam_v + 1);
    cr_assert_eq(af_checkpoint_begin(&save, &good, &apart, note), AF_ERR_ALIGN);
    cr_assert_eq(af_checkpoint_slice(&save, &good, &apart), AF_ERR_ALIGN);
    cr_assert_eq(af_checkpoint_save(&good, &apart, note), AF_ERR_ALIGN);
    cr_assert_eq(af_checkpoint_load(&apart, &info, &good), AF_ERR_ALIGN);
    cr_assert_eq(af_checkpoint_slice(NULL, &good, &m), AF_ERR_NULL);
    cr_assert_eq(af_checkpoint_slice(&save, NULL, &m), AF_ERR_NULL);
    cr_assert_eq(af_checkpoint_slice(&save, &good, NULL), AF_ERR_NULL);
    memset(&save, 0, sizeof(save));
    cr_assert_eq(af_checkpoint_slice(&save, &good, &m), AF_ERR_ORDER);
    for (size_t i = 0; i < 4; i++) {
        struct af_model part = m;
        *(i == 0 ? &part.weight : i == 1 ? &part.adam_m : &part.adam_v) = NULL;
        if (i == 3) {
            part = m;
            part.state = NULL;
        }
        cr_assert_eq(af_checkpoint_save(&good, &part, note), AF_ERR_NULL);
        cr_assert_eq(af_checkpoint_load(&part, &info, &good), AF_ERR_NULL);
    }
    for (size_t i = 0; i < 3; i++) {
        struct af_storage s = good;
        s.read = i == 0 ? NULL : s.read;
        s.program = i == 1 ? NULL : s.program;
        s.erase = i == 2 ? NULL : s.erase;
        cr_assert_eq(af_checkpoint_save(&s, &m, note), AF_ERR_NULL);
        cr_assert_eq(af_checkpoint_find(&info, &s), AF_ERR_NULL);
    }
    const uint32_t sizes[][3] = {// slot, erase, program
                                 {0, ERASE, 8},
                                 {SLOT - ERASE, ERASE, 8},
                                 {AF_CHECKPOINT_BYTES - 1, 1, 1},
                                 {SLOT + 8, ERASE, 8},
                                 {SLOT, 0, 8},
                                 {SLOT, ERASE, 0},
                                 {SLOT, ERASE, 3},
                                 {SLOT, ERASE, 384},
                                 {SLOT + 1024, 1024, 1024},
                                 {AF_CHECKPOINT_BYTES_FOR(512) - 512, 512, 512},
                                 {SLOT, 4, 8},
                                 {0x80000000u, ERASE, 8},
                                 {0xFFFFFE00u, ERASE, 8}};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct af_storage s = good;
        s.slot_bytes = sizes[i][0];
        s.erase_bytes = sizes[i][1];
        s.program_bytes = sizes[i][2];
        cr_assert_eq(af_checkpoint_save(&s, &m, note), AF_ERR_STORAGE_SIZE, "%zu", i);
        cr_assert_eq(af_checkpoint_load(&m, &info, &s), AF_ERR_STORAGE_SIZE, "%zu", i);
        cr_assert_eq(af_checkpoint_find(&info, &s), AF_ERR_STORAGE_SIZE, "%zu", i);
    }
    draw(&m);
    cr_assert_eq(af_train_begin(&m, AF_CONTEXT), AF_OK);
    cr_assert_eq(af_checkpoint_save(&good, &m, note), AF_ERR_ORDER);
    cr_assert_eq(af_checkpoint_load(&m, &info, &good), AF_ERR_ORDER);
    cr_assert_eq(af_train_abandon(&m), AF_OK);
    cr_assert_eq(f.n_calls, n_calls, "a refused call has called the storage");
    flash_free(&f);
}

Test(checkpoint, sizes_at_their_limits_work) {
    const struct af_model m = model();
    const uint32_t sizes[][2] = {{PAGE, 1}, {PAGE, 256}, {1024, 256}, {65536, 16}, {512, 512}, {1024, 512}};
    start(&m, 1);
    const struct copy expected = copy_of(&m);
    for (size_t i = 0; i < 2 * sizeof(sizes) / sizeof(sizes[0]); i++) {
        const uint32_t *const size = sizes[i / 2];
        const uint32_t slot = (AF_CHECKPOINT_BYTES_FOR(size[1]) + size[0] - 1) / size[0] * size[0];
        struct flash f = flash_new(2 * slot, size[0], size[1]);
        f.erased = i % 2 == 0 ? 0xFF : 0; // what erased bytes hold does not matter
        flash_clear(&f);
        struct af_storage s = flash_storage(&f);
        s.sync = NULL;
        for (int k = 0; k < 3; k++) {
            cr_assert_eq(af_checkpoint_save(&s, &m, note), AF_OK);
        }
        LOADS(&f, &expected, AF_OK);
        cr_assert_null(f.broken, "%s", f.broken);
        flash_free(&f);
    }
}

// ---------------------------------------------------------------------------------------- the n-th call of the storage

/// Which call fails next, of those that a loop tries; and the loop ends when there was none of that number.
static void fail_at(struct flash *f, uint64_t n) {
    f->n_calls = 0;
    f->fail_at = n;
}

// promise: storage-failures-named
/// A failed read makes a bad page, another call that fails ends the save; what was saved before stays.
Test(checkpoint, any_call_of_a_save_may_fail) {
    const struct af_model m = model();
    struct flash f = saved(2);
    const struct copy old = copy_of(&m);
    struct flash fresh = new_flash();
    const struct af_storage s = flash_storage(&f);
    bool is_over = false, has_failed = false, has_gone_on = false;
    flash_copy(&fresh, &f);
    for (uint64_t n = 1; !is_over; n += STRIDE) {
        flash_copy(&f, &fresh);
        fail_at(&f, n);
        const af_status status = af_checkpoint_save(&s, &m, note);
        is_over = f.n_calls < n;
        f.fail_at = 0;
        cr_assert(status == AF_OK || status == AF_ERR_STORAGE, "call %d: %s", (int)n, af_status_name(status));
        has_failed = has_failed || status != AF_OK;
        has_gone_on = has_gone_on || (status == AF_OK && !is_over);
        LOADS(&f, &old, AF_OK); // the same state, from one slot or the other
    }
    cr_assert(has_failed && has_gone_on);
    cr_assert_null(f.broken, "%s", f.broken);
    flash_free(&f);
    flash_free(&fresh);
}

/// Looking what there is, the page that is read once more included: that other checkpoint is found, or none.
Test(checkpoint, any_call_of_a_search_may_fail) {
    for (size_t n_saves = 1; n_saves < 3; n_saves++) {
        struct flash f = saved(n_saves);
        const struct af_storage s = flash_storage(&f);
        bool is_over = false;
        for (uint64_t n = 1; !is_over; n++) {
            struct af_checkpoint_info found;
            memset(&found, 0xA5, sizeof(found));
            const struct af_checkpoint_info before = found;
            fail_at(&f, n);
            const af_status status = af_checkpoint_find(&found, &s);
            is_over = f.n_calls < n;
            if (status == AF_OK) {
                cr_assert(found.sequence == n_saves || (!is_over && found.sequence == 1));
            } else {
                cr_assert(n_saves == 1 && (status == AF_ERR_NO_CHECKPOINT || status == AF_ERR_STORAGE));
                cr_assert_arr_eq(&found, &before, sizeof(found));
            }
        }
        flash_free(&f);
    }
}

/// A load that has lost its model says so everywhere, until another one succeeds.
static void check_lost(struct flash *f, struct copy *to, const struct copy *expected) {
    const struct af_model other = model_of(to);
    const struct af_model m = model();
    const struct af_storage s = flash_storage(f);
    struct af_decode *decode = NULL;
    draw(&m);
    f->fail_at = 0;
    cr_assert_eq(af_train_begin(&other, AF_CONTEXT), AF_ERR_ORDER);
    cr_assert_eq(af_train_abandon(&other), AF_ERR_ORDER);
    cr_assert_eq(af_decode_open(&other, &decode), AF_ERR_ORDER);
    cr_assert_eq(af_forward(&other, &sequence, 1, AF_EVERY), AF_ERR_ORDER);
    cr_assert_eq(af_checkpoint_save(&s, &other, note), AF_ERR_ORDER);
    cr_assert_eq(af_checkpoint_load(&other, NULL, &s), AF_OK);
    cr_assert(is_loaded(to, expected));
}

/// Nothing is touched while a load checks; a copy that breaks off marks the model, if there is no other checkpoint.
Test(checkpoint, any_call_of_a_load_may_fail) {
    static struct copy to, untouched, old;
    memset(&untouched, 0x5A, sizeof(untouched));
    untouched.state.progress[0].phase = AF_TRAIN_IDLE;
    const struct af_model m = model();
    const struct af_model other = model_of(&to);
    for (size_t n_saves = 1; n_saves < 3; n_saves++) {
        struct flash f = saved(n_saves);
        const struct af_storage s = flash_storage(&f);
        old = copy_of(&m);
        bool is_over = false, has_lost = false;
        for (uint64_t n = 1; !is_over; n += STRIDE) {
            to = untouched;
            fail_at(&f, n);
            const af_status status = af_checkpoint_load(&other, NULL, &s);
            is_over = f.n_calls < n;
            if (status == AF_OK) { // with a page that was bad, the other one
                cr_assert(to.state.progress[0].step == old.state.progress[0].step || (n_saves == 2 && !is_over));
                cr_assert(to.state.progress[0].step >= 2);
            } else if (status == AF_ERR_CHECKPOINT_LOST) {
                has_lost = true;
                check_lost(&f, &to, &old);
            } else {
                cr_assert_eq(status, AF_ERR_NO_CHECKPOINT, "%s", af_status_name(status));
                cr_assert(is_state(&to, &untouched));
            }
        }
        cr_assert_eq(has_lost, n_saves == 1);
        f.fail_at = 0;
        flash_free(&f);
    }
}

static bool program_nothing(void *context, uint32_t offset, const void *data, uint32_t n_bytes) {
    (void)context;
    (void)offset;
    (void)data;
    (void)n_bytes;
    return true;
}

// promise: storage-failures-named
Test(checkpoint, a_program_that_does_nothing_is_noticed) {
    const struct af_model m = model();
    struct flash f = saved(1);
    const struct copy old = copy_of(&m);
    struct af_storage s = flash_storage(&f);
    s.program = program_nothing;
    cr_assert_eq(af_checkpoint_save(&s, &m, note), AF_ERR_STORAGE);
    LOADS(&f, &old, AF_OK);
    flash_free(&f);
}

static bool erase_nothing(void *context, uint32_t offset, uint32_t n_bytes) {
    (void)context;
    (void)offset;
    (void)n_bytes;
    return true;
}

/// What is read back is a whole page, but an older one.
Test(checkpoint, a_storage_that_keeps_what_it_had_is_noticed) {
    const struct af_model m = model();
    struct flash f = saved(2);
    const struct copy old = copy_of(&m);
    struct af_storage s = flash_storage(&f);
    s.erase = erase_nothing;
    s.program = program_nothing;
    cr_assert_eq(af_checkpoint_save(&s, &m, note), AF_ERR_STORAGE);
    LOADS(&f, &old, AF_OK);
    flash_free(&f);
}

/// With the second commit page torn, the newest checkpoint may read otherwise next time. While the other slot has a
/// whole one, that is kept and the torn one is written over; where there is none, the torn one is kept.
Test(checkpoint, a_torn_commit_is_written_over_unless_it_is_the_only_one) {
    const struct af_model m = model();
    for (int is_only = 0; is_only < 2; is_only++) {
        struct flash f = saved(2);
        const struct copy newest = copy_of(&m);
        const struct af_storage s = flash_storage(&f);
        memset(&f.byte[SLOT + AF_CHECKPOINT_BYTES - PAGE], 0, PAGE);
        memset(&f.byte[PAGE], 0, is_only ? PAGE : 0);
        LOADS(&f, &newest, AF_OK);
        const size_t kept = is_only ? SLOT : 0;
        const uint32_t before = af_crc32c(0, &f.byte[kept], SLOT);
        cr_assert_eq(af_checkpoint_save(&s, &m, note), AF_OK);
        cr_assert_eq(af_crc32c(0, &f.byte[kept], SLOT), before);
        LOADS(&f, &newest, AF_OK);
        flash_free(&f);
    }
}

/// A storage that reads a page otherwise from its `from`th reading on: damaged, or as another save's, or `instead`.
static struct {
    struct flash *flash;
    uint32_t offset, n_readings, from;
    bool is_resealed;
    const uint8_t *instead;
} moody;

static bool read_moody(void *context, uint32_t offset, void *data, uint32_t n_bytes) {
    uint8_t *const page = data;
    const bool is_read = flash_read(context, offset, data, n_bytes);
    if (offset == moody.offset && ++moody.n_readings >= moody.from) {
        if (moody.instead != NULL) {
            memcpy(page, moody.instead, PAGE);
            return is_read;
        }
        page[PAGE - 8] ^= 1;
        if (moody.is_resealed) {
            flash_put(&page[AT_CRC], af_crc32c(0, page, AT_CRC), 4);
        }
    }
    return is_read;
}

// promise: lost-load-refused
Test(checkpoint, a_page_that_reads_otherwise_the_second_time_is_noticed) {
    struct flash f = saved(1);
    struct af_storage s = flash_storage(&f);
    static struct copy to;
    const struct af_model other = model_of(&to);
    struct af_checkpoint_info info;
    s.read = read_moody;
    for (int k = 0; k < 3; k++) {
        moody.offset = k == 2 ? PAGE : 0; // the header, damaged or another one; a data page
        moody.is_resealed = k == 1;
        moody.from = 2;
        moody.n_readings = 0;
        cr_assert_eq(af_checkpoint_find(&info, &s), k == 2 ? AF_OK : AF_ERR_STORAGE);
        moody.n_readings = 0;
        cr_assert_eq(af_checkpoint_load(&other, NULL, &s), AF_ERR_CHECKPOINT_LOST);
        cr_assert_eq(to.state.progress[0].phase, AF_TRAIN_LOST);
    }
    // Lost while a save of it was under way: that is over, though the step is the same.
    struct af_checkpoint save;
    const struct af_storage good = flash_storage(&f);
    cr_assert_eq(af_checkpoint_load(&other, NULL, &good), AF_OK);
    cr_assert_eq(af_checkpoint_begin(&save, &good, &other, note), AF_OK);
    cr_assert_eq(af_checkpoint_slice(&save, &good, &other), AF_MORE);
    moody.n_readings = 0;
    cr_assert_eq(af_checkpoint_load(&other, NULL, &s), AF_ERR_CHECKPOINT_LOST);
    cr_assert_eq(af_checkpoint_slice(&save, &good, &other), AF_ERR_ORDER);
    flash_free(&f);
}

/// Loads while page `number` reads as `page` from the second time on: that may not get in, its check sums may be right.
static void check_second_reading(struct flash *f, uint32_t number, const uint8_t *page, af_status found) {
    static struct copy to;
    const struct af_model other = model_of(&to);
    struct af_storage s = flash_storage(f);
    struct af_checkpoint_info info;
    memset(&moody, 0, sizeof(moody));
    moody.offset = number * PAGE;
    moody.from = 2;
    moody.instead = page;
    s.read = read_moody;
    to.state.progress[0].phase = AF_TRAIN_IDLE;
    cr_assert_eq(af_checkpoint_load(&other, &info, &s), AF_ERR_CHECKPOINT_LOST);
    cr_assert_eq(to.state.progress[0].phase, AF_TRAIN_LOST);
    moody.n_readings = 0;
    const af_status again = af_checkpoint_find(&info, &s);
    cr_assert_eq(again, found, "find gives %s", af_status_name(again));
}

/// Not a number, a negative second moment, something behind the last number, and another weight, which is a possible one:
/// each with the page's own check sum right.
Test(checkpoint, a_data_page_that_is_another_one_the_second_time_does_not_get_in) {
    struct flash f = saved(1);
    const struct {
        size_t plane, i;
        af_real x;
    } changes[] = {{0, 0, (af_real)NAN}, {2, 0, AF_R(-1e-20)}, {0, 1, AF_R(0.125)}, {1, AF_N_PARAMS, AF_R(1)}};
    for (size_t k = 0; k < sizeof(changes) / sizeof(changes[0]); k++) {
        const size_t last = AF_CHECKPOINT_PLANE_PAGES * AF_CHECKPOINT_PAGE_REALS;
        if (changes[k].i >= last) {
            continue; // a plane that fills its pages
        }
        const uint32_t number =
            (uint32_t)(1 + changes[k].plane * AF_CHECKPOINT_PLANE_PAGES + changes[k].i / AF_CHECKPOINT_PAGE_REALS);
        uint8_t page[PAGE], kept[PAGE];
        memcpy(kept, &f.byte[number * PAGE], PAGE);
        put_real(f.byte, changes[k].plane, changes[k].i, changes[k].x);
        memcpy(page, &f.byte[number * PAGE], PAGE);
        memcpy(&f.byte[number * PAGE], kept, PAGE);
        flash_put(&page[AT_CRC], af_crc32c(flash_get(&f.byte[AT_CRC]), page, AT_CRC), 4);
        check_second_reading(&f, number, page, AF_OK);
    }
    flash_free(&f);
}

/// Gives the header another content and the check sum that it had, by four bytes of its note. A check sum is linear: the
/// bits of the note that change it by what is wrong are the solution of 32 equations.
static void forge(uint8_t *page, uint32_t goal) {
    enum { AT_FREE = 96 };
    uint32_t effect[32], note_bits[32], wrong, chosen = 0;
    memset(&page[AT_FREE], 0, 4);
    const uint32_t base = af_crc32c(0, page, AT_CRC);
    for (uint32_t i = 0; i < 32; i++) {
        note_bits[i] = 1u << i;
        flash_put(&page[AT_FREE], note_bits[i], 4);
        effect[i] = af_crc32c(0, page, AT_CRC) ^ base;
    }
    wrong = base ^ goal;
    for (uint32_t bit = 0; bit < 32; bit++) {
        uint32_t pivot = bit;
        while (pivot < 31 && (effect[pivot] >> bit & 1u) == 0) {
            pivot++;
        }
        const uint32_t e = effect[pivot], b = note_bits[pivot];
        effect[pivot] = effect[bit];
        note_bits[pivot] = note_bits[bit];
        effect[bit] = e;
        note_bits[bit] = b;
        for (uint32_t i = 0; i < 32; i++) {
            if (i != bit && (effect[i] >> bit & 1u) != 0) {
                effect[i] ^= e;
                note_bits[i] ^= b;
            }
        }
    }
    for (uint32_t bit = 0; bit < 32; bit++) {
        chosen ^= (wrong >> bit & 1u) != 0 ? note_bits[bit] : 0;
    }
    flash_put(&page[AT_FREE], chosen, 4);
    flash_put(&page[AT_CRC], goal, 4);
    cr_assert_eq(af_crc32c(0, page, AT_CRC), goal);
}

/// What 1 - beta^step is after so many steps.
static uint64_t correction(uint32_t step, af_real beta, af_real rest) {
    af_real c = 0;
    for (uint32_t i = 0; i < step && i < 1000000; i++) {
        c = c * beta + rest;
    }
    uint64_t bits = 0;
    memcpy(&bits, &c, sizeof(c));
    return bits;
}

static void put_step(uint8_t *image, uint32_t step) {
    flash_put(&image[28], step, 4);
    flash_put(&image[40], correction(step, AF_R(AF_ADAMW_BETA1), AF_R(AF_ADAMW_BETA1_REST)), 8);
    flash_put(&image[48], correction(step, AF_R(AF_ADAMW_BETA2), AF_R(AF_ADAMW_BETA2_REST)), 8);
}

Test(checkpoint, a_header_that_is_another_one_the_second_time_does_not_get_in) {
    struct flash f = saved(1);
    const uint32_t goal = flash_get(&f.byte[AT_CRC]);
    for (int k = 0; k < 5; k++) {
        uint8_t page[PAGE];
        memcpy(page, f.byte, PAGE);
        if (k == 4) {
            page[100] ^= 1; // another note, with a check sum of its own
            flash_put(&page[AT_CRC], af_crc32c(0, page, AT_CRC), 4);
            check_second_reading(&f, 0, page, AF_ERR_STORAGE);
            break;
        }
        if (k == 0) {
            page[4] ^= 1; // no header at all
        } else if (k == 1) {
            page[80] ^= 1; // an impossible stream
        } else if (k == 2) {
            flash_put(&page[32], 77, 8); // another number
        } else {
            put_step(page, 3); // another step, with its corrections
        }
        forge(page, goal);
        check_second_reading(&f, 0, page, AF_ERR_STORAGE);
    }
    flash_free(&f);
}

/// With another checkpoint there, that is taken.
Test(checkpoint, what_cannot_be_read_again_leaves_the_other_slot) {
    const struct af_model m = model();
    struct flash f = saved(1);
    const struct af_storage good = flash_storage(&f);
    struct af_storage s = good;
    static struct copy to, older;
    const struct af_model other = model_of(&to);
    struct af_checkpoint_info info;
    older = copy_of(&m);
    step(&m);
    cr_assert_eq(af_checkpoint_save(&good, &m, note), AF_OK);
    s.read = read_moody;
    for (uint32_t number = 0; number < N_DATA; number += N_DATA - 1) {
        memset(&moody, 0, sizeof(moody));
        moody.offset = SLOT + number * PAGE;
        moody.from = 2;
        memset(&to, 0x5A, sizeof(to));
        to.state.progress[0].phase = AF_TRAIN_IDLE;
        cr_assert_eq(af_checkpoint_load(&other, &info, &s), AF_OK);
        cr_assert(info.sequence == 1 && info.slot == 0 && is_loaded(&to, &older));
        moody.n_readings = 0;
        cr_assert_eq(af_checkpoint_find(&info, &s), AF_OK);
        cr_assert_eq(info.sequence, number == 0 ? 1u : 2u);
    }
    flash_free(&f);
}

// --------------------------------------------------------------------------------------------- what cannot be read

/// (Every unit, and cuts besides: power_cuts.c.)
Test(checkpoint, a_page_that_cannot_be_read_is_a_bad_page) {
    const struct af_model m = model();
    struct flash f = saved(1);
    const struct af_storage s = flash_storage(&f);
    static struct copy older, newer;
    older = copy_of(&m);
    step(&m);
    cr_assert_eq(af_checkpoint_save(&s, &m, note), AF_OK);
    newer = copy_of(&m);
    for (uint32_t slot = 0; slot < 2; slot++) {
        uint8_t *const unit = &f.unit[(slot * SLOT + PAGE) / f.program_bytes];
        *unit = FLASH_BAD;
        LOADS(&f, slot == 0 ? &newer : &older, AF_OK);
        *unit = FLASH_READABLE;
    }
    f.unit[PAGE / f.program_bytes] = FLASH_BAD;
    cr_assert_eq(af_checkpoint_save(&s, &m, note), AF_OK); // where it was
    cr_assert_eq(f.unit[PAGE / f.program_bytes], FLASH_READABLE);
    LOADS(&f, &newer, AF_OK);
    flash_free(&f);
}

static bool read_nothing(void *context, uint32_t offset, void *data, uint32_t n_bytes) {
    (void)context;
    (void)offset;
    memset(data, 0x33, n_bytes);
    return false;
}

static bool fail_to_erase(void *context, uint32_t offset, uint32_t n_bytes) {
    (void)context;
    (void)offset;
    (void)n_bytes;
    return false;
}

/// Nothing tells a new flash whose erased units cannot be read from one that does not answer, until it is erased.
Test(checkpoint, a_storage_of_which_nothing_can_be_read) {
    const struct af_model m = model();
    struct flash f = saved(1);
    const struct copy expected = copy_of(&m);
    struct af_storage s = flash_storage(&f);
    struct af_checkpoint_info info;
    s.read = read_nothing;
    cr_assert_eq(af_checkpoint_find(&info, &s), AF_ERR_STORAGE);
    cr_assert_eq(af_checkpoint_load(&m, &info, &s), AF_ERR_STORAGE);
    s.reads_erased = false;
    cr_assert_eq(af_checkpoint_find(&info, &s), AF_ERR_NO_CHECKPOINT);
    cr_assert_eq(af_checkpoint_load(&m, &info, &s), AF_ERR_NO_CHECKPOINT);
    s.erase = fail_to_erase;
    cr_assert_eq(af_checkpoint_save(&s, &m, note), AF_ERR_STORAGE);
    LOADS(&f, &expected, AF_OK);
    f.unit[0] = FLASH_BAD; // one of the two first pages is enough to know that it answers
    LOADS(&f, NULL, AF_ERR_NO_CHECKPOINT);
    f.unit[0] = FLASH_READABLE;
    f.unit[SLOT / f.program_bytes] = FLASH_BAD;
    LOADS(&f, &expected, AF_OK);
    flash_free(&f);
}

Test(checkpoint, a_flash_whose_erased_units_cannot_be_read_begins_and_goes_on) {
    const struct af_model m = model();
    struct flash f = new_flash();
    f.blank_faults = true;
    const struct af_storage s = flash_storage(&f);
    LOADS(&f, NULL, AF_ERR_NO_CHECKPOINT);
    start(&m, 0);
    for (int i = 0; i < 3; i++) {
        step(&m);
        cr_assert_eq(af_checkpoint_save(&s, &m, note), AF_OK);
        const struct copy expected = copy_of(&m);
        LOADS(&f, &expected, AF_OK);
    }
    cr_assert_null(f.broken, "%s", f.broken);
    flash_free(&f);
}

/// A unit of both slots cannot be read; later both can be again. What was saved in between is the newest.
Test(checkpoint, a_page_that_comes_back_does_not_bring_an_older_state) {
    const struct af_model m = model();
    for (uint32_t k = 0; k < 2; k++) { // the higher number in slot 1, in slot 0
        struct flash f = saved(2);
        const struct af_storage s = flash_storage(&f);
        for (uint32_t i = 0; i < k; i++) {
            step(&m);
            cr_assert_eq(af_checkpoint_save(&s, &m, note), AF_OK);
        }
        for (uint32_t slot = 0; slot < 2; slot++) {
            f.unit[(slot * SLOT + PAGE) / f.program_bytes] = FLASH_BAD;
        }
        LOADS(&f, NULL, AF_ERR_NO_CHECKPOINT);
        step(&m);
        cr_assert_eq(af_checkpoint_save(&s, &m, note), AF_OK);
        const struct copy expected = copy_of(&m);
        for (uint32_t slot = 0; slot < 2; slot++) {
            f.unit[(slot * SLOT + PAGE) / f.program_bytes] = FLASH_READABLE;
        }
        LOADS(&f, &expected, AF_OK);
        flash_free(&f);
    }
}

// ------------------------------------------------------------------------------------------------------- program units

/// Pages stand where they stand but for the commit, and an image says for which units it was made: whatever the reader's
/// own are, it is found.
Test(checkpoint, an_image_of_large_program_units_is_read_with_any) {
    enum { UNIT = 512, LARGE = (AF_CHECKPOINT_BYTES_FOR(UNIT) + UNIT - 1) / UNIT * UNIT };
    const struct af_model m = model();
    struct flash f = flash_new(2 * LARGE, UNIT, UNIT);
    struct af_storage s = flash_storage(&f);
    struct af_checkpoint_info info;
    start(&m, 2);
    const struct copy expected = copy_of(&m);
    cr_assert_eq(af_checkpoint_save(&s, &m, note), AF_OK);
    cr_assert_eq(flash_get(&f.byte[160]), (uint32_t)UNIT);
    cr_assert_null(f.broken, "%s", f.broken);
    for (uint32_t unit = UNIT; unit > 8; unit /= 2) {
        f.program_bytes = unit;
        free(f.unit);
        f.unit = calloc(f.n_bytes / unit, 1);
        memset(f.unit, FLASH_READABLE, f.n_bytes / unit);
        LOADS(&f, &expected, AF_OK);
    }
    for (uint32_t i = 0; i < 2; i++) { // a save in small units beside it, and one over it
        s = flash_storage(&f);
        step(&m);
        cr_assert_eq(af_checkpoint_save(&s, &m, note), AF_OK);
        cr_assert_eq(af_checkpoint_find(&info, &s), AF_OK);
        cr_assert(info.sequence == i + 2 && info.slot == (i + 1) % 2);
    }
    const struct copy newest = copy_of(&m);
    LOADS(&f, &newest, AF_OK);
    cr_assert_null(f.broken, "%s", f.broken);
    flash_free(&f);
}

Test(checkpoint, program_units_that_no_image_has_are_refused) {
    struct flash f = saved(1);
    const uint32_t units[] = {1, 255, PAGE, PAGE + 128, 2 * 65536, (SLOT + 65535) / 65536 * 65536, 0xFFFFFF00u};
    for (size_t k = 0; k < sizeof(units) / sizeof(units[0]); k++) {
        flash_put(&f.byte[160], units[k], 4);
        flash_reseal(f.byte);
        LOADS(&f, NULL, AF_ERR_CHECKPOINT_CONTENT);
    }
    flash_put(&f.byte[160], 2 * PAGE, 4); // a possible one, but the commit is not where it should then be
    flash_reseal(f.byte);
    LOADS(&f, NULL, AF_CHECKPOINT_BYTES_FOR(2 * PAGE) <= SLOT ? AF_ERR_NO_CHECKPOINT : AF_ERR_CHECKPOINT_CONTENT);
    flash_free(&f);
}

Test(checkpoint, a_number_that_is_not_finite_is_not_saved_in_a_unit_of_several_pages) {
    enum { UNIT = 512, LARGE = (AF_CHECKPOINT_BYTES_FOR(UNIT) + UNIT - 1) / UNIT * UNIT };
    const struct af_model m = model();
    struct flash f = flash_new(2 * LARGE, UNIT, UNIT);
    const struct af_storage s = flash_storage(&f);
    start(&m, 1);
    for (size_t i = 0; i < 3 * AF_CHECKPOINT_PAGE_REALS; i += AF_CHECKPOINT_PAGE_REALS) { // first in its unit, and last
        const af_real kept = m.weight->flat[i];
        m.weight->flat[i] = (af_real)NAN;
        cr_assert_eq(af_checkpoint_save(&s, &m, note), AF_ERR_NOT_FINITE);
        m.weight->flat[i] = kept;
    }
    cr_assert_eq(af_checkpoint_save(&s, &m, note), AF_OK);
    cr_assert_null(f.broken, "%s", f.broken);
    flash_free(&f);
}

/// A storage gets what its hardware may want: `data` aligned like a uint64_t (flash.h looks at each call), also where
/// the caller's memory begins at the least alignment that its type has.
Test(checkpoint, data_is_aligned) {
    cr_assert_eq(offsetof(struct af_checkpoint, unit) % FLASH_ALIGNMENT, 0u);
    cr_assert_eq(sizeof(struct af_checkpoint) % FLASH_ALIGNMENT, 0u);
    const struct af_model m = model();
    struct flash f = new_flash();
    const struct af_storage s = flash_storage(&f);
    _Alignas(64) static uint8_t memory[sizeof(struct af_checkpoint) + 64];
    struct af_checkpoint *const save = (struct af_checkpoint *)(void *)&memory[FLASH_ALIGNMENT];
    start(&m, 1);
    cr_assert_eq(af_checkpoint_begin(save, &s, &m, note), AF_OK);
    af_status status = AF_MORE;
    while (status == AF_MORE) {
        status = af_checkpoint_slice(save, &s, &m);
    }
    cr_assert_eq(status, AF_OK);
    const struct copy expected = copy_of(&m);
    LOADS(&f, &expected, AF_OK);
    cr_assert_null(f.broken, "%s", f.broken);
    flash_free(&f);
}

// ------------------------------------------------------------------------------------------------------ damaged images

Test(checkpoint, an_image_cut_at_any_length_is_refused) {
    struct flash f = saved(1);
    const struct af_model m = model();
    const struct copy expected = copy_of(&m);
    struct flash whole = new_flash();
    flash_copy(&whole, &f);
    for (uint32_t n = 0; n < AF_CHECKPOINT_BYTES; n += STRIDE) {
        for (int fill = 0; fill < 2; fill++) {
            flash_copy(&f, &whole);
            memset(&f.byte[n], fill == 0 ? 0xFF : 0, AF_CHECKPOINT_BYTES - n);
            const af_status status = load(&f, &expected);
            // From the end of the first commit page on it is whole: the second only says that the first is steady.
            cr_assert_eq(status, n >= AF_CHECKPOINT_BYTES - PAGE ? AF_OK : AF_ERR_NO_CHECKPOINT, "%u: %s", (unsigned)n,
                         af_status_name(status));
        }
    }
    flash_free(&f);
    flash_free(&whole);
}

// promise: wrong-bits-noticed
Test(checkpoint, a_byte_changed_anywhere_is_noticed) {
    struct flash f = saved(1);
    const struct af_model m = model();
    const struct copy expected = copy_of(&m);
    for (uint32_t i = 0; i < AF_CHECKPOINT_BYTES; i += STRIDE) {
        for (unsigned k = 0; k < 9; k++) {
            const uint8_t flip = k < 8 ? (uint8_t)(1u << k) : 0xFF;
            f.byte[i] ^= flip;
            const af_status status = load(&f, &expected);
            cr_assert_eq(status, i < AF_CHECKPOINT_BYTES - 2 * PAGE ? AF_ERR_NO_CHECKPOINT : AF_OK, "byte %u: %s",
                         (unsigned)i, af_status_name(status));
            f.byte[i] ^= flip;
        }
    }
    flash_free(&f);
}

// promise: newest-checkpoint-found
Test(checkpoint, with_one_slot_damaged_the_other_one_is_loaded) {
    const struct af_model m = model();
    struct flash f = saved(1);
    const struct copy older = copy_of(&m);
    const struct af_storage s = flash_storage(&f);
    step(&m);
    cr_assert_eq(af_checkpoint_save(&s, &m, note), AF_OK);
    const struct copy newer = copy_of(&m);
    for (uint32_t i = 0; i < AF_CHECKPOINT_BYTES - 2 * PAGE; i += 41 * STRIDE) {
        f.byte[SLOT + i] ^= 0x10;
        LOADS(&f, &older, AF_OK);
        f.byte[SLOT + i] ^= 0x10;
        f.byte[i] ^= 0x10;
        LOADS(&f, &newer, AF_OK);
        f.byte[i] ^= 0x10;
    }
    flash_free(&f);
}

/// 10^5 times one to three flipped bits in a page: always noticed. CRC-32C notices them for sure in up to 2^31 bits.
// promise: wrong-bits-noticed
Test(checkpoint, one_to_three_wrong_bits_are_always_noticed) {
    struct flash f = saved(1);
    const uint32_t seed = flash_get(&f.byte[AT_CRC]);
    for (uint32_t i = 0; i < 100000; i++) {
        const uint32_t p = (uint32_t)(flash_random(&f) % N_PAGES);
        uint8_t page[PAGE];
        memcpy(page, &f.byte[p * PAGE], PAGE);
        const uint32_t n = 1 + i % 3;
        for (uint32_t k = 0; k < n; k++) {
            const uint32_t bit = (uint32_t)(flash_random(&f) % (8 * PAGE));
            page[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
        if (memcmp(page, &f.byte[p * PAGE], PAGE) != 0) { // the same bit twice is no change
            cr_assert_neq(flash_get(&page[AT_CRC]), af_crc32c(p == 0 ? 0 : seed, page, AT_CRC));
        }
    }
    flash_free(&f);
}

// ------------------------------------------------------------------------------ images made by someone who can count

// promise: checkpoint-checked-first
Test(checkpoint, header_fields_are_checked) {
    struct flash f = saved(1);
    struct flash whole = new_flash();
    flash_copy(&whole, &f);
    const struct field {
        uint32_t at, n;
        af_status status; // for a value that is not the right one
    } fields[] = {
        {4, 4, AF_ERR_NO_CHECKPOINT},       {8, 4, AF_ERR_CHECKPOINT_VERSION},  {12, 4, AF_ERR_CHECKPOINT_CONFIG},
        {16, 4, AF_ERR_CHECKPOINT_CONFIG},  {20, 4, AF_ERR_CHECKPOINT_CONFIG},  {24, 4, AF_ERR_CHECKPOINT_CONFIG},
        {40, 8, AF_ERR_CHECKPOINT_CONTENT}, {48, 8, AF_ERR_CHECKPOINT_CONTENT}, {92, 4, AF_ERR_CHECKPOINT_CONTENT}};
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        const struct field *const field = &fields[i];
        uint64_t right = 0;
        memcpy(&right, &f.byte[field->at], field->n);
        const uint64_t values[] = {0,
                                   3,
                                   (uint64_t)INT32_MAX,
                                   UINT64_C(0x80000000),
                                   UINT64_MAX,
                                   UINT64_C(0x8000000000000000),
                                   UINT64_C(0x7FF0000000000000), // infinity, as double
                                   UINT64_C(0x7F800000),         // as float
                                   UINT64_C(0x7FC00000),
                                   (right & 0xFF) << 24 | (right & 0xFF00) << 8 | (right >> 8 & 0xFF00) | right >> 24,
                                   right + UINT64_C(0x100000000)};
        for (size_t k = 0; k < sizeof(values) / sizeof(values[0]); k++) {
            flash_copy(&f, &whole);
            flash_put(&f.byte[field->at], values[k], field->n);
            flash_reseal(f.byte);
            uint64_t now = 0;
            memcpy(&now, &f.byte[field->at], field->n);
            // 1 is a half word that is pending; in double the last value is a correction that is a little larger.
            const bool is_allowed = now == right || (field->at == 92 && now < 2) ||
                                    (AF_REAL_IS_DOUBLE && field->n == 8 && now == right + UINT64_C(0x100000000));
            if (!is_allowed) {
                const af_status status = load(&f, NULL);
                cr_assert_eq(status, field->status, "field at %u, value %zu: %s", (unsigned)field->at, k,
                             af_status_name(status));
            }
        }
    }
    flash_free(&f);
    flash_free(&whole);
}

// promise: foreign-slot-kept
Test(checkpoint, other_versions_and_configurations_are_not_overwritten) {
    const struct af_model m = model();
    struct flash f = saved(1);
    const struct af_storage s = flash_storage(&f);
    for (unsigned k = 0; k < 2; k++) {
        const uint32_t at = k == 0 ? 8 : 12;
        const af_status expected = k == 0 ? AF_ERR_CHECKPOINT_VERSION : AF_ERR_CHECKPOINT_CONFIG;
        f.byte[at] ^= 3;
        flash_reseal(f.byte);
        const uint32_t before = af_crc32c(0, f.byte, f.n_bytes);
        cr_assert_eq(af_checkpoint_save(&s, &m, note), expected);
        cr_assert_eq(af_crc32c(0, f.byte, f.n_bytes), before);
        memcpy(&f.byte[SLOT], f.byte, AF_CHECKPOINT_BYTES); // in slot 1, too, and in slot 1 alone
        memset(f.byte, 0xFF, PAGE);
        LOADS(&f, NULL, expected);
        cr_assert_eq(af_checkpoint_save(&s, &m, note), expected);
        cr_assert_eq(f.n_erases, (uint64_t)SLOT / ERASE);
        memcpy(f.byte, &f.byte[SLOT], AF_CHECKPOINT_BYTES);
        memset(&f.byte[SLOT], 0xFF, AF_CHECKPOINT_BYTES);
        f.byte[at] ^= 3;
        flash_reseal(f.byte);
    }
    flash_free(&f);
}

// promise: checkpoint-checked-first
Test(checkpoint, numbers_that_training_cannot_produce_are_refused) {
    struct flash f = saved(1);
    const struct af_model m = model();
    const af_real bad[] = {(af_real)NAN, (af_real)INFINITY, -(af_real)INFINITY};
    const size_t places[] = {0, AF_CHECKPOINT_PAGE_REALS - 1, AF_N_PARAMS / 2, AF_N_PARAMS - 1};
    union af_plane *const plane[] = {m.weight, m.adam_m, m.adam_v};
    for (size_t p = 0; p < 3; p++) {
        for (size_t i = 0; i < 4; i++) {
            for (size_t k = 0; k < 3; k++) {
                put_real(f.byte, p, places[i], bad[k]);
                flash_reseal(f.byte);
                LOADS(&f, NULL, AF_ERR_CHECKPOINT_CONTENT);
            }
            put_real(f.byte, p, places[i], plane[p]->flat[places[i]]);
        }
    }
    put_real(f.byte, 2, 1, AF_R(-1e-30)); // a sum of squares
    flash_reseal(f.byte);
    LOADS(&f, NULL, AF_ERR_CHECKPOINT_CONTENT);
    put_real(f.byte, 2, 1, m.adam_v->flat[1]);
    flash_put(&f.byte[28], 0, 4); // step 0, but moments that are not 0
    memset(&f.byte[40], 0, 16);
    flash_reseal(f.byte);
    LOADS(&f, NULL, AF_ERR_CHECKPOINT_CONTENT);
    flash_put(&f.byte[28], 2, 4); // step 2, but corrections 0
    flash_reseal(f.byte);
    LOADS(&f, NULL, AF_ERR_CHECKPOINT_CONTENT);
    flash_free(&f);
}

/// The corrections are those of just this step, in both moments; and there is a last step.
Test(checkpoint, corrections_of_another_step_are_refused) {
    struct flash f = saved(1);
    const struct af_model m = model();
    static struct copy expected;
    expected = copy_of(&m);
    struct flash whole = new_flash();
    flash_copy(&whole, &f);
    const uint32_t at[] = {40, 48};
    for (int k = 0; k < 2; k++) {
        for (uint32_t other = 1; other < 4; other += 2) { // of step 1 and of step 3, at step 2
            uint8_t image[PAGE];
            put_step(image, other);
            flash_copy(&f, &whole);
            memcpy(&f.byte[at[k]], &image[at[k]], 8);
            flash_reseal(f.byte);
            LOADS(&f, NULL, AF_ERR_CHECKPOINT_CONTENT);
        }
    }
    flash_copy(&f, &whole);
    put_step(f.byte, UINT32_MAX);
    flash_reseal(f.byte);
    LOADS(&f, NULL, AF_ERR_CHECKPOINT_CONTENT);
    put_step(f.byte, UINT32_MAX - 1);
    flash_reseal(f.byte);
    struct af_progress *const p = &expected.state.progress[0];
    p->step = UINT32_MAX - 1;
    memcpy(&p->correction1, &f.byte[40], sizeof(af_real));
    memcpy(&p->correction2, &f.byte[48], sizeof(af_real));
    LOADS(&f, &expected, AF_OK);
    // And none of that is saved.
    const struct af_storage s = flash_storage(&f);
    m.state->progress[0] = *p;
    m.state->progress[0].step = UINT32_MAX;
    cr_assert_eq(af_checkpoint_save(&s, &m, note), AF_ERR_RANGE);
    m.state->progress[0].step = 2;
    cr_assert_eq(af_checkpoint_save(&s, &m, note), AF_ERR_RANGE);
    flash_free(&f);
    flash_free(&whole);
}

/// A bit in any byte that a save leaves 0, with all check sums right; and the number 0.
Test(checkpoint, what_a_save_leaves_0_has_to_be_0) {
    struct flash f = saved(1);
    const struct {
        uint32_t from, to;
    } zeros[] = {{164, AT_CRC},
                 {40 + sizeof(af_real), 48},
                 {48 + sizeof(af_real), 56},
                 {AF_CHECKPOINT_PLANE_PAGES * PAGE + 4 +
                      (AF_N_PARAMS - (AF_CHECKPOINT_PLANE_PAGES - 1) * AF_CHECKPOINT_PAGE_REALS) * sizeof(af_real),
                  AF_CHECKPOINT_PLANE_PAGES * PAGE + AT_CRC},
                 {(N_DATA + 1) * PAGE + 16, (N_DATA + 1) * PAGE + AT_CRC},
                 {(N_DATA + 2) * PAGE + 16, (N_DATA + 2) * PAGE + AT_CRC}};
    for (size_t k = 0; k < sizeof(zeros) / sizeof(zeros[0]); k++) {
        for (uint32_t at = zeros[k].from; at < zeros[k].to; at++) {
            cr_assert_eq(f.byte[at], 0);
            f.byte[at] = (uint8_t)(1u << at % 8);
            flash_reseal(f.byte);
            LOADS(&f, NULL, AF_ERR_CHECKPOINT_CONTENT);
            f.byte[at] = 0;
        }
    }
    flash_put(&f.byte[32], 0, 8);
    flash_reseal(f.byte);
    LOADS(&f, NULL, AF_ERR_CHECKPOINT_CONTENT);
    flash_free(&f);
}

/// Both commit pages are whole, but say different things.
Test(checkpoint, commit_pages_that_disagree_are_refused) {
    struct flash f = saved(1);
    uint8_t *const page = &f.byte[(N_DATA + 1) * PAGE];
    page[12] ^= 1;
    flash_put(&page[AT_CRC], af_crc32c(flash_get(&f.byte[AT_CRC]), page, AT_CRC), 4);
    LOADS(&f, NULL, AF_ERR_CHECKPOINT_CONTENT);
    flash_free(&f);
}

/// A correction is computed again, so the processor has to compute as it should.
Test(checkpoint, a_wrong_rounding_mode_is_named) {
    const struct af_model m = model();
    struct flash f = saved(1);
    const struct copy expected = copy_of(&m);
    const struct af_storage s = flash_storage(&f);
    struct af_checkpoint save;
    struct af_checkpoint_info info;
    cr_assert_eq(af_checkpoint_begin(&save, &s, &m, note), AF_OK);
    (void)fesetround(FE_UPWARD);
    const af_status statuses[] = {af_checkpoint_slice(&save, &s, &m), af_checkpoint_find(&info, &s),
                                  af_checkpoint_load(&m, &info, &s), af_checkpoint_begin(&save, &s, &m, note)};
    (void)fesetround(FE_TONEAREST);
    for (size_t i = 0; i < 4; i++) {
        cr_assert_eq(statuses[i], AF_ERR_ROUND_UP, "%zu: %s", i, af_status_name(statuses[i]));
    }
    cr_assert_eq(af_checkpoint_slice(&save, &s, &m), AF_ERR_ORDER);
    LOADS(&f, &expected, AF_OK);
    flash_free(&f);
}

Test(checkpoint, an_impossible_random_stream_is_refused) {
    struct flash f = saved(1);
    f.byte[80] ^= 1; // the increment of PCG64 is odd
    flash_reseal(f.byte);
    LOADS(&f, NULL, AF_ERR_CHECKPOINT_CONTENT);
    memset(&f.byte[56], 0, 40);
    flash_reseal(f.byte);
    LOADS(&f, NULL, AF_ERR_CHECKPOINT_CONTENT);
    flash_free(&f);
}

/// A stream of which no half word is pending has none.
Test(checkpoint, half_a_word_that_nobody_waits_for_is_refused) {
    const struct af_model m = model();
    struct flash f = new_flash();
    const struct af_storage s = flash_storage(&f);
    start(&m, 2);
    (void)af_numpy_u32(&m.state->data_stream[0]);
    while (m.state->data_stream[0].half_pending != 0) {
        (void)af_numpy_u32(&m.state->data_stream[0]);
    }
    const struct copy expected = copy_of(&m);
    cr_assert_eq(af_checkpoint_save(&s, &m, note), AF_OK);
    LOADS(&f, &expected, AF_OK);
    cr_assert_eq(flash_get(&f.byte[88]), 0u);
    flash_put(&f.byte[88], 5, 4);
    flash_reseal(f.byte);
    LOADS(&f, NULL, AF_ERR_CHECKPOINT_CONTENT);
    flash_free(&f);
}

/// A commit page that is whole, but of another save: its number says so.
Test(checkpoint, a_commit_of_another_number_is_none) {
    struct flash f = saved(1);
    for (uint32_t number = N_PAGES - 2; number < N_PAGES; number++) {
        uint8_t *const page = &f.byte[number * PAGE];
        page[4] ^= 1;
        flash_put(&page[AT_CRC], af_crc32c(flash_get(&f.byte[AT_CRC]), page, AT_CRC), 4);
    }
    LOADS(&f, NULL, AF_ERR_NO_CHECKPOINT);
    flash_free(&f);
}

Test(checkpoint, subnormal_and_zero_weights_load) {
    const struct af_model m = model();
    struct flash f = new_flash();
    const struct af_storage s = flash_storage(&f);
    start(&m, 1);
    const af_real smallest = AF_REAL_IS_DOUBLE ? (af_real)4.9406564584124654e-324 : (af_real)1.40129846e-45f;
    for (size_t i = 0; i < AF_N_PARAMS; i++) {
        m.weight->flat[i] = i % 3 == 0 ? smallest : i % 3 == 1 ? -smallest : (af_real)-0.0;
    }
    const struct copy expected = copy_of(&m);
    cr_assert_eq(af_checkpoint_save(&s, &m, note), AF_OK);
    LOADS(&f, &expected, AF_OK);
    flash_free(&f);
}

// promise: twins-refused
Test(checkpoint, two_of_one_number_are_refused_unless_they_are_one) {
    const struct af_model m = model();
    struct flash f = saved(1);
    const struct af_storage s = flash_storage(&f);
    const struct copy expected = copy_of(&m);
    memcpy(&f.byte[SLOT], f.byte, AF_CHECKPOINT_BYTES);
    LOADS(&f, &expected, AF_OK);
    put_real(&f.byte[SLOT], 0, 5, AF_R(0.25)); // only the sum of the sums tells them apart
    flash_reseal(&f.byte[SLOT]);
    LOADS(&f, NULL, AF_ERR_CHECKPOINT_TWINS);
    const uint32_t before = af_crc32c(0, f.byte, f.n_bytes);
    cr_assert_eq(af_checkpoint_save(&s, &m, note), AF_ERR_CHECKPOINT_TWINS);
    cr_assert_eq(af_crc32c(0, f.byte, f.n_bytes), before);
    flash_free(&f);
}

Test(checkpoint, the_number_decides_not_the_step) {
    const struct af_model m = model();
    struct flash f = saved(2); // slot 1: step 3
    const struct copy step_3 = copy_of(&m);
    flash_put(&f.byte[SLOT + 32], 7, 8);
    flash_reseal(&f.byte[SLOT]);
    flash_put(&f.byte[28], 99, 4); // slot 0 claims a later step, but has the lower number
    flash_reseal(f.byte);
    LOADS(&f, &step_3, AF_OK);
    flash_free(&f);
}

Test(checkpoint, after_the_last_number_nothing_can_be_saved) {
    const struct af_model m = model();
    struct flash f = saved(1);
    const struct copy expected = copy_of(&m);
    const struct af_storage s = flash_storage(&f);
    flash_put(&f.byte[32], UINT64_MAX, 8);
    flash_reseal(f.byte);
    LOADS(&f, &expected, AF_OK);
    cr_assert_eq(af_checkpoint_save(&s, &m, note), AF_ERR_RANGE);
    LOADS(&f, &expected, AF_OK);
    flash_free(&f);
}

Test(checkpoint, pages_of_another_place_or_another_save_are_refused) {
    struct flash f = saved(2);
    struct flash whole = new_flash();
    uint8_t page[PAGE];
    memset(&f.byte[SLOT + AF_CHECKPOINT_BYTES - 2 * PAGE], 0, 2 * PAGE); // slot 1 has no commit: only slot 0 counts
    flash_copy(&whole, &f);
    // Two data pages exchanged: as they are; with their numbers set right; with all their own check sums right as well.
    for (int k = 0; k < 3; k++) {
        flash_copy(&f, &whole);
        memcpy(page, &f.byte[PAGE], PAGE);
        memcpy(&f.byte[PAGE], &f.byte[2 * PAGE], PAGE);
        memcpy(&f.byte[2 * PAGE], page, PAGE);
        for (uint32_t p = 1; p <= 2 && k > 0; p++) {
            flash_put(&f.byte[p * PAGE], p, 4);
            if (k > 1) {
                flash_put(&f.byte[p * PAGE + AT_CRC], af_crc32c(flash_get(&f.byte[AT_CRC]), &f.byte[p * PAGE], AT_CRC),
                          4);
            }
        }
        LOADS(&f, NULL, AF_ERR_NO_CHECKPOINT);
    }
    for (uint32_t p = 0; p + 1 < N_PAGES; p += 1 + N_PAGES / 40) { // the same page of the other save
        flash_copy(&f, &whole);
        memcpy(&f.byte[p * PAGE], &f.byte[SLOT + p * PAGE], PAGE);
        memset(&f.byte[AF_CHECKPOINT_BYTES - PAGE], 0, PAGE);
        LOADS(&f, NULL, AF_ERR_NO_CHECKPOINT);
    }
    flash_free(&f);
    flash_free(&whole);
}

Test(checkpoint, what_is_no_checkpoint_is_none) {
    struct flash f = saved(1);
    const struct af_model m = model();
    const struct copy expected = copy_of(&m);
    struct flash whole = new_flash();
    flash_copy(&whole, &f);
    memset(f.byte, 0, f.n_bytes);
    LOADS(&f, NULL, AF_ERR_NO_CHECKPOINT);
    memset(f.byte, 0xFF, f.n_bytes);
    LOADS(&f, NULL, AF_ERR_NO_CHECKPOINT);
    for (uint32_t i = 0; i < f.n_bytes; i++) {
        f.byte[i] = flash_bits(&f);
    }
    LOADS(&f, NULL, AF_ERR_NO_CHECKPOINT);
    const uint32_t crcs[] = {0, 0xFFFFFFFFu, af_crc32c(0, "", 0), 1};
    for (uint32_t p = 0; p < N_PAGES - 2; p += 1 + N_PAGES / 40) {
        for (size_t k = 0; k < 4; k++) {
            flash_copy(&f, &whole);
            flash_put(&f.byte[p * PAGE + AT_CRC], crcs[k], 4);
            LOADS(&f, NULL, AF_ERR_NO_CHECKPOINT);
        }
    }
    flash_copy(&f, &whole); // a commit without data, data without a commit
    memset(&f.byte[PAGE], 0xFF, N_DATA * PAGE);
    LOADS(&f, NULL, AF_ERR_NO_CHECKPOINT);
    flash_copy(&f, &whole);
    memset(&f.byte[(N_DATA + 1) * PAGE], 0xFF, 2 * PAGE);
    LOADS(&f, NULL, AF_ERR_NO_CHECKPOINT);
    flash_copy(&f, &whole); // every word with its bytes the other way round
    for (uint32_t i = 0; i + 4 <= AF_CHECKPOINT_BYTES; i += 4) {
        const uint32_t word = flash_get(&f.byte[i]);
        flash_put(&f.byte[i], word << 24 | (word & 0xFF00) << 8 | (word >> 8 & 0xFF00) | word >> 24, 4);
    }
    LOADS(&f, NULL, AF_ERR_NO_CHECKPOINT);
    flash_copy(&f, &whole); // bytes behind the last page do not count
    memset(&f.byte[AF_CHECKPOINT_BYTES], 0x33, SLOT - AF_CHECKPOINT_BYTES);
    LOADS(&f, &expected, AF_OK);
    flash_free(&f);
    flash_free(&whole);
}
