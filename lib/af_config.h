// SPDX-License-Identifier: MIT
/// Configuration: every size and switch of the library, with its default, its range and the reason to change it.
///
/// Set values with -D, or put those that differ from the defaults into a header: arenaformer_config.h, found without an
/// option on the include path, in this folder or in the one above; or one of another name, given by
/// -DAF_CONFIG_HEADER='"my_config.h"'. The defaults are the string-reversal model of the chapter "Attention and the
/// transformer block".
///
/// Program and library have to see the same configuration. Every setting is part of the functions' names for the linker
/// (af_names.h), so a program compiled with another configuration does not link. Two models in one program: AF_PREFIX
/// in af_names.h.
///
/// A value out of its range, a word in place of a number, or a combination that makes no sense does not compile. The
/// compiler cannot notice a misspelt name (AF_DIMM), which has no effect. `make` refuses such a -D in OPT; in a build
/// of your own, look at the names in a linker's map, or at the macros themselves:
///     cc -dM -E af_config.h | grep -w AF_DIM
#ifndef AF_CONFIG_H
#define AF_CONFIG_H

#if defined(AF_CONFIG_HEADER)
#include AF_CONFIG_HEADER
#elif defined(__has_include)
#if __has_include("arenaformer_config.h")
#include "arenaformer_config.h"
#elif __has_include("../arenaformer_config.h")
#include "../arenaformer_config.h"
#endif
#endif

#include <float.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// ---------------------------------------------------------------------------------------------------------- sizes

/// V: number of different tokens. Token t is in [0, V).
#ifndef AF_VOCAB
#define AF_VOCAB 12
#endif

/// T: longest sequence, in tokens; the number of rows of the position table.
#ifndef AF_CONTEXT
#define AF_CONTEXT 25
#endif

/// D: width of a token's vector. A multiple of AF_HEADS.
#ifndef AF_DIM
#define AF_DIM 64
#endif

/// H: attention heads a block; each works on D / H components.
#ifndef AF_HEADS
#define AF_HEADS 2
#endif

/// L: transformer blocks.
#ifndef AF_BLOCKS
#define AF_BLOCKS 2
#endif

/// F: width of the feed-forward network between its two layers.
#ifndef AF_FF
#define AF_FF (4 * AF_DIM)
#endif

// ------------------------------------------------------------------------------------------------------- the model

// Each of these switches makes one change to the chapter's model, mostly for the worse, to show what the part does.

/// 1 divides scores by the root of a head's width (chapter, section 1.4); 0 leaves them as they are.
#ifndef AF_SCALED
#define AF_SCALED 1
#endif

/// 1 hides later keys from a query (section 1.5); 0 shows every query all keys of its sequence, padding included.
#ifndef AF_CAUSAL
#define AF_CAUSAL 1
#endif

/// 0 takes the softmax over keys: the weights of each query sum to 1. 1 takes it over queries, the wrong axis: the
/// weights of each key sum to 1.
#ifndef AF_SOFTMAX_QUERIES
#define AF_SOFTMAX_QUERIES 0
#endif

/// 1 adds a branch's input to its output (section 1.7); 0 goes on with the output alone.
#ifndef AF_RESIDUAL
#define AF_RESIDUAL 1
#endif

/// 0 normalises the input of a branch, x + f(LN(x)); 1 normalises after the addition, LN(x + f(x)) (section 1.7).
#ifndef AF_POST_NORM
#define AF_POST_NORM 0
#endif

// ------------------------------------------------------------------------------------------------ memory and speed

/// 1 if a token's activations do not depend on later tokens: only then can decoding cache keys and values.
#if AF_CAUSAL && !AF_SOFTMAX_QUERIES
#define AF_CAN_CACHE 1
#else
#define AF_CAN_CACHE 0
#endif

/// Sequences that go through the model together. Changes memory and speed, never a bit of the result.
/// promise: memory-modes-same-bits
#ifndef AF_MICRO_BATCH
#define AF_MICRO_BATCH 1
#endif

