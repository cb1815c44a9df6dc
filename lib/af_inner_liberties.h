// SPDX-License-Identifier: MIT
/// Inside lib/: whether a file's compiler options may change results. Each file may have options of its own, so each
/// file that computes has a function, compiled with these options, that answers for it: af_liberties_NAME().
/// af_selftest() and af_selftest_streams() ask all of them. Not for programs.
///
/// An answer is AF_OK, AF_ERR_CONTRACTED or AF_ERR_FAST_MATH; where the file may use vectors that flush subnormals,
/// AF_ERR_FLUSH_TO_ZERO. It needs no memory and calls no other function of its file, so a linker still leaves those out
/// if the program does not call them.
#ifndef AF_INNER_LIBERTIES_H
#define AF_INNER_LIBERTIES_H

#include "af_math.h"
#include "af_status.h"

#ifdef __cplusplus
extern "C" {
#endif

#if AF_REAL_IS_DOUBLE
#define AF_ULP     AF_R(DBL_EPSILON) /* distance from 1 to the next number */
#define AF_LARGEST AF_R(DBL_MAX)
#else
#define AF_ULP     AF_R(FLT_EPSILON)
#define AF_LARGEST AF_R(FLT_MAX)
#endif

/// The operands. They are read as volatile, so that the processor computes with them, not the compiler.
enum {
    AF_N_ABOVE_1,
    AF_N_BELOW_1,
    AF_N_MINUS_1,
    AF_N_1,
    AF_N_HALF_ULP,
    AF_N_MINUS_0,
    AF_N_LARGEST,
    AF_N_107,
    AF_N_9,
    AF_N_SMALLEST, // of the normal numbers
    AF_N_HALF,
    AF_N_LIBERTY_NUMBERS
};
#define AF_LIBERTY_NUMBERS                                                                                             \
    { AF_R(1) + 2 * AF_ULP, AF_R(1) - 2 * AF_ULP, -1, 1, AF_ULP / 2, -AF_R(0), AF_LARGEST, 107, 9, AF_TINY, AF_R(0.5) }

/// In af_check.c.
extern const AF_REAL af_liberty_number[AF_N_LIBERTY_NUMBERS];

static inline bool af_is_same(const af_real a, const af_real b) {
    return a >= b && a <= b;
}

/// 0 where a is b, both above 0.
static inline af_bits af_difference(const af_real a, const af_real b) {
    return af_bits_of(a) ^ af_bits_of(b);
}

#if defined(__ARM_FEATURE_MVE)
/// The vectors of Arm's MVE flush subnormals, whatever the processor's mode is.
static inline bool af_vectors_flush(const volatile af_real *const v) {
    enum { N = 16 };
    af_real x[N];
    for (size_t i = 0; i < N; i++) {
        x[i] = v[AF_N_SMALLEST];
    }
    const af_real half = v[AF_N_HALF];
    for (size_t i = 0; i < N; i++) {
        x[i] *= half;
    }
    af_bits least = af_bits_of(x[0]);
    for (size_t i = 1; i < N; i++) {
        least &= af_bits_of(x[i]);
    }
    return least == 0;
}
#endif

/// The answer of the file that includes this.
static inline af_status af_liberties(const volatile af_real *const v) {
    // (1 + u)(1 - u) - 1 with u = 2 ulp: the product rounds to 1, so the difference is 0; fused, it is -u^2.
    const af_real above = v[AF_N_ABOVE_1];
    if (af_bits_of(above * v[AF_N_BELOW_1] + v[AF_N_MINUS_1]) != 0) {
        return AF_ERR_CONTRACTED;
    }
    // Regrouped, (1 + ulp/2) - 1 is ulp/2. 0 + -0 is 0 if zeros have signs. As a product with the reciprocal, 107 / 107 is
    // not 1. An estimate misses the root of 9. Infinity minus infinity is NaN.
    const af_real one = v[AF_N_1];
    af_bits bad = af_bits_of((one + v[AF_N_HALF_ULP]) - one);
    bad |= af_bits_of(AF_R(0) + v[AF_N_MINUS_0]);
    bad |= af_difference(v[AF_N_107] / AF_R(107), one);
#if AF_SQRT_IN_HARDWARE
    bad |= af_difference(af_sqrt(v[AF_N_9]), AF_R(3));
#endif
    const af_real endless = v[AF_N_LARGEST] * v[AF_N_LARGEST];
    bad |= ~af_bits_of(endless - endless) & AF_INFINITY_BITS;
    if (bad != 0) {
        return AF_ERR_FAST_MATH;
    }
#if defined(__ARM_FEATURE_MVE)
    if (af_vectors_flush(v)) {
        return AF_ERR_FLUSH_TO_ZERO;
    }
#endif
    return AF_OK;
}

/// Files that compute: in every build, with AF_TRAINING, with AF_STREAMS.
#define AF_COMPUTING_FILES(ROW)                                                                                        \
    ROW(attention)                                                                                                     \
    ROW(check)                                                                                                         \
    ROW(embedding)                                                                                                     \
    ROW(gelu)                                                                                                          \
    ROW(layernorm)                                                                                                     \
    ROW(linear)                                                                                                        \
    ROW(residual)                                                                                                      \
    ROW(softmax)
#define AF_COMPUTING_FILES_OF_TRAINING(ROW)                                                                            \
    ROW(adamw)                                                                                                         \
    ROW(cross_entropy)                                                                                                 \
    ROW(pass)                                                                                                          \
    ROW(rows)                                                                                                          \
    ROW(train)
#define AF_COMPUTING_FILES_OF_STREAMS(ROW)                                                                             \
    ROW(check_streams)                                                                                                 \
    ROW(numpy)                                                                                                         \
    ROW(torch)

#define AF_LIBERTIES_PROTOTYPE(name) af_status af_liberties_##name(const volatile AF_REAL *v);
AF_COMPUTING_FILES(AF_LIBERTIES_PROTOTYPE)
AF_COMPUTING_FILES_OF_TRAINING(AF_LIBERTIES_PROTOTYPE)
AF_COMPUTING_FILES_OF_STREAMS(AF_LIBERTIES_PROTOTYPE)
#undef AF_LIBERTIES_PROTOTYPE
af_status af_liberties_numpy_normal(void); // in the real type of af_numpy_normal.c

#ifdef __cplusplus
}
#endif
#endif
