// SPDX-License-Identifier: MIT
#include "print_file.h"
#include "atomic_file.h"
#include "command_line.h"

#include <errno.h>
#include <string.h>

int print_file(const char *const path, void (*const print)(FILE *file, const void *what), const void *const what) {
    if (strcmp(path, "-") == 0) {
        print(stdout, what);
        return STATUS_DONE;
    }
    struct atomic_file file;
    if (!atomic_file_open(&file, path)) {
        (void)complain("cannot open %s for writing: %s", path, strerror(errno));
        return STATUS_FAILED;
    }
    print(file.file, what);
    if (!atomic_file_close(&file) || !atomic_file_publish(&file)) {
        if (errno == EPIPE) { // whoever reads it has seen enough
            return STATUS_DONE;
        }
        (void)complain("cannot write %s: %s", path, strerror(errno));
        return STATUS_FAILED;
    }
    return STATUS_DONE;
}
