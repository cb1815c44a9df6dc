// SPDX-License-Identifier: MIT
// "Where this goes wrong", sections 1.4, 1.7, 1.9 and 1.10: what the chapter says of its experiments beside ours.
#include "experiments.h"
#include "af_math.h"

#include <math.h>
#include <string.h>

enum { TEXT_BYTES = 128, N_STEPS = 1500, N_STEPS_NO_MASK = 300, N_STEPS_LONGER = 3000 };

/// A run of another length than the one that is written about: its rows do not apply.
static void rest_on(struct comparison *const c, const struct experiment *const e, const uint32_t n_steps) {
    char why[TEXT_BYTES] = "";
    if (e->is_there && e->n_steps != n_steps) {
        (void)snprintf(why, sizeof(why), "steps=%u", (unsigned)e->n_steps);
    }
    compare_elsewhere(c, why);
}

const char *const fault_title[N_FAULTS] = {"reference", "no scaling", "softmax over queries", "no mask",
                                           "loss on every position"};

/// Whether a run is there; a row that says so if not.
static bool has(struct comparison *const c, const struct experiment *const e, const struct statement statement) {
    if (!e->is_there) {
        compare_missing(c, statement, "the run is not there");
    }
    return e->is_there;
}

static void misses_text(char out[TEXT_BYTES], const struct experiment *const e) {
    out[0] = '\0';
    for (size_t n = 3; n <= 8; n++) {
        const size_t end = strlen(out);
        (void)snprintf(out + end, TEXT_BYTES - end, "%s%u", n > 3 ? " " : "", e->right[n].of - e->right[n].n);
    }
}

static void rights_text(char out[TEXT_BYTES], const struct experiment *const e) {
    out[0] = '\0';
    for (size_t n = 3; n <= 8; n++) {
        const size_t end = strlen(out);
        (void)snprintf(out + end, TEXT_BYTES - end, "%s%u", n > 3 ? " " : "", e->right[n].n);
    }
}

// -------------------------------------------------------------------------------------------------------- no scaling

static void rows_of_reference(struct comparison *const c, const struct experiment *const e) {
    const struct statement below = {"1.4", "scaled: mean of 50 losses first below 0.01 at step", "362"};
    if (has(c, e, below)) {
        char text[STEP_BYTES];
        const uint32_t step = first_below(e);
        compare_range(c, below, step, 309, 787, "309 to 787, half of them below 340, of 53 runs", "%s",
                      step_text(text, step));
        compare_text(c, (struct statement){"1.4", "scaled: strings right", "100%"}, STABLE, "", "%.5g%%",
                     100.0 * e->total.n / e->total.of);
    }
}

/// What the models divided by, from their products and their weights.
static void rows_of_divisor(struct comparison *const c) {
    const struct statement scaled = {"1.4", "what scores are divided by, heads of 32", "5.66"};
    const struct statement unscaled = {"1.4", "what they are divided by in the unscaled run", "leaving it out"};
    const double divisor[2] = {experiment[REFERENCE].divisor, experiment[UNSCALED].divisor};
    if (has(c, &experiment[REFERENCE], scaled)) {
        compare_row(c, scaled, EXACT, divisor[0] > 5.655 && divisor[0] < 5.665, "from products and weights of the run",
                    "%.2f", divisor[0]);
    }
    if (has(c, &experiment[UNSCALED], unscaled)) {
        compare_row(c, unscaled, EXACT, divisor[1] > 0.995 && divisor[1] < 1.005, "1: by nothing", "%.2f", divisor[1]);
    }
}

