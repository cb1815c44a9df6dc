// SPDX-License-Identifier: MIT
#include "map_print.h"

#if AF_MAP

#include "table.h"

#include <string.h>

// ---------------------------------------------------------------------------------------------------------- pieces

enum { MAX_PHASES = 8 }; // bits of a tensor's `live`

/// Appends text to a MAP_TEXT_BYTES buffer; what does not fit is cut off.
static void append(char out[MAP_TEXT_BYTES], const char *const text) {
    const size_t n = strlen(out);
    (void)snprintf(out + n, MAP_TEXT_BYTES - n, "%s", text);
}

unsigned map_every_phase(const struct af_map *const map) {
    return (1U << map->table->n_phases) - 1U;
}

const char *map_phases(char out[MAP_TEXT_BYTES], const struct af_map *const map, const unsigned live) {
    out[0] = '\0';
    if (live == map_every_phase(map)) {
        append(out, "every phase");
        return out;
    }
    for (unsigned p = 0; p < map->table->n_phases; p++) {
        if ((live >> p & 1U) != 0) {
            append(out, out[0] != '\0' ? ", " : "");
            append(out, map->table->phase[p].name);
        }
    }
    return out;
}

/// One letter a phase, for columns: a phase in which a tensor does not live is a dash.
static const char *phase_letters(char out[MAX_PHASES + 1], const struct af_map *const map, const unsigned live) {
    for (unsigned p = 0; p < map->table->n_phases; p++) {
        out[p] = '-';
        if ((live >> p & 1U) != 0) {
            out[p] = map->table->phase[p].letter;
        }
    }
    out[map->table->n_phases] = '\0';
    return out;
}

const char *map_shape(char out[MAP_TEXT_BYTES], const struct af_tensor *const tensor) {
    char axis[24];
    out[0] = '\0';
    for (size_t d = 0; d < tensor->rank; d++) {
        (void)snprintf(axis, sizeof(axis), "[%zu]", tensor->dim[d]);
        append(out, axis);
    }
    return out;
}

const char *map_type_name(const enum af_type type) {
    static const char *const name[] = {
        AF_REAL_IS_DOUBLE ? "double" : "float",          // AF_TYPE_REAL
        sizeof(af_token) == 1 ? "uint8_t" : "uint16_t",  // AF_TYPE_TOKEN
        sizeof(af_index) == 2 ? "uint16_t" : "uint32_t", // AF_TYPE_INDEX
        "numpy",                                         // AF_TYPE_NUMPY
        "torch",                                         // AF_TYPE_TORCH
        "progress",                                      // AF_TYPE_PROGRESS
        "uint8_t",                                       // AF_TYPE_FLAG
        "gap",                                           // AF_TYPE_GAP
    };
    return (size_t)type < sizeof(name) / sizeof(name[0]) ? name[type] : "?";
}

// --------------------------------------------------------------------------------------------------------- regions

size_t map_n_regions(const struct af_map *const map) {
    size_t n = 0;
    for (size_t i = 0; i < af_map_count(map); i++) {
        const size_t region = af_map_tensor(map, i).region;
        n = region >= n ? region + 1 : n;
    }
    return n;
}

/// Takes one more tensor into a region's facts.
static void add_tensor(struct map_region *const r, const struct af_tensor *const t) {
    if (t->type == AF_TYPE_GAP) {
        r->n_gap += t->n_bytes;
        return;
    }
    if (r->n_tensors == 0) {
        (void)snprintf(r->name, sizeof(r->name), "%.*s", (int)strcspn(t->name, "."), t->name);
        r->offset = t->offset;
        r->live = t->live;
    }
    const size_t end = r->offset + r->n_bytes;
    const size_t tensor_end = t->offset + t->n_bytes;
    r->offset = t->offset < r->offset ? t->offset : r->offset;
    r->n_bytes = (tensor_end > end ? tensor_end : end) - r->offset;
    r->is_mixed = r->is_mixed || t->live != r->live;
    r->live |= t->live;
    r->n_tensors++;
}

