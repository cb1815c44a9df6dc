#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Write ops.h and model.h, the numbers that test_ops.c and test_model.c expect: computed by PyTorch in float64.

Run:   python3 make_model.py          (writes both files beside itself; about a minute)
Needs: NumPy 1.17 or later, PyTorch (1.13 was used) on an x86-64 CPU with AVX2: others draw other initial weights.

The model is that of the chapter "Attention and the transformer block", put together from the chapter's text: pre-norm
blocks, causal attention divided by the root of a head's width, an MLP four times as wide with the exact GELU, learned
positions, a final layer norm, an output layer of its own. What the text leaves open is PyTorch's default.
"""
import os

import numpy as np
import torch
import torch.nn as nn
from torch.nn import functional

V, T, D, H, BLOCKS = 12, 25, 64, 2, 2
SEPARATOR, PAD, IGNORE = 10, 11, -100
BATCH, RATE, DECAY = 64, 0.003, 0.01
INITIAL_FNV = 0x494f4a77280285f6  # of all 412,976 bytes of the initial weights: streams.h has the same one

N_SAMPLES = 24      # entries of a tensor that are written out
N_PROJECTIONS = 32  # sums of a whole tensor with random signs
N_LOSSES = 100
WEIGHTS_AFTER = (1, 10, 20)


# -------------------------------------------------------------------------------------------------- the C side of it

class Header:
    """A file of C arrays."""

    def __init__(self, name, what):
        self.name = name
        self.lines = ["// clang-format off", "// SPDX-License-Identifier: MIT", f"// {what}",
                      "// Written by make_model.py; do not edit.",
                      f"// NumPy {np.__version__}, PyTorch {torch.__version__}.", "#include <stdint.h>", ""]

    def note(self, text):
        self.lines.append(f"// {text}")

    def define(self, name, value):
        self.lines.append(f"#define {name} {value}")

    def rows(self, ctype, name, shape, items):
        self.lines.append(f"static const {ctype} {name}{shape} = {{")
        line = "   "
        for item in items:
            if len(line) + len(item) + 2 > 120:
                self.lines.append(line)
                line = "   "
            line += f" {item},"
        self.lines += [line, "};", ""]

    def bits(self, name, tensor):
        """Inputs: the bit patterns of float32 numbers."""
        flat = tensor.detach().reshape(-1)
        assert torch.equal(flat.double(), flat.float().double()), name
        words = flat.float().numpy().view("<u4")
        self.rows("uint32_t", name, f"[{len(words)}]", [f"0x{w:08x}" for w in words])

    def integers(self, name, values, ctype="uint8_t"):
        values = [int(v) for v in values]
        self.rows(ctype, name, f"[{len(values)}]", [str(v) for v in values])

    def reals(self, name, values, shape=None):
        """Outputs: doubles with all their digits."""
        flat = np.asarray(values.detach() if torch.is_tensor(values) else values, np.float64).reshape(-1)
        self.rows("double", name, shape or f"[{len(flat)}]", [f"{v:.17g}" for v in flat])

    def save(self):
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), self.name)
        with open(path, "w", encoding="ascii") as out:
            out.write("\n".join(self.lines).rstrip("\n") + "\n")


# -------------------------------------------------------------------------------------------------------- operations

def normal(*shape, scale=1.0):
    """Random inputs: numbers that float32 has, as float64 leaves of the graph."""
    return (torch.randn(*shape, dtype=torch.float32) * scale).double().requires_grad_()


def attend(q, kv, first):
    """All heads for the queries at positions first, first + 1, ...; rows of kv are a key, then a value."""
    width = D // H
    rows, n_keys = q.shape[0], kv.shape[0]
    query = q.view(rows, H, width)
    key, value = kv[:, :D].view(n_keys, H, width), kv[:, D:].view(n_keys, H, width)
    score = torch.einsum("ihm,jhm->ihj", query, key) / width ** 0.5
    hidden = torch.arange(n_keys)[None, :] > (first + torch.arange(rows))[:, None]
    weight = score.masked_fill(hidden[:, None, :], -torch.inf).softmax(-1)
    return torch.einsum("ihj,jhm->ihm", weight, value).reshape(rows, D), weight


def layernorm_vectors(out):
    torch.manual_seed(101)
    n = 6
    spread = torch.tensor([1, 3, 0.25, 1, 0.004, 1])[:, None]  # the fifth row's variance is about that of eps
    x = ((torch.randn(n, D) + torch.randn(n, 1)) * spread).double().requires_grad_()
    g, b, d_y = normal(D), normal(D), normal(n, D)
    y = functional.layer_norm(x, (D,), g, b)
    y.backward(d_y)
    out.note("Layer norm: x [n][D], g, b [D], gradient of the output d_y [n][D].")
    out.define("LAYERNORM_N", n)
    for name, tensor in (("x", x), ("g", g), ("b", b), ("d_y", d_y)):
        out.bits(f"layernorm_{name}", tensor)
    out.reals("layernorm_y", y)
    out.reals("layernorm_mean", x.mean(1))
    out.reals("layernorm_rstd", 1 / (x.var(1, unbiased=False) + 1e-5).sqrt())
    for name, tensor in (("d_x", x.grad), ("d_g", g.grad), ("d_b", b.grad)):
        out.reals(f"layernorm_{name}", tensor)


def linear_vectors(out):
    torch.manual_seed(102)
    out.note("Linear: plain, 5 rows of 7 to 3; then 4 of 9 rows, named by linear_gather_row, of 64 to 12.")
    for case, n, n_x, n_in, n_out, row in (("plain", 5, 5, 7, 3, None), ("gather", 4, 9, 64, 12, [1, 2, 5, 8])):
        x, w, b, d_y = normal(n_x, n_in), normal(n_out, n_in, scale=n_in ** -0.5), normal(n_out), normal(n, n_out)
        y = functional.linear(x if row is None else x[row], w, b)
        y.backward(d_y)
        for name, value in (("N", n), ("N_X", n_x), ("N_IN", n_in), ("N_OUT", n_out)):
            out.define(f"LINEAR_{case.upper()}_{name}", value)
        if row is not None:
            out.integers(f"linear_{case}_row", row)
        for name, tensor in (("x", x), ("w", w), ("b", b), ("d_y", d_y)):
            out.bits(f"linear_{case}_{name}", tensor)
        for name, tensor in (("y", y), ("d_x", x.grad), ("d_w", w.grad), ("d_b", b.grad)):
            out.reals(f"linear_{case}_{name}", tensor)


def attention_vectors(out):
    torch.manual_seed(103)
    out.note("Attention: a whole sequence of 9; then the last 5 queries of a sequence of 25. att is [n][H][T].")
    for case, first, n in (("whole", 0, 9), ("last", 20, 5)):
        q, kv, d_heads = normal(n, D), normal(first + n, 2 * D), normal(n, D)
        heads, att = attend(q, kv, first)
        heads.backward(d_heads)
        out.define(f"ATTENTION_{case.upper()}_FIRST", first)
        out.define(f"ATTENTION_{case.upper()}_N", n)
        for name, tensor in (("q", q), ("kv", kv), ("d_heads", d_heads)):
            out.bits(f"attention_{case}_{name}", tensor)
        out.reals(f"attention_{case}_att", functional.pad(att, (0, T - first - n)))
        for name, tensor in (("heads", heads), ("d_q", q.grad), ("d_kv", kv.grad)):
            out.reals(f"attention_{case}_{name}", tensor)


def gelu_vectors(out):
    torch.manual_seed(104)
    special = [0, 1e-30, -1e-30, 1e-4, -1e-4, 0.5, -0.5, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6, 12, -12, 40, -40]
    x = torch.cat([torch.tensor(special), torch.randn(57) * 2]).double().requires_grad_()
    d_y = normal(len(x))
    y = functional.gelu(x)
    y.backward(d_y)
    out.note("The exact GELU.")
    out.define("GELU_N", len(x))
    out.bits("gelu_x", x)
    out.bits("gelu_d_y", d_y)
    out.reals("gelu_y", y)
    out.reals("gelu_d_x", x.grad)


def cross_entropy_vectors(out):
    torch.manual_seed(105)
    target = torch.tensor([IGNORE, 3, 0, IGNORE, 11, 7, 7, IGNORE, IGNORE, 2, 5, IGNORE])
    n = len(target)
    scale = torch.tensor([1, 1, 3, 1, 8, 0.01, 2, 1, 1, 30, 1, 50])[:, None]
    logits = (torch.randn(n, V) * scale).double().requires_grad_()
    loss = functional.cross_entropy(logits, target, ignore_index=IGNORE)
    loss.backward()
    n_targets = int((target != IGNORE).sum())
    out.note("Cross entropy: targets, 255 where ignored; the gradient is that of the mean over the others.")
    out.define("CROSS_ENTROPY_N", n)
    out.define("CROSS_ENTROPY_N_TARGETS", n_targets)
    out.integers("cross_entropy_target", [255 if t == IGNORE else t for t in target.tolist()])
    out.bits("cross_entropy_logits", logits)
    out.reals("cross_entropy_loss_sum", [loss.item() * n_targets])
    out.reals("cross_entropy_d_logits", logits.grad)


def embedding_vectors(out):
    torch.manual_seed(106)
    token, position = [3, 0, 11, 3, 3, 10, 1, 11, 2, 3], [0, 1, 2, 3, 4, 0, 1, 2, 24, 0]
    n = len(token)
    tok, pos, d_x = normal(V, D), normal(T, D), normal(n, D)
    x = tok[token] + pos[position]
    x.backward(d_x)
    out.note("Embedding: rows with repeated tokens and positions.")
    out.define("EMBEDDING_N", n)
    out.integers("embedding_token", token)
    out.integers("embedding_position", position)
    for name, tensor in (("tok", tok), ("pos", pos), ("d_x", d_x)):
        out.bits(f"embedding_{name}", tensor)
    for name, tensor in (("x", x), ("d_tok", tok.grad), ("d_pos", pos.grad)):
        out.reals(f"embedding_{name}", tensor)


def adamw_vectors(out):
    torch.manual_seed(107)
    n, done, steps = 24, 4, 3
    settings = [(RATE, DECAY), (0.125, 0.5)]
    # Gradients from 1 down to 1e-12, a third of them of the size of eps, so that the place of eps can be seen.
    size = torch.tensor([10.0 ** -(i // 2) for i in range(n)])
    p, m = torch.randn(n), torch.randn(n) * size * 0.3
    v = (torch.rand(n) * size) ** 2 * 0.01
    d = torch.randn(steps, n) * size
    m[3] = v[3] = 0
    d[:, 3] = 0
    out.note(f"AdamW: state after {done} steps and the gradients of {steps} more; for each setting p, m and v after")
    out.note("each step. Settings: rate and decay, chapter's and another.")
    out.define("ADAMW_N", n)
    out.define("ADAMW_DONE", done)
    out.define("ADAMW_STEPS", steps)
    out.define("ADAMW_SETTINGS", len(settings))
    out.reals("adamw_setting", settings)
    for name, tensor in (("p", p), ("m", m), ("v", v), ("d", d)):
        out.bits(f"adamw_{name}", tensor)
    after = {"p": [], "m": [], "v": []}
    for rate, decay in settings:
        weight = p.double().clone().requires_grad_()
        optimizer = torch.optim.AdamW([weight], lr=rate, weight_decay=decay)
        optimizer.state[weight] = {"step": torch.tensor(float(done)), "exp_avg": m.double().clone(),
                                   "exp_avg_sq": v.double().clone()}
        for step in range(steps):
            weight.grad = d[step].double()
            optimizer.step()
            state = optimizer.state[weight]
            after["p"].append(weight.detach().clone())
            after["m"].append(state["exp_avg"].clone())
            after["v"].append(state["exp_avg_sq"].clone())
    for name, values in after.items():
        out.reals(f"adamw_after_{name}", torch.stack(values))


def softmax_vectors(out):
    torch.manual_seed(108)
    lengths = [1, 2, 5, 12, 25, 25, 25]
    x = [torch.randn(n) * s for n, s in zip(lengths, (1, 1, 3, 1, 2, 40, 0.01))]
    x[5][7] = -300.0
    out.note("Softmax: vectors one after another, their lengths.")
    out.define("SOFTMAX_VECTORS", len(lengths))
    out.integers("softmax_n", lengths)
    out.bits("softmax_x", torch.cat(x))
    out.reals("softmax_p", torch.cat([v.double().softmax(0) for v in x]))


# ------------------------------------------------------------------------------------------------- the chapter's model

class SelfAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(D, 3 * D)
        self.out = nn.Linear(D, D)
        self.register_buffer("later", torch.ones(T, T, dtype=torch.bool).triu(1), persistent=False)

    def forward(self, x):
        batch, length, _ = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, H, D // H).permute(2, 0, 3, 1, 4)
        score = q @ k.mT / (D // H) ** 0.5
        weight = score.masked_fill(self.later[:length, :length], -torch.inf).softmax(-1)
        return self.out((weight @ v).transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln1 = nn.LayerNorm(D)
        self.attn = SelfAttention()
        self.ln2 = nn.LayerNorm(D)
        self.mlp = nn.Sequential(nn.Linear(D, 4 * D), nn.GELU(), nn.Linear(4 * D, D))

    def forward(self, x):
        x = x + self.attn(self.ln1(x))
        return x + self.mlp(self.ln2(x))


class Reverser(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok = nn.Embedding(V, D)
        self.pos = nn.Embedding(T, D)
        self.blocks = nn.Sequential(*(Block() for _ in range(BLOCKS)))
        self.ln_f = nn.LayerNorm(D)
        self.head = nn.Linear(D, V)

    def forward(self, token):
        return self.head(self.ln_f(self.blocks(self.tok(token) + self.pos.weight[:token.shape[1]])))


def batch_of(rng):
    """Tokens and targets of one step, padded to the context; the strings' lengths."""
    token = torch.full((BATCH, T), PAD)
    target = torch.full((BATCH, T), IGNORE)
    lengths = []
    for i in range(BATCH):
        n = int(rng.integers(3, 9))
        letters = torch.from_numpy(rng.integers(0, 10, n))
        token[i, :2 * n + 1] = torch.cat([letters, torch.tensor([SEPARATOR]), letters.flip(0)])
        target[i, n:2 * n] = letters.flip(0)
        lengths.append(n)
    return token, target, lengths


