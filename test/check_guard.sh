#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Training and decoding with everything dead guarded (test/guard.c): by AddressSanitizer, and by the pattern alone, as on a
# board. Then planted faults, in the program and in copies of lib/: each has to be noticed.
#
#   LONG=1 test/check_guard.sh      everything; without LONG, each day other configurations and faults
#   test/check_guard.sh NAME
# promise: dead-memory-unread
set -u
cd "$(dirname "$0")/.." || exit 1
. test/check_common.sh
. test/options.sh

one_in=9
sample=(guard-sanitized-packed guard-pattern-small fault planted-cache-said-to-be-dead)

numeric="-std=gnu99 -O1 -g -ffp-contract=off -fno-math-errno -Wall -Wextra -Werror"
asan="clang $numeric -fsanitize=address,undefined -fno-sanitize-recover=all"

declare -A built=()
build() { # NAME COMPILER OPTIONS [LIB]: what has been built before is copied
    if [ -z "${4:-}" ] && [ -n "${built[$2 $3]:-}" ]; then
        cp "$out/${built[$2 $3]}" "$out/$1"
        return
    fi
    # shellcheck disable=SC2086
    $2 $3 -I"${4:-lib}" test/guard.c "${4:-lib}"/*.c -o "$out/$1" >"$out/$1.log" 2>&1 || {
        fail "$1" "it does not compile: $(grep -m 1 error "$out/$1.log")"
        return 1
    }
    [ -n "${4:-}" ] || built[$2 $3]=$1
}

clean() { # NAME COMPILER OPTIONS
    wanted "$1" && build "$@" || return 0
    if "$out/$1" >"$out/$1.said" 2>&1; then
        ok "$1"
    else
        fail "$1" "$(grep -m 1 -E 'FAIL|ERROR' "$out/$1.said")"
    fi
}

noticed() { # NAME PROGRAM [FAULT]: it ends badly, and says why
    if ! "$out/$2" ${3:-} >"$out/$1.said" 2>&1 && grep -qE 'AddressSanitizer: use-after-poison|runtime error: index|was written while it was dead|^FAIL same-bits' "$out/$1.said"; then
        ok "$1"
    else
        fail "$1" "nobody notices: $(tail -n 1 "$out/$1.said")"
    fi
}

clean guard-sanitized-small "$asan" "$small"
clean guard-sanitized-micro-batch "$asan" "$small -DAF_MICRO_BATCH=2"
clean guard-sanitized-packed "$asan" "$small -DAF_MICRO_BATCH=3 -DAF_PACKED=1 -DTEST_KERNELS=af_kernels_tile"
clean guard-sanitized-odd "$asan" "-DAF_VOCAB=5 -DAF_CONTEXT=7 -DAF_DIM=9 -DAF_HEADS=3 -DAF_FF=5 -DAF_BLOCKS=3 -DAF_MICRO_BATCH=2"
clean guard-sanitized-double "$asan" "$small -DAF_REAL=double"
clean guard-pattern-small "gcc $numeric" "$small"
clean guard-pattern-packed "gcc $numeric" "$small -DAF_MICRO_BATCH=3 -DAF_PACKED=1 -DTEST_KERNELS=af_kernels_tile"

# ---- faults in the program: 0 to 3 write, 4 and 5 read
if wanted fault && build guard-faults-sanitized "$asan" "$small" && build guard-faults-pattern "gcc $numeric" "$small"; then
    for fault in 0 1 2 3 4 5; do
        noticed "fault-$fault-by-sanitizer" guard-faults-sanitized $fault
        [ $fault -gt 3 ] || noticed "fault-$fault-by-pattern" guard-faults-pattern $fault
    done
fi

# ---- faults in lib/
planted() { # NAME FILE SED-SCRIPT
    local name=planted-$1 copy=$out/guard-lib
    wanted "$name" || return 0
    rm -rf "$copy"
    cp -r lib "$copy"
    sed -i "$3" "$copy/$2"
    if cmp -s "lib/$2" "$copy/$2"; then
        fail "$name" "nothing in lib/$2 is changed by: $3"
        return
    fi
    if build "$name" "$asan" "$small" "$copy"; then
        noticed "$name" "$name"
    fi
}

planted update-one-parameter-too-many af_train.c 's/how, p->correction1,/how, p->correction1 + 0 * m->grad->flat[from + slice_size(slice)],/'
planted clearing-one-parameter-too-many af_train.c '/static void clear_slice/,/^}/s/i < slice_size(slice)/i <= slice_size(slice)/'
planted activation-said-to-be-dead-in-backward af_tensors.def 's/\(AF_SAVED_BLOCK(REAL, ln2, .*\)AF_LIVE_PASS/\1AF_LIVE_FORWARD/'
planted logits-said-to-be-dead-in-loss af_tensors.def 's/\(AF_SAVED(REAL, logits, .*\)AF_LIVE_PASS/\1AF_LIVE_DECODE/'
planted gradient-said-to-be-dead-in-update af_map_model.c 's/PLANE(grad, AF_LIVE_STEP)/PLANE(grad, AF_LIVE_PASS)/'
planted moment-said-to-be-dead-between-steps af_map_model.c 's/PLANE(adam_m, AF_LIVE_ALWAYS)/PLANE(adam_m, AF_LIVE_UPDATE)/'
planted cache-said-to-be-dead af_tensors.def 's/\(AF_CACHE_BLOCK(REAL, kv, .*\)AF_LIVE_DECODE/\1AF_LIVE_UPDATE/'

finish
