// SPDX-License-Identifier: MIT
/// Decimal digits of the configuration's numbers, as tokens that names are made of: see af_names.h. Written by
/// test/vectors/make_digits.py. A digit is found by comparing, so a number may be any expression.
#ifndef AF_INNER_DIGITS_H
#define AF_INNER_DIGITS_H

// clang-format off

#if (AF_VOCAB) % 10 == 0
#define AF_VOCAB_1 0
#elif (AF_VOCAB) % 10 == 1
#define AF_VOCAB_1 1
#elif (AF_VOCAB) % 10 == 2
#define AF_VOCAB_1 2
#elif (AF_VOCAB) % 10 == 3
#define AF_VOCAB_1 3
#elif (AF_VOCAB) % 10 == 4
#define AF_VOCAB_1 4
#elif (AF_VOCAB) % 10 == 5
#define AF_VOCAB_1 5
#elif (AF_VOCAB) % 10 == 6
#define AF_VOCAB_1 6
#elif (AF_VOCAB) % 10 == 7
#define AF_VOCAB_1 7
#elif (AF_VOCAB) % 10 == 8
#define AF_VOCAB_1 8
#else
#define AF_VOCAB_1 9
#endif
#if (AF_VOCAB) < 10
#define AF_VOCAB_10
#elif (AF_VOCAB) / 10 % 10 == 0
#define AF_VOCAB_10 0
#elif (AF_VOCAB) / 10 % 10 == 1
#define AF_VOCAB_10 1
#elif (AF_VOCAB) / 10 % 10 == 2
#define AF_VOCAB_10 2
#elif (AF_VOCAB) / 10 % 10 == 3
#define AF_VOCAB_10 3
#elif (AF_VOCAB) / 10 % 10 == 4
#define AF_VOCAB_10 4
#elif (AF_VOCAB) / 10 % 10 == 5
#define AF_VOCAB_10 5
#elif (AF_VOCAB) / 10 % 10 == 6
#define AF_VOCAB_10 6
#elif (AF_VOCAB) / 10 % 10 == 7
#define AF_VOCAB_10 7
#elif (AF_VOCAB) / 10 % 10 == 8
#define AF_VOCAB_10 8
#else
#define AF_VOCAB_10 9
#endif
#if (AF_VOCAB) < 100
#define AF_VOCAB_100
#elif (AF_VOCAB) / 100 % 10 == 0
#define AF_VOCAB_100 0
#elif (AF_VOCAB) / 100 % 10 == 1
#define AF_VOCAB_100 1
#elif (AF_VOCAB) / 100 % 10 == 2
#define AF_VOCAB_100 2
#elif (AF_VOCAB) / 100 % 10 == 3
#define AF_VOCAB_100 3
#elif (AF_VOCAB) / 100 % 10 == 4
#define AF_VOCAB_100 4
#elif (AF_VOCAB) / 100 % 10 == 5
#define AF_VOCAB_100 5
#elif (AF_VOCAB) / 100 % 10 == 6
#define AF_VOCAB_100 6
#elif (AF_VOCAB) / 100 % 10 == 7
#define AF_VOCAB_100 7
#elif (AF_VOCAB) / 100 % 10 == 8
#define AF_VOCAB_100 8
#else
#define AF_VOCAB_100 9
#endif
#if (AF_VOCAB) < 1000
#define AF_VOCAB_1000
#elif (AF_VOCAB) / 1000 % 10 == 0
#define AF_VOCAB_1000 0
#elif (AF_VOCAB) / 1000 % 10 == 1
#define AF_VOCAB_1000 1
#elif (AF_VOCAB) / 1000 % 10 == 2
#define AF_VOCAB_1000 2
#elif (AF_VOCAB) / 1000 % 10 == 3
#define AF_VOCAB_1000 3
#elif (AF_VOCAB) / 1000 % 10 == 4
#define AF_VOCAB_1000 4
#elif (AF_VOCAB) / 1000 % 10 == 5
#define AF_VOCAB_1000 5
#elif (AF_VOCAB) / 1000 % 10 == 6
#define AF_VOCAB_1000 6
#elif (AF_VOCAB) / 1000 % 10 == 7
#define AF_VOCAB_1000 7
#elif (AF_VOCAB) / 1000 % 10 == 8
#define AF_VOCAB_1000 8
#else
#define AF_VOCAB_1000 9
#endif
#if (AF_VOCAB) < 10000
#define AF_VOCAB_10000
#elif (AF_VOCAB) / 10000 == 1
#define AF_VOCAB_10000 1
#elif (AF_VOCAB) / 10000 == 2
#define AF_VOCAB_10000 2
#elif (AF_VOCAB) / 10000 == 3
#define AF_VOCAB_10000 3
#elif (AF_VOCAB) / 10000 == 4
#define AF_VOCAB_10000 4
#elif (AF_VOCAB) / 10000 == 5
#define AF_VOCAB_10000 5
#else
#define AF_VOCAB_10000 6
#endif
#define AF_TEXT_VOCAB AF_JOIN5(V, AF_VOCAB_10000, AF_VOCAB_1000, AF_VOCAB_100, AF_VOCAB_10, AF_VOCAB_1)

