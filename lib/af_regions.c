// SPDX-License-Identifier: MIT
// Whether the regions of a model stand where they may.
#define AF_FILE_regions 0, AF_OWN
#include "af_arena.h"

static bool is_aligned(const void *const region) {
    return ((uintptr_t)region & (AF_ALIGN - 1)) == 0; // NULL is
}

af_status af_regions_check(const struct af_model *const model) {
    bool all = true;
#define AF_REGION(type, name, live, text) all = all && is_aligned(model->name);
#include "af_tensors.def"
    return all ? AF_OK : AF_ERR_ALIGN;
}

#include "af_export.h"
