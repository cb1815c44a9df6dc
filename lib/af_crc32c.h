// SPDX-License-Identifier: MIT
/// CRC-32C: the check sum of checkpoints and seals, and the hash by which two machines compare their bits.
#ifndef AF_CRC32C_H
#define AF_CRC32C_H

#include "af_config.h"

#ifdef __cplusplus
extern "C" {
#endif

/// CRC-32C (Castagnoli, reflected polynomial 0x82F63B78) of `n` bytes, continuing from `crc`; start with 0. The CRC of
/// "123456789" is 0xE3069283. Feeding an array in pieces gives the CRC of the whole. Cost: two table look-ups a byte.
uint32_t af_crc32c(uint32_t crc, const void *data, size_t n_bytes);
// promise: crc-known

/// The same over n numbers as they stand in a file: the IEEE-754 patterns, lowest byte first, on any machine. Equal
/// hashes mean equal bits: -0 and 0 differ. NaN patterns differ between processors; check with af_finite() first.
uint32_t af_crc32c_reals(uint32_t crc, const af_real *x, size_t n);

/// True if none of n numbers is infinite or NaN; true for n = 0. Accepts any bit patterns.
bool af_finite(const af_real *x, size_t n);
// promise: finite-sees-all

#ifdef __cplusplus
}
#endif
#endif
