// SPDX-License-Identifier: MIT
/// The stream of numpy.random.default_rng(seed): the same words, doubles, integers, normals and permutations as NumPy
/// draws.
///
/// No function looks at the floating-point mode: af_selftest_streams() does, once.
/// Three layers: SeedSequence spreads the seed, PCG64 gives 64-bit words, and everything else is made of these words.
/// NumPy reproduces every number. Compiled in if AF_STREAMS is 1.
/// promise: numpy-stream
#ifndef AF_NUMPY_H
#define AF_NUMPY_H

#include "af_config.h"

#if AF_STREAMS

#ifdef __cplusplus
extern "C" {
#endif

/// A generator: 40 bytes without padding or pointers, so it may be copied, saved and compared as bytes on one machine.
/// Two generators with equal bytes have the same future. The caller owns it; af_numpy_seed() is its only constructor.
///
/// A generator that was never seeded (all bytes 0, as in cleared memory) starts the stream of seed 0 when the first
/// word is drawn. So does one with an even increment, which af_numpy_seed() never makes. With an odd increment PCG64
/// goes through all its 2^128 states, so every call returns, whatever bytes a generator holds. A generator whose bytes
/// were damaged draws other numbers, unnoticed.
/// promise: streams-end
struct af_numpy {
    uint64_t state_hi; // PCG64's 128-bit state, high and low word
    uint64_t state_lo;
    uint64_t increment_hi; // what a step adds, high and low word; odd, fixed by the seed
    uint64_t increment_lo;
    uint32_t half;         // the upper half of a 64-bit word whose lower half was drawn; 0 if there is none
    uint32_t half_pending; // 1 if half is the next 32-bit word, else 0
};

/// Starts the stream of default_rng(seed). Overwrites all of *stream. Any seed. Cannot fail.
///
/// Source: numpy/random/bit_generator.pyx, SeedSequence (after M. E. O'Neill's seed_seq_fe), and pcg64.h, srandom.
void af_numpy_seed(struct af_numpy *stream, uint64_t seed);

/// The next 64-bit word, uniform. Leaves a pending half word where it is, as NumPy does. Cannot fail.
///
/// Source: PCG XSL RR 128/64 (M. E. O'Neill, PCG: A Family of Simple Fast Space-Efficient Statistically Good
/// Algorithms for Random Number Generation, HMC-CS-2014-0905, 2014). Cost: one 128-bit product, of 64-bit pieces.
uint64_t af_numpy_u64(struct af_numpy *stream);

/// The next 32-bit word, uniform: the pending half word if there is one, else the lower half of a new 64-bit word,
/// whose upper half is then pending. Cannot fail.
uint32_t af_numpy_u32(struct af_numpy *stream);

/// rng.random(): uniform in [0, 1), a multiple of 2^-53: the upper 53 bits of one 64-bit word. Cannot fail.
double af_numpy_double(struct af_numpy *stream);

/// rng.integers(low, high): uniform in [low, high). An array call in NumPy draws the same as this, one element after
/// another.
///
/// low SHALL be less than high. If high - low is 1, returns low and draws nothing, as NumPy does. If low >= high the
/// range is empty, which NumPy reports as an error: returns low and draws nothing.
/// promise: empty-interval-draws-nothing
///
/// Cost: one 32-bit word and, with probability (2^32 mod n) / 2^32 for each word, n = high - low, another; at most one
/// division. Source: D. Lemire, Fast Random Integer Generation in an Interval, ACM TOMACS 29(1), 2019.
uint32_t af_numpy_integer(struct af_numpy *stream, uint32_t low, uint32_t high);

/// rng.normal(mean, deviation): mean + deviation z, z standard normal. An array call in NumPy draws the same, one
/// element after another in row-major order. Leaves a pending half word where it is. Cannot fail. Mean and deviation
/// are not checked: NaN, infinities and overflow go into the result, and a negative deviation, which NumPy refuses,
/// mirrors it.
///
/// The bits are NumPy's, except that one value in about 600,000, from the tail beyond 3.654, may differ by one unit in
/// the last place: there NumPy calls the machine's log1p, which is not correctly rounded (nor is af_log). The values
/// drawn after it are the same.
///
/// Cost: one 64-bit word and a division; for one value in 70, up to three exponentials; for one in 4,000, two
/// logarithms.
/// Source: G. Marsaglia and W. W. Tsang, The Ziggurat Method for Generating Random Variables, J. Stat. Softw. 5(8),
/// 2000, as in NumPy's distributions.c.
double af_numpy_normal(struct af_numpy *stream, double mean, double deviation);
// promise: numpy-normals

/// rng.permutation(n): the numbers 0 to n - 1 in random order.
///
///   out [n]   n >= 0
///
/// Overwrites out. For n < 2 nothing is drawn. Cannot fail. Cost: for each number one 32-bit word, two at most on
/// average. Source: R. A. Fisher and F. Yates; R. Durstenfeld, Algorithm 235, Comm. ACM 7(7), 1964.
void af_numpy_permutation(struct af_numpy *stream, uint16_t *out, uint16_t n);
// promise: numpy-permutation

#ifdef __cplusplus
}
#endif

#endif
#endif
