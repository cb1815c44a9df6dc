// SPDX-License-Identifier: MIT
// The functions of the C library that a compiler may call by itself, for machines without that library.
#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t n);
void *memmove(void *to, const void *from, size_t n);
void *memset(void *to, int value, size_t n);
int memcmp(const void *a, const void *b, size_t n);
size_t strlen(const char *text);

// Otherwise a compiler recognises the loops below and makes them calls of themselves.
#if defined(__clang__)
#define PLAIN_LOOPS __attribute__((no_builtin))
#else
#define PLAIN_LOOPS __attribute__((optimize("no-tree-loop-distribute-patterns")))
#endif

PLAIN_LOOPS void *memcpy(void *restrict const to, const void *restrict const from, const size_t n) {
    unsigned char *const t = to;
    const unsigned char *const f = from;
    for (size_t i = 0; i < n; i++) {
        t[i] = f[i];
    }
    return to;
}

PLAIN_LOOPS void *memmove(void *const to, const void *const from, const size_t n) {
    unsigned char *const t = to;
    const unsigned char *const f = from;
    if (t < f) {
        for (size_t i = 0; i < n; i++) {
            t[i] = f[i];
        }
    } else {
        for (size_t i = n; i > 0; i--) {
            t[i - 1] = f[i - 1];
        }
    }
    return to;
}

PLAIN_LOOPS void *memset(void *const to, const int value, const size_t n) {
    unsigned char *const t = to;
    for (size_t i = 0; i < n; i++) {
        t[i] = (unsigned char)value;
    }
    return to;
}

PLAIN_LOOPS int memcmp(const void *const a, const void *const b, const size_t n) {
    const unsigned char *const x = a;
    const unsigned char *const y = b;
    for (size_t i = 0; i < n; i++) {
        if (x[i] != y[i]) {
            return x[i] < y[i] ? -1 : 1;
        }
    }
    return 0;
}

PLAIN_LOOPS size_t strlen(const char *const text) {
    size_t n = 0;
    while (text[n] != '\0') {
        n++;
    }
    return n;
}
