#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every board, emulated: the programs of examples/firmware, built by gcc and by clang, print what the host prints, bit for
# bit. Ends with a table.
#
#   LONG=1 test/check_boards.sh      everything
#   test/check_boards.sh             a sample: one of each kind of processor, and each day others
#   test/check_boards.sh NAME        e.g. mps2-an386, mps2-an386-clang, mps2-an386/infer; needs QEMU, node, the compilers
# promise: same-bits, boards-same-bits, small-board-trains, power-cuts, weights-in-flash, sums-in-order
set -u
cd "$(dirname "$0")/.." || exit 1
unset MAKEFLAGS MFLAGS MAKELEVEL
. test/check_common.sh

build=${BUILD:-build}
results=$out/boards
limit=1800 # seconds for one program: what hangs is stopped, nothing is measured by it
trained=$build/trained.h
golden_map=test/golden/map.txt
golden_math=test/golden/math.txt

# LABEL PORT COMPILER STEPS: how many steps of the chapter's run. Long ones first. 0: the board only answers; small: the
# whole run of examples/firmware/small.h. Then the sample: when `make test` looks at the board, always or on the Kth of each N
# days (K/N), and at what. There a run is one step of eight sequences, or twenty of the small model.
targets="
mps2-an505            mps2-an505    arm-none-eabi-gcc       50  2/4    train infer protection map selftest overflow watchdog
mps3-an547            mps3-an547    arm-none-eabi-gcc       50  1/4    train infer protection map selftest order math
mps2-an500            mps2-an500    arm-none-eabi-gcc       50
mps2-an386            mps2-an386    arm-none-eabi-gcc       50  always train infer protection map selftest order math resume overflow alone
netduinoplus2-small   netduinoplus2 arm-none-eabi-gcc    small  always train selftest
rv32imac              rv32imac      riscv64-unknown-elf-gcc  2  2/4    train infer selftest overflow
rv32imac-clang        rv32imac      clang                    2
mps2-an385            mps2-an385    arm-none-eabi-gcc        2  0/4    train infer map selftest math
mps2-an385-clang      mps2-an385    clang                    2
rv32imafc             rv32imafc     riscv64-unknown-elf-gcc 10  always train infer map selftest
mps3-an547-clang      mps3-an547    clang                    2
mps2-an505-clang      mps2-an505    clang                    2
mps2-an500-clang      mps2-an500    clang                    2
mps2-an386-clang      mps2-an386    clang                    2  3/4    train infer selftest
rv32imafc-clang       rv32imafc     clang                    2
wasm32                wasm32        clang                   50  1/4    train infer map selftest order math overflow
x86-64                x86-64        gcc                     50  3/4    train infer map selftest resume overflow
x86-64-clang          x86-64        clang                   50
netduinoplus2         netduinoplus2 arm-none-eabi-gcc        0  3/4    infer selftest
netduinoplus2-clang   netduinoplus2 clang                    0
"
brief_run=
run=STEPS=50 # of the host
small_run=
if [ -z "$long$only" ]; then
    brief_run=yes
    run="STEPS=1 BATCH=8"
    small_run=STEPS=20
fi

# ------------------------------------------------------------------------------------------------------- one target

good() { echo "ok $label/$1"; }
bad() { echo "FAIL $label/$1: $2 ($0 $label/$1)"; }

# Runs a program of the target; what it prints is in $results/$label/PROGRAM.txt. Returns its exit status.
start() { # PROGRAM [VARIABLE=VALUE...]
    local program=$1
    shift
    timeout -k 10 "$limit" make -s "${how[@]}" "$@" "start-${program/watchdog/train}" </dev/null >"$results/$label/$program.txt" 2>&1
}

said() { # PROGRAM: its last words, after a failure
    tail -n 2 "$results/$label/$1.txt" | tr '\n' ' '
}

