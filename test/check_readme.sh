#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The documents say what is so: README's programs, compiled straight out of it, do what it says, in the memory that it says;
# each number is the value that a command or a committed file gives; tables are what is printed; links lead somewhere.
#
#   test/check_readme.sh [NAME]      needs gcc, clang, gdb, python3, arm-none-eabi-gcc, qemu-system-arm
#   test/check_readme.sh update      writes the numbers, and the table of `make bench`, into the documents
set -u
cd "$(dirname "$0")/.." || exit 1
update=
[ "${1:-}" != update ] || { update=update; shift; }
. test/check_common.sh

build=${BUILD:-build}
# Those whose every number is held; all have links.
documents=(README.md examples/README.md examples/bench/README.md test/README.md)
linked=("${documents[@]}" port/README.md linker/README.md lib/SECURITY.md test/coverage.md test/misra.md test/mutants.md)
program=$out/first
block() { # WORD: README's C program that has it
    awk -v word="$1" '/^```c$/ { on = 1; text = ""; next } /^```$/ && on { on = 0; if (index(text, word)) printf "%s", text } on { text = text $0 "\n" }' README.md
}
block stdio.h >"$program.c"
awk '/first && .\/first$/ { on = 1; next } on && /^    / { sub(/^    /, ""); print; next } on { exit }' README.md >"$program.expected"

# promise: first-program
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

# promise: arena-sizes
if wanted sizes; then
    nothing sizes "the table of sizes in examples/README.md is not what 'make sizes' prints" \
        "$(diff <(grep '^|' examples/README.md | sed -n '/^| configuration/,/^| inference/p') <(examples/sizes/sizes.sh gcc))"
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

