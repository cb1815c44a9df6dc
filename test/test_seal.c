// SPDX-License-Identifier: MIT
// Seals: every flip of one to three bits is noticed, wherever it is; a pass reads the region once, in bounded slices; a
// damaged seal reads nothing outside.
#include "af.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static struct af_numpy stream;

static uint32_t draw(uint32_t n) {
    return af_numpy_integer(&stream, 0, n);
}

/// A region in memory of just its size, which a sanitizer watches.
static uint8_t *region(size_t n) {
    uint8_t *const data = (uint8_t *)malloc(n + 1);
    cr_assert_not_null(data);
    for (size_t i = 0; i < n; i++) {
        data[i] = (uint8_t)draw(256);
    }
    return data;
}

static af_status pass(struct af_seal *seal, const void *data, size_t n, size_t *n_slices) {
    af_status status = AF_MORE;
    for (*n_slices = 0; status == AF_MORE; (*n_slices)++) {
        status = af_verify(seal, data, n);
    }
    return status;
}

// promise: seal-notices
Test(seal, one_to_three_flipped_bits_are_always_noticed) {
    const struct af_model m = af_model_of(&af_arena);
    uint8_t *const data = (uint8_t *)m.weight;
    const size_t n = sizeof(struct af_weights);
    struct af_seal seal;
    size_t n_slices = 0;
    af_numpy_seed(&stream, 1);
    af_init_weights(&m.weight->at, m.work->init_stream, 1);
    af_seal_region(&seal, data, n);
    const size_t n_flips = n < 50000 ? 100000 : 2000;
    for (size_t i = 0; i < n_flips; i++) {
        size_t bit[3];
        for (size_t k = 0; k <= i % 3; k++) {
            bit[k] = draw((uint32_t)(8 * n));
            data[bit[k] / 8] ^= (uint8_t)(1u << bit[k] % 8);
        }
        const bool is_changed =
            i % 3 == 0 || (i % 3 == 1 && bit[0] != bit[1]) || i % 3 == 2; // three leave one at least
        cr_assert_eq(pass(&seal, data, n, &n_slices), is_changed ? AF_ERR_DAMAGED : AF_OK, "flip %zu", i);
        for (size_t k = 0; k <= i % 3; k++) {
            data[bit[k] / 8] ^= (uint8_t)(1u << bit[k] % 8);
        }
    }
    cr_assert_eq(pass(&seal, data, n, &n_slices), AF_OK);
}

// promise: seal-bounded
Test(seal, a_pass_reads_the_region_once_in_bounded_slices) {
    af_numpy_seed(&stream, 2);
    const size_t sizes[] = {
        0, 1, AF_SEAL_SLICE_BYTES - 1, AF_SEAL_SLICE_BYTES, AF_SEAL_SLICE_BYTES + 1, 3 * AF_SEAL_SLICE_BYTES + 5};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        const size_t n = sizes[i];
        uint8_t *const data = region(n);
        struct af_seal seal;
        size_t n_slices = 0;
        af_seal_region(&seal, data, n);
        for (int k = 0; k < 3; k++) {
            cr_assert_eq(pass(&seal, data, n, &n_slices), AF_OK);
            cr_assert_eq(n_slices, n == 0 ? 1 : (n + AF_SEAL_SLICE_BYTES - 1) / AF_SEAL_SLICE_BYTES);
        }
        for (size_t at = 0; at < n; at += 1 + n / 7) {
            data[at] ^= 1;
            cr_assert_eq(pass(&seal, data, n, &n_slices), AF_ERR_DAMAGED);
            data[at] ^= 1;
        }
        if (n > 0) {
            data[n - 1] ^= 0x80;
            cr_assert_eq(pass(&seal, data, n, &n_slices), AF_ERR_DAMAGED);
        }
        free(data);
    }
}

Test(seal, training_breaks_it_and_a_new_one_holds) {
    const struct af_model m = af_model_of(&af_arena);
    const struct af_adamw how = AF_ADAMW_CHAPTER;
    static const af_token token[1] = {0};
    static const af_token target[1] = {1};
    const struct af_sequence sequence = {token, target, 1};
    struct af_seal seal;
    size_t n_slices = 0;
    af_init_weights(&m.weight->at, m.work->init_stream, 1);
    cr_assert_eq(af_train_reset(&m), AF_OK);
    af_seal_region(&seal, m.weight, sizeof(*m.weight));
    cr_assert_eq(af_train_begin(&m, 1), AF_OK);
    cr_assert_eq(af_train_accumulate(&m, &sequence, 1), AF_OK);
    cr_assert_eq(pass(&seal, m.weight, sizeof(*m.weight), &n_slices), AF_OK,
                 "a pass forward and backward changes nothing");
    cr_assert_eq(af_train_end(&m, how, NULL), AF_OK);
    cr_assert_eq(pass(&seal, m.weight, sizeof(*m.weight), &n_slices), AF_ERR_DAMAGED);
    af_seal_region(&seal, m.weight, sizeof(*m.weight));
    cr_assert_eq(pass(&seal, m.weight, sizeof(*m.weight), &n_slices), AF_OK);
}

// promise: seal-stays-inside
Test(seal, a_damaged_seal_is_noticed_or_harmless) {
    af_numpy_seed(&stream, 3);
    const size_t n = 2 * AF_SEAL_SLICE_BYTES + 77;
    uint8_t *const data = region(n);
    struct af_seal good;
    size_t n_slices = 0;
    af_seal_region(&good, data, n);
    for (int i = 0; i < 10000; i++) {
        struct af_seal seal = good;
        for (int k = i % 3; k > 0; k--) {
            (void)af_verify(&seal, data, n); // somewhere in a pass
        }
        const uint32_t bit = draw(8 * sizeof(seal));
        ((uint8_t *)&seal)[bit / 8] ^= (uint8_t)(1u << bit % 8);
        const af_status status = pass(&seal, data, n, &n_slices);
        cr_assert(status == AF_OK || status == AF_ERR_DAMAGED || status == AF_ERR_RANGE);
        cr_assert_leq(n_slices, 4u);
    }
    free(data);
}

// promise: null-refused, failed-call-changes-nothing
Test(seal, mistakes_are_named) {
    const uint8_t data[4] = {1, 2, 3, 4};
    struct af_seal seal;
    af_seal_region(&seal, data, 4);
    const struct af_seal before = seal;
    cr_assert_eq(af_verify(NULL, data, 4), AF_ERR_NULL);
    cr_assert_eq(af_verify(&seal, NULL, 4), AF_ERR_NULL);
    cr_assert_eq(af_verify(&seal, data, 3), AF_ERR_RANGE);
    cr_assert_eq(af_verify(&seal, data, SIZE_MAX), AF_ERR_RANGE);
    cr_assert_eq(memcmp(&seal, &before, sizeof(seal)), 0);
    cr_assert_eq(af_verify(&seal, data, 4), AF_OK);
}
