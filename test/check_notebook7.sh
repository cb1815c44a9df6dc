#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Notebook 7 without a command line: on the host, and where there is a port for it, on an emulated Cortex-M4F, which has no
# double arithmetic. The bytes have to be the same.
#
#   test/check_notebook7.sh [NAME]      needs make; for the board arm-none-eabi-gcc, qemu-system-arm
# promise: notebook7-same-bytes, notebook7-printed
set -u
cd "$(dirname "$0")/.." || exit 1
. test/check_common.sh

build=${BUILD:-build}
board=mps2-an386

if ! wanted notebook7-host && ! wanted notebook7-$board; then
    finish
fi

# What the host prints is what the board is compared with.
if make -s "$build/host/firmware/notebook7" >"$out/notebook7.log" 2>&1 && "$build/host/firmware/notebook7" >"$out/notebook7.host"; then
    nothing notebook7-host "it prints another line than the document" \
        "$(diff <(grep -v '^#' test/golden/notebook7.txt) <(grep . "$out/notebook7.host") | grep '^[<>]' | grep -vE '^. (Mean of each|CRC-32C)')"
else
    fail notebook7-host "it does not build or run: $(tail -n 1 "$out/notebook7.log")"
fi

if wanted notebook7-$board; then
    if [ ! -d port/$board ]; then
        echo "not tested: notebook7-$board, there is no such port"
    elif make -s PORT=$board "$build/$board/firmware/notebook7.elf" >"$out/notebook7.log" 2>&1 &&
        timeout 600 make -s PORT=$board start-notebook7 2>"$out/notebook7.log" | tr -d '\r' >"$out/notebook7.$board"; then
        nothing notebook7-$board "it prints other bytes than the host" "$(diff "$out/notebook7.host" "$out/notebook7.$board")"
    else
        fail notebook7-$board "it does not build or run: $(tail -n 1 "$out/notebook7.log")"
    fi
fi
finish
