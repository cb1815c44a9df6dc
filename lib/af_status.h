// SPDX-License-Identifier: MIT
/// Status codes: the only way in which a function of this library reports a failure.
#ifndef AF_STATUS_H
#define AF_STATUS_H

#include "af_config.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Every code once: name, value, sentence. Zero is success, a positive code asks to be called again, a negative one is
/// an error. Values are part of the interface and do not change between versions.
/// promise: status-values-stay
#define AF_STATUS_LIST(ROW)                                                                                            \
    ROW(AF_OK, 0, "done")                                                                                              \
    ROW(AF_MORE, 1, "a slice of the work is done, call again for the next")                                            \
    ROW(AF_ERR_NULL, -1, "a pointer that is needed is NULL")                                                           \
    ROW(AF_ERR_TOKEN, -2, "a token is not in the vocabulary")                                                          \
    ROW(AF_ERR_TARGET, -3, "a target is neither in the vocabulary nor AF_IGNORE")                                      \
    ROW(AF_ERR_LENGTH, -4, "a sequence is empty or longer than the context")                                           \
    ROW(AF_ERR_COUNT, -5, "the number of sequences or of targets is not the announced one or does not fit")            \
    ROW(AF_ERR_ORDER, -6, "the call does not fit the state: another call has to come first")                           \
    ROW(AF_ERR_RANGE, -7, "a number is outside its range")                                                             \
    ROW(AF_ERR_NOT_FINITE, -8, "a loss, gradient, weight, moment or logit is not finite, or is out of proportion")     \
    ROW(AF_ERR_CONTEXT_FULL, -9, "the context is full: no further token fits")                                         \
    ROW(AF_ERR_NO_CACHE, -10, "earlier rows change with later tokens: no token can be appended to a cache")            \
    ROW(AF_ERR_ALIGN, -11, "a region or the decoding memory is not aligned")                                           \
    ROW(AF_ERR_FLUSH_TO_ZERO, -20, "the processor flushes subnormal results to zero")                                  \
    ROW(AF_ERR_SUBNORMAL_INPUT, -21, "the processor reads subnormal operands as zero")                                 \
    ROW(AF_ERR_ROUND_UP, -22, "the processor rounds upwards, not to nearest")                                          \
    ROW(AF_ERR_ROUND_DOWN, -23, "the processor rounds downwards, not to nearest")                                      \
    ROW(AF_ERR_ROUND_TO_ZERO, -24, "the processor rounds towards zero, not to nearest")                                \
    ROW(AF_ERR_CONTRACTED, -25, "the compiler fused a multiplication with an addition")                                \
    ROW(AF_ERR_EXCESS_PRECISION, -26, "operations are carried out in more precision than their type has")              \
    ROW(AF_ERR_DIVISION, -27, "division is not correctly rounded")                                                     \
    ROW(AF_ERR_SQUARE_ROOT, -28, "the square root is not correctly rounded")                                           \
    ROW(AF_ERR_SUM_ORDER, -29, "a sum is not carried out in index order")                                              \
    ROW(AF_ERR_KERNEL, -30, "an operation does not give the bits that it has to give")                                 \
    ROW(AF_ERR_ROUND_TIES, -31, "the processor rounds ties away from zero, not to even")                               \
    ROW(AF_ERR_FAST_MATH, -32, "the compiler regroups or approximates: it was given -ffast-math or a part of it")      \
    ROW(AF_ERR_RUNNER, -33, "the runner does not run every piece once, on a worker that there is")                     \
    ROW(AF_ERR_STREAM, -34, "a random stream does not draw the numbers that it has to draw")                           \
    ROW(AF_ERR_STORAGE, -40, "the storage fails, or reads back something else than was programmed")                    \
    ROW(AF_ERR_STORAGE_SIZE, -41, "the storage is too small for two checkpoints, or its sizes do not divide")          \
    ROW(AF_ERR_NO_CHECKPOINT, -42, "the storage holds no whole checkpoint")                                            \
    ROW(AF_ERR_CHECKPOINT_VERSION, -43, "the checkpoint has another version of the format")                            \
    ROW(AF_ERR_CHECKPOINT_CONFIG, -44, "the checkpoint is of another configuration")                                   \
    ROW(AF_ERR_CHECKPOINT_CONTENT, -45, "the checkpoint is undamaged but holds what training cannot produce")          \
    ROW(AF_ERR_CHECKPOINT_TWINS, -46, "two different checkpoints have the same number")                                \
    ROW(AF_ERR_CHECKPOINT_LOST, -47,                                                                                   \
        "the storage failed while a checkpoint was copied: the state is lost, load again")                             \
    ROW(AF_ERR_DAMAGED, -50, "the memory is not as it was sealed, or as the library left it")

typedef enum {
#define AF_STATUS_ENUM(name, value, text) name = (value),
    AF_STATUS_LIST(AF_STATUS_ENUM)
#undef AF_STATUS_ENUM
} af_status;

// -fshort-enums changes structs. Where it is the ABI's own choice, as on Arm, it is part of the names (af_names.h).
#ifndef __ARM_SIZEOF_MINIMAL_ENUM
AF_STATIC_ASSERT(sizeof(af_status) == sizeof(int), enums_are_not_short);
#endif

/// The name of a code ("AF_ERR_TOKEN") and what it means, in a sentence without a full stop. For a value that is not
/// a code: "?" and "unknown status". The strings are constant and live forever.
const char *af_status_name(af_status status);
// promise: status-named
const char *af_status_text(af_status status);

#ifdef __cplusplus
}
#endif
#endif
