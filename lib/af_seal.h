// SPDX-License-Identifier: MIT
/// Seals: notice changes of memory that should stay as it is, by radiation, a stray pointer or a worn cell.
///
///     af_seal_region(&seal, &model.weight->at, sizeof(struct af_weights));          once the weights are final
///     status = af_verify(&seal, &model.weight->at, sizeof(struct af_weights));      from the idle loop, again and again
///
/// Any region can be sealed: weights, in RAM or in flash; moments between steps; packed weights. Training changes
/// weights, moments and packed weights, so they are sealed anew after each update, or only while nothing trains.
///
/// What a seal notices: any one, two or three wrong bits for certain, and any odd number of them (CRC-32C, in regions
/// of less than 256 MiB); other damage except one case in 2^32. It repairs nothing: load the checkpoint again. A save
/// takes weights as they are; a checkpoint saved before a pass found them good may hold the damage.
/// promise: seal-notices
#ifndef AF_SEAL_H
#define AF_SEAL_H

#include "af_config.h"
#include "af_status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Most bytes that one af_verify() reads.
/// promise: seal-bounded
#define AF_SEAL_SLICE_BYTES 4096

/// The seal of a region. The caller owns it; it holds no pointer.
struct af_seal {
    size_t n_bytes;      // of the region
    size_t cursor;       // bytes that the current pass has read
    uint32_t crc;        // of the region when it was sealed
    uint32_t crc_so_far; // of the first `cursor` bytes now
};

/// Seals n_bytes at `data`: they SHALL stay as they are until they are sealed again. Overwrites `seal`. Neither pointer
/// SHALL be NULL. Cost: one check sum over the region.
void af_seal_region(struct af_seal *seal, const void *data, size_t n_bytes);

/// Reads the next AF_SEAL_SLICE_BYTES of the sealed region. Returns AF_MORE until a pass over the whole region is
/// complete, then AF_OK if it is as it was sealed, else AF_ERR_DAMAGED; the next call begins another pass. A change is
/// noticed by the first pass that begins after it. Whatever `seal` holds, nothing outside the region is read. Errors,
/// with nothing changed: AF_ERR_NULL; AF_ERR_RANGE if another number of bytes was sealed.
af_status af_verify(struct af_seal *seal, const void *data, size_t n_bytes);
// promise: seal-stays-inside, null-refused

#ifdef __cplusplus
}
#endif
#endif
