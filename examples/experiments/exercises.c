// SPDX-License-Identifier: MIT
// The chapter's exercises and their answers, with the numbers of the runs at hand.
#include "experiments.h"

#include <string.h>

enum { CELL_BYTES = 24 };

static const char *cell_of(char out[CELL_BYTES], const struct share share) {
    (void)snprintf(out, CELL_BYTES, "%u/%u", share.n, share.of);
    return out;
}

/// "at step 362", or "at no step".
static const char *when(char out[CELL_BYTES], const struct experiment *const e) {
    const uint32_t step = first_below(e);
    (void)snprintf(out, CELL_BYTES, step == 0 ? "at no step" : "at step %u", (unsigned)step);
    return out;
}

/// A table of runs: step below 0.01, last losses, right of 500, by length.
static void table_of(struct page *const page, const enum which *const which, const char *const *const title,
                     const size_t n) {
    static const char *const heading[] = {"run", "below 0.01", "last 50", "right", "3",   "4",
                                          "5",   "6",          "7",       "8",     "9-12"};
    static const int width[] = {-26, 10, 8, 7, 5, 5, 5, 7, 5, 5, 7};
    page_table(page, heading, width, sizeof(width) / sizeof(width[0]));
    for (size_t i = 0; i < n; i++) {
        const struct experiment *const e = &experiment[which[i]];
        char text[11][CELL_BYTES];
        const char *cell[11];
        if (!e->is_there) {
            continue;
        }
        (void)step_text(text[1], first_below(e));
        (void)snprintf(text[2], CELL_BYTES, "%.5f", mean_of(e, e->n_steps - N_TRAILING + 1, e->n_steps));
        cell[0] = title[i];
        cell[1] = text[1];
        cell[2] = text[2];
        cell[3] = cell_of(text[3], e->total);
        for (size_t k = 3; k <= 8; k++) {
            cell[k + 1] = cell_of(text[k + 1], e->right[k]);
        }
        cell[10] = cell_of(text[10], e->longer);
        page_row(page, cell);
    }
    page_table_end(page);
}

static bool are_there(struct page *const page, const enum which *const which, const size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (!experiment[which[i]].is_there) {
            page_text(page, "(Not all runs are there: make exercises.)");
            return false;
        }
    }
    return true;
}

// ------------------------------------------------------------------------------------------------------------ 1 to 3

static void exercise_1(struct page *const page) {
    static const enum which which[] = {REFERENCE, UNSCALED, WIDE, WIDE_UNSCALED};
    static const char *const title[] = {"width 64, scaled", "width 64, unscaled", "width 256, scaled",
                                        "width 256, unscaled"};
    const struct experiment *const e = experiment;
    char step[2][CELL_BYTES];
    page_heading(page, 3, "Exercise 1. What does the division by the root buy, and when?");
    if (!are_there(page, which, 2)) {
        return;
    }
    table_of(page, which, title, 4);
    page_text(
        page,
        "At width 64, where a head has 32 components, the mean of 50 losses is first below 0.01 %s with the "
        "division and %s without it; over the whole run the mean loss is %.3f and %.3f. Undivided scores "
        "are 5.66 times as wide, so the softmax is closer to a hard choice, where its derivative is small, and a "
        "step of the weights moves it 5.66 times as far: the model learns the same lookup later, and is thrown off its "
        "path again and again. What it buys at this width is speed and calm, not the ability to learn.",
        when(step[0], &e[REFERENCE]), when(step[1], &e[UNSCALED]), mean_of(&e[REFERENCE], 1, e[REFERENCE].n_steps),
        mean_of(&e[UNSCALED], 1, e[UNSCALED].n_steps));
    if (!e[WIDE].is_there || !e[WIDE_UNSCALED].is_there) {
        page_text(page, "(Width 256 takes minutes: make exercises WIDE=1.)");
        return;
    }
    page_text(page,
              "At width 256 a head has 128 components and undivided scores are 11.3 times as wide. Scaled: %s, %u of "
              "500 right, last 50 losses %.4f. Unscaled: %s, %u of 500, %.4f. The learning rate is the one of "
              "width 64, so part of what is seen here is the rate's, in both runs; the difference between the two "
              "rows is the scaling's.",
              when(step[0], &e[WIDE]), e[WIDE].total.n,
              mean_of(&e[WIDE], e[WIDE].n_steps - N_TRAILING + 1, e[WIDE].n_steps), when(step[1], &e[WIDE_UNSCALED]),
              e[WIDE_UNSCALED].total.n,
              mean_of(&e[WIDE_UNSCALED], e[WIDE_UNSCALED].n_steps - N_TRAILING + 1, e[WIDE_UNSCALED].n_steps));
}

