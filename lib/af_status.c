// SPDX-License-Identifier: MIT
// Names and sentences of the status codes.
#define AF_FILE_status 0, AF_OWN
#include "af_status.h"

const char *af_status_name(const af_status status) {
    switch (status) {
#define AF_STATUS_CASE(name, value, text)                                                                              \
    case name:                                                                                                         \
        return #name;
        AF_STATUS_LIST(AF_STATUS_CASE)
#undef AF_STATUS_CASE
    default:
        return "?";
    }
}

const char *af_status_text(const af_status status) {
    switch (status) {
#define AF_STATUS_CASE(name, value, text)                                                                              \
    case name:                                                                                                         \
        return text;
        AF_STATUS_LIST(AF_STATUS_CASE)
#undef AF_STATUS_CASE
    default:
        return "unknown status";
    }
}

#include "af_inner_export.h"
