// SPDX-License-Identifier: MIT
// The host port: POSIX clock, kernel's random numbers, standard output, a file as flash.
#define _POSIX_C_SOURCE 200809L

#include "af_port.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TICKS_PER_SECOND 1000000000u

uint64_t af_port_ticks(void) {
    struct timespec now = {0, 0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * TICKS_PER_SECOND + (uint64_t)now.tv_nsec;
}

uint32_t af_port_ticks_per_second(void) {
    return TICKS_PER_SECOND;
}

void af_port_feed_watchdog(void) {}

bool af_port_protect(const void *const address, const size_t n_bytes) {
    (void)address;
    (void)n_bytes;
    return false;
}

uint64_t af_port_seed(void) {
    uint64_t seed = af_port_ticks();
    FILE *const file = fopen("/dev/urandom", "rb");
    if (file != NULL) {
        (void)fread(&seed, sizeof(seed), 1, file);
        (void)fclose(file);
    }
    return seed;
}

void af_port_write(const char *const text, const size_t n) {
    (void)fwrite(text, 1, n, stdout);
    (void)fflush(stdout);
}

// --------------------------------------------------------------------------------------------------------- storage

/// Room for two checkpoints of 300,000 parameters, as doubles too.
enum { STORAGE_BYTES = 16 * 1024 * 1024, ERASE_BYTES = 4096, PROGRAM_BYTES = 8, PATH_BYTES = 4096 };

/// What stands behind the storage, at the end of its file. The first part is written before anything else and the rest
/// when all is erased: a file that has only the first is one whose making was cut short, and loses nothing when it is
/// made again.
static const char signature[] = "arenaformer storage of checkpoints, complete\n";
enum { BEGUN_CHARS = sizeof("arenaformer storage of checkpoints") - 1, WHOLE_CHARS = sizeof(signature) - 1 };

static int storage = -1; // the open file
static int folder = -1;  // that it is in, until its name, too, is sure to survive a power cut

/// A write can stop halfway, at a limit of the file's size say: only the next one tells why.
static bool write_bytes(const int file, const off_t offset, const void *const data, const size_t n_bytes) {
    const char *const bytes = data;
    size_t n = 0;
    while (n < n_bytes) {
        const ssize_t n_now = pwrite(file, &bytes[n], n_bytes - n, offset + (off_t)n);
        if (n_now <= 0) {
            return false;
        }
        n += (size_t)n_now;
    }
    return true;
}

/// Writes n_bytes that flash reads when it is erased.
static bool write_erased(const int file, const off_t offset, const off_t n_bytes) {
    uint8_t erased[ERASE_BYTES];
    bool is_good = true;
    (void)memset(erased, 0xFF, sizeof(erased));
    for (off_t at = 0; at < n_bytes && is_good; at += ERASE_BYTES) {
        is_good = write_bytes(file, offset + at, erased, ERASE_BYTES);
    }
    return is_good;
}

/// Makes a storage, erased, of a file that is empty or was begun. In its place, not under another name first: links
/// and exchanges of names are not on every file system, and a process that is killed would leave the other file.
static bool make_storage(const int file) {
    return write_bytes(file, STORAGE_BYTES, signature, BEGUN_CHARS) && fsync(file) == 0 &&
           write_erased(file, 0, STORAGE_BYTES) && fsync(file) == 0 &&
           write_bytes(file, STORAGE_BYTES, signature, WHOLE_CHARS) && fsync(file) == 0;
}

/// make_storage(), or why it failed: the file is then empty again or, if it is new, gone.
static const char *make_or_remove(const int file, const char *const new_name) {
    if (make_storage(file)) {
        return NULL;
    }
    const char *const reason = strerror(errno);
    if (ftruncate(file, 0) == 0 && new_name != NULL) {
        (void)unlink(new_name);
    }
    return reason;
}

/// Locks a file to its end. Returns NULL, or why it is not ours.
static const char *lock_file(const int file) {
    struct flock lock;
    (void)memset(&lock, 0, sizeof(lock)); // from 0 to the end
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    if (fcntl(file, F_SETLK, &lock) == 0) {
        return NULL;
    }
    return errno == EAGAIN || errno == EACCES ? "another process uses it" : strerror(errno);
}

/// Whether a file still has its name: another process may have removed it before it was locked.
static bool is_named(const struct stat *const facts, const char *const name) {
    struct stat named;
    return stat(name, &named) == 0 && named.st_dev == facts->st_dev && named.st_ino == facts->st_ino;
}

/// Whether a file ends, behind the storage, in the first n characters of the signature.
static bool ends_in(const int file, const size_t n) {
    char tail[WHOLE_CHARS + 1];
    return pread(file, tail, sizeof(tail), STORAGE_BYTES) == (ssize_t)n && memcmp(tail, signature, n) == 0;
}

/// Looks at a file that is locked, and makes it a storage if nothing is in it yet. Returns NULL, or why it is none.
static const char *look_at(const int file, const char *const name, const bool is_new) {
    struct stat facts;
    if (fstat(file, &facts) != 0) {
        return strerror(errno);
    }
    if (!is_named(&facts, name)) {
        return "another process has removed it";
    }
    if (S_ISREG(facts.st_mode) && (facts.st_size == 0 || ends_in(file, BEGUN_CHARS))) {
        return make_or_remove(file, is_new ? name : NULL);
    }
    return ends_in(file, WHOLE_CHARS) ? NULL : "it is no storage of checkpoints of this version";
}

/// Opens a file, made empty if it is not there. Returns -1, with errno set, if that fails.
static int open_or_make(const char *const name, bool *const is_new) {
    int file = open(name, O_RDWR);
    *is_new = false;
    if (file < 0 && errno == ENOENT) {
        file = open(name, O_RDWR | O_CREAT | O_EXCL, 0666);
        *is_new = file >= 0;
    }
    if (file < 0 && errno == EEXIST) { // another process was faster
        file = open(name, O_RDWR);
    }
    return file;
}

/// Why open_or_make() failed.
static const char *why_not_open(const char *const name) {
    const int reason = errno;
    struct stat facts;
    return reason == ENOENT && lstat(name, &facts) == 0 && S_ISLNK(facts.st_mode)
               ? "it is a link to a file that is not there"
               : strerror(reason);
}

/// Opens the folder of a file; -1 if it may not be read.
static int open_folder(const char *const name) {
    char path[PATH_BYTES];
    const char *const slash = strrchr(name, '/');
    const size_t n = slash == NULL ? 0 : (size_t)(slash - name) + 1;
    if (n >= sizeof(path)) {
        return -1;
    }
    (void)memcpy(path, name, n);
    path[n] = '\0';
    return open(n == 0 ? "." : path, O_RDONLY);
}

bool af_port_storage_open(const char *const name, const char **const reason) {
    bool is_new = false;
    const int file = open_or_make(name, &is_new);
    *reason = file < 0 ? why_not_open(name) : lock_file(file);
    if (*reason == NULL) {
        *reason = look_at(file, name, is_new);
    }
    if (*reason != NULL) {
        if (file >= 0) {
            (void)close(file);
        }
        return false;
    }
    storage = file;
    folder = open_folder(name);
    return true;
}

/// The file that is open, or the one that AF_STORAGE names, "arenaformer.flash" by default. -1 if there is none.
static int open_storage(void) {
    if (storage < 0) {
        const char *const name = getenv("AF_STORAGE");
        const char *reason = NULL;
        (void)af_port_storage_open(name != NULL ? name : "arenaformer.flash", &reason);
    }
    return storage;
}

struct af_port_storage af_port_storage(void) {
    const struct af_port_storage facts = {STORAGE_BYTES, ERASE_BYTES, PROGRAM_BYTES, true};
    return facts;
}

bool af_port_read(const uint32_t offset, void *const data, const uint32_t n_bytes) {
    return pread(open_storage(), data, n_bytes, (off_t)offset) == (ssize_t)n_bytes;
}

bool af_port_program(const uint32_t offset, const void *const data, const uint32_t n_bytes) {
    return write_bytes(open_storage(), (off_t)offset, data, n_bytes);
}

bool af_port_erase(const uint32_t offset, const uint32_t n_bytes) {
    return write_erased(open_storage(), (off_t)offset, (off_t)n_bytes);
}

bool af_port_sync(void) {
    bool is_good = fdatasync(open_storage()) == 0;
    if (is_good && folder >= 0) {
        // Once: names do not change any more. Some file systems know no such call for folders.
        is_good = fsync(folder) == 0 || errno == EINVAL;
        (void)close(folder);
        folder = -1;
    }
    return is_good;
}
