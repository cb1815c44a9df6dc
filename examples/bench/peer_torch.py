# SPDX-License-Identifier: MIT
"""PyTorch beside our own measurements: the chapter's model, written from the chapter's text.

    peer_torch.py THREADS

reads requests, one a line, and answers each with "minimum median" in milliseconds of k repetitions:

    train full K     a training step: batch 64, all 25 positions
    train cut K      the same on the 16 positions that strings of 3 to 8 letters reach
    batch N K        the same on 16 positions with N strings
    width W K        the same on 16 positions with vectors of W numbers
    context C K      strings of C / 2 letters, on their C positions
    decode K         a string of 8 letters reversed greedily, the sequence growing by a token at a time
    about 1          the versions in one line of text

The kind with "-foreach" ("train cut-foreach K") updates all tensors with AdamW's foreach implementation.
"""
import os
import sys

THREADS = sys.argv[1] if len(sys.argv) > 1 else "1"
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"):
    os.environ[name] = THREADS  # before the libraries are loaded: some read it only then

import math
import time

try:
    import torch
    from torch import nn
    from torch.nn import functional
except ImportError:
    print("missing", flush=True)
    sys.exit(0)

LETTERS, SEPARATOR, PAD, VOCAB = 10, 10, 11, 12
CONTEXT, DIM, HEADS, BLOCKS, BATCH = 25, 64, 2, 2, 64
SHORTEST, LONGEST = 3, 8
IGNORE = -100


class Attention(nn.Module):
    def __init__(self, dim, context):
        super().__init__()
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, dim)
        mask = torch.full((context, context), -math.inf).triu(1)
        self.register_buffer("mask", mask, persistent=False)

    def forward(self, x):
        batch, n, dim = x.shape
        parts = self.qkv(x).view(batch, n, 3, HEADS, dim // HEADS).permute(2, 0, 3, 1, 4)
        q, k, v = parts[0], parts[1], parts[2]
        scores = q @ k.transpose(-2, -1) / math.sqrt(dim // HEADS) + self.mask[:n, :n]
        heads = functional.softmax(scores, dim=-1) @ v
        return self.out(heads.transpose(1, 2).reshape(batch, n, dim))


class Block(nn.Module):
    def __init__(self, dim, context):
        super().__init__()
        self.ln1 = nn.LayerNorm(dim)
        self.attention = Attention(dim, context)
        self.ln2 = nn.LayerNorm(dim)
        self.mlp = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def forward(self, x):
        x = x + self.attention(self.ln1(x))
        return x + self.mlp(self.ln2(x))


class Model(nn.Module):
    def __init__(self, dim=DIM, context=CONTEXT):
        super().__init__()
        self.tok = nn.Embedding(VOCAB, dim)
        self.pos = nn.Embedding(context, dim)
        self.blocks = nn.Sequential(*[Block(dim, context) for _ in range(BLOCKS)])
        self.ln_f = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, VOCAB)

    def forward(self, token):
        x = self.tok(token) + self.pos.weight[: token.shape[1]]
        return self.head(self.ln_f(self.blocks(x)))


def draw_batch(n_positions, n_strings, shortest, longest):
    """A batch of the task: string, separator, reversed string; the loss looks from the separator on."""
    token = torch.full((n_strings, n_positions + 1), PAD)
    target = torch.full((n_strings, n_positions), IGNORE)
    for i in range(n_strings):
        n = int(torch.randint(shortest, longest + 1, ()))
        letters = torch.randint(0, LETTERS, (n,))
        token[i, : 2 * n + 1] = torch.cat([letters, torch.tensor([SEPARATOR]), letters.flip(0)])
        target[i, n : 2 * n] = letters.flip(0)
    return token[:, :n_positions].contiguous(), target


class Trainer:
    def __init__(self, n_positions, foreach=False, batch=BATCH, dim=DIM, lengths=(SHORTEST, LONGEST)):
        torch.manual_seed(1)
        self.model = Model(dim, max(CONTEXT, n_positions))
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=0.003, weight_decay=0.01, foreach=foreach)
        self.batches = [draw_batch(n_positions, batch, *lengths) for _ in range(8)]
        self.n_done = 0

    def step(self):
        token, target = self.batches[self.n_done % len(self.batches)]
        self.n_done += 1
        self.optimizer.zero_grad(set_to_none=True)
        logits = self.model(token)
        loss = functional.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=IGNORE)
        loss.backward()
        self.optimizer.step()


class Decoder:
    def __init__(self):
        torch.manual_seed(1)
        self.model = Model().eval()
        letters = torch.randint(0, LETTERS, (1, 8))
        self.prompt = torch.cat([letters, torch.tensor([[SEPARATOR]])], 1)

    @torch.inference_mode()
    def step(self):
        token = self.prompt
        for _ in range(8):
            token = torch.cat([token, self.model(token)[:, -1].argmax(-1, keepdim=True)], 1)


def measure(what, repetitions):
    times = []
    for _ in range(repetitions):
        start = time.perf_counter()
        what.step()
        times.append(1000 * (time.perf_counter() - start))
    times.sort()
    return times[0], times[len(times) // 2]


def about():
    blas = "unknown"
    for line in open("/proc/self/maps", encoding="ascii", errors="replace"):
        path = line.split()[-1]
        if any(part in path for part in ("blas", "mkl_rt", "blis")) and ".so" in path:
            blas = path
    if "/blas/libblas" in blas:
        blas = "the reference BLAS, which is slow: install libopenblas0-pthread for a fair comparison"
    return "PyTorch %s, BLAS: %s" % (torch.__version__, blas)


def main():
    torch.set_num_threads(int(THREADS))
    subjects = {}
    cut = 2 * LONGEST
    sized = {
        "batch": lambda n: Trainer(cut, batch=n),
        "width": lambda n: Trainer(cut, dim=n),
        "context": lambda n: Trainer(n, lengths=(n // 2, n // 2)),
    }
    makers = {
        "train full": lambda: Trainer(CONTEXT),
        "train cut": lambda: Trainer(cut),
        "train full-foreach": lambda: Trainer(CONTEXT, foreach=True),
        "train cut-foreach": lambda: Trainer(cut, foreach=True),
        "decode": Decoder,
    }
    for line in sys.stdin:
        kind, _, repetitions = line.strip().rpartition(" ")
        if kind == "about":
            print(about(), flush=True)
            continue
        name, _, size = kind.partition(" ")
        if name in sized and size.isdigit() and kind not in makers:
            makers[kind] = lambda name=name, size=int(size): sized[name](size)
        if kind not in makers or not repetitions.isdigit() or int(repetitions) < 1:
            print("unknown request", flush=True)
            continue
        if kind not in subjects:
            subjects[kind] = makers[kind]()
            measure(subjects[kind], 3)
        print("%.6f %.6f" % measure(subjects[kind], int(repetitions)), flush=True)


main()
