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

/// What is computed of a sequence.
/// promise: unseen-changes-nothing
enum af_extent {
    AF_VISIBLE, // what the loss can see: positions up to the last target; in the last block, queries from the first.
                // Without AF_CAUSAL all positions, in the last block queries from the first target to the last; with
                // AF_SOFTMAX_QUERIES all queries. Nothing of a sequence without targets.
                // Without AF_PRUNED the same as AF_EVERY.
    AF_EVERY    // every position and every query, for looking at activations
};

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

/// Runs forward stage `stage`, 0 to AF_BLOCKS + 1, for the n_sequences that are loaded; the last one leaves the logits.
/// Packed weights have to be up to date: af_pack_weights(). Cost: a block is 2 (4 D D + 2 D F) operations a row and
/// 4 D for each pair of query and key.
void af_pass_forward(const struct af_model *model, size_t n_sequences, size_t stage);

/// Loss of the loaded micro-batch, after the last forward stage: overwrites loss and d_logits, returns loss_sum plus
/// each query's loss, added in the order of queries.
af_real af_pass_loss(const struct af_model *model, size_t n_sequences, af_real inverse_count, af_real loss_sum);

/// Runs backward stage `stage`, 0 to AF_BLOCKS + 1 (output layer, blocks from the last to the first, embedding): adds
/// to model->grad. All forward stages and the loss come before it. Cost: twice the forward stage.
void af_pass_backward(const struct af_model *model, size_t n_sequences, size_t stage);

/// Runs all forward stages on n_sequences sequences, at most AF_MICRO_BATCH, and leaves the activations that the
/// configuration keeps in the workspace; without AF_RECOMPUTE that is all of them. Not while a training step is open: a
/// micro-batch under way would be lost.
/// Errors, with nothing written: those of af_sequence_check(), AF_ERR_COUNT, AF_ERR_NULL, AF_ERR_ALIGN; AF_ERR_ORDER
/// while a step is open or after a load that broke off.
af_status af_forward(const struct af_model *model, const struct af_sequence *sequence, size_t n_sequences,
                     enum af_extent extent);

#ifdef __cplusplus
}
#endif
#endif
#endif
