// SPDX-License-Identifier: MIT
// Power cuts: every program and every erase of a save is interrupted, in every way that flash.h knows, and after each
// cut a load has to give the state before the save or the saved one, byte for byte. From either, training ends in the
// hash of the run that was never interrupted. A second cut hits the save that follows the first one.
//
//   power_cuts sweep [PART PARTS]   cuts of one save; PART of PARTS only, from 0 on
//   power_cuts third [PART PARTS]   of these the third save alone, which finds both slots in use
//   power_cuts runs                 whole runs with random cuts
//   power_cuts units                each program unit of either slot unreadable, always or at times, and then a cut
//   power_cuts worn                 each program unit in turn cannot be read after it was programmed
//   power_cuts cache                a storage that keeps what was not synced in any order, or not at all
//   power_cuts wear                 bytes and erases of a save, and how they spread
//
// Prints "ok NAME" or "FAIL NAME: ...".
#include "flash.h"

#include <stdio.h>

/// Tears from one to before another.
#ifndef FIRST_TEAR
#define FIRST_TEAR 0
#endif
#ifndef N_TEARS
#define N_TEARS FLASH_N_TEARS
#endif
#ifndef ERASE_BYTES
#define ERASE_BYTES 512
#endif
#ifndef PROGRAM_BYTES
#define PROGRAM_BYTES 8
#endif
/// What erased bytes are, and whether they cannot be read.
#ifndef ERASED
#define ERASED 0xFF
#endif
#ifndef BLANK_FAULTS
#define BLANK_FAULTS false
#endif
/// Where a program or an erase is interrupted: after this many bytes, twice, ... For erases their own.
#ifndef PROGRAM_STRIDE
#define PROGRAM_STRIDE 1
#endif
#ifndef ERASE_STRIDE
#define ERASE_STRIDE 1
#endif
/// A second cut follows every so manieth first one.
#ifndef SECOND_STRIDE
#define SECOND_STRIDE 1
#endif
/// And cuts every so manieth call.
#ifndef SECOND_CALLS
#define SECOND_CALLS 1
#endif
#ifndef N_SEQUENCES
#define N_SEQUENCES 4
#endif

enum { USED_BYTES = AF_CHECKPOINT_BYTES_FOR(PROGRAM_BYTES), UNIT_BYTES = AF_CHECKPOINT_UNIT(PROGRAM_BYTES) };
enum { SLOT_BYTES = (USED_BYTES + ERASE_BYTES - 1) / ERASE_BYTES * ERASE_BYTES, STEPS_PER_SAVE = 2 };
enum { N_ERASES = (USED_BYTES + ERASE_BYTES - 1) / ERASE_BYTES, N_CALLS = N_ERASES + USED_BYTES / UNIT_BYTES };
enum { N_SAVES = 5, N_STEPS = N_SAVES * STEPS_PER_SAVE };

// ---------------------------------------------------------------------------------------------------- states of a run

/// What a checkpoint holds.
struct snapshot {
    union af_plane weight, adam_m, adam_v;
    struct af_state state;
    uint8_t note[AF_CHECKPOINT_NOTE_BYTES];
};

/// states[i]: after i saves. NONE: no checkpoint at all; WRONG: not one of them; FAILED: the storage did.
static struct snapshot states[N_SAVES + 1];
enum { NONE = -1, WRONG = -2, FAILED = -3 };
static uint32_t last_hash;

static struct af_model model_of(struct snapshot *s) {
    struct af_model m = af_model_of(&af_arena); // gradients and workspace are the arena's
    m.weight = &s->weight;
    m.adam_m = &s->adam_m;
    m.adam_v = &s->adam_v;
    m.state = &s->state;
    return m;
}

static uint32_t hash_of(const struct snapshot *s) {
    uint32_t crc = af_crc32c_reals(0, s->weight.flat, AF_N_PARAMS);
    crc = af_crc32c_reals(crc, s->adam_m.flat, AF_N_PARAMS);
    return af_crc32c_reals(crc, s->adam_v.flat, AF_N_PARAMS);
}

