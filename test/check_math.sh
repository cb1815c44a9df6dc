#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The elementary functions, GELU and its slope: float over every 997th of all 2^32 inputs (LONG=1: every 97th), within the bounds and with the
# CRC-32C of test/golden/math.txt from gcc and from clang; double against MPFR; the checkers themselves must be able to
# fail.
#
#   test/check_math.sh [POINTS]      POINTS: only double against MPFR, at so many points a set, at least 10; 4000000 are ten
#                                    million and more of every function
#   STRIDE=1 test/check_math.sh      float over all 2^32 inputs, about 40 minutes
# promise: math-errors, math-same-bits, gelu-error
set -u
cd "$(dirname "$0")/.." || exit
out=${BUILD:-build}/check
mkdir -p "$out"
status=0
flags="-std=c99 -ffp-contract=off -fno-math-errno -fno-trapping-math -Ilib -Iexamples/notebook7"
points=50000
stride=${STRIDE:-997}
[ -z "${LONG:-}" ] || { points=500000 stride=${STRIDE:-97}; }
golden=test/golden/math.txt

for number in "${1-10}" "$stride"; do
    if [ $# -gt 1 ] || ! [[ $number =~ ^[1-9][0-9]{0,8}$ ]]; then
        echo "usage: [STRIDE=N] test/check_math.sh [POINTS]: '$number' is no number of points and no stride" >&2
        exit 2
    fi
done

ok() { echo "ok $1"; }
fail() { echo "FAIL $1 (test/check_math.sh)"; status=1; }

# shellcheck disable=SC2086
{
    gcc $flags -O3 test/exhaustive_math.c lib/af_crc32c.c -o "$out/math_gcc" -lm &&
        clang $flags -O2 test/exhaustive_math.c lib/af_crc32c.c -o "$out/math_clang" -lm &&
        gcc $flags -O2 -DAF_REAL=double test/mpfr_math.c -o "$out/math_mpfr" -lmpfr -lgmp -lm
} || { fail "math programs do not build"; exit 1; }

double_functions() { # POINTS
    "$out/math_mpfr" "$1" >"$out/math_mpfr.txt" 2>&1 && ok "double functions within their bounds, $1 points a set" || { cat "$out/math_mpfr.txt"; fail "double functions within their bounds"; }
}

# The sums of a compiler are the committed ones of this stride. Of a stride that has none: clang's are gcc's.
same_bits() { # COMPILER
    local expected name="$1: the check sums of $golden" difference
    expected=$(grep "^crc [a-z_]* $stride " "$golden")
    if [ -z "$expected" ]; then
        [ "$1" != gcc ] || return 0
        expected=$(grep ^crc "$out/math_gcc.txt")
        name="$1: the check sums of gcc, $golden has none of stride $stride"
    fi
    difference=$(diff <(echo "${expected:-no check sums}") <(grep ^crc "$out/math_$1.txt"))
    if [ -z "$difference" ]; then
        ok "$name"
    else
        echo "$difference"
        fail "$name"
    fi
}

# A checker ends with status 1 because of the size of an error, and of nothing else.
may_not_hold() { # BOUND FUNCTION PATTERN PROGRAM ARGUMENT...: a line of its output has to match
    local name="a bound of $1 does not hold for $2" pattern=$3 log=$out/math_bound.txt
    shift 3
    "$@" >"$log" 2>&1
    if [ $? -eq 1 ] && grep -qE "$pattern" "$log" && grep -qx ' *FAILED' "$log" && ! grep -qE 'wrong special|values FAILED' "$log"; then
        ok "$name"
    else
        cat "$log"
        fail "$name"
    fi
}

if [ $# -gt 0 ]; then
    double_functions "$1"
    exit $status
fi

"$out/math_gcc" all "$stride" >"$out/math_gcc.txt" 2>&1 && ok "float functions within their bounds" || { cat "$out/math_gcc.txt"; fail "float functions within their bounds"; }
"$out/math_clang" crc all "$stride" >"$out/math_clang.txt" 2>&1
same_bits gcc
same_bits clang
for function in exp gelu gelu_slope; do
    may_not_hold 0.4 $function '^  normal .*\(bound 0\.40\)' "$out/math_gcc" $function 9973 0.4
done
double_functions $points
may_not_hold "0.5 ulp" exp '^exp .*\(bound 0\.50\).*  FAILED$' "$out/math_mpfr" 1000 0.5
exit $status
