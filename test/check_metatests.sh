#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Can the tests fail? Plants one mistake at a time into a copy of lib/, each a change of a line, and runs the one test that
# has to notice it. The test has to pass on the unchanged copy and to fail on the changed one: not to hang, and the program
# not to die before it.
#
#   LONG=1 test/check_metatests.sh      all of them; without LONG, each day others
#   test/check_metatests.sh NAME        needs gcc, Criterion
# promise: planted-mistakes-noticed
set -u
cd "$(dirname "$0")/.." || exit
. test/check_common.sh
. test/options.sh

one_in=4
sample=(sum-in-reverse mask-one-key-late page-crc-skipped tile-starts-from-another-row)

work=$out/metatests
rm -rf "$work"
mkdir -p "$work"
options="-std=gnu99 -O1 -ffp-contract=off -fno-math-errno -Itest -Iport"

# Programs: test/SOURCE.c with the options of a configuration.
declare -A source=([ops]=test_ops [gradients]=test_gradients [train]=test_train [map]=test_map [seal]=test_seal
    [checkpoint]=test_checkpoint [streams]=test_streams [kernels]=test_kernels [order]=order [exact]=test_exact)
declare -A flags=([ops]="" [gradients]="$small -DAF_REAL=double"
    [train]="$small -DN_STEPS=300 -DSTEP_BATCH=16 -DGOLDEN_HASH=0x2c488c0aU" [map]="$small" [seal]="$tiny"
    [checkpoint]="$tiny" [streams]="" [order]="" [exact]="-DN_CASES=500 -DAF_DIM=32 -DAF_CONTEXT=12"
    [kernels]="-Iport/host -DAF_CONFIG_HEADER=\"af_host.h\" -DAF_DIM=20 -DAF_HEADS=4 -DAF_FF=37")

# Compiles files of a copy of lib/ into a folder. Tiles are compiled three times, for the names of all levels; here all of
# them are the baseline.
compile() { # PROGRAM LIBRARY FOLDER FILE.c...
    local program=$1 library=$2 folder=$3 file level
    shift 3
    for file in "$@"; do
        # shellcheck disable=SC2086
        gcc $options ${flags[$program]} -I"$library" -c "$file" -o "$folder/$(basename "$file" .c).o" || return
        case $program-$file in kernels-*/af_tile.c)
            for level in v3 v4; do
                # shellcheck disable=SC2086
                gcc $options ${flags[$program]} -I"$library" -DAF_TILE_TABLE=af_kernels_tile_$level \
                    -DAF_TILE_NAME="\"tile $level\"" -c "$file" -o "$folder/tile_$level.o" || return
            done
            ;;
        esac
    done
}

compile_all() { # PROGRAM LIBRARY FOLDER
    local port=()
    [ "$1" != kernels ] || port=(port/host/workers.c)
    [ "$1" != order ] || port=(port/host/port.c)
    mkdir -p "$3"
    compile "$1" "$2" "$3" "$2"/*.c "test/${source[$1]}.c" "${port[@]}"
}

link_and_run() { # PROGRAM FOLDER TEST: prints how many tests ran; returns 0 if they passed, 1 if not, others: it did not run
    local said status
    gcc "$2"/*.o -lcriterion -lm -lpthread -o "$2/program" || return 2
    if [ "$1" = order ]; then
        said=$("$2/program")
        status=$?
        [ $status -le 1 ] || return $status
        grep -cE "^(ok|FAIL) $3:" <<<"$said"
        grep -q "^ok $3:" <<<"$said"
        return
    fi
    said=$("$2/program" --filter "$3" -j1 2>&1)
    status=$?
    sed -n 's/.*Synthesis: Tested: \([0-9]*\).*/\1/p' <<<"$said"
    return $status
}

# The unchanged copy of a program, once; and one of its tests on it, once.
declare -A prepared=()
passes_unchanged() { # PROGRAM TEST
    local n
    if [ -z "${prepared[$1]:-}" ]; then
        compile_all "$1" lib "$work/$1" || return
        prepared[$1]=yes
    fi
    [ -z "${prepared[$1 $2]:-}" ] || return 0
    n=$(link_and_run "$1" "$work/$1" "$2") && [ "$n" = 1 ] && prepared[$1 $2]=yes
}

