# SPDX-License-Identifier: MIT
# Arm MPS3 with FPGA image AN547: Cortex-M55. Its vectors of floats flush subnormals, so they are left out.
CPU     := -mcpu=cortex-m55+nomve.fp -mfloat-abi=hard
MACHINE := mps3-an547
PORT_DEFINES := -DFIRMWARE_REGIONS_APART
include port/cortex_m/cortex_m.mk
