// SPDX-License-Identifier: MIT
/// Configuration of the library for notebook 7: it computes in double, with nine tokens of width 8 and two heads.
#ifndef NOTEBOOK7_CONFIG_H
#define NOTEBOOK7_CONFIG_H

#define AF_REAL    double
#define AF_CONTEXT 9
#define AF_DIM     8
#define AF_HEADS   2
#define AF_FF      32
#define AF_BLOCKS  1

#endif
