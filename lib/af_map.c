// SPDX-License-Identifier: MIT
// Looking tensors up in a map, by number, by name, by address. Works on any map.
#define AF_FILE_map 0, AF_OWN
#include "af_map.h"

#if AF_MAP

// ----------------------------------------------------------------------------------------------------------- names

/// Appends text at `at` and returns the new end. Cuts off what does not fit; the result is always terminated.
static size_t append(char name[AF_MAP_NAME_BYTES], size_t at, const char *const text) {
    for (size_t i = 0; text[i] != '\0' && at + 1 < AF_MAP_NAME_BYTES; i++) {
        name[at] = text[i];
        at++;
    }
    name[at] = '\0';
    return at;
}

/// Appends a number below 100: there are at most 64 blocks.
static size_t append_number(char name[AF_MAP_NAME_BYTES], size_t at, const size_t number) {
    const char tens[2] = {(char)('0' + number / 10), '\0'};
    const char ones[2] = {(char)('0' + number % 10), '\0'};
    if (number >= 10) {
        at = append(name, at, tens);
    }
    return append(name, at, ones);
}

static bool begins_with_at(const char *const text) {
    return text[0] == 'a' && text[1] == 't' && text[2] == '.';
}

/// True if `name` is `text` with or without its part "at.": weight.at.tok, weight.tok.
static bool is_name(const char *name, const char *text) {
    bool is_start = true; // of a part: at the beginning or behind a point
    for (;;) {
        if (is_start && begins_with_at(text) && !begins_with_at(name)) {
            text += 3;
        }
        if (*name != *text || *name == '\0') {
            return *name == *text;
        }
        is_start = *name == '.';
        name++;
        text++;
    }
}

/// True if `name` is the tensor's PyTorch name: as it is for the weight, after "region." for the other planes.
static bool is_torch_name(const char *name, const struct af_tensor *const tensor) {
    size_t region = 0; // length of the region's name
    while (tensor->name[region] != '\0' && tensor->name[region] != '.') {
        region++;
    }
    size_t same = 0;
    while (same < region && name[same] == tensor->name[same]) {
        same++;
    }
    const bool has_region = same == region && name[same] == '.';
    if (!has_region && tensor->region != 0) { // a bare name is a weight, and weights are the first region
        return false;
    }
    return tensor->torch[0] != '\0' && is_name(has_region ? &name[region + 1] : name, tensor->torch);
}

// ------------------------------------------------------------------------------------------------------------ rows

static struct af_tensor not_found(void) {
    struct af_tensor t = {{0}, {0}, NULL, NULL, 0, 0, 0, {0, 0, 0, 0}, 0, 0, AF_TYPE_GAP, 0, 0, 0, 0};
    t.text = "no such tensor";
    return t;
}

/// Fills in the two names of a tensor.
static void name_it(struct af_tensor *const t, const struct af_map_group *const g, const struct af_map_row *const row,
                    const size_t block) {
    size_t end = append(t->name, 0, g->prefix);
    if (g->n > 0) {
        end = append(t->name, end, "[");
        end = append_number(t->name, end, block);
        end = append(t->name, end, "].");
    }
    (void)append(t->name, end, row->name);
    if (g->torch != NULL && row->torch != NULL) {
        end = append(t->torch, 0, g->torch);
        if (g->n > 0) {
            end = append(t->torch, end, ".");
            end = append_number(t->torch, end, block);
            end = append(t->torch, end, ".");
        }
        (void)append(t->torch, end, row->torch);
    }
}

/// The tensor of row `i` of group `g`, in its occurrence `block`.
static struct af_tensor tensor_of(const struct af_map *const map, const struct af_map_group *const g, const size_t i,
                                  const size_t block) {
    const struct af_map_row *const row = &g->row[i];
    struct af_tensor t = not_found(); // all of both names is 0 then, which reads well in a debugger
    name_it(&t, g, row, block);
    const size_t offset = (size_t)g->offset + block * g->stride + row->offset; // in the region, or in its gap
    const void *const base = g->is_gap ? map->region[g->region].gap : map->region[g->region].address;
    t.address = base == NULL ? NULL : (const uint8_t *)base + offset;
    t.offset = offset + (g->is_gap ? map->table->gap_offset : map->table->region_offset)[g->region];
    t.text = row->text;
    t.n_bytes = row->n_bytes;
    t.rank = row->rank;
    t.n_elements = 1;
    for (size_t d = 0; d < 4; d++) {
        t.dim[d] = row->dim[d];
        t.n_elements *= d < t.rank ? row->dim[d] : 1U;
    }
    t.element = 0;
    t.type = (enum af_type)row->type;
    t.region = g->region;
    t.block = (uint8_t)block;
    t.in_block = g->n > 0 ? 1 : 0;
    t.live = (uint8_t)(row->live & g->live);
    return t;
}

static size_t occurrences(const struct af_map_group *const g) {
    return g->n > 0 ? g->n : 1;
}

size_t af_map_count(const struct af_map *const map) {
    size_t count = 0;
    for (size_t g = 0; g < map->table->n_groups; g++) {
        count += map->table->group[g].n_rows * occurrences(&map->table->group[g]);
    }
    return count;
}

struct af_tensor af_map_tensor(const struct af_map *const map, size_t i) {
    for (size_t g = 0; g < map->table->n_groups; g++) {
        const struct af_map_group *const group = &map->table->group[g];
        const size_t n = group->n_rows * occurrences(group);
        if (i < n) {
            return tensor_of(map, group, i % group->n_rows, i / group->n_rows);
        }
        i -= n;
    }
    return not_found();
}

struct af_tensor af_map_find(const struct af_map *const map, const char *const name) {
    const size_t n = name == NULL ? 0 : af_map_count(map);
    for (size_t i = 0; i < n; i++) {
        const struct af_tensor t = af_map_tensor(map, i);
        if (is_name(name, t.name) || is_torch_name(name, &t)) {
            return t;
        }
    }
    return not_found();
}

struct af_tensor af_map_at(const struct af_map *const map, const void *const address, const unsigned live) {
    const size_t n = af_map_count(map);
    for (size_t i = 0; i < n; i++) {
        struct af_tensor t = af_map_tensor(map, i);
        // Compared as numbers: pointers into different objects have no order. Below the start, `distance` wraps.
        const uintptr_t distance = (uintptr_t)address - (uintptr_t)t.address;
        if (t.address != NULL && distance < t.n_bytes && (t.live & live) != 0) {
            t.element = distance / (t.n_bytes / t.n_elements);
            return t;
        }
    }
    return not_found();
}

#endif

#include "af_inner_export.h"
