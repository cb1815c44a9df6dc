# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Read by the check_*.sh scripts. A check prints one line, "ok NAME" or "FAIL NAME: why (command that re-runs it)", and
# after a failure what was found, indented. With an argument, a script runs only the checks whose name contains it.

only=${1:-}
out=${BUILD:-build}/check
jobs=${JOBS:-2}
n_failed=0
n_checked=0
mkdir -p "$out"

wanted() { # NAME
    [[ $1 == *"$only"* ]]
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

# A program of test/, built for a board in a folder and run; prints what it says. More arguments go to make.
run_on_board() { # FOLDER BOARD PROGRAM ARGUMENT...
    local elf=$1/$2/test/$3.elf said
    said=$(make_ BUILD="$1" PORT="$2" "${@:4}" "$elf" 2>&1) || { echo "$said"; return 1; }
    # shellcheck disable=SC2046
    timeout "${seconds:-120}" $(of_make '$(RUN)' PORT="$2" "${@:4}") "$elf" </dev/null 2>&1
}

# What runs a program for 32-bit x86: nothing, or QEMU where the kernel knows 64-bit programs alone.
i386=command
/lib/ld-linux.so.2 --version >/dev/null 2>&1 || i386=qemu-i386

# The warnings and the numeric options of the Makefile.
house=$(of_make '$(NUMERIC) $(WARN)')
if [ -z "$house" ]; then
    echo "FAIL makefile: NUMERIC and WARN cannot be read from it (make -n)"
    exit 1
fi