static void make_note(uint8_t note[AF_CHECKPOINT_NOTE_BYTES], uint32_t step) {
    for (uint32_t i = 0; i < AF_CHECKPOINT_NOTE_BYTES; i++) {
        note[i] = (uint8_t)(step * 31 + i);
    }
}

/// One step on strings drawn from the state's own stream.
static void train_step(struct snapshot *s) {
    static af_token token[N_SEQUENCES][AF_CONTEXT], target[N_SEQUENCES][AF_CONTEXT];
    static const struct af_adamw how = AF_ADAMW_CHAPTER;
    struct af_sequence sequence[N_SEQUENCES];
    struct af_numpy *const stream = &s->state.data_stream[0];
    const struct af_model m = model_of(s);
    for (size_t i = 0; i < N_SEQUENCES; i++) {
        for (size_t t = 0; t < AF_CONTEXT; t++) {
            token[i][t] = (af_token)af_numpy_integer(stream, 0, AF_VOCAB);
            target[i][t] = (af_token)((token[i][t] + 1u) % AF_VOCAB);
        }
        sequence[i] = (struct af_sequence){token[i], target[i], AF_CONTEXT};
    }
    if (af_train_begin(&m, N_SEQUENCES * AF_CONTEXT) != AF_OK ||
        af_train_accumulate(&m, sequence, N_SEQUENCES) != AF_OK || af_train_end(&m, how, NULL) != AF_OK) {
        printf("FAIL training: a step is refused\n");
        exit(1);
    }
}

static void start_run(struct snapshot *s) {
    memset(s, 0, sizeof(*s));
    af_init_weights(&s->weight.at, af_arena.work.init_stream, 1);
    af_numpy_seed(&s->state.data_stream[0], 0);
}

/// Trains up to the next save.
static void advance(struct snapshot *s) {
    for (int i = 0; i < STEPS_PER_SAVE; i++) {
        train_step(s);
    }
    make_note(s->note, s->state.progress[0].step);
}

/// What counts of a state, and not what a step has left behind: the sum of its losses, the settings of its update.
static bool is_same(const struct snapshot *a, const struct snapshot *b) {
    const struct af_progress *const p = &a->state.progress[0];
    const struct af_progress *const q = &b->state.progress[0];
    return memcmp(&a->weight, &b->weight, sizeof(a->weight)) == 0 &&
           memcmp(&a->adam_m, &b->adam_m, sizeof(a->adam_m)) == 0 &&
           memcmp(&a->adam_v, &b->adam_v, sizeof(a->adam_v)) == 0 &&
           memcmp(a->state.data_stream, b->state.data_stream, sizeof(a->state.data_stream)) == 0 &&
           memcmp(&p->correction1, &q->correction1, sizeof(p->correction1)) == 0 &&
           memcmp(&p->correction2, &q->correction2, sizeof(p->correction2)) == 0 && p->step == q->step &&
           p->phase == q->phase && memcmp(a->note, b->note, sizeof(a->note)) == 0;
}

static void make_states(void) {
    static struct snapshot run;
    start_run(&run);
    states[0] = run;
    for (int i = 1; i <= N_SAVES; i++) {
        advance(&run);
        states[i] = run;
    }
    last_hash = hash_of(&run);
}

// --------------------------------------------------------------------------------------------------- saving, loading

static af_status save(struct flash *f, struct snapshot *s) {
    const struct af_storage storage = flash_storage(f);
    const struct af_model m = model_of(s);
    return af_checkpoint_save(&storage, &m, s->note);
}

static af_status load(struct snapshot *s, struct flash *f) {
    const struct af_storage storage = flash_storage(f);
    const struct af_model m = model_of(s);
    struct af_checkpoint_info info;
    const af_status status = af_checkpoint_load(&m, &info, &storage);
    if (status == AF_OK) {
        memcpy(s->note, info.note, sizeof(s->note));
    }
    return status;
}

static uint64_t n_states; // loads that were judged

