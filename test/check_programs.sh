#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The reversal program as a user meets it: the chapter's whole run and its comparison, every command, and bad input,
# which has to end with one clear line on stderr, status 2, and nothing overwritten.
set -u
cd "$(dirname "$0")/.." || exit 1
. test/check_common.sh

make -s >"$out/make.log" 2>&1 || { cat "$out/make.log"; fail build "make fails"; finish; }
reversal=build/host/reversal
w=$out/programs.weights
csv=$out/programs.csv
lib=(--weights "$w")

# ---- the chapter's run, whole
if wanted chapter-run; then
    $reversal train "${lib[@]}" --csv "$csv" --quiet >"$out/train.txt" 2>&1 &&
        $reversal test "${lib[@]}" >"$out/test.txt" 2>&1 &&
        $reversal compare "${lib[@]}" --csv "$csv" >"$out/compare.txt" 2>&1
    status=$?
    if [ $status -eq 0 ] && grep -q ' 0 of them differ' "$out/compare.txt"; then
        ok chapter-run
    else
        fail chapter-run "status $status: $(tail -n 1 "$out/compare.txt")"
    fi
    for line in "500 of 500" "335" "0 of 200"; do
        if grep -q "$line" "$out/compare.txt"; then ok "compare-says-$line"; else fail "compare-says-$line" "it does not"; fi
    done
    if awk 'length($0) > 120 { exit 1 }' "$out/compare.txt"; then ok compare-width; else fail compare-width "a line is longer than 120 columns"; fi
else
    $reversal train "${lib[@]}" --csv "$csv" --steps 3 --quiet >/dev/null 2>&1
fi

# ---- every command says what it should
says() { # NAME PATTERN COMMAND...
    local name=$1 pattern=$2
    shift 2
    wanted "$name" || return 0
    if "$@" >"$out/say.txt" 2>"$out/say.err" && grep -qE "$pattern" "$out/say.txt" && [ ! -s "$out/say.err" ]; then
        ok "$name"
    else
        fail "$name" "'$pattern' is not in the output of: $*"
    fi
}
says help 'compare' $reversal help
says reverse 'ebacgf|[a-j]' $reversal reverse "${lib[@]}" fgcabe abc
says top 'e' $reversal reverse "${lib[@]}" --top 3 fgcabe
says attention 'block 1 head 1' $reversal attention "${lib[@]}" fgcabe
says attention-svg '.' sh -c "$reversal attention --weights $w --svg $out/attention.svg fgcabe && rsvg-convert $out/attention.svg -o $out/attention.png && echo drawn"
says show-torch-name '\[192\]\[64\]' $reversal show "${lib[@]}" blocks.1.attn.qkv.weight
says show-map-name '\[192\]\[64\]' $reversal show "${lib[@]}" 'weight.at.block[1].qkv_w'
says show-slice 'part  *\[0\.\.12\]\[0\.\.31\]: 416 elements' $reversal show "${lib[@]}" 'work.train.block[1].q.head[0]' fgcabe
says show-activation 'norm' $reversal show "${lib[@]}" logits fgcabe
says shapes '192|64' $reversal shapes
says byhand '1\.76, 0\.88' $reversal byhand
says byhand-full '1\.75, 0\.88' $reversal byhand
says byhand-own '0\.' $reversal byhand --q 1,0 --k '1,0;0,1' --v '1,2;3,4'
says map 'weight.at.tok' $reversal map
says map-name '209920' $reversal map blocks.1.attn.qkv.weight
says map-address 'block\[1\].qkv_w' $reversal map +209924
says map-csv ',' $reversal map --csv
says map-svg '.' sh -c "$reversal map --svg $out/map.svg && rsvg-convert $out/map.svg -o $out/map.png && echo drawn"
says map-json 'tok' sh -c "$reversal map --json > $out/map.json && python3 -c 'import json,sys; json.load(open(sys.argv[1]))' $out/map.json && grep tok $out/map.json"

if wanted top-width; then
    $reversal reverse "${lib[@]}" --top 12 abcdefgh fgcabe >"$out/top.txt"
    if [ "$(wc -l <"$out/top.txt")" -eq 17 ] && awk 'length($0) > 120 { exit 1 }' "$out/top.txt"; then
        ok top-width
    else
        fail top-width "not 17 lines of at most 120 columns: $out/top.txt"
    fi
fi

