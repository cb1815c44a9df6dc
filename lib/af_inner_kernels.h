// SPDX-License-Identifier: MIT
/// Inside lib/: pieces of work, and weights as tiles read them. Not for programs.
#ifndef AF_INNER_KERNELS_H
#define AF_INNER_KERNELS_H

#include "af_kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A function that keeps a frame of its own. Inlined, what it needs would be on the stack of every other call of its
/// caller.
#if defined(__GNUC__)
#define AF_OWN_FRAME __attribute__((noinline))
#else
#define AF_OWN_FRAME
#endif

/// Runs pieces 0 to n_pieces - 1 of `work` by the runner, or where it is NULL or there is one piece, one after another
/// as worker 0. Looks at the floating-point mode of the thread before each piece, or without a runner once before the
/// first. Returns AF_OK; where a mode is wrong the code of af_float_check(), and the pieces that met it were not run.
/// Cost beside the pieces: some 30 operations for each look.
af_status af_run(const struct af_runner *runner, af_piece *piece, void *work, size_t n_pieces);

/// Writes a matrix [n_columns][n_sum] (row stride `row`, column stride `column`) as panels: packed[p][s][lane] is its
/// element (p lanes + lane, s), 0 where there is no such column.
void af_pack(af_real *packed, const af_real *w, size_t row, size_t column, size_t n_columns, size_t n_sum);

#ifdef __cplusplus
}
#endif
#endif