def initial_model(dtype):
    torch.manual_seed(1)
    return Reverser().to(dtype)


def check_initial_weights():
    h = 0xcbf29ce484222325
    for byte in b"".join(p.detach().numpy().astype("<f4").tobytes() for p in initial_model(torch.float32).parameters()):
        h = (h ^ byte) * 0x100000001b3 & 0xffffffffffffffff
    if h != INITIAL_FNV:
        raise SystemExit("This PyTorch draws other initial weights than one with AVX2 on x86-64: nothing written.")


def train(dtype, n_steps):
    """The chapter's run: gradients and logits of the first step, losses, weights after some of the steps."""
    model = initial_model(dtype)
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=DECAY)
    rng = np.random.default_rng(0)
    run = {"loss": [], "weights": {}}
    for step in range(1, n_steps + 1):
        token, target, lengths = batch_of(rng)
        logits = model(token)
        loss = functional.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=IGNORE)
        optimizer.zero_grad()
        loss.backward()
        run["loss"].append(loss.item())
        if step == 1:
            run["logits"] = torch.cat([row[:2 * n + 1] for row, n in zip(logits.detach(), lengths)]).double()
            run["gradient"] = {k: p.grad.double().clone() for k, p in model.named_parameters()}
        optimizer.step()
        if step in WEIGHTS_AFTER:
            run["weights"][step] = {k: without_key_bias(k, p.detach().double()) for k, p in model.named_parameters()}
    return run


