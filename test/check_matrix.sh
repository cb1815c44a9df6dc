#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# One hash from every build: test/matrix.c, built by many compilers with many options, has to print the committed hash
# of a small configuration after 30 steps; where processor or code differ most, that of the default configuration after
# a step as well. The options that change arithmetic must end in the same hash, in a refused build, or in a failed
# self-test: never in other numbers.
#
#   LONG=1 test/check_matrix.sh      every build
#   test/check_matrix.sh             a sample, each day another, and of it the default configuration on one compiler alone
#   test/check_matrix.sh NAME        needs gcc, clang, clang-19, tcc, cross compilers, qemu-user: test/install.sh
# promise: same-bits, matrix-one-hash, hazards-never-other-numbers
set -u
cd "$(dirname "$0")/.." || exit
. test/check_common.sh
. test/options.sh

# Two compilers, both byte orders, 32 bits, and of what may change numbers what is refused and what the self-test finds; by
# turns other compilers and processors.
sample=(clang-O1-gnu99 gcc-O3-native gcc-32-bit s390x-O0 gcc-ffast-math clang-regroup)
by_turns "clang-19-O3-c11 aarch64-O2 tcc" "clang-lto powerpc64-clang gcc-x87" "riscv64 armhf clang-altivec"

small_hash=acdc3d5c
default_hash=eb003efc
options="-w -DAF_MAP=0 -Ilib -Iexamples/notebook7"
sources="$(find lib examples/notebook7/layers -name '*.c' ! -name af_checkpoint.c | LC_ALL=C sort | tr '\n' ' ')test/matrix.c"
refusal='arenaformer (must not be compiled with|needs FLT_EVAL_METHOD 0)|error: .*arenaformer_must_not_be_compiled_with'

# ------------------------------------------------------------------------------------------------------- one build

# One line of the list: NAME, what may come out, configurations, the command that runs a program, and the compiler with
# options, with tabs between them.
# Leaves "ok ..." or why not in NAME.result. The options meet the compilation alone: linked with them, start-up code of
# the compiler may change the processor's mode, and then that is what the self-test sees.
build() { # LINE
    local name may configurations runner compiler configuration expected folder command said result=
    IFS=$'\t' read -r name may configurations runner compiler <<<"$1"
    [ -n "$long$only" ] || [ "$name" = gcc-O3-native ] || configurations=small
    for configuration in $configurations; do
        expected=$default_hash
        set --
        if [ $configuration = small ]; then
            expected=$small_hash
            # shellcheck disable=SC2086
            set -- $small
        fi
        folder=$out/matrix/$name-$configuration
        rm -rf "$folder"
        mkdir -p "$folder"
        command="$compiler $options $* $sources -o $folder/program"
        # shellcheck disable=SC2086
        if said=$(compile "$folder" "$compiler" "$@" 2>&1); then
            said=$($runner "$folder/program" 2>&1)
        fi
        if [ "$said" = "$expected" ]; then
            result+=" $expected"
        elif [ "$may" != same ] && grep -qE "error: .*$refusal" <<<"$said"; then
            result+=" refused"
        elif [ "$may" != same ] && [[ $said =~ ^(AF_ERR_[A-Z_]+):\ [^$'\n']*$ ]]; then
            result+=" ${BASH_REMATCH[1]}"
        else
            printf 'FAIL: %s\n%s\n' "$command && $runner $folder/program" "$said" >"$out/matrix/$name.result"
            return
        fi
        rm -rf "$folder"
    done
    echo "ok:$result" >"$out/matrix/$name.result"
}

