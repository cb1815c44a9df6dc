// SPDX-License-Identifier: MIT
// The arena on this machine: a line for every tensor, then one found by its name and one by its address.
#include "firmware.h"
#include "decimal.h"

/// A number, right-aligned in `width` columns.
static void print_column(const size_t number, const size_t width) {
    char text[DECIMAL_CHARS];
    const size_t n = decimal_whole(text, number);
    for (size_t i = n; i < width; i++) {
        print(" ");
    }
    print(text);
}

static void print_shape(const struct af_tensor *const tensor) {
    for (size_t d = 0; d < tensor->rank; d++) {
        print(d == 0 ? "" : "x");
        print_whole(tensor->dim[d]);
    }
}

/// "60033400   209920  49152 63 weight.at.block[1].qkv_w 192x64": address, offset, bytes, phases, name, shape.
static void print_tensor(const struct af_tensor *const tensor) {
    const uintptr_t address = (uintptr_t)tensor->address;
#if UINTPTR_MAX > UINT32_MAX
    print_hex((uint32_t)(address >> 32));
#endif
    print_hex((uint32_t)(address & UINT32_MAX));
    print_column(tensor->offset, 9);
    print_column(tensor->n_bytes, 9);
    print_column(tensor->live, 3);
    print(" ");
    print(tensor->name);
    print(" ");
    print_shape(tensor);
    print("\n");
}

static void print_found(const char *const how, const struct af_tensor *const tensor) {
    print(how);
    print(tensor->name);
    print(" element ");
    print_whole(tensor->element);
    print(" of ");
    print_whole(tensor->n_elements);
    print("\n");
}

static void print_tensors(const struct af_map *const map) {
    for (size_t i = 0; i < af_map_count(map); i++) {
        const struct af_tensor tensor = af_map_tensor(map, i);
        if (tensor.address != NULL) { // gaps are of the default arena only
            print_tensor(&tensor);
        }
    }
}

/// By its name, and by an address inside. Returns whether both find the same.
static bool find_both_ways(const struct af_map *const map) {
    enum { ELEMENT = 100 };
    const struct af_tensor by_name = af_map_find(map, "blocks.0.attn.qkv.weight");
    const struct af_tensor by_address = af_map_at(map, (const af_real *)by_name.address + ELEMENT, AF_LIVE_ALWAYS);
    print_found("blocks.0.attn.qkv.weight is ", &by_name);
    print_found("the number 400 bytes behind it is of ", &by_address);
    return by_address.offset == by_name.offset && by_address.element == ELEMENT;
}

int main(void) {
    if (!firmware_begin("map")) {
        return 1;
    }
    const struct af_model model = firmware_model();
    struct af_map_region region[AF_N_REGIONS];
    af_map_regions(region, &model);
    const struct af_map map = {&af_map_model, region};
    print_tensors(&map);
    const bool is_good = find_both_ways(&map);
    print("arena: ");
    print_whole(sizeof(struct af_arena));
    print(" bytes\n");
    return is_good ? 0 : 1;
}
