#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Coverage of lib/: every line, both outcomes of every branch, and every condition shown to decide alone (MC/DC), by the
# fast Criterion suites and some programs, over all configurations of them together. Exclusions: test/coverage.md.
#
#   BRIEF=1 test/check_coverage.sh      by the suites alone that make test runs: at least 99 % of each
#   test/check_coverage.sh      needs clang-19, llvm-19, libcriterion-dev, libmpfr-dev, python3
set -u
cd "$(dirname "$0")/.." || exit
. test/check_common.sh
. test/options.sh

out=$(realpath -m "$out/coverage")
instrument="-fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc"
compile="clang-19 -std=gnu99 -ffp-contract=off -fno-math-errno -O1 -Ilib -Itest -Iport"
builds=() # one folder for each set of options that lib/ was built with

# lib/ with options, once for each set of them: sets `folder` to where its objects are.
build_lib() { # LIBRARY-OPTIONS
    folder=$out/$(md5sum <<<"$1" | cut -c 1-8)
    [ ! -d "$folder" ] || return 0
    builds+=("$folder")
    mkdir -p "$folder/lib"
    echo "$1" >"$folder/options"
    # shellcheck disable=SC2086
    (
        compile+=" $instrument -I$PWD/lib -I$PWD/port/host -I$PWD/examples/notebook7 $1"
        lib=$PWD/lib
        cd "$folder/lib" && $compile -c "$lib"/*.c || exit
        case $1 in *af_host.h*) ;; *) exit 0 ;; esac
        for level in $levels; do
            $compile -march=x86-64-$level -DAF_TILE_TABLE=af_kernels_tile_$level -DAF_TILE_NAME="\"tile $level\"" -c "$lib/af_tile.c" -o af_tile_$level.o || exit
        done
    )
}

# The options with each function of lib/ that is wrapped by its name for the linker, which carries the configuration.
wrapped() { # FOLDER OPTIONS
    local word name long
    for word in $2; do
        name=${word#-Wl,--wrap=}
        echo "$word"
        [ "$name" != "$word" ] || continue
        long=$(nm "$1"/lib/*.o | sed -n "s/.* [WV] \(${name}_V[0-9].*\)$/\1/p")
        echo "-Wl,--wrap=$long,--defsym=__wrap_$long=__wrap_$name"
        grep -q -- "--defsym=__real_$name=" <<<"$2" || echo "-Wl,--defsym=__real_$name=$name"
    done | tr '\n' ' '
}

# A suite: builds it and runs it. What is in it passes, and it leaves its profile in the folder of its lib/.
program() { # NAME OPTIONS-AND-SOURCES [ARGUMENT...]
    local name=$1 word of_lib='' others='' folder
    for word in $2; do
        case $word in
        -O? | -g | -march=* | -fsanitize* | -fno-sanitize*) ;;
        -DAF_* | -D__* | -U* | -f* | -mfma | -include*) of_lib+=" $word" ;;
        *) others+=" $word" ;;
        esac
    done
    build_lib "$of_lib" >"$out/$name.log" 2>&1 || {
        fail "$name" "lib/ does not compile: $(grep -m 1 error "$out/$name.log")"
        return
    }
    others=$(wrapped "$folder" "$others")
    # shellcheck disable=SC2086
    if ! $compile $instrument $of_lib $others "$folder"/lib/*.o -lcriterion -lmpfr -lm -lpthread -o "$folder/$name" >"$out/$name.log" 2>&1; then
        fail "$name" "it does not compile: $(grep -m 1 error "$out/$name.log")"
    elif ! LLVM_PROFILE_FILE=$folder/%1m.profraw "$folder/$name" "${@:3}" >"$out/$name.log" 2>&1 && [ -z "${may_fail:-}" ]; then
        fail "$name" "it fails: $out/$name.log"
    fi
}

# ---- the suites of suites.sh: quick ones, of every configuration that has code of its own

chosen="train-small-gcc train-small-recompute train-tile-small kernels-gcc-narrow kernels-scalar kernels-queries
    kernels-no-mask decode-narrow decode-one-block decode-post-norm map-small map-inference map-inference-no-streams
    map-recompute-1 map-double ops ops-double layers gradients gradients-queries-no-mask gradients-queries-block
    gradients-no-mask-block gradients-post-norm-block gradients-post-no-residual notebook7 streams streams-double normals
    normals-double checkpoint-tiny-gcc checkpoint-tiny-double seal-small"

# ---- what the self-test is for: wrong modes, options of the compiler, kernels with a mistake

hazards="$small -Iexamples/common -Iexamples/firmware test/hazards.c examples/firmware/firmware.c examples/firmware/model.c
    examples/common/decimal.c port/host/port.c port/host/workers.c $n7_layers"
hazard() { # NAME STATUS OPTIONS
    may_fail=true program "$1" "$hazards $3"
    grep -aqx "self-test: $2" "$out/$1.log" || fail "$1" "the self-test does not say $2: $out/$1.log"
}

rm -rf "$out"
mkdir -p "$out"
suites=$(list_suites)
for name in $chosen; do
    words=$(awk -F '\t' -v name="$name" '$1 == name && $3 == "program" { print $4 }' <<<"$suites")
    if [ -n "${BRIEF:-}" ] && grep -q "^$name"$'\tlong' <<<"$suites"; then
        continue
    elif [ -n "$words" ]; then
        program "$name" "$words" -j1
    else
        fail "$name" "test/suites.sh has no such suite"
    fi
done
# Of long ones, what only the sizes of the default model and the variants that keep no cache have.
program train-default test/test_train.c -j1 --filter 'train/calls_out_of_order*'
program train-default-modes test/test_train.c -j1 --filter 'mode/a_workers*'
program train-post-norm-modes "$small -DAF_POST_NORM=1 test/test_train.c" -j1 --filter 'mode/*'
program train-recompute-modes "-DAF_RECOMPUTE=1 test/test_train.c" -j1 --filter 'mode/a_workers*'
program selftest-tiny "$tiny -DAF_PACKED=1 test/test_train.c" -j1 --filter 'selftest/*'
program selftest-least "-DAF_VOCAB=3 -DAF_CONTEXT=1 -DAF_DIM=16 -DAF_HEADS=1 -DAF_FF=1 -DAF_BLOCKS=1 test/test_train.c" -j1 --filter 'selftest/*'
program selftest-queries "$small -DAF_SOFTMAX_QUERIES=1 test/test_train.c" -j1 --filter 'selftest/*'
program variant-decoding '-DAF_CAUSAL=0 -DDEFAULT_DIGEST=0 -DGOLDEN_HASH=0 test/test_variants.c' -j1 --filter 'variants/decoding*'
program math-float "-Iexamples/notebook7 test/exhaustive_math.c" all 20011
program math-double "-DAF_REAL=double -Iexamples/notebook7 test/mpfr_math.c" 3000
program power-cuts "$tiny test/power_cuts.c" runs 20
# Inference alone, and what says that a model is not the chapter's.
cat >"$out/infer.c" <<'C'
#include "af.h"
int main(void) {
    static struct af_model model;
    static const af_token prompt[2] = {0};
    struct af_decode *decode = 0;
    af_token out[2];
    model = af_model_of(&af_arena);
    const struct af_reader reader = {&model.weight->at, 0, 0, 0};
    return af_selftest() != AF_OK || af_selftest_model(&model) != AF_OK || af_decode_open(&model, &decode) != AF_OK ||
           af_decode_greedy(out, decode, &reader, prompt, 2, 2) != AF_OK ||
           af_decode_push(decode, &reader, 0) != AF_OK || af_config_digest() == 0;
}
C
program inference "-DAF_TRAINING=0 $out/infer.c"
program inference-no-streams "-DAF_TRAINING=0 -DAF_STREAMS=0 $out/infer.c"
program changed-model "-DAF_POST_NORM=1 $out/infer.c"
hazard modes AF_OK ""
hazard contracted AF_ERR_CONTRACTED "-mfma -ffp-contract=fast"
hazard regrouped AF_ERR_FAST_MATH "-fassociative-math -fno-signed-zeros -fno-trapping-math -U__ASSOCIATIVE_MATH__ -U__NO_SIGNED_ZEROS__"
hazard reciprocal AF_ERR_FAST_MATH "-freciprocal-math -U__RECIPROCAL_MATH__"
hazard unsigned-zero AF_ERR_FAST_MATH "-fno-signed-zeros -U__NO_SIGNED_ZEROS__"
hazard finite AF_ERR_FAST_MATH "-ffinite-math-only -U__FINITE_MATH_ONLY__"
cat >"$out/estimate.h" <<'C'
static inline float estimated_root(float x) {
    float root;
    __asm("rsqrtss %1, %0" : "=x"(root) : "x"(x));
    return x > 0 ? x * (root * (1.5f - 0.5f * x * root * root)) : 0;
}
C
hazard estimated-root AF_ERR_SQUARE_ROOT "-include$out/estimate.h -D__builtin_sqrtf=estimated_root"
cat >"$out/backwards.c" <<'C'
#include "af_ops.h"
void __wrap_af_linear_forward(af_real *y, const af_real *x, const af_real *w, const af_real *b, size_t n, size_t n_in, size_t n_out);
void __wrap_af_linear_forward(af_real *y, const af_real *x, const af_real *w, const af_real *b, size_t n, size_t n_in, size_t n_out) {
    for (size_t i = 0; i < n * n_out; i++) {
        y[i] = b[i % n_out];
        for (size_t k = n_in; k-- > 0;) {
            y[i] += x[i / n_out * n_in + k] * w[i % n_out * n_in + k];
        }
    }
}
C
hazard backwards AF_ERR_SUM_ORDER "$out/backwards.c -Wl,--wrap=af_linear_forward"
cat >"$out/last_bit.c" <<'C'
#include "af_ops.h"
void __real_af_softmax(af_real *y, const af_real *x, size_t n);
void __wrap_af_softmax(af_real *y, const af_real *x, size_t n);
void __wrap_af_softmax(af_real *y, const af_real *x, size_t n) {
    __real_af_softmax(y, x, n);
    y[0] += y[0] * 1.1920929e-7f;
}
C
hazard last-bit AF_ERR_KERNEL "$out/last_bit.c -Wl,--wrap=af_softmax"
cat >"$out/streams.c" <<'C'
#include "af_inner_liberties.h"
#include "af_numpy.h"
#include "af_torch.h"
uint32_t __real_af_torch_u32(struct af_torch *g);
uint32_t __wrap_af_torch_u32(struct af_torch *g);
uint32_t __wrap_af_torch_u32(struct af_torch *g) {
    return __real_af_torch_u32(g) ^ 1;
}
uint64_t __real_af_numpy_u64(struct af_numpy *g);
uint64_t __wrap_af_numpy_u64(struct af_numpy *g);
af_status __wrap_af_liberties_numpy(const volatile AF_REAL *v);
uint64_t __wrap_af_numpy_u64(struct af_numpy *g) {
    return __real_af_numpy_u64(g) ^ 1;
}
af_status __wrap_af_liberties_numpy(const volatile AF_REAL *v) {
    (void)v;
    return AF_ERR_CONTRACTED;
}
C
real="-Wl,--defsym=__real_af_numpy_u64=af_numpy_u64 -Wl,--defsym=__real_af_torch_u32=af_torch_u32"
hazard stream-of-numpy AF_ERR_STREAM "$out/streams.c -Wl,--wrap=af_numpy_u64 ${real#* }"
hazard stream-of-torch AF_ERR_STREAM "$out/streams.c -Wl,--wrap=af_torch_u32 ${real% *}"
hazard stream-file AF_ERR_CONTRACTED "$out/streams.c -Wl,--wrap=af_liberties_numpy $real"
cat >"$out/residual.c" <<'C'
#include "af_ops.h"
void __wrap_af_residual(af_real *y, const af_real *x, const af_index *x_row, size_t n);
void __wrap_af_residual(af_real *y, const af_real *x, const af_index *x_row, size_t n) {
    (void)y;
    (void)x;
    (void)x_row;
    (void)n;
}
C
hazard no-residual AF_ERR_KERNEL "$out/residual.c -Wl,--wrap=af_residual"

# ---- what they reached

for folder in "${builds[@]}"; do
    llvm-profdata-19 merge "$folder"/*.profraw -o "$folder/profile" 2>>"$out/llvm.log" || { fail profile "$(cat $folder/options)"; continue; }
    mapfile -t programs < <(find "$folder" -maxdepth 1 -type f -executable | sed '2,$s/^/-object=/')
    llvm-cov-19 show -show-mcdc -show-expansions "${programs[@]}" -instr-profile="$folder/profile" "$PWD/lib" >"$folder/coverage.show" 2>>"$out/llvm.log"
    for format in text lcov; do
        llvm-cov-19 export -format=$format "${programs[@]}" -instr-profile="$folder/profile" "$PWD/lib" >"$folder/coverage.${format/text/json}" 2>>"$out/llvm.log"
    done
done
python3 test/coverage.py ${BRIEF:+--brief} test/coverage.md "${builds[@]}" && [ "$n_failed" -eq 0 ]
