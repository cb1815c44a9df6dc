// SPDX-License-Identifier: MIT
// The weights file: a header of 84 bytes, then the weights as they stand in the arena, all lowest byte first.
//
//    0  magic "AFWT"             24  examples a step           56  weight decay, its bits
//    4  version of the format    28  hash of the last step     64  recipe: shortest, longest, switches, 0
//    8  configuration digest     32  seed of the weights       68  recipe: steps of warm-up
//   12  number of parameters     40  seed of the training      72  recipe: seed of the perturbation
//   16  bytes of a number        48  learning rate, its bits   76  CRC-32C of the weights' bytes
//   20  steps of training                                      80  CRC-32C of bytes 0 to 79
//                                                              84  weights
#define _POSIX_C_SOURCE 200809L

#include "reversal.h"
#include "af_math.h"
#include "atomic_file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

const uint8_t weights_magic[4] = {'A', 'F', 'W', 'T'};

enum { FORMAT_VERSION = 2, HEADER_BYTES = 84, FILE_BYTES = HEADER_BYTES + AF_PLANE_BYTES };

/// Where each field of the header begins.
enum {
    AT_VERSION = 4,
    AT_DIGEST = 8,
    AT_N_PARAMS = 12,
    AT_REAL_BYTES = 16,
    AT_N_STEPS = 20,
    AT_BATCH = 24,
    AT_HASH = 28,
    AT_SEED_WEIGHTS = 32,
    AT_SEED_TRAINING = 40,
    AT_LEARNING_RATE = 48,
    AT_WEIGHT_DECAY = 56,
    AT_SHORTEST = 64,
    AT_LONGEST = 65,
    AT_SWITCHES = 66,
    AT_WARM_UP = 68,
    AT_PERTURB = 72,
    AT_WEIGHTS_CRC = 76,
    AT_HEADER_CRC = 80
};

/// Bits of the switches.
enum { HAS_ALL_TARGETS = 1, HAS_OFFSET = 2, HAS_DECAY = 4, ALL_SWITCHES = 7 };

/// The file on its way out or in. One byte more than a file has, to see one that is too long.
static uint8_t image[FILE_BYTES + 1];

// ----------------------------------------------------------------------------------------------------------- paths

static char program_folder[PATH_BYTES]; // with the slash at its end, or empty: the current folder

void set_program_path(const char *const program) {
    char path[PATH_BYTES];
    const ssize_t n_path = readlink("/proc/self/exe", path, sizeof(path));
    const bool is_known = n_path > 0 && (size_t)n_path < sizeof(path);
    path[is_known ? n_path : 0] = '\0';
    // A shell that found the program through PATH leaves its folder out of argv[0].
    const char *const whole = is_known ? path : program;
    const char *const slash = strrchr(whole, '/');
    const size_t n = slash != NULL ? (size_t)(slash - whole) + 1 : 0;
    if (n < sizeof(program_folder)) {
        (void)memcpy(program_folder, whole, n);
        program_folder[n] = '\0';
    }
}

const char *default_weights_path(void) {
    static char path[PATH_BYTES + 32];
    (void)snprintf(path, sizeof(path), "%sreversal.weights", program_folder);
    return path;
}

bool path_beside(char out[PATH_BYTES], const char *const weights_path, const char *const ending) {
    static const char own[] = ".weights";
    size_t n = strlen(weights_path);
    if (n > sizeof(own) - 1 && strcmp(&weights_path[n - (sizeof(own) - 1)], own) == 0) {
        n -= sizeof(own) - 1;
    }
    const int n_all = snprintf(out, PATH_BYTES, "%.*s%s", (int)n, weights_path, ending);
    if (n_all < 0 || n_all >= PATH_BYTES) {
        (void)complain("%s: the path is too long", weights_path);
        return false;
    }
    return true;
}

bool log_path_of(char out[PATH_BYTES], const char *const weights_path) {
    return path_beside(out, weights_path, ".csv");
}

// --------------------------------------------------------------------------------------------- numbers in the file

static uint32_t get32(const size_t at) {
    return (uint32_t)get_bytes(&image[at], 4);
}

// ------------------------------------------------------------------------------------------------------------ save

static void put_recipe(const struct recipe *const recipe) {
    put_bytes(&image[AT_SHORTEST], recipe->shortest, 1);
    put_bytes(&image[AT_LONGEST], recipe->longest, 1);
    put_bytes(&image[AT_SWITCHES],
              (recipe->has_all_targets ? HAS_ALL_TARGETS : 0U) | (recipe->has_offset ? HAS_OFFSET : 0U) |
                  (recipe->has_decay ? HAS_DECAY : 0U),
              2);
    put_bytes(&image[AT_WARM_UP], recipe->n_warm_up, 4);
    put_bytes(&image[AT_PERTURB], recipe->perturb, 4);
}