#if (AF_CONTEXT) % 10 == 0
#define AF_CONTEXT_1 0
#elif (AF_CONTEXT) % 10 == 1
#define AF_CONTEXT_1 1
#elif (AF_CONTEXT) % 10 == 2
#define AF_CONTEXT_1 2
#elif (AF_CONTEXT) % 10 == 3
#define AF_CONTEXT_1 3
#elif (AF_CONTEXT) % 10 == 4
#define AF_CONTEXT_1 4
#elif (AF_CONTEXT) % 10 == 5
#define AF_CONTEXT_1 5
#elif (AF_CONTEXT) % 10 == 6
#define AF_CONTEXT_1 6
#elif (AF_CONTEXT) % 10 == 7
#define AF_CONTEXT_1 7
#elif (AF_CONTEXT) % 10 == 8
#define AF_CONTEXT_1 8
#else
#define AF_CONTEXT_1 9
#endif
#if (AF_CONTEXT) < 10
#define AF_CONTEXT_10
#elif (AF_CONTEXT) / 10 % 10 == 0
#define AF_CONTEXT_10 0
#elif (AF_CONTEXT) / 10 % 10 == 1
#define AF_CONTEXT_10 1
#elif (AF_CONTEXT) / 10 % 10 == 2
#define AF_CONTEXT_10 2
#elif (AF_CONTEXT) / 10 % 10 == 3
#define AF_CONTEXT_10 3
#elif (AF_CONTEXT) / 10 % 10 == 4
#define AF_CONTEXT_10 4
#elif (AF_CONTEXT) / 10 % 10 == 5
#define AF_CONTEXT_10 5
#elif (AF_CONTEXT) / 10 % 10 == 6
#define AF_CONTEXT_10 6
#elif (AF_CONTEXT) / 10 % 10 == 7
#define AF_CONTEXT_10 7
#elif (AF_CONTEXT) / 10 % 10 == 8
#define AF_CONTEXT_10 8
#else
#define AF_CONTEXT_10 9
#endif
#if (AF_CONTEXT) < 100
#define AF_CONTEXT_100
#elif (AF_CONTEXT) / 100 % 10 == 0
#define AF_CONTEXT_100 0
#elif (AF_CONTEXT) / 100 % 10 == 1
#define AF_CONTEXT_100 1
#elif (AF_CONTEXT) / 100 % 10 == 2
#define AF_CONTEXT_100 2
#elif (AF_CONTEXT) / 100 % 10 == 3
#define AF_CONTEXT_100 3
#elif (AF_CONTEXT) / 100 % 10 == 4
#define AF_CONTEXT_100 4
#elif (AF_CONTEXT) / 100 % 10 == 5
#define AF_CONTEXT_100 5
#elif (AF_CONTEXT) / 100 % 10 == 6
#define AF_CONTEXT_100 6
#elif (AF_CONTEXT) / 100 % 10 == 7
#define AF_CONTEXT_100 7
#elif (AF_CONTEXT) / 100 % 10 == 8
#define AF_CONTEXT_100 8
#else
#define AF_CONTEXT_100 9
#endif
#if (AF_CONTEXT) < 1000
#define AF_CONTEXT_1000
#elif (AF_CONTEXT) / 1000 == 1
#define AF_CONTEXT_1000 1
#elif (AF_CONTEXT) / 1000 == 2
#define AF_CONTEXT_1000 2
#elif (AF_CONTEXT) / 1000 == 3
#define AF_CONTEXT_1000 3
#else
#define AF_CONTEXT_1000 4
#endif
#define AF_TEXT_CONTEXT AF_JOIN4(T, AF_CONTEXT_1000, AF_CONTEXT_100, AF_CONTEXT_10, AF_CONTEXT_1)

#if (AF_DIM) % 10 == 0
#define AF_DIM_1 0
#elif (AF_DIM) % 10 == 1
#define AF_DIM_1 1
#elif (AF_DIM) % 10 == 2
#define AF_DIM_1 2
#elif (AF_DIM) % 10 == 3
#define AF_DIM_1 3
#elif (AF_DIM) % 10 == 4
#define AF_DIM_1 4
#elif (AF_DIM) % 10 == 5
#define AF_DIM_1 5
#elif (AF_DIM) % 10 == 6
#define AF_DIM_1 6
#elif (AF_DIM) % 10 == 7
#define AF_DIM_1 7
#elif (AF_DIM) % 10 == 8
#define AF_DIM_1 8
#else
#define AF_DIM_1 9
#endif
#if (AF_DIM) < 10
#define AF_DIM_10
#elif (AF_DIM) / 10 % 10 == 0
#define AF_DIM_10 0
#elif (AF_DIM) / 10 % 10 == 1
#define AF_DIM_10 1
#elif (AF_DIM) / 10 % 10 == 2
#define AF_DIM_10 2
#elif (AF_DIM) / 10 % 10 == 3
#define AF_DIM_10 3
#elif (AF_DIM) / 10 % 10 == 4
#define AF_DIM_10 4
#elif (AF_DIM) / 10 % 10 == 5
#define AF_DIM_10 5
#elif (AF_DIM) / 10 % 10 == 6
#define AF_DIM_10 6
#elif (AF_DIM) / 10 % 10 == 7
#define AF_DIM_10 7
#elif (AF_DIM) / 10 % 10 == 8
#define AF_DIM_10 8
#else
#define AF_DIM_10 9
#endif
#if (AF_DIM) < 100
#define AF_DIM_100
#elif (AF_DIM) / 100 % 10 == 0
#define AF_DIM_100 0
#elif (AF_DIM) / 100 % 10 == 1
#define AF_DIM_100 1
#elif (AF_DIM) / 100 % 10 == 2
#define AF_DIM_100 2
#elif (AF_DIM) / 100 % 10 == 3
#define AF_DIM_100 3
#elif (AF_DIM) / 100 % 10 == 4
#define AF_DIM_100 4
#elif (AF_DIM) / 100 % 10 == 5
#define AF_DIM_100 5
#elif (AF_DIM) / 100 % 10 == 6
#define AF_DIM_100 6
#elif (AF_DIM) / 100 % 10 == 7
#define AF_DIM_100 7
#elif (AF_DIM) / 100 % 10 == 8
#define AF_DIM_100 8
#else
#define AF_DIM_100 9
#endif
#if (AF_DIM) < 1000
#define AF_DIM_1000
#elif (AF_DIM) / 1000 == 1
#define AF_DIM_1000 1
#elif (AF_DIM) / 1000 == 2
#define AF_DIM_1000 2
#elif (AF_DIM) / 1000 == 3
#define AF_DIM_1000 3
#else
#define AF_DIM_1000 4
#endif
#define AF_TEXT_DIM AF_JOIN4(D, AF_DIM_1000, AF_DIM_100, AF_DIM_10, AF_DIM_1)

#if (AF_HEADS) % 10 == 0
#define AF_HEADS_1 0
#elif (AF_HEADS) % 10 == 1
#define AF_HEADS_1 1
#elif (AF_HEADS) % 10 == 2
#define AF_HEADS_1 2
#elif (AF_HEADS) % 10 == 3
#define AF_HEADS_1 3
#elif (AF_HEADS) % 10 == 4
#define AF_HEADS_1 4
#elif (AF_HEADS) % 10 == 5
#define AF_HEADS_1 5
#elif (AF_HEADS) % 10 == 6
#define AF_HEADS_1 6
#elif (AF_HEADS) % 10 == 7
#define AF_HEADS_1 7
#elif (AF_HEADS) % 10 == 8
#define AF_HEADS_1 8
#else
#define AF_HEADS_1 9
#endif
#if (AF_HEADS) < 10
#define AF_HEADS_10
#elif (AF_HEADS) / 10 == 1
#define AF_HEADS_10 1
#elif (AF_HEADS) / 10 == 2
#define AF_HEADS_10 2
#elif (AF_HEADS) / 10 == 3
#define AF_HEADS_10 3
#elif (AF_HEADS) / 10 == 4
#define AF_HEADS_10 4
#elif (AF_HEADS) / 10 == 5
#define AF_HEADS_10 5
#else
#define AF_HEADS_10 6
#endif
#define AF_TEXT_HEADS AF_JOIN2(H, AF_HEADS_10, AF_HEADS_1)

