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

enum { MAX_BATCH = 1024, STEPS_PER_LINE = 100 };

// A line of the log gives the loss with all its digits.
#if AF_REAL_IS_DOUBLE
#define LOSS_FORMAT "%.17g"
#else
#define LOSS_FORMAT "%.9g"
#endif

// --------------------------------------------------------------------------------------------------------- options

struct options {
    struct run run;
    const char *csv; // NULL: no log
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
    return take_option(argc, argv, name, &text) && (text == NULL || parse_real(number, text, 0, 1e6, name));
}

static bool take_run(struct run *const run, int *const argc, char **const argv) {
    uint64_t n_steps = N_STEPS;
    uint64_t batch = BATCH;
    const bool is_good = take_number(argc, argv, "--steps", 0, MAX_STEPS, &n_steps) &&
                         take_number(argc, argv, "--batch", 1, MAX_BATCH, &batch) &&
                         take_number(argc, argv, "--seed-weights", 0, UINT32_MAX, &run->note.seed_weights) &&
                         take_number(argc, argv, "--seed-training", 0, UINT64_MAX, &run->note.seed_training) &&
                         take_real(argc, argv, "--learning-rate", &run->how.learning_rate) &&
                         take_real(argc, argv, "--weight-decay", &run->how.weight_decay) &&
                         take_option(argc, argv, "weights", &run->path);
    run->note.n_steps = (uint32_t)n_steps;
    run->batch = (uint32_t)batch;
    return is_good;
}

