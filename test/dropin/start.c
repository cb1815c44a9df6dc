// SPDX-License-Identifier: MIT
// Reset, the functions that compilers call, text and exit by semihosting: what a firmware has already.
#include "start.h"

#include <stddef.h>
#include <stdint.h>

int main(void);
void start(void);
void *memcpy(void *restrict to, const void *restrict from, size_t n);
void *memset(void *to, int value, size_t n);

extern uint32_t stack_top[], bss_start[], bss_end[];

__attribute__((section(".start"), used)) static const struct {
    uint32_t *stack_top;
    void (*reset)(void);
} vectors = {stack_top, start};

static void semihosting(uint32_t operation, const void *argument) {
    register uint32_t r0 __asm("r0") = operation;
    register const void *r1 __asm("r1") = argument;
    __asm volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
}

void start(void) {
    *(volatile uint32_t *)0xE000ED88u |= 0xFu << 20; // CPACR: the floating-point unit on
    __asm volatile("dsb\n isb" : : : "memory");
    for (uint32_t *p = bss_start; p < bss_end; p++) {
        *p = 0;
    }
    const uint32_t exit[2] = {0x20026u, (uint32_t)main()};
    semihosting(0x20u, exit);
    for (;;) {
    }
}

void say(const char *text) {
    semihosting(0x04u, text);
}

__attribute__((optimize("no-tree-loop-distribute-patterns"))) void *memcpy(void *restrict to, const void *restrict from,
                                                                           size_t n) {
    for (size_t i = 0; i < n; i++) {
        ((char *)to)[i] = ((const char *)from)[i];
    }
    return to;
}

__attribute__((optimize("no-tree-loop-distribute-patterns"))) void *memset(void *to, int value, size_t n) {
    for (size_t i = 0; i < n; i++) {
        ((char *)to)[i] = (char)value;
    }
    return to;
}
