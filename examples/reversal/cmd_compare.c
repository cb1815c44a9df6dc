// SPDX-License-Identifier: MIT
// Every number of the chapter that its main run can give, beside what this program's run gives. Nothing of ours is
// written down here: it all comes from the weights file, the training log, or the training stream drawn again.
//
// "Runs" in the verdicts are 23 trainings in PyTorch from the chapter's seeds, their initial weights changed by at most
// one unit in the last place: as far as the order of sums may move a run on another machine.
#include "reversal.h"
#include "af_math.h"
#include "af_port.h"
#include "comparison.h"

#include <string.h>

enum { TEXT_BYTES = 128 };

/// What the rows are made from.
struct facts {
    struct run run;
    struct training_log log;
    struct drawn drawn;
    uint64_t start; // ticks
};

/// Rows of the position table that no training string reaches with a target: the last is 2 * LONGEST - 1.
enum { FIRST_UNTRAINED = 2 * LONGEST, N_UNTRAINED = AF_CONTEXT - FIRST_UNTRAINED };

static void row_parameters(struct comparison *const c, const char *const where) {
    char text[GROUPED_BYTES];
    compare_text(c, (struct statement){where, "parameters", "103,244"}, EXACT, "", "%s", grouped(text, AF_N_PARAMS));
}

/// Adds a formatted piece to a text that has room for TEXT_BYTES.
static void append(char text[TEXT_BYTES], const char *const format, const double number) {
    const size_t n = strlen(text);
    (void)snprintf(text + n, TEXT_BYTES - n, format, number);
}

// -------------------------------------------------------------------------------------------------- 1.2 and 1.3

enum { N_KEYS = 4 };

/// The worked example: "it" looks at "the", "cat", "sat", "on".
static void rows_worked_example(struct comparison *const c) {
    static const af_real query[2] = {1, 2};
    static const af_real key[N_KEYS][2] = {{0, 0}, {1, 2}, {1, 0}, {0, 1}};
    static const af_real value[N_KEYS][2] = {{0, 0}, {2, 1}, {0, 1}, {1, 0}};
    af_real score[N_KEYS];
    af_real weight[N_KEYS];
    char scores[TEXT_BYTES] = "";
    char weights[TEXT_BYTES] = "";
    double full[2] = {0, 0};
    double rounded[2] = {0, 0};
    const af_real divisor = af_sqrt(AF_R(2));
    for (size_t j = 0; j < N_KEYS; j++) {
        score[j] = (query[0] * key[j][0] + query[1] * key[j][1]) / divisor;
    }
    af_softmax(weight, score, N_KEYS);
    for (size_t j = 0; j < N_KEYS; j++) {
        const double hundredths = (double)(int)((double)weight[j] * 100 + 0.5);
        for (size_t m = 0; m < 2; m++) {
            full[m] += (double)weight[j] * (double)value[j][m];
            rounded[m] += hundredths / 100 * (double)value[j][m];
        }
        append(scores, j > 0 ? " %.2f" : "%.2f", (double)score[j]);
        append(weights, j > 0 ? " %.2f" : "%.2f", (double)weight[j]);
    }
    compare_text(c, (struct statement){"1.2", "divisor, root of the dimension 2", "1.41"}, EXACT, "", "%.2f",
                 (double)divisor);
    compare_text(c, (struct statement){"1.2", "scores of the, cat, sat, on", "0.00 3.54 0.71 1.41"}, EXACT, "", "%s",
                 scores);
    compare_text(c, (struct statement){"1.2", "their weights", "0.02 0.83 0.05 0.10"}, EXACT, "", "%s", weights);
    compare_text(c, (struct statement){"1.2", "output from the rounded weights", "(1.76, 0.88)"}, EXACT, "",
                 "(%.2f, %.2f)", rounded[0], rounded[1]);
    compare_text(c, (struct statement){"1.2", "output in full precision", "(1.75, 0.88)"}, EXACT, "", "(%.2f, %.2f)",
                 full[0], full[1]);
}

/// The example of section 1.10: 13 tokens, through the trained model.
static const char attention_string[] = "fgcabe";
enum { N_ATTENTION = sizeof(attention_string) - 1, N_POSITIONS = 2 * N_ATTENTION + 1 };

