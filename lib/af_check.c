// SPDX-License-Identifier: MIT
// Self-tests of processor and build.
#define AF_FILE_check 0, AF_OWN
#include "af_check.h"
#include "af_crc32c.h"
#include "af_inner_liberties.h"
#include "af_math.h"
#include "af_ops.h"

// The operands below are volatile, so that the processor computes with them, not the compiler.

const af_real af_liberty_number[AF_N_LIBERTY_NUMBERS] = AF_LIBERTY_NUMBERS;

// ------------------------------------------------------------------------------------------------- the quick look

af_status af_float_check(void) {
    volatile af_real tiny = AF_TINY;
    volatile af_real half = AF_R(0.5);
    volatile af_real subnormal = tiny * half;
    // Compare bits: a processor that reads subnormal operands as zero does so in comparisons, too.
    if (af_bits_of(subnormal) == 0) {
        return AF_ERR_FLUSH_TO_ZERO;
    }
    volatile af_real twice = subnormal + subnormal;
    if (!af_is_same(twice, tiny)) {
        return AF_ERR_SUBNORMAL_INPUT;
    }
    // Only rounding to nearest gives 1 + ulp/4 = 1 and -1 - ulp/4 = -1.
    volatile af_real one = AF_R(1);
    volatile af_real quarter = AF_ULP / 4;
    volatile af_real up = one + quarter;
    volatile af_real down = -one - quarter;
    volatile af_real back = one - quarter / 2; // a quarter of the spacing below 1
    volatile af_real tie = one + 2 * quarter;  // in the middle between 1, which is even, and the next number
    if (!af_is_same(up, 1)) {
        return AF_ERR_ROUND_UP;
    }
    if (!af_is_same(down, -1)) {
        return AF_ERR_ROUND_DOWN;
    }
    if (!af_is_same(back, 1)) {
        return AF_ERR_ROUND_TO_ZERO;
    }
    return af_is_same(tie, 1) ? AF_OK : AF_ERR_ROUND_TIES;
}

/// Vector units may have rules of their own: Arm's MVE flushes subnormals in every mode. A compiler that uses vectors
/// for the loops of the library uses them for this loop.
static bool vectors_flush(void) {
    enum { N = 16 };
    volatile af_real tiny = AF_TINY;
    volatile af_real half = AF_R(0.5);
    af_real x[N];
    for (size_t i = 0; i < N; i++) {
        x[i] = tiny;
    }
    const af_real factor = half;
    for (size_t i = 0; i < N; i++) {
        x[i] *= factor;
    }
    for (size_t i = 0; i < N; i++) {
        if (af_bits_of(x[i]) == 0) {
            return true;
        }
    }
    return false;
}

// ----------------------------------------------------------------------------------------- liberties of compilers

/// If each operation rounds to its type, 1 + ulp/2 is 1 and 2^126 times 2^126 is infinite; wider registers hold more.
static bool has_excess_precision(void) {
    volatile af_real one = AF_R(1);
    volatile af_real half = AF_ULP / 2;
    volatile af_real huge = AF_R(1) / AF_TINY;
    volatile af_real infinity = af_real_of(AF_INFINITY_BITS);
    const af_real x = one;
    const af_real y = half;
    const af_real h = huge;
    // Not af_is_same(): passing an af_real as an argument may round it.
    return x + y > one || h * h < infinity;
}

/// The first answer but AF_OK of the files of lib/ that are in this build.
static af_status liberties_of_files(void) {
#define AFI_ASK(name) af_liberties_##name,
    static af_status (*const ask[])(const volatile af_real *) = {
        AF_COMPUTING_FILES(AFI_ASK)
#if AF_TRAINING
            AF_COMPUTING_FILES_OF_TRAINING(AFI_ASK)
#endif
    };
#undef AFI_ASK
    af_status status = AF_OK;
    for (size_t i = 0; i < sizeof(ask) / sizeof(ask[0]) && status == AF_OK; i++) {
        status = ask[i](af_liberty_number);
    }
    return status;
}

// ------------------------------------------------------------------------------------------------ division and root

static bool division_is_right(void) {
    // Numerator, denominator, quotient. None of the quotients is near the middle between two numbers.
    static const af_real known[][3] = {
        {1, 3, AF_R(0.33333333333333333333)},    {2, 3, AF_R(0.66666666666666666667)},
        {5, 7, AF_R(0.71428571428571428571)},    {1, 10, AF_R(0.1)},
        {355, 113, AF_R(3.1415929203539823009)}, {1, 49, AF_R(0.020408163265306122449)},
        {9, 11, AF_R(0.81818181818181818182)},   {4097, 8191, AF_R(0.50018312782322060798)}};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        volatile af_real a = known[i][0];
        volatile af_real b = known[i][1];
        if (!af_is_same(a / b, known[i][2])) {
            return false;
        }
    }
    return true;
}

