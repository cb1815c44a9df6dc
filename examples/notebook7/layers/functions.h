// SPDX-License-Identifier: MIT
/// n7_tanh, n7_sin, n7_cos; and pairs, numbers of twice the precision. They are made as those of af_math.h are, whose
/// beginning holds for them, too: the same bits on every target, and errors that are stated and measured.
/// In the float build n7_tanh is free of branches, calls and tables.
/// promise: math-errors, math-same-bits
#ifndef FUNCTIONS_H
#define FUNCTIONS_H

#include "af_math.h"

// ------------------------------------------------------------------------------------------------------------ pairs

// All of this section is for finite numbers whose results are finite. Otherwise high is what the operation gives,
// infinite or NaN, and low is NaN.

/// The number high + low. After every function below, low is at most half an ulp of high, but for a rounding.
typedef struct n7_pair {
    af_real high;
    af_real low;
} n7_pair;

/// high + low. A function, since gcc 12 forgets the numbers of a const pair in braces under -frounding-math.
static inline n7_pair n7_pair_number(const af_real high, const af_real low) {
    n7_pair pair;
    pair.high = high;
    pair.low = low;
    return pair;
}

/// a + b, exact for |a| >= |b| or a = 0 (T. J. Dekker, A Floating-Point Technique for Extending the Available
/// Precision, Numer. Math. 18, 1971).
static inline n7_pair n7_pair_of(const af_real a, const af_real b) {
    n7_pair sum;
    sum.high = a + b;
    sum.low = b - (sum.high - a);
    return sum;
}

/// a + b, exact (D. E. Knuth, The Art of Computer Programming 2, 4.2.2).
static inline n7_pair n7_pair_sum(const af_real a, const af_real b) {
    n7_pair sum;
    sum.high = a + b;
    const af_real b_part = sum.high - a;
    sum.low = (a - (sum.high - b_part)) + (b - b_part);
    return sum;
}

/// a b, with a relative error below 2^-105 (double); exact in the float build, as long as low does not underflow.
static inline n7_pair n7_pair_product(const af_real a, const af_real b) {
    const af_real a_high = af_leading_half(a);
    const af_real b_high = af_leading_half(b);
    const af_real a_low = a - a_high;
    const af_real b_low = b - b_high;
    n7_pair product;
    product.high = a * b;
    product.low = (((a_high * b_high - product.high) + a_high * b_low) + a_low * b_high) + a_low * b_low;
    return product;
}

/// x + y; relative error below 2^-102 (double), 2^-44 (float), where the two do not nearly cancel.
static inline n7_pair n7_pair_plus(const n7_pair x, const n7_pair y) {
    const n7_pair sum = n7_pair_sum(x.high, y.high);
    return n7_pair_of(sum.high, sum.low + (x.low + y.low));
}

/// x y; relative error below 2^-102 (double), 2^-44 (float).
static inline n7_pair n7_pair_times(const n7_pair x, const n7_pair y) {
    const n7_pair product = n7_pair_product(x.high, y.high);
    return n7_pair_of(product.high, product.low + (x.high * y.low + x.low * y.high));
}

/// x / d; relative error below 2^-102 (double), 2^-44 (float).
static inline n7_pair n7_pair_over(const n7_pair x, const af_real d) {
    const af_real quotient = x.high / d;
    const n7_pair product = n7_pair_product(quotient, d);
    return n7_pair_of(quotient, (((x.high - product.high) - product.low) + x.low) / d);
}

// ----------------------------------------------------------------------------------------------- hyperbolic tangent

/// p(z) of tanh(t) = t + t z p(z), z = t^2, for 0 <= t <= 0.5625; this tanh has a relative error
/// below 2^-27.5 (float), 2^-62.6 (double).
static inline af_real n7_tanh_small(const af_real z) {
#if AF_REAL_IS_DOUBLE
    af_real p = AF_R(6.6520491425245571e-06);
    p = p * z + AF_R(-3.1538762584409663e-05);
    p = p * z + AF_R(9.2856374396216009e-05);
    p = p * z + AF_R(-0.00023772168735559557);
    p = p * z + AF_R(0.00058969617411965133);
    p = p * z + AF_R(-0.0014557811001673937);
    p = p * z + AF_R(0.003592122240266173);
    p = p * z + AF_R(-0.0088632351159994658);
    p = p * z + AF_R(0.021869488517800573);
    p = p * z + AF_R(-0.053968253967795948);
    p = p * z + AF_R(0.133333333333328);
    p = p * z + AF_R(-0.33333333333333331);
#else
    af_real p = AF_R(-0.00651671318);
    p = p * z + AF_R(0.0212569628);
    p = p * z + AF_R(-0.0539002083);
    p = p * z + AF_R(0.133330598);
    p = p * z + AF_R(-0.333333313);
#endif
    return p;
}

