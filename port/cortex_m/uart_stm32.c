// SPDX-License-Identifier: MIT
// USART1 of the STM32F4 series, on pin PA9.
#include "cortex_m.h"

#ifdef BOARD_UART_STM32

#define RCC_AHB1ENR REGISTER(0x40023830U) // which ports have a clock
#define RCC_APB2ENR REGISTER(0x40023844U) // which devices have a clock
#define GPIOA_MODER REGISTER(0x40020000U) // what each pin is, 2 bits a pin
#define GPIOA_AFRH  REGISTER(0x40020024U) // which device has pins 8 to 15, 4 bits a pin
#define USART_SR    REGISTER(BOARD_UART_STM32 + 0x00U)
#define USART_DR    REGISTER(BOARD_UART_STM32 + 0x04U)
#define USART_BRR   REGISTER(BOARD_UART_STM32 + 0x08U)
#define USART_CR1   REGISTER(BOARD_UART_STM32 + 0x0CU)

enum { SR_CAN_TAKE = 0x80, CR1_ENABLE = 0x2000, CR1_TX_ENABLE = 0x08, BAUD = 115200 };

void uart_start(void) {
    RCC_AHB1ENR |= 1U;
    RCC_APB2ENR |= 1U << 4;
    GPIOA_MODER = (GPIOA_MODER & ~(3U << 18)) | 2U << 18;
    GPIOA_AFRH = (GPIOA_AFRH & ~(0xFU << 4)) | 7U << 4;
    USART_BRR = BOARD_CLOCK_HZ / BAUD;
    USART_CR1 = CR1_ENABLE | CR1_TX_ENABLE;
}

void uart_send(const char character) {
    while ((USART_SR & SR_CAN_TAKE) == 0) {
    }
    USART_DR = (uint32_t)(unsigned char)character;
}

#endif