#if (AF_BLOCKS) % 10 == 0
#define AF_BLOCKS_1 0
#elif (AF_BLOCKS) % 10 == 1
#define AF_BLOCKS_1 1
#elif (AF_BLOCKS) % 10 == 2
#define AF_BLOCKS_1 2
#elif (AF_BLOCKS) % 10 == 3
#define AF_BLOCKS_1 3
#elif (AF_BLOCKS) % 10 == 4
#define AF_BLOCKS_1 4
#elif (AF_BLOCKS) % 10 == 5
#define AF_BLOCKS_1 5
#elif (AF_BLOCKS) % 10 == 6
#define AF_BLOCKS_1 6
#elif (AF_BLOCKS) % 10 == 7
#define AF_BLOCKS_1 7
#elif (AF_BLOCKS) % 10 == 8
#define AF_BLOCKS_1 8
#else
#define AF_BLOCKS_1 9
#endif
#if (AF_BLOCKS) < 10
#define AF_BLOCKS_10
#elif (AF_BLOCKS) / 10 == 1
#define AF_BLOCKS_10 1
#elif (AF_BLOCKS) / 10 == 2
#define AF_BLOCKS_10 2
#elif (AF_BLOCKS) / 10 == 3
#define AF_BLOCKS_10 3
#elif (AF_BLOCKS) / 10 == 4
#define AF_BLOCKS_10 4
#elif (AF_BLOCKS) / 10 == 5
#define AF_BLOCKS_10 5
#else
#define AF_BLOCKS_10 6
#endif
#define AF_TEXT_BLOCKS AF_JOIN2(L, AF_BLOCKS_10, AF_BLOCKS_1)

#if (AF_FF) % 10 == 0
#define AF_FF_1 0
#elif (AF_FF) % 10 == 1
#define AF_FF_1 1
#elif (AF_FF) % 10 == 2
#define AF_FF_1 2
#elif (AF_FF) % 10 == 3
#define AF_FF_1 3
#elif (AF_FF) % 10 == 4
#define AF_FF_1 4
#elif (AF_FF) % 10 == 5
#define AF_FF_1 5
#elif (AF_FF) % 10 == 6
#define AF_FF_1 6
#elif (AF_FF) % 10 == 7
#define AF_FF_1 7
#elif (AF_FF) % 10 == 8
#define AF_FF_1 8
#else
#define AF_FF_1 9
#endif
#if (AF_FF) < 10
#define AF_FF_10
#elif (AF_FF) / 10 % 10 == 0
#define AF_FF_10 0
#elif (AF_FF) / 10 % 10 == 1
#define AF_FF_10 1
#elif (AF_FF) / 10 % 10 == 2
#define AF_FF_10 2
#elif (AF_FF) / 10 % 10 == 3
#define AF_FF_10 3
#elif (AF_FF) / 10 % 10 == 4
#define AF_FF_10 4
#elif (AF_FF) / 10 % 10 == 5
#define AF_FF_10 5
#elif (AF_FF) / 10 % 10 == 6
#define AF_FF_10 6
#elif (AF_FF) / 10 % 10 == 7
#define AF_FF_10 7
#elif (AF_FF) / 10 % 10 == 8
#define AF_FF_10 8
#else
#define AF_FF_10 9
#endif
#if (AF_FF) < 100
#define AF_FF_100
#elif (AF_FF) / 100 % 10 == 0
#define AF_FF_100 0
#elif (AF_FF) / 100 % 10 == 1
#define AF_FF_100 1
#elif (AF_FF) / 100 % 10 == 2
#define AF_FF_100 2
#elif (AF_FF) / 100 % 10 == 3
#define AF_FF_100 3
#elif (AF_FF) / 100 % 10 == 4
#define AF_FF_100 4
#elif (AF_FF) / 100 % 10 == 5
#define AF_FF_100 5
#elif (AF_FF) / 100 % 10 == 6
#define AF_FF_100 6
#elif (AF_FF) / 100 % 10 == 7
#define AF_FF_100 7
#elif (AF_FF) / 100 % 10 == 8
#define AF_FF_100 8
#else
#define AF_FF_100 9
#endif
#if (AF_FF) < 1000
#define AF_FF_1000
#elif (AF_FF) / 1000 % 10 == 0
#define AF_FF_1000 0
#elif (AF_FF) / 1000 % 10 == 1
#define AF_FF_1000 1
#elif (AF_FF) / 1000 % 10 == 2
#define AF_FF_1000 2
#elif (AF_FF) / 1000 % 10 == 3
#define AF_FF_1000 3
#elif (AF_FF) / 1000 % 10 == 4
#define AF_FF_1000 4
#elif (AF_FF) / 1000 % 10 == 5
#define AF_FF_1000 5
#elif (AF_FF) / 1000 % 10 == 6
#define AF_FF_1000 6
#elif (AF_FF) / 1000 % 10 == 7
#define AF_FF_1000 7
#elif (AF_FF) / 1000 % 10 == 8
#define AF_FF_1000 8
#else
#define AF_FF_1000 9
#endif
#if (AF_FF) < 10000
#define AF_FF_10000
#else
#define AF_FF_10000 1
#endif
#define AF_TEXT_FF AF_JOIN5(F, AF_FF_10000, AF_FF_1000, AF_FF_100, AF_FF_10, AF_FF_1)

