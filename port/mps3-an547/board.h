// SPDX-License-Identifier: MIT
// Facts of the board. Its memory is in linker/mps3-an547.ld.
#define BOARD_UART_CMSDK 0x59303000U
#define BOARD_CLOCK_HZ   32000000U
