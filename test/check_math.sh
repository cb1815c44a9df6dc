#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The elementary functions: float over every 97th of all 2^32 inputs with gcc and clang, which must give the same bits;
# double against MPFR; the checkers themselves must be able to fail.
set -u
cd "$(dirname "$0")/.."
out=${BUILD:-build}/check
mkdir -p "$out"
status=0
flags="-std=c99 -ffp-contract=off -fno-math-errno -fno-trapping-math -Ilib"
stride=${STRIDE:-97}

ok() { echo "ok $1"; }
fail() { echo "FAIL $1 (test/check_math.sh)"; status=1; }

# shellcheck disable=SC2086
{
    gcc $flags -O3 test/exhaustive_math.c -o "$out/math_gcc" -lm &&
        clang $flags -O2 test/exhaustive_math.c -o "$out/math_clang" -lm &&
        gcc $flags -O2 -DAF_REAL=double test/mpfr_math.c -o "$out/math_mpfr" -lmpfr -lgmp -lm
} || { fail "math programs do not build"; exit 1; }

"$out/math_gcc" all "$stride" >"$out/math_gcc.txt" 2>&1 && ok "float functions within their bounds" || { cat "$out/math_gcc.txt"; fail "float functions within their bounds"; }
"$out/math_clang" all "$stride" >"$out/math_clang.txt" 2>&1
cmp -s "$out/math_gcc.txt" "$out/math_clang.txt" && ok "the same bits from gcc and clang" || fail "the same bits from gcc and clang"
"$out/math_gcc" exp 9973 0.4 >/dev/null 2>&1 && fail "a bound of 0.4 ulp must not hold" || ok "a bound of 0.4 ulp does not hold"
"$out/math_mpfr" >"$out/math_mpfr.txt" 2>&1 && ok "double functions within their bounds" || { cat "$out/math_mpfr.txt"; fail "double functions within their bounds"; }
"$out/math_mpfr" 1000 0.5 >/dev/null 2>&1 && fail "a bound of 0.5 ulp must not hold" || ok "a bound of 0.5 ulp does not hold"
exit $status
