// SPDX-License-Identifier: MIT
// Every number of the document beside ours, and its words with numbers. Nothing of ours is written down here: each row
// comes from the arena, after its step.
#include "comparison.h"
#include "host.h"

#include <string.h>

enum { TEXT_BYTES = 128 };

static struct n7_arena *const arena = &n7_arena;

/// What a row may rest on that a program can be given otherwise.
enum {
    ON_STREAM = 1,  // the seed, and how much is drawn
    ON_ENCODING = 2 // the sizes of the position encoding
};

/// Adds "NAME=NUMBER" to a reason if the number is not the document's.
static void add_other(char reason[COMPARISON_REASON_BYTES], const char *const name, const uint64_t number,
                      const uint64_t document) {
    const size_t n = strlen(reason);
    if (number != document && n < COMPARISON_REASON_BYTES - 40) {
        (void)snprintf(reason + n, COMPARISON_REASON_BYTES - n, "%s%s=%llu", n > 0 ? ", " : "", name,
                       (unsigned long long)number);
    }
}

static void rest_on(struct comparison *const c, const unsigned bits) {
    char reason[COMPARISON_REASON_BYTES] = "";
    if ((bits & ON_STREAM) != 0) {
        add_other(reason, "seed", n7_seed, 0);
        add_other(reason, "N7_HIDDEN", N7_HIDDEN, 16);
        add_other(reason, "N7_LONG", N7_LONG, 60);
        add_other(reason, "N7_KEYS", N7_KEYS, 10);
    }
    if ((bits & ON_ENCODING) != 0) {
        add_other(reason, "N7_PLACES", N7_PLACES, 100);
        add_other(reason, "N7_WIDTH", N7_WIDTH, 16);
        add_other(reason, "N7_K", N7_K, 3);
    }
    compare_elsewhere(c, reason);
}

/// "(9, 8)": the shape of a tensor in the map.
enum { SHAPE_BYTES = 64 };

static const char *shape_of(char out[SHAPE_BYTES], const char *const path) {
    const struct af_tensor t = af_map_find(&n7_map, path);
    (void)snprintf(out, SHAPE_BYTES, "(%zu, %zu)", t.dim[0], t.dim[1]);
    return out;
}

/// Numbers of all tensors whose path begins so.
static size_t count_of(const char *const beginning) {
    size_t n = 0;
    for (size_t i = 0; i < af_map_count(&n7_map); i++) {
        const struct af_tensor t = af_map_tensor(&n7_map, i);
        n += strncmp(t.name, beginning, strlen(beginning)) == 0 ? t.n_elements : 0;
    }
    return n;
}

static size_t count_attention(void) {
    return count_of("kept.heads[") + count_of("kept.W_O");
}

static size_t count_block(void) {
    return count_attention() + count_of("work.late.part.block.W") + count_of("work.late.part.block.b");
}

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
    rest_on(c, ON_STREAM);
    for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]) && shown[i].n <= N7_LONG; i++) {
        char text[TEXT_BYTES];
        (void)snprintf(text, sizeof(text), "size of d h_T / d h_0, T = %zu", shown[i].n);
        compare_text(c, (struct statement){"2", text, shown[i].printed}, EXACT, "", "%.2e", influence[shown[i].n - 1]);
    }
    static af_real recurrent[N7_LONG];
    static af_real attention[N7_LONG];
    char text[TEXT_BYTES];
    const size_t middle = N7_LONG / 3 > 0 ? N7_LONG / 3 : 1;
    shown_recurrent_influence(recurrent);
    shown_attention_influence(attention);
    rest_on(c, 0);
    (void)snprintf(text, sizeof(text), "size of d h_T / d x_1, of the first token itself, T = %zu and %d", middle,
                   (int)N7_LONG);
    compare_row(c, (struct statement){"2", text, "its influence fades exponentially"}, SHOWN, true,
                "d h_0 above is of the state before that token", "%.1e, %.1e", recurrent[middle - 1],
                recurrent[N7_LONG - 1]);
    (void)snprintf(text, sizeof(text), "the same through attention, d out_T / d x_1, T = %zu and %d", middle,
                   (int)N7_LONG);
    compare_row(c, (struct statement){"2", text, "in a single step, whatever the distance"}, SHOWN, true,
                "queries, keys and values are the vectors, as in step 3", "%.1e, %.1e", attention[middle - 1],
                attention[N7_LONG - 1]);
    (void)snprintf(text, sizeof(text), "attention against the network, both d / d x_1, T = %d", (int)N7_LONG);
    compare_row(c, (struct statement){"2", text, ""}, SHOWN, true, "", "%.1e times as much",
                attention[N7_LONG - 1] / recurrent[N7_LONG - 1]);
}

