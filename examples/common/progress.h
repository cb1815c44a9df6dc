// SPDX-License-Identifier: MIT
/// How far a long piece of work is, on standard error: a bar that moves on a terminal, a line now and then elsewhere.
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/// One piece of work. Filled in by progress_begin(); the times are those of af_port_ticks().
struct progress {
    const char *unit;    // what is counted: "step"
    uint64_t n_total;    // how many there are to do
    uint64_t n_before;   // and how many were done before this process; 0 unless set after progress_begin()
    uint64_t n_per_line; // elsewhere than on a terminal: a line after so many
    uint64_t start;      // ticks
    uint64_t last_ticks; // when it was shown last
    uint64_t last_done;  // and what had been done by then
    bool is_terminal;    // standard error is a terminal
    bool is_quiet;       // nothing is shown
    bool is_line_open;   // the bar stands on a line that has no end yet
};

/// Starts the clock. `unit` is kept.
void progress_begin(struct progress *progress, const char *unit, uint64_t n_total, uint64_t n_per_line, bool is_quiet);

/// Whether something should be shown now that n_done are done: ten times a second on a terminal, elsewhere after
/// n_per_line or 5 seconds; always at the end, never if quiet. Cost: one look at the clock.
bool progress_is_due(const struct progress *progress, uint64_t n_done);

/// Shows how much is done, `note` (one short text without newline), and the time that is left.
void progress_show(struct progress *progress, uint64_t n_done, const char *note);

/// Ends the bar's line, so that other text can follow. Call it before any message and at the end.
void progress_end(struct progress *progress);

/// Seconds since progress_begin(); 0 on a machine without a clock.
double progress_seconds(const struct progress *progress);

#endif
