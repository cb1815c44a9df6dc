#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes normals.h, what NumPy draws as normals and permutations, to standard output."""
import numpy as np

SEEDS = [0, 1, 12345]
MORE_SEEDS = SEEDS + [(1 << 32) + 1, 0x123456789ABCDEF0]

# Draws of the first million in which a correctly rounded logarithm gives another last bit than the log1p that NumPy calls.
TAILS = {0: [241877, 439347, 606522], 1: [594851, 880546], 12345: []}


def fnv(data):
    h = 0xCBF29CE484222325
    for byte in data:
        h = (h ^ byte) * 0x100000001B3 & (1 << 64) - 1
    return h


def table(kind, name, values, fmt, per_line):
    print(f"static const {kind} {name}[{len(values)}] = {{")
    for i in range(0, len(values), per_line):
        print("    " + " ".join(fmt % v + "," for v in values[i : i + per_line]))
    print("};\n")


def words64(name, values):
    table("uint64_t", name, [int(v) for v in values], "0x%016xU", 5)


def bits(values):
    return [int(w) for w in np.asarray(values, "<f8").view("<u8")]


def state(rng):
    s = rng.bit_generator.state
    return [s["state"]["state"] >> 64, s["state"]["state"] & (1 << 64) - 1]


def main():
    print("// SPDX-License-Identifier: MIT")
    print("// Written by make_normals.py; do not edit.")
    print(f"// NumPy {np.__version__}.")
    print("// clang-format off\n#include <stdint.h>\n")
    new = np.random.default_rng

    print("// Seeds; for each 20 values of normal(0, 1) and 5 of normal(-1.5, 0.3), as bits.")
    words64("normal_seeds", MORE_SEEDS)
    words64("normal_values", [w for s in MORE_SEEDS for w in bits(new(s).normal(0, 1, 20)) + bits(new(s).normal(-1.5, 0.3, 5))])

    print("// The first million of normal(0, 1) for the first three seeds: FNV-1a of every hundred thousand in turn; the")
    print("// state of the generator after all of them.")
    hashes, states = [], []
    for s in SEEDS:
        rng = new(s)
        hashes += [fnv(rng.normal(0, 1, 100000).astype("<f8").tobytes()) for _ in range(10)]
        states += state(rng)
    words64("normal_fnv", hashes)
    words64("normal_states", states)

    print("// Draws whose last bit depends on the logarithm: number of the seed, index, bits in NumPy.")
    rows = []
    for i, s in enumerate(SEEDS):
        z = new(s).normal(0, 1, 1000000)
        for k in TAILS[s]:
            assert abs(z[k]) > 3.6541528853610088
            rows += [i, k] + bits([z[k]])
    words64("normal_tails", rows)

    print("// Permutations: seed, n; then FNV-1a of the numbers as 16-bit words, the state, and what is pending (or 0).")
    rows = []
    for s in MORE_SEEDS:
        for n in (0, 1, 2, 3, 9, 16, 17, 1000, 65535):
            rng = new(s)
            p = rng.permutation(n).astype("<u2")
            b = rng.bit_generator.state
            rows += [s, n, fnv(p.tobytes())] + state(rng) + [b["uinteger"] if b["has_uint32"] else 0]
    words64("permutation_rows", rows)

    print("// One generator, seed 0: permutation(9), three normals, permutation(16), two doubles.")
    rng = new(0)
    values = list(rng.permutation(9)) + bits(rng.normal(0, 1, 3)) + list(rng.permutation(16)) + bits(rng.random(2))
    words64("normal_mixed", values)


main()