static bool run_attention_example(void) {
    static struct example example;
    struct letters letters;
    if (!letters_parse(&letters, attention_string)) {
        return false;
    }
    struct af_sequence sequence = example_of(&example, &letters);
    sequence.n = N_POSITIONS; // without padding
    const struct af_model model = program_model();
    return af_forward(&model, &sequence, 1, AF_EVERY) == AF_OK;
}

static const af_real *attention_row(const size_t block, const size_t head, const size_t query) {
    return af_arena.work.train.block[block].att[query][head];
}

/// The rows of attention of all blocks and heads in the example: their sums, and what is above the diagonal.
static void rows_attention_sums(struct comparison *const c) {
    double worst = 0;
    double largest = 0;
    for (size_t r = 0; r < AF_BLOCKS * AF_HEADS * N_POSITIONS; r++) {
        const size_t query = r % N_POSITIONS;
        const af_real *const weight = attention_row(r / (AF_HEADS * N_POSITIONS), r / N_POSITIONS % AF_HEADS, query);
        double sum = 0;
        for (size_t key = 0; key < AF_CONTEXT; key++) {
            sum += (double)weight[key];
            largest = key > query && (double)weight[key] > largest ? (double)weight[key] : largest;
        }
        const double error = sum > 1 ? sum - 1 : 1 - sum;
        worst = error > worst ? error : worst;
    }
    const double unit = AF_REAL_IS_DOUBLE ? DBL_EPSILON : (double)FLT_EPSILON;
    compare_row(c, (struct statement){"1.3", "trained model: every row of weights sums to one", "1"}, EXACT,
                worst <= N_POSITIONS * unit, "up to rounding", "1, +- %.1e, %d rows", worst,
                (int)(AF_BLOCKS * AF_HEADS * N_POSITIONS));
    compare_row(c, (struct statement){"1.3", "no weight on a later key", "0"}, EXACT, !(largest > 0), "", "%g",
                largest);
}

// -------------------------------------------------------------------------------------------------- 1.6 and 1.8

static void rows_shapes(struct comparison *const c) {
    compare_text(c, (struct statement){"1.6", "width, and heads of what width", "64, 2 heads of 32"}, EXACT, "",
                 "%d, %d heads of %d", (int)AF_DIM, (int)AF_HEADS, (int)AF_HEAD_DIM);
    compare_row(c,
                (struct statement){"1.6", "q, k, v of one product; heads beside the batch, then stitched together",
                                   "(B,T,D) to (B,h,T,dk) and back"},
                SHOWN, true, "see reversal shapes", "%dx%d to 3x%dx%d to %dx%dx%d to %dx%d", (int)AF_CONTEXT,
                (int)AF_DIM, (int)AF_CONTEXT, (int)AF_DIM, (int)AF_HEADS, (int)AF_CONTEXT, (int)AF_HEAD_DIM,
                (int)AF_CONTEXT, (int)AF_DIM);
}

/// Gradients of the run's first batch with the trained weights, into af_arena.grad. No weight changes.
static bool first_batch_gradient(const struct run *const run) {
    static struct example example[BATCH];
    static struct af_sequence sequence[BATCH];
    struct af_numpy stream;
    uint32_t n_targets = 0;
    af_numpy_seed(&stream, run->note.seed_training);
    for (size_t i = 0; i < BATCH; i++) {
        const struct letters letters = letters_draw(&stream, SHORTEST, LONGEST);
        sequence[i] = example_of(&example[i], &letters);
        n_targets += (uint32_t)letters.n;
    }
    const struct af_model model = program_model();
    const bool is_good =
        af_train_begin(&model, n_targets) == AF_OK && af_train_accumulate(&model, sequence, BATCH) == AF_OK;
    (void)af_train_abandon(&model);
    return is_good;
}

/// Largest gradient of one row of the position table.
static double position_gradient(const size_t row) {
    double largest = 0;
    for (size_t m = 0; m < AF_DIM; m++) {
        const double size = (double)af_abs(af_arena.grad.at.pos[row][m]);
        largest = size > largest ? size : largest;
    }
    return largest;
}

