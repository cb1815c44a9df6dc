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
case "$mode $#" in
"all 0" | "all 1" | "quick 1" | "only 2") ;;
*)
    echo "usage: test/run.sh all | quick | only PATTERN" >&2
    exit 2
    ;;
esac
build=${BUILD:-build}/test
mkdir -p "$build"
passed=0
failed=0
failures=()

. test/options.sh

wanted() { # NAME SPEED
    if [ "$mode" = only ]; then
        [[ $1 == *"$pattern"* ]]
    else
        [ "$mode" = all ] || [ "$2" = fast ]
    fi
}

# Two lanes where there are two processors. Scripts share what make builds, so one lane runs them all; the other begins
# with the programs. What is left, and scripts whose files are apart, is run by the lane that takes it first.
lanes=$(mktemp -d "$build/lanes.XXXXXX") || exit
trap 'rm -rf "$lanes"' EXIT
kinds=

take() { # KIND NAME SPEED: whether this lane is to run a suite
    wanted "$2" "$3" && [[ $kinds == *"$1"* ]] && mkdir "$lanes/$2" 2>/dev/null && started=$SECONDS
}

apart() { # NAME SPEED COMMAND...: a script that shares no file with another suite
    local kind=apart
    script "$@"
}

run_lane() { # NAME KINDS...: the suites of these kinds, then of the next ones
    local lane=$1
    shift
    for kinds in "$@"; do
        . test/suites.sh
    done
    echo "$passed $failed ${failures[*]}" >"$lanes/$lane.result"
}

count() { # NAME PASSED FAILED
    passed=$((passed + $2))
    failed=$((failed + $3))
    if [ "$3" -gt 0 ]; then
        failures+=("$1")
        printf '%-32s %5d s %5d passed %4d FAILED      again: test/run.sh only %s\n' "$1" $((SECONDS - started)) "$2" "$3" "$1"
    else
        printf '%-32s %5d s %5d passed\n' "$1" $((SECONDS - started)) "$2"
    fi
}

criterion() { # NAME SPEED COMPILER FLAGS SOURCE
    take program "$1" "$2" || return 0
    # shellcheck disable=SC2086
    if ! $3 $numeric $warn $4 -Ilib -Itest "$5" lib/*.c -lcriterion -lm -o "$build/$1" >"$build/$1.log" 2>&1; then
        cat "$build/$1.log"
        count "$1" 0 1
        return
    fi
    run_criterion "$1"
}

build_tiles() { # NAME COMPILER FLAGS SOURCE [LIBRARY]
    local folder=$build/$1.o options level file others=() objects=("$build/$1.o/tile.o")
    options="$numeric $warn $3 -Ilib -Itest -Iport"
    local tile=$tile
    [ "$2" != clang ] || tile+=" -fno-slp-vectorize"
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
        $2 $options $tile -march=x86-64-$level -mprefer-vector-width=512 -DAF_TILE_TABLE=af_kernels_tile_$level -DAF_TILE_NAME="\"tile $level\"" \
            -c lib/af_tile.c -o "$folder/tile_$level.o" || return
    done
    # shellcheck disable=SC2086
    $2 $options "$4" "${others[@]}" port/host/workers.c "${objects[@]}" ${5:-} -lm -lpthread -o "$build/$1"
}

tiles() { # NAME SPEED COMPILER FLAGS SOURCE
    take program "$1" "$2" || return 0
    if ! build_tiles "$1" "$3" "$4" "$5" -lcriterion >"$build/$1.log" 2>&1; then
        cat "$build/$1.log"
        count "$1" 0 1
        return
    fi
    run_criterion "$1"
    grep '^not tested:' "$build/$1.log"
}

build_and_run() { # NAME COMPILER FLAGS SOURCE [LIBRARY]: a program with a main of its own, for `script`
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
    take "${kind:-script}" "$1" "$2" || return 0
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

if [ "$mode" != only ] && [ "$(nproc)" -gt 1 ]; then
    names="scripts programs"
    run_lane scripts script apart program &
    run_lane programs program apart
    wait
else
    names=all
    run_lane all "program script apart"
fi

while read -r name speed _; do
    ! wanted "$name" "$speed" || echo "$name"
done < <(list_suites) >"$lanes/all"
passed=0
failed=0
failures=()
for name in $names; do
    if read -r passed_there failed_there failures_there <"$lanes/$name.result"; then
        passed=$((passed + passed_there))
        failed=$((failed + failed_there))
        failures+=($failures_there)
    else # it did not come to its end
        failed=$((failed + 1))
        failures+=("the lane of $name")
    fi
done
# Each suite was run, and once.
while read -r name; do
    if [ ! -d "$lanes/$name" ] || [ "$(grep -cx "$name" "$lanes/all")" -ne 1 ]; then
        failed=$((failed + 1))
        failures+=("$name was not run, or stands twice in the list")
    fi
done < <(sort -u "$lanes/all")
if [ ${#failures[@]} -gt 0 ]; then
    printf 'failed: %s\n' "${failures[*]}"
fi
if [ $((passed + failed)) -eq 0 ]; then
    echo "no suite matches '$pattern'" >&2
    exit 2
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