/// 1 keeps a copy of the weights in the order in which the tile kernels read them. Tiles need it, plain loops do not.
#ifndef AF_PACKED
#define AF_PACKED 0
#endif

/// What backward computes again instead of keeping it from forward. Changes memory and speed, never a bit.
///   0  nothing: every activation is kept
///   1  layer norms and MLPs, a few rows at a time: about a tenth more work
///   2  the attention of each block as well, so that only a block's input is kept: about a sixth more work
/// 1 and 2 are for one worker.
#ifndef AF_RECOMPUTE
#define AF_RECOMPUTE 0
#endif

/// 1 leaves out the positions that no loss can see. 0 computes every position of every sequence: the same bits for more
/// work, to show what leaving them out saves.
#ifndef AF_PRUNED
#define AF_PRUNED 1
#endif

/// Most workers that may run pieces of one step at the same time; each needs some scratch memory.
#ifndef AF_WORKERS
#define AF_WORKERS 1
#endif

/// Tokens of a prompt that decoding takes at a time. A larger number reads the weights fewer times and needs more
/// memory. Without AF_CAN_CACHE it is AF_CONTEXT: every prefix is computed anew as a whole.
#ifndef AF_DECODE_ROWS
#if AF_CAN_CACHE
#define AF_DECODE_ROWS 1
#else
#define AF_DECODE_ROWS AF_CONTEXT
#endif
#endif

/// Alignment of the arena and of every region in it, in bytes: a power of two, at least 8. 64 is a cache line. gcc and
/// clang align `af_arena` to it; with another compiler the linker script does, or the regions are the program's own.
#ifndef AF_ALIGN
#define AF_ALIGN 64
#endif

/// Largest program unit of the checkpoints' storage, in bytes: a power of two, at least 256. struct af_checkpoint has a
/// buffer of this size (af_checkpoint_save() has it on its stack). NOR flash has units of 1 to 256 bytes and often
/// pages of 512, NAND flash 2048 and more.
#ifndef AF_STORAGE_UNIT
#define AF_STORAGE_UNIT 512
#endif

// ------------------------------------------------------------------------------------------------------- features

/// 0 leaves out everything that only training needs: three of the four planes, saved activations, backward, AdamW.
/// promise: parts-left-out
#ifndef AF_TRAINING
#define AF_TRAINING 1
#endif

/// 0 leaves out the map: its table and the functions that find tensors by name and by address.
#ifndef AF_MAP
#define AF_MAP 1
#endif

/// 0 leaves out the random streams of NumPy and PyTorch, and drawing the initial weights.
#ifndef AF_STREAMS
#define AF_STREAMS 1
#endif

/// The type of every weight and activation: float, or double for the reference build that tests compare with.
#ifndef AF_REAL
#define AF_REAL float
#endif

/// The real type of one file of lib/. A file may set it for itself, as the one that draws NumPy's normals does.
#ifndef AF_UNIT_REAL
#define AF_UNIT_REAL AF_REAL
#endif

// ------------------------------------------------------------------------------------------------------- constants

// Whole numbers, since the preprocessor, which checks ranges and makes names, knows no others.

/// AdamW's decay rates of the two moments, in millionths: 900000 is 0.9.
#ifndef AF_ADAMW_BETA1_E6
#define AF_ADAMW_BETA1_E6 900000
#endif
#ifndef AF_ADAMW_BETA2_E6
#define AF_ADAMW_BETA2_E6 999000
#endif

/// What AdamW adds to the bias-corrected root, in units of 10^-12: 10000 is 1e-8.
#ifndef AF_ADAMW_EPS_E12
#define AF_ADAMW_EPS_E12 10000
#endif

/// What layer normalisation adds to the variance, in units of 10^-12: 10000000 is 1e-5.
#ifndef AF_LAYERNORM_EPS_E12
#define AF_LAYERNORM_EPS_E12 10000000
#endif

