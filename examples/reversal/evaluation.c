// SPDX-License-Identifier: MIT
// How a trained model does on strings that it has or has not seen.
#include "reversal.h"

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
    struct drawn drawn = {0, 0, {0}};
    struct af_numpy stream;
    (void)memset(drawn_bits, 0, sizeof(drawn_bits));
    af_numpy_seed(&stream, run->note.seed_training);
    drawn.n_examples = (uint64_t)run->note.n_steps * run->batch;
    for (uint64_t i = 0; i < drawn.n_examples; i++) {
        const struct letters letters = letters_draw(&stream, run->recipe.shortest, run->recipe.longest);
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
