#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What analysers say: clang-format, clang-tidy (.clang-tidy), cppcheck and its MISRA rules against test/misra.md, all
# warnings of two clangs, clang's static analyser, sparse, and how long and branched functions are.
# (gcc's -fanalyzer, and the warnings of the Makefile: test/check_warnings.sh.)
#
#   LONG=1 test/check_analysis.sh      everything
#   test/check_analysis.sh             a sample: clang-tidy of other files each day, the rest in one configuration
#   test/check_analysis.sh NAME        needs clang-format, clang-tidy, cppcheck, python3 (cppcheck's addon), make, clang,
#                                      clang-19, scan-build-14, sparse, gcc, g++, pmccabe
set -u
cd "$(dirname "$0")/.." || exit
. test/check_common.sh

one_in=20
sample=(format cppcheck-lib-float cppcheck-understands misra everything-clang-19 c++17-gcc sparse complexity)

lib_options="-std=c99 -ffreestanding -Ilib"
program_options="-std=c99 -Ilib -Iport -Iexamples/common -Iexamples/firmware -Iexamples/reversal -I$out"
notebook7="-Iexamples/notebook7 -DAF_CONFIG_HEADER=\"notebook7_config.h\""

# What a port is compiled for, and one of the boards that share it.
board_options() { # FILE
    case $1 in
    port/cortex_m/uart_stm32.c) echo "--target=thumbv7em-none-eabi -mcpu=cortex-m4 -ffreestanding -Iport/netduinoplus2" ;;
    port/cortex_m/*) echo "--target=thumbv7em-none-eabi -mcpu=cortex-m4 -ffreestanding -Iport/mps2-an505" ;;
    port/riscv/*) echo "--target=riscv32-none-elf -march=rv32imac -ffreestanding" ;;
    port/wasm32/*) echo "--target=wasm32-unknown-unknown -ffreestanding" ;;
    port/x86-64/* | port/common/*) echo "-ffreestanding" ;;
    esac
}

# The header that examples/firmware/infer.c includes, of weights that nobody has trained.
untrained() {
    make -s >"$out/make.log" 2>&1 &&
        "${BUILD:-build}/host/reversal" train --steps 0 --quiet --weights "$out/untrained.weights" &&
        "${BUILD:-build}/host/reversal" export --weights "$out/untrained.weights" --c-header "$out/trained.h"
}

# ------------------------------------------------------------------------------------------------------------ format

if wanted format; then
    mapfile -t files < <(find lib port examples test -name '*.[ch]' ! -path 'test/vectors/*' | LC_ALL=C sort)
    nothing format "files that clang-format would change: make format" \
        "$(clang-format --dry-run -Werror "${files[@]}" 2>&1 | grep -E 'error|not found' | cut -d: -f1 | uniq)"
fi

# -------------------------------------------------------------------------------------------------------- clang-tidy

tidy() { # FILE
    local options=$program_options
    case $1 in
    lib/*) options=$lib_options ;;
    port/*) options+=" $(board_options "$1")" ;;
    examples/notebook7/*) options+=" $notebook7" ;;
    esac
    local checks=
    case $1 in port/cortex_m/* | port/riscv/*) checks=--checks=-performance-no-int-to-ptr ;; esac # registers have addresses
    # shellcheck disable=SC2086
    clang-tidy --quiet $checks "$1" -- $options >"$out/tidy/${1//\//-}" 2>&1
    echo $? >"$out/tidy/${1//\//-}.status"
}

sources=$(find lib port examples -name '*.c' | LC_ALL=C sort)
chosen=$(for file in $sources; do if wanted "tidy-$file"; then echo "$file"; fi; done)
if [ -n "$chosen" ]; then
    mkdir -p "$out/tidy"
    export -f tidy board_options
    untrained || fail trained-header "reversal does not export one: $(tail -n 1 "$out/make.log")"
    export out lib_options program_options notebook7
    xargs -P "$jobs" -d '\n' -n 1 bash -c 'tidy "$1"' tidy <<<"$chosen"
    for file in $chosen; do
        if [ "$(cat "$out/tidy/${file//\//-}.status")" = 0 ]; then
            ok "tidy-$file"
        else
            fail "tidy-$file" "clang-tidy finds something"
            grep -E 'error|warning: |not found' "$out/tidy/${file//\//-}" | sed "s|$PWD/||; s/^/    /" | head -n 12
        fi
    done
fi

# ---------------------------------------------------------------------------------------------------------- cppcheck

# cppcheck reads no system headers, so it is told what they define; with that, no #error stops it and it looks at the
# one configuration that is given, not at all that it could think of.
machine="--std=c99 --platform=unix64 --library=std,posix -D__GNUC__=12 -DCHAR_BIT=8 -DINT_MAX=2147483647 -DFLT_RADIX=2
    -DFLT_MANT_DIG=24 -DFLT_MAX_EXP=128 -DDBL_MANT_DIG=53 -DFLT_EVAL_METHOD=0 -Ilib -Iport -Iexamples/common"
analyse="cppcheck -q -j $jobs --enable=warning,style,performance,portability --error-exitcode=2"

check_cppcheck() { # NAME ARGUMENT...
    wanted "$1" || return 0
    local name=$1 said status
    shift
    # shellcheck disable=SC2086
    said=$($analyse $machine "$@" 2>&1)
    status=$?
    [ "$status" -eq 0 ] || said+=${said:+$'\n'}"exit status $status"
    nothing "$name" "cppcheck finds something" "$said"
}

check_cppcheck cppcheck-lib-float lib
check_cppcheck cppcheck-lib-double -DAF_REAL=double lib
check_cppcheck cppcheck-lib-inference -DAF_TRAINING=0 lib
check_cppcheck cppcheck-lib-nothing-extra -DAF_TRAINING=0 -DAF_MAP=0 -DAF_STREAMS=0 lib
check_cppcheck cppcheck-programs -i examples/notebook7 port examples
# shellcheck disable=SC2086
check_cppcheck cppcheck-notebook7 $notebook7 examples/notebook7

# It has understood the configuration if it finds an overflow that depends on a size, and one in the arena's structs.
if wanted cppcheck-understands; then
    cat >"$out/understands.c" <<'C'
#include "af_arena.h"
void f(void);
void f(void) {
    static int row[AF_DIM];
    static union af_plane plane;
    row[AF_DIM] = 1;
    plane.at.block[AF_BLOCKS].ln1_g[0] = AF_R(row[0]);
}
C
    # shellcheck disable=SC2086
    found=$($analyse $machine "$out/understands.c" 2>&1 | grep -c 'arrayIndexOutOfBounds')
    if [ "$found" -eq 2 ]; then
        ok cppcheck-understands
    else
        fail cppcheck-understands "cppcheck finds $found of 2 planted overflows: it does not see the configuration"
    fi
fi

# ------------------------------------------------------------------------------------------------------------- MISRA

misra() { # prints what is wrong with the table, given what was found
    awk -F'|' -v found="$1" '
        function trim(s) { gsub(/^ +| +$/, "", s); return s }
        function matches(file, pattern) { gsub(/\./, "[.]", pattern); gsub(/\*/, "[^/]*", pattern); return file ~ ("^" pattern "$") }
        /^\| *[0-9]/ {
            n_rows++
            n = split(trim($2), rule, / +/); m = split(trim($3), place, / +/)
            if (NF != 5 || trim($4) == "") print "row without a reason: " $0
            for (i = 1; i <= n; i++) {
                rule_seen[rule[i]] = 0
                for (j = 1; j <= m; j++) { row_rule[++n_pairs] = rule[i]; row_place[n_pairs] = place[j]; row[n_pairs] = n_rows }
            }
            for (j = 1; j <= m; j++) place_seen[n_rows " " place[j]] = 0
        }
        END {
            while ((getline line < found) > 0) {
                if (split(line, f, " ") != 2) continue
                is_known = 0
                for (k = 1; k <= n_pairs; k++) if (row_rule[k] == f[1] && matches(f[2], row_place[k])) {
                    is_known = 1; rule_seen[f[1]]++; place_seen[row[k] " " row_place[k]]++
                }
                if (!is_known && !(line in told)) { told[line]; print "not in the table: rule " f[1] " in " f[2] }
            }
            for (r in rule_seen) if (rule_seen[r] == 0) print "in the table, but no longer found: rule " r
            for (p in place_seen) if (place_seen[p] == 0) print "in the table, but no longer found: row " p
            if (n_rows > 10) print n_rows " rows, at most 10"
            if (n_rows == 0) print "no table"
        }' test/misra.md
}

