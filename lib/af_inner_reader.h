// SPDX-License-Identifier: MIT
/// Inside lib/: what a reader computes with. Not for programs.
#ifndef AF_INNER_READER_H
#define AF_INNER_READER_H

#include "af_reader.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A linear layer of the model, and the kernels of a reader.
enum af_layer_name { AF_LAYER_Q, AF_LAYER_KV, AF_LAYER_OUT, AF_LAYER_FF1, AF_LAYER_FF2, AF_LAYER_HEAD };
struct af_layer af_layer_of(const struct af_reader *reader, enum af_layer_name name, size_t block);
const struct af_kernels *af_kernels_of(const struct af_reader *reader);

#ifdef __cplusplus
}
#endif
#endif
