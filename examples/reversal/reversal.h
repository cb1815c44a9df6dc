// SPDX-License-Identifier: MIT
/// The reversal program: the chapter's model, trained, tested and looked at. What its commands share.
#ifndef REVERSAL_H
#define REVERSAL_H

#include "command_line.h"
#include "losses.h"
#include "recipe.h"
#include "task.h"

#if AF_RECOMPUTE == 2
#error "The reversal program shows the attention of every block: AF_RECOMPUTE must be 0 or 1."
#endif

#include <stdbool.h>
#include <stdio.h>

/// Reads a string of 1 to MAX_LETTERS letters. On failure prints one line to stderr that says what is wrong with which
/// string, leaves `out` as it is and returns false.
bool letters_parse(struct letters *out, const char *text);

/// The model of this program: the default arena, with the kernels and the workers of the port.
struct af_model program_model(void);

/// Its weights, for decoding. They have to be packed: open_decode() or af_decode_open() does it.
const struct af_reader *program_reader(void);

/// Whether n logits are finite; if not, prints a line. Weights that are finite themselves may be too large.
bool are_logits_finite(const af_real *logits, size_t n);

/// The decoding memory of program_model(), empty. No training step may be open.
struct af_decode *open_decode(void);

// -------------------------------------------------------------------------------------------------------- commands

