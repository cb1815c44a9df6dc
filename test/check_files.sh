#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What compilers may do to one file: every file of lib/, and each that holds operations of notebook 7, alone is compiled
# with options that fuse, regroup or approximate, the others as they should be. test/matrix.c has to end in the hash of all builds, by plain loops and by tiles, or
# the file is refused by name, when it is compiled or by a self-test: never other numbers.
#
#   LONG=1 test/check_files.sh       everything; without LONG, a sample
#   test/check_files.sh NAME         needs gcc, clang: test/install.sh
set -u
cd "$(dirname "$0")/.." || exit
. test/check_common.sh
. test/options.sh

# Each kind of option once, in files that are unlike each other, and each day others of all.
sample=(layernorm-clang-contracted attention-clang-regrouped cross_entropy-clang-reciprocal tile-clang-contracted
    adamw-gcc-bare-regrouped torch-clang-contracted numpy_normal-gcc-single-constants train-clang-contracted)
one_in=60

expected=$(sed -n 's/^small_hash=//p' test/check_matrix.sh)
refusal='arenaformer (must not be compiled with|needs FLT_EVAL_METHOD 0)|error: .*arenaformer_must_not_be_compiled_with'
out=$out/files
base=$out/base
options="-w $small -DAF_PACKED=1 -Iexamples/notebook7"
rm -rf "$out"
mkdir -p "$base"

# lib/ without what refuses fast maths and switches contraction off: a compiler that has no macro and knows no pragma.
bare=$out/bare
cp -r lib "$bare"
sed -i '/^#if defined(__FAST_MATH__)/,/^#endif/d; /^#pragma STDC FP_CONTRACT/d; /^#pragma GCC optimize/d' "$bare/af_config.h"

# Instructions that fuse and estimate, where this processor has them.
march=
! has_level v3 || march="-march=x86-64-v3"

kinds() { # a line each: NAME, folder of lib/, compiler and options, with tabs between them
    local regroup="-fassociative-math -fno-signed-zeros -fno-trapping-math"
    printf '%s\t%s\t%s\n' \
        gcc-contracted lib "gcc -O2 -ffp-contract=fast" \
        gcc-regrouped lib "gcc -O3 $regroup" \
        gcc-fast lib "gcc -O3 -ffast-math" \
        gcc-single-constants lib "gcc -O2 -fsingle-precision-constant" \
        gcc-bare-contracted "$bare" "gcc -O2 -ffp-contract=fast" \
        gcc-bare-regrouped "$bare" "gcc -O3 -ffp-contract=off $regroup" \
        gcc-bare-reciprocal "$bare" "gcc -O2 -ffp-contract=off -freciprocal-math" \
        gcc-bare-finite "$bare" "gcc -O2 -ffp-contract=off -ffinite-math-only" \
        gcc-bare-unsigned-zero "$bare" "gcc -O2 -ffp-contract=off -fno-signed-zeros" \
        gcc-bare-fast "$bare" "gcc -O3 -ffast-math" \
        clang-contracted lib "clang -O2 -ffp-contract=fast" \
        clang-regrouped lib "clang -O3 $regroup" \
        clang-reciprocal lib "clang -O2 -freciprocal-math -mrecip" \
        clang-finite "$bare" "clang -O2 -ffinite-math-only" \
        clang-no-nans lib "clang -O2 -fno-honor-nans" \
        clang-unsigned-zero lib "clang -O2 -fno-signed-zeros" \
        clang-estimates lib "clang -O3 -fapprox-func -mrecip -fno-math-errno" \
        clang-bare-fast "$bare" "clang -O3 -ffast-math"
}

# Everything as it should be, once.
program=(lib/*.c examples/notebook7/layers/*.c)
for file in "${program[@]}" test/matrix.c; do
    # shellcheck disable=SC2086
    gcc -O1 -ffp-contract=off $options -Ilib -c "$file" -o "$base/$(basename "$file" .c).o" || exit
done

try() { # NAME FILE FOLDER COMPILER: prints what came out
    local folder=$out/$1 file=$2 said
    [[ $file != lib/* ]] || file=$3/${file#lib/}
    mkdir -p "$folder"
    # shellcheck disable=SC2086
    said=$({ $4 $march $options "-I$3" -c "$file" -o "$folder/one.o" &&
        gcc $(find "$base" -name '*.o' ! -name "$(basename "$file" .c).o") "$folder/one.o" -o "$folder/program" && "$folder/program"; } 2>&1)
    rm -rf "$folder"
    if [ "$said" = "$expected" ]; then
        echo same
    elif grep -qE "error: .*$refusal" <<<"$said"; then
        echo "does not compile"
    elif [[ $said =~ ^(AF_ERR_[A-Z_]+):\ [^$'\n']*$ ]]; then
        echo "${BASH_REMATCH[1]}"
    else
        printf 'WRONG %s\n' "$said"
    fi
}

while IFS=$'\t' read -r kind folder compiler; do
    for file in "${program[@]}"; do
        name=$(basename "$file" .c)
        name=${name#af_}-$kind
        wanted "$name" || continue
        result=$(try "$name" "$file" "$folder" "$compiler")
        if [[ $result == WRONG* ]]; then
            fail "$name" "other numbers, or it does not build: $(head -n 3 <<<"${result#WRONG }" | tr '\n' ' ')"
        else
            ok "$name: $result"
        fi
    done
done < <(kinds)

finish
