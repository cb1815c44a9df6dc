// SPDX-License-Identifier: MIT
// The rows of section 1.9: data, model, losses, tests.
#include "compare.h"
#include "af_math.h"

#include <string.h>

// --------------------------------------------------------------------------------------------------------------- data

/// Writes the characters of an example as the chapter prints them, with spaces between.
static void spaced(char out[2 * AF_CONTEXT], const char character[AF_CONTEXT]) {
    for (size_t i = 0; i < AF_CONTEXT; i++) {
        out[2 * i] = character[i];
        out[2 * i + 1] = (char)(i + 1 < AF_CONTEXT ? ' ' : '\0');
    }
}

static void rows_example(struct comparison *const c, const struct example *const example, const char *const input,
                         const char *const target) {
    char character[2][AF_CONTEXT];
    char text[2][2 * AF_CONTEXT];
    for (size_t i = 0; i < AF_CONTEXT; i++) {
        character[0][i] = token_char(example->token[i]);
        character[1][i] = (char)(example->target[i] == AF_IGNORE ? '_' : token_char(example->target[i]));
    }
    spaced(text[0], character[0]);
    spaced(text[1], character[1]);
    compare_text(c, (struct statement){"1.9", "a training example, input", input}, EXACT, "", "%s", text[0]);
    compare_text(c, (struct statement){"1.9", "its target", target}, EXACT, "", "%s", text[1]);
}

static void rows_examples(struct comparison *const c, const struct facts *const facts) {
    static struct example example[2];
    const struct run *const run = &facts->run;
    struct af_numpy strings;
    struct af_numpy offsets;
    uint32_t n_targets = 0;
    af_numpy_seed(&strings, run->note.seed_training);
    af_numpy_seed(&offsets, SEED_OFFSET + run->note.seed_training);
    for (size_t i = 0; i < 2; i++) {
        (void)recipe_draw(&example[i], &run->recipe, &strings, &offsets, &n_targets);
    }
    rest_on(c, facts, ON_DATA_SEED | ON_LENGTHS | ON_OFFSET | ON_TARGETS | ON_SIZE);
    rows_example(c, &example[0], "g f c d a a a b | b a a a d c f g . . . . . . . .",
                 "_ _ _ _ _ _ _ _ b a a a d c f g _ _ _ _ _ _ _ _ _");
    rows_example(c, &example[1], "g j f g j h g | g h j g f j g . . . . . . . . . .",
                 "_ _ _ _ _ _ _ g h j g f j g _ _ _ _ _ _ _ _ _ _ _");
}

/// Strings of n letters of an alphabet.
static uint64_t n_strings_of(const uint64_t n_letters, const uint32_t n) {
    uint64_t count = 1;
    for (uint32_t i = 0; i < n; i++) {
        count *= n_letters;
    }
    return count;
}

/// How many of all strings of n letters were drawn: the chapter says it in words; NumPy's own stream gives `counted`.
static void row_drawn(struct comparison *const c, const struct drawn *const drawn, const uint32_t n,
                      const char *const printed, const uint32_t counted) {
    char text[TEXT_BYTES];
    char seen[GROUPED_BYTES];
    char all[GROUPED_BYTES];
    char reason[TEXT_BYTES] = "";
    (void)snprintf(text, sizeof(text), "strings of length %u seen", (unsigned)n);
    (void)snprintf(reason, sizeof(reason), "NumPy gives %s", grouped(seen, counted));
    compare_row(c, (struct statement){"1.9", text, printed}, EXACT, drawn->n_distinct_of[n] == counted, reason,
                "%s of %s", grouped(seen, drawn->n_distinct_of[n]), grouped(all, n_strings_of(drawn->n_letters, n)));
}

static void rows_data(struct comparison *const c, const struct facts *const facts) {
    const struct drawn *const drawn = &facts->drawn;
    const bool has_others = drawn->shortest < SHORTEST || drawn->longest > LONGEST;
    char text[GROUPED_BYTES];
    rest_on(c, facts, 0);
    compare_text(c, (struct statement){"1.9", "letters of a training string", "between 3 and 8"}, EXACT, "",
                 "between %u and %u", (unsigned)drawn->shortest, (unsigned)drawn->longest);
    rest_on(c, facts, drawn->n_examples < BATCH ? ON_STEPS | ON_BATCH : 0U);
    compare_text(c, (struct statement){"1.9", "letters that occur in them", "ten, a to j"}, EXACT, "", "%s",
                 drawn->n_letters == 10 ? "ten, a to j" : grouped(text, drawn->n_letters));
    compare_text(c, (struct statement){"1.9", "strings of three letters", "1,000"}, EXACT, "", "%s",
                 grouped(text, n_strings_of(drawn->n_letters, 3)));
    compare_text(c, (struct statement){"1.9", "strings of eight letters", "100,000,000"}, EXACT, "", "%s",
                 grouped(text, n_strings_of(drawn->n_letters, 8)));
    rest_on(c, facts, ON_STREAM);
    compare_text(c, (struct statement){"1.9", "examples that the model sees", "96,000"}, EXACT, "", "%s",
                 grouped(text, drawn->n_examples));
    compare_text(c, (struct statement){"1.9", "distinct strings among them", "71,610"}, EXACT, "", "%s%s",
                 grouped(text, drawn->n_distinct), has_others ? " of 3 to 8 letters" : "");
    row_drawn(c, drawn, 3, "every string", 1000);
    row_drawn(c, drawn, 4, "four in five", 7990);
    row_drawn(c, drawn, 7, "almost none", 15904);
    row_drawn(c, drawn, 8, "almost none", 15990);
}

