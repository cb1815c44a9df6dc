// SPDX-License-Identifier: MIT
// Trains the reversal model as the chapter does, in slices: between two of them a firmware does its other work.
// After each step it prints the loss and what stands for all bits of the training: compare it with any other machine.
#include "firmware.h"
#include "task.h"

// The run: the chapter's, where the command line or the configuration header (small.h) says nothing else.
#ifndef TRAIN_STEPS
#define TRAIN_STEPS N_STEPS
#endif
#ifndef TRAIN_BATCH
#define TRAIN_BATCH BATCH
#endif
#ifndef TRAIN_SHORTEST
#define TRAIN_SHORTEST SHORTEST
#endif
#ifndef TRAIN_LONGEST
#define TRAIN_LONGEST LONGEST
#endif
#ifndef TRAIN_RATE // learning rate
#define TRAIN_RATE 0.003
#endif
#ifndef TRAIN_TEST // strings to reverse after the last step
#define TRAIN_TEST 0
#endif

AF_STATIC_ASSERT((int)TRAIN_LONGEST <= (int)MAX_LETTERS, the_longest_strings_fit_into_the_context);

static struct example example[TRAIN_BATCH];
static struct af_sequence sequence[TRAIN_BATCH];

// ---------------------------------------------------------------------------------------------------------- slices

static uint64_t slice_start;
static uint64_t longest_slice; // in ticks

/// Between two slices: other work, and the watchdog, which is fed here and nowhere else.
static void end_slice(void) {
    const uint64_t now = af_port_ticks();
    if (now - slice_start > longest_slice) {
        longest_slice = now - slice_start;
    }
    af_port_feed_watchdog();
    slice_start = af_port_ticks();
}

/// Takes the sequences of a step, a micro-batch at a time.
static af_status accumulate(const struct af_model *const model) {
    af_status status = AF_OK;
    for (size_t i = 0; i < TRAIN_BATCH && status == AF_OK; i += AF_MICRO_BATCH) {
        const size_t n_left = TRAIN_BATCH - i;
        status = af_train_load(model, &sequence[i], n_left < AF_MICRO_BATCH ? n_left : AF_MICRO_BATCH);
        end_slice();
        if (status == AF_OK) {
            do {
                status = af_train_slice(model);
                end_slice();
            } while (status == AF_MORE);
        }
    }
    return status;
}

static af_status train_step(const struct af_model *const model, af_real *const loss) {
    struct af_adamw how = AF_ADAMW_CHAPTER;
    how.learning_rate = AF_R(TRAIN_RATE);
    const struct batch_size size =
        draw_batch(example, sequence, &model->state->data_stream[0], TRAIN_BATCH, TRAIN_SHORTEST, TRAIN_LONGEST);
    af_status status = af_train_begin(model, size.n_targets);
    end_slice();
    if (status == AF_OK) {
        status = accumulate(model);
    }
    if (status == AF_OK) {
        do {
            status = af_train_update(model, how, loss);
            end_slice();
        } while (status == AF_MORE);
    }
    return status;
}

// ------------------------------------------------------------------------------------------------------------- run

/// "step 1 loss 2.47 hash 886F131B gradients 01234567"; the hash is that of the log of `reversal train`.
static void print_step(const struct af_model *const model, const uint32_t step, const af_real loss) {
    print("step ");
    print_whole(step);
    print(" loss ");
    print_real(loss);
    print(" hash ");
    print_hex(state_hash(model));
    print(" gradients ");
    print_hex(af_crc32c_reals(0, model->grad->flat, AF_N_PARAMS));
    print("\n");
}

static void print_slice(void) {
    print("longest slice: ");
    print_whole(longest_slice);
    print(" ticks of ");
    print_whole(af_port_ticks_per_second());
    print(" a second\n");
}

#if TRAIN_TEST > 0
/// Reverses strings that the chapter's test stream draws: "reversed 500 of 500".
static af_status test(const struct af_model *const model) {
    const struct af_reader reader = af_reader_of(model);
    struct af_decode *decode = NULL;
    struct af_numpy stream;
    uint32_t n_right = 0;
    const af_status status = af_decode_open(model, &decode);
    af_numpy_seed(&stream, SEED_TEST);
    for (uint32_t i = 0; i < TRAIN_TEST && status == AF_OK; i++) {
        const struct letters letters = letters_draw(&stream, TRAIN_SHORTEST, TRAIN_LONGEST);
        struct letters answer;
        n_right += reverse_greedily(&answer, decode, &reader, &letters) ? 1U : 0U;
        af_port_feed_watchdog();
    }
    print("reversed ");
    print_whole(n_right);
    print(" of ");
    print_whole(TRAIN_TEST);
    print("\n");
    return status;
}
#endif

/// Looks whether kernels, workers and random streams are right, then starts a new run.
static af_status begin_run(const struct af_model *const model) {
    af_status status = af_train_reset(model);
    if (status == AF_OK) {
        status = af_selftest_model(model);
    }
    if (status == AF_OK) {
        status = af_selftest_streams(&model->work->init_stream[0]);
    }
    if (status == AF_OK) {
        status = af_init_weights(&model->weight->at, &model->work->init_stream[0], SEED_WEIGHTS);
    }
    af_numpy_seed(&model->state->data_stream[0], SEED_TRAINING);
    return status;
}

int main(void) {
    if (!firmware_begin("train")) {
        return 1;
    }
    const struct af_model model = firmware_model();
    const af_status first = begin_run(&model);
    if (first != AF_OK) {
        return firmware_fail("self-test of the model", first);
    }
    for (uint32_t step = 1; step <= TRAIN_STEPS; step++) {
        af_real loss = 0;
        slice_start = af_port_ticks();
        const af_status status = train_step(&model, &loss);
        if (status != AF_OK) {
            return firmware_fail("train", status);
        }
        print_step(&model, step, loss);
    }
    print_slice();
#if TRAIN_TEST > 0
    const af_status status = test(&model);
    if (status != AF_OK) {
        return firmware_fail("test", status);
    }
#endif
    return 0;
}
