#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# libFuzzer under AddressSanitizer and UndefinedBehaviorSanitizer, from the committed corpus on: a checkpoint, a weights file,
# a command line, sequences of API calls. What a run finds to be new stays under build/.
#
#   LONG=1 test/check_fuzz.sh [NAME]        5 million executions
#   TIMES=1000 test/check_fuzz.sh [NAME]    50 million: so many percent
#   test/check_fuzz.sh [NAME]               100,000, which begin with the whole corpus
#   GROW=1 test/check_fuzz.sh [NAME]        afterwards adds to the committed corpus what reaches new code
#
# A corpus is one archive, test/fuzz/corpus/NAME.tar.gz; a run unpacks it under build/.
# promise: bounded-time, no-index-before-check, weights-file-checked
set -u
cd "$(dirname "$0")/.." || exit 1
. test/check_common.sh
. test/options.sh

fuzz="clang -std=gnu99 -ffp-contract=off -fno-math-errno -Wall -Wextra -Werror -O2 -g -fsanitize=fuzzer,address,undefined
    -fno-sanitize-recover=all -Ilib -Iport -Iexamples/common -Iexamples/firmware -Iexamples/reversal -Itest"
program="-DAF_DIM=4 -DAF_HEADS=1 -DAF_FF=4 -DAF_BLOCKS=1"
corpus=$out/fuzz/corpus
mkdir -p "$out/fuzz"

times=${TIMES:-2}
[ -z "$long" ] || times=${TIMES:-100}

# lib/ for a configuration, into a folder. In check sums and look-ups by name, comparisons are not traced: they are millions.
build_lib() { # FOLDER OPTIONS
    local file object trace
    mkdir -p "$1"
    for file in lib/*.c; do
        object=$1/${file//\//-}.o
        case $file in
        lib/af_crc32c.c | lib/af_map.c) trace="-fno-sanitize-coverage=trace-cmp" ;;
        *) trace= ;;
        esac
        # shellcheck disable=SC2086
        $fuzz $2 $trace -c "$file" -o "$object" || return
    done
}

build_command_line() {
    local file object options objects=()
    for file in examples/reversal/*.c examples/firmware/task.c examples/common/*.c port/host/*.c; do
        object=$out/fuzz/command_line-${file//\//-}.o
        objects+=("$object")
        case $file in
        */main.c) options="-Dmain=reversal_main -Daf_selftest=no_selftest" ;;
        */cmd_map.c) options="-Dmap_print_text=no_print -Dmap_print_csv=no_print -Dmap_print_json=no_print -Dmap_print_svg=no_print" ;;
        */names.c) options="-Dnearest_distance=few_distances" ;;
        *) options= ;;
        esac
        # shellcheck disable=SC2086
        $fuzz $program -include test/fuzz/no_files.h $options -c "$file" -o "$object" || return
    done
    # shellcheck disable=SC2086
    $fuzz $program test/fuzz/fuzz_command_line.c "${objects[@]}" "$out"/fuzz/program/*.o -lpthread -o "$out/fuzz/command_line"
}

build() { # NAME
    # shellcheck disable=SC2086
    case $1 in
    command_line) build_command_line ;;
    weights) $fuzz $program test/fuzz/fuzz_weights.c $loader "$out"/fuzz/program/*.o -o "$out/fuzz/$1" ;;
    *) $fuzz $tiny "test/fuzz/fuzz_$1.c" "$out"/fuzz/tiny/*.o -o "$out/fuzz/$1" ;;
    esac
}

unpack() { # NAME
    rm -rf "${corpus:?}/$1"
    mkdir -p "$corpus/$1"
    tar -xzf "test/fuzz/corpus/$1.tar.gz" -C "$corpus/$1"
}

# The same inputs make the same archive.
pack() { # NAME
    tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -C "$corpus/$1" -cf - . | gzip -9n >"test/fuzz/corpus/$1.tar.gz"
}

fuzz_one() { # NAME EXECUTIONS LONGEST
    local name=$1 found=$out/fuzz/$1.found
    unpack "$name" && build "$name" >"$out/fuzz/$name.log" 2>&1 || return 1
    rm -rf "$found"
    mkdir -p "$found"
    "$out/fuzz/$name" -runs="$2" -max_len="$3" -timeout=20 -rss_limit_mb=1024 -print_final_stats=1 -close_fd_mask=2 \
        -artifact_prefix="$out/fuzz/$name-" "$found" "$corpus/$name" >"$out/fuzz/$name.log" 2>&1
}

# NAME EXECUTIONS LONGEST EDGES: most for what is fast and reads foreign files. Fewer edges than these, and the harness no
# longer comes to what it is for.
harnesses="checkpoint 600000 8193 200
api 300000 400 700
command_line 200000 200 1200
weights 3900000 3000 60"

chosen=$(while read -r name runs longest edges; do
    if wanted "$name"; then echo "$name $((runs * times / 100)) $longest $edges"; fi
done <<<"$harnesses")
if [ -n "$chosen" ]; then
    export -f fuzz_one unpack build build_command_line
    export out fuzz tiny program loader corpus
    for configuration in program tiny; do # the library once for two harnesses each
        rm -rf "$out/fuzz/$configuration"
        build_lib "$out/fuzz/$configuration" "${!configuration}" >"$out/fuzz/$configuration.log" 2>&1 ||
            fail "$configuration" "lib/ does not compile: $(grep -m 1 error "$out/fuzz/$configuration.log")"
    done
    xargs -P "$jobs" -d '\n' -n 1 bash -c 'fuzz_one $1' fuzz_one <<<"$chosen"
    while read -r name runs _ edges; do
        n=$(sed -n 's/^stat::number_of_executed_units: *//p' "$out/fuzz/$name.log")
        coverage=$(sed -n 's/.*DONE *cov: \([0-9]*\) ft: \([0-9]*\).*/\1 edges, \2 features/p' "$out/fuzz/$name.log")
        if [ -n "$coverage" ] && [ "${n:-0}" -ge "$runs" ] && [ "${coverage%% *}" -lt "$edges" ]; then
            fail "$name" "$coverage: the harness no longer comes to what it is for"
        elif [ -n "$coverage" ] && [ "${n:-0}" -ge "$runs" ]; then
            ok "$name ($n executions, $coverage)"
        else
            fail "$name" "see $out/fuzz/$name.log; again: $out/fuzz/$name FILE"
            grep -E 'ERROR|SUMMARY|runtime error|Test unit written|error:' "$out/fuzz/$name.log" | head -n 6 | sed 's/^/    /'
        fi
        if [ -n "${GROW:-}" ]; then
            "$out/fuzz/$name" -merge=1 -use_counters=0 -close_fd_mask=2 -max_len=8193 "$corpus/$name" "$out/fuzz/$name.found" >/dev/null 2>&1
            pack "$name"
        fi
    done <<<"$chosen"
fi

finish
