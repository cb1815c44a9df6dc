// SPDX-License-Identifier: MIT
// Step 5: self-attention over a sentence, and the causal mask.
#include "line.h"

void n7_self_run(struct n7_arena *const a) {
    struct n7_self *const s = &a->work.self;
    const af_real deviation = AF_R(1) / af_sqrt(AF_R(N7_D));
    n7_normal(a, &a->kept.X[0][0], N7_N * N7_D, 1);
    n7_normal(a, &s->W_Q[0][0], N7_D * N7_D, deviation);
    n7_normal(a, &s->W_K[0][0], N7_D * N7_D, deviation);
    n7_normal(a, &s->W_V[0][0], N7_D * N7_D, deviation);
    for (size_t i = 0; i < N7_N; i++) {
        for (size_t j = 0; j < N7_N; j++) {
            a->kept.causal[i][j] = j <= i ? 1 : 0;
        }
    }
    n7_matmul_forward(&s->Q[0][0], &a->kept.X[0][0], &s->W_Q[0][0], N7_N, N7_D, N7_D);
    n7_matmul_forward(&s->K[0][0], &a->kept.X[0][0], &s->W_K[0][0], N7_N, N7_D, N7_D);
    n7_matmul_forward(&s->V[0][0], &a->kept.X[0][0], &s->W_V[0][0], N7_N, N7_D, N7_D);
    n7_head_forward(&s->out_full[0][0], &s->w_full[0][0], &s->Q[0][0], &s->K[0][0], &s->V[0][0], NULL, N7_N, N7_N, N7_D,
                    N7_D);
    n7_head_forward(&s->out_causal[0][0], &s->w_causal[0][0], &s->Q[0][0], &s->K[0][0], &s->V[0][0],
                    &a->kept.causal[0][0], N7_N, N7_N, N7_D, N7_D);
}

void n7_self_print(const struct n7_arena *const a, n7_write *const write) {
    const struct n7_self *const s = &a->work.self;
    struct line line = {"", 0};
    line_text(&line, "Output shape: ");
    line_shape(&line, sizeof(s->out_full) / sizeof(s->out_full[0]), sizeof(s->out_full[0]) / sizeof(af_real));
    line_text(&line, " (one new vector per token)");
    line_end(&line, write);

    af_real sum[N7_N];
    af_real one[N7_N];
    af_real future = 0;
    for (size_t i = 0; i < N7_N; i++) {
        sum[i] = 0;
        one[i] = 1;
        for (size_t j = 0; j < N7_N; j++) {
            sum[i] += s->w_full[i][j];
            future += a->kept.causal[i][j] != 0 ? AF_R(0) : s->w_causal[i][j];
        }
    }
    line_text(&line, "Each row of weights sums to 1: ");
    line_truth(&line, n7_allclose(sum, one, N7_N));
    line_end(&line, write);
    line_text(&line, "With the mask, weight given to future tokens: ");
    line_fixed(&line, future, 1, 0);
    line_end(&line, write);
}
