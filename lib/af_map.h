// SPDX-License-Identifier: MIT
/// The map: every tensor of an arena with its name, type, shape, place and phases; found by name and by address.
///
/// A map's table is made from the same list as the structs, so they cannot differ. The functions take a map as an
/// argument; a program can have maps of its own (of a second instance, or of another list of tensors).
/// promise: map-complete
///
/// In a debugger, without scripts:
///     p    af_arena.weight.at.block[1].qkv_w[2]
///     call af_map_find(&af_map, "blocks.1.attn.qkv.weight")
///     call af_map_at(&af_map, &af_arena.weight.flat[70000], 63)
/// promise: debugger-paths
#ifndef AF_MAP_H
#define AF_MAP_H

#include "af_arena.h"

#if AF_MAP

#ifdef __cplusplus
extern "C" {
#endif

enum af_type {
    AF_TYPE_REAL,     // af_real
    AF_TYPE_TOKEN,    // af_token
    AF_TYPE_INDEX,    // af_index
    AF_TYPE_NUMPY,    // struct af_numpy
    AF_TYPE_TORCH,    // struct af_torch
    AF_TYPE_PROGRESS, // struct af_progress
    AF_TYPE_FLAG,     // uint8_t: 0 or 1
    AF_TYPE_GAP       // bytes that nobody uses: they keep the next region aligned
};

#define AF_MAP_NAME_BYTES 48

/// One tensor. A tensor that was not found has n_bytes 0 and an empty name.
/// promise: not-found-is-empty
struct af_tensor {
    char name[AF_MAP_NAME_BYTES];  // path in struct af_arena: "weight.at.block[1].qkv_w"
    char torch[AF_MAP_NAME_BYTES]; // name in PyTorch's state_dict: "blocks.1.attn.qkv.weight"; empty if it has none
    const char *text;              // what it holds
    const void *address;           // its address in this map's instance
    size_t offset;                 // from the start of struct af_arena, as AF_OFFSET() gives it
    size_t n_bytes;
    size_t n_elements;
    size_t dim[4];  // shape: dim[0] ... dim[rank - 1]
    size_t rank;    // 1 to 4
    size_t element; // af_map_at(): index, in memory order, of the element at the address; else 0
    enum af_type type;
    uint8_t region;   // number of its region
    uint8_t block;    // number of its block; 0 where there are no blocks
    uint8_t in_block; // 1 if it belongs to a block
    uint8_t live;     // phases in which it is live: AF_LIVE_... or-ed
};

// ------------------------------------------------------------------------------------------------- parts of a map

/// One line of a list: a tensor, as it stands in its struct.
struct af_map_row {
    const char *name;
    const char *torch; // NULL: none
    const char *text;
    uint32_t offset; // in the struct
    uint32_t n_bytes;
    uint32_t dim[4];
    uint8_t rank;
    uint8_t type;
    uint8_t live;
};

/// The rows of one struct type, which occurs n times in a region, `stride` bytes apart.
struct af_map_group {
    const struct af_map_row *row;
    uint32_t n_rows;
    uint32_t offset; // of the first occurrence, in its region
    uint32_t stride;
    uint16_t n;         // occurrences; 0: one, without a number
    uint8_t region;     // number of the region
    uint8_t live;       // phases in which the region is live
    uint8_t is_gap;     // 1: offset counts from the start of the region's gap
    const char *prefix; // path from the arena to the struct: "weight.at.block"
    const char *torch;  // the same in PyTorch's names: "blocks"; NULL: rows here have none
};

/// A phase, and the letter that stands for it in a column. Number i is bit i of `live`.
struct af_map_phase {
    const char *name;
    char letter;
};

struct af_map_table {
    const struct af_map_group *group;
    size_t n_groups;
    const uint32_t *region_offset; // of each region in the arena struct
    const uint32_t *gap_offset;    // of each region's gap
    const struct af_map_phase *phase;
    size_t n_phases; // 1 to 8
};

// To write a table: AF_MAP_ROW makes a struct af_map_row of a list's row (type, name, shape, phases, text), a member of
// the struct type `in`; AF_MAP_GAP of the gap behind a region; AF_MAP_ROWS gives an array of rows and its length.
#define AF_MAP_DIMS(...) {__VA_ARGS__}, AF_RANK(__VA_ARGS__)
// NOLINTBEGIN(bugprone-macro-parentheses): a type has none
#define AF_MAP_ROW(in, type, name, shape, live, text)                                                                  \
    {#name, NULL, text, offsetof(in, name), sizeof(AF_CAST(in *, 0)->name), AF_MAP_DIMS shape, AF_TYPE_##type, live},
// NOLINTEND(bugprone-macro-parentheses)
// clang-format would take #name for a directive.
// clang-format off
#define AF_MAP_GAP(name, region_type, live)                                                                            \
    {#name "_gap", NULL, "unused: the next region is aligned", 0, AF_GAP_BYTES(sizeof(region_type)),                   \
     {AF_GAP_BYTES(sizeof(region_type))}, 1, AF_TYPE_GAP, live}
// clang-format on
#define AF_MAP_ROWS(rows) rows, sizeof(rows) / sizeof((rows)[0])

/// Addresses of an instance's region and of the gap behind it (NULL if it has none).
struct af_map_region {
    const void *address;
    const void *gap;
};

struct af_map {
    const struct af_map_table *table;
    const struct af_map_region *region;
};

enum {
#define AF_REGION(type, name, live, text) AF_REGION_##name,
#include "af_tensors.def"
    AF_N_REGIONS
};

/// The table of this library's own list, and the map of the default arena.
extern const struct af_map_table af_map_model;
extern const struct af_map af_map;

/// Writes the regions of another instance, for a map {&af_map_model, region}. A missing region is NULL, and its tensors
/// have no address.
void af_map_regions(struct af_map_region region[AF_N_REGIONS], const struct af_model *model);

// --------------------------------------------------------------------------------------------------------- queries

/// Number of tensors, gaps included.
size_t af_map_count(const struct af_map *map);

/// Tensor number i, 0 to af_map_count() - 1, in the order of addresses except where tensors share bytes; not found for
/// a larger i. Cost of this and the next two: proportional to the number of tensors.
struct af_tensor af_map_tensor(const struct af_map *map, size_t i);

/// The tensor with a name: the map's; the map's without ".at"; or PyTorch's, for the weight itself, or with the region
/// and a dot before it ("grad.blocks.0.ln1.bias") for its gradient and its moments.
struct af_tensor af_map_find(const struct af_map *map, const char *name);

/// The tensor that contains the byte at `address`, among those live in one of the phases `live` (63: any phase of this
/// library's own map). `element` is the index of the element there.
struct af_tensor af_map_at(const struct af_map *map, const void *address, unsigned live);
// promise: map-finds

#ifdef __cplusplus
}
#endif
#endif
#endif
