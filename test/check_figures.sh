#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What the library costs, measured and held against test/golden/figures.txt, so that a change shows: worst-case stack of
# its functions, bytes of code for each board and feature, instructions of a training step and of a token. And the goals.
#
#   LONG=1 test/check_figures.sh      everything
#   test/check_figures.sh             of one board, the Cortex-M4F
#   test/check_figures.sh NAME        needs arm-none-eabi-gcc, riscv64-unknown-elf-gcc, qemu-system-arm, python3
#   test/check_figures.sh update      writes the measured figures into the committed file
#
# A figure depends on the compiler; the committed ones say by which they were made, and others are not compared.
set -u
cd "$(dirname "$0")/.." || exit
update=
[ "${1:-}" != update ] || { update=yes LONG=1; shift; }
. test/check_common.sh
boards="mps2-an385 mps2-an386 mps2-an500 mps2-an505 mps3-an547 rv32imac rv32imafc"
features="TRAINING MAP STREAMS"
if [ -z "$long$only" ]; then
    sample=(stack-mps2-an386 stack-goal code instructions)
    boards=mps2-an386
    features=
fi

golden=test/golden/figures.txt
out=$out/figures
mkdir -p "$out"
measured=$out/measured.txt
: >"$measured"

figure() { # NAME... VALUE
    echo "$*" >>"$measured"
}

# ------------------------------------------------------------------------------------------------------------- stack

# Functions that a program calls: those that these headers declare.
entries() {
    grep -hoE '^(af_status|void|bool|uint32_t|struct af_[a-z_]+) \**af_[a-z0-9_]+\(' lib/af_train.h lib/af_decode.h \
        lib/af_check.h lib/af_pass.h lib/af_arena.h lib/af_reader.h lib/af_checkpoint.h | sed 's/.*[ *]\(af_[a-z0-9_]*\)(/\1/'
}

# promise: stack-bounded, no-recursion
# Upper bounds from the call graph against what is really used: on a board with tiles and one with soft float.
stack() { # BOARD ARGUMENT...
    local board=$1 painted bounds name used bound too_much=
    painted=$(run_on_board "$out/$board" "$board" stack "CFLAGS=-O2 -g -fcallgraph-info=su" "${@:2}" OPT="${options[$board]}")
    # shellcheck disable=SC2046
    if ! bounds=$(test/stack.py "$out/$board/$board"/{lib,port/common}/*.ci -- $(entries) 2>&1); then
        fail "stack-$board" "the call graph gives no bound"
        sed 's/^/    /' <<<"$bounds"
        return
    fi
    while read -r name bound _; do
        figure stack "$board" "$name" "$bound"
    done <<<"$bounds"
    grep -q '^af_train_accumulate ' <<<"$painted" || too_much="nothing was measured: $painted"
    # Calls go through a function of test/stack.c, which may have a frame of its own.
    bounds+=$'\n'$(test/stack.py "$out/$board/$board"/{lib,test,port/common}/*.ci -- \
        $(sed -n 's/^af_\(train_[a-z]*\|decode_[a-z]*\|forward\|init_weights\) .*/test\/stack.c:\1/p' <<<"$painted") |
        sed 's|^test/stack.c:|through af_|')
    while read -r name used; do
        bound=$(awk -v name="$name" '$1 == "through" && $2 == name { print $3 } $1 == name { own = $2 } END { print own }' <<<"$bounds" | head -n 1)
        [ -z "$bound" ] || [ "$used" -le 64 ] || [ "$used" -le "$bound" ] || too_much+="$name: $used > $bound"$'\n'
    done <<<"$painted"
    nothing "stack-$board" "more stack is used than the call graph says" "$too_much"
    used=$(awk '$1 == "af_train_accumulate" { print $2 }' <<<"$painted")
    bound=$(awk '$1 == "af_train_accumulate" { print $2 }' <<<"$bounds")
    nothing "stack-$board-close" "the bound is far from what is used" \
        "$([ "$((10 * used))" -ge "$((8 * bound))" ] || echo "af_train_accumulate: $used of $bound bytes")"
}

declare -A options=([mps2-an386]=-DAF_PACKED=1 [mps2-an385]=)
for board in mps2-an386 mps2-an385; do
    ! wanted stack-$board || stack $board
