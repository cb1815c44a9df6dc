# SPDX-License-Identifier: MIT
# WebAssembly, run by Node.js. Linear memory has no regions: the stack comes first, so that its overflow traps.
ifneq ($(origin CC),command line)
CC := clang
endif
AR           := llvm-ar
CFLAGS       ?= -O2
PORT_FLAGS   := --target=wasm32-unknown-unknown -ffreestanding
PORT_SOURCES := $(wildcard port/wasm32/*.c port/common/*.c)
LINK          = wasm-ld --no-entry --export=start --stack-first -z stack-size=4096 --gc-sections
SUFFIX       := .wasm
RUN          := node port/wasm32/run.mjs
SMALL_STACK  := -z stack-size=256
