// SPDX-License-Identifier: MIT
// Reverses strings of the user, and shows what the model hesitated between.
#include "reversal.h"

enum { MAX_STRINGS = 1024 };

/// Feeds letters and separator. The logits of the first letter of the answer are then in `decode`.
static void feed(struct af_decode *const decode, const struct letters *const letters) {
    af_decode_reset(decode);
    for (size_t i = 0; i < letters->n; i++) {
        (void)af_decode_push(decode, program_reader(), letters->token[i]); // they fit: letters_parse() looked
    }
    (void)af_decode_push(decode, program_reader(), SEPARATOR);
}

/// Prints the n_top most likely tokens, the likeliest first; equals in the order of the vocabulary, as the decoder
/// chooses.
static void print_top(const af_real logits[AF_VOCAB], const uint64_t n_top, const af_token right) {
    af_real probability[AF_VOCAB];
    af_softmax(probability, logits, AF_VOCAB);
    (void)printf("    %c: ", token_char(right));
    for (uint64_t i = 0; i < n_top; i++) {
        const size_t best = af_argmax(probability, AF_VOCAB);
        (void)printf(" %c=%.4f", token_char((af_token)best), (double)probability[best]);
        probability[best] = AF_R(-1); // below every probability: it is not chosen again
    }
    (void)putchar('\n');
}

static void reverse_with_top(struct af_decode *const decode, const struct letters *const letters,
                             const uint64_t n_top) {
    feed(decode, letters);
    for (size_t i = 0; i < letters->n; i++) {
        const af_token next = (af_token)af_argmax(decode->logits, AF_VOCAB);
        print_top(decode->logits, n_top, letters->token[letters->n - 1 - i]);
        if (i + 1 < letters->n) {
            (void)af_decode_push(decode, program_reader(), next);
        }
    }
}

static void reverse(struct af_decode *const decode, const struct letters *const letters, const uint64_t n_top) {
    struct letters answer;
    char text[2][MAX_LETTERS + 1];
    const bool is_right = reverse_greedily(&answer, decode, program_reader(), letters);
    letters_text(text[0], letters);
    letters_text(text[1], &answer);
    (void)printf("%s -> %s  %s\n", text[0], text[1], is_right ? "right" : "wrong");
    if (n_top > 0) {
        reverse_with_top(decode, letters, n_top);
    }
}

/// Reads the strings; all of them, before any is answered.
static bool read_strings(struct letters letters[MAX_STRINGS], const int n, char **const text) {
    if (n < 1 || n > MAX_STRINGS) {
        (void)complain("reverse: give 1 to %d strings of the letters a to j", (int)MAX_STRINGS);
        return false;
    }
    for (int i = 0; i < n; i++) {
        if (!letters_parse(&letters[i], text[i])) {
            return false;
        }
    }
    return true;
}

static bool take_top(int *const argc, char **const argv, uint64_t *const n_top) {
    const char *text = NULL;
    return take_option(argc, argv, "top", &text) && (text == NULL || parse_number(n_top, text, 1, AF_VOCAB, "--top"));
}

int cmd_reverse(int argc, char **argv) {
    static struct letters letters[MAX_STRINGS];
    uint64_t n_top = 0;
    struct run run = {{0, 0, 0, 0}, 0, AF_ADAMW_CHAPTER, default_weights_path()};
    if (!take_top(&argc, argv, &n_top) || !take_option(&argc, argv, "weights", &run.path) ||
        !no_options_left(argc, argv) || !read_strings(letters, argc - 1, &argv[1]) ||
        !run_load(&af_arena.weight.at, &run)) {
        return STATUS_USAGE;
    }
    const struct af_model model = program_model();
    struct af_decode *decode = NULL;
    if (af_decode_open(&model, &decode) != AF_OK) { // only while a training step is open: never here
        return STATUS_FAILED;
    }
    if (n_top > 0) {
        (void)printf("Below each string: the letter that should come, then what the model would say and how likely.\n");
    }
    for (int i = 0; i < argc - 1; i++) {
        reverse(decode, &letters[i], n_top);
    }
    return STATUS_DONE;
}
