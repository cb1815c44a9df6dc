// SPDX-License-Identifier: MIT
// Sinusoidal position encoding: frequencies, the encoding, and the rotation from one position to another.
#include "functions.h"
#include "inner.h"
#include "layers.h"

/// 10000^e, 0 <= e < 1, correctly rounded unless its exact value lies next to the middle of two numbers: in the double
/// build within 2^-45 of their distance; in the float build one value in 100,000 does.
static af_real power_of_10000(const af_real e) {
#if AF_REAL_IS_DOUBLE
    const n7_pair ln_10000 = n7_pair_number(AF_R(9.2103403719761836), AF_R(-8.6830248935289974e-16));
    const int n_terms = 24; // the next one is below 2^-110
#else
    const n7_pair ln_10000 = n7_pair_number(AF_R(9.2103405), AF_R(-1.27901743e-07));
    const int n_terms = 14; // the next one is below 2^-57
#endif
    // e ln 10000 = k ln 2 + r; the product with the number of the leading bits is exact.
    const n7_pair exact = n7_pair_product(e, ln_10000.high);
    const n7_pair y = n7_pair_of(exact.high, exact.low + e * ln_10000.low);
    const af_real shifted = y.high * AF_LOG2_E + AF_ROUNDER;
    const af_real k = shifted - AF_ROUNDER;
    const n7_pair k_ln2 = n7_pair_product(k, AF_LN2_LOW);
    const n7_pair minus = n7_pair_number(-k_ln2.high, -k_ln2.low);
    const n7_pair first = n7_pair_number(y.high - k * AF_LN2_HIGH, y.low);
    const n7_pair r = n7_pair_plus(first, minus);

    // exp(r) = 1 + r (1 + r/2 (1 + r/3 (...)))
    const n7_pair one = n7_pair_number(AF_R(1), AF_R(0));
    n7_pair power = one;
    for (int i = n_terms; i > 0; i--) {
        power = n7_pair_plus(one, n7_pair_over(n7_pair_times(r, power), (af_real)i));
    }
    return power.high * af_exp_scale(af_bits_of(shifted) - af_bits_of(AF_ROUNDER) + AF_EXPONENT_BIAS);
}

void n7_position_omega(af_real *const omega, const size_t d) {
    for (size_t i = 0; i < d / 2; i++) {
        omega[i] = AF_R(1) / power_of_10000((af_real)(2 * i) / (af_real)d);
    }
}

void n7_position_forward(af_real *const pe, const af_real *const omega, const size_t n, const size_t d) {
    for (size_t p = 0; p < n; p++) {
        for (size_t i = 0; i < d / 2; i++) {
            const af_real angle = (af_real)p * omega[i];
            pe[p * d + 2 * i] = n7_sin(angle);
            pe[p * d + 2 * i + 1] = n7_cos(angle);
        }
    }
}

void n7_position_rotation(af_real *const rotation, const af_real *const omega, const size_t k, const size_t d) {
    for (size_t i = 0; i < d * d; i++) {
        rotation[i] = 0;
    }
    for (size_t i = 0; i < d / 2; i++) {
        const af_real angle = (af_real)k * omega[i];
        const af_real cosine = n7_cos(angle);
        const af_real sine = n7_sin(angle);
        af_real *const block = &rotation[2 * i * d + 2 * i];
        block[0] = cosine;
        block[1] = sine;
        block[d] = -sine;
        block[d + 1] = cosine;
    }
}

af_status n7_liberties_position(const volatile af_real *const v) {
    return af_liberties(v);
}
