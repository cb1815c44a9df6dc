// SPDX-License-Identifier: MIT
#include "task.h"

AF_STATIC_ASSERT(AF_VOCAB == PAD + 1, the_task_has_ten_letters_a_separator_and_a_pad_token);

#if AF_STREAMS
struct letters letters_draw(struct af_numpy *const stream, const uint32_t shortest, const uint32_t longest) {
    struct letters letters = {{0}, 0};
    letters.n = af_numpy_integer(stream, shortest, longest + 1);
    for (size_t i = 0; i < letters.n; i++) {
        letters.token[i] = (af_token)af_numpy_integer(stream, 0, N_LETTERS);
    }
    return letters;
}
#endif

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

#if AF_TRAINING
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
#endif

#if AF_STREAMS && AF_TRAINING
struct batch_size draw_batch(struct example *const example, struct af_sequence *const sequence,
                             struct af_numpy *const stream, const size_t n, const uint32_t shortest,
                             const uint32_t longest) {
    struct batch_size size = {0, 0};
    for (size_t i = 0; i < n; i++) {
        const struct letters letters = letters_draw(stream, shortest, longest);
        sequence[i] = example_of(&example[i], &letters);
        size.n_targets += (uint32_t)letters.n;
        size.n_tokens += (uint32_t)(2 * letters.n);
    }
    return size;
}

uint32_t state_hash(const struct af_model *const model) {
    uint32_t hash = af_crc32c_reals(0, model->weight->flat, AF_N_PARAMS);
    hash = af_crc32c_reals(hash, model->adam_m->flat, AF_N_PARAMS);
    return af_crc32c_reals(hash, model->adam_v->flat, AF_N_PARAMS);
}
#endif

bool reverse_greedily(struct letters *const answer, struct af_decode *const decode,
                      const struct af_reader *const reader, const struct letters *const letters) {
    const size_t n = letters->n;
    af_token prompt[MAX_LETTERS + 1];
    for (size_t i = 0; i < n; i++) {
        prompt[i] = letters->token[i];
        answer->token[i] = 0;
    }
    prompt[n] = SEPARATOR;
    answer->n = n;
    // A string of at most MAX_LETTERS letters and its reversal fit into the context: this fails only if logits are not
    // finite, and then the answer goes on with the first letter.
    (void)af_decode_greedy(answer->token, decode, reader, prompt, n + 1, n);
    for (size_t i = 0; i < n; i++) {
        if (answer->token[i] != letters->token[n - 1 - i]) {
            return false;
        }
    }
    return true;
}
