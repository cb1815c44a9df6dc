// SPDX-License-Identifier: MIT
// Console, start and end of the programs for boards.
#include "firmware.h"
#include "decimal.h"

AF_STATIC_ASSERT(!AF_REAL_IS_DOUBLE, the_programs_for_boards_print_floats);

#ifndef PORT_NAME
#define PORT_NAME "?"
#endif

void print(const char *const text) {
    size_t n = 0;
    while (text[n] != '\0') {
        n++;
    }
    af_port_write(text, n);
}

void print_whole(const uint64_t number) {
    char text[DECIMAL_CHARS];
    af_port_write(text, decimal_whole(text, number));
}

void print_hex(const uint32_t number) {
    char text[DECIMAL_CHARS];
    af_port_write(text, decimal_hex(text, number));
}

void print_real(const af_real number) {
    char text[DECIMAL_CHARS];
    af_port_write(text, decimal_real(text, number, 9));
}

bool firmware_begin(const char *const program) {
    print("arenaformer " PORT_NAME ": ");
    print(program);
    print("\n");
    const af_status status = af_selftest();
    print("self-test: ");
    print(af_status_text(status));
    print("\n");
    return status == AF_OK;
}

int firmware_fail(const char *const where, const af_status status) {
    print(where);
    print(": ");
    print(af_status_name(status));
    print(", ");
    print(af_status_text(status));
    print("\n");
    return 1;
}
