#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The experiments as a user meets them: options in the chapter's words, runs of a changed model, what they show. Short
# runs: the whole ones are `make faults`, `make longer`, `make exercises` and `make spread`.
#
#   test/check_experiments.sh [NAME]      needs make, a C compiler, python3
set -u
cd "$(dirname "$0")/.." || exit 1
. test/check_common.sh

options=examples/reversal/options.sh
make=(env -u MAKEFLAGS -u MFLAGS make -s)
build=${BUILD:-build}/host
results=$out/experiments
rm -rf "$results"
mkdir -p "$results"

# ---- the words
becomes() { # NAME EXPECTED MODE WORD...
    wanted "$1" || return 0
    local name=$1 expected=$2 said
    shift 2
    if said=$($options "$@" 2>&1) && [ "$said" = "$expected" ]; then ok "$name"; else fail "$name" "'$said', not '$expected': $options $*"; fi
}
becomes words-flags "-DAF_CAUSAL=0 -DAF_SOFTMAX_QUERIES=1 -DAF_SCALED=0 -DAF_BLOCKS=1" flags causal=False dim=-2 scale=False n_layers=1 steps=9
becomes words-more-flags "-DAF_RESIDUAL=0 -DAF_POST_NORM=1 -DAF_DIM=256 -DAF_HEADS=4" flags residual=False norm=post d_model=256 n_heads=4
becomes words-train "--loss all --lengths 3-12 --steps 9 --offset --decay --warm-up 5" train loss=all lengths=3-12 steps=9 offset=random decay=linear warmup=5 dim=-1
becomes words-defaults "-DAF_CAUSAL=1 -DAF_SOFTMAX_QUERIES=0 -DAF_POST_NORM=0" flags causal=True dim=-1 norm=pre offset=zero decay=none
becomes words-name "causal-False_steps-300" name causal=False steps=300
becomes words-model "causal-False" model causal=False steps=300
becomes words-nothing "" name
becomes words-limits "--learning-rate 1e6 --weight-decay .5 --seed-training 18446744073709551615 --warm-up 1500" train lr=1e6 weight_decay=.5 data_seed=18446744073709551615 warmup=1500

refuses() { # NAME STATUS PATTERN COMMAND...: one line on stderr
    wanted "$1" || return 0
    local name=$1 status=$2 pattern=$3 got
    shift 3
    "$@" >/dev/null 2>"$out/say.err"
    got=$?
    if [ $got -ne "$status" ] || [ "$(wc -l <"$out/say.err")" -ne 1 ] || ! grep -qE -- "$pattern" "$out/say.err"; then
        fail "$name" "status $got, stderr says '$(head -n 2 "$out/say.err" | tr '\n' ';')': $*"
    else
        ok "$name"
    fi
}
refuses unknown-word 2 'no option "casual"; there are scale, causal' $options flags casual=False
refuses no-value 2 'not NAME=VALUE' $options flags causal
refuses wrong-value 2 'has to be True or False' $options flags causal=No
refuses wrong-axis 2 'has to be -1 or -2' $options flags dim=0
refuses wrong-number 2 'a whole number from 0 to 1000000$' $options train steps=1e3
refuses leading-zero 2 'from 1 to 64, without leading zeros' $options flags n_layers=010
refuses no-octal 2 'from 1 to 64, without leading zeros' $options flags n_layers=08
refuses mixed 2 '"-DAF_DIM=32" is a compiler option' $options name steps=300 -DAF_DIM=32
refuses no-examples 2 'batch="0": it has to be a whole number from 1 to 1024' $options train batch=0
refuses long-strings 2 'lengths="3-13": .* of 1 to 12 letters' $options train lengths=3-13
refuses lengths-backwards 2 'SHORTEST-LONGEST' $options train lengths=8-3
refuses one-length 2 'SHORTEST-LONGEST' $options train lengths=3
refuses infinite-rate 2 'lr="1e999": it has to be a number from 0 to 1e6' $options train lr=1e999
refuses negative-rate 2 'from 0 to' $options train lr=-1
refuses negative-decay 2 'from 0 to' $options train weight_decay=-0.1
refuses large-seed 2 'seed="4294967296": .* to 4294967295' $options train seed=4294967296
refuses large-data-seed 2 'to 18446744073709551615' $options train data_seed=18446744073709551616
refuses moved-by-nothing 2 'perturb="0": .* from 1 to' $options train perturb=0
refuses long-warm-up 2 'warmup=2000 is longer than the run of 5 steps' $options train warmup=2000 steps=5
refuses long-warm-up-of-default 2 'run of 1500 steps' $options train warmup=1501
refuses word-twice 2 'causal is given twice' $options flags causal=False causal=True
refuses indivisible-width 2 'd_model must be a multiple of n_heads' $options flags d_model=65
refuses no-layers 2 'n_layers="0": it has to be a whole number from 1 to 64$' $options name n_layers=0
refuses large-arena 2 'arena exceeds .* d_model or n_layers smaller' $options name d_model=4096 n_layers=64
refuses host-arena 2 'arena exceeds' $options name d_model=256 n_layers=64
refuses newline-in-word 2 'no option "a\?b"' $options flags $'a\nb=1'
refuses make-unknown-word 2 'no option "casual"' "${make[@]}" run OPT="casual=False"
refuses make-indivisible 2 'd_model must be a multiple' "${make[@]}" run OPT="n_heads=3"
refuses make-faults-changed 2 'for make run' "${make[@]}" faults OPT="causal=False"
for target in notebook7 bench curves sizes; do
    refuses make-$target-changed 2 "for make run and make map: $target" "${make[@]}" $target OPT="causal=False"
