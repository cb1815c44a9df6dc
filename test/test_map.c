// SPDX-License-Identifier: MIT
// The map: every byte has a name, no two live tensors share one, names and addresses lead to the same place.
#include "af.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t *const arena = (const uint8_t *)&af_arena;

// promise: map-complete, regions-may-move
// promise: no-pointer-kept
Test(map, every_byte_of_the_arena_belongs_to_a_tensor) {
    static uint8_t named[sizeof(af_arena)];
    memset(named, 0, sizeof(named));
    for (size_t i = 0; i < af_map_count(&af_map); i++) {
        const struct af_tensor t = af_map_tensor(&af_map, i);
        cr_assert(t.offset + t.n_bytes <= sizeof(af_arena), "%s ends outside the arena", t.name);
        memset(&named[t.offset], 1, t.n_bytes);
    }
    for (size_t i = 0; i < sizeof(named); i++) {
        cr_assert(named[i], "byte %zu of the arena has no name", i);
    }
}

// promise: live-tensors-apart
Test(map, tensors_live_in_a_common_phase_share_no_byte) {
    const size_t n = af_map_count(&af_map);
    for (size_t i = 0; i < n; i++) {
        const struct af_tensor a = af_map_tensor(&af_map, i);
        for (size_t j = i + 1; j < n; j++) {
            const struct af_tensor b = af_map_tensor(&af_map, j);
            const bool apart = a.offset + a.n_bytes <= b.offset || b.offset + b.n_bytes <= a.offset;
            cr_assert(apart || (a.live & b.live) == 0, "%s and %s overlap", a.name, b.name);
        }
    }
}

Test(map, tensors_stand_in_the_order_of_addresses_within_what_lives_together) {
    size_t end = 0;
    for (size_t i = 0; i < af_map_count(&af_map); i++) {
        const struct af_tensor t = af_map_tensor(&af_map, i);
        if (t.region == 0) {
            cr_assert_eq(t.offset, end, "%s does not follow its predecessor", t.name);
            end = t.offset + t.n_bytes;
        }
    }
    cr_assert_gt(end, sizeof(union af_plane));
}

Test(map, shape_size_and_place_agree) {
    const struct af_tensor nothing = af_map_find(&af_map, "nothing");
    for (size_t i = 0; i < af_map_count(&af_map); i++) {
        const struct af_tensor t = af_map_tensor(&af_map, i);
        cr_assert(t.rank >= 1 && t.rank <= 4 && t.n_elements > 0 && t.n_bytes % t.n_elements == 0, "%s", t.name);
        size_t product = 1;
        for (size_t d = 0; d < t.rank; d++) {
            product *= t.dim[d];
        }
        cr_assert_eq(product, t.n_elements, "%s", t.name);
        cr_assert_eq((const void *)(arena + t.offset), t.address, "%s", t.name);
        cr_assert_lt(strlen(t.name) + 1, (size_t)AF_MAP_NAME_BYTES, "%s may be cut off", t.name);
        cr_assert(t.text != NULL && t.text[0] != '\0' && strcmp(t.text, nothing.text) != 0, "%s", t.name);
        cr_assert(t.live != 0);
    }
}

// promise: map-finds
Test(map, name_and_address_lead_back_to_the_tensor) {
    for (size_t i = 0; i < af_map_count(&af_map); i++) {
        const struct af_tensor t = af_map_tensor(&af_map, i);
        const struct af_tensor by_name = af_map_find(&af_map, t.name);
        cr_assert_eq(by_name.offset, t.offset, "%s", t.name);
        cr_assert_str_eq(by_name.name, t.name);
        const size_t element_bytes = t.n_bytes / t.n_elements;
        for (size_t e = 0; e < t.n_elements; e += 1 + t.n_elements / 7) {
            const struct af_tensor at = af_map_at(&af_map, arena + t.offset + e * element_bytes, t.live);
            cr_assert_str_eq(at.name, t.name);
            cr_assert_eq(at.element, e);
        }
        cr_assert_str_eq(af_map_at(&af_map, arena + t.offset + t.n_bytes - 1, t.live).name, t.name);
    }
}

// promise: map-finds
Test(map, pytorch_names_lead_to_weights_gradients_and_moments) {
    size_t n_found = 0;
    for (size_t i = 0; i < af_map_count(&af_map); i++) {
        const struct af_tensor t = af_map_tensor(&af_map, i);
        if (t.torch[0] == '\0') {
            continue;
        }
        n_found++;
        char name[2 * AF_MAP_NAME_BYTES];
        const int region = (int)strcspn(t.name, ".");
        snprintf(name, sizeof(name), "%.*s.%s", region, t.name, t.torch);
        cr_assert_str_eq(af_map_find(&af_map, name).name, t.name);
        if (t.region == 0) {
            cr_assert_str_eq(af_map_find(&af_map, t.torch).name, t.name);
        }
    }
    cr_assert_eq(n_found, (AF_TRAINING ? 4u : 1u) * (6 + 12 * AF_BLOCKS));
}

