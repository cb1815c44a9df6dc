// SPDX-License-Identifier: MIT
// Loaded before a host program, to interrupt or fail its calls of the storage:
//    CUT=N           the program is killed instead of its write N of the storage, counted from 1
//    LOCK_ERROR=N    a file cannot be locked, for the reason that errno N says
//    FOLDER_LOG=FILE gets a line for each folder that is synced: how many writes there were before
#define _GNU_SOURCE

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static long n_writes;

/// The number that a variable of the environment holds; 0 if it is not there.
static long number_in(const char *const name) {
    const char *const text = getenv(name);
    return text != NULL ? strtol(text, NULL, 10) : 0;
}

/// The C library's own function: ISO C has no cast from dlsym()'s pointer.
static void find_real(void *const function, const char *const name) {
    void *const found = dlsym(RTLD_NEXT, name);
    (void)memcpy(function, &found, sizeof(found));
}

ssize_t pwrite(const int file, const void *const data, const size_t n, const off_t offset) {
    ssize_t (*real)(int, const void *, size_t, off_t) = NULL;
    find_real(&real, "pwrite");
    n_writes++;
    if (n_writes == number_in("CUT")) {
        (void)raise(SIGKILL);
    }
    return real(file, data, n, offset);
}

int fcntl(const int file, const int command, ...) {
    int (*real)(int, int, ...) = NULL;
    va_list arguments;
    va_start(arguments, command);
    void *const argument = va_arg(arguments, void *);
    va_end(arguments);
    find_real(&real, "fcntl");
    if (command == F_SETLK && number_in("LOCK_ERROR") != 0) {
        errno = (int)number_in("LOCK_ERROR");
        return -1;
    }
    return real(file, command, argument);
}

int fsync(const int file) {
    int (*real)(int) = NULL;
    struct stat facts;
    const char *const log_path = getenv("FOLDER_LOG");
    find_real(&real, "fsync");
    if (log_path != NULL && fstat(file, &facts) == 0 && S_ISDIR(facts.st_mode)) {
        FILE *const log = fopen(log_path, "a");
        if (log != NULL) {
            (void)fprintf(log, "%ld\n", n_writes);
            (void)fclose(log);
        }
    }
    return real(file);
}
