# SPDX-License-Identifier: MIT
# What all machines without an operating system share.
PORT_FLAGS += -ffreestanding -fno-unwind-tables -fno-asynchronous-unwind-tables
LINK       += -nostdlib -static -Llinker -T $(or $(LINK_SCRIPT),$(PORT).ld) -Wl,--gc-sections,-z,noexecstack,--orphan-handling=error,--print-memory-usage \
              -Wl,-Map=$(@:$(SUFFIX)=.map)
# For the test that a stack which overflows faults.
SMALL_STACK := -Wl,--defsym=STACK_BYTES=256
