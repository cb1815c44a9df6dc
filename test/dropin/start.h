// SPDX-License-Identifier: MIT
#ifndef START_H
#define START_H

/// Writes a string where the debugger, or the emulator, shows it.
void say(const char *text);

#endif
