// SPDX-License-Identifier: MIT
/// Read before a source by the compiler (-include): its roots and logarithms are wrong if the environment's FLIP is
/// "math". The functions are inline, so that the linker cannot put others in their place (see flips.c).
#ifndef FLIP_MATH_H
#define FLIP_MATH_H

#include "af_math.h"

#include <stdlib.h>
#include <string.h>

static inline af_real flip_math(const af_real number) {
    const char *const flip = getenv("FLIP");
    return flip != NULL && strcmp(flip, "math") == 0 ? number * AF_R(1.1) : number;
}

static inline af_real flipped_sqrt(const af_real x) {
    return flip_math(af_sqrt(x));
}

static inline af_real flipped_log(const af_real x) {
    return flip_math(af_log(x));
}

#define af_sqrt flipped_sqrt
#define af_log  flipped_log

#endif