done
refuses make-map-trained 2 'words of the model' "${make[@]}" map OPT="n_layers=1 steps=3"
refuses make-words-first 2 'not both' "${make[@]}" run OPT="steps=300 -DAF_DIM=32"
refuses make-words-last 2 'not both' "${make[@]}" run OPT="-DAF_DIM=32 steps=3"
refuses make-large-arena 2 'arena exceeds' "${make[@]}" run OPT="d_model=4096 n_layers=64"
refuses wrong-target 2 'usage' examples/experiments/run.sh all

if wanted clang; then
    # shellcheck disable=SC2086
    nothing clang "clang does not take the sources" \
        "$(clang $house -fsyntax-only -Ilib -Iport -Iexamples/common examples/experiments/*.c 2>&1)"
fi

# ---- a changed model: built beside the default one, run, told apart, and seen to leak
"${make[@]}" all experiments >"$out/make.log" 2>&1 || { cat "$out/make.log"; fail build "make fails"; finish; }
reference=$build/reversal
changed=$build/models/causal-False/reversal
# promise: model-options
if wanted changed-model; then
    before=$(cksum <"$reference")
    if "${make[@]}" run OPT="causal=False steps=5" >"$out/run.txt" 2>&1 && grep -q '5 steps' "$out/run.txt" && grep -q 'causal-False_steps-5-figure-1.1.svg' "$out/run.txt" &&
        [ "$(cksum <"$reference")" = "$before" ]; then
        ok changed-model
    else
        fail changed-model "$(tail -n 3 "$out/run.txt")"
    fi
fi
if wanted changed-model-command; then
    command=$(sed -n 's/^Look into this model: //p' "$out/run.txt")
    # Each letter of the answer is the likeliest of its line, and the lines are not all one.
    if [ -n "$command" ] && $command --top 1 >"$out/say.txt" && [ "$(sed -n 's/.*-> \(.*\)  .*/\1/p' "$out/say.txt")" = \
        "$(sed -n 's/^    .:  \(.\)=.*/\1/p' "$out/say.txt" | tr -d '\n')" ] && [ "$(grep -c '^    ' "$out/say.txt")" -eq 6 ]; then
        ok changed-model-command
    else
        fail changed-model-command "it says $(tr '\n' ';' <"$out/say.txt"): '$command'"
    fi
