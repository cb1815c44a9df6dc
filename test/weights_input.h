// SPDX-License-Identifier: MIT
/// The reader of the weights file, which takes the first n_input bytes of `input` for the file, whatever its path, and whose
/// lines on stderr are counted in n_lines. Included once, before any other header.
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>

static FILE *open_input(void);
#define fopen(path, mode) open_input()
#include "../examples/reversal/weights_file.c"
#undef fopen

static uint8_t input[2 * FILE_BYTES];
static size_t n_input;

static FILE *open_input(void) {
    return n_input == 0 ? tmpfile() : fmemopen(input, n_input, "rb"); // which refuses an empty file
}

const char program_name[] = "weights_input";

static int n_lines;

int complain(const char *format, ...) {
    (void)format;
    n_lines++;
    return STATUS_USAGE;
}
