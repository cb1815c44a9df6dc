// SPDX-License-Identifier: MIT
// A few training steps on workers, for ThreadSanitizer, which ends the program with an error if threads race. Also
// holds the weights against those of the plain loops without workers. Prints "ok NAME" or "FAIL NAME: ...".
// promise: workers-same-bits
#include "af.h"
#include "af_kernels.h"
#include "af_port.h"

#include <stdio.h>

#define N_STEPS     2
#define N_SEQUENCES 64

static af_token token[N_SEQUENCES][AF_CONTEXT], target[N_SEQUENCES][AF_CONTEXT];
static struct af_sequence sequence[N_SEQUENCES];

/// The CRC of the weights after N_STEPS; 0 where a call failed.
static uint32_t train(struct af_model m, const struct af_kernels *kernels, const struct af_runner *runner) {
    const struct af_adamw how = AF_ADAMW_CHAPTER;
    struct af_numpy stream;
    m.kernels = kernels;
    m.runner = runner;
    af_numpy_seed(&stream, 0);
    af_init_weights(&m.weight->at, m.work->init_stream, 1);
    if (af_train_reset(&m) != AF_OK) {
        return 0;
    }
    for (size_t step = 0; step < N_STEPS; step++) {
        uint32_t n_targets = 0;
        for (size_t s = 0; s < N_SEQUENCES; s++) {
            const size_t n = af_numpy_integer(&stream, 3, AF_CONTEXT + 1);
            for (size_t i = 0; i < n; i++) {
                token[s][i] = (af_token)af_numpy_integer(&stream, 0, AF_VOCAB);
                target[s][i] = i < n / 2 ? AF_IGNORE : (af_token)((token[s][i] + 1u) % AF_VOCAB);
                n_targets += target[s][i] != AF_IGNORE;
            }
            sequence[s] = (struct af_sequence){token[s], target[s], n};
        }
        if (af_train_begin(&m, n_targets) != AF_OK || af_train_accumulate(&m, sequence, N_SEQUENCES) != AF_OK ||
            af_train_end(&m, how, NULL) != AF_OK) {
            return 0;
        }
    }
    return af_crc32c_reals(0, m.weight->flat, AF_N_PARAMS);
}

int main(void) {
    static const struct af_runner runner = {af_port_run, NULL, TEST_WORKERS};
    const struct af_model m = af_model_of(&af_arena);
    const uint32_t expected = train(m, &af_kernels_plain, NULL);
    // As many as wanted, then fewer, then as many again: threads wait, take part, sit out a call.
    const size_t workers[] = {1, 2, TEST_WORKERS, 1, TEST_WORKERS, TEST_WORKERS / 2, TEST_WORKERS};
    bool good = expected != 0;
    for (size_t i = 0; i < sizeof(workers) / sizeof(workers[0]); i++) {
        af_port_set_workers(workers[i]);
        const uint32_t got = train(m, &TEST_KERNELS, &runner);
        if (got != expected) {
            printf("FAIL %zu-workers: 0x%08x, not 0x%08x\n", workers[i], (unsigned)got, (unsigned)expected);
            good = false;
        }
    }
    if (good) {
        printf("ok %d-workers-the-same-bits\n", TEST_WORKERS);
    }
    return good ? 0 : 1;
}
