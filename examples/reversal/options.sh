#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Options in the document's spelling ("causal=False n_layers=1 steps=5000"), for `make run OPT=...`.
#
#   options.sh flags WORD...    what is compiled in, as compiler options
#   options.sh train WORD...    what `reversal train` is told
#   options.sh model WORD...    a name for the compiled model, to be a folder's; empty: the chapter's
#   options.sh name  WORD...    a name for the run, to be a file's; empty: the chapter's
#   options.sh help             all options
# A wrong word, or words that do not go together: one line on stderr, status 2.
set -u

# Word, what it becomes: a macro or an option of train, its values (the chapter's first), what it does.
list="
scale        AF_SCALED           True:1 False:0           divide scores by the root of a head's width
causal       AF_CAUSAL           True:1 False:0           hide later keys from a query
dim          AF_SOFTMAX_QUERIES  -1:0 -2:1                axis of the softmax: -1 keys, -2 queries
residual     AF_RESIDUAL         True:1 False:0           add a branch's input to its output
norm         AF_POST_NORM        pre:0 post:1             layer norm before a branch or after the addition
d_model      AF_DIM              whole=1..4096            width of the embedding
n_heads      AF_HEADS            whole=1..64              heads a block
n_layers     AF_BLOCKS           whole=1..64              blocks
loss         --loss              outputs all              positions that have a target
steps        --steps             whole=0..1000000         steps of training
batch        --batch             whole=1..1024            examples a step
lengths      --lengths           letters=1..12            letters of the training strings, 1 to 12, as 3-12
offset       --offset            zero random              where training strings begin
lr           --learning-rate     real=0..1e6              learning rate
weight_decay --weight-decay      real=0..1e6              weight decay
warmup       --warm-up           whole=0..1000000         steps in which the learning rate rises, no more than steps
decay        --decay             none linear              learning rate after the warm-up
seed         --seed-weights      whole=0..4294967295      seed of the initial weights
data_seed    --seed-training     whole=0..18446744073709551615  seed of the training strings
perturb      --perturb           whole=1..4294967295      seed of one rounding unit on each initial weight
"

die() {
    echo "options: ${1//[^[:print:]]/?}" >&2
    exit 2
}

is_within() { # VALUE LOW..HIGH: whole numbers of any size, written without leading zeros
    [[ $1 =~ ^(0|[1-9][0-9]*)$ ]] && is_at_most "${2%..*}" "$1" && is_at_most "$1" "${2#*..}"
}

is_at_most() { # VALUE HIGH
    ((${#1} < ${#2})) || { ((${#1} == ${#2})) && [[ ! $1 > $2 ]]; }
}

is_real_within() { # VALUE LOW..HIGH
    [[ $1 =~ ^([0-9]+\.?[0-9]*|\.[0-9]+)(e[-+]?[0-9]+)?$ ]] &&
        awk -v x="$1" -v low="${2%..*}" -v high="${2#*..}" 'BEGIN { exit !(x + 0 >= low + 0 && x + 0 <= high + 0) }'
}

is_span_within() { # SHORTEST-LONGEST LOW..HIGH
    [[ $1 == *-* ]] && is_within "${1#*-}" "$2" && is_within "${1%%-*}" "${2%..*}..${1#*-}"
}

# What VALUE becomes among the allowed ones "True:1 False:0"; nothing if it is none of them.
translate() { # VALUE ALLOWED...
    local value=$1 allowed
    shift
    for allowed in "$@"; do
        case $allowed in
        whole=*) is_within "$value" "${allowed#*=}" && echo "$value" ;;
        real=*) is_real_within "$value" "${allowed#*=}" && echo "$value" ;;
        letters=*) is_span_within "$value" "${allowed#*=}" && echo "$value" ;;
        "$value" | "$value":*) echo "${allowed#*:}" ;;
        esac
    done
}

# Allowed values in words.
in_words='s/:[01]//g; s/ / or /g; s/whole=(.+)\.\.(.+)/a whole number from \1 to \2/
    s/real=(.+)\.\.(.+)/a number from \1 to \2/; s/letters=(.+)\.\.(.+)/SHORTEST-LONGEST, as 3-12, of \1 to \2 letters/'

