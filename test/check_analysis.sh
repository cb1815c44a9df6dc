#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What analysers say: clang-format, clang-tidy (.clang-tidy), cppcheck, and its MISRA rules against test/misra.md.
#
#   test/check_analysis.sh [NAME]      needs clang-format, clang-tidy, cppcheck, python3 (cppcheck's addon), make
set -u
cd "$(dirname "$0")/.." || exit
. test/check_common.sh

lib_options="-std=c99 -ffreestanding -Ilib"
program_options="-std=c99 -Ilib -Iport -Iexamples/common"

# ------------------------------------------------------------------------------------------------------------ format

if wanted format; then
    mapfile -t files < <(find lib port examples test -name '*.[ch]' ! -path 'test/vectors/*' | LC_ALL=C sort)
    nothing format "files that clang-format would change: make format" \
        "$(clang-format --dry-run -Werror "${files[@]}" 2>&1 | grep -E 'error|not found' | cut -d: -f1 | uniq)"
fi

# -------------------------------------------------------------------------------------------------------- clang-tidy

tidy() { # FILE
    local options=$program_options
    case $1 in lib/*) options=$lib_options ;; esac
    # shellcheck disable=SC2086
    clang-tidy --quiet "$1" -- $options >"$out/tidy/${1//\//-}" 2>&1
    echo $? >"$out/tidy/${1//\//-}.status"
}

sources=$(find lib port examples -name '*.c' | LC_ALL=C sort)
chosen=$(for file in $sources; do if wanted "tidy-$file"; then echo "$file"; fi; done)
if [ -n "$chosen" ]; then
    mkdir -p "$out/tidy"
    export -f tidy
    export out lib_options program_options
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
check_cppcheck cppcheck-programs port examples

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

finish
