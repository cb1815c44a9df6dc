# SPDX-License-Identifier: MIT
# What both RISC-V boards share. The board's port.mk sets CPU and QEMU_CPU and includes this.
# CC=clang compiles with clang; gcc's linker and libgcc are used in any case.
ifneq ($(origin CC),command line)
CC := riscv64-unknown-elf-gcc
endif
BINUTILS     := riscv64-unknown-elf-
AR           := $(BINUTILS)ar
CFLAGS       ?= -O2 -g
PORT_FLAGS   := $(if $(findstring clang,$(CC)),--target=riscv32-unknown-elf -mno-relax) $(CPU)
PORT_SOURCES := $(wildcard port/riscv/*.c port/common/*.c)
LINK          = $(BINUTILS)gcc $(CPU)
LINK_LIBS    := -lgcc
LINK_SCRIPT  := riscv-virt.ld
SUFFIX       := .elf
RUN          := qemu-system-riscv32 -M virt -cpu $(QEMU_CPU) -bios none $(QEMU_OPTIONS) -display none -monitor none \
                -serial stdio -kernel
include port/common/bare_metal.mk