check_train() {
    local steps=$1 reference=$results/host/train.txt
    [ "$steps" != small ] || reference=$results/host-small/train.txt
    if ! start train; then
        bad train "it ends with a failure: $(said train)"
    elif [ "$steps" != small ] && ! cmp -s <(grep ^step "$reference" | head -n "$steps") <(grep ^step "$results/$label/train.txt"); then
        bad train "other numbers than the host: $(diff <(grep ^step "$reference") <(grep ^step "$results/$label/train.txt") | grep -m 1 '^>')"
    elif [ "$steps" = small ] && ! cmp -s <(grep -E '^(step|reversed)' "$reference") <(grep -E '^(step|reversed)' "$results/$label/train.txt"); then
        bad train "other numbers than the host: $(said train)"
    elif [ "$steps" = small ] && [ -n "$long$only" ] && ! grep -qx 'reversed 500 of 500' "$results/$label/train.txt"; then
        bad train "not every string is reversed: $(said train)"
    else
        good train
    fi
}

check_infer() {
    local line='^(answer|hash)'
    if ! start infer; then
        bad infer "it ends with a failure: $(said infer)"
    elif ! cmp -s <(grep -E "$line" "$results/host/infer.txt") <(grep -E "$line" "$results/$label/infer.txt"); then
        bad infer "other numbers than the host: $(said infer)"
    elif ! grep -qx 'answer: abcdefg|gfedcba' "$results/$label/infer.txt"; then
        bad infer "a wrong answer: $(said infer)"
    else
        good infer
    fi
}

# The weights are read-only under the memory protection unit: the port has tried a write, and it was refused.
check_protection() {
    if grep -qx 'weights: read-only, a write is refused' "$results/$label/infer.txt"; then
        good protection
    else
        bad protection "a write to the weights is not refused"
    fi
}

# Address, offset, bytes, phases, name, shape: all but the address are those of the committed map. Regions that are
# placed one by one have no gaps between them.
check_map() {
    if ! start map; then
        bad map "it ends with a failure: $(said map)"
    elif ! cmp -s <(awk '$4 !~ /_gap$/ { print $1, $2, $3, $4, $5 }' "$golden_map") \
        <(awk 'NF == 6 && $1 ~ /^[0-9A-F]+$/ { print $2, $3, $4, $5, $6 }' "$results/$label/map.txt"); then
        bad map "it is not the committed map, $golden_map"
    else
        good map
    fi
}

check_selftest() {
    if start selftest; then good selftest; else bad selftest "$(said selftest)"; fi
}

# Every sum that the host finds in order is in order here: test/order.c.
check_order() {
    if ! start test-order; then
        bad order "a sum in another order: $(grep -m 1 ^FAIL "$results/$label/test-order.txt" || said test-order)"
    elif ! cmp -s <(grep -oE '^ok (plain|layers)/[^:]*' "$results/host/test-order.txt") <(grep -oE '^ok [^:]*' "$results/$label/test-order.txt"); then
        bad order "other sums than on the host"
    else
        good order
    fi
}

# Cuts of the power while a checkpoint is saved, and the run goes on as if there had been none: test/resume.c.
check_resume() {
    if ! start test-resume; then
        bad resume "a cut is not survived: $(said test-resume)"
    elif ! cmp -s <(grep -E 'ends in' "$results/host/test-resume.txt") <(grep -E 'ends in' "$results/$label/test-resume.txt"); then
        bad resume "other states than on the host"
    else
        good resume
    fi
}

# The elementary functions at 2^20 points: test/math_points.c.
check_math() {
    if ! start test-math_points; then
        bad math "it ends with a failure: $(said test-math_points)"
    elif ! cmp -s <(grep ^points "$golden_math") <(grep ^points "$results/$label/test-math_points.txt"); then
        bad math "other results than those of $golden_math: $(diff <(grep ^points "$golden_math") "$results/$label/test-math_points.txt" | grep -m 1 '^>')"
    else
        good math
    fi
}

