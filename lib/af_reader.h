// SPDX-License-Identifier: MIT
/// What reading a model takes: weights, in flash if you like, and how to compute with them.
#ifndef AF_READER_H
#define AF_READER_H

#include "af_kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

struct af_progress;

/// Everything in it is only read. {&weights, NULL, NULL, NULL}: plain loops on weights as they are stored, which nobody
/// trains. `progress` is how decoding learns that weights change: with it, it refuses weights in the middle of an
/// update, packed weights of an earlier step, and a cache of an earlier step. Without it, and where the program itself
/// writes weights, that is the program's to know.
struct af_reader {
    const struct af_weights *weight;
    const struct af_packed *packed;     // NULL if the kernels do not need it
    const struct af_kernels *kernels;   // NULL: the plain loops
    const struct af_progress *progress; // where the training of these weights stands; NULL: nobody trains them
};

/// The weights of a model as a reader, with the model's progress where it has one.
struct af_reader af_reader_of(const struct af_model *model);

/// Packs the model's weights, if its kernels need that. af_train_begin(), af_forward() and af_decode_open() do it by
/// themselves. Whoever reads in another way calls it once weights have changed, be it by af_train_end(); decoding
/// refuses packed weights that training has left behind, but does not know what the program itself has written. Numbers
/// are copied as they are. Without AF_PACKED, and for the plain loops, it does nothing. Returns AF_OK, or the code of
/// af_float_check() if the mode of a thread on which it runs is wrong: packed weights are unspecified then. Cost: a pass
/// over the weights.
af_status af_pack_weights(const struct af_model *model);

#ifdef __cplusplus
}
#endif
#endif
