// SPDX-License-Identifier: MIT
/// Elementary functions of the library: af_exp, af_log, af_sqrt, af_erf.
///
/// Each is a fixed sequence of integer operations on the bits and of +, -, * and /, every one rounded to nearest in
/// af_real, so every target gives the same bits. There is no FMA, no math library and, in the float build, no other
/// type. In the float build all but af_sqrt_portable are free of branches, calls and tables: a loop over an array
/// vectorises (gcc: -O3 -fno-math-errno -fno-trapping-math), and each vector lane gives the bits of a single call.
///
/// "ulp" is the distance of two neighbouring numbers of the type at the exact result. The errors stated for float are
/// the largest over all 2^32 inputs, measured by test/exhaustive_math.c; those for double are bounds that
/// test/mpfr_math.c checks at random and difficult points. Sign and payload of a NaN result are unspecified.
/// promise: math-errors, math-same-bits
/// The constants come from test/vectors/make_math.py, with enough decimal digits to stand for one number of the type.
#ifndef AF_MATH_H
#define AF_MATH_H

#include "af_config.h"

// ------------------------------------------------------------------------------------------------------------- bits

#if AF_REAL_IS_DOUBLE
typedef uint64_t af_bits;
#define AF_MANTISSA_BITS 52
#define AF_EXPONENT_BIAS 1023
#else
typedef uint32_t af_bits;
#define AF_MANTISSA_BITS 23
#define AF_EXPONENT_BIAS 127
#endif

#define AF_SIGN_MASK     (AF_CAST(af_bits, 1) << (AF_MANTISSA_BITS + (AF_REAL_IS_DOUBLE ? 11 : 8)))
#define AF_MANTISSA_MASK ((AF_CAST(af_bits, 1) << AF_MANTISSA_BITS) - 1)
#define AF_INFINITY_BITS (AF_SIGN_MASK - (AF_CAST(af_bits, 1) << AF_MANTISSA_BITS))

// Masks that keep a half (12 of 24, 26 of 53) or a third (8 of 24, 17 of 53) of the bits of a significand.
#define AF_HALF_MASK  (~((AF_CAST(af_bits, 1) << (AF_REAL_IS_DOUBLE ? 27 : 12)) - 1))
#define AF_THIRD_MASK (~((AF_CAST(af_bits, 1) << (AF_REAL_IS_DOUBLE ? 36 : 16)) - 1))

/// The bits of x, and back.
static inline af_bits af_bits_of(const af_real x) {
    union {
        af_real real;
        af_bits bits;
    } pun;
    pun.real = x;
    return pun.bits;
}

static inline af_real af_real_of(const af_bits bits) {
    union {
        af_bits bits;
        af_real real;
    } pun;
    pun.bits = bits;
    return pun.real;
}

/// |x|, exact. Also clears the sign of -0 and of a NaN.
static inline af_real af_abs(const af_real x) {
    return af_real_of(af_bits_of(x) & ~AF_SIGN_MASK);
}

/// |magnitude| with the sign of x, exact.
static inline af_real af_copysign(const af_real magnitude, const af_real x) {
    return af_real_of((af_bits_of(magnitude) & ~AF_SIGN_MASK) | (af_bits_of(x) & AF_SIGN_MASK));
}

/// x if it is finite, else NaN. For the root of a sum of squares: if the squares overflow, a division by the root would
/// turn finite numbers into 0, unnoticed.
static inline af_real af_finite_or_nan(const af_real x) {
    return x + (x - x);
}

/// x with the leading half, or third, of its bits: products of two such halves, or three such thirds, are exact.
static inline af_real af_leading_half(const af_real x) {
    return af_real_of(af_bits_of(x) & AF_HALF_MASK);
}
static inline af_real af_leading_third(const af_real x) {
    return af_real_of(af_bits_of(x) & AF_THIRD_MASK);
}

// --------------------------------------------------------------------------------------- constants of the two types

