#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Prints every constant of lib/af_math.h and examples/notebook7/layers/functions.h: coefficients, splittings of ln 2,
thresholds.

Needs the program sollya (Debian package of that name; made with 8.0). Run: python3 make_math.py
Each polynomial is the best one (minimax), for coefficients that are numbers of the type; its error is printed with it.
"""
import subprocess

SCRIPT = r"""
prec = 240; display = dyadic; verbosity = 0;
f = erf(x);                                   // fixes the name of the free variable

procedure row(label, poly) { var j; for j from 0 to degree(poly) do print(label, coeff(poly, j)); };
procedure formats(top_degree, bits) {
    var j, fmt;
    fmt = [||];
    for j from 0 to top_degree do fmt = bits .: fmt;
    return fmt;
};
procedure bound(label, width) { print("bound", label, round(log2(width), 12, RN)); };

// exp(r) = 1 + r + r^2/2 + r^3/6 + r^4 q(r) for abs(r) <= ln(2)/2 and a little more; 1/6 is rounded to the type.
procedure make_exp(name, degree_q, digits, r_max) {
    var p, q, i, terms, known;
    known = 1 + x + x^2/2 + round(1/6, digits, RN) * x^3;
    terms = [||];
    for i from 4 to degree_q + 4 do terms = terms :. i;
    p = remez(1 - known / exp(x), terms, [-r_max; r_max], 1 / exp(x));
    q = 0;
    for i from degree_q to 0 by -1 do q = q * x + round(coeff(p, i + 4), digits, RN);
    bound(name, dirtyinfnorm((known + x^4 * q) / exp(x) - 1, [-r_max; r_max]));
    row(name, q);
};

// log((1 + s) / (1 - s)) = 2 s + s^3 R(s^2) for abs(s) <= (sqrt 2 - 1) / (sqrt 2 + 1) and a little more.
procedure make_log(name, degree_r, digits) {
    var p, z_max, r;
    z_max = 0.1717^2;
    r = (log((1 + sqrt(x)) / (1 - sqrt(x))) - 2 * sqrt(x)) / (x * sqrt(x));
    p = fpminimax(r, degree_r, formats(degree_r, digits), [1b-40; z_max], floating, relative);
    bound(name, dirtyinfnorm(p / r - 1, [1b-40; z_max]));
    row(name, p);
};

// erf(t) = t + t p(t^2 - 1/2) for t <= 1; the error is relative to t.
procedure make_erf_small(name, degree_p, digits) {
    var p, g, span;
    g = erf(sqrt(x + 1/2)) / sqrt(x + 1/2) - 1;
    span = [1b-60 - 1/2; 1/2];
    p = fpminimax(g, degree_p, formats(degree_p, digits), span, floating, absolute);
    bound(name, dirtyinfnorm(p - g, span));
    row(name, p);
};

// erf(t) = c0 + d p(d), d = t - centre, on [low, high], where erf is at least 1/2; the error is absolute.
// The centre is near the middle, and of 121 such points the one whose erf is the nearest to a number of the type.
procedure make_erf_piece(name, degree_p, digits, low, high) {
    var p, g, i, c, c0, v, best, candidate, terms, span;
    best = 1;
    for i from -60 to 60 do {
        candidate = round((low + high) / 2, 12, RN) + i * 1b-10;
        v = erf(candidate) * 2^digits;
        if (abs(v - nearestint(v)) < best) then { best = abs(v - nearestint(v)); c = candidate; };
    };
    c0 = nearestint(erf(c) * 2^digits) * 2^(-digits);
    g = erf(x + c);
    span = [low - c; high - c];
    terms = [||];
    for i from 1 to degree_p do terms = terms :. i;
    p = fpminimax(g, terms, formats(degree_p - 1, digits), span, floating, absolute, c0);
    bound(name, dirtyinfnorm(p - g, span));
    print(name, c);
    row(name, p);
};

// tanh(t) = t + t z p(z), z = t^2, for t <= top.
procedure make_tanh(name, degree_p, digits, top) {
    var p, g;
    g = (tanh(sqrt(x)) / sqrt(x) - 1) / x;
    p = fpminimax(g, degree_p, formats(degree_p, digits), [1b-30; top^2], floating, relative);
    bound(name, dirtyinfnorm((p - g) * x / (1 + g * x), [1b-30; top^2]));
    row(name, p);
};

