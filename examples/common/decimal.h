// SPDX-License-Identifier: MIT
/// Numbers as decimal text, without a C library and without floating-point arithmetic.
#ifndef DECIMAL_H
#define DECIMAL_H

#include <stddef.h>
#include <stdint.h>

/// Room for any text of these functions, with its end.
enum { DECIMAL_CHARS = 32, DECIMAL_MAX_DIGITS = 17 };

/// Writes x as printf's "%.<n_digits>g" does: n_digits significant digits, 1 to DECIMAL_MAX_DIGITS, rounded from the
/// exact value to nearest, ties to even; an exponent where it is less than -4 or not less than n_digits; no zeros at
/// the end. Nine digits tell every float from its neighbours. Returns the length.
size_t decimal_real(char out[DECIMAL_CHARS], float x, unsigned n_digits);

/// Writes a whole number. Returns the length.
size_t decimal_whole(char out[DECIMAL_CHARS], uint64_t number);

/// Writes 32 bits as eight hexadecimal digits. Returns 8.
size_t decimal_hex(char out[DECIMAL_CHARS], uint32_t number);

#endif
