// SPDX-License-Identifier: MIT
/// Configuration of host programs: memory is plenty, so a micro-batch is large and weights are packed for the tiles.
#ifndef AF_HOST_H
#define AF_HOST_H

#ifndef AF_MICRO_BATCH
#define AF_MICRO_BATCH 32
#endif
#ifndef AF_PACKED
#define AF_PACKED 1
#endif
#ifndef AF_DECODE_ROWS
#define AF_DECODE_ROWS AF_CONTEXT
#endif
#ifndef AF_WORKERS
#define AF_WORKERS 8
#endif

#endif
