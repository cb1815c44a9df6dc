#!/bin/sh
# SPDX-License-Identifier: MIT
# Prints the table of sizes: how many bytes the regions take in each memory mode, by the compiler's own arithmetic.
#
#   examples/sizes/sizes.sh [COMPILER]
cd "$(dirname "$0")/../.." || exit
cc=${1:-cc}
program=$(mktemp) || exit
trap 'rm -f "$program"' EXIT

line() { # LABEL OPTION...
    label=$1
    shift
    "$cc" -std=c99 -ffp-contract=off -Ilib "$@" examples/sizes/sizes.c -o "$program" && "$program" "$label"
}

echo '| configuration | planes | packed weights | workspace | arena | arena / planes |'
echo '|---|---:|---:|---:|---:|---:|'
line 'default: one sequence at a time'
line '`AF_RECOMPUTE=1`' -DAF_RECOMPUTE=1
line '`AF_RECOMPUTE=2`' -DAF_RECOMPUTE=2
for n in 4 16 64; do
    line "\`AF_MICRO_BATCH=$n\`" -DAF_MICRO_BATCH=$n
done
line '`AF_MICRO_BATCH=64`, `AF_RECOMPUTE=2`' -DAF_MICRO_BATCH=64 -DAF_RECOMPUTE=2
line 'host programs (`port/host/af_host.h`)' -Iport/host '-DAF_CONFIG_HEADER="af_host.h"'
line 'inference, `AF_TRAINING=0`' -DAF_TRAINING=0 -DAF_STREAMS=0
