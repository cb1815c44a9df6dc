# SPDX-License-Identifier: MIT
# What all boards with a Cortex-M share. The board's port.mk sets CPU and MACHINE and includes this.
# CC=clang compiles with clang; gcc's linker and libgcc are used in any case.
ifneq ($(origin CC),command line)
CC := arm-none-eabi-gcc
endif
BINUTILS     := arm-none-eabi-
AR           := $(BINUTILS)ar
CFLAGS       ?= -O2 -g
PORT_FLAGS   := $(if $(findstring clang,$(CC)),--target=arm-none-eabi -fshort-enums) -mthumb $(CPU) \
                -Iport/cortex_m -Iport/$(PORT) $(PORT_DEFINES)
PORT_SOURCES := $(wildcard port/cortex_m/*.c port/common/*.c port/$(PORT)/*.c)
LINK          = $(BINUTILS)gcc -mthumb $(CPU)
LINK_LIBS    := -lgcc
SUFFIX       := .elf
# Instruction counts that are the same in every run: make ... QEMU_OPTIONS='-icount shift=0'
RUN          := qemu-system-arm -M $(MACHINE) $(QEMU_OPTIONS) -display none -monitor none -serial stdio \
                -semihosting-config enable=on,target=native -kernel
include port/common/bare_metal.mk
