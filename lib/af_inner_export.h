// SPDX-License-Identifier: MIT
/// The last line of each file of lib/ that defines names: gives them their long ones, too (af_names.h).
#include "af_names.h"

#ifdef __cplusplus
#error "The files of lib/ are C99 and compiled as such; their headers are for C and C++."
#endif

#if AF_HAS_ALIAS
#define AF_OWN(name)               AF_ALIAS(name, AF_LONG_NAME(name))
#define AF_ALIAS(name, long_name)  AF_ALIAS_(name, long_name)
// A declaration has no parentheses. NOLINTNEXTLINE(bugprone-macro-parentheses)
#define AF_ALIAS_(name, long_name) extern __typeof__(name) long_name __attribute__((weak, alias(#name)));
#define AF_NOT_OWN(name)
#define AF_NAME(file, name) AF_UNLESS_OWN(AF_FILE_##file, AF_NOT_OWN)(name)
#define AF_EVERY_NAME       0
#include "af_names.def"
#endif
