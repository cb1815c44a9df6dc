#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# lib/ is a library: a copy of it, the smallest port, and the few files of test/dropin/ in an empty folder are a firmware
# with another configuration and another task. Built for Cortex-M4F without a standard library, run in QEMU, it learns.
#
#   test/check_dropin.sh [NAME]      needs make, arm-none-eabi-gcc, qemu-system-arm
# promise: few-symbols
set -u
cd "$(dirname "$0")/.." || exit
. test/check_common.sh

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp -r lib "$folder"
cp test/dropin/* port/template/port.c port/af_port.h "$folder"

if wanted build; then
    said=$(make_ -C "$folder" 2>&1)
    nothing build "does not build without a warning" "$said" "make -C, on a copy of test/dropin, lib and port/template"
fi
if wanted symbols; then
    nothing symbols "the program brings more than lib/, port and libgcc's arithmetic" \
        "$(arm-none-eabi-nm -u "$folder/sorting.elf" 2>&1)"
fi
if wanted learns; then
    said=$(make_ -C "$folder" run 2>&1)
    before=$(sed -n 's/^right before: //p' <<<"$said")
    after=$(sed -n 's/^right after: //p' <<<"$said")
    if [[ $before =~ ^[0-9]+$ && $after =~ ^[0-9]+$ ]] && [ "$((10#$before))" -le 10 ] && [ "$((10#$after))" -ge 95 ]; then
        ok "learns"
    else
        fail learns "sorts ${before:-?} of 100 strings before training (at most 10) and ${after:-?} after it (at least 95)"
        tail -n 6 <<<"$said" | sed 's/^/    /'
    fi
fi

finish
