#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The reversal program as a user meets it: the chapter's whole run and its comparison, every command, and bad input,
# which has to end with one clear line on stderr, status 2, and nothing overwritten.
set -u
cd "$(dirname "$0")/.." || exit 1
. test/check_common.sh

make -s >"$out/make.log" 2>&1 || { cat "$out/make.log"; fail build "make fails"; finish; }
reversal=${BUILD:-build}/host/reversal
w=$out/programs.weights
csv=$out/programs.csv
lib=(--weights "$w")

# ---- the chapter's run, whole
# promise: chapter-table
# promise: exact-rows-equal
if wanted chapter-run || wanted compare-can-differ; then
    chapter_run >"$out/train.txt" 2>&1 && cp "${BUILD:-build}/trained.weights" "$w" && cp "${BUILD:-build}/trained.csv" "$csv" &&
        $reversal test "${lib[@]}" >"$out/test.txt" 2>&1 &&
        $reversal compare "${lib[@]}" --csv "$csv" >"$out/compare.txt" 2>&1
    status=$?
    if [ $status -eq 0 ] && grep -q ' 0 of them differ' "$out/compare.txt"; then
        ok chapter-run
    else
        fail chapter-run "status $status: $(tail -n 1 "$out/compare.txt")"
    fi
    # The same last step everywhere: the boards are held against this line, too.
    if grep -qxF "$(grep -v '^#' test/golden/last_step.csv)" "$csv"; then
        ok last-step
    else
        fail last-step "the last step is not that of test/golden/last_step.csv: $(grep -v '^#' "$csv" | tail -n 1)"
    fi
    for line in "500 of 500" "335" "0 of 200"; do
        if grep -q "$line" "$out/compare.txt"; then ok "compare-says-$line"; else fail "compare-says-$line" "it does not"; fi
    done
    if awk 'length($0) > 120 { exit 1 }' "$out/compare.txt"; then ok compare-width; else fail compare-width "a line is longer than 120 columns"; fi
else
    $reversal train "${lib[@]}" --csv "$csv" --steps 3 --quiet >/dev/null 2>&1
fi

# ---- each row of a comparison that has to be equal differs when what it rests on is wrong
if wanted compare-can-differ; then
    # shellcheck disable=SC2016
    if flipped_program "$out/flipped-reversal" '$(REVERSAL_O) $(OUT)/libarenaformer.a' examples/reversal/compare_method.c -Iexamples/firmware -Iexamples/reversal 2>"$out/flips.log"; then
        nothing compare-can-differ "rows that cannot differ" "$(python3 test/can_differ.py \
            math,softmax,map,attention,norm,length,gradient,stream,example,drawn,settings,weights,answer,losses \
            "$out/flipped-reversal" compare --html --weights "$w" 2>&1)"
    else
        fail compare-can-differ "it does not compile: $(head -n 1 "$out/flips.log")"
    fi
fi
if wanted notebook7-can-differ; then
    # shellcheck disable=SC2016
    if flipped_program "$out/flipped-notebook7" '$(N7_O)' examples/notebook7/toy.c -DFLIPS_OF_NOTEBOOK7 -Iexamples/notebook7 \
        -UAF_CONFIG_HEADER '-DAF_CONFIG_HEADER="notebook7_config.h"' 2>"$out/flips.log"; then
        nothing notebook7-can-differ "rows that cannot differ" "$(python3 test/can_differ.py \
            map,stream,product,head,first-token,blind,rotation,block "$out/flipped-notebook7" run --html 2>&1)"
    else
        fail notebook7-can-differ "it does not compile: $(head -n 1 "$out/flips.log")"
    fi
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
says attention-legend 'less than 0.005; what the mask hides is blank' $reversal attention "${lib[@]}" fgcabe
says map 'weight.at.tok' $reversal map
says map-name '209920' $reversal map blocks.1.attn.qkv.weight
says map-address 'block\[1\].qkv_w' $reversal map +209924
says map-csv ',' $reversal map --csv
says map-svg '.' sh -c "$reversal map --svg $out/map.svg && rsvg-convert $out/map.svg -o $out/map.png && echo drawn"
says figures 'beside-figure-1.1.svg' sh -c "cp $w $out/beside.weights && cp $csv $out/beside.csv && $reversal figures --weights $out/beside.weights && for n in 1 2; do rsvg-convert $out/beside-figure-1.\$n.svg -o $out/figure.png || exit 1; done"
says show-grammar '\.head\[1\].*\.kv\.v\.head\[0\]' $reversal help show
says attention-sequences "whole sequence with a \|, taken as it stands" $reversal attention --help
says attention-whole 'Attention weights for \.\.\.abc\|cba' $reversal attention "${lib[@]}" '...abc|cba'
says map-json 'tok' sh -c "$reversal map --json > $out/map.json && python3 -c 'import json,sys; json.load(open(sys.argv[1]))' $out/map.json && grep tok $out/map.json"

