// SPDX-License-Identifier: MIT
// Switches the processor's wrong floating-point modes on, one after another, and looks whether the library sees each
// under its own name. Prints "self-test: NAME" for the mode it finds; if that is AF_OK, the hash of everything that lib/
// computes, and a line "ok ..." or "FAIL ..." for each wrong mode. For the host and for boards.
#include "everything.h"
#include "firmware.h"

struct mode {
    const char *name;
    uint32_t bits;
    af_status status;
};

#if defined(__SSE2__)
static const struct mode modes[] = {
    {"MXCSR flush to zero", 0x8000, AF_ERR_FLUSH_TO_ZERO},
    {"MXCSR subnormal operands are zero", 0x0040, AF_ERR_SUBNORMAL_INPUT},
    {"MXCSR flush to zero and subnormal operands", 0x8040, AF_ERR_FLUSH_TO_ZERO},
    {"MXCSR round down", 0x2000, AF_ERR_ROUND_DOWN},
    {"MXCSR round up", 0x4000, AF_ERR_ROUND_UP},
    {"MXCSR round to zero", 0x6000, AF_ERR_ROUND_TO_ZERO},
};
static uint32_t mode_read(void) {
    return __builtin_ia32_stmxcsr();
}
static void mode_write(const uint32_t mode) {
    __builtin_ia32_ldmxcsr(mode);
}
#elif defined(__aarch64__) || defined(__ARM_FP)
static const struct mode modes[] = {
    {"FPSCR flush to zero", UINT32_C(1) << 24, AF_ERR_FLUSH_TO_ZERO},
    {"FPSCR round up", UINT32_C(1) << 22, AF_ERR_ROUND_UP},
    {"FPSCR round down", UINT32_C(2) << 22, AF_ERR_ROUND_DOWN},
    {"FPSCR round to zero", UINT32_C(3) << 22, AF_ERR_ROUND_TO_ZERO},
};
#ifdef __aarch64__
static uint32_t mode_read(void) {
    uint64_t mode;
    __asm volatile("mrs %0, fpcr" : "=r"(mode));
    return (uint32_t)mode;
}
static void mode_write(const uint32_t mode) {
    __asm volatile("msr fpcr, %0" : : "r"((uint64_t)mode) : "memory");
}
#else
static uint32_t mode_read(void) {
    uint32_t mode;
    __asm volatile("vmrs %0, fpscr" : "=r"(mode));
    return mode;
}
static void mode_write(const uint32_t mode) {
    __asm volatile("vmsr fpscr, %0" : : "r"(mode) : "memory");
}
#endif
#elif defined(__riscv_flen)
static const struct mode modes[] = {
    {"frm round to zero", 1, AF_ERR_ROUND_TO_ZERO},
    {"frm round down", 2, AF_ERR_ROUND_DOWN},
    {"frm round up", 3, AF_ERR_ROUND_UP},
    {"frm ties away from zero", 4, AF_ERR_ROUND_TIES},
};
static uint32_t mode_read(void) {
    uint32_t mode;
    __asm volatile("frrm %0" : "=r"(mode));
    return mode;
}
static void mode_write(const uint32_t mode) {
    __asm volatile("fsrm %0" : : "r"(mode) : "memory");
}
#else // without a floating-point unit there is no mode
static const struct mode modes[1] = {{"none", 0, AF_OK}};
static uint32_t mode_read(void) {
    return 0;
}
static void mode_write(const uint32_t mode) {
    (void)mode;
}
#endif

static void report(const struct mode *const mode, const char *const who, const af_status status) {
    print(status == mode->status ? "ok " : "FAIL ");
    print(mode->name);
    print(" seen by ");
    print(who);
    print(": ");
    print(af_status_name(status));
    print("\n");
}

/// Sets the mode, and back to `found` before anything is said.
static void look(const struct mode *const mode, const struct af_model *const model, const uint32_t found) {
    struct af_decode *decode = NULL;
    mode_write(found | mode->bits);
    const af_status quick = af_float_check();
    const af_status whole = af_selftest();
    const af_status of_model = af_selftest_model(model);
    const af_status streams = af_selftest_streams(model->work->init_stream);
    const af_status begin = af_train_begin(model, 1);
    const af_status open = af_decode_open(model, &decode);
    const af_status forward = af_forward(model, every_sequence, 1, AF_EVERY);
    const af_status weights = af_init_weights(&model->weight->at, model->work->init_stream, 1);
    mode_write(found);
    report(mode, "af_float_check", quick);
    report(mode, "af_selftest", whole);
    report(mode, "af_selftest_model", of_model);
    report(mode, "af_selftest_streams", streams);
    report(mode, "af_train_begin", begin);
    report(mode, "af_decode_open", open);
    report(mode, "af_forward", forward);
    report(mode, "af_init_weights", weights);
    (void)af_train_abandon(model);
}

int main(void) {
    const struct af_model model = firmware_model();
    const af_status status = every_selftest(&model);
    print("self-test: ");
    print(af_status_name(status));
    print("\n");
    if (status != AF_OK) {
        return 1;
    }
    print("hash ");
    print_hex(everything(&model));
    print("\n");
    const uint32_t found = mode_read();
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        look(&modes[i], &model, found);
    }
    return 0;
}
