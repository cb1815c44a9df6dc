// SPDX-License-Identifier: MIT
// Step 6: multi-head attention.
#include "line.h"

void n7_heads_run(struct n7_arena *const a) {
    struct n7_late *const s = &a->work.late;
    const af_real deviation = AF_R(1) / af_sqrt(AF_R(N7_D));
    for (size_t h = 0; h < N7_H; h++) {
        struct n7_head *const head = &a->kept.heads[h];
        n7_normal(a, &head->Wq[0][0], N7_D * N7_DH, deviation);
        n7_normal(a, &head->Wk[0][0], N7_D * N7_DH, deviation);
        n7_normal(a, &head->Wv[0][0], N7_D * N7_DH, deviation);
    }
    n7_normal(a, &a->kept.W_O[0][0], N7_D * N7_D, deviation);
    const struct n7_multihead w = n7_multihead_of(a);
    const struct n7_multihead_saved saved = n7_multihead_saved_of(a);
    n7_multihead_forward(&s->mh[0][0], &saved, &w, &a->kept.X[0][0], &a->kept.causal[0][0], N7_N);
}

void n7_heads_print(const struct n7_arena *const a, n7_write *const write) {
    struct line line = {"", 0};
    line_number(&line, N7_H, 0);
    line_text(&line, " heads of dimension ");
    line_number(&line, N7_DH, 0);
    line_text(&line, "; output shape ");
    line_shape(&line, sizeof(a->work.late.mh) / sizeof(a->work.late.mh[0]),
               sizeof(a->work.late.mh[0]) / sizeof(af_real));
    line_text(&line, "; parameters ");
    line_number(&line, n7_attention_parameters(), 0);
    line_end(&line, write);
}
