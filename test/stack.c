// SPDX-License-Identifier: MIT
// Stack that calls of the library really use on a Cortex-M: paints what is free below the stack pointer, calls, and
// looks how far down the paint is gone. Prints "FUNCTION BYTES". test/stack.py gives the upper bounds.
#include "firmware.h"
#include "task.h"

#define PAINT 0xA5A5A5A5u
enum { NEAR = 64 }; // bytes below the stack pointer that painting itself may use

extern uint32_t stack_limit[]; // linker/sections.ld

static struct af_model model;
static struct example example[1];
static struct af_sequence sequence[1];
static struct af_decode *decode;
static struct af_reader reader;
static uint32_t n_targets;

static uintptr_t stack_pointer(void) {
    uintptr_t sp;
    __asm volatile("mov %0, sp" : "=r"(sp));
    return sp;
}

static void paint(void) {
    volatile uint32_t *const top = (volatile uint32_t *)(stack_pointer() - NEAR); // NOLINT
    for (volatile uint32_t *p = stack_limit; p < top; p++) {
        *p = PAINT;
    }
}

static uintptr_t lowest(void) {
    const volatile uint32_t *p = stack_limit;
    while (*p == PAINT) {
        p++;
    }
    return (uintptr_t)p;
}

/// Bytes of stack that a call uses.
__attribute__((noinline)) static uint32_t used_by(af_status (*const call)(void)) {
    paint();
    const uintptr_t sp = stack_pointer();
    const af_status status = call();
    const uintptr_t deepest = lowest();
    if (status < 0) {
        (void)firmware_fail("stack", status);
    }
    return (uint32_t)(sp - deepest);
}

// Each calls one function and nothing else, and is a function of its own, so that the call graph has it.
#define CALL __attribute__((noinline)) static af_status

CALL nothing(void) {
    return AF_OK;
}
CALL train_reset(void) {
    return af_train_reset(&model);
}
CALL selftest_model(void) {
    return af_selftest_model(&model);
}
CALL selftest_streams(void) {
    return af_selftest_streams(&model.work->init_stream[0]);
}
CALL init_weights(void) {
    return af_init_weights(&model.weight->at, &model.work->init_stream[0], SEED_WEIGHTS);
}
CALL train_begin(void) {
    return af_train_begin(&model, n_targets);
}
CALL train_load(void) {
    return af_train_load(&model, sequence, 1);
}
CALL train_slice(void) {
    return af_train_slice(&model);
}
CALL train_accumulate(void) {
    return af_train_accumulate(&model, sequence, 1);
}
CALL train_end(void) {
    static const struct af_adamw how = AF_ADAMW_CHAPTER;
    return af_train_end(&model, how, NULL);
}
CALL forward(void) {
    return af_forward(&model, sequence, 1, AF_EVERY);
}
CALL decode_open(void) {
    return af_decode_open(&model, &decode);
}
CALL decode_push(void) {
    return af_decode_push(decode, &reader, 3);
}
CALL decode_greedy(void) {
    af_token out[1];
    return af_decode_greedy(out, decode, &reader, example[0].token, 5, 1);
}

static uint32_t report(const char *const name, af_status (*const call)(void)) {
    const uint32_t n_bytes = used_by(call);
    print(name);
    print(" ");
    print_whole(n_bytes);
    print("\n");
    return n_bytes;
}

/// The largest of all slices of a micro-batch, forward and backward.
static void report_slices(void) {
    uint32_t most = 0;
    for (int i = 0; i < AF_N_STAGES; i++) {
        const uint32_t n_bytes = used_by(train_slice);
        most = n_bytes > most ? n_bytes : most;
    }
    print("af_train_slice ");
    print_whole(most);
    print("\n");
}

int main(void) {
    __asm volatile("cpsid i"); // the clock's interrupt uses the same stack
    model = firmware_model();
    report("nothing", nothing);
    report("af_float_check", af_float_check);
    report("af_selftest", af_selftest);
    report("af_train_reset", train_reset);
    report("af_selftest_model", selftest_model);
    report("af_selftest_streams", selftest_streams);
    report("af_init_weights", init_weights);
    af_numpy_seed(&model.state->data_stream[0], SEED_TRAINING);
    n_targets = draw_batch(example, sequence, &model.state->data_stream[0], 1, LONGEST, LONGEST).n_targets;
    report("af_forward", forward);
    report("af_train_begin", train_begin);
    report("af_train_load", train_load);
    report_slices();
    report("af_train_end", train_end);
    (void)train_begin();
    report("af_train_accumulate", train_accumulate);
    (void)train_end();
    report("af_decode_open", decode_open);
    reader = af_reader_of(&model);
    report("af_decode_push", decode_push);
    report("af_decode_greedy", decode_greedy);
    return 0;
}
