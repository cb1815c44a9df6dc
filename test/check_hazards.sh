#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The self-test sees what it is for: every hazard is switched on for real, and has to come out under its own status.
# What af_config.h refuses or switches off is let past in a copy of lib/ without those lines, as a compiler would let it
# past that has no macro for it.
#
#   LONG=1 test/check_hazards.sh      everything; without LONG, a sample
#   test/check_hazards.sh NAME        needs gcc, clang, cross compilers, qemu: test/install.sh
# promise: selftest-names-cause, mode-looked-at
set -u
cd "$(dirname "$0")/.." || exit
. test/check_common.sh
. test/options.sh

# A mode that hardware may be in, what is linked, a file alone, and boards; by turns options and processors.
sample=(modes-cortex-m4f linked-ffast-math-gcc contracted-softmax mve-O2 broken-division)
by_turns "x87-gcc contracted-clang-fast" "regrouped-clang modes-x86-64" "reciprocal-gcc estimated-root"

program="-Iport -Iexamples/common -Iexamples/firmware test/hazards.c examples/firmware/firmware.c
    examples/firmware/model.c examples/common/decimal.c port/host/port.c port/host/workers.c"
# shellcheck disable=SC2086
program+=" $(echo $n7_layers)"
out=$(realpath -m "$out/hazards")
mkdir -p "$out"

small_hash=$(sed -n 's/^small_hash=//p' test/check_matrix.sh)
default_hash=$(sed -n 's/^default_hash=//p' test/check_matrix.sh)

# lib/ without what refuses fast-math and without what switches contraction off.
unguarded=$out/unguarded
rm -rf "$unguarded"
cp -r lib "$unguarded"
sed -i '/^#if defined(__FAST_MATH__)/,/^#endif/d; /^#pragma STDC FP_CONTRACT/d; /^#pragma GCC optimize/d' \
    "$unguarded/af_config.h"
if grep -qE 'FAST_MATH__|^#pragma' "$unguarded/af_config.h" || cmp -s lib/af_config.h "$unguarded/af_config.h"; then
    echo "FAIL unguarded: the lines are not where they were in lib/af_config.h"
    exit 1
fi

# ----------------------------------------------------------------------------------------------- modes of processors

# What test/hazards.c prints, a line for each mode, as this script's own.
modes() { # NAME TEXT COMMAND
    local line
    if ! grep -q '^ok ' <<<"$2"; then
        fail "$1" "no mode was looked at" "$3"
        head -n 6 <<<"$2" | sed 's/^/    /'
    fi
    local hash=$small_hash
    case $1 in *cortex* | *rv32*) hash=$default_hash ;; esac
    grep -qix "hash $hash" <<<"$2" || fail "$1" "the hash is not $hash: $(grep -a '^hash' <<<"$2")" "$3"
    while read -r line; do
        case $line in
        ok\ *) ok "$1: ${line#ok }" ;;
        FAIL\ *) fail "$1" "${line#FAIL }" "$3" ;;
        esac
    done <<<"$2"
}

on_host() { # NAME RUNNER COMPILER...
    wanted "$1" || return 0
    local command said
    command="${*:3} -std=gnu99 -w $small -Ilib $program lib/*.c -o $out/$1 -lpthread -latomic"
    # shellcheck disable=SC2086
    said=$($command 2>&1 && $2 "$out/$1" 2>&1)
    modes "$1" "$said" "$command && $2 $out/$1"
}

said_by_board() { # NAME BOARD ARGUMENT...
    run_on_board "$out/$1" "$2" hazards "${@:3}"
}

on_board() { # NAME BOARD ARGUMENT...
    wanted "$1" || return 0
    modes "$1" "$(said_by_board "$@")" "test/check_hazards.sh $1"
}

on_host modes-x86-64 env gcc -O2
on_host modes-x86-64-clang env clang -O3
on_host modes-aarch64 qemu-aarch64 aarch64-linux-gnu-gcc -static -O2
on_board modes-cortex-m4f mps2-an386
on_board modes-cortex-m7 mps2-an500
on_board modes-cortex-m33 mps2-an505
on_board modes-cortex-m55 mps3-an547
on_board modes-rv32imafc rv32imafc

# -------------------------------------------------------------------------------------------- hazards of one build

caught() { # NAME STATUS TEXT COMMAND
    if [ "$(grep -a '^self-test:' <<<"$3")" = "self-test: $2" ]; then
        ok "$1: $2"
    else
        fail "$1" "the self-test does not say $2" "$4"
        tail -n 6 <<<"$3" | sed 's/^/    /'
    fi
}

build() { # NAME STATUS LIBRARY COMPILER...: all of lib/ from the folder LIBRARY with these options
    wanted "$1" || return 0
    local command said runner=command
    case " $* " in *' -m32 '*) runner=$i386 ;; esac
    command="${*:4} -w $small -I$3 $program $3/*.c -o $out/$1 -lpthread -latomic"
    said=$({ compile "$out/$1" "$3" "${*:4}" && $runner "$out/$1"; } 2>&1)
    caught "$1" "$2" "$said" "$command && $runner $out/$1"
}

# Everything as it should be, once for each compiler.
rm -rf "$out"/plain-*.o
plain() { # COMPILER
    [ -e "$out/plain-$1.o/complete" ] || { compile "$out/plain-$1" lib "$1 -O2" && touch "$out/plain-$1.o/complete"; }
}

