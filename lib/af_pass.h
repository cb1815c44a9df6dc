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

/// Stages of a pass: embedding, blocks, output layer; from there AF_N_STAGES_FORWARD; then loss and output layer backward,
/// blocks backward, embedding backward.
#define AF_N_STAGES_FORWARD (AF_BLOCKS + 2)
#define AF_N_STAGES         (2 * AF_N_STAGES_FORWARD)

/// Checks one sequence and counts its targets. Writes n_targets on success only. Errors: AF_ERR_NULL, AF_ERR_LENGTH,
/// AF_ERR_TOKEN, AF_ERR_TARGET.
af_status af_sequence_check(const struct af_sequence *sequence, uint32_t *n_targets);
// promise: bad-input-named

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
