// SPDX-License-Identifier: MIT
/// Registers of the Cortex-M core, and what the files of this folder share.
#ifndef CORTEX_M_H
#define CORTEX_M_H

#include "board.h"

#include <stdbool.h>
#include <stdint.h>

#define NORETURN __attribute__((noreturn))

/// A register at a fixed address.
#define REGISTER(address) (*(volatile uint32_t *)(address))

#define SYST_CSR  REGISTER(0xE000E010U) // SysTick: control
#define SYST_RVR  REGISTER(0xE000E014U) // reload value, 24 bits
#define SYST_CVR  REGISTER(0xE000E018U) // current value, counts down
#define SCB_ICSR  REGISTER(0xE000ED04U) // which interrupts are pending
#define SCB_SHCSR REGISTER(0xE000ED24U) // which faults have a handler of their own
#define SCB_CFSR  REGISTER(0xE000ED28U) // why a fault was taken
#define SCB_CPACR REGISTER(0xE000ED88U) // access to the floating-point unit

enum { ICSR_SYSTICK_PENDING = 1 << 26 };
enum { SHCSR_MEMORY_FAULT = 1 << 16 };

/// Handlers of the vector table. SysTick's interrupt calls port_tick() each time that the counter goes round.
NORETURN void start_fault(void);
void protect_fault(void);
void port_tick(void);

/// Has an overflow of the stack fault. Called first.
void protect_stack(void);

/// Switches all protection off: for the report of a fault.
void protect_nothing(void);

/// Starts console and clock. Called once, before the program.
void port_start(void);

/// Ends the program: the debugger or emulator ends with this exit status. Where there is neither, the breakpoint that
/// asks them to is itself a hard fault, and the board stays in its handler without a word (within a hard fault, in
/// lockup).
NORETURN void port_exit(int status);

/// Whether port_exit() was called: a fault that comes now is its breakpoint.
bool port_is_over(void);

/// Starts the watchdog, where the board has one.
void watchdog_start(void);

/// Sets the console up, and sends one character. One of the uart_*.c defines them.
void uart_start(void);
void uart_send(char character);

#endif
