#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Checkpoints and power cuts: sweeps over every interruption of a save for a tiny model (every byte) and for the default one
# (every call of the storage), runs with random cuts, a storage with a cache, wear. Then each rule that this rests on is
# taken out of a copy of lib/af_checkpoint.c, and the sweep has to notice.
#
#   LONG=1 test/check_power_cuts.sh      everything
#   test/check_power_cuts.sh             the tiny model, and each day other rules
#   test/check_power_cuts.sh NAME
# promise: power-cuts
set -u
cd "$(dirname "$0")/.." || exit 1
. test/check_common.sh
. test/options.sh

one_in=3
sample=(tiny without-commit-last)

numeric="-std=gnu99 -ffp-contract=off -fno-math-errno -Wall -Wextra -Wshadow -Werror -Ilib -Itest"
every_byte="-O2 $tiny -DSECOND_STRIDE=4"
# The four tears of flash.h that come first, a call each; a second cut now and then.
full="-O3 -DN_TEARS=4 -DERASE_BYTES=4096 -DPROGRAM_STRIDE=256 -DERASE_STRIDE=4096 -DSECOND_STRIDE=401 -DSECOND_CALLS=997 -DN_SEQUENCES=2"

build() { # NAME OPTIONS [AF_CHECKPOINT.C]
    local others=() file
    for file in lib/*.c; do
        [ "$file" = lib/af_checkpoint.c ] || others+=("$file")
    done
    # shellcheck disable=SC2086
    gcc $numeric $2 test/power_cuts.c "${others[@]}" "${3:-lib/af_checkpoint.c}" -o "$out/$1" >"$out/$1.log" 2>&1 || {
        fail "$1" "it does not compile: $(head -n 1 "$out/$1.log")"
        return 1
    }
}

run() { # NAME PROGRAM ARGUMENT...: counts and shows the program's own lines
    local name=$1 line status
    shift
    "$out/$1" "${@:2}" >"$out/$name.log" 2>&1
    status=$?
    while read -r line; do
        case $line in
        "ok "*) ok "$name-${line#ok }" ;;
        "FAIL "*) fail "$name-${line#FAIL }" "see above" ;;
        esac
    done <"$out/$name.log"
    [ $status -eq 0 ] || grep -q '^FAIL' "$out/$name.log" || fail "$name" "it ends with status $status"
}

if wanted tiny && build power_cuts_tiny "$every_byte"; then
    for what in wear cache runs sweep; do
        run "tiny-$what" power_cuts_tiny $what
    done
fi

if [ -n "$long$only" ] && wanted full && build power_cuts_full "$full"; then
    # The halves of the sweep side by side.
    for part in 0 1; do
        "$out/power_cuts_full" third $part 2 >"$out/full-$part.log" 2>&1 &
        pids[part]=$!
    done
    for part in 0 1; do
        if wait "${pids[part]}" && grep -q '^ok third-save' "$out/full-$part.log"; then
            ok "full-half-$part-$(sed -n 's/^ok third-save //p' "$out/full-$part.log")"
        else
            fail "full-half-$part" "$(grep FAIL "$out/full-$part.log")"
        fi
    done
    run full-wear power_cuts_full wear
fi

# ---- without one of the rules

without() { # RULE WHAT SED-SCRIPT...: the program WHAT has to fail on a copy without the rule
    local name=without-$1 what=$2 file=$out/without-$1.c script
    wanted "$name" || return 0
    shift 2
    cp lib/af_checkpoint.c "$file"
    for script in "$@"; do
        cp "$file" "$file.before"
        sed -i "$script" "$file"
        if cmp -s "$file" "$file.before"; then
            fail "$name" "nothing in lib/af_checkpoint.c is changed by: $script"
            return
        fi
    done
    build "$name" "$every_byte -Wno-unused -Wno-unused-parameter" "$file" || return
    if "$out/$name" $what >"$out/$name.said" 2>&1 || ! grep -q '^FAIL' "$out/$name.said"; then
        fail "$name" "power_cuts $what does not notice"
    else
        ok "$name ($(grep -m 1 '^FAIL' "$out/$name.said" | cut -c 6-100))"
    fi
}

any_sum='s/if (slot->sum_so_far == slot->sum)/if (true)/'
without commit-last sweep "$any_sum" \
    's/const uint32_t number = save->cursor;/const uint32_t number = page_of_visit(save->cursor);/' \
    's/return number == AFI_LAST_COMMIT ? AF_OK/return save->cursor > AFI_LAST_COMMIT ? AF_OK/'
without chunk-crc sweep "$any_sum" \
    's/^static bool is_page_good(.*{$/&\n    if (number != 0 \&\& number <= AFI_N_DATA) { return true; }/'
without sequence-number sweep 's/if (slot\[1\].sequence > slot\[0\].sequence)/if (false)/'
without second-commit-page sweep 's/const bool is_steady = .*/const bool is_steady = true;/'
without erase-in-same-save sweep \
    's/^    if (!storage->erase(.*/    uint8_t page[AFI_PAGE]; bool is_blank = true;\n    for (uint32_t b = 0; b < storage->erase_bytes; b += AFI_PAGE) {\n        (void)storage->read(storage->context, offset + b, page, AFI_PAGE);\n        for (size_t i = 0; i < AFI_PAGE; i++) { is_blank = is_blank \&\& page[i] == 255U; }\n    }\n    if (!is_blank \&\& !storage->erase(storage->context, offset, storage->erase_bytes)) {/'
without sync cache 's/if (number >= AFI_N_DATA \&\& storage->sync/if (number > AFI_LAST_COMMIT \&\& storage->sync/'
without all-checked-first sweep 's/^    return choose(newest, slot);/    (void)choose(newest, slot); return AF_OK;/'

finish
