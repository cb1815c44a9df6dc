// SPDX-License-Identifier: MIT
/// Checks the float functions of lib/af_math.h over all 2^32 inputs, or every STRIDE-th of them.
///
///     exhaustive_math FUNCTION STRIDE [BOUND [BOUND_SUBNORMAL]]
///
/// FUNCTION is exp, log, sqrt, sqrt_portable, erf, tanh or all. The reference is the host's double function, whose own
/// error is about 1e-9 ulp of float. BOUND replaces the promised bound on the error, in ulp: 0.4 must fail.
/// Prints, for results that are normal or zero and for subnormal ones: the largest error, where it is, and how many
/// results are not the nearest number; then the FNV-1a hash of all results (a NaN counts as 7FC00000), which must be
/// the same for every compiler and option. Ends with status 1 if a bound or a property does not hold.
///
///     cc -std=c99 -O3 -ffp-contract=off -fno-math-errno -fno-trapping-math -Ilib test/exhaustive_math.c -lm
#include "af_math.h"

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
        y[i] = af_tanh(x[i]);
}

// ----------------------------------------------------------------------------------------------------- properties

// Each tells whether one pair (x, y = f(x)) is as the header says, beyond the error bound.

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
    return isnan(x) || af_bits_of(af_tanh(-x)) == (af_bits_of(y) ^ 0x80000000u);
}

// ------------------------------------------------------------------------------------------------------------ test

typedef struct test_case {
    const char *name;
    void (*apply)(float *y, const float *x);
    double (*reference)(double x);
    bool (*holds)(float x, float y);
    double bound, bound_subnormal; // ulp
} test_case;

static const test_case CASES[] = {
    {"exp", apply_exp, exp, holds_exp, 0.52, 0.76},
    {"log", apply_log, log, holds_log, 0.53, 0.50},
    {"sqrt", apply_sqrt, sqrt, holds_sqrt, 0.50, 0.50},
    {"sqrt_portable", apply_sqrt_portable, sqrt, holds_sqrt, 0.50, 0.50},
    {"erf", apply_erf, erf, holds_erf, 0.93, 0.51},
    {"tanh", apply_tanh, tanh, holds_tanh, 0.83, 0.50},
};

typedef struct tally {
    double max_ulp;
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

static bool same(const float a, const float b) {
    return a <= b && b <= a;
}

static bool run(const test_case *const test, const uint64_t stride, const double bound, const double bound_subnormal) {
    tally tallies[2] = {{0.0, 0.0f, 0, 0}, {0.0, 0.0f, 0, 0}};
    uint64_t hash = 14695981039346656037u;
    uint64_t n_wrong = 0;
    float first_wrong = 0.0f;
    for (uint64_t start = 0; start < (uint64_t)1 << 32; start += BLOCK * stride) {
        float x[BLOCK];
        float y[BLOCK];
        for (uint64_t i = 0; i < BLOCK; i++)
            x[i] = af_real_of((uint32_t)(start + i * stride)); // beyond the end: from the start again, not counted
        test->apply(y, x);
        for (uint64_t i = 0; i < BLOCK && start + i * stride < (uint64_t)1 << 32; i++) {
            const uint32_t bits = isnan(y[i]) ? 0x7FC00000u : af_bits_of(y[i]);
            for (int shift = 0; shift < 32; shift += 8)
                hash = (hash ^ ((bits >> shift) & 0xFFu)) * 1099511628211u;
            const double exact = test->reference((double)x[i]);
            const float nearest = (float)exact;
            bool right = test->holds(x[i], y[i]);
            if (isnan(exact) || isinf(exact)) {
                right = right && (isnan(exact) ? isnan(y[i]) : same(y[i], nearest));
            } else if (isnan(y[i])) {
                right = false;
            } else {
                tally *const t = &tallies[fabs(exact) < 0x1p-126 && fabs(exact) > 0x1p-150];
                t->n++;
                if (!same(y[i], nearest)) {
                    t->n_not_nearest++;
                    right = right && !signbit(y[i]) == !signbit(exact);
                }
                // An exact 0 is a result of its own; a result far below the smallest number has error 0 or 1 of it.
                const double ulp = error_ulp(y[i], exact);
                if (ulp > t->max_ulp) {
                    t->max_ulp = ulp;
                    t->worst = x[i];
                }
            }
            if (!right && n_wrong++ == 0)
                first_wrong = x[i];
        }
    }
    const bool passed = n_wrong == 0 && tallies[0].max_ulp <= bound && tallies[1].max_ulp <= bound_subnormal;
    printf("%s, stride %" PRIu64 ": hash %016" PRIx64 "\n", test->name, stride, hash);
    for (int i = 0; i < 2; i++)
        printf("  %-9s max %.4f ulp (bound %.2f) at %.9g (%08" PRIX32 "); %" PRIu64 " of %" PRIu64 " not nearest\n",
               i == 0 ? "normal" : "subnormal", tallies[i].max_ulp, i == 0 ? bound : bound_subnormal,
               (double)tallies[i].worst, af_bits_of(tallies[i].worst), tallies[i].n_not_nearest, tallies[i].n);
    if (n_wrong != 0)
        printf("  %" PRIu64 " wrong special values or properties, the first at %.9g (%08" PRIX32 ")\n", n_wrong,
               (double)first_wrong, af_bits_of(first_wrong));
    printf("  %s\n", passed ? "passed" : "FAILED");
    fflush(stdout);
    return passed;
}

int main(const int argc, char **const argv) {
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
            passed = run(test, stride, bound, bound_subnormal) && passed;
        }
    }
    if (!found)
        fprintf(stderr, "usage: %s exp|log|sqrt|sqrt_portable|erf|tanh|all STRIDE [BOUND [BOUND_SUBNORMAL]]\n",
                argv[0]);
    return found && passed ? 0 : 1;
}
