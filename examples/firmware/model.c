// SPDX-License-Identifier: MIT
// Where the model is: in the default arena, which is in one memory; or, with FIRMWARE_REGIONS_APART, each region an
// object of its own, which the linker script puts where it likes by the name of its section, .bss.af_arena_NAME.
#include "firmware.h"

#ifdef FIRMWARE_REGIONS_APART
#define AF_REGION(type, name, live, text) __attribute__((aligned(AF_ALIGN))) static type af_arena_##name;
#include "af_tensors.def"

static struct af_model regions(void) {
    struct af_model model;
#define AF_REGION(type, name, live, text) model.name = &af_arena_##name;
#include "af_tensors.def"
    return model;
}
#else
static struct af_model regions(void) {
    return af_model_of(&af_arena);
}
#endif

struct af_model firmware_model(void) {
    static struct af_runner runner = {af_port_run, NULL, 1};
    struct af_model model = regions();
    runner.n_workers = af_port_workers();
    model.kernels = af_port_kernels();
    model.runner = runner.n_workers > 1 ? &runner : NULL;
    return model;
}