# ---- bad input
cp "$w" "$out/kept.weights"
refuses() { # NAME PATTERN COMMAND...: status 2, one line on stderr with the pattern, weights untouched
    local name=$1 pattern=$2 status
    shift 2
    wanted "$name" || return 0
    "$@" >"$out/say.txt" 2>"$out/say.err"
    status=$?
    if [ $status -ne 2 ]; then
        fail "$name" "status $status instead of 2: $*"
    elif [ "$(wc -l <"$out/say.err")" -ne 1 ] || ! grep -qE -- "$pattern" "$out/say.err"; then
        fail "$name" "stderr says '$(head -n 2 "$out/say.err" | tr '\n' ';')': $*"
    elif ! cmp -s "$w" "$out/kept.weights"; then
        fail "$name" "it changed the weights: $*"
    else
        ok "$name"
    fi
}
refuses unknown-command 'did you mean' $reversal trian
refuses unknown-option 'steps' $reversal train "${lib[@]}" --stepps 3
refuses missing-value 'steps' $reversal train "${lib[@]}" --steps
refuses bad-number 'steps' $reversal train "${lib[@]}" --steps 12x
refuses negative-number 'steps' $reversal train "${lib[@]}" --steps -3
refuses huge-number 'steps' $reversal train "${lib[@]}" --steps 99999999999999999999
refuses bad-rate 'rate' $reversal train "${lib[@]}" --learning-rate nan
refuses unknown-letter 'k' $reversal reverse "${lib[@]}" abkc
refuses empty-string '.' $reversal reverse "${lib[@]}" ''
refuses long-string '12' $reversal reverse "${lib[@]}" abcdefghijabc
refuses no-string '.' $reversal reverse "${lib[@]}"
refuses bad-top 'top' $reversal reverse "${lib[@]}" --top 13 abc
refuses unknown-tensor 'did you mean' $reversal show "${lib[@]}" blocks.1.attn.qvk.weight
refuses index-out-of-range '.' $reversal show "${lib[@]}" 'tok[12]'
refuses scratch-not-live '.' $reversal show "${lib[@]}" d_ff abc
refuses map-unknown '.' $reversal map nothing.like.this
refuses map-outside '.' $reversal map +99999999
refuses byhand-shapes '.' $reversal byhand --q 1,2 --k '1,2,3' --v '1'
refuses byhand-numbers '.' $reversal byhand --q 1,x --k '1,2' --v '1'
refuses svg-over-weights 'weights file' $reversal attention "${lib[@]}" --svg "$w" abc
refuses map-over-weights 'weights file' $reversal map --svg "$w"
refuses log-is-weights 'both' $reversal train --steps 1 --quiet --weights "$w" --csv "$out/../check/programs.weights"
refuses no-name 'empty' $reversal train --steps 1 --quiet --weights ''
refuses full-disk-svg '.' $reversal map --svg /dev/full
refuses full-disk-csv '.' $reversal train --steps 1 --quiet "${lib[@]}" --csv /dev/full
refuses full-disk-weights '.' $reversal train --steps 1 --quiet --weights /dev/full --csv "$out/x.csv"
refuses no-such-folder '.' $reversal train --steps 1 --quiet --weights "$out/none/x" --csv "$out/x.csv"
refuses missing-weights 'cannot|no such|No such' $reversal test --weights "$out/none"
refuses folder-as-weights '.' $reversal test --weights "$out"

# ---- a run that is interrupted leaves everything as it was, and ends by the signal
cp "$csv" "$out/kept.csv"
for signal in INT TERM; do
    wanted interrupted-$signal || continue
    env --default-signal=$signal timeout --preserve-status -s $signal 2 $reversal train "${lib[@]}" --csv "$csv" --quiet 2>"$out/say.err"
    status=$?
    if [ $status -ne $((128 + $(kill -l $signal))) ] || [ "$(grep -c 'nothing was saved' "$out/say.err")" -ne 1 ]; then
        fail interrupted-$signal "status $status, stderr says '$(tr '\n' ';' <"$out/say.err")'"
    elif [ -n "$(compgen -G "$csv.*new")$(compgen -G "$w.*new")" ] || ! cmp -s "$csv" "$out/kept.csv" || ! cmp -s "$w" "$out/kept.weights"; then
        fail interrupted-$signal "it left a new file or changed an old one"
    else
        ok interrupted-$signal
    fi
done

# ---- damaged weights: a truncation, a flipped byte, trailing bytes, other files
bytes=$(stat -c %s "$w")
for n in 0 1 7 71 72 $((bytes / 2)) $((bytes - 1)); do
    head -c "$n" "$w" >"$out/cut.weights"
    refuses "truncated-$n" '.' $reversal test --weights "$out/cut.weights"
done
for at in 0 4 8 13 20 40 70 72 1000 $((bytes - 1)); do
    cp "$w" "$out/flip.weights"
    byte=$(od -An -tu1 -j "$at" -N 1 "$w")
    # shellcheck disable=SC2059
    printf "\\$(printf %03o $((byte ^ 16)))" | dd of="$out/flip.weights" bs=1 seek="$at" conv=notrunc status=none
    refuses "flipped-byte-$at" '.' $reversal test --weights "$out/flip.weights"
done
{ cat "$w"; echo; } >"$out/long.weights"
refuses trailing-bytes '.' $reversal test --weights "$out/long.weights"
refuses foreign-file '.' $reversal test --weights README.md
head -c "$bytes" /dev/zero >"$out/zero.weights"
refuses zeros '.' $reversal test --weights "$out/zero.weights"
finish
