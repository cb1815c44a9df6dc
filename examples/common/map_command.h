// SPDX-License-Identifier: MIT
/// The command `map`: the map of an arena, one tensor of it, or whose the byte at an address is.
#ifndef MAP_COMMAND_H
#define MAP_COMMAND_H

#include "af.h"

#include <stdio.h>

/// What the command is about.
struct map_command {
    const struct af_map *map;
    const void *arena;
    size_t n_bytes; // of the arena
    /// Says what there is to say about a tensor's name; returns an exit status.
    int (*show_name)(const char *text);
    /// Writes what `print` prints to a file: print_file(), or a function that refuses some files first.
    int (*write_file)(const char *path, void (*print)(FILE *file, const void *what), const void *what);
};

/// What follows the command's name, for its help.
#define MAP_COMMAND_ARGUMENTS "[TENSOR | ADDRESS | +OFFSET | --csv [FILE] | --json [FILE] | --svg [FILE]]"

/// Runs it. Returns the exit status.
int map_command(const struct map_command *command, int argc, char **argv);

#endif
