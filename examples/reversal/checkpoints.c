// SPDX-License-Identifier: MIT
// Checkpoints of a training run: the storage, the settings that a run must not change on the way, and the journal,
// which keeps the lines of the log up to the newest checkpoint.
//
// The note of a checkpoint, lowest byte first:
//    0  examples a step         16  seed of the training        40  bytes of the journal
//    4  recipe_digest()         24  learning rate, its bits     48  milliseconds of training
//    8  seed of the weights     32  weight decay, its bits      56  CRC-32C of the journal
#define _POSIX_C_SOURCE 200809L

#include "reversal.h"
#include "af_math.h"
#include "af_port.h"
#include "atomic_file.h"
#include "port_storage.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    AT_BATCH = 0,
    AT_RECIPE = 4,
    AT_SEED_WEIGHTS = 8,
    AT_SEED_TRAINING = 16,
    AT_LEARNING_RATE = 24,
    AT_WEIGHT_DECAY = 32,
    SETTINGS_BYTES = 40, // what stands before has to be the same in the run that goes on
    AT_JOURNAL_BYTES = 40,
    AT_MILLISECONDS = 48,
    AT_JOURNAL_CRC = 56
};

enum { JOURNAL_LINE_BYTES = 128, REAL_CHARS = 32, MOST_DIGITS = AF_REAL_IS_DOUBLE ? 17 : 9 };

static const char *path; // of the storage; NULL: this run keeps no checkpoints
static uint8_t note[AF_CHECKPOINT_NOTE_BYTES];
static double seconds_before; // of training, in the processes before this one
static uint32_t newest_step;  // that a checkpoint of this run was found or saved of; 0: none

static FILE *journal; // NULL: none
static char journal_path[PATH_BYTES + 8];
static uint64_t journal_bytes;
static uint32_t journal_crc;
static bool has_old_journal; // with lines, of the processes before this one

static void make_settings(const struct run *const run) {
    put_bytes(&note[AT_BATCH], run->batch, 4);
    put_bytes(&note[AT_RECIPE], recipe_digest(run), 4);
    put_bytes(&note[AT_SEED_WEIGHTS], run->note.seed_weights, 8);
    put_bytes(&note[AT_SEED_TRAINING], run->note.seed_training, 8);
    put_bytes(&note[AT_LEARNING_RATE], af_bits_of(run->how.learning_rate), 8);
    put_bytes(&note[AT_WEIGHT_DECAY], af_bits_of(run->how.weight_decay), 8);
}

static bool complain_about(const af_status status) {
    (void)complain("%s: %s, %s", path, af_status_name(status), af_status_text(status));
    return false;
}

// --------------------------------------------------------------------------------------------------------- the journal

const char *checkpoint_journal(const char *const of) {
    (void)snprintf(journal_path, sizeof(journal_path), "%s.log", of);
    return journal_path;
}

/// Looks at what has the journal's name, before anything is written: nothing, an empty file or an older journal may be
/// there, but no file of somebody else's.
static bool look_at_journal(void) {
    char line[JOURNAL_LINE_BYTES];
    if (is_special_file(journal_path)) {
        (void)complain("%s, the log beside the checkpoints, would be no regular file", journal_path);
        return false;
    }
    FILE *const file = fopen(journal_path, "rb");
    if (file == NULL && errno != ENOENT) {
        (void)complain("cannot read %s: %s", journal_path, strerror(errno));
        return false;
    }
    if (file == NULL) {
        return true;
    }
    has_old_journal = fgets(line, sizeof(line), file) != NULL;
    (void)fclose(file);
    line[has_old_journal ? strcspn(line, "\n") : 0] = '\0';
    if (has_old_journal && !is_first_step_line(line)) {
        (void)complain("%s would be the log beside the checkpoints, but is another file; move it away", journal_path);
        return false;
    }
    return true;
}

/// Takes the lines of steps that a cut has taken back out of the journal.
static bool shorten_journal(const uint64_t n_bytes) {
    if (fseek(journal, (long)n_bytes, SEEK_SET) != 0 || ftruncate(fileno(journal), (off_t)n_bytes) != 0) {
        (void)complain("cannot write %s: %s", journal_path, strerror(errno));
        return false;
    }
    return true;
}

