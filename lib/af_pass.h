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
void af_batch_load(struct af_train *train, const struct af_sequence *sequence, size_t n_sequences,
                  enum af_extent extent);

/// Whether what af_batch_load() left in `train` for n_sequences sequences can be that still: rows and queries of each
/// sequence follow those of the one before and are no more than fit, positions and rows of queries are the only ones
/// that go with them, tokens and targets are in the vocabulary. Then no stage leaves its tensors. (A token or a target
/// that has become another one, or a sequence less, is not noticed.) Cost: some comparisons a row.
bool af_batch_check(const struct af_train *train, size_t n_sequences);

/// Runs forward stage `stage`, 0 to AF_BLOCKS + 1, for the n_sequences that are loaded; the last one leaves the logits.
/// Packed weights have to be up to date: af_pack_weights(). Neither numbers nor what is loaded are looked at here and
/// in the next two: a NaN goes on as af_ops.h says, and af_batch_check() is the caller's.
/// Returns AF_OK, or the code of af_float_check() if the mode of a thread on which it runs is wrong: what it computes is
/// unspecified then. Cost: a block is 2 (4 D D + 2 D F) operations a row and 4 D for each pair of query and key.
af_status af_pass_forward(const struct af_model *model, size_t n_sequences, size_t stage);

/// Where the gradient of the logits is, [n_queries][V]. With AF_RECOMPUTE it takes the place of the logits.
af_real *af_pass_d_logits(struct af_train *train);

/// Loss of the loaded micro-batch, after the last forward stage: overwrites loss and d_logits, and adds each query's
/// loss to *loss_sum, in the order of queries: not finite if logits, inverse_count or *loss_sum are not, or if a
/// probability is 0. Returns as af_pass_forward() does.
af_status af_pass_loss(const struct af_model *model, size_t n_sequences, af_real inverse_count, af_real *loss_sum);

/// Runs backward stage `stage`, 0 to AF_BLOCKS + 1 (output layer, blocks from the last to the first, embedding): adds
/// to model->grad. All forward stages and the loss come before it. Returns as af_pass_forward() does. Cost: twice the
/// forward stage.
af_status af_pass_backward(const struct af_model *model, size_t n_sequences, size_t stage);

/// Runs all forward stages on n_sequences sequences, at most AF_MICRO_BATCH, and leaves the activations that the
/// configuration keeps in the workspace; without AF_RECOMPUTE that is all of them. Not while a training step is open: a
/// micro-batch under way would be lost. Numbers are not looked at: a weight that is not finite shows in what is left.
/// Errors, with nothing written: those of af_sequence_check(), AF_ERR_COUNT, AF_ERR_NULL, AF_ERR_ALIGN; AF_ERR_ORDER while a step is
/// open or after a load that broke off; the codes of af_float_check() if the mode of this thread is wrong. They are also
/// returned if a worker's mode is wrong: the workspace is unspecified then.
af_status af_forward(const struct af_model *model, const struct af_sequence *sequence, size_t n_sequences,
                     enum af_extent extent);

#ifdef __cplusplus
}
#endif
#endif
#endif
