#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Makes the vectors of the tests again, from independent implementations: NumPy, mpmath and PyTorch (an x86-64 machine with
# AVX2, because PyTorch's initial weights depend on it), and prints the constants of the elementary functions (sollya) and
# of NumPy's normals.
# A file is replaced only when its script has ended well.
set -eu
cd "$(dirname "$0")"
python=${PYTHON:-/usr/bin/python3}

$python make_streams.py >streams.h.new
mv streams.h.new streams.h
$python make_normals.py >normals.h.new
mv normals.h.new normals.h
$python make_notebook7.py >notebook7.h.new
mv notebook7.h.new notebook7.h
$python make_model.py
$python make_ziggurat.py
$python make_variants.py
if command -v sollya >/dev/null; then
    $python make_math.py
else
    echo "sollya is not installed: the constants of lib/af_math.h were not computed again" >&2
fi
git --no-pager diff --stat -- .
