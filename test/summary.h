// SPDX-License-Identifier: MIT
/// How far a tensor is from one that vectors/*.h has as a summary: its norm, some entries, and projections.
#ifndef SUMMARY_H
#define SUMMARY_H

#include "chapter.h"

#include <criterion/criterion.h>
#include <stdio.h>

/// Entries and projections of a summary: N_SAMPLES and N_PROJECTIONS of make_model.py.
enum { SUMMARY_SAMPLES = 24, SUMMARY_PROJECTIONS = 32 };

/// How far a tensor is from PyTorch's, relative to the norm of PyTorch's.
struct distance {
    double norm;  // of PyTorch's tensor
    double error; // norm of the difference, as projections with random signs see it
    double worst; // largest of: difference of a sampled entry, difference of the norms
};

/// The signs of element i, one in each bit: bit k is 1 where projection k takes it negative.
static inline uint32_t signs_of(uint32_t i) {
    uint32_t x = i + 1;
    x = (x ^ x >> 16) * UINT32_C(0x7feb352d);
    x = (x ^ x >> 15) * UINT32_C(0x846ca68b);
    return x ^ x >> 16;
}

/// The vectors do not have 103,244 numbers a tensor plane but a summary of each tensor: norm, some entries, and the
/// sums of all entries with 32 sets of random signs. The mean square of the 32 differences of such sums is on average
/// the square of the norm of the difference, and strays from it by a quarter (one standard deviation), the norm itself
/// by about 12 %: an error anywhere in the tensor is seen. That `error` is an estimate is the only price.
static inline struct distance distance_of(const af_real *x, size_t n, const double *summary, const uint32_t *sample) {
    struct distance d = {summary[0], 0, fabs(norm_of(x, n) - summary[0])};
    for (size_t k = 0; k < SUMMARY_SAMPLES; k++) {
        cr_assert_lt(sample[k], n);
        d.worst = larger(d.worst, fabs((double)x[sample[k]] - summary[1 + k]));
    }
    double sum[SUMMARY_PROJECTIONS] = {0};
    for (size_t i = 0; i < n; i++) {
        const uint32_t signs = signs_of((uint32_t)i);
        for (size_t k = 0; k < SUMMARY_PROJECTIONS; k++) {
            sum[k] += (signs >> k & 1) != 0 ? -(double)x[i] : (double)x[i];
        }
    }
    for (size_t k = 0; k < SUMMARY_PROJECTIONS; k++) {
        const double difference = sum[k] - summary[1 + SUMMARY_SAMPLES + k];
        d.error += difference * difference / SUMMARY_PROJECTIONS;
    }
    d.error = sqrt(d.error) / d.norm;
    d.worst /= d.norm;
    return d;
}

/// One line of a table: a tensor, how far we are from float64, how far PyTorch's float32 is. Reports a failure, and
/// goes on, unless both distances are within the bound.
static inline void check(const char *name, struct distance d, double float32, double bound) {
    const bool good = d.error <= bound && d.worst <= bound;
    printf("    %-28s %10.3e %10.1e %10.1e %10.1e %10.1e%s\n", name, d.norm, d.error, d.worst, float32, bound,
           good ? "" : "   FAIL");
    fflush(stdout);
    cr_expect(good, "%s: %.2e, entries and norm %.2e, bound %.2e", name, d.error, d.worst, bound);
}

static inline void head_of_table(const char *title) {
    printf("\n    %-28s %10s %10s %10s %10s %10s\n", title, "norm", "error", "entries", "float32", "bound");
    printf("    %-28s %10s %10s %10s %10s %10s\n", "", "", "of ours", "and norm", "of PyTorch", "");
}

#endif