// ln 2 = AF_LN2_HIGH + AF_LN2_LOW, where k * AF_LN2_HIGH is exact for every exponent k.
// AF_ROUNDER is 1.5 * 2^p, p the bits of the mantissa: in x + AF_ROUNDER the last place is worth 1, so the addition
// rounds x to an integer, which then stands in the low bits of the sum, added to those of AF_ROUNDER.
// AF_SIXTH is the number next to 1/6; the polynomial of af_exp_tail makes up for the difference.
// Below AF_TINY numbers are subnormal and have fewer bits; times AF_LIFT, an even power of 2, they are normal.
#if AF_REAL_IS_DOUBLE
#define AF_LOG2_E    AF_R(1.4426950408889634)
#define AF_LN2_HIGH  AF_R(0.69314718055989033)
#define AF_LN2_LOW   AF_R(5.4979230187083712e-14)
#define AF_ROUNDER   AF_R(6755399441055744.0)
#define AF_SIXTH     AF_R(0.16666666666666666)
#define AF_TINY      AF_R(DBL_MIN)
#define AF_LIFT      AF_R(18014398509481984.0)
#define AF_LIFT_LOG2 54
#else
#define AF_LOG2_E    AF_R(1.44269502)
#define AF_LN2_HIGH  AF_R(0.693145752)
#define AF_LN2_LOW   AF_R(1.42860677e-06)
#define AF_ROUNDER   AF_R(12582912.0)
#define AF_SIXTH     AF_R(0.166666672)
#define AF_TINY      AF_R(FLT_MIN)
#define AF_LIFT      AF_R(16777216.0)
#define AF_LIFT_LOG2 24
#endif

// ------------------------------------------------------------------------------------------------------ exponential

/// exp(x) = (high + low) * 2^k, before af_exp's single rounding.
typedef struct af_exp_parts {
    af_real high; // in [0.7, 1.42]
    af_real low;  // |low| < 0.009
    af_bits k2;   // k + 2 * AF_EXPONENT_BIAS, positive
} af_exp_parts;

/// q(r) of exp(r) = 1 + r + r^2/2 + r^3/6 + r^4 q(r), |r| <= 0.3468; this exp(r) has a relative error
/// below 2^-32.75 (float), 2^-62.94 (double).
static inline af_real af_exp_tail(const af_real r) {
#if AF_REAL_IS_DOUBLE
    af_real q = AF_R(2.0812757313803604e-09);
    q = q * r + AF_R(2.5106036305097613e-08);
    q = q * r + AF_R(2.7557599173649472e-07);
    q = q * r + AF_R(2.755725431876022e-06);
    q = q * r + AF_R(2.480158695729284e-05);
    q = q * r + AF_R(0.00019841269873915003);
    q = q * r + AF_R(0.001388888888905523);
    q = q * r + AF_R(0.0083333333333278133);
    q = q * r + AF_R(0.041666666666666401);
#else
    af_real q = AF_R(0.000198521055);
    q = q * r + AF_R(0.00139329967);
    q = q * r + AF_R(0.00833330955);
    q = q * r + AF_R(0.0416664854);
#endif
    return q;
}

/// Splits exp(x). Range: |x| <= 104 (float), 746 (double); NaN gives NaN in high.
///
/// x = k ln 2 + r + r_low with |r| <= 0.3468 and |r_low| <= ulp(r). With r = a + b, a the leading third of r's bits,
///
///     exp(x) / 2^k = (1 + r + a^2/2) + a^3/6
///                  + b ((a + r)/2 + (a^2 + a r + r^2)/6) + r^4 q(r) + r_low (1 + r + r^2/2)
///
/// a^2/2 and a^3 are exact, and the sums in the first bracket leave exact remainders, which `low` takes in. So rounding
/// errors arise only in a^3/6, below 0.008, and in what is added to it: about 2^-8 of an ulp of the result each.
static inline af_exp_parts af_exp_split(const af_real x) {
    af_exp_parts parts;
    const af_real shifted = x * AF_LOG2_E + AF_ROUNDER;
    const af_real k = shifted - AF_ROUNDER;
    parts.k2 = af_bits_of(shifted) - (af_bits_of(AF_ROUNDER) - 2 * AF_EXPONENT_BIAS);

    const af_real r_first = x - k * AF_LN2_HIGH; // exact: both are multiples of ulp(x), and the difference is small
    const af_real r_second = k * AF_LN2_LOW;
    const af_real r = r_first - r_second;
    const af_real r_low = (r_first - r) - r_second;

    const af_real a = af_leading_third(r);
    const af_real b = r - a;
    const af_real a_r = a + r;
    const af_real square = a * a;
    const af_real half_square = AF_R(0.5) * square;
    const af_real cubic = square * a * AF_SIXTH;
    const af_real cross = b * (AF_R(0.5) * a_r + (square + r * a_r) * AF_SIXTH);
    const af_real quartic = (r * r) * (r * r) * af_exp_tail(r);

    const af_real linear = AF_R(1.0) + r;
    const af_real linear_low = (AF_R(1.0) - linear) + r;
    parts.high = linear + half_square;
    const af_real high_low = (linear - parts.high) + half_square;
    parts.low = cubic + ((cross + quartic) + ((linear_low + high_low) + r_low * parts.high));
    return parts;
}

