// SPDX-License-Identifier: MIT
// Seed and sentence of the command line.
#include "host.h"

#include <string.h>

/// Takes words apart at their spaces; n7_words then point into `copy`.
static bool take_words(const char *const text) {
    static char copy[1024];
    size_t n = 0;
    if (strlen(text) >= sizeof(copy)) {
        (void)complain("--sentence: it is longer than %zu characters", sizeof(copy) - 1);
        return false;
    }
    (void)memcpy(copy, text, strlen(text) + 1);
    for (char *at = copy; *at != '\0';) {
        const size_t n_letters = strcspn(at, " ");
        char *const end = &at[n_letters];
        const bool is_last = *end == '\0';
        *end = '\0';
        if (n_letters > 0) { // spaces may be several
            if (n < N7_N) {
                n7_words[n] = at;
            }
            n++;
        }
        at = is_last ? end : end + 1;
    }
    if (n != N7_N) {
        (void)complain("--sentence: it has %zu words instead of %d, which is compiled in: make notebook7 "
                       "OPT=-DAF_CONTEXT=%zu",
                       n, (int)N7_N, n < 5 ? 5 : n);
        return false;
    }
    return true;
}

bool take_stream(int *const argc, char **const argv) {
    const char *seed = NULL;
    const char *sentence = NULL;
    return take_option(argc, argv, "seed", &seed) && take_option(argc, argv, "sentence", &sentence) &&
           (seed == NULL || parse_number(&n7_seed, seed, 0, UINT64_MAX, "--seed")) &&
           (sentence == NULL || take_words(sentence));
}
