// SPDX-License-Identifier: MIT
// Every number of the document beside ours, and its words with numbers. Nothing of ours is written down here: each row
// comes from the arena, after its step.
#include "comparison.h"
#include "host.h"

#include <string.h>

enum { TEXT_BYTES = 128 };

static struct n7_arena *const arena = &n7_arena;

static const char *truth(const bool is_true) {
    return is_true ? "True" : "False";
}

// ------------------------------------------------------------------------------------------------------------ step 2

static void rows_recurrent(struct comparison *const c) {
    static const struct {
        size_t n;
        const char *printed;
    } shown[] = {{1, "2.63e+00"},  {5, "2.29e-01"},  {10, "1.44e-02"},
                 {20, "2.20e-04"}, {40, "7.85e-08"}, {60, "1.62e-13"}};
    const af_real *const influence = arena->work.recurrent.influence;
    for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
        char text[TEXT_BYTES];
        (void)snprintf(text, sizeof(text), "size of d h_T / d h_0, T = %zu", shown[i].n);
        compare_text(c, (struct statement){"2", text, shown[i].printed}, EXACT, "", "%.2e", influence[shown[i].n - 1]);
    }
    af_real attention[N7_LONG];
    shown_attention_influence(attention);
    compare_row(c,
                (struct statement){"2",
                                   "the same through attention, T = 20 and 60: in a single step, whatever the distance",
                                   "(in words)"},
                SHOWN, true, "queries, keys and values are the vectors, as in step 3", "%.1e, %.1e", attention[19],
                attention[59]);
    compare_row(c, (struct statement){"2", "attention against the network, T = 60", "(in words)"}, SHOWN, true, "",
                "%.1e times as much", attention[59] / influence[59]);
}

// ------------------------------------------------------------------------------------------------------------ step 3

static void rows_toy(struct comparison *const c) {
    static const char *const score[N7_TOY_N] = {"0.00", "0.20", "0.00", "2.28", "2.18", "1.54"};
    static const char *const weight[N7_TOY_N] = {"0.038", "0.046", "0.038", "0.369", "0.334", "0.176"};
    const struct n7_toy *const s = &arena->work.toy;
    for (size_t j = 0; j < N7_TOY_N; j++) {
        char text[TEXT_BYTES];
        char printed[TEXT_BYTES];
        (void)snprintf(text, sizeof(text), "pain -> %s, score and weight", n7_tokens[j]);
        (void)snprintf(printed, sizeof(printed), "%s, %s", score[j], weight[j]);
        compare_text(c, (struct statement){"3", text, printed}, EXACT, "", "%.2f, %.3f", s->scores[j], s->weights[j]);
    }
    compare_text(c, (struct statement){"3", "new vector of pain", "[1.516 1.107 0.107 0.136]"}, EXACT, "",
                 "[%.3f %.3f %.3f %.3f]", s->output[0], s->output[1], s->output[2], s->output[3]);
    const size_t first = af_argmax(s->weights, N7_TOY_N);
    compare_text(c, (struct statement){"3", "what pain attends to above all", "chest"}, EXACT, "", "%s",
                 n7_tokens[first]);
}

// ------------------------------------------------------------------------------------------------------------ step 4

static void rows_scaling(struct comparison *const c) {
    static const char *const printed[N7_WIDTHS] = {"0.64, 0.228, 0.160", "6.13, 0.831, 0.222", "32.88, 1.000, 0.326"};
    for (size_t i = 0; i < N7_WIDTHS; i++) {
        const struct n7_width w = n7_width(arena, i);
        char text[TEXT_BYTES];
        (void)snprintf(text, sizeof(text), "d_k = %zu: spread, largest weight without and with scaling", w.d_k);
        compare_text(c, (struct statement){"4", text, printed[i]}, EXACT, "", "%.2f, %.3f, %.3f",
                     n7_std(w.raw, N7_KEYS), n7_max(w.w_raw, N7_KEYS), n7_max(w.w_scaled, N7_KEYS));
    }
    for (size_t i = 0; i < N7_WIDTHS; i++) {
        const struct n7_width w = n7_width(arena, i);
        char text[TEXT_BYTES];
        (void)snprintf(text, sizeof(text), "d_k = %zu: spread of the scaled scores", w.d_k);
        compare_row(c, (struct statement){"4", text, "comparable"}, SHOWN, true, "", "%.2f", n7_std(w.scaled, N7_KEYS));
    }
    for (size_t i = 0; i < N7_WIDTHS; i++) {
        const struct n7_width w = n7_width(arena, i);
        char text[TEXT_BYTES];
        (void)snprintf(text, sizeof(text), "d_k = %zu: norm of the softmax's Jacobian, without and with scaling",
                       w.d_k);
        compare_row(c, (struct statement){"4", text, "gradients vanish without"}, SHOWN, true, "", "%.4f, %.4f",
                    shown_softmax_jacobian(w.w_raw, N7_KEYS), shown_softmax_jacobian(w.w_scaled, N7_KEYS));
    }
}

