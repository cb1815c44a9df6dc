// SPDX-License-Identifier: MIT
// Step 8: a complete transformer block.
#include "line.h"

void n7_block_run(struct n7_arena *const a) {
    struct n7_block *const s = &a->work.late.part.block;
    n7_normal(a, &s->W1[0][0], N7_D * N7_FF, AF_R(1) / af_sqrt(AF_R(N7_D)));
    n7_normal(a, &s->W2[0][0], N7_FF * N7_D, AF_R(1) / af_sqrt(AF_R(N7_FF)));
    for (size_t i = 0; i < N7_FF; i++) {
        s->b1[i] = 0;
    }
    for (size_t i = 0; i < N7_D; i++) {
        s->b2[i] = 0;
    }
    const struct n7_postnorm w = n7_postnorm_of(a);
    const struct n7_postnorm_saved saved = n7_postnorm_saved_of(a);
    n7_postnorm_forward(&s->y[0][0], &saved, &w, &a->kept.x_in[0][0], &a->kept.causal[0][0], N7_N);
}

void n7_block_print(const struct n7_arena *const a, n7_write *const write) {
    const struct n7_block *const s = &a->work.late.part.block;
    af_real mean[N7_N];
    af_real variance[N7_N];
    struct line line = {"", 0};
    for (size_t i = 0; i < N7_N; i++) {
        mean[i] = n7_mean(s->y[i], N7_D);
        variance[i] = n7_variance(s->y[i], N7_D);
    }
    line_text(&line, "Input ");
    line_shape(&line, sizeof(a->kept.x_in) / sizeof(a->kept.x_in[0]), sizeof(a->kept.x_in[0]) / sizeof(af_real));
    line_text(&line, " -> output ");
    line_shape(&line, sizeof(s->y) / sizeof(s->y[0]), sizeof(s->y[0]) / sizeof(af_real));
    line_end(&line, write);
    line_text(&line, "Mean of each output token: ");
    line_array(&line, mean, N7_N);
    line_end(&line, write);
    line_text(&line, "Variance of each output token: ");
    line_array(&line, variance, N7_N);
    line_end(&line, write);
    line_text(&line, "Parameters of this small block: ");
    line_number(&line, n7_block_parameters(), 0);
    line_end(&line, write);
}
