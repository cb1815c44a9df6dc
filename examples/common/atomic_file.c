// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L

#include "atomic_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool is_special_file(const char *const path) {
    struct stat facts;
    return stat(path, &facts) == 0 && !S_ISREG(facts.st_mode);
}

/// Splits a path: its last part, and the facts of the folder that it is in. False if there is no such folder.
static bool folder_of(const char *const path, const char **const name, struct stat *const folder) {
    char text[ATOMIC_FILE_PATH_BYTES];
    const char *const slash = strrchr(path, '/');
    const size_t n = slash == NULL ? 0 : (size_t)(slash - path) + 1;
    *name = &path[n];
    if (n >= sizeof(text)) {
        return false;
    }
    (void)memcpy(text, path, n);
    text[n] = '\0';
    return stat(n == 0 ? "." : text, folder) == 0;
}

bool is_same_file(const char *const a, const char *const b) {
    struct stat facts_a;
    struct stat facts_b;
    if (stat(a, &facts_a) == 0 && stat(b, &facts_b) == 0) {
        return facts_a.st_dev == facts_b.st_dev && facts_a.st_ino == facts_b.st_ino;
    }
    const char *name_a = NULL;
    const char *name_b = NULL;
    return folder_of(a, &name_a, &facts_a) && folder_of(b, &name_b, &facts_b) && strcmp(name_a, name_b) == 0 &&
           facts_a.st_dev == facts_b.st_dev && facts_a.st_ino == facts_b.st_ino;
}

bool atomic_file_open(struct atomic_file *const file, const char *const path) {
    file->file = NULL;
    file->path = path;
    file->new_path[0] = '\0';
    file->reason = 0;
    if (!is_special_file(path)) {
        const int n = snprintf(file->new_path, sizeof(file->new_path), "%s.%ld.new", path, (long)getpid());
        if (n < 0 || (size_t)n >= sizeof(file->new_path)) {
            file->new_path[0] = '\0';
            errno = ENAMETOOLONG;
            return false;
        }
    }
    file->file = fopen(file->new_path[0] != '\0' ? file->new_path : path, "wb");
    return file->file != NULL;
}

void atomic_file_write(struct atomic_file *const file, const void *const data, const size_t n) {
    errno = 0;
    if (fwrite(data, 1, n, file->file) != n && file->reason == 0) {
        file->reason = errno != 0 ? errno : EIO;
    }
}

/// Removes PATH.new and keeps errno, which says why.
static bool give_up(struct atomic_file *const file) {
    const int reason = errno;
    if (file->new_path[0] != '\0') {
        (void)remove(file->new_path);
    }
    errno = reason;
    return false;
}

bool atomic_file_close(struct atomic_file *const file) {
    errno = 0;
    bool is_good = file->reason == 0 && ferror(file->file) == 0 && fflush(file->file) == 0;
    if (is_good && file->new_path[0] != '\0') {
        is_good = fsync(fileno(file->file)) == 0;
    }
    int reason = file->reason != 0 ? file->reason : errno;
    errno = 0;
    if (fclose(file->file) != 0) {
        is_good = false;
        reason = reason != 0 ? reason : errno;
    }
    file->file = NULL;
    if (is_good) {
        return true;
    }
    errno = reason != 0 ? reason : EIO; // a print that failed long ago has left no number
    return give_up(file);
}

bool atomic_file_publish(struct atomic_file *const file) {
    if (file->new_path[0] == '\0' || rename(file->new_path, file->path) == 0) {
        return true;
    }
    return give_up(file);
}

void atomic_file_discard(struct atomic_file *const file) {
    if (file->file != NULL) {
        (void)fclose(file->file);
        file->file = NULL;
    }
    (void)give_up(file);
}