static void rows_of_unscaled(struct comparison *const c, const struct experiment *const e) {
    const struct statement below = {"1.4", "unscaled: mean of 50 losses below 0.01 in 1,500 steps", "never"};
    char text[TEXT_BYTES];
    char step[STEP_BYTES];
    if (!has(c, e, below)) {
        return;
    }
    compare_place(c, below, first_below(e) == 0 || first_below(e) >= 630,
                  "what 8 PyTorch runs gave: 5 never, the others at 630, 1,341, 1,395", "%s",
                  step_text(step, first_below(e)));
    compare_range(c, (struct statement){"1.4", "unscaled: strings right", "94.6%"}, 100.0 * e->total.n / e->total.of,
                  78.2, 99.8, "78.2 to 99.8 of 8 PyTorch runs", "%.1f%%, %u", 100.0 * e->total.n / e->total.of,
                  e->total.n);
    misses_text(text, e);
    compare_place(c, (struct statement){"1.4", "unscaled: misses by length, 3 to 8", "all 27 of length 7 and 8"},
                  e->right[3].n == e->right[3].of && e->total.n < e->total.of,
                  "what 8 PyTorch runs gave: 1 to 109, none of length 3; in 2 of them all of length 7 and 8", "%u: %s",
                  e->total.of - e->total.n, text);
    const struct experiment *const reference = &experiment[REFERENCE];
    if (reference->is_there) {
        compare_row(c, (struct statement){"1.4", "mean loss of all steps, scaled and unscaled", "slower learning"},
                    SHOWN, true, "", "%.3f and %.3f", mean_of(reference, 1, reference->n_steps),
                    mean_of(e, 1, e->n_steps));
    }
}

// ------------------------------------------------------------------------------------------------ softmax over queries

static void rows_of_queries(struct comparison *const c, const struct experiment *const e) {
    const struct experiment *const reference = &experiment[REFERENCE];
    const struct statement below = {"fault", "dim=-2: mean of 50 losses first below 0.01 at step", "128"};
    char text[TEXT_BYTES];
    char step[STEP_BYTES];
    if (!has(c, e, below)) {
        return;
    }
    compare_text(c, below, EXACT, "", "%s", step_text(step, first_below(e)));
    if (reference->is_there) {
        const double share = share_at_or_below(e, reference, 128);
        compare_range(c, (struct statement){"fault", "its loss at or below the reference's", "for most of training"},
                      share, 73, 98, "73 to 97 % of 10 runs (make spread); means of 25, from step 128 on",
                      "%.0f %% of the steps", share);
    }
    const struct peak peak = peak_of(e, 1001, e->n_steps);
    compare_place(c, (struct statement){"fault", "largest loss after step 1,000", "a late jump near step 1,300"},
                  peak.loss < 0.001 || peak.loss > 0.1,
                  "what 18 runs gave: 17 have none, 0.0001 to 0.0002; 1 of 8 in PyTorch has one: an accident",
                  "%.4f at step %u", peak.loss, (unsigned)peak.step);
    compare_range(c, (struct statement){"fault", "mean of the last 250 losses", "0.0135"},
                  mean_of(e, e->n_steps - 249, e->n_steps), 0.00007, 0.0157,
                  "0.00008 (7 runs) to 0.0156 of 8 PyTorch runs", "%.5f", mean_of(e, e->n_steps - 249, e->n_steps));
    compare_range(c, (struct statement){"fault", "strings right", "9.6%"}, 100.0 * e->total.n / e->total.of, 0.8, 12.4,
                  "0.8 to 12.4 of 8 PyTorch runs", "%.1f%%, %u", 100.0 * e->total.n / e->total.of, e->total.n);
    rights_text(text, e);
    compare_place(c, (struct statement){"fault", "right by length, 3 to 8", "most of that three-letter strings"},
                  2 * e->right[3].n > e->total.n, "what 18 runs gave, 8 of them in PyTorch: most of three letters",
                  "%s", text);
}

/// The exercises have a table of one changed token, the last.
static void row_of_moves(struct comparison *const c, const struct experiment *const e) {
    compare_row(c,
                (struct statement){"fault", "a later token changes: earlier logits move by up to", "leaks the answer"},
                EXACT, leak_of(e) > 0, "any token of fgcabe|ebacgf; the exercises change the last", "%.2f", leak_of(e));
}

