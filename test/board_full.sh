#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The chapter's whole run on one emulated board: its last step has to be that of `make run` (test/golden/last_step.csv).
#
#   test/board_full.sh BOARD      a folder under port/ with a model that trains
set -u
cd "$(dirname "$0")/.." || exit 1
unset MAKEFLAGS MFLAGS MAKELEVEL

board=$1
log=${BUILD:-build}/check/full-$board.txt
how=("BUILD=${BUILD:-build}/full" "PORT=$board" "CC=$(make -s "PORT=$board" --eval='cc:;@echo $(CC)' cc)")
mkdir -p "$(dirname "$log")"
program=$(make -s "${how[@]}" --eval='program:;@echo $(OUT)/firmware/train$(SUFFIX)' program)
make -s "${how[@]}" "$program" || exit 1
make -s "${how[@]}" start-train </dev/null | tee "$log" | awk '$1 != "step" || $2 % 50 == 0 { print; fflush() }'

expected=$(awk -F, '!/^#/ { print "step", $1, "loss", $2, "hash", $3 }' test/golden/last_step.csv)
if grep -q "^$expected " "$log"; then
    echo "ok $board/full: $expected"
else
    echo "FAIL $board/full: not \"$expected\" but \"$(grep ^step "$log" | tail -n 1)\" ($0 $board)"
    exit 1
fi
