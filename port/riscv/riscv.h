// SPDX-License-Identifier: MIT
/// Devices of QEMU's RISC-V machine "virt", and what the files of this folder share.
#ifndef RISCV_H
#define RISCV_H

#include <stdint.h>

#define NORETURN __attribute__((noreturn))

#define REGISTER(address)   (*(volatile uint32_t *)(address))
#define REGISTER_8(address) (*(volatile uint8_t *)(address))

#define TEST_DEVICE REGISTER(0x00100000U) // ends the emulator
#define MTIME_LOW   REGISTER(0x0200BFF8U) // of the core-local interruptor
#define MTIME_HIGH  REGISTER(0x0200BFFCU)
#define UART_DATA   REGISTER_8(0x10000000U) // a 16550; sends without being set up
#define UART_STATUS REGISTER_8(0x10000005U)

enum { MTIME_HZ = 10000000 };

/// Ends the program: the emulator ends with this exit status.
NORETURN void port_exit(int status);

#endif
