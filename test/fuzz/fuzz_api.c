// SPDX-License-Identifier: MIT
// Calls of the library in any order with any arguments: two bytes of the input a call, then its arguments. Every call
// returns; an error leaves weights, moments and stream as they were; two models with the same calls stay the same.
#include "af.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE = AF_CHECKPOINT_PAGE_BYTES, ERASE = 1024, SLOT = (AF_CHECKPOINT_BYTES + ERASE - 1) / ERASE * ERASE };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

// ------------------------------------------------------------------------------------------------------------- input

static const uint8_t *at, *end;

static uint8_t next(void) {
    return at < end ? *at++ : 0;
}

// ----------------------------------------------------------------------------------------------------------- storage

static uint8_t cell[2 * SLOT];
static uint8_t fail_in; // calls until one fails; 0: none does

static bool works(void) {
    return fail_in == 0 || --fail_in != 0;
}

static bool read_cells(void *context, uint32_t offset, void *data, uint32_t n) {
    (void)context;
    memcpy(data, &cell[offset], n);
    return works();
}

static bool program_cells(void *context, uint32_t offset, const void *data, uint32_t n) {
    (void)context;
    memcpy(&cell[offset], data, n);
    return works();
}

static bool erase_cells(void *context, uint32_t offset, uint32_t n) {
    (void)context;
    memset(&cell[offset], 0xFF, n);
    return works();
}

// ------------------------------------------------------------------------------------------------------------- calls

static struct af_model m;
static struct af_storage storage;
static struct af_checkpoint save;
static struct af_decode *decode;

static uint32_t hash_of(void) {
    uint32_t crc = af_crc32c(0, m.weight, sizeof(*m.weight));
    crc = af_crc32c(crc, m.adam_m, sizeof(*m.adam_m));
    crc = af_crc32c(crc, m.adam_v, sizeof(*m.adam_v));
    return af_crc32c(crc, m.state->data_stream, sizeof(m.state->data_stream));
}

/// Up to three sequences, mostly good ones. They lie in memory of just their size, which a sanitizer watches.
struct sequences {
    struct af_sequence sequence[3];
    void *memory[6];
    size_t n;
};

static void free_sequences(struct sequences *s) {
    for (size_t i = 0; i < 6; i++) {
        free(s->memory[i]);
    }
}

static void take_sequences(struct sequences *s) {
    memset(s, 0, sizeof(*s));
    s->n = next() % 4u;
    for (size_t i = 0; i < s->n; i++) {
        const uint8_t kind = next();
        const size_t n = next() % (AF_CONTEXT + 2u); // 0 and one too long as well
        af_token *const token = (af_token *)malloc(n * sizeof(af_token) + 1);
        af_token *const target = (af_token *)malloc(n * sizeof(af_token) + 1);
        for (size_t t = 0; t < n; t++) {
            const uint8_t byte = next();
            token[t] = kind < 240 ? (af_token)(byte % AF_VOCAB) : (af_token)byte;
            target[t] = byte < 64 ? AF_IGNORE : kind < 240 ? (af_token)(byte / 3 % AF_VOCAB) : (af_token)(255 - byte);
        }
        s->memory[2 * i] = token;
        s->memory[2 * i + 1] = target;
        s->sequence[i].token = kind == 255 ? NULL : token;
        s->sequence[i].target = kind == 254 ? NULL : target;
        s->sequence[i].n = kind == 253 ? SIZE_MAX : n;
    }
}

static uint32_t n_targets_of(const struct sequences *s) {
    uint32_t n_targets = 0;
    for (size_t i = 0; i < s->n; i++) {
        uint32_t n = 0;
        n_targets += af_sequence_check(&s->sequence[i], &n) == AF_OK ? n : 0;
    }
    return n_targets;
}

static struct af_adamw take_settings(void) {
    static const af_real choice[] = {0, AF_R(0.003), AF_R(0.01), 1, -1, AF_R(1e30), AF_R(1e-38), 100};
    struct af_adamw how = {choice[next() % 8], choice[next() % 8]};
    return how;
}

/// A whole step, so that runs get somewhere.
static af_status whole_step(void) {
    struct sequences s;
    take_sequences(&s);
    const uint32_t n_targets = n_targets_of(&s);
    const struct af_adamw how = AF_ADAMW_CHAPTER;
    af_status status = af_train_begin(&m, n_targets);
    if (status == AF_OK) {
        status = af_train_accumulate(&m, s.sequence, s.n);
        status = status == AF_OK ? af_train_end(&m, how, NULL) : status;
        (void)af_train_abandon(&m);
    }
    free_sequences(&s);
    return status;
}

