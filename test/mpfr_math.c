// SPDX-License-Identifier: MIT
/// Checks lib/af_math.h and the functions of notebook 7 against MPFR: the double build, or the float build as a second opinion.
///
///     mpfr_math [N [BOUND]]
///
/// About N random points (default 500000) in each set, the same ones at every run; some sets are next to places where
/// errors are likely: ends of intervals, k ln 2 and (k + 1/2) ln 2, 1, overflow and underflow. BOUND replaces the
/// promised bounds, in ulp: 0.5 must fail. Prints the largest error of every set and ends with status 1 if one is above
/// its bound. N is at least 10, so that no set is empty; anything else ends with status 2. The default is 16 million
/// points in all, and takes about a minute; with N = 4000000 every function has ten million points and more.
///
///     cc -std=c99 -O2 -ffp-contract=off -fno-math-errno -DAF_REAL=double -Ilib -Iexamples/notebook7
///        test/mpfr_math.c -lmpfr -lgmp -lm
#include "af_math.h"
#include "layers/functions.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <mpfr.h>

#define PRECISION    (AF_MANTISSA_BITS + 1)
#define MIN_EXPONENT (AF_REAL_IS_DOUBLE ? -1022 : -126)

// ----------------------------------------------------------------------------------------------------- random points

static uint64_t random_state = 1;

