// SPDX-License-Identifier: MIT
/// Configuration of the library for notebook 7: it computes in double. Sizes are the document's unless the command line
/// has others: make notebook7 OPT="-DAF_DIM=16 -DAF_HEADS=4". Those of steps 2, 4 and 7 are in notebook7.h.
#ifndef NOTEBOOK7_CONFIG_H
#define NOTEBOOK7_CONFIG_H

#define AF_REAL   double
#define AF_BLOCKS 1
#ifndef AF_CONTEXT
#define AF_CONTEXT 9 // tokens of the sentence
#endif
#ifndef AF_DIM
#define AF_DIM 8 // d_model
#endif
#ifndef AF_HEADS
#define AF_HEADS 2
#endif
#ifndef AF_FF
#define AF_FF 32 // d_ff
#endif

#endif
