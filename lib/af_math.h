// SPDX-License-Identifier: MIT
/// Elementary functions of the library: af_exp, af_log, af_sqrt, af_erf, af_tanh.
///
/// Each is a fixed sequence of +, -, *, / and integer operations on the bits, every one rounded to af_real, to nearest.
/// So every target gives the same bits. There is no FMA, no math library and, in the float build, no other type.
/// In the float build all but af_sqrt_portable are free of branches, calls and tables: a loop over an array vectorises
/// (gcc: -O3 -fno-math-errno -fno-trapping-math), and a vector lane gives the bits that a single call gives.
///
/// "ulp" is the distance of two neighbouring numbers of the type at the exact result. The errors stated for float are
/// the largest over all 2^32 inputs, measured by test/exhaustive_math.c; those for double are bounds that
/// test/mpfr_math.c checks at random and difficult points. A NaN is a quiet NaN of unspecified sign and payload.
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

#define AF_SIGN_MASK     ((af_bits)1 << (AF_MANTISSA_BITS + (AF_REAL_IS_DOUBLE ? 11 : 8)))
#define AF_MANTISSA_MASK (((af_bits)1 << AF_MANTISSA_BITS) - 1)
#define AF_INFINITY_BITS (AF_SIGN_MASK - ((af_bits)1 << AF_MANTISSA_BITS))

/// Keeps the leading half of a significand (12 of 24 bits, 26 of 53): products of two such numbers are exact.
#define AF_HALF_MASK (~(((af_bits)1 << (AF_REAL_IS_DOUBLE ? 27 : 12)) - 1))

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

/// The leading half of x's significand: x - af_leading_half(x) is exact, and so is the square of either part.
static inline af_real af_leading_half(const af_real x) {
    return af_real_of(af_bits_of(x) & AF_HALF_MASK);
}

// --------------------------------------------------------------------------------------- constants of the two types

// ln 2 = AF_LN2_HIGH + AF_LN2_LOW, where k * AF_LN2_HIGH is exact for every exponent k.
// AF_ROUNDER is 1.5 * 2^p, p the bits of the mantissa: in x + AF_ROUNDER the last place is worth 1, so the addition
// rounds x to an integer, which then stands in the low bits of the sum, added to those of AF_ROUNDER.
// Below AF_TINY numbers are subnormal and have fewer bits; times AF_LIFT, an even power of 2, they are normal.
#if AF_REAL_IS_DOUBLE
#define AF_LOG2_E    AF_R(1.4426950408889634)
#define AF_LN2_HIGH  AF_R(0.69314718055989033)
#define AF_LN2_LOW   AF_R(5.4979230187083712e-14)
#define AF_ROUNDER   AF_R(6755399441055744.0)
#define AF_TINY      AF_R(DBL_MIN)
#define AF_LIFT      AF_R(18014398509481984.0)
#define AF_LIFT_LOG2 54
#else
#define AF_LOG2_E    AF_R(1.44269502)
#define AF_LN2_HIGH  AF_R(0.693145752)
#define AF_LN2_LOW   AF_R(1.42860677e-06)
#define AF_ROUNDER   AF_R(12582912.0)
#define AF_TINY      AF_R(FLT_MIN)
#define AF_LIFT      AF_R(16777216.0)
#define AF_LIFT_LOG2 24
#endif

// ------------------------------------------------------------------------------------------------------ exponential

/// exp(x) = (high + low) * 2^k, before the one rounding that af_exp does.
typedef struct af_exp_parts {
    af_real high; ///< in [0.7, 1.42]
    af_real low;  ///< |low| < 0.012
    af_bits k2;   ///< k + 2 * AF_EXPONENT_BIAS, positive
} af_exp_parts;

/// q(r) of exp(r) = 1 + r + r^2/2 + r^3 q(r), |r| <= 0.3468; this exp(r) has a relative error
/// below 2^-32.9 (float), 2^-63.7 (double).
static inline af_real af_exp_tail(const af_real r) {
#if AF_REAL_IS_DOUBLE
    af_real q = AF_R(2.0828481602034146e-09);
    q = q * r + AF_R(2.511090874947462e-08);
    q = q * r + AF_R(2.755755999830945e-07);
    q = q * r + AF_R(2.7557238603869504e-06);
    q = q * r + AF_R(2.4801586984392684e-05);
    q = q * r + AF_R(0.00019841269891941542);
    q = q * r + AF_R(0.0013888888889054391);
    q = q * r + AF_R(0.0083333333333192421);
    q = q * r + AF_R(0.041666666666666373);
    q = q * r + AF_R(0.1666666666666668);
#else
    af_real q = AF_R(0.000195669782);
    q = q * r + AF_R(0.00139350886);
    q = q * r + AF_R(0.00833389908);
    q = q * r + AF_R(0.041666463);
    q = q * r + AF_R(0.166666642);
#endif
    return q;
}

