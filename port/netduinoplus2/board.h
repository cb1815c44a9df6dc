// SPDX-License-Identifier: MIT
// Facts of the board. Its memory is in linker/netduinoplus2.ld. After reset it runs from its internal oscillator.
#define BOARD_UART_STM32 0x40011000U // USART1 on pins PA9 and PA10
#define BOARD_CLOCK_HZ   16000000U
