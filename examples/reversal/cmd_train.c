// SPDX-License-Identifier: MIT
// Training, as section 1.9 of the chapter has it.
#define _POSIX_C_SOURCE 200809L

#include "reversal.h"
#include "af_port.h"
#include "atomic_file.h"
#include "progress.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

enum { STEPS_PER_LINE = 100, STEPS_PER_CHECKPOINT = 100, LINE_BYTES = 64 };

// A line of the log gives the loss with all its digits.
#if AF_REAL_IS_DOUBLE
#define LOSS_FORMAT "%.17g"
#else
#define LOSS_FORMAT "%.9g"
#endif

// --------------------------------------------------------------------------------------------------------- options

struct options {
    struct run run;
    const char *csv;        // NULL: no log
    const char *checkpoint; // storage of checkpoints; NULL: none are kept
    uint64_t every;         // steps from checkpoint to checkpoint
    bool is_resumed;
    bool is_quiet;
};

/// The path of the log that belongs to a weights file.
static char csv_path[PATH_BYTES];

static bool take_number(int *const argc, char **const argv, const char *const name, const uint64_t min,
                        const uint64_t max, uint64_t *const number) {
    const char *text = NULL;
    return take_option(argc, argv, name, &text) && (text == NULL || parse_number(number, text, min, max, name));
}

static bool take_real(int *const argc, char **const argv, const char *const name, af_real *const number) {
    const char *text = NULL;
    return take_option(argc, argv, name, &text) && (text == NULL || parse_real(number, text, 0, MAX_RATE, name));
}

static bool take_run(struct run *const run, int *const argc, char **const argv) {
    uint64_t n_steps = N_STEPS;
    uint64_t batch = BATCH;
    uint64_t n_workers = af_port_workers();
    const bool is_good = take_number(argc, argv, "--steps", 0, MAX_STEPS, &n_steps) &&
                         take_number(argc, argv, "--batch", 1, MAX_BATCH, &batch) &&
                         take_number(argc, argv, "--seed-weights", 0, UINT32_MAX, &run->note.seed_weights) &&
                         take_number(argc, argv, "--seed-training", 0, UINT64_MAX, &run->note.seed_training) &&
                         take_real(argc, argv, "--learning-rate", &run->how.learning_rate) &&
                         take_real(argc, argv, "--weight-decay", &run->how.weight_decay) &&
                         take_path(argc, argv, "weights", &run->path) && recipe_take(&run->recipe, argc, argv) &&
                         take_number(argc, argv, "--workers", 1, AF_WORKERS, &n_workers);
    af_port_set_workers((size_t)n_workers);
    run->note.n_steps = (uint32_t)n_steps;
    run->batch = (uint32_t)batch;
    if (is_good && run->how.learning_rate * run->how.weight_decay > AF_R(1)) { // af_train_end() refuses it
        (void)complain(
            "train: --learning-rate times --weight-decay is above 1: each step would turn the weights around");
        return false;
    }
    return is_good;
}

/// Takes what concerns checkpoints.
static bool take_checkpoint(struct options *const options, int *const argc, char **const argv) {
    uint64_t every = 0;
    if (!take_path(argc, argv, "checkpoint", &options->checkpoint) ||
        !take_number(argc, argv, "--checkpoint-every", 1, MAX_STEPS, &every)) {
        return false;
    }
    options->is_resumed = take_switch(argc, argv, "resume");
    if (options->checkpoint == NULL && (options->is_resumed || every != 0)) {
        (void)complain("train: --checkpoint FILE has to say where the checkpoints are");
        return false;
    }
    if (options->checkpoint != NULL && options->run.recipe.has_offset) {
        (void)complain("train: --offset has a random stream of its own, which --checkpoint does not keep");
        return false;
    }
    options->every = every != 0 ? every : STEPS_PER_CHECKPOINT;
    return true;
}

/// Where the weights go if no one says: beside the program; with checkpoints beside those, so that such a run does not
/// replace the weights of another one.
static bool name_weights(struct options *const options) {
    static char path[PATH_BYTES];
    if (options->run.path != NULL) {
        return true;
    }
    if (options->checkpoint == NULL) {
        options->run.path = default_weights_path();
        return true;
    }
    const int n = snprintf(path, sizeof(path), "%s.weights", options->checkpoint);
    if (n < 0 || (size_t)n >= sizeof(path)) {
        (void)complain("%s: the path is too long", options->checkpoint);
        return false;
    }
    options->run.path = path;
    return true;
}

