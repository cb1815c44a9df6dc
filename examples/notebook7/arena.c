// SPDX-License-Identifier: MIT
// The arena of notebook 7 and its map, made from tensors.def.
#include "notebook7.h"

#if defined(__GNUC__)
__attribute__((aligned(AF_ALIGN)))
#endif
struct n7_arena n7_arena;

AF_STATIC_ASSERT(sizeof(struct n7_head) == 3 * sizeof(af_real) * N7_D * N7_DH, heads_have_no_padding);

static const struct af_map_row kept[] = {
#define N7_KEPT(type, name, shape, live, text) AF_MAP_ROW(struct n7_kept, type, name, shape, live, text)
#include "tensors.def"
};
static const struct af_map_row head[] = {
#define N7_HEAD(type, name, shape, live, text) AF_MAP_ROW(struct n7_head, type, name, shape, live, text)
#include "tensors.def"
};
static const struct af_map_row recurrent[] = {
#define N7_RECURRENT(type, name, shape, live, text) AF_MAP_ROW(struct n7_recurrent, type, name, shape, live, text)
#include "tensors.def"
};
static const struct af_map_row toy[] = {
#define N7_TOY(type, name, shape, live, text) AF_MAP_ROW(struct n7_toy, type, name, shape, live, text)
#include "tensors.def"
};
static const struct af_map_row scaling_4[] = {
#define N7_DK                                     4
#define N7_SCALING(type, name, shape, live, text) AF_MAP_ROW(struct n7_scaling_4, type, name, shape, live, text)
#include "tensors.def"
#undef N7_DK
};
static const struct af_map_row scaling_64[] = {
#define N7_DK                                     64
#define N7_SCALING(type, name, shape, live, text) AF_MAP_ROW(struct n7_scaling_64, type, name, shape, live, text)
#include "tensors.def"
#undef N7_DK
};
static const struct af_map_row scaling_512[] = {
#define N7_DK                                     512
#define N7_SCALING(type, name, shape, live, text) AF_MAP_ROW(struct n7_scaling_512, type, name, shape, live, text)
#include "tensors.def"
#undef N7_DK
};
static const struct af_map_row self[] = {
#define N7_SELF(type, name, shape, live, text) AF_MAP_ROW(struct n7_self, type, name, shape, live, text)
#include "tensors.def"
};
static const struct af_map_row multihead[] = {
#define N7_MULTIHEAD(type, name, shape, live, text) AF_MAP_ROW(struct n7_late, type, name, shape, live, text)
#include "tensors.def"
};
static const struct af_map_row positions[] = {
#define N7_POSITIONS(type, name, shape, live, text) AF_MAP_ROW(struct n7_positions, type, name, shape, live, text)
#include "tensors.def"
};
static const struct af_map_row block[] = {
#define N7_BLOCK(type, name, shape, live, text) AF_MAP_ROW(struct n7_block, type, name, shape, live, text)
#include "tensors.def"
};

#define N7_REGION(type, name, live, text) static const struct af_map_row gap_##name[] = {AF_MAP_GAP(name, type, live)};
#include "tensors.def"

enum {
#define N7_REGION(type, name, live, text) REGION_##name,
#include "tensors.def"
    N_REGIONS
};

#define WORK(rows, path)                                                                                               \
    { AF_MAP_ROWS(rows), offsetof(union n7_work, path), 0, 0, REGION_work, N7_LIVE_ALWAYS, 0, "work." #path ".", NULL }
#define GAP(name)                                                                                                      \
    { AF_MAP_ROWS(gap_##name), 0, 0, 0, REGION_##name, N7_LIVE_ALWAYS, 1, "", NULL }

static const struct af_map_group groups[] = {
    {AF_MAP_ROWS(kept), 0, 0, 0, REGION_kept, N7_LIVE_ALWAYS, 0, "kept.", NULL},
    {AF_MAP_ROWS(head), offsetof(struct n7_kept, heads), sizeof(struct n7_head), N7_H, REGION_kept, N7_LIVE_ALWAYS, 0,
     "kept.heads", NULL},
    GAP(kept),
    WORK(recurrent, recurrent),
    WORK(toy, toy),
    WORK(scaling_4, scaling.d4),
    WORK(scaling_64, scaling.d64),
    WORK(scaling_512, scaling.d512),
    WORK(self, self),
    WORK(multihead, late),
    WORK(positions, late.part.positions),
    WORK(block, late.part.block),
    GAP(work),
};

static const uint32_t region_offset[N_REGIONS] = {
#define N7_REGION(type, name, live, text) offsetof(struct n7_arena, name),
#include "tensors.def"
};
static const uint32_t gap_offset[N_REGIONS] = {
#define N7_REGION(type, name, live, text) offsetof(struct n7_arena, name##_gap),
#include "tensors.def"
};

static const struct af_map_phase phases[] = {
    {"step 2", '2'}, {"step 3", '3'}, {"step 4", '4'}, {"step 5", '5'},
    {"step 6", '6'}, {"step 7", '7'}, {"step 8", '8'},
};

AF_STATIC_ASSERT(N7_LIVE_ALWAYS == (1 << sizeof(phases) / sizeof(phases[0])) - 1, every_step_is_a_phase);

static const struct af_map_table table = {groups, sizeof(groups) / sizeof(groups[0]), region_offset, gap_offset,
                                          phases, sizeof(phases) / sizeof(phases[0])};

static const struct af_map_region regions[N_REGIONS] = {
#define N7_REGION(type, name, live, text) {&n7_arena.name, &n7_arena.name##_gap[0]},
#include "tensors.def"
};

const struct af_map n7_map = {&table, regions};

// ---------------------------------------------------------------------------------- the arena as the library sees it

struct n7_multihead n7_multihead_of(const struct n7_arena *const a) {
    const struct n7_multihead w = {&a->kept.heads[0].Wq[0][0], &a->kept.W_O[0][0], N7_H, N7_D};
    return w;
}

struct n7_multihead_saved n7_multihead_saved_of(struct n7_arena *const a) {
    struct n7_late *const late = &a->work.late;
    const struct n7_multihead_saved saved = {&late->qkv[0][0][0][0], &late->weight[0][0][0], &late->cat[0][0]};
    return saved;
}

struct n7_postnorm n7_postnorm_of(const struct n7_arena *const a) {
    const struct n7_block *const b = &a->work.late.part.block;
    const struct n7_postnorm w = {n7_multihead_of(a), &b->W1[0][0], b->b1, &b->W2[0][0], b->b2, N7_FF, true};
    return w;
}

struct n7_postnorm_saved n7_postnorm_saved_of(struct n7_arena *const a) {
    struct n7_block *const b = &a->work.late.part.block;
    const struct n7_postnorm_saved saved = {
        n7_multihead_saved_of(a), &a->work.late.mh[0][0], &b->norm1[0][0], b->spread1,
        &b->hidden[0][0],         &b->ffn[0][0],          b->spread2};
    return saved;
}