#if (AF_MICRO_BATCH) % 10 == 0
#define AF_MICRO_BATCH_1 0
#elif (AF_MICRO_BATCH) % 10 == 1
#define AF_MICRO_BATCH_1 1
#elif (AF_MICRO_BATCH) % 10 == 2
#define AF_MICRO_BATCH_1 2
#elif (AF_MICRO_BATCH) % 10 == 3
#define AF_MICRO_BATCH_1 3
#elif (AF_MICRO_BATCH) % 10 == 4
#define AF_MICRO_BATCH_1 4
#elif (AF_MICRO_BATCH) % 10 == 5
#define AF_MICRO_BATCH_1 5
#elif (AF_MICRO_BATCH) % 10 == 6
#define AF_MICRO_BATCH_1 6
#elif (AF_MICRO_BATCH) % 10 == 7
#define AF_MICRO_BATCH_1 7
#elif (AF_MICRO_BATCH) % 10 == 8
#define AF_MICRO_BATCH_1 8
#else
#define AF_MICRO_BATCH_1 9
#endif
#if (AF_MICRO_BATCH) < 10
#define AF_MICRO_BATCH_10
#elif (AF_MICRO_BATCH) / 10 % 10 == 0
#define AF_MICRO_BATCH_10 0
#elif (AF_MICRO_BATCH) / 10 % 10 == 1
#define AF_MICRO_BATCH_10 1
#elif (AF_MICRO_BATCH) / 10 % 10 == 2
#define AF_MICRO_BATCH_10 2
#elif (AF_MICRO_BATCH) / 10 % 10 == 3
#define AF_MICRO_BATCH_10 3
#elif (AF_MICRO_BATCH) / 10 % 10 == 4
#define AF_MICRO_BATCH_10 4
#elif (AF_MICRO_BATCH) / 10 % 10 == 5
#define AF_MICRO_BATCH_10 5
#elif (AF_MICRO_BATCH) / 10 % 10 == 6
#define AF_MICRO_BATCH_10 6
#elif (AF_MICRO_BATCH) / 10 % 10 == 7
#define AF_MICRO_BATCH_10 7
#elif (AF_MICRO_BATCH) / 10 % 10 == 8
#define AF_MICRO_BATCH_10 8
#else
#define AF_MICRO_BATCH_10 9
#endif
#if (AF_MICRO_BATCH) < 100
#define AF_MICRO_BATCH_100
#elif (AF_MICRO_BATCH) / 100 % 10 == 0
#define AF_MICRO_BATCH_100 0
#elif (AF_MICRO_BATCH) / 100 % 10 == 1
#define AF_MICRO_BATCH_100 1
#elif (AF_MICRO_BATCH) / 100 % 10 == 2
#define AF_MICRO_BATCH_100 2
#elif (AF_MICRO_BATCH) / 100 % 10 == 3
#define AF_MICRO_BATCH_100 3
#elif (AF_MICRO_BATCH) / 100 % 10 == 4
#define AF_MICRO_BATCH_100 4
#elif (AF_MICRO_BATCH) / 100 % 10 == 5
#define AF_MICRO_BATCH_100 5
#elif (AF_MICRO_BATCH) / 100 % 10 == 6
#define AF_MICRO_BATCH_100 6
#elif (AF_MICRO_BATCH) / 100 % 10 == 7
#define AF_MICRO_BATCH_100 7
#elif (AF_MICRO_BATCH) / 100 % 10 == 8
#define AF_MICRO_BATCH_100 8
#else
#define AF_MICRO_BATCH_100 9
#endif
#if (AF_MICRO_BATCH) < 1000
#define AF_MICRO_BATCH_1000
#else
#define AF_MICRO_BATCH_1000 1
#endif
#define AF_TEXT_MICRO_BATCH AF_JOIN4(M, AF_MICRO_BATCH_1000, AF_MICRO_BATCH_100, AF_MICRO_BATCH_10, AF_MICRO_BATCH_1)

#if (AF_WORKERS) % 10 == 0
#define AF_WORKERS_1 0
#elif (AF_WORKERS) % 10 == 1
#define AF_WORKERS_1 1
#elif (AF_WORKERS) % 10 == 2
#define AF_WORKERS_1 2
#elif (AF_WORKERS) % 10 == 3
#define AF_WORKERS_1 3
#elif (AF_WORKERS) % 10 == 4
#define AF_WORKERS_1 4
#elif (AF_WORKERS) % 10 == 5
#define AF_WORKERS_1 5
#elif (AF_WORKERS) % 10 == 6
#define AF_WORKERS_1 6
#elif (AF_WORKERS) % 10 == 7
#define AF_WORKERS_1 7
#elif (AF_WORKERS) % 10 == 8
#define AF_WORKERS_1 8
#else
#define AF_WORKERS_1 9
#endif
#if (AF_WORKERS) < 10
#define AF_WORKERS_10
#elif (AF_WORKERS) / 10 == 1
#define AF_WORKERS_10 1
#elif (AF_WORKERS) / 10 == 2
#define AF_WORKERS_10 2
#elif (AF_WORKERS) / 10 == 3
#define AF_WORKERS_10 3
#elif (AF_WORKERS) / 10 == 4
#define AF_WORKERS_10 4
#elif (AF_WORKERS) / 10 == 5
#define AF_WORKERS_10 5
#else
#define AF_WORKERS_10 6
#endif
#define AF_TEXT_WORKERS AF_JOIN2(W, AF_WORKERS_10, AF_WORKERS_1)

#if (AF_DECODE_ROWS) % 10 == 0
#define AF_DECODE_ROWS_1 0
#elif (AF_DECODE_ROWS) % 10 == 1
#define AF_DECODE_ROWS_1 1
#elif (AF_DECODE_ROWS) % 10 == 2
#define AF_DECODE_ROWS_1 2
#elif (AF_DECODE_ROWS) % 10 == 3
#define AF_DECODE_ROWS_1 3
#elif (AF_DECODE_ROWS) % 10 == 4
#define AF_DECODE_ROWS_1 4
#elif (AF_DECODE_ROWS) % 10 == 5
#define AF_DECODE_ROWS_1 5
#elif (AF_DECODE_ROWS) % 10 == 6
#define AF_DECODE_ROWS_1 6
#elif (AF_DECODE_ROWS) % 10 == 7
#define AF_DECODE_ROWS_1 7
#elif (AF_DECODE_ROWS) % 10 == 8
#define AF_DECODE_ROWS_1 8
#else
#define AF_DECODE_ROWS_1 9
#endif
#if (AF_DECODE_ROWS) < 10
#define AF_DECODE_ROWS_10
#elif (AF_DECODE_ROWS) / 10 % 10 == 0
#define AF_DECODE_ROWS_10 0
#elif (AF_DECODE_ROWS) / 10 % 10 == 1
#define AF_DECODE_ROWS_10 1
#elif (AF_DECODE_ROWS) / 10 % 10 == 2
#define AF_DECODE_ROWS_10 2
#elif (AF_DECODE_ROWS) / 10 % 10 == 3
#define AF_DECODE_ROWS_10 3
#elif (AF_DECODE_ROWS) / 10 % 10 == 4
#define AF_DECODE_ROWS_10 4
#elif (AF_DECODE_ROWS) / 10 % 10 == 5
#define AF_DECODE_ROWS_10 5
#elif (AF_DECODE_ROWS) / 10 % 10 == 6
#define AF_DECODE_ROWS_10 6
#elif (AF_DECODE_ROWS) / 10 % 10 == 7
#define AF_DECODE_ROWS_10 7
#elif (AF_DECODE_ROWS) / 10 % 10 == 8
#define AF_DECODE_ROWS_10 8
#else
#define AF_DECODE_ROWS_10 9
#endif
#if (AF_DECODE_ROWS) < 100
#define AF_DECODE_ROWS_100
#elif (AF_DECODE_ROWS) / 100 % 10 == 0
#define AF_DECODE_ROWS_100 0
#elif (AF_DECODE_ROWS) / 100 % 10 == 1
#define AF_DECODE_ROWS_100 1
#elif (AF_DECODE_ROWS) / 100 % 10 == 2
#define AF_DECODE_ROWS_100 2
#elif (AF_DECODE_ROWS) / 100 % 10 == 3
#define AF_DECODE_ROWS_100 3
#elif (AF_DECODE_ROWS) / 100 % 10 == 4
#define AF_DECODE_ROWS_100 4
#elif (AF_DECODE_ROWS) / 100 % 10 == 5
#define AF_DECODE_ROWS_100 5
#elif (AF_DECODE_ROWS) / 100 % 10 == 6
#define AF_DECODE_ROWS_100 6
#elif (AF_DECODE_ROWS) / 100 % 10 == 7
#define AF_DECODE_ROWS_100 7
#elif (AF_DECODE_ROWS) / 100 % 10 == 8
#define AF_DECODE_ROWS_100 8
#else
#define AF_DECODE_ROWS_100 9
#endif
#if (AF_DECODE_ROWS) < 1000
#define AF_DECODE_ROWS_1000
#elif (AF_DECODE_ROWS) / 1000 == 1
#define AF_DECODE_ROWS_1000 1
#elif (AF_DECODE_ROWS) / 1000 == 2
#define AF_DECODE_ROWS_1000 2
#elif (AF_DECODE_ROWS) / 1000 == 3
#define AF_DECODE_ROWS_1000 3
#else
#define AF_DECODE_ROWS_1000 4
#endif
#define AF_TEXT_DECODE_ROWS AF_JOIN4(P, AF_DECODE_ROWS_1000, AF_DECODE_ROWS_100, AF_DECODE_ROWS_10, AF_DECODE_ROWS_1)

