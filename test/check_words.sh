#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What the text of the sources says: what is included and named, where functions are, licences, the top level.
#
#   test/check_words.sh [NAME]      needs gcc
set -u
cd "$(dirname "$0")/.." || exit
. test/check_common.sh

lib=(lib/*.c lib/*.h lib/*.def)

words() { # PATTERN FILE...: lines of code that hold a word of the pattern
    local pattern=$1 file
    shift
    for file in "$@"; do
        code "$file" | grep -E "(^|[^A-Za-z0-9_])($pattern)([^A-Za-z0-9_]|\$)" | sed "s|^ *|$file: |"
    done
}

# promise: own-headers-only
check_includes() {
    local file line name found=
    for file in "${lib[@]}"; do
        while IFS= read -r line; do
            name=${line#*include}
            name=${name//[[:space:]]/}
            case $name in
            '<stddef.h>' | '<stdint.h>' | '<stdbool.h>' | '<float.h>' | '<limits.h>') ;;
            AF_CONFIG_HEADER | '"arenaformer_config.h"' | '"../arenaformer_config.h"') [ "$file" = lib/af_config.h ] || found+="$file: $line"$'\n' ;;
            '"'*'"')
                name=${name//\"/}
                [ -f "lib/$name" ] && [ "$name" = "$(basename "$name")" ] || found+="$file: $line"$'\n'
                ;;
            *) found+="$file: $line"$'\n' ;;
            esac
        done < <(code "$file" | grep -E '^[[:space:]]*#[[:space:]]*(include|import)')
    done
    nothing includes "lib/ may include <stddef.h> <stdint.h> <stdbool.h> <float.h> <limits.h> and its own headers" "$found"
}

# promise: no-allocation
check_poisoned_words() {
    nothing poisoned-words "lib/ names something that a board may not have" \
        "$(words 'malloc|calloc|realloc|free|alloca|[a-z]*printf|abort|exit|errno|math\.h|stdio\.h|string\.h|stdlib\.h|long double|_Complex' \
            "${lib[@]}")"
}

# `double` as a word of code: only where the documents' own random streams need it. (In comments and in the sentences of
# #error it may stand anywhere, and AF_REAL_BYTES_double of af_config.h is another word.)
check_double() {
    local file others=()
    for file in "${lib[@]}"; do
        case $file in
        lib/af_check_streams.c | lib/af_numpy.[ch] | lib/af_numpy_normal.c | lib/af_torch.[ch] | lib/af_inner_sqrt64.h) ;;
        *) others+=("$file") ;;
        esac
    done
    nothing double "only af_numpy, af_numpy_normal, af_torch, what checks them, and af_inner_sqrt64.h may use double" "$(words double "${others[@]}")"
}

# af_inner_NAME.h is inside lib/: af.h brings every other header and, of these, what af_names.h is made of; no program
# includes one, but for the operations of notebook 7, which answer for their compiler's options as the files of lib/ do.
# Every name of lib/ is declared in a header.
check_inner() {
    local brought
    brought=$(echo '#include "af.h"' | gcc -Ilib -DAF_PREFIX=p_ -MM -x c - | grep -oE 'af_[a-z0-9_]+\.h' | LC_ALL=C sort -u)
    nothing inner "headers that are public and should not be, or the other way round" "$({
        grep '^af_inner_' <<<"$brought" | grep -vxE 'af_inner_(digits|rename)\.h' | sed 's/^/af.h brings /'
        ls lib | grep '^af_.*\.h$' | grep -vE '^af_inner_.*\.h$' | grep -vxFf <(echo "$brought") | sed 's/$/: af.h does not bring it/'
        grep -rn 'af_inner_' examples port linker test/dropin README.md lib/SECURITY.md | grep -v '^examples/notebook7/layers/inner\.h:'
        sed -nE 's/^AF_NAME\(\w+, (\w+)\)/\1/p' lib/af_names.def | grep -v '^af_liberties_' | while read -r name; do
            grep -qE "^(extern )?[a-z].*[ *]$name(\(|\[|;)" lib/*.h || echo "$name is in no header"
        done
    })"
}

# A function is in the file that its name begins with: af_seal_region() in af_seal.c. Others, file by file:
homes='arena: config_digest map model_of
check: float_check liberty_number selftest
check_model: selftest_model
check_streams: selftest_streams
crc32c: finite
kernels: pack run
map_model: map_regions
batch: sequence_check
reader: kernels_of layer_of pack_weights
seal: verify
softmax: argmax
tile: kernels_tile kernels_tile_v3 kernels_tile_v4'
check_homes() {
    nothing homes "functions in a file of another name" \
        "$(sed -nE 's/^AF_NAME\((\w+), af_(\w+)\)/\1 \2/p' lib/af_names.def | awk -v homes="$homes" '
            BEGIN {
                n = split(homes, line, "\n")
                for (i = 1; i <= n; i++) { m = split(line[i], word, " "); for (k = 2; k <= m; k++) at_home[word[1], word[k]] }
            }
            $2 != $1 && index($2, $1 "_") != 1 && $2 != "liberties_" $1 && !(($1 ":", $2) in at_home) { print "af_" $2 " in af_" $1 ".c" }')"
}

# The licence itself has no such line, the committed map is compared byte by byte, and a corpus is what a fuzzer chose.
check_spdx() {
    nothing spdx "files without an SPDX line" \
        "$(find lib port examples test linker -type f ! -path '*/__pycache__/*' ! -path lib/LICENSE ! -path test/golden/map.txt \
            ! -path 'test/fuzz/corpus/*' -exec grep -L 'SPDX-License-Identifier: MIT' {} +)"
}

check_top_level() {
    nothing top-level "the top level holds lib port examples test linker Makefile README.md, dot-files and build/" \
        "$(find . -mindepth 1 -maxdepth 1 -printf '%f\n' |
            grep -vxE 'lib|port|examples|test|linker|Makefile|README\.md|build|\..*')"
}

# The folder of a build is BUILD's: a test that names another one looks at programs of yesterday.
check_build_folder() {
    nothing build-folder "tests that name the folder of the build themselves, not \${BUILD:-build}" \
        "$(grep -nE '(^|[^$])build/[h]ost' test/*.sh)"
}

for name in includes poisoned-words double inner homes spdx top-level build-folder; do
    if wanted "$name"; then
        "check_${name//-/_}"
    fi
done

finish