struct map_region map_region_of(const struct af_map *const map, const size_t region) {
    struct map_region r;
    size_t n_bytes = 0; // of all tensors
    (void)memset(&r, 0, sizeof(r));
    for (size_t i = 0; i < af_map_count(map); i++) {
        const struct af_tensor t = af_map_tensor(map, i);
        if (t.region == region) {
            add_tensor(&r, &t);
            n_bytes += t.type != AF_TYPE_GAP ? t.n_bytes : 0;
        }
    }
    r.is_shared = n_bytes > r.n_bytes;
    return r;
}

/// Bytes from the start of the arena to the end of its last tensor.
static size_t arena_bytes(const struct af_map *const map) {
    size_t end = 0;
    for (size_t i = 0; i < af_map_count(map); i++) {
        const struct af_tensor t = af_map_tensor(map, i);
        end = t.offset + t.n_bytes > end ? t.offset + t.n_bytes : end;
    }
    return end;
}

// ----------------------------------------------------------------------------------------------------------- table

static void print_row(const struct table *const table, const struct af_map *const map,
                      const struct af_tensor *const t) {
    char shape[MAP_TEXT_BYTES];
    char phases[MAX_PHASES + 1];
    char offset[GROUPED_BYTES];
    char n_bytes[GROUPED_BYTES];
    (void)snprintf(offset, sizeof(offset), "%zu", t->offset); // without commas, as one would type it
    const char *const cell[] = {
        t->name,  map_type_name(t->type),       map_shape(shape, t),
        offset,   grouped(n_bytes, t->n_bytes), phase_letters(phases, map, t->live),
        t->torch,
    };
    table_row(table, cell);
}

static void print_region(const struct table *const table, const struct af_map *const map, const size_t region) {
    const struct map_region r = map_region_of(map, region);
    char n_bytes[GROUPED_BYTES];
    (void)fprintf(table->file, "\n%s: %s bytes", r.name, grouped(n_bytes, r.n_bytes));
    if (r.n_gap > 0) {
        (void)fprintf(table->file, " and a gap of %zu", r.n_gap);
    }
    (void)fprintf(table->file, "; %zu tensors", r.n_tensors);
    if (r.is_mixed) {
        (void)fprintf(table->file, ", %s\n",
                      r.is_shared ? "some of which share their bytes: they live in different phases"
                                  : "which live in different phases");
    } else {
        char phases[MAP_TEXT_BYTES];
        (void)fprintf(table->file, "; live in %s\n", map_phases(phases, map, r.live));
    }
    table_rule(table);
    for (size_t i = 0; i < af_map_count(map); i++) {
        const struct af_tensor t = af_map_tensor(map, i);
        if (t.region == region) {
            print_row(table, map, &t);
        }
    }
}

/// For each phase: how many bytes hold something then. Fast memory has to be that large, if the rest may be slow.
static void print_phase_totals(FILE *const file, const struct af_map *const map) {
    (void)fprintf(file, "\nBytes that are live in each phase:\n");
    for (unsigned p = 0; p < map->table->n_phases; p++) {
        size_t n_bytes = 0;
        for (size_t i = 0; i < af_map_count(map); i++) {
            const struct af_tensor t = af_map_tensor(map, i);
            const bool is_counted = t.type != AF_TYPE_GAP && (t.live >> p & 1U) != 0;
            n_bytes += is_counted ? t.n_bytes : 0;
        }
        char text[GROUPED_BYTES];
        (void)fprintf(file, "  %c  %-20s %12s\n", map->table->phase[p].letter, map->table->phase[p].name,
                      grouped(text, n_bytes));
    }
}

void map_print_text(FILE *const file, const struct af_map *const map) {
    const size_t n_phases = map->table->n_phases > 6 ? map->table->n_phases : 6;
    const struct table table = {
        file, 7, {{31, false}, {8, false}, {12, false}, {9, true}, {9, true}, {n_phases, false}, {24, false}}};
    bool has_torch = false; // whether any tensor has a name in PyTorch
    for (size_t i = 0; i < af_map_count(map); i++) {
        has_torch = has_torch || af_map_tensor(map, i).torch[0] != '\0';
    }
    const char *const head[] = {"tensor", "type", "shape", "offset", "bytes", "phases", has_torch ? "PyTorch" : ""};
    char text[GROUPED_BYTES];
    (void)fprintf(file, "Arena of %s bytes. Phases:", grouped(text, arena_bytes(map)));
    for (unsigned p = 0; p < map->table->n_phases; p++) {
        (void)fprintf(file, "%s %c %s", p > 0 ? "," : "", map->table->phase[p].letter, map->table->phase[p].name);
    }
    (void)fprintf(file, ".\n\n");
    table_row(&table, head);
    for (size_t region = 0; region < map_n_regions(map); region++) {
        print_region(&table, map, region);
    }
    print_phase_totals(file, map);
}

