# SPDX-License-Identifier: MIT
# Arm MPS2+ with FPGA image AN505: Cortex-M33.
CPU     := -mcpu=cortex-m33 -mfpu=fpv5-sp-d16 -mfloat-abi=hard
MACHINE := mps2-an505
include port/cortex_m/cortex_m.mk
