// SPDX-License-Identifier: MIT
// The watchdog of Arm's Cortex-M System Design Kit. When it runs out, a non-maskable interrupt comes, which is handled
// like a fault; when it runs out a second time, it resets the machine.
#include "af_port.h"
#include "cortex_m.h"

#ifdef BOARD_WATCHDOG_CMSDK

#define WATCHDOG_LOAD  REGISTER(BOARD_WATCHDOG_CMSDK + 0x00U)
#define WATCHDOG_CTRL  REGISTER(BOARD_WATCHDOG_CMSDK + 0x08U)
#define WATCHDOG_CLEAR REGISTER(BOARD_WATCHDOG_CMSDK + 0x0CU)

/// Time for one slice. Long, for an emulator on a machine that has other things to do.
#ifndef BOARD_WATCHDOG_MS
#define BOARD_WATCHDOG_MS 60000U
#endif

enum { CTRL_INTERRUPT = 1, CTRL_RESET = 2 };

void watchdog_start(void) {
    WATCHDOG_LOAD = BOARD_WATCHDOG_MS * (BOARD_WATCHDOG_HZ / 8) / 125;
    WATCHDOG_CTRL = CTRL_INTERRUPT | CTRL_RESET;
}

void af_port_feed_watchdog(void) {
    WATCHDOG_CLEAR = 1;
}

#else

__attribute__((weak)) void watchdog_start(void) {} // a board may have another watchdog

#endif
