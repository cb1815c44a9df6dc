// SPDX-License-Identifier: MIT
// Times: the smallest of many is the one that others on the machine disturbed least.
#include "bench.h"
#include "af_port.h"

#include <stdlib.h>
#include <string.h>

double milliseconds(const uint64_t from, const uint64_t to) {
    return 1000.0 * (double)(to - from) / (double)af_port_ticks_per_second();
}

void times_add(struct times *const times, const double ms) {
    if (times->n < MAX_ROUNDS) {
        times->ms[times->n] = ms;
        times->n++;
    }
}

static int compare(const void *const a, const void *const b) {
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

/// The time at a fraction of the way from smallest to largest.
static double times_at(const struct times *const times, const size_t numerator, const size_t denominator) {
    static double sorted[MAX_ROUNDS];
    if (times->n == 0) {
        return 0;
    }
    memcpy(sorted, times->ms, times->n * sizeof(sorted[0]));
    qsort(sorted, times->n, sizeof(sorted[0]), compare);
    return sorted[(times->n - 1) * numerator / denominator];
}

double times_min(const struct times *const times) {
    return times_at(times, 0, 1);
}

double times_median(const struct times *const times) {
    return times_at(times, 1, 2);
}

double ratio(const double a, const double b) {
    return a > 0 && b > 0 ? a / b : 0;
}
