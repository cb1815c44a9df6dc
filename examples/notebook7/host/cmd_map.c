// SPDX-License-Identifier: MIT
// The map of the notebook's arena.
#include "host.h"
#include "map_command.h"
#include "map_print.h"
#include "print_file.h"

static int show_name(const char *const text) {
    const struct af_tensor t = find_tensor(text);
    if (t.n_bytes == 0) {
        return STATUS_FAILED;
    }
    map_print_tensor(stdout, &n7_map, &t);
    return STATUS_DONE;
}

int cmd_map(int argc, char **argv) {
    const struct map_command command = {&n7_map, &n7_arena, sizeof(n7_arena), show_name, print_file};
    return map_command(&command, argc, argv);
}