static bool square_root_is_right(void) {
    static const af_real known[][2] = {{2, AF_R(1.4142135623730950488)},
                                       {3, AF_R(1.7320508075688772935)},
                                       {5, AF_R(2.2360679774997896964)},
                                       {7, AF_R(2.6457513110645905905)},
                                       {10, AF_R(3.1622776601683793320)},
                                       {12345, AF_R(111.10805551354051124)},
                                       {16, 4},
                                       {0, 0}};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        volatile af_real x = known[i][0];
        if (!af_is_same(af_sqrt(x), known[i][1])) {
            return false;
        }
    }
    volatile af_real quarter = AF_TINY / 4; // subnormal: an even power of two below the smallest normal number
    const af_real root = af_sqrt(quarter);
    return af_is_same(root * root, quarter);
}

// --------------------------------------------------------------------------------------------- the shipped operations

enum { N_IN = 8, N_OUT = 8, N_PROBE = 64, N_ROUNDS = 16 };

/// b + x0 w0 + x1 w1 + ... with b = 2^24 (in double 2^53), where adding 1 changes nothing: 1s that come before the
/// large term is subtracted are lost, those after it count. Any order but the index order counts a different number of
/// them.
static bool sums_run_in_order(void) {
    const af_real big = AF_R(2) / AF_ULP;
    const af_real x[N_IN] = {1, 1, 1, -big, 1, 1, 1, 1};
    const af_real w[N_IN] = {1, 1, 1, 1, 1, 1, 1, 1};
    af_real y = 0;
    af_linear_forward(&y, x, w, &big, 1, N_IN, 1);
    return af_is_same(y, 4);
}

/// Writes the next 64 numbers of a stream, in [-4, 4).
static void draw(af_real *const x, uint32_t *const word) {
    for (size_t i = 0; i < N_PROBE; i++) {
        *word = *word * 1664525U + 1013904223U;
        x[i] = ((af_real)(int32_t)(*word >> 8) - AF_R(8388608)) / AF_R(2097152);
    }
}

/// Softmax of numbers x for which exp x differs if products in it are fused with sums, as for one x in 150000. The
/// largest is 0, so that softmax subtracts nothing.
static uint32_t softmax_crc(const uint32_t crc, af_real *const y) {
    static const int32_t hard[] = {165701, 170643, 534293, 918023, 924449, 930573, 1228003, 1257201, 0};
    enum { N = sizeof(hard) / sizeof(hard[0]) };
    for (size_t i = 0; i < N; i++) {
        y[i] = (af_real)-hard[i] / AF_R(524288);
    }
    af_softmax(y, y, N);
    return af_crc32c_reals(crc, y, N);
}

/// CRC-32C of the results of softmax, GELU and a linear layer for numbers of many sizes, also subnormal ones; in enough
/// rounds for fused operations in any of them to show.
static uint32_t operations_crc(void) {
    af_real x[N_PROBE];
    af_real y[N_PROBE];
    uint32_t word = 1;
    uint32_t crc = softmax_crc(0, y);
    for (size_t round = 0; round < N_ROUNDS; round++) {
        draw(x, &word);
        af_gelu_forward(y, x, N_PROBE);
        crc = af_crc32c_reals(crc, y, N_PROBE);
        for (size_t i = 0; i < N_PROBE; i++) {
            y[i] =
                x[i] * AF_R(AF_REAL_IS_DOUBLE ? 93 : 13); // differences up to 104: the smallest weights are subnormal
        }
        af_softmax(y, y, N_PROBE);
        crc = af_crc32c_reals(crc, y, N_PROBE);
        af_linear_forward(y, x, x, x, N_OUT, N_IN, N_OUT);
        crc = af_crc32c_reals(crc, y, N_PROBE);
    }
    return crc;
}

/// Its value on every machine with IEEE 754 arithmetic.
#define AFI_OPERATIONS_CRC (AF_REAL_IS_DOUBLE ? 0x8bb7fdebu : 0xaecae426u)

af_status af_liberties_check(const volatile af_real *const v) {
    return af_liberties(v);
}

af_status af_selftest(void) {
    const af_status mode = af_float_check();
    if (mode != AF_OK) {
        return mode;
    }
    if (vectors_flush()) {
        return AF_ERR_FLUSH_TO_ZERO;
    }
    if (has_excess_precision()) {
        return AF_ERR_EXCESS_PRECISION;
    }
    const af_status files = liberties_of_files();
    if (files != AF_OK) {
        return files;
    }
    if (!division_is_right()) {
        return AF_ERR_DIVISION;
    }
    if (!square_root_is_right()) {
        return AF_ERR_SQUARE_ROOT;
    }
    if (!sums_run_in_order()) {
        return AF_ERR_SUM_ORDER;
    }
    if (operations_crc() != AFI_OPERATIONS_CRC) {
        return AF_ERR_KERNEL;
    }
    return AF_OK;
}

#include "af_inner_export.h"
