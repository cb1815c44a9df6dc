// SPDX-License-Identifier: MIT
// The document's lines, and the comparison.
#include "af_port.h"
#include "host.h"
#include "line.h"

int cmd_run(int argc, char **argv) {
    const bool is_short = take_switch(&argc, argv, "lines");
    const bool is_html = take_switch(&argc, argv, "html");
    if (!take_stream(&argc, argv) || !no_options_left(argc, argv)) {
        return STATUS_USAGE;
    }
    if (argc > 1) {
        return complain("run: takes no \"%s\"", argv[1]);
    }
    if (is_html && is_short) {
        return complain("run: --lines or --html, one at a time");
    }
    if (is_html) {
        return compare_with_document(stdout, true) ? STATUS_DONE : STATUS_FAILED;
    }
    struct line line = {"", 0};
    const uint32_t crc = n7_run(af_port_write);
    line_end(&line, af_port_write);
    line_text(&line, "CRC-32C of every tensor of every step: ");
    line_hash(&line, crc);
    line_end(&line, af_port_write);
    if (is_short) {
        return STATUS_DONE;
    }
    (void)putchar('\n');
    return compare_with_document(stdout, false) ? STATUS_DONE : STATUS_FAILED;
}
