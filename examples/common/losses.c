// SPDX-License-Identifier: MIT
#include "losses.h"

double mean_loss(const double *const loss, const uint32_t from, const uint32_t to) {
    double sum = 0;
    for (uint32_t step = from; step <= to; step++) {
        sum += loss[step - 1];
    }
    return sum / (double)(to - from + 1);
}

uint32_t first_step_below(const double *const loss, const uint32_t n_steps) {
    for (uint32_t step = N_TRAILING; step <= n_steps; step++) {
        if (mean_loss(loss, step - N_TRAILING + 1, step) < 0.01) {
            return step;
        }
    }
    return 0;
}