Test(map, names_may_leave_out_at) {
    cr_assert_str_eq(af_map_find(&af_map, "weight.tok").name, "weight.at.tok");
    cr_assert_str_eq(af_map_find(&af_map, "weight.block[0].qkv_w").name, "weight.at.block[0].qkv_w");
}

/// Only a whole part is left out, not letters at the end of one; the model's own list has no such names.
Test(map, at_is_left_out_only_as_a_whole_part_of_a_name) {
    static const struct af_map_row row[] = {{"x", NULL, "numbers", 0, 4, {1, 0, 0, 0}, 1, AF_TYPE_REAL, 63},
                                            {"att", NULL, "numbers", 4, 4, {1, 0, 0, 0}, 1, AF_TYPE_REAL, 63}};
    static const struct af_map_group group[] = {{row, 2, 0, 0, 0, 0, 63, 0, "flat.at.", NULL}};
    static const uint32_t offset[] = {0};
    static const struct af_map_table table = {group, 1, offset, offset, NULL, 0};
    static const struct af_map_region region[] = {{NULL, NULL}};
    const struct af_map map = {&table, region};
    cr_assert_str_eq(af_map_find(&map, "flat.at.att").name, "flat.at.att");
    cr_assert_str_eq(af_map_find(&map, "flat.att").name, "flat.at.att");
    cr_assert_str_eq(af_map_find(&map, "flat.x").name, "flat.at.x");
    static const char *const others[] = {"flx", "flat.at.flx", "flatx", "flat.t", "flat.at.at.x", "flat"};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        cr_assert_eq(af_map_find(&map, others[i]).n_bytes, 0u, "'%s' was found", others[i]);
    }
}

/// What does not fit is cut off, in the name and in PyTorch's; a row without one has none. Blocks count up to 99.
Test(map, names_are_cut_off_where_they_do_not_fit) {
    char longest[2 * AF_MAP_NAME_BYTES];
    memset(longest, 'n', sizeof(longest));
    longest[sizeof(longest) - 1] = '\0';
    const struct af_map_row row[] = {{longest, longest, "numbers", 0, 4, {1, 0, 0, 0}, 1, AF_TYPE_REAL, 63},
                                     {"x", NULL, "numbers", 4, 4, {1, 0, 0, 0}, 1, AF_TYPE_REAL, 63}};
    const struct af_map_group group[] = {{row, 2, 0, 8, 64, 0, 63, 0, "row", "rows"}};
    static const uint32_t offset[] = {0};
    const struct af_map_table table = {group, 1, offset, offset, NULL, 0};
    static const struct af_map_region region[] = {{NULL, NULL}};
    const struct af_map map = {&table, region};
    const struct af_tensor cut = af_map_tensor(&map, 0);
    cr_assert_eq(strlen(cut.name), AF_MAP_NAME_BYTES - 1u);
    cr_assert_eq(strncmp(cut.name, "row[0].nnn", 10), 0);
    cr_assert_eq(strlen(cut.torch), AF_MAP_NAME_BYTES - 1u);
    cr_assert_eq(strncmp(cut.torch, "rows.0.nnn", 10), 0);
    const struct af_tensor last = af_map_find(&map, "row[63].x");
    cr_assert_str_eq(last.name, "row[63].x");
    cr_assert_str_eq(last.torch, "");
    cr_assert_eq(last.offset, 63u * 8 + 4);
    cr_assert_eq(last.block, 63);
    cr_assert_str_eq(af_map_find(&map, "row[10].x").name, "row[10].x");
    cr_assert_str_eq(af_map_find(&map, "row[9].x").name, "row[9].x");
}

// promise: not-found-is-empty
Test(map, what_is_not_there_is_not_found) {
    static const char *const names[] = {"",
                                        "weight",
                                        "weight.at.",
                                        "weight.at.tokk",
                                        "tok.weigh",
                                        "at.at",
                                        "blocks.99.ln1.bias",
                                        "grad_blocks.0.ln1.bias",
                                        "g.blocks.0.ln1.bias",
                                        "grad.",
                                        ".",
                                        "tok.weight.",
                                        "a",
                                        "at.",
                                        "weight.at.block[0]",
                                        "weight.at.at.tok",
                                        "at.weight.at.tok",
                                        "weight.a.tok"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        cr_assert_eq(af_map_find(&af_map, names[i]).n_bytes, 0u, "'%s' was found", names[i]);
    }
    cr_assert_eq(af_map_find(&af_map, NULL).n_bytes, 0u);
    cr_assert_eq(af_map_tensor(&af_map, af_map_count(&af_map)).n_bytes, 0u);
    cr_assert_eq(af_map_at(&af_map, arena + sizeof(af_arena), 63).n_bytes, 0u);
    cr_assert_eq(af_map_at(&af_map, NULL, 63).n_bytes, 0u);
    cr_assert_eq(af_map_at(&af_map, arena, 0).n_bytes, 0u);
}

