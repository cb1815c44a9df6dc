// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L

#include "atomic_file.h"
#include "command_line.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_LINKS = 40 };

/// Standard output or standard error, if the path is a link that leads to it, as /dev/stdout is; -1 if not.
static int standard_file(const char *const path) {
    struct stat facts;
    struct stat standard;
    if (lstat(path, &facts) != 0 || !S_ISLNK(facts.st_mode) || stat(path, &facts) != 0) {
        return -1;
    }
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fstat(fd, &standard) == 0 && standard.st_dev == facts.st_dev && standard.st_ino == facts.st_ino) {
            return fd;
        }
    }
    return -1;
}

bool is_special_file(const char *const path) {
    struct stat facts;
    return (stat(path, &facts) == 0 && !S_ISREG(facts.st_mode)) || standard_file(path) >= 0;
}

/// Where a path leads if it is a link, to another one perhaps: a file that may not be there yet. False, with errno set,
/// if that is nowhere.
static bool follow_links(char to[ATOMIC_FILE_PATH_BYTES], const char *const path) {
    char target[ATOMIC_FILE_PATH_BYTES];
    if (strlen(path) >= ATOMIC_FILE_PATH_BYTES) {
        errno = ENAMETOOLONG;
        return false;
    }
    (void)memcpy(to, path, strlen(path) + 1);
    for (int i = 0; i < MOST_LINKS; i++) {
        const ssize_t n = readlink(to, target, sizeof(target));
        if (n < 0) {
            return true; // no link; whatever else is wrong with it shows when it is opened
        }
        char *const slash = strrchr(to, '/');
        char *const name = target[0] == '/' || slash == NULL ? to : slash + 1;
        if ((size_t)n >= ATOMIC_FILE_PATH_BYTES - (size_t)(name - to)) {
            errno = ENAMETOOLONG;
            return false;
        }
        (void)memcpy(name, target, (size_t)n);
        name[n] = '\0';
    }
    errno = ELOOP;
    return false;
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
    char path_a[ATOMIC_FILE_PATH_BYTES];
    char path_b[ATOMIC_FILE_PATH_BYTES];
    const char *name_a = NULL;
    const char *name_b = NULL;
    return follow_links(path_a, a) && follow_links(path_b, b) && folder_of(path_a, &name_a, &facts_a) &&
           folder_of(path_b, &name_b, &facts_b) && strcmp(name_a, name_b) == 0 && facts_a.st_dev == facts_b.st_dev &&
           facts_a.st_ino == facts_b.st_ino;
}

/// Opens PATH.new, which gets the mode of the file that it will replace.
static bool open_new(struct atomic_file *const file) {
    struct stat old;
    if (!follow_links(file->real_path, file->path)) {
        return false;
    }
    const int n = snprintf(file->new_path, sizeof(file->new_path), "%s.%ld.new", file->real_path, (long)getpid());
    if (n < 0 || (size_t)n >= sizeof(file->new_path)) {
        file->new_path[0] = '\0';
        errno = ENAMETOOLONG;
        return false;
    }
    file->file = fopen(file->new_path, "wb");
    if (file->file != NULL && stat(file->real_path, &old) == 0 &&
        fchmod(fileno(file->file), old.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO)) != 0) {
        const int reason = errno;
        atomic_file_discard(file);
        errno = reason;
    }
    return file->file != NULL;
}

/// Opens what is never replaced: a device or a pipe by its name, standard output and error as they are, so that what
/// is printed before and after keeps its place.
static bool open_directly(struct atomic_file *const file) {
    const int standard = standard_file(file->path);
    if (standard < 0) {
        file->file = fopen(file->path, "wb");
        return file->file != NULL;
    }
    (void)fflush(stdout);
    const int fd = dup(standard);
    file->file = fd >= 0 ? fdopen(fd, "wb") : NULL;
    return file->file != NULL;
}

bool atomic_file_open(struct atomic_file *const file, const char *const path) {
    file->file = NULL;
    file->path = path;
    file->new_path[0] = '\0';
    file->reason = 0;
    return is_special_file(path) ? open_directly(file) : open_new(file);
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
    if (!is_good && is_reader_gone(file->file)) { // a print that failed long ago has left no number
        reason = EPIPE;
    }
    errno = 0;
    if (fclose(file->file) != 0) {
        is_good = false;
        reason = reason != 0 ? reason : errno;
    }
    file->file = NULL;
    if (is_good) {
        return true;
    }
    errno = reason != 0 ? reason : EIO; // nor has another one
    return give_up(file);
}

bool atomic_file_publish(struct atomic_file *const file) {
    if (file->new_path[0] == '\0' || rename(file->new_path, file->real_path) == 0) {
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