/// Loads, and says which of the states it gave, from the newest on. A refusal has to leave everything as it was.
static int loaded(struct flash *f) {
    static struct snapshot probe, untouched;
    memset(&untouched, 0x5A, sizeof(untouched));
    untouched.state.progress[0].phase = AF_TRAIN_IDLE;
    probe = untouched;
    n_states++;
    const af_status status = load(&probe, f);
    if (status == AF_ERR_CHECKPOINT_LOST || status == AF_ERR_STORAGE) {
        return FAILED;
    }
    if (status != AF_OK) {
        return status == AF_ERR_NO_CHECKPOINT && memcmp(&probe, &untouched, sizeof(probe)) == 0 ? NONE : WRONG;
    }
    for (int i = N_SAVES; i >= 1; i--) {
        if (probe.state.progress[0].step == states[i].state.progress[0].step) {
            return is_same(&probe, &states[i]) ? i : WRONG;
        }
    }
    return WRONG;
}

// ---------------------------------------------------------------------------------------------------------- the sweep

static struct flash flash, second;
static const char *sweep_name;
static int before_save, after_save; // states: from 0 on or NONE
static uint64_t n_cuts, n_call, part, n_parts = 1;
static enum flash_tear tear_now;
static uint32_t at_now;

static void fail(const char *what, int got) {
    printf("FAIL %s: call %llu, tear %d after %u bytes: %s, a load gives %d (state before %d, after %d)\n", sweep_name,
           (unsigned long long)n_call, (int)tear_now, (unsigned)at_now, what, got, before_save, after_save);
    exit(1);
}

/// The cells that a call changes, to be put back.
struct cells {
    uint8_t byte[ERASE_BYTES], shaky[ERASE_BYTES], state[ERASE_BYTES / FLASH_PAGE], unit[ERASE_BYTES / PROGRAM_BYTES];
};

static void keep(struct cells *c, const struct flash *f, uint32_t offset, uint32_t n) {
    memcpy(c->byte, &f->byte[offset], n);
    memcpy(c->shaky, &f->shaky[offset], n);
    memcpy(c->state, &f->state[offset / FLASH_PAGE], n / FLASH_PAGE);
    memcpy(c->unit, &f->unit[offset / PROGRAM_BYTES], n / PROGRAM_BYTES);
}

static void put_back(struct flash *f, const struct cells *c, uint32_t offset, uint32_t n) {
    memcpy(&f->byte[offset], c->byte, n);
    memcpy(&f->shaky[offset], c->shaky, n);
    memcpy(&f->state[offset / FLASH_PAGE], c->state, n / FLASH_PAGE);
    memcpy(&f->unit[offset / PROGRAM_BYTES], c->unit, n / PROGRAM_BYTES);
}

/// What a call is to leave.
static const uint8_t *goal_of(const struct flash *f, bool is_erase, uint32_t offset, const uint8_t *data, uint32_t n) {
    static uint8_t goal[ERASE_BYTES];
    for (uint32_t i = 0; i < n; i++) {
        goal[i] = is_erase ? f->erased : flash_goal(f, f->byte[offset + i], data[i]);
    }
    return goal;
}

static int second_before, second_after;

/// Cuts a call of the second save once, somehow.
static void cut_again(struct flash *f, bool is_erase, uint32_t offset, const uint8_t *data, uint32_t n) {
    static struct cells kept;
    if (flash_random(f) % SECOND_CALLS != 0) {
        return;
    }
    const enum flash_tear tear = (enum flash_tear)(FIRST_TEAR + flash_random(f) % (FLASH_N_TEARS - FIRST_TEAR));
    const uint8_t *const goal = goal_of(f, is_erase, offset, data, n);
    keep(&kept, f, offset, n);
    flash_tear(f, tear, is_erase, offset, goal, n, (uint32_t)(flash_random(f) % n));
    const int got = loaded(f);
    // What was acknowledged last, what the first save may have left, and what the second one writes.
    if (got != before_save && got != second_before && got != second_after) {
        fail("after a second cut", got);
    }
    put_back(f, &kept, offset, n);
}

