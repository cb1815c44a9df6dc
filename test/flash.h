// SPDX-License-Identifier: MIT
/// A flash memory in RAM that keeps the rules and can be torn: power cuts in the middle of an erase or of a program
/// leave what real cells may hold then, bits included that read differently from one time to the next, and program units
/// whose error correction gives up, always or at times.
///
/// Rules: an erase makes all bytes of a sector `erased`; a program changes bits of a page that was erased to its end
/// since and not programmed yet. `data` is aligned like a uint64_t. A call that breaks a rule is remembered in `broken`.
#ifndef FLASH_H
#define FLASH_H

#include "af.h"

#include <stdlib.h>
#include <string.h>

#define FLASH_PAGE AF_CHECKPOINT_PAGE_BYTES

/// How a uint64_t is aligned.
struct flash_alignment {
    char at_any_place;
    uint64_t word;
};
#define FLASH_ALIGNMENT offsetof(struct flash_alignment, word)

struct flash {
    uint8_t *byte;  // [n_bytes]
    uint8_t *shaky; // [n_bytes]: bits that read as they like
    uint8_t *state; // [n_bytes / FLASH_PAGE]: what may be done with a page
    uint8_t *unit;  // [n_bytes / program_bytes]: whether a program unit can be read
    uint32_t n_bytes;
    uint32_t erase_bytes;
    uint32_t program_bytes;
    uint64_t random;
    const char *broken; // the rule that was broken first
    uint8_t erased;     // what an erased byte holds, 0xFF or 0
    bool blank_faults;  // erased units cannot be read

    uint64_t n_reads, n_programs, n_erases, n_syncs; // calls
    uint64_t n_programmed_bytes;
    uint64_t n_erases_of[2]; // sectors erased in either slot
    uint64_t fail_at;        // this call, counted from 1 over all four kinds, fails; 0: none
    uint64_t n_calls;
    bool is_off; // all calls fail

    /// Called before a program or an erase is carried out; if it switches the memory off, that is not done.
    void (*before)(struct flash *flash, bool is_erase, uint32_t offset, const uint8_t *data, uint32_t n_bytes);
};

enum { FLASH_DIRTY, FLASH_ERASED, FLASH_PROGRAMMED }; // DIRTY: unknown, or an erase that was interrupted

/// Units: erased; programmed, even if not to the end; unreadable; readable at times; worn, so that a program seems to
/// work and leaves an unreadable one.
enum { FLASH_BLANK, FLASH_READABLE, FLASH_BAD, FLASH_MOODY, FLASH_WORN };

/// xorshift64*, for tears only.
static inline uint64_t flash_random(struct flash *f) {
    f->random ^= f->random >> 12;
    f->random ^= f->random << 25;
    f->random ^= f->random >> 27;
    return f->random * UINT64_C(2685821657736338717);
}

/// Makes all bytes erased. Whether a page may be programmed is not known.
static inline void flash_clear(struct flash *f) {
    memset(f->byte, f->erased, f->n_bytes);
    memset(f->shaky, 0, f->n_bytes);
    memset(f->state, FLASH_DIRTY, f->n_bytes / FLASH_PAGE);
    memset(f->unit, FLASH_BLANK, f->n_bytes / f->program_bytes);
}

static inline struct flash flash_new(uint32_t n_bytes, uint32_t erase_bytes, uint32_t program_bytes) {
    struct flash f;
    memset(&f, 0, sizeof(f));
    f.byte = (uint8_t *)malloc(n_bytes);
    f.shaky = (uint8_t *)calloc(n_bytes, 1);
    f.state = (uint8_t *)calloc(n_bytes / FLASH_PAGE, 1);
    f.unit = (uint8_t *)calloc(n_bytes / program_bytes, 1);
    if (f.byte == NULL || f.shaky == NULL || f.state == NULL || f.unit == NULL) {
        abort();
    }
    f.n_bytes = n_bytes;
    f.erase_bytes = erase_bytes;
    f.program_bytes = program_bytes;
    f.random = 88172645463325252u;
    f.erased = 0xFF;
    flash_clear(&f);
    return f;
}

static inline void flash_free(struct flash *f) {
    free(f->byte);
    free(f->shaky);
    free(f->state);
    free(f->unit);
}

