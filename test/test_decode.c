// SPDX-License-Identifier: MIT
// A prompt that goes through the model as rows gives the bits of its tokens pushed one by one, and these the bits of
// the whole sequence computed anew: for the plain loops and for every table of tiles, for every length of the prompt.
#include "af.h"
#include "af_kernels.h"
#if AF_HAS_TILE
#include "af_port.h"
#endif

#include <criterion/criterion.h>
#include <string.h>

enum { MAX_TABLES = 4 };

/// The tables that this processor can run; the first one is the specification.
static size_t tables(const struct af_kernels *table[MAX_TABLES]) {
    size_t n = 0;
    table[n++] = &af_kernels_plain;
#if AF_HAS_TILE
    table[n++] = &af_kernels_tile;
#if defined(__x86_64__)
    const struct af_kernels *const best = af_port_kernels();
    if (best == &af_kernels_tile_v3 || best == &af_kernels_tile_v4) {
        table[n++] = &af_kernels_tile_v3;
    }
    if (best == &af_kernels_tile_v4) {
        table[n++] = &af_kernels_tile_v4;
    }
#endif
#endif
    return n;
}

static af_token text[AF_CONTEXT];

/// A model with weights of a new seed, and a text. Weights are five times what they start from, so that attention and
/// GELU are not near their middle.
static struct af_model drawn(uint32_t seed) {
    const struct af_model model = af_model_of(&af_arena);
    struct af_numpy stream;
    af_init_weights(&model.weight->at, model.work->init_stream, seed);
    for (size_t i = 0; i < AF_N_PARAMS; i++) {
        model.weight->flat[i] *= AF_R(5);
    }
    cr_assert_eq(af_train_reset(&model), AF_OK);
    af_numpy_seed(&stream, seed);
    for (size_t i = 0; i < AF_CONTEXT; i++) {
        text[i] = (af_token)af_numpy_integer(&stream, 0, AF_VOCAB);
    }
    return model;
}

#define SAME(a, b, what)                                                                                               \
    cr_assert_arr_eq(a, b, sizeof(a), "%s, prompt of %zu, seed %u: %s", model.kernels->name, n, seed, what)

static void compare(struct af_model model, uint32_t seed, size_t n) {
    static struct af_decode whole;
    static struct af_decode single;
    af_token out[AF_CONTEXT + 1];
    const size_t n_out = AF_CONTEXT + 1 - n;
    const struct af_reader reader = af_reader_of(&model);
    memset(&whole, 0xA5, sizeof(whole));
    memset(&single, 0x5A, sizeof(single));
    // The prompt alone: the cache and the logits.
    af_decode_reset(&single);
    for (size_t i = 0; i < n; i++) {
        cr_assert_eq(af_decode_push(&single, &reader, text[i]), AF_OK);
    }
    cr_assert_eq(af_decode_greedy(out, &whole, &reader, text, n, 0), AF_OK);
    cr_assert_eq(whole.n_tokens[0], n);
    SAME(whole.logits, single.logits, "logits");
    for (size_t b = 0; b < AF_BLOCKS; b++) {
        for (size_t i = 0; i < n; i++) {
            SAME(whole.block[b].kv[i], single.block[b].kv[i], "keys and values");
        }
    }
    // And all that fits behind it.
    cr_assert_eq(af_decode_greedy(out, &whole, &reader, text, n, n_out), AF_OK);
    for (size_t i = 0; i < n_out; i++) {
        cr_assert_eq(out[i], af_argmax(single.logits, AF_VOCAB), "%s, prompt of %zu, seed %u: token %zu",
                     model.kernels->name, n, seed, i);
        if (i + 1 < n_out) {
            cr_assert_eq(af_decode_push(&single, &reader, out[i]), AF_OK);
        }
    }
    SAME(whole.logits, single.logits, "last logits");
}

// promise: cache-same-bits
Test(decode, a_prompt_of_every_length_gives_the_bits_of_its_tokens_one_by_one) {
    const struct af_kernels *table[MAX_TABLES];
    const size_t n_tables = tables(table);
    for (uint32_t seed = 1; seed <= 3; seed++) {
        struct af_model model = drawn(seed);
        for (size_t t = 0; t < n_tables; t++) {
            model.kernels = table[t];
            af_pack_weights(&model);
            for (size_t n = 1; n <= AF_CONTEXT; n++) {
                compare(model, seed, n);
            }
        }
    }
}

// promise: cache-same-bits, tiles-same-bits
Test(decode, every_table_gives_the_logits_that_the_plain_loops_give_for_the_whole_sequence) {
    const struct af_kernels *table[MAX_TABLES];
    const size_t n_tables = tables(table);
    const uint32_t seed = 4;
    struct af_model model = drawn(seed);
    static af_token target[AF_CONTEXT]; // what they are does not matter here
    static af_real logits[AF_CONTEXT][AF_VOCAB];
    const struct af_sequence sequence = {text, target, AF_CONTEXT};
    model.kernels = &af_kernels_plain;
    cr_assert_eq(af_forward(&model, &sequence, 1, AF_EVERY), AF_OK);
    memcpy(logits, model.work->train.logits, sizeof(logits));
    for (size_t t = 0; t < n_tables; t++) {
        static struct af_decode decode;
        af_token out[1];
        model.kernels = table[t];
        af_pack_weights(&model);
        const struct af_reader reader = af_reader_of(&model);
        for (size_t n = 1; n <= AF_CONTEXT; n++) {
            cr_assert_eq(af_decode_greedy(out, &decode, &reader, text, n, 1), AF_OK);
            SAME(decode.logits, logits[n - 1], "logits of the whole sequence");
            cr_assert_eq(out[0], af_argmax(logits[n - 1], AF_VOCAB));
        }
    }
}
