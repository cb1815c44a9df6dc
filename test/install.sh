#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs what the tests need and the machine lacks: Debian packages, by apt, with sudo where we are not root.
set -eu

packages=(
    make gcc g++ clang libclang-rt-14-dev        # compilers; runtime of clang's sanitizers
    libcriterion-dev libmpfr-dev                 # test framework; exact reference of the elementary functions
    clang-format clang-tidy cppcheck python3     # format and analysis; cppcheck's MISRA rules are in Python
    clang-tools-14 sparse pmccabe                # static analyser; semantic checks; complexity
    gdb librsvg2-bin                             # debugger of README's example; renders the pictures
    gcc-arm-none-eabi gcc-riscv64-unknown-elf    # cross compilers
    lld llvm                                     # linker, archiver and sizes for WebAssembly
    qemu-system-arm qemu-system-misc nodejs      # run the boards
    bsdextrautils                                # column, for tables
    clang-19 libclang-rt-19-dev llvm-19 tcc      # two more compilers for the matrix of builds; coverage with MC/DC
    lib32gcc-12-dev libc6-dev-i386               # 32-bit x86
    qemu-user                                    # runs programs for the processors below
    gcc-aarch64-linux-gnu libc6-dev-arm64-cross gcc-arm-linux-gnueabihf libc6-dev-armhf-cross
    gcc-s390x-linux-gnu libc6-dev-s390x-cross gcc-powerpc64-linux-gnu libc6-dev-ppc64-cross
    gcc-mips-linux-gnu libc6-dev-mips-cross gcc-riscv64-linux-gnu libc6-dev-riscv64-cross
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
