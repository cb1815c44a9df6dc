#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Prints the table of lib/af_numpy_normal.c: the right edges of the 256 layers under exp(-x^2 / 2) that NumPy draws normals from.

Every layer has the area v; the lowest one, number 0, is a rectangle with the tail beyond r beside it. The table inherits
the rounding errors of those who computed NumPy's: r and v are their doubles, each step is rounded to double, and at layer
38 the exponential was rounded to the wrong side of the two doubles around it. Python's decimal rounds exp, ln and sqrt
correctly. Run: python3 make_ziggurat.py
"""
import math
from decimal import Decimal, getcontext

getcontext().prec = 60
N = 256
R = float.fromhex("0x1.d3bb48209ad33p+1")  # where the tail begins
V = float.fromhex("0x1.43016a5a4372ep-8")  # area of a layer


def density(x):
    return float(Decimal(-0.5 * x * x).exp())


def edges():
    x = [0.0] * N
    f = density(R)
    x[0] = V / f  # wider than r: what a rectangle of height f(r) and area v would reach
    x[N - 1] = R
    for i in range(N - 2, 0, -1):
        x[i] = math.sqrt(-2.0 * float(Decimal(f + V / x[i + 1]).ln()))
        f = density(x[i])
        if i == 38:
            f = math.nextafter(f, 1.0)
    return x


def main():
    x = edges()
    # af_numpy_normal.c computes the share of layer 0 that is under the curve as it does that of the others.
    f = density(R)
    assert round(R * f / V * 2**52) == round(x[N - 1] / x[0] * 2**52)
    for i in range(0, N, 4):
        print("    " + " ".join("%.17g," % e for e in x[i : i + 4]))


main()