/// Copies the cells of one memory into another of the same size.
static inline void flash_copy(struct flash *to, const struct flash *from) {
    memcpy(to->byte, from->byte, from->n_bytes);
    memcpy(to->shaky, from->shaky, from->n_bytes);
    memcpy(to->state, from->state, from->n_bytes / FLASH_PAGE);
    memcpy(to->unit, from->unit, from->n_bytes / from->program_bytes);
}

static inline void flash_break(struct flash *f, const char *rule) {
    if (f->broken == NULL) {
        f->broken = rule;
    }
}

static inline bool flash_fails(struct flash *f) {
    f->n_calls++;
    return f->is_off || f->n_calls == f->fail_at;
}

static inline bool flash_inside(struct flash *f, uint32_t offset, uint32_t n_bytes, uint32_t unit) {
    if (offset % unit != 0 || n_bytes % unit != 0 || offset > f->n_bytes || n_bytes > f->n_bytes - offset) {
        flash_break(f, "a call is misaligned or outside");
        return false;
    }
    return true;
}

static inline bool flash_aligned(struct flash *f, const void *data) {
    if ((uintptr_t)data % FLASH_ALIGNMENT != 0) {
        flash_break(f, "data is not aligned like a uint64_t");
        return false;
    }
    return true;
}

/// Whether the units of some bytes can be read this time.
static inline bool flash_readable(struct flash *f, uint32_t offset, uint32_t n_bytes) {
    bool is_good = true;
    for (uint32_t u = offset / f->program_bytes; u * f->program_bytes < offset + n_bytes; u++) {
        const uint8_t unit = f->unit[u];
        is_good = is_good && unit != FLASH_BAD && unit != FLASH_WORN && (unit != FLASH_BLANK || !f->blank_faults) &&
                  (unit != FLASH_MOODY || (flash_random(f) >> 63) != 0);
    }
    return is_good;
}

static inline bool flash_read(void *context, uint32_t offset, void *data, uint32_t n_bytes) {
    struct flash *f = (struct flash *)context;
    if (flash_fails(f) || !flash_inside(f, offset, n_bytes, FLASH_PAGE) || !flash_aligned(f, data)) {
        return false;
    }
    uint8_t *to = (uint8_t *)data;
    f->n_reads++;
    if (!flash_readable(f, offset, n_bytes)) {
        memset(to, 0x5A, n_bytes / 2); // a part of it has come through
        return false;
    }
    memcpy(to, &f->byte[offset], n_bytes);
    for (uint32_t i = 0; i < n_bytes; i += 8) {
        uint64_t mask;
        memcpy(&mask, &f->shaky[offset + i], 8);
        if (mask != 0) {
            uint64_t word;
            memcpy(&word, &to[i], 8);
            word ^= mask & flash_random(f);
            memcpy(&to[i], &word, 8);
        }
    }
    return true;
}

/// What a byte becomes by a program: bits change away from those of an erased one only.
static inline uint8_t flash_goal(const struct flash *f, uint8_t byte, uint8_t data) {
    return f->erased == 0 ? (uint8_t)(byte | data) : (uint8_t)(byte & data);
}

static inline bool flash_program(void *context, uint32_t offset, const void *data, uint32_t n_bytes) {
    struct flash *f = (struct flash *)context;
    const uint32_t unit = f->program_bytes > FLASH_PAGE ? f->program_bytes : FLASH_PAGE;
    if (flash_fails(f) || !flash_inside(f, offset, n_bytes, unit) || !flash_aligned(f, data)) {
        return false;
    }
    if (f->before != NULL) {
        f->before(f, false, offset, (const uint8_t *)data, n_bytes);
    }
    if (f->is_off) {
        return false;
    }
    for (uint32_t i = 0; i < n_bytes; i++) {
        if (f->state[(offset + i) / FLASH_PAGE] != FLASH_ERASED) {
            flash_break(f, "a page is programmed that was not erased before");
        }
        f->byte[offset + i] = flash_goal(f, f->byte[offset + i], ((const uint8_t *)data)[i]);
    }
    memset(&f->state[offset / FLASH_PAGE], FLASH_PROGRAMMED, n_bytes / FLASH_PAGE);
    for (uint32_t u = offset / f->program_bytes; u < (offset + n_bytes) / f->program_bytes; u++) {
        f->unit[u] = f->unit[u] == FLASH_WORN ? FLASH_BAD : FLASH_READABLE;
    }
    f->n_programs++;
    f->n_programmed_bytes += n_bytes;
    return true;
}

