// SPDX-License-Identifier: MIT
/// What is said of the losses of a training run: means, and when they are small.
#ifndef LOSSES_H
#define LOSSES_H

#include <stdint.h>

/// Losses in the mean that has to fall below 0.01.
enum { N_TRAILING = 50 };

/// Mean of the losses of the steps `from` to `to`, counted from 1, both included. loss [n_steps],
/// 1 <= from <= to <= n_steps.
double mean_loss(const double *loss, uint32_t from, uint32_t to);

/// First step at which the mean of the last N_TRAILING losses is below 0.01; 0 if there is none. loss [n_steps].
uint32_t first_step_below(const double *loss, uint32_t n_steps);

#endif
