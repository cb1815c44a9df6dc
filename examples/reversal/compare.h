// SPDX-License-Identifier: MIT
/// What the parts of the command `compare` share: the facts of a run, its settings beside the chapter's, and the rows.
///
/// Each row is computed from the run that is compared. One that rests on a setting which is not the chapter's says that
/// it does not apply, and which setting that is; the rows that state a setting (steps, learning rate, parameters ...)
/// differ.
#ifndef COMPARE_H
#define COMPARE_H

#include "comparison.h"
#include "look.h"

/// What a row may rest on, a bit each.
enum rests_on {
    ON_SIZE = 1,         // d_model, n_heads, n_layers, and sizes that no word of the chapter's has
    ON_SCALE = 2,        // scores divided by the root
    ON_MASK = 4,         // causal
    ON_AXIS = 8,         // softmax over keys
    ON_BLOCK = 16,       // residual connections, norm before a branch
    ON_SEED = 32,        // initial weights
    ON_DATA_SEED = 64,   // training strings
    ON_LENGTHS = 128,    // their letters
    ON_OFFSET = 256,     // where they begin
    ON_TARGETS = 512,    // which positions have one
    ON_STEPS = 1024,     //
    ON_BATCH = 2048,     //
    ON_RATE = 4096,      // learning rate, weight decay, warm-up and decay of the rate
    ON_PRECISION = 8192, // float
    ON_STREAM = ON_DATA_SEED | ON_LENGTHS | ON_STEPS | ON_BATCH, // all strings of the run
    ON_REACH = ON_LENGTHS | ON_OFFSET | ON_MASK | ON_AXIS,       // which positions a gradient reaches
    ON_ALL = 16383
};

/// A setting that is not the chapter's, in the words of `make options`: "steps=60". A perturbation by one rounding unit
/// is one too, but no row rests on it.
struct setting {
    char text[48];
    char chapter[24]; // its value there
    unsigned bit;
};

enum { MAX_SETTINGS = 32 };

struct settings {
    struct setting setting[MAX_SETTINGS];
    size_t n;
};

/// Finds what of a run, and of the model that is compiled in, is not the chapter's.
void settings_find(struct settings *out, const struct run *run);

/// Writes why rows that rest on `bits` do not apply: the settings among these; "" if they apply. Returns `out`.
const char *settings_reason(char out[COMPARISON_REASON_BYTES], const struct settings *settings, unsigned bits);

/// What the rows are made from.
struct facts {
    struct run run;
    struct settings settings;
    struct training_log log;
    struct drawn drawn;
    uint64_t start; // ticks
};

/// The rows that follow rest on these bits; 0: on nothing but the library.
void rest_on(struct comparison *c, const struct facts *facts, unsigned bits);

/// The example of section 1.10: fgcabe|ebacgf, through the trained model, into af_arena. True unless it fails.
bool run_attention_example(void);
enum { N_ATTENTION = 6, N_POSITIONS = 2 * N_ATTENTION + 1 };
extern const char attention_string[N_ATTENTION + 1];

/// A number of n_dim sizes of a tensor in the map: "192, 64" of "weight.at.block[0].qkv_w", from dimension `first` on,
/// with `between` between them. Returns `out`.
enum { SHAPE_BYTES = 64 };
const char *shape_text(char out[SHAPE_BYTES], const char *name, const char *between);

/// Dimension d of a tensor in the map.
size_t dim_of(const char *name, size_t d);

enum { TEXT_BYTES = 128 };

/// Adds a formatted piece to a text that has room for TEXT_BYTES.
void append(char text[TEXT_BYTES], const char *format, double number);

/// Rows of sections 1.2 to 1.8.
void rows_of_method(struct comparison *c, const struct facts *facts);

/// Rows of section 1.9: data, model, losses; tests.
void rows_of_project(struct comparison *c, const struct facts *facts);

/// The number of parameters, which stands at several places.
void row_parameters(struct comparison *c, const struct facts *facts, const char *where);

/// The row of section 1.4 that needs the losses.
void row_first_below(struct comparison *c, const struct facts *facts);

/// Rows of section 1.10. first_batch_gradient() has to have run, and nothing that trains since.
void rows_of_attention(struct comparison *c, const struct facts *facts);

/// What a row rests on that looks at first_batch_gradient(): all its strings have to be there.
unsigned reach_of(const struct run *run);

/// Whether the log reaches far enough for a row; writes the row that says so if not.
bool has_losses(struct comparison *c, const struct facts *facts, struct statement statement, uint32_t n_steps);

#endif