fi
[ -x "$changed" ] || "${make[@]}" run OPT="causal=False steps=5" >"$out/run.txt" 2>&1
refuses weights-of-another-model 2 'another configuration' "$reference" test --weights "$build/runs/causal-False_steps-5.weights"
if wanted ranges; then # of the words are those of the program and of the library
    wrong=
    while read -r word becomes high; do
        case $becomes in
        AF_*) grep -q "$becomes must be in the range \[1, $high\]" lib/af_config.h ;;
        *) "$reference" train "$becomes=x" 2>&1 | grep -qE " to ${high/1e6/1e\\+06}( letters)?$" ;;
        esac || wrong+=" $word"
    done < <(sed -nE 's/^([a-z_]+) +([^ ]+) +[a-z]+=.*\.\.([^ ]+)  .*/\1 \2 \3/p' $options)
    nothing ranges "another range than the program's or the library's" "$wrong"
fi
if wanted map-changed; then
    if "${make[@]}" map OPT="causal=False" 2>&1 | grep -q 'weight.at.tok'; then ok map-changed; else fail map-changed "no map"; fi
fi
for word in help --help; do
    wanted "experiments-$word" || continue
    missing=
    "$build/experiments" $word >"$out/say.txt" 2>"$out/say.err" || missing=" status"
    for command in faults longer exercises spread report; do
        grep -qE "^  $command +[a-z]+ .*[a-z]+" "$out/say.txt" || missing+=" $command"
    done
    nothing "experiments-$word" "no help, or on stderr" "$missing$(cat "$out/say.err")"
done
refuses no-folder 2 'none: no such folder; make faults makes the runs' "$build/experiments" faults "$out/none"
refuses no-command 2 'did you mean faults' "$build/experiments" fault "$results"
refuses no-runs 2 'needs one folder' "$build/experiments" report
refuses no-cache-to-show 2 'AF_ERR_NO_CACHE' "$changed" show work.decode.logits abc --weights "$build/runs/causal-False_steps-5.weights"
if wanted legend-without-mask; then
    nothing legend-without-mask "attention tells of a mask, where there is none" \
        "$("$changed" attention fgcabe --weights "$build/runs/causal-False_steps-5.weights" 2>&1 | grep -E 'mask|cannot')"
fi
refuses wrong-lengths 2 'lengths' "$reference" train --steps 1 --weights "$results/x.weights" --lengths 3-13
refuses wrong-order 2 'lengths' "$reference" train --steps 1 --weights "$results/x.weights" --lengths 8-3
refuses wrong-loss 2 'outputs nor all' "$reference" train --steps 1 --weights "$results/x.weights" --loss some
refuses wrong-workers 2 'workers' "$reference" train --steps 1 --weights "$results/x.weights" --workers 0

trained() { # NAME PROGRAM OPTION...: weights, log and facts of a short run
    local name=$1 program=$2
    shift 2
    $program train --quiet --steps 60 --weights "$results/$name.weights" "$@" && $program measure --weights "$results/$name.weights" >"$results/$name.facts"
}
hash_of() { # NAME
    sed -n 's/^hash,//p' "$results/$1.facts"
}
moved() { # NAME: how many logits of a position before a changed token have moved
    awk -F, '$1 == "moved" && $3 < $2 && $4 > 0' "$results/$1.facts" | wc -l
}
trained reference $reference --workers 1
trained spread-reference-1 $reference --perturb 1 --workers 2
trained no-mask $changed
for run in reference spread-reference-1; do
    if wanted no-leak-$run; then
        if [ "$(moved $run)" -eq 0 ]; then ok no-leak-$run; else fail no-leak-$run "$(moved $run) logits move"; fi
    fi
done
if wanted leak; then
    if [ "$(moved no-mask)" -eq 78 ]; then ok leak; else fail leak "$(moved no-mask) of 78 logits move"; fi
fi
if wanted perturbed; then
    if [ "$(hash_of reference)" != "$(hash_of spread-reference-1)" ]; then ok perturbed; else fail perturbed "the same hash"; fi
fi
# promise: workers-same-bits
if wanted workers; then
    trained two $reference --workers 2
    if [ "$(hash_of reference)" = "$(hash_of two)" ]; then ok workers; else fail workers "other bits with two workers"; fi
