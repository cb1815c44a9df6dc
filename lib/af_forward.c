// SPDX-License-Identifier: MIT
// Forward in one call.
#define AF_FILE_forward 0, AF_OWN
#include "af_check.h"
#include "af_inner_pass.h"
#include "af_inner_regions.h"
#include "af_reader.h"

#if AF_TRAINING

static bool has_regions(const struct af_model *const model) {
    return model != NULL && model->weight != NULL && model->state != NULL && model->work != NULL;
}

/// What is wrong with the first of the sequences that is no sequence, or AF_OK.
static af_status sequences_check(const struct af_sequence *const sequence, const size_t n_sequences) {
    af_status status = AF_OK;
    for (size_t s = 0; s < n_sequences && status == AF_OK; s++) {
        uint32_t n_targets = 0;
        status = af_sequence_check(&sequence[s], &n_targets);
    }
    return status;
}

/// All forward stages. AF_OK, or what is wrong with the mode of a thread.
static af_status forward_all(const struct af_model *const model, const size_t n_sequences) {
    af_status mode = af_pack_weights(model);
    for (size_t stage = 0; stage < AF_N_STAGES_FORWARD && mode == AF_OK; stage++) {
        mode = af_pass_forward(model, n_sequences, stage);
    }
    return mode;
}

af_status af_forward(const struct af_model *const model, const struct af_sequence *const sequence,
                     const size_t n_sequences, const enum af_extent extent) {
    if (!has_regions(model) || sequence == NULL) {
        return AF_ERR_NULL;
    }
#if AF_PACKED
    if (model->packed == NULL) {
        return AF_ERR_NULL;
    }
#endif
    if (af_regions_check(model) != AF_OK) {
        return AF_ERR_ALIGN;
    }
    if (model->state->progress[0].phase != 0) {
        return AF_ERR_ORDER;
    }
    if (n_sequences > AF_MICRO_BATCH) {
        return AF_ERR_COUNT;
    }
    af_status status = sequences_check(sequence, n_sequences);
    if (status == AF_OK) {
        status = af_float_check();
    }
    if (status == AF_OK) {
        af_batch_load(&model->work->train, sequence, n_sequences, extent);
        status = forward_all(model, n_sequences);
    }
    return status;
}

#endif

#include "af_inner_export.h"