static inline bool flash_erase(void *context, uint32_t offset, uint32_t n_bytes) {
    struct flash *f = (struct flash *)context;
    if (flash_fails(f) || !flash_inside(f, offset, n_bytes, f->erase_bytes)) {
        return false;
    }
    if (f->before != NULL) {
        f->before(f, true, offset, NULL, n_bytes);
    }
    if (f->is_off) {
        return false;
    }
    memset(&f->byte[offset], f->erased, n_bytes);
    memset(&f->shaky[offset], 0, n_bytes);
    memset(&f->state[offset / FLASH_PAGE], FLASH_ERASED, n_bytes / FLASH_PAGE);
    for (uint32_t u = offset / f->program_bytes; u < (offset + n_bytes) / f->program_bytes; u++) {
        f->unit[u] = f->unit[u] == FLASH_WORN ? FLASH_WORN : FLASH_BLANK;
    }
    f->n_erases++;
    f->n_erases_of[offset >= f->n_bytes / 2]++;
    return true;
}

static inline bool flash_sync(void *context) {
    struct flash *f = (struct flash *)context;
    f->n_syncs++;
    return !flash_fails(f);
}

static inline struct af_storage flash_storage(struct flash *f) {
    struct af_storage s = {flash_read,     flash_program,  flash_erase,      flash_sync,      f,
                           f->n_bytes / 2, f->erase_bytes, f->program_bytes, !f->blank_faults};
    return s;
}

// ------------------------------------------------------------------------------------------------- forging an image

static inline void flash_put(uint8_t *at, uint64_t number, size_t n) {
    for (size_t i = 0; i < n; i++) {
        at[i] = (uint8_t)(number >> (8 * i));
    }
}

