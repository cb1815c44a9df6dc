#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Offsets, sizes, phases and shapes of all tensors, for several targets, without running anything.
#
#   test/check_offsets.sh [NAME]      needs gcc, clang, arm-none-eabi-gcc
set -u
cd "$(dirname "$0")/.." || exit
. test/check_common.sh

# promise: compile-time-offsets
# A C file that defines, for every tensor, arrays whose sizes are its offset (plus 1), bytes, phases and axes. The
# compiler's symbol table then holds the numbers of any target, and nothing has to run on it.
sizes_source() {
    local plane block
    cat <<'C'
#include "af_arena.h"
enum {
#define AF_REGION(type, name, live, text) live_##name = live,
#include "af_tensors.def"
};
#define UNPACK(...)          __VA_ARGS__
#define AXES(s, ...)         AF_PASTE(AXES_, AF_RANK(__VA_ARGS__))(s, __VA_ARGS__)
#define AXES_1(s, a)          char s##__1[a];
#define AXES_2(s, a, b)       AXES_1(s, a) char s##__2[b];
#define AXES_3(s, a, b, c)    AXES_2(s, a, b) char s##__3[c];
#define AXES_4(s, a, b, c, d) AXES_3(s, a, b, c) char s##__4[d];
#define NUMBERS(s, path, live, shape)                                                                                  \
    char s##__offset[AF_OFFSET(path) + 1];                                                                             \
    char s##__bytes[sizeof(((struct af_arena *)0)->path)];                                                             \
    char s##__live[live];                                                                                              \
    AXES(s, UNPACK shape)
#define AF_REGION(type, name, live, text)                                                                              \
    NUMBERS(name##_gap, name##_gap, AF_LIVE_ALWAYS, (sizeof(((struct af_arena *)0)->name##_gap)))
#include "af_tensors.def"
C
    for plane in weight grad adam_m adam_v; do
        for block in 0 1; do
            row AF_WEIGHT_BLOCK "name, shape, start, torch, text" $plane.at.block[$block] live_$plane
        done
        row AF_WEIGHT_INPUT "name, shape, start, torch, text" $plane.at live_$plane
        row AF_WEIGHT_OUTPUT "name, shape, start, torch, text" $plane.at live_$plane
    done
    for block in 0 1; do
        row AF_SAVED_BLOCK "type, name, shape, live, text" "work.train.block[$block]" live
        row AF_CACHE_BLOCK "type, name, shape, live, text" "work.decode.block[$block]" live
    done
    row AF_SAVED "type, name, shape, live, text" work.train live
    row AF_BACKWARD "type, name, shape, live, text" work.train live
    row AF_SCRATCH "type, name, shape, live, text" work.train live
    row AF_BATCH "type, name, shape, live, text" work.train live
    row AF_BACKWARD_FF "type, name, shape, live, text" work.train.part.ff live
    row AF_BACKWARD_ATTENTION "type, name, shape, live, text" work.train.part.attention live
    row AF_DECODE "type, name, shape, live, text" work.decode live
    row AF_START "type, name, shape, live, text" work live
    row AF_STATE "type, name, shape, live, text" state live
}

symbol() { sed 's/[.[]/__/g; s/]//g'; } # a path of the map as a C name: weight.at.block[0].qkv_w, weight__at__block__0__qkv_w

row() { # MACRO PARAMETERS PATH LIVE
    printf '#define %s(%s) NUMBERS(%s__##name, %s.name, %s, shape)\n#include "af_tensors.def"\n' \
        "$1" "$2" "$(symbol <<<"$3")" "$3" "$4"
}

# The committed map in the same form: a line "symbol number" for each number.
committed_sizes() {
    awk '{
        name = $4; gsub(/[.[]/, "__", name); gsub(/]/, "", name)
        print name "__offset", $1 + 1; print name "__bytes", $2; print name "__live", $3
        n = split($5, axis, "x")
        for (i = 1; i <= n; i++) print name "__" i, axis[i]
    }' test/golden/map.txt | LC_ALL=C sort
}

check_offsets() { # NAME COMPILER...
    wanted "$1" || return 0
    local name=$1 object=$out/$1.o command
    shift
    command="$* -std=c99 $free -fcommon -c $out/sizes.c -o $object"
    if ! $command >"$out/$name.log" 2>&1; then
        fail "$name" "the file of sizes does not compile" "$command"
        head -n 12 "$out/$name.log" | sed 's/^/    /'
        return
    fi
    nm -S "$object" | while read -r _ size _ symbol; do
        echo "$symbol $((16#$size))"
    done | LC_ALL=C sort >"$out/$name.sizes"
    nothing "$name" "offsets, sizes, phases or shapes differ from test/golden/map.txt (<: committed, offsets plus 1)" \
        "$(diff <(committed_sizes) "$out/$name.sizes" | grep '^[<>]')"
}

sizes_source >"$out/sizes.c"
check_offsets offsets-gcc gcc
check_offsets offsets-clang clang
check_offsets offsets-clang-32-bit clang -m32 -msse2 -mfpmath=sse
check_offsets offsets-cortex-m4f $m4f
check_offsets offsets-cortex-m3 $m3
check_offsets offsets-clang-riscv32 clang --target=riscv32-none-elf
check_offsets offsets-clang-powerpc clang --target=powerpc-none-elf # big-endian

finish