// -------------------------------------------------------------------------------------------- checks and derived
// promise: wrong-config-stops

#define AF_PASTE_(a, b)          a##b
#define AF_PASTE(a, b)           AF_PASTE_(a, b)
#define AF_REAL_BYTES_float      4
#define AF_REAL_BYTES_double     8
#define AF_REAL_BYTES            AF_PASTE(AF_REAL_BYTES_, AF_UNIT_REAL)
#define AF_REAL_IS_DOUBLE        (AF_REAL_BYTES == 8)
#define AF_REAL_BYTES_OF_LIBRARY AF_PASTE(AF_REAL_BYTES_, AF_REAL)

/// A constant of another type, in C and in C++.
#ifdef __cplusplus
#define AF_CAST(type, x) static_cast<type>(x)
#else
#define AF_CAST(type, x) ((type)(x))
#endif

// 1 if a switch is 0, 1, 2 or an expression in parentheses. #if takes any other word for 0 without a warning.
#define AF_IS_NUMBER(x)         AF_PASTE(AF_IS_NUMBER_, AF_IS_IN_PARENTHESES(x))(x)
#define AF_IS_NUMBER_1(x)       1
#define AF_IS_NUMBER_0(x)       AF_PASTE(AF_NUMBER_, x)
#define AF_IS_IN_PARENTHESES(x) AF_SECOND(AF_TWO x, 0, 0)
#define AF_TWO(...)             0, 1
#define AF_SECOND(...)          AF_SECOND_(__VA_ARGS__, 0)
#define AF_SECOND_(a, b, ...)   b
#define AF_NUMBER_0             1
#define AF_NUMBER_1             1
#define AF_NUMBER_2             1

#if AF_REAL_BYTES != 4 && AF_REAL_BYTES != 8
#error "AF_REAL must be float or double."
#endif

#if AF_REAL_BYTES != AF_REAL_BYTES_OF_LIBRARY && !defined(AF_FILE_numpy_normal)
#error "AF_UNIT_REAL is for files of lib/ alone: a program sets AF_REAL."
#endif

#if AF_VOCAB < 2 || AF_VOCAB > 65534
#error "AF_VOCAB must be in the range [2, 65534]: a token is at most 16 bits wide and one value means 'ignored'."
#endif
#if AF_CONTEXT < 1 || AF_CONTEXT > 4096
#error "AF_CONTEXT must be in the range [1, 4096]."
#endif
#if AF_DIM < 1 || AF_DIM > 4096
#error "AF_DIM must be in the range [1, 4096]."
#endif
#if AF_HEADS < 1 || AF_HEADS > 64
#error "AF_HEADS must be in the range [1, 64]."
#elif AF_DIM % AF_HEADS != 0
#error "AF_DIM must be a multiple of AF_HEADS: every head gets the same number of components."
#endif
#if AF_BLOCKS < 1 || AF_BLOCKS > 64
#error "AF_BLOCKS must be in the range [1, 64]."
#endif
#if AF_FF < 1 || AF_FF > 16384
#error "AF_FF must be in the range [1, 16384]."
#endif
#if (AF_SCALED != 0 && AF_SCALED != 1) || (AF_CAUSAL != 0 && AF_CAUSAL != 1) ||                                        \
    (AF_SOFTMAX_QUERIES != 0 && AF_SOFTMAX_QUERIES != 1) || (AF_RESIDUAL != 0 && AF_RESIDUAL != 1) ||                  \
    (AF_POST_NORM != 0 && AF_POST_NORM != 1)
