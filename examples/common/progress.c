// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L

#include "progress.h"
#include "af_port.h"

#include <stdio.h>
#include <unistd.h>

#define TERMINAL_SECONDS 0.1
#define LINE_SECONDS     5.0

enum { BAR_CELLS = 12, LINE_BYTES = 80 }; // a longer line would break in a narrow terminal, and the bar with it

static double seconds_between(const uint64_t from, const uint64_t to) {
    return (double)(to - from) / (double)af_port_ticks_per_second();
}

void progress_begin(struct progress *const progress, const char *const unit, const uint64_t n_total,
                    const uint64_t n_per_line, const bool is_quiet) {
    progress->unit = unit;
    progress->n_total = n_total;
    progress->n_before = 0;
    progress->n_per_line = n_per_line;
    progress->start = af_port_ticks();
    progress->last_ticks = progress->start;
    progress->last_done = 0;
    progress->is_terminal = isatty(STDERR_FILENO) != 0;
    progress->is_quiet = is_quiet;
    progress->is_line_open = false;
}

bool progress_is_due(const struct progress *const progress, const uint64_t n_done) {
    if (progress->is_quiet) {
        return false;
    }
    if (n_done >= progress->n_total) {
        return true;
    }
    const double seconds = seconds_between(progress->last_ticks, af_port_ticks());
    if (progress->is_terminal) {
        return seconds >= TERMINAL_SECONDS;
    }
    return seconds >= LINE_SECONDS || n_done - progress->last_done >= progress->n_per_line;
}

/// Draws the bar and returns it; an empty text where there is no terminal.
static const char *draw_bar(char bar[BAR_CELLS + 4], const struct progress *const progress, const uint64_t n_done) {
    if (!progress->is_terminal) {
        return "";
    }
    const uint64_t n_filled = progress->n_total > 0 ? n_done * BAR_CELLS / progress->n_total : BAR_CELLS;
    bar[0] = '[';
    for (uint64_t i = 0; i < BAR_CELLS; i++) {
        bar[1 + i] = i < n_filled ? '#' : '.';
    }
    (void)snprintf(&bar[1 + BAR_CELLS], 3, "] ");
    return bar;
}

void progress_show(struct progress *const progress, const uint64_t n_done, const char *const note) {
    if (progress->is_quiet) {
        return;
    }
    const uint64_t now = af_port_ticks();
    const double elapsed = seconds_between(progress->start, now);
    const uint64_t n_left = n_done < progress->n_total ? progress->n_total - n_done : 0;
    const uint64_t n_now = n_done - progress->n_before;
    const double left = n_now > 0 ? elapsed * (double)n_left / (double)n_now : 0;
    const unsigned long long seconds_left = (unsigned long long)(left + 0.5);
    char bar[BAR_CELLS + 4];
    char line[LINE_BYTES];
    (void)snprintf(line, sizeof(line), "%s%s %llu/%llu  %s  %llu:%02llu left", draw_bar(bar, progress, n_done),
                   progress->unit, (unsigned long long)n_done, (unsigned long long)progress->n_total, note,
                   seconds_left / 60, seconds_left % 60);
    // On a terminal a line goes over the older one, and clears what is left of it.
    (void)fprintf(stderr, progress->is_terminal ? "\r%s\033[K" : "%s\n", line);
    (void)fflush(stderr);
    progress->is_line_open = progress->is_terminal;
    progress->last_ticks = now;
    progress->last_done = n_done;
}

void progress_end(struct progress *const progress) {
    if (progress->is_line_open) {
        (void)fputc('\n', stderr);
        progress->is_line_open = false;
    }
}

double progress_seconds(const struct progress *const progress) {
    return seconds_between(progress->start, af_port_ticks());
}