/// After a first cut: the program loads, goes on to the next save, and is cut again.
static void go_on(const struct flash *f, int first) {
    static struct snapshot run;
    flash_copy(&second, f);
    second.random = f->random ^ (n_cuts * 2654435761u) ^ 1u;
    second.before = cut_again;
    second_before = first;
    second_after = first == after_save ? after_save + 1 : after_save;
    run = states[second_after];
    const af_status status = save(&second, &run);
    second.before = NULL;
    const int got = loaded(&second);
    if (status != AF_OK || got != second_after) {
        fail(status != AF_OK ? af_status_name(status) : "after the save that follows the cut", got);
    }
    if (second.broken != NULL) {
        fail(second.broken, got);
    }
}

static void cut(struct flash *f, bool is_erase, uint32_t offset, const uint8_t *data, uint32_t n) {
    static struct cells kept;
    static uint8_t goal[ERASE_BYTES];
    if (n_call++ % n_parts != part) {
        return;
    }
    memcpy(goal, goal_of(f, is_erase, offset, data, n), n);
    keep(&kept, f, offset, n);
    const uint32_t stride = is_erase ? ERASE_STRIDE : PROGRAM_STRIDE;
    for (int tear = FIRST_TEAR; tear < N_TEARS; tear++) {
        for (uint32_t at = stride == n ? n / 3 : 0; at < n; at += stride) {
            tear_now = (enum flash_tear)tear;
            at_now = at;
            flash_tear(f, tear_now, is_erase, offset, goal, n, at);
            const int got = loaded(f);
            if (got != before_save && got != after_save) {
                fail("after a cut", got);
            }
            if (n_cuts++ % SECOND_STRIDE == 0) {
                go_on(f, got);
            }
            put_back(f, &kept, offset, n);
        }
    }
}

/// Fills the storage with what a load may find at the start: `n_before` checkpoints, or noise.
static void prepare(int n_before, bool is_noise) {
    flash.before = NULL;
    flash.is_off = false;
    flash_clear(&flash);
    for (uint32_t i = 0; i < flash.n_bytes && is_noise; i++) {
        flash.byte[i] = flash_bits(&flash);
        flash.unit[i / PROGRAM_BYTES] = FLASH_READABLE;
    }
    for (int i = 1; i <= n_before; i++) {
        if (save(&flash, &states[i]) != AF_OK) {
            printf("FAIL prepare: a save fails\n");
            exit(1);
        }
    }
}

/// Sweeps over the save number n_before + 1.
static void sweep(const char *name, int n_before, bool is_noise) {
    sweep_name = name;
    prepare(n_before, is_noise);
    before_save = n_before == 0 ? NONE : n_before;
    after_save = n_before + 1;
    n_call = 0;
    const uint64_t n_before_states = n_states;
    flash.before = cut;
    const af_status status = save(&flash, &states[after_save]);
    flash.before = NULL;
    const int got = loaded(&flash);
    if (status != AF_OK || got != after_save || flash.broken != NULL) {
        fail(flash.broken != NULL ? flash.broken : af_status_name(status), got);
    }
    printf("ok %s (%llu calls, %llu states)\n", name, (unsigned long long)n_call,
           (unsigned long long)(n_states - n_before_states));
    (void)fflush(stdout);
}

/// From any of the states that a load may give, the run ends as if there had been no cut.
static void check_ends(void) {
    static struct snapshot run;
    for (int i = 0; i <= N_SAVES; i++) {
        run = states[i];
        if (i == 0) {
            start_run(&run);
        }
        // As a load leaves it: without what the last step has left behind.
        const struct af_progress p = run.state.progress[0];
        memset(&run.state.progress[0], 0, sizeof(p));
        run.state.progress[0].step = p.step;
        run.state.progress[0].correction1 = p.correction1;
        run.state.progress[0].correction2 = p.correction2;
        for (int k = i; k < N_SAVES; k++) {
            advance(&run);
        }
        if (hash_of(&run) != last_hash) {
            printf("FAIL same-end: from state %d the run ends in another hash\n", i);
            exit(1);
        }
    }
    printf("ok same-end (%08X after %d steps)\n", (unsigned)last_hash, (int)N_STEPS);
}