/// 2^k for k = k2 - AF_EXPONENT_BIAS in the range of normal numbers.
static inline af_real af_exp_scale(const af_bits k2) {
    return af_real_of(k2 << AF_MANTISSA_BITS);
}

/// e^x.
///
/// Error: float 0.511 ulp (subnormal results 0.751); double 0.52 (0.76).
/// exp(0) = 1; exp(x) <= 1 for x <= 0; exp(-inf) = 0; exp(inf) = inf; overflow gives inf; NaN gives NaN.
/// Small results lose bits gradually, down to the smallest subnormal.
static inline af_real af_exp(const af_real x) {
    // Outside [bottom, top] the result is 0 or infinite all the same. A NaN passes both comparisons unchanged.
    const af_real top = AF_REAL_IS_DOUBLE ? AF_R(710.0) : AF_R(89.0);
    const af_real bottom = AF_REAL_IS_DOUBLE ? AF_R(-746.0) : AF_R(-104.0);
    const af_real not_above = top < x ? top : x;
    const af_exp_parts parts = af_exp_split(bottom > not_above ? bottom : not_above);
    // 2^k may be out of range though the result is not: multiply by two powers of about half the exponent.
    const af_bits k2_half = parts.k2 >> 1;
    return (parts.high + parts.low) * af_exp_scale(k2_half) * af_exp_scale(parts.k2 - k2_half);
}

// -------------------------------------------------------------------------------------------------------- logarithm

/// R(z) of log((1 + s) / (1 - s)) = 2 s + s^3 R(s^2), |s| <= 0.1717; R's relative error is
/// below 2^-25.00 (float), 2^-54.00 (double).
static inline af_real af_log_tail(const af_real z) {
#if AF_REAL_IS_DOUBLE
    af_real p = AF_R(0.1328800211967997);
    p = p * z + AF_R(0.13246557527661706);
    p = p * z + AF_R(0.15387219903028398);
    p = p * z + AF_R(0.18181773618940278);
    p = p * z + AF_R(0.22222222656603585);
    p = p * z + AF_R(0.28571428569168439);
    p = p * z + AF_R(0.40000000000005326);
    p = p * z + AF_R(0.66666666666666663);
#else
    af_real p = AF_R(0.225778088);
    p = p * z + AF_R(0.285896271);
    p = p * z + AF_R(0.399995506);
    p = p * z + AF_R(0.666666687);
#endif
    return p;
}