/// Splits exp(x). Range: |x| <= 104 (float), 746 (double); NaN gives NaN in high.
///
/// x = k ln 2 + r + r_low with |r| <= 0.3468 and |r_low| <= ulp(r)/2. With r = a + b, a its leading half,
///
///     exp(x) / 2^k = 1 + r + a^2/2 + [ b (r + a)/2 + r^3 q(r) + r_low (1 + r) ]
///
/// The first three terms are added without error (each sum leaves an exact remainder), so that rounding errors arise
/// only in the bracket, which is below 0.012: about 2^-7 of an ulp of the result each.
static inline af_exp_parts af_exp_split(const af_real x) {
    af_exp_parts parts;
    const af_real shifted = x * AF_LOG2_E + AF_ROUNDER;
    const af_real k = shifted - AF_ROUNDER;
    parts.k2 = af_bits_of(shifted) - (af_bits_of(AF_ROUNDER) - 2 * AF_EXPONENT_BIAS);

    const af_real r_first = x - k * AF_LN2_HIGH; // exact: both are multiples of ulp(x), and the difference is small
    const af_real r_second = k * AF_LN2_LOW;
    const af_real r = r_first - r_second;
    const af_real r_low = (r_first - r) - r_second;

    const af_real a = af_leading_half(r);
    const af_real b = r - a;
    const af_real half_a = AF_R(0.5) * a;
    const af_real square = half_a * a; // exact
    const af_real one_r = AF_R(1.0) + r;
    const af_real one_r_low = (AF_R(1.0) - one_r) + r;
    parts.high = one_r + square;
    const af_real high_low = (one_r - parts.high) + square;

    const af_real cubic = (r * r) * r * af_exp_tail(r);
    const af_real cross = b * (AF_R(0.5) * r + half_a);
    parts.low = (cubic + cross) + ((one_r_low + high_low) + r_low * one_r);
    return parts;
}

/// 2^k for k = k2 - AF_EXPONENT_BIAS in the range of normal numbers.
static inline af_real af_exp_scale(const af_bits k2) {
    return af_real_of(k2 << AF_MANTISSA_BITS);
}

/// e^x.
///
/// Error: @ERR_EXP
/// exp(0) = 1; exp(x) <= 1 for x <= 0; exp(-inf) = 0; exp(inf) = inf; overflow gives inf; NaN gives NaN.
/// Small results lose bits gradually, down to the smallest subnormal.
static inline af_real af_exp(const af_real x) {
    // Outside [bottom, top] the result is 0 or infinite all the same. A NaN passes both comparisons unchanged.
    const af_real top = AF_REAL_IS_DOUBLE ? AF_R(710.0) : AF_R(89.0);
    const af_real bottom = AF_REAL_IS_DOUBLE ? AF_R(-746.0) : AF_R(-104.0);
    const af_real not_above = top < x ? top : x;
    const af_exp_parts parts = af_exp_split(bottom > not_above ? bottom : not_above);
    // 2^k may be out of range where the result is not: multiply by two powers of about half the exponent.
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
/// Error: @ERR_LOG
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
    // The significand is counted from sqrt(1/2) on, so that the exponent changes there.
    const af_bits root_half = af_bits_of(AF_R(0.70710678118654752));
    const af_bits offset = af_bits_of(scaled) - root_half;
    const af_bits bias = (af_bits)AF_EXPONENT_BIAS << AF_MANTISSA_BITS;
    const af_real m = af_real_of((offset & AF_MANTISSA_MASK) + root_half);
    const int32_t k_biased = (int32_t)((offset + bias) >> AF_MANTISSA_BITS);
    const af_real k = (af_real)(k_biased - (tiny ? AF_EXPONENT_BIAS + AF_LIFT_LOG2 : AF_EXPONENT_BIAS));

    const af_real numerator = m - AF_R(1.0); // exact
    const af_real denominator = m + AF_R(1.0);
    const af_real reciprocal = AF_R(1.0) / denominator;
    const af_real s = numerator * reciprocal;
    const af_real a = af_leading_half(s);
    // b = (numerator - a (m + 1)) / (m + 1), where m + 1 is taken in two parts so that the products are exact.
    const af_real denominator_high = af_leading_half(denominator);
    const af_real denominator_low = m - (denominator_high - AF_R(1.0));
    const af_real b = ((numerator - a * denominator_high) - a * denominator_low) * reciprocal;

    const af_real z = s * s;
    const af_real rest = (s * z * af_log_tail(z) + k * AF_LN2_LOW) + AF_R(2.0) * b;
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
    af_bits window = (lifted & AF_MANTISSA_MASK) | ((af_bits)1 << AF_MANTISSA_BITS);
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
    const af_bits half = ((exponent + AF_EXPONENT_BIAS) >> 1) - 1 - (tiny ? (af_bits)(AF_LIFT_LOG2 / 2) : 0);
    return af_real_of((half << AF_MANTISSA_BITS) + ((root + 1) >> 1));
}