fault() { # NAME PROGRAM TEST FILE OLD NEW
    wanted "$1" || return 0
    local name=$1 program=$2 test=$3 file=$4 old=$5 new=$6 text folder=$work/$1 n status
    text=$(cat "lib/$file")
    if [[ $text != *"$old"* ]]; then
        fail "$name" "lib/$file no longer has the line that is to be changed: $old"
        return
    fi
    if ! passes_unchanged "$program" "$test" 2>"$work/log"; then
        fail "$name" "$program/$test does not pass without the mistake"
        head -n 5 "$work/log" | sed 's/^/    /'
        return
    fi
    mkdir -p "$folder/lib"
    cp lib/* "$folder/lib"
    printf '%s\n' "${text/"$old"/"$new"}" >"$folder/lib/$file"
    case $file in
    *.c)
        cp -r "$work/$program" "$folder/o"
        compile "$program" "$folder/lib" "$folder/o" "$folder/lib/$file" 2>"$work/log"
        ;;
    *) compile_all "$program" "$folder/lib" "$folder/o" 2>"$work/log" ;;
    esac || {
        fail "$name" "the changed copy does not compile"
        head -n 5 "$work/log" | sed 's/^/    /'
        return
    }
    n=$(timeout -k 5 60 bash -c "$(declare -f link_and_run); link_and_run $program '$folder/o' '$test'" 2>"$work/log")
    status=$?
    if [ "$status" -ne 1 ] || [ "$n" != 1 ]; then
        fail "$name" "$program/$test does not notice it (status $status, ${n:-no} tests)"
    else
        ok "$name"
    fi
    rm -rf "$folder"
}

# The same for a check of a script: it is run in a copy of everything that it reads.
script_fault() { # NAME SCRIPT CHECK FILE OLD NEW
    wanted "$1" || return 0
    local name=$1 script=$2 check=$3 file=$4 old=$5 new=$6 text folder=$work/$1
    text=$(cat "$file")
    if [[ $text != *"$old"* ]]; then
        fail "$name" "$file no longer has the line that is to be changed: $old"
        return
    fi
    mkdir -p "$folder"
    cp -r lib port examples Makefile "$folder"
    mkdir "$folder/test"
    cp test/*.sh test/*.c test/*.h "$folder/test"
    if ! (cd "$folder" && BUILD=one "test/$script" "$check") >"$work/log" 2>&1; then
        fail "$name" "$script $check does not pass without the mistake"
        grep -v '^ok ' "$work/log" | head -n 5 | sed 's/^/    /'
        return
    fi
    printf '%s\n' "${text/"$old"/"$new"}" >"$folder/$file"
    (cd "$folder" && BUILD=two "test/$script" "$check") >"$work/log" 2>&1
    if grep -q '^FAIL ' "$work/log"; then
        ok "$name"
    else
        fail "$name" "$script $check does not notice it"
    fi
    rm -rf "$folder"
}

# ------------------------------------------------------------------------------------------------------- mistakes

fault sum-ends-early ops linear/pytorch af_linear.c \
    'sum += x[r * n_in + k] * w[o * n_in + k];' 'sum += k + 1 < n_in ? x[r * n_in + k] * w[o * n_in + k] : 0;'
fault sum-in-reverse ops linear/sums_run_in_index_order af_linear.c \
    'x[r * n_in + k] * w[o * n_in + k]' 'x[r * n_in + n_in - 1 - k] * w[o * n_in + n_in - 1 - k]'
fault gain-and-bias-swapped ops layernorm/pytorch af_layernorm.c '* s * g[i] + b[i]' '* s * b[i] + g[i]'
fault score-not-scaled ops attention/pytorch af_ops.h 'AF_SCALED ? af_sqrt(AF_R(AF_HEAD_DIM))' 'AF_SCALED ? AF_R(AF_HEAD_DIM)'
fault mask-missing ops attention/later_keys_are_not_looked_at af_ops.h 'AF_CAUSAL ? position + 1' 'AF_CAUSAL ? n_keys'
fault mask-one-key-late ops attention/later_keys_are_not_looked_at af_ops.h \
    'AF_CAUSAL ? position + 1' 'AF_CAUSAL ? position + (position + 1 < n_keys ? 2 : 1)'
fault softmax-without-its-maximum ops softmax/far_away af_softmax.c 'af_exp(x[j] - max)' 'af_exp(x[j])'
fault tie-to-the-last ops argmax/ties_take_the_lowest_index af_softmax.c 'x[j] > x[best]' 'x[j] >= x[best]'
fault target-not-subtracted ops cross_entropy/pytorch af_cross_entropy.c '/ sum - onehot)' '/ sum + onehot)'
fault position-gradient-missing ops embedding/pytorch af_embedding.c \
    'd_pos[position[r] * (size_t)AF_DIM + i] += ' '(void)position; d_pos[0] += 0 * '
fault decay-after-the-step ops adamw/pytorch af_elementwise.h \
    'p[i] = p[i] * keep - step * (m[i] / (af_sqrt(v[i]) / root + AF_R(AF_ADAMW_EPS)));' \
    'p[i] = (p[i] - step * (m[i] / (af_sqrt(v[i]) / root + AF_R(AF_ADAMW_EPS)))) * keep;'
fault bias-correction-missing ops adamw/first_step_is_the_rate af_elementwise.h 'how.learning_rate / c1' 'how.learning_rate'
fault bias-correction-of-the-other-moment train train/any_slicing_gives_the_same_bits af_train.c \
    'p->correction1 * AF_R(AF_ADAMW_BETA1) + AF_R(AF_ADAMW_BETA1_REST)' \
    'p->correction1 * AF_R(AF_ADAMW_BETA1) + AF_R(AF_ADAMW_BETA2_REST)'
fault bias-gradient-missing gradients gradients/central_differences af_linear.c 'd_b[o] += d;' 'd_b[o] += 0 * d;'
fault value-gradient-missing gradients gradients/central_differences af_attention.c \
    '+= weight * d_out[m];' '+= 0 * weight * d_out[m];'
fault residual-gradient-missing gradients gradients/central_differences af_layernorm.c \
    'd_x[r * AF_DIM + i] += rstd[r]' 'd_x[r * AF_DIM + i] = rstd[r]'
fault gelu-slope-without-pdf gradients gradients/central_differences af_elementwise.h 'return cdf + x * pdf;' '(void)pdf; return cdf;'
fault product-fused-with-sum train selftest/this_machine_passes af_math.h \
    'q = q * r + AF_R(0.0416664854);' 'q = __builtin_fmaf(q, r, AF_R(0.0416664854));'
fault cache-is-stale train decode/the_cache_gives_the_bits_of_the_whole_sequence af_decode.c \
    'linear(g, d->block[b].kv[g->position], d->norm[0]' 'linear(g, d->block[b].kv[0], d->norm[0]'
fault token-limit-off-by-one train train/bad_sequences_are_refused_and_change_nothing af_pass.c \
    'sequence->token[i] >= AF_VOCAB' 'sequence->token[i] > AF_VOCAB'
fault loss-not-looked-at train train/a_loss_that_is_not_finite_stops_before_the_update af_train.c \
    'if (!af_finite(&p->loss_sum, 1))' 'if (false)'
fault order-of-calls-not-looked-at train train/calls_out_of_order_are_refused_and_change_nothing af_train.c \
    'if (p->phase != AF_TRAIN_OPEN) {' 'if (false) {'
fault abandoned-gradients-stay train train/an_abandoned_step_leaves_no_trace af_train.c \
    'af_run(runner, clear_slice, model->grad, N_SLICES);' '(void)runner;'
fault status-renumbered train status/values_do_not_change af_status.h 'ROW(AF_ERR_TOKEN, -2,' 'ROW(AF_ERR_TOKEN, -102,'
fault live-tensors-overlap map map/tensors_live_in_a_common_phase_share_no_byte af_tensors.def \
    '(AF_CHUNK_ROWS, AF_FF), AF_LIVE_BACKWARD_FF, "gradient' '(AF_CHUNK_ROWS, AF_FF), AF_LIVE_BACKWARD, "gradient'
fault page-crc-skipped checkpoint checkpoint/a_byte_changed_anywhere_is_noticed af_checkpoint.c \
    'get32(&page[AFI_AT_NUMBER]) == number && get32(&page[AFI_AT_CRC]) == af_crc32c(crc, page, AFI_AT_CRC)' \
    'get32(&page[AFI_AT_NUMBER]) == number + 0 * crc'
fault commit-not-looked-at checkpoint checkpoint/an_image_cut_at_any_length_is_refused af_checkpoint.c \
    'if (is_good && get(&page[AFI_AT_COMMIT_SEQUENCE], 8) == slot->sequence)' 'if (is_good || is_last)'
fault oldest-slot-wins checkpoint checkpoint/slots_take_turns_and_the_newest_wins af_checkpoint.c \
    'slot[1].sequence > slot[0].sequence' 'slot[1].sequence < slot[0].sequence'
fault seal-not-compared seal seal/one_to_three_flipped_bits_are_always_noticed af_seal.c \
    'seal->crc_so_far == seal->crc' 'seal->crc_so_far == seal->crc || true'
fault stream-of-another-multiplier streams numpy/words af_numpy.c '2360ED051FC65DA4' '2360ED051FC65DA5'
fault softmax-with-two-accumulators order plain/softmax af_softmax.c \
    'sum += p[j];' 'sum += (j & 1) != 0 ? 0 : p[j] + (j + 1 < n ? af_exp(x[j + 1] - max) : 0);'
fault squares-in-reverse order plain/norm-sum-of-squares af_layernorm.c \
    'squares += (row[i] - m) * (row[i] - m);' 'squares += (row[AF_DIM - 1 - i] - m) * (row[AF_DIM - 1 - i] - m);'
fault key-of-another-component exact exact/attention_forward af_attention.c \
    'dot += query[m] * key[m];' 'dot += query[m] * key[m & ~(size_t)8];'
fault tile-starts-from-another-row kernels kernels/linear_backward_x af_tile.c \
    'start_of(p, r + i, j)[k]' 'start_of(p, i, j)[k]'
fault alignment-not-looked-at train train/regions_that_are_not_aligned_are_refused_and_change_nothing af_regions.c \
    'return wrong_bits == 0 ?' 'return true || wrong_bits == 0 ?'
script_fault setting-in-no-name check_settings.sh AF_WORKERS-gcc lib/af_names.h '##_##w##_##p' '##_##p'
script_fault name-forgotten check_settings.sh names-lists lib/af_names.def 'AF_NAME(seal, af_verify)' ''

finish
