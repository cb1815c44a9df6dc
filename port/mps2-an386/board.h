// SPDX-License-Identifier: MIT
// Facts of the board. Its memory is in linker/mps2-an386.ld.
#define BOARD_UART_CMSDK 0x40004000U
#define BOARD_CLOCK_HZ   25000000U