fi
differing() { # NAME PROGRAM: the statements of a run that differ, in one line
    $2 compare --html --weights "$results/$1.weights" | sed -n '/<td>DIFFERS/s/<tr><td>[^<]*<.td><td>\([^<]*\)<.*/\1/p' | paste -sd ';'
}
option() { # NAME WORD STATED OPTION...: changes the run, is remembered by the weights file, and is what compare names;
    # rows differ only where they state what the run has, and the examples are its own
    wanted "option-$1" || return 0
    local name=$1 word=$2 stated=$3
    shift 3
    trained "$name" $reference "$@"
    if [ "$(hash_of "$name")" = "$(hash_of reference)" ]; then
        fail "option-$name" "$* changes nothing"
    elif ! $reference compare --weights "$results/$name.weights" >"$out/say.txt" && ! grep -qE "^  $word +the chapter's: " "$out/say.txt"; then
        fail "option-$name" "compare does not say that it has $word"
    elif [ "$(differing "$name" $reference)" != "$stated" ]; then
        fail "option-$name" "these rows differ: $(differing "$name" $reference)"
    else
        ok "option-$name"
    fi
}
option all-targets loss=all 'training runs for' --loss all
option longer lengths=3-12 'letters of a training string;training runs for' --lengths 3-12
option offset offset=random 'training runs for' --offset
option warmup-decay decay=linear 'schedule of the learning rate;training runs for' --warm-up 10 --decay
if wanted option-perturb; then # the decay of rows that no gradient reaches begins from the weights that were moved
    $reference compare --weights "$results/spread-reference-1.weights" >"$out/say.txt"
    if [ "$(differing spread-reference-1 $reference)" = 'training runs for' ] && grep -q '576 of 576 only decayed  *exact' "$out/say.txt"; then
        ok option-perturb
    else
        fail option-perturb "these rows differ: $(differing spread-reference-1 $reference)"
    fi
fi
if wanted option-model; then # a model without a mask: the strongest key is looked for among all keys, in every command
    keys=$(awk -F, '$1 == "strongest" && $2 == 1 && $3 == 0 && $4 >= 6 && $4 < 12 { printf "%s%s", sep, substr("fgcabe|EBACGF", $5 + 1, 1); sep = " " }' "$results/no-mask.facts")
    $changed compare --weights "$results/no-mask.weights" >"$out/say.txt"
    if [ "$(differing no-mask $changed)" = 'training runs for' ] && grep -qF "e b a c g f                $keys " "$out/say.txt" && grep -q 'does not apply: *$' "$out/say.txt"; then
        ok option-model
    else
        fail option-model "these rows differ: $(differing no-mask $changed); keys $keys"
    fi
fi
if wanted option-page; then # the foot counts what was not compared
    $reference compare --html --csv "$out/none" --weights "$results/reference.weights" >"$out/say.txt"
    if grep -qE '<p>71 rows, 1 of them differs\. [0-9]+ does not apply: .* [0-9]+ not compared: ' "$out/say.txt"; then
        ok option-page
    else
        fail option-page "$(tail -n 1 "$out/say.txt")"
    fi
fi
if wanted offset-trains-all-rows; then
    if [ "$(awk -F, '$1 == "position" && $5 > 0' "$results/offset.facts" | wc -l)" -ge 24 ]; then ok offset-trains-all-rows; else fail offset-trains-all-rows "it does not"; fi
fi

# A row that rounding decides is written by compare_range() or compare_place(), which say what other runs gave.
wanted trajectory-has-a-range && nothing trajectory-has-a-range "rows of this kind without what other runs gave" \
    "$(grep -rln 'TRAJECTORY' --include='*.c' examples | grep -v '^examples/common/comparison\.c$')"

# ---- what is shown: tables, pictures, the page
if wanted faults; then
    "$build/experiments" faults "$results" >"$out/faults.txt" 2>&1
    if grep -qE '^  no mask +never ' "$out/faults.txt" && grep -q 'no mask: mean of 50 losses' "$out/faults.txt" && grep -q 'the run is not there' "$out/faults.txt" &&
        grep -q 'does not apply: steps=60' "$out/faults.txt" && grep -q ' 1 of them differs' "$out/faults.txt" &&
        awk 'length($0) > 120 { exit 1 }' "$out/faults.txt"; then
        ok faults
    else
        fail faults "$out/faults.txt"
    fi