/// Copies the part of the journal that belongs to the checkpoint into the log. What is behind it goes.
static bool replay_journal(FILE *const log, const uint64_t n_bytes, const uint32_t crc) {
    journal = fopen(journal_path, "r+b");
    for (int c = 0; journal != NULL && journal_bytes < n_bytes && c != EOF;) {
        c = fgetc(journal);
        if (c != EOF) {
            const uint8_t byte = (uint8_t)c;
            journal_crc = af_crc32c(journal_crc, &byte, 1);
            journal_bytes++;
            (void)fputc(c, log);
        }
    }
    if (journal == NULL || journal_bytes != n_bytes || journal_crc != crc || n_bytes == 0) {
        (void)complain(
            "%s does not hold the log of the steps before the checkpoint; with --csv /dev/null the run goes on "
            "without one",
            journal_path);
        return false;
    }
    return shorten_journal(n_bytes);
}

static bool open_journal(FILE *const log, const bool is_resumed) {
    const uint64_t n_bytes = get_bytes(&note[AT_JOURNAL_BYTES], 8);
    const uint32_t crc = (uint32_t)get_bytes(&note[AT_JOURNAL_CRC], 4);
    if (is_resumed) {
        return replay_journal(log, n_bytes, crc);
    }
    journal = fopen(journal_path, "wb");
    if (journal == NULL) {
        (void)complain("cannot write %s: %s", journal_path, strerror(errno));
        return false;
    }
    return true;
}

void checkpoint_log(const char *const line) {
    if (journal != NULL) {
        const size_t n = strlen(line);
        (void)fwrite(line, 1, n, journal);
        journal_bytes += n;
        journal_crc = af_crc32c(journal_crc, line, n);
    }
}

// --------------------------------------------------------------------------------------------------- opening, saving

/// Writes a setting with the fewest digits that give it again.
static const char *shortest(char out[REAL_CHARS], const af_real x) {
    int n_digits = 0;
    do {
        n_digits++;
        (void)snprintf(out, REAL_CHARS, "%.*g", n_digits, (double)x);
    } while (n_digits < MOST_DIGITS && af_bits_of((af_real)strtod(out, NULL)) != af_bits_of(x));
    return out;
}

static const char *setting(char out[REAL_CHARS], const struct af_checkpoint_info *const found, const size_t at) {
    return shortest(out, af_real_of((af_bits)get_bytes(&found->note[at], 8)));
}

/// Whether the checkpoint that was found is one of this run.
static bool is_of_run(const struct af_checkpoint_info *const found, const struct run *const run) {
    if (memcmp(found->note, note, SETTINGS_BYTES) != 0) {
        const struct weights_note of = {0, 0, get_bytes(&found->note[AT_SEED_WEIGHTS], 8),
                                        get_bytes(&found->note[AT_SEED_TRAINING], 8)};
        char rate[REAL_CHARS];
        char decay[REAL_CHARS];
        (void)complain("%s is of a run with other settings: --batch %u --seed-weights %llu --seed-training %llu "
                       "--learning-rate %s --weight-decay %s%s",
                       path, (unsigned)get_bytes(&found->note[AT_BATCH], 4), (unsigned long long)of.seed_weights,
                       (unsigned long long)of.seed_training, setting(rate, found, AT_LEARNING_RATE),
                       setting(decay, found, AT_WEIGHT_DECAY),
                       get_bytes(&found->note[AT_RECIPE], 4) == recipe_digest(run)
                           ? ""
                           : ", and other strings, targets or course of the rate");
        return false;
    }
    if (found->step > run->note.n_steps) {
        (void)complain("%s has %u steps already, more than --steps %u", path, (unsigned)found->step,
                       (unsigned)run->note.n_steps);
        return false;
    }
    return true;
}