/// How the untrained rows of the position table have come from their first values to their last.
struct shrinking {
    double factor;    // norm at the end / norm at the start
    uint32_t n_exact; // numbers whose bits are those of decay alone, step after step
    uint32_t n;       // numbers
};

static struct shrinking measure_shrinking(const struct run *const run) {
    // The moments are not in use here: their plane takes the initial weights.
    const struct af_weights *const first = &af_arena.adam_m.at;
    af_init_weights(&af_arena.adam_m.at, &af_arena.work.init_stream[0], run->note.seed_weights);
    const af_real keep = AF_R(1) - run->how.learning_rate * run->how.weight_decay; // as in af_adamw_update()
    struct shrinking result = {0, 0, N_UNTRAINED * AF_DIM};
    af_real before = 0;
    af_real after = 0;
    for (size_t i = 0; i < result.n; i++) {
        const size_t row = FIRST_UNTRAINED + i / AF_DIM;
        const af_real start = first->pos[row][i % AF_DIM];
        const af_real end = af_arena.weight.at.pos[row][i % AF_DIM];
        af_real decayed = start;
        for (uint32_t step = 0; step < run->note.n_steps; step++) {
            decayed = decayed * keep;
        }
        before += start * start;
        after += end * end;
        result.n_exact += af_bits_of(decayed) == af_bits_of(end) ? 1U : 0U;
    }
    result.factor = (double)af_sqrt(after / before);
    return result;
}

static void rows_positions_1_8(struct comparison *const c) {
    uint32_t n_trained = 0;
    for (size_t row = 0; row < AF_CONTEXT; row++) {
        n_trained += position_gradient(row) > 0 ? 1U : 0U;
    }
    compare_text(c, (struct statement){"1.8", "rows of the position table", "25"}, EXACT, "", "%d", (int)AF_CONTEXT);
    compare_text(c, (struct statement){"1.8", "longest string that fits, with its reversal", "12"}, EXACT, "", "%d",
                 (int)MAX_LETTERS);
    compare_text(c, (struct statement){"1.8", "rows that training reaches, from row 0", "16"}, EXACT, "", "%u",
                 (unsigned)n_trained);
}

// -------------------------------------------------------------------------------------------------------------- 1.9

/// An example as the model sees it, without the spaces that the chapter puts between the tokens.
static void rows_example(struct comparison *const c, const struct letters *const letters, const char *const input,
                         const char *const target) {
    static struct example example;
    char text[2][AF_CONTEXT + 1];
    (void)example_of(&example, letters);
    for (size_t i = 0; i < AF_CONTEXT; i++) {
        text[0][i] = token_char(example.token[i]);
        text[1][i] = (char)(example.target[i] == AF_IGNORE ? '_' : token_char(example.target[i]));
    }
    text[0][AF_CONTEXT] = '\0';
    text[1][AF_CONTEXT] = '\0';
    compare_text(c, (struct statement){"1.9", "a training example, input", input}, EXACT, "", "%s", text[0]);
    compare_text(c, (struct statement){"1.9", "its target", target}, EXACT, "", "%s", text[1]);
}

static void rows_examples(struct comparison *const c, const struct run *const run) {
    struct af_numpy stream;
    af_numpy_seed(&stream, run->note.seed_training);
    const struct letters first = letters_draw(&stream, SHORTEST, LONGEST);
    const struct letters second = letters_draw(&stream, SHORTEST, LONGEST);
    rows_example(c, &first, "gfcdaaab|baaadcfg........", "________baaadcfg_________");
    rows_example(c, &second, "gjfgjhg|ghjgfjg..........", "_______ghjgfjg___________");
}

static uint64_t n_strings_of(const uint32_t n_letters) {
    uint64_t n = 1;
    for (uint32_t i = 0; i < n_letters; i++) {
        n *= N_LETTERS;
    }
    return n;
}

