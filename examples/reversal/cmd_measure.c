// SPDX-License-Identifier: MIT
// What a trained model does, as lines of numbers for other programs: how many strings it reverses, what its losses are
// made of, what training did to the position table, what its attention weights sum to, and which logits move when a
// later token changes. examples/experiments reads them.
#include "look.h"
#include "af_math.h"

#include <string.h>

enum { N_SHIFTED = 100, N_EXAMPLE = 13 };

/// The string of the chapter's section 1.10.
static const char example_text[] = "fgcabe";

static void print_score(const struct score *const score, const uint32_t shortest, const uint32_t longest) {
    for (uint32_t n = shortest; n <= longest; n++) {
        (void)printf("right,%u,%u,%u\n", (unsigned)n, (unsigned)score->n_right_of[n], (unsigned)score->n_of[n]);
    }
}

/// Strings of the trained lengths, and longer ones: the chapter's 200 are the first of the 500.
static void measure_strings(void) {
    const struct score trained = score_strings(SEED_TEST, N_TEST, SHORTEST, LONGEST);
    const struct score longer = score_strings(SEED_LONG, N_TEST, LONGEST + 1, MAX_LETTERS);
    const struct score first = score_strings(SEED_LONG, N_LONG, LONGEST + 1, MAX_LETTERS);
    print_score(&trained, SHORTEST, LONGEST);
    print_score(&longer, LONGEST + 1, MAX_LETTERS);
    (void)printf("total,%u,%u\nlonger,%u,%u\nlonger_first,%u,%u\n", (unsigned)trained.n_right, (unsigned)trained.n,
                 (unsigned)longer.n_right, (unsigned)longer.n, (unsigned)first.n_right, (unsigned)first.n);
    (void)printf("unseen,%u,%u\n", (unsigned)trained.n_unseen_right, (unsigned)trained.n_unseen);
    struct letters alphabet;
    if (letters_parse(&alphabet, "abcdefghij")) {
        struct letters answer;
        char text[MAX_LETTERS + 1];
        (void)reverse_greedily(&answer, open_decode(), program_reader(), &alphabet);
        letters_text(text, &answer);
        (void)printf("alphabet,%s\n", text);
    }
}

/// Greedy answers where pad tokens stand before the string, as far to the right as it fits.
static void measure_shifted(void) {
    struct af_numpy stream;
    uint32_t n_right = 0;
    af_numpy_seed(&stream, SEED_TEST);
    struct af_decode *const decode = open_decode();
    for (uint32_t i = 0; i < N_SHIFTED; i++) {
        const struct letters letters = letters_draw(&stream, SHORTEST, LONGEST);
        const size_t start = AF_CONTEXT - (2 * letters.n + 1);
        af_token prompt[AF_CONTEXT];
        af_token out[MAX_LETTERS];
        for (size_t k = 0; k < start; k++) {
            prompt[k] = PAD;
        }
        (void)memcpy(&prompt[start], letters.token, letters.n * sizeof(af_token));
        prompt[start + letters.n] = SEPARATOR;
        (void)af_decode_greedy(out, decode, program_reader(), prompt, start + letters.n + 1, letters.n);
        bool is_right = true;
        for (size_t k = 0; k < letters.n; k++) {
            is_right = is_right && out[k] == letters.token[letters.n - 1 - k];
        }
        n_right += is_right ? 1U : 0U;
    }
    (void)printf("shifted,%u,%u\n", (unsigned)n_right, (unsigned)N_SHIFTED);
}

/// The loss of one prediction.
static double loss_of(const af_real *const logits, const af_token target) {
    af_real unused[AF_VOCAB];
    af_real loss = 0;
    af_cross_entropy(unused, &loss, logits, &target, AF_R(1), 1);
    return (double)loss;
}

/// Mean losses on the test strings, as in training padded to the context: of the input, whose letters are random, and
/// of the outputs.
static void measure_losses(void) {
    static struct example example;
    const struct af_model model = program_model();
    struct af_numpy stream;
    double sum[2] = {0, 0};
    uint32_t count[2] = {0, 0};
    af_numpy_seed(&stream, SEED_TEST);
    for (uint32_t i = 0; i < N_TEST; i++) {
        const struct letters letters = letters_draw(&stream, SHORTEST, LONGEST);
        const struct af_sequence sequence = example_of(&example, &letters);
        (void)af_forward(&model, &sequence, 1, AF_EVERY); // an example has valid tokens: this cannot fail
        for (size_t k = 0; k < 2 * letters.n; k++) {
            const size_t kind = k < letters.n ? 0 : 1;
            sum[kind] += loss_of(af_arena.work.train.logits[k], example.token[k + 1]);
            count[kind]++;
        }
    }
    (void)printf("loss_input,%.6g\nloss_output,%.6g\n", sum[0] / count[0], sum[1] / count[1]);
}

static double norm_of(const af_real *const x) {
    double sum = 0;
    for (size_t i = 0; i < AF_DIM; i++) {
        sum += (double)x[i] * (double)x[i];
    }
    return (double)af_sqrt((af_real)sum);
}

static double largest_of(const af_real *const x) {
    double largest = 0;
    for (size_t i = 0; i < AF_DIM; i++) {
        const double size = (double)af_abs(x[i]);
        largest = size > largest ? size : largest;
    }
    return largest;
}

