// SPDX-License-Identifier: MIT
// Self-test of the random streams.
#define AF_FILE_check_streams 0, AF_OWN
#include "af_check.h"
#include "af_crc32c.h"
#include "af_inner_liberties.h"
#include "af_numpy.h"
#include "af_torch.h"

#if AF_STREAMS

/// Continues a CRC over the n lower bytes of a word, the lowest first.
static uint32_t word_crc(const uint32_t crc, const uint64_t word, const size_t n) {
    uint8_t byte[8];
    for (size_t i = 0; i < n; i++) {
        byte[i] = (uint8_t)(word >> (8 * i));
    }
    return af_crc32c(crc, byte, n);
}

/// Continues a CRC over the bits of a number.
static uint32_t double_crc(const uint32_t crc, const double x) {
    union {
        double real;
        uint64_t bits;
    } pun;
    pun.real = x;
    return word_crc(crc, pun.bits, 8);
}

/// Continues a CRC over n numbers, which are floats in every configuration.
static uint32_t floats_crc(uint32_t crc, const af_real *const x, const size_t n) {
    union {
        float real;
        uint32_t bits;
    } pun;
    for (size_t i = 0; i < n; i++) {
        pun.real = (float)x[i];
        crc = word_crc(crc, pun.bits, 4);
    }
    return crc;
}

/// Words, integers, numbers, a permutation, and normals. With this seed, all kinds of normals come soon: from the
/// middle of a layer, from under the curve, and from the tail.
static uint32_t numpy_crc(void) {
    enum { N_NORMALS = 64, N_PERMUTED = 19, SEED = 1675 };
    struct af_numpy g;
    uint16_t permutation[N_PERMUTED];
    uint32_t crc = 0;
    af_numpy_seed(&g, SEED);
    for (size_t i = 0; i < N_NORMALS; i++) {
        crc = double_crc(crc, af_numpy_normal(&g, 0.125, 3.0));
    }
    crc = word_crc(crc, af_numpy_u32(&g), 4);
    crc = word_crc(crc, af_numpy_u64(&g), 8);
    crc = word_crc(crc, af_numpy_integer(&g, 5, 3000000000U), 4);
    crc = double_crc(crc, af_numpy_double(&g));
    af_numpy_permutation(&g, permutation, N_PERMUTED);
    for (size_t i = 0; i < N_PERMUTED; i++) {
        crc = word_crc(crc, permutation[i], 2);
    }
    return crc;
}

/// Words, normals of several blocks, of which the last is incomplete, and numbers of a linear layer.
static uint32_t torch_crc(struct af_torch *const g) {
    enum { N = 20, N_BLOCKS = 8, FAN_IN = 7 };
    af_real x[N];
    uint32_t crc = 0;
    af_torch_seed(g, 1);
    for (size_t block = 0; block < N_BLOCKS; block++) {
        (void)af_torch_normal(g, x, N); // N is large enough
        crc = floats_crc(crc, x, N);
        af_torch_uniform(g, x, N, FAN_IN);
        crc = floats_crc(crc, x, N);
    }
    return word_crc(crc, af_torch_u32(g), 4);
}

// NumPy's and PyTorch's numbers: test/test_streams.c and test/test_normals.c compare the streams with both.
#define AFI_NUMPY_CRC 0x5F043D93U
#define AFI_TORCH_CRC 0x69BDEA7AU

static af_status liberties_of_streams(void) {
#define AFI_ASK(name) af_liberties_##name,
    static af_status (*const ask[])(const volatile AF_REAL *) = {AF_COMPUTING_FILES_OF_STREAMS(AFI_ASK)};
#undef AFI_ASK
    af_status status = af_liberties_numpy_normal();
    for (size_t i = 0; i < sizeof(ask) / sizeof(ask[0]) && status == AF_OK; i++) {
        status = ask[i](af_liberty_number);
    }
    return status;
}

af_status af_selftest_streams(struct af_torch *const scratch) {
    if (scratch == NULL) {
        return AF_ERR_NULL;
    }
    af_status status = af_float_check();
    if (status == AF_OK) {
        status = liberties_of_streams();
    }
    if (status == AF_OK && (numpy_crc() != AFI_NUMPY_CRC || torch_crc(scratch) != AFI_TORCH_CRC)) {
        status = AF_ERR_STREAM;
    }
    return status;
}

af_status af_liberties_check_streams(const volatile af_real *const v) {
    return af_liberties(v);
}

#endif

#include "af_inner_export.h"
