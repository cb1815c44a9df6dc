// SPDX-License-Identifier: MIT
/// Kernels: the time-consuming operations behind one table, so that a program can choose how they are carried out.
///
/// Every table gives the same bits. af_kernels_plain, the loops of af_ops.h, is the specification; the others are
/// tested against it. lib/ does not examine the processor: a port does, and passes a table in struct af_model or struct
/// af_reader.
/// promise: tiles-same-bits
#ifndef AF_KERNELS_H
#define AF_KERNELS_H

#include "af_ops.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A linear layer as a kernel sees it: w [n_out][n_in], b [n_out], and the same weights packed (NULL without
/// AF_PACKED).
struct af_layer {
    const af_real *w;
    const af_real *b;
    const af_real *packed;      // for forward:  [ceil(n_out / lanes)][n_in][lanes]
    const af_real *packed_back; // for backward: [ceil(n_in / lanes)][n_out][lanes]
    size_t n_in;
    size_t n_out;
};

/// One way to carry the operations out. The functions are those of af_ops.h, with these differences:
///  - `scratch` has AF_SCRATCH_REALS numbers, for the call only; `cdf` (or NULL) is where gelu_forward may leave
///    0.5 (1 + erf(x / sqrt 2)) for gelu_backward. The plain loops use neither `cdf` nor, in forward, `scratch`.
///  - linear_backward_x starts its sums from 0 and overwrites d_x unless `adds` is true.
///  - Numbers that attention reads SHALL be finite, and gradients that attention_backward adds to SHALL hold no -0:
///    tiles add 0 times each masked number. (A gradient that starts from 0 never becomes -0. If a masked number is not
///    finite, tiles give NaN there, and plain loops in the query or the gradient that sees it, so a step or an answer
///    ends in the same error with any table.)
/// Otherwise NaN and infinities propagate as af_ops.h says.
struct af_kernels {
    const char *name;
    bool needs_packed; // 1: reads packed weights, so needs AF_PACKED
    void (*linear_forward)(af_real *y, const af_real *x, const struct af_layer *layer, size_t n);
    void (*layernorm_forward)(af_real *y, af_real *mean, af_real *rstd, const af_real *x, const af_real *g,
                              const af_real *b, size_t n);
    void (*attention_forward)(af_real *heads, af_real *att, af_real *scratch, const af_real *q, const af_real *kv,
                              size_t first, size_t n, size_t n_keys);
    void (*gelu_forward)(af_real *y, af_real *cdf, const af_real *x, size_t n);
#if AF_TRAINING
    void (*linear_backward_x)(af_real *d_x, const af_real *d_y, const struct af_layer *layer, size_t n, bool adds);
    void (*linear_backward_w)(af_real *d_w, af_real *d_b, const af_real *d_y, const af_real *x, size_t n, size_t n_in,
                              size_t n_out, size_t from, size_t n_part);
    void (*layernorm_backward_x)(af_real *d_x, const af_real *d_y, const af_real *x, const af_real *mean,
                                 const af_real *rstd, const af_real *g, size_t n);
    void (*layernorm_backward_w)(af_real *d_g, af_real *d_b, const af_real *d_y, const af_real *x, const af_real *mean,
                                 const af_real *rstd, size_t n);
    void (*attention_backward)(af_real *d_q, af_real *d_kv, af_real *scratch, const af_real *d_heads,
                               const af_real *att, const af_real *q, const af_real *kv, size_t first, size_t n,
                               size_t n_keys);
    void (*gelu_backward)(af_real *d_x, const af_real *d_y, const af_real *x, const af_real *cdf, size_t n);
    void (*adamw_update)(af_real *p, af_real *m, af_real *v, const af_real *d, struct af_adamw how, af_real c1,
                         af_real c2, size_t n);
#endif
    af_status (*liberties)(void); // how the table's own file was compiled (af_selftest_model()); NULL: not asked
};

/// The specification: the plain loops.
extern const struct af_kernels af_kernels_plain;

/// 1 if af_tile.c defines tables: it needs extensions of gcc and clang, float, training and packed weights.
#if defined(__GNUC__) && !AF_REAL_IS_DOUBLE && AF_PACKED && AF_TRAINING
#define AF_HAS_TILE 1
#else
#define AF_HAS_TILE 0
#endif

#if AF_HAS_TILE
/// Register tiles: af_tile.c, compiled once for each level of the x86-64 instruction set. The baseline runs everywhere;
/// a program may use another table only if the processor has its instructions.
extern const struct af_kernels af_kernels_tile;    // baseline of the target architecture
extern const struct af_kernels af_kernels_tile_v3; // x86-64-v3: AVX2
extern const struct af_kernels af_kernels_tile_v4; // x86-64-v4: AVX-512
#endif

#ifdef __cplusplus
}
#endif
#endif
