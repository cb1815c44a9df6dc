// SPDX-License-Identifier: MIT
// Step 7: attention is blind to order, and positions cure that.
#include "line.h"

/// Multi-head attention without mask, so that order is not imposed by the mask.
static void attend(struct n7_arena *const a, af_real *const y, const af_real *const x) {
    const struct n7_multihead w = n7_multihead_of(a);
    const struct n7_multihead_saved saved = n7_multihead_saved_of(a);
    n7_multihead_forward(y, &saved, &w, x, NULL, N7_N);
}

void n7_positions_run(struct n7_arena *const a) {
    struct n7_positions *const s = &a->work.late.part.positions;
    const af_real *const x = &a->kept.X[0][0];
    const af_real *const pe8 = &a->kept.PE8[0][0];
    af_real *const shuffled = &s->shuffled[0][0];
    af_numpy_permutation(&a->kept.rng[0], s->perm, N7_N);
    attend(a, &s->out[0][0], x);
    n7_reorder(shuffled, x, s->perm, N7_N);
    attend(a, &s->out_shuffled[0][0], shuffled);

    n7_position_omega(s->omega, N7_WIDTH);
    n7_position_forward(&s->PE[0][0], s->omega, N7_PLACES, N7_WIDTH);
    n7_position_rotation(&s->R[0][0], s->omega, N7_K, N7_WIDTH);

    n7_position_omega(s->omega8, N7_D);
    n7_position_forward(&a->kept.PE8[0][0], s->omega8, N7_N, N7_D);
    n7_add(&a->kept.x_in[0][0], x, pe8, N7_N * N7_D);
    attend(a, &s->out_pe[0][0], &a->kept.x_in[0][0]);
    n7_add(shuffled, shuffled, pe8, N7_N * N7_D);
    attend(a, &s->out_pe_shuffled[0][0], shuffled);
}

/// Whether shuffling the tokens did nothing but shuffle the outputs.
static void print_verdict(const char *const text, const af_real *const out, const af_real *const out_shuffled,
                          const af_index *const perm, n7_write *const write) {
    struct line line = {"", 0};
    bool is_close = true;
    for (size_t i = 0; i < N7_N; i++) {
        is_close = is_close && n7_allclose(&out[perm[i] * (size_t)N7_D], &out_shuffled[i * N7_D], N7_D);
    }
    line_text(&line, text);
    line_truth(&line, is_close);
    line_end(&line, write);
}

void n7_positions_print(const struct n7_arena *const a, n7_write *const write) {
    const struct n7_positions *const s = &a->work.late.part.positions;
    struct line line = {"", 0};
    print_verdict("Shuffling the tokens only shuffles the outputs: ", &s->out[0][0], &s->out_shuffled[0][0], s->perm,
                  write);
    line_text(&line, "Largest difference between PE(pos + ");
    line_number(&line, N7_K, 0);
    line_text(&line, ") and R_");
    line_number(&line, N7_K, 0);
    line_text(&line, " PE(pos), over all positions: ");
    line_exponent(&line, n7_rotation_error(&s->PE[0][0], &s->R[0][0], N7_K), 1);
    line_end(&line, write);
    print_verdict("With positional encoding, shuffling only shuffles the outputs: ", &s->out_pe[0][0],
                  &s->out_pe_shuffled[0][0], s->perm, write);
}
