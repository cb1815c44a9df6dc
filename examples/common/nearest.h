// SPDX-License-Identifier: MIT
/// "Did you mean ...?": the known name that is nearest to a misspelt one.
#ifndef NEAREST_H
#define NEAREST_H

#include <stddef.h>

/// How many letters have to be inserted, left out, replaced or swapped with their neighbour to make `b` of `a`. Only
/// the first 63 characters of each count. Cost: the product of the lengths.
size_t nearest_distance(const char *a, const char *b);

/// The one of n names that is nearest to `text`, the first of several; NULL if none is near: if more than a third of
/// the text, and more than one letter, would have to change.
const char *nearest_name(const char *text, const char *const *name, size_t n);

/// The same however far it is; NULL if there are no names.
const char *nearest_of_all(const char *text, const char *const *name, size_t n);

#endif