/// Rows of the position table and the pad token's: norm before and after training, largest gradient of the run's first
/// batch at the trained weights.
static void measure_tables(const struct run *const run) {
    draw_initial_weights(&af_arena.adam_m.at, run);
    (void)first_batch_gradient(run);
    for (size_t row = 0; row < AF_CONTEXT; row++) {
        (void)printf("position,%zu,%.7g,%.7g,%.3g\n", row, norm_of(af_arena.adam_m.at.pos[row]),
                     norm_of(af_arena.weight.at.pos[row]), largest_of(af_arena.grad.at.pos[row]));
    }
    (void)printf("pad,%.7g,%.7g,%.3g\n", norm_of(af_arena.adam_m.at.tok[PAD]), norm_of(af_arena.weight.at.tok[PAD]),
                 largest_of(af_arena.grad.at.tok[PAD]));
}

// ---------------------------------------------------------------------------------------------- the chapter's example

static af_real weight_at(const size_t block, const size_t head, const size_t query, const size_t key) {
    return af_arena.work.train.block[block].att[query][head][key];
}

static void widen(double range[2], const double value) {
    range[0] = value < range[0] ? value : range[0];
    range[1] = value > range[1] ? value : range[1];
}

/// Sums of attention weights, smallest and largest, of queries and of keys; the largest weight on a later key.
static void measure_sums(void) {
    double rows[2] = {1e9, 0};
    double columns[2] = {1e9, 0};
    double later = 0;
    for (size_t i = 0; i < (size_t)AF_BLOCKS * AF_HEADS * N_EXAMPLE; i++) {
        const size_t block = i / ((size_t)AF_HEADS * N_EXAMPLE);
        const size_t head = i / N_EXAMPLE % AF_HEADS;
        const size_t at = i % N_EXAMPLE;
        double sum[2] = {0, 0};
        for (size_t k = 0; k < N_EXAMPLE; k++) {
            sum[0] += (double)weight_at(block, head, at, k);
            sum[1] += (double)weight_at(block, head, k, at);
            const double weight = (double)weight_at(block, head, at, k);
            later = k > at && weight > later ? weight : later;
        }
        widen(rows, sum[0]);
        widen(columns, sum[1]);
    }
    (void)printf("sum_of_query,%.7g,%.7g\nsum_of_key,%.7g,%.7g\nlater_key,%.7g\n", rows[0], rows[1], columns[0],
                 columns[1], later);
}

/// For every query the key with the largest weight.
static void measure_strongest(void) {
    for (size_t block = 0; block < AF_BLOCKS; block++) {
        for (size_t head = 0; head < AF_HEADS; head++) {
            for (size_t query = 0; query < N_EXAMPLE; query++) {
                const size_t key = strongest_key(block, head, query, N_EXAMPLE);
                (void)printf("strongest,%zu,%zu,%zu,%zu,%.4f\n", block, head, query, key,
                             (double)weight_at(block, head, query, key));
            }
        }
    }
}

/// Changes one token after another: how far the logits of each position move.
static void measure_leak(const struct sequence *const example) {
    static af_real before[N_EXAMPLE][AF_VOCAB];
    struct sequence other = *example;
    (void)memcpy(before, af_arena.work.train.logits, sizeof(before));
    for (size_t changed = 0; changed < N_EXAMPLE; changed++) {
        other.token[changed] = (af_token)((example->token[changed] + 1) % N_LETTERS);
        sequence_forward(&other);
        other.token[changed] = example->token[changed];
        for (size_t at = 0; at < N_EXAMPLE; at++) {
            double moved = 0;
            for (size_t v = 0; v < AF_VOCAB; v++) {
                const double d = (double)af_abs(af_arena.work.train.logits[at][v] - before[at][v]);
                moved = d > moved ? d : moved;
            }
            (void)printf("moved,%zu,%zu,%.6g\n", changed, at, moved);
        }
    }
}

int cmd_measure(int argc, char **argv) {
    struct run run;
    struct sequence example;
    if (!load_run_for_command(&argc, argv, &run) || !no_options_left(argc, argv)) {
        return STATUS_USAGE;
    }
    if (argc > 1) {
        return complain("measure: \"%s\" is no option; try: reversal measure --help", argv[1]);
    }
    if (!sequence_parse(&example, example_text, ANSWER_TRUE)) {
        return STATUS_FAILED;
    }
    (void)redraw_training(&run);
    (void)printf("steps,%u\nhash,%08X\nparameters,%d\nwidth,%d\nheads,%d\nblocks,%d\n", (unsigned)run.note.n_steps,
                 (unsigned)run.note.hash, (int)AF_N_PARAMS, (int)AF_DIM, (int)AF_HEADS, (int)AF_BLOCKS);
    measure_strings();
    measure_shifted();
    measure_losses();
    measure_tables(&run);
    sequence_forward(&example);
    if (!AF_SOFTMAX_QUERIES) {
        (void)printf("divisor,%.6g\n", score_divisor(N_EXAMPLE));
    }
    measure_sums();
    measure_strongest();
    measure_leak(&example);
    return STATUS_DONE;
}