/// log x, the natural logarithm.
///
/// Error: float 0.529 ulp; double 0.53.
/// log(1) = +0; log(+-0) = -inf; log(x) = NaN for x < 0; log(inf) = inf; NaN gives NaN.
///
/// x = 2^k m with m in [sqrt(1/2), sqrt 2), and s = (m - 1) / (m + 1), so that m = (1 + s) / (1 - s):
///
///     log x = k ln 2 + 2 s + s^3 R(s^2)
///
/// The quotient s is found to twice the precision, s = a + b with a its leading half, so that k ln 2 + 2 a is added
/// without error; the rest is below 0.0035 + 2^-11 |s|, and its rounding errors below 2^-6 of an ulp of the result.
static inline af_real af_log(const af_real x) {
    const bool tiny = x < AF_TINY;
    const af_real scaled = x * (tiny ? AF_LIFT : AF_R(1.0));
    // Counts the significand from sqrt(1/2) on, so that the exponent changes there.
    const af_bits root_half = af_bits_of(AF_R(0.70710678118654752));
    const af_bits offset = af_bits_of(scaled) - root_half;
    const af_bits bias = AF_CAST(af_bits, AF_EXPONENT_BIAS) << AF_MANTISSA_BITS;
    const af_real m = af_real_of((offset & AF_MANTISSA_MASK) + root_half);
    const int32_t k_biased = AF_CAST(int32_t, (offset + bias) >> AF_MANTISSA_BITS);
    const af_real k = AF_CAST(af_real, k_biased - (tiny ? AF_EXPONENT_BIAS + AF_LIFT_LOG2 : AF_EXPONENT_BIAS));

    const af_real numerator = m - AF_R(1.0); // exact
    const af_real denominator = m + AF_R(1.0);
    const af_real reciprocal = AF_R(1.0) / denominator;
    const af_real s = numerator * reciprocal;
    const af_real a = af_leading_half(s);
    // b = (numerator - a (m + 1)) / (m + 1), where m + 1 is taken in two parts so that the products are exact.
    const af_real denominator_high = af_leading_half(denominator);
    const af_real denominator_low = m - (denominator_high - AF_R(1.0));
    const af_real b = ((numerator - a * denominator_high) - a * denominator_low) * reciprocal;

    const af_real nearest = a + b; // s to half an ulp
    const af_real z = nearest * nearest;
    const af_real rest = (nearest * z * af_log_tail(z) + k * AF_LN2_LOW) + AF_R(2.0) * b;
    const af_real k_ln2 = k * AF_LN2_HIGH; // exact
    const af_real two_a = AF_R(2.0) * a;
    const af_real high = k_ln2 + two_a;
    const af_real high_low = (k_ln2 - high) + two_a; // exact: k = 0, or |k_ln2| > |two_a|
    const af_real finite = high + (high_low + rest);

    const af_real infinity = af_real_of(AF_INFINITY_BITS);
    const af_real below = x < AF_R(0.0) ? af_real_of(AF_INFINITY_BITS | (AF_INFINITY_BITS >> 1)) : -infinity;
    const af_real above = x < infinity ? finite : x; // infinity and NaN are their own logarithm
    return x <= AF_R(0.0) ? below : above;
}

// ------------------------------------------------------------------------------------------------------ square root

/// The square root of x, correctly rounded; sqrt(-0) = -0; sqrt(x) = NaN for x < 0; sqrt(inf) = inf; NaN gives NaN.
///
/// Integers only. x = S 4^h 2^-p, where S has p + 1 or p + 2 bits (p those of the mantissa); the root of S 2^(p+2) is
/// taken digit by digit as in writing, two bits of S for a bit of the root, until the root has p + 2 bits. Its last
/// bit decides the rounding alone: were the remainder 0 with that bit set, S 2^(p+2) would be an odd square.
static inline af_real af_sqrt_portable(const af_real x) {
    const af_bits bits = af_bits_of(x);
    if (bits - 1 >= AF_INFINITY_BITS - 1) {
        // +0, infinity and NaN with a clear sign; everything with the sign set: -0 and NaN stay, the others are NaN.
        const bool negative = bits > AF_SIGN_MASK && bits <= (AF_SIGN_MASK | AF_INFINITY_BITS);
        return negative ? af_real_of(AF_INFINITY_BITS | (AF_INFINITY_BITS >> 1)) : x + x;
    }
    const bool tiny = bits <= AF_MANTISSA_MASK;
    const af_bits lifted = tiny ? af_bits_of(x * AF_LIFT) : bits;
    const af_bits exponent = lifted >> AF_MANTISSA_BITS; // biased; the bias is odd: an odd one means an even power
    af_bits window = (lifted & AF_MANTISSA_MASK) | (AF_CAST(af_bits, 1) << AF_MANTISSA_BITS);
    window <<= sizeof(af_bits) * 8 - AF_MANTISSA_BITS - 2 + (1 - (exponent & 1));
    af_bits root = 0;
    af_bits remainder = 0; // at most 2 * root: p + 3 bits
    for (int i = 0; i < AF_MANTISSA_BITS + 2; i++) {
        remainder = (remainder << 2) | (window >> (sizeof(af_bits) * 8 - 2));
        window <<= 2;
        root <<= 1;
        const af_bits trial = (root << 1) | 1;
        if (remainder >= trial) {
            remainder -= trial;
            root |= 1;
        }
    }
    // The leading bit of the rounded root adds the 1 that is missing in the exponent.
    const af_bits half = ((exponent + AF_EXPONENT_BIAS) >> 1) - 1 - (tiny ? AF_CAST(af_bits, AF_LIFT_LOG2 / 2) : 0);
    return af_real_of((half << AF_MANTISSA_BITS) + ((root + 1) >> 1));
}