/// How far the logits of each position move when the last letter of fgcabe|ebacgf changes.
static void table_of_leak(struct page *const page, const enum which *const which, const char *const *const title,
                          const size_t n) {
    static const char *const heading[] = {"logits at", "f", "g", "c", "a", "b", "e", "|", "E", "B", "A", "C", "G", "F"};
    static const int width[] = {-18, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5};
    page_table(page, heading, width, 1 + N_EXAMPLE);
    for (size_t i = 0; i < n; i++) {
        char text[N_EXAMPLE][CELL_BYTES];
        const char *cell[1 + N_EXAMPLE];
        cell[0] = title[i];
        for (size_t at = 0; at < N_EXAMPLE; at++) {
            const double moved = experiment[which[i]].moved[N_EXAMPLE - 1][at];
            // 0 is not a bit; what would be rounded to it is more than that.
            (void)snprintf(text[at], CELL_BYTES, moved >= 0.005 ? "%.2f" : moved > 0 ? "<0.01" : "0", moved);
            cell[1 + at] = text[at];
        }
        page_row(page, cell);
    }
    page_table_end(page);
}

static void exercise_2(struct page *const page) {
    static const enum which which[] = {REFERENCE, QUERIES};
    static const char *const title[] = {"softmax over keys", "softmax over queries"};
    const struct experiment *const e = &experiment[QUERIES];
    char step[2][CELL_BYTES];
    page_heading(page, 3, "Exercise 2. The softmax over queries");
    if (!are_there(page, which, 2)) {
        return;
    }
    table_of(page, which, title, 2);
    page_text(
        page,
        "The loss is below 0.01 %s, the reference's %s; but of 500 test strings %u are right. How the "
        "answer gets in: the weight of query i on key j is exp(s_ij) divided by the sum of exp(s_kj) over all "
        "queries k from j on. Queries k behind i hold later tokens, the answer among them. They stand in the "
        "denominator of weights that position i uses, although no query ever looks at a later key: the largest such "
        "weight is %g. Weights of a key sum to 1, those of a query to anything from %.2f to %.2f. In training the "
        "whole sequence is there; when the model writes, the later queries are not, denominators are smaller, and "
        "weights are others than those it was trained with.",
        when(step[0], e), when(step[1], &experiment[REFERENCE]), e->total.n, e->later_key, e->sum_of_query[0],
        e->sum_of_query[1]);
    page_text(
        page,
        "The proof: in fgcabe|EBACGF (capitals: the answer) change the last token, and no other, and look how far the "
        "logits of each position move (whichever token changes, earlier ones move by up to %.2f: make faults).",
        leak_of(e));
    table_of_leak(page, which, title, 2);
    page_text(
        page,
        "And a trace that training leaves: position rows 16 to 24 and the pad token, which no gradient reaches in "
        "the reference, are trained here: padding too is a query that comes later.");
}

static void exercise_3(struct page *const page) {
    static const enum which which[] = {REFERENCE, NO_MASK};
    static const char *const title[] = {"causal mask", "no mask, 300 steps"};
    const struct experiment *const e = &experiment[NO_MASK];
    char step[CELL_BYTES];
    page_heading(page, 3, "Exercise 3. No mask");
    if (!are_there(page, which, 2)) {
        return;
    }
    table_of(page, which, title, 2);
    page_text(
        page,
        "The loss is below 0.01 %s and %.1f %% of the strings are right. The target of position t is the token "
        "at position t + 1, and without a mask position t can read it there: copying one place to the left is all "
        "that the loss asks for. At test time position t + 1 does not exist yet, the model copies what is not there, "
        "and the training has taught it nothing else. Of the %u right ones %u have three letters (of %u such strings): "
        "these are the shortest, and most of the 1,000 strings of that length were seen in training.",
        when(step, e), 100.0 * e->total.n / e->total.of, e->total.n, e->right[3].n, e->right[3].of);
    page_text(page,
              "The last token of fgcabe|EBACGF changed, and no other, logits of each position move by (whichever token "
              "changes, earlier ones move by up to %.2f: make faults):",
              leak_of(e));
    table_of_leak(page, which, title, 2);
}

