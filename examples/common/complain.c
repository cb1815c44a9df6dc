// SPDX-License-Identifier: MIT
#include "command_line.h"

#include <stdarg.h>

enum {
    MESSAGE_BYTES = 1 << 18, // two arguments of the longest kind that Linux passes on
    END_BYTES = 200,         // so much is shown of either end of a long message
    SHOWN_BYTES = 4          // of a byte: \xNN
};

/// Writes n bytes of text, each so that it can be printed. Returns where the next would go.
static char *put_printable(char *out, const char *const text, const size_t n) {
    static const char digit[] = "0123456789ABCDEF";
    for (size_t i = 0; i < n; i++) {
        const unsigned char byte = (unsigned char)text[i];
        if (byte >= ' ' && byte <= '~') {
            *out++ = text[i];
        } else {
            *out++ = '\\';
            *out++ = 'x';
            *out++ = digit[byte / 16];
            *out++ = digit[byte % 16];
        }
    }
    return out;
}

int complain(const char *const format, ...) {
    static char message[MESSAGE_BYTES];
    char line[2 * END_BYTES * SHOWN_BYTES + sizeof("...")];
    char *end = line;
    va_list arguments;
    va_start(arguments, format);
    const int n_all = vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    const size_t n = n_all < 0 ? 0 : (size_t)n_all < sizeof(message) ? (size_t)n_all : sizeof(message) - 1;
    if (n <= 2 * END_BYTES) {
        end = put_printable(end, message, n);
    } else { // what is wrong stands behind what was typed: both ends
        end = put_printable(end, message, END_BYTES);
        for (size_t i = 0; i < 3; i++) {
            *end++ = '.';
        }
        end = put_printable(end, &message[n - END_BYTES], END_BYTES);
    }
    *end = '\0';
    (void)fflush(stdout); // what was said before comes before
    (void)fprintf(stderr, "%s: %s\n", program_name, line);
    return STATUS_USAGE;
}
