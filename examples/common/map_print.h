// SPDX-License-Identifier: MIT
/// A map on paper: as a table, as CSV, as JSON, as a picture; and what there is to say about one tensor or one byte.
///
/// Every function takes the map to print, so a program with a tensor list of its own prints that. Writes that do not
/// succeed are in the file's error flag.
#ifndef MAP_PRINT_H
#define MAP_PRINT_H

#include "af.h"

#if AF_MAP

#include <stdio.h>

/// Table: for each region its tensors with name, type, shape, offset, bytes, phases and PyTorch name; then totals.
void map_print_text(FILE *file, const struct af_map *map);

/// The same as comma-separated values, a line a tensor; and as one JSON object.
void map_print_csv(FILE *file, const struct af_map *map);
void map_print_json(FILE *file, const struct af_map *map);

/// The same as a picture: all regions to scale, each region enlarged, and for regions whose tensors do not all live at
/// the same time a panel with addresses across and phases down. Of regions with the same tensors one is drawn.
void map_print_svg(FILE *file, const struct af_map *map);

/// What there is to say about one tensor: what it holds, shape, place, phases, and who shares its bytes.
void map_print_tensor(FILE *file, const struct af_map *map, const struct af_tensor *tensor);

/// Whose the byte is that lies `offset` behind the start of the arena: element, tensor, and who has it in other phases.
/// False, with nothing written, if it is nobody's.
bool map_print_byte(FILE *file, const struct af_map *map, size_t offset);

// --------------------------------------------------------------------------------------------------------- pieces

enum { MAP_TEXT_BYTES = 128 };

/// Writes phases as words, "forward, update", or "every phase"; returns `out`.
const char *map_phases(char out[MAP_TEXT_BYTES], const struct af_map *map, unsigned live);

/// All phases of a map.
unsigned map_every_phase(const struct af_map *map);

/// Writes a shape as C does, "[192][64]"; returns `out`.
const char *map_shape(char out[MAP_TEXT_BYTES], const struct af_tensor *tensor);

/// Name of a type as C writes it.
const char *map_type_name(enum af_type type);

/// What a map says of a region as a whole.
struct map_region {
    char name[AF_MAP_NAME_BYTES]; // first part of its tensors' names
    size_t offset;
    size_t n_bytes;   // without the gap
    size_t n_gap;     // bytes of the gap behind it
    size_t n_tensors; // without the gap
    unsigned live;    // phases in which any of its tensors lives
    bool is_mixed;    // its tensors do not all live in the same phases
    bool is_shared;   // some of its bytes belong to several tensors
};

/// Number of regions; facts of one of them, 0 to that number - 1. Cost: proportional to the number of tensors.
size_t map_n_regions(const struct af_map *map);
struct map_region map_region_of(const struct af_map *map, size_t region);

#endif
#endif
