// SPDX-License-Identifier: MIT
/// arenaformer: a small transformer whose every tensor lives in one static arena. This is the one header to include.
///
/// | header          | what it gives                                                                        |
/// |-----------------|--------------------------------------------------------------------------------------|
/// | af_config.h     | sizes and switches                                                                   |
/// | af_names.h      | names that carry the configuration; two models in one program                        |
/// | af_status.h     | status codes, their names and meanings                                               |
/// | af_arena.h      | the tensors as C structs, the regions, the default arena, initial weights            |
/// | af_map.h        | the tensors as a table: found by name and by address                                 |
/// | af_train.h      | a training step in three calls or in slices; af_pass.h: forward, backward            |
/// | af_checkpoint.h | the state of training in flash or in a file, safe against power cuts                 |
/// | af_seal.h       | noticing that weights have changed by themselves                                     |
/// | af_decode.h     | greedy decoding with a key/value cache                                               |
/// | af_reader.h     | weights to read from, in flash or packed                                             |
/// | af_kernels.h    | how operations are carried out: plain loops or tiles                                 |
/// | af_ops.h        | the operations, each with its gradient                                               |
/// | af_check.h      | self-tests: processor and build, a model's kernels and workers, random streams       |
/// | af_crc32c.h     | check sums and hashes                                                                |
/// | af_numpy.h      | the random stream of numpy.random.default_rng                                        |
/// | af_torch.h      | the random stream of torch.manual_seed and PyTorch's default initialisation          |
/// | af_math.h       | exp, log, sqrt, erf                                                                  |
///
/// Conventions
///  - Arrays are row-major; weights are [output][input], as PyTorch stores them. Outputs come before inputs, sizes
///    last.
///  - Forward overwrites; backward adds to gradients. Who may alias whom stands with each function: where nothing is
///    said, arrays SHALL be distinct.
///  - Names begin with af_ or AF_; AFI_ is for macros inside one file of lib/. No name is one of <sys/socket.h> or
///    <winsock2.h>, whose own begin with AF_ too; include them in any order. The headers are C99 and C++11, the files
///    of lib/ C99 alone. Headers af_inner_NAME.h are inside lib/: what they declare may change, and no program includes
///    them.
///  - Nothing is allocated, nothing has to be released, no pointer is kept after a call. lib/ has one mutable static
///    object, the default arena, and refers to no function outside but memcpy, memset, memmove, memcmp and the
///    compiler's floating-point helpers.
/// promise: no-allocation, no-static-storage, few-symbols, no-pointer-kept
///  - A function that can fail returns an af_status; a failed call leaves its outputs as they were. Functions that
///    return void cannot fail if their arguments are as the header says.
///  - What is not a number stops training and decoding with AF_ERR_NOT_FINITE before a weight is lost or a token is
///    chosen: af_train.h, af_decode.h. The operations themselves let NaN and infinities go on: af_ops.h.
///  - The first call on an instance that is to be trained is af_train_reset(): af_train.h has the order of start-up.
/// promise: failed-call-changes-nothing, update-keeps-numbers, logits-are-numbers
///  - An instance of the model belongs to one thread at a time. Nothing may be called from an interrupt that can
///    interrupt another call on the same instance. No function recurses.
/// promise: no-recursion, instances-apart
///  - For one configuration, seed, data and number of steps, the bytes of weights, gradients, moments and losses are
///    the same on every machine on which the self-tests return AF_OK: for every compiler, optimisation level,
///    micro-batch and slicing. af_selftest() speaks for the plain loops, af_selftest_model() for the table and the
///    workers that a model names, af_selftest_streams() for the random streams. A floating-point mode that changes later
///    is noticed where pieces of training and of af_forward() run, when weights are drawn, and at each push of decoding;
///    the streams and the operations of af_ops.h do not look at it.
/// promise: same-bits, memory-modes-same-bits, slices-same-bits
#ifndef AF_H
#define AF_H

/// Version of the interface and of the numbers: MAJOR changes when either changes for existing users.
#define AF_VERSION_MAJOR 0
#define AF_VERSION_MINOR 1
#define AF_VERSION_PATCH 0

// af_config.h switches the contraction of a * b + c off. Behind this header, yours is again as your options say: with
// clang, also if a pragma had said something else before it.
#if defined(__GNUC__) && !defined(__clang__) && !defined(__cplusplus)
#pragma GCC push_options
#endif

#include "af_config.h"
#include "af_status.h"
#include "af_arena.h"
#include "af_map.h"
#include "af_train.h"
#include "af_checkpoint.h"
#include "af_decode.h"
#include "af_ops.h"
#include "af_check.h"
#include "af_crc32c.h"
#include "af_seal.h"
#include "af_math.h"

#if defined(__clang__) || !defined(__GNUC__)
#pragma STDC FP_CONTRACT DEFAULT
#elif !defined(__cplusplus)
#pragma GCC pop_options
#endif

#endif
