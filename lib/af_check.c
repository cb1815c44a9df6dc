// SPDX-License-Identifier: MIT
// Does this machine compute as promised?
#include "af_check.h"
#include "af_crc32c.h"
#include "af_math.h"
#include "af_ops.h"

// The operands below are volatile: what a compiler computes while it compiles says nothing about the processor.

#if AF_REAL_IS_DOUBLE
#define TINY AF_R(2.2250738585072014e-308) /* smallest normal number */
#define ULP  AF_R(2.2204460492503131e-16)  /* distance from 1 to the next number */
#else
#define TINY AF_R(1.17549435e-38)
#define ULP  AF_R(1.1920929e-7)
#endif

static bool same(const af_real a, const af_real b) {
    return a >= b && a <= b;
}

// ------------------------------------------------------------------------------------------------- the quick look

af_status af_float_check(void) {
    volatile af_real tiny = TINY;
    volatile af_real half = AF_R(0.5);
    volatile af_real subnormal = tiny * half;
    if (same(subnormal, 0)) {
        return AF_ERR_FLUSH_TO_ZERO;
    }
    volatile af_real twice = subnormal + subnormal;
    if (!same(twice, tiny)) {
        return AF_ERR_SUBNORMAL_INPUT;
    }
    // 1 + ulp/4 and -1 - ulp/4 both stay where they are only when rounding goes to the nearest number.
    volatile af_real one = AF_R(1);
    volatile af_real quarter = ULP / 4;
    volatile af_real up = one + quarter;
    volatile af_real down = -one - quarter;
    volatile af_real back = one - quarter / 2; // a quarter of the spacing below 1
    if (!same(up, 1)) {
        return AF_ERR_ROUND_UP;
    }
    if (!same(down, -1)) {
        return AF_ERR_ROUND_DOWN;
    }
    if (!same(back, 1)) {
        return AF_ERR_ROUND_TO_ZERO;
    }
    return AF_OK;
}

// ------------------------------------------------------------------------------------------------------ contraction

/// (1 + u)(1 - u) - 1 with u = 2 ulp: the product rounds to 1, so the difference is 0; fused, it is -u^2.
static bool is_contracted(void) {
    volatile af_real a = AF_R(1) + 2 * ULP;
    volatile af_real b = AF_R(1) - 2 * ULP;
    const af_real x = a;
    const af_real y = b;
    volatile af_real minus_one = AF_R(-1);
    const af_real z = minus_one;
    return !same(x * y + z, 0);
}

/// (1 + ulp/2) is 1 when each operation rounds to its type; in wider registers the half survives until it is taken off.
static bool has_excess_precision(void) {
    volatile af_real one = AF_R(1);
    volatile af_real half = ULP / 2;
    volatile af_real huge = AF_R(1) / TINY;
    const af_real x = one;
    const af_real y = half;
    const af_real h = huge;
    return !same((x + y) - x, 0) || same((h * h) / h, h);
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
        if (!same(a / b, known[i][2])) {
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
        if (!same(af_sqrt(x), known[i][1])) {
            return false;
        }
    }
    volatile af_real quarter = TINY / 4; // subnormal: an even power of two below the smallest normal number
    const af_real root = af_sqrt(quarter);
    return same(root * root, quarter);
}

// --------------------------------------------------------------------------------------------- the shipped operations

enum { N_IN = 8, N_OUT = 8, N_PROBE = 64 };

/// b + x0 w0 + x1 w1 + ... with b = 2^24 (in double 2^53), where adding 1 changes nothing: 1s that come before the large
/// term is taken off are lost, those after it count. Any other order than the index order counts another number of them.
static bool sums_run_in_order(void) {
    const af_real big = AF_R(2) / ULP;
    const af_real x[N_IN] = {1, 1, 1, -big, 1, 1, 1, 1};
    const af_real w[N_IN] = {1, 1, 1, 1, 1, 1, 1, 1};
    af_real y = 0;
    af_linear_forward(&y, x, w, &big, 1, N_IN, 1);
    return same(y, 4);
}

/// CRC-32C of what softmax, GELU, a linear layer and AdamW make of numbers of many sizes, subnormal ones among them.
static uint32_t operations_crc(void) {
    af_real x[N_PROBE];
    af_real y[N_PROBE];
    uint32_t word = 1;
    for (size_t i = 0; i < N_PROBE; i++) {
        word = word * 1664525U + 1013904223U;
        x[i] = ((af_real)(int32_t)(word >> 8) - AF_R(8388608)) / AF_R(2097152); // [-4, 4)
    }
    uint32_t crc = 0;
    af_gelu_forward(y, x, N_PROBE);
    crc = af_crc32c_reals(crc, y, N_PROBE);
    for (size_t i = 0; i < N_PROBE; i++) {
        y[i] = x[i] * AF_R(AF_REAL_IS_DOUBLE ? 93 : 13); // differences up to 104: the smallest weights are subnormal
    }
    af_softmax(y, y, N_PROBE);
    crc = af_crc32c_reals(crc, y, N_PROBE);
    af_linear_forward(y, x, x, x, N_OUT, N_IN, N_OUT);
    crc = af_crc32c_reals(crc, y, N_PROBE);
#if AF_TRAINING
    static const struct af_adamw how = AF_ADAMW_CHAPTER;
    af_real m[N_IN] = {0, 0, 0, 0, 0, 0, 0, 0};
    af_real v[N_IN] = {0, 0, 0, 0, 0, 0, 0, 0};
    for (size_t i = 0; i < N_IN; i++) {
        m[i] = TINY * x[i]; // beta1 m is subnormal for some of them
    }
    af_adamw_update(y, m, v, x, how, AF_R(AF_ADAMW_BETA1_REST), AF_R(AF_ADAMW_BETA2_REST), N_IN);
    crc = af_crc32c_reals(crc, y, N_IN);
    af_adamw_update(y, v, m, m, how, AF_R(AF_ADAMW_BETA1_REST), AF_R(AF_ADAMW_BETA2_REST), N_IN);
    crc = af_crc32c_reals(crc, v, N_IN);
#endif
    return crc;
}

/// The value on every machine that computes as IEEE 754 says.
#if AF_REAL_IS_DOUBLE
#define OPERATIONS_CRC (AF_TRAINING ? 0xf7873318u : 0xef2d845fu)
#else
#define OPERATIONS_CRC (AF_TRAINING ? 0x351c5b06u : 0x2c054238u)
#endif

af_status af_selftest(void) {
    const af_status mode = af_float_check();
    if (mode != AF_OK) {
        return mode;
    }
    if (has_excess_precision()) {
        return AF_ERR_EXCESS_PRECISION;
    }
    if (is_contracted()) {
        return AF_ERR_CONTRACTED;
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
    if (operations_crc() != OPERATIONS_CRC) {
        return AF_ERR_KERNEL;
    }
    return AF_OK;
}
