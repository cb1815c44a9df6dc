// SPDX-License-Identifier: MIT
// Seals: a check sum, verified in slices.
#define AF_FILE_seal 0, AF_OWN
#include "af_crc32c.h"
#include "af_seal.h"

void af_seal_region(struct af_seal *const seal, const void *const data, const size_t n_bytes) {
    seal->n_bytes = n_bytes;
    seal->cursor = 0;
    seal->crc = af_crc32c(0, data, n_bytes);
    seal->crc_so_far = 0;
}

af_status af_verify(struct af_seal *const seal, const void *const data, const size_t n_bytes) {
    if (seal == NULL || data == NULL) {
        return AF_ERR_NULL;
    }
    if (seal->n_bytes != n_bytes) {
        return AF_ERR_RANGE;
    }
    if (seal->cursor > n_bytes) { // the seal itself is damaged: the pass goes on to its end, where the sums differ
        seal->cursor = n_bytes;
    }
    const size_t left = n_bytes - seal->cursor;
    const size_t n = left < AF_SEAL_SLICE_BYTES ? left : AF_SEAL_SLICE_BYTES;
    seal->crc_so_far = af_crc32c(seal->crc_so_far, &((const uint8_t *)data)[seal->cursor], n);
    seal->cursor += n;
    if (seal->cursor < n_bytes) {
        return AF_MORE;
    }
    const bool is_same = seal->crc_so_far == seal->crc;
    seal->cursor = 0;
    seal->crc_so_far = 0;
    return is_same ? AF_OK : AF_ERR_DAMAGED;
}

#include "af_inner_export.h"