/// The commands. argv[0] is the command's name. Each returns the program's exit status.
int cmd_train(int argc, char **argv);
int cmd_test(int argc, char **argv);
int cmd_reverse(int argc, char **argv);
int cmd_measure(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_attention(int argc, char **argv);
int cmd_show(int argc, char **argv);
int cmd_shapes(int argc, char **argv);
int cmd_byhand(int argc, char **argv);
int cmd_map(int argc, char **argv);
int cmd_figures(int argc, char **argv);
int cmd_export(int argc, char **argv);

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
/// length, check sums, finite numbers, settings that the command line allows as well. False, with one line on stderr
/// that names the file and what is wrong with it.
bool weights_load(struct af_weights *weight, struct weights_note *note, const char *path);

/// weights_load() into af_arena's weights for a command that takes --weights: takes the option out of argv, loads the
/// file. False after a line on stderr.
bool load_for_command(int *argc, char **argv, struct weights_note *note);

/// A whole number in a file, lowest byte first.
void put_bytes(uint8_t *at, uint64_t number, size_t n_bytes);
uint64_t get_bytes(const uint8_t *at, size_t n_bytes);

// ---------------------------------------------------------------------------------------------------------- tensors

/// The tensor of a name, in any spelling the map or PyTorch has; for one that does not exist, prints a line that
/// suggests the nearest name, and returns one with n_bytes 0.
struct af_tensor find_or_suggest(const char *name);

// --------------------------------------------------------------------------- shared by train, test and compare

/// Finds out where the program is, so that default_weights_path() can name a file beside it. `program` is argv[0]: it
/// counts where the system has no /proc/self/exe.
void set_program_path(const char *program);

/// A run of training as its weights file tells of it.
struct run {
    struct weights_note note;
    uint32_t batch; // examples a step
    struct af_adamw how;
    const char *path; // of the weights file
    struct recipe recipe;
};

/// Takes the options of a recipe out of argv; what is not there is the chapter's. False after a line on stderr.
bool recipe_take(struct recipe *recipe, int *argc, char **argv);

bool is_chapters_recipe(const struct recipe *recipe);

/// Which of a run's settings is outside of what the command line allows, in words; NULL if none is.
const char *run_fault(const struct run *run);

/// A number that differs between runs whose recipes do; 0 for the chapter's.
uint32_t recipe_digest(const struct run *run);

/// Draws the next string and makes an example of it, AF_CONTEXT long; adds its number of targets. Only a recipe with
/// offsets draws from `offsets`.
struct af_sequence recipe_draw(struct example *out, const struct recipe *recipe, struct af_numpy *strings,
                               struct af_numpy *offsets, uint32_t *n_targets);

/// The run's settings of AdamW in a step, counted from 1.
struct af_adamw recipe_settings(const struct run *run, uint32_t step);

/// Moves each of n weights that is not 0 to the next number up or down or leaves it, as default_rng(seed) says; seed 0
/// leaves all.
void recipe_perturb(af_real *weight, size_t n, uint32_t seed);

/// weights_save() and weights_load() with batch size and settings beside the note; those use the chapter's and drop
/// them. `run->path` names the file; for run_load() it is set first.
bool run_save(const struct run *run, const struct af_weights *weight);
bool run_load(struct af_weights *weight, struct run *run);

/// load_for_command() with the whole run.
bool load_run_for_command(int *argc, char **argv, struct run *run);

/// The path of a file beside a weights file: that of the weights with `ending` in place of .weights. False, with a line
/// on stderr, if that gets too long.
enum { PATH_BYTES = 4096 };
bool path_beside(char out[PATH_BYTES], const char *weights_path, const char *ending);

/// Where the log of a run is that does not say --csv: path_beside() with .csv.
bool log_path_of(char out[PATH_BYTES], const char *weights_path);

/// The log that train writes: a header, a line "step,loss,hash" for each step, a comment with the seconds it took.
#define LOG_HEADER  "step,loss,hash"
#define LOG_SECONDS "# seconds: "

/// Most steps of a run, examples a step, and learning rate or weight decay.
enum { MAX_STEPS = 1000000, MAX_BATCH = 1024 };
#define MAX_RATE 1e6

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

/// Whether a line without its newline is that of a log's first step.
bool is_first_step_line(const char *line);

/// Checkpoints of a training run, in a file of the port's storage, and the lines of its log so far in that file's name
/// with .log. Opens them; af_arena holds a new run. A checkpoint that is there is loaded if `is_resumed`, and the lines
/// of the log up to it are printed to `log` (NULL: no log is kept). Where there is none the run begins at its start,
/// with a line on stderr if an earlier one had begun. False, after a line on stderr and with nothing overwritten, if a
/// checkpoint is there and not wanted, or damaged, or of a run with other settings, if one of the files is somebody
/// else's, or if something fails.
bool checkpoint_open(const char *path, const struct run *run, bool is_resumed, FILE *log);

/// The step of the newest checkpoint of this run; 0 while there is none.
uint32_t checkpoint_step(void);

/// Seconds of training before this process.
double checkpoint_seconds(void);

/// The name of the log that is kept beside the checkpoints in `of`, until the next call.
const char *checkpoint_journal(const char *of);

/// A line of the log, to be kept beside the checkpoints. Without checkpoint_open() this and the next do nothing.
void checkpoint_log(const char *line);

/// Saves a checkpoint, `seconds` after the start of this process's training. False after a line on stderr.
bool checkpoint_save(double seconds);

/// How many strings of SHORTEST to LONGEST letters a run has drawn.
struct drawn {
    uint64_t n_examples;
    uint64_t n_distinct;
    uint32_t n_distinct_of[LONGEST + 1]; // by length
    uint32_t n_letters;                  // different letters that occur
    uint32_t shortest;                   // letters of the shortest string
    uint32_t longest;
};

/// Draws a run's training strings again and remembers those of SHORTEST to LONGEST letters; was_drawn() then knows
/// them: exactly, a bit for each string that there is.
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

// ------------------------------------------------------------------------------------------- what training reached

/// The weights that a run began with, moved as its recipe says. Overwrites af_arena's stream of initial weights.
void draw_initial_weights(struct af_weights *weight, const struct run *run);

/// Gradients of the run's first BATCH strings, or of as many as it drew, with the trained weights, into af_arena.grad.
/// No weight changes. False if it drew none.
bool first_batch_gradient(const struct run *run);

/// Largest gradient of one row of the position table in af_arena.grad.
double position_gradient(size_t row);

#endif