# A stack that is too small ends in a fault of the guard below it (Cortex-M: of memory protection, or the core's own stack
# limit), not in another one further on: no step is done, and the exit status says so.
check_overflow() {
    local fault='^fault [34] CFSR (0000..([1-9A-F].|.[1-9A-F])|00100000)$|^fault: cause 0000000[57] '
    if start overflow; then
        bad overflow "a stack overflow goes unnoticed"
    elif grep -q '^step' "$results/$label/overflow.txt"; then
        bad overflow "a stack overflow is noticed late"
    elif ! grep -qE "$fault|Segmentation fault|RuntimeError" "$results/$label/overflow.txt"; then
        bad overflow "a stack overflow does not fault at the guard: $(said overflow)"
    else
        good overflow
    fi
}

# A slice that takes longer than the watchdog's time: it bites, in the middle of a line perhaps. With its usual time, the
# runs above have fed it.
check_watchdog() {
    if start watchdog "BUILD=$build/watchdog" OPT=-DBOARD_WATCHDOG_MS=1U; then
        bad watchdog "the watchdog is not fed in time and does nothing"
    elif ! grep -q 'fault 2 CFSR' "$results/$label/watchdog.txt"; then
        bad watchdog "it is not the watchdog that ends the run: $(said watchdog)"
    else
        good watchdog
    fi
}

# Without a debugger, and the emulator not in its place, a program that has ended stays where it is and says nothing more.
check_alone() {
    local elf run emulator seconds=0 usual=$results/$label/selftest.txt alone=$results/$label/alone.txt
    elf=$(of_make '$(OUT)/firmware/selftest$(SUFFIX)' "${how[@]}")
    run=$(of_make '$(RUN)' "${how[@]}" | sed 's/-semihosting-config [^ ]*//')
    start selftest || true # what the program says; whether it succeeds is another check
    # shellcheck disable=SC2086
    timeout -k 10 "$limit" $run "$elf" </dev/null >"$alone" 2>"$results/$label/alone.log" &
    emulator=$!
    until cmp -s "$usual" "$alone" || ! kill -0 $emulator 2>/dev/null || [ $seconds -ge "$limit" ]; do
        sleep 1
        seconds=$((seconds + 1))
    done
    sleep 1 # it could say more
    if ! kill $emulator 2>/dev/null; then
        bad alone "it does not stay: $(head -n 1 "$results/$label/alone.log")"
    elif ! cmp -s "$usual" "$alone"; then
        bad alone "it says something else: $(said alone)"
    else
        good alone
    fi
    wait $emulator 2>/dev/null || true
}

# ---------------------------------------------------------------------------------------------------- its row of the table

float_unit() { # of the processor that is compiled for, by the compiler's macros
    local macros
    macros=$($(make -s "${how[@]}" --eval='facts:;@echo $(CC) $(PORT_FLAGS)' facts) -dM -E - </dev/null 2>/dev/null)
    case $macros in
    *'__ARM_FP 0xe'* | *'__ARM_FP 0xE'* | *'__ARM_FP 14'* | *__x86_64__* | *__wasm32__*) echo "single, double" ;;
    *'__ARM_FP '* | *'__riscv_flen 32'*) echo single ;;
    *) echo software ;;
    esac
}

section_bytes() { # FILE NAME...: of all sections that begin with one of the names
    local file=$1 names
    shift
    names=$(IFS='|' && echo "$*")
    llvm-size -A "$file" | awk -v names="^($names)" '$1 ~ names { sum += $2 } END { print sum + 0 }'
}

