// SPDX-License-Identifier: MIT
/// Readers: the weights of a model, possibly in flash, and how to compute with them.
#ifndef AF_READER_H
#define AF_READER_H

#include "af_kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

struct af_progress;

/// What it points to is only read. {&weights, NULL, NULL, NULL} computes with plain loops on weights that nothing
/// trains. With `progress`, decoding refuses weights in the middle of an update, packed weights of an earlier step, and
/// a cache of an earlier step. Without it, and for weights that the program itself writes, the program has to keep
/// track.
struct af_reader {
    const struct af_weights *weight;
    const struct af_packed *packed;     // NULL if the kernels do not need it
    const struct af_kernels *kernels;   // NULL: the plain loops
    const struct af_progress *progress; // where the training of these weights stands; NULL: nobody trains them
};

/// The weights of a model as a reader, with the model's progress where it has one.
struct af_reader af_reader_of(const struct af_model *model);

/// Packs the model's weights if its kernels need that. af_train_begin(), af_forward() and af_decode_open() call it. A
/// program that reads packed weights in another way calls it after every change of the weights, also by af_train_end().
/// Decoding refuses packed weights that are older than a training step, but cannot notice what the program has written.
/// Copies numbers as they are. Does nothing without AF_PACKED, and for the plain loops. Returns AF_OK, or the code of
/// af_float_check() if a thread that runs it is in a wrong mode; packed weights are then unspecified. Cost: a pass over
/// the weights.
af_status af_pack_weights(const struct af_model *model);

#ifdef __cplusplus
}
#endif
#endif
