#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What can be seen without running anything: words, warnings, symbols, offsets.
#
#   LONG=1 test/check_source.sh      everything
#   test/check_source.sh             a sample of the compilations
#   test/check_source.sh NAME        needs gcc, g++, clang, arm-none-eabi-gcc, make
set -u
cd "$(dirname "$0")/.." || exit
. test/check_common.sh
. test/options.sh

sample=('[!wa]*' arena-section warnings-gcc-O2-double warnings-clang-Os-float warnings-gcc-nothing-extra)

lib=(lib/*.c lib/*.h lib/*.def)
m4f="arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16"
m3="arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -mfloat-abi=soft"

# ------------------------------------------------------------------------------------------------------------- words

# A file's code: without comments, but with its directives. Line numbers stay.
code() { # FILE
    gcc -fpreprocessed -dD -E -x c "$1" 2>/dev/null | grep -vE '^# [0-9]|^[[:space:]]*#[[:space:]]*error'
}

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

# ---------------------------------------------------------------------------------------------------------- warnings

# One line of the list: NAME, tab, compiler with options. All of lib/ is compiled with it, to nothing or into a folder.
compile() { # LINE
    local name=${1%%$'\t'*} command=${1#*$'\t'} file to=/dev/null failed=
    local log=$out/$name.log
    : >"$log"
    for file in lib/*.c; do
        case $name in symbols-*)
            mkdir -p "$out/$name"
            to=$out/$name/$(basename "$file" .c).o
            ;;
        esac
        # shellcheck disable=SC2086
        if ! $command -c "$file" -o "$to" >"$log.one" 2>&1 || [ -s "$log.one" ]; then
            [ -n "$failed" ] || failed="$command -c $file -o /dev/null"
            cat "$log.one" >>"$log"
        fi
    done
    rm -f "$log.one"
    echo "$failed" >"$out/$name.failed"
}

list() { # NAME COMMAND...
    if wanted "$1"; then
        printf '%s\t%s\n' "$1" "${*:2}"
    fi
}

# C has these, C++ does not.
house_cxx=${house/-std=c99/-x c++ -std=c++11}
house_cxx=${house_cxx//-Wstrict-prototypes/}
house_cxx=${house_cxx//-Wmissing-prototypes/}
free="-ffreestanding -Ilib"

every_compilation() {
    local cc level real
    for cc in gcc clang; do
        for level in -O0 -O2 -O3 -Os; do
            for real in float double; do
                list "warnings-$cc$level-$real" $cc $house $free $level -DAF_REAL=$real
            done
        done
        list "warnings-$cc-no-training" $cc $house $free -O2 -DAF_TRAINING=0
        list "warnings-$cc-no-map" $cc $house $free -O2 -DAF_MAP=0
        list "warnings-$cc-no-streams" $cc $house $free -O2 -DAF_STREAMS=0
        list "warnings-$cc-nothing-extra" $cc $house $free -O2 -DAF_TRAINING=0 -DAF_MAP=0 -DAF_STREAMS=0
        list "warnings-$cc-small" $cc $house $free -O2 $small
        list "warnings-$cc-one-block" $cc $house $free -O2 -DAF_BLOCKS=1
        list "warnings-$cc-micro-batch-1" $cc $house $free -O2 -DAF_MICRO_BATCH=1
        list "warnings-$cc-micro-batch-64" $cc $house $free -O2 -DAF_MICRO_BATCH=64
        list "warnings-$cc-vocab-300" $cc $house $free -O2 -DAF_VOCAB=300
        # Objects whose symbols are looked at below; not position-independent, so that constant tables stay constant.
        list "symbols-$cc" $cc $house $free -O2 -fno-pie
    done
    list "warnings-clang-32-bit" clang $house $free -O2 -m32 -msse2 -mfpmath=sse
    # without aliases, behind which the analyser of gcc 12 loses track
    list "analyzer-gcc" gcc $house $free -U__ELF__ -O2 -fanalyzer
    list "analyzer-gcc-no-training" gcc $house $free -U__ELF__ -O2 -fanalyzer -DAF_TRAINING=0
    for level in -O2 -Os; do
        list "symbols-cortex-m4f$level" $m4f $house $free $level
        list "symbols-cortex-m3$level" $m3 $house $free $level
    done
}

# ----------------------------------------------------------------------------------------------------------- symbols

memory='mem(cpy|set|move|cmp)'
float_helpers='__aeabi_(fadd|fsub|frsub|fmul|fdiv|fcmp(eq|lt|le|ge|gt|un)|i2f|ui2f|f2iz|f2uiz)'
double_helpers='__aeabi_(dadd|dsub|drsub|dmul|ddiv|dcmp(eq|lt|le|ge|gt|un)|f2d|d2f|i2d|ui2d|l2d|ul2d|d2iz|d2uiz)'

# What an object may refer to: functions of lib/ that another object defines, the four memory functions, and helpers.
# promise: few-symbols, no-allocation
undefined_symbols() { # FOLDER TARGET
    local object allowed nm=nm
    case $2 in *cortex*) nm=arm-none-eabi-nm ;; esac
    $nm --defined-only "$1"/*.o | awk 'NF == 3 { print $3 }' | sort -u >"$1/defined"
    grep -q af_forward "$1/defined" || echo "$nm shows no symbols"
    for object in "$1"/*.o; do
        allowed=$memory
        case $2 in *cortex-m3*) allowed+="|$float_helpers" ;; esac
        case $2-$(basename "$object" .o) in *cortex*-af_numpy | *cortex*-af_numpy_normal | *cortex*-af_torch) allowed+="|$double_helpers" ;; esac
        $nm -u "$object" | awk '{ print $2 }' | grep -vxE "$allowed" | grep -vxFf <(grep '^af_' "$1/defined") |
            sed "s|^|$(basename "$object"): |"
    done
}

# promise: no-static-storage
# promise: no-pointer-kept
static_storage() { # FOLDER
    local object nm=nm
    case $1 in *cortex*) nm=arm-none-eabi-nm ;; esac
    for object in "$1"/*.o; do # names such as $d are the assembler's marks
        $nm "$object" | awk '$(NF - 1) ~ /^[bBdDCcgGsSuvV]$/ && $NF !~ /^[$]/ { print $NF }' | sed "s|^|$(basename "$object"): |"
    done | grep -vE ': af_[a-z0-9_]+_V[0-9]+_T[0-9]+_' | grep -vxF 'af_arena.o: af_arena' # and the aliases of af_names.h
}

compilations=$(every_compilation)
if [ -n "$compilations" ]; then
    export -f compile
    export out
    xargs -P "$jobs" -d '\n' -n 1 bash -c 'compile "$1"' compile <<<"$compilations"
    while IFS=$'\t' read -r name _; do
        failed=$(cat "$out/$name.failed")
        if [ -n "$failed" ]; then
            fail "$name" "lib/ does not compile without a warning" "$failed"
            grep -E 'warning|error' "$out/$name.log" | head -n 12 | sed 's/^/    /'
            continue
        fi
        case $name in
        symbols-*)
            nothing "$name" "undefined symbols that are not on the list" "$(undefined_symbols "$out/$name" "$name")"
            nothing "$name-static" "mutable static storage other than af_arena" "$(static_storage "$out/$name")" \
                "$0 $name"
            ;;
        *) ok "$name" ;;
        esac
    done <<<"$compilations"
fi

# The headers, each alone, are C++ too, and without a cast of C. (Macros are looked at as text: they warn where they are used.)
for cc in g++ clang++; do
    name=headers-$cc
    wanted $name || continue
    cxx="$cc $house_cxx $free -Wold-style-cast -fsyntax-only -DAF_PACKED=1"
    nothing $name "a header does not compile as C++ without a warning" "$({
        for header in lib/*.h; do
            case $header in lib/af_inner_digits.h | lib/af_inner_rename.h | lib/af_inner_export.h) continue ;; esac # parts of others
            $cxx -include "$header" -x c++ /dev/null
        done
        $cxx -DAF_REAL=double -include af.h -x c++ /dev/null
        ${cxx/c++11/c++17} -include af.h -x c++ /dev/null
    } 2>&1 | grep -E 'warning|error')"
done
if wanted headers-casts; then
    nothing headers-casts "casts of C in headers: AF_CAST" \
        "$(for header in lib/*.h; do code "$header" | sed "s|^|$header: |"; done | grep -v 'define AF_CAST' |
            grep -E '\(\(?(struct [a-z_]+|in|af_[a-z]+|u?int[0-9]+_t|size_t|unsigned|int|float|double|char)( \*)?\)[A-Za-z0-9_(&~-]')"
fi

# af.h keeps its own products and sums apart and leaves those of the file that includes it to that file's options.
for cc in gcc clang; do
    name=contraction-$cc
    if wanted $name; then
        cat >"$out/contraction.c" <<'C'
float yours(float a, float b, float c);
float yours(float a, float b, float c) { return a * b + c; }
#ifdef AF_H
af_real ours(af_real x);
af_real ours(const af_real x) { return af_exp(x); }
#endif
C
        $cc -std=gnu99 -O2 -mfma -S "$out/contraction.c" -o "$out/without.s"
        $cc -std=gnu99 -O2 -mfma -Ilib -include af.h -S "$out/contraction.c" -o "$out/with.s"
        nothing $name "not one fused instruction, that of the file, both without and with af.h" \
            "$(grep -cE '\bvfn?m' "$out/without.s" "$out/with.s" | grep -v ':1$')"
    fi
done

# `make CFLAGS="-fsanitize=address,undefined"`: what sanitizers add to an expression is warned about, too.
sanitized() { # FLAGS SOURCES: as the Makefile has them
    local file flags
    flags=$(of_make "$1" CFLAGS="-O1 -g -fsanitize=address,undefined")
    for file in $(of_make "$2"); do
        # shellcheck disable=SC2086
        gcc $flags -fsyntax-only "$file" 2>&1 | grep -E 'error|warning'
    done
}
if wanted sanitized; then
    nothing sanitized "what \`make\` builds does not compile with sanitizers" \
        "$(sanitized '$(APPFLAGS)' '$(sort $(REVERSAL) $(EXPERIMENT) $(BENCH) $(LIB_SOURCES))'; sanitized '$(N7_FLAGS)' '$(N7)')"
fi

# A linker script places the arena by the name of its section: linker/README.md.
# promise: arena-section
if wanted arena-section; then
    object=$out/arena/template/lib/af_arena.o
    make_ BUILD="$out/arena" PORT=template "$object" >"$out/arena-section.log" 2>&1
    if objdump -t "$object" 2>/dev/null | grep -q '[[:space:]]\.bss\.af_arena[[:space:]].* af_arena$'; then
        ok arena-section
    else
        fail arena-section "'make lib' does not put af_arena into the section .bss.af_arena"
    fi
fi

# ----------------------------------------------------------------------------------------------------------- offsets

# promise: compile-time-offsets
# A C file that defines, for every tensor, arrays whose sizes are its offset (plus 1), bytes, phases and axes. The
# compiler's symbol table then holds the numbers of any target, and nothing has to run on it.
sizes_source() {
    local plane block
    cat <<'C'
#include "af_arena.h"
enum {
#define AF_REGION(type, name, live, text) live_##name = live,
#include "af_tensors.def"
};
#define UNPACK(...)          __VA_ARGS__
#define AXES(s, ...)         AF_PASTE(AXES_, AF_RANK(__VA_ARGS__))(s, __VA_ARGS__)
#define AXES_1(s, a)          char s##__1[a];
#define AXES_2(s, a, b)       AXES_1(s, a) char s##__2[b];
#define AXES_3(s, a, b, c)    AXES_2(s, a, b) char s##__3[c];
#define AXES_4(s, a, b, c, d) AXES_3(s, a, b, c) char s##__4[d];
#define NUMBERS(s, path, live, shape)                                                                                  \
    char s##__offset[AF_OFFSET(path) + 1];                                                                             \
    char s##__bytes[sizeof(((struct af_arena *)0)->path)];                                                             \
    char s##__live[live];                                                                                              \
    AXES(s, UNPACK shape)
#define AF_REGION(type, name, live, text)                                                                              \
    NUMBERS(name##_gap, name##_gap, AF_LIVE_ALWAYS, (sizeof(((struct af_arena *)0)->name##_gap)))
#include "af_tensors.def"
C
    for plane in weight grad adam_m adam_v; do
        for block in 0 1; do
            row AF_WEIGHT_BLOCK "name, shape, start, torch, text" $plane.at.block[$block] live_$plane
        done
        row AF_WEIGHT_INPUT "name, shape, start, torch, text" $plane.at live_$plane
        row AF_WEIGHT_OUTPUT "name, shape, start, torch, text" $plane.at live_$plane
    done
    for block in 0 1; do
        row AF_SAVED_BLOCK "type, name, shape, live, text" "work.train.block[$block]" live
        row AF_CACHE_BLOCK "type, name, shape, live, text" "work.decode.block[$block]" live
    done
    row AF_SAVED "type, name, shape, live, text" work.train live
    row AF_BACKWARD "type, name, shape, live, text" work.train live
    row AF_SCRATCH "type, name, shape, live, text" work.train live
    row AF_BATCH "type, name, shape, live, text" work.train live
    row AF_BACKWARD_FF "type, name, shape, live, text" work.train.part.ff live
    row AF_BACKWARD_ATTENTION "type, name, shape, live, text" work.train.part.attention live
    row AF_DECODE "type, name, shape, live, text" work.decode live
    row AF_START "type, name, shape, live, text" work live
    row AF_STATE "type, name, shape, live, text" state live
}

symbol() { sed 's/[.[]/__/g; s/]//g'; } # a path of the map as a C name: weight.at.block[0].qkv_w, weight__at__block__0__qkv_w

row() { # MACRO PARAMETERS PATH LIVE
    printf '#define %s(%s) NUMBERS(%s__##name, %s.name, %s, shape)\n#include "af_tensors.def"\n' \
        "$1" "$2" "$(symbol <<<"$3")" "$3" "$4"
}

# The committed map in the same form: a line "symbol number" for each number.
committed_sizes() {
    awk '{
        name = $4; gsub(/[.[]/, "__", name); gsub(/]/, "", name)
        print name "__offset", $1 + 1; print name "__bytes", $2; print name "__live", $3
        n = split($5, axis, "x")
        for (i = 1; i <= n; i++) print name "__" i, axis[i]
    }' test/golden/map.txt | LC_ALL=C sort
}

check_offsets() { # NAME COMPILER...
    wanted "$1" || return 0
    local name=$1 object=$out/$1.o command
    shift
    command="$* -std=c99 $free -fcommon -c $out/sizes.c -o $object"
    if ! $command >"$out/$name.log" 2>&1; then
        fail "$name" "the file of sizes does not compile" "$command"
        head -n 12 "$out/$name.log" | sed 's/^/    /'
        return
    fi
    nm -S "$object" | while read -r _ size _ symbol; do
        echo "$symbol $((16#$size))"
    done | LC_ALL=C sort >"$out/$name.sizes"
    nothing "$name" "offsets, sizes, phases or shapes differ from test/golden/map.txt (<: committed, offsets plus 1)" \
        "$(diff <(committed_sizes) "$out/$name.sizes" | grep '^[<>]')"
}

sizes_source >"$out/sizes.c"
check_offsets offsets-gcc gcc
check_offsets offsets-clang clang
check_offsets offsets-clang-32-bit clang -m32 -msse2 -mfpmath=sse
check_offsets offsets-cortex-m4f $m4f
check_offsets offsets-cortex-m3 $m3
check_offsets offsets-clang-riscv32 clang --target=riscv32-none-elf
check_offsets offsets-clang-powerpc clang --target=powerpc-none-elf # big-endian

finish
