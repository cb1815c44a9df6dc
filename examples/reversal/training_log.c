// SPDX-License-Identifier: MIT
// Reads the log of a training run.
#include "reversal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static double loss_of_step[MAX_STEPS];

enum { LINE_BYTES = 128 };

/// Takes "step,loss,hash" apart; the step has to be the next one.
static bool read_step(struct training_log *const log, const char *const line) {
    char *end = NULL;
    if (log->n_steps >= MAX_STEPS || strtoul(line, &end, 10) != log->n_steps + 1UL || *end != ',') {
        return false;
    }
    const char *const loss_text = end + 1;
    const double loss = strtod(loss_text, &end);
    if (end == loss_text || *end != ',') {
        return false;
    }
    const char *const hash_text = end + 1;
    const unsigned long hash = strtoul(hash_text, &end, 16);
    if (end != hash_text + 8 || *end != '\0') {
        return false;
    }
    loss_of_step[log->n_steps++] = loss;
    log->last_hash = (uint32_t)hash;
    return true;
}

bool is_first_step_line(const char *const line) {
    struct training_log log = {NULL, 0, 0, 0, loss_of_step};
    return read_step(&log, line);
}

/// Takes in one line of the log, without its newline. The first is number 1.
static bool read_line(struct training_log *const log, const char *const line, const uint32_t number) {
    if (number == 1) {
        return strcmp(line, LOG_HEADER) == 0;
    }
    if (strncmp(line, LOG_SECONDS, sizeof(LOG_SECONDS) - 1) == 0) {
        log->seconds = strtod(line + sizeof(LOG_SECONDS) - 1, NULL);
        return true;
    }
    return line[0] == '#' || read_step(log, line);
}

struct training_log read_training_log(const char *const path, const struct run *const run) {
    struct training_log log = {NULL, 0, 0, 0, loss_of_step};
    FILE *const file = fopen(path, "r");
    if (file == NULL) {
        log.missing = strerror(errno);
        return log;
    }
    char line[LINE_BYTES];
    uint32_t number = 0;
    bool is_good = true;
    while (is_good && fgets(line, sizeof(line), file) != NULL) {
        line[strcspn(line, "\r\n")] = '\0';
        number++;
        is_good = read_line(&log, line, number);
    }
    if (ferror(file) != 0) {
        log.missing = "it cannot be read";
    } else if (!is_good || number == 0) {
        log.missing = "it is no training log";
    } else if (log.n_steps != run->note.n_steps || (log.n_steps > 0 && log.last_hash != run->note.hash)) {
        log.missing = "it is the log of another run: its last hash is not that of the weights file";
    }
    (void)fclose(file);
    return log;
}
