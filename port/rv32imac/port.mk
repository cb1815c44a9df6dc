# SPDX-License-Identifier: MIT
# QEMU's RISC-V machine "virt" with a 32-bit core, floating point in software.
CPU      := -march=rv32imac -mabi=ilp32
QEMU_CPU := rv32,f=false,d=false
include port/riscv/riscv.mk
