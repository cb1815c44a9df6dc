#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The long form of what the tests sample: one line a proof, and a table of their figures, which stays in
# the build's proofs.md. Hours on one core: fuzzing alone takes about one.
#
#   test/prove.sh [NAME]      only the proofs whose name contains NAME; the table then has these alone
set -u
cd "$(dirname "$0")/.." || exit
build=${BUILD:-build}
folder=$build/proofs
. test/options.sh
only=${1:-}
table=$build/proofs.md
n_failed=0
n_run=0
mkdir -p "$folder"
printf '| Proof | Result | Figures |\n|---|---|---|\n' >"$table"

row() { # NAME RESULT FIGURES
    printf '| %s | %s | %s |\n' "$1" "$2" "${3//|/\\|}" >>"$table"
    tail -n 1 "$table"
}

# Runs a proof. Its figures are what is in brackets or behind a colon on its lines "ok ..." that match the pattern.
prove() { # NAME PATTERN COMMAND...
    [[ $1 == *"$only"* ]] || return 0
    n_run=$((n_run + 1))
    local name=$1 pattern=$2 log=$folder/${1// /-}.log result=holds
    shift 2
    if ! "$@" >"$log" 2>&1 || grep -q '^FAIL' "$log" || ! grep -qE "^ok .*($pattern)" "$log"; then
        result=FAILS
        n_failed=$((n_failed + 1))
    fi
    row "$name" $result "$(grep -E "^ok .*($pattern)" "$log" | sed 's/^ok //' | paste -sd ';' | sed 's/;/; /g')"
}

# Not a proof, but what the others rest on: how much test there is.
volume() {
    local n_lib n_test n_criterion
    n_lib=$(cat lib/*.c lib/*.h lib/*.def | wc -l)
    n_test=$(git ls-files test | grep -E '\.(c|h|sh|py)$' | grep -v '^test/vectors/' | xargs cat | wc -l)
    n_criterion=$(cat test/test_*.c | grep -c '^Test(')
    echo "ok volume: $n_test lines of tests, $n_lib of lib/ ($((n_test / n_lib)).$((10 * n_test / n_lib % 10)) times), $n_criterion Criterion tests, $(list_suites | wc -l) suites"
}

prove "coverage" "line|branch|condition|exclusions" test/check_coverage.sh
prove "mutants" "mutants" env JOBS="$(nproc)" test/mutate.py run 520
prove "elementary functions, all 2^32 floats" "bits|bounds" env STRIDE=1 test/check_math.sh
prove "elementary functions, double" "double" test/check_math.sh 4000000
prove "power cuts" "save|sweep|runs|cache|wear|without" test/check_power_cuts.sh
prove "fuzzing" "executions" env TIMES="${TIMES:-1000}" test/check_fuzz.sh
prove "volume of tests" "lines" volume

[ $n_run -gt 0 ] || { echo "test/prove.sh: no proof matches '$only'" >&2; exit 2; }
echo "$table: $n_run proofs, $n_failed failed"
[ $n_failed -eq 0 ]