#error "AF_SCALED, AF_CAUSAL, AF_SOFTMAX_QUERIES, AF_RESIDUAL and AF_POST_NORM are switches: each must be 0 or 1."
#endif
#if AF_MICRO_BATCH < 1 || AF_MICRO_BATCH > 1024
#error "AF_MICRO_BATCH must be in the range [1, 1024]."
#endif
#if AF_PACKED != 0 && AF_PACKED != 1
#error "AF_PACKED is a switch: it must be 0 or 1."
#endif
#if AF_WORKERS < 1 || AF_WORKERS > 64
#error "AF_WORKERS must be in the range [1, 64]."
#endif
#if AF_RECOMPUTE < 0 || AF_RECOMPUTE > 2
#error "AF_RECOMPUTE must be 0, 1 or 2."
#elif AF_RECOMPUTE > 0 && AF_WORKERS > 1
#error "AF_RECOMPUTE needs AF_WORKERS 1: what is computed again has room for one worker."
#elif AF_RECOMPUTE > 0 && AF_POST_NORM
#error "AF_POST_NORM needs AF_RECOMPUTE 0: the sum before its second layer norm is kept."
#endif
#if AF_PRUNED != 0 && AF_PRUNED != 1
#error "AF_PRUNED is a switch: it must be 0 or 1."
#endif
#if AF_DECODE_ROWS < 1 || AF_DECODE_ROWS > AF_CONTEXT
#error "AF_DECODE_ROWS must be in the range [1, AF_CONTEXT]: a prompt is no longer than the context."
#elif !AF_CAN_CACHE && AF_DECODE_ROWS != AF_CONTEXT
#error "AF_DECODE_ROWS must be AF_CONTEXT with AF_CAUSAL 0 or AF_SOFTMAX_QUERIES 1: every prefix is computed anew."
#endif
#if AF_ALIGN < 8 || AF_ALIGN > 4096 || (AF_ALIGN & (AF_ALIGN - 1)) != 0
#error "AF_ALIGN must be a power of two in the range [8, 4096]."
#endif
#if AF_STORAGE_UNIT < 256 || AF_STORAGE_UNIT > 65536 || (AF_STORAGE_UNIT & (AF_STORAGE_UNIT - 1)) != 0
#error "AF_STORAGE_UNIT must be a power of two in the range [256, 65536]."
#endif
#if (AF_TRAINING != 0 && AF_TRAINING != 1) || (AF_MAP != 0 && AF_MAP != 1) || (AF_STREAMS != 0 && AF_STREAMS != 1)
#error "AF_TRAINING, AF_MAP and AF_STREAMS are switches: each must be 0 or 1."
#endif
#if (AF_VOCAB > 0 && (AF_VOCAB) / AF_VOCAB != 1) || (AF_CONTEXT > 0 && (AF_CONTEXT) / AF_CONTEXT != 1) ||              \
    (AF_DIM > 0 && (AF_DIM) / AF_DIM != 1) || (AF_HEADS > 0 && (AF_HEADS) / AF_HEADS != 1) ||                          \
    (AF_BLOCKS > 0 && (AF_BLOCKS) / AF_BLOCKS != 1) || (AF_FF > 0 && (AF_FF) / AF_FF != 1) ||                          \
    (AF_MICRO_BATCH > 0 && (AF_MICRO_BATCH) / AF_MICRO_BATCH != 1) || (AF_ALIGN > 0 && (AF_ALIGN) / AF_ALIGN != 1) ||  \
    (AF_WORKERS > 0 && (AF_WORKERS) / AF_WORKERS != 1) || (AF_STORAGE_UNIT) / AF_STORAGE_UNIT != 1 ||                  \
    (AF_DECODE_ROWS > 0 && (AF_DECODE_ROWS) / AF_DECODE_ROWS != 1)