// -------------------------------------------------------------------------------------------------------------- model

/// Parameters by the map.
static size_t n_parameters(void) {
    size_t n = 0;
    for (size_t i = 0; i < af_map_count(&af_map); i++) {
        const struct af_tensor t = af_map_tensor(&af_map, i);
        n += t.region == AF_REGION_weight && t.type == AF_TYPE_REAL ? t.n_elements : 0;
    }
    return n;
}

/// Blocks by the map.
static size_t n_blocks(void) {
    size_t n = 0;
    for (size_t i = 0; i < af_map_count(&af_map); i++) {
        const struct af_tensor t = af_map_tensor(&af_map, i);
        n = t.region == AF_REGION_weight && t.in_block && t.block + 1U > n ? t.block + 1U : n;
    }
    return n;
}

void row_parameters(struct comparison *const c, const struct facts *const facts, const char *const where) {
    char text[GROUPED_BYTES];
    rest_on(c, facts, 0);
    compare_text(c, (struct statement){where, "parameters", "103,244"}, EXACT, "", "%s", grouped(text, n_parameters()));
}

static void rows_model(struct comparison *const c, const struct facts *const facts) {
    const struct run *const run = &facts->run;
    char schedule[TEXT_BYTES] = "no schedule";
    char steps[GROUPED_BYTES];
    if (run->recipe.n_warm_up > 0 || run->recipe.has_decay) {
        (void)snprintf(schedule, sizeof(schedule), "warm-up of %u steps%s", (unsigned)run->recipe.n_warm_up,
                       run->recipe.has_decay ? ", then linear decay" : "");
    }
    row_parameters(c, facts, "1.9");
    compare_text(c, (struct statement){"1.9", "blocks, width, heads", "two, 64, 2"}, EXACT, "", "%s, %zu, %zu",
                 n_blocks() == 2 ? "two" : grouped(steps, n_blocks()), dim_of("work.train.block[0].q", 1),
                 dim_of("work.train.block[0].att", 1));
    compare_text(c, (struct statement){"1.9", "learning rate and weight decay", "0.003, 0.01"}, EXACT, "", "%g, %g",
                 (double)run->how.learning_rate, (double)run->how.weight_decay);
    compare_text(c, (struct statement){"1.9", "schedule of the learning rate", "no schedule"}, EXACT, "", "%s",
                 schedule);
    compare_text(c, (struct statement){"1.9", "training runs for", "1,500 steps of 64 examples"}, EXACT, "",
                 "%s steps of %u examples", grouped(steps, run->note.n_steps), (unsigned)run->batch);
}

// ------------------------------------------------------------------------------------------------------------- losses

bool has_losses(struct comparison *const c, const struct facts *const facts, const struct statement statement,
                const uint32_t n_steps) {
    if (facts->log.missing == NULL && facts->log.n_steps >= n_steps) {
        return true;
    }
    compare_missing(c, statement, facts->log.missing != NULL ? "needs training log" : "the run is too short");
    return false;
}

static void rows_first_losses(struct comparison *const c, const struct facts *const facts) {
    const struct statement statement = {"1.9", "loss at the first step", "near 2.5"};
    const double guess = (double)af_log((af_real)dim_of("weight.at.tok", 0));
    rest_on(c, facts, 0);
    compare_text(c, (struct statement){"1.9", "ln 12, guessing over twelve tokens", "2.5"}, EXACT, "", "%.1f", guess);
    rest_on(c, facts,
            ON_SIZE | ON_SCALE | ON_MASK | ON_AXIS | ON_BLOCK | ON_SEED | ON_DATA_SEED | ON_LENGTHS | ON_OFFSET |
                ON_TARGETS | ON_BATCH | ON_PRECISION);
    if (has_losses(c, facts, statement, 1)) {
        const double loss = facts->log.loss[0];
        compare_row(c, statement, EXACT, loss > 2.6665 && loss < 2.6675, "PyTorch gives 2.667 from these seeds",
                    "%.3f, ln 12 is %.3f", loss, guess);
    }
}

enum { N_BLOCK_STEPS = 250 };

#define RUNS "53 runs"

/// Mean loss of each block of 250 steps, and the smallest and the largest that runs gave for it.
static void rows_block_means(struct comparison *const c, const struct facts *const facts) {
    static const struct {
        const char *text;
        const char *printed;
        double low;
        double high;
        const char *runs;
    } block[] = {{"mean loss, steps 1 to 250", "0.48", 0.485, 0.495, ""},
                 {"mean loss, steps 251 to 500", "0.0090", 0.00557, 0.0223, "0.0056 to 0.0223 of " RUNS},
                 {"mean loss, steps 501 to 750", "0.0004", 0.0003268, 0.0223, "0.00033 to 0.0223 of " RUNS},
                 {"mean loss, steps 751 to 1,000", "0.0002", 0.0001774, 0.0128, "0.00018 to 0.0128 of " RUNS},
                 {"mean loss, steps 1,001 to 1,250", "0.0001", 0.0001202, 0.0261, "0.00012 to 0.0261 of " RUNS},
                 {"mean loss, steps 1,251 to 1,500", "0.0001", 0.0000902, 0.0125, "0.00009 to 0.0125 of " RUNS}};
    for (uint32_t i = 0; i < sizeof(block) / sizeof(block[0]); i++) {
        const struct statement statement = {"1.9", block[i].text, block[i].printed};
        if (!has_losses(c, facts, statement, (i + 1) * N_BLOCK_STEPS)) {
            continue;
        }
        const double mean = mean_loss(facts->log.loss, i * N_BLOCK_STEPS + 1, (i + 1) * N_BLOCK_STEPS);
        if (i == 0) {
            compare_row(c, statement, CANNOT_MATCH, mean >= block[0].low && mean < block[0].high,
                        RUNS " gave 0.4860 to 0.4873, to be printed as 0.49", "%.4f", mean);
        } else {
            compare_range(c, statement, mean, block[i].low, block[i].high, block[i].runs, "%.6f", mean);
        }
    }
}

void row_first_below(struct comparison *const c, const struct facts *const facts) {
    const struct statement statement = {"1.4", "first step at which the mean loss, of 50 steps, is below 0.01", "362"};
    rest_on(c, facts, ON_ALL);
    if (has_losses(c, facts, statement, N_STEPS)) {
        const uint32_t step = first_step_below(facts->log.loss, facts->log.n_steps);
        char text[TEXT_BYTES] = "never";
        if (step != 0) {
            (void)snprintf(text, sizeof(text), "%u", (unsigned)step);
        }
        compare_range(c, statement, step, 309, 787, "309 to 787, half of them below 340, of " RUNS, "%s", text);
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
    static const struct statement low = {"1.9", "smallest loss of the next 200 steps", "about 0.001"};
    static const struct statement high = {"1.9", "largest loss of these", "0.1"};
    static const struct statement jump = {"1.9", "largest loss of steps 301 to 500", "about 0.08"};
    static const struct statement place = {"1.9", "its step", "near step 380"};
    if (has_losses(c, facts, by_250, 250)) {
        compare_range(c, by_250, facts->log.loss[249], 0.0066, 0.0254, "0.0066 to 0.0254 of 30 runs", "%.4f",
                      facts->log.loss[249]);
    }
    if (has_losses(c, facts, low, 450)) {
        const struct extremes found = extremes_of(&facts->log, 251, 450);
        compare_range(c, low, found.smallest, 0.000577, 0.00228, "0.00058 to 0.0023 of 30 runs", "%.5f",
                      found.smallest);
    }
    if (has_losses(c, facts, high, 450)) {
        const struct extremes found = extremes_of(&facts->log, 251, 450);
        compare_range(c, high, found.largest, 0.0546, 0.2936, "0.055 to 0.294 of 30 runs", "%.4f", found.largest);
    }
    if (has_losses(c, facts, jump, 500)) {
        const struct extremes found = extremes_of(&facts->log, 301, 500);
        compare_range(c, jump, found.largest, 0.0206, 0.2936, "0.021 to 0.294 of " RUNS, "%.4f", found.largest);
    }
    if (has_losses(c, facts, place, 500)) {
        const struct extremes found = extremes_of(&facts->log, 301, 500);
        compare_range(c, place, found.step, 301, 489, "301 to 489 of " RUNS, "%u", (unsigned)found.step);
    }
}

static void rows_settled(struct comparison *const c, const struct facts *const facts) {
    static const struct statement after = {"1.9", "steps after 450 with a loss below 0.001", "mostly"};
    static const struct statement end = {"1.9", "loss at the end: mean of the last 50", "near 0.0001"};
    const uint32_t last = facts->log.n_steps;
    if (has_losses(c, facts, after, N_STEPS)) {
        uint32_t n_below = 0;
        for (uint32_t step = 451; step <= last; step++) {
            n_below += facts->log.loss[step - 1] < 0.001 ? 1U : 0U;
        }
        const double percent = 100.0 * n_below / (last - 450);
        compare_range(c, after, percent, 30.1, 100, "30 to 100, half of them above 97, of 30 runs", "%.1f %%", percent);
    }
    if (has_losses(c, facts, end, N_STEPS)) {
        const double mean = mean_loss(facts->log.loss, last - N_TRAILING + 1, last);
        compare_range(c, end, mean, 0.0000812, 0.0139, "0.00008 to 0.0139 of 30 runs", "%.6f", mean);
    }
}

static void rows_losses(struct comparison *const c, const struct facts *const facts) {
    static const struct statement time = {"1.9", "seconds of training", "41"};
    rest_on(c, facts, ON_SIZE | ON_STEPS | ON_BATCH);
    if (has_losses(c, facts, time, 1)) {
        compare_row(c, time, MACHINE, true, "", "%.1f", facts->log.seconds);
    }
    rest_on(c, facts, ON_ALL);
    rows_block_means(c, facts);
    rows_first_losses(c, facts);
    rest_on(c, facts, ON_ALL);
    rows_swings(c, facts);
    rows_settled(c, facts);
}

// -------------------------------------------------------------------------------------------------------------- tests

static void rows_tests(struct comparison *const c, const struct facts *const facts) {
    const struct score score = score_strings(SEED_TEST, N_TEST, SHORTEST, LONGEST);
    char by_length[TEXT_BYTES] = "";
    for (uint32_t n = SHORTEST; n <= LONGEST; n++) {
        append(by_length, n > SHORTEST ? ", %.0f" : "%.0f", score.n_right_of[n]);
        append(by_length, "/%.0f", score.n_of[n]);
    }
    rest_on(c, facts, ON_ALL);
    compare_text(c, (struct statement){"1.9", "fresh strings reversed", "500 of 500"}, STABLE, "", "%u of %u",
                 (unsigned)score.n_right, (unsigned)score.n);
    compare_text(c,
                 (struct statement){"1.9", "the same by length, 3 to 8", "86/86, 75/75, 91/91, 106/106, 70/70, 72/72"},
                 STABLE, "", "%s", by_length);
    rest_on(c, facts, ON_STREAM);
    compare_text(c, (struct statement){"1.9", "of them never seen in training", "335"}, EXACT, "", "%u",
                 (unsigned)score.n_unseen);
    rest_on(c, facts, ON_ALL);
    compare_text(c, (struct statement){"1.9", "of these reversed", "all 335"}, STABLE, "", "%s%u",
                 score.n_unseen_right == score.n_unseen ? "all " : "", (unsigned)score.n_unseen_right);
    const struct score longer = score_strings(SEED_LONG, N_LONG, LONGEST + 1, MAX_LETTERS);
    compare_text(c, (struct statement){"1.9", "strings of length 9 to 12 reversed", "0 of 200"}, STABLE,
                 "which 200 the chapter does not say, ours are default_rng(456)", "%u of %u", (unsigned)longer.n_right,
                 (unsigned)longer.n);
}

static void row_alphabet(struct comparison *const c) {
    const struct statement statement = {"1.9", "abcdefghij becomes", "fedabadbad"};
    struct letters alphabet;
    struct letters answer;
    char text[MAX_LETTERS + 1];
    if (!letters_parse(&alphabet, "abcdefghij")) {
        return;
    }
    const bool is_right = reverse_greedily(&answer, open_decode(), program_reader(), &alphabet);
    letters_text(text, &answer);
    if (strcmp(text, statement.printed) == 0) {
        compare_place(c, statement, true, "what runs gave: the chapter's own word", "%s", text);
    } else {
        compare_place(c, statement, !is_right,
                      "what " RUNS " gave: a wrong word; make run OPT=perturb=20 gives the chapter's", "%s", text);
    }
}

void rows_of_project(struct comparison *const c, const struct facts *const facts) {
    rows_examples(c, facts);
    rows_data(c, facts);
    rows_model(c, facts);
    rows_losses(c, facts);
    rows_tests(c, facts);
    row_alphabet(c);
}
