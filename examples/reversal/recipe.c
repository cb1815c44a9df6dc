// SPDX-License-Identifier: MIT
#include "reversal.h"
#include "af_math.h"

#include <stdlib.h>
#include <string.h>

// --------------------------------------------------------------------------------------------------------- options

static bool are_lengths_good(const unsigned long shortest, const unsigned long longest) {
    return shortest >= 1 && shortest <= longest && longest <= MAX_LETTERS;
}

/// Reads "3-12".
static bool parse_lengths(struct recipe *const recipe, const char *const text) {
    char *end = NULL;
    const unsigned long shortest = strtoul(text, &end, 10);
    const char *const second = *end == '-' ? end + 1 : "";
    const unsigned long longest = strtoul(second, &end, 10);
    if (text[0] < '0' || text[0] > '9' || second[0] < '0' || second[0] > '9' || *end != '\0' ||
        !are_lengths_good(shortest, longest)) {
        (void)complain("--lengths: \"%s\" is not SHORTEST-LONGEST, as 3-8, of 1 to %d letters", text, (int)MAX_LETTERS);
        return false;
    }
    recipe->shortest = (uint32_t)shortest;
    recipe->longest = (uint32_t)longest;
    return true;
}

static bool take_loss(struct recipe *const recipe, int *const argc, char **const argv) {
    const char *text = "outputs";
    if (!take_option(argc, argv, "loss", &text)) {
        return false;
    }
    recipe->has_all_targets = strcmp(text, "all") == 0;
    if (!recipe->has_all_targets && strcmp(text, "outputs") != 0) {
        (void)complain("--loss: \"%s\" is neither outputs nor all", text);
        return false;
    }
    return true;
}

/// Takes a whole number; *number stays as it is if the option is not there.
static bool take_count(int *const argc, char **const argv, const char *const name, const uint64_t max,
                       uint32_t *const number) {
    const char *text = NULL;
    uint64_t value = *number;
    const bool is_good =
        take_option(argc, argv, name, &text) && (text == NULL || parse_number(&value, text, 0, max, name));
    *number = (uint32_t)value;
    return is_good;
}

bool recipe_take(struct recipe *const recipe, int *const argc, char **const argv) {
    static const struct recipe chapter = RECIPE_CHAPTER;
    const char *lengths = NULL;
    *recipe = chapter;
    recipe->has_offset = take_switch(argc, argv, "offset");
    recipe->has_decay = take_switch(argc, argv, "decay");
    return take_option(argc, argv, "lengths", &lengths) && (lengths == NULL || parse_lengths(recipe, lengths)) &&
           take_loss(recipe, argc, argv) && take_count(argc, argv, "--warm-up", MAX_STEPS, &recipe->n_warm_up) &&
           take_count(argc, argv, "--perturb", UINT32_MAX, &recipe->perturb);
}

bool is_chapters_recipe(const struct recipe *const recipe) {
    static const struct recipe chapter = RECIPE_CHAPTER;
    return recipe->shortest == chapter.shortest && recipe->longest == chapter.longest && !recipe->has_all_targets &&
           !recipe->has_offset && !recipe->has_decay && recipe->n_warm_up == 0 && recipe->perturb == 0;
}

uint32_t recipe_digest(const struct run *const run) {
    const struct recipe *const recipe = &run->recipe;
    const uint32_t number[] = {recipe->shortest,
                               recipe->longest,
                               recipe->has_all_targets ? 1U : 0U,
                               recipe->has_offset ? 1U : 0U,
                               recipe->has_decay ? run->note.n_steps : 0U, // the rate depends on it
                               recipe->n_warm_up,
                               recipe->perturb};
    uint32_t crc = 0;
    for (size_t i = 0; i < sizeof(number) / sizeof(number[0]); i++) {
        uint8_t byte[4];
        put_bytes(byte, number[i], sizeof(byte));
        crc = af_crc32c(crc, byte, sizeof(byte));
    }
    return is_chapters_recipe(recipe) ? 0 : crc;
}

// ------------------------------------------------------------------------------------------------------------ a run

static bool is_rate(const af_real rate) {
    return rate >= 0 && (double)rate <= MAX_RATE;
}

const char *run_fault(const struct run *const run) {
    if (!are_lengths_good(run->recipe.shortest, run->recipe.longest)) {
        return "lengths of strings";
    }
    if (run->note.n_steps > MAX_STEPS || run->recipe.n_warm_up > MAX_STEPS) {
        return "a number of steps";
    }
    if (run->batch < 1 || run->batch > MAX_BATCH) {
        return "a number of examples a step";
    }
    if (!is_rate(run->how.learning_rate) || !is_rate(run->how.weight_decay)) {
        return "a learning rate or a weight decay";
    }
    return run->note.seed_weights > UINT32_MAX ? "a seed of the weights" : NULL;
}

/// Moves an example by a random number of positions that leaves it whole.
static void move(struct example *const example, const size_t n_letters, struct af_numpy *const offsets) {
    struct example moved;
    const uint32_t offset = af_numpy_integer(offsets, 0, AF_CONTEXT - (uint32_t)(2 * n_letters));
    for (size_t i = 0; i < AF_CONTEXT; i++) {
        moved.token[i] = i < offset ? PAD : example->token[i - offset];
        moved.target[i] = i < offset ? AF_IGNORE : example->target[i - offset];
    }
    *example = moved;
}

struct af_sequence recipe_draw(struct example *const out, const struct recipe *const recipe,
                               struct af_numpy *const strings, struct af_numpy *const offsets,
                               uint32_t *const n_targets) {
    const struct letters letters = letters_draw(strings, recipe->shortest, recipe->longest);
    const struct af_sequence sequence = example_of(out, &letters);
    *n_targets += (uint32_t)letters.n;
    if (recipe->has_all_targets) {
        for (size_t i = 0; i < letters.n; i++) {
            out->target[i] = out->token[i + 1];
        }
        *n_targets += (uint32_t)letters.n;
    }
    if (recipe->has_offset) {
        move(out, letters.n, offsets);
    }
    return sequence;
}

struct af_adamw recipe_settings(const struct run *const run, const uint32_t step) {
    const struct recipe *const recipe = &run->recipe;
    struct af_adamw how = run->how;
    if (step <= recipe->n_warm_up) {
        how.learning_rate *= (af_real)step / (af_real)recipe->n_warm_up;
    } else if (recipe->has_decay) {
        how.learning_rate *= (af_real)(run->note.n_steps - step + 1) / (af_real)(run->note.n_steps - recipe->n_warm_up);
    }
    return how;
}

void recipe_perturb(af_real *const weight, const size_t n, const uint32_t seed) {
    struct af_numpy stream;
    af_numpy_seed(&stream, seed);
    for (size_t i = 0; seed != 0 && i < n; i++) {
        const af_bits bits = af_bits_of(weight[i]);
        const uint32_t way = af_numpy_integer(&stream, 0, 3);
        if (weight[i] > 0 || weight[i] < 0) { // the next number away from 0, the one towards it, or neither
            weight[i] = af_real_of(way == 0 ? bits : way == 1 ? bits + 1 : bits - 1);
        }
    }
}