#if (AF_ALIGN) % 10 == 0
#define AF_ALIGN_1 0
#elif (AF_ALIGN) % 10 == 1
#define AF_ALIGN_1 1
#elif (AF_ALIGN) % 10 == 2
#define AF_ALIGN_1 2
#elif (AF_ALIGN) % 10 == 3
#define AF_ALIGN_1 3
#elif (AF_ALIGN) % 10 == 4
#define AF_ALIGN_1 4
#elif (AF_ALIGN) % 10 == 5
#define AF_ALIGN_1 5
#elif (AF_ALIGN) % 10 == 6
#define AF_ALIGN_1 6
#elif (AF_ALIGN) % 10 == 7
#define AF_ALIGN_1 7
#elif (AF_ALIGN) % 10 == 8
#define AF_ALIGN_1 8
#else
#define AF_ALIGN_1 9
#endif
#if (AF_ALIGN) < 10
#define AF_ALIGN_10
#elif (AF_ALIGN) / 10 % 10 == 0
#define AF_ALIGN_10 0
#elif (AF_ALIGN) / 10 % 10 == 1
#define AF_ALIGN_10 1
#elif (AF_ALIGN) / 10 % 10 == 2
#define AF_ALIGN_10 2
#elif (AF_ALIGN) / 10 % 10 == 3
#define AF_ALIGN_10 3
#elif (AF_ALIGN) / 10 % 10 == 4
#define AF_ALIGN_10 4
#elif (AF_ALIGN) / 10 % 10 == 5
#define AF_ALIGN_10 5
#elif (AF_ALIGN) / 10 % 10 == 6
#define AF_ALIGN_10 6
#elif (AF_ALIGN) / 10 % 10 == 7
#define AF_ALIGN_10 7
#elif (AF_ALIGN) / 10 % 10 == 8
#define AF_ALIGN_10 8
#else
#define AF_ALIGN_10 9
#endif
#if (AF_ALIGN) < 100
#define AF_ALIGN_100
#elif (AF_ALIGN) / 100 % 10 == 0
#define AF_ALIGN_100 0
#elif (AF_ALIGN) / 100 % 10 == 1
#define AF_ALIGN_100 1
#elif (AF_ALIGN) / 100 % 10 == 2
#define AF_ALIGN_100 2
#elif (AF_ALIGN) / 100 % 10 == 3
#define AF_ALIGN_100 3
#elif (AF_ALIGN) / 100 % 10 == 4
#define AF_ALIGN_100 4
#elif (AF_ALIGN) / 100 % 10 == 5
#define AF_ALIGN_100 5
#elif (AF_ALIGN) / 100 % 10 == 6
#define AF_ALIGN_100 6
#elif (AF_ALIGN) / 100 % 10 == 7
#define AF_ALIGN_100 7
#elif (AF_ALIGN) / 100 % 10 == 8
#define AF_ALIGN_100 8
#else
#define AF_ALIGN_100 9
#endif
#if (AF_ALIGN) < 1000
#define AF_ALIGN_1000
#elif (AF_ALIGN) / 1000 == 1
#define AF_ALIGN_1000 1
#elif (AF_ALIGN) / 1000 == 2
#define AF_ALIGN_1000 2
#elif (AF_ALIGN) / 1000 == 3
#define AF_ALIGN_1000 3
#else
#define AF_ALIGN_1000 4
#endif
#define AF_TEXT_ALIGN AF_JOIN4(A, AF_ALIGN_1000, AF_ALIGN_100, AF_ALIGN_10, AF_ALIGN_1)