// ------------------------------------------------------------------------------------------------------------ step 5

static void rows_self(struct comparison *const c) {
    const struct n7_self *const s = &arena->work.self;
    af_real worst = 0;
    af_real future = 0;
    size_t n_seen = 0;
    for (size_t i = 0; i < N7_N; i++) {
        af_real sum = 0;
        for (size_t j = 0; j < N7_N; j++) {
            sum += s->w_full[i][j];
            future += j > i ? s->w_causal[i][j] : AF_R(0);
            n_seen += s->w_causal[i][j] > 0 ? 1U : 0U;
        }
        worst = af_abs(sum - 1) > worst ? af_abs(sum - 1) : worst;
    }
    compare_text(c, (struct statement){"5", "output shape", "(9, 8)"}, EXACT, "", "(%d, %d)", (int)N7_N, (int)N7_D);
    compare_row(c, (struct statement){"5", "each row of weights sums to 1", "True"}, EXACT, worst < 1e-8, "",
                "%s, +- %.1e", truth(worst < 1e-8), worst);
    compare_text(c, (struct statement){"5", "weight given to future tokens", "0.0"}, EXACT, "", "%.1f", future);
    compare_row(c, (struct statement){"5", "the mask leaves only the lower triangle", "45 of 81 weights"}, EXACT,
                n_seen == 45 && !(future > 0), "", "%zu of %d weights", n_seen, (int)(N7_N * N7_N));
}

// ------------------------------------------------------------------------------------------------------------ step 6

static void rows_heads(struct comparison *const c) {
    size_t n = 0;
    const size_t n_equal = shown_fused_equal(&n);
    compare_text(c, (struct statement){"6", "heads, of dimension", "2, 4"}, EXACT, "", "%d, %d", (int)N7_H, (int)N7_DH);
    compare_text(c, (struct statement){"6", "output shape", "(9, 8)"}, EXACT, "", "(%d, %d)", (int)N7_N, (int)N7_D);
    compare_text(c, (struct statement){"6", "parameters", "256"}, EXACT, "", "%zu", n7_attention_parameters());
    compare_text(c, (struct statement){"6", "columns of the concatenation", "8"}, EXACT, "", "%zu",
                 sizeof(arena->work.late.cat[0]) / sizeof(af_real));
    compare_row(c,
                (struct statement){"6", "separate heads against one product for all (the library's af_attention.c)",
                                   "(the same function)"},
                SHOWN, true, "", "%zu of %zu numbers have the same bits", n_equal, n);
}

// ------------------------------------------------------------------------------------------------------------ step 7

/// A verdict about shuffling: what the document prints, and the largest difference behind it.
static void row_shuffled(struct comparison *const c, const char *const text, const char *const printed,
                         const af_real *const out, const af_real *const out_shuffled) {
    af_real expected[N7_N * N7_D];
    n7_reorder(expected, out, arena->work.late.part.positions.perm, N7_N);
    const char *const ours = truth(n7_allclose(expected, out_shuffled, N7_N * N7_D));
    compare_row(c, (struct statement){"7", text, printed}, EXACT, strcmp(ours, printed) == 0, "", "%s, +- %.2g", ours,
                n7_distance(expected, out_shuffled, N7_N * N7_D));
}

static void row_every_offset(struct comparison *const c) {
    const struct n7_positions *const s = &arena->work.late.part.positions;
    af_real rotation[N7_WIDTH * N7_WIDTH];
    af_real worst = 0;
    size_t worst_k = 0;
    for (size_t k = 1; k < N7_PLACES; k++) {
        af_position_rotation(rotation, s->omega, k, N7_WIDTH);
        const af_real error = n7_rotation_error(&s->PE[0][0], rotation, k);
        worst_k = error > worst ? k : worst_k;
        worst = error > worst ? error : worst;
    }
    compare_row(c, (struct statement){"7", "the same for any offset: every k from 1 to 99", "(in words)"}, SHOWN, true,
                "", "at most %.1e, at k = %zu", worst, worst_k);
}

