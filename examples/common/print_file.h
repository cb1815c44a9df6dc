// SPDX-License-Identifier: MIT
/// Text and pictures into a file, whole or not at all.
#ifndef PRINT_FILE_H
#define PRINT_FILE_H

#include <stdio.h>

/// Writes what `print` prints to the file of a path, whole or not at all; "-" is standard output. Returns STATUS_DONE,
/// also where the reader of a pipe has seen enough; or STATUS_FAILED after one line on stderr.
int print_file(const char *path, void (*print)(FILE *file, const void *what), const void *what);

#endif
