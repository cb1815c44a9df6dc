#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What compilers warn about: lib/ with every level and configuration, its headers as C++, what the Makefile builds with
# sanitizers; and that af.h changes no option of the file that includes it.
#
#   LONG=1 test/check_warnings.sh      everything
#   test/check_warnings.sh             a sample of the compilations
#   test/check_warnings.sh NAME        needs gcc, g++, clang, clang++, make
set -u
cd "$(dirname "$0")/.." || exit
. test/check_common.sh
. test/options.sh

sample=('[!wa]*' warnings-gcc-O2-double warnings-clang-Os-float warnings-gcc-nothing-extra)

# One line of the list: NAME, tab, compiler with options. All of lib/ is compiled with it, to nothing.
compile() { # LINE
    local name=${1%%$'\t'*} command=${1#*$'\t'} file failed=
    local log=$out/$name.log
    : >"$log"
    for file in lib/*.c; do
        # shellcheck disable=SC2086
        if ! $command -c "$file" -o /dev/null >"$log.one" 2>&1 || [ -s "$log.one" ]; then
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
    done
    list "warnings-clang-32-bit" clang $house $free -O2 -m32 -msse2 -mfpmath=sse
    # without aliases, behind which the analyser of gcc 12 loses track
    list "analyzer-gcc" gcc $house $free -U__ELF__ -O2 -fanalyzer
    list "analyzer-gcc-no-training" gcc $house $free -U__ELF__ -O2 -fanalyzer -DAF_TRAINING=0
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
        else
            ok "$name"
        fi
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

finish