/// SplitMix64.
static uint64_t random_bits(void) {
    uint64_t z = random_state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/// A number in [low, high], all of about the same probability.
static af_real random_between(const double low, const double high) {
    return (af_real)(low + (high - low) * ((double)(random_bits() >> 11) * 0x1p-53));
}

/// A finite positive number, all exponents of the same probability, subnormals with them.
static af_real random_positive(void) {
    return af_real_of((af_bits)(random_bits() % (AF_INFINITY_BITS - 1)) + 1);
}

/// A number near `x`: at most 2^11 units of the last place away, mostly far fewer.
static af_real random_near(const double x) {
    const af_bits distance = (af_bits)(random_bits() % 2048) >> (random_bits() % 11);
    const af_bits bits = af_bits_of((af_real)x);
    return af_real_of((random_bits() & 1) != 0 ? bits + distance : bits - distance);
}

// -------------------------------------------------------------------------------------------------------- error

typedef struct test_case {
    const char *name;
    af_real (*function)(af_real x);
    int (*reference)(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t rounding);
    double bound, bound_subnormal; // ulp
} test_case;

/// |y - f(x)| in units of the last place at f(x). An infinite y counts as the power of 2 after the largest number.
static double error_ulp(const test_case *const test, const af_real x) {
    static mpfr_t argument, exact, result;
    static bool ready = false;
    if (!ready) {
        mpfr_inits2(PRECISION, argument, result, (mpfr_ptr)0);
        mpfr_init2(exact, 160);
        ready = true;
    }
    const af_real y = test->function(x);
    mpfr_set_d(argument, (double)x, MPFR_RNDN);
    test->reference(exact, argument, MPFR_RNDN);
    if (mpfr_nan_p(exact) || mpfr_inf_p(exact))
        return mpfr_nan_p(exact) ? (isnan(y) ? 0.0 : HUGE_VAL) : ((double)y - mpfr_get_d(exact, MPFR_RNDN) < 0 ? 1 : 0);
    if (isnan(y) || (mpfr_zero_p(exact) && !(y <= AF_R(0.0) && y >= AF_R(0.0))))
        return HUGE_VAL;
    if (isinf(y)) {
        // Right from half an ulp above the largest number on.
        mpfr_set_ui_2exp(result, 1, AF_EXPONENT_BIAS + 1, MPFR_RNDN);
        mpfr_abs(exact, exact, MPFR_RNDN);
        if (mpfr_cmp(exact, result) >= 0)
            return 0.0;
    } else {
        mpfr_set_d(result, (double)y, MPFR_RNDN);
    }
    mpfr_exp_t exponent = MIN_EXPONENT;
    if (!mpfr_zero_p(exact) && mpfr_get_exp(exact) - 1 > exponent)
        exponent = mpfr_get_exp(exact) - 1;
    mpfr_sub(exact, exact, result, MPFR_RNDN);
    mpfr_mul_2si(exact, exact, AF_MANTISSA_BITS - exponent, MPFR_RNDN);
    return fabs(mpfr_get_d(exact, MPFR_RNDN));
}

typedef struct maximum {
    double ulp;
    af_real x;
    uint64_t n, n_not_nearest;
} maximum;

static void visit(maximum *const worst, const test_case *const test, const af_real x) {
    const double ulp = error_ulp(test, x);
    worst->n++;
    worst->n_not_nearest += ulp > 0.5;
    if (!(ulp <= worst->ulp)) {
        worst->ulp = ulp;
        worst->x = x;
    }
}

static bool report(const maximum *const worst, const test_case *const test, const char *const set, const double bound) {
    const bool passed = worst->ulp <= bound;
    printf("%-5s %-28s max %.4f ulp (bound %.2f) at %.17g; %" PRIu64 " of %" PRIu64 " not nearest%s\n", test->name, set,
           worst->ulp, bound, (double)worst->x, worst->n_not_nearest, worst->n, passed ? "" : "  FAILED");
    fflush(stdout);
    return passed;
}

// ------------------------------------------------------------------------------------------------------------ sets

static const test_case EXP = {"exp", af_exp, mpfr_exp, 0.52, 0.76};
static const test_case LOG = {"log", af_log, mpfr_log, 0.53, 0.53};
static const test_case SQRT = {"sqrt", af_sqrt, mpfr_sqrt, 0.50, 0.50};
static const test_case SQRT_PORTABLE = {"sqrtp", af_sqrt_portable, mpfr_sqrt, 0.50, 0.50};
static const test_case ERF = {"erf", af_erf, mpfr_erf, 1.00, 1.00};
static const test_case TANH = {"tanh", n7_tanh, mpfr_tanh, 0.90, 0.90};

/// Sine and cosine have a range; outside of it the reference is NaN, too.
static int ranged_sin(mpfr_ptr y, mpfr_srcptr x, const mpfr_rnd_t rounding) {
    if (mpfr_cmp_d(x, (double)N7_TURN_MAX) > 0 || mpfr_cmp_d(x, -(double)N7_TURN_MAX) < 0) {
        mpfr_set_nan(y);
        return 0;
    }
    return mpfr_sin(y, x, rounding);
}

static int ranged_cos(mpfr_ptr y, mpfr_srcptr x, const mpfr_rnd_t rounding) {
    if (mpfr_cmp_d(x, (double)N7_TURN_MAX) > 0 || mpfr_cmp_d(x, -(double)N7_TURN_MAX) < 0) {
        mpfr_set_nan(y);
        return 0;
    }
    return mpfr_cos(y, x, rounding);
}

static const test_case SIN = {"sin", n7_sin, ranged_sin, 0.51, 0.51};
static const test_case COS = {"cos", n7_cos, ranged_cos, 0.51, 0.51};

static const double HALF_PI = 1.57079632679489661923;
static const double LN2 = 0.69314718055994530942;

/// n numbers in [low, high].
static bool uniform(const test_case *const test, const char *const set, const double low, const double high,
                    const uint64_t n, const double bound) {
    maximum worst = {0.0, AF_R(0.0), 0, 0};
    for (uint64_t i = 0; i < n; i++)
        visit(&worst, test, random_between(low, high));
    return report(&worst, test, set, bound);
}

/// n positive numbers of all exponents.
static bool positive(const test_case *const test, const uint64_t n, const double bound) {
    maximum worst = {0.0, AF_R(0.0), 0, 0};
    for (uint64_t i = 0; i < n; i++)
        visit(&worst, test, random_positive());
    return report(&worst, test, "all exponents", bound);
}

/// n numbers near first, first + step, ... first + (count - 1) step.
static bool near_points(const test_case *const test, const char *const set, const double first, const double step,
                        const int count, const uint64_t n, const double bound) {
    maximum worst = {0.0, AF_R(0.0), 0, 0};
    for (uint64_t i = 0; i < n; i++)
        visit(&worst, test, random_near(first + step * (double)(i % (uint64_t)count)));
    return report(&worst, test, set, bound);
}

/// Square roots next to a number and next to the middle of two numbers: x = h^2 rounded, h of one bit more than x has.
static bool near_squares(const test_case *const test, const uint64_t n) {
    maximum worst = {0.0, AF_R(0.0), 0, 0};
    mpfr_t h;
    mpfr_init2(h, 2 * PRECISION + 2);
    for (uint64_t i = 0; i < n; i++) {
        mpfr_set_d(h, (double)random_between(1.0, 2.0), MPFR_RNDN);
        if ((i & 1) != 0)
            mpfr_add_d(h, h, ldexp(1.0, -PRECISION), MPFR_RNDN);
        mpfr_sqr(h, h, MPFR_RNDN);
        const af_real square = (af_real)mpfr_get_d(h, MPFR_RNDN);
        visit(&worst, test, square);
        visit(&worst, test, af_real_of(af_bits_of(square) + 1));
        visit(&worst, test, af_real_of(af_bits_of(square) - 1));
    }
    mpfr_clear(h);
    return report(&worst, test, "next to squares", 0.5);
}

/// The angles of a sinusoidal position encoding: positions times 10000^(-2 i / d), for widths d up to 64.
static bool positions(const test_case *const test, const uint64_t n, const double bound) {
    maximum worst = {0.0, AF_R(0.0), 0, 0};
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t d = 2 * (1 + random_bits() % 32);
        const double e = 2.0 * (double)(random_bits() % (d / 2)) / (double)d;
        visit(&worst, test, (af_real)((double)(random_bits() % 1000) * pow(10000.0, -e)));
    }
    return report(&worst, test, "angles of positions", bound);
}

