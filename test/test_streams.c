// SPDX-License-Identifier: MIT
/// The random streams against NumPy and PyTorch: every expected number was drawn by them (vectors/make_streams.py), or
/// is a fact that the chapter "Attention and the transformer block" states about its data.
#include <criterion/criterion.h>
#include <math.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "af_numpy.h"
#include "af_inner_sqrt64.h"
#include "af_torch.h"

#include "fnv.h"
#include "vectors/streams.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

// ------------------------------------------------------------------------------------------------------- helpers

static double double_of_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint32_t bits_of_float(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static float float_of_bits(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/// A value as the bits of a float. In the double build it must already be one.
static uint32_t bits_of(af_real x) {
    const float narrow = (float)x;
    cr_assert((double)narrow == (double)x, "%a is not a float", (double)x);
    return bits_of_float(narrow);
}

static uint64_t fnv_of(const af_real *x, size_t n) {
    uint64_t hash = fnv_start;
    for (size_t i = 0; i < n; ++i) {
        hash = fnv(hash, bits_of(x[i]), 4);
    }
    return hash;
}

/// Stops the test with both words and a note unless they are equal.
#define assert_word(actual, expected, note, ...)                                                                       \
    do {                                                                                                               \
        const uint64_t actual_ = (actual), expected_ = (expected);                                                     \
        cr_assert(actual_ == expected_, note ": got %#" PRIx64 ", not %#" PRIx64, __VA_ARGS__, actual_, expected_);    \
    } while (0)

// --------------------------------------------------------------------------------------------------------- NumPy

Test(numpy, state_after_seeding) {
    for (size_t i = 0; i < COUNT(numpy_seeds); ++i) {
        struct af_numpy g;
        memset(&g, 0xA5, sizeof g);
        af_numpy_seed(&g, numpy_seeds[i]);
        const struct af_numpy expected = {
            numpy_states[4 * i], numpy_states[4 * i + 1], numpy_states[4 * i + 2], numpy_states[4 * i + 3], 0, 0};
        cr_assert(memcmp(&g, &expected, sizeof g) == 0, "seed %#" PRIx64, numpy_seeds[i]);
    }
}

// promise: numpy-stream
Test(numpy, words) {
    for (size_t i = 0; i < COUNT(numpy_seeds); ++i) {
        struct af_numpy g;
        af_numpy_seed(&g, numpy_seeds[i]);
        for (size_t k = 0; k < 10; ++k) {
            assert_word(af_numpy_u64(&g), numpy_words[10 * i + k], "word %zu of seed %#" PRIx64, k, numpy_seeds[i]);
        }
    }
}

Test(numpy, doubles) {
    for (size_t i = 0; i < COUNT(numpy_seeds); ++i) {
        struct af_numpy g;
        af_numpy_seed(&g, numpy_seeds[i]);
        for (size_t k = 0; k < 10; ++k) {
            const double x = af_numpy_double(&g);
            assert_word(bits_of_double(x), numpy_doubles[10 * i + k], "%zu of seed %#" PRIx64, k, numpy_seeds[i]);
            cr_assert(x >= 0 && x < 1);
        }
    }
}

Test(numpy, half_words_come_lower_half_first_and_survive_other_draws) {
    struct af_numpy g;
    af_numpy_seed(&g, numpy_seeds[0]);
    cr_assert_eq(af_numpy_u32(&g), (uint32_t)numpy_words[0]);
    cr_assert_eq(g.half_pending, 1);
    cr_assert_eq(af_numpy_u64(&g), numpy_words[1]);
    (void)af_numpy_double(&g);
    cr_assert_eq(af_numpy_u32(&g), (uint32_t)(numpy_words[0] >> 32));
    cr_assert_eq(g.half_pending, 0);
    cr_assert_eq(af_numpy_u32(&g), (uint32_t)numpy_words[3]);
}

Test(numpy, equal_futures_have_equal_bytes) {
    struct af_numpy a, b;
    af_numpy_seed(&a, 7);
    af_numpy_seed(&b, 7);
    for (int i = 0; i < 3; ++i) {
        (void)af_numpy_u32(&a);
        (void)af_numpy_u32(&a);
        (void)af_numpy_u64(&b);
    }
    cr_assert(memcmp(&a, &b, sizeof a) == 0);
}

/// Two of the rows reject words: integers(0, 2147483649) of seed 0 and integers(0, 3000000000) of seed 1.
Test(numpy, integers) {
    for (size_t row = 0; row < INTEGER_ROWS; ++row) {
        const uint64_t *const v = numpy_integers + 15 * row;
        const uint32_t lo = (uint32_t)v[1], hi = (uint32_t)v[2];
        struct af_numpy g;
        af_numpy_seed(&g, v[0]);
        for (size_t i = 0; i < 10; ++i) {
            assert_word(af_numpy_integer(&g, lo, hi), v[3 + i], "value %zu of row %zu", i, row);
        }
        assert_word(af_numpy_u64(&g), v[13], "the word after row %zu", row);
        assert_word(g.half, v[14], "the half word pending after row %zu", row);
        assert_word(g.half_pending, v[14] != 0, "row %zu", row);
    }
}

Test(numpy, integers_doubles_and_rejections_mixed) {
    struct af_numpy g;
    af_numpy_seed(&g, 12345);
    uint64_t hash = fnv_start;
    for (int i = 0; i < 2000; ++i) {
        hash = fnv(hash, af_numpy_integer(&g, 3, 9), 8);
        for (int k = 0; k < 3; ++k) {
            hash = fnv(hash, af_numpy_integer(&g, 0, 3000000000U), 8);
        }
        if (i % 7 == 0) {
            hash = fnv(hash, bits_of_double(af_numpy_double(&g)), 8);
        }
    }
    cr_assert_eq(hash, numpy_mixed_fnv[0]);
    cr_assert_eq(g.state_hi, numpy_mixed_state[0]);
    cr_assert_eq(g.state_lo, numpy_mixed_state[1]);
}

// promise: empty-interval-draws-nothing
Test(numpy, an_interval_without_a_choice_draws_nothing) {
    struct af_numpy g, before;
    af_numpy_seed(&g, 1);
    (void)af_numpy_u32(&g);
    before = g;
    cr_assert_eq(af_numpy_integer(&g, 17, 18), 17);
    cr_assert_eq(af_numpy_integer(&g, UINT32_MAX - 1, UINT32_MAX), UINT32_MAX - 1);
    cr_assert_eq(af_numpy_integer(&g, 5, 5), 5);
    cr_assert_eq(af_numpy_integer(&g, 9, 3), 9);
    cr_assert(memcmp(&g, &before, sizeof g) == 0);
}

// promise: streams-end
/// Whatever bytes a generator holds, every draw comes to an end; one that was never seeded is that of seed 0.
Test(numpy, a_stream_that_was_never_seeded_is_that_of_seed_0, .timeout = 30) {
    for (unsigned kind = 0; kind < 6; kind++) {
        struct af_numpy zero, g;
        memset(&zero, 0, sizeof zero);
        af_numpy_seed(&g, 0);
        for (int i = 0; i < 100; ++i) {
            uint16_t p[2][9];
            switch (kind) {
            case 0:
                cr_assert_eq(af_numpy_u64(&zero), af_numpy_u64(&g));
                break;
            case 1:
                cr_assert_eq(af_numpy_u32(&zero), af_numpy_u32(&g));
                break;
            case 2:
                cr_assert_eq(af_numpy_integer(&zero, 3, 2147483652U), af_numpy_integer(&g, 3, 2147483652U));
                break;
            case 3:
                cr_assert_eq(bits_of_double(af_numpy_double(&zero)), bits_of_double(af_numpy_double(&g)));
                break;
            case 4:
                cr_assert_eq(bits_of_double(af_numpy_normal(&zero, 1, 2)), bits_of_double(af_numpy_normal(&g, 1, 2)));
                break;
            default:
                af_numpy_permutation(&zero, p[0], 9);
                af_numpy_permutation(&g, p[1], 9);
                cr_assert_arr_eq(p[0], p[1], sizeof p[0]);
                break;
            }
        }
        cr_assert(memcmp(&zero, &g, sizeof g) == 0);
    }
    // Fixed points of x -> multiplier x, and other states that a seed does not give, with half words of any kind.
    static const uint64_t words[] = {
        0, 1, 2, UINT64_C(1) << 63, UINT64_C(3) << 62, UINT64_MAX, UINT64_C(0x5555555555555555)};
    for (size_t i = 0; i < COUNT(words) * COUNT(words) * COUNT(words) * COUNT(words); ++i) {
        const size_t n = COUNT(words);
        struct af_numpy g = {words[i % n],           words[i / n % n],       words[i / (n * n) % n],
                             words[i / (n * n * n)], (uint32_t)words[i % n], (uint32_t)(i % 3)};
        uint16_t p[70];
        uint32_t sum = 0;
        for (int k = 0; k < 8; ++k) {
            sum += af_numpy_integer(&g, 0, 2147483649U) + af_numpy_integer(&g, 0, 3000000000U) +
                   af_numpy_integer(&g, 0, 3);
            cr_assert(isfinite(af_numpy_normal(&g, 0, 1)));
            af_numpy_permutation(&g, p, 65 + (uint16_t)(sum % 5));
        }
    }
}

Test(torch, a_stream_that_was_never_seeded_hands_out_0) {
    static struct af_torch zero;
    af_real x[20];
    for (int i = 0; i < 2000; ++i) {
        cr_assert_eq(af_torch_u32(&zero), 0u);
    }
    af_torch_uniform(&zero, x, 20, 4);
    cr_assert(x[0] == AF_R(-0.5) && x[19] == AF_R(-0.5));
    cr_assert(af_torch_normal(&zero, x, 20));
    cr_assert(x[0] == 0 && x[19] == 0);
    zero.next = UINT32_MAX; // no index is taken from memory unseen
    cr_assert_eq(af_torch_u32(&zero), 0u);
}

Test(numpy, mean_and_deviation_are_not_looked_at) {
    struct af_numpy a, b;
    af_numpy_seed(&a, 5);
    b = a;
    cr_assert(af_numpy_normal(&a, 0, 2) == -af_numpy_normal(&b, 0, -2));
    cr_assert(isnan(af_numpy_normal(&a, (double)NAN, 1)) && isnan(af_numpy_normal(&a, 0, (double)NAN)));
    cr_assert(isinf(af_numpy_normal(&a, -(double)INFINITY, 1)) && isinf(af_numpy_normal(&a, 0, (double)INFINITY)));
}

// -------------------------------------------------------------------------------------------- the chapter's data

#define TRAIN_STRINGS 96000
#define TEST_STRINGS  500

/// Draws a string of 3 to 8 letters as the chapter does: first its length, then its letters. Returns the length.
static unsigned draw_string(char text[9], struct af_numpy *g) {
    const unsigned length = af_numpy_integer(g, 3, 9);
    for (unsigned i = 0; i < length; ++i) {
        text[i] = (char)('a' + af_numpy_integer(g, 0, 10));
    }
    text[length] = '\0';
    return length;
}

/// A number that is different for different strings: its letters as decimal digits, after a 1 that keeps the length.
static uint32_t code_of(const char *text) {
    uint32_t code = 1;
    for (; *text != '\0'; ++text) {
        code = 10 * code + (uint32_t)(*text - 'a');
    }
    return code;
}

static int compare_codes(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static uint32_t train_codes[TRAIN_STRINGS];

Test(chapter, strings) {
    static const char *const first_train[] = {"gfcdaaab", "gjfgjhg", "fjciga", "ifahh"};
    static const char *const first_test[] = {"gfa", "ccbdbdie", "echiiiaf", "ccih"};
    static const unsigned train_counts[] = {16026, 15927, 16180, 15963, 15914, 15990};
    static const unsigned test_counts[] = {86, 75, 91, 106, 70, 72};

    struct af_numpy g;
    char text[9];
    af_numpy_seed(&g, 0);
    unsigned letters = 0;
    unsigned counts[9] = {0};
    for (size_t i = 0; i < TRAIN_STRINGS; ++i) {
        const unsigned length = draw_string(text, &g);
        cr_assert(i >= 4 || strcmp(text, first_train[i]) == 0, "training string %zu is %s", i, text);
        letters += length;
        ++counts[length];
        train_codes[i] = code_of(text);
    }
    cr_assert_eq(letters, 527782);
    for (size_t length = 3; length <= 8; ++length) {
        cr_assert_eq(counts[length], train_counts[length - 3], "%u of length %zu", counts[length], length);
    }
    cr_assert_eq(g.state_hi, 0xCA9706F51D8A8FCDU);
    cr_assert_eq(g.state_lo, 0xFF476B9432991FFEU);
    cr_assert_eq(g.half_pending, 0);

    qsort(train_codes, TRAIN_STRINGS, sizeof train_codes[0], compare_codes);
    unsigned distinct = 1;
    for (size_t i = 1; i < TRAIN_STRINGS; ++i) {
        distinct += train_codes[i] != train_codes[i - 1];
    }
    cr_assert_eq(distinct, 71610);

    af_numpy_seed(&g, 123);
    memset(counts, 0, sizeof counts);
    unsigned unseen = 0;
    for (size_t i = 0; i < TEST_STRINGS; ++i) {
        ++counts[draw_string(text, &g)];
        cr_assert(i >= 4 || strcmp(text, first_test[i]) == 0, "test string %zu is %s", i, text);
        const uint32_t code = code_of(text);
        unseen += bsearch(&code, train_codes, TRAIN_STRINGS, sizeof code, compare_codes) == NULL;
    }
    for (size_t length = 3; length <= 8; ++length) {
        cr_assert_eq(counts[length], test_counts[length - 3], "%u of length %zu", counts[length], length);
    }
    cr_assert_eq(unseen, 335);
}

// ------------------------------------------------------------------------------------------------------- PyTorch

// promise: torch-stream
Test(torch, words) {
    for (size_t i = 0; i < COUNT(torch_word_seeds); ++i) {
        struct af_torch g;
        af_torch_seed(&g, torch_word_seeds[i]);
        for (size_t k = 0; k < 13; ++k) {
            if (k == 10) {
                for (int skipped = 0; skipped < 2000; ++skipped) {
                    (void)af_torch_u32(&g);
                }
            }
            assert_word(af_torch_u32(&g) & 0x7FFFFFFF, torch_words[13 * i + k], "word %zu of seed %#" PRIx64, k,
                        torch_word_seeds[i]);
        }
    }
}

/// PyTorch shows 31 bits of a word; these are whole. 4123659995 is the 10,000th of seed 5489 in the C++ standard.
Test(torch, whole_words) {
    static const uint32_t words[][5] = {{0, 0x8C7F0AAC, 0x97C4AA2F, 0xB716A675, 0xD821CCC0},
                                        {1, 0x6AC1F425, 0xFF4780EB, 0xB8672F8C, 0xEEBC1448},
                                        {7, 0x1388F0AF, 0x3A32E4C4, 0xC7A8C219, 0x51A829F6},
                                        {12345, 0xEDFB51E2, 0xE3E12DE5, 0x50FDFD1D, 0x21760881}};
    struct af_torch g;
    for (size_t i = 0; i < COUNT(words); ++i) {
        af_torch_seed(&g, words[i][0]);
        for (size_t k = 1; k < 5; ++k) {
            assert_word(af_torch_u32(&g), words[i][k], "word %zu of seed %" PRIu32, k - 1, words[i][0]);
        }
    }
    af_torch_seed(&g, 5489);
    for (int i = 1; i < 10000; ++i) {
        (void)af_torch_u32(&g);
    }
    cr_assert_eq(af_torch_u32(&g), 4123659995U);
}

// promise: seed-32-bits
Test(torch, only_32_bits_of_the_seed_count) {
    struct af_torch a, b;
    memset(&a, 0, sizeof a);
    memset(&b, 0xA5, sizeof b);
    af_torch_seed(&a, 7);
    af_torch_seed(&b, ((uint64_t)1 << 40) + 7);
    cr_assert(memcmp(&a, &b, sizeof a) == 0);
}

enum kind { NORMAL, UNIFORM, ONE, ZERO };

/// The chapter's model in the order of parameters(), which is also the order of the draws. n: elements.
static const struct tensor {
    const char *name;
    enum kind kind;
    size_t n, fan_in;
} model[] = {
#define LINEAR(name, n_out, n_in)                                                                                      \
    {name ".weight", UNIFORM, (n_out) * (n_in), n_in}, {                                                               \
        name ".bias", UNIFORM, n_out, n_in                                                                             \
    }
#define LAYERNORM(name)                                                                                                \
    {name ".weight", ONE, 64, 0}, {                                                                                    \
        name ".bias", ZERO, 64, 0                                                                                      \
    }
#define BLOCK(name)                                                                                                    \
    LAYERNORM(name ".ln1"), LINEAR(name ".attn.qkv", 192, 64), LINEAR(name ".attn.out", 64, 64),                       \
        LAYERNORM(name ".ln2"), LINEAR(name ".mlp.0", 256, 64), LINEAR(name ".mlp.2", 64, 256)
    {"tok.weight", NORMAL, 768, 0},
    {"pos.weight", NORMAL, 1600, 0},
    BLOCK("blocks.0"),
    BLOCK("blocks.1"),
    LAYERNORM("ln_f"),
    LINEAR("head", 12, 64),
};

#define PARAMETERS 103244

static af_real parameters[PARAMETERS];

static void draw_tensor(af_real *out, struct af_torch *g, const struct tensor *t) {
    switch (t->kind) {
    case NORMAL:
        cr_assert(af_torch_normal(g, out, t->n));
        break;
    case UNIFORM:
        af_torch_uniform(g, out, t->n, t->fan_in);
        break;
    case ONE:
    case ZERO:
        for (size_t i = 0; i < t->n; ++i) {
            out[i] = t->kind == ONE ? 1 : 0;
        }
        break;
    }
}

// promise: pytorch-weights
Test(torch, every_parameter_of_the_initial_model) {
    cr_assert_eq(COUNT(model), MODEL_TENSORS);
    for (size_t s = 0; s < COUNT(torch_seeds); ++s) {
        const uint64_t *const expected = torch_model_fnv + (MODEL_TENSORS + 1) * s;
        struct af_torch g;
        af_torch_seed(&g, torch_seeds[s]);
        size_t at = 0;
        for (size_t i = 0; i < MODEL_TENSORS; ++i) {
            cr_assert_leq(at + model[i].n, PARAMETERS);
            draw_tensor(parameters + at, &g, &model[i]);
            assert_word(fnv_of(parameters + at, model[i].n), expected[i], "%s of seed %" PRIu64, model[i].name,
                        torch_seeds[s]);
            at += model[i].n;
        }
        cr_assert_eq(at, PARAMETERS);
        assert_word(fnv_of(parameters, PARAMETERS), expected[MODEL_TENSORS], "seed %" PRIu64, torch_seeds[s]);
        for (size_t k = 0; k < 3; ++k) {
            assert_word(af_torch_u32(&g) & 0x7FFFFFFF, torch_model_after[3 * s + k], "word %zu after the model", k);
        }
    }
}

/// The chapter's own seed once more, without the generated header: the total hash and the three words that follow.
Test(torch, initial_model_of_the_chapter) {
    struct af_torch g;
    af_torch_seed(&g, 1);
    size_t at = 0;
    for (size_t i = 0; i < COUNT(model); ++i) {
        draw_tensor(parameters + at, &g, &model[i]);
        at += model[i].n;
    }
    cr_assert_eq(at, PARAMETERS);
    cr_assert_eq(fnv_of(parameters, at), 0x494F4A77280285F6U);
    cr_assert_eq(af_torch_u32(&g), 0x378BA773U);
    cr_assert_eq(af_torch_u32(&g), 0xAD7536F5U);
    cr_assert_eq(af_torch_u32(&g), 0x0651798AU);
}

/// Most of these bounds are no powers of two: here it shows that product and sum are rounded together.
Test(torch, uniform_of_any_width) {
    for (size_t i = 0; i < COUNT(torch_uniform_fans); ++i) {
        const size_t fan_in = torch_uniform_fans[i];
        struct af_torch g;
        af_torch_seed(&g, 3);
        af_torch_uniform(&g, parameters, 16 * fan_in, fan_in);
        for (size_t k = 0; k < 16; ++k) {
            assert_word(bits_of(parameters[k]), torch_uniform_bits[16 * i + k], "%zu, fan_in %zu", k, fan_in);
        }
        assert_word(fnv_of(parameters, 16 * fan_in), torch_uniform_fnv[2 * i], "weight, fan_in %zu", fan_in);
        af_torch_uniform(&g, parameters, 16, fan_in);
        assert_word(fnv_of(parameters, 16), torch_uniform_fnv[2 * i + 1], "bias, fan_in %zu", fan_in);
    }
}

Test(torch, uniform_with_nothing_to_draw_or_nothing_coming_in) {
    struct af_torch g, before;
    af_torch_seed(&g, 3);
    before = g;
    af_torch_uniform(&g, NULL, 0, 64);
    cr_assert(memcmp(&g, &before, sizeof g) == 0);

    af_real out[4] = {1, 1, 1, 1};
    af_torch_uniform(&g, out, 3, 0);
    for (size_t i = 0; i < 3; ++i) {
        cr_assert_eq(bits_of(out[i]), 0);
    }
    cr_assert_eq(bits_of(out[3]), bits_of(1));
}

/// Some seeds make a radius of 0, with which cosines and sines below 0 give -0 in float: PyTorch returns +0.
Test(torch, normals_of_any_length_from_16) {
    const uint32_t *expected = torch_normal_bits;
    for (size_t i = 0; i < COUNT(torch_normal_rows) / 2; ++i) {
        const uint32_t seed = torch_normal_rows[2 * i];
        const size_t n = torch_normal_rows[2 * i + 1];
        struct af_torch g;
        af_torch_seed(&g, seed);
        parameters[n] = 42;
        cr_assert(af_torch_normal(&g, parameters, n));
        for (size_t k = 0; k < n; ++k) {
            assert_word(bits_of(parameters[k]), expected[k], "value %zu of %zu, seed %" PRIu32, k, n, seed);
        }
        cr_assert_eq(bits_of(parameters[n]), bits_of(42), "writes behind its %zu values", n);
        for (size_t k = 0; k < 2; ++k) {
            assert_word(af_torch_u32(&g) & 0x7FFFFFFF, torch_normal_after[2 * i + k], "word %zu after %zu", k, n);
        }
        expected += n;
    }
    cr_assert_eq(expected, torch_normal_bits + COUNT(torch_normal_bits));
}

Test(torch, a_hundred_thousand_normals) {
    struct af_torch g;
    af_torch_seed(&g, 6);
    cr_assert(af_torch_normal(&g, parameters, 100000));
    cr_assert_eq(fnv_of(parameters, 100000), torch_normal_fnv[0]);
}

// promise: short-normals-refused
Test(torch, fewer_than_16_normals_are_refused) {
    for (size_t n = 0; n < 16; ++n) {
        struct af_torch g, before;
        af_torch_seed(&g, 5);
        before = g;
        af_real out[16] = {0};
        cr_assert_not(af_torch_normal(&g, out, n));
        cr_assert(memcmp(&g, &before, sizeof g) == 0);
        for (size_t i = 0; i < 16; ++i) {
            cr_assert_eq(bits_of(out[i]), 0);
        }
    }
}

// --------------------------------------------------------------------------------------------------- square root

// promise: root-correctly-rounded
Test(sqrt, doubles_of_every_size) {
    struct af_numpy g;
    af_numpy_seed(&g, 1);
    uint64_t hash = fnv_start;
    for (size_t i = 0; i < 30000; ++i) {
        uint64_t bits = af_numpy_u64(&g) & 0x7FFFFFFFFFFFFFFFU;
        if (i % 3 == 0) {
            bits &= 0x000FFFFFFFFFFFFFU;
        }
        if (bits >> 52 != 0x7FF) {
            hash = fnv(hash, bits_of_double(af_sqrt_double(double_of_bits(bits))), 8);
        }
    }
    cr_assert_eq(hash, root_double_fnv[0]);
}

Test(sqrt, floats_of_every_size) {
    struct af_numpy g;
    af_numpy_seed(&g, 2);
    uint64_t hash = fnv_start;
    for (size_t i = 0; i < 30000; ++i) {
        uint32_t bits = af_numpy_u32(&g) & 0x7FFFFFFFU;
        if (i % 3 == 0) {
            bits &= 0x007FFFFFU;
        }
        if (bits >> 23 != 0xFF) {
            hash = fnv(hash, bits_of_float((float)af_sqrt_double((double)float_of_bits(bits))), 4);
        }
    }
    cr_assert_eq(hash, root_float_fnv[0]);
}

Test(sqrt, squares_are_exact) {
    for (uint32_t i = 1; i < 100000; ++i) {
        const double x = i * 671.0; // below 2^26
        cr_assert(af_sqrt_double(x * x) == x, "%a", x);
    }
}

Test(sqrt, special_values) {
    static const uint64_t same[] = {0, 0x8000000000000000U /* -0 */, 0x7FF0000000000000U /* inf */, 0x7FF8000000000001U,
                                    0xFFF8000000000001U};
    static const uint64_t negative[] = {0x8000000000000001U, 0xBFF0000000000000U, 0xFFF0000000000000U};
    for (size_t i = 0; i < COUNT(same); ++i) {
        assert_word(bits_of_double(af_sqrt_double(double_of_bits(same[i]))), same[i], "%zu", i);
    }
    for (size_t i = 0; i < COUNT(negative); ++i) {
        assert_word(bits_of_double(af_sqrt_double(double_of_bits(negative[i]))), 0x7FF8000000000000U, "%zu", i);
    }
    // The ends of the range, and one less than 1 and 4: the nearest roots to rounding up to the next power of two.
    cr_assert(af_sqrt_double(0x1p-1074) == 0x1p-537);
    cr_assert(af_sqrt_double(0x1.fffffffffffffp+1023) == 0x1.fffffffffffffp+511);
    cr_assert(af_sqrt_double(0x1.fffffffffffffp-1) == 0x1.fffffffffffffp-1);
    cr_assert(af_sqrt_double(0x1.fffffffffffffp+1) == 0x1.fffffffffffffp+0);
    cr_assert(af_sqrt_double(2) == 0x1.6a09e667f3bcdp+0);
}
