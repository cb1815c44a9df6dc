# arenaformer: build, run and test. Plain `make help` prints the targets.
#
#   CC          compiler of the host programs           make CC=clang
#   OPT         configuration, as compiler options      make OPT="-DAF_MICRO_BATCH=1"
#               or in the chapter's words               make run OPT="causal=False steps=300"    (make options)
#   PORT        folder under port/                      make PORT=mps2-an386 firmware
#   MODEL=small the firmware's model for 128 KiB        make PORT=netduinoplus2 MODEL=small start-train
#   STEPS BATCH run of the firmware's train             make PORT=mps2-an386 STEPS=50 start-train
#   V=1         print whole commands

CC     ?= cc
OPT    ?=
PORT   ?= host
BUILD  ?= build
HOST_CC ?= cc
OUT    := $(BUILD)/$(PORT)$(MODEL:%=-%)

quoted = '$(subst ','\'',$(1))'

ifneq ($(words $(BUILD)),1)
$(error BUILD is "$(BUILD)": it has to be the name of a folder, without spaces)
endif
# Folders that are ports; the others are parts that several ports share.
PORTS := $(filter-out common cortex_m riscv,$(sort $(patsubst port/%/,%,$(dir $(wildcard port/*/port.c port/*/port.mk)))))
ifeq ($(findstring |$(PORT)|,$(PORTS:%=|%|)),)
$(error there is no port "$(PORT)": PORT is one of $(PORTS))
endif
ifneq ($(MODEL),)
ifneq ($(MODEL),small)
$(error there is no model "$(MODEL)": MODEL is small, or is not given)
endif
HOST_GOALS := $(filter all run map bench curves notebook7 experiments faults longer exercises spread report, \
                $(or $(MAKECMDGOALS),all))
