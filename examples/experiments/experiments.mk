# SPDX-License-Identifier: MIT
# The runs beside the chapter's, and what is drawn and answered from them.
EXPERIMENTS  = BUILD=$(BUILD) PORT=$(PORT) CC=$(CC) examples/experiments/run.sh
EXPERIMENT  := $(sort $(wildcard examples/experiments/*.c) $(wildcard examples/common/*.c)) $(PORT_SOURCES)
EXPERIMENT_O := $(EXPERIMENT:%.c=$(OUT)/%.o)

$(OUT)/experiments: $(EXPERIMENT_O) $(OUT)/libarenaformer.a
	$(call Q,LD)$(CC) $(CFLAGS) $^ $(LDLIBS) -lm -o $@