// ---------------------------------------------------------------------------------------------------- CSV and JSON

void map_print_csv(FILE *const file, const struct af_map *const map) {
    (void)fprintf(file, "name,torch,type,shape,rank,elements,offset,bytes,region,block,phases,text\n");
    for (size_t i = 0; i < af_map_count(map); i++) {
        const struct af_tensor t = af_map_tensor(map, i);
        char phases[MAX_PHASES + 1];
        char block[8] = "";
        if (t.in_block != 0) {
            (void)snprintf(block, sizeof(block), "%u", (unsigned)t.block);
        }
        (void)fprintf(file, "%s,%s,%s,", t.name, t.torch, map_type_name(t.type));
        for (size_t d = 0; d < t.rank; d++) {
            (void)fprintf(file, "%s%zu", d > 0 ? "x" : "", t.dim[d]);
        }
        (void)fprintf(file, ",%zu,%zu,%zu,%zu,%u,%s,%s,\"", t.rank, t.n_elements, t.offset, t.n_bytes,
                      (unsigned)t.region, block, phase_letters(phases, map, t.live));
        for (const char *c = t.text; *c != '\0'; c++) {
            (void)fprintf(file, "%s%c", *c == '"' ? "\"" : "", *c); // a quote is doubled
        }
        (void)fprintf(file, "\"\n");
    }
}

/// Writes a string of printable characters as JSON.
static void json_string(FILE *const file, const char *text) {
    (void)fputc('"', file);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') {
            (void)fputc('\\', file);
        }
        (void)fputc(*text, file);
    }
    (void)fputc('"', file);
}

static void json_tensor(FILE *const file, const struct af_map *const map, const struct af_tensor *const t) {
    (void)fprintf(file, "    {\"name\": ");
    json_string(file, t->name);
    (void)fprintf(file, ", \"torch\": ");
    if (t->torch[0] != '\0') {
        json_string(file, t->torch);
    } else {
        (void)fprintf(file, "null");
    }
    (void)fprintf(file, ", \"type\": \"%s\", \"shape\": [", map_type_name(t->type));
    for (size_t d = 0; d < t->rank; d++) {
        (void)fprintf(file, "%s%zu", d > 0 ? ", " : "", t->dim[d]);
    }
    (void)fprintf(file, "], \"offset\": %zu, \"bytes\": %zu, \"region\": %u, \"block\": ", t->offset, t->n_bytes,
                  (unsigned)t->region);
    if (t->in_block != 0) {
        (void)fprintf(file, "%u", (unsigned)t->block);
    } else {
        (void)fprintf(file, "null");
    }
    (void)fprintf(file, ", \"phases\": [");
    const char *separator = "";
    for (unsigned p = 0; p < map->table->n_phases; p++) {
        if ((t->live >> p & 1U) != 0) {
            (void)fprintf(file, "%s\"%s\"", separator, map->table->phase[p].name);
            separator = ", ";
        }
    }
    (void)fprintf(file, "], \"text\": ");
    json_string(file, t->text);
    (void)fprintf(file, "}");
}

void map_print_json(FILE *const file, const struct af_map *const map) {
    (void)fprintf(file, "{\n  \"bytes\": %zu,\n  \"regions\": [", arena_bytes(map));
    for (size_t region = 0; region < map_n_regions(map); region++) {
        const struct map_region r = map_region_of(map, region);
        (void)fprintf(file, "%s\n    {\"name\": \"%s\", \"offset\": %zu, \"bytes\": %zu, \"gap\": %zu}",
                      region > 0 ? "," : "", r.name, r.offset, r.n_bytes, r.n_gap);
    }
    (void)fprintf(file, "\n  ],\n  \"tensors\": [");
    for (size_t i = 0; i < af_map_count(map); i++) {
        const struct af_tensor t = af_map_tensor(map, i);
        (void)fprintf(file, "%s\n", i > 0 ? "," : "");
        json_tensor(file, map, &t);
    }
    (void)fprintf(file, "\n  ]\n}\n");
}

