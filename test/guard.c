// SPDX-License-Identifier: MIT
// Training and decoding in an arena in which everything that should not be touched is guarded. Between any two slices
// of work, every byte that the map says is dead in the phase that follows, gaps included, is filled with a pattern and
// poisoned for AddressSanitizer. So a read or a write there ends the program; on machines without that sanitizer a
// write shows in the pattern, and a read in the bits of the result, which have to be those of a run without guards.
//
//   guard              prints "ok NAME" or "FAIL NAME: ..."
//   guard FAULT        plants a fault, 0 to N_FAULTS - 1; the program then must not end well
#include "af.h"
#include "af_kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define HAS_POISON 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_POISON 1
#endif
#endif
#ifdef HAS_POISON
#include <sanitizer/asan_interface.h>
#define POISON(at, n)   ASAN_POISON_MEMORY_REGION(at, n)
#define UNPOISON(at, n) ASAN_UNPOISON_MEMORY_REGION(at, n)
#else
#define POISON(at, n)   ((void)(at), (void)(n))
#define UNPOISON(at, n) ((void)(at), (void)(n))
#endif

enum { N_STEPS = 3, N_SEQUENCES = 5, PATTERN = 0xA5 };

// ------------------------------------------------------------------------------------------------------------- guards

static uint8_t *const arena = (uint8_t *)&af_arena;
static bool is_live[sizeof(struct af_arena)]; // each byte, in the phase at hand
static bool is_guarded;                       // this run has guards
static uint64_t n_boundaries;

static size_t offset_of(const struct af_tensor *t) {
    return (size_t)((const uint8_t *)t->address - arena);
}

/// Whether nobody has written where nothing lives.
static void check_pattern(void) {
    for (size_t i = 0; i < sizeof(is_live); i++) {
        if (!is_live[i] && arena[i] != PATTERN) {
            const struct af_tensor t = af_map_at(&af_map, &arena[i], 63);
            printf("FAIL guard: boundary %llu: a byte of %s, +%zu, was written while it was dead\n",
                   (unsigned long long)n_boundaries, t.name, i);
            exit(1);
        }
    }
}

/// The work that follows is of the phases `live`.
static void enter(unsigned live) {
    if (!is_guarded) {
        return;
    }
    UNPOISON(arena, sizeof(is_live));
    if (n_boundaries > 0) {
        check_pattern();
    }
    n_boundaries++;
    memset(is_live, 0, sizeof(is_live));
    for (size_t i = 0; i < af_map_count(&af_map); i++) {
        const struct af_tensor t = af_map_tensor(&af_map, i);
        if ((t.live & live) != 0 && t.type != AF_TYPE_GAP) {
            memset(&is_live[offset_of(&t)], 1, t.n_bytes);
        }
    }
    for (size_t i = 0; i < sizeof(is_live); i++) {
        arena[i] = is_live[i] ? arena[i] : PATTERN;
    }
    POISON(arena, sizeof(is_live));
    for (size_t i = 0;
         i < sizeof(is_live);) { // runs of live bytes; a run that begins inside eight bytes frees all of them
        size_t n = 0;
        while (i + n < sizeof(is_live) && is_live[i + n]) {
            n++;
        }
        if (n > 0) {
            UNPOISON(&arena[i], n);
        }
        i += n > 0 ? n : 1;
    }
}

static void leave(void) {
    enter(63);
    UNPOISON(arena, sizeof(is_live));
    n_boundaries = 0;
    is_guarded = false;
}

// ------------------------------------------------------------------------------------------------------ planted faults

static int fault = -1;

/// What a program under test should never do. The places are chosen so that no other test of its result would notice.
static void plant(int which) {
    volatile uint8_t *const weight_gap = af_arena.weight_gap;
    volatile af_real sum = 0;
    if (which != fault) {
        return;
    }
    switch (which) {
    case 0: // during the update: activations are dead
        af_arena.work.train.lnf[0][0] = 1;
        break;
    case 1: // during forward: gradients of activations are dead
        af_arena.work.train.d_x[0][0] = 1;
        break;
    case 2: // one element behind a plane
        weight_gap[0] = 1;
        break;
    case 3: // during decoding: gradients are dead
        af_arena.grad.flat[AF_N_PARAMS - 1] = 1;
        break;
    case 4: // a read during the update
        sum = sum + af_arena.work.train.logits[0][0];
        break;
    default: // a read behind a plane
        sum = sum + (af_real)weight_gap[sizeof(af_arena.weight_gap) - 1];
        break;
    }
}

enum { N_FAULTS = 6 };

// --------------------------------------------------------------------------------------------------------------- a run

static af_token token[N_SEQUENCES][AF_CONTEXT], target[N_SEQUENCES][AF_CONTEXT];

static void expect(af_status got, af_status expected) {
    if (got != expected) {
        printf("FAIL run: %s instead of %s\n", af_status_name(got), af_status_name(expected));
        exit(1);
    }
}

