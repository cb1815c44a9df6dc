// SPDX-License-Identifier: MIT
// AdamW.
#define AF_FILE_adamw 0, AF_OWN
#include "af_elementwise.h"

#if AF_TRAINING
void af_adamw_update(af_real *const p, af_real *const m, af_real *const v, const af_real *const d,
                     const struct af_adamw how, const af_real c1, const af_real c2, const size_t n) {
    af_adamw_loop(p, m, v, d, how, c1, c2, n);
}
#endif

#include "af_export.h"