// The hardware's instruction gives the same bits. It is used only where the compiler certainly emits no call: errno is
// out of the way (gcc and clang define __NO_MATH_ERRNO__ for -fno-math-errno) and the target has the instruction.
#if defined(__NO_MATH_ERRNO__) && defined(__GNUC__)
#if defined(__SSE2__) || defined(__aarch64__)
#define AF_SQRT_IN_HARDWARE 1
#elif defined(__ARM_FP)
#define AF_SQRT_IN_HARDWARE ((__ARM_FP & (AF_REAL_IS_DOUBLE ? 8 : 4)) != 0)
#elif defined(__riscv_fsqrt) && defined(__riscv_flen)
#define AF_SQRT_IN_HARDWARE (__riscv_flen >= (AF_REAL_IS_DOUBLE ? 64 : 32))
#endif
#endif
#ifndef AF_SQRT_IN_HARDWARE
#define AF_SQRT_IN_HARDWARE 0
#endif

/// The square root of x: the bits of af_sqrt_portable, by the processor's instruction where there is one.
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

/// p(z) of erf(t) = t + t p(t^2) for 0 <= t <= 1.125; this erf has a relative error below
/// 2^-27.0 (float), 2^-56.3 (double).
static inline af_real af_erf_small(const af_real z) {
#if AF_REAL_IS_DOUBLE
    af_real p = AF_R(4.6954337581509938e-12);
    p = p * z + AF_R(-4.6740081818563012e-11);
    p = p * z + AF_R(2.6010280445033222e-10);
    p = p * z + AF_R(-1.6340554871592753e-09);
    p = p * z + AF_R(1.5456589389968611e-08);
    p = p * z + AF_R(-1.6437808873803817e-07);
    p = p * z + AF_R(1.6467758106298748e-06);
    p = p * z + AF_R(-1.4925965665680611e-05);
    p = p * z + AF_R(0.00012055345443719035);
    p = p * z + AF_R(-0.0008548327364780884);
    p = p * z + AF_R(0.005223977631683507);
    p = p * z + AF_R(-0.026866170645847367);
    p = p * z + AF_R(0.1128379167095977);
    p = p * z + AF_R(-0.37612638903183893);
    p = p * z + AF_R(0.12837916709551259);
#else
    af_real p = AF_R(7.102175e-05);
    p = p * z + AF_R(-0.000778022746);
    p = p * z + AF_R(0.0051622605);
    p = p * z + AF_R(-0.02684048);
    p = p * z + AF_R(0.112832904);
    p = p * z + AF_R(-0.376126051);
    p = p * z + AF_R(0.128379166);
#endif
    return p;
}

