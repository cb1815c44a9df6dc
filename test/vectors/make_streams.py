#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Write streams.h, the numbers that test_streams.c expects: drawn by NumPy and PyTorch themselves.

Run:   python3 make_streams.py > streams.h
Needs: NumPy 1.17 or later, PyTorch (1.13 was used) on an x86-64 CPU with AVX2; PyTorch draws other normals elsewhere.
"""
import sys

import numpy as np
import torch
import torch.nn as nn

V, T, D, F, BLOCKS = 12, 25, 64, 256, 2


# -------------------------------------------------------------------------------------------------- the C side of it

def fnv(data):
    """FNV-1a, 64 bits."""
    h = 0xcbf29ce484222325
    for byte in data:
        h = (h ^ byte) * 0x100000001b3 & 0xffffffffffffffff
    return h


def fnv32(tensor):
    """Of a tensor's little-endian float32 bytes, in memory order."""
    return fnv(tensor.detach().numpy().astype("<f4").tobytes())


def table(ctype, name, values, fmt, per_line):
    items = [fmt % v for v in values]
    print(f"static const {ctype} {name}[{len(items)}] = {{")
    for i in range(0, len(items), per_line):
        print("    " + ", ".join(items[i:i + per_line]) + ",")
    print("};\n")


def words64(name, values):
    table("uint64_t", name, values, "0x%016xU", 5)


def words32(name, values):
    table("uint32_t", name, values, "0x%08xU", 8)


def float_bits(tensor):
    return [int(b) for b in tensor.detach().numpy().view("<u4")]


# ------------------------------------------------------------------------------------------------------------- NumPy

def numpy_state(rng):
    s = rng.bit_generator.state
    split = lambda v: [v >> 64, v & (1 << 64) - 1]
    return split(s["state"]["state"]) + split(s["state"]["inc"])


NUMPY_SEEDS = [0, 1, 123, 12345, 1 << 32, (1 << 32) + 1, 0x1234567890, (1 << 64) - 1]


def numpy_vectors():
    print("// NumPy: seeds; for each the state after seeding (state high, low, increment high, low),")
    print("// ten 64-bit words, and ten doubles as their bits.")
    words64("numpy_seeds", NUMPY_SEEDS)
    words64("numpy_states", [w for s in NUMPY_SEEDS for w in numpy_state(np.random.default_rng(s))])
    words64("numpy_words", [int(w) for s in NUMPY_SEEDS for w in np.random.default_rng(s).bit_generator.random_raw(10)])
    words64("numpy_doubles", [int(w) for s in NUMPY_SEEDS for w in np.random.default_rng(s).random(10).view("<u8")])

    print("// NumPy: integers(lo, hi). seed, lo, hi; ten values; a 64-bit word and what is pending after it (or 0).")
    rows = []
    for seed, lo, hi in [(0, 0, 10), (123, 0, 10), (0, 3, 9), (7, 0, 1 << 31), (0, 0, 2147483649), (1, 0, 3000000000),
                         (12345, 1000, 3000001000), (5, 4000000000, 4294967295), (9, 0, 4294967295),
                         (3, 17, 18)]:
        rng = np.random.default_rng(seed)
        row = [seed, lo, hi] + [int(rng.integers(lo, hi)) for _ in range(10)]
        again = np.random.default_rng(seed)
        assert row[3:] == [int(v) for v in again.integers(lo, hi, 10)]
        assert again.bit_generator.state == rng.bit_generator.state
        row += [int(rng.bit_generator.random_raw())]
        s = rng.bit_generator.state
        row += [s["uinteger"] if s["has_uint32"] else 0]
        rows.append(row)
    print(f"#define INTEGER_ROWS {len(rows)}")
    table("uint64_t", "numpy_integers", [v for r in rows for v in r], "%uU", 5)

    print("// NumPy: FNV-1a of 2,000 rounds of integers(3, 9); 3 integers(0, 3000000000); every seventh round a")
    print("// double; all as 64-bit values, on default_rng(12345); then the state.")
    rng = np.random.default_rng(12345)
    out = []
    for i in range(2000):
        out += [int(rng.integers(3, 9))] + [int(v) for v in rng.integers(0, 3000000000, 3)]
        if i % 7 == 0:
            out += [int(np.float64(rng.random()).view("<u8"))]
    words64("numpy_mixed_fnv", [fnv(np.array(out, "<u8").tobytes())])
    words64("numpy_mixed_state", numpy_state(rng)[:2])


