// SPDX-License-Identifier: MIT
// Notebook 7 as firmware: what the document prints, on the board's console, and one number for all bits behind it.
#include "af_port.h"
#include "line.h"

int main(void) {
    struct line line = {"", 0};
    af_status status = af_selftest();
    if (status == AF_OK) {
        status = n7_selftest();
    }
    if (status != AF_OK) {
        line_text(&line, "the self-test fails: ");
        line_text(&line, af_status_text(status));
        line_end(&line, af_port_write);
        return 1;
    }
    const uint32_t crc = n7_run(af_port_write);
    line_text(&line, "CRC-32C of every tensor of every step: ");
    line_hash(&line, crc);
    line_end(&line, af_port_write);
    return 0;
}
