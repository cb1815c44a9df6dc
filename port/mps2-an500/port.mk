# SPDX-License-Identifier: MIT
# Arm MPS2 with FPGA image AN500: Cortex-M7 with single and double precision.
CPU     := -mcpu=cortex-m7 -mfpu=fpv5-d16 -mfloat-abi=hard
MACHINE := mps2-an500
include port/cortex_m/cortex_m.mk
