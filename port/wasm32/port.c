// SPDX-License-Identifier: MIT
// WebAssembly: the port by two functions that the host brings (run.mjs).
#include "af_port.h"

enum { TICKS_PER_SECOND = 1000000000 };

#define IMPORT(name) __attribute__((import_module("port"), import_name(name)))
#define EXPORT(name) __attribute__((export_name(name)))

IMPORT("nanoseconds") uint64_t port_nanoseconds(void);
IMPORT("write") void port_write(const char *text, size_t n);

int main(void);
int start(void);

EXPORT("start") int start(void) {
    return main();
}

uint64_t af_port_ticks(void) {
    return port_nanoseconds();
}

uint32_t af_port_ticks_per_second(void) {
    return TICKS_PER_SECOND;
}

void af_port_write(const char *const text, const size_t n) {
    port_write(text, n);
}
