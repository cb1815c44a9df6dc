// SPDX-License-Identifier: MIT
// Step 2: the wall of recurrent networks.
#include "line.h"

void n7_recurrent_run(struct n7_arena *const a) {
    struct n7_recurrent *const s = &a->work.recurrent;
    const af_real root = af_sqrt(AF_R(N7_HIDDEN));
    const af_real start[N7_HIDDEN] = {0};
    n7_normal(a, &s->W[0][0], N7_HIDDEN * N7_HIDDEN, AF_R(0.9) / root);
    n7_normal(a, &s->U[0][0], N7_HIDDEN * N7_HIDDEN, AF_R(1) / root);
    n7_normal(a, &s->inputs[0][0], N7_LONG * N7_HIDDEN, 1);
    for (size_t i = 0; i < N7_HIDDEN * N7_HIDDEN; i++) {
        s->jacobian[i / N7_HIDDEN][i % N7_HIDDEN] = i % (N7_HIDDEN + 1) == 0 ? AF_R(1) : AF_R(0);
    }
    for (size_t t = 0; t < N7_LONG; t++) {
        n7_rnn_forward(s->h[t], t > 0 ? s->h[t - 1] : start, s->inputs[t], &s->W[0][0], &s->U[0][0], N7_HIDDEN,
                       N7_HIDDEN);
        for (size_t i = 0; i < N7_HIDDEN * N7_HIDDEN; i++) {
            s->before[i / N7_HIDDEN][i % N7_HIDDEN] = s->jacobian[i / N7_HIDDEN][i % N7_HIDDEN];
        }
        n7_rnn_jacobian(&s->jacobian[0][0], &s->before[0][0], s->h[t], &s->W[0][0], N7_HIDDEN);
        s->influence[t] = n7_norm(&s->jacobian[0][0], N7_HIDDEN * N7_HIDDEN);
    }
}

void n7_recurrent_print(const struct n7_arena *const a, n7_write *const write) {
    static const size_t shown[] = {1, 5, 10, 20, 40, 60};
    struct line line = {"", 0};
    for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]) && shown[i] <= N7_LONG; i++) {
        line_text(&line, "After ");
        line_number(&line, shown[i], 2);
        line_text(&line, " tokens, size of d h_T / d h_0: ");
        line_exponent(&line, a->work.recurrent.influence[shown[i] - 1], 2);
        line_end(&line, write);
    }
}
