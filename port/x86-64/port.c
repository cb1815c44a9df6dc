// SPDX-License-Identifier: MIT
// x86-64 under Linux without a C library: start-up, and the port by system calls.
#include "af_port.h"

int main(void);
void start_process(void);

enum { CALL_WRITE = 1, CALL_EXIT = 60, CALL_CLOCK_GETTIME = 228 };
enum { STANDARD_OUTPUT = 1, CLOCK_MONOTONIC = 1, TICKS_PER_SECOND = 1000000000 };

static long system_call(const long number, const long a, const void *const b, const size_t c) {
    long result = number;
    __asm volatile("syscall" : "+a"(result) : "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return result;
}

__attribute__((used)) static void start_c(void) {
    (void)system_call(CALL_EXIT, main(), NULL, 0);
}

/// The stack is our own, at the lower end of its memory.
__attribute__((naked, section(".start"), used)) void start_process(void) {
    __asm volatile("lea stack_top, %rsp\n"
                   "call start_c\n");
}

uint64_t af_port_ticks(void) {
    uint64_t now[2] = {0, 0}; // seconds, nanoseconds
    (void)system_call(CALL_CLOCK_GETTIME, CLOCK_MONOTONIC, now, 0);
    return now[0] * TICKS_PER_SECOND + now[1];
}

uint32_t af_port_ticks_per_second(void) {
    return TICKS_PER_SECOND;
}

void af_port_write(const char *const text, const size_t n) {
    for (size_t done = 0; done < n;) {
        const long more = system_call(CALL_WRITE, STANDARD_OUTPUT, &text[done], n - done);
        if (more < 0) {
            return; // nobody reads: what is left is dropped
        }
        done += (size_t)more;
    }
}
