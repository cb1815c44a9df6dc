// SPDX-License-Identifier: MIT
// Trains a few steps, reads a few tokens, and prints one hash of all of it: check_matrix.sh builds this program in many
// ways, and every build has to print the same one. Where the self-test says no, it prints the status and its sentence
// instead and returns 1. Where there is a tile, it trains a second time on it; that has to end in the same hash.
#include "af.h"

#include <stdio.h>

#define N_STEPS     (AF_DIM < 64 ? 30 : 1)
#define N_SEQUENCES (AF_DIM < 64 ? 4 : 2)

static af_token token[N_SEQUENCES][AF_CONTEXT];
static af_token target[N_SEQUENCES][AF_CONTEXT];
static struct af_sequence sequence[N_SEQUENCES];

/// Sequences of all lengths, the later half of each with targets. Returns the number of targets.
static uint32_t draw(struct af_numpy *const stream) {
    uint32_t n_targets = 0;
    for (size_t s = 0; s < N_SEQUENCES; s++) {
        const uint32_t n = af_numpy_integer(stream, 3, AF_CONTEXT + 1);
        for (uint32_t i = 0; i < n; i++) {
            token[s][i] = (af_token)af_numpy_integer(stream, 0, AF_VOCAB);
            target[s][i] = i < n / 2 ? AF_IGNORE : (af_token)((token[s][i] + 1u) % AF_VOCAB);
            n_targets += i < n / 2 ? 0 : 1;
        }
        sequence[s].token = token[s];
        sequence[s].target = target[s];
        sequence[s].n = n;
    }
    return n_targets;
}

/// Losses, gradients, weights, moments and the logits of a decoded sequence, as one number. 0: a call failed.
static uint32_t run(const struct af_kernels *const kernels) {
    static const struct af_adamw how = AF_ADAMW_CHAPTER;
    struct af_model m = af_model_of(&af_arena);
    struct af_numpy stream;
    uint32_t crc = 0;
    m.kernels = kernels;
    af_init_weights(&m.weight->at, m.work->init_stream, 1);
    if (af_train_reset(&m) != AF_OK) {
        return 0;
    }
    af_numpy_seed(&stream, 0);
    for (size_t step = 0; step < N_STEPS; step++) {
        af_real loss;
        const uint32_t n_targets = draw(&stream);
        if (af_train_begin(&m, n_targets) != AF_OK || af_train_accumulate(&m, sequence, N_SEQUENCES) != AF_OK) {
            return 0;
        }
        crc = af_crc32c_reals(crc, m.grad->flat, AF_N_PARAMS);
        if (af_train_end(&m, how, &loss) != AF_OK) {
            return 0;
        }
        crc = af_crc32c_reals(crc, &loss, 1);
    }
    crc = af_crc32c_reals(crc, m.weight->flat, AF_N_PARAMS);
    crc = af_crc32c_reals(crc, m.adam_m->flat, AF_N_PARAMS);
    crc = af_crc32c_reals(crc, m.adam_v->flat, AF_N_PARAMS);

    struct af_decode *decode;
    if (af_decode_open(&m, &decode) != AF_OK) {
        return 0;
    }
    const struct af_reader reader = af_reader_of(&m);
    for (size_t i = 0; i < sequence[0].n; i++) {
        if (af_decode_push(decode, &reader, token[0][i]) != AF_OK) {
            return 0;
        }
        crc = af_crc32c_reals(crc, decode->logits, AF_VOCAB);
    }
    return crc;
}

int main(void) {
    const af_status status = af_selftest();
    if (status != AF_OK) {
        printf("%s: %s\n", af_status_name(status), af_status_text(status));
        return 1;
    }
    const uint32_t plain = run(&af_kernels_plain);
    printf("%08lx\n", (unsigned long)plain);
#if AF_HAS_TILE
    const uint32_t tile = run(&af_kernels_tile);
    if (tile != plain) {
        printf("%08lx by the tile\n", (unsigned long)tile);
        return 1;
    }
#endif
    return 0;
}