/// tanh x = (e^x - e^-x) / (e^x + e^-x).
///
/// Error: float 0.825 ulp; double 0.90.
/// tanh(-x) = -tanh(x) exactly, also for 0; tanh(+-inf) = +-1; NaN gives NaN.
static inline af_real n7_tanh(const af_real x) {
    const af_real t = af_abs(x);
    const af_real z = t * t;
    const af_real low = t + t * (z * n7_tanh_small(z));

    // From 0.55 on, where tanh is about 1/2: tanh(t) = 1 - 2 / (e^(2t) + 1), the sum e^(2t) + 1 = sum + sum_low taken
    // to twice the precision, and the quotient corrected by its derivative: 2 / sum * (1 - sum_low / sum).
    const af_real end = AF_R(20.0); // 1 - tanh(20) < 2^-56
    const af_exp_parts parts = af_exp_split(AF_R(2.0) * (end < t ? end : t));
    const af_real scale = af_exp_scale(parts.k2 - AF_EXPONENT_BIAS);
    const af_real e = (parts.high + parts.low) * scale;
    const af_real e_low = (parts.high * scale - e) + parts.low * scale;
    const af_real sum = e + AF_R(1.0);
    const af_real sum_low = ((e - sum) + AF_R(1.0)) + e_low;
    const af_real quotient = AF_R(2.0) / sum;
    const af_real difference = AF_R(1.0) - quotient;
    const af_real difference_low = (AF_R(1.0) - difference) - quotient;
    const af_real large = difference + (difference_low + AF_R(0.5) * quotient * quotient * sum_low);
    return af_copysign(t < AF_R(0.55) ? low : large, x);
}

// -------------------------------------------------------------------------------------------------- sine and cosine

/// Sine and cosine are for arguments up to this size.
#define N7_TURN_MAX (AF_REAL_IS_DOUBLE ? AF_R(1048576.0) : AF_R(1024.0))

/// t = n pi/2 + r: the number of quarter turns, and what is left, |r| < 0.79.
typedef struct n7_turn {
    n7_pair rest;
    unsigned quarter; // n modulo 4
} n7_turn;

/// Takes the quarter turns out of t, 0 <= t <= N7_TURN_MAX.
///
/// pi/2 = a + b + c + d, and n a, n b and n c are exact: the first three have 33 of 53 bits (float 14 of 24). t - n a
/// is exact, n b and n c are taken off exactly, as pairs; so r has the precision of a pair even where t is the number
/// next to a multiple of pi/2, and r as small as 2^-60.
static inline n7_turn n7_turn_of(const af_real t) {
#if AF_REAL_IS_DOUBLE
    const af_real two_over_pi = AF_R(0.63661977236758138);
    const af_real a = AF_R(1.5707963267341256);
    const af_real b = AF_R(6.077100506303966e-11);
    const af_real c = AF_R(2.0222662487111665e-21);
    const af_real d = AF_R(8.4784276603688996e-32);
#else
    const af_real two_over_pi = AF_R(0.636619747);
    const af_real a = AF_R(1.57067871);
    const af_real b = AF_R(0.000117614865);
    const af_real c = AF_R(9.92031346e-10);
    const af_real d = AF_R(6.22337197e-14);
#endif
    const af_real shifted = t * two_over_pi + AF_ROUNDER;
    const af_real n = shifted - AF_ROUNDER;
    const n7_pair first = n7_pair_sum(t - n * a, -(n * b));
    const n7_pair second = n7_pair_sum(first.high, -(n * c));
    n7_turn turn;
    turn.rest = n7_pair_of(second.high, second.low + (first.low - n * d));
    turn.quarter = AF_CAST(unsigned, af_bits_of(shifted) & 3); // those of AF_ROUNDER are 0
    return turn;
}

