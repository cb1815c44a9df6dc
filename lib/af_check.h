// SPDX-License-Identifier: MIT
/// Does this machine, with this build, compute as the library promises?
#ifndef AF_CHECK_H
#define AF_CHECK_H

#include "af_arena.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A quick look at the floating-point mode of this thread: subnormals and rounding direction. A few operations; opens
/// every training step. Returns AF_OK, AF_ERR_FLUSH_TO_ZERO, AF_ERR_SUBNORMAL_INPUT, AF_ERR_ROUND_UP,
/// AF_ERR_ROUND_DOWN, AF_ERR_ROUND_TO_ZERO or AF_ERR_ROUND_TIES.
af_status af_float_check(void);
// promise: mode-looked-at

/// The examination of processor and build, to be run once at start-up. What it looks at, in this order:
///  - af_float_check(), and whether vectors flush subnormals: its codes;
///  - whether operations carry excess precision: AF_ERR_EXCESS_PRECISION;
///  - how every file of lib/ was compiled that computes, forward or backward (but for the random streams, and for tiles):
///    whether its compiler may fuse a product with a sum (AF_ERR_CONTRACTED), or regroup sums, multiply by reciprocals,
///    estimate roots, forget the sign of zero or that there are NaN (AF_ERR_FAST_MATH). Each file answers by a function
///    of its own, so what a program does not call is not linked for it;
///  - whether division and square root are correctly rounded: AF_ERR_DIVISION, AF_ERR_SQUARE_ROOT;
///  - whether the plain loops of the linear layer, softmax and GELU add in index order (AF_ERR_SUM_ORDER) and give known
///    bits (AF_ERR_KERNEL).
/// The first failure is returned. Writes nothing. Cost: about 10^5 operations and less than 1 KiB of stack.
///
/// With AF_OK the plain loops give the same bits as everywhere else. It does not carry out the operations whose sizes
/// are the configuration's (attention, layer norm) nor backward: they take memory, and af_selftest_model() has some.
af_status af_selftest(void);
// promise: selftest-names-cause, same-bits

/// af_selftest(), and then what `model` names, for programs that train, or use another table than the plain loops:
///  - its runner: whether it runs every piece once and on a worker that there is (AF_ERR_RUNNER), and the
///    floating-point mode of every worker that takes a piece: the codes of af_float_check();
///  - how the file of its table was compiled: AF_ERR_CONTRACTED, AF_ERR_FAST_MATH, AF_ERR_FLUSH_TO_ZERO;
///  - every operation of its table, with AF_TRAINING backward and AdamW too, and those that stand beside the table
///    (embedding, residual connections, rows, cross entropy), on numbers of about 1 and on such whose products are
///    subnormal. Each number that comes out is held against a scalar reference that takes one operation at a time, in
///    index order, through volatile memory: AF_ERR_KERNEL.
/// Overwrites model->work and nothing else: what af_decode_open() gave is no longer valid. Sizes of 9 rows and fewer.
/// Errors, with nothing written: AF_ERR_NULL if the model, its work, or with AF_TRAINING its state is missing;
/// AF_ERR_ORDER while a step is open or after a load that broke off (so where the arena is not zero at start-up,
/// af_train_reset() comes first); AF_ERR_RANGE if the runner has no function or its workers are not 1 to AF_WORKERS.
/// Cost: about 10^6 operations for the chapter's model.
af_status af_selftest_model(const struct af_model *model);

#if AF_STREAMS
/// The same for the random streams, which no other self-test looks at: af_float_check(), how their files were compiled
/// (AF_ERR_CONTRACTED, AF_ERR_FAST_MATH), and whether both draw known numbers: words, integers, a permutation, uniform
/// and normal numbers: AF_ERR_STREAM. Overwrites `scratch`; work->init_stream will do. AF_ERR_NULL, with nothing
/// written, if there is none. gcc's -fsingle-precision-constant, which would change NumPy's normals, does not compile.
/// Cost: about 10^5 operations, many of them of type double.
af_status af_selftest_streams(struct af_torch *scratch);
#endif

#ifdef __cplusplus
}
#endif
#endif
