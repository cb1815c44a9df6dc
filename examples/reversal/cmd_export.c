// SPDX-License-Identifier: MIT
// Trained weights as a C header: constants that a firmware keeps in flash.
#define _POSIX_C_SOURCE 200809L

#include "reversal.h"
#include "atomic_file.h"

#include <errno.h>
#include <string.h>

enum { NUMBERS_A_LINE = 6 };

/// A literal of a float in hexadecimal is exact.
static const char *const suffix = AF_REAL_IS_DOUBLE ? "" : "F";

static void print_checks(FILE *const file) {
    (void)fprintf(file,
                  "#if AF_VOCAB != %d || AF_CONTEXT != %d || AF_DIM != %d || AF_HEADS != %d || AF_BLOCKS != %d || \\\n"
                  "    AF_FF != %d || AF_REAL_BYTES != %d || AF_SCALED != %d || AF_CAUSAL != %d || \\\n"
                  "    AF_SOFTMAX_QUERIES != %d || AF_RESIDUAL != %d || AF_POST_NORM != %d\n"
                  "#error \"These weights are of another configuration than this program.\"\n"
                  "#endif\n\n",
                  AF_VOCAB, AF_CONTEXT, AF_DIM, AF_HEADS, AF_BLOCKS, AF_FF, AF_REAL_BYTES, AF_SCALED, AF_CAUSAL,
                  AF_SOFTMAX_QUERIES, AF_RESIDUAL, AF_POST_NORM);
}

static void print_head(FILE *const file, const struct run *const run) {
    (void)fprintf(
        file,
        "// SPDX-License-Identifier: MIT\n"
        "// Made by `reversal export`. Trained weights: %u steps of %u examples, weights from seed %llu, data from "
        "seed %llu.\n"
        "// Hash of weights and moments after the last step: %08X; CRC-32C of the weights: %08X.\n"
        "#ifndef AF_TRAINED_H\n"
        "#define AF_TRAINED_H\n\n"
        "#include \"af_arena.h\"\n\n",
        (unsigned)run->note.n_steps, (unsigned)run->batch, (unsigned long long)run->note.seed_weights,
        (unsigned long long)run->note.seed_training, (unsigned)run->note.hash,
        (unsigned)af_crc32c_reals(0, af_arena.weight.flat, AF_N_PARAMS));
    print_checks(file);
    (void)fprintf(file, "// For a section of their own, say; define it before this is included.\n"
                        "#ifndef AF_TRAINED_ATTRIBUTES\n"
                        "#define AF_TRAINED_ATTRIBUTES\n"
                        "#endif\n\n"
                        "// Include this once: every file that does gets a copy.\n"
                        "AF_TRAINED_ATTRIBUTES static const union af_plane af_trained = {.flat = {\n");
}

static void print_tensor(FILE *const file, const struct af_tensor *const tensor) {
    const af_real *const number = tensor->address;
    (void)fprintf(file, "    // %s", tensor->name);
    for (size_t d = 0; d < tensor->rank; d++) {
        (void)fprintf(file, "[%zu]", tensor->dim[d]);
    }
    for (size_t i = 0; i < tensor->n_elements; i++) {
        (void)fprintf(file, "%s%a%s,", i % NUMBERS_A_LINE == 0 ? "\n    " : " ", (double)number[i], suffix);
    }
    (void)fputc('\n', file);
}

static void print_header(FILE *const file, const struct run *const run) {
    print_head(file, run);
    for (size_t i = 0; i < af_map_count(&af_map); i++) {
        const struct af_tensor tensor = af_map_tensor(&af_map, i);
        if (tensor.region == AF_REGION_weight && tensor.type == AF_TYPE_REAL) {
            print_tensor(file, &tensor);
        }
    }
    (void)fprintf(file, "}};\n\n#endif\n");
}

int cmd_export(int argc, char **argv) {
    static struct atomic_file out;
    struct run run;
    const char *path = NULL;
    if (!take_path(&argc, argv, "c-header", &path) || !load_run_for_command(&argc, argv, &run) ||
        !no_options_left(argc, argv)) {
        return STATUS_USAGE;
    }
    if (argc > 1) {
        return complain("export: \"%s\" is no option; try: reversal export --help", argv[1]);
    }
    if (path == NULL) {
        return complain("export: say where to: --c-header FILE");
    }
    if (is_same_file(path, run.path)) {
        return complain("export: %s is the weights file", path);
    }
    bool is_good = atomic_file_open(&out, path);
    if (is_good) {
        print_header(out.file, &run);
        is_good = atomic_file_close(&out) && atomic_file_publish(&out);
    }
    if (!is_good && errno != EPIPE) { // a reader who has seen enough is no failure
        (void)complain("cannot write %s: %s", path, strerror(errno));
        return STATUS_FAILED;
    }
    return STATUS_DONE;
}
