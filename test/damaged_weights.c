// SPDX-License-Identifier: MIT
// The weights file of the reversal program, damaged in every way: cut at every length, every byte changed, bytes behind
// its end, fields and weights that someone forged. Each is refused with one line, and nothing is written; of a forged
// recipe, every value that the command line allows is loaded. (For a large model: some lengths and bytes.) Prints
// "ok NAME" or "FAIL NAME: ...".
// promise: weights-file-checked
#include "weights_input.h"

#include <math.h>
#include <stdlib.h>

enum { STRIDE = FILE_BYTES < 20000 ? 1 : FILE_BYTES / 997 };

static uint8_t whole[sizeof(input)];

static bool loads(struct af_weights *weight) {
    struct run run = {.note = {1, 2, 3, 4}, .batch = 5, .how = AF_ADAMW_CHAPTER, .path = "input"};
    const struct run before = run;
    n_lines = 0;
    const bool is_good = run_load(weight, &run);
    if (!is_good && memcmp(&run, &before, sizeof(run)) != 0) {
        printf("FAIL note: a refused file has changed it\n");
        exit(1);
    }
    return is_good;
}

static void refused(const char *name, size_t at) {
    static struct af_weights weight, untouched;
    memset(&untouched, 0x5A, sizeof(untouched));
    weight = untouched;
    if (loads(&weight) || n_lines != 1 || memcmp(&weight, &untouched, sizeof(weight)) != 0) {
        printf("FAIL %s: at byte %zu: it is loaded, or %d lines, or the weights have changed\n", name, at, n_lines);
        exit(1);
    }
}

static void restore(void) {
    memcpy(input, whole, sizeof(input));
    n_input = FILE_BYTES;
}

static void reseal(void) {
    put_bytes(&input[AT_WEIGHTS_CRC], af_crc32c(0, &input[HEADER_BYTES], AF_PLANE_BYTES), 4);
    put_bytes(&input[AT_HEADER_CRC], af_crc32c(0, input, AT_HEADER_CRC), 4);
}

static void forged_fields(void) {
    static const struct field { size_t at, n; } fields[] = {{0, 4}, {AT_VERSION, 4}, {AT_DIGEST, 4}};
    static const uint64_t values[] = {0, 2, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x54574641};
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        for (size_t k = 0; k < sizeof(values) / sizeof(values[0]); k++) {
            restore();
            put_bytes(&input[fields[i].at], values[k], fields[i].n);
            if (memcmp(input, whole, AT_WEIGHTS_CRC) != 0) {
                reseal();
                refused("forged-field", fields[i].at);
            }
        }
    }
}

static void forged_numbers(void) {
    const af_real bad[] = {(af_real)NAN, (af_real)INFINITY, -(af_real)INFINITY};
    const size_t at[] = {AT_LEARNING_RATE, AT_WEIGHT_DECAY, HEADER_BYTES, FILE_BYTES - AF_REAL_BYTES};
    for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
        for (size_t k = 0; k < 3; k++) {
            restore();
            put_bytes(&input[at[i]], af_bits_of(bad[k]), AF_REAL_BYTES);
            reseal();
            refused("forged-number", at[i]);
        }
    }
}

static af_real rate_at(size_t at) {
    return af_real_of((af_bits)get_bytes(&input[at], 8));
}

/// Whether the settings in the input are a run's that the command line allows.
static bool is_allowed(void) {
    return input[AT_SHORTEST] >= 1 && input[AT_SHORTEST] <= input[AT_LONGEST] && input[AT_LONGEST] <= 12 &&
           get_bytes(&input[AT_SWITCHES], 2) <= 7 && get_bytes(&input[AT_N_STEPS], 4) <= 1000000 &&
           get_bytes(&input[AT_WARM_UP], 4) <= 1000000 && get_bytes(&input[AT_BATCH], 4) >= 1 &&
           get_bytes(&input[AT_BATCH], 4) <= 1024 && get_bytes(&input[AT_SEED_WEIGHTS], 8) <= 0xFFFFFFFF &&
           rate_at(AT_LEARNING_RATE) >= 0 && rate_at(AT_LEARNING_RATE) <= 1000000 && rate_at(AT_WEIGHT_DECAY) >= 0 &&
           rate_at(AT_WEIGHT_DECAY) <= 1000000;
}

/// Every byte from the number of steps on to the check sums has every value.
static void forged_recipe(void) {
    size_t n_allowed = 0;
    for (size_t at = AT_N_STEPS; at < AT_WEIGHTS_CRC; at++) {
        for (unsigned value = 0; value < 256; value++) {
            static struct af_weights weight;
            restore();
            input[at] = (uint8_t)value;
            reseal();
            if (!is_allowed()) {
                refused("forged-recipe", at);
            } else if (loads(&weight)) {
                n_allowed++;
            } else {
                printf("FAIL forged-recipe: byte %zu may be %u, and is refused\n", at, value);
                exit(1);
            }
        }
    }
    printf("ok forged-recipe (%zu of %d allowed)\n", n_allowed, (AT_WEIGHTS_CRC - AT_N_STEPS) * 256);
}

int main(void) {
    static struct af_weights weight, again;
    const struct run run = {{7, 0xABCD, 1, 0}, 64, AF_ADAMW_CHAPTER, "input", RECIPE_CHAPTER};
    for (size_t i = 0; i < AF_N_PARAMS; i++) {
        ((af_real *)&weight)[i] = (af_real)((int)(i % 101) - 50) / 32;
    }
    make_image(&run, &weight);
    memcpy(whole, image, FILE_BYTES);
    restore();
    if (!loads(&again) || memcmp(&weight, &again, sizeof(weight)) != 0) {
        printf("FAIL whole: it is not loaded as it was saved\n");
        return 1;
    }
    printf("ok whole\n");
    for (size_t n = 0; n < FILE_BYTES; n += STRIDE) {
        n_input = n;
        refused("cut", n);
    }
    printf("ok cut\n");
    for (size_t i = 0; i < FILE_BYTES; i += STRIDE) {
        for (unsigned k = 0; k < 9; k++) {
            restore();
            input[i] ^= k < 8 ? (uint8_t)(1u << k) : 0xFF;
            refused("changed", i);
        }
    }
    printf("ok changed\n");
    for (size_t n = 1; n <= 64; n += 9) {
        restore();
        n_input += n;
        refused("longer", FILE_BYTES + n);
    }
    printf("ok longer\n");
    forged_fields();
    forged_numbers();
    printf("ok forged\n");
    forged_recipe();
    return 0;
}
