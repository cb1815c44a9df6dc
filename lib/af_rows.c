// SPDX-License-Identifier: MIT
// Rows of the micro-batch: which ones are at hand, picking those of the queries, and the gradient of that.
#define AF_FILE_rows 0, AF_OWN
#include "af_inner_liberties.h"
#include "af_inner_rows.h"

#if AF_TRAINING

struct af_rows af_rows_of(const struct af_train *const train, const bool is_last, const size_t s0, const size_t s1) {
    const af_index *const query_start = is_last ? train->query_start : train->row_start;
    const size_t r = train->row_start[s0];
    const size_t q = query_start[s0];
    const struct af_rows rows = {
        .r = r,
        .n = train->row_start[s1] - r,
        .q = q,
        .m = query_start[s1] - q,
        .query_row = is_last ? &train->query_row[q] : NULL,
    };
    return rows;
}

struct af_span af_rows_span(const struct af_train *const train, const struct af_rows *const rows, const size_t s) {
    const bool is_last = rows->query_row != NULL;
    const af_index *const query_start = is_last ? train->query_start : train->row_start;
    const size_t r = train->row_start[s];
    const size_t q = query_start[s];
    const size_t n = query_start[s + 1] - q;
    const struct af_span span = {
        .q = q - rows->q,
        .n = n,
        .first = is_last && n > 0 ? train->query_row[q] - r : 0,
        .r = r - rows->r,
        .n_keys = train->row_start[s + 1] - r,
    };
    return span;
}

// ---------------------------------------------------------------------------------------------------- a few at a time

static size_t at_most_a_chunk(const size_t n) {
    return n < AF_CHUNK_ROWS ? n : AF_CHUNK_ROWS;
}

/// The chunk of `rows` that begins at row r, whose first query is q.
static struct af_rows chunk_from(const struct af_rows *const rows, const size_t r, const size_t q) {
    struct af_rows chunk = *rows;
    chunk.r = r;
    chunk.q = q;
    chunk.n = at_most_a_chunk(rows->r + rows->n - r);
    chunk.m = chunk.n;
    if (rows->query_row != NULL) {
        const size_t n_left = rows->q + rows->m - q;
        chunk.query_row = &rows->query_row[q - rows->q];
        chunk.m = 0;
        while (chunk.m < n_left && chunk.query_row[chunk.m] < r + chunk.n) {
            chunk.m++;
        }
    }
    return chunk;
}

struct af_rows af_rows_first(const struct af_rows *const rows) {
    return chunk_from(rows, rows->r, rows->q);
}

struct af_rows af_rows_next(const struct af_rows *const rows, const struct af_rows *const chunk) {
    return chunk_from(rows, chunk->r + chunk->n, chunk->q + chunk->m);
}

struct af_rows af_rows_first_queries(const struct af_rows *const rows) {
    struct af_rows chunk = *rows;
    chunk.m = at_most_a_chunk(rows->m);
    return chunk;
}

struct af_rows af_rows_next_queries(const struct af_rows *const rows, const struct af_rows *const chunk) {
    struct af_rows next = *rows;
    next.q = chunk->q + chunk->m;
    next.m = at_most_a_chunk(rows->q + rows->m - next.q);
    return next;
}

// ------------------------------------------------------------------------------------------------- rows of the queries

void af_rows_gather(af_real *const y, const af_real *const x, const af_index *const row, const size_t first,
                    const size_t n) {
    for (size_t r = 0; r < n; r++) {
        for (size_t i = 0; i < AF_DIM; i++) {
            y[r * AF_DIM + i] = x[(row[r] - first) * AF_DIM + i];
        }
    }
}

void af_rows_scatter(af_real *const d_x, const af_real *const d_y, const af_index *const row, const size_t first,
                     const size_t n) {
    for (size_t r = 0; r < n; r++) {
        for (size_t i = 0; i < AF_DIM; i++) {
            d_x[(row[r] - first) * AF_DIM + i] += d_y[r * AF_DIM + i];
        }
    }
}

af_status af_liberties_rows(const volatile af_real *const v) {
    return af_liberties(v);
}
#endif

#include "af_inner_export.h"
