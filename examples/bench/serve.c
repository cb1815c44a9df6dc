// SPDX-License-Identifier: MIT
// This program as the peer of another benchmark: built by another compiler, for other sizes, or without pruning.
//
// Requests come a line at a time on stdin, and each is answered with a line of milliseconds:
//
//     about 1        what it is, in words
//     train W K      the smallest time of K, on W workers, of each of the first steps of the chapter's run
//     longest W K    a step of 64 strings of half the context, the smallest of K
//     batch N W K    a step of N strings, the smallest of K
#include "bench.h"
#include "af_port.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct subject subject;

static void answer_train(const size_t n_workers, const size_t repetitions) {
    subject.kernels = af_port_kernels();
    subject.n_workers = n_workers;
    subject.n_steps = N_STEPS;
    work_draw(SHORTEST, LONGEST);
    for (size_t step = 0; step < N_STEPS; step++) {
        subject.times[step].n = 0;
    }
    for (size_t i = 0; i < repetitions && subject_train(&subject); i++) {
    }
    for (size_t step = 0; step < N_STEPS; step++) {
        (void)printf("%.6f ", times_min(&subject.times[step]));
    }
    (void)printf("\n");
}

static void answer_step(const size_t n, const size_t n_workers, const size_t repetitions) {
    static struct times times;
    const struct af_model model = work_model(af_port_kernels(), n_workers);
    times.n = 0;
    for (size_t i = 0; i <= repetitions; i++) {
        const uint64_t from = af_port_ticks();
        const af_status status = work_train(&model, 0, n);
        const uint64_t to = af_port_ticks();
        if (status == AF_OK && i > 0) { // the first one brings everything into the caches
            times_add(&times, milliseconds(from, to));
        }
    }
    (void)printf("%.6f\n", times_min(&times));
}

enum { MAX_NUMBERS = 3 };

/// The whole numbers behind the first word of a line, from 1 to POOL each. Returns how many there are.
static size_t numbers_of(const char *const line, unsigned number[MAX_NUMBERS]) {
    const char *rest = line + strcspn(line, " ");
    size_t n = 0;
    while (n < MAX_NUMBERS) {
        char *end = NULL;
        const unsigned long value = strtoul(rest, &end, 10);
        if (end == rest || value < 1 || value > POOL) {
            break;
        }
        number[n++] = (unsigned)value;
        rest = end;
    }
    return n;
}

static bool is_request(const char *const line, const char *const word) {
    return strncmp(line, word, strlen(word)) == 0 && line[strlen(word)] == ' ';
}

int serve(void) {
    char line[64];
    while (fgets(line, sizeof(line), stdin) != NULL) {
        unsigned number[MAX_NUMBERS] = {0};
        const size_t n = numbers_of(line, number);
        if (is_request(line, "about")) {
            (void)printf("arenaformer, AF_DIM %d, AF_CONTEXT %d, AF_PRUNED %d\n", AF_DIM, AF_CONTEXT, AF_PRUNED);
        } else if (is_request(line, "train") && n == 2) {
            answer_train(number[0], number[1]);
        } else if (is_request(line, "longest") && n == 2) {
            work_draw(AF_CONTEXT / 2, AF_CONTEXT / 2);
            answer_step(BATCH, number[0], number[1]);
        } else if (is_request(line, "batch") && n == 3) {
            work_draw(SHORTEST, LONGEST);
            answer_step(number[0], number[1], number[2]);
        } else {
            (void)printf("unknown request\n");
        }
        (void)fflush(stdout);
    }
    return 0;
}