# The header that is exported holds the very weights: their hash, computed by a program that includes it.
if wanted export; then
    cat >"$out/export.c" <<'C'
#include "af.h"
#include "export.h"
#include <stdio.h>
int main(void) {
    return printf("CRC-32C of the weights: %08X.\n", (unsigned)af_crc32c_reals(0, af_trained.flat, AF_N_PARAMS)) < 0;
}
C
    if $reversal export "${lib[@]}" --c-header "$out/export.h" >"$out/say.txt" 2>&1 && [ ! -s "$out/say.txt" ] &&
        gcc $house -Ilib "$out/export.c" lib/*.c -o "$out/export" 2>"$out/export.log" &&
        grep -qF "$("$out/export")" "$out/export.h"; then
        ok export
    else
        fail export "the exported header does not hold the weights: $(head -n 1 "$out/export.log")"
    fi
    accepted=
    for change in DIM=32 SCALED=0 CAUSAL=0 SOFTMAX_QUERIES=1 RESIDUAL=0 POST_NORM=1 REAL=double; do
        gcc $house -Ilib -DAF_$change -fsyntax-only "$out/export.c" 2>&1 | grep -q 'of another configuration' || accepted+=" $change"
    done
    nothing export-configuration "the exported header is accepted by another configuration" "$accepted"
fi

if wanted top-width; then
    $reversal reverse "${lib[@]}" --top 12 abcdefgh fgcabe >"$out/top.txt"
    if [ "$(wc -l <"$out/top.txt")" -eq 17 ] && awk 'length($0) > 120 { exit 1 }' "$out/top.txt"; then
        ok top-width
    else
        fail top-width "not 17 lines of at most 120 columns: $out/top.txt"
    fi
fi

# ---- notebook 7
notebook7=${BUILD:-build}/host/notebook7
if wanted notebook7-table; then
    if $notebook7 run >"$out/notebook7.txt" 2>&1 && grep -q ' 0 of them differ' "$out/notebook7.txt" && awk 'length($0) > 120 { exit 1 }' "$out/notebook7.txt"; then
        ok notebook7-table
    else
        fail notebook7-table "something differs, or a line is longer than 120 columns: $out/notebook7.txt"
    fi
fi
says notebook7-lines 'Parameters of this small block: 808' $notebook7 run --lines
says notebook7-show '^   8 .* 0.01973$' $notebook7 show w_causal
says notebook7-show-path '\[8\]\[4\]: 32 elements' $notebook7 show 'heads[1].Wk'
says notebook7-show-exact '1\.6196467406[0-9]*e-13' $notebook7 show --exact --all influence
says notebook7-show-generator '0xab29963c6a78fea055d2bef381db02e8' $notebook7 show rng
says notebook7-map 'work.late.part.positions.PE ' $notebook7 map
says notebook7-map-name 'lives in    step 7, step 8' $notebook7 map PE8
says notebook7-map-address 'kept.X\[0\]\[1\], byte 0 of 8' $notebook7 map +48
says notebook7-map-json 'W_Q' sh -c "$notebook7 map --json > $out/map7.json && python3 -c 'import json,sys; json.load(open(sys.argv[1]))' $out/map7.json && grep W_Q $out/map7.json"
says notebook7-figures '3' sh -c "mkdir -p $out/figures && $notebook7 figures $out/figures && for f in attention positions influence; do rsvg-convert $out/figures/\$f.svg -o $out/figures/\$f.png || exit 1; done; ls $out/figures/*.png | wc -l"

says notebook7-seed 'After 60 tokens, size of d h_T / d h_0: 3.81e-15' $notebook7 run --lines --seed 7
says notebook7-seed-applies '^  9  does not apply' $notebook7 run --seed 7
says notebook7-seed-show '0xab29963c6a78fea055d2bef381db02e8|state' $notebook7 show --seed 0 rng
says notebook7-sentence 'drawn' sh -c "mkdir -p $out/words && $notebook7 figures --sentence 'one two three four five six seven eight nine' $out/words >/dev/null && grep -q '>seven</text>' $out/words/attention.svg && echo drawn"
says notebook7-html '<p>52 rows, 0 of them differ\.</p>' $notebook7 run --html
if wanted notebook7-sizes; then # compiled in; the report then says which rows rest on them
    if make_ BUILD="$out/notebook7-sizes" OPT="-O1 -DAF_DIM=16 -DAF_HEADS=4 -DAF_CONTEXT=5 -DN7_LONG=30" "$out/notebook7-sizes/host/notebook7" >"$out/make.log" 2>&1 &&
        ! "$out/notebook7-sizes/host/notebook7" run >"$out/say.txt" 2>&1 && grep -q '4 heads of dimension 4 .*DIFFERS: exact' "$out/say.txt" &&
        grep -q 'N7_LONG=30' "$out/say.txt" && grep -qF 'Input (5, 16) -> output (5, 16)' "$out/say.txt"; then
        ok notebook7-sizes
    else
        fail notebook7-sizes "$(tail -n 2 "$out/make.log" "$out/say.txt")"
    fi
fi

# ---- bad input
cp "$w" "$out/kept.weights"
refuses() { # NAME PATTERN COMMAND...: status 2 (`expected`: 1 for output and names), one line on stderr with the pattern, weights untouched
    local name=$1 pattern=$2 expected=${expected:-2} status
    shift 2
    wanted "$name" || return 0
    "$@" >"$out/say.txt" 2>"$out/say.err"
    status=$?
    if [ $status -ne "$expected" ]; then
        fail "$name" "status $status instead of $expected: $*"
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
refuses bad-decay 'above 1' $reversal train "${lib[@]}" --learning-rate 2 --weight-decay 0.6
refuses newline-in-command 'unknown command "tr\\x0Aain"' $reversal $'tr\nain'
refuses newline-in-number 'steps: "3\\x0A4"' $reversal train "${lib[@]}" --steps $'3\n4'
expected=1 refuses newline-in-tensor "no tensor 'a\\\\x0Ab'" $reversal show "${lib[@]}" $'a\nb'
refuses escape-in-string '"\\x1B\[2J\\xFF"' $reversal reverse "${lib[@]}" $'\e[2J\xFF'
expected=1 refuses notebook7-newline "no tensor 'W\\\\x0AQ'" $notebook7 show $'W\nQ'
refuses long-argument '^reversal: "a{199}\.\.\.a.{198}9$' $reversal reverse "${lib[@]}" "$(printf 'a%.0s' {1..9999})"
refuses long-command '^reversal: .{403}$' $reversal "$(printf 'a%.0s' {1..9999})"
refuses unknown-letter 'k' $reversal reverse "${lib[@]}" abkc
refuses empty-string '.' $reversal reverse "${lib[@]}" ''
refuses long-string '12' $reversal reverse "${lib[@]}" abcdefghijabc
refuses no-string '.' $reversal reverse "${lib[@]}"
refuses bad-top 'top' $reversal reverse "${lib[@]}" --top 13 abc
refuses export-nowhere 'c-header' $reversal export "${lib[@]}"
refuses export-over-weights 'weights file' $reversal export "${lib[@]}" --c-header "$w"
expected=1 refuses export-full-disk '.' $reversal export "${lib[@]}" --c-header /dev/full
refuses export-missing 'cannot' $reversal export --weights "$out/none" --c-header "$out/export2.h"
expected=1 refuses unknown-tensor 'did you mean' $reversal show "${lib[@]}" blocks.1.attn.qvk.weight
refuses index-out-of-range 'index 12 is not below 12' $reversal show "${lib[@]}" 'tok[12]'
refuses index-as-typed 'index 99999999999999999999999 is not below 12' $reversal show "${lib[@]}" 'tok[99999999999999999999999]'
refuses scratch-not-live '.' $reversal show "${lib[@]}" d_ff abc
expected=1 refuses map-unknown '.' $reversal map nothing.like.this
refuses map-outside '.' $reversal map +99999999
refuses map-two-forms '--csv or --json, one at a time' $reversal map --csv --json
refuses map-form-and-file '--csv or --svg, one at a time' $reversal map --svg "$out/two.svg" --csv
refuses notebook7-two-forms '--json or --svg, one at a time' $notebook7 map --json "$out/two.json" --svg "$out/two.svg"
refuses byhand-shapes '.' $reversal byhand --q 1,2 --k '1,2,3' --v '1'
refuses byhand-numbers '.' $reversal byhand --q 1,x --k '1,2' --v '1'
refuses svg-over-weights 'weights file' $reversal attention "${lib[@]}" --svg "$w" abc
refuses map-over-weights 'weights file' $reversal map --svg "$w"
refuses log-is-weights 'both' $reversal train --steps 1 --quiet --weights "$w" --csv "$out/../check/programs.weights"
refuses no-name 'weights: .* empty' $reversal train --steps 1 --quiet --weights ''
refuses no-log-name 'csv: .* empty' timeout 5 $reversal train "${lib[@]}" --quiet --csv ''
refuses no-log-value 'csv: .* empty' timeout 5 $reversal train "${lib[@]}" --quiet --csv=
refuses no-checkpoint-name 'checkpoint: .* empty' $reversal train --steps 1 --quiet "${lib[@]}" --checkpoint ''
refuses no-svg-name 'svg: .* empty' $reversal attention "${lib[@]}" --svg '' abc
refuses no-map-name 'svg: .* empty' $reversal map --svg ''
refuses no-header-name 'c-header: .* empty' $reversal export "${lib[@]}" --c-header ''
refuses no-compare-name 'csv: .* empty' $reversal compare "${lib[@]}" --csv ''
refuses notebook7-no-map-name 'json: .* empty' $notebook7 map --json ''
refuses journal-is-weights 'own log' $reversal train --steps 1 --quiet --weights "$out/q.log" --checkpoint "$out/q"
expected=1 refuses far-tensor "no tensor 'nosuch'; the nearest name is '.+'" $reversal show "${lib[@]}" nosuch
expected=1 refuses notebook7-far-tensor "no tensor 'nosuch'; the nearest name is '.+'" $notebook7 show nosuch
for command in map help "show tok --weights $w"; do # standard output is closed: it is not written, and that is said
    expected=1 refuses "closed-output-${command%% *}" 'all of the output' sh -c "$reversal $command >&-"
done
# A reader that has seen enough is no failure: nothing is said, and the status is that of the command.
reads_enough() { # NAME COMMAND...
    local name=$1 status
    shift
    wanted "$name" || return 0
    { sleep 0.3; "$@" 2>"$out/say.err"; } | true
    status=${PIPESTATUS[0]}
    if [ "$status" -eq 0 ] && [ ! -s "$out/say.err" ]; then ok "$name"; else fail "$name" "status $status, it says '$(cat "$out/say.err")': $*"; fi
}
reads_enough closed-pipe $reversal help
reads_enough closed-pipe-map $reversal map
reads_enough closed-pipe-csv $reversal map --csv
reads_enough closed-pipe-device $reversal map --csv /dev/stdout
reads_enough closed-pipe-export $reversal export "${lib[@]}" --c-header /dev/stdout
reads_enough closed-pipe-notebook7 $notebook7 run --lines
# shellcheck disable=SC2016
expected=1 refuses file-too-large 'File too large' bash -c 'ulimit -f 8; "$0" train --steps 1 --quiet --weights "$1" --csv "$1.csv"' $reversal "$out/large"
expected=1 refuses full-disk-help 'all of the output' sh -c "$reversal help >/dev/full"
expected=1 refuses full-disk-svg '.' $reversal map --svg /dev/full
expected=1 refuses full-disk-csv '.' $reversal train --steps 1 --quiet "${lib[@]}" --csv /dev/full
expected=1 refuses full-disk-weights '.' $reversal train --steps 1 --quiet --weights /dev/full --csv "$out/x.csv"
expected=1 refuses no-such-folder '.' $reversal train --steps 1 --quiet --weights "$out/none/x" --csv "$out/x.csv"
refuses notebook7-command 'did you mean run' $notebook7 rnu
refuses notebook7-option 'did you mean --all' $notebook7 show --al W_Q
expected=1 refuses notebook7-tensor 'did you mean .W_Q.' $notebook7 show W_QQ
expected=1 refuses notebook7-several 'one of 4 tensors' $notebook7 show K
refuses notebook7-no-tensor '.' $notebook7 show
refuses notebook7-gap 'holds nothing' $notebook7 show kept_gap
refuses notebook7-outside 'behind the arena' $notebook7 map +99999999
expected=1 refuses notebook7-folder 'cannot open' $notebook7 figures "$out/none"
refuses notebook7-no-folder 'one folder' $notebook7 figures
refuses notebook7-bad-seed 'seed' $notebook7 run --seed x
refuses notebook7-bad-sentence 'has 2 words instead of 9' $notebook7 run --sentence 'two words'
refuses notebook7-two-tables 'one at a time' $notebook7 run --lines --html
refuses no-log-to-draw 'no figure 1.1, which needs the log' $reversal figures "${lib[@]}" --csv "$out/none"
refuses notebook7-argument 'takes no' $notebook7 run fast
refuses missing-weights 'cannot|no such|No such' $reversal test --weights "$out/none"
refuses folder-as-weights '.' $reversal test --weights "$out"

# ---- stderr is a pipe that nobody reads any more: the run goes on to its end
if wanted closed-stderr; then
    rm -f "$out"/unread*
    { sleep 1; $reversal train --steps 1 --weights "$out/unread.weights" 2>&1 >/dev/null; } | true
    status=${PIPESTATUS[0]}
    if [ "$status" -eq 0 ] && $reversal test --weights "$out/unread.weights" >/dev/null; then
        nothing closed-stderr "it left a new file" "$(compgen -G "$out/unread*new")"
    else
        fail closed-stderr "status $status"
    fi
fi

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

# ---- weights that someone made, with check sums that are right
forge() { # FILE AT HEX: the weights with other bytes from one on; to the end of the file if there are dots behind them
    python3 - "$w" "$@" <<'PY'
import sys
def crc32c(data):
    table = []
    for n in range(256):
        for _ in range(8):
            n = n >> 1 ^ (0x82F63B78 if n & 1 else 0)
        table.append(n)
    crc = 0xFFFFFFFF
    for byte in data:
        crc = table[(crc ^ byte) & 255] ^ crc >> 8
    return (crc ^ 0xFFFFFFFF).to_bytes(4, "little")
data = bytearray(open(sys.argv[1], "rb").read())
at, new = int(sys.argv[3]), bytes.fromhex(sys.argv[4].rstrip("."))
count = (len(data) - at) // len(new) if sys.argv[4].endswith(".") else 1
data[at:at + count * len(new)] = count * new
data[76:80] = crc32c(data[84:])
data[80:84] = crc32c(data[:80])
open(sys.argv[2], "wb").write(data)
PY
}
f=$out/forged.weights
forge "$f" 65 ff
for command in test compare measure "reverse abc"; do
    # shellcheck disable=SC2086
    refuses "forged-lengths-${command%% *}" 'lengths of strings that no run has' $reversal $command --weights "$f"
done
forge "$f" 20 ffffffffffffffff
refuses forged-steps 'a number of steps that no run has' timeout 20 $reversal test --weights "$f"
forge "$f" 24 ffffffff
refuses forged-batch 'examples a step that no run has' timeout 20 $reversal measure --weights "$f"
forge "$f" 66 0800
refuses forged-switches 'switches that no run has' $reversal test --weights "$f"
forge "$f" 84 99b4617f... # 3e38
for command in "reverse abc" "reverse --top 12 abc" "attention abc" "attention --svg $out/forged.svg abc"; do
    # shellcheck disable=SC2086
    expected=1 refuses "not-finite-${command// /-}" 'logits are not finite' $reversal $command --weights "$f"
done

# ---- links are followed, not replaced; the mode of a file stays; beside the program is where the program is
links=$out/links
rm -rf "$links"
mkdir -p "$links/far"
same() { # NAME WANTED GOT
    if [ "$2" = "$3" ]; then ok "$1"; else fail "$1" "'$3' instead of '$2'"; fi
}
if wanted links; then
    cp "$w" "$links/far/w" && chmod 600 "$links/far/w"
    ln -s far/w "$links/w"
    ln -s w "$links/w2"
    ln -s "$PWD/$links/far/new.svg" "$links/new"
    ln -s loop "$links/loop"
    $reversal train --steps 1 --quiet --weights "$links/w2" --csv "$links/csv"
    same links-stay-links "far/w w" "$(readlink "$links/w" "$links/w2" | xargs)"
    same links-mode 600 "$(stat -c %a "$links/far/w")"
    says links-weights 'Weights after 1 steps' $reversal test --weights "$links/far/w"
    $reversal map --svg "$links/new"
    same links-to-nothing "csv far loop new w w2, new.svg w" "$(find "$links" -mindepth 1 -maxdepth 1 -printf '%f\n' | sort | xargs), $(find "$links/far" -type f -printf '%f\n' | sort | xargs)"
    chmod 640 "$links/far/new.svg" && $reversal map --svg "$links/far/new.svg"
    same mode-stays 640 "$(stat -c %a "$links/far/new.svg")"
    expected=1 refuses links-in-a-circle 'cannot write .*symbolic links' $reversal train --steps 1 --quiet --weights "$links/loop"
    refuses links-both 'both' $reversal train --steps 1 --quiet --weights "$links/far/x" --csv "$(ln -s far/x "$links/x" && echo "$links/x")"
    # To this folder's links only: what stands in /dev is never written here.
    ln -s /proc/self/fd/1 "$links/out"
    ln -s out "$links/out2"
    { echo before; $reversal map --csv "$links/out2"; echo behind; } >"$links/text"
    same links-to-output "before name behind" "$(sed -n '1p; 2s/,.*//p; $p' "$links/text" | xargs)"
    $reversal export "${lib[@]}" --c-header "$links/out" | tail -n 1 >"$links/text"
    same links-to-pipe "#endif" "$(cat "$links/text")"
    same links-to-output-stay "/proc/self/fd/1 out" "$(readlink "$links/out" "$links/out2" | xargs)"
fi
mkdir -p "$out/beside"
cp "$reversal" "$out/beside/named-anew"
cp "$w" "$out/beside/reversal.weights"
says through-path '^abc -> ' env PATH="$PWD/$out/beside:$PATH" named-anew reverse abc
says through-link '^abc -> ' sh -c "ln -sf '$PWD/$out/beside/named-anew' '$links/program' && '$links/program' reverse abc"
finish