done
if wanted stack-goal; then
    # Checkpoints hold two pages of 256 bytes on the stack, and are not within a training step.
    nothing stack-goal "on the Cortex-M4F no call but those of checkpoints may use more than 1024 bytes of stack" \
        "$(awk '$1 == "stack" && $2 == "mps2-an386" && $3 !~ /checkpoint/ && $4 > 1024' "$measured")"
fi

# -------------------------------------------------------------------------------------------------------------- code

code() { # BOARD ARGUMENT...: bytes of code and constants in all objects of lib/
    local board=$1 folder=$out/code
    rm -rf "$folder"
    make_ BUILD="$folder" PORT="$board" lib "${@:2}" >/dev/null 2>&1
    "$(of_make '$(BINUTILS)' PORT="$board")size" -t "$folder/$board/libarenaformer.a" 2>/dev/null | awk '/TOTALS/ { print $1 }'
}

less="-DAF_TRAINING=0 -DAF_MAP=0 -DAF_STREAMS=0"
# promise: parts-left-out
if wanted code; then
    for board in $boards; do
        figure code "$board" all-features "$(code $board)"
        figure code "$board" inference "$(code $board "OPT=$less")"
    done
    base=$(code mps2-an386 "OPT=$less")
    for feature in $features; do
        figure code mps2-an386 "with-$feature" $(($(code mps2-an386 "OPT=${less/AF_$feature=0/AF_$feature=1}") - base))
    done
    [ -z "$features" ] || figure code mps2-an386 with-tile $(($(code mps2-an386 OPT=-DAF_PACKED=1) - $(code mps2-an386)))
    nothing code "no size was measured" "$(awk '$1 == "code" && $4 !~ /^[1-9][0-9]*$/' "$measured")"
fi

# ------------------------------------------------------------------------------------------------------ instructions

if wanted instructions; then
    for run in 1 2 ${long:+3}; do
        run_on_board "$out/instructions" mps2-an386 instructions OPT=-DAF_PACKED=1 'QEMU_OPTIONS=-icount shift=0' \
            >"$out/instructions-$run.txt"
    done
    nothing instructions-repeat "runs do not count the same" \
        "$(for run in 2 ${long:+3}; do cmp "$out/instructions-1.txt" "$out/instructions-$run.txt" 2>&1; done)"
    while read -r table step _ _ token _ _ _ hash; do
        figure instructions mps2-an386 "${table%:} step" "$step"
        figure instructions mps2-an386 "${table%:} token" "$token"
        figure instructions mps2-an386 "${table%:} hash" "$hash"
    done <"$out/instructions-1.txt"
    plain=$(sed -n 's/^instructions mps2-an386 plain step //p' "$measured")
    tile=$(sed -n 's/^instructions mps2-an386 tile step //p' "$measured")
    nothing instructions-goal "with the tile a training step has to take at least 30 % fewer instructions" \
        "$([ "$((10 * ${tile:-1}))" -le "$((7 * ${plain:-0}))" ] || cat "$out/instructions-1.txt")"
    make_ BUILD="$out/instructions" PORT=host CFLAGS=-O1 "$out/instructions/host/test/instructions" >/dev/null 2>&1
    "$out/instructions/host/test/instructions" >"$out/instructions-host.txt"
    nothing instructions-hash "the board's weights and moments are not those of the host" \
        "$(sed 's/.*hash //' "$out/instructions-1.txt" "$out/instructions-host.txt" | sort -u | sed 1d)"
fi

# ----------------------------------------------------------------------------------------------------------- compare

compilers() {
    echo "# SPDX-License-Identifier: MIT"
    echo "# Bytes of stack and code, instructions; -O2. Written by test/check_figures.sh update, with"
    arm-none-eabi-gcc --version | sed -n '1s/^/# /p'
    riscv64-unknown-elf-gcc --version | sed -n '1s/^/# /p'
}

committed() { # the figures that were measured here; all of them in the long form
    if [ -n "$long" ]; then
        grep -v '^#' "$golden"
    else
        awk '{ key = $0; sub(/ [^ ]*$/, "", key) } NR == FNR { measured[key]; next } key in measured' "$measured" "$golden"
    fi
}

if [ -n "$update" ]; then
    { compilers; cat "$measured"; } >"$golden"
elif [ -z "$only" ]; then
    if [ "$(compilers)" = "$(grep '^#' "$golden")" ]; then
        nothing figures "figures changed (<: committed); if that is meant: $0 update" \
            "$(diff <(committed) "$measured" | grep '^[<>]')"
    else
        ok "figures: not compared, they were committed with other compilers"
    fi
fi

finish
