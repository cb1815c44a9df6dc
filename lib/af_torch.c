// SPDX-License-Identifier: MIT
// Words of PyTorch's stream, and what its initialisation draws from them.
#define AF_FILE_torch 0, AF_OWN
#include "af_inner_liberties.h"
#include "af_inner_sqrt64.h"
#include "af_torch.h"

#if AF_STREAMS

#define AFI_WORDS 624             // of the twister's state
#define AFI_BLOCK 16              // values that normal_() makes together
#define AFI_UNIT  5.96046448e-08F // 2^-24

AF_STATIC_ASSERT(sizeof(struct af_torch) == 4 * (AFI_WORDS + 1), torch_state_has_no_padding);

// ------------------------------------------------------------------------------------------------------------ MT19937

static void renew(struct af_torch *const stream) {
    for (size_t i = 0; i < AFI_WORDS; i++) {
        const uint32_t m = (stream->word[i] & 0x80000000U) | (stream->word[(i + 1) % AFI_WORDS] & 0x7FFFFFFFU);
        stream->word[i] = stream->word[(i + 397) % AFI_WORDS] ^ m >> 1 ^ ((m & 1) != 0 ? 0x9908B0DFU : 0U);
    }
    stream->next = 0;
}

/// 24 random bits: as an integer k what is k 2^-24 in PyTorch, uniform in [0, 1).
static uint32_t draw_24_bits(struct af_torch *const stream) {
    return af_torch_u32(stream) & 0xFFFFFFU;
}

// ----------------------------------------------------------------------------- the polynomials of PyTorch's AVX2 code
//
// Outside fused(), a product of floats that enters a sum is exact or is stored through a double first. So even a
// compiler that contracts to fma in spite of its options gets these bits.

/// a b + c rounded once. The double product of two floats is exact. The double sum is not always, but over all inputs
/// of the functions below rounding it to double first never changes the float.
static float fused(const float a, const float b, const float c) {
    return (float)((double)a * (double)b + (double)c);
}

/// ln(k 2^-24), 1 <= k <= 2^24; at most 0.
static float log_24(uint32_t k) {
    static const float p[9] = {0.0703768358F, -0.115146101F, 0.116769984F, -0.12420141F, 0.142493233F,
                               -0.166680574F, 0.200007141F,  -0.24999994F, 0.333333313F};
    static const float ln2_low = -0.000212194442F;
    static const float ln2_high = 0.693359375F; // 9 significant bits: exact times any exponent here
    static const float sqrt_half = 0.707106769F;

    // k 2^-24 = m 2^e, 1/2 <= m < 1 (or k 2^-24 = m = 1); then t = m - 1 with m in [sqrt(1/2), sqrt(2)). All exact.
    int e = 0;
    for (; k < 0x800000U; k <<= 1) {
        e--;
    }
    const float m = (float)k * AFI_UNIT;
    float t = m - 1.0F;
    if (m < sqrt_half) {
        t += m;
        e--;
    }

    const float z = t * t;
    float y = p[0];
    for (size_t i = 1; i < 9; i++) {
        y = fused(y, t, p[i]);
    }
    y *= t;
    y = fused(y, z, (float)e * ln2_low);
    y -= 0.5F * z;
    return (t + y) + (float)e * ln2_high;
}

/// Cosine and sine of th, 0 <= th <= 2 pi.
static void cos_sin(float *const cos_th, float *const sin_th, const float th) {
    static const float pi_4[3] = {-0.78515625F, -0.000241875648F, -3.77489506e-08F}; // -pi / 4 in three pieces
    static const float c[3] = {2.44331568e-05F, -0.00138873165F, 0.0416666456F};
    static const float s[3] = {-0.000195152956F, 0.00833216123F, -0.166666552F};
    static const float four_over_pi = 1.27323949F;

    // x = th - octant pi / 4 with octant even: |x| <= pi / 4, and a cosine polynomial and a sine polynomial are enough.
    const uint32_t octant = ((uint32_t)(th * four_over_pi) + 1U) & ~1U;
    float x = th;
    for (size_t i = 0; i < 3; i++) {
        x = fused((float)octant, pi_4[i], x);
    }
    const float z = x * x;

    float cos_x = fused(fused(c[0], z, c[1]), z, c[2]);
    cos_x *= z;
    cos_x = fused(cos_x, z, -0.5F * z) + 1.0F;

    float sin_x = fused(fused(s[0], z, s[1]), z, s[2]);
    sin_x *= z;
    sin_x = fused(sin_x, x, x);

    // octant             0 or 8   2        4        6
    // (cos th, sin th)   (c, s)   (-s, c)  (-c, -s) (s, -c)
    const bool swap = (octant & 2U) != 0;
    const float cos_size = swap ? sin_x : cos_x;
    const float sin_size = swap ? cos_x : sin_x;
    *cos_th = octant == 2U || octant == 4U ? -cos_size : cos_size;
    *sin_th = octant == 4U || octant == 6U ? -sin_size : sin_size;
}

