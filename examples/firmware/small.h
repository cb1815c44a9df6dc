// SPDX-License-Identifier: MIT
/// Configuration of a model that trains in 128 KiB of memory, stack and all: strings of 1 to 6 letters, 500 of 500
/// right. `make PORT=netduinoplus2 MODEL=small start-train` trains it on the emulated board.
#ifndef SMALL_H
#define SMALL_H

#define AF_CONTEXT     13
#define AF_DIM         16
#define AF_FF          32
#define TRAIN_SHORTEST 1
#define TRAIN_LONGEST  6
#define TRAIN_RATE     0.005
#define TRAIN_TEST     500

// The command line comes first.
#ifndef TRAIN_STEPS
#define TRAIN_STEPS 1500
#endif
#ifndef TRAIN_BATCH
#define TRAIN_BATCH 24
#endif

#endif