#if (AF_STORAGE_UNIT) % 10 == 0
#define AF_STORAGE_UNIT_1 0
#elif (AF_STORAGE_UNIT) % 10 == 1
#define AF_STORAGE_UNIT_1 1
#elif (AF_STORAGE_UNIT) % 10 == 2
#define AF_STORAGE_UNIT_1 2
#elif (AF_STORAGE_UNIT) % 10 == 3
#define AF_STORAGE_UNIT_1 3
#elif (AF_STORAGE_UNIT) % 10 == 4
#define AF_STORAGE_UNIT_1 4
#elif (AF_STORAGE_UNIT) % 10 == 5
#define AF_STORAGE_UNIT_1 5
#elif (AF_STORAGE_UNIT) % 10 == 6
#define AF_STORAGE_UNIT_1 6
#elif (AF_STORAGE_UNIT) % 10 == 7
#define AF_STORAGE_UNIT_1 7
#elif (AF_STORAGE_UNIT) % 10 == 8
#define AF_STORAGE_UNIT_1 8
#else
#define AF_STORAGE_UNIT_1 9
#endif
#if (AF_STORAGE_UNIT) < 10
#define AF_STORAGE_UNIT_10
#elif (AF_STORAGE_UNIT) / 10 % 10 == 0
#define AF_STORAGE_UNIT_10 0
#elif (AF_STORAGE_UNIT) / 10 % 10 == 1
#define AF_STORAGE_UNIT_10 1
#elif (AF_STORAGE_UNIT) / 10 % 10 == 2
#define AF_STORAGE_UNIT_10 2
#elif (AF_STORAGE_UNIT) / 10 % 10 == 3
#define AF_STORAGE_UNIT_10 3
#elif (AF_STORAGE_UNIT) / 10 % 10 == 4
#define AF_STORAGE_UNIT_10 4
#elif (AF_STORAGE_UNIT) / 10 % 10 == 5
#define AF_STORAGE_UNIT_10 5
#elif (AF_STORAGE_UNIT) / 10 % 10 == 6
#define AF_STORAGE_UNIT_10 6
#elif (AF_STORAGE_UNIT) / 10 % 10 == 7
#define AF_STORAGE_UNIT_10 7
#elif (AF_STORAGE_UNIT) / 10 % 10 == 8
#define AF_STORAGE_UNIT_10 8
#else
#define AF_STORAGE_UNIT_10 9
#endif
#if (AF_STORAGE_UNIT) < 100
#define AF_STORAGE_UNIT_100
#elif (AF_STORAGE_UNIT) / 100 % 10 == 0
#define AF_STORAGE_UNIT_100 0
#elif (AF_STORAGE_UNIT) / 100 % 10 == 1
#define AF_STORAGE_UNIT_100 1
#elif (AF_STORAGE_UNIT) / 100 % 10 == 2
#define AF_STORAGE_UNIT_100 2
#elif (AF_STORAGE_UNIT) / 100 % 10 == 3
#define AF_STORAGE_UNIT_100 3
#elif (AF_STORAGE_UNIT) / 100 % 10 == 4
#define AF_STORAGE_UNIT_100 4
#elif (AF_STORAGE_UNIT) / 100 % 10 == 5
#define AF_STORAGE_UNIT_100 5
#elif (AF_STORAGE_UNIT) / 100 % 10 == 6
#define AF_STORAGE_UNIT_100 6
#elif (AF_STORAGE_UNIT) / 100 % 10 == 7
#define AF_STORAGE_UNIT_100 7
#elif (AF_STORAGE_UNIT) / 100 % 10 == 8
#define AF_STORAGE_UNIT_100 8
#else
#define AF_STORAGE_UNIT_100 9
#endif
#if (AF_STORAGE_UNIT) < 1000
#define AF_STORAGE_UNIT_1000
#elif (AF_STORAGE_UNIT) / 1000 % 10 == 0
#define AF_STORAGE_UNIT_1000 0
#elif (AF_STORAGE_UNIT) / 1000 % 10 == 1
#define AF_STORAGE_UNIT_1000 1
#elif (AF_STORAGE_UNIT) / 1000 % 10 == 2
#define AF_STORAGE_UNIT_1000 2
#elif (AF_STORAGE_UNIT) / 1000 % 10 == 3
#define AF_STORAGE_UNIT_1000 3
#elif (AF_STORAGE_UNIT) / 1000 % 10 == 4
#define AF_STORAGE_UNIT_1000 4
#elif (AF_STORAGE_UNIT) / 1000 % 10 == 5
#define AF_STORAGE_UNIT_1000 5
#elif (AF_STORAGE_UNIT) / 1000 % 10 == 6
#define AF_STORAGE_UNIT_1000 6
#elif (AF_STORAGE_UNIT) / 1000 % 10 == 7
#define AF_STORAGE_UNIT_1000 7
#elif (AF_STORAGE_UNIT) / 1000 % 10 == 8
#define AF_STORAGE_UNIT_1000 8
#else
#define AF_STORAGE_UNIT_1000 9
#endif
#if (AF_STORAGE_UNIT) < 10000
#define AF_STORAGE_UNIT_10000
#elif (AF_STORAGE_UNIT) / 10000 == 1
#define AF_STORAGE_UNIT_10000 1
#elif (AF_STORAGE_UNIT) / 10000 == 2
#define AF_STORAGE_UNIT_10000 2
#elif (AF_STORAGE_UNIT) / 10000 == 3
#define AF_STORAGE_UNIT_10000 3
#elif (AF_STORAGE_UNIT) / 10000 == 4
#define AF_STORAGE_UNIT_10000 4
#elif (AF_STORAGE_UNIT) / 10000 == 5
#define AF_STORAGE_UNIT_10000 5
#else
#define AF_STORAGE_UNIT_10000 6
#endif
#define AF_TEXT_STORAGE_UNIT AF_JOIN5(U, AF_STORAGE_UNIT_10000, AF_STORAGE_UNIT_1000, AF_STORAGE_UNIT_100, \
    AF_STORAGE_UNIT_10, AF_STORAGE_UNIT_1)

