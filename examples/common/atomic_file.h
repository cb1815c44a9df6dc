// SPDX-License-Identifier: MIT
/// Files that are written whole or not at all: the bytes go to a file PATH.unfinished, called PATH.new below, which takes
/// PATH's place, and its mode, when all is done. A full disk, an error or a cut of the power leave what was there before.
/// A link stays one: PATH is then the file that it leads to. One process writes PATH.new at a time; what a process that
/// was killed has left of it, the next one that writes PATH uses and removes.
#ifndef ATOMIC_FILE_H
#define ATOMIC_FILE_H

#include <stdbool.h>
#include <stdio.h>

enum { ATOMIC_FILE_PATH_BYTES = 4096 };

/// Whether two paths lead to one file, be it there already or not.
bool is_same_file(const char *a, const char *b);

struct atomic_file {
    FILE *file;                             // to write to; NULL once closed
    FILE *held;                             // the same, from then on until it is published or discarded
    const char *path;                       // as it was given
    char real_path[ATOMIC_FILE_PATH_BYTES]; // where it will be: the path itself, or where links lead from there
    char new_path[ATOMIC_FILE_PATH_BYTES];  // where it is until then; empty for a device, which is written directly
    int reason;                             // errno of the first atomic_file_write() that failed; 0: none
};

/// Opens PATH.new for writing. `path` is kept. What is there already but is no regular file (a device, a pipe) is never
/// replaced: its bytes are written straight to it, as they are to the standard output that /dev/stdout leads to. False,
/// with errno set, if it cannot be opened; EBUSY, if another process is writing PATH.new.
bool atomic_file_open(struct atomic_file *file, const char *path);

/// Writes n bytes; a failure shows, with its reason, in atomic_file_close(). Text may be printed to file->file as well.
void atomic_file_write(struct atomic_file *file, const void *data, size_t n);

/// Hands all bytes over to the storage; nothing more can be written. False, with errno set and PATH.new removed, if that or an
/// earlier write failed.
bool atomic_file_close(struct atomic_file *file);

/// Puts the closed file in PATH's place. False, with errno set and PATH.new removed, if that fails.
bool atomic_file_publish(struct atomic_file *file);

/// Closes and removes PATH.new.
void atomic_file_discard(struct atomic_file *file);

/// Whether PATH is there and is not to be replaced: no regular file, or a link to standard output or standard error.
bool is_special_file(const char *path);

#endif
