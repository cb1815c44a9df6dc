#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Configurations: each wrong one stops the compiler with the sentence that says what is wrong; unusual right ones compile.
#
#   LONG=1 test/check_config.sh      everything; without LONG, each day others
#   test/check_config.sh NAME        needs gcc, clang, make
# promise: wrong-config-stops
set -u
cd "$(dirname "$0")/.." || exit
. test/check_common.sh

one_in=5
sample=(AF_DIM=65 large-arena every-change-packed)

free="-std=c99 -ffreestanding -Ilib -fsyntax-only"

wrong() { # NAME SENTENCE COMPILER OPTION...: without the warnings of the house, as a user may compile
    wanted "$1" || return 0
    local name=$1 sentence=$2 said
    shift 2
    if said=$("$@" $free lib/af_arena.c 2>&1); then
        fail "$name" "is accepted" "$(quoted "$@")$free lib/af_arena.c"
    elif ! grep -F 'error:' <<<"$said" | grep -qF "$sentence"; then
        fail "$name" "does not stop with \"$sentence\"" "$(quoted "$@")$free lib/af_arena.c"
        head -n 3 <<<"$said" | sed 's/^/    /'
    else
        ok "$name"
    fi
}

right() { # NAME OPTION...: without a warning, by both compilers
    wanted "$1" || return 0
    local name=$1 cc said
    shift
    for cc in gcc clang; do
        # shellcheck disable=SC2086
        if ! said=$($cc $house $free "$@" lib/*.c 2>&1) || [ -n "$said" ]; then
            fail "$name" "does not compile" "$cc $house $free $(quoted "$@")lib/*.c"
            head -n 6 <<<"$said" | sed 's/^/    /'
            return
        fi
    done
    ok "$name"
}

# ------------------------------------------------------------------------------------------------------- wrong sizes

range() { # MACRO LEAST MOST: 0, negative, one below, one above, no number
    local value
    for value in 0 -1 $(($2 - 1)) $(($3 + 1)) 2147483647 banana; do
        wrong "$1=$value" "$1 must be" gcc "-D$1=$value"
    done
}
range AF_VOCAB 2 65534
range AF_CONTEXT 1 4096
range AF_DIM 1 4096
range AF_HEADS 1 64
range AF_BLOCKS 1 64
range AF_FF 1 16384
range AF_MICRO_BATCH 1 1024
range AF_ALIGN 8 4096
range AF_STORAGE_UNIT 256 65536
wrong AF_STORAGE_UNIT=768 "AF_STORAGE_UNIT must be a power of two" gcc -DAF_STORAGE_UNIT=768
wrong AF_STORAGE_UNIT=256+256 "must stand in parentheses" gcc -DAF_STORAGE_UNIT=256+256
wrong AF_DIM=65 "AF_DIM must be a multiple of AF_HEADS" gcc -DAF_DIM=65
wrong AF_DIM=65-clang "AF_DIM must be a multiple of AF_HEADS" clang -DAF_DIM=65
wrong AF_HEADS=3 "AF_DIM must be a multiple of AF_HEADS" gcc -DAF_HEADS=3
wrong AF_ALIGN=48 "AF_ALIGN must be a power of two" gcc -DAF_ALIGN=48
wrong AF_DIM=64.0 "floating" gcc -DAF_DIM=64.0 # the preprocessor's own sentence
wrong AF_DIM=60+4 "must stand in parentheses" gcc -DAF_DIM=60+4 -DAF_HEADS=1
wrong AF_CONTEXT=20+5 "must stand in parentheses" gcc -DAF_CONTEXT=20+5
wrong AF_MICRO_BATCH=4*2 "must stand in parentheses" gcc '-DAF_MICRO_BATCH=4*2'
wrong AF_FF=1\<\<8 "must stand in parentheses" gcc '-DAF_FF=1<<8'
for macro in AF_SCALED AF_CAUSAL AF_SOFTMAX_QUERIES AF_RESIDUAL AF_POST_NORM AF_PRUNED AF_RECOMPUTE AF_PACKED AF_TRAINING AF_MAP AF_STREAMS; do
    wrong $macro=2-1 "switch that is an expression must stand in parentheses" gcc -D$macro=2-1
    wrong $macro=1+0 "switch that is an expression must stand in parentheses" clang -D$macro=1+0
done
wrong short-embedding-table "AF_STREAMS needs AF_VOCAB * AF_DIM >= 16" gcc -DAF_VOCAB=3 -DAF_DIM=5 -DAF_HEADS=1
wrong short-position-table "AF_STREAMS needs AF_VOCAB * AF_DIM >= 16" gcc -DAF_CONTEXT=1 -DAF_DIM=15 -DAF_HEADS=1
# promise: arena-bytes-in-if
wrong large-arena "The arena exceeds 2147483647 bytes: make AF_DIM" gcc -DAF_DIM=4096 -DAF_FF=16384 -DAF_BLOCKS=64
wrong large-arena-clang "The arena exceeds 2147483647 bytes: make AF_DIM" clang -DAF_DIM=4096 -DAF_FF=16384 -DAF_BLOCKS=64
wrong large-micro-batch "The arena exceeds 2147483647 bytes: make AF_DIM" gcc -DAF_MICRO_BATCH=1024 -DAF_CONTEXT=4096

# ------------------------------------------------------------------------------------------- wrong switches and types

for macro in AF_TRAINING AF_MAP AF_STREAMS; do
    wrong $macro=2 "each must be 0 or 1" gcc -D$macro=2
    wrong $macro=-1 "each must be 0 or 1" gcc -D$macro=-1
done
for macro in AF_SCALED AF_CAUSAL AF_SOFTMAX_QUERIES AF_RESIDUAL AF_POST_NORM; do
    wrong $macro=2 "are switches: each must be 0 or 1" gcc -D$macro=2
    wrong $macro=-1 "are switches: each must be 0 or 1" clang -D$macro=-1
done
wrong cache-without-mask "AF_DECODE_ROWS must be AF_CONTEXT" gcc -DAF_CAUSAL=0 -DAF_DECODE_ROWS=1
wrong cache-over-queries "AF_DECODE_ROWS must be AF_CONTEXT" clang -DAF_SOFTMAX_QUERIES=1 -DAF_DECODE_ROWS=24
wrong recompute-post-norm "AF_POST_NORM needs AF_RECOMPUTE 0" gcc -DAF_RECOMPUTE=1 -DAF_POST_NORM=1
wrong AF_PRUNED=2 "AF_PRUNED is a switch" gcc -DAF_PRUNED=2
wrong AF_RECOMPUTE=3 "AF_RECOMPUTE must be 0, 1 or 2" gcc -DAF_RECOMPUTE=3
wrong AF_RECOMPUTE=-1 "AF_RECOMPUTE must be 0, 1 or 2" gcc -DAF_RECOMPUTE=-1
wrong recompute-with-workers "AF_RECOMPUTE needs AF_WORKERS 1" gcc -DAF_RECOMPUTE=1 -DAF_WORKERS=2
wrong AF_REAL=int "AF_REAL must be float or double" gcc -DAF_REAL=int
wrong AF_REAL=_Float16 "AF_REAL must be float or double" gcc -DAF_REAL=_Float16
for macro in AF_SCALED AF_CAUSAL AF_SOFTMAX_QUERIES AF_RESIDUAL AF_POST_NORM AF_PRUNED AF_RECOMPUTE AF_PACKED AF_TRAINING AF_MAP AF_STREAMS; do
    wrong $macro=yes "a word, as in -DAF_MAP=yes, is none" gcc -D$macro=yes
    wrong "$macro=(on)" "on" clang "-D$macro=(on)" # #if takes it for 0; the compiler itself does not know it
done
range AF_WORKERS 1 64
for value in -1 1000000 banana; do
    wrong AF_ADAMW_BETA1_E6=$value "$([ $value = banana ] && echo banana || echo 'AF_ADAMW_BETA1_E6 and AF_ADAMW_BETA2_E6 must be')" gcc -DAF_ADAMW_BETA1_E6=$value
    wrong AF_ADAMW_BETA2_E6=$value "$([ $value = banana ] && echo banana || echo 'AF_ADAMW_BETA1_E6 and AF_ADAMW_BETA2_E6 must be')" clang -DAF_ADAMW_BETA2_E6=$value
done
for value in 0 -1 1000000001 banana; do
    wrong AF_ADAMW_EPS_E12=$value "must be in the range [1, 1000000000]" gcc -DAF_ADAMW_EPS_E12=$value
    wrong AF_LAYERNORM_EPS_E12=$value "must be in the range [1, 1000000000]" clang -DAF_LAYERNORM_EPS_E12=$value
done
wrong AF_ADAMW_EPS_E12=5+5 "A constant that is an expression must stand in parentheses" gcc -DAF_ADAMW_EPS_E12=5+5
for macro in AF_ADAMW_BETA1 AF_ADAMW_BETA2 AF_ADAMW_EPS AF_LAYERNORM_EPS AF_ADAMW_BETA1_REST; do
    wrong $macro=0.5 "Set AF_ADAMW_BETA1_E6" gcc -D$macro=0.5
done
wrong AF_UNIT_REAL=double "AF_UNIT_REAL is for files of lib/ alone" gcc -DAF_UNIT_REAL=double
wrong AF_CONFIG_HEADER "my_config.h" gcc '-DAF_CONFIG_HEADER="my_config.h"' # a file that is not there

# ------------------------------------------------------------------------------------------ wrong compilers and machines

fast="must not be compiled with -ffast-math or parts of it"
# promise: fast-math-refused
wrong fast-math "$fast" gcc -ffast-math
wrong fast-math-clang "$fast" clang -ffast-math
wrong Ofast "$fast" gcc -Ofast
wrong associative-math "$fast" gcc -fassociative-math -fno-signed-zeros -fno-trapping-math
wrong reciprocal-math "$fast" gcc -freciprocal-math
wrong finite-math-only "$fast" gcc -ffinite-math-only
wrong finite-math-only-clang "$fast" clang -ffinite-math-only
wrong x87 "needs FLT_EVAL_METHOD 0" gcc -mfpmath=387
wrong x87-32-bit "needs FLT_EVAL_METHOD 0" clang -m32 -mno-sse
# promise: short-int-refused
wrong 16-bit-int "an int of at least 32 bits" clang --target=msp430-none-elf
wrong 9-bit-bytes "needs 8-bit bytes" gcc -U__CHAR_BIT__ -D__CHAR_BIT__=9 -w
wrong short-double "binary64 as double" gcc -U__DBL_MANT_DIG__ -D__DBL_MANT_DIG__=24 -w
wrong decimal-float "binary32 as float" gcc -U__FLT_RADIX__ -D__FLT_RADIX__=10 -w

# --------------------------------------------------------------------------------------------------- unusual, but right

one_in=10 # all of lib/, twice
right odd-widths -DAF_DIM=7 -DAF_HEADS=7 -DAF_FF=3 -DAF_CONTEXT=5 -DAF_VOCAB=11 -DAF_BLOCKS=3 -DAF_MICRO_BATCH=3
right odd-widths-double -DAF_DIM=7 -DAF_HEADS=7 -DAF_FF=3 -DAF_CONTEXT=5 -DAF_VOCAB=11 -DAF_BLOCKS=3 -DAF_REAL=double
right one-head -DAF_HEADS=1
right one-component-a-head -DAF_HEADS=64
right context-of-one -DAF_CONTEXT=1 -DAF_MICRO_BATCH=1
right two-tokens -DAF_VOCAB=2
right largest-vocabulary -DAF_VOCAB=65534
right vocabulary-254 -DAF_VOCAB=254
right vocabulary-255 -DAF_VOCAB=255
right everything-one -DAF_VOCAB=2 -DAF_CONTEXT=1 -DAF_DIM=1 -DAF_HEADS=1 -DAF_BLOCKS=1 -DAF_FF=1 -DAF_MICRO_BATCH=1 -DAF_STREAMS=0
right many-blocks -DAF_BLOCKS=64 -DAF_MICRO_BATCH=1
right large-inference -DAF_TRAINING=0 -DAF_MICRO_BATCH=1024 -DAF_CONTEXT=4096
right long-context -DAF_CONTEXT=4096 -DAF_MICRO_BATCH=1
right rows-of-32-bits -DAF_MICRO_BATCH=1024 -DAF_CONTEXT=64 -DAF_DIM=8
right largest-micro-batch -DAF_MICRO_BATCH=1024
right smallest-alignment -DAF_ALIGN=8
right largest-alignment -DAF_ALIGN=4096
right smallest-storage-unit -DAF_STORAGE_UNIT=256
right largest-storage-unit -DAF_STORAGE_UNIT=65536
right recompute-packed -DAF_RECOMPUTE=2 -DAF_PACKED=1 -DAF_MICRO_BATCH=3
right recompute-one-row -DAF_RECOMPUTE=1 -DAF_CONTEXT=1
right recompute-double -DAF_RECOMPUTE=2 -DAF_REAL=double
right not-pruned -DAF_PRUNED=0
right every-change -DAF_SCALED=0 -DAF_CAUSAL=0 -DAF_SOFTMAX_QUERIES=1 -DAF_RESIDUAL=0 -DAF_POST_NORM=1
right every-change-packed -DAF_SCALED=0 -DAF_CAUSAL=0 -DAF_SOFTMAX_QUERIES=1 -DAF_RESIDUAL=0 -DAF_POST_NORM=1 -DAF_PACKED=1 -DAF_WORKERS=2
right no-mask -DAF_CAUSAL=0
right queries-packed -DAF_SOFTMAX_QUERIES=1 -DAF_PACKED=1
right post-norm-inference -DAF_POST_NORM=1 -DAF_TRAINING=0
right no-residual-recompute -DAF_RESIDUAL=0 -DAF_RECOMPUTE=2
right expression '-DAF_DIM=(4 * 16)' '-DAF_MICRO_BATCH=(1 << 2)'
right other-constants -DAF_ADAMW_BETA1_E6=0 -DAF_ADAMW_BETA2_E6=999999 '-DAF_ADAMW_EPS_E12=(10 * 10)' -DAF_LAYERNORM_EPS_E12=1
right inference-double -DAF_TRAINING=0 -DAF_REAL=double
right inference-smallest -DAF_TRAINING=0 -DAF_MAP=0 -DAF_STREAMS=0
printf '#define AF_DIM 48\n#define AF_HEADS 3\n#define AF_CONTEXT 40\n' >"$out/my_config.h"
right config-header "-I$out" '-DAF_CONFIG_HEADER="my_config.h"'

# -------------------------------------------------------------------------------------------------- misspelt settings

one_in=5
misspelt() { # NAME OPT SENTENCE: what make says to OPT; an empty sentence: nothing
    wanted "$1" || return 0
    local said
    said=$(make_ -n OPT="$2" lib 2>&1 | grep -o 'OPT: .*')
    nothing "$1" "make does not say \"$3\"" "$([[ -n $3 && $said == *"$3"* ]] || [[ -z $3 && -z $said ]] || echo "it says: ${said:-nothing}")"
}
misspelt misspelt-AF_DIMM -DAF_DIMM=32 "there is no setting AF_DIMM: did you mean AF_DIM?"
misspelt misspelt-second "-O2 -DAF_DIM=32 -DAF_CONTEX=8" "there is no setting AF_CONTEX: did you mean AF_CONTEXT?"
misspelt misspelt-far -DAF_XYZ=1 "there is no setting AF_XYZ (lib/af_config.h has them all)"
misspelt misspelt-none "-DAF_DIM=32 -DAF_PREFIX=small_ -DAF_TILE_VECTOR_BYTES=4 -DMINE=1" ""

finish
