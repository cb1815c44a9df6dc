// SPDX-License-Identifier: MIT
/// Names that carry the configuration. Included by af_config.h.
///
/// The configuration determines the sizes of structs, so a program must not be linked with a library that was compiled
/// with another one. Therefore the linker's name of every function and object of this library ends with all settings:
///
///     undefined reference to `af_train_end_V12_T8_D64_H2_L2_F256_S11010_M1_W1_P1_K001_A64_U512_X111_f32_E4_C0'
///
/// means that the program was compiled with AF_CONTEXT 8, and the library was not. (`nm` shows the library's settings.)
/// The parts:
///
///     V AF_VOCAB   T AF_CONTEXT   D AF_DIM   H AF_HEADS   L AF_BLOCKS   F AF_FF
///     S AF_SCALED, AF_CAUSAL, AF_SOFTMAX_QUERIES, AF_RESIDUAL, AF_POST_NORM, a digit each
///     M AF_MICRO_BATCH   W AF_WORKERS   P AF_DECODE_ROWS   K AF_PACKED, AF_RECOMPUTE, AF_PRUNED   A AF_ALIGN   U AF_STORAGE_UNIT
///     X AF_TRAINING, AF_MAP, AF_STREAMS   f bits of AF_REAL   E bytes of the smallest enum
///     C 0, or a number that stands for the constants of AdamW and layer norm
///
/// In C and in a debugger the names are the plain ones: where a file defines a function, its long name is an alias.
/// With gcc and clang for ELF only declarations are renamed, by a pragma; elsewhere the plain names are macros for the
/// long ones. None of this takes code or memory. A new function of lib/ needs a row in af_names.def and in
/// af_inner_rename.h; test/check_settings.sh finds missing rows, settings that no name carries, and calls that link all
/// the same.
///
/// Two models in one program
///
/// Compile lib/ once for each model, with its settings and with a prefix, say -DAF_PREFIX=small_, and with the same
/// options the files of the program that use it: one file uses one model. In C, functions and the arena are still
/// called af_...; for the linker and in a debugger they are small_af_... (`break small_af_train_end`, `p
/// small_af_arena`). The other model has another prefix, or none. test/two_models.c is such a program.
#ifndef AF_NAMES_H
#define AF_NAMES_H

#include "af_config.h"
#include "af_inner_digits.h"

#define AF_TEXT_MODEL  AF_JOIN5(S, AF_SCALED_1, AF_CAUSAL_1, AF_SOFTMAX_QUERIES_1, AF_RESIDUAL_1, AF_POST_NORM_1)
#define AF_TEXT_MEMORY AF_JOIN4(K, AF_PACKED_1, AF_RECOMPUTE_1, AF_PRUNED_1, )
#define AF_TEXT_PARTS  AF_JOIN4(X, AF_TRAINING_1, AF_MAP_1, AF_STREAMS_1, )
#define AF_TEXT_REAL   AF_PASTE(AF_TEXT_REAL_, AF_REAL_BYTES_OF_LIBRARY)
#define AF_TEXT_REAL_4 f32
#define AF_TEXT_REAL_8 f64
#if defined(__ARM_SIZEOF_MINIMAL_ENUM) && __ARM_SIZEOF_MINIMAL_ENUM == 1
#define AF_TEXT_ENUM E1
#else
#define AF_TEXT_ENUM E4
#endif

#define AF_LONG_NAME(name)                                                                                             \
    AF_LONG_NAME_(name, AF_TEXT_VOCAB, AF_TEXT_CONTEXT, AF_TEXT_DIM, AF_TEXT_HEADS, AF_TEXT_BLOCKS, AF_TEXT_FF,        \
                  AF_TEXT_MODEL, AF_TEXT_MICRO_BATCH, AF_TEXT_WORKERS, AF_TEXT_DECODE_ROWS, AF_TEXT_MEMORY,            \
                  AF_TEXT_ALIGN, AF_TEXT_STORAGE_UNIT, AF_TEXT_PARTS, AF_TEXT_REAL, AF_TEXT_ENUM,                      \
                  AF_TEXT_CONSTANTS_SUM)
#define AF_LONG_NAME_(...) AF_LONG_NAME__(__VA_ARGS__)
#define AF_LONG_NAME__(n, v, t, d, h, l, f, s, m, w, p, k, a, u, x, r, e, c)                                           \
    n##_##v##_##t##_##d##_##h##_##l##_##f##_##s##_##m##_##w##_##p##_##k##_##a##_##u##_##x##_##r##_##e##_##c

/// 1 if a declaration can have another name for the linker than in C.
#if defined(__GNUC__) && defined(__ELF__)
#define AF_HAS_ALIAS 1
#else
#define AF_HAS_ALIAS 0
#endif

#if !AF_HAS_ALIAS && defined(AF_PREFIX)
#define AF_RENAMED(name) AF_LONG_NAME(AF_PASTE(AF_PREFIX, name))
#elif !AF_HAS_ALIAS
#define AF_RENAMED(name) AF_LONG_NAME(name)
#elif defined(AF_PREFIX)
#define AF_RENAMED(name) AF_PASTE(AF_PREFIX, name)
#endif
#ifdef AF_RENAMED
#include "af_inner_rename.h"
#endif

// A file that defines functions defines AF_FILE_name: there they keep their plain names.
#define AF_UNLESS_OWN(...) AF_SECOND(__VA_ARGS__)
#if AF_HAS_ALIAS
#define AF_OWN(name)
#define AF_RENAME(name)             AF_RENAME_(name, AF_LONG_NAME(name))
#define AF_RENAME_(name, long_name) AF_PRAGMA(redefine_extname name long_name)
#define AF_PRAGMA(text)             _Pragma(#text)
#define AF_NAME(file, name)         AF_UNLESS_OWN(AF_FILE_##file, AF_RENAME)(name)
#define AF_EVERY_NAME               1
#include "af_names.def"
#undef AF_OWN
#endif

#endif
