// SPDX-License-Identifier: MIT
#include "decimal_double.h"

#include <stdbool.h>
#include <stdint.h>

// ------------------------------------------------------------------------------------------------- large integers

/// Enough for 2^1074 10^17 2^64: the denominator of the smallest number, shifted by the length of a quotient.
enum { N_WORDS = 42 };

/// A large integer, the lowest word first.
struct large {
    uint32_t word[N_WORDS];
};

static void multiply(struct large *const x, const uint32_t factor) {
    uint64_t carry = 0;
    for (size_t i = 0; i < N_WORDS; i++) {
        carry += (uint64_t)x->word[i] * factor;
        x->word[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

static void double_it(struct large *const x) {
    multiply(x, 2);
}

static void halve(struct large *const x) {
    for (size_t i = 0; i < N_WORDS; i++) {
        x->word[i] = x->word[i] >> 1 | (i + 1 < N_WORDS ? x->word[i + 1] << 31 : 0);
    }
}

/// -1, 0 or 1, as x is below, equal to or above y.
static int compare(const struct large *const x, const struct large *const y) {
    for (size_t i = N_WORDS; i > 0; i--) {
        if (x->word[i - 1] != y->word[i - 1]) {
            return x->word[i - 1] < y->word[i - 1] ? -1 : 1;
        }
    }
    return 0;
}

/// x -= y, y <= x.
static void subtract(struct large *const x, const struct large *const y) {
    uint32_t borrow = 0;
    for (size_t i = 0; i < N_WORDS; i++) {
        const uint64_t difference = (uint64_t)x->word[i] - y->word[i] - borrow;
        x->word[i] = (uint32_t)difference;
        borrow = (uint32_t)(difference >> 63);
    }
}

// ----------------------------------------------------------------------------------------------- one exact quotient

/// A number's parts: (-1)^is_negative mantissa 2^exponent.
struct parts {
    uint64_t mantissa;
    int exponent;
    bool is_negative;
    bool is_finite;
};

static struct parts parts_of(const double x) {
    union {
        double number;
        uint64_t bits;
    } pun;
    pun.number = x;
    const uint64_t bits = pun.bits;
    const uint64_t hidden = (uint64_t)1 << 52;
    const int field = (int)(bits >> 52 & 0x7FF);
    struct parts p;
    p.mantissa = bits & (hidden - 1);
    p.is_negative = bits >> 63 != 0;
    p.is_finite = field != 0x7FF;
    p.exponent = (field == 0 ? 1 : field) - 1075;
    p.mantissa |= field == 0 ? 0 : hidden;
    return p;
}

/// mantissa 2^exponent 10^power, rounded to an integer, ties to even; the integer has to be below 2^64.
static uint64_t scaled(const struct parts *const p, const int power) {
    struct large numerator = {{(uint32_t)p->mantissa, (uint32_t)(p->mantissa >> 32)}};
    struct large denominator = {{1}};
    for (int i = 0; i < power || i < -power; i++) {
        multiply(power > 0 ? &numerator : &denominator, 10);
    }
    for (int i = 0; i < p->exponent || i < -p->exponent; i++) {
        double_it(p->exponent > 0 ? &numerator : &denominator);
    }
    uint64_t quotient = 0;
    for (int i = 0; i < 64; i++) {
        double_it(&denominator);
    }
    for (int i = 0; i < 64; i++) {
        halve(&denominator);
        quotient <<= 1;
        if (compare(&numerator, &denominator) >= 0) {
            subtract(&numerator, &denominator);
            quotient |= 1U;
        }
    }
    double_it(&numerator); // what is left, against a half
    const int half = compare(&numerator, &denominator);
    return quotient + (half > 0 || (half == 0 && (quotient & 1U) != 0) ? 1U : 0U);
}

// ------------------------------------------------------------------------------------------------------------ text

static size_t append(char out[DECIMAL_DOUBLE_BYTES], size_t at, const char *const text) {
    for (size_t i = 0; text[i] != '\0'; i++) {
        out[at] = text[i];
        at++;
    }
    out[at] = '\0';
    return at;
}

/// Appends n with at least n_least digits, and a point before the last n_behind of them.
static size_t append_digits(char out[DECIMAL_DOUBLE_BYTES], size_t at, uint64_t n, const unsigned n_least,
                            const unsigned n_behind) {
    char reversed[DECIMAL_DOUBLE_BYTES];
    unsigned n_digits = 0;
    do {
        reversed[n_digits] = (char)('0' + n % 10);
        n /= 10;
        n_digits++;
    } while (n > 0 || n_digits < n_least);
    while (n_digits > 0) {
        n_digits--;
        out[at] = reversed[n_digits];
        at++;
        if (n_digits == n_behind && n_behind > 0) {
            out[at] = '.';
            at++;
        }
    }
    out[at] = '\0';
    return at;
}

static uint64_t power_of_10(const unsigned n) {
    uint64_t power = 1;
    for (unsigned i = 0; i < n; i++) {
        power *= 10;
    }
    return power;
}

/// Whether x has one digit, or more, too many for a quotient of 19: 10^n_digits |x| >= 2^63.
static bool is_too_long(const double x, const unsigned n_digits) {
    const double size = x < 0 ? -x : x;
    return size >= 9223372036854775808.0 / (double)power_of_10(n_digits);
}

static size_t append_not_finite(char out[DECIMAL_DOUBLE_BYTES], const size_t at, const struct parts *const p) {
    return append(out, at, (p->mantissa & (((uint64_t)1 << 52) - 1)) == 0 ? "inf" : "nan");
}

size_t decimal_exponent(char out[DECIMAL_DOUBLE_BYTES], const double x, const unsigned n_digits) {
    const struct parts p = parts_of(x);
    size_t at = append(out, 0, p.is_negative ? "-" : "");
    if (!p.is_finite) {
        return append_not_finite(out, at, &p);
    }
    int power = 0; // of the first digit
    uint64_t digits = 0;
    if (p.mantissa != 0) {
        const uint64_t first = power_of_10(n_digits);
        int n_bits = 0;
        for (uint64_t m = p.mantissa; m > 0; m >>= 1) {
            n_bits++;
        }
        // floor(log10 2^e) for the leading bit 2^e: right, or one too small. (1233 / 4096 = log10 2, for |e| < 2^12.)
        const int e = p.exponent + n_bits - 1;
        power = e >= 0 ? e * 1233 / 4096 : -((4095 - e * 1233) / 4096);
        digits = scaled(&p, (int)n_digits - power);
        if (digits >= 10 * first) {
            power++;
            digits = scaled(&p, (int)n_digits - power);
        }
    }
    at = append_digits(out, at, digits, n_digits + 1, n_digits);
    at = append(out, at, power < 0 ? "e-" : "e+");
    return append_digits(out, at, (uint64_t)(power < 0 ? -power : power), 2, 0);
}

size_t decimal_fixed(char out[DECIMAL_DOUBLE_BYTES], const double x, const unsigned n_digits) {
    const struct parts p = parts_of(x);
    if (!p.is_finite || is_too_long(x, n_digits)) {
        return decimal_exponent(out, x, n_digits);
    }
    const size_t at = append(out, 0, p.is_negative ? "-" : "");
    return append_digits(out, at, scaled(&p, (int)n_digits), n_digits + 1, n_digits);
}