static inline uint32_t flash_get(const uint8_t *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/// Makes all page numbers, check sums and both commit pages of an image right, whatever it holds. (Of one with program
/// units of 256 bytes or less.)
static inline void flash_reseal(uint8_t *image) {
    enum { AT_CRC = FLASH_PAGE - 4 };
    uint32_t sum = 0;
    flash_put(image, 0, 4);
    flash_put(&image[AT_CRC], af_crc32c(0, image, AT_CRC), 4);
    const uint32_t seed = flash_get(&image[AT_CRC]);
    for (uint32_t p = 1; p < AF_CHECKPOINT_PAGES; p++) {
        uint8_t *const page = &image[p * FLASH_PAGE];
        const bool is_commit = p + 2 >= AF_CHECKPOINT_PAGES;
        flash_put(page, p, 4);
        if (is_commit) {
            memcpy(&page[4], &image[32], 8);
            flash_put(&page[12], sum, 4);
        }
        flash_put(&page[AT_CRC], af_crc32c(seed, page, AT_CRC), 4);
        sum = is_commit ? sum : af_crc32c(sum, &page[AT_CRC], 4);
    }
}

// -------------------------------------------------------------------------------------------------------------- tears

/// How an interrupted call leaves its cells. `at` is how far it came, in bytes. Of a program, then of an erase:
enum flash_tear {
    FLASH_PREFIX,     // the first bytes are done
    FLASH_RANDOM,     // some of the bits have changed already
    FLASH_UNORDERED,  // program units, or pages, done in any order
    FLASH_SHAKY_FEW,  // nearly done: one to three bits read as they like
    FLASH_SUFFIX,     // the first bytes, and of the next one some bits; of an erase: the last bytes
    FLASH_SHAKY_EDGE, // the first bytes; the next eight read as they like
    FLASH_SHAKY_ALL,  // every bit that has to change may be either, each time
    FLASH_FEW,        // all, but nobody heard of it; of an erase: one to three bits, too few to notice
    FLASH_UNREADABLE, // the first units; the next one, of an erase all others, cannot be read
    FLASH_AT_TIMES,   // the first units; the next one, of an erase all others, can be read at times, half done
    FLASH_N_TEARS
};

/// Some bits: each set with probability 1/2.
static inline uint8_t flash_bits(struct flash *f) {
    return (uint8_t)(flash_random(f) >> 56);
}

/// One to three cells, of those that differ from `goal`: shaky if `is_shaky`, else as they were.
static inline void flash_few(struct flash *f, uint32_t offset, const uint8_t *goal, uint32_t n, bool is_shaky) {
    const uint64_t count = 1 + flash_random(f) % 3;
    for (uint64_t k = 0, tries = 0; k < count && tries < 10000; tries++) {
        const uint32_t i = (uint32_t)(flash_random(f) % n);
        const uint8_t bit = (uint8_t)(1u << (flash_random(f) % 8));
        if (((f->byte[offset + i] ^ goal[i]) & bit) != 0) {
            if (is_shaky) {
                f->shaky[offset + i] |= bit;
            } else {
                f->byte[offset + i] ^= bit;
            }
            k++;
        }
    }
}

/// The units [offset, offset + n) of a call that was interrupted in the unit of byte `at`: `torn` is what that is.
static inline void flash_tear_units(struct flash *f, uint8_t torn, bool is_erase, uint32_t offset, uint32_t n,
                                    uint32_t at) {
    const uint32_t size = f->program_bytes;
    for (uint32_t i = 0; i < n; i += size) {
        uint8_t *const unit = &f->unit[(offset + i) / size];
        if (i + size <= at) {
            *unit = is_erase ? FLASH_BLANK : FLASH_READABLE;
        } else if (i <= at || is_erase) {
            *unit = torn;
        }
    }
}

/// As a flash with error correction: units before `at` are done, of what is torn the first half is.
static inline void flash_tear_ecc(struct flash *f, uint8_t torn, bool is_erase, uint32_t offset, const uint8_t *goal,
                                  uint32_t n, uint32_t at) {
    const uint32_t size = f->program_bytes;
    flash_tear_units(f, torn, is_erase, offset, n, at);
    for (uint32_t i = 0; i < n; i++) {
        uint8_t *const byte = &f->byte[offset + i];
        const bool is_torn = i / size == at / size || (is_erase && i / size > at / size);
        if (i / size < at / size || (is_torn && i % size < size / 2)) {
            *byte = goal[i];
        }
    }
}

/// Leaves [offset, offset + n) as a call does that was to turn it into `goal` and was interrupted after `at` bytes.
static inline void flash_tear(struct flash *f, enum flash_tear tear, bool is_erase, uint32_t offset,
                              const uint8_t *goal, uint32_t n, uint32_t at) {
    uint8_t *const byte = &f->byte[offset];
    uint8_t *const shaky = &f->shaky[offset];
    const uint32_t unit = is_erase ? FLASH_PAGE : 8;
    uint8_t unit_bits = 0;
    memset(&f->state[offset / FLASH_PAGE], FLASH_DIRTY, n / FLASH_PAGE);
    if (tear == FLASH_UNREADABLE || tear == FLASH_AT_TIMES) {
        flash_tear_ecc(f, tear == FLASH_AT_TIMES ? FLASH_MOODY : FLASH_BAD, is_erase, offset, goal, n, at);
        return;
    }
    flash_tear_units(f, FLASH_READABLE, true, offset, n, 0);
    if (tear == FLASH_SHAKY_FEW) { // of an erase: it looks complete but for a few cells
        flash_few(f, offset, goal, n, true);
        for (uint32_t i = 0; i < n; i++) {
            byte[i] = (uint8_t)((byte[i] & shaky[i]) | (goal[i] & ~shaky[i]));
        }
        return;
    }
    if (tear == FLASH_FEW) {
        if (is_erase) {
            flash_few(f, offset, goal, n, false);
        } else {
            memcpy(byte, goal, n);
        }
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        const uint8_t change = (uint8_t)(byte[i] ^ goal[i]);
        if (i % unit == 0) {
            unit_bits = flash_bits(f) & 1u ? 0xFF : 0;
        }
        if (tear == FLASH_RANDOM) {
            byte[i] ^= change & flash_bits(f);
        } else if (tear == FLASH_UNORDERED) {
            byte[i] ^= change & unit_bits;
        } else if (tear == FLASH_SHAKY_ALL) {
            shaky[i] |= change;
        } else if (tear == FLASH_SUFFIX && is_erase) {
            byte[i] = i >= at ? goal[i] : byte[i];
        } else if (i < at) {
            byte[i] = goal[i];
        } else if (i == at && tear == FLASH_SUFFIX) {
            byte[i] ^= change & flash_bits(f);
        } else if (i < at + 8 && tear == FLASH_SHAKY_EDGE) {
            shaky[i] |= change;
        }
    }
}

#endif
