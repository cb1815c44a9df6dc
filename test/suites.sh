# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: MIT
# Every suite, once: NAME, fast or slow, then what to build or to run. Read by run.sh.

golden_map='-DGOLDEN_MAP="test/golden/map.txt"'

# ---- the same bits from every compiler, optimisation level and micro-batch: one hash after 20 steps of the model
hash='-DGOLDEN_HASH=0x3aba1db7u'
criterion train-gcc-O2             fast gcc   "-O2 $hash" test/test_train.c
criterion train-gcc-O0             slow gcc   "-O0 $hash" test/test_train.c
criterion train-gcc-O3-native      slow gcc   "-O3 -march=native $hash" test/test_train.c
criterion train-clang-O2           slow clang "-O2 $hash" test/test_train.c
criterion train-clang-native       slow clang "-O2 -march=native $hash" test/test_train.c
criterion train-micro-batch-1      slow gcc   "-O2 -DAF_MICRO_BATCH=1 $hash" test/test_train.c
criterion train-micro-batch-7      slow gcc   "-O2 -DAF_MICRO_BATCH=7 $hash" test/test_train.c
criterion train-micro-batch-64     slow gcc   "-O2 -DAF_MICRO_BATCH=64 $hash" test/test_train.c
criterion train-double             slow gcc   "-O2 -DAF_REAL=double" test/test_train.c
# 300 steps of a small model
small_hash='-DGOLDEN_HASH=0x2c488c0aU'
criterion train-small-gcc          fast gcc   "-O2 $small -DN_STEPS=300 -DSTEP_BATCH=16 $small_hash" test/test_train.c
criterion train-small-clang        fast clang "-O2 $small -DN_STEPS=300 -DSTEP_BATCH=16 $small_hash" test/test_train.c
criterion train-small-sanitized    fast clang "$sanitize $small -DSTEP_BATCH=16" test/test_train.c
criterion train-one-block          fast gcc   "-O2 $one_block -DSTEP_BATCH=16" test/test_train.c

# ---- tiles and workers: the bits of the plain loops
odd="-DAF_DIM=48 -DAF_HEADS=2 -DAF_FF=100 -DAF_CONTEXT=17 -DAF_VOCAB=13"
narrow="-DAF_DIM=20 -DAF_HEADS=4 -DAF_FF=37"
tiles     kernels-gcc              fast gcc   "-O2 $host" test/test_kernels.c
tiles     kernels-gcc-odd          fast gcc   "-O2 $host $odd" test/test_kernels.c
tiles     kernels-gcc-narrow       fast gcc   "-O2 $host $narrow" test/test_kernels.c
tiles     kernels-clang            slow clang "-O2 $host" test/test_kernels.c
tiles     kernels-clang-sanitized  slow clang "$sanitize $host" test/test_kernels.c
tiles     kernels-clang-sanitized-odd slow clang "$sanitize $host $odd" test/test_kernels.c
for workers in 1 2 3 8; do
    tiles train-tile-workers-$workers slow gcc "-O2 $host $hash -DTEST_KERNELS=$best_tile -DTEST_WORKERS=$workers" test/test_train.c
done
tiles     train-tile-baseline      slow gcc   "-O2 $host $hash -DTEST_KERNELS=af_kernels_tile" test/test_train.c
if has_level v3; then
    tiles train-tile-v3            slow gcc   "-O2 $host $hash -DTEST_KERNELS=af_kernels_tile_v3" test/test_train.c
elif wanted train-tile-v3 slow; then
    echo "not tested: train-tile-v3, this processor lacks its instructions"
fi
tiles     train-tile-small         fast gcc   "-O2 $host $small -DN_STEPS=300 -DSTEP_BATCH=16 -DGOLDEN_HASH=0x2c488c0au -DTEST_KERNELS=$best_tile -DTEST_WORKERS=2" test/test_train.c
# the pool under ThreadSanitizer; without Criterion, whose memory is where that sanitizer has its own
for workers in 2 8; do
    script threads-$workers        slow build_and_run threads-$workers clang "-O1 -g -fsanitize=thread $host -DTEST_KERNELS=$best_tile -DTEST_WORKERS=$workers" test/threads.c
done

# ---- the map
criterion map                      fast gcc   "-O2 $golden_map" test/test_map.c
criterion map-clang-sanitized      fast clang "$sanitize $golden_map" test/test_map.c
criterion map-small                fast gcc   "-O2 $small" test/test_map.c
criterion map-micro-batch-1        fast gcc   "-O2 -DAF_MICRO_BATCH=1" test/test_map.c
criterion map-inference            fast gcc   "-O2 -DAF_TRAINING=0" test/test_map.c
criterion map-inference-no-streams fast gcc   "-O2 -DAF_TRAINING=0 -DAF_STREAMS=0" test/test_map.c
criterion map-double               fast gcc   "-O2 -DAF_REAL=double" test/test_map.c

# ---- operations and gradients
criterion ops                      fast gcc   "-O2" test/test_ops.c
criterion ops-double               fast gcc   "-O2 -DAF_REAL=double" test/test_ops.c
criterion ops-sanitized            fast clang "$sanitize" test/test_ops.c
criterion gradients                fast gcc   "-O2 $small -DAF_REAL=double" test/test_gradients.c
criterion gradients-one-block      fast gcc   "-O2 $one_block -DAF_REAL=double" test/test_gradients.c

# ---- the whole model against PyTorch
criterion model                    slow gcc   "-O2" test/test_model.c
criterion model-double             slow gcc   "-O2 -DAF_REAL=double" test/test_model.c

# ---- random streams
criterion streams                  fast gcc   "-O2" test/test_streams.c
criterion streams-clang-sanitized  fast clang "$sanitize" test/test_streams.c
criterion streams-double           fast gcc   "-O2 -DAF_REAL=double" test/test_streams.c

# ---- elementary functions
script    math                     slow test/check_math.sh

# ---- sources, configurations, analysis, programs, README
script    source                   slow test/check_source.sh
script    config                   fast test/check_config.sh
script    analysis                 slow test/check_analysis.sh
script    programs                 slow test/check_programs.sh
script    readme                   fast test/check_readme.sh
