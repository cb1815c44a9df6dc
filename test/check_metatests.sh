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

one_in=8
sample=(sum-in-reverse page-crc-skipped tile-starts-from-another-row)

work=$out/metatests
rm -rf "$work"
mkdir -p "$work"
options="-std=gnu99 -O1 -ffp-contract=off -fno-math-errno -Itest -Iport -Iexamples/notebook7"

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
    [ "$1" != order ] || port=(port/host/port.c examples/notebook7/layers/*.c)
    [ "$1" != exact ] || port=(examples/notebook7/layers/*.c)
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
fault decay-after-the-step ops adamw/pytorch af_inner_elementwise.h \
    'p[i] = p[i] * keep - step * (m[i] / (af_sqrt(v[i]) / root + AF_R(AF_ADAMW_EPS)));' \
    'p[i] = (p[i] - step * (m[i] / (af_sqrt(v[i]) / root + AF_R(AF_ADAMW_EPS)))) * keep;'
fault bias-correction-missing ops adamw/first_step_is_the_rate af_inner_elementwise.h 'how.learning_rate / c1' 'how.learning_rate'
fault bias-correction-of-the-other-moment train train/any_slicing_gives_the_same_bits af_train.c \
    'c1 * AF_R(AF_ADAMW_BETA1) + AF_R(AF_ADAMW_BETA1_REST)' \
    'c1 * AF_R(AF_ADAMW_BETA1) + AF_R(AF_ADAMW_BETA2_REST)'
fault bias-gradient-missing gradients gradients/central_differences af_linear.c 'd_b[o] += d;' 'd_b[o] += 0 * d;'
fault value-gradient-missing gradients gradients/central_differences af_attention.c \
    '+= weight * d_out[m];' '+= 0 * weight * d_out[m];'
fault residual-gradient-missing gradients gradients/central_differences af_layernorm.c \
    'd_x[r * AF_DIM + i] += rstd[r]' 'd_x[r * AF_DIM + i] = rstd[r]'
fault gelu-slope-without-pdf gradients gradients/central_differences af_inner_elementwise.h 'return cdf + x * pdf;' '(void)pdf; return cdf;'
fault product-fused-with-sum train selftest/this_machine_passes af_math.h \
    'q = q * r + AF_R(0.0416664854);' 'q = __builtin_fmaf(q, r, AF_R(0.0416664854));'
model=selftest/a_model_passes_whatever_is_in_its_regions_and_only_its_workspace_changes
fault layer-norm-fused train $model af_layernorm.c \
    '(row[i] - m) * s * g[i] + b[i]' '__builtin_fmaf((row[i] - m) * s, g[i], b[i])'
fault attention-gradient-in-reverse train $model af_attention.c \
    'dot += att[AFI_WEIGHTS(i, h) + j] * d_att[j];' 'dot = d_att[j] * att[AFI_WEIGHTS(i, h) + j] + dot * 1.0000001f;'
fault moments-fused train $model af_inner_elementwise.h \
    'm[i] * AF_R(AF_ADAMW_BETA1) + AF_R(AF_ADAMW_BETA1_REST) * d[i]' \
    '__builtin_fmaf(m[i], AF_R(AF_ADAMW_BETA1), AF_R(AF_ADAMW_BETA1_REST) * d[i])'
fault loss-gradient-by-a-reciprocal train $model af_cross_entropy.c \
    '(d[v] / sum - onehot)' '(d[v] * (1 / sum) - onehot)'
fault embedding-gradient-lost train $model af_embedding.c \
    'd_pos[position[r] * (size_t)AF_DIM + i] +=' 'd_pos[position[r] * (size_t)AF_DIM + i] += 0 *'
fault test-of-a-model-forgets-an-output train selftest/every_number_that_a_table_writes_is_looked_at af_check_model.c \
    'found |= other(d_b[o], sum);' '(void)d_b;'
fault piece-run-twice-is-fine train selftest/a_models_mistakes_are_named af_check_model.c \
    'roll.n_done[i] == 1' 'roll.n_done[i] >= 1'
fault normals-fused train selftest/this_machine_passes af_numpy_normal.c \
    'mean + deviation * standard_normal(stream)' '__builtin_fma(deviation, standard_normal(stream), mean)'
fault initial-weights-fused train selftest/this_machine_passes af_torch.c \
    '(t + y) + (float)e * ln2_high' '__builtin_fmaf((float)e, ln2_low, t + y) + (float)e * ln2_high'
fault mode-of-workers-not-looked-at train mode/a_workers_wrong_mode_is_named_wherever_its_pieces_run af_kernels.c \
    'w->mode[worker] = mode;' '(void)worker;'
fault mode-in-decoding-not-looked-at train mode/this_threads_wrong_mode_is_named_in_every_call af_decode.c \
    'status = af_float_check();' 'status = AF_OK;'
fault mode-in-an-update-not-looked-at train mode/an_update_waits_for_the_right_mode af_train.c \
    'status = af_float_check(); // nothing has changed: it may be called again' 'status = AF_OK;'
fault cache-is-stale train decode/the_cache_gives_the_bits_of_the_whole_sequence af_decode.c \
    '.kv = d->block[g->block.number].kv[d->n_tokens[0]],' '.kv = d->block[g->block.number].kv[0],'
fault token-limit-off-by-one train train/bad_sequences_are_refused_and_change_nothing af_batch.c \
    'sequence->token[i] >= AF_VOCAB' 'sequence->token[i] > AF_VOCAB'
fault loss-not-looked-at train train/a_loss_that_is_not_finite_stops_before_the_update af_train.c \
    'mode == AF_OK && !af_finite(&p->loss_sum, 1)' 'false'
fault own-loss-counted-twice train train/a_cross_entropy_of_the_program_gives_the_same_bits af_train.c \
    'p->n_taken = p->n_taken - n_counted + n_targets;' 'p->n_taken = p->n_taken + n_targets;'
fault order-of-calls-not-looked-at train train/calls_out_of_order_are_refused_and_change_nothing af_train.c \
    'if (p->phase != AF_TRAIN_OPEN) {' 'if (false) {'
fault second-moment-not-looked-at train train/an_update_that_would_lose_a_number_is_refused_and_changes_nothing af_inner_elementwise.h \
    'sign |= af_bits_of(v[i]);' 'sign |= 0;'
fault weight-not-looked-at ops adamw/check_says_what_the_step_would_lose af_inner_elementwise.h '+ (p[i] - p[i]);' '+ AF_R(0) * AF_R(1);'
fault square-not-looked-at ops adamw/check_says_what_the_step_would_lose af_inner_elementwise.h \
    'bad |= v_new <= largest ? 0U : 1U;' '(void)largest;'
fault step-not-bounded ops adamw/check_bounds_the_step af_inner_elementwise.h 'bad |= share <= limit ? 0U : 1U;' '(void)limit; (void)share;'
fault settings-not-bounded train train/calls_out_of_order_are_refused_and_change_nothing af_train.c \
    'how.learning_rate <= AF_R(AF_RATE_MAX)' 'true'
fault rows-not-looked-at train train/a_bit_flipped_between_slices_leads_nowhere_outside af_batch.c \
    'train->row_start[0] != 0 ||' ''
fault cursor-not-looked-at train train/a_bit_flipped_between_slices_leads_nowhere_outside af_train.c \
    'p->cursor % AF_UPDATE_SLICE == 0 && p->cursor < AF_N_PARAMS' 'true'
fault update-not-seen-by-decoding train decode/weights_in_the_middle_of_an_update_are_refused af_decode.c \
    'case AF_TRAIN_CHECK:' 'case AF_TRAIN_CHECK: case AF_TRAIN_UPDATE:'
fault cache-of-an-earlier-step train decode/weights_in_the_middle_of_an_update_are_refused af_decode.c \
    'return is_same || ' 'return true || is_same || '
fault logits-not-looked-at train decode/logits_show_what_is_wrong af_decode.c 'if (!af_finite(d->logits, AF_VOCAB)) {' 'if (false) {'
fault variance-that-overflows ops layernorm/a_variance_that_overflows_is_no_number af_math.h 'return x + (x - x);' 'return x;'
fault unseeded-stream streams numpy/a_stream_that_was_never_seeded_is_that_of_seed_0 af_numpy.c \
    'if ((stream->increment_lo & 1U) == 0)' 'if (false)'
fault abandoned-gradients-stay train train/an_abandoned_step_leaves_no_trace af_train.c \
    'mode = af_run(model->runner, clear_slice, model->grad, AFI_N_SLICES);' 'mode = AF_OK;'
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
fault unreadable-page-ends-it checkpoint checkpoint/a_page_that_cannot_be_read_is_a_bad_page af_checkpoint.c \
    'const bool is_good = is_read && is_page_good' 'if (!is_read) return AF_ERR_STORAGE; const bool is_good = is_read && is_page_good'
fault new-flash-is-a-dead-one checkpoint checkpoint/a_flash_whose_erased_units_cannot_be_read_begins_and_goes_on \
    af_checkpoint.c 'const bool is_dead = storage->reads_erased &&' 'const bool is_dead ='
fault values-checked-once checkpoint checkpoint/a_data_page_that_is_another_one_the_second_time_does_not_get_in \
    af_checkpoint.c 'if (sum != slot->sum ||' 'if ('
fault header-checked-once checkpoint checkpoint/a_header_that_is_another_one_the_second_time_does_not_get_in \
    af_checkpoint.c 'again.is_possible && again.header_crc' 'again.header_crc'
fault correction-of-any-step checkpoint checkpoint/corrections_of_another_step_are_refused af_checkpoint.c \
    'return bits == af_bits_of(c);' 'return (bits == 0) == (af_bits_of(c) == 0);'
fault zeros-not-looked-at checkpoint checkpoint/what_a_save_leaves_0_has_to_be_0 af_checkpoint.c \
    'is_same && is_zero(page, AFI_AT_COMMIT_NOTHING, AFI_AT_CRC)' 'is_same'
fault runs-counted-in-16-bits checkpoint checkpoint/any_number_of_other_runs_ends_a_save_that_is_under_way af_train.c \
    'p->run = run + 1U;' 'p->run = (uint16_t)(run + 1U);'
fault number-of-an-unreadable-one-forgotten checkpoint checkpoint/a_page_that_comes_back_does_not_bring_an_older_state \
    af_checkpoint.c 'put(&save->header[AFI_KEPT(AFI_AT_SEQUENCE)], sequence + 1U, 8);' \
    'put(&save->header[AFI_KEPT(AFI_AT_SEQUENCE)], (is_whole(&save->slot[0]) || is_whole(&save->slot[1]) ? sequence : 0U) + 1U, 8);'
fault page-anywhere-in-memory checkpoint checkpoint/data_is_aligned af_checkpoint.c \
    'start_of(storage, slot), (uint8_t *)save->unit);' 'start_of(storage, slot), (uint8_t *)save->unit + 1);'
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
