// SPDX-License-Identifier: MIT
// From reset to main() and back, for every Cortex-M: stack limit, floating-point unit, initial values, faults.
#include "af_port.h"
#include "cortex_m.h"

int main(void);
NORETURN void start_reset(void);
NORETURN void start_report(void);

// Defined by linker/sections.ld.
extern uint32_t stack_top[], data_start[], data_end[], bss_start[], bss_end[];
extern const uint32_t data_image[];

NORETURN void start_reset(void) {
    protect_stack();
#if defined(__ARM_FP) || (defined(__ARM_FEATURE_MVE) && __ARM_FEATURE_MVE)
    SCB_CPACR |= 0xFU << 20;
    __asm volatile("dsb\n isb" : : : "memory");
#endif
    const uint32_t *from = data_image;
    for (uint32_t *to = data_start; to != data_end; to++) {
        *to = *from++;
    }
    for (uint32_t *to = bss_start; to != bss_end; to++) {
        *to = 0;
    }
    port_start();
    port_exit(main());
}

/// Every fault. The stack may be what is at fault: start again at its top.
__attribute__((naked)) NORETURN void start_fault(void) {
    __asm volatile("ldr r0, =stack_top\n"
                   "mov sp, r0\n"
                   "bl start_report\n");
}

/// "fault 3 CFSR 00020000": the number of the exception (2: watchdog, 3: hard fault, 4: memory protection), and why.
__attribute__((used)) NORETURN void start_report(void) {
    static const char digits[] = "0123456789ABCDEF";
    char text[] = "fault ? CFSR 00000000\n";
    const uint32_t cause = SCB_CFSR;
    uint32_t number = 0;
    while (port_is_over()) {
    }
    protect_nothing();
    __asm volatile("mrs %0, ipsr" : "=r"(number));
    text[6] = digits[number & 15U];
    for (unsigned i = 0; i < 8; i++) {
        text[13 + i] = digits[cause >> (28 - 4 * i) & 15U];
    }
    af_port_write(text, sizeof(text) - 1);
    port_exit(3);
}

// The vector table: where the stack begins, then who handles what. No interrupt but SysTick's is used.
__attribute__((section(".start"), used)) static uint32_t *const initial_stack = stack_top;
__attribute__((section(".start.handlers"), used)) static void (*const handlers[15])(void) = {
    start_reset, start_fault, start_fault, protect_fault, start_fault, start_fault, start_fault, start_fault,
    start_fault, start_fault, start_fault, start_fault,   start_fault, start_fault, port_tick,
};