/// How many of all strings of n letters were drawn: the chapter says it in words; NumPy's own stream gives `counted`.
static void row_drawn(struct comparison *const c, const struct drawn *const drawn, const uint32_t n,
                      const char *const printed, const uint32_t counted) {
    char text[TEXT_BYTES];
    char seen[GROUPED_BYTES];
    char all[GROUPED_BYTES];
    char reason[TEXT_BYTES] = "";
    (void)snprintf(text, sizeof(text), "strings of length %u seen", (unsigned)n);
    (void)snprintf(reason, sizeof(reason), "NumPy gives %s too", grouped(seen, counted));
    compare_row(c, (struct statement){"1.9", text, printed}, EXACT, drawn->n_distinct_of[n] == counted,
                drawn->n_distinct_of[n] == counted ? reason : "NumPy gives another count", "%s of %s",
                grouped(seen, drawn->n_distinct_of[n]), grouped(all, n_strings_of(n)));
}

static void rows_data(struct comparison *const c, const struct facts *const facts) {
    char text[GROUPED_BYTES];
    compare_text(c, (struct statement){"1.9", "strings of three letters", "1,000"}, EXACT, "", "%s",
                 grouped(text, n_strings_of(3)));
    compare_text(c, (struct statement){"1.9", "strings of eight letters", "100,000,000"}, EXACT, "", "%s",
                 grouped(text, n_strings_of(8)));
    compare_text(c, (struct statement){"1.9", "examples in 1,500 steps of 64", "96,000"}, EXACT, "", "%s",
                 grouped(text, facts->drawn.n_examples));
    compare_text(c, (struct statement){"1.9", "distinct strings among them", "71,610"}, EXACT, "", "%s",
                 grouped(text, facts->drawn.n_distinct));
    row_drawn(c, &facts->drawn, 3, "every one", 1000);
    row_drawn(c, &facts->drawn, 4, "four in five", 7990);
    row_drawn(c, &facts->drawn, 7, "almost none", 15904);
    row_drawn(c, &facts->drawn, 8, "almost none", 15990);
}

static void rows_model(struct comparison *const c, const struct facts *const facts) {
    const struct run *const run = &facts->run;
    compare_text(c, (struct statement){"1.9", "blocks, width, heads", "2, 64, 2"}, EXACT, "", "%d, %d, %d",
                 (int)AF_BLOCKS, (int)AF_DIM, (int)AF_HEADS);
    row_parameters(c, "1.9");
    compare_text(c, (struct statement){"1.9", "learning rate and weight decay", "0.003, 0.01"}, EXACT, "", "%g, %g",
                 (double)run->how.learning_rate, (double)run->how.weight_decay);
    compare_text(c, (struct statement){"1.9", "steps, examples a step", "1500, 64"}, EXACT, "", "%u, %u",
                 (unsigned)run->note.n_steps, (unsigned)run->batch);
}

// -------------------------------------------------------------------------------------------------- 1.9: the losses

/// Whether the log reaches far enough for a row; writes the row that says so if not.
static bool has_losses(struct comparison *const c, const struct facts *const facts, const struct statement statement,
                       const uint32_t n_steps) {
    if (facts->log.missing == NULL && facts->log.n_steps >= n_steps) {
        return true;
    }
    compare_missing(c, statement, facts->log.missing != NULL ? "needs training log" : "the run is too short");
    return false;
}

static void row_first_loss(struct comparison *const c, const struct facts *const facts) {
    compare_text(c, (struct statement){"1.9", "ln 12, guessing over twelve tokens", "2.5"}, EXACT, "", "%.1f",
                 (double)af_log(AF_R(12)));
    const struct statement statement = {"1.9", "loss at the first step", "near 2.5"};
    if (has_losses(c, facts, statement, 1)) {
        const double loss = facts->log.loss[0];
        const bool is_known = loss > 2.6665 && loss < 2.6675;
        compare_row(c, statement, CANNOT_MATCH, true,
                    is_known ? "PyTorch gives 2.667 too from these seeds, then 2.470" : "not PyTorch's 2.667 either",
                    "%.3f, ln 12 is %.3f", loss, (double)af_log(AF_R(12)));
    }
}

enum { N_BLOCK_STEPS = 250 };

