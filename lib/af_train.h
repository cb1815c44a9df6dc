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
/// Order of start-up, whatever the arena holds:
///
///     af_selftest();                                     does this machine compute as promised?
///     af_train_reset(&model);                            moments 0, step 0, no step open
///     af_checkpoint_load(&model, &info, &storage);       or else: af_init_weights(), af_numpy_seed() of the data's
///                                                        stream
///
/// Without af_train_reset(), memory that a start-up does not clear (.noinit, a warm start) goes on from the moments and
/// the step of the run before, with AF_OK: it looks like a run that goes on, and no check can tell the two apart. In
/// memory that holds anything else, af_train_begin() most likely says AF_ERR_ORDER or AF_ERR_DAMAGED, and the update
/// AF_ERR_NOT_FINITE; that is no promise. Memory that is 0 is as after af_train_reset().
/// promise: reset-makes-new
///
/// Numbers. What is not a number, or would make weights that are none, is not trained on: a loss that is infinite or
/// NaN ends the pass that has it, and one look at all weights, gradients and moments precedes the first change of an
/// update (af_adamw_check()). Each is AF_ERR_NOT_FINITE with weights and moments as before the step. Numbers that are
/// merely wrong are not noticed, nor are those that change after that look, while the update goes on.
/// promise: not-finite-stops, update-keeps-numbers
///
/// Memory. Between calls, a step keeps in `state` and `work` what it uses as size, index or factor: phase, stage,
/// cursor, counts, settings, bias corrections, rows, positions, tokens, targets. Each slice looks whether they can be
/// what was left there, so that damage leads to AF_ERR_DAMAGED or AF_ERR_ORDER, or to a wrong number, but never outside
/// the regions.
/// promise: flipped-bits-stay-inside
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

/// Values of af_progress.phase. Any two differ in at least two bits, so one flipped bit makes a phase that every call
/// refuses (AF_ERR_ORDER) but af_train_reset().
enum af_train_phase {
    AF_TRAIN_IDLE = 0,   // no step is open; 0, so that a cleared state is a valid one
    AF_TRAIN_OPEN = 3,   // between begin and end, no micro-batch at hand
    AF_TRAIN_PASS = 5,   // a micro-batch is on its way through the model
    AF_TRAIN_CHECK = 6,  // the update looks at weights, gradients and moments
    AF_TRAIN_UPDATE = 9, // the update changes weights and moments
    AF_TRAIN_LOST = 10   // a load or an update broke off: weights and moments are no state of any run
};

/// Parameters that one slice of the update handles.
#define AF_UPDATE_SLICE 4096

/// Forgets all training so far: moments become 0, no step is open or was done. Weights stay, and so does the stream of
/// the training data, which a new run seeds. For a new run, and the first of all calls where the arena is not zero at
/// start-up: before af_checkpoint_load() or weights are drawn. Error: AF_ERR_NULL.
af_status af_train_reset(const struct af_model *model);
// promise: any-memory

/// Opens a step whose loss is the mean over n_targets targets, and clears the gradients.
/// Errors, with nothing changed: AF_ERR_NULL; AF_ERR_ORDER if a step is open or after a load or an update that broke
/// off (AF_TRAIN_LOST); AF_ERR_COUNT if n_targets is 0; AF_ERR_DAMAGED if step and bias corrections do not go together;
/// AF_ERR_RANGE if the runner has no function or its workers are not 1 to AF_WORKERS; the codes of af_float_check() if
/// the floating-point mode of this thread is wrong. They are also returned if a worker's is: gradients are unspecified
/// then.
af_status af_train_begin(const struct af_model *model, uint32_t n_targets);
// promise: mode-looked-at, order-refused

/// Runs sequences forward and backward and adds to loss and gradients. All are checked before anything changes.
/// Errors, with nothing changed: AF_ERR_NULL; AF_ERR_ORDER if no step is open; those of af_sequence_check();
/// AF_ERR_COUNT if there are more targets than begin was told.
/// AF_ERR_NOT_FINITE: the loss is no longer finite; AF_ERR_DAMAGED: what a slice finds is not what was left for it; the
/// codes of af_float_check(): the floating-point mode of this thread or of a worker is wrong, which is looked at before
/// every piece. The step is closed, gradients are unspecified, weights and moments are as before begin.
/// Cost: three times the multiplications and additions of forward; forward is 2 (4 D D + 2 D F) L a visible row.
af_status af_train_accumulate(const struct af_model *model, const struct af_sequence *sequence, size_t n_sequences);
// promise: not-finite-stops