#if (AF_CONSTANTS_SUM) % 10 == 0
#define AF_CONSTANTS_SUM_1 0
#elif (AF_CONSTANTS_SUM) % 10 == 1
#define AF_CONSTANTS_SUM_1 1
#elif (AF_CONSTANTS_SUM) % 10 == 2
#define AF_CONSTANTS_SUM_1 2
#elif (AF_CONSTANTS_SUM) % 10 == 3
#define AF_CONSTANTS_SUM_1 3
#elif (AF_CONSTANTS_SUM) % 10 == 4
#define AF_CONSTANTS_SUM_1 4
#elif (AF_CONSTANTS_SUM) % 10 == 5
#define AF_CONSTANTS_SUM_1 5
#elif (AF_CONSTANTS_SUM) % 10 == 6
#define AF_CONSTANTS_SUM_1 6
#elif (AF_CONSTANTS_SUM) % 10 == 7
#define AF_CONSTANTS_SUM_1 7
#elif (AF_CONSTANTS_SUM) % 10 == 8
#define AF_CONSTANTS_SUM_1 8
#else
#define AF_CONSTANTS_SUM_1 9
#endif
#if (AF_CONSTANTS_SUM) < 10
#define AF_CONSTANTS_SUM_10
#elif (AF_CONSTANTS_SUM) / 10 % 10 == 0
#define AF_CONSTANTS_SUM_10 0
#elif (AF_CONSTANTS_SUM) / 10 % 10 == 1
#define AF_CONSTANTS_SUM_10 1
#elif (AF_CONSTANTS_SUM) / 10 % 10 == 2
#define AF_CONSTANTS_SUM_10 2
#elif (AF_CONSTANTS_SUM) / 10 % 10 == 3
#define AF_CONSTANTS_SUM_10 3
#elif (AF_CONSTANTS_SUM) / 10 % 10 == 4
#define AF_CONSTANTS_SUM_10 4
#elif (AF_CONSTANTS_SUM) / 10 % 10 == 5
#define AF_CONSTANTS_SUM_10 5
#elif (AF_CONSTANTS_SUM) / 10 % 10 == 6
#define AF_CONSTANTS_SUM_10 6
#elif (AF_CONSTANTS_SUM) / 10 % 10 == 7
#define AF_CONSTANTS_SUM_10 7
#elif (AF_CONSTANTS_SUM) / 10 % 10 == 8
#define AF_CONSTANTS_SUM_10 8
#else
#define AF_CONSTANTS_SUM_10 9
#endif
#if (AF_CONSTANTS_SUM) < 100
#define AF_CONSTANTS_SUM_100
#elif (AF_CONSTANTS_SUM) / 100 % 10 == 0
#define AF_CONSTANTS_SUM_100 0
#elif (AF_CONSTANTS_SUM) / 100 % 10 == 1
#define AF_CONSTANTS_SUM_100 1
#elif (AF_CONSTANTS_SUM) / 100 % 10 == 2
#define AF_CONSTANTS_SUM_100 2
#elif (AF_CONSTANTS_SUM) / 100 % 10 == 3
#define AF_CONSTANTS_SUM_100 3
#elif (AF_CONSTANTS_SUM) / 100 % 10 == 4
#define AF_CONSTANTS_SUM_100 4
#elif (AF_CONSTANTS_SUM) / 100 % 10 == 5
#define AF_CONSTANTS_SUM_100 5
#elif (AF_CONSTANTS_SUM) / 100 % 10 == 6
#define AF_CONSTANTS_SUM_100 6
#elif (AF_CONSTANTS_SUM) / 100 % 10 == 7
#define AF_CONSTANTS_SUM_100 7
#elif (AF_CONSTANTS_SUM) / 100 % 10 == 8
#define AF_CONSTANTS_SUM_100 8
#else
#define AF_CONSTANTS_SUM_100 9
#endif
#if (AF_CONSTANTS_SUM) < 1000
#define AF_CONSTANTS_SUM_1000
#elif (AF_CONSTANTS_SUM) / 1000 % 10 == 0
#define AF_CONSTANTS_SUM_1000 0
#elif (AF_CONSTANTS_SUM) / 1000 % 10 == 1
#define AF_CONSTANTS_SUM_1000 1
#elif (AF_CONSTANTS_SUM) / 1000 % 10 == 2
#define AF_CONSTANTS_SUM_1000 2
#elif (AF_CONSTANTS_SUM) / 1000 % 10 == 3
#define AF_CONSTANTS_SUM_1000 3
#elif (AF_CONSTANTS_SUM) / 1000 % 10 == 4
#define AF_CONSTANTS_SUM_1000 4
#elif (AF_CONSTANTS_SUM) / 1000 % 10 == 5
#define AF_CONSTANTS_SUM_1000 5
#elif (AF_CONSTANTS_SUM) / 1000 % 10 == 6
#define AF_CONSTANTS_SUM_1000 6
#elif (AF_CONSTANTS_SUM) / 1000 % 10 == 7
#define AF_CONSTANTS_SUM_1000 7
#elif (AF_CONSTANTS_SUM) / 1000 % 10 == 8
#define AF_CONSTANTS_SUM_1000 8
#else
#define AF_CONSTANTS_SUM_1000 9
#endif
#if (AF_CONSTANTS_SUM) < 10000
#define AF_CONSTANTS_SUM_10000
#elif (AF_CONSTANTS_SUM) / 10000 % 10 == 0
#define AF_CONSTANTS_SUM_10000 0
#elif (AF_CONSTANTS_SUM) / 10000 % 10 == 1
#define AF_CONSTANTS_SUM_10000 1
#elif (AF_CONSTANTS_SUM) / 10000 % 10 == 2
#define AF_CONSTANTS_SUM_10000 2
#elif (AF_CONSTANTS_SUM) / 10000 % 10 == 3
#define AF_CONSTANTS_SUM_10000 3
#elif (AF_CONSTANTS_SUM) / 10000 % 10 == 4
#define AF_CONSTANTS_SUM_10000 4
#elif (AF_CONSTANTS_SUM) / 10000 % 10 == 5
#define AF_CONSTANTS_SUM_10000 5
#elif (AF_CONSTANTS_SUM) / 10000 % 10 == 6
#define AF_CONSTANTS_SUM_10000 6
#elif (AF_CONSTANTS_SUM) / 10000 % 10 == 7
#define AF_CONSTANTS_SUM_10000 7
#elif (AF_CONSTANTS_SUM) / 10000 % 10 == 8
#define AF_CONSTANTS_SUM_10000 8
#else
#define AF_CONSTANTS_SUM_10000 9
#endif
#if (AF_CONSTANTS_SUM) < 100000
#define AF_CONSTANTS_SUM_100000
#elif (AF_CONSTANTS_SUM) / 100000 % 10 == 0
#define AF_CONSTANTS_SUM_100000 0
#elif (AF_CONSTANTS_SUM) / 100000 % 10 == 1
#define AF_CONSTANTS_SUM_100000 1
#elif (AF_CONSTANTS_SUM) / 100000 % 10 == 2
#define AF_CONSTANTS_SUM_100000 2
#elif (AF_CONSTANTS_SUM) / 100000 % 10 == 3
#define AF_CONSTANTS_SUM_100000 3
#elif (AF_CONSTANTS_SUM) / 100000 % 10 == 4
#define AF_CONSTANTS_SUM_100000 4
#elif (AF_CONSTANTS_SUM) / 100000 % 10 == 5
#define AF_CONSTANTS_SUM_100000 5
#elif (AF_CONSTANTS_SUM) / 100000 % 10 == 6
#define AF_CONSTANTS_SUM_100000 6
#elif (AF_CONSTANTS_SUM) / 100000 % 10 == 7
#define AF_CONSTANTS_SUM_100000 7
#elif (AF_CONSTANTS_SUM) / 100000 % 10 == 8
#define AF_CONSTANTS_SUM_100000 8
#else
#define AF_CONSTANTS_SUM_100000 9
#endif
#if (AF_CONSTANTS_SUM) < 1000000
#define AF_CONSTANTS_SUM_1000000
#elif (AF_CONSTANTS_SUM) / 1000000 % 10 == 0
#define AF_CONSTANTS_SUM_1000000 0
#elif (AF_CONSTANTS_SUM) / 1000000 % 10 == 1
#define AF_CONSTANTS_SUM_1000000 1
#elif (AF_CONSTANTS_SUM) / 1000000 % 10 == 2
#define AF_CONSTANTS_SUM_1000000 2
#elif (AF_CONSTANTS_SUM) / 1000000 % 10 == 3
#define AF_CONSTANTS_SUM_1000000 3
#elif (AF_CONSTANTS_SUM) / 1000000 % 10 == 4
#define AF_CONSTANTS_SUM_1000000 4
#elif (AF_CONSTANTS_SUM) / 1000000 % 10 == 5
#define AF_CONSTANTS_SUM_1000000 5
#elif (AF_CONSTANTS_SUM) / 1000000 % 10 == 6
#define AF_CONSTANTS_SUM_1000000 6
#elif (AF_CONSTANTS_SUM) / 1000000 % 10 == 7
#define AF_CONSTANTS_SUM_1000000 7
#elif (AF_CONSTANTS_SUM) / 1000000 % 10 == 8
#define AF_CONSTANTS_SUM_1000000 8
#else
#define AF_CONSTANTS_SUM_1000000 9
#endif
#if (AF_CONSTANTS_SUM) < 10000000
#define AF_CONSTANTS_SUM_10000000
#elif (AF_CONSTANTS_SUM) / 10000000 % 10 == 0
#define AF_CONSTANTS_SUM_10000000 0
#elif (AF_CONSTANTS_SUM) / 10000000 % 10 == 1
#define AF_CONSTANTS_SUM_10000000 1
#elif (AF_CONSTANTS_SUM) / 10000000 % 10 == 2
#define AF_CONSTANTS_SUM_10000000 2
#elif (AF_CONSTANTS_SUM) / 10000000 % 10 == 3
#define AF_CONSTANTS_SUM_10000000 3
#elif (AF_CONSTANTS_SUM) / 10000000 % 10 == 4
#define AF_CONSTANTS_SUM_10000000 4
#elif (AF_CONSTANTS_SUM) / 10000000 % 10 == 5
#define AF_CONSTANTS_SUM_10000000 5
#elif (AF_CONSTANTS_SUM) / 10000000 % 10 == 6
#define AF_CONSTANTS_SUM_10000000 6
#elif (AF_CONSTANTS_SUM) / 10000000 % 10 == 7
#define AF_CONSTANTS_SUM_10000000 7
#elif (AF_CONSTANTS_SUM) / 10000000 % 10 == 8
#define AF_CONSTANTS_SUM_10000000 8
#else
#define AF_CONSTANTS_SUM_10000000 9
#endif
#if (AF_CONSTANTS_SUM) < 100000000
#define AF_CONSTANTS_SUM_100000000
#elif (AF_CONSTANTS_SUM) / 100000000 % 10 == 0
#define AF_CONSTANTS_SUM_100000000 0
#elif (AF_CONSTANTS_SUM) / 100000000 % 10 == 1
#define AF_CONSTANTS_SUM_100000000 1
#elif (AF_CONSTANTS_SUM) / 100000000 % 10 == 2
#define AF_CONSTANTS_SUM_100000000 2
#elif (AF_CONSTANTS_SUM) / 100000000 % 10 == 3
#define AF_CONSTANTS_SUM_100000000 3
#elif (AF_CONSTANTS_SUM) / 100000000 % 10 == 4
#define AF_CONSTANTS_SUM_100000000 4
#elif (AF_CONSTANTS_SUM) / 100000000 % 10 == 5
#define AF_CONSTANTS_SUM_100000000 5
#elif (AF_CONSTANTS_SUM) / 100000000 % 10 == 6
#define AF_CONSTANTS_SUM_100000000 6
#elif (AF_CONSTANTS_SUM) / 100000000 % 10 == 7
#define AF_CONSTANTS_SUM_100000000 7
#elif (AF_CONSTANTS_SUM) / 100000000 % 10 == 8
#define AF_CONSTANTS_SUM_100000000 8
#else
#define AF_CONSTANTS_SUM_100000000 9
#endif
#if (AF_CONSTANTS_SUM) < 1000000000
#define AF_CONSTANTS_SUM_1000000000
#else
#define AF_CONSTANTS_SUM_1000000000 1
#endif
#define AF_TEXT_CONSTANTS_SUM AF_JOIN10(C, AF_CONSTANTS_SUM_1000000000, AF_CONSTANTS_SUM_100000000, \
    AF_CONSTANTS_SUM_10000000, AF_CONSTANTS_SUM_1000000, AF_CONSTANTS_SUM_100000, AF_CONSTANTS_SUM_10000, \
    AF_CONSTANTS_SUM_1000, AF_CONSTANTS_SUM_100, AF_CONSTANTS_SUM_10, AF_CONSTANTS_SUM_1)

