// SPDX-License-Identifier: MIT
/// What a run of training may do unlike the chapter's: which strings it draws, where they stand, what has a target, how
/// the learning rate goes. What the model itself may have unlike the chapter's is compiled in: af_config.h.
#ifndef RECIPE_H
#define RECIPE_H

#include <stdbool.h>
#include <stdint.h>

struct recipe {
    uint32_t shortest; // letters of a string
    uint32_t longest;
    bool has_all_targets; // letters are targets, too: the loss is on every position
    bool has_offset;      // strings begin at a random position, with pad tokens before them
    bool has_decay;       // after the warm-up the rate falls to 0, by the same amount each step
    uint32_t n_warm_up;   // steps in which the rate rises to its value, by the same amount each step
    uint32_t perturb;     // not 0: every initial weight but 0 is moved by at most one rounding unit, at random
};

/// Where strings begin in a recipe with offsets: numpy.random.default_rng of this plus the seed of the training.
enum { SEED_OFFSET = 777 };

/// The chapter's.
#define RECIPE_CHAPTER                                                                                                 \
    { SHORTEST, LONGEST, false, false, false, 0, 0 }

#endif
