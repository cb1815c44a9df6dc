// SPDX-License-Identifier: MIT
// A float is m 2^e with whole m and e: its decimal digits are finitely many, and all are computed before rounding.
#include "decimal.h"

#include <stdbool.h>

/// Fixed point that holds every finite float exactly: 128 bits before the point and 160 behind it, lowest part first.
enum { PART_BITS = 16, N_BEHIND = 10, N_BEFORE = 8, N_PARTS = N_BEHIND + N_BEFORE };

/// Its digits: 2^128 has 39, the smallest subnormal 149 behind the point.
enum { DIGITS_BEFORE = 39, DIGITS_BEHIND = 149, N_DIGITS = DIGITS_BEFORE + DIGITS_BEHIND };

/// The smallest subnormal is 2^-149: its bit stands this far from the lowest one of the parts.
enum { LEAST_SHIFT = N_BEHIND * PART_BITS - DIGITS_BEHIND };

enum { FRACTION_BITS = 23, EXPONENT_OF_SPECIALS = 255 };

static uint32_t bits_of(const float x) {
    union {
        float number;
        uint32_t bits;
    } u;
    u.number = x;
    return u.bits;
}

static size_t put_text(char *const out, const char *const text) {
    size_t n = 0;
    while (text[n] != '\0') {
        out[n] = text[n];
        n++;
    }
    out[n] = '\0';
    return n;
}

/// Every digit of a finite number, sign apart: digit[DIGITS_BEFORE] is the first behind the point.
static void all_digits(uint8_t digit[N_DIGITS], const uint32_t bits) {
    const uint32_t exponent = bits >> FRACTION_BITS & 255U;
    const uint32_t fraction = bits & ((UINT32_C(1) << FRACTION_BITS) - 1);
    const uint32_t m = exponent == 0 ? fraction : fraction | UINT32_C(1) << FRACTION_BITS;
    const uint32_t shift = (exponent == 0 ? 0 : exponent - 1) + LEAST_SHIFT;
    uint16_t part[N_PARTS] = {0};
    for (uint32_t i = 0; i <= FRACTION_BITS; i++) {
        const uint32_t at = shift + i;
        if ((m >> i & 1U) != 0) {
            part[at / PART_BITS] = (uint16_t)(part[at / PART_BITS] | 1U << at % PART_BITS);
        }
    }
    for (size_t d = DIGITS_BEFORE; d > 0; d--) { // what is left of the whole part, divided by 10
        uint32_t rest = 0;
        for (size_t i = N_PARTS; i > N_BEHIND; i--) {
            rest = rest << PART_BITS | part[i - 1];
            part[i - 1] = (uint16_t)(rest / 10);
            rest %= 10;
        }
        digit[d - 1] = (uint8_t)rest;
    }
    for (size_t d = DIGITS_BEFORE; d < N_DIGITS; d++) { // what is left of the fraction, times 10
        uint32_t carry = 0;
        for (size_t i = 0; i < N_BEHIND; i++) {
            carry += 10U * part[i];
            part[i] = (uint16_t)(carry & 0xFFFFU);
            carry >>= PART_BITS;
        }
        digit[d] = (uint8_t)carry;
    }
}

/// Whether what begins at digit `from` is above half a unit of the digit before it, or just half and that digit is odd.
static bool rounds_up(const uint8_t digit[N_DIGITS], const size_t from) {
    if (from >= N_DIGITS || digit[from] != 5) {
        return from < N_DIGITS && digit[from] > 5;
    }
    for (size_t i = from + 1; i < N_DIGITS; i++) {
        if (digit[i] != 0) {
            return true;
        }
    }
    return from > 0 && digit[from - 1] % 2 == 1;
}

/// Rounds to n digits from the first that is not 0. Returns where the first one is then. 2^128 has a 0 in front.
static size_t round_digits(uint8_t digit[N_DIGITS], const unsigned n) {
    size_t first = 0;
    while (digit[first] == 0) {
        first++;
    }
    const size_t end = first + n;
    if (rounds_up(digit, end)) {
        size_t i = end - 1;
        while (digit[i] == 9) {
            digit[i] = 0;
            i--;
        }
        digit[i]++;
        first = i < first ? i : first;
    }
    for (size_t i = end; i < N_DIGITS; i++) {
        digit[i] = 0;
    }
    return first;
}

/// Writes digits first to last with the point before digit `point`.
static size_t put_digits(char *const out, const uint8_t *const digit, const size_t first, const size_t last,
                         const size_t point) {
    size_t n = 0;
    for (size_t i = first; i <= last; i++) {
        if (i == point) {
            out[n++] = '.';
        }
        out[n++] = (char)('0' + digit[i]);
    }
    return n;
}

static size_t put_exponent(char *const out, const int exponent) {
    const unsigned magnitude = (unsigned)(exponent < 0 ? -exponent : exponent);
    out[0] = 'e';
    out[1] = exponent < 0 ? '-' : '+';
    out[2] = (char)('0' + magnitude / 10);
    out[3] = (char)('0' + magnitude % 10);
    return 4;
}

/// A finite number that is not 0, sign apart.
static size_t put_finite(char *const out, const uint32_t bits, const unsigned n_digits) {
    uint8_t digit[N_DIGITS];
    all_digits(digit, bits);
    const size_t first = round_digits(digit, n_digits);
    const int exponent = DIGITS_BEFORE - 1 - (int)first;
    size_t last = first + n_digits - 1 < N_DIGITS ? first + n_digits - 1 : N_DIGITS - 1;
    while (last > first && digit[last] == 0) {
        last--;
    }
    size_t n = 0;
    if (exponent < -4 || exponent >= (int)n_digits) {
        n = put_digits(out, digit, first, last, first + 1);
        n += put_exponent(&out[n], exponent);
    } else if (exponent < 0) {
        n = put_digits(out, digit, DIGITS_BEFORE - 1, last, DIGITS_BEFORE);
    } else {
        n = put_digits(out, digit, first, last < DIGITS_BEFORE - 1 ? DIGITS_BEFORE - 1 : last, DIGITS_BEFORE);
    }
    out[n] = '\0';
    return n;
}

size_t decimal_real(char out[DECIMAL_CHARS], const float x, const unsigned n_digits) {
    const uint32_t bits = bits_of(x);
    const uint32_t magnitude = bits & 0x7FFFFFFFU;
    size_t n = 0;
    if (bits != magnitude) {
        out[n++] = '-';
    }
    if (magnitude >> FRACTION_BITS == EXPONENT_OF_SPECIALS) {
        return n + put_text(&out[n], (magnitude & ((UINT32_C(1) << FRACTION_BITS) - 1)) != 0 ? "nan" : "inf");
    }
    if (magnitude == 0) {
        return n + put_text(&out[n], "0");
    }
    return n + put_finite(&out[n], magnitude, n_digits);
}

size_t decimal_whole(char out[DECIMAL_CHARS], uint64_t number) {
    char reversed[DECIMAL_CHARS];
    size_t n = 0;
    do {
        reversed[n++] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    for (size_t i = 0; i < n; i++) {
        out[i] = reversed[n - 1 - i];
    }
    out[n] = '\0';
    return n;
}

size_t decimal_hex(char out[DECIMAL_CHARS], const uint32_t number) {
    static const char digits[] = "0123456789ABCDEF";
    for (unsigned i = 0; i < 8; i++) {
        out[i] = digits[number >> (28 - 4 * i) & 15U];
    }
    out[8] = '\0';
    return 8;
}
