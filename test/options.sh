# shellcheck shell=bash disable=SC2034
# SPDX-License-Identifier: MIT
# Options and configurations that the suites are made of. Read before suites.sh.

numeric="-std=gnu99 -ffp-contract=off -fno-math-errno"
warn="-Wall -Wextra -Wshadow -Wdouble-promotion -Werror"
small="-DAF_VOCAB=7 -DAF_CONTEXT=6 -DAF_DIM=8 -DAF_HEADS=2 -DAF_FF=16 -DAF_BLOCKS=2"
one_block="-DAF_VOCAB=7 -DAF_CONTEXT=6 -DAF_DIM=8 -DAF_HEADS=1 -DAF_FF=16 -DAF_BLOCKS=1"
sanitize="-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all"

# What a program needs for tiles on threads, and the levels of the instruction set that are compiled for this machine:
# af_tile.c is compiled once for each, as in the Makefile.
host="-Iport/host -DAF_CONFIG_HEADER=\"af_host.h\""
tile="-O3 -fno-trapping-math"
levels=
[ "$(uname -m)" != x86_64 ] || levels="v3 v4"

has_level() { # LEVEL: whether this processor has its instructions
    local word words="avx2 fma bmi1 bmi2"
    [ "$(uname -m)" = x86_64 ] || return 1
    [ "$1" = v3 ] || words+=" avx512f avx512vl avx512bw avx512dq avx512cd"
    for word in $words; do
        grep -m 1 '^flags' /proc/cpuinfo 2>/dev/null | grep -qw "$word" || return 1
    done
}

# The table of the highest level that this processor has.
best_tile=af_kernels_tile
for level in $levels; do
    ! has_level "$level" || best_tile=af_kernels_tile_$level
done
