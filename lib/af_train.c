// SPDX-License-Identifier: MIT
// The training step: what may come next, checks before anything changes, slices.
#define AF_FILE_train 0, AF_OWN
#include "af_check.h"
#include "af_crc32c.h"
#include "af_inner_kernels.h"
#include "af_inner_liberties.h"
#include "af_inner_pass.h"
#include "af_inner_reader.h"
#include "af_inner_regions.h"
#include "af_math.h"
#include "af_reader.h"
#include "af_train.h"

#if AF_TRAINING

/// AF_OK if every region of the model is there and aligned.
static af_status check_regions(const struct af_model *const model) {
    if (model == NULL || model->weight == NULL || model->grad == NULL || model->adam_m == NULL ||
        model->adam_v == NULL || model->state == NULL || model->work == NULL) {
        return AF_ERR_NULL;
    }
#if AF_PACKED
    if (model->packed == NULL) {
        return AF_ERR_NULL;
    }
#endif
    return af_regions_check(model);
}

// What touches every parameter is done in pieces of AF_UPDATE_SLICE parameters.
#define AFI_N_SLICES ((AF_N_PARAMS + AF_UPDATE_SLICE - 1) / AF_UPDATE_SLICE)

static size_t slice_size(const size_t slice) {
    const size_t from = slice * AF_UPDATE_SLICE;
    return AF_N_PARAMS - from < AF_UPDATE_SLICE ? AF_N_PARAMS - from : AF_UPDATE_SLICE;
}

/// Clears slice `slice` of the plane `work`.
static void clear_slice(void *const work, const size_t slice, const size_t worker) {
    union af_plane *const plane = (union af_plane *)work;
    (void)worker;
    for (size_t i = 0; i < slice_size(slice); i++) {
        plane->flat[slice * AF_UPDATE_SLICE + i] = 0;
    }
}

af_status af_train_reset(const struct af_model *const model) {
    const af_status status = check_regions(model);
    if (status != AF_OK) {
        return status;
    }
    struct af_progress *const p = &model->state->progress[0];
    static const struct af_progress start = {0}; // AF_TRAIN_IDLE
    const uint64_t run = p->run;
    for (size_t slice = 0; slice < AFI_N_SLICES; slice++) {
        clear_slice(model->adam_m, slice, 0);
        clear_slice(model->adam_v, slice, 0);
    }
    *p = start;
    p->run = run + 1U;
    return AF_OK;
}

// ---------------------------------------------------------------------------------------------------------- damage

// What a step leaves in `state` and `work` for the next call may be other bits by then. Whatever is used as a size, as
// an index or as a factor of the weights is looked at before it is: an error, not an access outside or a lost weight.

/// Whether c can be 1 - beta^step. It is 0, then `rest`, 1 - beta, and grows towards 1, which rounding may pass by a
/// few units.
static bool is_correction(const af_real c, const af_real rest, const uint32_t step) {
    return step == 0 ? af_bits_of(c) == 0 : c >= rest && c < AF_R(1.001);
}

static bool has_corrections(const struct af_progress *const p) {
    return is_correction(p->correction1, AF_R(AF_ADAMW_BETA1_REST), p->step) &&
           is_correction(p->correction2, AF_R(AF_ADAMW_BETA2_REST), p->step);
}

/// Whether settings are what af_ops.h says. False for a NaN.
static bool is_setting(const struct af_adamw how) {
    return how.learning_rate >= 0 && how.learning_rate <= AF_R(AF_RATE_MAX) && how.weight_decay >= 0 &&
           how.learning_rate * how.weight_decay <= AF_R(1); // nor for an infinite decay: 0 times that is NaN
}

static af_real inverse_of(const uint32_t n_targets) {
    return AF_R(1) / (af_real)n_targets;
}