/// Whether the files that are written are different ones.
static bool are_files_apart(const struct options *const options) {
    enum { N_FILES = 4 };
    const char *const journal = options->checkpoint != NULL ? checkpoint_journal(options->checkpoint) : NULL;
    const char *const file[N_FILES] = {options->run.path, options->csv, options->checkpoint, journal};
    static const char *const what[N_FILES] = {"weights", "log", "checkpoints", "the checkpoints' own log"};
    for (size_t i = 0; i < N_FILES; i++) {
        for (size_t j = i + 1; j < N_FILES; j++) {
            if (file[i] != NULL && file[j] != NULL && !is_special_file(file[j]) && is_same_file(file[j], file[i])) {
                (void)complain("train: %s and %s cannot both be %s", what[i], what[j], file[j]);
                return false;
            }
        }
    }
    return true;
}

static bool take_options(struct options *const options, int *const argc, char **const argv) {
    if (!take_run(&options->run, argc, argv) || !take_path(argc, argv, "csv", &options->csv) ||
        !take_checkpoint(options, argc, argv) || !name_weights(options)) {
        return false;
    }
    options->is_quiet = take_switch(argc, argv, "quiet");
    if (!no_options_left(*argc, argv)) {
        return false;
    }
    if (*argc > 1) {
        (void)complain("train: \"%s\" is no option; try: reversal train --help", argv[1]);
        return false;
    }
    // Beside a device there is no place for a log.
    if (options->csv == NULL && !is_special_file(options->run.path)) {
        if (!log_path_of(csv_path, options->run.path)) {
            return false;
        }
        options->csv = csv_path;
    }
    return are_files_apart(options);
}

// ------------------------------------------------------------------------------------------------------------ a step

static struct example example[MAX_BATCH];
static struct af_sequence sequence[MAX_BATCH];

/// Where strings begin, in a recipe with offsets.
static struct af_numpy offset_stream;

/// Draws the examples of a step.
static struct batch_size draw_step(const struct run *const run) {
    struct batch_size size = {0, 0};
    for (uint32_t i = 0; i < run->batch; i++) {
        sequence[i] =
            recipe_draw(&example[i], &run->recipe, &af_arena.state.data_stream[0], &offset_stream, &size.n_targets);
    }
    size.n_tokens = run->recipe.has_all_targets ? size.n_targets : 2 * size.n_targets;
    return size;
}

static af_status train_step(const struct af_model *const model, const struct run *const run, const uint32_t step,
                            af_real *const loss, uint64_t *const n_tokens) {
    const struct batch_size size = draw_step(run);
    *n_tokens += size.n_tokens;
    af_status status = af_train_begin(model, size.n_targets);
    if (status == AF_OK) {
        status = af_train_accumulate(model, sequence, run->batch);
    }
    if (status == AF_OK) {
        status = af_train_end(model, recipe_settings(run, step), loss);
    }
    return status;
}

// ------------------------------------------------------------------------------------------------------------- the run

/// The log on its way out. Without a log `is_open` is false, and the functions do nothing.
static struct atomic_file csv;
static bool is_csv_open;

static bool open_log(const struct options *const options) {
    if (options->csv == NULL) {
        return true;
    }
    if (!atomic_file_open(&csv, options->csv)) {
        (void)complain("cannot write %s: %s", options->csv, strerror(errno));
        return false;
    }
    is_csv_open = true;
    (void)fputs(LOG_HEADER "\n", csv.file);
    return true;
}

/// The signal that asks the run to end; 0 while there was none.
static volatile sig_atomic_t end_signal;

static void on_end_signal(const int number) {
    end_signal = number;
}

/// Has a signal end the run between two steps, unless whoever started the program wants it ignored.
static void catch_signal(const int number) {
    struct sigaction action;
    if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_IGN) {
        action.sa_handler = on_end_signal;
        action.sa_flags = 0; // a write that waits for a reader fails, and so ends the run as well
        (void)sigaction(number, &action, NULL);
    }
}

