#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs tests and ends with one line: N passed, N failed.
#
#   test/run.sh all                   what `make test` runs: every kind of test, sampled where the whole takes long
#   test/run.sh quick                 of these, what takes a few seconds each and needs no package but Criterion
#   test/run.sh long                  what only `make prove` runs, and all that `make test` runs on some days
#   test/run.sh only NAME [TEST]      the suite NAME, or those whose name contains it; of Criterion programs the tests that
#                                     match TEST
#
# A suite (suites.sh) is a program, built for one compiler, configuration and real type, or a script. Programs are of
# Criterion or print "ok NAME" and "FAIL NAME: ..." lines, as scripts do. lib/ is compiled once for each (compiler,
# options), whatever number of suites use it. There is a lane for each processor (LANES); each takes the suite that is
# expected to take longest of those that are left, by test/seconds.txt (`test/run.sh seconds` writes that file anew).
set -u
cd "$(dirname "$0")/.." || exit

mode=${1:-all}
pattern=${2:-}
case "$mode $#" in
"all 0" | "all 1" | "quick 1" | "long 1" | "seconds 1" | "only 2" | "only 3") ;;
*)
    echo "usage: test/run.sh all | quick | long | seconds | only NAME [TEST]" >&2
    exit 2
    ;;
esac
[ "$mode" != only ] || [ -n "$pattern" ] || { echo "test/run.sh: no suite has an empty name" >&2; exit 2; }
build=${BUILD:-build}/test
mkdir -p "$build/lib"
costs=test/seconds.txt
today=${TODAY:-$(($(date +%s) / 86400))} # whose turn it is (options.sh)
. test/options.sh

wanted() { # NAME SPEED
    case $mode in
    only) [ "$1" = "$pattern" ] || { [ -z "$is_name" ] && [[ $1 == *"$pattern"* ]]; } ;;
    quick) [ "$2" = fast ] ;;
    long) [ "$2" != fast ] && [ "$2" != slow ] ;;
    seconds) [ "$2" != long ] ;;
    *)
        case $2 in
        */*) [ $((today % ${2#*/})) -eq "${2%/*}" ] ;;
        *) [ "$2" != long ] ;;
        esac
        ;;
    esac
}

# ------------------------------------------------------------------------------------------------------------ builds