/// Draws 16 words and turns them into 16 normals: word j and word j + 8 make value j and value j + 8.
static void normal_block(struct af_torch *const stream, af_real out[AFI_BLOCK]) {
    static const float two_pi = 6.28318548F;
    uint32_t k[AFI_BLOCK];
    for (size_t i = 0; i < AFI_BLOCK; i++) {
        k[i] = draw_24_bits(stream);
    }
    for (size_t j = 0; j < AFI_BLOCK / 2; j++) {
        // u1 = 1 - k 2^-24 is in (0, 1], so the logarithm exists and the radius is at most sqrt(2 ln 2^24) = 5.77.
        const float radius = (float)af_sqrt_double((double)(-2.0F * log_24(0x1000000U - k[j])));
        float cos_th = 0;
        float sin_th = 0;
        cos_sin(&cos_th, &sin_th, (float)k[j + AFI_BLOCK / 2] * AFI_UNIT * two_pi);
        // normal_() still multiplies by std = 1 and adds mean = 0. It turns -0, from u1 = 1, into +0: no other change.
        out[j] = (af_real)(radius * cos_th + 0.0F);
        out[j + AFI_BLOCK / 2] = (af_real)(radius * sin_th + 0.0F);
    }
}

// ------------------------------------------------------------------------------------------------------ what is drawn

void af_torch_seed(struct af_torch *const stream, const uint64_t seed) {
    stream->word[0] = (uint32_t)seed;
    for (uint32_t i = 1; i < AFI_WORDS; i++) {
        stream->word[i] = 1812433253U * (stream->word[i - 1] ^ stream->word[i - 1] >> 30) + i;
    }
    stream->next = AFI_WORDS;
}

uint32_t af_torch_u32(struct af_torch *const stream) {
    if (stream->next >= AFI_WORDS) {
        renew(stream);
    }
    uint32_t y = stream->word[stream->next];
    stream->next++;
    y ^= y >> 11;
    y ^= y << 7 & 0x9D2C5680U;
    y ^= y << 15 & 0xEFC60000U;
    return y ^ y >> 18;
}

void af_torch_uniform(struct af_torch *const stream, af_real *const out, const size_t n, const size_t fan_in) {
    const float b = fan_in != 0 ? (float)(1.0 / af_sqrt_double((double)fan_in)) : 0.0F;
    const float from = -b;
    const float span = b - from;
    for (size_t i = 0; i < n; i++) {
        // Exact in double, so that the cast is the only rounding: with b = B 2^s, B a 24-bit integer, the product is
        // k B 2^(s - 23) and the sum (k - 2^23) B 2^(s - 23): integers of at most 48 bits. No fma is needed.
        const uint32_t bits = draw_24_bits(stream);
        const float x = (float)bits * AFI_UNIT;
        out[i] = (af_real)(float)((double)x * (double)span + (double)from);
    }
}

bool af_torch_normal(struct af_torch *const stream, af_real *const out, const size_t n) {
    if (n < AFI_BLOCK) {
        return false;
    }
    size_t i = 0;
    for (; n - i >= AFI_BLOCK; i += AFI_BLOCK) {
        normal_block(stream, &out[i]);
    }
    // An incomplete block: PyTorch draws words for its values, discards them, and draws the LAST 16 values anew.
    if (i < n) {
        for (; i < n; i++) {
            (void)af_torch_u32(stream);
        }
        normal_block(stream, &out[n - AFI_BLOCK]);
    }
    return true;
}

af_status af_liberties_torch(const volatile af_real *const v) {
    return af_liberties(v);
}

#endif

#include "af_inner_export.h"
