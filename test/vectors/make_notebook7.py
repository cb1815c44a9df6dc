#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes notebook7.h: what notebook 7 draws, by NumPy, and what follows from the draws, computed here with 200 bits and
rounded once, so that it is nobody's rounding. To standard output; needs python3-numpy and python3-mpmath.
"""
import mpmath as mp
import numpy as np

mp.mp.prec = 200
F = mp.mpf
N, D, H, DK, FF = 9, 8, 2, 4, 32

drawn = []  # (name in the map, step, bits)
exact = []  # (name in the map, step, numbers in row-major order)


def matrix(a):
    return [[F(float(v)) for v in row] for row in np.atleast_2d(a)]


def draw(name, step, a):
    drawn.append((name, step, np.ascontiguousarray(a, "<f8").tobytes()))
    return matrix(a)


def keep(name, step, m):
    exact.append((name, step, [v for row in m for v in row] if isinstance(m[0], list) else list(m)))
    return m


# ------------------------------------------------------------------------------------------------------- mathematics

def times(a, b):
    columns = list(zip(*b))
    return [[mp.fdot(row, c) for c in columns] for row in a]


def plus(a, b):
    return [[x + y for x, y in zip(r, s)] for r, s in zip(a, b)]


def transposed(a):
    return [list(c) for c in zip(*a)]


def softmax(z):
    top = max(z)
    e = [mp.mpf(0) if v == -mp.inf else mp.exp(v - top) for v in z]
    total = mp.fsum(e)
    return [v / total for v in e]


def attention(q, k, v, causal):
    root = mp.sqrt(len(k[0]))
    scores = times(q, transposed(k))
    w = [softmax([-mp.inf if causal and j > i else s / root for j, s in enumerate(row)]) for i, row in enumerate(scores)]
    return times(w, v), w


def multihead(x, heads, w_o, causal):
    """Output, the heads' outputs side by side, the weights of all heads, their queries, keys and values."""
    cat, weights, qkv = [[] for _ in x], [], []
    for head in heads:
        parts = [times(x, p) for p in head]
        out, w = attention(*parts, causal)
        weights += w
        qkv += [row for p in parts for row in p]
        cat = [c + o for c, o in zip(cat, out)]
    return times(cat, w_o), cat, weights, qkv


def norm(x):
    y = []
    for row in x:
        mean = mp.fsum(row) / len(row)
        variance = mp.fsum((v - mean) ** 2 for v in row) / len(row)
        y.append([(v - mean) / mp.sqrt(variance + F(1e-5)) for v in row])
    return y


