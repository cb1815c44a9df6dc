// SPDX-License-Identifier: MIT
// How a trained model does on strings that it has or has not seen, and what training reached.
#include "reversal.h"
#include "af_math.h"

#include <string.h>

// ------------------------------------------------------------------------------------ which strings training has drawn

/// Strings of SHORTEST to LONGEST letters: 10^3 + ... + 10^8, a bit each. 14 MB, and no two strings are ever taken for
/// each other, however long the training.
#define N_STRINGS 111111000u

static uint8_t drawn_bits[(N_STRINGS + 7) / 8];

AF_STATIC_ASSERT(SHORTEST == 3 && LONGEST == 8 && N_LETTERS == 10, n_strings_is_for_these_lengths);

/// Number of a string: first by length, then as the decimal number that its letters are.
static uint32_t number_of(const struct letters *const letters) {
    uint32_t number = 0;
    uint32_t n_shorter = 0; // strings of fewer letters
    uint32_t power = 1;
    for (size_t i = 0; i < letters->n && i < LONGEST; i++) {
        number = number * N_LETTERS + letters->token[i];
        n_shorter += i >= SHORTEST ? power : 0;
        power *= N_LETTERS;
    }
    return n_shorter + number;
}

bool was_drawn(const struct letters *const letters) {
    if (letters->n < SHORTEST || letters->n > LONGEST) {
        return false;
    }
    const uint32_t number = number_of(letters);
    return (drawn_bits[number / 8] & (1U << (number % 8))) != 0;
}

struct drawn redraw_training(const struct run *const run) {
    struct drawn drawn = {0, 0, {0}, 0, MAX_LETTERS, 0};
    bool is_known[N_LETTERS] = {false};
    struct af_numpy stream;
    (void)memset(drawn_bits, 0, sizeof(drawn_bits));
    af_numpy_seed(&stream, run->note.seed_training);
    drawn.n_examples = (uint64_t)run->note.n_steps * run->batch;
    for (uint64_t i = 0; i < drawn.n_examples; i++) {
        const struct letters letters = letters_draw(&stream, run->recipe.shortest, run->recipe.longest);
        drawn.shortest = letters.n < drawn.shortest ? (uint32_t)letters.n : drawn.shortest;
        drawn.longest = letters.n > drawn.longest ? (uint32_t)letters.n : drawn.longest;
        for (size_t k = 0; k < letters.n; k++) {
            drawn.n_letters += is_known[letters.token[k]] ? 0U : 1U;
            is_known[letters.token[k]] = true;
        }
        if (letters.n >= SHORTEST && letters.n <= LONGEST && !was_drawn(&letters)) {
            const uint32_t number = number_of(&letters);
            drawn_bits[number / 8] = (uint8_t)(drawn_bits[number / 8] | (1U << (number % 8)));
            drawn.n_distinct_of[letters.n]++;
            drawn.n_distinct++;
        }
    }
    return drawn;
}

// ---------------------------------------------------------------------------------------------------------- testing

struct score score_strings(const uint64_t seed, const uint32_t n, const uint32_t shortest, const uint32_t longest) {
    struct score score;
    (void)memset(&score, 0, sizeof(score));
    score.n = n;
    const struct af_model model = program_model();
    struct af_decode *decode = NULL;
    if (af_decode_open(&model, &decode) != AF_OK) { // only while a training step is open: never here
        return score;
    }
    struct af_numpy stream;
    af_numpy_seed(&stream, seed);
    for (uint32_t i = 0; i < n; i++) {
        const struct letters letters = letters_draw(&stream, shortest, longest);
        struct letters answer;
        const uint32_t right = reverse_greedily(&answer, decode, program_reader(), &letters) ? 1 : 0;
        const uint32_t unseen = was_drawn(&letters) ? 0 : 1;
        score.n_right += right;
        score.n_unseen += unseen;
        score.n_unseen_right += unseen & right;
        score.n_of[letters.n]++;
        score.n_right_of[letters.n] += right;
    }
    return score;
}

// ----------------------------------------------------------------------------------------------- what training reached

void draw_initial_weights(struct af_weights *const weight, const struct run *const run) {
    af_init_weights(weight, &af_arena.work.init_stream[0], run->note.seed_weights);
    recipe_perturb((af_real *)weight, AF_N_PARAMS, run->recipe.perturb);
}

bool first_batch_gradient(const struct run *const run) {
    static struct example example[BATCH];
    static struct af_sequence sequence[BATCH];
    struct af_numpy strings;
    struct af_numpy offsets;
    uint32_t n_targets = 0;
    const uint64_t n_drawn = (uint64_t)run->note.n_steps * run->batch;
    const size_t n = n_drawn < BATCH ? (size_t)n_drawn : BATCH;
    af_numpy_seed(&strings, run->note.seed_training);
    af_numpy_seed(&offsets, SEED_OFFSET + run->note.seed_training);
    for (size_t i = 0; i < n; i++) {
        sequence[i] = recipe_draw(&example[i], &run->recipe, &strings, &offsets, &n_targets);
    }
    const struct af_model model = program_model();
    const bool is_good =
        n > 0 && af_train_begin(&model, n_targets) == AF_OK && af_train_accumulate(&model, sequence, n) == AF_OK;
    (void)af_train_abandon(&model);
    return is_good;
}

double position_gradient(const size_t row) {
    double largest = 0;
    for (size_t m = 0; m < AF_DIM; m++) {
        const double size = (double)af_abs(af_arena.grad.at.pos[row][m]);
        largest = size > largest ? size : largest;
    }
    return largest;
}