/// Whether the pass at hand can be what af_train_load() and the slices so far have left.
static bool is_pass_sound(const struct af_progress *const p, const struct af_train *const train) {
    return p->stage < AF_N_STAGES && p->n_taken <= p->n_targets &&
           af_bits_of(p->inverse_count) == af_bits_of(inverse_of(p->n_targets)) &&
           af_batch_check(train, p->n_sequences);
}

/// The same of an update.
static bool is_update_sound(const struct af_progress *const p) {
    const struct af_adamw how = {p->learning_rate, p->weight_decay};
    return p->cursor % AF_UPDATE_SLICE == 0 && p->cursor < AF_N_PARAMS && p->n_taken == p->n_targets &&
           is_setting(how) && has_corrections(p) && af_finite(&p->loss_sum, 1);
}

// ----------------------------------------------------------------------------------------------------------- begin

/// Clears the gradients and packs the weights. AF_OK, or what is wrong with the mode of a thread; if it is this one's,
/// before anything has changed.
static af_status prepare(const struct af_model *const model) {
    af_status mode = af_float_check();
    if (mode == AF_OK) {
        mode = af_run(model->runner, clear_slice, model->grad, AFI_N_SLICES);
    }
    return mode == AF_OK ? af_pack_weights(model) : mode;
}

af_status af_train_begin(const struct af_model *const model, const uint32_t n_targets) {
    const af_status status = check_regions(model);
    if (status != AF_OK) {
        return status;
    }
    struct af_progress *const p = &model->state->progress[0];
    if (p->phase != AF_TRAIN_IDLE) {
        return AF_ERR_ORDER;
    }
    if (n_targets == 0) {
        return AF_ERR_COUNT;
    }
    if (!has_corrections(p)) {
        return AF_ERR_DAMAGED;
    }
    const struct af_runner *const runner = model->runner;
    if (runner != NULL && (runner->run == NULL || runner->n_workers < 1 || runner->n_workers > AF_WORKERS)) {
        return AF_ERR_RANGE;
    }
    const af_status mode = prepare(model);
    if (mode != AF_OK) {
        return mode;
    }
    p->loss_sum = 0;
    p->inverse_count = inverse_of(n_targets);
    p->n_targets = n_targets;
    p->n_taken = 0;
    p->phase = AF_TRAIN_OPEN;
    return AF_OK;
}

// ------------------------------------------------------------------------------------------------------ accumulate

/// Checks the model, and n_sequences sequences, at most n_most, against the open step; counts their targets, where
/// n_targets is not NULL.
static af_status check(const struct af_model *const model, const struct af_sequence *const sequence,
                       const size_t n_sequences, const size_t n_most, uint32_t *const n_targets) {
    const af_status regions = check_regions(model);
    if (regions != AF_OK) {
        return regions;
    }
    const struct af_progress *const p = &model->state->progress[0];
    if (p->phase != AF_TRAIN_OPEN) {
        return AF_ERR_ORDER;
    }
    if (n_sequences > n_most) {
        return AF_ERR_COUNT; // before any of them is read
    }
    if (sequence == NULL) {
        return AF_ERR_NULL;
    }
    uint32_t total = 0;
    for (size_t s = 0; s < n_sequences; s++) {
        uint32_t count = 0;
        const af_status status = af_sequence_check(&sequence[s], &count);
        if (status != AF_OK) {
            return status;
        }
        if (count > p->n_targets - p->n_taken - total) {
            return AF_ERR_COUNT;
        }
        total += count;
    }
    if (n_targets != NULL) {
        *n_targets = total;
    }
    return AF_OK;
}

/// Takes a checked micro-batch with n_targets targets.
static void load(const struct af_model *const model, struct af_progress *const p,
                 const struct af_sequence *const sequence, const size_t n_sequences, const uint32_t n_targets) {
    af_batch_load(&model->work->train, sequence, n_sequences, AF_VISIBLE);
    p->n_taken += n_targets;
    p->n_sequences = (uint16_t)n_sequences;
    p->stage = 0;
    p->phase = AF_TRAIN_PASS;
}

