// SPDX-License-Identifier: MIT
/// Normals and permutations against NumPy: every expected number was drawn by it (vectors/make_normals.py).
#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

#include "af_numpy.h"

#include "fnv.h"
#include "vectors/normals.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

Test(normals, first_values_of_every_seed) {
    for (size_t s = 0; s < COUNT(normal_seeds); ++s) {
        struct af_numpy g;
        af_numpy_seed(&g, normal_seeds[s]);
        for (size_t i = 0; i < 20; ++i) {
            cr_assert_eq(bits_of_double(af_numpy_normal(&g, 0, 1)), normal_values[25 * s + i], "%zu of seed %#" PRIx64,
                         i, normal_seeds[s]);
        }
        af_numpy_seed(&g, normal_seeds[s]);
        for (size_t i = 20; i < 25; ++i) {
            cr_assert_eq(bits_of_double(af_numpy_normal(&g, -1.5, 0.3)), normal_values[25 * s + i],
                         "%zu of seed %#" PRIx64, i, normal_seeds[s]);
        }
    }
}

/// NumPy's bits of a draw that may be one unit in the last place away; 0 for all other draws.
static uint64_t listed_tail(size_t s, size_t i) {
    for (size_t row = 0; row < COUNT(normal_tails); row += 3) {
        if (normal_tails[row] == s && normal_tails[row + 1] == i) {
            return normal_tails[row + 2];
        }
    }
    return 0;
}

// promise: numpy-normals
Test(normals, a_million_of_three_seeds) {
    for (size_t s = 0; s < 3; ++s) {
        struct af_numpy g;
        af_numpy_seed(&g, normal_seeds[s]);
        uint64_t hash = fnv_start;
        for (size_t i = 0; i < 1000000; ++i) {
            uint64_t bits = bits_of_double(af_numpy_normal(&g, 0, 1));
            const uint64_t listed = listed_tail(s, i);
            if (listed != 0) {
                cr_assert(bits - listed + 1 <= 2, "draw %zu of seed %" PRIu64, i, normal_seeds[s]);
                bits = listed;
            }
            hash = fnv(hash, bits, 8);
            if ((i + 1) % 100000 == 0) {
                cr_assert_eq(hash, normal_fnv[10 * s + i / 100000], "before draw %zu of seed %" PRIu64, i + 1,
                             normal_seeds[s]);
                hash = fnv_start;
            }
        }
        cr_assert_eq(g.state_hi, normal_states[2 * s]);
        cr_assert_eq(g.state_lo, normal_states[2 * s + 1]);
    }
}

// promise: numpy-permutation
Test(permutations, of_every_length) {
    static uint16_t p[65535 + 2];
    for (size_t row = 0; row < COUNT(permutation_rows); row += 6) {
        const uint64_t *const v = &permutation_rows[row];
        const size_t n = (size_t)v[1];
        struct af_numpy g;
        af_numpy_seed(&g, v[0]);
        p[0] = 0xA5A5;
        p[n + 1] = 0x5A5A;
        af_numpy_permutation(&g, &p[1], (uint16_t)n);
        uint64_t hash = fnv_start;
        for (size_t i = 1; i <= n; ++i) {
            hash = fnv(hash, p[i], 2);
        }
        cr_assert_eq(hash, v[2], "permutation of %zu, seed %#" PRIx64, n, v[0]);
        cr_assert(p[0] == 0xA5A5 && p[n + 1] == 0x5A5A, "permutation of %zu writes outside of its array", n);
        cr_assert_eq(g.state_hi, v[3]);
        cr_assert_eq(g.state_lo, v[4]);
        cr_assert_eq(g.half_pending != 0 ? g.half : 0, v[5]);
    }
}

Test(permutations, mixed_with_normals_and_doubles) {
    struct af_numpy g;
    uint16_t p[16];
    const uint64_t *v = normal_mixed;
    af_numpy_seed(&g, 0);
    af_numpy_permutation(&g, p, 9);
    for (size_t i = 0; i < 9; ++i) {
        cr_assert_eq(p[i], *v++);
    }
    for (size_t i = 0; i < 3; ++i) {
        cr_assert_eq(bits_of_double(af_numpy_normal(&g, 0, 1)), *v++);
    }
    af_numpy_permutation(&g, p, 16);
    for (size_t i = 0; i < 16; ++i) {
        cr_assert_eq(p[i], *v++);
    }
    for (size_t i = 0; i < 2; ++i) {
        cr_assert_eq(bits_of_double(af_numpy_double(&g)), *v++);
    }
}
