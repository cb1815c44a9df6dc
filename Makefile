# arenaformer: build, run and test. Plain `make help` prints the targets.
#
#   CC          compiler of the host programs           make CC=clang
#   OPT         configuration, as compiler options      make OPT="-DAF_MICRO_BATCH=1"
#   PORT        folder under port/                      make PORT=host
#   V=1         print whole commands

CC     ?= cc
OPT    ?=
PORT   ?= host
BUILD  ?= build
OUT    := $(BUILD)/$(PORT)

# The contract of the numbers: strict C99, no contraction, and a square root that needs no errno.
NUMERIC := -std=c99 -ffp-contract=off -fno-math-errno
WARN    := -pedantic -Wall -Wextra -Werror -Wconversion -Wsign-conversion -Wdouble-promotion -Wfloat-equal -Wundef \
           -Wshadow -Wcast-align -Wcast-qual -Wswitch-enum -Wstrict-prototypes -Wmissing-prototypes -Wvla \
           -Wwrite-strings -fno-common
CFLAGS  ?= -O3 -g
LIBFLAGS = $(NUMERIC) $(WARN) -ffreestanding $(CFLAGS) $(CONFIG) $(OPT) -Ilib
APPFLAGS = $(NUMERIC) $(WARN) $(CFLAGS) $(CONFIG) $(OPT) -Ilib -Iport -Iexamples/common

# On the host: its configuration, threads, and the tiles compiled once for each level of the instruction set.
ifeq ($(PORT),host)
CONFIG := -Iport/host -DAF_CONFIG_HEADER='"af_host.h"'
LDLIBS := -lpthread
ifneq ($(findstring x86_64,$(shell $(CC) -dumpmachine)),)
LEVELS := v3 v4
endif
endif
# Neither option changes a bit: they let the compiler vectorise the loops over exp and erf.
TILE := -O3 -fno-trapping-math

# A short line for each command, or with V=1 the command.
ifeq ($(V),)
Q = @printf '  %-4s %s\n' "$(1)" $@;
else
Q =
endif

ifeq ($(wildcard port/$(PORT)/*.c),)
$(error there is no port "$(PORT)": PORT is the name of a folder under port/)
endif

LIB_SOURCES := $(sort $(wildcard lib/*.c))
LIB_OBJECTS := $(LIB_SOURCES:lib/%.c=$(OUT)/lib/%.o) $(LEVELS:%=$(OUT)/lib/af_tile_%.o)
REVERSAL    := $(sort $(wildcard examples/reversal/*.c) $(wildcard examples/common/*.c)) $(wildcard port/$(PORT)/*.c)
BENCH       := $(sort $(wildcard examples/bench/*.c)) $(wildcard port/$(PORT)/*.c)
BENCH_O     := $(BENCH:%.c=$(OUT)/%.o)
REVERSAL_O  := $(REVERSAL:%.c=$(OUT)/%.o)
HEADERS     := $(wildcard lib/*.h lib/*.def port/*.h port/$(PORT)/*.h examples/*/*.h)

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.PHONY: all help lib run test quick format map bench clean deps vectors

## Build the library and the reversal program.
all: lib $(OUT)/reversal

## Print this list.
help:
	@awk '/^## /{text=substr($$0,4); next} /^[a-z][a-z-]*:/{if(text){split($$1,t,":"); printf "  make %-10s %s\n",t[1],text}; text=""} !/^## /{if(!/^[a-z]/)text=""}' Makefile

## Build only lib/: an archive for your linker.
lib: $(OUT)/libarenaformer.a

## Train the reversal model, test it and compare every number with the chapter.
run: $(OUT)/reversal
	$(OUT)/reversal train
	$(OUT)/reversal test
	$(OUT)/reversal compare

## Print the arena map of the reversal model (also: reversal map --svg FILE).
map: $(OUT)/reversal
	$(OUT)/reversal map

## Time training and decoding against the processor's peak and PyTorch (options: ARGS="--quick").
bench: $(OUT)/bench
	$(OUT)/bench $(ARGS)

## Install what the tests need, then run all of them.
test: deps
	@test/run.sh all

## Run the tests without installing anything and without the slow ones.
quick:
	@test/run.sh quick

## Install what the tests need (Debian packages; needs root or sudo).
deps:
	@test/install.sh

## Make the test vectors again (needs python3-numpy and python3-torch; sollya for the constants).
vectors:
	@test/vectors/make.sh

## Format all sources with clang-format.
format:
	clang-format -i $$(git ls-files '*.c' '*.h' | grep -v '^test/vectors/')

## Remove everything that was built.
clean:
	rm -rf $(BUILD)

$(OUT)/libarenaformer.a: $(LIB_OBJECTS)
	@rm -f $@
	$(call Q,AR)$(AR) rcsD $@ $^

$(OUT)/lib/%.o: lib/%.c $(HEADERS) $(OUT)/flags
	@mkdir -p $(@D)
	$(call Q,CC)$(CC) $(LIBFLAGS) -c $< -o $@

$(OUT)/lib/af_tile.o: LIBFLAGS += $(TILE)

$(OUT)/lib/af_tile_%.o: lib/af_tile.c $(HEADERS) $(OUT)/flags
	@mkdir -p $(@D)
	$(call Q,CC)$(CC) $(LIBFLAGS) $(TILE) -march=x86-64-$* -DAF_TILE_TABLE=af_kernels_tile_$* -DAF_TILE_NAME='"tile $*"' -c $< -o $@

$(OUT)/%.o: %.c $(HEADERS) $(OUT)/flags
	@mkdir -p $(@D)
	$(call Q,CC)$(CC) $(APPFLAGS) -c $< -o $@

$(OUT)/reversal: $(REVERSAL_O) $(OUT)/libarenaformer.a
	$(call Q,LD)$(CC) $(CFLAGS) $^ $(LDLIBS) -o $@

quoted = '$(subst ','\'',$(1))'

$(OUT)/bench: $(BENCH_O) $(OUT)/libarenaformer.a
	$(call Q,LD)$(CC) $(CFLAGS) $^ $(LDLIBS) -o $@

# Objects are made again when compiler or options change.
$(OUT)/flags: FORCE
	@mkdir -p $(@D)
	@echo $(call quoted,$(CC) $(LIBFLAGS)) | cmp -s - $@ || echo $(call quoted,$(CC) $(LIBFLAGS)) > $@
FORCE:
