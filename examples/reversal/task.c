// SPDX-License-Identifier: MIT
#include "reversal.h"

#include <string.h>

AF_STATIC_ASSERT(AF_VOCAB == PAD + 1, the_task_has_ten_letters_a_separator_and_a_pad_token);
AF_STATIC_ASSERT(AF_CONTEXT >= 25, the_longest_strings_of_the_chapter_have_12_letters);
AF_STATIC_ASSERT(AF_TRAINING == 1 && AF_STREAMS == 1 && AF_MAP == 1, this_program_uses_every_part_of_the_library);

/// Says which character of a string is no letter. Returns false.
static bool reject_character(const char *const text, const size_t i) {
    if (text[i] >= ' ' && text[i] <= '~') {
        (void)complain("\"%s\": character %zu, '%c', is none of the letters a to j", text, i + 1, text[i]);
    } else {
        (void)complain("\"%s\": character %zu, the byte %02X, is none of the letters a to j", text, i + 1,
                       (unsigned)(unsigned char)text[i]);
    }
    return false;
}

bool letters_parse(struct letters *const out, const char *const text) {
    const size_t n = strlen(text);
    for (size_t i = 0; i < n; i++) {
        if (text[i] < 'a' || text[i] >= 'a' + N_LETTERS) {
            return reject_character(text, i);
        }
    }
    if (n < 1 || n > MAX_LETTERS) {
        (void)complain("\"%s\": a string has 1 to %d letters, this one has %zu", text, (int)MAX_LETTERS, n);
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        out->token[i] = (af_token)(text[i] - 'a');
    }
    out->n = n;
    return true;
}

struct letters letters_draw(struct af_numpy *const stream, const uint32_t shortest, const uint32_t longest) {
    struct letters letters = {{0}, 0};
    letters.n = af_numpy_integer(stream, shortest, longest + 1);
    for (size_t i = 0; i < letters.n; i++) {
        letters.token[i] = (af_token)af_numpy_integer(stream, 0, N_LETTERS);
    }
    return letters;
}

char token_char(const af_token token) {
    static const char character[] = "abcdefghij|.";
    if (token > PAD) {
        return '?';
    }
    return character[token];
}

void letters_text(char text[MAX_LETTERS + 1], const struct letters *const letters) {
    for (size_t i = 0; i < letters->n; i++) {
        text[i] = token_char(letters->token[i]);
    }
    text[letters->n] = '\0';
}

struct af_sequence example_of(struct example *const out, const struct letters *const letters) {
    const size_t n = letters->n;
    for (size_t i = 0; i < AF_CONTEXT; i++) {
        out->token[i] = PAD;
        out->target[i] = AF_IGNORE;
    }
    for (size_t i = 0; i < n; i++) {
        const af_token reversed = letters->token[n - 1 - i];
        out->token[i] = letters->token[i];
        out->token[n + 1 + i] = reversed;
        out->target[n + i] = reversed; // what comes after position n + i
    }
    out->token[n] = SEPARATOR;
    const struct af_sequence sequence = {out->token, out->target, AF_CONTEXT};
    return sequence;
}

bool reverse_greedily(struct letters *const answer, struct af_decode *const decode,
                      const struct af_reader *const reader, const struct letters *const letters) {
    const size_t n = letters->n;
    af_token prompt[MAX_LETTERS + 1];
    for (size_t i = 0; i < n; i++) {
        prompt[i] = letters->token[i];
    }
    prompt[n] = SEPARATOR;
    answer->n = n;
    // A string of at most MAX_LETTERS letters and its reversal fit into the context: this cannot fail.
    (void)af_decode_greedy(answer->token, decode, reader, prompt, n + 1, n);
    for (size_t i = 0; i < n; i++) {
        if (answer->token[i] != letters->token[n - 1 - i]) {
            return false;
        }
    }
    return true;
}