/// Mean loss of each block of 250 steps, and what 23 runs gave for it: smallest and largest.
static void rows_block_means(struct comparison *const c, const struct facts *const facts) {
    static const struct {
        const char *text;
        const char *printed;
        double low;
        double high;
        const char *runs;
    } block[] = {{"mean loss, steps 1 to 250", "0.48", 0.4861, 0.4873, ""},
                 {"mean loss, steps 251 to 500", "0.0090", 0.0069, 0.0223, "0.0069 to 0.0223 of 23 runs"},
                 {"mean loss, steps 501 to 750", "0.0004", 0.00033, 0.0223, "0.00033 to 0.0223 of 23 runs"},
                 {"mean loss, steps 751 to 1,000", "0.0002", 0.00019, 0.0077, "0.00019 to 0.0077 of 23 runs"},
                 {"mean loss, steps 1,001 to 1,250", "0.0001", 0.00012, 0.0028, "0.00012 to 0.0028 of 23 runs"},
                 {"mean loss, steps 1,251 to 1,500", "0.0001", 0.00009, 0.0005, "0.00009 to 0.0005 of 23 runs"}};
    for (uint32_t i = 0; i < sizeof(block) / sizeof(block[0]); i++) {
        const struct statement statement = {"1.9", block[i].text, block[i].printed};
        if (!has_losses(c, facts, statement, (i + 1) * N_BLOCK_STEPS)) {
            continue;
        }
        const double mean = mean_loss(facts->log.loss, i * N_BLOCK_STEPS + 1, (i + 1) * N_BLOCK_STEPS);
        if (i == 0) {
            const bool is_inside = mean >= block[0].low && mean <= block[0].high;
            compare_row(c, statement, CANNOT_MATCH, true,
                        is_inside ? "23 runs gave 0.4861 to 0.4873, which prints as 0.49"
                                  : "23 runs gave 0.4861 to 0.4873, ours is outside",
                        "%.4f", mean);
        } else {
            compare_range(c, statement, mean, block[i].low, block[i].high, block[i].runs, "%.6f", mean);
        }
    }
}

static void row_first_below(struct comparison *const c, const struct facts *const facts) {
    const struct statement statement = {"1.4", "first step at which the mean loss, of 50 steps, is below 0.01", "362"};
    if (has_losses(c, facts, statement, N_STEPS)) {
        const uint32_t step = first_step_below(facts->log.loss, facts->log.n_steps);
        if (step == 0) {
            compare_range(c, statement, 0, 313, 487, "313 to 487 (once 787) of 23 runs", "never");
        } else {
            compare_range(c, statement, step, 313, 487, "313 to 487 (once 787) of 23 runs", "%u", (unsigned)step);
        }
    }
}

/// Smallest and largest loss of some steps, and where the largest is.
struct extremes {
    double smallest;
    double largest;
    uint32_t step;
};

static struct extremes extremes_of(const struct training_log *const log, const uint32_t from, const uint32_t to) {
    struct extremes found = {log->loss[from - 1], log->loss[from - 1], from};
    for (uint32_t step = from; step <= to; step++) {
        const double loss = log->loss[step - 1];
        found.smallest = loss < found.smallest ? loss : found.smallest;
        if (loss > found.largest) {
            found.largest = loss;
            found.step = step;
        }
    }
    return found;
}

static void rows_swings(struct comparison *const c, const struct facts *const facts) {
    static const struct statement by_250 = {"1.9", "loss at step 250", "around 0.01"};
    static const struct statement swing = {"1.9", "swings in the next 200 steps", "about 0.001 to 0.1"};
    static const struct statement jump = {"1.9", "largest loss of steps 301 to 500", "about 0.08 near step 380"};
    if (has_losses(c, facts, by_250, 250)) {
        compare_row(c, by_250, TRAJECTORY, true, "", "%.4f", facts->log.loss[249]);
    }
    if (has_losses(c, facts, swing, 450)) {
        const struct extremes found = extremes_of(&facts->log, 251, 450);
        compare_row(c, swing, TRAJECTORY, true, "", "%.4f to %.4f", found.smallest, found.largest);
    }
    if (has_losses(c, facts, jump, 500)) {
        const struct extremes found = extremes_of(&facts->log, 301, 500);
        compare_range(c, jump, found.largest, 0.065, 0.145, "0.07 to 0.14, steps 307 to 416, of 23 runs",
                      "%.4f at step %u", found.largest, (unsigned)found.step);
    }
}

