// SPDX-License-Identifier: MIT
/// Doubles as decimal text, rounded as printf rounds: the exact binary value to the nearest decimal one, ties to even.
/// Integers only and no C library, so that a board prints the bytes that a laptop prints.
#ifndef DECIMAL_DOUBLE_H
#define DECIMAL_DOUBLE_H

#include <stddef.h>

/// Room for every text of this header, with its terminating 0.
enum { DECIMAL_DOUBLE_BYTES = 32, DECIMAL_DOUBLE_MAX_DIGITS = 17 };

/// Writes x with n_digits digits behind the point, as "%.*f" does; n_digits <= DECIMAL_DOUBLE_MAX_DIGITS. Where |x| has
/// more than 19 digits in all, it is written as decimal_exponent() does. Returns the length.
size_t decimal_fixed(char out[DECIMAL_DOUBLE_BYTES], double x, unsigned n_digits);

/// Writes x with one digit before and n_digits behind the point and an exponent of at least two digits, as "%.*e" does;
/// n_digits <= DECIMAL_DOUBLE_MAX_DIGITS. Returns the length. Infinities are "inf", what is no number "nan".
size_t decimal_exponent(char out[DECIMAL_DOUBLE_BYTES], double x, unsigned n_digits);

#endif