static int sweeps(bool is_third_only) {
    check_ends();
    if (is_third_only) {
        sweep("third-save", 2, false);
        return 0;
    }
    sweep("first-save", 0, false);
    sweep("first-save-over-noise", 0, true);
    sweep("second-save", 1, false);
    sweep("third-save", 2, false);
    printf("ok all-sweeps (%llu states)\n", (unsigned long long)n_states);
    return 0;
}

// --------------------------------------------------------------------------------------------------- runs end to end

static uint64_t cut_after; // programs and erases until the power fails

static void cut_once(struct flash *f, bool is_erase, uint32_t offset, const uint8_t *data, uint32_t n) {
    if (cut_after-- > 0) {
        return;
    }
    const enum flash_tear tear = (enum flash_tear)(FIRST_TEAR + flash_random(f) % (FLASH_N_TEARS - FIRST_TEAR));
    flash_tear(f, tear, is_erase, offset, goal_of(f, is_erase, offset, data, n), n, (uint32_t)(flash_random(f) % n));
    f->is_off = true;
}

/// The program of a device: loads, or starts anew, and trains to the end with a save now and then. Whether it got
/// there; `acknowledged` becomes the newest state whose save has returned AF_OK.
static bool run_device(struct snapshot *run, int *acknowledged) {
    if (load(run, &flash) != AF_OK) {
        start_run(run);
    }
    while (run->state.progress[0].step < N_STEPS) {
        advance(run);
        if (save(&flash, run) != AF_OK) {
            return false;
        }
        *acknowledged = (int)run->state.progress[0].step / STEPS_PER_SAVE;
    }
    return true;
}

static int runs(uint64_t n_runs) {
    static struct snapshot run;
    uint64_t n_cuts_made = 0;
    for (uint64_t i = 0; i < n_runs; i++) {
        int acknowledged = NONE;
        prepare(0, (i & 1u) != 0);
        for (bool is_done = false; !is_done;) {
            memset(&run, 0, sizeof(run)); // RAM forgets
            flash.is_off = false;
            flash.before = cut_once;
            cut_after = flash_random(&flash) % ((uint64_t)N_CALLS * (N_SAVES + 2));
            is_done = run_device(&run, &acknowledged);
            n_cuts_made += flash.is_off ? 1 : 0;
        }
        flash.is_off = false;
        flash.before = NULL;
        // A load may give a state whose save was cut, and at the next time the one before.
        const int got = loaded(&flash);
        if (hash_of(&run) != last_hash || (got != N_SAVES && got != acknowledged) || flash.broken != NULL) {
            printf("FAIL runs: run %llu ends in another state%s%s\n", (unsigned long long)i,
                   flash.broken != NULL ? "; " : "", flash.broken != NULL ? flash.broken : "");
            return 1;
        }
    }
    printf("ok runs (%llu runs, %llu cuts, each ends in %08X)\n", (unsigned long long)n_runs,
           (unsigned long long)n_cuts_made, (unsigned)last_hash);
    return 0;
}

// --------------------------------------------------------------------------------------- units that cannot be read

/// Loads, again if need be: of a unit that can be read at times, at one of these times.
static int loaded_at_last(struct flash *f) {
    int got = NONE;
    for (int tries = 0; tries < 100 && (got == NONE || got == FAILED); tries++) {
        got = loaded(f);
    }
    return got;
}