/// 1 - erf(t) for 1.125 <= t, as far as it matters: a polynomial in the distance d from the middle of an interval.
///
/// Error: 2^-27.9 (float, two intervals, t < 3.9375), 2^-57.8 (double, eight intervals, t < 6.125), absolute: what is
/// subtracted from 1. Where it is largest it is 0.11, so that its own rounding errors are some eighths of an ulp of 1.
static inline af_real af_erf_rest(const af_real t) {
#if AF_REAL_IS_DOUBLE
    static const af_real c[8][15] = {
        {AF_R(0.042059393943539934), AF_R(-0.14289802537593793), AF_R(0.20541591147791111), AF_R(-0.14922424004105367),
         AF_R(0.038782952036903268), AF_R(0.022467074594945756), AF_R(-0.021107593792467585),
         AF_R(0.003319886645124634), AF_R(0.0033299718464611943), AF_R(-0.0017092698289280579),
         AF_R(-0.00010058709469114988), AF_R(0.00030592561080164122), AF_R(-5.7962767462633543e-05),
         AF_R(-2.9895184868560345e-05), AF_R(1.3190243761286811e-05)},
        {AF_R(0.0035362491252097887), AF_R(-0.016032714108677446), AF_R(0.03306747284914751),
         AF_R(-0.040123537131341751), AF_R(0.030354906716925988), AF_R(-0.013005736903200298),
         AF_R(0.00084680233384813015), AF_R(0.0025975955621534061), AF_R(-0.0015208430062054784),
         AF_R(0.00019196361849641269), AF_R(0.00019119017558194215), AF_R(-0.00010308972033319315),
         AF_R(6.4340223236792217e-06), AF_R(1.2367885596442518e-05), AF_R(-4.2858873365092859e-06)},
        {AF_R(0.00014428851742548013), AF_R(-0.00082356011438504981), AF_R(0.0022133178074097638),
         AF_R(-0.0036910077001515019), AF_R(0.0042220189946194269), AF_R(-0.0034313681087249637),
         AF_R(0.0019480621980423481), AF_R(-0.0006788410883962156), AF_R(3.8654485750406288e-05),
         AF_R(0.0001089121049248029), AF_R(-6.5412750614859876e-05), AF_R(1.4133764564690569e-05),
         AF_R(3.5868659443709357e-06), AF_R(-3.4263738252803956e-06), AF_R(8.0359493052879626e-07)},
        {AF_R(2.8053126041729189e-06), AF_R(-1.9368277467256926e-05), AF_R(6.4157419110290908e-05),
         AF_R(-0.00013522487471151828), AF_R(0.00020258039237038231), AF_R(-0.00022785155761966675),
         AF_R(0.00019756465694282819), AF_R(-0.00013273045823666065), AF_R(6.7582125699869829e-05),
         AF_R(-2.3939426949755229e-05), AF_R(3.8452993982736933e-06), AF_R(1.6037666512779111e-06),
         AF_R(-1.4683731988720149e-06), AF_R(5.0626973737462832e-07), AF_R(-4.3878785641299986e-08)},
        {AF_R(2.5699190612912625e-08), AF_R(-2.085422846135551e-07), AF_R(8.211352456668681e-07),
         AF_R(-2.085965925229894e-06), AF_R(3.8330336665523421e-06), AF_R(-5.4112382223356443e-06),
         AF_R(6.0801078694859192e-06), AF_R(-5.5517325140338929e-06), AF_R(4.162105938097915e-06),
         AF_R(-2.562308791611857e-06), AF_R(1.2778980871286241e-06), AF_R(-4.9597868496899867e-07),
         AF_R(1.3175618125706052e-07), AF_R(-7.0930629039933372e-09), AF_R(-1.2754534702399829e-08)},
        {AF_R(1.1012932081404266e-10), AF_R(-1.0280274043584482e-09), AF_R(4.6903750322534518e-09),
         AF_R(-1.3923881575590608e-08), AF_R(3.0200396525446287e-08), AF_R(-5.0938560592988697e-08),
         AF_R(6.9415619970463381e-08), AF_R(-7.835992161522552e-08), AF_R(7.4504577782191786e-08),
         AF_R(-6.0304427684688557e-08), AF_R(4.1781173451297805e-08), AF_R(-2.4768395900538914e-08),
         AF_R(1.2518982922540762e-08), AF_R(-5.4512820751548917e-09), AF_R(1.8135726346425327e-09)},
        {AF_R(2.1968966745057699e-13), AF_R(-2.3201854191396655e-12), AF_R(1.2035961856678916e-11),
         AF_R(-4.0850972072117463e-11), AF_R(1.0194522249319538e-10), AF_R(-1.9928114173878136e-10),
         AF_R(3.1740484438887455e-10), AF_R(-4.2298672422655133e-10), AF_R(4.8054813629904086e-10),
         AF_R(-4.7183549614852186e-10), AF_R(4.0404800034360736e-10), AF_R(-3.0230503761301741e-10),
         AF_R(2.0070685140232726e-10), AF_R(-1.2829822374779224e-10), AF_R(6.5381397397932808e-11)},
        {AF_R(2.0330587619234755e-16), AF_R(-2.3974421356076913e-15), AF_R(1.3935132369826833e-14),
         AF_R(-5.3199481396149925e-14), AF_R(1.4996595684180515e-13), AF_R(-3.3271201563495167e-13),
         AF_R(6.0463801742387035e-13), AF_R(-9.2486467327851298e-13), AF_R(1.2143999164518082e-12),
         AF_R(-1.3899940027892341e-12), AF_R(1.399557508240372e-12), AF_R(-1.2351724744417247e-12),
         AF_R(9.890907472598475e-13), AF_R(-8.2246905010596735e-13), AF_R(5.2628787667986837e-13)},
    };
    const int i = t < AF_R(6.125) ? (int)((t - AF_R(1.125)) * AF_R(1.6)) : 7;
    const af_real d = t - (AF_R(1.4375) + AF_R(0.625) * (af_real)i);
    af_real p = c[i][14];
    for (int n = 13; n >= 0; n--)
        p = p * d + c[i][n];
#else
    const bool near = t < AF_R(2.3125);
    const af_real d = t - (near ? AF_R(1.71875) : AF_R(3.125));
    af_real p = near ? AF_R(-0.000987069216) : AF_R(-1.21370422e-05);
    p = p * d + (near ? AF_R(-0.000113013703) : AF_R(0.000100367753));
    p = p * d + (near ? AF_R(0.00618933327) : AF_R(-0.000276307546));
    p = p * d + (near ? AF_R(-0.0104084555) : AF_R(0.000459398434));
    p = p * d + (near ? AF_R(-0.00481497124) : AF_R(-0.000573767582));
    p = p * d + (near ? AF_R(0.0490120091) : AF_R(0.000555825187));
    p = p * d + (near ? AF_R(-0.0962293372) : AF_R(-0.000400450575));
    p = p * d + (near ? AF_R(0.10109169) : AF_R(0.000202517753));
    p = p * d + (near ? AF_R(-0.0588172898) : AF_R(-6.4742002e-05));
    p = p * d + (near ? AF_R(0.0150705399) : AF_R(9.89479759e-06));
#endif
    return p;
}

