# SPDX-License-Identifier: MIT
# Options in the chapter's words: their model is built in a folder of its own. Reject NAME=VALUE words after compiler
# options: no compiler option looks like that.
RUN_NAME :=
TRAIN_OPTIONS :=
ifneq ($(OPT),)
WORDS := $(filter-out -%,$(firstword $(OPT))) \
         $(shell printf '%s\n' $(foreach word,$(OPT),$(call quoted,$(word))) | LC_ALL=C grep '^[a-z_]*=')
endif
ifneq ($(strip $(WORDS)),)
SHELL_CHARACTERS := ; | & < > ( ) [ ] { } $$ ` ' " * ? \ ! ~ \#
ifneq ($(strip $(foreach character,$(SHELL_CHARACTERS),$(findstring $(character),$(OPT)))),)
$(error OPT in the chapter's words has none of the characters $(SHELL_CHARACTERS))
endif
options = $(shell CC=$(call quoted,$(CC)) examples/reversal/options.sh $(1) $(foreach word,$(OPT),$(call quoted,$(word))) 2>&1 || echo WRONG)
RUN_NAME := $(call options,name)
ifneq ($(filter WRONG,$(RUN_NAME)),)
$(error $(filter-out WRONG,$(RUN_NAME)))
endif
WORDLESS := $(filter faults longer exercises spread report notebook7 bench curves sizes,$(MAKECMDGOALS))
ifneq ($(WORDLESS),)
$(error OPT in the chapter's words is for make run and make map: $(WORDLESS) takes none)
endif
TRAIN_OPTIONS := $(call options,train)
CHANGED := $(call options,model)
ifneq ($(filter map,$(MAKECMDGOALS)),)
ifneq ($(RUN_NAME),$(CHANGED))
$(error OPT for make map has words of the model: "$(OPT)" has one of training, which has no effect there)
endif
endif
override OPT := $(call options,flags)
OUT   := $(OUT)$(CHANGED:%=/models/%)
endif