# What a library is made of, as one word: an object is made again if any of it has changed.
content=$(cat lib/*.[chd]* port/host/*.[ch] examples/notebook7/notebook7_config.h | md5sum | cut -c 1-12)

# The library for a compiler and options, once for each: sets `library`.
build_lib() { # COMPILER OPTION...
    local compiler=$1 key level tile=$tile
    shift
    key=$content-$(md5sum <<<"$("$compiler" --version) $*" | cut -c 1-12)
    library=$build/lib/$key/lib.a
    exec 9>"$build/lib/$key.lock"
    flock 9
    if [ ! -f "$library" ]; then
        rm -rf "$build/lib/$key"
        mkdir -p "$build/lib/$key"
        [ "$compiler" = gcc ] || tile+=" -fno-slp-vectorize"
        (
            root=$PWD
            compile="$compiler $numeric $warn -I$root/lib -I$root/port/host -I$root/examples/notebook7 $*"
            cd "$build/lib/$key" || exit
            # shellcheck disable=SC2046,SC2086
            $compile -c $(printf "$root/%s " $(cd "$root" && ls lib/*.c | grep -v lib/af_tile.c)) || exit
            # shellcheck disable=SC2086
            $compile $tile -c "$root/lib/af_tile.c" || exit
            case $* in *af_host.h*)
                for level in $levels; do
                    # shellcheck disable=SC2086
                    $compile $tile -march=x86-64-$level -mprefer-vector-width=512 -DAF_TILE_TABLE=af_kernels_tile_$level \
                        "-DAF_TILE_NAME=\"tile $level\"" -c "$root/lib/af_tile.c" -o "tile_$level.o" || exit
                done
                ;;
            esac
            ar rcs lib.a ./*.o
        )
    fi
    local status=$?
    exec 9>&-
    return $status
}

build_program() { # NAME KIND COMPILER WORDS: options and sources
    local word of_lib=() others=() libraries=
    # shellcheck disable=SC2086
    for word in $4; do # sources are patterns of files
        case $word in
        -D[!A]* | -Iexamples/* | *.c) others+=("$word") ;;
        *) of_lib+=("$word") ;;
        esac
    done
    [ "$2" != program ] || libraries=-lcriterion
    build_lib "$3" "${of_lib[@]}" || return
    # shellcheck disable=SC2086
    "$3" $numeric $warn -Ilib -Itest -Iport "${of_lib[@]}" "${others[@]}" "$library" $libraries -lm -lpthread -o "$build/$1"
}

# ------------------------------------------------------------------------------------------------------------ a suite

again() { # NAME [TEST]
    printf '    again: test/run.sh only %s\n' "$*"
}

# Runs it; what it has to say goes to NAME.say, NAME.result holds: passed, failed, processor seconds, seconds.
run_suite() { # NAME KIND COMPILER WORDS
    local name=$1 kind=$2 log=$build/$1.log status good=0 bad=0 start=$SECONDS test
    if [ "$kind" = script ] || [ "$kind" = apart ]; then
        # shellcheck disable=SC2086
        $4 >"$log" 2>&1 </dev/null
        status=$?
    elif ! build_program "$@" >"$log" 2>&1; then
        status=1
        kind=unbuilt
    elif [ "$kind" = program ]; then
        "$build/$name" -j1 ${filter:+--filter "$filter"} >"$log" 2>&1 </dev/null
        status=$?
    else
        "$build/$name" >"$log" 2>&1 </dev/null
        status=$?
    fi
    if [ "$kind" = program ]; then
        good=$(sed -n 's/.*Synthesis: .*Passing: \([0-9]*\).*/\1/p' "$log")
        bad=$(sed -n 's/.*Synthesis: Tested: \([0-9]*\).*/\1/p' "$log")
        good=${good:-0}
        bad=$((${bad:-0} - good))
    else
        good=$(grep -c '^ok ' "$log")
        bad=$(grep -c '^FAIL ' "$log")
    fi
    # One that ends with a failure, or has tested nothing, has failed.
    [ $bad -gt 0 ] || { [ $status -eq 0 ] && [ $good -gt 0 ]; } || bad=1
    {
        grep '^not tested:' "$log"
        if [ $bad -gt 0 ] && [ "$kind" = program ]; then
            grep -vE '^\[(RUN|PASS|SKIP)' "$log"
            for test in $(sed -n 's/^\[FAIL\] \([a-z0-9_]*\)::\([a-z0-9_]*\).*/\1\/\2/p' "$log" | sort -u); do
                again "$name" "$test"
            done
        elif [ $bad -gt 0 ]; then
            grep -v '^ok ' "$log"
        fi
    } >"$build/$name.say"
    times >"$build/$name.times"
    awk -v good=$good -v bad=$bad -v seconds=$((SECONDS - start)) '
        { for (i = 1; i <= 2; i++) { split($i, part, /[ms]/); sum += 60 * part[1] + part[2] } }
        END { print good, bad, int(sum + 0.5), seconds }' "$build/$name.times" >"$build/$name.result"
}

# ------------------------------------------------------------------------------------------------------------ lanes

work=$(mktemp -d "$build/lanes.XXXXXX") || exit
trap 'rm -rf "$work"' EXIT
# shellcheck disable=SC2046
trap 'kill $(jobs -p) 2>/dev/null; exit 130' INT TERM
mkdir "$work/taken"
filter=${3:-}

# Every suite that is wanted, the longest first; scripts that share the folder of `make` as if they took as long again,
# since only one of them runs at a time. Columns: seconds, name, kind, compiler, words.
list_suites >"$work/every"
is_name=$(cut -f 1 "$work/every" | grep -xF -- "$pattern")
awk -F '\t' -v OFS='\t' 'FILENAME != ARGV[2] { split($0, f, " "); cost[f[1]] = f[2]; next }
    { seconds = $1 in cost ? cost[$1] : 3; print ($3 == "script" ? 2 : 1) * seconds, seconds, $1, $2, $3, $5, $4 }' \
    <(grep -v '^#' $costs 2>/dev/null) "$work/every" | sort -t $'\t' -k1,1nr -k3,3 |
    while IFS=$'\t' read -r _ cost name speed kind compiler words; do
        ! wanted "$name" "$speed" || printf '%s\t%s\t%s\t%s\t%s\n' "$cost" "$name" "$kind" "$compiler" "$words"
    done >"$work/list"
if [ ! -s "$work/list" ]; then
    echo "no suite matches '$pattern'" >&2
    exit 2
fi
twice=$(cut -f 1 "$work/every" | sort | uniq -d)
n_suites=$(wc -l <"$work/list")
n_lanes=${LANES:-$(nproc)}
expected=$(awk '{ sum += $1 } END { print sum + 0 }' "$work/list")

clock() { # SECONDS
    printf '%d:%02d' $(($1 / 60)) $(($1 % 60))
}