/// Whether a page of a slot is erased: the host's storage then reads 0xFF. One that cannot be read is not known to be.
static bool is_erased(const struct af_storage *const storage, const uint32_t slot, const uint32_t number) {
    uint8_t page[AF_CHECKPOINT_PAGE_BYTES];
    bool is_good = storage->read(storage->context, slot * storage->slot_bytes + number * AF_CHECKPOINT_PAGE_BYTES, page,
                                 AF_CHECKPOINT_PAGE_BYTES);
    for (size_t i = 0; i < sizeof(page); i++) {
        is_good = is_good && page[i] == 0xFF;
    }
    return is_good;
}

/// Begins where there is no whole checkpoint: in a new storage, or after a cut before the first save was complete. The
/// last two pages of a slot, its commit, are written when all others are, so one that is there, in whatever state, is
/// of a checkpoint that was whole once. (Lines in the journal prove nothing: they come before the save.)
static bool begin_anew(const struct af_storage *const storage, FILE *const log) {
    enum { COMMIT = AF_CHECKPOINT_PAGES - 2 };
    for (uint32_t slot = 0; slot < 2; slot++) {
        if (!is_erased(storage, slot, COMMIT) || !is_erased(storage, slot, COMMIT + 1)) {
            (void)complain("%s holds no whole checkpoint any more: what is there is damaged; remove the file to start "
                           "anew",
                           path);
            return false;
        }
    }
    if (has_old_journal || !is_erased(storage, 0, 0)) {
        (void)complain("%s holds no whole checkpoint yet: starting anew", path);
    }
    return log == NULL || open_journal(log, false);
}

/// Goes on from the checkpoint that was found.
static bool go_on(const struct af_checkpoint_info *const found, const struct run *const run,
                  const struct af_storage *const storage, FILE *const log) {
    const struct af_model model = program_model();
    struct af_checkpoint_info loaded;
    if (!is_of_run(found, run)) {
        return false;
    }
    const af_status status = af_checkpoint_load(&model, &loaded, storage);
    if (status != AF_OK) {
        return complain_about(status);
    }
    (void)memcpy(note, loaded.note, sizeof(note));
    newest_step = loaded.step;
    seconds_before = (double)get_bytes(&note[AT_MILLISECONDS], 8) / 1000;
    return log == NULL || open_journal(log, true);
}

bool checkpoint_open(const char *const storage_path, const struct run *const run, const bool is_resumed,
                     FILE *const log) {
    const char *reason = NULL;
    path = storage_path;
    make_settings(run);
    (void)checkpoint_journal(path);
    if (log != NULL && !look_at_journal()) {
        return false;
    }
    if (!af_port_storage_open(path, &reason)) {
        (void)complain("cannot use %s: %s", path, reason);
        return false;
    }
    const struct af_storage storage = port_storage();
    struct af_checkpoint_info found;
    const af_status status = af_checkpoint_find(&found, &storage);
    if (status == AF_ERR_NO_CHECKPOINT) {
        return begin_anew(&storage, log);
    }
    if (status == AF_OK && !is_resumed) {
        (void)complain("%s holds a checkpoint of step %u: go on with --resume, or remove the file to start anew", path,
                       (unsigned)found.step);
        return false;
    }
    return status == AF_OK ? go_on(&found, run, &storage, log) : complain_about(status);
}

uint32_t checkpoint_step(void) {
    return newest_step;
}

double checkpoint_seconds(void) {
    return seconds_before;
}

bool checkpoint_save(const double seconds) {
    const struct af_model model = program_model();
    if (path == NULL) {
        return true;
    }
    // The lines of the log come first: a checkpoint is never without them.
    if (journal != NULL && (fflush(journal) != 0 || fsync(fileno(journal)) != 0)) {
        (void)complain("cannot write %s: %s", journal_path, strerror(errno));
        return false;
    }
    put_bytes(&note[AT_JOURNAL_BYTES], journal_bytes, 8);
    put_bytes(&note[AT_JOURNAL_CRC], journal_crc, 4);
    put_bytes(&note[AT_MILLISECONDS], (uint64_t)((seconds_before + seconds) * 1000), 8);
    const struct af_storage storage = port_storage();
    const af_status status = af_checkpoint_save(&storage, &model, note);
    if (status != AF_OK) {
        return complain_about(status);
    }
    newest_step = model.state->progress[0].step;
    return true;
}