/// The leak is in the normalisation: nothing ever looks at a later key.
static void rows_of_leak(struct comparison *const c, const struct experiment *const e) {
    const struct experiment *const reference = &experiment[REFERENCE];
    if (!e->is_there) {
        return;
    }
    compare_row(c, (struct statement){"fault", "dim=-2: largest weight on a later key", "No weight was ever placed"},
                EXACT, !(e->later_key > 0), "", "%g", e->later_key);
    compare_row(
        c, (struct statement){"fault", "dim=-2: the weights of each key sum to", "divided by a sum over every query"},
        EXACT, fabs(e->sum_of_key[0] - 1) < 1e-5 && fabs(e->sum_of_key[1] - 1) < 1e-5, "up to rounding", "%.6f to %.6f",
        e->sum_of_key[0], e->sum_of_key[1]);
    compare_row(c, (struct statement){"fault", "those of each query to", ""}, EXACT,
                e->sum_of_query[1] - e->sum_of_query[0] > 0.1, "", "%.2f to %.2f", e->sum_of_query[0],
                e->sum_of_query[1]);
    row_of_moves(c, e);
    if (reference->is_there) {
        compare_row(c, (struct statement){"fault", "the same in the reference", "no looking ahead"}, EXACT,
                    !(leak_of(reference) > 0), "not a bit", "%g", leak_of(reference));
    }
}

// ----------------------------------------------------------------------------------------------------------- no mask

static void rows_of_no_mask(struct comparison *const c, const struct experiment *const e) {
    const struct statement below = {"fault", "no mask: mean of 50 losses first below 0.01 at step", "89"};
    char text[TEXT_BYTES];
    char step[STEP_BYTES];
    if (!has(c, e, below)) {
        return;
    }
    compare_text(c, below, EXACT, "", "%s", step_text(step, first_below(e)));
    compare_elsewhere(c, ""); // what states a setting applies to every run
    compare_text(c, (struct statement){"fault", "steps", "300"}, EXACT, "", "%u", (unsigned)e->n_steps);
    rest_on(c, e, N_STEPS_NO_MASK);
    compare_text(c, (struct statement){"fault", "strings right", "11.6%"}, EXACT, "", "%.1f%%",
                 100.0 * e->total.n / e->total.of);
    rights_text(text, e);
    compare_row(c, (struct statement){"fault", "right by length, 3 to 8", "most of that three-letter strings"}, EXACT,
                strcmp(text, "50 1 7 0 0 0") == 0, "PyTorch gives 50 1 7 0 0 0", "%s", text);
    compare_row(c,
                (struct statement){"fault", "largest weight on a later key", "position t can attend to position t + 1"},
                EXACT, e->later_key > 0.1, "", "%.3f", e->later_key);
    compare_elsewhere(c, "");
    row_of_moves(c, e);
    rest_on(c, e, N_STEPS_NO_MASK);
    if (experiment[REFERENCE].is_there) { // the second of the two that the caption of figure 1.3 is about
        const double share = share_at_or_below(e, &experiment[REFERENCE], 25);
        compare_range(
            c, (struct statement){"fig. 1.3", "no mask: its loss at or below the reference's", "for long stretches"},
            share, 100, 100, "100 % of 30 runs: at every step from 25 to 300; means of 25", "%.0f %% of the steps",
            share);
    }
}

// --------------------------------------------------------------------------------------------- loss on every position

/// The least mean loss there can be, for strings of 3 to 8 random letters: all letters but the first are to be guessed
/// at ln 10 each, where the string ends at ln 6, and nothing else; over twice as many targets as letters.
static double least_loss(void) {
    const double letters = (3 + 8) / 2.0;
    return ((letters - 1) * (double)af_log(AF_R(10)) + (double)af_log(AF_R(6))) / (2 * letters);
}

static void rows_of_all_targets(struct comparison *const c, const struct experiment *const e) {
    const struct statement flat = {"fault", "loss everywhere: it flattens, last 250 steps", "1.11"};
    compare_text(c, (struct statement){"fault", "a random letter costs ln 10", "2.30"}, EXACT, "", "%.2f",
                 (double)af_log(AF_R(10)));
    if (!has(c, e, flat)) {
        return;
    }
    const double mean = mean_of(e, e->n_steps - 249, e->n_steps);
    compare_range(c, flat, mean, 1.1085, 1.1325, "1.109 to 1.132 of 10 runs (make spread)", "%.3f", mean);
    compare_row(c, (struct statement){"fault", "the least that a model can reach", "about half of 2.30"}, SHOWN, true,
                "computed: the string's end has to be guessed, its first letter has not", "%.4f", least_loss());
    compare_range(c, (struct statement){"fault", "strings right", "100%"}, e->total.n, 477, 500,
                  "95.4 to 100, 8 times 100, of 10 runs (make spread)", "%.5g%%", 100.0 * e->total.n / e->total.of);
    compare_row(
        c, (struct statement){"fault", "test strings: loss of input and of output positions", "2.30 and near-zero"},
        SHOWN, true, "floor of the input: 2.210", "%.3f and %.5f", e->loss_input, e->loss_output);
}