#error "A size that is an expression must stand in parentheses, as in -D'AF_DIM=(4 * 16)'."
#endif
#if 2 * AF_SCALED * 2 != 4 * (AF_SCALED) || 2 * AF_CAUSAL * 2 != 4 * (AF_CAUSAL) ||                                    \
    2 * AF_SOFTMAX_QUERIES * 2 != 4 * (AF_SOFTMAX_QUERIES) || 2 * AF_RESIDUAL * 2 != 4 * (AF_RESIDUAL) ||              \
    2 * AF_POST_NORM * 2 != 4 * (AF_POST_NORM) || 2 * AF_PRUNED * 2 != 4 * (AF_PRUNED) ||                              \
    2 * AF_RECOMPUTE * 2 != 4 * (AF_RECOMPUTE) || 2 * AF_PACKED * 2 != 4 * (AF_PACKED) ||                              \
    2 * AF_TRAINING * 2 != 4 * (AF_TRAINING) || 2 * AF_MAP * 2 != 4 * (AF_MAP) ||                                      \
    2 * AF_STREAMS * 2 != 4 * (AF_STREAMS)
#error "A switch that is an expression must stand in parentheses, as in -D'AF_MAP=(AF_TRAINING)'."
#endif
#if !AF_IS_NUMBER(AF_SCALED) || !AF_IS_NUMBER(AF_CAUSAL) || !AF_IS_NUMBER(AF_SOFTMAX_QUERIES) ||                       \
    !AF_IS_NUMBER(AF_RESIDUAL) || !AF_IS_NUMBER(AF_POST_NORM) || !AF_IS_NUMBER(AF_PRUNED) ||                           \
    !AF_IS_NUMBER(AF_RECOMPUTE) || !AF_IS_NUMBER(AF_PACKED) || !AF_IS_NUMBER(AF_TRAINING) || !AF_IS_NUMBER(AF_MAP) ||  \
    !AF_IS_NUMBER(AF_STREAMS)
#error "A switch must be a number, 0 or 1 (AF_RECOMPUTE also 2): a word, as in -DAF_MAP=yes, is none."
#endif
#if defined(AF_ADAMW_BETA1) || defined(AF_ADAMW_BETA2) || defined(AF_ADAMW_BETA1_REST) ||                              \
    defined(AF_ADAMW_BETA2_REST) || defined(AF_ADAMW_EPS) || defined(AF_LAYERNORM_EPS)
#error                                                                                                                 \
    "Set AF_ADAMW_BETA1_E6, AF_ADAMW_BETA2_E6 (900000 is 0.9), AF_ADAMW_EPS_E12 or AF_LAYERNORM_EPS_E12 (10000 is 1e-8)."
#endif
#if AF_ADAMW_BETA1_E6 < 0 || AF_ADAMW_BETA1_E6 > 999999 || AF_ADAMW_BETA2_E6 < 0 || AF_ADAMW_BETA2_E6 > 999999
#error "AF_ADAMW_BETA1_E6 and AF_ADAMW_BETA2_E6 must be in the range [0, 999999], millionths: 900000 is 0.9."
#endif
#if AF_ADAMW_EPS_E12 < 1 || AF_ADAMW_EPS_E12 > 1000000000 || AF_LAYERNORM_EPS_E12 < 1 ||                               \
    AF_LAYERNORM_EPS_E12 > 1000000000
#error "AF_ADAMW_EPS_E12 and AF_LAYERNORM_EPS_E12 must be in the range [1, 1000000000], units of 10^-12: 10000 is 1e-8."
#endif
#if 2 * AF_ADAMW_BETA1_E6 * 2 != 4 * (AF_ADAMW_BETA1_E6) || 2 * AF_ADAMW_BETA2_E6 * 2 != 4 * (AF_ADAMW_BETA2_E6) ||    \
    2 * AF_ADAMW_EPS_E12 * 2 != 4 * (AF_ADAMW_EPS_E12) || 2 * AF_LAYERNORM_EPS_E12 * 2 != 4 * (AF_LAYERNORM_EPS_E12)