#if (AF_SCALED) == 0
#define AF_SCALED_1 0
#else
#define AF_SCALED_1 1
#endif

#if (AF_CAUSAL) == 0
#define AF_CAUSAL_1 0
#else
#define AF_CAUSAL_1 1
#endif

#if (AF_SOFTMAX_QUERIES) == 0
#define AF_SOFTMAX_QUERIES_1 0
#else
#define AF_SOFTMAX_QUERIES_1 1
#endif

#if (AF_RESIDUAL) == 0
#define AF_RESIDUAL_1 0
#else
#define AF_RESIDUAL_1 1
#endif

#if (AF_POST_NORM) == 0
#define AF_POST_NORM_1 0
#else
#define AF_POST_NORM_1 1
#endif

#if (AF_PACKED) == 0
#define AF_PACKED_1 0
#else
#define AF_PACKED_1 1
#endif

#if (AF_RECOMPUTE) == 0
#define AF_RECOMPUTE_1 0
#elif (AF_RECOMPUTE) == 1
#define AF_RECOMPUTE_1 1
#else
#define AF_RECOMPUTE_1 2
#endif

#if (AF_PRUNED) == 0
#define AF_PRUNED_1 0
#else
#define AF_PRUNED_1 1
#endif

#if (AF_TRAINING) == 0
#define AF_TRAINING_1 0
#else
#define AF_TRAINING_1 1
#endif

#if (AF_MAP) == 0
#define AF_MAP_1 0
#else
#define AF_MAP_1 1
#endif

#if (AF_STREAMS) == 0
#define AF_STREAMS_1 0
#else
#define AF_STREAMS_1 1
#endif

#define AF_JOIN2(l, a, b) AF_JOIN2_(l, a, b)
#define AF_JOIN2_(l, a, b) l##a##b
#define AF_JOIN4(l, a, b, c, d) AF_JOIN4_(l, a, b, c, d)
#define AF_JOIN4_(l, a, b, c, d) l##a##b##c##d
#define AF_JOIN5(l, a, b, c, d, e) AF_JOIN5_(l, a, b, c, d, e)
#define AF_JOIN5_(l, a, b, c, d, e) l##a##b##c##d##e
#define AF_JOIN10(l, a, b, c, d, e, f, g, h, i, j) AF_JOIN10_(l, a, b, c, d, e, f, g, h, i, j)
#define AF_JOIN10_(l, a, b, c, d, e, f, g, h, i, j) l##a##b##c##d##e##f##g##h##i##j

// clang-format on

#endif
