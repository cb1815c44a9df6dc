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

#ifndef PEER_PYTHON
#define PEER_PYTHON "/usr/bin/python3"
#endif
#ifndef PEER_SCRIPT
#define PEER_SCRIPT "examples/bench/peer_torch.py"
#endif

/// Longer than a request takes on a slow and busy machine.
enum { PATIENCE_MS = 120000 };

static bool spawn(struct peer *const peer, const char *const threads) {
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
        (void)execl(PEER_PYTHON, PEER_PYTHON, PEER_SCRIPT, threads, (char *)NULL);
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

bool peer_start(struct peer *const peer, const char *const threads) {
    char line[256];
    (void)signal(SIGPIPE, SIG_IGN);
    peer->is_there = false;
    if (access(PEER_PYTHON, X_OK) != 0 || access(PEER_SCRIPT, R_OK) != 0) {
        (void)printf("no comparison with PyTorch: " PEER_PYTHON " or " PEER_SCRIPT " is not there\n");
        return false;
    }
    if (!spawn(peer, threads) || !exchange(peer, "about", 1, line, sizeof(line)) || strcmp(line, "missing") == 0) {
        (void)printf("no comparison with PyTorch: it is missing (Debian: python3-torch)\n");
        peer_stop(peer);
        return false;
    }
    return true;
}

void peer_about(struct peer *const peer, char *const line, const size_t n_bytes) {
    line[0] = '\0';
    (void)exchange(peer, "about", 1, line, n_bytes);
}

bool peer_ask(struct peer *const peer, const char *const what, const unsigned repetitions, double *const min_ms,
              double *const median_ms) {
    char line[64];
    char *end = NULL;
    if (!exchange(peer, what, repetitions, line, sizeof(line))) {
        return false;
    }
    *min_ms = strtod(line, &end);
    *median_ms = strtod(end, &end);
    return *min_ms > 0 && *median_ms > 0;
}