anchors() { # DOCUMENT: what a link's part after # may be, a line for each heading
    sed -n 's/^##* //p' "$1" | tr '[:upper:] ' '[:lower:]-' | tr -cd 'a-z0-9\n-'
}
dead_links() { # DOCUMENT [FOLDER]: links are relative to the document's folder, or to this one
    local folder=${2:-$(dirname "$1")} link file
    grep -oE '\]\([^)]+\)' "$1" | tr -d '])(' | while read -r link; do
        file=$folder/${link%%#*}
        [ -n "${link%%#*}" ] || file=$1
        if [ ! -e "$file" ] || { [[ $link == *#* ]] && ! anchors "$file" | grep -qx -- "${link##*#}"; }; then
            echo "$1: $link"
        fi
    done
}
if wanted links; then
    nothing links "links lead nowhere" "$(for document in "${linked[@]}"; do dead_links "$document"; done)"
fi
if wanted links-fault; then # a file that is not there, and a heading
    sed 's/(linker\/README.md)/(linker\/README.txt)/; s/#arena-sizes)/#arena-size)/' README.md >"$out/changed.md"
    found=$(dead_links "$out/changed.md" . | sed 's/.*: //' | LC_ALL=C sort -u | tr '\n' ' ')
    if [ "$found" = "examples/README.md#arena-size linker/README.txt " ]; then
        ok links-fault
    else
        fail links-fault "noticed: $found"
    fi
fi

# A page that is read in minutes. Tables, pictures, links and what stands indented may be wider than 120 columns.
if wanted length; then
    nothing length "README.md has more than 150 lines, or a line is longer than 120 columns" \
        "$(awk 'FNR == 151 && FILENAME == "README.md" { print FILENAME ": more than 150 lines" }
            length > 120 && !/^(\||    |!\[)/ { print FILENAME ":" FNR ": " length " columns" }' "${documents[@]}")"
fi

# --------------------------------------------------------------------------------------------------- into firmware

# promise: answer-memory, weights-in-flash
# The steps of "Into firmware", word for word: its two commands on its program, beside the start-up of the board.
core=$(sed -n '/^       CORE=/,/^$/p' README.md)
firmware=$out/readme-firmware
firmware() { # FOLDER SED-SCRIPT [OPTION]: the program, changed; in place of --gc-sections, an option
    local folder=$firmware/$1 option=${3:---gc-sections} object
    rm -rf "$folder"
    mkdir -p "$folder"
    cp -r lib "$folder"
    cp linker/netduinoplus2.ld linker/sections.ld "$build/trained.h" "$folder"
    block trained.h | sed "$2" >"$folder/answer.c"
    for object in $board_objects; do cp "$object" "$folder" || return; done
    (cd "$folder" && eval "${core/--gc-sections/$option,-Map=answer.map}") >"$folder.log" 2>&1
}

if wanted firmware-builds || wanted firmware-answers || wanted firmware-unused || wanted numbers || [[ $only == numbers* ]] || [ -n "$update" ]; then
    board_objects=$(of_make '$(PORT_SOURCES:%.c=$(OUT)/%.o)' PORT=netduinoplus2 BUILD="$build")
    rm -rf "$firmware"
    mkdir -p "$firmware"
    # shellcheck disable=SC2086
    if ! make_ PORT=netduinoplus2 BUILD="$build" $board_objects "$build/trained.h" >"$out/readme-firmware.log" 2>&1; then
        fail firmware-builds "the board's files or the weights are not made: $(tail -n 1 "$out/readme-firmware.log")"
    elif ! firmware answer ""; then
        fail firmware-builds "README's steps fail: $(head -n 1 "$firmware/answer.log")"
    else
        ok firmware-builds
        if timeout 60 $(of_make '$(RUN)' PORT=netduinoplus2) "$firmware/answer/answer.elf" </dev/null >"$firmware/run.log" 2>&1; then
            ok firmware-answers
        else
            fail firmware-answers "the board does not answer: status $?, $(tail -n 1 "$firmware/run.log")"
        fi
    fi
fi
# promise: unused-parts-go
if wanted firmware-unused; then # what nobody calls is not there, and without the flag it is
    nothing firmware-unused "the program contains parts that it does not use" \
        "$(arm-none-eabi-nm "$firmware/answer/answer.elf" | grep -E ' (af_arena$|af_train_|af_checkpoint_|af_map|af_numpy|af_torch)')"
    if firmware whole "" --no-gc-sections; then fail firmware-unused-fault "without --gc-sections everything fits"; else ok firmware-unused-fault; fi
fi

host=${BUILD:-build}/host
if wanted debugger || wanted arena-picture || wanted influence-picture; then
    rm -f "$out/arena.svg" "$out/influence.svg" "$out/gdb.txt"
    make -s >"$out/make.log" 2>&1 || fail build "make fails: $(tail -n 1 "$out/make.log")"
fi

# promise: debugger-paths
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

# promise: pictures-drawn
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

# --------------------------------------------------------------------------------------------------- tables, numbers

# Rows of the documents' samples of the two comparisons.
if wanted rows-chapter || [ -n "$update" ]; then
    make_ BUILD="$build" "$build/trained.h" >/dev/null 2>&1
    "$host/reversal" compare --weights "$build/trained.weights" >"$out/readme-compare.txt" 2>&1
    nothing rows-chapter "README shows rows that 'reversal compare' does not print" \
        "$(test/readme.py rows README.md "$out/readme-compare.txt" $update 2>&1)"
fi
if wanted rows-notebook7 || [ -n "$update" ]; then
    "$host/notebook7" run >"$out/readme-notebook7.txt" 2>&1
    nothing rows-notebook7 "examples/README.md shows rows that 'notebook7 run' does not print" \
        "$(test/readme.py rows examples/README.md "$out/readme-notebook7.txt" $update 2>&1)"
fi

if wanted measured || [ -n "$update" ]; then
    nothing measured "the figures of time in examples/bench/README.md are not those that are recorded" \
        "$(test/readme.py measured examples/bench/README.md test/golden/bench.md $update 2>&1)"
fi

with_commas() { sed ':a; s/^\([0-9]\+\)\([0-9]\{3\}\)/\1,\2/; ta'; }
value() { # NAME NUMBER
    echo "$1 $(with_commas <<<"$2")"
}
kb() { # WORDS: bytes of figures.txt, in thousands
    awk -v words="$1" 'index($0, words " ") == 1 { print int($NF / 1000 + 0.5) }' test/golden/figures.txt
}
largest() { # BOARD: most bytes of stack of a call that is not of checkpoints
    awk -v board="$1" '$1 == "stack" && $2 == board && $3 !~ /checkpoint/ && $4 > most { most = $4 } END { print most }' test/golden/figures.txt
}
stack_of() { # BOARD FUNCTION
    awk -v board="$1" -v name="$2" '$1 == "stack" && $2 == board && $3 == name { print $4 }' test/golden/figures.txt
}
bytes_of() { # ELF SYMBOL
    arm-none-eabi-nm -S "$1" | awk -v name="$2" '$NF == name { print "0x" $2 }'
}
address_of() { # ELF SYMBOL
    arm-none-eabi-nm "$1" | awk -v name="$2" '$NF == name { print "0x" $1 }'
}
builds() { # WHAT: how many builds of that kind the matrix has, on a processor with every level
    LONG=1 bash -c "set --; $(sed -n '/^if \[ -n "\$list" \]/q; s/^! grep .*levels+=.*/levels="v3 v4"/; /^cd /d; p' test/check_matrix.sh)
        awk -F '\t' -v may=$1 '\$2 == may' <<<\"\$list\" | wc -l"
}
values() {
    local elf=$firmware/answer/answer.elf code lines excluded
    sed -n 's/^\([a-z0-9-]\+\) \+\([0-9.]\+\) .*/\1 \2/p' test/golden/recorded.txt
    echo "kb-all $(kb "code mps2-an386 all-features")"
    echo "kb-inference $(kb "code mps2-an386 inference")"
    echo "kb-training $(kb "code mps2-an386 with-TRAINING")"
    echo "kb-streams $(kb "code mps2-an386 with-STREAMS")"
    echo "kb-map $(kb "code mps2-an386 with-MAP")"
    value stack-m4f "$(largest mps2-an386)"
    value stack-m3 "$(largest mps2-an385)"
    value stack-m4f-save "$(stack_of mps2-an386 af_checkpoint_save)"
    value stack-m3-save "$(stack_of mps2-an385 af_checkpoint_save)"
    code=$(test/readme.py code "$firmware/answer/answer.map")
    firmware without-selftest 's/af_selftest()/AF_OK/'
    value answer-memory $(($(bytes_of "$elf" memory)))
    echo "answer-stack $((($(address_of "$elf" stack_top) - $(address_of "$elf" stack_limit)) / 1024))"
    value answer-weights $(($(bytes_of "$elf" af_trained)))
    value answer-code "$code"
    value answer-selftest $((code - $(test/readme.py code "$firmware/without-selftest/answer.map")))
    echo "small-kib $(sed -n 's/.*SRAM.*LENGTH = \([0-9]*\)K.*/\1/p' linker/netduinoplus2.ld)"
    echo "storage-mib $(sed -n 's/.*STORAGE_BYTES = \([0-9]*\) \* 1024 \* 1024.*/\1/p' port/host/port.c)"
    sed -n 's/^longer  *lengths=\([0-9]*\)-\([0-9]*\).*/longer-from \1\nlonger-to \2/p' examples/experiments/run.sh
    sed -n 's/^wide  *d_model=\([0-9]*\)$/wide \1/p; s/^ *perturbed reference \([0-9]*\)$/spread-runs \1/p' examples/experiments/run.sh
    lines=$(grep -vc '^#' test/golden/notebook7.txt)
    echo "lines $lines"
    # One line may differ: test_notebook7.c drops the signs of its zeros.
    echo "lines-equal $((lines - $(grep -c '^Mean of each' test/golden/notebook7.txt)))"
    "$host/reversal" compare --weights "$build/trained.weights" | sed -n 's/.* of \([0-9]*\) runs$/other-runs \1/p; s/.* of \([0-9]*\)$/other-runs \1/p' | sort | uniq -c | sort -rn | sed -n '1s/^ *[0-9]* //p'
    excluded=$(grep '^| `lib/' test/coverage.md)
    echo "excluded-rows $(wc -l <<<"$excluded")"
    echo "excluded-lines $(($(wc -l <<<"$excluded") + $(grep -o '<br>' <<<"$excluded" | wc -l)))"
    echo "planted $(grep -c '^fault ' test/check_metatests.sh)"
    echo "same-builds $(builds same)"
    echo "hazard-builds $(builds hazard)"
    echo "mutants $(sed -n 's/.* test\/mutate.py run \([0-9]*\)$/\1/p' test/prove.sh)"
    echo "mutants-sample $(sed -n 's/.* test\/mutate.py short \([0-9]*\)$/\1/p' test/prove.sh)"
    echo "fuzz-millions $(sed -n 's/.*TIMES=[0-9]* test.*  \([0-9]*\) million:.*/\1/p' test/check_fuzz.sh)"
    echo "int-bits $(sed -n 's/.*an int of at least \([0-9]*\) bits.*/\1/p' lib/af_config.h)"
    cat >"$out/save.c" <<'C'
#include "af.h"
#include <stdio.h>
int main(void) {
    (void)printf("%d %d %d\n", (int)AF_CHECKPOINT_BYTES, (int)AF_CHECKPOINT_PAGES, ((int)AF_CHECKPOINT_BYTES + 4095) / 4096);
    return 0;
}
C
    gcc -std=c99 -Ilib "$out/save.c" -o "$out/save" && "$out/save" | {
        read -r bytes programs erases
        value save-bytes "$bytes"
        value save-programs "$programs"
        value save-erases "$erases"
    }
    echo "erase-kib 4"
}
if wanted numbers || [[ $only == numbers* ]] || [ -n "$update" ]; then
    values >"$out/readme-values.txt"
    if [ -n "$update" ]; then
        test/readme.py numbers test/readme.txt "$out/readme-values.txt" "${documents[@]}" update
    elif wanted numbers; then
        nothing numbers "numbers of the documents are not what is measured, or nothing holds them: test/readme.txt, $0 update" \
            "$(test/readme.py numbers test/readme.txt "$out/readme-values.txt" "${documents[@]}" 2>&1)"
    fi
fi
if wanted numbers-mutants; then # what is recorded adds up
    nothing numbers-mutants "mutants that change nothing, are noticed and are missed are not all" \
        "$(awk '{ v[$1] = $2 } END { n = v["mutants-equal"] + v["mutants-noticed"] + v["mutants-missed"]; if (n != v["mutants-sample"]) print n " of " v["mutants-sample"] }' \
            "$out/readme-values.txt")"
fi
# A number that is changed, one that is new and a time that nobody measured are noticed.
if wanted numbers-fault; then
    changed() { # DOCUMENT SED-SCRIPT: what is said of the documents with one of them changed
        sed "$2" "$1" >"$out/changed.md"
        local document all=()
        for document in "${documents[@]}"; do
            if [ "$document" = "$1" ]; then all+=("$out/changed.md"); else all+=("$document"); fi
        done
        test/readme.py numbers test/readme.txt "$out/readme-values.txt" "${all[@]}"
    }
    wrong=$(changed README.md 's/28,168 bytes of memory, a/28,160 bytes of memory, a/' | grep -c 'instead of 28,168')
    other=$(changed test/README.md 's/520 mutants/521 mutants/' | grep -c '^521 instead of 520')
    new=
    for document in "${documents[@]}"; do
        new+=$(changed "$document" '$a It takes 77 ms.' | grep -c 'changed.md line [0-9]*: nothing holds 77')
    done
    twice=$(changed examples/README.md '$a Where int has fewer than 32 bits.' | grep -c '^2 times')
    sed 's/| 4.25 |/| 4.15 |/' examples/bench/README.md >"$out/changed.md"
    time=$(test/readme.py measured "$out/changed.md" test/golden/bench.md | wc -l)
    if [ "$wrong $other $new $twice $time" = "1 1 1111 1 1" ]; then
        ok numbers-fault
    else
        fail numbers-fault "noticed: $wrong $other $new $twice $time"
    fi
fi
finish