#error "A constant that is an expression must stand in parentheses, as in -D'AF_ADAMW_EPS_E12=(100 * 100)'."
#endif
#if AF_STREAMS != 0 && (AF_VOCAB * AF_DIM < 16 || AF_CONTEXT * AF_DIM < 16)
#error "AF_STREAMS needs AF_VOCAB * AF_DIM >= 16 and AF_CONTEXT * AF_DIM >= 16: PyTorch draws short tables differently."
#endif
#if CHAR_BIT != 8 || INT_MAX < 2147483647
#error "arenaformer needs 8-bit bytes and an int of at least 32 bits."
#endif
#if FLT_RADIX != 2 || FLT_MANT_DIG != 24 || FLT_MAX_EXP != 128 || DBL_MANT_DIG != 53
#error "arenaformer needs IEEE-754 binary32 as float and binary64 as double."
#endif
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) ||                         \
    defined(__NO_SIGNED_ZEROS__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ != 0)
#error "arenaformer must not be compiled with -ffast-math or parts of it: results would differ between machines."
#endif
#if defined(__ALTIVEC__) && !defined(__VSX__)
#error "arenaformer must not be compiled with AltiVec: its vectors flush subnormal numbers (-mno-altivec, or -mvsx)."
#endif
#if FLT_EVAL_METHOD != 0 && !defined(AF_TEST_ALLOW_EXCESS_PRECISION)
#error "arenaformer needs FLT_EVAL_METHOD 0: every operation rounds to its own type (32-bit x86: -msse2 -mfpmath=sse)."
#endif

typedef AF_UNIT_REAL af_real;

/// A constant of the library's real type.
#define AF_R(x) AF_CAST(af_real, x)

/// AdamW's decay rates, and 1 minus each as a constant of its own: 1 - beta in float loses digits. Both are quotients
/// of whole numbers, so each is the number of its type that is nearest to the decimal one.
#define AF_ADAMW_BETA1      (AF_ADAMW_BETA1_E6 / 1e6)
#define AF_ADAMW_BETA1_REST ((1000000 - AF_ADAMW_BETA1_E6) / 1e6)
#define AF_ADAMW_BETA2      (AF_ADAMW_BETA2_E6 / 1e6)
#define AF_ADAMW_BETA2_REST ((1000000 - AF_ADAMW_BETA2_E6) / 1e6)

/// Added to the bias-corrected root.
#define AF_ADAMW_EPS (AF_ADAMW_EPS_E12 / 1e12)

/// Added to the variance in layer normalisation.
#define AF_LAYERNORM_EPS (AF_LAYERNORM_EPS_E12 / 1e12)

/// One number for the four constants, 0 for the defaults. It differs if one of them differs; if several do, it is equal
/// in one case in 10^9.
#if AF_ADAMW_BETA1_E6 == 900000 && AF_ADAMW_BETA2_E6 == 999000 && AF_ADAMW_EPS_E12 == 10000 &&                         \
    AF_LAYERNORM_EPS_E12 == 10000000
#define AF_CONSTANTS_SUM 0
#else
#define AF_CONSTANTS_SUM                                                                                               \
    ((AF_ADAMW_BETA1_E6 * 1LL + AF_ADAMW_BETA2_E6 * 999983LL + AF_ADAMW_EPS_E12 * 314159265LL +                        \
      AF_LAYERNORM_EPS_E12 * 271828182LL) %                                                                            \
         1000000007 +                                                                                                  \
     1)
#endif

/// dk: components of a head.
#define AF_HEAD_DIM (AF_DIM / AF_HEADS)

/// Rows of activations that one micro-batch can fill.
#define AF_ROWS (AF_MICRO_BATCH * AF_CONTEXT)

/// Rows that layer norms and MLPs work on at once: all, or a few if backward computes them again.
#if AF_RECOMPUTE == 0 || AF_ROWS < 4
#define AF_CHUNK_ROWS AF_ROWS
#else
#define AF_CHUNK_ROWS 4
#endif

/// A token, and the value of a target that the loss ignores.
#if AF_VOCAB < 255
typedef uint8_t af_token;
#define AF_IGNORE AF_CAST(af_token, 0xFF)
#else
typedef uint16_t af_token;
#define AF_IGNORE AF_CAST(af_token, 0xFFFF)
#endif

