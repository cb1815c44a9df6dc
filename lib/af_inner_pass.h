// SPDX-License-Identifier: MIT
/// Inside lib/: the micro-batch at hand, and the stages of a pass through the model. Not for programs: they have
/// af_train.h and af_pass.h.
#ifndef AF_INNER_PASS_H
#define AF_INNER_PASS_H

#include "af_pass.h"

#if AF_TRAINING

#ifdef __cplusplus
extern "C" {
#endif

/// Takes up to AF_MICRO_BATCH checked sequences as the micro-batch: tokens, positions, targets and row numbers are
/// copied into `train`. A sequence without a target has no rows under AF_VISIBLE.
void af_batch_load(struct af_train *train, const struct af_sequence *sequence, size_t n_sequences,
                   enum af_extent extent);

/// True if `train` still holds what af_batch_load() can have left for n_sequences sequences: rows and queries of each
/// sequence follow those of the one before and fit, positions and rows of queries match them, tokens and targets are in
/// the vocabulary. Then no stage accesses memory outside its tensors. (A token or target that has become another valid
/// one, or a missing sequence, is not noticed.) Cost: some comparisons a row.
bool af_batch_check(const struct af_train *train, size_t n_sequences);

/// Runs forward stage `stage`, 0 to AF_N_STAGES_FORWARD - 1, for the n_sequences loaded; the last stage leaves the
/// logits. Packed weights SHALL be up to date: af_pack_weights(). This function, the loss and backward check neither
/// numbers (NaN propagates as af_ops.h says) nor the loaded micro-batch (the caller calls af_batch_check()).
/// Returns AF_OK, or the code of af_float_check() if a thread that runs it is in a wrong mode; the results are then
/// unspecified. Cost: a block is 2 (4 D D + 2 D F) operations a row and 4 D for each pair of query and key.
af_status af_pass_forward(const struct af_model *model, size_t n_sequences, size_t stage);

/// Where the gradient of the logits goes, [n_queries][V]. With AF_RECOMPUTE it overwrites the logits.
af_real *af_pass_d_logits(struct af_train *train);

/// Loss of the loaded micro-batch, after the last forward stage: overwrites loss and d_logits, and adds each query's
/// loss to *loss_sum in the order of queries. The sum is not finite if a logit, inverse_count or *loss_sum is not, or
/// if the probability of a target is 0. Returns as af_pass_forward() does.
af_status af_pass_loss(const struct af_model *model, size_t n_sequences, af_real inverse_count, af_real *loss_sum);

/// Runs backward stage `stage`, 0 to AF_BLOCKS + 1 (output layer, blocks from the last to the first, embedding): adds
/// to model->grad. All forward stages and the gradient of the logits SHALL come before it. Returns as af_pass_forward()
/// does. Cost: twice the forward stage.
af_status af_pass_backward(const struct af_model *model, size_t n_sequences, size_t stage);

#ifdef __cplusplus
}
#endif
#endif
#endif