static uint32_t draw(struct af_sequence sequence[N_SEQUENCES]) {
    struct af_numpy *const stream = &af_arena.state.data_stream[0];
    uint32_t n_targets = 0;
    for (size_t s = 0; s < N_SEQUENCES; s++) {
        const size_t n = af_numpy_integer(stream, 2, AF_CONTEXT + 1);
        for (size_t i = 0; i < n; i++) {
            token[s][i] = (af_token)af_numpy_integer(stream, 0, AF_VOCAB);
            target[s][i] = i < n / 2 ? AF_IGNORE : (af_token)((token[s][i] + 1u) % AF_VOCAB);
            n_targets += target[s][i] != AF_IGNORE;
        }
        sequence[s] = (struct af_sequence){token[s], target[s], n};
    }
    return n_targets;
}

/// One step, slice by slice, each in its phases.
static void guarded_step(const struct af_model *m) {
    static const struct af_adamw how = AF_ADAMW_CHAPTER;
    struct af_sequence sequence[N_SEQUENCES];
    const uint32_t n_targets = draw(sequence);
    enter(AF_LIVE_FORWARD);
    expect(af_train_begin(m, n_targets), AF_OK);
    for (size_t s = 0; s < N_SEQUENCES; s += AF_MICRO_BATCH) {
        const size_t left = N_SEQUENCES - s;
        expect(af_train_load(m, &sequence[s], left < AF_MICRO_BATCH ? left : AF_MICRO_BATCH), AF_OK);
        for (unsigned stage = 0; stage < AF_N_STAGES; stage++) {
            // The first slice backward computes the loss, too. Both halves of a block's backward pass are
            // in one slice.
            enter(stage < AF_N_STAGES_FORWARD    ? AF_LIVE_FORWARD
                  : stage == AF_N_STAGES_FORWARD ? AF_LIVE_PASS
                                                 : AF_LIVE_BACKWARD);
            if (stage == 1) {
                plant(1);
                plant(2);
            }
            expect(af_train_slice(m), stage + 1 < AF_N_STAGES ? AF_MORE : AF_OK);
        }
        enter(AF_LIVE_FORWARD);
    }
    enter(AF_LIVE_UPDATE);
    plant(0);
    plant(4);
    plant(5);
    af_status status = AF_MORE;
    while (status == AF_MORE) {
        status = af_train_update(m, how, NULL);
    }
    expect(status, AF_OK);
}

static uint32_t hash_of_run(const struct af_model *m, bool with_guards) {
    struct af_decode *decode = NULL;
    af_token out[AF_CONTEXT] = {0};
    uint32_t hash = 0;
    memset(&af_arena, 0, sizeof(af_arena));
    is_guarded = with_guards;
    enter(AF_LIVE_INIT);
    af_init_weights(&m->weight->at, m->work->init_stream, 1);
    expect(af_train_reset(m), AF_OK);
    af_numpy_seed(&m->state->data_stream[0], 0);
    for (int step = 0; step < N_STEPS; step++) {
        guarded_step(m);
        enter(AF_LIVE_DECODE);
        plant(3);
        const struct af_reader reader = af_reader_of(m);
        expect(af_decode_open(m, &decode), AF_OK);
        expect(af_decode_greedy(out, decode, &reader, token[0], 2, AF_CONTEXT - 2), AF_OK);
        hash = af_crc32c(hash, out, (AF_CONTEXT - 2) * sizeof(af_token));
        hash = af_crc32c_reals(hash, decode->logits, AF_VOCAB);
    }
    leave();
    hash = af_crc32c_reals(hash, m->weight->flat, AF_N_PARAMS);
    hash = af_crc32c_reals(hash, m->adam_m->flat, AF_N_PARAMS);
    return af_crc32c_reals(hash, m->adam_v->flat, AF_N_PARAMS);
}

int main(int argc, char **argv) {
    struct af_model m = af_model_of(&af_arena);
#ifdef TEST_KERNELS
    m.kernels = &TEST_KERNELS;
#endif
    fault = argc > 1 ? (int)strtol(argv[1], NULL, 10) : -1;
    if (argc > 1 && (fault < 0 || fault >= N_FAULTS)) {
        (void)fprintf(stderr, "guard: faults are 0 to %d\n", (int)N_FAULTS - 1);
        return 2;
    }
    const uint32_t plain = fault < 0 ? hash_of_run(&m, false) : 0;
    const uint32_t guarded = hash_of_run(&m, true);
    if (fault >= 0) {
        printf("FAIL fault-%d: nobody has noticed\n", fault);
        return 0;
    }
    if (plain != guarded) {
        printf("FAIL same-bits: 0x%08x with guards, 0x%08x without\n", (unsigned)guarded, (unsigned)plain);
        return 1;
    }
    printf("ok same-bits-with-guards (0x%08x)\n", (unsigned)guarded);
    return 0;
}
