// SPDX-License-Identifier: MIT
// Strings of letters from the command line.
#include "reversal.h"

#include <string.h>

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
