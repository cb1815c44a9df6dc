// SPDX-License-Identifier: MIT
// Answers with trained weights that stay in flash: the only memory is the decoding memory, a key/value cache and one
// row of activations. Prints what stands for all bits of all logits: compare it with any other machine.
#include "firmware.h"
#include "task.h"

// The linker scripts know this section. The header is made by `reversal export`.
#define AF_TRAINED_ATTRIBUTES __attribute__((section(".weights"), aligned(AF_ALIGN)))
#include "trained.h"

/// The linker script puts what begins with af_arena where the arena goes.
static struct af_decode af_arena_decode;

static uint32_t hash; // of the logits so far

static af_status push(const struct af_reader *const reader, const af_token token) {
    const af_status status = af_decode_push(&af_arena_decode, reader, token);
    if (status == AF_OK) {
        hash = af_crc32c_reals(hash, af_arena_decode.logits, AF_VOCAB);
    }
    af_port_feed_watchdog();
    return status;
}

static void print_token(const af_token token) {
    const char character = token_char(token);
    af_port_write(&character, 1);
}

/// Lets the model reverse letters a, b, c ... and prints question and answer. *n_right counts the right letters.
static af_status reverse(const struct af_reader *const reader, const size_t n_letters, size_t *const n_right) {
    af_status status = AF_OK;
    print("answer: ");
    for (size_t i = 0; i <= n_letters && status == AF_OK; i++) {
        const af_token token = i < n_letters ? (af_token)i : SEPARATOR;
        print_token(token);
        status = push(reader, token);
    }
    for (size_t i = 0; i < n_letters && status == AF_OK; i++) {
        const af_token token = (af_token)af_argmax(af_arena_decode.logits, AF_VOCAB);
        print_token(token);
        *n_right += token == n_letters - 1 - i ? 1 : 0;
        status = push(reader, token);
    }
    print("\n");
    return status;
}

int main(void) {
    enum { N_LETTERS_ASKED = 7 };
    const struct af_reader reader = {&af_trained.at, NULL, NULL, NULL};
    size_t n_right = 0;
    if (!firmware_begin("infer")) {
        return 1;
    }
    print(af_port_protect(&af_trained, sizeof(af_trained)) ? "weights: read-only, a write is refused\n"
                                                           : "weights: not protected by this port\n");
    af_decode_reset(&af_arena_decode);
    const uint64_t start = af_port_ticks();
    const af_status status = reverse(&reader, N_LETTERS_ASKED, &n_right);
    const uint64_t end = af_port_ticks();
    if (status != AF_OK) {
        return firmware_fail("infer", status);
    }
    print_whole(end - start);
    print(" ticks of ");
    print_whole(af_port_ticks_per_second());
    print(" a second for ");
    print_whole(2 * N_LETTERS_ASKED + 1);
    print(" tokens\nhash of the logits ");
    print_hex(hash);
    print("\n");
    return n_right == N_LETTERS_ASKED ? 0 : 1;
}
