// SPDX-License-Identifier: MIT
// The UART of Arm's Cortex-M System Design Kit, on all MPS boards.
#include "cortex_m.h"

#ifdef BOARD_UART_CMSDK

#define UART_DATA    REGISTER(BOARD_UART_CMSDK + 0x00U)
#define UART_STATE   REGISTER(BOARD_UART_CMSDK + 0x04U)
#define UART_CTRL    REGISTER(BOARD_UART_CMSDK + 0x08U)
#define UART_BAUDDIV REGISTER(BOARD_UART_CMSDK + 0x10U)

enum { STATE_TX_FULL = 1, CTRL_TX_ENABLE = 1, BAUD = 115200 };

void uart_start(void) {
    UART_BAUDDIV = BOARD_CLOCK_HZ / BAUD;
    UART_CTRL = CTRL_TX_ENABLE;
}

void uart_send(const char character) {
    while ((UART_STATE & STATE_TX_FULL) != 0) {
    }
    UART_DATA = (uint32_t)(unsigned char)character;
}

#endif