// The hardware's instruction gives the same bits. It is used only if the compiler certainly emits no call: without
// errno (gcc and clang define __NO_MATH_ERRNO__ for -fno-math-errno) and on a target that has the instruction.
#if !defined(__NO_MATH_ERRNO__) || !defined(__GNUC__)
#define AF_SQRT_IN_HARDWARE 0
#elif defined(__SSE2__) || defined(__aarch64__)
#define AF_SQRT_IN_HARDWARE 1
#elif defined(__ARM_FP)
#define AF_SQRT_IN_HARDWARE ((__ARM_FP & (AF_REAL_IS_DOUBLE ? 8 : 4)) != 0)
#elif defined(__riscv_fsqrt) && defined(__riscv_flen)
#define AF_SQRT_IN_HARDWARE (__riscv_flen >= (AF_REAL_IS_DOUBLE ? 64 : 32))
#else
#define AF_SQRT_IN_HARDWARE 0
#endif

/// The square root of x: the bits of af_sqrt_portable, computed by the processor's instruction if there is one.
static inline af_real af_sqrt(const af_real x) {
#if !AF_SQRT_IN_HARDWARE
    return af_sqrt_portable(x);
#elif AF_REAL_IS_DOUBLE
    return __builtin_sqrt(x);
#else
    return __builtin_sqrtf(x);
#endif
}

// --------------------------------------------------------------------------------------------------- error function

/// p(w) of erf(t) = t + t p(t^2 - 1/2) for 0 <= t <= 1. Error of p: 2^-28.96 (float), 2^-59.02 (double).
/// Counting t^2 from 1/2 keeps w and the sums small: erf(t) / t - 1 is in [-0.16, 0.13], and so is p.
static inline af_real af_erf_small(const af_real w) {
#if AF_REAL_IS_DOUBLE
    af_real p = AF_R(7.3491299905291837e-12);
    p = p * w + AF_R(5.8523056602746765e-11);
    p = p * w + AF_R(-7.8643827147010713e-10);
    p = p * w + AF_R(9.3885000665573195e-09);
    p = p * w + AF_R(-1.0420137576045414e-07);
    p = p * w + AF_R(1.0536446790036718e-06);
    p = p * w + AF_R(-9.614809091208868e-06);
    p = p * w + AF_R(7.8296495296061852e-05);
    p = p * w + AF_R(-0.0005611894220800272);
    p = p * w + AF_R(0.0034802744966625438);
    p = p * w + AF_R(-0.018283884489154394);
    p = p * w + AF_R(0.079409986755934928);
    p = p * w + AF_R(-0.28107217804543422);
    p = p * w + AF_R(-0.034531261330132693);
#else
    af_real p = AF_R(7.89996047e-05);
    p = p * w + AF_R(-0.000565587718);
    p = p * w + AF_R(0.00348011241);
    p = p * w + AF_R(-0.0182832945);
    p = p * w + AF_R(0.0794100016);
    p = p * w + AF_R(-0.281072199);
    p = p * w + AF_R(-0.0345312618);
#endif
    return p;
}

