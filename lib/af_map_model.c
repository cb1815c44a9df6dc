// SPDX-License-Identifier: MIT
// The map's table of af_tensors.def: one array of rows for each struct, and where the structs are.
#define AF_FILE_map_model 0, AF_OWN
#include "af_map.h"

#if AF_MAP

#define AFI_WEIGHT(in, name, shape, torch, text)                                                                       \
    {#name,        torch,         text, offsetof(struct in, name), sizeof(((struct in *)0)->name), AF_MAP_DIMS shape,  \
     AF_TYPE_REAL, AF_LIVE_ALWAYS},
#define AFI_TENSOR AF_MAP_ROW

static const struct af_map_row weight_input[] = {
#define AF_WEIGHT_INPUT(name, shape, start, torch, text) AFI_WEIGHT(af_weights, name, shape, torch, text)
#include "af_tensors.def"
};
static const struct af_map_row weight_block[] = {
#define AF_WEIGHT_BLOCK(name, shape, start, torch, text) AFI_WEIGHT(af_block_weights, name, shape, torch, text)
#include "af_tensors.def"
};
static const struct af_map_row weight_output[] = {
#define AF_WEIGHT_OUTPUT(name, shape, start, torch, text) AFI_WEIGHT(af_weights, name, shape, torch, text)
#include "af_tensors.def"
};
#if AF_TRAINING
static const struct af_map_row saved_block[] = {
#define AF_SAVED_BLOCK(type, name, shape, live, text) AFI_TENSOR(struct af_saved_block, type, name, shape, live, text)
#include "af_tensors.def"
};
#if AF_RECOMPUTE == 2
static const struct af_map_row saved_once[] = {
#define AF_SAVED_ONCE(type, name, shape, live, text) AFI_TENSOR(struct af_saved_once, type, name, shape, live, text)
#include "af_tensors.def"
};
#endif
static const struct af_map_row train[] = {
#define AF_SAVED(type, name, shape, live, text)    AFI_TENSOR(struct af_train, type, name, shape, live, text)
#define AF_BACKWARD(type, name, shape, live, text) AFI_TENSOR(struct af_train, type, name, shape, live, text)
#include "af_tensors.def"
};
static const struct af_map_row backward_ff[] = {
#define AF_BACKWARD_FF(type, name, shape, live, text) AFI_TENSOR(struct af_backward_ff, type, name, shape, live, text)
#include "af_tensors.def"
};
static const struct af_map_row backward_attention[] = {
#define AF_BACKWARD_ATTENTION(type, name, shape, live, text)                                                           \
    AFI_TENSOR(struct af_backward_attention, type, name, shape, live, text)
#include "af_tensors.def"
};
static const struct af_map_row batch[] = {
#define AF_BATCH(type, name, shape, live, text) AFI_TENSOR(struct af_train, type, name, shape, live, text)
#include "af_tensors.def"
};
static const struct af_map_row scratch[] = {
#define AF_SCRATCH(type, name, shape, live, text) AFI_TENSOR(struct af_train, type, name, shape, live, text)
#include "af_tensors.def"
};
static const struct af_map_row state[] = {
#define AF_STATE(type, name, shape, live, text) AFI_TENSOR(struct af_state, type, name, shape, live, text)
#include "af_tensors.def"
};
#endif
#if AF_PACKED
static const struct af_map_row packed_block[] = {
#define AF_PACK_BLOCK(type, name, shape, live, text) AFI_TENSOR(struct af_packed_block, type, name, shape, live, text)
#include "af_tensors.def"
};
static const struct af_map_row packed[] = {
#define AF_PACK(type, name, shape, live, text) AFI_TENSOR(struct af_packed, type, name, shape, live, text)
#include "af_tensors.def"
};
#endif
static const struct af_map_row cache_block[] = {
#define AF_CACHE_BLOCK(type, name, shape, live, text) AFI_TENSOR(struct af_cache_block, type, name, shape, live, text)
#include "af_tensors.def"
};
static const struct af_map_row decode[] = {
#define AF_DECODE(type, name, shape, live, text) AFI_TENSOR(struct af_decode, type, name, shape, live, text)
#include "af_tensors.def"
};
#if AF_STREAMS
static const struct af_map_row start[] = {
#define AF_START(type, name, shape, live, text) AFI_TENSOR(union af_work, type, name, shape, live, text)
#include "af_tensors.def"
};
#endif

#define AF_REGION(type, name, live, text)                                                                              \
    static const struct af_map_row gap_##name[] = {AF_MAP_GAP(name, type, AF_LIVE_ALWAYS)};
#include "af_tensors.def"

#define AFI_ROWS AF_MAP_ROWS

#define AFI_GAP(region) {AFI_ROWS(gap_##region), 0, 0, 0, AF_REGION_##region, AF_LIVE_ALWAYS, 1, "", NULL},

