#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# README's first program, compiled straight out of README by gcc and clang, prints what README says; its debugger session
# and the files that it names are there.
set -u
cd "$(dirname "$0")/.." || exit 1
. test/check_common.sh

program=$out/first
awk '/^```c$/ { on = 1; next } /^```$/ { on = 0 } on' README.md >"$program.c"
awk '/first && .\/first$/ { on = 1; next } on && /^    / { sub(/^    /, ""); print; next } on { exit }' README.md >"$program.expected"

for compiler in gcc clang; do
    name=first-program-$compiler
    wanted $name || continue
    if ! $compiler -std=c99 -ffp-contract=off -Wall -Wextra -Werror -Ilib "$program.c" lib/*.c -o "$program" 2>"$program.log"; then
        fail $name "it does not compile: $(head -n 1 "$program.log")"
    elif ! "$program" >"$program.out"; then
        fail $name "it ends with a failure"
    elif [ ! -s "$program.expected" ] || ! cmp -s "$program.out" "$program.expected"; then
        fail $name "it prints '$(tr '\n' ';' <"$program.out")'"
    else
        ok $name
    fi
done

if wanted first-program-early; then
    line=$(awk '/^```$/ { print NR; exit }' README.md)
    if [ "$line" -le 40 ]; then ok first-program-early; else fail first-program-early "it ends at line $line"; fi
fi

if wanted links; then
    missing=
    while read -r link; do
        [ -e "$link" ] || missing+=" $link"
    done < <(grep -oE '\]\([^)]+\)' README.md | tr -d '])(')
    nothing links "README links to files that are not there" "$missing"
fi

if wanted debugger; then
    make -s >"$out/make.log" 2>&1
    gdb -batch -ex 'break af_train_end' -ex 'run train --steps 1 --quiet --weights '"$out/gdb.weights"' --csv '"$out/gdb.csv" \
        -ex 'p af_arena.weight.at.block[1].qkv_w[2]' -ex 'p af_map_find(&af_map, "blocks.1.attn.qkv.weight").offset' \
        -ex 'p af_map_at(&af_map, &af_arena.grad.flat[70000], 63).name' build/host/reversal >"$out/gdb.txt" 2>&1
    if grep -q '^\$1 = {.*,.*}' "$out/gdb.txt" && grep -q '^\$2 = 209920' "$out/gdb.txt" &&
        grep -q '^\$3 = "grad.at.block\[1\].ff1_w' "$out/gdb.txt"; then
        ok debugger
    else
        fail debugger "gdb does not find the tensors: $(tail -n 2 "$out/gdb.txt" | tr '\n' ' ')"
    fi
fi

if wanted arena-picture; then
    build/host/reversal map --svg "$out/arena.svg" >/dev/null 2>&1
    if cmp -s "$out/arena.svg" examples/reversal/arena.svg; then
        ok arena-picture
    else
        fail arena-picture "examples/reversal/arena.svg is not what 'reversal map --svg' draws"
    fi
fi
finish
