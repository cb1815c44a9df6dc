#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs what the tests need and the machine lacks: Debian packages, by apt, with sudo where we are not root.
set -eu

packages=(
    make gcc g++ clang libclang-rt-14-dev        # compilers; runtime of clang's sanitizers
    libcriterion-dev libmpfr-dev                 # test framework; exact reference of the elementary functions
    clang-format clang-tidy cppcheck python3     # format and analysis; cppcheck's MISRA rules are in Python
    gcc-arm-none-eabi gdb librsvg2-bin           # cross compiler; debugger of README's example; renders the pictures
)

missing=()
for package in "${packages[@]}"; do
    state=$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || true)
    [ "$state" = "install ok installed" ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

if ! command -v apt-get >/dev/null; then
    echo "test/install.sh: this is not a Debian system; please install: ${missing[*]}" >&2
    exit 1
fi
root=()
[ "$(id -u)" = 0 ] || root=(sudo)
echo "installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
"${root[@]}" apt-get update -qq
"${root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
