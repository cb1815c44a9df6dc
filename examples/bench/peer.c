// SPDX-License-Identifier: MIT
// The peer process: a line goes there, a line comes back.
#define _POSIX_C_SOURCE 200809L

#include "bench.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// Longer than a request takes on a slow and busy machine.
enum { PATIENCE_MS = 120000 };

static bool spawn(struct peer *const peer, const char *const program, const char *const first,
                  const char *const second) {
    int in[2];
    int out[2];
    if (pipe(in) != 0) {
        return false;
    }
    if (pipe(out) != 0) {
        (void)close(in[0]);
        (void)close(in[1]);
        return false;
    }
    const pid_t pid = fork();
    if (pid == 0) {
        (void)dup2(in[0], STDIN_FILENO);
        (void)dup2(out[1], STDOUT_FILENO);
        (void)close(in[0]);
        (void)close(in[1]);
        (void)close(out[0]);
        (void)close(out[1]);
        (void)execl(program, program, first, second, (char *)NULL);
        _exit(127);
    }
    (void)close(in[0]);
    (void)close(out[1]);
    peer->to = in[1];
    peer->from = out[0];
    peer->is_there = pid > 0;
    if (!peer->is_there) {
        (void)close(in[1]);
        (void)close(out[0]);
    }
    return peer->is_there;
}

void peer_stop(struct peer *const peer) {
    if (peer->is_there) {
        (void)close(peer->to);
        (void)close(peer->from);
        peer->is_there = false;
    }
}

/// Reads a line without its end. False if the peer says nothing for too long, or is gone.
static bool read_line(const struct peer *const peer, char *const line, const size_t n_bytes) {
    size_t n = 0;
    for (;;) {
        struct pollfd wait = {peer->from, POLLIN, 0};
        char c = '\0';
        if (poll(&wait, 1, PATIENCE_MS) <= 0 || read(peer->from, &c, 1) != 1) {
            return false;
        }
        if (c == '\n') {
            line[n] = '\0';
            return true;
        }
        if (n + 1 < n_bytes) {
            line[n++] = c;
        }
    }
}

static bool exchange(struct peer *const peer, const char *const what, const unsigned repetitions, char *const line,
                     const size_t n_bytes) {
    char request[64];
    const int n = snprintf(request, sizeof(request), "%s %u\n", what, repetitions);
    if (peer->is_there && n > 0 && write(peer->to, request, (size_t)n) == n && read_line(peer, line, n_bytes)) {
        return true;
    }
    peer_stop(peer);
    return false;
}

bool peer_start(struct peer *const peer, const char *const program, const char *const first, const char *const second) {
    char line[256];
    (void)signal(SIGPIPE, SIG_IGN);
    peer->is_there = false;
    if (access(program, X_OK) != 0) {
        return false;
    }
    if (!spawn(peer, program, first, second) || !exchange(peer, "about", 1, line, sizeof(line)) ||
        strcmp(line, "missing") == 0) {
        peer_stop(peer);
        return false;
    }
    return true;
}

void peer_about(struct peer *const peer, char *const line, const size_t n_bytes) {
    line[0] = '\0';
    (void)exchange(peer, "about", 1, line, n_bytes);
}

size_t peer_ask(struct peer *const peer, const char *const what, const unsigned repetitions, double *const ms,
                const size_t n_max) {
    char line[256];
    if (!exchange(peer, what, repetitions, line, sizeof(line))) {
        return 0;
    }
    size_t n = 0;
    const char *rest = line;
    while (n < n_max) {
        char *end = NULL;
        const double number = strtod(rest, &end);
        if (end == rest || number <= 0) {
            break;
        }
        ms[n++] = number;
        rest = end;
    }
    return n;
}

// --------------------------------------------------------------------------------------------------------- the peers

#ifndef PEER_PYTHON
#define PEER_PYTHON "/usr/bin/python3"
#endif
#ifndef PEER_SCRIPT
#define PEER_SCRIPT "examples/bench/peer_torch.py"
#endif

bool peer_start_torch(struct peer *const peer, const char *const threads) {
    return access(PEER_SCRIPT, R_OK) == 0 && peer_start(peer, PEER_PYTHON, PEER_SCRIPT, threads);
}

bool peer_start_build(struct peer *const peer, const char *const builds, const char *const name) {
    char path[512];
    const int n = snprintf(path, sizeof(path), "%s/bench-%s/host/bench", builds, name);
    return n > 0 && (size_t)n < sizeof(path) && peer_start(peer, path, "serve", NULL);
}
