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

if wanted sizes; then
    nothing sizes "README's table of sizes is not what 'make sizes' prints" \
        "$(diff <(grep '^|' README.md | sed -n '/^| configuration/,/^| inference/p') <(examples/sizes/sizes.sh gcc))"
fi

# Bytes of the arena, of each region and of the decoding memory, in the default configuration.
linker_numbers() {
    sed -nE 's/^\| (`[^(|]*`)[^|]*\| ([0-9,]+)( each)? \|.*/\1 \2/p' linker/README.md |
        awk '{ for (i = 1; i < NF; i++) { gsub(/[`,]/, "", $i); print $i, $NF } }'
    sed -nE 's/.*[ (]([0-9,]+) bytes: [0-9]+ MiB.*/af_arena \1/p; s/.*`struct (af_decode)` \(([0-9,]+) bytes.*/\1 \2/p' linker/README.md
}
if wanted linker-numbers; then
    cat >"$out/sizes.c" <<'C'
#include "af.h"
#include <stdio.h>
int main(void) {
#define AF_REGION(type, name, live, text) (void)printf(#name " %zu\n", sizeof(type));
#include "af_tensors.def"
    (void)printf("af_arena %zu\naf_decode %zu\n", sizeof(struct af_arena), sizeof(struct af_decode));
    return 0;
}
C
    gcc -std=c99 -Ilib "$out/sizes.c" -o "$out/sizes" && "$out/sizes" | LC_ALL=C sort >"$out/sizes.txt"
    nothing linker-numbers "linker/README.md has other sizes than the compiler (<: the compiler)" \
        "$(diff "$out/sizes.txt" <(linker_numbers | sed 's/,//g' | LC_ALL=C sort))"
fi

if wanted links; then
    missing=
    while read -r link; do
        [ -e "$link" ] || missing+=" $link"
    done < <(grep -oE '\]\([^)]+\)' README.md | tr -d '])(')
    nothing links "README links to files that are not there" "$missing"
fi

host=${BUILD:-build}/host
if wanted debugger || wanted arena-picture || wanted influence-picture; then
    rm -f "$out/arena.svg" "$out/influence.svg" "$out/gdb.txt"
    make -s >"$out/make.log" 2>&1 || fail build "make fails: $(tail -n 1 "$out/make.log")"
fi

if wanted debugger; then
    gdb -batch -ex 'break af_train_end' -ex 'run train --steps 1 --quiet --weights '"$out/gdb.weights"' --csv '"$out/gdb.csv" \
        -ex 'p af_arena.weight.at.block[1].qkv_w[2]' -ex 'p af_map_find(&af_map, "blocks.1.attn.qkv.weight").offset' \
        -ex 'p af_map_at(&af_map, &af_arena.grad.flat[70000], 63).name' "$host/reversal" >"$out/gdb.txt" 2>&1
    if grep -q '^\$1 = {.*,.*}' "$out/gdb.txt" && grep -q '^\$2 = 209920' "$out/gdb.txt" &&
        grep -q '^\$3 = "grad.at.block\[1\].ff1_w' "$out/gdb.txt"; then
        ok debugger
    else
        fail debugger "gdb does not find the tensors: $(tail -n 2 "$out/gdb.txt" | tr '\n' ' ')"
    fi
fi

if wanted arena-picture; then
    "$host/reversal" map --svg "$out/arena.svg" >/dev/null 2>&1
    if cmp -s "$out/arena.svg" examples/reversal/arena.svg; then
        ok arena-picture
    else
        fail arena-picture "examples/reversal/arena.svg is not what 'reversal map --svg' draws"
    fi
fi

if wanted influence-picture; then
    "$host/notebook7" figures "$out" >/dev/null 2>&1
    if cmp -s "$out/influence.svg" examples/notebook7/influence.svg; then
        ok influence-picture
    else
        fail influence-picture "examples/notebook7/influence.svg is not what 'notebook7 figures' draws"
    fi
fi
finish
