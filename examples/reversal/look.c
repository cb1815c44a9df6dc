// SPDX-License-Identifier: MIT
#include "look.h"
#include "af_math.h"
#include "atomic_file.h"
#include "print_file.h"

#include <string.h>

// ------------------------------------------------------------------------------------------------------- sequences

/// Token of a character, or AF_VOCAB if it stands for none.
static size_t token_of(const char character) {
    for (size_t token = 0; token < AF_VOCAB; token++) {
        if (token_char((af_token)token) == character) {
            return token;
        }
    }
    return AF_VOCAB;
}

/// Takes a whole sequence as it stands.
static bool take_whole(struct sequence *const out, const char *const text) {
    out->n = 0;
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == ' ') {
            continue;
        }
        const size_t token = token_of(*c);
        if (token == AF_VOCAB) {
            (void)complain("\"%s\": a sequence has the letters a to j, | and . only", text);
            return false;
        }
        if (out->n == AF_CONTEXT) {
            (void)complain("\"%s\": a sequence has at most %d tokens", text, (int)AF_CONTEXT);
            return false;
        }
        out->token[out->n] = (af_token)token;
        out->n++;
    }
    return true;
}

/// Completes letters by the separator and an answer.
static bool take_letters(struct sequence *const out, const char *const text, const enum answer who) {
    char compact[1024]; // longer than any string that fits, so that letters_parse() sees what is too long
    size_t n = 0;
    for (const char *c = text; *c != '\0' && n + 1 < sizeof(compact); c++) {
        if (*c != ' ') {
            compact[n] = *c;
            n++;
        }
    }
    compact[n] = '\0';
    struct letters letters;
    struct letters answer;
    if (!letters_parse(&letters, compact)) {
        return false;
    }
    if (who == ANSWER_MODEL) {
        (void)reverse_greedily(&answer, open_decode(), program_reader(), &letters);
    } else {
        answer.n = letters.n;
        for (size_t i = 0; i < letters.n; i++) {
            answer.token[i] = letters.token[letters.n - 1 - i];
        }
    }
    (void)memcpy(out->token, letters.token, letters.n * sizeof(af_token));
    out->token[letters.n] = SEPARATOR;
    (void)memcpy(&out->token[letters.n + 1], answer.token, answer.n * sizeof(af_token));
    out->n = letters.n + 1 + answer.n;
    return true;
}

bool sequence_parse(struct sequence *const out, const char *const text, const enum answer answer) {
    const bool is_whole = strchr(text, '|') != NULL;
    if (is_whole ? !take_whole(out, text) : !take_letters(out, text, answer)) {
        return false;
    }
    bool is_scored = false;
    for (size_t i = 0; i < out->n; i++) {
        is_scored = is_scored || out->token[i] == SEPARATOR;
        const bool has_target = is_scored && i + 1 < out->n && out->token[i + 1] != PAD;
        out->target[i] = has_target ? out->token[i + 1] : AF_IGNORE;
    }
    return true;
}

struct af_sequence sequence_of(const struct sequence *const sequence) {
    const struct af_sequence out = {sequence->token, sequence->target, sequence->n};
    return out;
}

void sequence_text(char text[AF_CONTEXT + 1], const struct sequence *const sequence) {
    for (size_t i = 0; i < sequence->n; i++) {
        text[i] = token_char(sequence->token[i]);
    }
    text[sequence->n] = '\0';
}

void sequence_forward(const struct sequence *const sequence) {
    const struct af_sequence one = sequence_of(sequence);
    // A sequence that was parsed has valid tokens and a valid length: this cannot fail.
    const struct af_model model = program_model();
    (void)af_forward(&model, &one, 1, AF_EVERY);
}

size_t strongest_key(const size_t block, const size_t head, const size_t query, const size_t n) {
    return af_argmax(af_arena.work.train.block[block].att[query][head], af_keys_seen(query, n));
}

double score_divisor(const size_t n) {
    double divisor = 0;
    double widest = 0;
    for (size_t query = 1; query < n; query++) {
        const struct af_saved_block *const block = &af_arena.work.train.block[0];
        for (size_t key = 1; key <= query; key++) {
            const af_real *const weight = block->att[query][0];
            double difference = 0;
            for (size_t m = 0; m < AF_HEAD_DIM; m++) {
                difference += (double)block->q[query][m] * ((double)block->kv[key][m] - (double)block->kv[0][m]);
            }
            const bool has_both = weight[key] > AF_R(1e-30) && weight[0] > AF_R(1e-30);
            const double distance = difference > 0 ? difference : -difference;
            if (has_both && distance > widest) {
                widest = distance;
                divisor = difference / (double)(af_log(weight[key]) - af_log(weight[0]));
            }
        }
    }
    return divisor;
}

// ------------------------------------------------------------------------------------------------------------ files

/// Whether there is a file that begins as a weights file does.
static bool is_weights_file(const char *const path) {
    char magic[4] = "";
    FILE *const file = is_special_file(path) ? NULL : fopen(path, "rb");
    const bool is_read = file != NULL && fread(magic, 1, sizeof(magic), file) == sizeof(magic);
    if (file != NULL) {
        (void)fclose(file);
    }
    return is_read && memcmp(magic, weights_magic, sizeof(magic)) == 0;
}

int write_file(const char *const path, void (*const print)(FILE *file, const void *what), const void *const what) {
    if (is_weights_file(path)) {
        return complain("%s is a weights file, and is not overwritten with something else", path);
    }
    return print_file(path, print, what);
}