/// The sets of sine and cosine: among them the numbers next to n pi/2, where all but a few of the bits cancel.
static bool turning(const test_case *const test, const uint64_t n, const double bound) {
    const double top = (double)N7_TURN_MAX;
    const int n_turns = (int)(top / HALF_PI);
    bool passed = uniform(test, "abs(x) < pi", -2 * HALF_PI, 2 * HALF_PI, n, bound);
    passed = uniform(test, "whole range", -top, top, n, bound) && passed;
    passed = near_points(test, "next to n pi/2", 0.0, HALF_PI, n_turns, n, bound) && passed;
    passed = near_points(test, "next to (n + 1/2) pi/2", HALF_PI / 2, HALF_PI, n_turns, n / 2, bound) && passed;
    passed = near_points(test, "next to the end", top, 0.0, 1, n / 10, bound) && passed;
    passed = positions(test, n / 2, bound) && passed;
    return positive(test, n / 2, bound) && passed;
}

static bool special_values(void) {
    const af_real inf = af_real_of(AF_INFINITY_BITS);
    const af_real nan = inf - inf;
    const af_real zero = AF_R(0.0);
    const af_bits one = af_bits_of(AF_R(1.0));
    const af_bits minus = AF_SIGN_MASK;
#define BITS(x) af_bits_of(x)
    const bool right =
        BITS(af_exp(zero)) == one && BITS(af_exp(-zero)) == one && BITS(af_exp(-inf)) == 0 &&
        BITS(af_exp(inf)) == BITS(inf) && isnan(af_exp(nan)) && BITS(af_log(AF_R(1.0))) == 0 &&
        BITS(af_log(zero)) == BITS(-inf) && BITS(af_log(-zero)) == BITS(-inf) && BITS(af_log(inf)) == BITS(inf) &&
        isnan(af_log(-AF_R(1.0))) && isnan(af_log(-inf)) && isnan(af_log(nan)) && BITS(af_erf(zero)) == 0 &&
        BITS(af_erf(-zero)) == minus && BITS(af_erf(inf)) == one && BITS(af_erf(-inf)) == (one | minus) &&
        isnan(af_erf(nan)) && BITS(n7_tanh(zero)) == 0 && BITS(n7_tanh(-zero)) == minus && BITS(n7_tanh(inf)) == one &&
        BITS(n7_tanh(-inf)) == (one | minus) && isnan(n7_tanh(nan)) && BITS(af_sqrt_portable(zero)) == 0 &&
        BITS(af_sqrt_portable(-zero)) == minus && BITS(af_sqrt_portable(inf)) == BITS(inf) &&
        isnan(af_sqrt_portable(-inf)) && isnan(af_sqrt_portable(-AF_R(1.0))) && isnan(af_sqrt_portable(nan)) &&
        BITS(af_sqrt(zero)) == 0 && BITS(af_sqrt(-zero)) == minus && BITS(af_sqrt(inf)) == BITS(inf) &&
        isnan(af_sqrt(-inf)) && isnan(af_sqrt(-AF_R(1.0))) && isnan(af_sqrt(nan)) && BITS(n7_sin(zero)) == 0 &&
        BITS(n7_sin(-zero)) == minus && BITS(n7_cos(zero)) == one && BITS(n7_cos(-zero)) == one && isnan(n7_sin(inf)) &&
        isnan(n7_cos(inf)) && isnan(n7_sin(-inf)) && isnan(n7_cos(-inf)) && isnan(n7_sin(nan)) && isnan(n7_cos(nan)) &&
        !isnan(n7_sin(N7_TURN_MAX)) && !isnan(n7_cos(-N7_TURN_MAX)) &&
        isnan(n7_sin(af_real_of(BITS(N7_TURN_MAX) + 1))) && isnan(n7_cos(af_real_of(BITS(N7_TURN_MAX) + 1)));
#undef BITS
    printf("special values %s\n", right ? "right" : "FAILED");
    return right;
}