# Memories that hold parts of the arena, by their names in the linker script.
arena_memories() { # FILE.map
    if [ ! -f "$1" ]; then
        echo "linear memory"
        return
    fi
    python3 - "$1" <<'PYTHON'
import re, sys
text = open(sys.argv[1]).read()
memories = re.findall(r"^(\S+)\s+(0x[0-9a-f]+)\s+(0x[0-9a-f]+)", text[text.index("Memory Configuration"):text.index("Linker script")], re.M)
names = []
for size, address in [(int(n, 16), int(a, 16)) for a, n in re.findall(r"^\.arena\S*\s+(0x[0-9a-f]+)\s+(0x[0-9a-f]+)", text, re.M)]:
    for name, origin, length in memories:
        if size > 0 and name != "*default*" and int(origin, 16) <= address < int(origin, 16) + int(length, 16) and name not in names:
            names.append(name)
print("+".join(names) or "-")
PYTHON
}

row() { # STEPS: target, compiler, float, arena in, code, weights, data, stack, arena, hash, equal
    local program=train folder file hash equal=yes
    [ "$1" != 0 ] || program=infer
    [ -f "$results/$label/$program.txt" ] || return # it was not asked for
    folder=$(make -s "${how[@]}" --eval='facts:;@echo $(OUT)/firmware/'$program'$(SUFFIX)' facts)
    file=$folder
    hash=$(grep -oE 'hash (of the logits )?[0-9A-F]{8}' "$results/$label/$program.txt" | tail -n 1 | grep -oE '[0-9A-F]{8}$')
    ! grep -qE '^FAIL [^ ]*/(build|train|infer):' "$results/$label.result" || equal=NO
    case $port in
    wasm32)
        printf '%s|%s|%s|%s|%s|%s|%s|%s|%s|%s\n' "$label" clang "single, double" "linear memory" \
            "$(section_bytes "$file" CODE DATA)" - 4096 "$(sed -n 's/^arena: \([0-9]*\) bytes$/\1/p' "$results/$label/map.txt")" "$hash" "$equal"
        ;;
    *)
        printf '%s|%s|%s|%s|%s|%s|%s|%s|%s|%s\n' "$label" "${cc##*-}" "$(float_unit)" "$(arena_memories "${file%.elf}.map")" \
            "$(section_bytes "$file" .code .weights)" "$(section_bytes "$file" .data .bss)" "$(section_bytes "$file" .stack)" \
            "$(section_bytes "$file" .arena)" "$hash" "$equal"
        ;;
    esac
}

# -------------------------------------------------------------------------------------------------------------- all of it

# Whether a check of a target is asked for: the argument is part of its name, or it is the whole label.
asked() { # CHECK
    if [ -z "$long$only" ]; then
        [[ " $brief " == *" $1 "* ]]
    else
        [ "$only" = "$label" ] || [[ $label/$1 == *"$only"* ]]
    fi
}

