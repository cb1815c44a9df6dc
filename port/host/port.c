// SPDX-License-Identifier: MIT
// The host port: POSIX clock, kernel's random numbers, standard output, a file as flash.
#define _POSIX_C_SOURCE 200809L

#include "af_port.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define TICKS_PER_SECOND 1000000000u

uint64_t af_port_ticks(void) {
    struct timespec now = {0, 0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * TICKS_PER_SECOND + (uint64_t)now.tv_nsec;
}

uint32_t af_port_ticks_per_second(void) {
    return TICKS_PER_SECOND;
}

uint64_t af_port_seed(void) {
    uint64_t seed = af_port_ticks();
    FILE *const file = fopen("/dev/urandom", "rb");
    if (file != NULL) {
        (void)fread(&seed, sizeof(seed), 1, file);
        (void)fclose(file);
    }
    return seed;
}

void af_port_write(const char *const text, const size_t n) {
    (void)fwrite(text, 1, n, stdout);
    (void)fflush(stdout);
}

// --------------------------------------------------------------------------------------------------------- storage

enum { STORAGE_BYTES = 4 * 1024 * 1024, ERASE_BYTES = 4096, PROGRAM_BYTES = 8 };

/// The file named by AF_STORAGE, "arenaformer.flash" by default, opened once and filled with 0xFF when it is new.
static FILE *storage(void) {
    static FILE *file = NULL;
    if (file == NULL) {
        const char *const name = getenv("AF_STORAGE");
        const char *const path = name != NULL ? name : "arenaformer.flash";
        file = fopen(path, "r+b");
        if (file == NULL) {
            file = fopen(path, "w+b");
            for (size_t i = 0; file != NULL && i < STORAGE_BYTES; i++) {
                (void)fputc(0xFF, file);
            }
        }
    }
    return file;
}

struct af_port_storage af_port_storage(void) {
    const struct af_port_storage facts = {STORAGE_BYTES, ERASE_BYTES, PROGRAM_BYTES};
    return facts;
}

bool af_port_read(const uint32_t offset, void *const data, const uint32_t n_bytes) {
    FILE *const file = storage();
    return file != NULL && fseek(file, (long)offset, SEEK_SET) == 0 && fread(data, 1, n_bytes, file) == n_bytes;
}

bool af_port_program(const uint32_t offset, const void *const data, const uint32_t n_bytes) {
    FILE *const file = storage();
    return file != NULL && fseek(file, (long)offset, SEEK_SET) == 0 && fwrite(data, 1, n_bytes, file) == n_bytes &&
           fflush(file) == 0;
}

bool af_port_erase(const uint32_t offset, const uint32_t n_bytes) {
    FILE *const file = storage();
    if (file == NULL || fseek(file, (long)offset, SEEK_SET) != 0) {
        return false;
    }
    for (uint32_t i = 0; i < n_bytes; i++) {
        if (fputc(0xFF, file) == EOF) {
            return false;
        }
    }
    return fflush(file) == 0;
}