if wanted misra; then
    # shellcheck disable=SC2086
    cppcheck -q -j "$jobs" $machine --enable=style --addon=misra --template='{id} {file}:{line}' lib >"$out/misra.log" 2>&1
    sed -n 's/^misra-c2012-\([0-9.]*\) \([^:]*\):.*/\1 \2/p' "$out/misra.log" | LC_ALL=C sort >"$out/misra.found"
    if [ -s "$out/misra.found" ]; then
        nothing misra "lib/ and test/misra.md disagree (lines: $out/misra.log)" "$(misra "$out/misra.found" | LC_ALL=C sort)"
    else
        fail misra "cppcheck's addon reports nothing at all"
        head -n 12 "$out/misra.log" | sed 's/^/    /'
    fi
fi

# ------------------------------------------------------------------------------------- every warning, in lib/ alone

# Configurations of lib/, of which each file is compiled with every one.
configurations="-DAF_PACKED=1
-DAF_REAL=double
-DAF_RECOMPUTE=2
-DAF_SOFTMAX_QUERIES=1 -DAF_CAUSAL=0 -DAF_PACKED=1
-DAF_POST_NORM=1 -DAF_RESIDUAL=0
-DAF_TRAINING=0 -DAF_MAP=0 -DAF_STREAMS=0"
[ -n "$long$only" ] || configurations=-DAF_PACKED=1
numeric=$(of_make '$(NUMERIC)')