static void rows_settled(struct comparison *const c, const struct facts *const facts) {
    static const struct statement after = {"1.9", "steps after 450 with a loss below 0.001", "most"};
    static const struct statement end = {"1.9", "loss at the end: mean of the last 50", "near 0.0001"};
    const uint32_t last = facts->log.n_steps;
    if (has_losses(c, facts, after, N_STEPS)) {
        uint32_t n_below = 0;
        for (uint32_t step = 451; step <= last; step++) {
            n_below += facts->log.loss[step - 1] < 0.001 ? 1U : 0U;
        }
        compare_row(c, after, TRAJECTORY, true, "", "%.1f %%", 100.0 * n_below / (last - 450));
    }
    if (has_losses(c, facts, end, N_STEPS)) {
        compare_row(c, end, TRAJECTORY, true, "", "%.6f", mean_loss(facts->log.loss, last - N_TRAILING + 1, last));
    }
}

static void rows_losses(struct comparison *const c, const struct facts *const facts) {
    static const struct statement time = {"1.9", "seconds of training", "41"};
    if (has_losses(c, facts, time, 1)) {
        compare_row(c, time, MACHINE, true, "", "%.1f", facts->log.seconds);
    }
    rows_block_means(c, facts);
    row_first_loss(c, facts);
    rows_swings(c, facts);
    rows_settled(c, facts);
}

// --------------------------------------------------------------------------------------------------- 1.9: the tests

static void rows_tests(struct comparison *const c) {
    const struct score score = score_strings(SEED_TEST, N_TEST, SHORTEST, LONGEST);
    char by_length[TEXT_BYTES] = "";
    for (uint32_t n = SHORTEST; n <= LONGEST; n++) {
        append(by_length, n > SHORTEST ? " %.0f" : "%.0f", score.n_right_of[n]);
        append(by_length, "/%.0f", score.n_of[n]);
    }
    compare_text(c, (struct statement){"1.9", "fresh strings reversed", "500 of 500"}, STABLE, "", "%u of %u",
                 (unsigned)score.n_right, (unsigned)score.n);
    compare_text(c, (struct statement){"1.9", "the same by length, 3 to 8", "86/86 75/75 91/91 106/106 70/70 72/72"},
                 STABLE, "", "%s", by_length);
    compare_text(c, (struct statement){"1.9", "of them never seen in training", "335"}, EXACT, "", "%u",
                 (unsigned)score.n_unseen);
    compare_text(c, (struct statement){"1.9", "of these reversed", "335"}, STABLE, "", "%u",
                 (unsigned)score.n_unseen_right);
    const struct score longer = score_strings(SEED_LONG, N_LONG, LONGEST + 1, MAX_LETTERS);
    compare_text(c, (struct statement){"1.9", "strings of length 9 to 12 reversed", "0 of 200"}, STABLE,
                 "which 200 the chapter does not say, ours are default_rng(456)", "%u of %u", (unsigned)longer.n_right,
                 (unsigned)longer.n);
}

static void row_alphabet(struct comparison *const c) {
    struct letters alphabet;
    struct letters answer;
    char text[MAX_LETTERS + 1];
    if (!letters_parse(&alphabet, "abcdefghij")) {
        return;
    }
    const bool is_right = reverse_greedily(&answer, open_decode(), program_reader(), &alphabet);
    letters_text(text, &answer);
    compare_row(c, (struct statement){"1.9", "abcdefghij becomes", "fedabadbad"}, TRAJECTORY, true,
                is_right ? "every known run is wrong here, this one is right"
                         : "wrong as well; 1 of 30 runs has the chapter's word: make run OPT=perturb=20",
                "%s", text);
}

// ------------------------------------------------------------------------------------------------------------- 1.10

/// Letter of a position of the example: as it is in the string, a capital in the answer.
static char example_char(const size_t position) {
    if (position == N_ATTENTION) {
        return '|';
    }
    if (position < N_ATTENTION) {
        return attention_string[position];
    }
    return (char)(attention_string[N_POSITIONS - 1 - position] - 'a' + 'A');
}

/// The strongest keys of one head, for the queries from the separator to the last letter but one.
struct strongest {
    char keys[2 * N_ATTENTION]; // a letter each, spaces between
    bool is_diagonal;           // each is the letter that has to come next
    double least;               // of their weights
    double most;
};