static void rows_orders(struct comparison *const c) {
    const struct shown_sentences doctor = shown_doctor();
    const struct shown_orders orders = shown_orders();
    compare_row(
        c,
        (struct statement){"7", "\"the patient treated the doctor\" and \"the doctor treated the patient\": the same",
                           "would look the same"},
        SHOWN, true, "each word's output against its output in the other", "+- %.1e", doctor.without);
    compare_row(c, (struct statement){"7", "the two sentences with positions", "can now be told apart"}, SHOWN, true,
                "", "+- %.2f", doctor.with);
    compare_row(c,
                (struct statement){"7", "keys and values reordered (1.8 of the chapter: \"outputs are permuted\")",
                                   "(in words)"},
                SHOWN, true, "imprecise there: nothing changes", "+- %.1e", orders.keys_and_values);
    compare_row(c, (struct statement){"7", "all tokens reordered, no mask: outputs are reordered", "(in words)"}, SHOWN,
                true, "", "+- %.1e", orders.tokens);
    compare_row(c, (struct statement){"7", "all tokens reordered, causal mask: they are not", "(in words)"}, SHOWN,
                true, "", "+- %.2f", orders.tokens_masked);
}

static void rows_positions(struct comparison *const c) {
    const struct n7_positions *const s = &arena->work.late.part.positions;
    row_shuffled(c, "shuffling the tokens only shuffles the outputs", "True", &s->out[0][0], &s->out_shuffled[0][0]);
    compare_text(c, (struct statement){"7", "largest difference between PE(pos + 3) and R_3 PE(pos)", "2.4e-15"}, EXACT,
                 "", "%.1e", n7_rotation_error(&s->PE[0][0], &s->R[0][0], N7_K));
    row_every_offset(c);
    row_shuffled(c, "with positional encoding, shuffling only shuffles", "False", &s->out_pe[0][0],
                 &s->out_pe_shuffled[0][0]);
    rows_orders(c);
}

// ------------------------------------------------------------------------------------------------------------ step 8

static void rows_moments(struct comparison *const c) {
    const struct n7_block *const s = &arena->work.late.part.block;
    af_real mean = 0;
    af_real least = 1;
    af_real most = 0;
    for (size_t i = 0; i < N7_N; i++) {
        const af_real m = af_abs(n7_mean(s->y[i], N7_D));
        const af_real v = n7_variance(s->y[i], N7_D);
        mean = m > mean ? m : mean;
        least = v < least ? v : least;
        most = v > most ? v : most;
    }
    compare_row(c, (struct statement){"8", "mean of each output token", "nine zeros"}, EXACT, mean < 1e-15,
                "signs are rounding, 0 in exact arithmetic", "0, +- %.1e", mean);
    compare_row(c, (struct statement){"8", "variance of each output token", "nine times 1."}, EXACT,
                least >= 0.9995 && most < 1.0005, "a little less, by the eps of the norm", "%.6f to %.6f", least, most);
}

static void rows_block(struct comparison *const c) {
    static const size_t depth[] = {1, 6, 12, SHOWN_MOST_BLOCKS};
    compare_text(c, (struct statement){"8", "input and output shape", "(9, 8), (9, 8)"}, EXACT, "",
                 "(%d, %d), (%d, %d)", (int)N7_N, (int)N7_D, (int)N7_N, (int)N7_D);
    rows_moments(c);
    compare_text(c, (struct statement){"8", "parameters of this small block", "808"}, EXACT, "", "%zu",
                 n7_block_parameters());
    for (size_t i = 0; i < sizeof(depth) / sizeof(depth[0]); i++) {
        char text[TEXT_BYTES];
        (void)snprintf(text, sizeof(text), "size of d y / d x through %zu block%s: with residual, without", depth[i],
                       depth[i] > 1 ? "s" : "");
        compare_row(c, (struct statement){"8", text, "a highway for the gradients"}, SHOWN, true,
                    depth[i] > 1 ? "the same weights in each" : "", "%.2g, %.2g", shown_stack_gradient(depth[i], true),
                    shown_stack_gradient(depth[i], false));
    }
}

bool compare_with_document(FILE *const file) {
    static void (*const rows[N7_LAST_STEP + 1])(struct comparison * c) = {
        NULL, NULL, rows_recurrent, rows_toy, rows_scaling, rows_self, rows_heads, rows_positions, rows_block};
    struct comparison comparison;
    comparison_begin(&comparison, file);
    n7_begin(arena);
    for (unsigned i = N7_FIRST_STEP; i <= N7_LAST_STEP; i++) {
        n7_step[i].run(arena);
        rows[i](&comparison);
    }
    return comparison_end(&comparison);
}