/// Ends a run without a result: nothing that was there before has changed.
static int stop(struct progress *const progress, const int status) {
    progress_end(progress);
    if (is_csv_open) {
        atomic_file_discard(&csv);
        is_csv_open = false;
    }
    return status;
}

/// After a signal the program ends by it, so that a shell or a script sees why.
static void end_as_signalled(void) {
    if (end_signal != 0) {
        (void)signal(end_signal, SIG_DFL);
        (void)raise(end_signal);
    }
}

/// Fails early, not after minutes, where the weights cannot be written.
static bool is_writable(const char *const path) {
    static struct atomic_file probe;
    if (is_special_file(path)) {
        return true; // a pipe or a device cannot be tried without using it up
    }
    if (!atomic_file_open(&probe, path)) {
        (void)complain("cannot write %s: %s", path, strerror(errno));
        return false;
    }
    atomic_file_discard(&probe);
    return true;
}

/// What is left of a run that ends early, for its last line.
static const char *what_is_kept(const struct options *const options) {
    static char text[PATH_BYTES + LINE_BYTES];
    if (checkpoint_step() == 0) {
        return "nothing was saved";
    }
    (void)snprintf(text, sizeof(text), "%s keeps the checkpoint of step %u", options->checkpoint,
                   (unsigned)checkpoint_step());
    return text;
}

/// Shows how far the run is, and looks whether the log is still being written.
static bool report(const struct options *const options, struct progress *const progress, const uint32_t step,
                   const af_real loss, const uint64_t n_tokens) {
    char note[64];
    const double seconds = progress_seconds(progress);
    (void)snprintf(note, sizeof(note), "loss %-9.4g  %5.0f tokens/s", (double)loss,
                   seconds > 0 ? (double)n_tokens / seconds : 0.0);
    progress_show(progress, step, note);
    if (is_csv_open && fflush(csv.file) != 0) {
        const int reason = errno;
        progress_end(progress);
        (void)complain("cannot write %s: %s; training stopped, %s", csv.path, strerror(reason), what_is_kept(options));
        return false;
    }
    return true;
}

/// A line of the log: to the log and, with checkpoints, to what is kept beside them.
static void log_step(const uint32_t step, const af_real loss, const uint32_t hash) {
    if (is_csv_open) {
        char line[LINE_BYTES];
        (void)snprintf(line, sizeof(line), "%u," LOSS_FORMAT ",%08X\n", (unsigned)step, (double)loss, (unsigned)hash);
        (void)fputs(line, csv.file);
        checkpoint_log(line);
    }
}

/// Saves a checkpoint if one is due, and ends the run if a signal asks for that. Returns STATUS_DONE to go on.
static int keep_or_end(const struct options *const options, struct progress *const progress, const uint32_t step) {
    const bool has_signal = end_signal != 0;
    const bool is_due = has_signal || step % options->every == 0 || step == options->run.note.n_steps;
    if (options->checkpoint != NULL && is_due && !checkpoint_save(progress_seconds(progress))) {
        return STATUS_FAILED;
    }
    if (!has_signal) {
        return STATUS_DONE;
    }
    progress_end(progress);
    if (options->checkpoint != NULL) {
        (void)complain("interrupted after step %u, which is saved; --checkpoint %s --resume goes on", (unsigned)step,
                       options->checkpoint);
    } else {
        (void)complain("interrupted after step %u; nothing was saved", (unsigned)step);
    }
    return STATUS_FAILED;
}

/// Trains from `first` steps on. Returns STATUS_DONE, or after a line on stderr the exit status.
static int run_steps(const struct options *const options, struct run *const run, struct progress *const progress,
                     const uint32_t first) {
    const struct af_model model = program_model();
    uint64_t n_tokens = 0;
    run->note.hash = state_hash(&model);
    for (uint32_t step = first + 1; step <= run->note.n_steps; step++) {
        af_real loss = 0;
        const af_status status = train_step(&model, run, step, &loss, &n_tokens);
        if (status != AF_OK) {
            progress_end(progress);
            (void)complain("step %u: %s, %s; %s", (unsigned)step, af_status_name(status), af_status_text(status),
                           what_is_kept(options));
            return STATUS_FAILED;
        }
        run->note.hash = state_hash(&model);
        log_step(step, loss, run->note.hash);
        if ((options->is_quiet ? step == run->note.n_steps : progress_is_due(progress, step)) &&
            !report(options, progress, step, loss, n_tokens)) {
            return STATUS_FAILED;
        }
        const int kept = keep_or_end(options, progress, step);
        if (kept != STATUS_DONE) {
            return kept;
        }
    }
    return STATUS_DONE;
}

