// SPDX-License-Identifier: MIT
// A model of its own: it sorts strings of four letters.
#define AF_VOCAB       7 /* six letters and the separator */
#define AF_CONTEXT     8 /* four letters, the separator, three sorted letters; the fourth is only predicted */
#define AF_DIM         24
#define AF_HEADS       3
#define AF_BLOCKS      2
#define AF_FF          48
#define AF_MICRO_BATCH 2
#define AF_MAP         0
