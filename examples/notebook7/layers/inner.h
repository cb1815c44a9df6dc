// SPDX-License-Identifier: MIT
/// What the files of this folder share. Each that computes answers for the options that it was compiled with, as those of
/// lib/ do (af_inner_liberties.h): n7_liberties_NAME(). n7_selftest() asks all of them.
#ifndef INNER_H
#define INNER_H

#include "af_inner_liberties.h"

#define N7_COMPUTING_FILES(ROW)                                                                                        \
    ROW(head)                                                                                                          \
    ROW(matmul)                                                                                                        \
    ROW(norm)                                                                                                          \
    ROW(position)                                                                                                      \
    ROW(postnorm)                                                                                                      \
    ROW(relu)                                                                                                          \
    ROW(rnn)

#define N7_LIBERTIES_PROTOTYPE(name) af_status n7_liberties_##name(const volatile af_real *v);
N7_COMPUTING_FILES(N7_LIBERTIES_PROTOTYPE)
#undef N7_LIBERTIES_PROTOTYPE

static inline void n7_clear(af_real *const x, const size_t n) {
    for (size_t i = 0; i < n; i++) {
        x[i] = 0;
    }
}

#endif