// ------------------------------------------------------------------------------------------------------------ 4 and 5

static void exercise_4(struct page *const page) {
    static const enum which which[] = {ONE_BLOCK, ONE_BLOCK_5000, REFERENCE};
    static const char *const title[] = {"1 block, 1 head, 1,500", "1 block, 1 head, 5,000", "2 blocks, 2 heads, 1,500"};
    const struct experiment *const a = &experiment[ONE_BLOCK];
    const struct experiment *const b = &experiment[ONE_BLOCK_5000];
    page_heading(page, 3, "Exercise 4. One block, one head");
    if (!are_there(page, which, 3)) {
        return;
    }
    table_of(page, which, title, 3);
    page_text(
        page,
        "After 1,500 steps %u of 500 strings are right, after 5,000 steps %u. Which letter comes next depends on two "
        "numbers, how long the string is and how many letters have been written, so the query has to know where the "
        "separator stands. With two blocks the first can write that into each position and the second looks up. One "
        "block has only the position itself: the row of the position table says where the query stands, not how long "
        "the string is. The MLP comes after the lookup, too late to steer it. What can still be had is a lookup by "
        "position and by what stands there, spread over the lengths that are possible, and sorted out by the MLP; "
        "that is what more steps buy.",
        a->total.n, b->total.n);
}

static void exercise_5(struct page *const page) {
    static const enum which which[] = {REFERENCE, OFFSET, OFFSET_3000, LONGER};
    static const char *const title[] = {"strings start at 0", "random start, 1,500", "random start, 3,000",
                                        "lengths 3 to 12, 3,000"};
    const struct experiment *const a = &experiment[OFFSET];
    const struct experiment *const b = &experiment[OFFSET_3000];
    unsigned n_trained = 0;
    page_heading(page, 3, "Exercise 5. The untrained rows, or something else?");
    if (!are_there(page, which, 3)) {
        return;
    }
    for (size_t row = 0; row < N_POSITIONS; row++) {
        n_trained += b->position[row].gradient > 0 ? 1U : 0U;
    }
    table_of(page, which, title, 4);
    page_text(
        page,
        "The change: each training string starts at a random position, as far to the right as it fits, with pad tokens "
        "before it. Strings keep their 3 to 8 letters, but now all rows of the table are trained: %u of 25 get a "
        "gradient (the last one holds only letters that nothing comes after). If the untrained rows were the whole "
        "story, strings of 9 to 12 letters would now come out right.",
        n_trained);
    const unsigned n_nine = b->right[9].n;
    const unsigned n_beyond = b->longer.n - n_nine;
    page_text(
        page,
        "Of 500 strings of 9 to 12 letters %u are right after 1,500 steps and %u after 3,000, in the reference %u. By "
        "length it is %u of %u with nine letters, %u of %u with ten or more. That the new rows work: of 100 strings of "
        "3 to 8 letters, put as far to the right as they fit, %u and %u are right; at position 0 it is %u and %u of "
        "500.",
        a->longer.n, b->longer.n, experiment[REFERENCE].longer.n, n_nine, b->right[9].of, n_beyond,
        b->longer.of - b->right[9].of, a->shifted.n, b->shifted.n, a->total.n, b->total.n);
    if (10 * b->longer.n > 9 * b->longer.of) {
        page_text(page, "So the untrained rows were the story: once they are trained, the model does longer strings "
                        "than it has ever seen.");
        return;
    }
    page_text(
        page,
        "So the untrained rows are %s. Every row is trained here, and used well where the string is short. What "
        "training still never shows is a distance: the query that has written k letters of a string of n looks 2k + 1 "
        "places back, at most 15 with eight letters, 17 with nine, 23 with twelve. A model that has learned the "
        "distances it was shown, and not the rule, fails just so: a little with nine letters, wholly with more. That "
        "this is the reason the run does not prove; that longer training strings cure it, the last row of the table "
        "shows.",
        n_nine > 0 ? "part of the story, and not the whole" : "not the story");
}

void write_exercises(struct page *const page) {
    exercise_1(page);
    exercise_2(page);
    exercise_3(page);
    exercise_4(page);
    exercise_5(page);
}
