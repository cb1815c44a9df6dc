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

// --------------------------------------------------------------------------------------------------------- peak of a core

/// What a core can do at most: multiplications and additions rounded apart ("strict"), and fused.
enum peak_kind { PEAK_STRICT, PEAK_FUSED };

/// Bytes of the vectors that a measurement works with: those of the instruction set that the kernels use.
size_t peak_vector_bytes(const struct af_kernels *kernels);

/// GFLOP/s of n_cores cores at once, 1 or 2, in registers, for a few milliseconds; 0 where it cannot be measured.
double peak_gflops(enum peak_kind kind, const struct af_kernels *kernels, size_t n_cores);

// ------------------------------------------------------------------------------------------------------------ peer

/// PyTorch as a process of its own, which answers requests over a pipe.
struct peer {
    int to;
    int from;
    bool is_there;
};

/// Starts it with so many threads. False, with a line that says why, if it is not there.
bool peer_start(struct peer *peer, const char *threads);

/// Asks for "what repetitions": milliseconds, smallest and median. False if no answer came: the peer is then gone.
bool peer_ask(struct peer *peer, const char *what, unsigned repetitions, double *min_ms, double *median_ms);

/// A line about versions, or an empty one.
void peer_about(struct peer *peer, char *line, size_t n_bytes);

/// Closes the pipes: the peer ends by itself.
void peer_stop(struct peer *peer);

#endif
