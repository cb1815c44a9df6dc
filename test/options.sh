# shellcheck shell=bash disable=SC2034
# SPDX-License-Identifier: MIT
# Options and configurations that the suites and the check_*.sh scripts are made of. Read before suites.sh.

numeric="-std=gnu99 -ffp-contract=off -fno-math-errno"
warn="-Wall -Wextra -Wshadow -Wdouble-promotion -Werror"
small="-DAF_VOCAB=7 -DAF_CONTEXT=6 -DAF_DIM=8 -DAF_HEADS=2 -DAF_FF=16 -DAF_BLOCKS=2"
tiny="-DAF_VOCAB=4 -DAF_CONTEXT=4 -DAF_DIM=4 -DAF_HEADS=1 -DAF_FF=4 -DAF_BLOCKS=1"
one_block="-DAF_VOCAB=7 -DAF_CONTEXT=6 -DAF_DIM=8 -DAF_HEADS=1 -DAF_FF=16 -DAF_BLOCKS=1"
sanitize="-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all"

# What a program with the reader of the weights file needs besides it.
loader="examples/common/atomic_file.c examples/common/command_line.c examples/common/nearest.c examples/reversal/bytes.c
    examples/reversal/recipe.c examples/firmware/task.c"

# The operations of notebook 7 (layers/layers.h), for programs that use them beside lib/.
n7_layers="-Iexamples/notebook7 examples/notebook7/layers/*.c"

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

# Every suite of suites.sh, a line each, with tabs between: name, speed (fast, slow: `make test` runs both; K/N, a turn: on
# the Kth of each N days; long: `make prove` alone, which runs the turns as well), kind (program: of Criterion; main: a program that prints ok and FAIL lines; script: shares the folder of
# `make` with others; apart: a script that does not), words (options and sources, or a command), compiler.
list_suites() (
    suite() { printf "%s\t%s\t%s\t%s\t%s\n" "$1" "$2" "$3" "${5//$'\n'/ }" "$4"; } # NAME SPEED KIND COMPILER WORDS
    criterion() { suite "$1" "$2" program "$3" "${*:4}"; }
    tiles() { suite "$1" "$2" program "$3" "$4 port/host/workers.c ${*:5}"; }
    main() { suite "$1" "$2" main "$3" "$4 port/host/workers.c ${*:5}"; }
    script() { suite "$1" "$2" script - "${*:3}"; }
    apart() { suite "$1" "$2" apart - "${*:3}"; }
    . test/suites.sh
)