def without_key_bias(name, tensor):
    """The key bias adds the same number to all scores of a query, so its gradient is 0 but for rounding, and AdamW
    makes steps of any size out of such noise: it is left out of comparisons of weights."""
    tensor = tensor.clone()
    if name.endswith("attn.qkv.bias"):
        tensor[D:2 * D] = 0
    return tensor


def signs(n):
    """[N_PROJECTIONS][n] of +1 and -1: bit k of a mixed-up i is the sign of element i in projection k."""
    x = np.arange(1, n + 1, dtype=np.uint32)
    x = (x ^ x >> np.uint32(16)) * np.uint32(0x7feb352d)
    x = (x ^ x >> np.uint32(15)) * np.uint32(0x846ca68b)
    x = x ^ x >> np.uint32(16)
    return np.array([1.0 - 2.0 * (x >> np.uint32(k) & np.uint32(1)) for k in range(N_PROJECTIONS)])


def summary(tensor, samples):
    """What is written of a tensor: its norm, some entries, and projections, which together see an error anywhere: the
    mean square of the projections of a difference is, on average over signs, the square of the difference's norm."""
    flat = tensor.reshape(-1).numpy()
    return np.concatenate([[np.linalg.norm(flat)], flat[samples], signs(flat.size) @ flat])


def samples_of(n, rng):
    order = rng.permutation(n)[:N_SAMPLES]
    return np.resize(order, N_SAMPLES)