// sin(r) = r + r z (S + z p(z)), z = r^2, S = -1/6, and cos(r) = 1 + z (-1/2 + z (C + z p(z))), C = 1/24, for abs(r) <= pi/4
// and a little more. S and C are known to twice the precision, so the error is what p makes of the rest.
procedure make_sin(name, degree_p, digits, z_max) {
    var p, g;
    g = ((sin(sqrt(x)) / sqrt(x) - 1) / x + 1/6) / x;
    p = fpminimax(g, degree_p, formats(degree_p, digits), [1b-20; z_max], floating, absolute);
    bound(name, dirtyinfnorm((p - g) * x^2 / (sin(sqrt(x)) / sqrt(x)), [1b-20; z_max]));
    row(name, p);
};
procedure make_cos(name, degree_p, digits, z_max) {
    var p, g;
    g = (((cos(sqrt(x)) - 1) / x + 1/2) / x - 1/24) / x;
    p = fpminimax(g, degree_p, formats(degree_p, digits), [1b-20; z_max], floating, absolute);
    bound(name, dirtyinfnorm((p - g) * x^3 / cos(sqrt(x)), [1b-20; z_max]));
    row(name, p);
};

// A number as high + low.
procedure pair(name, value, digits) {
    print(name @ "_high", round(value, digits, RN));
    print(name @ "_low", round(value - round(value, digits, RN), digits, RN));
};

// pi/2 = a + b + c + d: a, b and c have so few bits that n times them is exact for every number n of quarter turns.
procedure quarter_turn(name, digits, bits_part) {
    var rest, part, i;
    print(name @ "_two_over_pi", round(2 / pi, digits, RN));
    rest = pi / 2;
    for i from 1 to 3 do {
        part = round(rest, bits_part, RZ);
        print(name @ "_half_pi", part);
        rest = rest - part;
    };
    print(name @ "_half_pi", round(rest, digits, RN));
};

// ln 2 = hi + lo: hi has so few bits that k * hi is exact for every exponent k.
procedure split(name, digits, bits_hi) {
    var hi;
    hi = round(log(2), bits_hi, RZ);
    print(name @ "_log2e", round(1 / log(2), digits, RN));
    print(name @ "_ln2_hi", hi);
    print(name @ "_ln2_lo", round(log(2) - hi, digits, RN));
};
"""

BUILDS = r"""
split("float", 24, 16);
make_exp("float_exp", 3, 24, 0.3468);
make_log("float_log", 3, 24);
make_erf_small("float_erf_small", 6, 24);
make_erf_piece("float_erf_near", 9, 24, 1, 2.25);
make_erf_piece("float_erf_far", 9, 24, 2.25, 3.9375);
make_tanh("float_tanh", 4, 24, 0.5625);
quarter_turn("float", 24, 14);
make_sin("float_sin", 2, 24, 0.62);
make_cos("float_cos", 2, 24, 0.62);
pair("float_sixth", 1/6, 24);
pair("float_24th", 1/24, 24);
pair("float_ln_10000", log(10000), 24);
split("double", 53, 42);
make_exp("double_exp", 8, 53, 0.3468);
make_log("double_log", 7, 53);
make_erf_small("double_erf_small", 13, 53);
for i from 0 to 7 do make_erf_piece("double_erf_" @ i, 14, 53, 1 + 0.625 * i, 1.625 + 0.625 * i);
make_tanh("double_tanh", 11, 53, 0.5625);
quarter_turn("double", 53, 33);
make_sin("double_sin", 5, 53, 0.62);
make_cos("double_cos", 5, 53, 0.62);
pair("double_sixth", 1/6, 53);
pair("double_24th", 1/24, 53);
pair("double_ln_10000", log(10000), 53);
quit;
"""


def main():
    command = ["sollya", "--warnonstderr"]
    text = subprocess.run(command, input=SCRIPT + BUILDS, capture_output=True, text=True, check=True)
    last = None
    for line in text.stdout.splitlines():
        words = line.split()
        if len(words) < 2 or words[0] in ("The", "Display"):
            continue
        if words[0] == "bound":
            mantissa, _, power = words[2].partition("b")
            print("// %s: error <= 2^%.2f" % (words[1], float(mantissa) * 2.0 ** int(power or 0)))
            continue
        mantissa, _, power = words[1].partition("b")
        value = float(int(mantissa)) * 2.0 ** int(power or 0)
        digits = 9 if words[0].startswith("float") else 17
        if words[0] != last:
            last = words[0]
            print(last)
        print("    AF_R(%.*g)" % (digits, value) + "  // " + value.hex())
    if text.stderr.strip():
        print(text.stderr)


main()
