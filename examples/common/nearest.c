// SPDX-License-Identifier: MIT
#include "nearest.h"

#include <string.h>

enum { LONGEST_NAME = 63 };

static size_t length_of(const char *const text) {
    const size_t n = strlen(text);
    return n < LONGEST_NAME ? n : LONGEST_NAME;
}

static size_t smaller(const size_t a, const size_t b) {
    return a < b ? a : b;
}

/// Distances between beginnings of two names: cell[i][j] is that of the first i letters of one and the first j of the
/// other. Kept whole, since a swap looks two rows back.
struct distances {
    size_t cell[LONGEST_NAME + 1][LONGEST_NAME + 1];
};

static void fill_cell(struct distances *const d, const char *const a, const char *const b, const size_t i,
                      const size_t j) {
    const size_t replaced = d->cell[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U);
    size_t least = smaller(replaced, smaller(d->cell[i - 1][j], d->cell[i][j - 1]) + 1);
    if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        least = smaller(least, d->cell[i - 2][j - 2] + 1);
    }
    d->cell[i][j] = least;
}

size_t nearest_distance(const char *const a, const char *const b) {
    static struct distances d; // 32 KiB: too much for a small stack
    const size_t n_a = length_of(a);
    const size_t n_b = length_of(b);
    for (size_t i = 0; i <= n_a; i++) {
        d.cell[i][0] = i;
    }
    for (size_t j = 0; j <= n_b; j++) {
        d.cell[0][j] = j;
    }
    for (size_t i = 1; i <= n_a; i++) {
        for (size_t j = 1; j <= n_b; j++) {
            fill_cell(&d, a, b, i, j);
        }
    }
    return d.cell[n_a][n_b];
}

static const char *nearest_within(const char *const text, const char *const *const name, const size_t n, size_t limit) {
    const char *found = NULL;
    for (size_t i = 0; i < n; i++) {
        const size_t distance = nearest_distance(text, name[i]);
        if (distance <= limit && (found == NULL || distance < limit)) {
            found = name[i];
            limit = distance;
        }
    }
    return found;
}

const char *nearest_name(const char *const text, const char *const *const name, const size_t n) {
    const size_t third = length_of(text) / 3;
    return nearest_within(text, name, n, third > 1 ? third : 1);
}

const char *nearest_of_all(const char *const text, const char *const *const name, const size_t n) {
    return nearest_within(text, name, n, 2 * LONGEST_NAME);
}