/// erf(t) for 1 <= t, up to 3.9375 (float) or 6 (double): c0 + d (c1 + d (c2 + ...)), d the distance from the middle of
/// an interval, two of them in the float build, eight in the double one.
///
/// Absolute error of the polynomials: 2^-27.40 (float), 2^-56.80 (double); an ulp is 2^-24 or 2^-53.
/// The middle is at a point whose c0 = erf(middle) happens to be within 1/100 of an ulp of a number of the type. So the
/// error is that of one product, |d (c1 + ...)| < 0.17, and of the last sum.
static inline af_real af_erf_large(const af_real t) {
#if AF_REAL_IS_DOUBLE
    // Rows: intervals [1 + 0.625 i, 1.625 + 0.625 i]. Columns: the middle, c0, c1, ... c14.
    static const af_real c[8][16] = {
        {AF_R(1.3017578125), AF_R(0.93437310009372865), AF_R(0.20725794201303668), AF_R(-0.26979964521814565),
         AF_R(0.16505654997740701), AF_R(-0.017498611645324895), AF_R(-0.04040538324003573), AF_R(0.022198970825898126),
         AF_R(0.0013638489723575625), AF_R(-0.0052007710917547087), AF_R(0.0012392659769021323),
         AF_R(0.00060191275135788153), AF_R(-0.00034500699006008396), AF_R(-1.6166873955288893e-05),
         AF_R(5.0165678201567908e-05), AF_R(-7.6033081331145996e-06)},
        {AF_R(1.9248046875), AF_R(0.9935128524679937), AF_R(0.027761895960503512), AF_R(-0.053436227478663119),
         AF_R(0.059315568768623719), AF_R(-0.039273366577845255), AF_R(0.012442753407179975),
         AF_R(0.0024896077459870408), AF_R(-0.0043317058985766965), AF_R(0.0015509339365102268),
         AF_R(0.00017889442963704038), AF_R(-0.00034457847003425247), AF_R(9.1232154754856929e-05),
         AF_R(2.2860499595757133e-05), AF_R(-1.9031960132280099e-05), AF_R(2.425843540693001e-06)},
        {AF_R(2.6025390625), AF_R(0.99976726496816259), AF_R(0.0012908848904246947), AF_R(-0.0033595783525205382),
         AF_R(0.0053986609671643516), AF_R(-0.0059052535754304256), AF_R(0.0045278629518292922),
         AF_R(-0.0023532457691066893), AF_R(0.0006717699623019752), AF_R(6.7189645601038555e-05),
         AF_R(-0.00016948048272150419), AF_R(7.6278885461593808e-05), AF_R(-8.3564260906360046e-06),
         AF_R(-8.0067236615773589e-06), AF_R(4.2984111109252243e-06), AF_R(-2.6081468863819875e-07)},
        {AF_R(3.1728515625), AF_R(0.99999277973227663), AF_R(4.7909114010756373e-05), AF_R(-0.00015200850724651435),
         AF_R(0.00030556391515097135), AF_R(-0.00043408497048437765), AF_R(0.00045924569613291775),
         AF_R(-0.00036995014402834119), AF_R(0.00022602632812269765), AF_R(-0.00010001212858714257),
         AF_R(2.6566850938368657e-05), AF_R(9.2394109442338439e-07), AF_R(-4.8820299597194435e-06),
         AF_R(2.4217753818133547e-06), AF_R(-4.7408654334162335e-07), AF_R(-4.2349311732234374e-08)},
        {AF_R(3.802734375), AF_R(0.99999992463136322), AF_R(5.9185362413074601e-07), AF_R(-2.250662120055222e-06),
         AF_R(5.5084956024429142e-06), AF_R(-9.7234522976879926e-06), AF_R(1.3137733510051862e-05),
         AF_R(-1.4060170768103472e-05), AF_R(1.2148294682457612e-05), AF_R(-8.5366237367322425e-06),
         AF_R(4.8514234660940749e-06), AF_R(-2.1674745852907022e-06), AF_R(7.0832376558260279e-07),
         AF_R(-1.5230102536771044e-07), AF_R(-3.3175082897465392e-08), AF_R(1.2127949269468724e-07)},
        {AF_R(4.470703125), AF_R(0.99999999974268328), AF_R(2.3557558767025921e-09), AF_R(-1.053188597269585e-08),
         AF_R(3.0604702377931264e-08), AF_R(-6.4901525751387818e-08), AF_R(1.0688104730594716e-07),
         AF_R(-1.419766850037608e-07), AF_R(1.558921406226219e-07), AF_R(-1.4367332858010096e-07),
         AF_R(1.1273171052351599e-07), AF_R(-7.6788528572925378e-08), AF_R(4.0486367234453635e-08),
         AF_R(-1.2100269626405267e-08), AF_R(1.8172507792202607e-08), AF_R(-1.0935655439527698e-08)},
        {AF_R(5.009765625), AF_R(0.99999999999860834), AF_R(1.421150337339103e-11), AF_R(-7.1195352148733539e-11),
         AF_R(2.3304674748825887e-10), AF_R(-5.6016792573637934e-10), AF_R(1.0525069517591464e-09),
         AF_R(-1.5999740083064998e-09), AF_R(2.0356680185285236e-09), AF_R(-2.4224452831901007e-09),
         AF_R(2.5896191593077524e-09), AF_R(4.4583315883811121e-10), AF_R(-6.236190562056623e-09),
         AF_R(-6.1848619517607254e-09), AF_R(3.9501622349675606e-08), AF_R(-3.4818224717901067e-08)},
        {AF_R(5.7109375), AF_R(0.99999999999999933), AF_R(7.7272214512701851e-15), AF_R(-4.454547732444372e-14),
         AF_R(1.6539448235407281e-13), AF_R(-3.9757641474750471e-13), AF_R(1.0095455683472236e-12),
         AF_R(-5.0113907169471711e-12), AF_R(1.5993144920999766e-12), AF_R(7.8458480590573154e-11),
         AF_R(3.6115445191399875e-11), AF_R(-1.0407777243824996e-09), AF_R(-4.1804783338120712e-10),
         AF_R(6.2381948386126299e-09), AF_R(1.9659819452431342e-09), AF_R(-1.3630479253676322e-08)},
    };
    const int i = t < AF_R(5.9375) ? AF_CAST(int, (t - AF_R(1.0)) * AF_R(1.6)) : 7;
    const af_real d = t - c[i][0];
    af_real p = c[i][15];
    for (int n = 14; n >= 1; n--) {
        p = p * d + c[i][n];
    }
#else
    const bool lower = t < AF_R(2.25);
    const af_real d = t - (lower ? AF_R(1.65625) : AF_R(3.0625));
    af_real p = lower ? AF_R(0.0012621989) : AF_R(7.82430834e-06);
    p = p * d + (lower ? AF_R(-0.00050991535) : AF_R(-0.000104445382));
    p = p * d + (lower ? AF_R(-0.00629264489) : AF_R(0.00033337585));
    p = p * d + (lower ? AF_R(0.0131445341) : AF_R(-0.000594248297));
    p = p * d + (lower ? AF_R(0.000445786805) : AF_R(0.000768044149));
    p = p * d + (lower ? AF_R(-0.0498595908) : AF_R(-0.000763760996));
    p = p * d + (lower ? AF_R(0.108612962) : AF_R(0.000564515765));
    p = p * d + (lower ? AF_R(-0.120292425) : AF_R(-0.000292179408));
    p = p * d + (lower ? AF_R(0.0726296753) : AF_R(9.53275739e-05));
    p = p * d + (lower ? AF_R(0.980834246) : AF_R(0.999985158));
#endif
    return p;
}

/// erf x = 2 / sqrt(pi) * integral of exp(-u^2) over u from 0 to x.
///
/// Error: float 0.929 ulp; double 1.0.
/// erf(-x) = -erf(x) exactly, also for 0; erf(+-inf) = +-1; NaN gives NaN.
static inline af_real af_erf(const af_real x) {
    // Beyond `end`, 1 - erf(t) is below half the distance from 1 to the number before it.
    const af_real end = AF_REAL_IS_DOUBLE ? AF_R(5.9375) : AF_R(3.921875);
    const af_real t = af_abs(x);
#if AF_REAL_IS_DOUBLE
    const af_real large = t < AF_R(1.0) ? AF_R(0.0) : af_erf_large(t);
#else
    const af_real large = af_erf_large(t);
#endif
    const af_real low = t + t * af_erf_small(t * t - AF_R(0.5));
    const af_real not_low = end < t ? AF_R(1.0) : large;
    return af_copysign(t < AF_R(1.0) ? low : not_low, x);
}

#endif
