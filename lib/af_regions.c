// SPDX-License-Identifier: MIT
// Whether the regions of a model are aligned for their types.
#define AF_FILE_regions 0, AF_OWN
#include "af_arena.h"
#include "af_inner_regions.h"

// The offset of a member behind a char is the alignment of its type.
#define AF_REGION(type, name, live, text)                                                                              \
    struct aligned_##name {                                                                                            \
        char first;                                                                                                    \
        type region;                                                                                                   \
    };
#include "af_tensors.def"

af_status af_regions_check(const struct af_model *const model) {
    uintptr_t wrong_bits = 0; // NULL has none
#define AF_REGION(type, name, live, text)                                                                              \
    wrong_bits |= (uintptr_t)model->name & (offsetof(struct aligned_##name, region) - 1);
#include "af_tensors.def"
    return wrong_bits == 0 ? AF_OK : AF_ERR_ALIGN;
}

#include "af_inner_export.h"