static struct strongest strongest_keys(const size_t block, const size_t head) {
    struct strongest found = {"", true, 1, 0};
    for (size_t i = 0; i < N_ATTENTION; i++) {
        const size_t query = N_ATTENTION + i;
        const af_real *const weight = attention_row(block, head, query);
        const size_t key = af_argmax(weight, query + 1);
        const double size = (double)weight[key];
        found.keys[2 * i] = example_char(key);
        found.keys[2 * i + 1] = (char)(i + 1 < N_ATTENTION ? ' ' : '\0');
        found.is_diagonal = found.is_diagonal && key == N_ATTENTION - 1 - i;
        found.least = size < found.least ? size : found.least;
        found.most = size > found.most ? size : found.most;
    }
    return found;
}

/// The two blocks that the chapter looks at: the last is the one that looks up.
static void rows_attention(struct comparison *const c) {
    double least = 1;
    double most = 0;
    char text[TEXT_BYTES];
    if (!run_attention_example()) {
        return;
    }
    for (size_t head = 0; head < AF_HEADS; head++) {
        const struct strongest found = strongest_keys(AF_BLOCKS - 1, head);
        (void)snprintf(text, sizeof(text), "block 1 (last), head %u: strongest keys of | e b a c g", (unsigned)head);
        compare_row(c, (struct statement){"1.10", text, "e b a c g f"}, TRAJECTORY, true,
                    found.is_diagonal ? "as in 21 of 23 runs" : "unlike 21 of 23 runs", "%s", found.keys);
        least = found.least < least ? found.least : least;
        most = found.most > most ? found.most : most;
    }
    compare_range(c, (struct statement){"1.10", "their weights, both heads", "0.97 to 1.00"}, least, 0.50, 0.98,
                  "0.50 to 0.98, the lowest of each of 23 runs", "%.2f to %.2f", least, most);
    for (size_t head = 0; head < AF_HEADS; head++) {
        const struct strongest found = strongest_keys(0, head);
        (void)snprintf(text, sizeof(text), "block 0 (first), head %u: the same (capitals: letters of the answer)",
                       (unsigned)head);
        compare_row(c, (struct statement){"1.10", text, "|, b and e, g and a: no clean geometry"}, SHOWN, true,
                    "not judged", "%s", found.keys);
    }
}

static void rows_untrained(struct comparison *const c, const struct run *const run) {
    double largest = 0;
    for (size_t row = FIRST_UNTRAINED; row < AF_CONTEXT; row++) {
        const double size = position_gradient(row);
        largest = size > largest ? size : largest;
    }
    compare_row(c, (struct statement){"1.10", "position rows 16 to 24: gradient", "none"}, EXACT, !(largest > 0),
                "of the first batch", "%g", largest);
    const struct shrinking shrinking = measure_shrinking(run);
    compare_row(c, (struct statement){"1.10", "the same in all of the training", "none"}, EXACT,
                shrinking.n_exact == shrinking.n, "the bits of decay alone", "%u of %u only decayed",
                (unsigned)shrinking.n_exact, (unsigned)shrinking.n);
    const double percent = 100 * (1 - shrinking.factor);
    compare_row(c, (struct statement){"1.10", "how much weight decay shrank them", "about 4 %"}, EXACT,
                percent > 3.5 && percent < 4.5, "", "%.1f %%, a factor of %.5f", percent, shrinking.factor);
}

static void rows_nine_letters(struct comparison *const c) {
    struct letters nine;
    struct letters answer;
    char untrained[TEXT_BYTES] = "";
    if (!letters_parse(&nine, "abcdefghi")) {
        return;
    }
    struct af_decode *const decode = open_decode();
    (void)reverse_greedily(&answer, decode, program_reader(), &nine);
    const size_t n_fed = decode->n_tokens[0];
    for (size_t position = 0; position < n_fed; position++) {
        if (!(position_gradient(position) > 0)) {
            append(untrained, untrained[0] != '\0' ? " and %.0f" : "%.0f", (double)position);
        }
    }
    compare_text(c, (struct statement){"1.10", "positions fed to reverse nine letters", "18"}, EXACT, "", "%zu", n_fed);
    compare_text(c, (struct statement){"1.10", "those among them that training never reached", "16 and 17"}, EXACT, "",
                 "%s", untrained);
}

