// SPDX-License-Identifier: MIT
// Facts of the board. Its memory is in linker/mps2-an505.ld.
#define BOARD_UART_CMSDK     0x50200000U
#define BOARD_CLOCK_HZ       20000000U
#define BOARD_WATCHDOG_CMSDK 0x5002E000U // the one that runs on the slow clock
#define BOARD_WATCHDOG_HZ    32768U