def root_vectors():
    print("// Square roots. The inputs are 64-bit words of default_rng(1) taken as bits of doubles, sign cleared,")
    print("// infinities and NaN left out, 30,000 tried; every third with its exponent cleared: a subnormal. FNV-1a of")
    print("// the roots' bits.")
    w = np.random.default_rng(1).bit_generator.random_raw(30000) & np.uint64(0x7fffffffffffffff)
    w[::3] &= np.uint64(0x000fffffffffffff)
    w = w[(w >> np.uint64(52)) != 0x7ff]
    words64("root_double_fnv", [fnv(np.sqrt(w.view("<f8")).tobytes())])
    print("// The same with 32-bit halves as floats: lower half first, 30,000 words of default_rng(2).")
    w = np.random.default_rng(2).bit_generator.random_raw(15000).astype("<u8").view("<u4") & np.uint32(0x7fffffff)
    w[::3] &= np.uint32(0x007fffff)
    w = w[(w >> np.uint32(23)) != 0xff]
    words64("root_float_fnv", [fnv(np.sqrt(w.view("<f4")).tobytes())])


# ----------------------------------------------------------------------------------------------------------- PyTorch

class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(D, 3 * D)
        self.out = nn.Linear(D, D)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln1 = nn.LayerNorm(D)
        self.attn = Attention()
        self.ln2 = nn.LayerNorm(D)
        self.mlp = nn.Sequential(nn.Linear(D, F), nn.GELU(), nn.Linear(F, D))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok = nn.Embedding(V, D)
        self.pos = nn.Embedding(T, D)
        self.blocks = nn.ModuleList([Block() for _ in range(BLOCKS)])
        self.ln_f = nn.LayerNorm(D)
        self.head = nn.Linear(D, V)


TORCH_SEEDS = [0, 1, 12345]


def torch_words(n):
    """The next n words, lower 31 bits: the most that PyTorch shows of a single word."""
    return [int(v) for v in torch.empty(n, dtype=torch.int64).random_(0, 1 << 31)]


def torch_vectors():
    print("// PyTorch: MT19937's words, lower 31 bits: ten for each of these seeds; then 3 after 2,000 more.")
    seeds = [0, 1, 7, 12345, (1 << 40) + 7, (1 << 64) - 1]
    rows = []
    for s in seeds:
        torch.manual_seed(s)
        rows += torch_words(10)
        torch_words(2000)
        rows += torch_words(3)
    words64("torch_word_seeds", seeds)
    words32("torch_words", rows)

    print("// PyTorch: the initial model for each of these seeds: FNV-1a of every parameter in parameters() order,")
    print("// then of all together; three words (31 bits) after it.")
    words64("torch_seeds", TORCH_SEEDS)
    hashes, after = [], []
    for seed in TORCH_SEEDS:
        torch.manual_seed(seed)
        model = Model()
        after += torch_words(3)
        hashes += [fnv32(p) for p in model.parameters()]
        hashes += [fnv(b"".join(p.detach().numpy().astype("<f4").tobytes() for p in model.parameters()))]
    n = len(list(model.parameters()))
    if hashes[n + 1] != 0x7fa79e095e8eb8cf:
        sys.exit("This PyTorch draws other normals than one with AVX2 on x86-64: not written.")
    print(f"#define MODEL_TENSORS {n}")
    words64("torch_model_fnv", hashes)
    words32("torch_model_after", after)

    print("// PyTorch: weight and bias of nn.Linear(fan_in, 16) after manual_seed(3): the first 16 values of the")
    print("// weight as bits, FNV-1a of the weight and of the bias, for each fan_in.")
    fans = [1, 3, 12, 32, 48, 100, 128, 1000]
    bits, hashes = [], []
    for fan in fans:
        torch.manual_seed(3)
        layer = nn.Linear(fan, 16)
        bits += float_bits(layer.weight.reshape(-1)[:16])
        hashes += [fnv32(layer.weight), fnv32(layer.bias)]
    words32("torch_uniform_fans", fans)
    words32("torch_uniform_bits", bits)
    words64("torch_uniform_fnv", hashes)

    print("// PyTorch: normal_(0, 1): seed, n; then the values as bits, row after row; two words (31 bits) after each.")
    print("// The last four seeds draw a word that makes u1 = 1, so the radius is 0: 1 in 2^24 does.")
    rows = [(5, 16), (5, 17), (5, 31), (5, 32), (5, 100)] + [(s, 16) for s in (1753191, 2934939, 3109716, 5528393)]
    bits, after = [], []
    for seed, n in rows:
        torch.manual_seed(seed)
        bits += float_bits(torch.empty(n).normal_())
        after += torch_words(2)
    assert bits.count(0) == 8
    words32("torch_normal_rows", [v for row in rows for v in row])
    words32("torch_normal_bits", bits)
    words32("torch_normal_after", after)

    print("// PyTorch: FNV-1a of 100,000 normals after manual_seed(6).")
    torch.manual_seed(6)
    words64("torch_normal_fnv", [fnv32(torch.empty(100000).normal_())])


print("// SPDX-License-Identifier: MIT")
print("// Written by make_streams.py; do not edit.")
print(f"// NumPy {np.__version__}, PyTorch {torch.__version__}.")
print("// clang-format off\n#include <stdint.h>\n")
numpy_vectors()
root_vectors()
torch_vectors()
