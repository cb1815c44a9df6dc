// SPDX-License-Identifier: MIT
// The reversal program's command line: every line of the input is an argument. There are no files, but for a weights
// file under the name "w", for the commands that look into a model. A command ends with status 0, or with 1 or 2 and
// one line on standard error. Two things are left out because they take long and depend on no argument: the printed
// map, and most of the comparisons that find the nearest name (names.c and nearest.c see every 64th).
#include "nearest.h"
#include "reversal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ARGUMENTS = 12, MAX_BYTES = 200, MAX_FILE = 1 << 20 };

int reversal_main(int argc, char **argv);
af_status no_selftest(void);
void no_print(FILE *file, const struct af_map *map);
size_t few_distances(const char *a, const char *b);
FILE *no_files_fopen(const char *path, const char *mode);
int no_files_open(const char *path, int flags, ...);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerInitialize(int *argc, char ***argv);

static char weights[MAX_FILE];
static size_t n_weights; // 0: there are none, for this command
static size_t n_file;

/// Makes a weights file as train does, and keeps its bytes.
int LLVMFuzzerInitialize(int *argc, char ***argv) {
    char path[] = "/tmp/fuzz_weights_XXXXXX";
    const struct weights_note note = {3, 0x12345678, 1, 0};
    const int fd = mkstemp(path);
    FILE *const file = fd < 0 ? NULL : fdopen(fd, "rb");
    (void)argc;
    (void)argv;
    af_init_weights(&af_arena.weight.at, af_arena.work.init_stream, 1);
    n_weights = 1;
    if (file == NULL || !weights_save(path, &af_arena.weight.at, &note)) {
        abort();
    }
    FILE *const written = fopen(path, "rb"); // the old name now leads to the new file
    n_file = written == NULL ? 0 : fread(weights, 1, sizeof(weights), written);
    if (n_file == 0) {
        abort();
    }
    (void)fclose(written);
    (void)fclose(file);
    (void)remove(path);
    n_weights = 0;
    if (freopen("/dev/null", "w", stdout) == NULL) {
        abort();
    }
    return 0;
}

FILE *no_files_fopen(const char *path, const char *mode) {
    if (n_weights == 1) { // while the harness starts
        return fopen(path, mode);
    }
    if (n_weights > 1 && strcmp(path, "w") == 0 && mode[0] == 'r') {
        return fmemopen(weights, n_weights, "rb");
    }
    errno = ENOENT;
    return NULL;
}

int no_files_open(const char *path, int flags, ...) {
    if (n_weights == 1) { // as above
        return open(path, flags, 0600);
    }
    errno = ENOENT;
    return -1;
}

af_status no_selftest(void) {
    return AF_OK;
}

void no_print(FILE *file, const struct af_map *map) {
    (void)file;
    (void)map;
}

size_t few_distances(const char *a, const char *b) {
    static unsigned n_calls;
    return n_calls++ % 64 == 0 ? nearest_distance(a, b) : strlen(a) + strlen(b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    static char text[MAX_BYTES + 1];
    char *argument[MAX_ARGUMENTS + 2];
    int n_arguments = 0;
    n = n < MAX_BYTES ? n : MAX_BYTES;
    memcpy(text, data, n);
    text[n] = '\0';
    argument[n_arguments++] = (char *)(uintptr_t) "reversal";
    for (char *at = text; n_arguments <= MAX_ARGUMENTS;) {
        argument[n_arguments++] = at;
        at = strchr(at, '\n');
        if (at == NULL) {
            break;
        }
        *at++ = '\0';
    }
    argument[n_arguments] = NULL;
    const char *const command = argument[1];
    // test and compare reverse a thousand strings: too slow here, and the rest of their command line is the same.
    const bool has_model =
        strcmp(command, "show") == 0 || strcmp(command, "reverse") == 0 || strcmp(command, "attention") == 0;
    n_weights = has_model ? n_file : 0;
    const int status = reversal_main(n_arguments, argument);
    if (status < 0 || status > 2) {
        abort();
    }
    return 0;
}
