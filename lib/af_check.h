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

/// The whole examination, to be run once at start-up: af_float_check(), and whether vectors flush subnormals too; then
/// whether operations carry excess precision (AF_ERR_EXCESS_PRECISION), products are fused with sums
/// (AF_ERR_CONTRACTED), the compiler takes other liberties (AF_ERR_FAST_MATH), division and square root are correctly
/// rounded (AF_ERR_DIVISION, AF_ERR_SQUARE_ROOT), sums run in index order (AF_ERR_SUM_ORDER), and the shipped
/// operations give the known bits on inputs that are sensitive to all of this (AF_ERR_KERNEL). The first failure is
/// returned. Where it returns AF_OK, training gives the same bits as everywhere else. Writes nothing.
/// Cost: about 2 * 10^5 operations and about 1 KiB of stack.
af_status af_selftest(void);
af_status af_selftest_model(const struct af_model *model);

#ifdef __cplusplus
}
#endif
#endif
