// SPDX-License-Identifier: MIT
// Whole numbers in files, lowest byte first.
#include "reversal.h"

void put_bytes(uint8_t *const at, const uint64_t number, const size_t n_bytes) {
    for (size_t i = 0; i < n_bytes; i++) {
        at[i] = (uint8_t)(number >> (8 * i));
    }
}

uint64_t get_bytes(const uint8_t *const at, const size_t n_bytes) {
    uint64_t number = 0;
    for (size_t i = 0; i < n_bytes; i++) {
        number |= (uint64_t)at[i] << (8 * i);
    }
    return number;
}
