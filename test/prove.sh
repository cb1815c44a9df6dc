#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Everything at full length: one line a part, and a table of their figures, which stays in the build's proofs.md. Hours on
# one core: fuzzing alone takes about one.
#
#   test/prove.sh [PART]      one part; its row takes the place of the one that the table has
set -u
cd "$(dirname "$0")/.." || exit
build=${BUILD:-build}
folder=$build/proofs
. test/options.sh
only=${1:-}
table=$build/proofs.md
n_failed=0
n_run=0
names=()
mkdir -p "$folder"

row() { # NAME RESULT FIGURES
    printf '| %s | %s | %s |\n' "$1" "$2" "${3//|/\\|}" | tee "$folder/$1.row"
}

# Runs a part. Its figures are how many checks passed, how long it took, and its lines "ok ..." that match the pattern.
part() { # NAME PATTERN COMMAND...
    names+=("$1")
    [ -z "$only" ] || [ "$1" = "$only" ] || return 0
    n_run=$((n_run + 1))
    local name=$1 pattern=$2 log=$folder/$1.log result=holds start=$SECONDS figures
    shift 2
    echo "$name: $*, into $log"
    if ! LONG=1 JOBS=$(nproc) "$@" >"$log" 2>&1 || grep -q '^FAIL' "$log"; then
        result=FAILS
        n_failed=$((n_failed + 1))
    fi
    figures="$(sed -n 's/^\([0-9]* passed\), [0-9]* failed$/\1/p' "$log")"
    [ -n "$figures" ] || figures="$(grep -c '^ok ' "$log") passed"
    [ -z "$pattern" ] || figures+="; $(grep -E "^ok .*($pattern)" "$log" | sed 's/^ok //' | paste -sd ';' | sed 's/;/; /g')"
    row "$name" $result "$figures; $(((SECONDS - start + 59) / 60)) min"
}

# Not a proof, but what the others rest on: how much test there is.
volume() {
    local n_lib n_test n_criterion
    n_lib=$(cat lib/*.c lib/*.h lib/*.def | wc -l)
    n_test=$(git ls-files test | grep -E '\.(c|h|sh|py)$' | grep -v '^test/vectors/' | xargs cat | wc -l)
    n_criterion=$(cat test/test_*.c | grep -c '^Test(')
    echo "ok volume: $n_test lines of tests, $n_lib of lib/ ($((n_test / n_lib)).$((10 * n_test / n_lib % 10)) times), $n_criterion Criterion tests, $(list_suites | wc -l) suites"
}

part suites "" test/run.sh long
part boards "" test/check_boards.sh
part matrix "" test/check_matrix.sh
part hazards "" test/check_hazards.sh
part words "" test/check_words.sh
part warnings "" test/check_warnings.sh
part symbols "" test/check_symbols.sh
part offsets "" test/check_offsets.sh
part analysis "" test/check_analysis.sh
part metatests "" test/check_metatests.sh
part mutants "mutants" test/mutate.py run 520
part mutants-short "mutants" test/mutate.py short 60
part coverage "line|branch|condition|exclusions" test/check_coverage.sh
part coverage-short "line|branch|condition" env BRIEF=1 test/check_coverage.sh
part math "bits|bounds" env STRIDE="${STRIDE:-1}" test/check_math.sh
part math-double "double" test/check_math.sh 4000000
part power-cuts "save|sweep|runs|units|worn|cache|wear|without" test/check_power_cuts.sh
part fuzz "executions" env TIMES="${TIMES:-1000}" test/check_fuzz.sh
part volume "lines" volume

[ $n_run -gt 0 ] || { echo "test/prove.sh: no part is called '$only'; there are ${names[*]}" >&2; exit 2; }
{
    printf '| part | result | figures |\n|---|---|---|\n'
    for name in "${names[@]}"; do
        cat "$folder/$name.row" 2>/dev/null
    done
} >"$table"
echo "$table: $n_run parts run, $n_failed failed"
[ $n_failed -eq 0 ]
