// SPDX-License-Identifier: MIT
// How the files of this folder were compiled.
#include "inner.h"
#include "layers.h"

af_status n7_selftest(void) {
#define ASK(name) n7_liberties_##name,
    static af_status (*const ask[])(const volatile af_real *) = {N7_COMPUTING_FILES(ASK)};
#undef ASK
    af_status status = AF_OK;
    for (size_t i = 0; i < sizeof(ask) / sizeof(ask[0]) && status == AF_OK; i++) {
        status = ask[i](af_liberty_number);
    }
    return status;
}
