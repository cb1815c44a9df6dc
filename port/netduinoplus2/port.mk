# SPDX-License-Identifier: MIT
# Netduino Plus 2: STM32F405, a Cortex-M4F with 128 KiB of memory. The chapter's model only answers there; a small one
# (MODEL=small) trains.
CPU      := -mcpu=cortex-m4 -mfpu=fpv4-sp-d16 -mfloat-abi=hard
MACHINE  := netduinoplus2
PROGRAMS := infer selftest
CONFIG   := -DAF_TRAINING=0 -DAF_MAP=0 -DAF_STREAMS=0
PORT_DEFINES := -DAF_STORAGE_BYTES=16384
include port/cortex_m/cortex_m.mk
