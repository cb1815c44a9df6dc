#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Checkpoints and power cuts: sweeps over every interruption of a save for a tiny model (every byte), on flash of several
# kinds, and runs with random cuts, units that cannot be read, a storage with a cache, wear. Then each rule that this
# rests on is taken out of a copy of lib/af_checkpoint.c, and the sweep has to notice.
#
#   LONG=1 test/check_power_cuts.sh      everything: the default model as well, every call of the storage
#   test/check_power_cuts.sh             the tiny model, and each day another kind of flash and other rules
#   test/check_power_cuts.sh NAME
# promise: power-cuts
set -u
cd "$(dirname "$0")/.." || exit 1
. test/check_common.sh
. test/options.sh

one_in=8
sample=(tiny without-commit-last)
by_turns "ecc without-reading-on" "unit_512 without-commit-units-apart" "blank without-new-storage-unread" unit_2048

rm -rf "$out"/power_cuts-*
numeric="-std=gnu99 -ffp-contract=off -fno-math-errno -Wall -Wextra -Wshadow -Werror -Ilib -Itest"
second=4 # a second cut follows every so manieth first one
[ -n "$long$only" ] || second=16
every_byte="-O2 $tiny -DSECOND_STRIDE=$second -DN_TEARS=FLASH_UNREADABLE"
# Error correction in units of 32 bytes: what was interrupted cannot be read, always or at times; what is erased neither.
ecc="-O2 $tiny -DPROGRAM_BYTES=32 -DFIRST_TEAR=FLASH_UNREADABLE -DPROGRAM_STRIDE=32 -DERASE_STRIDE=32"
blank="$ecc -DBLANK_FAULTS=true -DERASED=0"
unit_512="-O2 $tiny -DPROGRAM_BYTES=512 -DERASE_BYTES=1024 -DPROGRAM_STRIDE=64 -DERASE_STRIDE=256 -DBLANK_FAULTS=true"
unit_2048="-O2 $tiny -DAF_STORAGE_UNIT=2048 -DPROGRAM_BYTES=2048 -DERASE_BYTES=4096 -DPROGRAM_STRIDE=256 -DERASE_STRIDE=1024 -DERASED=0"
# The four tears of flash.h that come first, a call each; a second cut now and then.
full_size="-O3 -DERASE_BYTES=4096 -DPROGRAM_STRIDE=256 -DERASE_STRIDE=4096 -DSECOND_STRIDE=401 -DSECOND_CALLS=997 -DN_SEQUENCES=2"
full="$full_size -DN_TEARS=4"
full_ecc="$full_size -DFIRST_TEAR=FLASH_UNREADABLE -DPROGRAM_BYTES=32 -DBLANK_FAULTS=true"

build() { # NAME OPTIONS [AF_CHECKPOINT.C]: the other files of lib/ once for each set of options
    local others=() file folder
    folder=$out/power_cuts-$(cksum <<<"$2" | cut -d ' ' -f 1)
    for file in lib/*.c; do
        [ "$file" = lib/af_checkpoint.c ] || others+=("$PWD/$file")
    done
    # shellcheck disable=SC2086
    if [ ! -d "$folder" ]; then
        mkdir -p "$folder.new"
        (cd "$folder.new" && gcc ${numeric//-I/-I$OLDPWD/} $2 -c "${others[@]}") >"$out/$1.log" 2>&1 && mv "$folder.new" "$folder"
    fi && gcc $numeric $2 -Wno-unused -Wno-unused-parameter test/power_cuts.c "$folder"/*.o \
        "${3:-lib/af_checkpoint.c}" -o "$out/$1" >"$out/$1.log" 2>&1 || {
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
    for what in wear cache runs units worn sweep; do
        run "tiny-$what" power_cuts_tiny $what
    done
fi

for kind in ecc blank unit_512 unit_2048; do
    if wanted "$kind" && build "power_cuts_$kind" "${!kind}"; then
        for what in wear runs units worn sweep; do
            run "$kind-$what" "power_cuts_$kind" $what
        done
    fi
done

if [ -n "$long$only" ] && wanted full-ecc && build power_cuts_full_ecc "$full_ecc"; then
    run full-ecc power_cuts_full_ecc third
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

on=$every_byte # the flash
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
    build "$name" "$on" "$file" || return
    if "$out/$name" $what >"$out/$name.said" 2>&1 || ! grep -q '^FAIL' "$out/$name.said"; then
        fail "$name" "power_cuts $what does not notice"
    else
        ok "$name ($(grep -m 1 '^FAIL' "$out/$name.said" | cut -c 6-100))"
    fi
}

any_sum=('s/if (slot->sum_so_far == slot->sum)/if (true)/' 's/if (sum != slot->sum ||/if (/')
without commit-last sweep "${any_sum[@]}" \
    's/const uint32_t i_unit = save->cursor;/const uint32_t i_unit = page_of_visit(save->cursor);/' \
    's/return i_unit > n_data ? AF_OK/return save->cursor > AFI_LAST_COMMIT ? AF_OK/'
without chunk-crc sweep "${any_sum[@]}" \
    's/^static bool is_page_good(.*{$/&\n    if (number != 0 \&\& number <= AFI_N_DATA) { return true; }/'
without sequence-number sweep 's/if (slot\[1\].sequence > slot\[0\].sequence)/if (false)/'
without second-commit-page sweep 's/const bool is_steady = .*/const bool is_steady = true;/'
without erase-in-same-save sweep \
    's/^    if (!storage->erase(.*/    uint64_t memory[AFI_PAGE_WORDS]; uint8_t *page = (uint8_t *)memory; bool is_blank = true;\n    for (uint32_t b = 0; b < storage->erase_bytes; b += AFI_PAGE) {\n        (void)storage->read(storage->context, offset + b, page, AFI_PAGE);\n        for (size_t i = 0; i < AFI_PAGE; i++) { is_blank = is_blank \&\& page[i] == 255U; }\n    }\n    if (!is_blank \&\& !storage->erase(storage->context, offset, storage->erase_bytes)) {/'
without sync cache 's/if (i_unit + 1U >= n_data \&\& storage->sync/if (i_unit > AFI_LAST_COMMIT \&\& storage->sync/'
without all-checked-first sweep \
    's/^    return is_dead ? AF_ERR_STORAGE : choose(newest, slot);/    (void)choose(newest, slot); return AF_OK;/'
without reading-back worn '/is_good = is_good &&$/{n;s/number == AFI_NO_PAGE/true/}'
without other-slot-at-second-read units 's/} while (status != AF_OK \&\& choose(&newest, slot) == AF_OK);/} while (false);/'
on=$ecc
without reading-on sweep 's/^    const bool is_good = is_read /    if (!is_read) { return AF_ERR_STORAGE; }\n&/'
without reading-on-units units 's/^    const bool is_good = is_read /    if (!is_read) { return AF_ERR_STORAGE; }\n&/'
on=$blank
without new-storage-unread sweep 's/const bool is_dead = storage->reads_erased \&\&/const bool is_dead =/'
on=$unit_512
without commit-units-apart sweep 's/return i == 0 ? AFI_N_DATA + 1U + i_unit - n_data : AFI_NO_PAGE;/return i < 2U ? AFI_N_DATA + 1U + i : AFI_NO_PAGE;/' \
    's/(n_data_units(unit) + number - AFI_N_DATA - 1U) \* unit;/n_data_units(unit) * unit + (number - AFI_N_DATA - 1U) * AFI_PAGE;/' \
    's/return i_unit > n_data ? AF_OK/return i_unit >= n_data ? AF_OK/'

finish
