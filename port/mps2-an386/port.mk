# SPDX-License-Identifier: MIT
# Arm MPS2 with FPGA image AN386: Cortex-M4F.
CPU     := -mcpu=cortex-m4 -mfpu=fpv4-sp-d16 -mfloat-abi=hard
MACHINE := mps2-an386
include port/cortex_m/cortex_m.mk
