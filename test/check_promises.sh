#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# No promise without a test. Promises of the documents and the headers carry ids: `promise: ID, ID` in a comment behind what
# is promised. Tests carry the ids of what they hold, in a comment before them; in test/suites.sh a comment on a
# suite's line, or `# promise: ID... by SUITE...`. Each id has to be in both, and one of its tests in a suite of `make test`,
# on every day: in one that always runs, or in suites whose turns are on all days together.
#
#   test/check_promises.sh [NAME]
#   test/check_promises.sh list      prints every promise with its texts and its suites
set -u
cd "$(dirname "$0")/.." || exit
. test/check_common.sh
. test/options.sh

# Texts that promise.
headers='lib/*.h examples/notebook7/layers/*.h'
out=$(realpath -m "$out/promises")
rm -rf "$out"
mkdir -p "$out"

# What promises, beside the headers; of the first four each section does, but for those that only say where things are.
pages="README.md examples/README.md examples/bench/README.md test/README.md"
promising="$pages port/README.md linker/README.md lib/SECURITY.md"
promise_nothing='Where to read on|Kinds of suites|One test alone|A new test'

# "ID FILE" for each id in comments of these files.
ids_in() { # FILE...
    grep -oHE '(//|#|<!--) promise: [a-z0-9, -]*' "$@" |
        sed -E 's/^([^:]*):[^:]*promise: */\1 /; s/ by .*//; s/ -*$//; s/,/ /g' |
        awk '{ for (i = 2; i <= NF; i++) print $i, $1 }' | LC_ALL=C sort -u
}