flags=()
train=()
model=()
name=()
given=" "
steps=1500
warmup=0
take() { # WORD
    local word=$1 key=${1%%=*} value=${1#*=} row allowed becomes zeros=
    case $word in
    -*) die "\"$word\" is a compiler option: OPT has words of the chapter or compiler options, not both" ;;
    *=*) ;;
    *) die "\"$word\" is not NAME=VALUE; NAME is one of $(awk 'NF { printf "%s%s", sep, $1; sep = ", " }' <<<"$list")" ;;
    esac
    row=$(awk -v key="$key" '$1 == key' <<<"$list")
    [ -n "$row" ] || die "no option \"$key\"; there are $(awk 'NF { printf "%s%s", sep, $1; sep = ", " }' <<<"$list")"
    [[ $given != *" $key "* ]] || die "$key is given twice"
    given+="$key "
    allowed=$(sed -E 's/^[^ ]+ +[^ ]+ +(([^ ]+ )*[^ ]+)  .*/\1/' <<<"$row")
    # shellcheck disable=SC2086
    becomes=$(translate "$value" $allowed)
    [[ $value =~ (^|-)0[0-9] ]] && zeros=", without leading zeros"
    [ -n "$becomes" ] || die "$key=\"$value\": it has to be $(sed -E "$in_words" <<<"$allowed")$zeros"
    case $key in
    steps) steps=$value ;;
    warmup) warmup=$value ;;
    esac
    case $(awk '{ print $2 }' <<<"$row") in
    --offset) [ "$becomes" = random ] && train+=(--offset) ;;
    --decay) [ "$becomes" = linear ] && train+=(--decay) ;;
    --*) train+=("$(awk '{ print $2 }' <<<"$row")" "$becomes") ;;
    *)
        flags+=("-D$(awk '{ print $2 }' <<<"$row")=$becomes")
        model+=("$key-$value")
        ;;
    esac
    name+=("$key-$value")
}

join() { # WORD...: with underscores between
    local IFS=_
    echo "$*"
}

# The library knows which sizes and switches go together, and the arena's limit: what it says of these, in the words of
# the list. The arena is the one of the host programs.
check_model() {
    local said lib
    lib=$(dirname "$0")/../../lib
    said=$("${CC:-cc}" -fsyntax-only -x c "${flags[@]}" -I"$lib/../port/host" -DAF_CONFIG_HEADER='"af_host.h"' \
        "$lib/af_arena.h" 2>&1 | sed -n 's/.*#error "\(.*[^.]\)\.*"$/\1/p' | head -n 1 |
        sed "s/make AF_DIM, .* smaller/make d_model or n_layers smaller/
            $(awk '$2 ~ /^AF_/ { printf "s/\\<%s\\>/%s/g;", $2, $1 }' <<<"$list")")
    [ -z "$said" ] || die "$said"
}

mode=${1:-help}
shift || true
for word in "$@"; do
    take "$word"
done
[ "$warmup" -le "$steps" ] || die "warmup=$warmup is longer than the run of $steps steps"
[ ${#model[@]} -eq 0 ] || check_model
case $mode in
flags) echo "${flags[*]}" ;;
train) echo "${train[*]}" ;;
model) join "${model[@]}" ;;
name) join "${name[@]}" ;;
help)
    awk 'NF {
        what = values = $0
        sub(/.*  /, "", what)
        sub(/^[^ ]+ +[^ ]+ +/, "", values)
        sub(/  .*/, "", values)
        gsub(/:[01]/, "", values)
        gsub(/ /, " or ", values)
        sub(/letters=.*/, "SHORTEST-LONGEST", values)
        sub(/.*=/, "", values)
        sub(/\.\./, " to ", values)
        printf "  %-13s %-25s %s\n", $1, values, what
    }' <<<"$list"
    echo "Of two values the first is the chapter's. For example: make run OPT=\"causal=False steps=300\""
    ;;
*) die "\"$mode\" is not flags, train, model, name or help" ;;
esac
