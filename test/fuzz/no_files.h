// SPDX-License-Identifier: MIT
// Included before the sources of the program under fuzz_command_line.c: it opens no file that the harness does not give
// it.
#include <fcntl.h>
#include <stdio.h>

FILE *no_files_fopen(const char *path, const char *mode);
int no_files_open(const char *path, int flags, ...);
#define fopen no_files_fopen
#define open  no_files_open