// ------------------------------------------------------------------------------------------------------- the command

#if AF_SCALED && AF_CAN_CACHE && AF_RESIDUAL && !AF_POST_NORM
#define IS_CHAPTERS_MODEL true
#else
#define IS_CHAPTERS_MODEL false
#endif

static bool is_chapters_run(const struct run *const run) {
    static const struct af_adamw how = AF_ADAMW_CHAPTER;
    return run->note.n_steps == N_STEPS && run->batch == BATCH && run->note.seed_weights == SEED_WEIGHTS &&
           run->note.seed_training == SEED_TRAINING &&
           af_bits_of(run->how.learning_rate) == af_bits_of(how.learning_rate) &&
           af_bits_of(run->how.weight_decay) == af_bits_of(how.weight_decay) && is_chapters_recipe(&run->recipe) &&
           IS_CHAPTERS_MODEL;
}

static void print_heading(const struct facts *const facts, const char *const log_path) {
    const struct run *const run = &facts->run;
    (void)printf("Weights: %s\n  %u steps of %u, seeds %llu (weights) and %llu (training), hash %08X\n", run->path,
                 (unsigned)run->note.n_steps, (unsigned)run->batch, (unsigned long long)run->note.seed_weights,
                 (unsigned long long)run->note.seed_training, (unsigned)run->note.hash);
    if (facts->log.missing == NULL) {
        (void)printf("Log: %s\n", log_path);
    } else {
        (void)printf("Log: %s is not used: %s\n", log_path, facts->log.missing);
    }
    if (!is_chapters_run(run)) {
        (void)printf("This is not the chapter's run: it has %d steps of %d, seeds %d and %d, learning rate 0.003 and "
                     "weight decay 0.01.\nRows that depend on it differ.\n",
                     (int)N_STEPS, (int)BATCH, (int)SEED_WEIGHTS, (int)SEED_TRAINING);
    }
    (void)putchar('\n');
}

static void write_rows(struct comparison *const c, const struct facts *const facts) {
    row_parameters(c, "intro");
    rows_worked_example(c);
    if (run_attention_example()) {
        rows_attention_sums(c);
    }
    row_first_below(c, facts);
    rows_shapes(c);
    if (first_batch_gradient(&facts->run)) { // stays in af_arena.grad until the last row
        rows_positions_1_8(c);
    }
    rows_examples(c, &facts->run);
    rows_data(c, facts);
    rows_model(c, facts);
    rows_losses(c, facts);
    rows_tests(c);
    row_alphabet(c);
    rows_attention(c);
    rows_untrained(c, &facts->run);
    rows_nine_letters(c);
    const struct statement statement = {"end", "seconds of all of it, tests included", "55"};
    if (has_losses(c, facts, statement, 1)) {
        const double ours = (double)(af_port_ticks() - facts->start) / (double)af_port_ticks_per_second();
        compare_row(c, statement, MACHINE, true, "", "%.1f", facts->log.seconds + ours);
    }
}

int cmd_compare(int argc, char **argv) {
    static char log_path[PATH_BYTES];
    static struct comparison comparison;
    struct facts facts;
    const char *csv = NULL;
    facts.start = af_port_ticks();
    const bool is_html = take_switch(&argc, argv, "html");
    if (!take_path(&argc, argv, "csv", &csv) || !load_run_for_command(&argc, argv, &facts.run) ||
        !no_options_left(argc, argv)) {
        return STATUS_USAGE;
    }
    if (argc > 1) {
        return complain("compare: \"%s\" is no option; try: reversal compare --help", argv[1]);
    }
    if (csv == NULL) {
        if (!log_path_of(log_path, facts.run.path)) {
            return STATUS_USAGE;
        }
        csv = log_path;
    }
    facts.log = read_training_log(csv, &facts.run);
    facts.drawn = redraw_training(&facts.run);
    if (is_html) {
        comparison_begin_html(&comparison, stdout);
    } else {
        print_heading(&facts, csv);
        comparison_begin(&comparison, stdout);
    }
    write_rows(&comparison, &facts);
    return comparison_end(&comparison) ? STATUS_DONE : STATUS_FAILED;
}
