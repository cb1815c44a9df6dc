#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs every test and ends with one line: N passed, N failed.
#
#   test/run.sh all             everything
#   test/run.sh quick           without what takes longer than a few seconds
#   test/run.sh only PATTERN    the suites whose name contains PATTERN
#
# A suite is either a Criterion program, built for one compiler, configuration and real type, or a script that prints
# "ok NAME" or "FAIL NAME: ..." for each of its checks. Every suite prints the command that runs it alone.
set -u
cd "$(dirname "$0")/.."

mode=${1:-all}
pattern=${2:-}
build=${BUILD:-build}/test
mkdir -p "$build"
passed=0
failed=0
failures=()

numeric="-std=gnu99 -ffp-contract=off -fno-math-errno"
warn="-Wall -Wextra -Wshadow -Wdouble-promotion -Werror"
small="-DAF_VOCAB=7 -DAF_CONTEXT=6 -DAF_DIM=8 -DAF_HEADS=2 -DAF_FF=16 -DAF_BLOCKS=2"
one_block="-DAF_VOCAB=7 -DAF_CONTEXT=6 -DAF_DIM=8 -DAF_HEADS=1 -DAF_FF=16 -DAF_BLOCKS=1"
sanitize="-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all"

wanted() { # NAME SPEED
    if [ "$mode" = only ]; then
        [[ $1 == *"$pattern"* ]]
    else
        [ "$mode" = all ] || [ "$2" = fast ]
    fi
}

count() { # NAME PASSED FAILED
    passed=$((passed + $2))
    failed=$((failed + $3))
    if [ "$3" -gt 0 ]; then
        failures+=("$1")
        printf '%-44s %4d passed %4d FAILED      again: test/run.sh only %s\n' "$1" "$2" "$3" "$1"
    else
        printf '%-44s %4d passed\n' "$1" "$2"
    fi
}

criterion() { # NAME SPEED COMPILER FLAGS SOURCE
    wanted "$1" "$2" || return 0
    # shellcheck disable=SC2086
    if ! $3 $numeric $warn $4 -Ilib -Itest "$5" lib/*.c -lcriterion -lm -o "$build/$1" >"$build/$1.log" 2>&1; then
        cat "$build/$1.log"
        count "$1" 0 1
        return
    fi
    run_criterion "$1"
}

# What a program needs for tiles on threads, and the levels of the instruction set that are compiled for this machine:
# af_tile.c is compiled once for each, as in the Makefile.
host="-DAF_PACKED=1 -DAF_MICRO_BATCH=32 -DAF_WORKERS=8"
tile="-O3 -fno-trapping-math"
levels=
[ "$(uname -m)" != x86_64 ] || levels="v3 v4"

has_level() { # LEVEL: whether this processor has its instructions
    local word words="avx2 fma bmi1 bmi2"
    [ "$(uname -m)" = x86_64 ] || return 1
    [ "$1" = v3 ] || words+=" avx512f avx512vl avx512bw avx512dq avx512cd"
    for word in $words; do
        grep -m 1 '^flags' /proc/cpuinfo 2>/dev/null | grep -qw "$word" || return 1
    done
}

# The table of the highest level that this processor has.
best_tile=af_kernels_tile
for level in $levels; do
    ! has_level "$level" || best_tile=af_kernels_tile_$level
done

build_tiles() { # NAME COMPILER FLAGS SOURCE [LIBRARY]
    local folder=$build/$1.o options level file others=() objects=("$build/$1.o/tile.o")
    options="$numeric $warn $3 -Ilib -Itest -Iport"
    for file in lib/*.c; do
        [ "$file" = lib/af_tile.c ] || others+=("$file")
    done
    rm -rf "$folder" # no object of an earlier build may take part
    mkdir -p "$folder"
    # shellcheck disable=SC2086
    $2 $options $tile -c lib/af_tile.c -o "${objects[0]}" || return
    for level in $levels; do
        objects+=("$folder/tile_$level.o")
        # shellcheck disable=SC2086
        $2 $options $tile -march=x86-64-$level -DAF_TILE_TABLE=af_kernels_tile_$level -DAF_TILE_NAME="\"tile $level\"" \
            -c lib/af_tile.c -o "$folder/tile_$level.o" || return
    done
    # shellcheck disable=SC2086
    $2 $options "$4" "${others[@]}" port/host/workers.c "${objects[@]}" ${5:-} -lm -lpthread -o "$build/$1"
}

tiles() { # NAME SPEED COMPILER FLAGS SOURCE
    wanted "$1" "$2" || return 0
    if ! build_tiles "$1" "$3" "$4" "$5" -lcriterion >"$build/$1.log" 2>&1; then
        cat "$build/$1.log"
        count "$1" 0 1
        return
    fi
    run_criterion "$1"
    grep '^not tested:' "$build/$1.log"
}

build_and_run() { # NAME COMPILER FLAGS SOURCE: a program with a main of its own, for `script`
    build_tiles "$@" && "$build/$1"
}

run_criterion() { # NAME: a program that was built
    local program=$build/$1 log=$build/$1.log
    "$program" -j2 >"$log" 2>&1
    local status=$? tested passing
    tested=$(sed -n 's/.*Synthesis: Tested: \([0-9]*\).*/\1/p' "$log")
    passing=$(sed -n 's/.*Passing: \([0-9]*\).*/\1/p' "$log")
    if [ -z "$tested" ] || [ "$tested" -eq 0 ]; then
        cat "$log"
        count "$1" 0 1
    elif [ "$passing" -ne "$tested" ] || [ "$status" -ne 0 ]; then
        grep -vE '^\[(RUN|PASS|SKIP)' "$log"
        [ "$passing" -lt "$tested" ] || passing=$((tested - 1))
        count "$1" "$passing" $((tested - passing))
    else
        count "$1" "$passing" 0
    fi
}

script() { # NAME SPEED COMMAND...
    wanted "$1" "$2" || return 0
    local name=$1 log=$build/$1.log
    shift 2
    "$@" >"$log" 2>&1
    local status=$? good bad
    good=$(grep -c '^ok ' "$log")
    bad=$(grep -c '^FAIL ' "$log")
    if [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; then
        bad=1
    fi
    [ $((good + bad)) -gt 0 ] || bad=1 # a suite that checks nothing is not a passing suite
    [ "$bad" -eq 0 ] || grep -v '^ok ' "$log"
    count "$name" "$good" "$bad"
}

. test/suites.sh

if [ ${#failures[@]} -gt 0 ]; then
    printf 'failed: %s\n' "${failures[*]}"
fi
if [ $((passed + failed)) -eq 0 ]; then
    echo "no suite matches '$pattern'" >&2
    exit 2
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