fi
if wanted moves; then # two tables of what moves: each says of which changed tokens it is
    said=$("$build/experiments" exercises "$results" | tr -s '\n ' ' ')
    if grep -q 'any token' "$out/faults.txt" && grep -qE 'changed, and no other, .*whichever token' <<<"$said"; then
        ok moves
    else
        fail moves "faults or exercises do not say it"
    fi
    if grep -qE 'Of the [0-9]+ right ones [0-9]+ have three letters \(of 86 such strings\)' <<<"$said"; then
        ok right-of-three
    else
        fail right-of-three "exercise 3 does not say of how many"
    fi
fi
if wanted spread; then
    if "$build/experiments" spread "$results" >"$out/spread.txt" 2>&1 && grep -qE 'steps 1 to 250 .* 0.48 +1 ' "$out/spread.txt" &&
        awk 'length($0) > 120 { exit 1 }' "$out/spread.txt" && grep -q 'rounding unit apart: 1 runs' "$results/spread.svg"; then
        ok spread
    else
        fail spread "$out/spread.txt"
    fi
fi
if wanted report; then
    $reference attention --weights "$results/reference.weights" --svg "$results/attention.svg" fgcabe >/dev/null
    $reference map --svg "$results/arena.svg"
    $reference compare --weights "$results/reference.weights" --html >"$results/compare.html"
    mkdir -p "$results/notebook7"
    "$build/notebook7" figures "$results/notebook7"
    "$build/notebook7" run --html >"$results/notebook7/compare.html"
    "$build/experiments" report "$results" >/dev/null
    page=$results/report.html
    if [ "$(grep -c '<svg' "$page")" -ne 11 ]; then
        fail report "$(grep -c '<svg' "$page") pictures instead of 11"
    elif [ "$(grep -c '<table class="compare">' "$page")" -ne 4 ] || grep -q 'is not there\.)' "$page"; then
        fail report "a comparison or a picture is missing"
    elif grep -qiE '<script|<link|<img|href="[^#]|src=|url\(' "$page"; then
        fail report "it refers to something outside"
    elif ! python3 - "$page" >"$out/say.txt" 2>&1 <<'PY'; then
import html.parser, re, sys, xml.etree.ElementTree
page = open(sys.argv[1], encoding="utf-8").read()
for svg in re.findall(r"<svg.*?</svg>", page, re.S):
    xml.etree.ElementTree.fromstring(svg)
class Balance(html.parser.HTMLParser):
    open_tags = []
    def handle_starttag(self, tag, attributes):
        if tag != "meta":
            self.open_tags.append(tag)
    def handle_endtag(self, tag):
        assert self.open_tags.pop() == tag, tag
Balance().feed(page)
links, places = re.findall(r'href="#(.*?)"', page), re.findall(r'<h2 id="(.*?)"', page)
assert links == places and len(links) == 7, "the contents are not those of the page"
assert not Balance.open_tags, Balance.open_tags
assert "<?xml" not in page
PY
        fail report "$(tail -n 1 "$out/say.txt")"
    else
        ok report
    fi
fi
# ---- each row that has to be equal differs when what it rests on is wrong: a function, or a fact of a run. The facts are
# made up: they are as those of whole runs have to be.
if wanted faults-can-differ; then
    whole=$out/whole
    rm -rf "$whole" && mkdir -p "$whole"
    python3 - "$whole" <<'PY'
