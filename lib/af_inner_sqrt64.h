// SPDX-License-Identifier: MIT
/// Square root in double, correctly rounded, from integer operations alone: for targets without a double root and
/// without libm. Only the random streams and tests use double; training and inference never do.
#ifndef AF_INNER_SQRT64_H
#define AF_INNER_SQRT64_H

#include "af_config.h"

/// The square root of x, rounded to the nearest double; a tie cannot occur.
///
/// Any x: +0, -0, +infinity and NaN come back as they are (a signalling NaN is not quieted); below zero the result is a
/// NaN. Subnormal x are exact inputs like all others; no result is subnormal.
///
/// (float)af_sqrt_double((double)v) is also the correctly rounded root of a float v: for +, -, *, / and the root,
/// rounding to p bits and then to q bits equals rounding to q bits at once if p >= 2q + 2, and 53 >= 2 * 24 + 2
/// (S. A. Figueroa, When is double rounding innocuous?, SIGNUM Newsletter 30(3), 1995).
///
/// Cost: 53 steps of shift, compare and subtract on 64-bit integers, whatever x is. Cannot fail.
/// promise: root-correctly-rounded
static inline double af_sqrt_double(double x) {
    uint64_t bits = 0;
    unsigned char *const bits_bytes = AF_CAST(unsigned char *, AF_CAST(void *, &bits));
    unsigned char *const x_bytes = AF_CAST(unsigned char *, AF_CAST(void *, &x));
    for (size_t i = 0; i < sizeof(bits); i++) {
        bits_bytes[i] = x_bytes[i];
    }

    const uint64_t hidden = AF_CAST(uint64_t, 1) << 52;
    uint64_t m = bits & (hidden - 1);
    int exponent = AF_CAST(int, bits >> 52 & 0x7FF);
    if (exponent == 0x7FF && (m != 0 || bits >> 63 == 0)) {
        return x; // NaN, +infinity
    }
    if (bits << 1 == 0) {
        return x; // +0, -0
    }
    if (bits >> 63 != 0) {
        bits = AF_CAST(uint64_t, 0x7FF8) << 48; // NaN: the root of a negative number
    } else {
        // x = m 2^exponent with exponent even and 2^52 <= m < 2^54.
        if (exponent != 0) {
            m |= hidden;
        } else {
            exponent = 1;
            while (m < hidden) {
                m <<= 1;
                exponent--;
            }
        }
        exponent -= 1075;
        if (exponent % 2 != 0) {
            m <<= 1;
            exponent--;
        }

        // N = m 2^52 has 106 bits, so root = floor(sqrt(N)) has exactly 53. Its digits come from the top, one for each
        // two bits of N. At every step N' = root^2 + rest, N' the part of N seen so far, and 0 <= rest <= 2 root.
        uint64_t n = m << 10;
        uint64_t root = 0;
        uint64_t rest = 0; // below 2^54 after every step, below 2^56 within one
        for (int digit = 0; digit < 53; digit++) {
            rest = rest << 2 | n >> 62;
            n <<= 2;
            const uint64_t trial = root << 2 | 1; // (2 root + 1)^2 - (2 root)^2
            root <<= 1;
            if (rest >= trial) {
                rest -= trial;
                root++;
            }
        }
        // Up iff N > (root + 1/2)^2 = root^2 + root + 1/4. The quarter is why N never lies on the boundary.
        root += rest > root ? 1U : 0U;
        // sqrt(x) = root 2^((exponent - 52) / 2). The hidden bit of root adds the 1 that the field below leaves out.
        bits = (AF_CAST(uint64_t, (exponent - 52) / 2 + 1074) << 52) + root;
    }

    for (size_t i = 0; i < sizeof(bits); i++) {
        x_bytes[i] = bits_bytes[i];
    }
    return x;
}

#endif