ifneq ($(HOST_GOALS),)
$(error MODEL=small is for make firmware and make start-NAME: $(HOST_GOALS) is of the chapter's model)
endif
endif

include examples/reversal/words.mk

# The compiler cannot notice a misspelt setting: it is a macro like any other.
ifneq ($(findstring -DAF_,$(OPT)),)
MISSPELT := $(shell examples/common/settings.sh $(foreach word,$(OPT),$(call quoted,$(word))))
ifneq ($(MISSPELT),)
$(error OPT: $(MISSPELT))
endif
endif

# The contract of the numbers: strict C99, no contraction, and a square root that needs no errno.
NUMERIC := -std=c99 -ffp-contract=off -fno-math-errno
# A section for each object and function: a linker script places the arena by name, and the linker drops unused ones.
SECTIONS := -ffunction-sections -fdata-sections
WARN    := -pedantic -Wall -Wextra -Werror -Wconversion -Wsign-conversion -Wdouble-promotion -Wfloat-equal -Wundef \
           -Wshadow -Wcast-align -Wcast-qual -Wswitch-enum -Wstrict-prototypes -Wmissing-prototypes -Wvla \
           -Wwrite-strings -fno-common

# A board's port.mk: compiler, options, shared start-up, how to link and to run. The host has no such file.
PORT_SOURCES := $(wildcard port/$(PORT)/*.c)
LINK          = $(CC) $(CFLAGS)
RUN           = AF_STORAGE=$(OUT)/storage
-include port/$(PORT)/port.mk

CFLAGS  ?= -O3 -g
LIBFLAGS = $(NUMERIC) $(WARN) $(SECTIONS) -ffreestanding $(CFLAGS) $(PORT_FLAGS) $(CONFIG) $(OPT) -Ilib
APPFLAGS = $(NUMERIC) $(WARN) $(SECTIONS) $(CFLAGS) $(PORT_FLAGS) $(CONFIG) $(OPT) -Ilib -Iport -Iexamples/common -Iexamples/firmware

# On the host: its configuration, threads, and the tiles compiled once for each level of the instruction set.
ifeq ($(PORT),host)
CONFIG := -Iport/host -DAF_CONFIG_HEADER='"af_host.h"'
LDLIBS := -lpthread
ifneq ($(findstring x86_64,$(shell $(CC) -dumpmachine)),)
LEVELS := v3 v4
endif
endif
ifeq ($(MODEL),small)
CONFIG   := -Iexamples/firmware -DAF_CONFIG_HEADER='"small.h"'
PROGRAMS := train map selftest
LEVELS   :=
endif
# Print a short line for each command, or with V=1 the command itself.
ifeq ($(V),)
Q = @printf '  %-4s %s\n' "$(1)" $@;
else
Q =
endif

LIB_SOURCES := $(sort $(wildcard lib/*.c))
LIB_OBJECTS := $(LIB_SOURCES:lib/%.c=$(OUT)/lib/%.o) $(LEVELS:%=$(OUT)/lib/af_tile_%.o)
REVERSAL    := $(sort $(wildcard examples/reversal/*.c examples/common/*.c)) examples/firmware/task.c $(PORT_SOURCES)
RUNS        := $(BUILD)/$(PORT)/runs
REVERSAL_O  := $(REVERSAL:%.c=$(OUT)/%.o)
PROGRAMS    ?= train infer map selftest
HEADERS     := $(wildcard lib/*.h lib/*.def port/*.h port/*/*.h examples/*/*.h examples/*/*.def examples/*/*/*.h)

include $(patsubst %,examples/%.mk,bench/bench experiments/experiments notebook7/notebook7 firmware/firmware)

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.PRECIOUS: $(OUT)/%.o
.PHONY: all help options faults longer exercises spread report experiments firmware boards board-full lib run test quick fuzz prove format map sizes bench curves notebook7 clean deps vectors

## Build the library and the programs.
all: lib $(OUT)/reversal $(OUT)/notebook7

## Print this list.
help:
	@awk '/^## /{text=substr($$0,4); next} /^[a-z][a-z0-9-]*:/{if(text){split($$1,t,":"); printf "  make %-10s %s\n",t[1],text}; text=""} !/^## /{if(!/^[a-z]/)text=""}' Makefile

## Build only lib/: an archive for your linker.
lib: $(OUT)/libarenaformer.a

## Train the reversal model, test it, draw its losses and attention, compare every number with the chapter's (without a mask: OPT="causal=False").
run: $(OUT)/reversal
ifeq ($(RUN_NAME),)
	$(OUT)/reversal train
	$(OUT)/reversal test
	$(OUT)/reversal figures
	$(OUT)/reversal compare
else
	@mkdir -p $(RUNS)
	$(OUT)/reversal train $(TRAIN_OPTIONS) --weights $(RUNS)/$(RUN_NAME).weights
	$(OUT)/reversal test --weights $(RUNS)/$(RUN_NAME).weights
	$(OUT)/reversal figures --weights $(RUNS)/$(RUN_NAME).weights
	@echo 'Look into this model: $(OUT)/reversal reverse fgcabe --weights $(RUNS)/$(RUN_NAME).weights'
endif

## Print the options that OPT takes in the chapter's words.
options:
	@examples/reversal/options.sh help

## The chapter's four faults beside the reference, number by number ("Where this goes wrong").
faults: experiments
	@$(EXPERIMENTS) faults

## Train on lengths 3 to 12, and test lengths 9 to 12 (section 1.10).
longer: experiments
	@$(EXPERIMENTS) longer

## Run and answer the chapter's five exercises (WIDE=1: with width 256, some minutes more).
exercises: experiments
	@$(EXPERIMENTS) exercises

## Train 30 times from weights one rounding unit apart, and 10 times with each fault: which numbers are accidents.
spread: experiments
	@$(EXPERIMENTS) spread

## Put all figures, tables and answers, of both documents, on one page, report.html in the build folder.
report: experiments
	@$(EXPERIMENTS) report

experiments: $(OUT)/reversal $(OUT)/experiments $(OUT)/notebook7

## Print the arena map of the reversal model (also: reversal map --svg FILE).
map: $(OUT)/reversal
	$(OUT)/reversal map

## Print how many bytes the arena takes in each memory mode.
sizes:
	@examples/sizes/sizes.sh $(CC)

## Time training and decoding against the processor's peak and PyTorch (options: ARGS="--quick").
bench: $(OUT)/bench $(BENCH_BUILDS)
	$(OUT)/bench measure --builds $(BUILD) $(ARGS)

## Draw the time of a step over batch, width and context, beside PyTorch's: pictures in build/curves.
curves: $(OUT)/bench $(CURVE_BUILDS)
	$(OUT)/bench curves --builds $(BUILD) --rounds 5 $(ARGS) $(BUILD)/curves

## Build the programs for boards: make PORT=mps2-an386 firmware, then make PORT=mps2-an386 start-train.
firmware: $(PROGRAMS:%=$(OUT)/firmware/%$(SUFFIX))

## Build and run them on every emulated board, compare with this machine, print one table; board-NAME: one board.
boards:
	@LONG=1 test/check_boards.sh

board-%:
	@LONG=1 test/check_boards.sh $*

## The whole run of 1,500 steps on one emulated board, about 40 minutes (BOARD=mps2-an386).
board-full:
	@test/board_full.sh $(or $(BOARD),mps2-an386)

## Run notebook 7: what it prints, then every number of it beside ours (other sizes: OPT="-DAF_DIM=16 -DAF_HEADS=4").
notebook7: $(OUT)/notebook7
	$(OUT)/notebook7 run

## Install what the tests need, then run every kind of test, sampled where the whole takes long.
test: deps
	@test/run.sh all

## Run the fast tests among them, without installing anything.
quick:
	@test/run.sh quick

## Run everything that the tests only sample, for hours; figures go to proofs.md in the build folder (one part: PART=boards).
prove: deps
	@BUILD=$(BUILD) test/prove.sh $(PART)

## Fuzz for a long time: 50 million executions of the four harnesses (less or more: TIMES=percent of 5 million).
fuzz:
	TIMES=$(or $(TIMES),1000) test/check_fuzz.sh

## Install what the tests need (Debian packages; needs root or sudo).
deps:
	@test/install.sh

## Make the test vectors again (needs python3-numpy, -mpmath and -torch; sollya for the constants).
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

include port/host/tiles.mk

$(OUT)/%.o: %.c $(HEADERS) $(OUT)/flags
	@mkdir -p $(@D)
	$(call Q,CC)$(CC) $(APPFLAGS) -c $< -o $@

$(OUT)/reversal: $(REVERSAL_O) $(OUT)/libarenaformer.a
	$(call Q,LD)$(CC) $(CFLAGS) $^ $(LDLIBS) -o $@

# Rebuild objects when compiler or options change.
$(OUT)/flags: FORCE
	@mkdir -p $(@D)
	@echo $(call quoted,$(CC) $(LIBFLAGS)) | cmp -s - $@ || echo $(call quoted,$(CC) $(LIBFLAGS)) > $@
FORCE:
