# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: MIT
# Every suite, once: NAME, fast, slow, long or a turn (options.sh), then what to build or to run. Suites that are alike take
# turns; beside them one of their kind is run every day.

golden_map='-DGOLDEN_MAP="test/golden/map.txt"'

# Promises (test/check_promises.sh) that a configuration holds, not a test: `# promise: ID... by SUITE...`.
# promise: memory-modes-same-bits by train-micro-batch-7 train-recompute-2 train-not-pruned train-tile-workers-2

# ---- the same bits from every compiler, optimisation level and micro-batch: one hash after 20 steps of the model
hash='-DGOLDEN_HASH=0x3aba1db7u'
criterion train-gcc-O2             fast gcc   "-O2 $hash" test/test_train.c
criterion train-gcc-O0             long gcc   "-O0 $hash" test/test_train.c
criterion train-gcc-O3-native      long gcc   "-O3 -march=native $hash" test/test_train.c
criterion train-clang-O2           long clang "-O2 $hash" test/test_train.c
criterion train-clang-native       0/3  clang "-O2 -march=native $hash" test/test_train.c
criterion train-micro-batch-1      long gcc   "-O2 -DAF_MICRO_BATCH=1 $hash" test/test_train.c
criterion train-micro-batch-7      long gcc   "-O2 -DAF_MICRO_BATCH=7 $hash" test/test_train.c
criterion train-micro-batch-64     long gcc   "-O2 -DAF_MICRO_BATCH=64 $hash" test/test_train.c
# what backward computes again, and what nobody can see, changes no bit
criterion train-recompute-1        long gcc   "-O2 -DAF_RECOMPUTE=1 $hash" test/test_train.c
criterion train-recompute-2        1/3  gcc   "-O2 -DAF_RECOMPUTE=2 -DAF_MICRO_BATCH=7 $hash" test/test_train.c
criterion train-not-pruned         long gcc   "-O2 -DAF_PRUNED=0 -DAF_MICRO_BATCH=8 $hash" test/test_train.c
criterion train-double             long gcc   "-O2 -DAF_REAL=double" test/test_train.c
# 300 steps of a small model
small_hash='-DGOLDEN_HASH=0x2c488c0aU'
criterion train-small-gcc          fast gcc   "-O2 $small -DN_STEPS=300 -DSTEP_BATCH=16 $small_hash" test/test_train.c
criterion train-small-clang        fast clang "-O2 $small -DN_STEPS=300 -DSTEP_BATCH=16 $small_hash" test/test_train.c
criterion train-small-sanitized    0/2  clang "$sanitize $small -DSTEP_BATCH=16" test/test_train.c
criterion train-small-recompute    1/2  clang "$sanitize $small -DSTEP_BATCH=16 -DAF_RECOMPUTE=2" test/test_train.c
criterion train-one-block          0/3  gcc   "-O2 $one_block -DSTEP_BATCH=16" test/test_train.c

# ---- tiles and workers: the bits of the plain loops
odd="-DAF_DIM=48 -DAF_HEADS=2 -DAF_FF=100 -DAF_CONTEXT=17 -DAF_VOCAB=13"
narrow="-DAF_DIM=20 -DAF_HEADS=4 -DAF_FF=37"
# wide enough for an update of several slices
criterion train-narrow             1/3  gcc   "-O2 $narrow -DSTEP_BATCH=16" test/test_train.c
tiles     kernels-gcc              fast gcc   "-O2 $host" test/test_kernels.c
tiles     kernels-gcc-odd          3/4  gcc   "-O2 $host $odd" test/test_kernels.c
tiles     kernels-gcc-narrow       1/4  gcc   "-O2 $host $narrow" test/test_kernels.c
# where there are no vectors: a tile of single numbers
tiles     kernels-scalar           2/4  gcc   "-O2 $host -DAF_TILE_VECTOR_BYTES=4" test/test_kernels.c
tiles     kernels-scalar-odd       long clang "-O2 $host $odd -DAF_TILE_VECTOR_BYTES=4" test/test_kernels.c
tiles     kernels-scalar-narrow    long gcc   "-O2 $host $narrow -DAF_TILE_VECTOR_BYTES=4" test/test_kernels.c
tiles     kernels-clang            long clang "-O2 $host" test/test_kernels.c
tiles     kernels-clang-sanitized  long clang "$sanitize $host" test/test_kernels.c
tiles     kernels-clang-sanitized-odd 0/2  clang "$sanitize $host $odd" test/test_kernels.c
# whole numbers: sums that equal those of 64-bit integers
exact="-DAF_DIM=32 -DAF_HEADS=2 -DAF_CONTEXT=12 -DAF_VOCAB=5"
exact_odd="-DAF_DIM=12 -DAF_HEADS=3 -DAF_CONTEXT=17 -DAF_VOCAB=5 -DAF_CAUSAL=0"
tiles     exact                    slow gcc   "-O2 $host $exact $n7_layers" test/test_exact.c
tiles     exact-odd                long gcc   "-O2 $host $exact_odd $n7_layers" test/test_exact.c
tiles     exact-clang              long clang "-O2 $host $exact $n7_layers" test/test_exact.c
tiles     exact-clang-odd          long clang "-O2 $host $exact_odd $n7_layers" test/test_exact.c
tiles     exact-clang-sanitized    long clang "$sanitize $host $exact -DN_CASES=10000 $n7_layers" test/test_exact.c
criterion exact-double             long gcc   "-O2 $exact -DAF_REAL=double $n7_layers" test/test_exact.c
criterion exact-double-clang       long clang "-O2 $exact_odd -DAF_REAL=double $n7_layers" test/test_exact.c
# in which order every sum adds its terms: as the headers say (on boards: test/check_boards.sh)
port=port/host/port.c
main      order                    fast gcc "-O2 $host $n7_layers" test/order.c $port
main      order-gcc-O3             long gcc "-O3 $host $n7_layers" test/order.c $port
main      order-clang              long clang "-O2 $host $n7_layers" test/order.c $port
main      order-clang-O3           long clang "-O3 $host $n7_layers" test/order.c $port
main      order-clang-sanitized    long clang "$sanitize $host $n7_layers" test/order.c $port
main      order-narrow             long gcc "-O2 $host $narrow $n7_layers" test/order.c $port
main      order-double             fast gcc "-O2 -DAF_REAL=double $n7_layers" test/order.c $port
main      order-double-clang       long clang "-O3 -march=native -DAF_REAL=double $n7_layers" test/order.c $port
# prompts as rows: the bits of one token after another
tiles     decode                   fast gcc   "-O2 $host" test/test_decode.c
tiles     decode-odd               3/4  gcc   "-O2 $host $odd" test/test_decode.c
tiles     decode-narrow            1/4  gcc   "-O2 $host $narrow" test/test_decode.c
tiles     decode-one-row           0/4  gcc   "-O2 $host -DAF_DECODE_ROWS=1" test/test_decode.c
tiles     decode-four-rows         1/4  gcc   "-O2 $host $odd -DAF_DECODE_ROWS=4" test/test_decode.c
tiles     decode-one-block         2/4  clang "-O2 $host $one_block" test/test_decode.c
tiles     decode-post-norm         3/4  gcc   "-O2 $host $odd -DAF_POST_NORM=1 -DAF_DECODE_ROWS=4" test/test_decode.c
tiles     decode-clang-sanitized   1/2  clang "$sanitize $host $odd" test/test_decode.c
criterion decode-double            long gcc   "-O2 -DAF_REAL=double" test/test_decode.c
for workers in 1 2 3 8; do
    tiles train-tile-workers-$workers $([ $workers = 2 ] && echo slow || echo long) gcc "-O2 $host $hash -DTEST_KERNELS=$best_tile -DTEST_WORKERS=$workers" test/test_train.c
done
tiles     train-tile-baseline      long gcc   "-O2 $host $hash -DTEST_KERNELS=af_kernels_tile" test/test_train.c
if has_level v3; then
    tiles train-tile-v3            2/3  gcc   "-O2 $host $hash -DTEST_KERNELS=af_kernels_tile_v3" test/test_train.c
fi
tiles     train-tile-small         2/3  gcc   "-O2 $host $small -DN_STEPS=300 -DSTEP_BATCH=16 -DGOLDEN_HASH=0x2c488c0au -DTEST_KERNELS=$best_tile -DTEST_WORKERS=2" test/test_train.c
# the pool under ThreadSanitizer; without Criterion, whose memory is where that sanitizer has its own
for workers in 2 8; do
    main   threads-$workers        $([ $workers = 2 ] && echo slow || echo long) clang "-O1 -g -fsanitize=thread $host -DTEST_KERNELS=$best_tile -DTEST_WORKERS=$workers" test/threads.c
done

# ---- the map
criterion map                      fast gcc   "-O2 $golden_map" test/test_map.c
criterion map-clang-sanitized      fast clang "$sanitize $golden_map" test/test_map.c
criterion map-small                fast gcc   "-O2 $small" test/test_map.c
criterion map-one-block            long gcc   "-O2 $one_block" test/test_map.c
criterion map-micro-batch-1        long gcc   "-O2 -DAF_MICRO_BATCH=1" test/test_map.c
criterion map-inference            1/2  gcc   "-O2 -DAF_TRAINING=0" test/test_map.c
criterion map-inference-no-streams long gcc   "-O2 -DAF_TRAINING=0 -DAF_STREAMS=0" test/test_map.c
criterion map-recompute-1          long gcc   "-O2 -DAF_RECOMPUTE=1" test/test_map.c
criterion map-recompute-2          0/2  gcc   "-O2 -DAF_RECOMPUTE=2 -DAF_PACKED=1" test/test_map.c
criterion map-double               long gcc   "-O2 -DAF_REAL=double" test/test_map.c
for change in no-mask=-DAF_CAUSAL=0 queries=-DAF_SOFTMAX_QUERIES=1 post-norm=-DAF_POST_NORM=1; do
    criterion map-${change%%=*}    long gcc   "-O2 ${change#*=}" test/test_map.c
done

# ---- operations and gradients
criterion ops                      fast gcc   "-O2 -Iexamples/notebook7" test/test_ops.c
criterion ops-double               fast gcc   "-O2 -DAF_REAL=double -Iexamples/notebook7" test/test_ops.c
criterion ops-sanitized            fast clang "$sanitize -Iexamples/notebook7" test/test_ops.c
layers="-DAF_REAL=double -DAF_DIM=8 -DAF_HEADS=2 -DAF_CONTEXT=9 $n7_layers"
criterion layers                   fast gcc   "-O2 $layers" test/test_layers.c
criterion layers-clang-sanitized   1/2  clang "$sanitize $layers" test/test_layers.c
criterion gradients                fast gcc   "-O2 $small -DAF_REAL=double" test/test_gradients.c
criterion gradients-one-block      0/5  gcc   "-O2 $one_block -DAF_REAL=double" test/test_gradients.c
# as wide as a piece of the embeddings' gradients and a part of a second one
criterion gradients-two-pieces     1/5  gcc   "-O2 ${one_block/DIM=8/DIM=20} -DAF_REAL=double" test/test_gradients.c

# every change to the model, alone and together
criterion gradients-unscaled         long gcc "-O2 $small -DAF_REAL=double -DAF_SCALED=0" test/test_gradients.c
criterion gradients-no-mask          long gcc "-O2 $small -DAF_REAL=double -DAF_CAUSAL=0" test/test_gradients.c
criterion gradients-no-mask-block    2/5  gcc "-O2 $one_block -DAF_REAL=double -DAF_CAUSAL=0 -DAF_RECOMPUTE=2" test/test_gradients.c
criterion gradients-queries          long gcc "-O2 $small -DAF_REAL=double -DAF_SOFTMAX_QUERIES=1" test/test_gradients.c
criterion gradients-queries-no-mask  long gcc "-O2 $small -DAF_REAL=double -DAF_SOFTMAX_QUERIES=1 -DAF_CAUSAL=0 -DAF_SCALED=0" test/test_gradients.c
criterion gradients-queries-block    3/5  clang "$sanitize $one_block -DAF_REAL=double -DAF_SOFTMAX_QUERIES=1 -DAF_RECOMPUTE=1" test/test_gradients.c
criterion gradients-no-residual      long gcc "-O2 $small -DAF_REAL=double -DAF_RESIDUAL=0" test/test_gradients.c
criterion gradients-post-norm        long gcc "-O2 $small -DAF_REAL=double -DAF_POST_NORM=1" test/test_gradients.c
criterion gradients-post-norm-block  4/5  clang "$sanitize $one_block -DAF_REAL=double -DAF_POST_NORM=1 -DAF_SOFTMAX_QUERIES=1" test/test_gradients.c
criterion gradients-post-no-residual long gcc "-O2 $small -DAF_REAL=double -DAF_POST_NORM=1 -DAF_RESIDUAL=0 -DAF_CAUSAL=0" test/test_gradients.c

# ---- the whole model against PyTorch
criterion model                    0/2  gcc   "-O2" test/test_model.c
criterion model-double             1/2  gcc   "-O2 -DAF_REAL=double" test/test_model.c

# ---- notebook 7
notebook7='-DAF_CONFIG_HEADER="notebook7_config.h" -DGOLDEN_LINES="test/golden/notebook7.txt" -DGOLDEN_CRC=0x3EE5BDB5u'
notebook7+=" $n7_layers -Iexamples/common examples/notebook7/*.c examples/common/decimal_double.c"
criterion notebook7                fast gcc   "-O2 $notebook7" test/test_notebook7.c
criterion notebook7-gcc-O0         long gcc   "-O0 $notebook7" test/test_notebook7.c
criterion notebook7-gcc-native     long gcc   "-O3 -march=native $notebook7" test/test_notebook7.c
criterion notebook7-clang-O0       long clang "-O0 $notebook7" test/test_notebook7.c
criterion notebook7-clang-O2       long clang "-O2 $notebook7" test/test_notebook7.c
criterion notebook7-clang-native   0/2  clang "-O3 -march=native $notebook7" test/test_notebook7.c
criterion notebook7-clang-sanitized 1/2  clang "$sanitize $notebook7" test/test_notebook7.c

script    notebook7-board          slow test/check_notebook7.sh
# the model with one change: tiles and plain loops, compilers, what is recomputed and what is pruned give the same bits
digest='-DDEFAULT_DIGEST=0xf484a0d5u'
best="$host -DTEST_KERNELS=$best_tile"
variant() { # NAME SPEED SWITCHES HASH [SPEED SPEED]: in float on tiles, in float by clang on plain loops, in double
    local flags="$digest $3"
    tiles     variant-$1           "$2" gcc   "-O2 $best $flags -DGOLDEN_HASH=$4" test/test_variants.c
    criterion variant-$1-plain     "${5:-long}" clang "-O2 $flags -DAF_MICRO_BATCH=3 -DAF_PRUNED=0 -DGOLDEN_HASH=$4" test/test_variants.c
    criterion variant-$1-double    "${6:-long}" gcc   "-O2 $flags -DAF_REAL=double" test/test_variants.c
}
variant unscaled        0/3  "-DAF_SCALED=0" 0xb4b1db93u
variant no-mask         0/2  "-DAF_CAUSAL=0" 0xffbf2872u
variant queries         1/2  "-DAF_SOFTMAX_QUERIES=1" 0xf8b26425u
variant queries-no-mask long "-DAF_SOFTMAX_QUERIES=1 -DAF_CAUSAL=0" 0xfe9d2691u
variant no-residual     long "-DAF_RESIDUAL=0" 0xe64493d0u
variant post-norm       1/3  "-DAF_POST_NORM=1" 0xa4179e26u
variant all-targets     long "-DALL_TARGETS=1" 0xace393c1u long 2/3
for change in unscaled=-DAF_SCALED=0 no-mask=-DAF_CAUSAL=0 queries=-DAF_SOFTMAX_QUERIES=1 post-norm=-DAF_POST_NORM=1; do
    case $change in no-mask=*) speed=0/4 ;; queries=*) speed=1/4 ;; *) speed=long ;; esac
    tiles     kernels-${change%%=*} $speed gcc  "-O2 $host ${change#*=}" test/test_kernels.c
done

# ---- random streams
criterion streams                  fast gcc   "-O2" test/test_streams.c
criterion streams-clang-sanitized  fast clang "$sanitize" test/test_streams.c
criterion streams-double           fast gcc   "-O2 -DAF_REAL=double" test/test_streams.c
criterion normals                  fast gcc   "-O2" test/test_normals.c
criterion normals-clang-sanitized  fast clang "$sanitize" test/test_normals.c
criterion normals-double           fast gcc   "-O2 -DAF_REAL=double" test/test_normals.c

# ---- elementary functions
script    math                     slow test/check_math.sh

# ---- checkpoints: images, mistakes, damage; power cuts; killed runs
tiny_image='-DGOLDEN_IMAGE=0xb98a69f9u'
criterion checkpoint-tiny-gcc      fast gcc   "-O2 $tiny $tiny_image" test/test_checkpoint.c
criterion checkpoint-tiny-sanitized fast clang "$sanitize $tiny $tiny_image" test/test_checkpoint.c
criterion checkpoint-tiny-double   0/2  gcc   "-O2 $tiny -DAF_REAL=double -DGOLDEN_IMAGE=0x8056134cu" test/test_checkpoint.c
criterion checkpoint-small         1/2  gcc   "-O2 $small" test/test_checkpoint.c
criterion checkpoint-default       long gcc   "-O2" test/test_checkpoint.c
reversal="-Iexamples/common -Iexamples/firmware -Iexamples/reversal"
main      damaged-weights          fast clang "$sanitize $reversal -DAF_DIM=4 -DAF_HEADS=1 -DAF_FF=4 -DAF_BLOCKS=1" test/damaged_weights.c "$loader"
main      damaged-weights-default  long gcc "-O2 $reversal" test/damaged_weights.c "$loader"
apart     power-cuts               slow test/check_power_cuts.sh
script    resume                   fast test/check_resume.sh

# ---- dead memory guarded
apart     guard                    fast test/check_guard.sh

# ---- seals
criterion seal-small               fast gcc   "-O2 $small" test/test_seal.c
criterion seal-sanitized           fast clang "$sanitize $tiny" test/test_seal.c
criterion seal-default             long gcc   "-O2" test/test_seal.c

# ---- fuzzing: 5 million executions
apart     fuzz                     slow test/check_fuzz.sh

# ---- mistakes planted into a copy of lib/: each has to be noticed by the test that is named (mutants, coverage: prove.sh)
apart     metatests                slow test/check_metatests.sh

# ---- sources, configurations, analysis, programs, README
script    words                    fast test/check_words.sh
script    warnings                 slow test/check_warnings.sh
script    symbols                  slow test/check_symbols.sh
script    offsets                  fast test/check_offsets.sh
script    config                   fast test/check_config.sh
apart     settings                 fast test/check_settings.sh
script    analysis                 slow test/check_analysis.sh
script    experiments              slow test/check_experiments.sh
script    programs                 slow test/check_programs.sh
script    readme                   fast test/check_readme.sh
script    promises                 fast test/check_promises.sh

# ---- decimal text of the programs for boards
criterion decimal                  fast gcc   "-O2" test/test_decimal.c
criterion decimal-clang-sanitized  0/2  clang "$sanitize" test/test_decimal.c

# ---- every board, emulated
script    boards                   slow test/check_boards.sh

# ---- the same bits from many compilers, options and processors, and what would change them is seen
apart     matrix                   slow test/check_matrix.sh
apart     hazards                  slow test/check_hazards.sh
apart     files                    slow test/check_files.sh
apart     dropin                   fast test/check_dropin.sh
apart     figures                  slow test/check_figures.sh