static bool take_options(struct options *const options, int *const argc, char **const argv) {
    if (!take_run(&options->run, argc, argv) || !take_option(argc, argv, "csv", &options->csv)) {
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
    if (options->csv != NULL && !is_special_file(options->csv) && is_same_file(options->csv, options->run.path)) {
        (void)complain("train: weights and log cannot both be %s", options->csv);
        return false;
    }
    return true;
}

// ------------------------------------------------------------------------------------------------------------ a step

static struct example example[MAX_BATCH];
static struct af_sequence sequence[MAX_BATCH];

/// Size of a batch: what the loss is the mean of, and what the model has to read.
struct batch_size {
    uint32_t n_targets;
    uint32_t n_tokens; // letters, separator and answer up to the last letter but one
};

static struct batch_size draw_batch(const uint32_t n_examples) {
    struct batch_size size = {0, 0};
    for (uint32_t i = 0; i < n_examples; i++) {
        const struct letters letters = letters_draw(&af_arena.state.data_stream[0], SHORTEST, LONGEST);
        sequence[i] = example_of(&example[i], &letters);
        size.n_targets += (uint32_t)letters.n;
        size.n_tokens += (uint32_t)(2 * letters.n);
    }
    return size;
}

static af_status train_step(const struct af_model *const model, const struct run *const run, af_real *const loss,
                            uint64_t *const n_tokens) {
    const struct batch_size size = draw_batch(run->batch);
    *n_tokens += size.n_tokens;
    af_status status = af_train_begin(model, size.n_targets);
    if (status == AF_OK) {
        status = af_train_accumulate(model, sequence, run->batch);
    }
    if (status == AF_OK) {
        status = af_train_end(model, run->how, loss);
    }
    return status;
}

/// One number that stands for all bits of the training state.
static uint32_t hash_state(void) {
    uint32_t hash = af_crc32c_reals(0, af_arena.weight.flat, AF_N_PARAMS);
    hash = af_crc32c_reals(hash, af_arena.adam_m.flat, AF_N_PARAMS);
    return af_crc32c_reals(hash, af_arena.adam_v.flat, AF_N_PARAMS);
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
    if (path[0] == '\0') {
        (void)complain("the name of the weights file is empty");
        return false;
    }
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

/// Shows how far the run is, and looks whether the log is still being written.
static bool report(struct progress *const progress, const uint32_t step, const af_real loss, const uint64_t n_tokens) {
    char note[64];
    const double seconds = progress_seconds(progress);
    (void)snprintf(note, sizeof(note), "loss %-9.4g  %5.0f tokens/s", (double)loss,
                   seconds > 0 ? (double)n_tokens / seconds : 0.0);
    progress_show(progress, step, note);
    if (is_csv_open && fflush(csv.file) != 0) {
        const int reason = errno;
        progress_end(progress);
        (void)complain("cannot write %s: %s; training stopped, nothing was saved", csv.path, strerror(reason));
        return false;
    }
    return true;
}

/// Trains. Returns STATUS_DONE, or after a line on stderr the exit status.
static int run_steps(const struct options *const options, struct run *const run, struct progress *const progress) {
    const struct af_model model = program_model();
    uint64_t n_tokens = 0;
    run->note.hash = hash_state();
    for (uint32_t step = 1; step <= run->note.n_steps; step++) {
        af_real loss = 0;
        const af_status status = train_step(&model, run, &loss, &n_tokens);
        if (status != AF_OK) {
            progress_end(progress);
            (void)complain("step %u: %s, %s; nothing was saved", (unsigned)step, af_status_name(status),
                           af_status_text(status));
            return STATUS_FAILED;
        }
        run->note.hash = hash_state();
        if (is_csv_open) {
            (void)fprintf(csv.file, "%u," LOSS_FORMAT ",%08X\n", (unsigned)step, (double)loss,
                          (unsigned)run->note.hash);
        }
        if ((options->is_quiet ? step == run->note.n_steps : progress_is_due(progress, step)) &&
            !report(progress, step, loss, n_tokens)) {
            return STATUS_USAGE;
        }
        if (end_signal != 0) {
            progress_end(progress);
            (void)complain("interrupted after step %u; nothing was saved", (unsigned)step);
            return STATUS_FAILED;
        }
    }
    return STATUS_DONE;
}

/// Saves the run: the log is complete in its new file before the weights take their place, and then takes its own.
static int save(const struct run *const run, const double seconds, struct progress *const progress) {
    if (!af_finite(af_arena.weight.flat, AF_N_PARAMS)) {
        (void)complain("the last step made a weight infinite; nothing was saved");
        return stop(progress, STATUS_FAILED);
    }
    if (is_csv_open) {
        (void)fprintf(csv.file, LOG_SECONDS "%.3f\n", seconds);
        if (!atomic_file_close(&csv)) {
            is_csv_open = false;
            return complain("cannot write %s: %s; nothing was saved", csv.path, strerror(errno));
        }
    }
    if (!run_save(run, &af_arena.weight.at)) {
        return stop(progress, STATUS_USAGE);
    }
    if (is_csv_open && !atomic_file_publish(&csv)) {
        return complain("cannot write %s: %s; the weights are saved", csv.path, strerror(errno));
    }
    return STATUS_DONE;
}

int cmd_train(int argc, char **argv) {
    struct options options = {
        {{0, 0, SEED_WEIGHTS, SEED_TRAINING}, 0, AF_ADAMW_CHAPTER, default_weights_path()}, NULL, false};
    if (!take_options(&options, &argc, argv) || !is_writable(options.run.path)) {
        return STATUS_USAGE;
    }
    catch_signal(SIGINT);
    catch_signal(SIGTERM);
    if (!open_log(&options)) {
        return STATUS_USAGE;
    }
    struct run *const run = &options.run;
    const struct af_model model = program_model();
    (void)af_train_reset(&model); // the model is whole: this cannot fail
    af_init_weights(&af_arena.weight.at, &af_arena.work.init_stream[0], run->note.seed_weights);
    af_numpy_seed(&af_arena.state.data_stream[0], run->note.seed_training);

    struct progress progress;
    progress_begin(&progress, "step", run->note.n_steps, STEPS_PER_LINE, options.is_quiet);
    int status = run_steps(&options, run, &progress);
    if (status != STATUS_DONE) {
        status = stop(&progress, status);
        end_as_signalled();
        return status;
    }
    const double seconds = progress_seconds(&progress);
    progress_end(&progress);
    status = save(run, seconds, &progress);
    if (status == STATUS_DONE && !options.is_quiet) {
        (void)printf("%u steps in %.1f s; hash of weights and moments %08X\nweights: %s\n", (unsigned)run->note.n_steps,
                     seconds, (unsigned)run->note.hash, run->path);
        if (options.csv != NULL) {
            (void)printf("losses:  %s\n", options.csv);
        }
    }
    return status;
}