af_status af_train_load(const struct af_model *const model, const struct af_sequence *const sequence,
                        const size_t n_sequences) {
    uint32_t n_targets = 0;
    const af_status status = check(model, sequence, n_sequences, AF_MICRO_BATCH, &n_targets);
    if (status != AF_OK) {
        return status;
    }
    load(model, &model->state->progress[0], sequence, n_sequences, n_targets);
    return AF_OK;
}

/// Whether a slice of the pass may run. A pass that is damaged is closed.
static af_status check_pass(const struct af_model *const model) {
    const af_status status = check_regions(model);
    if (status != AF_OK) {
        return status;
    }
    struct af_progress *const p = &model->state->progress[0];
    if (p->phase != AF_TRAIN_PASS) {
        return AF_ERR_ORDER;
    }
    if (!is_pass_sound(p, &model->work->train)) {
        p->phase = AF_TRAIN_IDLE;
        return AF_ERR_DAMAGED;
    }
    return AF_OK;
}

/// Ends a slice whose stage said `status`: AF_MORE, AF_OK after the last stage, or the error, which closes the step.
static af_status end_slice(struct af_progress *const p, const af_status status) {
    if (status != AF_OK) {
        p->phase = AF_TRAIN_IDLE;
        return status;
    }
    p->stage++;
    if (p->stage < AF_N_STAGES) {
        return AF_MORE;
    }
    p->phase = AF_TRAIN_OPEN;
    return AF_OK;
}

/// The loss of the micro-batch, and its gradient.
static af_status add_loss(const struct af_model *const model, struct af_progress *const p) {
    const af_status mode = af_pass_loss(model, p->n_sequences, p->inverse_count, &p->loss_sum);
    if (mode == AF_OK && !af_finite(&p->loss_sum, 1)) {
        return AF_ERR_NOT_FINITE;
    }
    return mode;
}

af_status af_train_slice(const struct af_model *const model) {
    af_status status = check_pass(model);
    if (status != AF_OK) {
        return status;
    }
    struct af_progress *const p = &model->state->progress[0];
    if (p->stage < AF_N_STAGES_FORWARD) {
        return end_slice(p, af_pass_forward(model, p->n_sequences, p->stage));
    }
    if (p->stage == AF_N_STAGES_FORWARD) {
        status = add_loss(model, p);
    }
    if (status == AF_OK) {
        status = af_pass_backward(model, p->n_sequences, p->stage - (size_t)AF_N_STAGES_FORWARD);
    }
    return end_slice(p, status);
}

af_status af_train_accumulate(const struct af_model *const model, const struct af_sequence *const sequence,
                              const size_t n_sequences) {
    af_status status = check(model, sequence, n_sequences, SIZE_MAX, NULL);
    for (size_t s = 0; s < n_sequences && status == AF_OK;) {
        const size_t n = n_sequences - s < AF_MICRO_BATCH ? n_sequences - s : AF_MICRO_BATCH;
        (void)af_train_load(model, &sequence[s], n); // what was checked loads
        do {
            status = af_train_slice(model);
        } while (status == AF_MORE);
        s += n;
    }
    return status;
}

// ------------------------------------------------------------------------------------------------- a loss of one's own

af_status af_train_forward(const struct af_model *const model, struct af_logits *const logits) {
    af_status status = logits == NULL ? AF_ERR_NULL : check_pass(model);
    if (status != AF_OK) {
        return status;
    }
    const struct af_progress *const p = &model->state->progress[0];
    if (p->stage > AF_N_STAGES_FORWARD) {
        return AF_ERR_ORDER;
    }
    while (p->stage < AF_N_STAGES_FORWARD) {
        status = af_train_slice(model);
        if (status != AF_MORE) {
            return status;
        }
    }
    struct af_train *const train = &model->work->train;
    logits->n = train->query_start[p->n_sequences];
    logits->target = train->target;
    logits->logits = train->logits[0];
    logits->d_logits = af_pass_d_logits(train);
    return AF_OK;
}