# Of these the static analyser has to say nothing: it takes a minute for each.
analysed="-DAF_PACKED=1
-DAF_REAL=double"

every_file() { # COMMAND...: what it says of each file of lib/ in each configuration; tells if it fails without a word
    local configuration file said status
    while IFS= read -r configuration; do
        for file in lib/*.c; do
            # shellcheck disable=SC2086
            said=$("$@" $configuration "$file" 2>&1)
            status=$?
            [ -z "$said" ] || echo "$said"
            [ "$status" -eq 0 ] || [ -n "$said" ] || echo "$1 $configuration $file: exit status $status"
        done
    done <<<"$configurations"
}

# NAME FOUND COMMAND...: the check holds if a command says nothing of lib/, and does say FOUND of a file with mistakes.
check_silent() {
    wanted "$1" || return 0
    local name=$1 found=$2
    shift 2
    if "$@" "$out/mistakes.c" 2>&1 | grep -q "$found"; then
        nothing "$name" "$1 finds something" "$(every_file "$@")"
    else
        fail "$name" "$1 does not find what it has to find in a file with mistakes"
    fi
}

cat >"$out/mistakes.c" <<'C'
#include <stddef.h>
int *never_declared(int n);
int *never_declared(int n) {
    int *p = 0;
    long wide = 0xFFFFFFFFFF;
    unsigned u = n;
    if (n == 3) {
        return p + *p + u + (int)wide;
    }
    return 0;
}
void none(int *p, const char *s);
void none(int *p, const char *s) {
    p = s;
}
C

# Not warnings about mistakes, or the opposite of another one:
#   declaration-after-statement  C99 has it, and a variable is declared where it gets its value
#   padded                       structs of the interface whose members are ordered by meaning
#   covered-switch-default       a number from outside may be none of an enumeration's values; MISRA 16.4 wants `default`
#   unsafe-buffer-usage          (clang-19) every use of a pointer as an array: it is about C++
everything="-Weverything -Wno-declaration-after-statement -Wno-padded -Wno-covered-switch-default"
# shellcheck disable=SC2086
{
    check_silent everything-clang-14 Wsign-conversion clang-14 $numeric -ffreestanding -Ilib -fsyntax-only $everything
    check_silent everything-clang-19 Wsign-conversion clang-19 $numeric -ffreestanding -Ilib -fsyntax-only $everything \
        -Wno-unsafe-buffer-usage
# What sparse does not define by itself.
    check_silent sparse 'is so big' sparse -std=gnu99 -Wsparse-all -Wno-declaration-after-statement -Ilib \
        -D__FLT_RADIX__=2 -D__FLT_MANT_DIG__=24 -D__DBL_MANT_DIG__=53 -D__FLT_MAX_EXP__=128 -D__FLT_EVAL_METHOD__=0 \
        -D__FLT_MIN__=1.17549435e-38F -D__DBL_MIN__=2.2250738585072014e-308 \
        -D__FLT_MAX__=3.40282347e+38F -D__DBL_MAX__=1.7976931348623157e+308 \
        -D__FLT_EPSILON__=1.19209290e-7F -D__DBL_EPSILON__=2.2204460492503131e-16
    configurations=$analysed
    check_silent analyser-clang-14 'Dereference of null pointer' clang-14 --analyze --analyzer-output text \
        -Xclang -analyzer-checker=nullability,security.FloatLoopCounter,optin.portability $numeric -ffreestanding -Ilib
    check_silent analyser-clang-19 'Dereference of null pointer' clang-19 --analyze --analyzer-output text \
        -Xclang -analyzer-checker=nullability,security.FloatLoopCounter,optin.portability $numeric -ffreestanding -Ilib
}

# -------------------------------------------------------------------------------------------------------- complexity

# Decisions of a function and lines from its head to its end: at most 10 and 60.
if wanted complexity; then
    if [ "$(pmccabe lib/*.c | wc -l)" -gt 150 ]; then
        nothing complexity "functions with more than 10 decisions or 60 lines (decisions, lines, where)" \
            "$(pmccabe lib/*.c | awk '$1 > 10 || $5 > 60 { print $1, $5, $6, $7 }')"
    else
        fail complexity "pmccabe does not find the functions of lib/"
    fi
fi

finish