target() { # LABEL PORT COMPILER STEPS TURN CHECK...: checks a target, into $results/LABEL.result and LABEL.row
    label=$1 port=$2 cc=$3 brief=${*:6}
    local steps=$4 log=$results/$1/build.log
    how=("BUILD=$build" "PORT=$port" "CC=$cc" "TRAINED=$trained")
    [[ $label != *-clang ]] || how[0]=BUILD=$build/clang
    case $steps in
    small)
        # shellcheck disable=SC2206
        how+=(MODEL=small $small_run)
        ;;
    0) ;;
    *)
        # shellcheck disable=SC2206
        if [ -n "$brief_run" ]; then how+=($run); else how+=("STEPS=$steps"); fi
        ;;
    esac
    mkdir -p "$results/$label"
    rm -f "$results/$label"/*.txt
    if ! make "${how[@]}" firmware >"$log" 2>&1; then
        bad build "it does not build: $(grep -m 1 -iE 'error|not found' "$log")"
        return
    fi
    good build
    [ "$steps" = 0 ] || ! asked train || check_train "$steps"
    if [ "$steps" != small ] && { asked infer || asked protection; }; then
        check_infer
        case $port in mps*) check_protection ;; esac
    fi
    [ "$steps" = 0 ] || [ "$steps" = small ] || ! asked map || check_map
    ! asked selftest || check_selftest
    [ "$label" != mps2-an386 ] || ! asked alone || check_alone
    [ "$steps" = 0 ] || ! asked order || check_order
    [ "$steps" = 0 ] || ! asked math || check_math
    case $label in mps2-an386 | mps2-an386-clang | mps3-an547 | rv32imafc | x86-64) ! asked resume || check_resume ;; esac
    [ "$steps" = 0 ] || ! asked overflow || check_overflow
    [ "$label" != mps2-an505 ] || ! asked watchdog || check_watchdog
}

one_target() { # the line of a target
    # shellcheck disable=SC2086
    set -- $1
    target "$@" >"$results/$1.result"
    row "$4" >"$results/$1.row"
}

# The host: the numbers that every board has to print. The small model's are those of another configuration.
# shellcheck disable=SC2086
host() {
    mkdir -p "$results/host" "$results/host-small"
    chapter_run >"$results/host/build.log" 2>&1 &&
        make BUILD="$build" PORT=host $run TRAINED="$trained" firmware >>"$results/host/build.log" 2>&1 &&
        make BUILD="$build" PORT=host MODEL=small $small_run firmware >>"$results/host/build.log" 2>&1 &&
        make -s BUILD="$build" PORT=host $run TRAINED="$trained" start-train >"$results/host/train.txt" 2>&1 &&
        make -s BUILD="$build" PORT=host TRAINED="$trained" start-infer >"$results/host/infer.txt" 2>&1 &&
        make -s BUILD="$build" PORT=host start-test-order >"$results/host/test-order.txt" 2>&1 &&
        make -s BUILD="$build" PORT=host start-test-resume >"$results/host/test-resume.txt" 2>&1 &&
        make -s BUILD="$build" PORT=host MODEL=small $small_run start-train >"$results/host-small/train.txt" 2>&1
}

mkdir -p "$results"
rm -f "$results"/*.result "$results"/*.row
chosen=$(awk -v only="$only" -v whole="$long$only" -v today="$today" '
    function is_its_turn() { return $5 == "always" || split($5, turn, "/") == 2 && today % turn[2] == turn[1] }
    NF >= 4 && (whole != "" || is_its_turn()) { name = only; sub("/.*", "", name); if (name == "" || index($1, name)) print }' <<<"$targets")
if [ -z "$chosen" ]; then
    echo "$0: no board matches '$only'" >&2
    exit 2
fi
if ! host; then
    fail host "the programs do not build or do not run on the host: $(tail -n 1 "$results/host/build.log")"
    finish
fi
ok host
export -f one_target target row asked good bad start said section_bytes arena_memories float_unit \
    check_train check_infer check_protection check_map check_selftest check_order check_resume check_math check_overflow check_watchdog \
    check_alone of_make make_
export only long build results limit trained golden_map golden_math brief_run run small_run
xargs -P "$jobs" -d '\n' -n 1 bash -c 'one_target "$1"' "$0" <<<"$chosen"

while read -r label _; do
    while IFS= read -r line; do
        echo "$line"
        n_checked=$((n_checked + 1))
        case $line in FAIL*) n_failed=$((n_failed + 1)) ;; esac
    done < <(cat "$results/$label.result" 2>/dev/null)
    if [ ! -s "$results/$label.result" ] || [ ! -e "$results/$label.row" ]; then # the row is a job's last file
        fail "$label" "its job did not come to its end"
    fi
done <<<"$chosen"
if [[ $only == */* ]] && [ "$n_failed" -eq 0 ] && ! grep -qF -- "$only" "$results"/*.result; then
    echo "$0: no check matches '$only'" >&2
    exit 2
fi

rows=$(cat "$results"/*.row 2>/dev/null)
if [ -n "$rows" ]; then
    printf '%s\n' 'target|compiler|float|arena in|code|data|stack|arena|hash|equal?' "$rows" | column -t -s '|' -R 5,6,7,8
fi
finish
