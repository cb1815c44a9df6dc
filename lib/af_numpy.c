// SPDX-License-Identifier: MIT
// Words, doubles and integers of NumPy's stream.
#define AF_FILE_numpy 0, AF_OWN
#include "af_inner_liberties.h"
#include "af_numpy.h"

#if AF_STREAMS

AF_STATIC_ASSERT(sizeof(struct af_numpy) == 40, numpy_state_has_no_padding);

// ------------------------------------------------------------------------------------------------------- SeedSequence

/// The hash of SeedSequence: `running` moves on by one factor, v is spread over all bits.
static uint32_t hash(uint32_t *const running, const uint32_t factor, const uint32_t v) {
    const uint32_t mixed = v ^ *running;
    *running *= factor;
    const uint32_t product = mixed * *running;
    return product ^ product >> 16;
}

static uint32_t mix(const uint32_t x, const uint32_t y) {
    const uint32_t m = 0xCA01F9DDU * x - 0x4973F715U * y;
    return m ^ m >> 16;
}

/// words[0..3] = SeedSequence(seed).generate_state(4, uint64).
static void spread_seed(uint64_t words[4], const uint64_t seed) {
    uint32_t pool[4] = {(uint32_t)seed, (uint32_t)(seed >> 32), 0, 0};
    uint32_t running = 0x43B0D7E5U;
    for (size_t i = 0; i < 4; i++) {
        pool[i] = hash(&running, 0x931E8875U, pool[i]);
    }
    for (size_t from = 0; from < 4; from++) {
        for (size_t to = 0; to < 4; to++) {
            if (to != from) {
                pool[to] = mix(pool[to], hash(&running, 0x931E8875U, pool[from]));
            }
        }
    }

    running = 0x8B51F9DDU;
    for (size_t i = 0; i < 4; i++) {
        const uint32_t low = hash(&running, 0x58F38DEDU, pool[2 * i % 4]);
        const uint32_t high = hash(&running, 0x58F38DEDU, pool[(2 * i + 1) % 4]);
        words[i] = (uint64_t)high << 32 | low;
    }
}

// -------------------------------------------------------------------------------------------------------------- PCG64

/// The upper 64 bits of the 128-bit product a b.
static uint64_t product_hi(const uint64_t a, const uint64_t b) {
    const uint64_t a0 = a & 0xFFFFFFFFU;
    const uint64_t a1 = a >> 32;
    const uint64_t b0 = b & 0xFFFFFFFFU;
    const uint64_t b1 = b >> 32;
    // With u = 2^32: every product is <= (u - 1)^2 = u^2 - 2u + 1, so up to 2u - 2 fits beside it.
    const uint64_t mid = a1 * b0 + (a0 * b0 >> 32);
    const uint64_t cross = a0 * b1 + (mid & 0xFFFFFFFFU);
    return a1 * b1 + (mid >> 32) + (cross >> 32);
}

static void add(struct af_numpy *const stream, const uint64_t hi, const uint64_t lo) {
    stream->state_lo += lo;
    stream->state_hi += hi + (stream->state_lo < lo ? 1U : 0U);
}

/// state = state * multiplier + increment, modulo 2^128.
static void step(struct af_numpy *const stream) {
    static const uint64_t multiplier_hi = UINT64_C(0x2360ED051FC65DA4);
    static const uint64_t multiplier_lo = UINT64_C(0x4385DF649FCCF645);
    stream->state_hi = stream->state_hi * multiplier_lo + stream->state_lo * multiplier_hi +
                       product_hi(stream->state_lo, multiplier_lo);
    stream->state_lo *= multiplier_lo;
    add(stream, stream->increment_hi, stream->increment_lo);
}

// ------------------------------------------------------------------------------------------------------ what is drawn

void af_numpy_seed(struct af_numpy *const stream, const uint64_t seed) {
    uint64_t words[4];
    spread_seed(words, seed);

    // The 128-bit values take the words high end first: increment = 2 (words[2], words[3]) + 1.
    stream->increment_hi = words[2] << 1 | words[3] >> 63;
    stream->increment_lo = words[3] << 1 | 1;
    // From state 0 a step leaves the increment.
    stream->state_hi = stream->increment_hi;
    stream->state_lo = stream->increment_lo;
    add(stream, words[0], words[1]);
    step(stream);
    stream->half = 0;
    stream->half_pending = 0;
}

uint64_t af_numpy_u64(struct af_numpy *const stream) {
    if ((stream->increment_lo & 1U) == 0) { // never seeded: all words of such a stream may be equal
        af_numpy_seed(stream, 0);
    }
    step(stream);
    const uint64_t folded = stream->state_hi ^ stream->state_lo;
    const unsigned turn = (unsigned)(stream->state_hi >> 58);
    return folded >> turn | folded << ((64 - turn) & 63); // turn may be 0: then both sides are folded
}

uint32_t af_numpy_u32(struct af_numpy *const stream) {
    if (stream->half_pending != 0) {
        const uint32_t word = stream->half;
        stream->half = 0;
        stream->half_pending = 0;
        return word;
    }
    const uint64_t word = af_numpy_u64(stream);
    stream->half = (uint32_t)(word >> 32);
    stream->half_pending = 1;
    return (uint32_t)word;
}

double af_numpy_double(struct af_numpy *const stream) {
    return (double)(af_numpy_u64(stream) >> 11) * 1.1102230246251565e-16; // 2^-53; conversion and product are exact
}

uint32_t af_numpy_integer(struct af_numpy *const stream, const uint32_t low, const uint32_t high) {
    if (high <= low || high - low == 1) {
        return low;
    }
    // A word w falls into the interval floor(w n / 2^32). For intervals of equal length, 2^32 mod n words are rejected:
    // those whose remainder is below that number. It is less than n, a bound that nearly always saves the division.
    const uint32_t n = high - low;
    uint64_t product = (uint64_t)af_numpy_u32(stream) * n;
    if ((uint32_t)product < n) {
        const uint32_t surplus = (uint32_t)(0U - n) % n; // 2^32 mod n
        while ((uint32_t)product < surplus) {
            product = (uint64_t)af_numpy_u32(stream) * n;
        }
    }
    return low + (uint32_t)(product >> 32);
}

af_status af_liberties_numpy(const volatile af_real *const v) {
    return af_liberties(v);
}

#endif

#include "af_inner_export.h"
