// SPDX-License-Identifier: MIT
// Reverses strings of the user, and shows what the model hesitated between.
#include "reversal.h"

#include <string.h>

enum { MAX_STRINGS = 1024 };

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

/// Prints what the model would say in place of each letter of its answer: the answer is fed once more, letter by letter.
/// Only af_decode_greedy() works for every model: some have no cache to push tokens to. False after a line on stderr.
static bool print_hesitation(struct af_decode *const decode, const struct letters *const letters,
                             const struct letters *const answer, const uint64_t n_top) {
    af_token prompt[AF_CONTEXT];
    const size_t n = letters->n;
    (void)memcpy(prompt, letters->token, n * sizeof(af_token));
    prompt[n] = SEPARATOR;
    for (size_t i = 0; i < n; i++) {
        af_token next = 0; // they fit: letters_parse() looked
        (void)af_decode_greedy(&next, decode, program_reader(), prompt, n + 1 + i, 1);
        if (!are_logits_finite(decode->logits, AF_VOCAB)) {
            return false;
        }
        print_top(decode->logits, n_top, letters->token[n - 1 - i]);
        prompt[n + 1 + i] = answer->token[i]; // of 2 n + 1 tokens, and the context has as many
    }
    return true;
}

/// False after a line on stderr.
static bool reverse(struct af_decode *const decode, const struct letters *const letters, const uint64_t n_top) {
    struct letters answer;
    char text[2][MAX_LETTERS + 1];
    const bool is_right = reverse_greedily(&answer, decode, program_reader(), letters);
    if (!are_logits_finite(decode->logits, AF_VOCAB)) {
        return false;
    }
    letters_text(text[0], letters);
    letters_text(text[1], &answer);
    (void)printf("%s -> %s  %s\n", text[0], text[1], is_right ? "right" : "wrong");
    return n_top == 0 || print_hesitation(decode, letters, &answer, n_top);
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
    struct run run = {{0, 0, 0, 0}, 0, AF_ADAMW_CHAPTER, default_weights_path(), RECIPE_CHAPTER};
    if (!take_top(&argc, argv, &n_top) || !take_path(&argc, argv, "weights", &run.path) ||
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
        if (!reverse(decode, &letters[i], n_top)) {
            return STATUS_FAILED;
        }
    }
    return STATUS_DONE;
}