compile() { # FOLDER COMPILER CONFIGURATION...
    local folder=$1 compiler=$2 file link
    shift 2
    case $compiler in
    *-flto* | *-fsanitize* | tcc*) # one command: what is linked depends on the options
        # shellcheck disable=SC2086
        $compiler $options "$@" $sources -o "$folder/program"
        return
        ;;
    esac
    for file in $sources; do
        # shellcheck disable=SC2086
        $compiler $options "$@" -c "$file" -o "$folder/${file##*/}.o" || return
    done
    link=$(grep -oE '^[^ ]+|--target=[^ ]+|-m32|-static' <<<"$compiler" | tr '\n' ' ')
    # shellcheck disable=SC2086
    $link "$folder"/*.o -o "$folder/program"
}

# ------------------------------------------------------------------------------------------------------- the list

same() { # NAME COMPILER...
    ! wanted "$1" || printf '%s\tsame\tsmall\tcommand\t%s\n' "$1" "${*:2}"
}

both() { # NAME COMPILER...: in both configurations, with tiles
    ! wanted "$1" || printf '%s\tsame\tsmall default\tcommand\t%s -DAF_PACKED=1\n' "$1" "${*:2}"
}

hazard() { # NAME COMPILER...
    ! wanted "$1" || printf '%s\thazard\tsmall\tcommand\t%s -DAF_PACKED=1\n' "$1" "${*:2}"
}

elsewhere() { # NAME RUNNER COMPILER...: on another processor
    ! wanted "$1" || printf '%s\tsame\tsmall default\t%s\t%s -DAF_PACKED=1\n' "$1" "$2" "${*:3}"
}

levels="v3"
! grep -m 1 '^flags' /proc/cpuinfo | grep -qw avx512vl || levels+=" v4"

host_builds() {
    local cc level march
    for cc in gcc clang clang-19; do
        for level in -O0 -O1 -O2 -O3 -Os; do
            same "$cc$level-c99" $cc -std=c99 $level -DAF_PACKED=1
            same "$cc$level-gnu99" $cc -std=gnu99 $level
            same "$cc$level-c11" $cc -std=c11 $level
        done
        for march in $(printf 'x86-64-%s ' $levels) native; do
            both "$cc-O2-$march" $cc -std=gnu99 -O2 -march=$march
            both "$cc-O3-$march" $cc -std=gnu99 -O3 -march=$march -fno-math-errno -fno-trapping-math
        done
        same "$cc-contract-off" $cc -O2 -march=native -ffp-contract=off
        same "$cc-pic" $cc -O2 -fPIE -pie
        same "$cc-wrapv" $cc -O2 -fwrapv -fno-strict-aliasing -funsigned-char
        elsewhere "$cc-32-bit" $i386 $cc -O2 -m32 -msse2 -mfpmath=sse
        same "$cc-unrolled" $cc -O2 -funroll-loops -fno-inline
        same "$cc-sanitized" $cc -O1 -fsanitize=address,undefined -fno-sanitize-recover=all
        case $cc in
        gcc) both gcc-lto gcc -O2 -flto -march=native ;;
        *) both "$cc-lto" $cc -O2 -flto=thin -march=native ;;
        esac
    done
    same clang-memory-sanitized clang -O1 -fsanitize=memory -fno-sanitize-recover=all
    same gcc-excess-precision gcc -O2 -fexcess-precision=fast -ffloat-store
    both tcc tcc
    same tcc-c11 tcc -std=c11
    same tcc-bounds tcc -b
}

other_machines() {
    local level
    for level in -O0 -O2; do
        elsewhere "aarch64$level" qemu-aarch64 aarch64-linux-gnu-gcc -static $level
        elsewhere "s390x$level" qemu-s390x s390x-linux-gnu-gcc -static $level
    done
    elsewhere armhf qemu-arm arm-linux-gnueabihf-gcc -static -O2
    elsewhere powerpc64 qemu-ppc64 powerpc64-linux-gnu-gcc -static -O2
    elsewhere mips qemu-mips mips-linux-gnu-gcc -static -O2
    elsewhere riscv64 qemu-riscv64 riscv64-linux-gnu-gcc -static -O2
    elsewhere aarch64-clang qemu-aarch64 clang --target=aarch64-linux-gnu -static -O3
    # Without optimisation: QEMU 7.2 multiplies wrongly in s390x's MDEBR, the instruction that clang takes for the product
    # of two floats as a double, and the random streams hold such products.
    elsewhere s390x-clang qemu-s390x clang --target=s390x-linux-gnu -static -O0
    elsewhere powerpc64-clang qemu-ppc64 clang --target=powerpc64-linux-gnu -mno-altivec -static -O3
    elsewhere armhf-clang qemu-arm clang --target=arm-linux-gnueabihf -static -O3
}

hazards() {
    local cc option
    for cc in gcc clang clang-19; do
        for option in ffast-math Ofast fassociative-math freciprocal-math ffinite-math-only fno-signed-zeros \
            funsafe-math-optimizations fno-rounding-math frounding-math fno-trapping-math ffp-contract=fast; do
            hazard "$cc-$option" $cc -O3 -march=native -$option
        done
        hazard "$cc-regroup" $cc -O3 -march=native -fassociative-math -fno-signed-zeros -fno-trapping-math
        hazard "$cc-estimates" $cc -O3 -march=native -freciprocal-math -mrecip
    done
    for option in fno-honor-nans fno-honor-infinities fapprox-func ffp-model=fast ffp-model=precise; do
        hazard "clang-$option" clang -O3 -march=native -$option
    done
    hazard clang-19-model-fast clang-19 -O3 -march=native -ffp-model=fast
    for option in fsingle-precision-constant fsignaling-nans fcx-limited-range fexcess-precision=fast; do
        hazard "gcc-$option" gcc -O3 -march=native -$option
    done
    for cc in gcc clang; do
        hazard "$cc-x87" $cc -O2 -m32 -mno-sse
    done
    hazard gcc-x87-64-bit gcc -O2 -mfpmath=387
    hazard gcc-x87-and-sse gcc -O2 -mfpmath=both
    hazard clang-altivec clang --target=powerpc64-linux-gnu -static -O3
}

list=$(host_builds; other_machines; hazards)
if [ -n "$list" ]; then
    mkdir -p "$out/matrix"
    rm -f "$out"/matrix/*.result
    export -f build compile
    export out long only options sources small small_hash default_hash refusal
    xargs -P "$jobs" -d '\n' -n 1 bash -c 'build "$1"' build <<<"$list"
    while IFS=$'\t' read -r name may _; do
        result=$out/matrix/$name.result
        if [[ $(head -n 1 "$result") == ok:* ]]; then
            ok "$name$([ "$may" = same ] || sed 's/^ok:/:/' "$result")"
        else
            fail "$name" "other numbers, or it does not build" "$(sed -n '1s/^FAIL: //p' "$result")"
            sed -n '2,8s/^/    /p' "$result"
        fi
    done <<<"$list"
fi

finish
