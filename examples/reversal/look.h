// SPDX-License-Identifier: MIT
/// What the commands that look into the model share: sequences, parts of tensors, files for pictures.
#ifndef LOOK_H
#define LOOK_H

#include "reversal.h"

// ------------------------------------------------------------------------------------------------------- sequences

/// A sequence to look at.
struct sequence {
    af_token token[AF_CONTEXT];
    af_token target[AF_CONTEXT]; // from the separator on, the token that comes next; else AF_IGNORE
    size_t n;
};

/// Who completes a string of letters by what comes after the separator.
enum answer {
    ANSWER_TRUE, // its reversal
    ANSWER_MODEL // what af_arena's weights say, greedily: they SHALL be loaded
};

/// Reads "fgcabe", which becomes fgcabe|ebacgf, or a whole sequence, with a |, as it stands: letters, | and . for the
/// pad token. Spaces count for nothing. On failure prints one line and returns false.
bool sequence_parse(struct sequence *out, const char *text, enum answer answer);

/// The sequence as the library takes it.
struct af_sequence sequence_of(const struct sequence *sequence);

/// Writes the sequence as text, terminated.
void sequence_text(char text[AF_CONTEXT + 1], const struct sequence *sequence);

/// Runs the sequence forward, every position and query, through af_arena's weights; activations are then in
/// af_arena.work.train.
void sequence_forward(const struct sequence *sequence);

/// The key with the largest weight of a query, among those that it sees of a sequence of n tokens that was run forward.
size_t strongest_key(size_t block, size_t head, size_t query, size_t n);

/// What the model divided the scores of such a sequence by: of two keys of a query, the difference of their products with
/// it, over the logarithm of the quotient of their weights; from the two, in the first head, that are furthest apart. Not
/// where the softmax runs over the queries.
double score_divisor(size_t n);

// ---------------------------------------------------------------------------------------------------------- tensors

/// find_or_suggest() without a message. The struct's path may be left out: "tok" is "weight.at.tok".
struct af_tensor find_tensor(const char *name);

/// What the indices of an axis number.
enum axis_kind {
    AXIS_PLAIN,
    AXIS_ROW,      // rows of the micro-batch
    AXIS_QUERY,    // rows of the last block's queries
    AXIS_SEQUENCE, // sequences of the micro-batch, and the end
    AXIS_CACHED,   // tokens that a decoding has taken
    AXIS_NEWEST,   // rows of decoding: a token that came alone is in row 0
    AXIS_VOCAB     // tokens
};

struct axis {
    size_t from; // index in the tensor of the view's index 0
    size_t n;
    size_t stride; // elements from one index to the next
    enum axis_kind kind;
    bool is_fixed; // an index was given: the axis is no longer one of the view
};

/// A tensor or a part of one.
struct view {
    struct af_tensor tensor;
    struct axis axis[4]; // [tensor.rank]
    bool is_part;        // not the whole tensor
};

/// Reads NAME, followed by any of: [INDEX], as in C; .q, .k or .v, the part of a tensor that holds queries, keys and
/// values side by side; .head[H], what belongs to one head. On failure prints one line, and returns STATUS_FAILED if no
/// tensor has the name, STATUS_USAGE if its tensor has no such part.
int view_parse(struct view *out, const char *text);

/// Axes that are left, outermost first: writes their numbers to `axis`, returns how many.
size_t view_axes(const struct view *view, size_t axis[4]);

/// Elements of the view.
size_t view_count(const struct view *view);

/// Where element i of the view, in row-major order, lies in the tensor: the number of the element in memory order.
size_t view_element(const struct view *view, size_t i);

// ---------------------------------------------------------------------------------------------------------- pictures

/// Draws where each position of a struct sequence attends to, in every block and head, after sequence_forward().
void attention_svg(FILE *file, const void *what);

// ------------------------------------------------------------------------------------------------------------ files

/// Writes what `print` prints to the file of a path, whole or not at all; "-" is standard output. Returns STATUS_DONE,
/// or STATUS_USAGE after one line on stderr.
int write_file(const char *path, void (*print)(FILE *file, const void *what), const void *what);

#endif
