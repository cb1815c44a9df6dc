// SPDX-License-Identifier: MIT
// One line of the table of sizes: what the regions of this configuration take. sizes.sh builds it once for each line.
#include "af.h"

#include <stdio.h>

static const unsigned long planes = (1 + 3 * AF_TRAINING) * (unsigned long)AF_PLANE_BYTES;
static const unsigned long packed = AF_PACKED * (unsigned long)AF_PACKED_BYTES;
static const unsigned long work = AF_WORK_BYTES;
static const unsigned long arena = AF_ARENA_BYTES;

int main(int argc, char **argv) {
    const char *const label = argc > 1 ? argv[1] : "";
    printf("| %s | %lu | %lu | %lu | %lu | %.3f |\n", label, planes, packed, work, arena,
           (double)arena / (double)planes);
    return 0;
}
