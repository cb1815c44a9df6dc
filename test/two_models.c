// SPDX-License-Identifier: MIT
// Two models of different sizes in one program: this file is compiled once for each, with the configuration and the prefix
// of that model (lib/af_names.h), and once more, with TWO_MODELS_MAIN, for main(). Each model trains, and prints the hash of its
// weights and moments. test/check_settings.sh holds it against the model alone.
#include <stdint.h>
#include <stdio.h>

uint32_t first_model(void);
uint32_t second_model(void);

#ifdef TWO_MODELS_MAIN
int main(void) {
    // In turns: neither writes what is the other's.
    const uint32_t first = first_model();
    const uint32_t second = second_model();
    if (first_model() != first || second_model() != second) {
        (void)puts("not the same again");
        return 1;
    }
    (void)printf("%08lx %08lx\n", (unsigned long)first, (unsigned long)second);
    return first == 0 || second == 0 ? 1 : 0;
}
#else
#include "af.h"

/// Hash after five steps on a short text; 0 if a call fails.
uint32_t MODEL(void) {
    static const af_token text[] = {0, 1, 2, 0, 1, 2, 0};
    static const struct af_sequence example = {text, text + 1, 6};
    static const struct af_adamw how = AF_ADAMW_CHAPTER;
    const struct af_model model = af_model_of(&af_arena);
    af_status status = af_train_reset(&model);
    if (status == AF_OK) {
        status = af_init_weights(&model.weight->at, model.work->init_stream, 1);
    }
    for (int step = 0; step < 5 && status == AF_OK; step++) {
        status = af_train_begin(&model, 6);
        if (status == AF_OK) {
            status = af_train_accumulate(&model, &example, 1);
        }
        if (status == AF_OK) {
            status = af_train_end(&model, how, NULL);
        }
    }
    uint32_t hash = af_crc32c_reals(0, model.weight->flat, AF_N_PARAMS);
    hash = af_crc32c_reals(hash, model.adam_m->flat, AF_N_PARAMS);
    hash = af_crc32c_reals(hash, model.adam_v->flat, AF_N_PARAMS);
    return status == AF_OK ? hash : 0;
}
#endif
