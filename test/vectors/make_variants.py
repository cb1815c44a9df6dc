#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Write variants.h, the numbers that test_variants.c expects of the changed models: PyTorch in float64.

Run:   python3 make_variants.py       (writes the file beside itself; about two minutes)
Needs: what make_model.py needs.

Each variant is one change to the chapter's model: same initial weights, same strings, padded to the context. Of each
the gradient of the first step, as a summary of every parameter, and the losses of some steps.
"""
import collections

import torch
from torch.nn import functional

import make_model as chapter

Variant = collections.namedtuple("Variant", "name n_losses scaled causal axis residual post_norm all_targets")
VARIANTS = (
    Variant("unscaled", 50, False, True, -1, True, False, False),
    Variant("no_mask", 300, True, False, -1, True, False, False),
    Variant("queries", 128, True, True, -2, True, False, False),
    Variant("queries_no_mask", 20, True, False, -2, True, False, False),
    Variant("no_residual", 20, True, True, -1, False, False, False),
    Variant("post_norm", 20, True, True, -1, True, True, False),
    Variant("all_targets", 50, True, True, -1, True, False, True),
)


def attention(layer, x, v):
    batch, length, width = x.shape
    q, k, value = (layer.qkv(x).view(batch, length, 3, chapter.H, width // chapter.H).permute(2, 0, 3, 1, 4))
    score = q @ k.mT
    if v.scaled:
        score = score / (width // chapter.H) ** 0.5
    if v.causal:
        score = score.masked_fill(layer.later[:length, :length], -torch.inf)
    return layer.out((score.softmax(v.axis) @ value).transpose(1, 2).flatten(2))


def forward(model, token, v):
    def branch(x, norm, f):
        if v.post_norm:
            return norm(x + f(x) if v.residual else f(x))
        return x + f(norm(x)) if v.residual else f(norm(x))

    x = model.tok(token) + model.pos.weight[:token.shape[1]]
    for block in model.blocks:
        x = branch(x, block.ln1, lambda y, layer=block.attn: attention(layer, y, v))
        x = branch(x, block.ln2, block.mlp)
    return model.head(model.ln_f(x))


def targets_everywhere(token, lengths):
    target = torch.full_like(token, chapter.IGNORE)
    for i, n in enumerate(lengths):
        target[i, :2 * n] = token[i, 1:2 * n + 1]
    return target


def train(v, dtype):
    model = chapter.initial_model(dtype)
    optimizer = torch.optim.AdamW(model.parameters(), lr=chapter.RATE, weight_decay=chapter.DECAY)
    rng = chapter.np.random.default_rng(0)
    losses, gradient = [], None
    for _ in range(v.n_losses):
        token, target, lengths = chapter.batch_of(rng)
        if v.all_targets:
            target = targets_everywhere(token, lengths)
        logits = forward(model, token, v)
        loss = functional.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=chapter.IGNORE)
        optimizer.zero_grad()
        loss.backward()
        losses.append(loss.item())
        if gradient is None:
            gradient = {k: p.grad.double().clone() for k, p in model.named_parameters()}
        optimizer.step()
    return losses, gradient


def main():
    torch.set_num_threads(1)
    chapter.check_initial_weights()
    out = chapter.Header("variants.h", "The chapter's model with one change, for test_variants.c.")
    rng = chapter.np.random.default_rng(2025)
    model = chapter.initial_model(torch.float64)
    sizes = {k: p.numel() for k, p in model.named_parameters()}
    samples = {k: chapter.samples_of(n, rng) for k, n in sizes.items()}
    width = 1 + chapter.N_SAMPLES + chapter.N_PROJECTIONS
    for name, value in (("TENSORS", len(sizes)), ("SAMPLES", chapter.N_SAMPLES),
                        ("PROJECTIONS", chapter.N_PROJECTIONS), ("SUMMARY", width)):
        out.define(f"VARIANT_{name}", value)
    out.lines.append("")
    out.rows("char *const", "variant_tensor", "[VARIANT_TENSORS]", [f'"{k}"' for k in sizes])
    out.note("Indexes of the entries that a summary (norm, entries, projections) writes out.")
    out.rows("uint32_t", "variant_sample", "[VARIANT_TENSORS * VARIANT_SAMPLES]",
             [str(i) for k in sizes for i in samples[k]])
    for v in VARIANTS:
        losses, gradient = train(v, torch.float64)
        single, _ = train(v, torch.float32)
        out.note(f"{v.name}: gradients of the first step; losses, and how far PyTorch's float32 goes from them.")
        out.reals(f"gradient_{v.name}", [chapter.summary(gradient[k], samples[k]) for k in sizes],
                  "[VARIANT_TENSORS * VARIANT_SUMMARY]")
        out.reals(f"loss_{v.name}", losses)
        out.reals(f"float32_{v.name}", [max(abs(a - b) / b for a, b in zip(single, losses))])
    out.save()


if __name__ == "__main__":
    main()
