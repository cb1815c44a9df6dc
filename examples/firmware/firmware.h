// SPDX-License-Identifier: MIT
/// What the programs for boards share. They need a port (port/af_port.h), lib/ and no C library: the same source runs
/// on every board and on the host.
#ifndef FIRMWARE_H
#define FIRMWARE_H

#include "af.h"
#include "af_port.h"

/// The program: 0 if all went well. On a board, start-up calls it; on the host it is the usual one.
int main(void);

/// The model: its regions, the kernels and workers of the port.
struct af_model firmware_model(void);

// --------------------------------------------------------------------------------------------------------- console

void print(const char *text);
void print_whole(uint64_t number);
void print_hex(uint32_t number);

/// With nine significant digits, which tell every float from its neighbours.
void print_real(af_real number);

/// Prints what the program is and runs the self-test. Returns whether it passed, and says why if not.
bool firmware_begin(const char *program);

/// Prints a status that is not AF_OK, with the place where it came up. Returns the exit status 1.
int firmware_fail(const char *where, af_status status);

#endif