/// Both slots hold a checkpoint and one unit cannot be read, always or at times: a load gives one of the two, and the
/// next save succeeds. If that is cut, there still is a whole one, of these three. And nothing is asked of the flash
/// that its rules forbid.
static int units(void) {
    static struct snapshot run;
    static struct flash whole;
    uint64_t n_units = 0;
    sweep_name = "units";
    prepare(2, false);
    before_save = 1; // the state in the older slot; the newer one has 2
    after_save = 3;
    whole = flash_new(flash.n_bytes, ERASE_BYTES, PROGRAM_BYTES);
    flash_copy(&whole, &flash);
    for (uint64_t k = 0; k < 2 * 2 * (uint64_t)(SLOT_BYTES / PROGRAM_BYTES); k++) {
        const uint64_t unit = k / 2;
        for (int is_cut = 0; is_cut < 2; is_cut++) {
            flash_copy(&flash, &whole);
            flash.unit[unit] = k % 2 == 0 ? FLASH_BAD : FLASH_MOODY;
            flash.before = is_cut != 0 ? cut_once : NULL;
            cut_after = flash_random(&flash) % N_CALLS;
            n_call = unit;
            const int got = loaded(&flash);
            if (got != 1 && got != 2) {
                fail("with a unit that cannot be read", got);
            }
            run = states[3];
            const af_status status = save(&flash, &run);
            flash.before = NULL;
            flash.is_off = false;
            const int then = is_cut == 0 ? loaded(&flash) : loaded_at_last(&flash);
            if (is_cut == 0 ? status != AF_OK || then != 3 : then < 1 || then > 3) {
                fail(is_cut == 0 ? af_status_name(status) : "after a cut in the next save", then);
            }
            if (flash.broken != NULL) {
                fail(flash.broken, then);
            }
            n_units++;
        }
    }
    flash_free(&whole);
    printf("ok units (%llu)\n", (unsigned long long)n_units);
    return 0;
}

/// A unit that is worn reads as bad though its program has succeeded: the save says so, and the checkpoint before stays.
static int worn(void) {
    static struct snapshot run;
    sweep_name = "worn";
    before_save = 2;
    after_save = 3;
    for (uint32_t unit = 0; unit < (uint32_t)USED_BYTES / PROGRAM_BYTES; unit++) {
        prepare(2, false);
        flash.unit[unit] = FLASH_WORN; // slot 0 is the next one
        n_call = unit;
        run = states[3];
        const af_status status = save(&flash, &run);
        const int got = loaded(&flash);
        // Worn may be what fills a unit up and nobody looks at; or the last page alone, which a load does not need.
        if (got != 3 && (got != 2 || status != AF_ERR_STORAGE)) {
            fail(af_status_name(status), got);
        }
    }
    printf("ok worn (%d units)\n", (int)(USED_BYTES / PROGRAM_BYTES));
    return 0;
}

// --------------------------------------------------------------------------------------------- a storage with a cache

/// Calls since the last sync. The power fails, and of these any may have reached the memory, each whole or in pages.
struct pending {
    uint32_t offset, n;
    uint8_t data[ERASE_BYTES];
};
static struct pending pending[4096];
static size_t n_pending;
static struct flash reached; // what has certainly reached the memory
static uint64_t n_cached;

static void note_pending(bool is_erase, uint32_t offset, const uint8_t *data, uint32_t n) {
    struct pending *const p = &pending[n_pending++];
    p->offset = offset;
    p->n = n;
    if (is_erase) {
        memset(p->data, 0xFF, n);
    } else {
        memcpy(p->data, data, n);
    }
}

/// Loses some of what is pending, and loads, 200 times over. `worst` is the oldest state that may come.
static void lose_pending(struct flash *f, int worst) {
    for (int k = 0; k < 200; k++) {
        flash_copy(&second, &reached);
        for (size_t i = 0; i < n_pending; i++) {
            for (uint32_t b = 0; b < pending[i].n; b += FLASH_PAGE) {
                if ((flash_random(f) >> 60 & (k % 2 == 0 ? 1u : 7u)) != 0) { // a half, or most of it
                    memcpy(&second.byte[pending[i].offset + b], &pending[i].data[b], FLASH_PAGE);
                }
            }
        }
        n_cached++;
        const int got = loaded(&second);
        if (got != worst && got != after_save) {
            fail("after a cut that lost what was cached", got);
        }
    }
}

static void cut_cache(struct flash *f, bool is_erase, uint32_t offset, const uint8_t *data, uint32_t n) {
    note_pending(is_erase, offset, data, n);
    n_call++;
    lose_pending(f, before_save);
}

static bool sync_cache(void *context) {
    struct flash *const f = (struct flash *)context;
    flash_copy(&reached, f);
    n_pending = 0;
    return true;
}