// ------------------------------------------------------------------------------------------- the table of positions

static void row_of_positions(struct comparison *const c, const enum which which, const char *const text,
                             const bool is_trained) {
    const struct experiment *const e = &experiment[which];
    const char *const printed = is_trained ? "" : "no gradient; shrunk by about 4%";
    const struct statement statement = {"1.10", text, printed};
    double gradient = e->pad.gradient;
    double factor[2] = {1e9, 0};
    bool has_all = e->pad.gradient > 0;
    if (!has(c, e, statement)) {
        return;
    }
    for (size_t row = 16; row <= N_POSITIONS; row++) { // the last turn is the pad token's row
        const struct table_row_facts *const r = row < N_POSITIONS ? &e->position[row] : &e->pad;
        const double ratio = r->after / r->before;
        factor[0] = ratio < factor[0] ? ratio : factor[0];
        factor[1] = ratio > factor[1] ? ratio : factor[1];
        gradient = r->gradient > gradient ? r->gradient : gradient;
        has_all = has_all && r->gradient > 0;
    }
    const bool only_decayed = !(gradient > 0) && factor[0] > 0.9555 && factor[1] < 0.9565;
    rest_on(c, e, which == NO_MASK ? N_STEPS_NO_MASK : N_STEPS);
    compare_row(c, statement, EXACT, is_trained ? has_all : only_decayed,
                is_trained ? "the leak reaches them" : "(1 - 0.00003)^1500 = 0.95600", "times %.4f to %.4f", factor[0],
                factor[1]);
}

static void rows_of_positions(struct comparison *const c) {
    row_of_positions(c, REFERENCE, "position rows 16 to 24 and the pad token, reference", false);
    row_of_positions(c, NO_MASK, "the same without a mask", true);
    row_of_positions(c, QUERIES, "the same with the softmax over queries", true);
}

// ---------------------------------------------------------------------------------- residuals, norms, learning rate

static double last_mean(const struct experiment *const e) {
    return mean_of(e, e->n_steps - N_TRAILING + 1, e->n_steps);
}

static void row_of_pair(struct comparison *const c, const struct statement statement, const enum which first,
                        const enum which second, const char *const reason) {
    const struct experiment *const a = &experiment[first];
    const struct experiment *const b = &experiment[second];
    if (has(c, a, statement) && has(c, b, statement)) {
        char steps[2][STEP_BYTES];
        compare_row(c, statement, SHOWN, true, reason, "%.4f (%s), %u; %.4f (%s), %u", last_mean(a),
                    step_text(steps[0], first_below(a)), a->total.n, last_mean(b), step_text(steps[1], first_below(b)),
                    b->total.n);
    }
}

static void rows_of_blocks(struct comparison *const c) {
    static const struct statement residual = {
        "1.7", "8 blocks, 500 steps, with and without residuals: last 50 losses (step below 0.01), right of 500",
        "Deep stacks are trainable because of this"};
    static const struct statement pre = {"1.7", "2 blocks, pre-norm and post-norm, no warm-up: the same",
                                         "trains stably without"};
    static const struct statement post = {"1.7", "2 blocks, post-norm without and with a warm-up of 150 steps",
                                          "normalising after the addition requires it"};
    static const struct statement deep = {"1.7", "8 blocks, 500 steps, post-norm, the same",
                                          "normalising after the addition requires it"};
    row_of_pair(c, residual, DEEP, DEEP_NO_RESIDUAL, "");
    row_of_pair(c, pre, REFERENCE, POST_NORM, "two blocks are too few to need one");
    row_of_pair(c, post, POST_NORM, POST_NORM_WARMUP, "here it only costs steps");
    row_of_pair(c, deep, DEEP_POST_NORM, DEEP_POST_NORM_WARMUP, "");
}