/// Saves the run: the log is complete in its new file before the weights take their place, and then takes its own.
static int save(const struct options *const options, const double seconds, struct progress *const progress) {
    if (!af_finite(af_arena.weight.flat, AF_N_PARAMS)) {
        (void)complain("the last step made a weight infinite; %s", what_is_kept(options));
        return stop(progress, STATUS_FAILED);
    }
    if (is_csv_open) {
        (void)fprintf(csv.file, LOG_SECONDS "%.3f\n", seconds);
        if (!atomic_file_close(&csv)) {
            is_csv_open = false;
            (void)complain("cannot write %s: %s; %s", csv.path, strerror(errno), what_is_kept(options));
            return STATUS_FAILED;
        }
    }
    if (!run_save(&options->run, &af_arena.weight.at)) {
        return stop(progress, STATUS_FAILED);
    }
    if (is_csv_open && !atomic_file_publish(&csv)) {
        (void)complain("cannot write %s: %s; the weights are saved", csv.path, strerror(errno));
        return STATUS_FAILED;
    }
    return STATUS_DONE;
}

/// Makes af_arena a new run or, with checkpoints, the one that goes on.
static bool begin_run(const struct options *const options) {
    const struct run *const run = &options->run;
    const struct af_model model = program_model();
    const bool has_log = is_csv_open && !is_special_file(options->csv);
    (void)af_train_reset(&model); // the model is whole: this cannot fail
    af_status status = af_selftest_model(&model);
    if (status == AF_OK) {
        status = af_selftest_streams(&af_arena.work.init_stream[0]);
    }
    if (status != AF_OK) {
        (void)complain("the self-test of kernels, workers and random streams fails: %s, %s", af_status_name(status),
                       af_status_text(status));
        return false;
    }
    draw_initial_weights(&af_arena.weight.at, run);
    af_numpy_seed(&af_arena.state.data_stream[0], run->note.seed_training);
    af_numpy_seed(&offset_stream, SEED_OFFSET + run->note.seed_training);
    return options->checkpoint == NULL ||
           checkpoint_open(options->checkpoint, run, options->is_resumed, has_log ? csv.file : NULL);
}

int cmd_train(int argc, char **argv) {
    struct options options = {{{0, 0, SEED_WEIGHTS, SEED_TRAINING}, 0, AF_ADAMW_CHAPTER, NULL, RECIPE_CHAPTER},
                              NULL,
                              NULL,
                              STEPS_PER_CHECKPOINT,
                              false,
                              false};
    if (!take_options(&options, &argc, argv)) {
        return STATUS_USAGE;
    }
    if (!is_writable(options.run.path)) {
        return STATUS_FAILED;
    }
    catch_signal(SIGINT);
    catch_signal(SIGTERM);
    if (!open_log(&options)) {
        return STATUS_FAILED;
    }
    struct run *const run = &options.run;
    struct progress progress;
    progress_begin(&progress, "step", run->note.n_steps, STEPS_PER_LINE, options.is_quiet);
    if (!begin_run(&options)) {
        return stop(&progress, STATUS_USAGE);
    }
    progress.n_before = checkpoint_step();
    int status = run_steps(&options, run, &progress, checkpoint_step());
    if (status != STATUS_DONE) {
        status = stop(&progress, status);
        end_as_signalled();
        return status;
    }
    const double seconds = progress_seconds(&progress) + checkpoint_seconds();
    progress_end(&progress);
    status = save(&options, seconds, &progress);
    if (status == STATUS_DONE && !options.is_quiet) {
        (void)printf("%u steps in %.1f s; hash of weights and moments %08X\nweights: %s\n", (unsigned)run->note.n_steps,
                     seconds, (unsigned)run->note.hash, run->path);
        if (options.csv != NULL) {
            (void)printf("losses:  %s\n", options.csv);
        }
        if (options.checkpoint != NULL) {
            (void)printf("checkpoints: %s\n", options.checkpoint);
        }
    }
    return status;
}
