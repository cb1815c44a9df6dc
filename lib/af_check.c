// SPDX-License-Identifier: MIT
// Does this machine compute as promised?
#define AF_FILE_check 0, AF_OWN
#include "af_check.h"
#include "af_crc32c.h"
#include "af_math.h"
#include "af_ops.h"

// The operands below are volatile: what a compiler computes while it compiles says nothing about the processor.

#if AF_REAL_IS_DOUBLE
#define AFI_TINY AF_R(2.2250738585072014e-308) /* smallest normal number */
#define AFI_ULP  AF_R(2.2204460492503131e-16)  /* distance from 1 to the next number */
#else
#define AFI_TINY AF_R(1.17549435e-38)
#define AFI_ULP  AF_R(1.1920929e-7)
#endif

static bool same(const af_real a, const af_real b) {
    return a >= b && a <= b;
}

// ------------------------------------------------------------------------------------------------- the quick look

af_status af_float_check(void) {
    volatile af_real tiny = AFI_TINY;
    volatile af_real half = AF_R(0.5);
    volatile af_real subnormal = tiny * half;
    // By its bits: where operands are read as zero, a comparison reads zero too.
    if (af_bits_of(subnormal) == 0) {
        return AF_ERR_FLUSH_TO_ZERO;
    }
    volatile af_real twice = subnormal + subnormal;
    if (!same(twice, tiny)) {
        return AF_ERR_SUBNORMAL_INPUT;
    }
    // 1 + ulp/4 and -1 - ulp/4 both stay where they are only when rounding goes to the nearest number.
    volatile af_real one = AF_R(1);
    volatile af_real quarter = AFI_ULP / 4;
    volatile af_real up = one + quarter;
    volatile af_real down = -one - quarter;
    volatile af_real back = one - quarter / 2; // a quarter of the spacing below 1
    volatile af_real tie = one + 2 * quarter;  // in the middle between 1, which is even, and the next number
    if (!same(up, 1)) {
        return AF_ERR_ROUND_UP;
    }
    if (!same(down, -1)) {
        return AF_ERR_ROUND_DOWN;
    }
    if (!same(back, 1)) {
        return AF_ERR_ROUND_TO_ZERO;
    }
    return same(tie, 1) ? AF_OK : AF_ERR_ROUND_TIES;
}

