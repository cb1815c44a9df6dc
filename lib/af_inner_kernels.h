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

/// Runs pieces 0 to n_pieces - 1 of `work` by the runner; without a runner, or for a single piece, one after another as
/// worker 0. Checks the thread's floating-point mode before each piece, without a runner once before the first. Returns
/// AF_OK, or the code of af_float_check() if a mode was wrong; pieces of that thread were then not run. Cost beside the
/// pieces: some 30 operations a check.
af_status af_run(const struct af_runner *runner, af_piece *piece, void *work, size_t n_pieces);

/// Writes a matrix [n_columns][n_sum] (row stride `row`, column stride `column`) as panels: packed[p][s][lane] is its
/// element (p lanes + lane, s), or 0 if there is no such column.
void af_pack(af_real *packed, const af_real *w, size_t row, size_t column, size_t n_columns, size_t n_sum);

#ifdef __cplusplus
}
#endif
#endif
