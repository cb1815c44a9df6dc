# SPDX-License-Identifier: MIT
# Arm MPS2 with FPGA image AN385: Cortex-M3, floating point in software.
CPU     := -mcpu=cortex-m3 -mfloat-abi=soft
MACHINE := mps2-an385
include port/cortex_m/cortex_m.mk