/// Vector units may have rules of their own: Arm's MVE flushes whatever the mode says. A compiler that uses one for the
/// loops of the library uses it for this loop.
static bool vectors_flush(void) {
    enum { N = 16 };
    volatile af_real tiny = AFI_TINY;
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

/// (1 + u)(1 - u) - 1 with u = 2 ulp: the product rounds to 1, so the difference is 0; fused, it is -u^2.
static bool is_contracted(void) {
    volatile af_real a = AF_R(1) + 2 * AFI_ULP;
    volatile af_real b = AF_R(1) - 2 * AFI_ULP;
    const af_real x = a;
    const af_real y = b;
    volatile af_real minus_one = AF_R(-1);
    const af_real z = minus_one;
    return !same(x * y + z, 0);
}

/// 1 + ulp/2 is 1 and 2^126 times 2^126 is infinite where each operation rounds to its type; wider registers hold more.
static bool has_excess_precision(void) {
    volatile af_real one = AF_R(1);
    volatile af_real half = AFI_ULP / 2;
    volatile af_real huge = AF_R(1) / AFI_TINY;
    volatile af_real infinity = af_real_of(AF_INFINITY_BITS);
    const af_real x = one;
    const af_real y = half;
    const af_real h = huge;
    // Not by same(): what is handed over as af_real is rounded.
    return x + y > one || h * h < infinity;
}

/// Whether the compiler may regroup sums, multiply by reciprocals, forget the sign of zero or that there are numbers
/// that are none: -ffast-math and its parts. Where a compiler has a macro for them, af_config.h has refused them.
static bool is_fast_math(void) {
    volatile af_real one = AF_R(1);
    volatile af_real half = AFI_ULP / 2;
    volatile af_real minus_zero = -AF_R(0);
    volatile af_real infinity = af_real_of(AF_INFINITY_BITS);
    const af_real x = one;
    const af_real y = half;
    const af_real zero = minus_zero;
    const af_real endless = infinity;
    const af_real nan = endless - endless;
    if (!same((x + y) - x, 0) || af_bits_of(AF_R(0) + zero) != 0 || same(nan, nan)) {
        return true;
    }
    // Of divisions by the same number, and by a constant, a compiler would make multiplications.
    volatile af_real divisor = AF_R(49);
    const af_real common = divisor;
    for (int i = 1; i <= 64; i++) {
        volatile af_real numerator = (af_real)i;
        const af_real n = numerator;
        const af_real quotient = n / divisor;
        if (!same(n / common, quotient) || !same(n / AF_R(49), quotient)) {
            return true;
        }
    }
    return false;
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
    volatile af_real quarter = AFI_TINY / 4; // subnormal: an even power of two below the smallest normal number
    const af_real root = af_sqrt(quarter);
    return same(root * root, quarter);
}

// --------------------------------------------------------------------------------------------- the shipped operations

enum { N_IN = 8, N_OUT = 8, N_PROBE = 64, N_ROUNDS = 16 };

/// b + x0 w0 + x1 w1 + ... with b = 2^24 (in double 2^53), where adding 1 changes nothing: 1s that come before the
/// large term is taken off are lost, those after it count. Any other order than the index order counts another number
/// of them.
static bool sums_run_in_order(void) {
    const af_real big = AF_R(2) / AFI_ULP;
    const af_real x[N_IN] = {1, 1, 1, -big, 1, 1, 1, 1};
    const af_real w[N_IN] = {1, 1, 1, 1, 1, 1, 1, 1};
    af_real y = 0;
    af_linear_forward(&y, x, w, &big, 1, N_IN, 1);
    return same(y, 4);
}

/// 64 numbers in [-4, 4), the next ones of a stream.
static void draw(af_real *const x, uint32_t *const word) {
    for (size_t i = 0; i < N_PROBE; i++) {
        *word = *word * 1664525U + 1013904223U;
        x[i] = ((af_real)(int32_t)(*word >> 8) - AF_R(8388608)) / AF_R(2097152);
    }
}

#if AF_TRAINING
/// Steps of AdamW: from moments so small that beta1 m is subnormal for some of them, and from those that came out.
static uint32_t adamw_crc(const uint32_t crc, af_real *const y, const af_real *const x) {
    static const struct af_adamw how = AF_ADAMW_CHAPTER;
    af_real *const d = &y[N_IN];
    af_real m[N_IN];
    af_real v[N_IN] = {0, 0, 0, 0, 0, 0, 0, 0};
    for (size_t i = 0; i < N_IN; i++) {
        m[i] = AFI_TINY * x[i];
        d[i] = m[i];
    }
    af_adamw_update(y, m, v, d, how, AF_R(AF_ADAMW_BETA1_REST), AF_R(AF_ADAMW_BETA2_REST), N_IN);
    uint32_t sum = af_crc32c_reals(crc, m, N_IN);
    af_adamw_update(y, m, v, x, how, AF_R(AF_ADAMW_BETA1_REST), AF_R(AF_ADAMW_BETA2_REST), N_IN);
    af_adamw_update(y, m, v, &x[N_IN], how, AF_R(AF_ADAMW_BETA1_REST), AF_R(AF_ADAMW_BETA2_REST), N_IN);
    sum = af_crc32c_reals(sum, m, N_IN);
    sum = af_crc32c_reals(sum, v, N_IN);
    return af_crc32c_reals(sum, y, N_IN);
}
#endif

/// Softmax of numbers x whose exp x comes out differently if products in it are fused with sums: one in 150000 is so.
/// The largest is 0, so that nothing is taken off.
static uint32_t softmax_crc(const uint32_t crc, af_real *const y) {
    static const int32_t hard[] = {165701, 170643, 534293, 918023, 924449, 930573, 1228003, 1257201, 0};
    enum { N = sizeof(hard) / sizeof(hard[0]) };
    for (size_t i = 0; i < N; i++) {
        y[i] = (af_real)-hard[i] / AF_R(524288);
    }
    af_softmax(y, y, N);
    return af_crc32c_reals(crc, y, N);
}

/// CRC-32C of what softmax, GELU, a linear layer and AdamW make of numbers of many sizes, subnormal ones among them. As
/// many rounds as it takes for fused operations in one of them to show.
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
#if AF_TRAINING
        crc = adamw_crc(crc, y, x);
        af_gelu_backward(y, x, x, N_PROBE);
        crc = af_crc32c_reals(crc, y, N_PROBE);
        af_linear_backward_x(y, x, x, N_OUT, N_IN, N_OUT);
        crc = af_crc32c_reals(crc, y, N_PROBE);
        af_linear_backward_w(&y[N_OUT], y, x, x, N_OUT - 1, N_IN, N_OUT - 1, 0, N_OUT - 1);
        crc = af_crc32c_reals(crc, y, N_PROBE);
#endif
    }
    return crc;
}

/// The value on every machine that computes as IEEE 754 says.
#if AF_REAL_IS_DOUBLE
#define AFI_OPERATIONS_CRC (AF_TRAINING ? 0x0be4cd27u : 0x8bb7fdebu)
#else
#define AFI_OPERATIONS_CRC (AF_TRAINING ? 0x13a5efeeu : 0xaecae426u)
#endif

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
    if (is_contracted()) {
        return AF_ERR_CONTRACTED;
    }
    if (is_fast_math()) {
        return AF_ERR_FAST_MATH;
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

#include "af_export.h"
