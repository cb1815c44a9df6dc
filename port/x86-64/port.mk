# SPDX-License-Identifier: MIT
# x86-64 under Linux without a C library: start-up and system calls of its own.
CFLAGS       ?= -O2 -g
PORT_FLAGS   := -fno-pie -fno-stack-protector -fcf-protection=none -fno-builtin
PORT_SOURCES := $(wildcard port/x86-64/*.c port/common/*.c)
LINK          = $(CC) -Wl,-no-pie,--build-id=none
include port/common/bare_metal.mk
