# SPDX-License-Identifier: MIT
# QEMU's RISC-V machine "virt" with a 32-bit core that has single precision.
CPU      := -march=rv32imafc -mabi=ilp32f
QEMU_CPU := rv32,d=false
include port/riscv/riscv.mk