// promise: compile-time-offsets
// promise: arena-bytes-in-if
Test(map, offsets_are_compile_time_constants_and_the_same) {
    enum { OFFSET = AF_OFFSET(weight.at.block[AF_BLOCKS - 1].qkv_w) };
    char name[AF_MAP_NAME_BYTES];
    snprintf(name, sizeof(name), "weight.at.block[%d].qkv_w", AF_BLOCKS - 1);
    cr_assert_eq(af_map_find(&af_map, name).offset, (size_t)OFFSET);
    cr_assert_eq(sizeof(af_arena), (size_t)(AF_ARENA_BYTES));
}

#if AF_TRAINING
Test(map, the_four_planes_have_one_layout) {
    for (size_t i = 0; i < af_map_count(&af_map); i++) {
        const struct af_tensor t = af_map_tensor(&af_map, i);
        if (t.region != 0 || t.torch[0] == '\0') {
            continue;
        }
        static const char *const planes[] = {"grad", "adam_m", "adam_v"};
        for (size_t p = 0; p < 3; p++) {
            char name[2 * AF_MAP_NAME_BYTES];
            snprintf(name, sizeof(name), "%s.%s", planes[p], t.torch);
            const struct af_tensor twin = af_map_find(&af_map, name);
            cr_assert_eq(twin.n_bytes, t.n_bytes);
            cr_assert_eq(twin.offset - t.offset, (p + 1) * (AF_OFFSET(grad) - AF_OFFSET(weight)));
        }
    }
}

Test(map, another_instance_has_a_map_of_its_own) {
    static union af_plane weight, grad, m, v;
    static struct af_state state;
    static union af_work work;
    struct af_model model = af_model_of(&af_arena);
    model.weight = &weight;
    model.grad = &grad;
    model.adam_m = &m;
    model.adam_v = &v;
    model.state = &state;
    model.work = &work;
    struct af_map_region region[AF_N_REGIONS];
    af_map_regions(region, &model);
    const struct af_map map = {&af_map_model, region};
    cr_assert_eq(af_map_find(&map, "grad.tok.weight").address, (const void *)&grad.at.tok);
    cr_assert_str_eq(af_map_at(&map, &v.at.block[0].ff2_b[1], 63).name, "adam_v.at.block[0].ff2_b");
    cr_assert_eq(af_map_at(&map, &v.at.block[0].ff2_b[1], 63).element, 1u);
    cr_assert_eq(af_map_at(&map, &af_arena.weight, 63).n_bytes, 0u);
    cr_assert_eq(af_map_find(&map, "weight_gap").address, NULL);
}
#endif

/// A region and its gap: names are "weight_gap", so that af_arena.weight_gap is what a debugger shows.
Test(map, gaps_have_names) {
    const struct af_tensor gap = af_map_at(&af_map, &af_arena.weight_gap[0], 63);
    cr_assert_str_eq(gap.name, "weight_gap");
    cr_assert_eq(gap.type, AF_TYPE_GAP);
    cr_assert_eq(gap.n_bytes, sizeof(af_arena.weight_gap));
}

#ifdef GOLDEN_MAP
Test(map, the_layout_is_the_committed_one) {
    FILE *const file = fopen(GOLDEN_MAP, "r");
    cr_assert_not_null(file, "cannot open %s", GOLDEN_MAP);
    const bool write = getenv("WRITE_GOLDEN") != NULL;
    FILE *const out = write ? fopen(GOLDEN_MAP ".new", "w") : NULL;
    for (size_t i = 0; i < af_map_count(&af_map); i++) {
        const struct af_tensor t = af_map_tensor(&af_map, i);
        char line[160];
        int end = snprintf(line, sizeof(line), "%8zu %8zu %2d %-36s", t.offset, t.n_bytes, t.live, t.name);
        for (size_t d = 0; d < t.rank; d++) {
            end += snprintf(&line[end], sizeof(line) - (size_t)end, "%s%zu", d == 0 ? " " : "x", t.dim[d]);
        }
        snprintf(&line[end], sizeof(line) - (size_t)end, "\n");
        if (write) {
            fputs(line, out);
            continue;
        }
        char golden[160] = "";
        cr_assert_not_null(fgets(golden, sizeof(golden), file), "the committed map ends before %s", t.name);
        cr_assert_str_eq(line, golden);
    }
    if (write) {
        fclose(out);
    } else {
        cr_assert_eq(fgetc(file), EOF, "the committed map has more tensors");
    }
    fclose(file);
}
#endif
