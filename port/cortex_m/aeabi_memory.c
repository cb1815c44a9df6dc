// SPDX-License-Identifier: MIT
// The names by which clang calls the memory functions on Arm (Run-time ABI for the Arm Architecture, section 4.3.4).
#include <stddef.h>

void *memcpy(void *to, const void *from, size_t n);
void *memmove(void *to, const void *from, size_t n);
void *memset(void *to, int value, size_t n);

// NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): the names are those of the document.

void __aeabi_memcpy(void *to, const void *from, size_t n);
void __aeabi_memmove(void *to, const void *from, size_t n);
void __aeabi_memset(void *to, size_t n, int value);
void __aeabi_memclr(void *to, size_t n);

void __aeabi_memcpy(void *const to, const void *const from, const size_t n) {
    (void)memcpy(to, from, n);
}

void __aeabi_memmove(void *const to, const void *const from, const size_t n) {
    (void)memmove(to, from, n);
}

void __aeabi_memset(void *const to, const size_t n, const int value) {
    (void)memset(to, value, n);
}

void __aeabi_memclr(void *const to, const size_t n) {
    (void)memset(to, 0, n);
}

// Each has two more names, for arrays that are aligned to 4 and to 8 bytes.
#define ALSO(name) __attribute__((alias(#name)))
ALSO(__aeabi_memcpy) void __aeabi_memcpy4(void *to, const void *from, size_t n);
ALSO(__aeabi_memcpy) void __aeabi_memcpy8(void *to, const void *from, size_t n);
ALSO(__aeabi_memmove) void __aeabi_memmove4(void *to, const void *from, size_t n);
ALSO(__aeabi_memmove) void __aeabi_memmove8(void *to, const void *from, size_t n);
ALSO(__aeabi_memset) void __aeabi_memset4(void *to, size_t n, int value);
ALSO(__aeabi_memset) void __aeabi_memset8(void *to, size_t n, int value);
ALSO(__aeabi_memclr) void __aeabi_memclr4(void *to, size_t n);
ALSO(__aeabi_memclr) void __aeabi_memclr8(void *to, size_t n);

// NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)