/// sin r = r + r z (-1/6 + z p(z)), z = r^2, |r| < 0.79; p's part of it has a relative error below 2^-34 (float), 2^-64
/// (double). All but z p(z) is done in pairs, and that is below 0.0051, so its roundings are some 2^-8 of an ulp.
static inline af_real n7_sin_rest(const n7_pair r) {
    const n7_pair z = n7_pair_times(r, r);
#if AF_REAL_IS_DOUBLE
    const n7_pair sixth = n7_pair_number(AF_R(-0.16666666666666666), AF_R(-9.2518585385429707e-18));
    af_real p = AF_R(-7.5946719321936777e-13);
    p = p * z.high + AF_R(1.6058674304130309e-10);
    p = p * z.high + AF_R(-2.5052107178771679e-08);
    p = p * z.high + AF_R(2.7557319222182153e-06);
    p = p * z.high + AF_R(-0.00019841269841268819);
    p = p * z.high + AF_R(0.0083333333333333332);
#else
    const n7_pair sixth = n7_pair_number(AF_R(-0.166666672), AF_R(4.96705388e-09));
    af_real p = AF_R(2.7299543e-06);
    p = p * z.high + AF_R(-0.000198405309);
    p = p * z.high + AF_R(0.00833333284);
#endif
    const n7_pair inner = n7_pair_of(sixth.high, z.high * p + sixth.low);
    const n7_pair cubic = n7_pair_times(r, n7_pair_times(z, inner));
    const n7_pair sum = n7_pair_of(r.high, cubic.high);
    return sum.high + (sum.low + (r.low + cubic.low));
}

/// cos r = 1 + z (-1/2 + z (1/24 + z p(z))), z = r^2, |r| < 0.79; p's part of it has a relative error below 2^-36
/// (float), 2^-68 (double). All but z p(z) is done in pairs.
static inline af_real n7_cos_rest(const n7_pair r) {
    const n7_pair z = n7_pair_times(r, r);
#if AF_REAL_IS_DOUBLE
    const n7_pair part = n7_pair_number(AF_R(0.041666666666666664), AF_R(2.3129646346357427e-18));
    af_real p = AF_R(4.7563400137095406e-14);
    p = p * z.high + AF_R(-1.1470643105532415e-11);
    p = p * z.high + AF_R(2.0876756955153537e-09);
    p = p * z.high + AF_R(-2.7557319224714003e-07);
    p = p * z.high + AF_R(2.480158730158865e-05);
    p = p * z.high + AF_R(-0.0013888888888888889);
#else
    const n7_pair part = n7_pair_number(AF_R(0.0416666679), AF_R(-1.24176347e-09));
    af_real p = AF_R(-2.74047778e-07);
    p = p * z.high + AF_R(2.48014549e-05);
    p = p * z.high + AF_R(-0.00138888892);
#endif
    const n7_pair inner = n7_pair_times(z, n7_pair_of(part.high, z.high * p + part.low));
    const n7_pair half = n7_pair_of(AF_R(-0.5), inner.high);
    const n7_pair rest = n7_pair_times(z, n7_pair_of(half.high, half.low + inner.low));
    const n7_pair sum = n7_pair_of(AF_R(1.0), rest.high);
    return sum.high + (sum.low + rest.low);
}

/// sin x, or for quarter_turns = 1 cos x = sin(x + pi/2), but for the sign of x.
static inline af_real n7_sine_of(const af_real t, const unsigned quarter_turns) {
    const bool is_in_range = t <= N7_TURN_MAX; // false for a NaN
    const n7_turn turn = n7_turn_of(is_in_range ? t : AF_R(0.0));
    const unsigned quarter = (turn.quarter + quarter_turns) & 3U;
    const af_real size = (quarter & 1U) != 0 ? n7_cos_rest(turn.rest) : n7_sin_rest(turn.rest);
    const af_real result = (quarter & 2U) != 0 ? -size : size;
    return is_in_range ? result : af_real_of(AF_INFINITY_BITS | (AF_INFINITY_BITS >> 1));
}

/// sin x, for |x| <= 2^20 (float: 1024); beyond that, and for infinities and NaN, NaN.
///
/// Error: float 0.51 ulp; double 0.51. sin(-x) = -sin(x) exactly, also for 0.
static inline af_real n7_sin(const af_real x) {
    const af_real size = n7_sine_of(af_abs(x), 0);
    return (af_bits_of(x) & AF_SIGN_MASK) != 0 ? -size : size;
}

/// cos x, for |x| <= 2^20 (float: 1024); beyond that, and for infinities and NaN, NaN.
///
/// Error: float 0.51 ulp; double 0.51. cos(-x) = cos(x) exactly; cos(0) = 1.
static inline af_real n7_cos(const af_real x) {
    return n7_sine_of(af_abs(x), 1);
}

#endif
