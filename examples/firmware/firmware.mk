# SPDX-License-Identifier: MIT
# Programs for boards, and programs of test/ for them.
FIRMWARE    := examples/firmware/firmware.c examples/firmware/model.c examples/firmware/task.c examples/common/decimal.c \
               $(PORT_SOURCES)
FIRMWARE_O  := $(FIRMWARE:%.c=$(OUT)/%.o)

RUN_FLAGS := -DPORT_NAME='"$(PORT)"' $(STEPS:%=-DTRAIN_STEPS=%) $(BATCH:%=-DTRAIN_BATCH=%)
$(OUT)/examples/firmware/%.o: APPFLAGS += $(RUN_FLAGS)
$(OUT)/examples/firmware/train.o: $(OUT)/run_flags

# Trained weights for `infer`: the chapter's run on this machine, as a header.
TRAINED ?= $(BUILD)/trained.h
$(OUT)/examples/firmware/infer.o: APPFLAGS += -I$(dir $(TRAINED))
$(OUT)/examples/firmware/infer.o: $(TRAINED)
$(TRAINED): examples/reversal/cmd_export.c
	@+$(MAKE) PORT=host MODEL= CC=$(HOST_CC) CFLAGS="-O3 -g" OPT= $(BUILD)/host/reversal
	$(BUILD)/host/reversal train --quiet --weights $(@:.h=.weights)
	$(BUILD)/host/reversal export --weights $(@:.h=.weights) --c-header $@

$(OUT)/firmware/%$(SUFFIX): $(OUT)/examples/firmware/%.o $(FIRMWARE_O) $(OUT)/libarenaformer.a $(wildcard linker/*.ld)
	@mkdir -p $(@D)
	$(call Q,LD)$(LINK) $(filter %.o %.a,$^) $(LDLIBS) $(LINK_LIBS) -o $@

# `train` with a stack that is too small: it has to fault, not to continue with wrong numbers.
$(OUT)/firmware/overflow$(SUFFIX): LINK += $(SMALL_STACK)
$(OUT)/firmware/overflow$(SUFFIX): $(OUT)/examples/firmware/train.o $(FIRMWARE_O) $(OUT)/libarenaformer.a $(wildcard linker/*.ld)
	@mkdir -p $(@D)
	$(call Q,LD)$(LINK) $(filter %.o %.a,$^) $(LDLIBS) $(LINK_LIBS) -o $@

# A program of test/ for a board.
$(OUT)/test/%.o: APPFLAGS += -Iexamples/firmware -Iexamples/notebook7
$(OUT)/test/resume$(SUFFIX): $(OUT)/examples/common/port_storage.o
$(OUT)/test/hazards$(SUFFIX) $(OUT)/test/order$(SUFFIX): $(N7_LAYERS:%.c=$(OUT)/%.o)
$(OUT)/test/%$(SUFFIX): $(OUT)/test/%.o $(FIRMWARE_O) $(OUT)/libarenaformer.a $(wildcard linker/*.ld)
	$(call Q,LD)$(LINK) $(filter %.o %.a,$^) $(LDLIBS) $(LINK_LIBS) -o $@

$(OUT)/run_flags: FORCE
	@mkdir -p $(@D)
	@echo $(call quoted,$(RUN_FLAGS)) | cmp -s - $@ || echo $(call quoted,$(RUN_FLAGS)) > $@

start-%: $(OUT)/firmware/%$(SUFFIX)
	$(RUN) $<

start-test-%: $(OUT)/test/%$(SUFFIX)
	$(RUN) $<
