#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs the experiments of a target, each a single change to the reference model, and prints what they show.
#
#   run.sh faults | longer | exercises | spread | report
#
# A run is a process of its own on one processor; as many run at once as there are processors (JOBS=1: one). What a run
# leaves in the folder of results (weights, losses, facts) is kept, and not made again by the same program.
set -eu
cd "$(dirname "$0")/../.."

build=${BUILD:-build}/${PORT:-host}
results=$build/results
jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN)}
make=(env -u MAKEFLAGS -u MFLAGS make -s "BUILD=${BUILD:-build}" "PORT=${PORT:-host}" "CC=${CC:-cc}")
target=${1:-}
case $target in
faults | longer | exercises | spread | report) ;;
*)
    echo "usage: run.sh faults | longer | exercises | spread | report" >&2
    exit 2
    ;;
esac
mkdir -p "$results"

# Every run: its name, the change in the chapter's words. Long ones come first.
faults="
queries             dim=-2
all-targets         loss=all
reference
unscaled            scale=False
no-mask             causal=False steps=300
"
shown="
deep                n_layers=8 steps=500
deep-no-residual    n_layers=8 residual=False steps=500
deep-post-norm      n_layers=8 norm=post steps=500
deep-post-norm-warmup n_layers=8 norm=post steps=500 warmup=150
post-norm           norm=post
post-norm-warmup    norm=post warmup=150
warmup-decay        warmup=150 decay=linear
"
longer="
longer              lengths=3-12 steps=3000
"
exercises="
one-block-5000      n_layers=1 n_heads=1 steps=5000
one-block           n_layers=1 n_heads=1
offset              offset=random
offset-3000         offset=random steps=3000
"
wide="
wide                d_model=256
wide-unscaled       d_model=256 scale=False
"

perturbed() { # NAME N WORD...: N runs whose initial weights are one rounding unit apart
    local i
    for i in $(seq "$2"); do
        echo "spread-$1-$i perturb=$i ${*:3}"
    done
}

list() {
    case $target in
    faults) echo "$faults$shown" ;;
    longer) echo "$longer" ;;
    exercises) echo "$exercises$faults${WIDE:+$wide}" ;;
    report) echo "$exercises$longer$faults$shown" ;;
    spread)
        perturbed queries 10 dim=-2
        perturbed all-targets 10 loss=all
        perturbed unscaled 10 scale=False
        perturbed reference 30
        perturbed no-mask 10 causal=False steps=300
        ;;
    esac
}

program_of() { # WORD...
    local model
    model=$(examples/reversal/options.sh model "$@")
    echo "$build${model:+/models/$model}/reversal"
}

# One run, if there is none yet of this program. Read by xargs: NAME NUMBER OF WORD...
one() {
    local name=$1 number=$2 of=$3 program sum to=$results/$1
    shift 3
    program=$(program_of "$@")
    sum=$(cksum <"$program")
    [ -f "$to.facts" ] && [ "$(cat "$to.program" 2>/dev/null)" = "$sum" ] && return
    # shellcheck disable=SC2046
    "$program" train --quiet --workers 1 $(examples/reversal/options.sh train "$@") --weights "$to.weights" || exit 255
    "$program" measure --weights "$to.weights" >"$to.facts.new" || exit 255
    mv "$to.facts.new" "$to.facts"
    echo "$sum" >"$to.program"
    printf '%3d of %d  %-22s %6.1f s  %s\n' "$number" "$of" "$name" \
        "$(sed -n 's/^# seconds: //p' "$to.csv")" "$*"
}

runs=$(list | awk 'NF && !seen[$1]++')
n=$(wc -l <<<"$runs")
echo "$n runs, $jobs at a time; those in $results are kept"

# The models that these runs need, one after another: each build is parallel itself.
while read -r name words; do
    # shellcheck disable=SC2086
    program=$(program_of $words)
    case " ${built:-} " in *" $program "*) continue ;; esac
    built="${built:-} $program"
    [ -x "$program" ] || echo "building $program"
    # shellcheck disable=SC2086
    "${make[@]}" -j "$jobs" OPT="$(examples/reversal/options.sh flags $words)" \
        ${program:+"OUT=${program%/reversal}"} "$program" >/dev/null
done <<<"$runs"

export build results
export -f one program_of
awk -v n="$n" '{ name = $1; sub(/^[^ ]+ */, ""); sub(/ +$/, ""); print name " " NR " " n (NF ? " " $0 : "") }' <<<"$runs" |
    xargs -P "$jobs" -L 1 bash -c 'one "$@"' one

if [ "$target" = report ]; then
    reversal=$build/reversal
    reference=$results/reference.weights
    $reversal attention --weights "$reference" --svg "$results/attention.svg" fgcabe >/dev/null
    $reversal map --svg "$results/arena.svg"
    mkdir -p "$results/notebook7"
    "$build/notebook7" figures "$results/notebook7"
    "$build/notebook7" run --html >"$results/notebook7/compare.html" || true
    $reversal compare --weights "$reference" --csv "$results/reference.csv" --html >"$results/compare.html" || true
fi
"$build/experiments" "$target" "$results"