def relative(a, b):
    return float((a - b).norm() / b.norm())


def model_vectors(out):
    exact, single = train(torch.float64, N_LOSSES), train(torch.float32, N_LOSSES)
    names = list(exact["gradient"])
    rng = np.random.default_rng(2024)
    samples = {k: samples_of(exact["gradient"][k].numel(), rng) for k in names}
    width = 1 + N_SAMPLES + N_PROJECTIONS
    for name, value in (("TENSORS", len(names)), ("SAMPLES", N_SAMPLES), ("PROJECTIONS", N_PROJECTIONS),
                        ("SUMMARY", width), ("LOSSES", N_LOSSES), ("SNAPSHOTS", len(WEIGHTS_AFTER))):
        out.define(f"MODEL_{name}", value)
    out.lines.append("")
    out.note("Parameters in the order of state_dict(), and how many numbers each has.")
    out.rows("char *const", "model_name", "[MODEL_TENSORS]", [f'"{k}"' for k in names])
    out.integers("model_size", [exact["gradient"][k].numel() for k in names], "uint32_t")
    out.note("Indexes of the entries that are written out; repeated where a tensor has fewer than MODEL_SAMPLES.")
    out.rows("uint32_t", "model_sample", "[MODEL_TENSORS * MODEL_SAMPLES]", [str(i) for k in names for i in samples[k]])
    out.note("A summary is the norm, the entries, and the projections.")
    out.note("Gradients of the first step; and how far float32 is from them in PyTorch, relative to the norm.")
    out.reals("model_gradient", [summary(exact["gradient"][k], samples[k]) for k in names],
              "[MODEL_TENSORS * MODEL_SUMMARY]")
    out.reals("model_gradient_float32", [relative(single["gradient"][k], exact["gradient"][k]) for k in names])
    out.note("Weights after these numbers of steps, the key bias set to 0; and how far PyTorch's float32 is from them.")
    out.integers("model_steps", WEIGHTS_AFTER)
    out.reals("model_weight", [summary(exact["weights"][s][k], samples[k]) for s in WEIGHTS_AFTER for k in names],
              "[MODEL_SNAPSHOTS * MODEL_TENSORS * MODEL_SUMMARY]")
    out.reals("model_weight_float32",
              [relative(single["weights"][s][k], exact["weights"][s][k]) for s in WEIGHTS_AFTER for k in names])
    logits = exact["logits"]
    places = rng.permutation(logits.numel())[:N_SAMPLES]
    out.note("Logits of the first batch at every position that is not padding, one sequence after another.")
    out.define("MODEL_LOGITS", logits.numel())
    out.integers("model_logit_sample", places, "uint32_t")
    out.reals("model_logits", summary(logits, places))
    out.reals("model_logits_float32", [relative(single["logits"], logits)])
    out.note("Losses of the chapter's run; in float64, and PyTorch's in float32.")
    out.reals("model_loss", exact["loss"])
    out.reals("model_loss_float32", single["loss"])


def main():
    torch.set_num_threads(1)
    check_initial_weights()
    ops = Header("ops.h", "Operations and their gradients, for test_ops.c.")
    for write in (layernorm_vectors, linear_vectors, attention_vectors, gelu_vectors, cross_entropy_vectors,
                  embedding_vectors, adamw_vectors, softmax_vectors):
        write(ops)
    ops.save()
    model = Header("model.h", "The chapter's model and its training, for test_model.c.")
    model_vectors(model)
    model.save()


if __name__ == "__main__":
    main()
