// SPDX-License-Identifier: MIT
// The micro-batch at hand: checking sequences, taking them, and looking whether they are still there.
#define AF_FILE_batch 0, AF_OWN
#include "af_inner_pass.h"

#if AF_TRAINING

static bool has_arrays(const struct af_sequence *const sequence) {
    return sequence != NULL && sequence->token != NULL && sequence->target != NULL;
}

af_status af_sequence_check(const struct af_sequence *const sequence, uint32_t *const n_targets) {
    if (!has_arrays(sequence) || n_targets == NULL) {
        return AF_ERR_NULL;
    }
    if (sequence->n < 1 || sequence->n > AF_CONTEXT) {
        return AF_ERR_LENGTH;
    }
    uint32_t count = 0;
    for (size_t i = 0; i < sequence->n; i++) {
        if (sequence->token[i] >= AF_VOCAB) {
            return AF_ERR_TOKEN;
        }
        if (sequence->target[i] != AF_IGNORE) {
            if (sequence->target[i] >= AF_VOCAB) {
                return AF_ERR_TARGET;
            }
            count++;
        }
    }
    *n_targets = count;
    return AF_OK;
}

/// What the loss can see of a sequence.
struct visible {
    size_t n_rows; // positions 0 to n_rows - 1
    size_t first;  // queries of the last block: positions first to end - 1
    size_t end;
};

static struct visible visible_of(const struct af_sequence *const seq) {
    struct visible v = {seq->n, 0, seq->n};
    while (v.end > 0 && seq->target[v.end - 1] == AF_IGNORE) {
        v.end--;
    }
    while (v.first < v.end && seq->target[v.first] == AF_IGNORE) {
        v.first++;
    }
    if (AF_CAN_CACHE || v.end == 0) {
        v.n_rows = v.end; // no later row has a part in what comes before it
    }
    if (AF_SOFTMAX_QUERIES && v.end > 0) {
        v.first = 0; // every query has a part in every weight
        v.end = seq->n;
    }
    return v;
}

void af_batch_load(struct af_train *const train, const struct af_sequence *const sequence, const size_t n_sequences,
                   const enum af_extent extent) {
    size_t row = 0;
    size_t query = 0;
    for (size_t s = 0; s < n_sequences; s++) {
        train->row_start[s] = (af_index)row;
        train->query_start[s] = (af_index)query;
        const struct af_sequence *const seq = &sequence[s];
        const struct visible every = {seq->n, 0, seq->n};
        const struct visible v = AF_PRUNED && extent == AF_VISIBLE ? visible_of(seq) : every;
        for (size_t i = 0; i < v.n_rows; i++) {
            train->token[row] = seq->token[i];
            train->position[row] = (af_index)i;
            if (i >= v.first && i < v.end) {
                train->query_row[query] = (af_index)row;
                train->target[query] = seq->target[i];
                query++;
            }
            row++;
        }
    }
    train->row_start[n_sequences] = (af_index)row;
    train->query_start[n_sequences] = (af_index)query;
}

/// Whether sequence s, whose rows and queries begin at `row` and `query`, has no more of both than fit.
static bool has_ends(const struct af_train *const train, const size_t s, const size_t row, const size_t query) {
    const size_t n = train->row_start[s + 1] - row; // huge if it ends before it begins
    const size_t m = train->query_start[s + 1] - query;
    return n <= AF_CONTEXT && m <= n;
}

/// Whether n rows from `row` on are those of one sequence, and m queries from `query` on are some of them, one after
/// another.
static bool has_rows(const struct af_train *const train, const size_t row, const size_t n, const size_t query,
                     const size_t m) {
    const size_t first = m > 0 ? train->query_row[query] - row : 0; // position of the first query
    bool is_good = first <= n - m;
    for (size_t i = 0; i < n; i++) {
        is_good = is_good & (train->position[row + i] == i) & (train->token[row + i] < AF_VOCAB);
    }
    for (size_t i = 0; i < m; i++) {
        const af_token target = train->target[query + i];
        is_good = is_good & (train->query_row[query + i] == row + first + i);
        is_good = is_good & ((target < AF_VOCAB) | (target == AF_IGNORE));
    }
    return is_good;
}

bool af_batch_check(const struct af_train *const train, const size_t n_sequences) {
    size_t row = 0;
    size_t query = 0;
    if (n_sequences > AF_MICRO_BATCH || train->row_start[0] != 0 || train->query_start[0] != 0) {
        return false;
    }
    for (size_t s = 0; s < n_sequences; s++) {
        if (!has_ends(train, s, row, query)) {
            return false;
        }
        const size_t n = train->row_start[s + 1] - row;
        const size_t m = train->query_start[s + 1] - query;
        if (!has_rows(train, row, n, query, m)) {
            return false;
        }
        row += n;
        query += m;
    }
    return true;
}

#endif

#include "af_inner_export.h"