def frequencies(d):
    return [1 / mp.power(10000, F(2 * i) / d) for i in range(d // 2)]


def rounded_frequencies(d):
    """As double arithmetic has them: the exponent is rounded, the power is rounded, its inverse is rounded."""
    return [1 / float(mp.power(10000, F(2 * i / d))) for i in range(d // 2)]


def encoding(n, d):
    return [[f(p * w) for w in frequencies(d) for f in (mp.sin, mp.cos)] for p in range(n)]


# -------------------------------------------------------------------------------------------------------- the steps

rng = np.random.default_rng(0)


def step_2():
    n = 16
    w = draw("work.recurrent.W", 2, rng.normal(0, 0.9 / np.sqrt(n), (n, n)))
    u = draw("work.recurrent.U", 2, rng.normal(0, 1 / np.sqrt(n), (n, n)))
    inputs = draw("work.recurrent.inputs", 2, rng.normal(0, 1, (60, n)))
    h, states, influence = [F(0)] * n, [], []
    jacobian = [[F(int(i == j)) for j in range(n)] for i in range(n)]
    for x in inputs:
        h = [mp.tanh(mp.fdot(a, h) + mp.fdot(b, x)) for a, b in zip(w, u)]
        jacobian = times([[(1 - v * v) * c for c in row] for v, row in zip(h, w)], jacobian)
        states.append(h)
        influence.append(mp.sqrt(mp.fsum(v * v for row in jacobian for v in row)))
    keep("work.recurrent.h", 2, states)
    keep("work.recurrent.jacobian", 2, jacobian)
    keep("work.recurrent.influence", 2, influence)


def step_3():
    x = [[F(2 * v) for v in row] for row in [[0, 0, 0, 1.0], [0.1, 0, 1.0, 0], [0, 0, 0.2, 0.8], [0.9, 0.8, 0, 0],
                                             [1.0, 0.3, 0, 0], [0.5, 0.9, 0, 0]]]
    scores = [mp.fdot(row, x[4]) / 2 for row in x]
    weights = softmax(scores)
    keep("work.toy.X_toy", 3, x)
    keep("work.toy.scores", 3, scores)
    keep("work.toy.weights", 3, weights)
    keep("work.toy.output", 3, times([weights], x)[0])


def step_4():
    for d in (4, 64, 512):
        path = f"work.scaling.d{d}."
        q = draw(path + "q", 4, rng.normal(size=d))[0]
        k = draw(path + "K", 4, rng.normal(size=(10, d)))
        raw = keep(path + "raw", 4, [mp.fdot(row, q) for row in k])
        scaled = keep(path + "scaled", 4, [v / mp.sqrt(d) for v in raw])
        keep(path + "w_raw", 4, softmax(raw))
        keep(path + "w_scaled", 4, softmax(scaled))


def step_5():
    x = draw("kept.X", 5, rng.normal(size=(N, D)))
    w = [draw("work.self." + name, 5, rng.normal(0, 1 / np.sqrt(D), (D, D))) for name in ("W_Q", "W_K", "W_V")]
    q, k, v = (keep("work.self." + name, 5, times(x, p)) for name, p in zip("QKV", w))
    for name, causal in (("full", False), ("causal", True)):
        out, weights = attention(q, k, v, causal)
        keep("work.self.out_" + name, 5, out)
        keep("work.self.w_" + name, 5, weights)
    return x


def step_6(x):
    heads = [[draw(f"kept.heads[{i}].{name}", 6, rng.normal(0, 1 / np.sqrt(D), (D, DK))) for name in ("Wq", "Wk", "Wv")]
             for i in range(H)]
    w_o = draw("kept.W_O", 6, rng.normal(0, 1 / np.sqrt(D), (D, D)))
    for step, causal in ((6, True), (0, False)):  # 0: not what a step leaves, but the same without mask
        mh, cat, weights, qkv = multihead(x, heads, w_o, causal)
        keep("work.late.qkv", step, qkv)
        keep("work.late.weight", step, weights)
        keep("work.late.cat", step, cat)
        keep("work.late.mh", step, mh)
    return heads, w_o


def step_7(x, heads, w_o):
    path = "work.late.part.positions."
    perm = rng.permutation(N)
    shuffled = [x[i] for i in perm]
    keep(path + "out", 7, multihead(x, heads, w_o, False)[0])
    keep(path + "out_shuffled", 7, multihead(shuffled, heads, w_o, False)[0])
    omega = keep(path + "omega", 7, frequencies(16))
    keep(path + "PE", 7, encoding(100, 16))
    rotation = [[F(0)] * 16 for _ in range(16)]
    for i, w in enumerate(omega):
        c, s = (f(3 * w) for f in (mp.cos, mp.sin))
        rotation[2 * i][2 * i : 2 * i + 2], rotation[2 * i + 1][2 * i : 2 * i + 2] = [c, s], [-s, c]
    keep(path + "R", 7, rotation)
    keep(path + "omega8", 7, frequencies(D))
    pe8 = keep("kept.PE8", 7, encoding(N, D))
    x_in = keep("kept.x_in", 7, plus(x, pe8))
    keep(path + "out_pe", 7, multihead(x_in, heads, w_o, False)[0])
    keep(path + "out_pe_shuffled", 7, multihead(plus(shuffled, pe8), heads, w_o, False)[0])
    return perm, x_in


def step_8(x_in, heads, w_o):
    path = "work.late.part.block."
    w1 = draw(path + "W1", 8, rng.normal(0, 1 / np.sqrt(D), (D, FF)))
    w2 = draw(path + "W2", 8, rng.normal(0, 1 / np.sqrt(FF), (FF, D)))
    mh = keep("work.late.mh", 8, multihead(x_in, heads, w_o, True)[0])
    norm1 = keep(path + "norm1", 8, norm(plus(x_in, mh)))
    hidden = keep(path + "hidden", 8, [[max(F(0), v) for v in row] for row in times(norm1, w1)])
    ffn = keep(path + "ffn", 8, times(hidden, w2))
    keep(path + "y", 8, norm(plus(norm1, ffn)))


# ------------------------------------------------------------------------------------------------------------ output

def fnv(data):
    h = 0xCBF29CE484222325
    for byte in data:
        h = (h ^ byte) * 0x100000001B3 & (1 << 64) - 1
    return h


def main():
    step_2()
    step_3()
    step_4()
    x = step_5()
    heads, w_o = step_6(x)
    perm, x_in = step_7(x, heads, w_o)
    step_8(x_in, heads, w_o)

    print("// SPDX-License-Identifier: MIT")
    print("// Written by make_notebook7.py; do not edit.")
    print(f"// NumPy {np.__version__}, mpmath {mp.__version__}.")
    print("// clang-format off\n#include <stdint.h>\n")
    print("// What is drawn: the tensor's name, the step after which it is there, FNV-1a of its bits.")
    print("static const struct { const char *name; unsigned step; uint64_t fnv; } drawn[] = {")
    for name, step, data in drawn:
        print(f'    {{"{name}", {step}, 0x{fnv(data):016x}U}},')
    print("};\n")
    print("static const uint16_t drawn_perm[%d] = {%s};\n" % (N, ", ".join(str(i) for i in perm)))
    state = rng.bit_generator.state
    print("// The generator after all draws: state high, low; what is pending.")
    print("static const uint64_t last_state[3] = {0x%016xU, 0x%016xU, %d};\n"
          % (state["state"]["state"] >> 64, state["state"]["state"] & (1 << 64) - 1, state["has_uint32"]))
    print("// FNV-1a of the frequencies of all even widths from 2 to 1024.")
    omega = b"".join(np.array(rounded_frequencies(d), "<f8").tobytes() for d in range(2, 1025, 2))
    print("static const uint64_t omega_fnv = 0x%016xU;\n" % fnv(omega))
    print("// What follows: the tensor's name, the step after which it is there (0: see test_notebook7.c), its numbers.")
    for i, (_, _, values) in enumerate(exact):
        print(f"static const double exact_{i}[{len(values)}] = {{")
        for k in range(0, len(values), 5):
            print("    " + " ".join("%.17g," % float(v) for v in values[k : k + 5]))
        print("};")
    print("\nstatic const struct { const char *name; unsigned step; size_t n; const double *value; } exact[] = {")
    for i, (name, step, values) in enumerate(exact):
        print(f'    {{"{name}", {step}, {len(values)}, exact_{i}}},')
    print("};")


main()