static struct recipe get_recipe(void) {
    const uint8_t switches = image[AT_SWITCHES];
    const struct recipe recipe = {image[AT_SHORTEST],
                                  image[AT_LONGEST],
                                  (switches & HAS_ALL_TARGETS) != 0,
                                  (switches & HAS_OFFSET) != 0,
                                  (switches & HAS_DECAY) != 0,
                                  get32(AT_WARM_UP),
                                  get32(AT_PERTURB)};
    return recipe;
}

static void make_image(const struct run *const run, const struct af_weights *const weight) {
    const af_real *const number = (const af_real *)weight;
    for (size_t i = 0; i < AF_N_PARAMS; i++) {
        put_bytes(&image[HEADER_BYTES + i * sizeof(af_real)], af_bits_of(number[i]), AF_REAL_BYTES);
    }
    (void)memcpy(image, weights_magic, sizeof(weights_magic));
    put_bytes(&image[AT_VERSION], FORMAT_VERSION, 4);
    put_bytes(&image[AT_DIGEST], af_config_digest(), 4);
    put_bytes(&image[AT_N_PARAMS], AF_N_PARAMS, 4);
    put_bytes(&image[AT_REAL_BYTES], AF_REAL_BYTES, 4);
    put_bytes(&image[AT_N_STEPS], run->note.n_steps, 4);
    put_bytes(&image[AT_BATCH], run->batch, 4);
    put_bytes(&image[AT_HASH], run->note.hash, 4);
    put_bytes(&image[AT_SEED_WEIGHTS], run->note.seed_weights, 8);
    put_bytes(&image[AT_SEED_TRAINING], run->note.seed_training, 8);
    put_bytes(&image[AT_LEARNING_RATE], af_bits_of(run->how.learning_rate), 8);
    put_bytes(&image[AT_WEIGHT_DECAY], af_bits_of(run->how.weight_decay), 8);
    put_recipe(&run->recipe);
    put_bytes(&image[AT_WEIGHTS_CRC], af_crc32c(0, &image[HEADER_BYTES], AF_PLANE_BYTES), 4);
    put_bytes(&image[AT_HEADER_CRC], af_crc32c(0, image, AT_HEADER_CRC), 4);
}

bool run_save(const struct run *const run, const struct af_weights *const weight) {
    static struct atomic_file out;
    make_image(run, weight);
    bool is_good = atomic_file_open(&out, run->path);
    if (is_good) {
        atomic_file_write(&out, image, FILE_BYTES);
        is_good = atomic_file_close(&out) && atomic_file_publish(&out);
    }
    if (!is_good) {
        (void)complain("cannot write %s: %s", run->path, strerror(errno));
    }
    return is_good;
}

bool weights_save(const char *const path, const struct af_weights *const weight,
                  const struct weights_note *const note) {
    const struct run run = {*note, BATCH, AF_ADAMW_CHAPTER, path, RECIPE_CHAPTER};
    return run_save(&run, weight);
}

// ------------------------------------------------------------------------------------------------------------ load

/// Reads the file into the image. Returns the number of bytes, FILE_BYTES + 1 if there are more; 0, after a line on
/// stderr, if it cannot be read or is empty.
static size_t read_image(const char *const path) {
    FILE *const file = fopen(path, "rb");
    if (file == NULL) {
        (void)complain("cannot open %s: %s%s", path, strerror(errno),
                       errno == ENOENT ? "; \"reversal train\" makes one" : "");
        return 0;
    }
    errno = 0;
    const size_t n = fread(image, 1, sizeof(image), file);
    const int reason = errno;
    const bool has_failed = ferror(file) != 0;
    (void)fclose(file);
    if (has_failed) {
        (void)complain("cannot read %s: %s", path, strerror(reason));
        return 0;
    }
    if (n == 0) {
        (void)complain("%s is empty", path);
    }
    return n;
}

/// Whether the first n bytes of the image begin with a header that this program understands.
static bool is_header_good(const char *const path, const size_t n) {
    const size_t n_magic = n < sizeof(weights_magic) ? n : sizeof(weights_magic);
    if (memcmp(image, weights_magic, n_magic) != 0) {
        (void)complain("%s is not a weights file", path);
        return false;
    }
    if (n < HEADER_BYTES) {
        (void)complain("%s is cut off: it has %zu of %d bytes", path, n, (int)FILE_BYTES);
        return false;
    }
    if (get32(AT_VERSION) != FORMAT_VERSION) {
        (void)complain("%s has version %u of the format; this program reads version %d", path,
                       (unsigned)get32(AT_VERSION), (int)FORMAT_VERSION);
        return false;
    }
    const uint32_t crc = af_crc32c(0, image, AT_HEADER_CRC);
    if (get32(AT_HEADER_CRC) != crc) {
        (void)complain("%s is damaged: the check sum of its header is %08X, the file says %08X", path, (unsigned)crc,
                       (unsigned)get32(AT_HEADER_CRC));
        return false;
    }
    if (get32(AT_DIGEST) != af_config_digest()) {
        (void)complain("%s is of another configuration: %u numbers of %u bytes, digest %08X; this program has %d of "
                       "%d, digest %08X",
                       path, (unsigned)get32(AT_N_PARAMS), (unsigned)get32(AT_REAL_BYTES), (unsigned)get32(AT_DIGEST),
                       (int)AF_N_PARAMS, (int)AF_REAL_BYTES, (unsigned)af_config_digest());
        return false;
    }
    return true;
}