int main(const int argc, char **const argv) {
    char *end = NULL;
    const uint64_t n = argc > 1 ? strtoull(argv[1], &end, 10) : 500000;
    if (n < 10 || n > 999999999 || (end != NULL && *end != '\0')) {
        fprintf(stderr, "usage: %s [N [BOUND]]: N is a number of points, 10 or more\n", argv[0]);
        return 2;
    }
    const double given = argc > 2 ? strtod(argv[2], NULL) : 0.0;
    const double exp_bound = given > 0.0 ? given : EXP.bound;
    const double exp_low_bound = given > 0.0 ? given : EXP.bound_subnormal;
    const double log_bound = given > 0.0 ? given : LOG.bound;
    const double erf_bound = given > 0.0 ? given : ERF.bound;
    const double tanh_bound = given > 0.0 ? given : TANH.bound;
    const double turn_bound = given > 0.0 ? given : SIN.bound;
    const double overflow = (AF_EXPONENT_BIAS + 1) * LN2;
    const double underflow = MIN_EXPONENT * LN2;
    const double bottom = underflow - (AF_MANTISSA_BITS + 1) * LN2;
    bool passed = special_values();

    passed = uniform(&EXP, "abs(x) < 1", -1.0, 1.0, 2 * n, exp_bound) && passed;
    passed = uniform(&EXP, "normal results", underflow, overflow, 2 * n, exp_bound) && passed;
    passed = uniform(&EXP, "subnormal results", bottom - 1.0, underflow, n, exp_low_bound) && passed;
    passed = near_points(&EXP, "next to (k + 1/2) ln 2", -100.5 * LN2, LN2, 202, n, exp_bound) && passed;
    passed = near_points(&EXP, "next to k ln 2", -100.0 * LN2, LN2, 201, n, exp_bound) && passed;
    passed = near_points(&EXP, "next to overflow", overflow, 0.0, 1, n / 10, exp_bound) && passed;
    passed = near_points(&EXP, "next to underflow", bottom, 0.0, 1, n / 10, exp_low_bound) && passed;
    passed = positive(&EXP, n / 10, exp_bound) && passed;

    passed = positive(&LOG, 2 * n, log_bound) && passed;
    passed = uniform(&LOG, "1/2 < x < 2", 0.5, 2.0, 2 * n, log_bound) && passed;
    passed = uniform(&LOG, "next to 1", 0.99, 1.01, n, log_bound) && passed;
    passed = near_points(&LOG, "next to 1 to a few ulp", 1.0, 0.0, 1, n / 10, log_bound) && passed;
    passed = near_points(&LOG, "next to sqrt(1/2) and sqrt 2", 0.70710678118654752, 0.70710678118654752, 2, n / 10,
                         log_bound) &&
             passed;

    passed = positive(&SQRT, n, 0.5) && passed;
    passed = near_squares(&SQRT, n / 2) && passed;
    passed = positive(&SQRT_PORTABLE, n, 0.5) && passed;
    passed = near_squares(&SQRT_PORTABLE, n / 2) && passed;

    passed = uniform(&ERF, "abs(x) < 1", -1.0, 1.0, n, erf_bound) && passed;
    passed = uniform(&ERF, "1 < x < 6.5", 1.0, 6.5, n, erf_bound) && passed;
    passed =
        near_points(&ERF, "next to ends of intervals", 1.0, AF_REAL_IS_DOUBLE ? 0.625 : 1.25, 9, n / 10, erf_bound) &&
        passed;
    passed = positive(&ERF, n / 2, erf_bound) && passed;

    passed = uniform(&TANH, "abs(x) < 0.6", -0.6, 0.6, n, tanh_bound) && passed;
    passed = uniform(&TANH, "0.5 < x < 20", 0.5, 20.0, n, tanh_bound) && passed;
    passed = positive(&TANH, n / 2, tanh_bound) && passed;

    passed = turning(&SIN, n, turn_bound) && passed;
    passed = turning(&COS, n, turn_bound) && passed;
    printf("%s\n", passed ? "passed" : "FAILED");
    return passed ? 0 : 1;
}
