// SPDX-License-Identifier: MIT
/// The stream of torch.manual_seed(seed) and PyTorch's default initialisation drawn from it, bit for bit.
///
/// The values are those of float32 tensors made on the CPU of an x86 machine with AVX2 (PyTorch 1.13). PyTorch itself
/// differs elsewhere: without AVX2 its normals are up to 2e-6 away and its uniforms, if 1 / sqrt(fan_in) is not a power
/// of two, by a rounding. The values are computed as float in every configuration and stored as af_real.
///
/// No function looks at the floating-point mode: af_selftest_streams() does, once; so does af_init_weights().
/// A model starts as in PyTorch if its tensors are drawn in the order in which PyTorch's modules are constructed,
/// from one generator: weight before bias, row-major. LayerNorm draws nothing. Compiled in if AF_STREAMS is 1.
/// promise: torch-stream
#ifndef AF_TORCH_H
#define AF_TORCH_H

#include "af_config.h"

#if AF_STREAMS

#ifdef __cplusplus
extern "C" {
#endif

/// A generator: MT19937, 2,500 bytes without padding or pointers. It may be copied, saved and compared as bytes on one
/// machine. The caller owns it; af_torch_seed() is its only constructor. It is no longer needed once the weights are
/// drawn. Every call returns, whatever bytes a generator holds. One that was never seeded (all bytes 0) gives only 0
/// words: af_torch_uniform() then gives -b, and af_torch_normal() gives 0.
struct af_torch {
    uint32_t word[624]; // the state of the twister, before tempering
    uint32_t next;      // index of the next word; 624: all words have to be renewed first
};

/// Starts the stream of torch.manual_seed(seed). Overwrites all of *stream. Cannot fail.
///
/// As in PyTorch only the lower 32 bits of the seed count: seeds 7 and 2^40 + 7 give the same stream.
/// promise: seed-32-bits
/// Source: M. Matsumoto and T. Nishimura, Mersenne Twister, ACM TOMACS 8(1), 1998; init_genrand of 2002.
void af_torch_seed(struct af_torch *stream, uint64_t seed);

/// The next 32-bit word, uniform. Cannot fail. Cost: some shifts; every 624th call renews all words.
uint32_t af_torch_u32(struct af_torch *stream);

/// Default weight or bias of an nn.Linear: n values uniform in [-b, b), b = 1 / sqrt(fan_in).
///
///   out [n]   n >= 0, any length, so also a tensor of any shape in row-major order
///   fan_in    inputs of the layer, the weight's second dimension, for its bias too; 0 counts as b = 0, as in PyTorch
///
/// Overwrites out. Draws n words. Cannot fail. Cost: one product and one sum in double a value.
///
/// Source: uniform_() (24 random bits, one fused multiply-add) under nn.Linear.reset_parameters(). PyTorch computes a
/// weight's bound as sqrt(3) sqrt(2 / (1 + 5)) / sqrt(fan_in): as float that is the same b for each fan_in < 2^17.
void af_torch_uniform(struct af_torch *stream, af_real *out, size_t n, size_t fan_in);

/// Default weight of an nn.Embedding: n standard normal values, normal_(0, 1).
///
///   out [n]   n >= 16
///
/// Returns false iff n < 16, for which PyTorch uses another method, not implemented here; nothing is drawn or written.
/// Otherwise overwrites out and draws n words, 16 more if n is not a multiple of 16. Every |value| is below 5.8.
/// promise: short-normals-refused
/// Cost: for each pair of values a logarithm, a root, a cosine and a sine, some 70 double operations.
///
/// Source: normal_fill_AVX2() of PyTorch: G. E. P. Box and M. E. Muller, A Note on the Generation of Random Normal
/// Deviates, Ann. Math. Stat. 29(2), 1958, with float polynomials of S. L. Moshier's Cephes library.
bool af_torch_normal(struct af_torch *stream, af_real *out, size_t n);

#ifdef __cplusplus
}
#endif

#endif
#endif
