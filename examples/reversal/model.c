// SPDX-License-Identifier: MIT
// The model of this program: the default arena on the port's kernels and workers.
#include "reversal.h"
#include "af_port.h"

struct af_model program_model(void) {
    static struct af_runner runner = {af_port_run, NULL, 1};
    struct af_model model = af_model_of(&af_arena);
    runner.n_workers = af_port_workers();
    model.kernels = af_port_kernels();
    model.runner = runner.n_workers > 1 ? &runner : NULL;
    return model;
}

const struct af_reader *program_reader(void) {
    static struct af_reader reader = {NULL, NULL, NULL, NULL};
    const struct af_model model = program_model();
    reader = af_reader_of(&model);
    return &reader;
}

struct af_decode *open_decode(void) {
    const struct af_model model = program_model();
    struct af_decode *decode = NULL;
    (void)af_decode_open(&model, &decode); // refused only while a training step is open
    return decode;
}

bool are_logits_finite(const af_real *const logits, const size_t n) {
    const bool is_good = af_finite(logits, n);
    if (!is_good) {
        (void)complain("the logits are not finite: the weights are too large, and the model says nothing");
    }
    return is_good;
}
