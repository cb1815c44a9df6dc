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

# The warnings and the numeric options of the Makefile, so that they are written down once.
house=$(env -u MAKEFLAGS -u MFLAGS make -s --no-print-directory --eval='house:;@echo $(NUMERIC) $(WARN)' house)
if [ -z "$house" ]; then
    echo "FAIL makefile: NUMERIC and WARN cannot be read from it (make -n)"
    exit 1
fi
