// SPDX-License-Identifier: MIT
/// Checks the float functions of lib/af_math.h, those of notebook 7, and GELU and its slope, over all 2^32 inputs, or
/// every STRIDE-th of them.
///
///     exhaustive_math FUNCTION STRIDE [BOUND [BOUND_SUBNORMAL]]
///     exhaustive_math crc FUNCTION STRIDE
///
/// FUNCTION is exp, log, sqrt, sqrt_portable, erf, tanh, sin, cos, gelu, gelu_slope or all. The reference is the host's
/// double function, whose own error is about 1e-9 ulp of float. BOUND replaces the promised bound on the error, in ulp
/// or, for GELU and its slope, in 2^-24 max(1, |x|): 0.4 must fail.
/// Prints the CRC-32C of all results (a NaN counts as 7FC00000), which must be the same for every compiler and option,
/// as "crc FUNCTION STRIDE CRC"; and but for `crc`, for results that are normal or zero and for subnormal ones: the
/// largest error, where it is, and how many results are not the nearest number. Ends with status 1 if a bound or a
/// property does not hold.
///
///     cc -std=c99 -O3 -ffp-contract=off -fno-math-errno -fno-trapping-math -Ilib
///        -Iexamples/notebook7 test/exhaustive_math.c lib/af_crc32c.c -lm
#include "af_crc32c.h"
#include "af_inner_elementwise.h"
#include "layers/functions.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if AF_REAL_IS_DOUBLE
#error "This program is about the float build."
#endif

enum { BLOCK = 4096 };

// ------------------------------------------------------------------------------------------- the functions under test

static void apply_exp(float *const y, const float *const x) {
    for (int i = 0; i < BLOCK; i++)
        y[i] = af_exp(x[i]);
}

static void apply_log(float *const y, const float *const x) {
    for (int i = 0; i < BLOCK; i++)
        y[i] = af_log(x[i]);
}

static void apply_sqrt(float *const y, const float *const x) {
    for (int i = 0; i < BLOCK; i++)
        y[i] = af_sqrt(x[i]);
}

static void apply_sqrt_portable(float *const y, const float *const x) {
    for (int i = 0; i < BLOCK; i++)
        y[i] = af_sqrt_portable(x[i]);
}

static void apply_erf(float *const y, const float *const x) {
    for (int i = 0; i < BLOCK; i++)
        y[i] = af_erf(x[i]);
}

static void apply_tanh(float *const y, const float *const x) {
    for (int i = 0; i < BLOCK; i++)
        y[i] = n7_tanh(x[i]);
}

static void apply_sin(float *const y, const float *const x) {
    for (int i = 0; i < BLOCK; i++)
        y[i] = n7_sin(x[i]);
}

static void apply_cos(float *const y, const float *const x) {
    for (int i = 0; i < BLOCK; i++)
        y[i] = n7_cos(x[i]);
}

static void apply_gelu(float *const y, const float *const x) {
    af_gelu_loop(y, x, BLOCK);
}

static void apply_gelu_slope(float *const y, const float *const x) {
    for (int i = 0; i < BLOCK; i++)
        y[i] = af_gelu_slope(x[i], 0.5f * af_one_erf(x[i]));
}

// References of functions with a range: NaN outside of it.

static double ranged_sin(const double x) {
    return fabs(x) <= 1024.0 ? sin(x) : NAN;
}

static double ranged_cos(const double x) {
    return fabs(x) <= 1024.0 ? cos(x) : NAN;
}

static double gelu(const double x) {
    return x >= -DBL_MAX ? 0.5 * x * erfc(-x * sqrt(0.5)) : NAN;
}

static double gelu_slope(const double x) {
    const double pdf = 0.39894228040143267794 * exp(-0.5 * x * x);
    return fabs(x) <= DBL_MAX ? 0.5 * erfc(-x * sqrt(0.5)) + x * pdf : NAN;
}

// ----------------------------------------------------------------------------------------------------- properties

// Each tells whether one pair (x, y = f(x)) is as the header says, beyond the error bound.

static bool same(const float a, const float b) {
    return a <= b && b <= a;
}

