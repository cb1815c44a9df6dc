// SPDX-License-Identifier: MIT
/// The chapter's experiments: what runs of training left in a folder, read and put side by side.
#ifndef EXPERIMENTS_H
#define EXPERIMENTS_H

#include "comparison.h"
#include "losses.h"
#include "page.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
    MAX_STEPS = 5000,
    MAX_LETTERS = 12,
    N_POSITIONS = 25,
    N_EXAMPLE = 13, // tokens of fgcabe|ebacgf
    MAX_BLOCKS = 8,
    MAX_HEADS = 2,
    NAME_BYTES = 40
};

/// A number out of a number.
struct share {
    unsigned n;
    unsigned of;
};

struct table_row_facts {
    double before; // norm of the initial row
    double after;
    double gradient; // largest of the first batch, at the trained weights
};

struct strongest {
    unsigned key;
    double weight;
};

/// A run. Without files `is_there` is false and everything else 0.
struct experiment {
    double seconds;
    double loss[MAX_STEPS];
    uint32_t n_steps;
    uint32_t hash;
    unsigned n_blocks;
    unsigned n_heads;
    struct share right[MAX_LETTERS + 1]; // test strings by length: 3 to 8 of the chapter's 500, 9 to 12 of another 500
    struct share total;                  // of 3 to 8
    struct share longer;                 // of 9 to 12
    struct share longer_first;           // the first 200 of them
    struct share unseen;
    struct share shifted; // with pad tokens before them
    double loss_input;    // on test strings: mean loss of the input's positions
    double loss_output;
    struct table_row_facts position[N_POSITIONS];
    struct table_row_facts pad;
    double sum_of_query[2]; // smallest and largest sum of a query's attention weights
    double sum_of_key[2];
    double later_key; // largest weight on a later key
    double divisor;   // of the scores; 0: not known
    struct strongest strongest[MAX_BLOCKS][MAX_HEADS][N_EXAMPLE];
    double moved[N_EXAMPLE][N_EXAMPLE]; // [changed token][position]: how far its logits move
    char name[NAME_BYTES];
    char alphabet[MAX_LETTERS + 1];
    bool is_there;
};

/// Reads FOLDER/NAME.csv and .facts. False, after a line on stderr, if a file is there but not as it should be; a run
/// that is not there is no failure.
bool experiment_load(struct experiment *out, const char *folder, const char *name);

/// Mean loss of the steps from `from` to `to`, counted from 1, both included.
double mean_of(const struct experiment *e, uint32_t from, uint32_t to);

/// First step at which the mean of the last N_TRAILING losses is below 0.01; 0: never.
uint32_t first_below(const struct experiment *e);

/// "362", or "never".
enum { STEP_BYTES = 12 };
const char *step_text(char out[STEP_BYTES], uint32_t step);

/// The largest loss of some steps, and where it is.
struct peak {
    double loss;
    uint32_t step;
};
struct peak peak_of(const struct experiment *e, uint32_t from, uint32_t to);

/// Percent of the steps from `first` on, at least 25, at which the mean of 25 losses is at or below the reference's.
double share_at_or_below(const struct experiment *e, const struct experiment *reference, uint32_t first);

/// How far logits before a changed token move at most.
double leak_of(const struct experiment *e);

/// The runs by name.
enum which {
    REFERENCE,
    UNSCALED,
    QUERIES,
    NO_MASK,
    ALL_TARGETS,
    N_FAULTS,
    LONGER = N_FAULTS,
    DEEP,
    DEEP_NO_RESIDUAL,
    POST_NORM,
    POST_NORM_WARMUP,
    DEEP_POST_NORM,
    DEEP_POST_NORM_WARMUP,
    WARMUP_DECAY,
    ONE_BLOCK,
    ONE_BLOCK_5000,
    OFFSET,
    OFFSET_3000,
    WIDE,
    WIDE_UNSCALED,
    N_RUNS
};
extern struct experiment experiment[N_RUNS];

/// What REFERENCE to ALL_TARGETS are called.
extern const char *const fault_title[N_FAULTS];

/// Runs from weights that are one rounding unit apart, by kind: REFERENCE to ALL_TARGETS.
enum { MAX_SPREAD = 30 };
extern struct experiment spread[N_FAULTS][MAX_SPREAD];

/// How many of them there are.
size_t n_spread(enum which kind);

// ------------------------------------------------------------------------------------------------------ what is shown

/// The reference and the faults, a line each.
void write_summary(struct page *page);

/// Rows of the comparison with the chapter.
void rows_of_faults(struct comparison *c);
void rows_of_longer(struct comparison *c);

/// Rows that are computed on the spot: section 1.4, sections 1.5 and 1.7, section 1.8.
void rows_of_scaling(struct comparison *c);
void rows_of_mask(struct comparison *c);
void rows_of_mlp(struct comparison *c);
void rows_of_permutations(struct comparison *c);

/// The exercises and their answers.
void write_exercises(struct page *page);

/// Where the printed numbers lie among the runs of the spread.
void write_spread(struct page *page);

/// Figures.
void draw_losses(FILE *file, const void *unused);         // 1.1
void draw_fault_losses(FILE *file, const void *unused);   // 1.3, left
void draw_fault_accuracy(FILE *file, const void *unused); // 1.3, right
void draw_position_norms(FILE *file, const void *unused);
void draw_leak(FILE *file, const void *unused);
void draw_spread(FILE *file, const void *unused);

/// The whole page. `folder` has the pictures that the reversal program drew.
void write_report(FILE *file, const char *folder);

#endif