#define AF_STATIC_ASSERT(condition, name) typedef char af_static_assert_##name[(condition) ? 1 : -1]

// Here a word in place of a number, which #if takes for 0, is an undeclared identifier.
enum {
    AF_NUMBER_SCALED = (AF_SCALED),
    AF_NUMBER_CAUSAL = (AF_CAUSAL),
    AF_NUMBER_SOFTMAX_QUERIES = (AF_SOFTMAX_QUERIES),
    AF_NUMBER_RESIDUAL = (AF_RESIDUAL),
    AF_NUMBER_POST_NORM = (AF_POST_NORM),
    AF_NUMBER_PRUNED = (AF_PRUNED),
    AF_NUMBER_RECOMPUTE = (AF_RECOMPUTE),
    AF_NUMBER_PACKED = (AF_PACKED),
    AF_NUMBER_TRAINING = (AF_TRAINING),
    AF_NUMBER_MAP = (AF_MAP),
    AF_NUMBER_STREAMS = (AF_STREAMS),
    AF_NUMBER_ADAMW_BETA1_E6 = (AF_ADAMW_BETA1_E6),
    AF_NUMBER_ADAMW_BETA2_E6 = (AF_ADAMW_BETA2_E6)
};

// Reject -fpack-struct, -malign-double and #pragma pack: a library compiled without them has other structs. The
// alignment of 64-bit numbers is the ABI's where that is known, else 4 or 8.
struct af_probe_32 {
    char first;
    uint32_t second;
};
struct af_probe_64 {
    char first;
    uint64_t second;
};
struct af_probe_pointer {
    char first;
    void *second;
};
struct af_probe_real {
    char first;
    af_real second;
};
#define AF_ALIGN_OF_32      offsetof(struct af_probe_32, second)
#define AF_ALIGN_OF_64      offsetof(struct af_probe_64, second)
#define AF_ALIGN_OF_POINTER offsetof(struct af_probe_pointer, second)
#define AF_ALIGN_OF_REAL    offsetof(struct af_probe_real, second)
#if defined(__m68k__)
AF_STATIC_ASSERT(AF_ALIGN_OF_32 > 1, structs_are_not_packed);
#else
AF_STATIC_ASSERT(AF_ALIGN_OF_32 == 4, structs_are_not_packed);
AF_STATIC_ASSERT(AF_ALIGN_OF_POINTER == sizeof(void *), pointers_in_structs_are_not_packed);
#if defined(__i386__) && !defined(_WIN32)
AF_STATIC_ASSERT(AF_ALIGN_OF_64 == 4, structs_are_those_of_the_abi);
#elif defined(__ARM_EABI__) || defined(__riscv) || defined(__mips__) || defined(__powerpc__) || defined(__wasm__)
AF_STATIC_ASSERT(AF_ALIGN_OF_64 == 8, structs_are_those_of_the_abi);
#else
AF_STATIC_ASSERT(AF_ALIGN_OF_64 == 8 || (sizeof(void *) == 4 && AF_ALIGN_OF_64 == 4), structs_are_those_of_the_abi);
#endif
#endif

// gcc's -fsingle-precision-constant, which has no macro, makes 1.0 a float. That does not change computations in float,
// but it changes the constants of files that compute in double: that of NumPy's normals, or all with AF_REAL double.
#if AF_REAL_IS_DOUBLE
AF_STATIC_ASSERT(sizeof(1.0) == AF_REAL_BYTES, arenaformer_must_not_be_compiled_with_fsingle_precision_constant_here);
#endif

#include "af_names.h"

// No contraction of a * b + c: clang needs the standard pragma, which gcc ignores. The self-tests check the result.
#if defined(__clang__) || !defined(__GNUC__)
#pragma STDC FP_CONTRACT OFF
#elif !defined(__cplusplus)
#pragma GCC optimize("fp-contract=off")
#endif

#endif
