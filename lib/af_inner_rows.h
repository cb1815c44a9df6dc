// SPDX-License-Identifier: MIT
/// Inside the pass: which rows of the micro-batch are at hand. Not for programs.
///
/// Sequences lie one after another; each of their positions is a row of every tensor. In the last block only rows whose
/// logits the loss reads ask: they are its queries, and what comes after attention has a row for each of them. Of a
/// micro-batch of three sequences, with a target where a query is marked:
///
///     sequence        0                 1           2
///     row             0  1  2  3  4     5  6  7     8  9          row_start   {0, 5, 8, 10}
///     position        0  1  2  3  4     0  1  2     0  1
///     query                 0  1  2        3  4        5          query_start {0, 3, 5, 6}
///                                                                 query_row   {2, 3, 4, 6, 7, 9}
///
/// In every other block each row asks: query i is row i, query_start is row_start, and query_row is NULL.
#ifndef AF_INNER_ROWS_H
#define AF_INNER_ROWS_H

#include "af_ops.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Rows r to r + n - 1, and the queries among them, q to q + m - 1. Together they are sequences, or some rows of these.
struct af_rows {
    size_t r;
    size_t n;
    size_t q;
    size_t m;
    const af_index *query_row; // [m] row of each query; NULL: query i is row i
};

/// Queries of one sequence, n from q on, the first of them at position `first`; and the rows r to r + n_keys - 1 that
/// have its keys. q and r count from the rows at hand.
struct af_span {
    size_t q;
    size_t n;
    size_t first;
    size_t r;
    size_t n_keys;
};

#if AF_TRAINING
/// The rows of sequences s0 to s1 - 1, in the last block or in another one.
struct af_rows af_rows_of(const struct af_train *train, bool is_last, size_t s0, size_t s1);

/// Sequence s, which is one of those of `rows`.
struct af_span af_rows_span(const struct af_train *train, const struct af_rows *rows, size_t s);

/// The first rows of `rows`, or those after `chunk`, with the queries among them: at most AF_CHUNK_ROWS, and none at the
/// end.
struct af_rows af_rows_first(const struct af_rows *rows);
struct af_rows af_rows_next(const struct af_rows *rows, const struct af_rows *chunk);

/// The same for queries: their rows are not looked at.
struct af_rows af_rows_first_queries(const struct af_rows *rows);
struct af_rows af_rows_next_queries(const struct af_rows *rows, const struct af_rows *chunk);
#endif

#ifdef __cplusplus
}
#endif
#endif