static void row_of_remedy(struct comparison *const c) {
    static const struct statement swings = {
        "1.9", "largest and mean loss after step 500: fixed rate; warm-up and decay", "the usual remedy"};
    const struct experiment *const fixed = &experiment[REFERENCE];
    const struct experiment *const remedy = &experiment[WARMUP_DECAY];
    if (has(c, fixed, swings) && has(c, remedy, swings)) {
        compare_row(c, swings, SHOWN, true, "150 steps up, then linearly to 0", "%.4f, %.4f; %.4f, %.4f",
                    peak_of(fixed, 501, fixed->n_steps).loss, mean_of(fixed, 501, fixed->n_steps),
                    peak_of(remedy, 501, remedy->n_steps).loss, mean_of(remedy, 501, remedy->n_steps));
    }
}

/// The strongest keys of the rows that have an output, | e b a c g; returns the least of their weights.
static double strongest_keys(char keys[TEXT_BYTES], const struct strongest of_query[N_EXAMPLE]) {
    static const char token[] = "fgcabe|EBACGF"; // capitals: the answer
    double least = 1;
    keys[0] = '\0';
    for (size_t query = 6; query < 12; query++) {
        const struct strongest *const s = &of_query[query];
        const size_t end = strlen(keys);
        (void)snprintf(keys + end, TEXT_BYTES - end, "%s%c", query > 6 ? " " : "", token[s->key]);
        least = s->weight < least ? s->weight : least;
    }
    return least;
}

/// Section 1.10: the last block looks up; the first one's keys are shown, not judged.
static void rows_of_strongest(struct comparison *const c, const struct experiment *const e) {
    for (unsigned i = e->n_blocks * e->n_heads; i > 0; i--) {
        const unsigned block = (i - 1) / e->n_heads;
        const unsigned head = e->n_heads - 1 - (i - 1) % e->n_heads;
        const bool is_last = block + 1 == e->n_blocks;
        const char *const printed =
            is_last ? "e b a c g f, 0.97 to 1.00" : "the separator, b and e, g and a: no clean geometry";
        char keys[TEXT_BYTES];
        char text[TEXT_BYTES];
        const double least = strongest_keys(keys, e->strongest[block][head]);
        (void)snprintf(text, sizeof(text), "block %u (%s), head %u: strongest keys of | e b a c g, least weight", block,
                       is_last ? "last" : "first", head);
        if (is_last) {
            compare_place(c, (struct statement){"1.10", text, printed},
                          strcmp(keys, "e b a c g f") == 0 && least >= 0.50,
                          "what 49 of 53 runs gave: the diagonal, least weight 0.50 to 1.00", "%s, %.2f", keys, least);
        } else {
            compare_row(c, (struct statement){"1.10", text, printed}, SHOWN, true,
                        "not judged; capitals: letters of the answer", "%s, %.2f", keys, least);
        }
    }
}

static void row_of_time(struct comparison *const c) {
    double seconds = 0;
    unsigned n = 0;
    char reason[TEXT_BYTES];
    for (size_t i = 0; i < N_FAULTS; i++) {
        seconds += experiment[i].seconds;
        n += experiment[i].is_there ? 1U : 0U;
    }
    (void)snprintf(reason, sizeof(reason), "training alone, the sum of the %u run%s above", n, n == 1 ? "" : "s");
    compare_row(c, (struct statement){"fault", "seconds of the experiments notebook", "294"}, MACHINE, true, reason,
                "%.0f", seconds);
}

enum { N_CELLS = 14, CELL_BYTES = 24 };