/// Whether all of the weights are there, unharmed, and nothing behind them.
static bool is_payload_good(const char *const path, const size_t n) {
    if (n < FILE_BYTES) {
        (void)complain("%s is cut off: it has %zu of %d bytes", path, n, (int)FILE_BYTES);
        return false;
    }
    if (n > FILE_BYTES) {
        (void)complain("%s has bytes after its end: more than %d", path, (int)FILE_BYTES);
        return false;
    }
    const uint32_t crc = af_crc32c(0, &image[HEADER_BYTES], AF_PLANE_BYTES);
    if (get32(AT_WEIGHTS_CRC) != crc) {
        (void)complain("%s is damaged: the check sum of its weights is %08X, the file says %08X", path, (unsigned)crc,
                       (unsigned)get32(AT_WEIGHTS_CRC));
        return false;
    }
    return true;
}

/// The number at byte `at` of the image, of n bytes.
static af_real get_real(const size_t at, const size_t n_bytes) {
    return af_real_of((af_bits)get_bytes(&image[at], n_bytes));
}

/// Whether the numbers that count are finite. The image's check sums are right: such a file was made so.
static bool is_finite(const char *const path) {
    const af_real setting[2] = {get_real(AT_LEARNING_RATE, 8), get_real(AT_WEIGHT_DECAY, 8)};
    bool is_good = af_finite(setting, 2);
    for (size_t i = 0; i < AF_N_PARAMS && is_good; i++) {
        const af_real number = get_real(HEADER_BYTES + i * sizeof(af_real), AF_REAL_BYTES);
        is_good = af_finite(&number, 1);
    }
    if (!is_good) {
        (void)complain("%s has a number that is infinite or not a number", path);
    }
    return is_good;
}

/// What the header says of the run.
static struct run get_run(const char *const path) {
    const struct run run = {{get32(AT_N_STEPS), get32(AT_HASH), get_bytes(&image[AT_SEED_WEIGHTS], 8),
                             get_bytes(&image[AT_SEED_TRAINING], 8)},
                            get32(AT_BATCH),
                            {get_real(AT_LEARNING_RATE, 8), get_real(AT_WEIGHT_DECAY, 8)},
                            path,
                            get_recipe()};
    return run;
}

/// Whether the run is one that the command line allows: what tests a model draws its strings again.
static bool is_run_good(const struct run *const run) {
    const bool has_strange_switches = (get_bytes(&image[AT_SWITCHES], 2) & ~(uint64_t)ALL_SWITCHES) != 0;
    const char *const fault = has_strange_switches ? "switches" : run_fault(run);
    if (fault != NULL) {
        (void)complain("%s has %s that no run has", run->path, fault);
    }
    return fault == NULL;
}

bool run_load(struct af_weights *const weight, struct run *const run) {
    const size_t n = read_image(run->path);
    if (n == 0 || !is_header_good(run->path, n) || !is_payload_good(run->path, n) || !is_finite(run->path)) {
        return false;
    }
    const struct run loaded = get_run(run->path);
    if (!is_run_good(&loaded)) {
        return false;
    }
    af_real *const number = (af_real *)weight;
    for (size_t i = 0; i < AF_N_PARAMS; i++) {
        number[i] = get_real(HEADER_BYTES + i * sizeof(af_real), AF_REAL_BYTES);
    }
    *run = loaded;
    return true;
}

bool weights_load(struct af_weights *const weight, struct weights_note *const note, const char *const path) {
    struct run run = {{0, 0, 0, 0}, 0, AF_ADAMW_CHAPTER, path, RECIPE_CHAPTER};
    if (!run_load(weight, &run)) {
        return false;
    }
    *note = run.note;
    return true;
}

bool load_run_for_command(int *const argc, char **const argv, struct run *const run) {
    run->path = default_weights_path();
    return take_path(argc, argv, "weights", &run->path) && run_load(&af_arena.weight.at, run);
}

bool load_for_command(int *const argc, char **const argv, struct weights_note *const note) {
    struct run run;
    if (!load_run_for_command(argc, argv, &run)) {
        return false;
    }
    *note = run.note;
    return true;
}