#define AFI_ONE(region, rows, live, offset, path)                                                                      \
    {AFI_ROWS(rows), offset, 0, 0, AF_REGION_##region, live, 0, path, NULL},
#define AFI_PLANE(region, live)                                                                                        \
    {AFI_ROWS(weight_input), 0, 0, 0, AF_REGION_##region, live, 0, #region ".at.", ""},                                \
        {AFI_ROWS(weight_block),                                                                                       \
         offsetof(union af_plane, at.block),                                                                           \
         sizeof(struct af_block_weights),                                                                              \
         AF_BLOCKS,                                                                                                    \
         AF_REGION_##region,                                                                                           \
         live,                                                                                                         \
         0,                                                                                                            \
         #region ".at.block",                                                                                          \
         "blocks"},                                                                                                    \
        {AFI_ROWS(weight_output), 0, 0, 0, AF_REGION_##region, live, 0, #region ".at.", ""}, AFI_GAP(region)

static const struct af_map_group groups[] = {
    // clang-format off
    AFI_PLANE(weight, AF_LIVE_ALWAYS)
#if AF_TRAINING
    AFI_PLANE(grad, AF_LIVE_STEP)
    AFI_PLANE(adam_m, AF_LIVE_ALWAYS)
    AFI_PLANE(adam_v, AF_LIVE_ALWAYS)
    AFI_ONE(state, state, AF_LIVE_ALWAYS, 0, "state.")
    AFI_GAP(state)
#endif
#if AF_PACKED
    {AFI_ROWS(packed_block), 0, sizeof(struct af_packed_block), AF_BLOCKS, AF_REGION_packed, AF_LIVE_READ, 0, "packed.block",
     NULL},
    AFI_ONE(packed, packed, AF_LIVE_READ, 0, "packed.")
    AFI_GAP(packed)
#endif
#if AF_TRAINING
    {AFI_ROWS(saved_block), offsetof(union af_work, train.block), sizeof(struct af_saved_block), AF_BLOCKS,
     AF_REGION_work, AF_LIVE_ALWAYS, 0, "work.train.block", NULL},
#if AF_RECOMPUTE == 2
    AFI_ONE(work, saved_once, AF_LIVE_ALWAYS, offsetof(union af_work, train.once), "work.train.once.")
#endif
    AFI_ONE(work, train, AF_LIVE_ALWAYS, offsetof(union af_work, train), "work.train.")
    AFI_ONE(work, backward_ff, AF_LIVE_ALWAYS, offsetof(union af_work, train.part.ff), "work.train.part.ff.")
    AFI_ONE(work, backward_attention, AF_LIVE_ALWAYS, offsetof(union af_work, train.part.attention),
        "work.train.part.attention.")
    AFI_ONE(work, scratch, AF_LIVE_ALWAYS, offsetof(union af_work, train), "work.train.")
    AFI_ONE(work, batch, AF_LIVE_ALWAYS, offsetof(union af_work, train), "work.train.")
#endif
    {AFI_ROWS(cache_block), offsetof(union af_work, decode.block), sizeof(struct af_cache_block), AF_BLOCKS,
     AF_REGION_work, AF_LIVE_ALWAYS, 0, "work.decode.block", NULL},
    AFI_ONE(work, decode, AF_LIVE_ALWAYS, offsetof(union af_work, decode), "work.decode.")
#if AF_STREAMS
    AFI_ONE(work, start, AF_LIVE_ALWAYS, 0, "work.")
#endif
    AFI_GAP(work)
    // clang-format on
};

static const uint32_t region_offset[AF_N_REGIONS] = {
#define AF_REGION(type, name, live, text) AF_OFFSET(name),
#include "af_tensors.def"
};
static const uint32_t gap_offset[AF_N_REGIONS] = {
#define AF_REGION(type, name, live, text) AF_OFFSET(name##_gap),
#include "af_tensors.def"
};

static const struct af_map_phase phases[] = {
    {"init", 'I'},   {"forward", 'F'}, {"backward MLP", 'M'}, {"backward attention", 'A'},
    {"update", 'U'}, {"decode", 'D'},
};

AF_STATIC_ASSERT(AF_LIVE_ALWAYS == (1 << sizeof(phases) / sizeof(phases[0])) - 1, every_phase_has_a_name);

const struct af_map_table af_map_model = {groups, sizeof(groups) / sizeof(groups[0]), region_offset, gap_offset,
                                          phases, sizeof(phases) / sizeof(phases[0])};

void af_map_regions(struct af_map_region region[AF_N_REGIONS], const struct af_model *const model) {
#define AF_REGION(type, name, live, text)                                                                              \
    region[AF_REGION_##name].address = model->name;                                                                    \
    region[AF_REGION_##name].gap = NULL;
#include "af_tensors.def"
}

#endif

#include "af_inner_export.h"
