// SPDX-License-Identifier: MIT
/// Forward and backward through the whole model, for one micro-batch, stage by stage.
#ifndef AF_PASS_H
#define AF_PASS_H

#include "af_kernels.h"

#if AF_TRAINING

#ifdef __cplusplus
extern "C" {
#endif

/// One training example: n tokens and, for each position, the token that should come next, or AF_IGNORE.
struct af_sequence {
    const af_token *token;  // [n]
    const af_token *target; // [n]
    size_t n;               // 1 to AF_CONTEXT
};

/// Which positions of a sequence are computed (rows), and which of them as queries of the last block. AF_VISIBLE
/// computes what the loss can see:
///
///     configuration            rows                       queries of the last block
///     default                  up to the last target      first to last target
///     AF_CAUSAL=0              all                        first to last target
///     AF_SOFTMAX_QUERIES=1     all                        all
///     AF_PRUNED=0              all                        all
///
/// A sequence without targets has no rows, but for AF_PRUNED=0. AF_EVERY computes all rows and all queries, to look at
/// activations.
/// promise: unseen-changes-nothing
enum af_extent { AF_VISIBLE, AF_EVERY };

/// Stages of a pass: embedding, blocks, output layer with loss, blocks backward, embedding backward.
#define AF_N_STAGES (2 * AF_BLOCKS + 3)

/// Checks one sequence and counts its targets. Writes n_targets on success only. Errors: AF_ERR_NULL, AF_ERR_LENGTH,
/// AF_ERR_TOKEN, AF_ERR_TARGET.
af_status af_sequence_check(const struct af_sequence *sequence, uint32_t *n_targets);
// promise: bad-input-named

/// Takes up to AF_MICRO_BATCH checked sequences as the micro-batch: tokens, positions, targets and row numbers are
/// copied into `train`. A sequence without a target has no rows under AF_VISIBLE.
void af_pass_load(struct af_train *train, const struct af_sequence *sequence, size_t n_sequences,
                  enum af_extent extent);

/// True if `train` still holds what af_pass_load() can have left for n_sequences sequences: rows and queries of each
/// sequence follow those of the one before and fit, positions and rows of queries match them, tokens and targets are in
/// the vocabulary. Then no stage accesses memory outside its tensors. (A token or target that has become another valid
/// one, or a missing sequence, is not noticed.) Cost: some comparisons a row.
bool af_pass_check(const struct af_train *train, size_t n_sequences);

/// Runs forward stage `stage`, 0 to AF_BLOCKS + 1, for the n_sequences loaded; the last stage leaves the logits. Packed
/// weights SHALL be up to date: af_pack_weights(). This function and the next two check neither numbers (NaN propagates
/// as af_ops.h says) nor the loaded micro-batch (the caller calls af_pass_check()).
/// Returns AF_OK, or the code of af_float_check() if a thread that runs it is in a wrong mode; the results are then
/// unspecified. Cost: a block is 2 (4 D D + 2 D F) operations a row and 4 D for each pair of query and key.
af_status af_pass_forward(const struct af_model *model, size_t n_sequences, size_t stage);

/// Loss of the loaded micro-batch, after the last forward stage: overwrites loss and d_logits, and adds each query's
/// loss to *loss_sum in the order of queries. The sum is not finite if a logit, inverse_count or *loss_sum is not, or
/// if the probability of a target is 0. Returns as af_pass_forward() does.
af_status af_pass_loss(const struct af_model *model, size_t n_sequences, af_real inverse_count, af_real *loss_sum);

/// Runs backward stage `stage`, 0 to AF_BLOCKS + 1 (output layer, blocks from the last to the first, embedding): adds
/// to model->grad. All forward stages and the loss SHALL have run before it. Returns as af_pass_forward() does. Cost:
/// twice the forward stage.
af_status af_pass_backward(const struct af_model *model, size_t n_sequences, size_t stage);

/// Runs all forward stages on n_sequences sequences, at most AF_MICRO_BATCH, and leaves the activations that the
/// configuration keeps in the workspace: without AF_RECOMPUTE all of them. Refused while a training step is open, whose
/// micro-batch it would overwrite. Does not check numbers: a weight that is not finite shows in the activations.
/// Errors, with nothing written: those of af_sequence_check(), AF_ERR_COUNT, AF_ERR_NULL, AF_ERR_ALIGN; AF_ERR_ORDER
/// while a step is open or after a load that broke off; the codes of af_float_check() if this thread is in a wrong
/// mode. If a worker is, the same codes are returned, and the workspace is unspecified.
af_status af_forward(const struct af_model *model, const struct af_sequence *sequence, size_t n_sequences,
                     enum af_extent extent);

#ifdef __cplusplus
}
#endif
#endif
#endif