static int cache(void) {
    sweep_name = "cache";
    for (int n_before = 0; n_before < 4; n_before++) {
        prepare(n_before, false);
        before_save = n_before == 0 ? NONE : n_before;
        after_save = n_before + 1;
        flash_copy(&reached, &flash);
        n_pending = 0;
        flash.before = cut_cache;
        struct af_storage storage = flash_storage(&flash);
        const struct af_model m = model_of(&states[after_save]);
        storage.sync = sync_cache;
        n_call = 0;
        if (af_checkpoint_save(&storage, &m, states[after_save].note) != AF_OK) {
            fail("a save fails", WRONG);
        }
        lose_pending(&flash, after_save); // a save that has returned stays
    }
    printf("ok cache (%llu states)\n", (unsigned long long)n_cached);
    return 0;
}

// ---------------------------------------------------------------------------------------------------------------- wear

static int wear(void) {
    enum { N = 1000 };
    const uint64_t n_erases = N_ERASES;
    prepare(0, false);
    for (uint64_t i = 1; i <= N; i++) {
        const uint64_t a = flash.n_erases_of[0];
        const uint64_t b = flash.n_erases_of[1];
        if (save(&flash, &states[1]) != AF_OK) {
            printf("FAIL wear: a save fails\n");
            return 1;
        }
        const uint64_t difference = flash.n_erases_of[0] > flash.n_erases_of[1]
                                        ? flash.n_erases_of[0] - flash.n_erases_of[1]
                                        : flash.n_erases_of[1] - flash.n_erases_of[0];
        if (flash.n_erases_of[0] - a + flash.n_erases_of[1] - b != n_erases || difference > n_erases) {
            printf("FAIL wear: save %llu erases %llu and %llu sectors\n", (unsigned long long)i,
                   (unsigned long long)(flash.n_erases_of[0] - a), (unsigned long long)(flash.n_erases_of[1] - b));
            return 1;
        }
    }
    if (flash.n_programs != (uint64_t)N * (USED_BYTES / UNIT_BYTES) || flash.n_syncs != (uint64_t)N * 3 ||
        flash.n_programmed_bytes != (uint64_t)N * USED_BYTES) {
        printf("FAIL wear: %llu programs, %llu bytes, %llu syncs in %d saves\n", (unsigned long long)flash.n_programs,
               (unsigned long long)flash.n_programmed_bytes, (unsigned long long)flash.n_syncs, (int)N);
        return 1;
    }
    printf("ok wear (a save: %d bytes in %d programs, %llu erases of %d bytes; after %d saves each sector of a slot "
           "was erased %d times)\n",
           (int)USED_BYTES, (int)(USED_BYTES / UNIT_BYTES), (unsigned long long)n_erases, (int)ERASE_BYTES, (int)N,
           N / 2);
    return 0;
}

int main(int argc, char **argv) {
    const char *const what = argc > 1 ? argv[1] : "";
    if (argc > 3) {
        part = (uint64_t)strtoul(argv[2], NULL, 10);
        n_parts = (uint64_t)strtoul(argv[3], NULL, 10);
    }
    struct flash *const memories[] = {&flash, &second, &reached};
    for (size_t i = 0; i < 3; i++) {
        *memories[i] = flash_new(2 * SLOT_BYTES, ERASE_BYTES, PROGRAM_BYTES);
        memories[i]->erased = ERASED;
        memories[i]->blank_faults = BLANK_FAULTS;
    }
    make_states();
    if (strcmp(what, "sweep") == 0) {
        return sweeps(false);
    }
    if (strcmp(what, "third") == 0) {
        return sweeps(true);
    }
    if (strcmp(what, "runs") == 0) {
        return runs(argc > 2 ? (uint64_t)strtoul(argv[2], NULL, 10) : 200);
    }
    if (strcmp(what, "units") == 0) {
        return units();
    }
    if (strcmp(what, "worn") == 0) {
        return worn();
    }
    if (strcmp(what, "cache") == 0) {
        return cache();
    }
    if (strcmp(what, "wear") == 0) {
        return wear();
    }
    (void)fprintf(stderr, "power_cuts: say sweep, third, runs, units, worn, cache or wear\n");
    return 2;
}
