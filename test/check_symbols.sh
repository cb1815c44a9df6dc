#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What the objects of lib/ refer to and what they hold: symbols, static storage, the arena's section.
#
#   LONG=1 test/check_symbols.sh      everything
#   test/check_symbols.sh             gcc, the Cortex-M4F, and each day another one
#   test/check_symbols.sh NAME        needs gcc, clang, arm-none-eabi-gcc, make
set -u
cd "$(dirname "$0")/.." || exit
. test/check_common.sh

sample=(arena-section symbols-gcc symbols-cortex-m4f-O2)
by_turns symbols-clang symbols-cortex-m4f-Os symbols-cortex-m3-O2 symbols-cortex-m3-Os

memory='mem(cpy|set|move|cmp)'
float_helpers='__aeabi_(fadd|fsub|frsub|fmul|fdiv|fcmp(eq|lt|le|ge|gt|un)|i2f|ui2f|f2iz|f2uiz)'
double_helpers='__aeabi_(dadd|dsub|drsub|dmul|ddiv|dcmp(eq|lt|le|ge|gt|un)|f2d|d2f|i2d|ui2d|l2d|ul2d|d2iz|d2uiz)'

# What an object may refer to: functions of lib/ that another object defines, the four memory functions, and helpers.
# promise: few-symbols, no-allocation
undefined_symbols() { # FOLDER TARGET
    local object allowed nm=nm
    case $2 in *cortex*) nm=arm-none-eabi-nm ;; esac
    $nm --defined-only "$1"/*.o | awk 'NF == 3 { print $3 }' | sort -u >"$1/defined"
    grep -q af_forward "$1/defined" || echo "$nm shows no symbols"
    for object in "$1"/*.o; do
        allowed=$memory
        case $2 in *cortex-m3*) allowed+="|$float_helpers" ;; esac
        case $2-$(basename "$object" .o) in *cortex*-af_numpy | *cortex*-af_numpy_normal | *cortex*-af_torch) allowed+="|$double_helpers" ;; esac
        $nm -u "$object" | awk '{ print $2 }' | grep -vxE "$allowed" | grep -vxFf <(grep '^af_' "$1/defined") |
            sed "s|^|$(basename "$object"): |"
    done
}

# promise: no-static-storage
# promise: no-pointer-kept
static_storage() { # FOLDER
    local object nm=nm
    case $1 in *cortex*) nm=arm-none-eabi-nm ;; esac
    for object in "$1"/*.o; do # names such as $d are the assembler's marks
        $nm "$object" | awk '$(NF - 1) ~ /^[bBdDCcgGsSuvV]$/ && $NF !~ /^[$]/ { print $NF }' | sed "s|^|$(basename "$object"): |"
    done | grep -vE ': af_[a-z0-9_]+_V[0-9]+_T[0-9]+_' | grep -vxF 'af_arena.o: af_arena' # and the aliases of af_names.h
}

# lib/ compiled into a folder, without a warning; not position-independent, so that constant tables stay constant.
check_symbols() { # NAME COMPILER-WITH-OPTIONS...
    wanted "$1" || return 0
    local name=$1 file
    shift
    mkdir -p "$out/$name"
    if ! (for file in lib/*.c; do echo "$file"; done |
        xargs -P "$jobs" -I{} bash -c '"${@:2}" -c "$1" -o "$0/$(basename "$1" .c).o"' "$out/$name" {} "$@" -fno-pie) >"$out/$name.log" 2>&1; then
        fail "$name" "lib/ does not compile" "$* -c lib/*.c"
        grep -E 'warning|error' "$out/$name.log" | head -n 12 | sed 's/^/    /'
        return
    fi
    nothing "$name" "undefined symbols that are not on the list" "$(undefined_symbols "$out/$name" "$name")"
    nothing "$name-static" "mutable static storage other than af_arena" "$(static_storage "$out/$name")" "$0 $name"
}

# shellcheck disable=SC2086
{
    check_symbols symbols-gcc gcc $house $free -O2
    check_symbols symbols-clang clang $house $free -O2
    for level in -O2 -Os; do
        check_symbols symbols-cortex-m4f$level $m4f $house $free $level
        check_symbols symbols-cortex-m3$level $m3 $house $free $level
    done
}

# A linker script places the arena by the name of its section: linker/README.md.
# promise: arena-section
if wanted arena-section; then
    object=$out/arena/template/lib/af_arena.o
    make_ BUILD="$out/arena" PORT=template "$object" >"$out/arena-section.log" 2>&1
    if objdump -t "$object" 2>/dev/null | grep -q '[[:space:]]\.bss\.af_arena[[:space:]].* af_arena$'; then
        ok arena-section
    else
        fail arena-section "'make lib' does not put af_arena into the section .bss.af_arena"
    fi
fi

finish