/// erf x = 2 / sqrt(pi) * integral of exp(-u^2) over u from 0 to x.
///
/// Error: @ERR_ERF
/// erf(-x) = -erf(x) exactly, also for 0; erf(+-inf) = +-1; NaN gives NaN.
static inline af_real af_erf(const af_real x) {
    // From `end` on, 1 - erf(t) is below half the distance from 1 to the number before it.
    const af_real end = AF_REAL_IS_DOUBLE ? AF_R(5.9375) : AF_R(3.921875);
    const af_real t = af_abs(x);
#if AF_REAL_IS_DOUBLE
    if (t > end)
        return af_copysign(AF_R(1.0), x);
    return af_copysign(t < AF_R(1.125) ? t + t * af_erf_small(t * t) : AF_R(1.0) - af_erf_rest(t), x);
#else
    const af_real small = t + t * af_erf_small(t * t);
    const af_real large = end < t ? AF_R(1.0) : AF_R(1.0) - af_erf_rest(t);
    return af_copysign(t < AF_R(1.125) ? small : large, x);
#endif
}

// ----------------------------------------------------------------------------------------------- hyperbolic tangent

/// p(z) of tanh(t) = t + t z p(z), z = t^2, for 0 <= t <= 0.5625; this tanh has a relative error
/// below 2^-27.5 (float), 2^-62.6 (double).
static inline af_real af_tanh_small(const af_real z) {
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
/// Error: @ERR_TANH
/// tanh(-x) = -tanh(x) exactly, also for 0; tanh(+-inf) = +-1; NaN gives NaN.
static inline af_real af_tanh(const af_real x) {
    const af_real t = af_abs(x);
    const af_real z = t * t;
    const af_real small = t + t * (z * af_tanh_small(z));

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
    const af_real large = AF_R(1.0) - (quotient - AF_R(0.5) * quotient * quotient * sum_low);
    return af_copysign(t < AF_R(0.55) ? small : large, x);
}

#endif