static af_status call_training(uint8_t what) {
    struct sequences s;
    af_real loss = 0;
    af_status status = AF_OK;
    take_sequences(&s);
    switch (what) {
    case 0:
        status = af_train_begin(&m, next() % 2 == 0 ? n_targets_of(&s) : next());
        break;
    case 1:
        status = af_train_accumulate(&m, s.sequence, s.n);
        break;
    case 2:
        status = af_train_load(&m, s.sequence, next() == 255 ? SIZE_MAX : s.n);
        break;
    case 3:
        status = af_train_slice(&m);
        break;
    case 4:
        status = af_train_end(&m, take_settings(), &loss);
        break;
    case 5:
        status = af_train_update(&m, take_settings(), NULL);
        break;
    case 6:
        status = af_forward(&m, s.sequence, s.n, next() % 2 == 0 ? AF_EVERY : AF_VISIBLE);
        break;
    default:
        status = af_train_abandon(&m);
        break;
    }
    free_sequences(&s);
    return status;
}

static af_status call_decoding(uint8_t what) {
    const struct af_reader reader = af_reader_of(&m);
    af_token prompt[4];
    af_token out[AF_CONTEXT + 1];
    if (what == 0) {
        return af_decode_open(&m, &decode);
    }
    if (m.state->progress[0].phase != AF_TRAIN_IDLE) {
        decode = NULL; // its memory is the step's now
    }
    if (what == 1) {
        return af_decode_push(decode, next() == 255 ? NULL : &reader, next());
    }
    for (size_t i = 0; i < 4; i++) {
        prompt[i] = next() % (AF_VOCAB + 1);
    }
    return af_decode_greedy(out, decode, &reader, prompt, next() % 5u, next() % (AF_CONTEXT + 2u));
}

static af_status call_checkpoints(uint8_t what) {
    uint8_t note[AF_CHECKPOINT_NOTE_BYTES] = {next()};
    struct af_checkpoint_info info;
    af_status status = AF_MORE;
    fail_in = next() % 4 == 0 ? next() : 0;
    switch (what) {
    case 0:
        return af_checkpoint_begin(&save, &storage, &m, note);
    case 1:
        for (unsigned i = next(); i > 0 && status == AF_MORE; i--) {
            status = af_checkpoint_slice(&save, &storage, &m);
        }
        return status;
    case 2:
        return af_checkpoint_find(&info, &storage);
    case 3:
        return af_checkpoint_save(&storage, &m, note);
    case 4:
        cell[next() * (size_t)8191 % sizeof(cell)] ^= next(); // a wrong byte
        return AF_OK;
    default:
        return AF_OK;
    }
}

static void one_call(void) {
    const uint8_t what = next();
    const uint32_t before = hash_of();
    const uint16_t phase = m.state->progress[0].phase;
    af_status status = AF_OK;
    if (what < 96) {
        status = call_training(what % 8);
    } else if (what < 128) {
        status = whole_step();
    } else if (what < 160) {
        status = call_decoding(what % 3);
    } else if (what < 224) {
        status = call_checkpoints(what % 5);
    } else if (what < 240) {
        (void)af_train_reset(&m);
        return;
    } else {
        fail_in = next() % 2 == 0 ? next() : 0;
        status = af_checkpoint_load(&m, NULL, &storage);
        if (status == AF_OK || status == AF_ERR_CHECKPOINT_LOST) {
            return;
        }
    }
    // What began with numbers goes on with numbers, whatever the settings are.
    if (status == AF_OK && !af_finite(m.weight->flat, AF_N_PARAMS)) {
        abort();
    }
    // Only an update that is under way may change the state and return an error afterwards: it does not.
    if ((int)status < 0 && phase != AF_TRAIN_UPDATE && hash_of() != before) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    const struct af_storage flash = {read_cells, program_cells, erase_cells, NULL, NULL, SLOT, ERASE, 8, true};
    at = data;
    end = data + n;
    storage = flash;
    m = af_model_of(&af_arena);
    memset(&af_arena, 0, sizeof(af_arena));
    memset(cell, 0xFF, sizeof(cell));
    memset(&save, 0, sizeof(save));
    decode = NULL;
    fail_in = 0;
    for (size_t i = 0; i < AF_N_PARAMS; i++) {
        m.weight->flat[i] = (af_real)((int)(i * 37 % 41) - 20) / 64;
    }
    af_numpy_seed(m.state->data_stream, 1);
    for (int i = 0; i < 24 && at < end; i++) {
        one_call();
    }
    return 0;
}
