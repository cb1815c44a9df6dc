// SPDX-License-Identifier: MIT
// Step 4: why divide by the root of d_k.
#include "line.h"

#define WIDTH(s, n)                                                                                                    \
    { n, (s)->q, &(s)->K[0][0], (s)->raw, (s)->scaled, (s)->w_raw, (s)->w_scaled }

struct n7_width n7_width(struct n7_arena *const a, const size_t i) {
    struct n7_scaling *const s = &a->work.scaling;
    const struct n7_width width[N7_WIDTHS] = {WIDTH(&s->d4, 4), WIDTH(&s->d64, 64), WIDTH(&s->d512, 512)};
    return width[i];
}

void n7_scaling_run(struct n7_arena *const a) {
    for (size_t i = 0; i < N7_WIDTHS; i++) {
        const struct n7_width w = n7_width(a, i);
        const af_real root = af_sqrt((af_real)w.d_k);
        n7_normal(a, w.q, w.d_k, 1);
        n7_normal(a, w.K, N7_KEYS * w.d_k, 1);
        n7_matmul_forward(w.raw, w.K, w.q, N7_KEYS, w.d_k, 1);
        for (size_t j = 0; j < N7_KEYS; j++) {
            w.scaled[j] = w.raw[j] / root;
        }
        af_softmax(w.w_raw, w.raw, N7_KEYS);
        af_softmax(w.w_scaled, w.scaled, N7_KEYS);
    }
}

/// The line of one width; the numbers are read only.
static void print_width(const size_t d_k, const af_real *const raw, const af_real *const w_raw,
                        const af_real *const w_scaled, n7_write *const write) {
    struct line line = {"", 0};
    line_text(&line, "d_k = ");
    line_number(&line, d_k, 3);
    line_text(&line, ": spread (std) of the scores ");
    line_fixed(&line, n7_std(raw, N7_KEYS), 2, 6);
    line_text(&line, " | largest weight without scaling ");
    line_fixed(&line, n7_max(w_raw, N7_KEYS), 3, 0);
    line_text(&line, ", with scaling ");
    line_fixed(&line, n7_max(w_scaled, N7_KEYS), 3, 0);
    line_end(&line, write);
}

void n7_scaling_print(const struct n7_arena *const a, n7_write *const write) {
    const struct n7_scaling *const s = &a->work.scaling;
    print_width(4, s->d4.raw, s->d4.w_raw, s->d4.w_scaled, write);
    print_width(64, s->d64.raw, s->d64.w_raw, s->d64.w_scaled, write);
    print_width(512, s->d512.raw, s->d512.w_raw, s->d512.w_scaled, write);
}