// ---------------------------------------------------------------------------------------------------- one tensor

void map_print_tensor(FILE *const file, const struct af_map *const map, const struct af_tensor *const t) {
    char text[MAP_TEXT_BYTES];
    char n_elements[GROUPED_BYTES];
    char n_bytes[GROUPED_BYTES];
    (void)fprintf(file, "%s\n", t->name);
    if (t->torch[0] != '\0') {
        (void)fprintf(file, "  PyTorch     %s\n", t->torch);
    }
    (void)fprintf(file, "  holds       %s\n", t->text);
    (void)fprintf(file, "  shape       %s %s: %s element%s, %s bytes\n", map_type_name(t->type), map_shape(text, t),
                  grouped(n_elements, t->n_elements), t->n_elements == 1 ? "" : "s", grouped(n_bytes, t->n_bytes));
    (void)fprintf(file, "  arena       +%zu to +%zu (0x%zx to 0x%zx)\n", t->offset, t->offset + t->n_bytes - 1,
                  t->offset, t->offset + t->n_bytes - 1);
    if (t->address != NULL) {
        (void)fprintf(file, "  here at     0x%llx\n", (unsigned long long)(uintptr_t)t->address);
    }
    (void)fprintf(file, "  lives in    %s\n", map_phases(text, map, t->live));
    const char *lead = "  shares with ";
    for (size_t i = 0; i < af_map_count(map); i++) {
        const struct af_tensor other = af_map_tensor(map, i);
        const bool is_same = other.offset == t->offset && strcmp(other.name, t->name) == 0;
        if (!is_same && other.offset < t->offset + t->n_bytes && t->offset < other.offset + other.n_bytes) {
            (void)fprintf(file, "%s%-32s (%s)\n", lead, other.name, map_phases(text, map, other.live));
            lead = "              ";
        }
    }
}

/// Writes the C path of the element of `t` that has the byte at `offset`, and which of its bytes that is.
static void print_element(FILE *const file, const struct af_tensor *const t, const size_t offset) {
    const size_t element_bytes = t->n_bytes / t->n_elements;
    size_t rest = (offset - t->offset) / element_bytes;
    size_t n_inner = t->n_elements;
    (void)fprintf(file, "%s", t->name);
    for (size_t d = 0; d < t->rank; d++) {
        n_inner /= t->dim[d];
        (void)fprintf(file, "[%zu]", rest / n_inner);
        rest %= n_inner;
    }
    if (element_bytes > 1) {
        (void)fprintf(file, ", byte %zu of %zu", (offset - t->offset) % element_bytes, element_bytes);
    }
}

bool map_print_byte(FILE *const file, const struct af_map *const map, const size_t offset) {
    size_t n_owners = 0;
    for (size_t i = 0; i < af_map_count(map); i++) {
        const struct af_tensor t = af_map_tensor(map, i);
        if (offset < t.offset || offset - t.offset >= t.n_bytes) {
            continue;
        }
        char phases[MAP_TEXT_BYTES];
        if (n_owners == 0) {
            (void)fprintf(file, "The byte at +%zu (0x%zx) belongs to\n", offset, offset);
        }
        (void)fprintf(file, "  in %s:\n    ", map_phases(phases, map, t.live));
        print_element(file, &t, offset);
        (void)fprintf(file, "\n");
        n_owners++;
    }
    for (size_t i = 0; i < af_map_count(map); i++) {
        const struct af_tensor t = af_map_tensor(map, i);
        if (offset >= t.offset && offset - t.offset < t.n_bytes) {
            (void)fprintf(file, "\n");
            map_print_tensor(file, map, &t);
        }
    }
    return n_owners > 0;
}

#endif