af_status af_train_take(const struct af_model *const model, const af_real loss, const uint32_t n_targets) {
    const af_status status = check_pass(model);
    if (status != AF_OK) {
        return status;
    }
    struct af_progress *const p = &model->state->progress[0];
    if (p->stage != AF_N_STAGES_FORWARD) {
        return AF_ERR_ORDER;
    }
    // af_train_load() has counted the targets of the sequences; these take their place.
    const struct af_train *const train = &model->work->train;
    uint32_t n_counted = 0;
    for (size_t q = 0; q < train->query_start[p->n_sequences]; q++) {
        n_counted += train->target[q] != AF_IGNORE ? 1U : 0U;
    }
    if (n_counted > p->n_taken) {
        return end_slice(p, AF_ERR_DAMAGED);
    }
    if (n_targets > p->n_targets - (p->n_taken - n_counted)) {
        return AF_ERR_COUNT;
    }
    p->n_taken = p->n_taken - n_counted + n_targets;
    p->loss_sum += loss;
    return end_slice(p, af_finite(&p->loss_sum, 1) ? af_pass_backward(model, p->n_sequences, 0) : AF_ERR_NOT_FINITE);
}

// ------------------------------------------------------------------------------------------------------------- end

/// Opens the update: nothing is changed unless all is well.
static af_status open_update(struct af_progress *const p, const struct af_adamw how) {
    if (p->phase != AF_TRAIN_OPEN) {
        return AF_ERR_ORDER;
    }
    if (p->n_taken != p->n_targets) {
        return AF_ERR_COUNT;
    }
    if (!is_setting(how)) {
        return AF_ERR_RANGE;
    }
    p->learning_rate = how.learning_rate;
    p->weight_decay = how.weight_decay;
    p->cursor = 0;
    p->phase = AF_TRAIN_CHECK;
    return AF_OK;
}

/// The bias corrections of the step after that of c1 and c2.
static af_real next_correction1(const af_real c1) {
    return c1 * AF_R(AF_ADAMW_BETA1) + AF_R(AF_ADAMW_BETA1_REST);
}

static af_real next_correction2(const af_real c2) {
    return c2 * AF_R(AF_ADAMW_BETA2) + AF_R(AF_ADAMW_BETA2_REST);
}

/// The update keeps every number one: from here on weights change.
static void begin_changes(struct af_progress *const p) {
    p->correction1 = next_correction1(p->correction1);
    p->correction2 = next_correction2(p->correction2);
    p->step++;
    p->cursor = 0;
    p->is_packed = 0;
    p->phase = AF_TRAIN_UPDATE;
}

/// Slices of an update at hand.
struct slices {
    const struct af_model *model;
    const struct af_progress *progress;
    size_t first;            // the first of them
    bool is_bad[AF_WORKERS]; // of each worker: whether the update would lose a number in a slice that it has seen
};

static void check_slice(void *const work, const size_t piece, const size_t worker) {
    struct slices *const s = (struct slices *)work;
    const struct af_model *const m = s->model;
    const struct af_progress *const p = s->progress;
    const size_t slice = s->first + piece;
    const size_t from = slice * AF_UPDATE_SLICE;
    if (!af_adamw_check(&m->weight->flat[from], &m->adam_m->flat[from], &m->adam_v->flat[from], &m->grad->flat[from],
                        next_correction1(p->correction1), next_correction2(p->correction2), slice_size(slice))) {
        s->is_bad[worker] = true;
    }
}

static void update_slice(void *const work, const size_t piece, const size_t worker) {
    const struct slices *const s = (const struct slices *)work;
    const struct af_model *const m = s->model;
    const struct af_progress *const p = s->progress;
    const struct af_reader reader = af_reader_of(m);
    const struct af_adamw how = {p->learning_rate, p->weight_decay};
    const size_t slice = s->first + piece;
    const size_t from = slice * AF_UPDATE_SLICE;
    (void)worker;
    af_kernels_of(&reader)->adamw_update(&m->weight->flat[from], &m->adam_m->flat[from], &m->adam_v->flat[from],
                                         &m->grad->flat[from], how, p->correction1, p->correction2, slice_size(slice));
}

