// SPDX-License-Identifier: MIT
/// The benchmark: what its files share.
#ifndef BENCH_H
#define BENCH_H

#include "af.h"
#include "af_kernels.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// ------------------------------------------------------------------------------------------------------ measurements

enum { MAX_ROUNDS = 1000 };

/// Times of one subject, in milliseconds, one a round.
struct times {
    double ms[MAX_ROUNDS];
    size_t n;
};

/// Milliseconds between two readings of the port's clock.
double milliseconds(uint64_t from, uint64_t to);

/// Adds a time.
void times_add(struct times *times, double ms);

/// The smallest and the median; 0 if there is none.
double times_min(const struct times *times);
double times_median(const struct times *times);

/// a / b, or 0 where one of them was not measured.
double ratio(double a, double b);

// ----------------------------------------------------------------------------------------------- peak of a core

/// What a core can do at most: multiplications and additions rounded apart ("strict"), and fused.
enum peak_kind { PEAK_STRICT, PEAK_FUSED };

/// Bytes of the vectors that a measurement works with: those of the instruction set that the kernels use.
size_t peak_vector_bytes(const struct af_kernels *kernels);

/// GFLOP/s of n_cores cores at once, 1 or 2, in registers, for a few milliseconds; 0 where it cannot be measured.
double peak_gflops(enum peak_kind kind, const struct af_kernels *kernels, size_t n_cores);

// ------------------------------------------------------------------------------------------------------------ peer

/// A process of its own that answers requests over a pipe: PyTorch, or this program built in another way.
struct peer {
    int to;
    int from;
    bool is_there;
};

/// Starts a program with one argument, or with two where `second` is not NULL. False if it is not there or says that
/// something is missing.
bool peer_start(struct peer *peer, const char *program, const char *first, const char *second);

/// Starts PyTorch with so many threads, or this program as it is built for `name` in the folder `builds`.
bool peer_start_torch(struct peer *peer, const char *threads);
bool peer_start_build(struct peer *peer, const char *builds, const char *name);

/// Asks for "what repetitions" and reads up to n_max milliseconds. Returns their number; 0 if no answer came: then the
/// peer is gone.
size_t peer_ask(struct peer *peer, const char *what, unsigned repetitions, double *ms, size_t n_max);

/// A line about versions, or an empty one.
void peer_about(struct peer *peer, char *line, size_t n_bytes);

/// Closes the pipes: the peer ends by itself.
void peer_stop(struct peer *peer);

// ------------------------------------------------------------------------------------------------------------ work

enum {
    BATCH = 64,
    SHORTEST = 3, // letters of the chapter's strings
    LONGEST = 8,
    N_STEPS = 8, // of a repetition
    POOL = N_STEPS * BATCH
};

/// Draws the strings of the chapter's first steps, with other lengths those that its stream then gives, and the initial
/// weights.
void work_draw(size_t shortest, size_t longest);

/// One training step on n strings of the pool, from string `first` on.
af_status work_train(const struct af_model *model, size_t first, size_t n);

/// Multiplications and additions of its matrix products, forward and backward, on the positions that the loss can see:
/// what this build leaves out is not counted.
double work_flops(size_t first, size_t n);

/// The same over all positions.
double work_flops_of_every(size_t n);

/// The model with these kernels and workers, as it was before the first step.
struct af_model work_model(const struct af_kernels *kernels, size_t n_workers);

/// A way to compute that is measured, by this program or by a peer.
struct subject {
    const char *name;
    const struct af_kernels *kernels;
    struct peer *peer;           // NULL: this program
    size_t n_workers;            // of this program
    size_t n_steps;              // of a repetition
    size_t every;                // measured every so many rounds
    double flops;                // of a step, on average
    struct times times[N_STEPS]; // of each step of a repetition
    uint32_t hash;               // of weights after the last repetition of this program
};

/// A repetition: the first steps of the run, from its initial weights. Each step has times of its own: steps differ in
/// what there is to do. False, after a line, if training fails; a peer that is gone measures nothing.
bool subject_train(struct subject *subject);

/// Of a step: the mean over the steps of each one's smallest time, or median. 0 if there is none.
double subject_ms(const struct subject *subject, double (*of)(const struct times *times));

/// Greedy decoding of strings of eight letters: milliseconds of a string.
double work_decode(void);

// ------------------------------------------------------------------------------------------------------------ stages

/// What takes the time of a step: every kernel, packing, and all that is left.
enum stage {
    STAGE_FORWARD,
    STAGE_BACKWARD_X,
    STAGE_BACKWARD_W,
    STAGE_ATTENTION,
    STAGE_ATTENTION_BACK,
    STAGE_GELU,
    STAGE_GELU_BACK,
    STAGE_NORM,
    STAGE_NORM_BACK,
    STAGE_ADAMW,
    STAGE_PACKING,
    STAGE_REST,
    N_STAGES
};

/// A round of measuring stages, on one worker: a repetition with kernels that look at the clock.
void stages_measure(const struct af_kernels *kernels);

/// Smallest time in a step; 0 if there is none.
double stage_ms(enum stage stage);
const char *stage_name(enum stage stage);

// ------------------------------------------------------------------------------------------------------------ server

/// Answers the requests of another benchmark: this program as its peer. Returns the exit status.
int serve(void);

// ------------------------------------------------------------------------------------------------------------ curves

/// Measures steps of other batches, widths and contexts, and writes a picture of each into a folder. `builds` is where
/// the builds for other sizes are. Returns the exit status.
int draw_curves(const char *folder, const char *builds, size_t n_rounds);

/// A picture: times over sizes, both logarithmic.
enum { MAX_POINTS = 16, MAX_CURVES = 4 };
struct curve {
    const char *name;
    double y[MAX_POINTS]; // 0: not measured
};
struct plot {
    const char *title;
    const char *x_name;
    const char *y_name;
    size_t n_points;
    double x[MAX_POINTS];
    size_t n_curves;
    struct curve curve[MAX_CURVES];
};
/// False if the file cannot be written.
bool plot_write(const struct plot *plot, const char *path);

#endif
