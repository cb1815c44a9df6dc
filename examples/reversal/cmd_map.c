// SPDX-License-Identifier: MIT
// The map of the arena: all of it, one tensor, or whose the byte at an address is.
#include "look.h"
#include "map_command.h"
#include "map_print.h"

static int show_name(const char *const text) {
    static struct view view;
    const int status = view_parse(&view, text);
    if (status != STATUS_DONE) {
        return status;
    }
    if (view.is_part) { // where the part begins
        const size_t element_bytes = view.tensor.n_bytes / view.tensor.n_elements;
        (void)map_print_byte(stdout, &af_map, view.tensor.offset + view_element(&view, 0) * element_bytes);
    } else {
        map_print_tensor(stdout, &af_map, &view.tensor);
    }
    return STATUS_DONE;
}

int cmd_map(int argc, char **argv) {
    const struct map_command command = {&af_map, &af_arena, sizeof(af_arena), show_name, write_file};
    return map_command(&command, argc, argv);
}
