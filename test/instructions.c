// SPDX-License-Identifier: MIT
// Instructions of a training step and of a generated token, for plain loops and tiles, on an emulator that executes one
// instruction in a nanosecond (QEMU's -icount shift=0): so the port's clock counts them, to within a tick. Prints
// "TABLE: STEP a step, TOKEN a token, hash HASH".
#include "firmware.h"
#include "task.h"

#ifndef TRAIN_BATCH
#define TRAIN_BATCH BATCH
#endif

static struct example example[TRAIN_BATCH];
static struct af_sequence sequence[TRAIN_BATCH];

static uint64_t instructions_since(const uint64_t start) {
    return (af_port_ticks() - start) * (UINT64_C(1000000000) / af_port_ticks_per_second());
}

static af_status train_step(const struct af_model *const model, const uint32_t n_targets) {
    static const struct af_adamw how = AF_ADAMW_CHAPTER;
    af_status status = af_train_begin(model, n_targets);
    if (status == AF_OK) {
        status = af_train_accumulate(model, sequence, TRAIN_BATCH);
    }
    return status == AF_OK ? af_train_end(model, how, NULL) : status;
}

/// Fills the context with tokens; returns the instructions of all.
static uint64_t generate(const struct af_model *const model) {
    struct af_decode *decode = NULL;
    const struct af_reader reader = af_reader_of(model);
    if (af_decode_open(model, &decode) != AF_OK) {
        return 0;
    }
    const uint64_t start = af_port_ticks();
    for (size_t i = 0; i < AF_CONTEXT; i++) {
        if (af_decode_push(decode, &reader, (af_token)(i % AF_VOCAB)) != AF_OK) {
            return 0;
        }
    }
    return instructions_since(start);
}

static int measure(struct af_model model, const struct af_kernels *const kernels) {
    model.kernels = kernels;
    (void)af_train_reset(&model);
    af_init_weights(&model.weight->at, &model.work->init_stream[0], SEED_WEIGHTS);
    af_numpy_seed(&model.state->data_stream[0], SEED_TRAINING);
    const struct batch_size size =
        draw_batch(example, sequence, &model.state->data_stream[0], TRAIN_BATCH, SHORTEST, LONGEST);
    const uint64_t start = af_port_ticks();
    const af_status status = train_step(&model, size.n_targets);
    const uint64_t step = instructions_since(start);
    const uint32_t hash = state_hash(&model);
    const uint64_t tokens = generate(&model);
    if (status != AF_OK || tokens == 0) {
        return firmware_fail(kernels->name, status);
    }
    print(kernels->name);
    print(": ");
    print_whole(step);
    print(" a step, ");
    print_whole(tokens / AF_CONTEXT);
    print(" a token, hash ");
    print_hex(hash);
    print("\n");
    return 0;
}

int main(void) {
    const struct af_model model = firmware_model();
    int failed = measure(model, &af_kernels_plain);
#if AF_HAS_TILE
    failed += measure(model, &af_kernels_tile);
#endif
    return failed;
}
