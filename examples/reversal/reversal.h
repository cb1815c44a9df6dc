// SPDX-License-Identifier: MIT
/// The reversal program: the chapter's model, trained, tested and looked at. What its commands share.
#ifndef REVERSAL_H
#define REVERSAL_H

#include "af.h"

#include <stdbool.h>
#include <stdio.h>

// ------------------------------------------------------------------------------------------------------- the task

/// Tokens: letters a to j are 0 to 9, then the separator and the pad token.
enum { N_LETTERS = 10, SEPARATOR = 10, PAD = 11 };

/// Longest string whose reversal fits: letters, separator, letters.
enum { MAX_LETTERS = (AF_CONTEXT - 1) / 2 };

/// The chapter's run (section 1.9).
enum {
    SEED_TRAINING = 0, // numpy.random.default_rng
    SEED_TEST = 123,
    SEED_LONG = 456,  // the chapter does not say which strings of 9 to 12 letters it used
    SEED_WEIGHTS = 1, // torch.manual_seed
    N_STEPS = 1500,
    BATCH = 64,
    SHORTEST = 3,
    LONGEST = 8,
    N_TEST = 500,
    N_LONG = 200
};

/// A string of letters, as tokens.
struct letters {
    af_token token[MAX_LETTERS];
    size_t n;
};

/// A training example: string, separator, reversed string; targets from the separator on.
struct example {
    af_token token[AF_CONTEXT];
    af_token target[AF_CONTEXT];
};

/// Reads a string of 1 to MAX_LETTERS letters. On failure prints one line to stderr that says what is wrong with which
/// string, leaves `out` as it is and returns false.
bool letters_parse(struct letters *out, const char *text);

/// Draws a string of shortest to longest letters as the chapter does: its length, then its letters.
struct letters letters_draw(struct af_numpy *stream, uint32_t shortest, uint32_t longest);

/// Character of a token: a to j, | and . ; '?' for anything else.
char token_char(af_token token);

/// Writes letters as text, terminated.
void letters_text(char text[MAX_LETTERS + 1], const struct letters *letters);

/// Fills in an example; the sequence refers to it and is AF_CONTEXT long.
struct af_sequence example_of(struct example *out, const struct letters *letters);

/// The model of this program: the default arena, with the kernels and the workers of the port.
struct af_model program_model(void);

/// Its weights, for decoding. They have to be packed: open_decode() or af_decode_open() does it.
const struct af_reader *program_reader(void);

/// The decoding memory of program_model(), empty. No training step may be open.
struct af_decode *open_decode(void);

/// Feeds letters and separator and lets the model continue by n letters, greedily. Returns whether the answer is the
/// reversal.
bool reverse_greedily(struct letters *answer, struct af_decode *decode, const struct af_reader *reader,
                      const struct letters *letters);

// ---------------------------------------------------------------------------------------------------- command line

enum { STATUS_DONE = 0, STATUS_FAILED = 1, STATUS_USAGE = 2 };

/// Prints "reversal: ", the message and a newline to stderr. Returns STATUS_USAGE, to be returned by the command.
int complain(const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 1, 2)))
#endif
    ;

