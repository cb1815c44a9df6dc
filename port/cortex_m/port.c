// SPDX-License-Identifier: MIT
// Clock, console and exit of every Cortex-M.
#include "af_port.h"
#include "cortex_m.h"

// ----------------------------------------------------------------------------------------------------------- clock

enum { SYSTICK_BITS = 24, SYSTICK_RUN_AND_INTERRUPT = 7 };

static volatile uint32_t n_rounds; // of the counter; 24 + 32 bits last for 91 years at 25 MHz

void port_tick(void) {
    n_rounds = n_rounds + 1;
}

/// The counter goes down, and its interrupt comes when it reaches 0. Read again while it is there, or if the interrupt
/// came between the readings or is still to come.
uint64_t af_port_ticks(void) {
    uint32_t rounds = 0;
    uint32_t count = 0;
    do {
        rounds = n_rounds;
        count = SYST_CVR;
    } while (count == 0 || (SCB_ICSR & ICSR_SYSTICK_PENDING) != 0 || rounds != n_rounds);
    return ((uint64_t)(rounds + 1) << SYSTICK_BITS) - count;
}

uint32_t af_port_ticks_per_second(void) {
    return BOARD_CLOCK_HZ;
}

// --------------------------------------------------------------------------------------------------------- console

void port_start(void) {
    SYST_RVR = (UINT32_C(1) << SYSTICK_BITS) - 1;
    SYST_CVR = 0;
    SYST_CSR = SYSTICK_RUN_AND_INTERRUPT;
    uart_start();
    watchdog_start();
}

void af_port_write(const char *const text, const size_t n) {
    for (size_t i = 0; i < n; i++) {
        uart_send(text[i]);
    }
}

// ------------------------------------------------------------------------------------------------------------ exit

static volatile bool is_over;

bool port_is_over(void) {
    return is_over;
}

/// Arm's semihosting: the operation SYS_EXIT_EXTENDED with reason "application exit" ends an emulator.
NORETURN void port_exit(const int status) {
    const uint32_t argument[2] = {0x20026U, (uint32_t)status};
    register uint32_t operation __asm("r0") = 0x20U;
    register const uint32_t *block __asm("r1") = argument;
    is_over = true;
    __asm volatile("bkpt 0xAB" : "+r"(operation) : "r"(block) : "memory");
    for (;;) {
    }
}
