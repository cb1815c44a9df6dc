// SPDX-License-Identifier: MIT
// From reset to main() and back on a 32-bit RISC-V core in machine mode.
#include "af_port.h"
#include "riscv.h"

int main(void);
void start_reset(void);
void start_trap(void);
NORETURN void start_c(void);
NORETURN void start_report(uint32_t cause, uint32_t address, uint32_t value);

// Defined by linker/sections.ld.
extern uint32_t data_start[], data_end[], bss_start[], bss_end[];
extern const uint32_t data_image[];

// Instructions for control registers: gcc wants their extension named, here and not in -march, for which it has no
// library; clang 14 knows them without.
#ifdef __clang__
#define CONTROL_REGISTERS(text) text
#else
#define CONTROL_REGISTERS(text) ".option push\n .option arch, +zicsr\n" text ".option pop\n"
#endif

/// Switches the floating-point unit on.
#ifdef __riscv_flen
#define FLOATING_POINT "li t0, 0x2000\n csrs mstatus, t0\n csrw fcsr, zero\n"
#else
#define FLOATING_POINT ""
#endif

/// The guard below the stack, whose size is the linker script's, is entry 0 of the physical memory protection: a region
/// whose address has its size in the low bits, no access, locked, so that it binds machine mode too.
__attribute__((naked, section(".start"), used)) void start_reset(void) {
    __asm volatile(CONTROL_REGISTERS("la sp, stack_top\n"
                                     "la t0, start_trap\n"
                                     "csrw mtvec, t0\n"
                                     "la t0, stack_guard\n"
                                     "la t1, stack_limit\n"
                                     "sub t1, t1, t0\n"
                                     "srli t1, t1, 1\n"
                                     "addi t1, t1, -1\n"
                                     "or t0, t0, t1\n"
                                     "srli t0, t0, 2\n"
                                     "csrw pmpaddr0, t0\n"
                                     "li t0, 0x98\n"
                                     "csrw pmpcfg0, t0\n" FLOATING_POINT) "j start_c\n");
}

NORETURN void start_c(void) {
    const uint32_t *from = data_image;
    for (uint32_t *to = data_start; to != data_end; to++) {
        *to = *from++;
    }
    for (uint32_t *to = bss_start; to != bss_end; to++) {
        *to = 0;
    }
    port_exit(main());
}

/// Every exception; there are no interrupts. The stack may be what is at fault: start again at its top.
__attribute__((naked, aligned(4))) void start_trap(void) {
    __asm volatile(CONTROL_REGISTERS("la sp, stack_top\n"
                                     "csrr a0, mcause\n"
                                     "csrr a1, mepc\n"
                                     "csrr a2, mtval\n") "j start_report\n");
}

static void print_hex(const char *const name, const uint32_t number) {
    static const char digits[] = "0123456789ABCDEF";
    char text[8];
    size_t n = 0;
    while (name[n] != '\0') {
        n++;
    }
    af_port_write(name, n);
    for (unsigned i = 0; i < 8; i++) {
        text[i] = digits[number >> (28 - 4 * i) & 15U];
    }
    af_port_write(text, sizeof(text));
}

__attribute__((used)) NORETURN void start_report(const uint32_t cause, const uint32_t address, const uint32_t value) {
    print_hex("fault: cause ", cause);
    print_hex(" at ", address);
    print_hex(" value ", value);
    af_port_write("\n", 1);
    port_exit(3);
}
