// SPDX-License-Identifier: MIT
// Decimal text without a C library, against the one that there is here: every exponent, every number of digits.
#include "../examples/common/decimal.c"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static float float_of(const uint32_t bits) {
    float x = 0;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

static void check_one(const uint32_t bits, const unsigned n_digits) {
    char ours[DECIMAL_CHARS];
    char theirs[64];
    const size_t n = decimal_real(ours, float_of(bits), n_digits);
    (void)snprintf(theirs, sizeof(theirs), "%.*g", (int)n_digits, (double)float_of(bits));
    cr_assert_str_eq(ours, theirs, "%08X with %u digits: %s instead of %s", bits, n_digits, ours, theirs);
    cr_assert_eq(n, strlen(ours));
}

/// Every exponent with fractions that carry, that are ties, and at random; both signs.
Test(decimal, every_exponent) {
    uint32_t random = 1;
    for (uint32_t exponent = 0; exponent < 255; exponent++) {
        for (unsigned i = 0; i < 60; i++) {
            static const uint32_t special[] = {0, 1, 2, 0x400000, 0x7FFFFF, 0x7FFFFE, 0x199999, 0x19999A};
            random = random * 1664525u + 1013904223u;
            const uint32_t fraction = i < sizeof(special) / sizeof(special[0]) ? special[i] : random >> 9;
            for (unsigned n_digits = 1; n_digits <= DECIMAL_MAX_DIGITS; n_digits++) {
                check_one(exponent << 23 | fraction, n_digits);
                check_one(0x80000000u | exponent << 23 | fraction, n_digits);
            }
        }
    }
}

/// Ties and nines: multiples of powers of two that have few digits.
Test(decimal, ties_and_carries) {
    for (unsigned i = 0; i < 20000; i++) {
        for (unsigned n_digits = 1; n_digits <= 9; n_digits++) {
            const float numbers[] = {(float)i / 8, (float)i * 5, 9.5f + (float)i * 10, 99999.5f - (float)i,
                                     (float)i / 1024};
            for (unsigned k = 0; k < sizeof(numbers) / sizeof(numbers[0]); k++) {
                check_one(bits_of(numbers[k]), n_digits);
            }
        }
    }
}

Test(decimal, not_finite) {
    char text[DECIMAL_CHARS];
    decimal_real(text, float_of(0x7F800000u), 9);
    cr_assert_str_eq(text, "inf");
    decimal_real(text, float_of(0xFF800000u), 9);
    cr_assert_str_eq(text, "-inf");
    decimal_real(text, float_of(0x7FC00000u), 9);
    cr_assert_str_eq(text, "nan");
}

Test(decimal, whole_and_hex) {
    char text[DECIMAL_CHARS];
    cr_assert_eq(decimal_whole(text, 0), 1);
    cr_assert_str_eq(text, "0");
    cr_assert_eq(decimal_whole(text, UINT64_MAX), 20);
    cr_assert_str_eq(text, "18446744073709551615");
    cr_assert_eq(decimal_hex(text, 0x0123CDEFu), 8);
    cr_assert_str_eq(text, "0123CDEF");
}
