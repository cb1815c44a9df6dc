// SPDX-License-Identifier: MIT
// A weights file that someone else made. Byte 0 of the input: bit 0 makes the check sums right, bit 1 fills a file that is
// too short with zeros, bit 2 takes the bits for those that differ from a good file; the rest is the file. What is refused
// changes nothing; what is accepted is finite and a run that the command line allows.
#include "weights_input.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/// Makes of the input what the bits of `mode` say.
static void put_right(const uint8_t mode) {
    static const struct af_weights zeros;
    const struct run good = {{1500, 7, 1, 0}, BATCH, AF_ADAMW_CHAPTER, "input", RECIPE_CHAPTER};
    if ((mode & 2) != 0 && n_input < FILE_BYTES) {
        memset(&input[n_input], 0, FILE_BYTES - n_input);
        n_input = FILE_BYTES;
    }
    if ((mode & 4) != 0) {
        make_image(&good, &zeros);
        for (size_t i = 0; i < n_input && i < FILE_BYTES; i++) {
            input[i] ^= image[i];
        }
    }
    if ((mode & 1) != 0 && n_input >= FILE_BYTES) {
        put_bytes(&input[AT_WEIGHTS_CRC], af_crc32c(0, &input[HEADER_BYTES], AF_PLANE_BYTES), 4);
        put_bytes(&input[AT_HEADER_CRC], af_crc32c(0, input, AT_HEADER_CRC), 4);
    }
}

static bool is_allowed(const struct run *run) {
    return run->recipe.shortest >= 1 && run->recipe.shortest <= run->recipe.longest && run->recipe.longest <= 12 &&
           run->note.n_steps <= 1000000 && run->recipe.n_warm_up <= 1000000 && run->batch >= 1 && run->batch <= 1024 &&
           run->how.learning_rate >= 0 && run->how.learning_rate <= 1000000 && run->how.weight_decay >= 0 &&
           run->how.weight_decay <= 1000000;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    static struct af_weights weights, untouched;
    struct run run = {.note = {1, 2, 3, 4}, .batch = 5, .how = AF_ADAMW_CHAPTER, .path = "input"};
    const struct run before = run;
    const uint8_t mode = n > 0 ? data[0] : 0;
    n_input = n == 0 ? 0 : n - 1 < sizeof(input) ? n - 1 : sizeof(input);
    memcpy(input, data + (n > 0 ? 1 : 0), n_input);
    put_right(mode);
    memset(&weights, 0x5A, sizeof(weights));
    memset(&untouched, 0x5A, sizeof(untouched));
    n_lines = 0;
    const bool is_good = run_load(&weights, &run);
    if (is_good ? n_lines != 0 || n_input != FILE_BYTES || !af_finite((const af_real *)&weights, AF_N_PARAMS) ||
                      !is_allowed(&run)
                : n_lines != 1 || memcmp(&weights, &untouched, sizeof(weights)) != 0 ||
                      memcmp(&run, &before, sizeof(run)) != 0) {
        abort();
    }
    return 0;
}