import sys
letters = {3: 86, 4: 75, 5: 91, 6: 106, 7: 70, 8: 72}
def run(name, n_steps, right, total, small_from, divisor, sums, later, gradient, moved, longer=0):
    loss = [0.001 if step >= small_from else 1.0 for step in range(1, n_steps + 1)]
    with open(f"{sys.argv[1]}/{name}.csv", "w") as file:
        print("step,loss,hash", *(f"{i + 1},{x},00000000" for i, x in enumerate(loss)), "# seconds: 1", sep="\n", file=file)
    facts = [f"steps,{n_steps}", "hash,0", "heads,2", "blocks,2", f"total,{total},500", f"longer,{longer},500", f"divisor,{divisor}"]
    facts += [f"right,{n},{right.get(n, 0)},{letters[n]}" for n in letters]
    facts += [f"sum_of_query,{sums[0]}", f"sum_of_key,{sums[1]}", f"later_key,{later}", f"pad,10,9.56,{gradient}"]
    facts += [f"position,{row},10,9.56,{1 if row < 16 else gradient}" for row in range(25)]
    facts += [f"moved,{token},{at},{1 if at >= token else moved}" for token in range(13) for at in range(13)]
    facts += [f"strongest,{block},{head},{query},{(11 - query) % 6},0.97" for block in (0, 1) for head in (0, 1) for query in range(13)]
    open(f"{sys.argv[1]}/{name}.facts", "w").write("\n".join(facts) + "\n")
one, other = "1,1", "0.2,3"
run("reference", 1500, letters, 500, 320, 5.657, (one, other), 0, 0, 0)
run("unscaled", 1500, letters, 500, 2000, 1, (one, other), 0, 0, 0)
run("queries", 1500, {3: 40}, 40, 79, 5, (other, one), 0, 1, 2)
run("no-mask", 300, {3: 50, 4: 1, 5: 7}, 58, 40, 5.657, (one, other), 0.9, 1, 2)
run("all-targets", 1500, letters, 500, 2000, 5.657, (one, other), 0, 0, 0)
run("longer", 3000, letters, 500, 320, 5.657, (one, other), 0, 0, 0, 500)
PY
    cat >"$out/flip_facts.sh" <<'SH'
rm -rf "$1-flipped" && cp -r "$1" "$1-flipped" && cd "$1-flipped" || exit 2
case $FLIP in
divisor) sed -i 's/^divisor.*/divisor,4/' ./*.facts ;;
total) sed -i -E 's/^(total|longer),.*/\1,499,500/' ./*.facts ;;
losses) sed -i 's/,0\.001,/,1,/' ./*.csv ;;
steps) sed -i '/^300,/d' no-mask.csv ;;
lengths) sed -i 's/^right,3,.*/right,3,49,86/' no-mask.facts ;;
later-key) sed -i 's/^later_key.*/later_key,0.05/' ./*.facts ;;
sums) sed -i -E 's/^(sum_of_(query|key)),.*/\1,0.95,1.02/' ./*.facts ;;
gradient) sed -i -E '/^(position|pad),/s/,0$/,X/; /^(position|pad),/s/,1$/,0/; /^(position|pad),/s/,X$/,1/' ./*.facts ;;
moved) sed -i -E '/^moved/s/,0$/,X/; /^moved/s/,[12]$/,0/; /^moved/s/,X$/,1/' ./*.facts ;;
esac
cd - >/dev/null && "$2" report "$1-flipped" >/dev/null && cat "$1-flipped/report.html" && ! grep -q 'DIFFERS: ' "$1-flipped/report.html"
SH
    # shellcheck disable=SC2016
    if flipped_program "$out/flipped-experiments" '$(EXPERIMENT_O) $(OUT)/libarenaformer.a' examples/experiments/faults.c -DFLIPS_OF_EXPERIMENTS -Iexamples/experiments 2>"$out/flips.log"; then
        nothing faults-can-differ "rows that cannot differ" "$(python3 test/can_differ.py \
            math,softmax,map,mlp,divisor,total,losses,steps,lengths,later-key,sums,gradient,moved \
            bash "$out/flip_facts.sh" "$whole" "$out/flipped-experiments" 2>&1)"
    else
        fail faults-can-differ "it does not compile: $(head -n 1 "$out/flips.log")"
    fi
fi
if wanted cut-facts; then
    sed -i '/^total/d' "$results/no-mask.facts"
    "$build/experiments" faults "$results" >/dev/null 2>"$out/say.err"
    if [ $? -eq 1 ] && grep -q 'not whole' "$out/say.err"; then ok cut-facts; else fail cut-facts "a cut file is taken"; fi
fi
finish
