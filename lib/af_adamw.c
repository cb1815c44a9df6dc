// SPDX-License-Identifier: MIT
// AdamW.
#define AF_FILE_adamw 0, AF_OWN
#include "af_inner_elementwise.h"
#include "af_inner_liberties.h"

#if AF_TRAINING
void af_adamw_update(af_real *const p, af_real *const m, af_real *const v, const af_real *const d,
                     const struct af_adamw how, const af_real c1, const af_real c2, const size_t n) {
    af_adamw_loop(p, m, v, d, how, c1, c2, n);
}

bool af_adamw_check(const af_real *const p, const af_real *const m, const af_real *const v, const af_real *const d,
                    const af_real c1, const af_real c2, const size_t n) {
    return af_adamw_check_loop(p, m, v, d, c1, c2, n);
}

af_status af_liberties_adamw(const volatile af_real *const v) {
    return af_liberties(v);
}
#endif

#include "af_inner_export.h"
