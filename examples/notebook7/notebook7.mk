# SPDX-License-Identifier: MIT
# Notebook 7 computes in double, with its own build of the library, the port and examples/common.
N7_LAYERS   := $(sort $(wildcard examples/notebook7/layers/*.c))
N7          := $(sort $(wildcard examples/notebook7/*.c examples/notebook7/host/*.c examples/common/*.c lib/*.c)) \
               $(N7_LAYERS) $(PORT_SOURCES)
N7_O        := $(N7:%.c=$(OUT)/notebook7.o/%.o)
N7_BOARD    := $(sort $(wildcard examples/notebook7/*.c examples/notebook7/board/*.c lib/*.c)) \
               $(N7_LAYERS) examples/common/decimal_double.c $(PORT_SOURCES)
N7_BOARD_O  := $(N7_BOARD:%.c=$(OUT)/notebook7.o/%.o)
N7_FLAGS     = $(filter-out $(CONFIG),$(APPFLAGS)) -DAF_CONFIG_HEADER='"notebook7_config.h"' -Iexamples/notebook7

$(OUT)/notebook7.o/%.o: %.c $(HEADERS) $(OUT)/flags
	@mkdir -p $(@D)
	$(call Q,CC)$(CC) $(N7_FLAGS) -c $< -o $@

$(OUT)/notebook7: $(N7_O)
	$(call Q,LD)$(CC) $(CFLAGS) $^ $(LDLIBS) -o $@

# The same without a command line, for boards.
$(OUT)/firmware/notebook7$(SUFFIX): $(N7_BOARD_O)
	@mkdir -p $(@D)
	$(call Q,LD)$(or $(LINK),$(CC) $(CFLAGS)) $^ $(LDLIBS) $(LINK_LIBS) -o $@