# "ID SUITE SPEED" for each suite that runs a file with that id, be it a sample of a script's checks; a file that no suite runs
# has "-" for both.
ids_of_tests() ( # FOLDER
    cd "$1" || exit
    list_suites >"$out/suites"
    ids_in $(ls test/*.c test/check_*.sh) | awk -F '[ \t]' -v suites="$out/suites" '
        BEGIN {
            while ((getline line <suites) > 0) {
                split(line, part, "\t")
                speed[part[1]] = part[2]
                words[part[1]] = " " part[4] " "
            }
        }
        {
            n = 0
            for (suite in speed) if (index(words[suite], " " $2 " ")) { print $1, suite, speed[suite]; n++ }
            if (n == 0) print $1, "-", "-", $2
        }'
    grep -E '^# promise: .* by ' test/suites.sh | sed 's/^# promise: //' | while read -r line; do
        for id in ${line%% by *}; do
            for suite in ${line##* by }; do
                awk -F '\t' -v id="${id%,}" -v suite="$suite" '$1 == suite { print id, suite, $2; found = 1 }
                    END { if (!found) print id, "-", "-", suite }' "$out/suites"
            done
        done
    done
    grep -E '^[a-z].*# promise: ' test/suites.sh | while read -r _ suite line; do
        for id in ${line##*# promise: }; do
            awk -F '\t' -v id="${id%,}" -v suite="$suite" '$1 == suite { print id, suite, $2 }' "$out/suites"
        done
    done
)

# What is wrong in a folder with the documents, lib/ and test/: a line each, or nothing.
wrong_in() { # FOLDER
    # shellcheck disable=SC2086
    (cd "$1" && ids_in $promising $headers) >"$out/texts"
    ids_of_tests "$1" | LC_ALL=C sort -u >"$out/tests"
    awk '
        FNR == NR { if (!($1 in text)) { text[$1] = $2; order[++n] = $1 } next }
        $2 == "-" { print $1 ": no suite runs " $4; next }
        { held[$1] = 1; if ($3 == "fast" || $3 == "slow") sampled[$1] = 1; suites[$1] = suites[$1] " " $2 }
        $3 ~ "/" && !(($1, $3) in turn) {
            turn[$1, $3]
            days = $3
            sub(".*/", "", days)
            if (++n_turns[$1, days] == days) sampled[$1] = 1
        }
        END {
            for (i = 1; i <= n; i++) {
                id = order[i]
                if (!(id in held)) print id ", a promise of " text[id] ", has no test"
                else if (!(id in sampled)) print id ": make test does not run its suites every day:" suites[id]
            }
            for (id in held) if (!(id in text)) print id ": a test holds it, but no text promises it"
        }' "$out/texts" "$out/tests" | LC_ALL=C sort
    # The suites that SECURITY.md names: `test/run.sh only NAME`.
    grep -oE '\(`[a-z0-9-]+`(, `[a-z0-9-]+`)*\)' "$1/lib/SECURITY.md" | grep -oE '[a-z0-9-]+' | LC_ALL=C sort -u | while read -r name; do
        cut -f 1 "$out/suites" | grep -q -- "$name" || echo "lib/SECURITY.md: no suite's name contains $name"
    done
    # Paragraphs that promise by what they are.
    awk -v file=lib/SECURITY.md '
        function over() { if (item != "" && !has) print file ": without an id: " item; item = ""; has = 0 }
        /^## / { over(); section = $0; next }
        section == "## Invariants" && /^- / { over(); item = $0 }
        section == "## What damage is noticed" && item == "" && /^[A-Z]/ { item = $0 }
        /promise:/ { has = 1 }
        END { over() }' "$1/lib/SECURITY.md"
    (cd "$1" && awk -v nothing="^## ($promise_nothing)\$" '
        function over() { if (section != "" && section !~ nothing && !has) print file ": a section without an id: " section; section = ""; has = 0 }
        FNR == 1 { over(); file = FILENAME }
        /^## / { over(); section = $0 }
        /<!-- promise:/ { has = 1 }
        END { over() }' $pages)
}

if [ "$only" = list ]; then
    wrong_in .
    join -a 1 <(awk '{ t[$1] = t[$1] " " $2 } END { for (i in t) print i, "in" t[i] }' "$out/texts" | LC_ALL=C sort) \
        <(awk '{ t[$1] = t[$1] " " $2 } END { for (i in t) print i, "by" t[i] }' "$out/tests" | LC_ALL=C sort)
    exit
fi

# promise: promises-have-tests
if wanted promises; then
    nothing promises "promises and tests do not agree" "$(wrong_in .)"
fi
if wanted count; then
    # shellcheck disable=SC2086
    ids_in $promising $headers | awk '{ print $1 }' | uniq | wc -l >"$out/count"
    if [ "$(cat "$out/count")" -ge 60 ]; then
        ok "count: $(cat "$out/count") promises"
    else
        fail count "only $(cat "$out/count") promises are found"
    fi
fi

# Each kind of fault, planted in a copy: exactly that one is found, beside what is wrong without it.
wrong_in . | LC_ALL=C sort >"$out/before"
planted() { # NAME EXPECTED FILE SED-SCRIPT
    wanted "planted-$1" || return 0
    local copy=$out/copy found
    rm -rf "$copy"
    mkdir -p "$copy/test"
    cp -r --parents lib examples/notebook7/layers "$copy"
    cp --parents $promising "$copy"
    cp test/*.c test/*.sh "$copy/test"
    sed -i "$4" "$copy/$3"
    if cmp -s "$3" "$copy/$3"; then
        fail "planted-$1" "nothing in $3 is changed by: $4"
        return
    fi
    found=$(wrong_in "$copy" | LC_ALL=C sort | comm -13 "$out/before" -)
    # shellcheck disable=SC2053
    if [[ $found == $2 ]] && [ "$(wc -l <<<"$found")" -eq "$(wc -l <<<"$2")" ]; then
        ok "planted-$1"
    else
        fail "planted-$1" "it is not noticed, or more than it: ${found:-nothing}"
    fi
}
planted test-without-its-mark "live-tensors-apart, a promise of *, has no test" test/test_map.c '/promise: live-tensors-apart/d'
planted script-without-its-mark "stack-bounded, a promise of *, has no test" test/check_figures.sh 's/promise: stack-bounded, /promise: /'
planted promise-withdrawn "argmax-lowest: a test holds it, but no text promises it" lib/af_ops.h '/promise: argmax-lowest/d'
planted page-withdrawn "notebook7-printed: a test holds it, but no text promises it" examples/README.md '/promise: notebook7-printed/d'
planted section-without-id "README.md: a section without an id: ## The arena
pictures-drawn: a test holds it, but no text promises it" README.md '/promise: live-tensors-apart/d'
planted section-of-tests-without-id "hazards-never-other-numbers: a test holds it, but no text promises it
matrix-one-hash: a test holds it, but no text promises it
test/README.md: a section without an id: ## The same bits" test/README.md '/promise: matrix-one-hash/d'
planted suite-taken-out "dead-memory-unread, a promise of *, has no test
dead-memory-unread: no suite runs test/check_guard.sh
lib/SECURITY.md: no suite's name contains guard" test/suites.sh '/check_guard/d'
planted suite-only-long "dead-memory-unread: make test does not run its suites every day: guard" test/suites.sh 's/^\([a-z]* *guard *\)\(fast\|slow\)/\1long/'
planted suite-with-a-turn "dead-memory-unread: make test does not run its suites every day: guard" test/suites.sh 's/^\([a-z]* *guard *\)\(fast\|slow\)/\10\/2/'
planted suite-renamed "lib/SECURITY.md: no suite's name contains guards" lib/SECURITY.md 's/(`guard`)/(`guards`)/'
planted invariant-without-id "dead-memory-unread: a test holds it, but no text promises it
lib/SECURITY.md: without an id: - \*\*Dead memory*" lib/SECURITY.md '/promise: dead-memory-unread/d'

finish
