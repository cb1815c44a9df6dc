// SPDX-License-Identifier: MIT
// Reverses strings of the user, and shows what the model hesitated between.
#include "reversal.h"

#include <string.h>

enum { MAX_STRINGS = 1024 };

/// The answer to a string, and the logits that each of its letters was chosen from.
struct answer {
    struct letters letters;
    af_real logits[MAX_LETTERS][AF_VOCAB];
};

/// Lets the model answer letter by letter. Only af_decode_greedy() works for every model: some have no cache to push
/// tokens to. False, after a line on stderr, if logits are not finite.
static bool find_answer(struct answer *const answer, struct af_decode *const decode,
                        const struct letters *const letters) {
    af_token prompt[AF_CONTEXT];
    const size_t n = letters->n;
    (void)memcpy(prompt, letters->token, n * sizeof(af_token));
    prompt[n] = SEPARATOR;
    answer->letters.n = n;
    for (size_t i = 0; i < n; i++) {
        af_token *const next = &answer->letters.token[i];
        (void)af_decode_greedy(next, decode, program_reader(), prompt, n + 1 + i,
                               1); // they fit: letters_parse() looked
        if (!are_logits_finite(decode->logits, AF_VOCAB)) {
            return false;
        }
        (void)memcpy(answer->logits[i], decode->logits, sizeof(answer->logits[i]));
        prompt[n + 1 + i] = *next; // of 2 n + 1 tokens, and the context has as many
    }
    return true;
}

static bool is_reversed(const struct letters *const answer, const struct letters *const letters) {
    bool is_right = true;
    for (size_t i = 0; i < letters->n; i++) {
        is_right = is_right && answer->token[i] == letters->token[letters->n - 1 - i];
    }
    return is_right;
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

/// False after a line on stderr.
static bool reverse(struct af_decode *const decode, const struct letters *const letters, const uint64_t n_top) {
    struct answer answer;
    char text[2][MAX_LETTERS + 1];
    if (!find_answer(&answer, decode, letters)) {
        return false;
    }
    letters_text(text[0], letters);
    letters_text(text[1], &answer.letters);
    (void)printf("%s -> %s  %s\n", text[0], text[1], is_reversed(&answer.letters, letters) ? "right" : "wrong");
    for (size_t i = 0; i < letters->n && n_top > 0; i++) {
        print_top(answer.logits[i], n_top, letters->token[letters->n - 1 - i]);
    }
    return true;
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