// ------------------------------------------------------------------------------------------------------------ step 3

static void rows_toy(struct comparison *const c) {
    static const char *const score[N7_TOY_N] = {"0.00", "0.20", "0.00", "2.28", "2.18", "1.54"};
    static const char *const weight[N7_TOY_N] = {"0.038", "0.046", "0.038", "0.369", "0.334", "0.176"};
    const struct n7_toy *const s = &arena->work.toy;
    rest_on(c, 0);
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
    rest_on(c, ON_STREAM);
    for (size_t i = 0; i < N7_WIDTHS; i++) {
        const struct n7_width w = n7_width(arena, i);
        char text[TEXT_BYTES];
        (void)snprintf(text, sizeof(text), "d_k = %zu: spread, largest weight without and with scaling", w.d_k);
        compare_text(c, (struct statement){"4", text, printed[i]}, EXACT, "", "%.2f, %.3f, %.3f",
                     n7_std(w.raw, N7_KEYS), n7_max(w.w_raw, N7_KEYS), n7_max(w.w_scaled, N7_KEYS));
    }
    rest_on(c, 0);
    for (size_t i = 0; i < N7_WIDTHS; i++) {
        const struct n7_width w = n7_width(arena, i);
        char text[TEXT_BYTES];
        (void)snprintf(text, sizeof(text), "d_k = %zu: spread of the scaled scores", w.d_k);
        compare_row(c, (struct statement){"4", text, "a comparable spread"}, SHOWN, true, "", "%.2f",
                    n7_std(w.scaled, N7_KEYS));
    }
    for (size_t i = 0; i < N7_WIDTHS; i++) {
        const struct n7_width w = n7_width(arena, i);
        char text[TEXT_BYTES];
        (void)snprintf(text, sizeof(text), "d_k = %zu: norm of the softmax's Jacobian, without and with scaling",
                       w.d_k);
        compare_row(c, (struct statement){"4", text, "their gradients vanish"}, SHOWN, true, "", "%.4f, %.4f",
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
    char shape[SHAPE_BYTES];
    rest_on(c, 0);
    compare_text(c, (struct statement){"5", "output shape", "(9, 8)"}, EXACT, "", "%s",
                 shape_of(shape, "work.self.out_full"));
    compare_row(c, (struct statement){"5", "each row of weights sums to 1", "True"}, EXACT, worst < 1e-8, "",
                "%s, +- %.1e", truth(worst < 1e-8), worst);
    compare_text(c, (struct statement){"5", "weight given to future tokens", "0.0"}, EXACT, "", "%.1f", future);
    compare_row(c, (struct statement){"5", "what the mask leaves", "only the lower triangle"}, EXACT,
                n_seen == N7_N * (N7_N + 1) / 2 && !(future > 0), "with its diagonal", "%zu of %d weights", n_seen,
                (int)(N7_N * N7_N));
}

// ------------------------------------------------------------------------------------------------------------ step 6

static void rows_heads(struct comparison *const c) {
    size_t n = 0;
    const size_t n_equal = shown_fused_equal(&n);
    const struct af_tensor qkv = af_map_find(&n7_map, "work.late.qkv"); // [head][of q, k, v][token][d_k]
    char shape[SHAPE_BYTES];
    rest_on(c, 0);
    compare_text(c, (struct statement){"6", "heads", "2 heads of dimension 4"}, EXACT, "", "%zu heads of dimension %zu",
                 qkv.dim[0], qkv.dim[3]);
    compare_text(c, (struct statement){"6", "output shape", "(9, 8)"}, EXACT, "", "%s",
                 shape_of(shape, "work.late.mh"));
    compare_text(c, (struct statement){"6", "parameters", "256"}, EXACT, "", "%zu", count_attention());
    compare_row(c, (struct statement){"6", "columns of the concatenation", "d_model columns again"}, EXACT,
                af_map_find(&n7_map, "work.late.cat").dim[1] == N7_D, "", "%zu",
                af_map_find(&n7_map, "work.late.cat").dim[1]);
    compare_row(
        c, (struct statement){"6", "separate heads against one product for all (the library's af_attention.c)", ""},
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
        n7_position_rotation(rotation, s->omega, k, N7_WIDTH);
        const af_real error = n7_rotation_error(&s->PE[0][0], rotation, k);
        worst_k = error > worst ? k : worst_k;
        worst = error > worst ? error : worst;
    }
    compare_row(c, (struct statement){"7", "the same for every k that there is", "for any offset k"}, SHOWN, true, "",
                "at most %.1e, at k = %zu", worst, worst_k);
}

static void rows_orders(struct comparison *const c) {
    const struct shown_sentences doctor = shown_doctor();
    const struct shown_orders orders = shown_orders();
    compare_row(
        c,
        (struct statement){"7", "\"the patient treated the doctor\" and \"the doctor treated the patient\": the same",
                           "would look the same"},
        SHOWN, true, "each word's output against its output in the other", "+- %.1e", doctor.without);
    compare_row(c, (struct statement){"7", "the two sentences with positions", "can now tell"}, SHOWN, true, "",
                "+- %.2f", doctor.with);
    compare_row(c, (struct statement){"7", "keys and values reordered (1.8 of the chapter: \"outputs, permuted\")", ""},
                SHOWN, true, "the words do not hold there: nothing changes", "+- %.1e", orders.keys_and_values);
    compare_row(c,
                (struct statement){"7", "all tokens reordered, no mask: against reordered outputs",
                                   "shuffled in exactly the same way"},
                SHOWN, true, "", "+- %.1e", orders.tokens);
    compare_row(c, (struct statement){"7", "all tokens reordered, causal mask: the same", ""}, SHOWN, true, "",
                "+- %.2f", orders.tokens_masked);
}

static void rows_positions(struct comparison *const c) {
    const struct n7_positions *const s = &arena->work.late.part.positions;
    char text[TEXT_BYTES];
    (void)snprintf(text, sizeof(text), "largest difference between PE(pos + %d) and R_%d PE(pos)", N7_K, N7_K);
    rest_on(c, 0);
    row_shuffled(c, "shuffling the tokens only shuffles the outputs", "True", &s->out[0][0], &s->out_shuffled[0][0]);
    rest_on(c, ON_ENCODING);
    compare_text(c, (struct statement){"7", text, "2.4e-15"}, EXACT, "", "%.1e",
                 n7_rotation_error(&s->PE[0][0], &s->R[0][0], N7_K));
    rest_on(c, 0);
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
    compare_row(c, (struct statement){"8", "mean of each output token", "[-0.  0. -0. -0.  0. -0.  0.  0. -0.]"}, EXACT,
                mean < 1e-15, "signs are rounding, 0 in exact arithmetic", "0, +- %.1e", mean);
    compare_row(c, (struct statement){"8", "variance of each output token", "[1. 1. 1. 1. 1. 1. 1. 1. 1.]"}, EXACT,
                least >= 0.9995 && most < 1.0005, "a little less, by the eps of the norm", "%.6f to %.6f", least, most);
}

static void rows_block(struct comparison *const c) {
    static const size_t depth[] = {1, 6, 12, SHOWN_MOST_BLOCKS};
    char shape[2][SHAPE_BYTES];
    rest_on(c, 0);
    compare_text(c, (struct statement){"8", "input and output shape", "(9, 8) -> output (9, 8)"}, EXACT, "",
                 "%s -> output %s", shape_of(shape[0], "kept.x_in"), shape_of(shape[1], "work.late.part.block.y"));
    rows_moments(c);
    compare_text(c, (struct statement){"8", "parameters of this small block", "808"}, EXACT, "", "%zu", count_block());
    for (size_t i = 0; i < sizeof(depth) / sizeof(depth[0]); i++) {
        char text[TEXT_BYTES];
        (void)snprintf(text, sizeof(text), "size of d y / d x through %zu block%s: with residual, without", depth[i],
                       depth[i] > 1 ? "s" : "");
        compare_row(c, (struct statement){"8", text, "a highway for the gradients"}, SHOWN, true,
                    depth[i] > 1 ? "the same weights in each" : "", "%.2g, %.2g", shown_stack_gradient(depth[i], true),
                    shown_stack_gradient(depth[i], false));
    }
}

bool compare_with_document(FILE *const file, const bool is_html) {
    static void (*const rows[N7_LAST_STEP + 1])(struct comparison * c) = {
        NULL, NULL, rows_recurrent, rows_toy, rows_scaling, rows_self, rows_heads, rows_positions, rows_block};
    struct comparison comparison;
    if (is_html) {
        comparison_begin_html(&comparison, file);
    } else {
        comparison_begin(&comparison, file);
    }
    n7_begin(arena);
    for (unsigned i = N7_FIRST_STEP; i <= N7_LAST_STEP; i++) {
        n7_step[i].run(arena);
        rows[i](&comparison);
    }
    return comparison_end(&comparison);
}
