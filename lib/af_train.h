// SPDX-License-Identifier: MIT
/// A training step, in three calls or in slices.
///
///     af_train_begin(&model, n_targets);                 clears the gradients
///     af_train_accumulate(&model, sequences, n);         as often as the step has sequences
///     af_train_end(&model, how, &loss);                  AdamW
///
/// A firmware that has other work to do between slices calls af_train_load() and af_train_slice() in place of
/// af_train_accumulate(), and af_train_update() in place of af_train_end(). The bits are the same for any slicing, any
/// micro-batch size and any distribution of the sequences over calls, as long as their order is the same.
/// promise: slices-same-bits
///
/// No function here is called from an interrupt, and an instance belongs to one thread at a time. Each returns
/// AF_ERR_NULL if a region is missing and AF_ERR_ALIGN if one is not aligned, with nothing changed.
#ifndef AF_TRAIN_H
#define AF_TRAIN_H

#include "af_pass.h"

#if AF_TRAINING

#ifdef __cplusplus
extern "C" {
#endif

/// Values of af_progress.phase.
enum af_train_phase {
    AF_TRAIN_IDLE,   // no step is open; 0, so that a cleared state is a valid one
    AF_TRAIN_OPEN,   // between begin and end, no micro-batch at hand
    AF_TRAIN_PASS,   // a micro-batch is on its way through the model
    AF_TRAIN_CHECK,  // the update looks at the gradients
    AF_TRAIN_UPDATE, // the update changes weights and moments
    AF_TRAIN_LOST    // a load broke off: weights and moments are no state of any run
};

/// Parameters that one slice of the update handles.
#define AF_UPDATE_SLICE 4096

/// Forgets all training so far: moments become 0, no step is open or was done. Weights stay, and so does the stream of
/// the training data, which a new run seeds. For a new run, and the first of all calls where the arena is not zero at
/// start-up: before af_checkpoint_load() or weights are drawn. Error: AF_ERR_NULL.
af_status af_train_reset(const struct af_model *model);
// promise: any-memory

/// Opens a step whose loss is the mean over n_targets targets, and clears the gradients.
/// Errors, with nothing changed: AF_ERR_NULL; AF_ERR_ORDER if a step is open or after a load that broke off
/// (AF_TRAIN_LOST); AF_ERR_COUNT if n_targets is 0;
/// AF_ERR_RANGE if the runner has no function or its workers are not 1 to AF_WORKERS; the codes of af_float_check() if
/// the processor's floating-point mode is wrong.
af_status af_train_begin(const struct af_model *model, uint32_t n_targets);
// promise: mode-looked-at, order-refused

/// Runs sequences forward and backward and adds to loss and gradients. All are checked before anything changes.
/// Errors, with nothing changed: AF_ERR_NULL; AF_ERR_ORDER if no step is open; those of af_sequence_check();
/// AF_ERR_COUNT if there are more targets than begin was told.
/// AF_ERR_NOT_FINITE: the loss is no longer finite. The step is closed, gradients are unspecified, weights and moments
/// are as before begin.
/// Cost: three times the multiplications and additions of forward; forward is 2 (4 D D + 2 D F) L a visible row.
af_status af_train_accumulate(const struct af_model *model, const struct af_sequence *sequence, size_t n_sequences);
// promise: not-finite-stops

/// af_train_accumulate() for at most AF_MICRO_BATCH sequences, without the work: it is left to af_train_slice(). The
/// sequences are copied. Errors as there; also AF_ERR_COUNT for more than AF_MICRO_BATCH sequences.
af_status af_train_load(const struct af_model *model, const struct af_sequence *sequence, size_t n_sequences);
// promise: bad-input-named

/// Does the next slice: the loaded sequences through one block, forward or backward (or through embedding or output
/// layer). Returns AF_MORE until the micro-batch is done, then AF_OK. Errors: AF_ERR_NULL, AF_ERR_ORDER,
/// AF_ERR_NOT_FINITE as above.
af_status af_train_slice(const struct af_model *model);

/// Closes the step: looks whether all gradients are finite, then applies AdamW to every parameter. `loss` (may be NULL)
/// gets the mean loss. Errors: AF_ERR_NULL; AF_ERR_ORDER if no step is open or a micro-batch is under way; AF_ERR_COUNT
/// if fewer targets came than begin was told; AF_ERR_RANGE if a setting is negative or not finite: nothing is changed.
/// AF_ERR_NOT_FINITE: the step is closed, weights and moments are as before begin; loss is not written.
/// Cost: about 12 operations, a square root and two divisions a parameter.
af_status af_train_end(const struct af_model *model, struct af_adamw how, af_real *loss);
// promise: loss-is-mean

/// af_train_end() in slices of AF_UPDATE_SLICE parameters: returns AF_MORE until all is done. `how` counts in the first
/// call. Once an update has begun, only af_train_update() may follow.
af_status af_train_update(const struct af_model *model, struct af_adamw how, af_real *loss);

/// Closes an open step without an update: weights and moments are as before begin. AF_ERR_ORDER once the update has
/// begun to change weights, or after a load that broke off; AF_ERR_NULL. AF_OK if no step was open.
af_status af_train_abandon(const struct af_model *model);
// promise: abandoned-step-leaves-no-trace

#ifdef __cplusplus
}
#endif
#endif
#endif