# In two steps: linked with the same options, a compiler's start-up code changes the processor's mode as well.
compile() { # PROGRAM LIBRARY COMPILER
    local folder=$1.o library link
    library=$(realpath "$2")
    rm -rf "$folder"
    mkdir -p "$folder"
    link=$(grep -oE '^[^ ]+|-m32' <<<"$3" | tr '\n' ' ')
    # shellcheck disable=SC2086
    (cd "$folder" && $3 -w $small "-I$library" $(sed "s|-I|-I$OLDPWD/|g; s| \([a-z]*/\)| $OLDPWD/\1|g" <<<"$program") \
        "$library"/*.c -c) && $link "$folder"/*.o -lpthread -latomic -o "$1"
}

only_one() { # NAME STATUS FILE COMPILER...: one file of the unguarded lib/ with these options, the rest as it should be
    wanted "$1" || return 0
    local folder=$out/$1.o
    rm -rf "$folder"
    mkdir -p "$folder"
    local said
    # shellcheck disable=SC2086
    said=$({ ${*:4} -w $small -I"$unguarded" -c "$unguarded/$3" -o "$folder/one.o" &&
        plain gcc && $4 $(find "$out/plain-gcc.o" -type f -name '*.o' ! -name "${3%.c}.o") "$folder/one.o" -o "$out/$1" -lpthread -latomic &&
        "$out/$1"; } 2>&1)
    caught "$1" "$2" "$said" "test/check_hazards.sh $1"
}

linked() { # NAME STATUS COMPILER OPTION: compiled as it should be, linked with the option
    wanted "$1" || return 0
    local said
    # shellcheck disable=SC2086
    said=$({ plain "$3" && $3 $4 "$out/plain-$3.o"/*.o -lpthread -latomic -o "$out/$1" && "$out/$1"; } 2>&1)
    caught "$1" "$2" "$said" "test/check_hazards.sh $1"
}

build contracted-gcc AF_ERR_CONTRACTED "$unguarded" gcc -std=gnu99 -O2 -mfma
build contracted-clang AF_ERR_CONTRACTED "$unguarded" clang -O2 -mfma
build contracted-clang-fast AF_ERR_CONTRACTED lib clang -O2 -mfma -ffp-contract=fast # overrides the pragma
# The headers of Linux are those of 64 bits: gcc-multilib, which would bring a link to them, excludes the cross compilers.
x87="-m32 -idirafter /usr/include/$(gcc -print-multiarch) -DAF_TEST_ALLOW_EXCESS_PRECISION"
build x87-gcc AF_ERR_EXCESS_PRECISION lib gcc -O2 -mfpmath=387 $x87
build x87-gcc-O0 AF_ERR_EXCESS_PRECISION lib gcc -O0 -mfpmath=387 $x87
build x87-clang AF_ERR_EXCESS_PRECISION lib clang -O2 -mno-sse $x87
for cc in gcc clang; do
    build regrouped-$cc AF_ERR_FAST_MATH "$unguarded" $cc -O2 -fassociative-math -fno-signed-zeros -fno-trapping-math
    build reciprocal-$cc AF_ERR_FAST_MATH "$unguarded" $cc -O2 -freciprocal-math
    build unsigned-zero-$cc AF_ERR_FAST_MATH "$unguarded" $cc -O2 -fno-signed-zeros
    build finite-$cc AF_ERR_FAST_MATH "$unguarded" $cc -O2 -ffinite-math-only
    build fast-$cc AF_ERR_FAST_MATH "$unguarded" $cc -O3 -ffast-math
    for option in ffast-math Ofast funsafe-math-optimizations; do
        case $cc-$option in clang-Ofast) continue ;; esac
        linked linked-$option-$cc AF_ERR_FLUSH_TO_ZERO $cc -$option
    done
done

# A root that is an estimate and one step of Newton's, as fast maths would take: off by one in the last place.
cat >"$out/estimate.h" <<'C'
#include <xmmintrin.h>
static inline float estimated_root(float x) {
    const float r = x > 0 ? _mm_cvtss_f32(_mm_rsqrt_ss(_mm_set_ss(x))) : 0;
    return x * (r * (1.5f - 0.5f * x * r * r));
}
C
build estimated-root AF_ERR_SQUARE_ROOT lib gcc -O2 -fno-math-errno -include "$out/estimate.h" -D__builtin_sqrtf=estimated_root

only_one regrouped-sum AF_ERR_FAST_MATH af_linear.c gcc -O3 -ffast-math
only_one contracted-softmax AF_ERR_CONTRACTED af_softmax.c gcc -O2 -mfma
only_one contracted-gelu AF_ERR_CONTRACTED af_gelu.c gcc -O2 -mfma
only_one contracted-adamw AF_ERR_CONTRACTED af_adamw.c gcc -O2 -mfma

# ------------------------------------------------------------------------------------------------ hazards of boards

# The vectors of Cortex-M55 flush subnormals, whatever FPSCR says.
for level in -O2 -O3; do
    if wanted mve$level; then
        caught mve$level AF_ERR_FLUSH_TO_ZERO \
            "$(said_by_board mve$level mps3-an547 "CFLAGS=$level" "CPU=-mcpu=cortex-m55 -mfloat-abi=hard")" \
            "test/check_hazards.sh mve$level"
    fi
done

# Soft float whose division drops the last bit, in place of libgcc's.
if wanted broken-division; then
    cat >"$out/division.c" <<'C'
float __real___aeabi_fdiv(float, float);
float __wrap___aeabi_fdiv(float x, float y) {
    union { float real; unsigned bits; } quotient;
    quotient.real = __real___aeabi_fdiv(x, y);
    quotient.bits &= ~1u;
    return quotient.real;
}
C
    arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -O2 -c "$out/division.c" -o "$out/division.o"
    caught broken-division AF_ERR_DIVISION "$(said_by_board broken-division mps2-an385 \
        "LDLIBS=$out/division.o -Wl,--wrap=__aeabi_fdiv")" "test/check_hazards.sh broken-division"
fi

finish
