// SPDX-License-Identifier: MIT
/// Text in HTML and in XML.
#ifndef ESCAPED_H
#define ESCAPED_H

#include <stdio.h>

/// Writes text with the characters replaced that would mean something there: & < > "
void write_escaped(FILE *file, const char *text);

#endif