/// The commands. argv[0] is the command's name. Each returns the program's exit status.
int cmd_train(int argc, char **argv);
int cmd_test(int argc, char **argv);
int cmd_reverse(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_attention(int argc, char **argv);
int cmd_show(int argc, char **argv);
int cmd_shapes(int argc, char **argv);
int cmd_byhand(int argc, char **argv);
int cmd_map(int argc, char **argv);

/// Takes the option `name` with a value out of argv ("--name VALUE" or "--name=VALUE"): *value is set if it is there,
/// and left if not. False, with a line on stderr, if its value is missing or it is given twice.
bool take_option(int *argc, char **argv, const char *name, const char **value);

/// Takes a switch without a value out of argv.
bool take_switch(int *argc, char **argv, const char *name);

/// Whether no unknown option (an argument that begins with "--") is left; if one is, prints a line that names it.
bool no_options_left(int argc, char **argv);

/// Reads a whole number in [min, max]; on failure prints a line that names `what` and returns false.
bool parse_number(uint64_t *out, const char *text, uint64_t min, uint64_t max, const char *what);

// ---------------------------------------------------------------------------------------------------- weights file

/// What a weights file begins with.
extern const uint8_t weights_magic[4];

/// The file used where no --weights is given: reversal.weights in the folder of the program.
const char *default_weights_path(void);

/// What a weights file says beside the weights.
struct weights_note {
    uint32_t n_steps; // steps of training
    uint32_t hash;    // of weights, first and second moments after the last step
    uint64_t seed_weights;
    uint64_t seed_training;
};

/// Writes weights and note: first to PATH.new, which then takes PATH's place, so a full disk or a cut leaves the old
/// file. False, with a line on stderr, if anything fails.
bool weights_save(const char *path, const struct af_weights *weight, const struct weights_note *note);

/// Reads a weights file. The destination is written only if all of it is right: magic, version, configuration digest,
/// length, check sums, finite numbers. False, with one line on stderr that names the file and what is wrong with it.
bool weights_load(struct af_weights *weight, struct weights_note *note, const char *path);

/// weights_load() into af_arena's weights for a command that takes --weights: takes the option out of argv, loads the
/// file. False after a line on stderr.
bool load_for_command(int *argc, char **argv, struct weights_note *note);

// ---------------------------------------------------------------------------------------------------------- tensors

/// The tensor of a name, in any spelling the map or PyTorch has; for one that does not exist, prints a line that
/// suggests the nearest name, and returns one with n_bytes 0.
struct af_tensor find_or_suggest(const char *name);

// --------------------------------------------------------------------------- shared by train, test and compare

/// Tells the program where it is, so that default_weights_path() can name a file beside it. `program` is argv[0].
void set_program_path(const char *program);

/// Reads a number in [min, max]; on failure prints a line that names `what` and returns false.
bool parse_real(af_real *out, const char *text, double min, double max, const char *what);

/// A run of training as its weights file tells of it.
struct run {
    struct weights_note note;
    uint32_t batch; // examples a step
    struct af_adamw how;
    const char *path; // of the weights file
};

/// weights_save() and weights_load() with batch size and settings beside the note; those use the chapter's and drop
/// them. `run->path` names the file; for run_load() it is set first.
bool run_save(const struct run *run, const struct af_weights *weight);
bool run_load(struct af_weights *weight, struct run *run);

/// load_for_command() with the whole run.
bool load_run_for_command(int *argc, char **argv, struct run *run);

/// Where the log of a run is that does not say --csv: the weights file's path with .csv in place of .weights. False,
/// with a line on stderr, if that gets too long.
enum { PATH_BYTES = 4096 };
bool log_path_of(char out[PATH_BYTES], const char *weights_path);

/// The log that train writes: a header, a line "step,loss,hash" for each step, a comment with the seconds it took.
#define LOG_HEADER  "step,loss,hash"
#define LOG_SECONDS "# seconds: "

/// Most steps of a run.
enum { MAX_STEPS = 1000000 };

/// A log that was read.
struct training_log {
    const char *missing; // why there is none, in a sentence; NULL if all is well
    uint32_t n_steps;
    uint32_t last_hash;
    double seconds;     // of training; 0 if the log does not say
    const double *loss; // [n_steps]
};

/// Reads the log at `path` and checks that it is that of `run`: as many steps, the same hash after the last one.
struct training_log read_training_log(const char *path, const struct run *run);

/// Mean loss of the steps from to to, counted from 1, both included. 1 <= from <= to <= log->n_steps.
double mean_loss(const struct training_log *log, uint32_t from, uint32_t to);

/// How many strings of SHORTEST to LONGEST letters a run has drawn.
struct drawn {
    uint64_t n_examples;
    uint64_t n_distinct;
    uint32_t n_distinct_of[LONGEST + 1]; // by length
};

/// Draws a run's training strings again and remembers them; was_drawn() then knows them: exactly, a bit
/// for each string that there is.
struct drawn redraw_training(const struct run *run);
bool was_drawn(const struct letters *letters);

/// How a model did on a set of strings.
struct score {
    uint32_t n;
    uint32_t n_right;
    uint32_t n_unseen; // strings that was_drawn() does not know
    uint32_t n_unseen_right;
    uint32_t n_of[MAX_LETTERS + 1]; // by length
    uint32_t n_right_of[MAX_LETTERS + 1];
};

/// Draws n strings of shortest to longest letters from default_rng(seed) and lets af_arena's weights reverse each.
struct score score_strings(uint64_t seed, uint32_t n, uint32_t shortest, uint32_t longest);

#endif