/// A worker's mode is wrong, or memory is damaged: in the second phase other pieces may have changed weights.
static void break_off(struct af_progress *const p) {
    p->phase = p->phase == AF_TRAIN_CHECK ? AF_TRAIN_IDLE : AF_TRAIN_LOST;
}

/// Runs up to n_slices slices of the phase at hand, check or update, and changes to the next phase after the last one.
static af_status run_slices(const struct af_model *const model, struct af_progress *const p, const size_t n_slices,
                            af_real *const loss) {
    struct slices slices = {model, p, p->cursor / AF_UPDATE_SLICE, {false}};
    const size_t end = n_slices < AFI_N_SLICES - slices.first ? slices.first + n_slices : AFI_N_SLICES;
    const bool is_check = p->phase == AF_TRAIN_CHECK;
    const af_status mode = af_run(model->runner, is_check ? check_slice : update_slice, &slices, end - slices.first);
    if (mode != AF_OK) {
        break_off(p);
        return mode;
    }
    for (size_t worker = 0; worker < AF_WORKERS; worker++) {
        if (slices.is_bad[worker]) {
            p->phase = AF_TRAIN_IDLE;
            return AF_ERR_NOT_FINITE;
        }
    }
    p->cursor = end < AFI_N_SLICES ? (uint32_t)(end * AF_UPDATE_SLICE) : AF_N_PARAMS;
    if (p->cursor < AF_N_PARAMS) {
        return AF_MORE;
    }
    if (is_check) {
        begin_changes(p);
        return AF_MORE;
    }
    p->phase = AF_TRAIN_IDLE;
    if (loss != NULL) {
        *loss = p->loss_sum / (af_real)p->n_targets;
    }
    return AF_OK;
}

/// Opens the update if it is not open, and runs up to n_slices slices of a phase.
static af_status run_update(const struct af_model *const model, const struct af_adamw how, const size_t n_slices,
                            af_real *const loss) {
    af_status status = check_regions(model);
    if (status != AF_OK) {
        return status;
    }
    struct af_progress *const p = &model->state->progress[0];
    if (p->phase != AF_TRAIN_CHECK && p->phase != AF_TRAIN_UPDATE) {
        status = open_update(p, how);
    }
    if (status == AF_OK && !is_update_sound(p)) {
        break_off(p);
        status = AF_ERR_DAMAGED;
    }
    if (status == AF_OK) {
        status = af_float_check(); // nothing has changed: it may be called again
    }
    return status == AF_OK ? run_slices(model, p, n_slices, loss) : status;
}

af_status af_train_update(const struct af_model *const model, const struct af_adamw how, af_real *const loss) {
    return run_update(model, how, 1, loss);
}

af_status af_train_end(const struct af_model *const model, const struct af_adamw how, af_real *const loss) {
    af_status status = AF_MORE;
    while (status == AF_MORE) {
        status = run_update(model, how, AFI_N_SLICES, loss);
    }
    return status;
}

af_status af_train_abandon(const struct af_model *const model) {
    const af_status status = check_regions(model);
    if (status != AF_OK) {
        return status;
    }
    struct af_progress *const p = &model->state->progress[0];
    switch (p->phase) {
    case AF_TRAIN_IDLE:
    case AF_TRAIN_OPEN:
    case AF_TRAIN_PASS:
    case AF_TRAIN_CHECK:
        p->phase = AF_TRAIN_IDLE;
        return AF_OK;
    default:
        return AF_ERR_ORDER;
    }
}

af_status af_liberties_train(const volatile af_real *const v) {
    return af_liberties(v);
}

#endif

#include "af_inner_export.h"
