# SPDX-License-Identifier: MIT
# The benchmark, and the builds that it compares with.
BENCH       := $(sort $(wildcard examples/bench/*.c)) $(addprefix examples/common/,command_line.c complain.c escaped.c nearest.c svg.c) $(PORT_SOURCES)
BENCH_O     := $(BENCH:%.c=$(OUT)/%.o)
BENCH_BUILDS := $(BUILD)/bench-unpruned/host/bench $(if $(shell command -v clang),$(BUILD)/bench-clang/host/bench)
CURVE_BUILDS := $(foreach size,dim-32 dim-64 dim-128 dim-256 dim-512 context-16 context-32 context-64 context-128 \
                  context-256,$(BUILD)/bench-$(size)/host/bench)

$(OUT)/bench: $(BENCH_O) $(OUT)/libarenaformer.a
	$(call Q,LD)$(CC) $(CFLAGS) $^ $(LDLIBS) -lm -o $@

# Other builds of the benchmark, to compare with: without pruning, by clang if it is installed, for other sizes.
$(BUILD)/bench-unpruned/host/bench: FORCE
	@+$(MAKE) --no-print-directory PORT=host BUILD=$(BUILD)/bench-unpruned OPT="$(OPT) -DAF_PRUNED=0" $@
$(BUILD)/bench-clang/host/bench: FORCE
	@+$(MAKE) --no-print-directory PORT=host BUILD=$(BUILD)/bench-clang CC=clang $@
$(BUILD)/bench-dim-%/host/bench: FORCE
	@+$(MAKE) --no-print-directory PORT=host BUILD=$(BUILD)/bench-dim-$* OPT="$(OPT) -DAF_DIM=$*" $@
$(BUILD)/bench-context-%/host/bench: FORCE
	@+$(MAKE) --no-print-directory PORT=host BUILD=$(BUILD)/bench-context-$* OPT="$(OPT) -DAF_CONTEXT=$*" $@
