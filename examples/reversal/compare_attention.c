// SPDX-License-Identifier: MIT
// The rows of section 1.10: the strongest keys, and the rows of the position table that training does not reach.
#include "compare.h"
#include "af_math.h"

// ---------------------------------------------------------------------------------------------------- strongest keys

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
        const size_t key = strongest_key(block, head, query, N_POSITIONS);
        const double size = (double)af_arena.work.train.block[block].att[query][head][key];
        found.keys[2 * i] = example_char(key);
        found.keys[2 * i + 1] = (char)(i + 1 < N_ATTENTION ? ' ' : '\0');
        found.is_diagonal = found.is_diagonal && key == N_ATTENTION - 1 - i;
        found.least = size < found.least ? size : found.least;
        found.most = size > found.most ? size : found.most;
    }
    return found;
}

/// The two blocks that the chapter looks at: the last is the one that looks up.
static void rows_strongest(struct comparison *const c, const struct facts *const facts) {
    double least = 1;
    double most = 0;
    char text[TEXT_BYTES];
    if (!run_attention_example()) {
        return;
    }
    rest_on(c, facts, ON_ALL);
    for (size_t head = 0; head < AF_HEADS; head++) {
        const struct strongest found = strongest_keys(AF_BLOCKS - 1, head);
        (void)snprintf(text, sizeof(text), "block %d (last), head %u: strongest keys of | e b a c g", AF_BLOCKS - 1,
                       (unsigned)head);
        compare_place(c, (struct statement){"1.10", text, "e b a c g f"}, found.is_diagonal,
                      "what 49 of 53 runs gave: the diagonal", "%s", found.keys);
        least = found.least < least ? found.least : least;
        most = found.most > most ? found.most : most;
    }
    compare_range(c, (struct statement){"1.10", "their weights, both heads", "between 0.97 and 1.00"}, least, 0.50,
                  1.00, "0.50 to 1.00, the lowest of each of 53 runs", "between %.2f and %.2f", least, most);
    for (size_t head = 0; head < AF_HEADS; head++) {
        const struct strongest found = strongest_keys(0, head);
        (void)snprintf(text, sizeof(text), "block 0 (first), head %u: the same (capitals: letters of the answer)",
                       (unsigned)head);
        compare_row(c, (struct statement){"1.10", text, "the separator, b and e, g and a: no clean geometry"}, SHOWN,
                    true, "not judged", "%s", found.keys);
    }
}

// --------------------------------------------------------------------------------------------------- untrained rows

/// Rows of the position table that no training string reaches with a target: the last is 2 * LONGEST - 1.
enum { FIRST_UNTRAINED = 2 * LONGEST };

#define N_UNTRAINED ((size_t)AF_CONTEXT - FIRST_UNTRAINED)

/// How the untrained rows of the position table have come from their first values to their last.
struct shrinking {
    double factor;  // norm at the end / norm at the start
    size_t n_exact; // numbers whose bits are those of decay alone, step after step
    size_t n;       // numbers
};

/// What decay alone makes of a weight, step after step, as in af_adamw_update().
static af_real decay_of(af_real number, const struct run *const run) {
    for (uint32_t step = 1; step <= run->note.n_steps; step++) {
        const struct af_adamw how = recipe_settings(run, step);
        number = number * (AF_R(1) - how.learning_rate * how.weight_decay);
    }
    return number;
}

static struct shrinking measure_shrinking(const struct run *const run) {
    // The moments are not in use here: their plane takes the initial weights.
    const struct af_weights *const first = &af_arena.adam_m.at;
    struct shrinking result = {0, 0, N_UNTRAINED * AF_DIM};
    af_real before = 0;
    af_real after = 0;
    draw_initial_weights(&af_arena.adam_m.at, run);
    for (size_t i = 0; i < result.n; i++) {
        const size_t row = FIRST_UNTRAINED + i / AF_DIM;
        const af_real start = first->pos[row][i % AF_DIM];
        const af_real end = af_arena.weight.at.pos[row][i % AF_DIM];
        before += start * start;
        after += end * end;
        result.n_exact += af_bits_of(decay_of(start, run)) == af_bits_of(end) ? 1U : 0U;
    }
    result.factor = (double)af_sqrt(after / before);
    return result;
}

/// What the run's examples hold behind position 15.
struct held {
    uint32_t n_letters; // at position 16
    uint32_t n_padding; // there
    uint32_t n_longest; // strings of LONGEST letters
    uint32_t n_targets; // from there on
    uint32_t n_behind;  // tokens behind it that are not padding
};

static struct held measure_held(const struct run *const run) {
    static struct example example;
    struct held held = {0, 0, 0, 0, 0};
    struct af_numpy strings;
    struct af_numpy offsets;
    uint32_t n_targets = 0;
    af_numpy_seed(&strings, run->note.seed_training);
    af_numpy_seed(&offsets, SEED_OFFSET + run->note.seed_training);
    for (uint64_t k = 0; k < (uint64_t)run->note.n_steps * run->batch; k++) {
        const uint32_t n_before = n_targets;
        (void)recipe_draw(&example, &run->recipe, &strings, &offsets, &n_targets);
        held.n_longest += n_targets - n_before == LONGEST ? 1U : 0U;
        held.n_letters += example.token[FIRST_UNTRAINED] < N_LETTERS ? 1U : 0U;
        held.n_padding += example.token[FIRST_UNTRAINED] == PAD ? 1U : 0U;
        for (size_t i = FIRST_UNTRAINED; i < AF_CONTEXT; i++) {
            held.n_targets += example.target[i] != AF_IGNORE ? 1U : 0U;
            held.n_behind += i > FIRST_UNTRAINED && example.token[i] != PAD ? 1U : 0U;
        }
    }
    return held;
}

/// What positions 16 to 24 hold: one of the chapter's two sentences about it says too much.
static void rows_held(struct comparison *const c, const struct facts *const facts) {
    const struct held held = measure_held(&facts->run);
    char letters[GROUPED_BYTES];
    char padding[GROUPED_BYTES];
    rest_on(c, facts,
            ON_LENGTHS | ON_OFFSET | ON_TARGETS | (facts->drawn.n_examples < BATCH ? ON_STEPS | ON_BATCH : 0U));
    compare_row(c,
                (struct statement){"1.10", "position 16 of the examples",
                                   "only ever holds the last letter of an 8-letter reversal"},
                EXACT, held.n_letters == held.n_longest && held.n_longest > 0 && held.n_padding > 0,
                "no other letter; but behind shorter strings it holds padding, which the words leave out",
                "%s last letters, %s times padding", grouped(letters, held.n_letters),
                grouped(padding, held.n_padding));
    compare_text(c, (struct statement){"1.10", "positions 17 to 24", "only ever hold padding"}, EXACT, "",
                 "%sonly ever hold padding", held.n_behind > 0 ? "not " : "");
    compare_row(c, (struct statement){"1.10", "targets at positions 16 to 24", "no target"}, EXACT, held.n_targets == 0,
                "", "%u", (unsigned)held.n_targets);
}

static void rows_untrained(struct comparison *const c, const struct facts *const facts) {
    const struct run *const run = &facts->run;
    double largest = 0;
    for (size_t row = FIRST_UNTRAINED; row < AF_CONTEXT; row++) {
        const double size = position_gradient(row);
        largest = size > largest ? size : largest;
    }
    rest_on(c, facts, reach_of(run));
    compare_row(c, (struct statement){"1.10", "position rows 16 to 24", "no gradient"}, EXACT, !(largest > 0),
                "of the first 64 strings", "%g", largest);
    const struct shrinking shrinking = measure_shrinking(run);
    rest_on(c, facts, ON_REACH);
    compare_row(c, (struct statement){"1.10", "the same in all of the training", "no gradient"}, EXACT,
                shrinking.n_exact == shrinking.n, "the bits of decay alone", "%zu of %zu only decayed",
                shrinking.n_exact, shrinking.n);
    const double percent = 100 * (1 - shrinking.factor);
    rest_on(c, facts, ON_REACH | ON_RATE | ON_STEPS);
    compare_row(c, (struct statement){"1.10", "how much weight decay shrank them", "about 4%"}, EXACT,
                percent > 4.395 && percent < 4.405, "(1 - 0.00003)^1500 is 0.95600", "%.1f%%, a factor of %.5f",
                percent, shrinking.factor);
}

static void rows_nine_letters(struct comparison *const c, const struct facts *const facts) {
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
    rest_on(c, facts, 0);
    compare_text(c, (struct statement){"1.10", "positions fed to reverse nine letters", "18"}, EXACT, "", "%zu", n_fed);
    rest_on(c, facts, reach_of(&facts->run));
    compare_text(c, (struct statement){"1.10", "those among them that training never reached", "16 and 17"}, EXACT, "",
                 "%s", untrained);
}

void rows_of_attention(struct comparison *const c, const struct facts *const facts) {
    rows_strongest(c, facts);
    rows_held(c, facts);
    rows_untrained(c, facts);
    rows_nine_letters(c, facts);
}