static bool holds_exp(const float x, const float y) {
    return (!(x <= 0.0f) || y <= 1.0f) && ((af_bits_of(x) << 1) != 0 || af_bits_of(y) == 0x3F800000u);
}

static bool holds_log(const float x, const float y) {
    return af_bits_of(x) != 0x3F800000u || af_bits_of(y) == 0;
}

static bool holds_sqrt(const float x, const float y) {
    return (af_bits_of(x) << 1) != 0 || af_bits_of(y) == af_bits_of(x);
}

static bool holds_erf(const float x, const float y) {
    return isnan(x) || af_bits_of(af_erf(-x)) == (af_bits_of(y) ^ 0x80000000u);
}

static bool holds_tanh(const float x, const float y) {
    return isnan(x) || af_bits_of(n7_tanh(-x)) == (af_bits_of(y) ^ 0x80000000u);
}

static bool holds_sin(const float x, const float y) {
    return isnan(y) || af_bits_of(n7_sin(-x)) == (af_bits_of(y) ^ 0x80000000u);
}

static bool holds_cos(const float x, const float y) {
    return isnan(y) || (af_bits_of(n7_cos(-x)) == af_bits_of(y) && y <= 1.0f && y >= -1.0f);
}

/// GELU(x) is between 0 and x, but for the dip below 0, at most 0.17 deep.
static bool holds_gelu(const float x, const float y) {
    return isnan(y) || (x >= 0.0f ? y >= 0.0f && y <= x : y <= 0.0f && y >= -0.17f);
}

static bool holds_gelu_slope(const float x, const float y) {
    return isnan(y) || ((af_bits_of(x) << 1) != 0 ? y >= -0.13f && y <= 1.13f : same(y, 0.5f));
}

// ------------------------------------------------------------------------------------------------------------ test

typedef struct test_case {
    const char *name;
    void (*apply)(float *y, const float *x);
    double (*reference)(double x);
    bool (*holds)(float x, float y);
    double bound, bound_subnormal; // ulp; subnormal 0: absolute, the bound is in 2^-24 max(1, |x|)
} test_case;

static const test_case CASES[] = {
    {"exp", apply_exp, exp, holds_exp, 0.52, 0.76},
    {"log", apply_log, log, holds_log, 0.53, 0.50},
    {"sqrt", apply_sqrt, sqrt, holds_sqrt, 0.50, 0.50},
    {"sqrt_portable", apply_sqrt_portable, sqrt, holds_sqrt, 0.50, 0.50},
    {"erf", apply_erf, erf, holds_erf, 0.93, 0.51},
    {"tanh", apply_tanh, tanh, holds_tanh, 0.83, 0.50},
    {"sin", apply_sin, ranged_sin, holds_sin, 0.51, 0.50},
    {"cos", apply_cos, ranged_cos, holds_cos, 0.51, 0.50},
    {"gelu", apply_gelu, gelu, holds_gelu, 1.9, 0.0},
    {"gelu_slope", apply_gelu_slope, gelu_slope, holds_gelu_slope, 2.5, 0.0},
};

typedef struct tally {
    double max_error;
    float worst;
    uint64_t n, n_not_nearest;
} tally;

/// |y - exact| in units of the last place of a float at `exact`. An infinite y counts as 2^128.
static double error_ulp(const float y, const double exact) {
    if (isinf(y) && isinf((float)exact) && (y > 0.0f) == (exact > 0.0))
        return 0.0;
    const double value = isinf(y) ? copysign(0x1p128, (double)y) : (double)y;
    int exponent = -126;
    if (fabs(exact) >= 0x1p-126)
        exponent = ilogb(exact);
    return ldexp(fabs(value - exact), 23 - exponent);
}