/// A row of the summary.
static void summary_row(struct page *const page, const char *const name, const struct experiment *const e) {
    char text[N_CELLS][CELL_BYTES] = {{0}};
    const char *cell[N_CELLS];
    (void)snprintf(text[0], CELL_BYTES, "%s", name);
    (void)step_text(text[1], first_below(e));
    (void)snprintf(text[2], CELL_BYTES, "%.5f", mean_of(e, e->n_steps - 249, e->n_steps));
    (void)snprintf(text[3], CELL_BYTES, "%u", e->total.n);
    for (size_t n = 3; n <= 8; n++) {
        (void)snprintf(text[n + 1], CELL_BYTES, "%u", e->right[n].n);
    }
    (void)snprintf(text[10], CELL_BYTES, "%.2f-%.2f", e->sum_of_query[0], e->sum_of_query[1]);
    (void)snprintf(text[11], CELL_BYTES, "%.2f-%.2f", e->sum_of_key[0], e->sum_of_key[1]);
    (void)snprintf(text[12], CELL_BYTES, "%.3f", e->loss_input);
    (void)snprintf(text[13], CELL_BYTES, "%.5f", e->loss_output);
    for (size_t i = 0; i < N_CELLS; i++) {
        cell[i] = text[i];
    }
    page_row(page, cell);
}

void write_summary(struct page *const page) {
    static const char *const heading[N_CELLS] = {"run", "below", "last 250", "right", "3",   "4",     "5",
                                                 "6",   "7",     "8",        "query", "key", "input", "output"};
    static const int width[N_CELLS] = {-22, 5, 8, 5, 3, 3, 3, 3, 3, 3, 10, 10, 6, 8};
    page_table(page, heading, width, N_CELLS);
    for (size_t i = 0; i < N_FAULTS; i++) {
        if (experiment[i].is_there) {
            summary_row(page, fault_title[i], &experiment[i]);
        }
    }
    page_table_end(page);
    const struct share *const right = experiment[REFERENCE].right;
    page_text(
        page,
        "below: step at which the mean of 50 losses is first below 0.01; last 250: mean of the last 250 losses; "
        "right: of 500 test strings, and by length, of %u, %u, %u, %u, %u, %u; query, key: smallest and largest "
        "sum of the attention weights of a query and of a key, for fgcabe|ebacgf; input, output: mean loss of the "
        "input's positions and of the answer's, on the test strings.",
        right[3].of, right[4].of, right[5].of, right[6].of, right[7].of, right[8].of);
}

void rows_of_faults(struct comparison *const c) {
    rest_on(c, &experiment[REFERENCE], N_STEPS);
    rows_of_reference(c, &experiment[REFERENCE]);
    rest_on(c, &experiment[UNSCALED], N_STEPS);
    rows_of_unscaled(c, &experiment[UNSCALED]);
    compare_elsewhere(c, "");
    rows_of_divisor(c);
    rows_of_scaling(c);
    rows_of_mask(c);
    rows_of_mlp(c);
    rows_of_blocks(c);
    rows_of_permutations(c);
    row_of_remedy(c);
    rest_on(c, &experiment[REFERENCE], N_STEPS);
    rows_of_strongest(c, &experiment[REFERENCE]);
    rows_of_positions(c);
    rest_on(c, &experiment[QUERIES], N_STEPS);
    rows_of_queries(c, &experiment[QUERIES]);
    compare_elsewhere(c, "");
    rows_of_leak(c, &experiment[QUERIES]);
    rest_on(c, &experiment[NO_MASK], N_STEPS_NO_MASK);
    rows_of_no_mask(c, &experiment[NO_MASK]);
    rest_on(c, &experiment[ALL_TARGETS], N_STEPS);
    rows_of_all_targets(c, &experiment[ALL_TARGETS]);
    compare_elsewhere(c, "");
    row_of_time(c);
}

void rows_of_longer(struct comparison *const c) {
    const struct experiment *const e = &experiment[LONGER];
    const struct statement right = {"1.10", "lengths 3 to 12, 3,000 steps: strings of 9 to 12 right", "500 of 500"};
    rest_on(c, e, N_STEPS_LONGER);
    if (!has(c, e, right)) {
        return;
    }
    compare_text(c, right, STABLE, "which 500 the chapter does not say, ours are default_rng(456)", "%u of %u",
                 e->longer.n, e->longer.of);
    compare_row(c, (struct statement){"1.10", "strings of 3 to 8 right", ""}, SHOWN, true, "", "%u of %u", e->total.n,
                e->total.of);
    compare_row(c, (struct statement){"1.10", "abcdefghij becomes", ""}, SHOWN, true, "", "%s", e->alphabet);
    compare_row(c, (struct statement){"1.10", "seconds", "86"}, MACHINE, true, "", "%.0f", e->seconds);
}
