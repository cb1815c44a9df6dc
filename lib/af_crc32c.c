// SPDX-License-Identifier: MIT
// CRC-32C.
#define AF_FILE_crc32c 0, AF_OWN
#include "af_crc32c.h"
#include "af_math.h"

uint32_t af_crc32c(uint32_t crc, const void *const data, const size_t n_bytes) {
    // crc_of[k][n]: what nibble n, followed by k nibbles of 0, adds. Four bytes are eight nibbles, whose parts are
    // independent of each other; 512 bytes of table go into any flash.
    static const uint32_t crc_of[8][16] = {
        {0x00000000U, 0x105EC76FU, 0x20BD8EDEU, 0x30E349B1U, 0x417B1DBCU, 0x5125DAD3U, 0x61C69362U, 0x7198540DU,
         0x82F63B78U, 0x92A8FC17U, 0xA24BB5A6U, 0xB21572C9U, 0xC38D26C4U, 0xD3D3E1ABU, 0xE330A81AU, 0xF36E6F75U},
        {0x00000000U, 0xF26B8303U, 0xE13B70F7U, 0x1350F3F4U, 0xC79A971FU, 0x35F1141CU, 0x26A1E7E8U, 0xD4CA64EBU,
         0x8AD958CFU, 0x78B2DBCCU, 0x6BE22838U, 0x9989AB3BU, 0x4D43CFD0U, 0xBF284CD3U, 0xAC78BF27U, 0x5E133C24U},
        {0x00000000U, 0x3FC5F181U, 0x7F8BE302U, 0x404E1283U, 0xFF17C604U, 0xC0D23785U, 0x809C2506U, 0xBF59D487U,
         0xFBC3FAF9U, 0xC4060B78U, 0x844819FBU, 0xBB8DE87AU, 0x04D43CFDU, 0x3B11CD7CU, 0x7B5FDFFFU, 0x449A2E7EU},
        {0x00000000U, 0x13A29877U, 0x274530EEU, 0x34E7A899U, 0x4E8A61DCU, 0x5D28F9ABU, 0x69CF5132U, 0x7A6DC945U,
         0x9D14C3B8U, 0x8EB65BCFU, 0xBA51F356U, 0xA9F36B21U, 0xD39EA264U, 0xC03C3A13U, 0xF4DB928AU, 0xE7790AFDU},
        {0x00000000U, 0x70A27D8AU, 0xE144FB14U, 0x91E6869EU, 0xC76580D9U, 0xB7C7FD53U, 0x26217BCDU, 0x56830647U,
         0x8B277743U, 0xFB850AC9U, 0x6A638C57U, 0x1AC1F1DDU, 0x4C42F79AU, 0x3CE08A10U, 0xAD060C8EU, 0xDDA47104U},
        {0x00000000U, 0xA541927EU, 0x4F6F520DU, 0xEA2EC073U, 0x9EDEA41AU, 0x3B9F3664U, 0xD1B1F617U, 0x74F06469U,
         0x38513EC5U, 0x9D10ACBBU, 0x773E6CC8U, 0xD27FFEB6U, 0xA68F9ADFU, 0x03CE08A1U, 0xE9E0C8D2U, 0x4CA15AACU},
        {0x00000000U, 0xE964B13DU, 0xD725148BU, 0x3E41A5B6U, 0xABA65FE7U, 0x42C2EEDAU, 0x7C834B6CU, 0x95E7FA51U,
         0x52A0C93FU, 0xBBC47802U, 0x8585DDB4U, 0x6CE16C89U, 0xF90696D8U, 0x106227E5U, 0x2E238253U, 0xC747336EU},
        {0x00000000U, 0xDD45AAB8U, 0xBF672381U, 0x62228939U, 0x7B2231F3U, 0xA6679B4BU, 0xC4451272U, 0x1900B8CAU,
         0xF64463E6U, 0x2B01C95EU, 0x49234067U, 0x9466EADFU, 0x8D665215U, 0x5023F8ADU, 0x32017194U, 0xEF44DB2CU},
    };
    const uint8_t *const byte = (const uint8_t *)data;
    size_t i = 0;
    crc = ~crc;
    for (; i + 4 <= n_bytes; i += 4) {
        crc ^=
            (uint32_t)byte[i] | (uint32_t)byte[i + 1] << 8 | (uint32_t)byte[i + 2] << 16 | (uint32_t)byte[i + 3] << 24;
        crc = crc_of[7][crc & 15U] ^ crc_of[6][crc >> 4 & 15U] ^ crc_of[5][crc >> 8 & 15U] ^
              crc_of[4][crc >> 12 & 15U] ^ crc_of[3][crc >> 16 & 15U] ^ crc_of[2][crc >> 20 & 15U] ^
              crc_of[1][crc >> 24 & 15U] ^ crc_of[0][crc >> 28];
    }
    for (; i < n_bytes; i++) {
        crc ^= byte[i];
        crc = (crc >> 4) ^ crc_of[0][crc & 15U];
        crc = (crc >> 4) ^ crc_of[0][crc & 15U];
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

#include "af_inner_export.h"
