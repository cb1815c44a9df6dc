// SPDX-License-Identifier: MIT
/// Inside lib/: where the regions of a model stand. Not for programs.
#ifndef AF_INNER_REGIONS_H
#define AF_INNER_REGIONS_H

#include "af_arena.h"

#ifdef __cplusplus
extern "C" {
#endif

/// AF_OK if every region of `model` that is not NULL is aligned as its type has to be, else AF_ERR_ALIGN. Functions
/// that take a model and return a status ask this. `model` SHALL NOT be NULL.
af_status af_regions_check(const struct af_model *model);

#ifdef __cplusplus
}
#endif
#endif
