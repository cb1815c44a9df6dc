// SPDX-License-Identifier: MIT
/// The task: strings to reverse, drawn as in the chapter. Freestanding: the reversal program shares it.
#ifndef TASK_H
#define TASK_H

#include "af.h"

// ------------------------------------------------------------------------------------------------------- the task

/// Tokens: letters a to j are 0 to 9, then the separator and the pad token.
enum { N_LETTERS = 10, SEPARATOR = 10, PAD = 11 };

/// Longest string whose reversal fits: letters, separator, letters.
enum { MAX_LETTERS = (AF_CONTEXT - 1) / 2 };

/// The chapter's run (section 1.9).
enum {
    SEED_TRAINING = 0, // numpy.random.default_rng
    SEED_TEST = 123,
    SEED_LONG = 456,  // the chapter does not say which strings of 9 to 12 letters it used
    SEED_WEIGHTS = 1, // torch.manual_seed
    N_STEPS = 1500,
    BATCH = 64,
    SHORTEST = 3,
    LONGEST = 8,
    N_TEST = 500,
    N_LONG = 200
};

/// A string of letters, as tokens.
struct letters {
    af_token token[MAX_LETTERS];
    size_t n;
};

/// A training example: string, separator, reversed string; targets from the separator on.
struct example {
    af_token token[AF_CONTEXT];
    af_token target[AF_CONTEXT];
};

#if AF_STREAMS
/// Draws a string of shortest to longest letters as the chapter does: its length, then its letters.
struct letters letters_draw(struct af_numpy *stream, uint32_t shortest, uint32_t longest);
#endif

/// Character of a token: a to j, | and . ; '?' for anything else.
char token_char(af_token token);

/// Writes letters as text, terminated.
void letters_text(char text[MAX_LETTERS + 1], const struct letters *letters);

#if AF_TRAINING
/// Fills in an example; the sequence refers to it and is AF_CONTEXT long.
struct af_sequence example_of(struct example *out, const struct letters *letters);
#endif

#if AF_STREAMS && AF_TRAINING
/// Size of a batch: what the loss is the mean of, and what the model has to read.
struct batch_size {
    uint32_t n_targets;
    uint32_t n_tokens; // letters, separator and answer up to the last letter but one
};

/// Draws the n examples of a step; sequence [n] refers to example [n].
struct batch_size draw_batch(struct example *example, struct af_sequence *sequence, struct af_numpy *stream, size_t n,
                             uint32_t shortest, uint32_t longest);

/// One number that stands for all bits of weights and moments.
uint32_t state_hash(const struct af_model *model);
#endif

/// Feeds letters and separator and lets the model continue by n letters, greedily. Returns whether the answer is the
/// reversal.
bool reverse_greedily(struct letters *answer, struct af_decode *decode, const struct af_reader *reader,
                      const struct letters *letters);

#endif
