// SPDX-License-Identifier: MIT
// The default arena, and assertions that its formulas agree with its structs.
#define AF_FILE_arena 0, AF_OWN
#include "af_arena.h"
#include "af_crc32c.h"
#include "af_map.h"

#if defined(__GNUC__) || defined(__TINYC__)
__attribute__((aligned(AF_ALIGN)))
#endif
struct af_arena af_arena;

AF_STATIC_ASSERT(sizeof(struct af_weights) == sizeof(af_real) * AF_N_PARAMS, parameter_count_and_no_padding);
AF_STATIC_ASSERT(sizeof(union af_plane) == AF_PLANE_BYTES, plane_bytes);
AF_STATIC_ASSERT(sizeof(af_real) == AF_REAL_BYTES, real_bytes);
AF_STATIC_ASSERT(sizeof(struct af_decode) == AF_DECODE_BYTES, decode_bytes);
#if AF_STREAMS
AF_STATIC_ASSERT(sizeof(struct af_torch) == AF_INIT_STREAM_BYTES, init_stream_bytes);
#endif
#if AF_PACKED
AF_STATIC_ASSERT(sizeof(struct af_packed) == AF_PACKED_BYTES, packed_bytes);
#endif
#if AF_TRAINING
AF_STATIC_ASSERT(sizeof(struct af_train) == AF_TRAIN_BYTES, train_bytes);
AF_STATIC_ASSERT(sizeof(struct af_state) == AF_STATE_BYTES, state_bytes);
#endif
AF_STATIC_ASSERT(sizeof(struct af_arena) == AF_ARENA_BYTES, arena_bytes);
AF_STATIC_ASSERT(AF_OFFSET(work) % AF_ALIGN == 0 && sizeof(struct af_arena) % AF_ALIGN == 0, aligned_regions);

struct af_model af_model_of(struct af_arena *const arena) {
    struct af_model model;
#define AF_REGION(type, name, live, text) model.name = &arena->name;
#include "af_tensors.def"
    model.kernels = NULL;
    model.runner = NULL;
    return model;
}

/// One bit for each switch that departs from the chapter's model.
#define AFI_CHANGES                                                                                                    \
    ((1 - AF_SCALED) | (1 - AF_CAUSAL) << 1 | AF_SOFTMAX_QUERIES << 2 | (1 - AF_RESIDUAL) << 3 | AF_POST_NORM << 4)

uint32_t af_config_digest(void) {
    static const uint32_t value[] = {
        AF_VOCAB,
        AF_CONTEXT,
        AF_DIM,
        AF_HEADS,
        AF_BLOCKS,
        AF_FF,
        AF_REAL_BYTES,
#if AFI_CHANGES != 0 || AF_CONSTANTS_SUM != 0 // else the sizes are enough
        AFI_CHANGES,
#endif
#if AF_CONSTANTS_SUM != 0
        AF_CONSTANTS_SUM,
#endif
    };
    const size_t n = sizeof(value) / sizeof(value[0]);
    uint32_t crc = 0;
    for (size_t i = 0; i < n; i++) {
        const uint8_t byte[4] = {(uint8_t)(value[i] & 255U), (uint8_t)(value[i] >> 8 & 255U),
                                 (uint8_t)(value[i] >> 16 & 255U), (uint8_t)(value[i] >> 24)};
        crc = af_crc32c(crc, byte, sizeof(byte));
    }
    return crc;
}

#if AF_MAP
static const struct af_map_region regions[AF_N_REGIONS] = {
#define AF_REGION(type, name, live, text) {&af_arena.name, &af_arena.name##_gap[0]},
#include "af_tensors.def"
};

const struct af_map af_map = {&af_map_model, regions};
#endif

#include "af_inner_export.h"