# A line for a suite that has ended, and on a terminal a bar below it.
report() { # NAME
    local good bad cpu seconds n left width=30 filled
    read -r good bad cpu seconds <"$build/$1.result"
    {
        flock 8
        echo "$1" >>"$work/ended"
        n=$(wc -l <"$work/ended")
        left=$(awk -v lanes="$n_lanes" -v elapsed=$SECONDS 'FILENAME ~ /ended$/ { ended[$1]; next }
            { if ($2 in ended) done += $1; else rest += $1 }
            END { pace = done > 20 && elapsed > 20 ? elapsed / done : 1 / lanes; print int(rest * pace + 0.5) }' "$work/ended" "$work/list")
        [ ! -t 1 ] || printf '\r\033[K'
        printf '%*d of %d, %s left  %-32s %5d s %5d passed' ${#n_suites} "$n" "$n_suites" "$(clock "$left")" "$1" "$seconds" "$good"
        if [ "$bad" -gt 0 ]; then
            printf ' %4d FAILED\n' "$bad"
            [ ! -s "$build/$1.say" ] || cat "$build/$1.say"
            again "$1"
        else
            echo
            [ ! -s "$build/$1.say" ] || sed 's/^/    /' "$build/$1.say"
        fi
        if [ -t 1 ]; then
            filled=$((n * width / n_suites))
            printf '[%s%s] %d of %d suites, %s, about %s left' "$(printf '%*s' $filled '' | tr ' ' '#')" \
                "$(printf '%*s' $((width - filled)) '' | tr ' ' .)" "$n" "$n_suites" "$(clock $SECONDS)" "$(clock "$left")"
        fi
    } 8>"$work/report.lock"
}

# The first suite that nobody has: sets name, kind, compiler, words. 1: nothing is left; 2: only what has to wait.
take() {
    local waits=
    while IFS=$'\t' read -r _ name kind compiler words; do
        [ ! -d "$work/taken/$name" ] || continue
        if [ "$kind" = script ] && ! mkdir "$work/make" 2>/dev/null; then
            waits=yes
            continue
        fi
        ! mkdir "$work/taken/$name" 2>/dev/null || return 0
        [ "$kind" != script ] || rmdir "$work/make"
    done <"$work/list"
    [ -z "$waits" ] || return 2
    return 1
}

lane() {
    local status
    while :; do
        take
        status=$?
        if [ $status -eq 2 ]; then
            sleep 1
            continue
        fi
        [ $status -eq 0 ] || return 0
        rm -f "$build/$name.result"
        (run_suite "$name" "$kind" "$compiler" "$words")
        [ -f "$build/$name.result" ] || echo "0 1 0 0" >"$build/$name.result"
        [ "$kind" != script ] || rmdir "$work/make"
        report "$name"
    done
}

echo "suites: $n_suites, on $n_lanes processors, about $(clock $((expected / n_lanes)))"
for ((i = 0; i < n_lanes; i++)); do
    lane &
done
wait
[ ! -t 1 ] || printf '\r\033[K'

# ------------------------------------------------------------------------------------------------------------ the end

passed=0
failed=0
failures=()
: >"$work/costs"
while IFS=$'\t' read -r _ name _; do
    if ! grep -qx "$name" "$work/ended" 2>/dev/null; then
        failed=$((failed + 1))
        failures+=("$name was not run to its end")
        continue
    fi
    read -r good bad cpu seconds <"$build/$name.result"
    passed=$((passed + good))
    failed=$((failed + bad))
    [ "$bad" -eq 0 ] || failures+=("$name")
    echo "$name $cpu" >>"$work/costs"
done <"$work/list"
for name in $twice; do
    failed=$((failed + 1))
    failures+=("$name stands twice in the list")
done
# Libraries of other sources are of no use any more, unless another run is at them.
find "$build/lib" -mindepth 1 -maxdepth 1 ! -name "$content-*" -mmin +60 -exec rm -rf {} +

if [ "$n_suites" -gt 10 ]; then
    for level in $levels; do
        has_level "$level" || echo "not tested: tiles of x86-64-$level, whose instructions this processor lacks"
    done
    echo "the ten that took most, in seconds of the processor:"
    sort -k2,2nr "$work/costs" | head -n 10 | awk '{ printf "    %-32s %5d\n", $1, $2 }'
fi
awk -v clock="$(clock $SECONDS)" '{ sum += $2 } END { printf "%d seconds of the processor, %s on the clock\n", sum, clock }' "$work/costs"
if [ "$mode" = seconds ] && [ $failed -eq 0 ]; then
    { echo "# SPDX-License-Identifier: MIT"; echo "# Seconds of the processor that each suite takes. Written by test/run.sh seconds."; LC_ALL=C sort "$work/costs"; } >$costs
fi
[ ${#failures[@]} -eq 0 ] || printf 'failed: %s\n' "${failures[@]}"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
