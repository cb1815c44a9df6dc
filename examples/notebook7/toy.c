// SPDX-License-Identifier: MIT
// Step 3: scaled dot-product attention of one query, on vectors designed by hand.
#include "line.h"

/// Half of each vector: cardiac, body location, person, function word.
static const af_real features[N7_TOY_N][N7_TOY_D] = {
    {0.0, 0.0, 0.0, 1.0}, {0.1, 0.0, 1.0, 0.0}, {0.0, 0.0, 0.2, 0.8},
    {0.9, 0.8, 0.0, 0.0}, {1.0, 0.3, 0.0, 0.0}, {0.5, 0.9, 0.0, 0.0},
};

void n7_toy_run(struct n7_arena *const a) {
    struct n7_toy *const s = &a->work.toy;
    for (size_t i = 0; i < N7_TOY_N * N7_TOY_D; i++) {
        s->X_toy[i / N7_TOY_D][i % N7_TOY_D] = 2 * features[i / N7_TOY_D][i % N7_TOY_D];
    }
    const af_real root = af_sqrt(AF_R(N7_TOY_D));
    n7_matmul_forward(s->scores, &s->X_toy[0][0], s->X_toy[N7_PAIN], N7_TOY_N, N7_TOY_D, 1);
    for (size_t j = 0; j < N7_TOY_N; j++) {
        s->scores[j] = s->scores[j] / root;
    }
    // The queries, keys and values are the vectors themselves.
    n7_head_forward(s->output, s->weights, s->X_toy[N7_PAIN], &s->X_toy[0][0], &s->X_toy[0][0], NULL, 1, N7_TOY_N,
                    N7_TOY_D, N7_TOY_D);
}

void n7_toy_print(const struct n7_arena *const a, n7_write *const write) {
    const struct n7_toy *const s = &a->work.toy;
    struct line line = {"", 0};
    for (size_t j = 0; j < N7_TOY_N; j++) {
        line_text(&line, "pain -> ");
        line_left(&line, n7_tokens[j], 8);
        line_text(&line, " score ");
        line_fixed(&line, s->scores[j], 2, 5);
        line_text(&line, "   weight ");
        line_fixed(&line, s->weights[j], 3, 0);
        line_end(&line, write);
    }
    line_end(&line, write);
    line_text(&line, "New vector for 'pain' (weighted average of the values): ");
    line_array(&line, s->output, N7_TOY_D);
    line_end(&line, write);
}
