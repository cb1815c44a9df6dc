// SPDX-License-Identifier: MIT
// Learns to sort: "dbad|" is to be continued by "abdd". Says how many of 100 strings come out right before and after.
#include "af.h"
#include "af_port.h"
#include "start.h"

enum { N_LETTERS = 6, SEPARATOR = 6, LENGTH = 4, BATCH = 16, N_STEPS = 400, N_TESTS = 100 };

/// Draws a string and writes it, the separator and the sorted string to text [2 LENGTH + 1].
static void draw(af_token *const text, struct af_numpy *const stream) {
    size_t n = 0;
    for (size_t i = 0; i < LENGTH; i++) {
        text[i] = (af_token)af_numpy_integer(stream, 0, N_LETTERS);
    }
    text[LENGTH] = SEPARATOR;
    for (af_token letter = 0; letter < N_LETTERS; letter++) {
        for (size_t i = 0; i < LENGTH; i++) {
            if (text[i] == letter) {
                text[LENGTH + 1 + n] = letter;
                n++;
            }
        }
    }
}

static af_status train(const struct af_model *const model, struct af_numpy *const stream) {
    static const struct af_adamw how = AF_ADAMW_CHAPTER;
    af_status status = af_train_begin(model, BATCH * LENGTH);
    for (size_t s = 0; s < BATCH && status == AF_OK; s++) {
        af_token text[2 * LENGTH + 1];
        af_token target[2 * LENGTH];
        draw(text, stream);
        for (size_t i = 0; i < 2 * LENGTH; i++) {
            target[i] = i < LENGTH ? AF_IGNORE : text[i + 1];
        }
        const struct af_sequence sequence = {text, target, 2 * LENGTH};
        status = af_train_accumulate(model, &sequence, 1);
    }
    return status == AF_OK ? af_train_end(model, how, NULL) : status;
}

/// Number of strings that are sorted without a mistake.
static uint32_t test(const struct af_model *const model) {
    struct af_numpy stream;
    struct af_decode *decode;
    const struct af_reader reader = af_reader_of(model);
    uint32_t n_right = 0;
    af_numpy_seed(&stream, 123);
    if (af_decode_open(model, &decode) != AF_OK) {
        return 0;
    }
    for (size_t t = 0; t < N_TESTS; t++) {
        af_token text[2 * LENGTH + 1];
        af_token out[LENGTH];
        draw(text, &stream);
        bool is_right = af_decode_greedy(out, decode, &reader, text, LENGTH + 1, LENGTH) == AF_OK;
        for (size_t i = 0; i < LENGTH; i++) {
            is_right = is_right && out[i] == text[LENGTH + 1 + i];
        }
        n_right += is_right ? 1 : 0;
    }
    return n_right;
}

static void say_number(const char *const before, const uint32_t number) {
    const char digits[] = {(char)('0' + number / 100), (char)('0' + number / 10 % 10), (char)('0' + number % 10), '\n',
                           0};
    say(before);
    say(digits);
}

int main(void) {
    const struct af_model model = af_model_of(&af_arena);
    struct af_numpy stream;
    af_status status = af_selftest();
    if (status == AF_OK) {
        af_init_weights(&model.weight->at, model.work->init_stream, af_port_seed());
        status = af_train_reset(&model);
    }
    if (status == AF_OK) {
        say_number("right before: ", test(&model));
        af_numpy_seed(&stream, 0);
    }
    for (size_t step = 0; step < N_STEPS && status == AF_OK; step++) {
        status = train(&model, &stream);
    }
    if (status != AF_OK) {
        say(af_status_text(status));
        return 1;
    }
    say_number("right after: ", test(&model));
    return 0;
}