/// af_train_accumulate() for at most AF_MICRO_BATCH sequences, without the work: it is left to af_train_slice(). The
/// sequences are copied. Errors as there; also AF_ERR_COUNT for more than AF_MICRO_BATCH sequences.
af_status af_train_load(const struct af_model *model, const struct af_sequence *sequence, size_t n_sequences);
// promise: bad-input-named

/// Does the next slice: the loaded sequences through one block, forward or backward (or through embedding or output
/// layer). Returns AF_MORE until the micro-batch is done, then AF_OK. Errors: AF_ERR_NULL, AF_ERR_ORDER,
/// AF_ERR_NOT_FINITE, AF_ERR_DAMAGED and the codes of af_float_check() as above.
af_status af_train_slice(const struct af_model *model);

/// The logits of the queries at hand, in the order of sequences and positions. Of each sequence those from its first
/// target to its last are here.
struct af_logits {
    size_t n;               // queries
    const af_token *target; // [n] what the sequence has there, AF_IGNORE where it has none
    const af_real *logits;  // [n][V]
    af_real *d_logits;      // [n][V] where their gradient goes; with AF_RECOMPUTE the same array as `logits`
};

/// A loss of one's own, in place of the cross entropy: after af_train_load(),
///
///     af_train_forward(&model, &l);                      runs the slices up to the logits, as far as they are left
///     ...                                                the program writes all of l.d_logits
///     af_train_take(&model, loss, n_targets);            adds to the loss, and begins backward
///
/// and af_train_slice() goes on while it returns AF_MORE. A target of a sequence says here that the loss looks at that
/// position, whatever the token. Gradients are taken as they are: the 1 / n_targets of the mean belongs into them.
/// Writes *logits on AF_OK only. Errors: those of af_train_slice(); AF_ERR_NULL, AF_ERR_ORDER if the loss of this
/// micro-batch has been taken already.
af_status af_train_forward(const struct af_model *model, struct af_logits *logits);

/// Takes l.d_logits as the gradient, adds `loss`, the sum over n_targets targets of the step's n_targets, and runs the
/// output layer backward. The n_targets count in place of those of the loaded sequences. Returns AF_MORE. Errors: those
/// of af_train_slice(), of them AF_ERR_NOT_FINITE for the sum of losses; with nothing changed AF_ERR_ORDER before
/// af_train_forward() or after the loss was taken, AF_ERR_COUNT if the step has fewer targets left.
af_status af_train_take(const struct af_model *model, af_real loss, uint32_t n_targets);
// promise: own-loss

/// Closes the step: looks whether the update keeps every number one, then applies AdamW to every parameter. `loss` (may
/// be NULL) gets the mean loss, which is finite.
/// Errors, with nothing changed: AF_ERR_NULL; AF_ERR_ORDER if no step is open or a micro-batch is under way;
/// AF_ERR_COUNT if fewer targets came than begin was told; AF_ERR_RANGE if a setting is negative or not finite, the
/// rate above AF_RATE_MAX, or rate times decay above 1.
/// Errors that close the step, with weights and moments as before begin and loss not written: AF_ERR_NOT_FINITE if
/// af_adamw_check() says no: a weight, gradient or moment is infinite or NaN, a second moment has a sign, the square of
/// a gradient overflows, or moments would change a weight by more than AF_STEP_MAX rates; AF_ERR_DAMAGED if cursor,
/// counts, settings or corrections cannot be what was left. AF_ERR_DAMAGED once weights have begun to change:
/// AF_TRAIN_LOST, as after a load that broke off.
/// The codes of af_float_check(), with the step open as it was, if the floating-point mode of this thread is wrong: set
/// it right and call again. If a worker's is wrong, the step is closed as above; only if a worker's mode changes once
/// weights have begun to change, the state is lost as after a load that broke off.
/// Cost: about 32 operations, a square root and two divisions a parameter.
af_status af_train_end(const struct af_model *model, struct af_adamw how, af_real *loss);
// promise: loss-is-mean

/// af_train_end() in slices of AF_UPDATE_SLICE parameters: returns AF_MORE until all is done. `how` counts in the first
/// call. A first round of slices looks at all parameters and changes nothing, a second one changes them: errors as
/// there, whatever the slicing. Once an update has begun, only af_train_update() and af_train_end() may follow, and
/// while it looks, af_train_abandon().
af_status af_train_update(const struct af_model *model, struct af_adamw how, af_real *loss);

/// Closes an open step without an update: weights and moments are as before begin. AF_ERR_ORDER once the update has
/// begun to change weights, or after a load or an update that broke off; AF_ERR_NULL. AF_OK if no step was open.
af_status af_train_abandon(const struct af_model *model);
// promise: abandoned-step-leaves-no-trace

#ifdef __cplusplus
}
#endif
#endif
#endif
