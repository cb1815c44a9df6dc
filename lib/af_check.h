// SPDX-License-Identifier: MIT
/// Self-tests: whether this machine and this build compute as the library promises.
#ifndef AF_CHECK_H
#define AF_CHECK_H

#include "af_arena.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A quick check of this thread's floating-point mode: subnormals and rounding direction. A few operations; every
/// training step begins with it. Returns AF_OK, AF_ERR_FLUSH_TO_ZERO, AF_ERR_SUBNORMAL_INPUT, AF_ERR_ROUND_UP,
/// AF_ERR_ROUND_DOWN, AF_ERR_ROUND_TO_ZERO or AF_ERR_ROUND_TIES.
af_status af_float_check(void);
// promise: mode-looked-at

/// Tests processor and build, to be run once at start-up. It checks, in this order:
///  - af_float_check(), and whether vectors flush subnormals: its codes;
///  - whether operations carry excess precision: AF_ERR_EXCESS_PRECISION;
///  - how every file of lib/ that computes, forward or backward, was compiled (except random streams and tiles):
///    whether its compiler may fuse a product with a sum (AF_ERR_CONTRACTED), or regroup sums, multiply by reciprocals,
///    estimate roots, or ignore the sign of zero or NaN (AF_ERR_FAST_MATH). Each file answers by a function of its own,
///    so the check links no file that the program does not use;
///  - whether division and square root are correctly rounded: AF_ERR_DIVISION, AF_ERR_SQUARE_ROOT;
///  - whether the plain loops of the linear layer, softmax and GELU add in index order (AF_ERR_SUM_ORDER) and give
///    known bits (AF_ERR_KERNEL).
/// The first failure is returned. Writes nothing. Cost: about 10^5 operations and less than 1 KiB of stack.
///
/// If it returns AF_OK, the plain loops give the same bits as everywhere else. It runs neither backward nor the
/// operations whose sizes are the configuration's (attention, layer norm), which take memory: af_selftest_model() does.
af_status af_selftest(void);
// promise: selftest-names-cause, same-bits

/// af_selftest(), and then tests of what `model` uses. For programs that train, or use tiles or workers. It checks
///  - the runner: whether it runs every piece once, on an existing worker (AF_ERR_RUNNER), and the floating-point mode
///    of every worker that takes a piece: the codes of af_float_check();
///  - how the file of the model's table was compiled: AF_ERR_CONTRACTED, AF_ERR_FAST_MATH, AF_ERR_FLUSH_TO_ZERO;
///  - every operation of that table, with AF_TRAINING backward and AdamW too, and the operations that are not in the
///    table (embedding, residual connections, rows, cross entropy), on numbers of about 1 and on numbers with subnormal
///    products. Each result is compared with a scalar reference that does one operation at a time, in index order,
///    through volatile memory: AF_ERR_KERNEL.
/// Overwrites model->work and nothing else; decoding memory from af_decode_open() becomes invalid. Sizes of 9 rows and
/// fewer.
/// Errors, with nothing written: AF_ERR_NULL if the model, its work, or with AF_TRAINING its state is missing;
/// AF_ERR_ORDER while a step is open or after a load that broke off (if the arena is not zero at start-up, call
/// af_train_reset() first); AF_ERR_RANGE if the runner has no function or its workers are not 1 to AF_WORKERS.
/// Cost: about 10^6 operations for the chapter's model.
af_status af_selftest_model(const struct af_model *model);

#if AF_STREAMS
/// The same for the random streams, which no other self-test covers: af_float_check(), how their files were compiled
/// (AF_ERR_CONTRACTED, AF_ERR_FAST_MATH), and whether both draw known numbers: words, integers, a permutation, uniform
/// and normal numbers: AF_ERR_STREAM. Overwrites `scratch`, which may be work->init_stream. AF_ERR_NULL, with nothing
/// written, if it is NULL. lib/ does not compile with gcc's -fsingle-precision-constant, which would change NumPy's
/// normals. Cost: about 10^5 operations, many of them of type double.
af_status af_selftest_streams(struct af_torch *scratch);
#endif

#ifdef __cplusplus
}
#endif
#endif