/// Adds one result to the tallies; returns whether it is right, but for the size of its error.
static bool count(tally *const tallies, const test_case *const test, const float x, const float y) {
    const bool is_absolute = same((float)test->bound_subnormal, 0.0f);
    const double exact = test->reference((double)x);
    const float nearest = (float)exact;
    const bool holds = test->holds(x, y);
    if (isnan(exact) || isinf(exact))
        return holds && (isnan(exact) ? isnan(y) : same(y, nearest));
    if (isnan(y))
        return false;
    tally *const t = &tallies[!is_absolute && fabs(exact) < 0x1p-126 && fabs(exact) > 0x1p-150];
    const bool is_nearest = same(y, nearest);
    t->n++;
    t->n_not_nearest += !is_nearest;
    // An exact 0 is a result of its own; a result far below the smallest number has error 0 or 1 of it.
    const double error =
        is_absolute ? ldexp(fabs((double)y - exact), 24) / fmax(1.0, fabs((double)x)) : error_ulp(y, exact);
    if (error > t->max_error) {
        t->max_error = error;
        t->worst = x;
    }
    return holds && (is_nearest || is_absolute || !signbit(y) == !signbit(exact));
}

static bool run(const test_case *const test, const uint64_t stride, const double bound, const double bound_subnormal,
                const bool only_crc) {
    tally tallies[2] = {{0.0, 0.0f, 0, 0}, {0.0, 0.0f, 0, 0}};
    uint32_t crc = 0;
    uint64_t n_wrong = 0;
    float first_wrong = 0.0f;
    for (uint64_t start = 0; start < (uint64_t)1 << 32; start += BLOCK * stride) {
        float x[BLOCK];
        float y[BLOCK];
        size_t n = 0; // inputs before the end; those behind it start over, and do not count
        for (uint64_t i = 0; i < BLOCK; i++) {
            x[i] = af_real_of((uint32_t)(start + i * stride));
            n += start + i * stride < (uint64_t)1 << 32;
        }
        test->apply(y, x);
        for (size_t i = 0; i < n && !only_crc; i++) {
            if (!count(tallies, test, x[i], y[i]) && n_wrong++ == 0)
                first_wrong = x[i];
        }
        for (size_t i = 0; i < n; i++)
            y[i] = isnan(y[i]) ? af_real_of(0x7FC00000u) : y[i];
        crc = af_crc32c_reals(crc, y, n);
    }
    printf("crc %s %" PRIu64 " %08" PRIX32 "\n", test->name, stride, crc);
    fflush(stdout);
    if (only_crc)
        return true;
    const bool passed = n_wrong == 0 && tallies[0].max_error <= bound && tallies[1].max_error <= bound_subnormal;
    for (int i = 0; i < 2; i++)
        printf("  %-9s max %.4f (bound %.2f) at %.9g (%08" PRIX32 "); %" PRIu64 " of %" PRIu64 " not nearest\n",
               i == 0 ? "normal" : "subnormal", tallies[i].max_error, i == 0 ? bound : bound_subnormal,
               (double)tallies[i].worst, af_bits_of(tallies[i].worst), tallies[i].n_not_nearest, tallies[i].n);
    if (n_wrong != 0)
        printf("  %" PRIu64 " wrong special values or properties, the first at %.9g (%08" PRIX32 ")\n", n_wrong,
               (double)first_wrong, af_bits_of(first_wrong));
    printf("  %s\n", passed ? "passed" : "FAILED");
    fflush(stdout);
    return passed;
}

int main(int argc, char **argv) {
    const char *const program = argv[0];
    const bool only_crc = argc > 1 && strcmp(argv[1], "crc") == 0;
    argc -= only_crc;
    argv += only_crc;
    const char *const name = argc > 2 ? argv[1] : "";
    const uint64_t stride = argc > 2 ? strtoull(argv[2], NULL, 0) : 0;
    bool found = false;
    bool passed = true;
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0] && stride != 0; i++) {
        const test_case *const test = &CASES[i];
        if (strcmp(name, test->name) == 0 || strcmp(name, "all") == 0) {
            found = true;
            const double bound = argc > 3 ? strtod(argv[3], NULL) : test->bound;
            const double bound_subnormal = argc > 4 ? strtod(argv[4], NULL) : test->bound_subnormal;
            passed = run(test, stride, bound, bound_subnormal, only_crc) && passed;
        }
    }
    if (!found)
        fprintf(stderr,
                "usage: %s [crc] exp|log|sqrt|sqrt_portable|erf|tanh|sin|cos|gelu|gelu_slope|all STRIDE "
                "[BOUND [BOUND_SUBNORMAL]]\n",
                program);
    return found && passed ? 0 : 1;
}
