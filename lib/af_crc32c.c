// SPDX-License-Identifier: MIT
#include "af_crc32c.h"
#include "af_math.h"

uint32_t af_crc32c(uint32_t crc, const void *const data, const size_t n_bytes) {
    // CRC of the numbers 0 to 15, one nibble each: small enough for any flash.
    static const uint32_t crc_of_nibble[16] = {
        0x00000000U, 0x105EC76FU, 0x20BD8EDEU, 0x30E349B1U, 0x417B1DBCU, 0x5125DAD3U, 0x61C69362U, 0x7198540DU,
        0x82F63B78U, 0x92A8FC17U, 0xA24BB5A6U, 0xB21572C9U, 0xC38D26C4U, 0xD3D3E1ABU, 0xE330A81AU, 0xF36E6F75U};
    const uint8_t *const byte = (const uint8_t *)data;
    crc = ~crc;
    for (size_t i = 0; i < n_bytes; i++) {
        crc ^= byte[i];
        crc = (crc >> 4) ^ crc_of_nibble[crc & 15U];
        crc = (crc >> 4) ^ crc_of_nibble[crc & 15U];
    }
    return ~crc;
}

uint32_t af_crc32c_reals(uint32_t crc, const af_real *const x, const size_t n) {
    const uint16_t probe = 1;
    if (*(const uint8_t *)&probe == 1) { // little-endian: memory is already in file order
        return af_crc32c(crc, x, n * sizeof(af_real));
    }
    for (size_t i = 0; i < n; i++) {
        const uint8_t *const byte = (const uint8_t *)&x[i];
        for (size_t b = sizeof(af_real); b > 0; b--) {
            crc = af_crc32c(crc, &byte[b - 1], 1);
        }
    }
    return crc;
}

bool af_finite(const af_real *const x, const size_t n) {
    // A number is not finite if all bits of its exponent are set. No branch and no order: compilers vectorise this.
    af_bits bad = 0;
    for (size_t i = 0; i < n; i++) {
        bad |= (af_bits)((af_bits_of(x[i]) & AF_INFINITY_BITS) == AF_INFINITY_BITS);
    }
    return bad == 0;
}
