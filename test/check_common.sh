# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Read by the check_*.sh scripts. A check prints one line, "ok NAME" or "FAIL NAME: why (command that re-runs it)", and
# after a failure what was found, indented. With an argument, a script runs only the checks whose name contains it.
# Without one, where everything takes long, it runs a sample, and everything with LONG=1 (make prove).

only=${1:-}
long=${LONG:-}
out=${BUILD:-build}/check
jobs=${JOBS:-2}
n_failed=0
n_checked=0
mkdir -p "$out"

# A script that samples sets `sample`, patterns of the names that always are in it, `by_turns` or `one_in`: each day, another
# check in so many is. Every check of that kind has had its turn after as many days.
sample=()
one_in=
today=${TODAY:-$(($(date +%s) / 86400))}

by_turns() { # NAMES...: of these lists of names, each day another one is in the sample
    local names
    read -ra names <<<"${@:$((today % $# + 1)):1}"
    sample+=("${names[@]}")
}

wanted() { # NAME: whether a check is to run
    local pattern
    [[ $1 == *"$only"* ]] || return
    [ -z "$long$only" ] || return 0
    for pattern in "${sample[@]}"; do
        # shellcheck disable=SC2053
        [[ $1 != $pattern ]] || return 0
    done
    if [ -n "$one_in" ]; then
        [ $((($(cksum <<<"$1" | cut -d ' ' -f 1) + today) % one_in)) -eq 0 ]
    else
        [ ${#sample[@]} -eq 0 ]
    fi
}

ok() { # NAME
    n_checked=$((n_checked + 1))
    echo "ok $1"
}

fail() { # NAME WHY [COMMAND]
    n_checked=$((n_checked + 1))
    n_failed=$((n_failed + 1))
    echo "FAIL $1: $2 (${3:-$0 $1})"
}

nothing() { # NAME WHY FOUND [COMMAND]: the check holds if FOUND is empty
    if [ -z "$3" ]; then
        ok "$1"
    else
        fail "$1" "$2" "${4:-}"
        head -n 12 <<<"$3" | sed 's/^/    /'
    fi
}

quoted() { # WORD...: as a shell would read it
    printf '%q ' "$@"
}

finish() {
    if [ "$n_checked" -eq 0 ]; then
        echo "$0: no check matches '$only'" >&2
        exit 2
    fi
    [ "$n_failed" -eq 0 ]
    exit
}

make_() { # ARGUMENT...: make, as if nothing above this script were one
    env -u MAKEFLAGS -u MFLAGS make -s --no-print-directory "$@"
}

of_make() { # EXPRESSION [ARGUMENT...]: what it is in the Makefile, so that nothing is written down twice
    make_ --eval="print-it:;@echo $1" "${@:2}" print-it
}

# The chapter's whole run by the host's program as it is now, once for all scripts: trained.h, .weights and .csv in the
# folder of the build, and of which program they are.
chapter_run() {
    local build=${BUILD:-build} program
    make_ BUILD="$build" "$build/host/reversal" || return
    program=$(cksum <"$build/host/reversal")
    [ -f "$build/trained.h" ] && [ "$program" = "$(cat "$build/trained.of" 2>/dev/null)" ] && return
    rm -f "$build/trained.h" "$build/trained.of"
    make_ BUILD="$build" "$build/trained.h" && echo "$program" >"$build/trained.of"
}

# A program of test/, built for a board in a folder and run; prints what it says. More arguments go to make.
run_on_board() { # FOLDER BOARD PROGRAM ARGUMENT...
    local elf=$1/$2/test/$3.elf said
    said=$(make_ BUILD="$1" PORT="$2" "${@:4}" "$elf" 2>&1) || { echo "$said"; return 1; }
    # shellcheck disable=SC2046
    timeout "${seconds:-120}" $(of_make '$(RUN)' PORT="$2" "${@:4}") "$elf" </dev/null 2>&1
}

# A program of this machine once more, so that what its rows rest on can be made wrong: test/flips.c between the program
# and its functions, and a file of it with other roots and logarithms.
flipped_program() { # TO OBJECTS SOURCE OPTION...: the make variables' names, a source of the program that calls these
    local to=$1 objects=$2 source=$3 others wraps=() flags symbol
    shift 3
    # shellcheck disable=SC2016
    flags=$(of_make '$(NUMERIC) $(PORT_FLAGS) $(CONFIG)')
    others=$(of_make "$objects" | tr ' ' '\n' | grep -v "/${source%.c}.o\$")
    # shellcheck disable=SC2086
    gcc -O1 $flags -Wall -Wextra -Werror -Ilib -Iport -Iexamples/common "$@" -c test/flips.c -o "$to-flips.o" &&
        gcc -O1 $flags -Ilib -Iport -Iexamples/common "$@" -include test/flip_math.h -c "$source" -o "$to-source.o" || return
    for symbol in $(nm "$to-flips.o" | sed -n 's/.* T __wrap_//p'); do
        wraps+=("-Wl,--wrap=$symbol")
    done
    # shellcheck disable=SC2086
    gcc "${wraps[@]}" "$to-flips.o" "$to-source.o" $others -lpthread -lm -o "$to"
}

# What runs a program for 32-bit x86: nothing, or QEMU where the kernel knows 64-bit programs alone.
i386=command
/lib/ld-linux.so.2 --version >/dev/null 2>&1 || i386=qemu-i386

# The warnings and the numeric options of the Makefile.
house=$(of_make '$(NUMERIC) $(WARN)')
free="-ffreestanding -Ilib"
m4f="arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16"
m3="arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -mfloat-abi=soft"
if [ -z "$house" ]; then
    echo "FAIL makefile: NUMERIC and WARN cannot be read from it (make -n)"
    exit 1
fi

# A file's code: without comments, but with its directives. Line numbers stay.
code() { # FILE
    gcc -fpreprocessed -dD -E -x c "$1" 2>/dev/null | grep -vE '^# [0-9]|^[[:space:]]*#[[:space:]]*error'
}
