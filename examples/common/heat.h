// SPDX-License-Identifier: MIT
/// Colours for numbers, and the bar that says what they mean.
#ifndef HEAT_H
#define HEAT_H

#include "svg.h"

enum { HEAT_COLOUR_BYTES = 8 };

/// A colour for a share of 0 to 1, as "#rrggbb".
typedef void heat_colour(char out[HEAT_COLOUR_BYTES], double share);

/// White to dark blue, readable in grey: every step is darker than the one before it.
heat_colour heat_blue;

/// Red over white to blue: white is 0.5.
heat_colour heat_red_blue;

/// Draws a bar of the colours with five numbers from low to high: below the bar if it is wide, beside it if it is high.
void heat_bar(FILE *file, struct svg_box box, heat_colour *colour, double low, double high);

#endif
