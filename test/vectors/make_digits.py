#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes lib/af_inner_digits.h to standard output: the decimal digits of every number of the configuration, as tokens.

The preprocessor cannot turn the value of an expression into text. It can compare: ten comparisons find a digit.
"""

# Letter in a name, macro, largest value.
NUMBERS = [
    ("V", "AF_VOCAB", 65534),
    ("T", "AF_CONTEXT", 4096),
    ("D", "AF_DIM", 4096),
    ("H", "AF_HEADS", 64),
    ("L", "AF_BLOCKS", 64),
    ("F", "AF_FF", 16384),
    ("M", "AF_MICRO_BATCH", 1024),
    ("W", "AF_WORKERS", 64),
    ("P", "AF_DECODE_ROWS", 4096),
    ("A", "AF_ALIGN", 4096),
    ("U", "AF_STORAGE_UNIT", 65536),
    ("C", "AF_CONSTANTS_SUM", 1000000007),
    # Single digits: switches, and what has few values.
    ("", "AF_SCALED", 1),
    ("", "AF_CAUSAL", 1),
    ("", "AF_SOFTMAX_QUERIES", 1),
    ("", "AF_RESIDUAL", 1),
    ("", "AF_POST_NORM", 1),
    ("", "AF_PACKED", 1),
    ("", "AF_RECOMPUTE", 2),
    ("", "AF_PRUNED", 1),
    ("", "AF_TRAINING", 1),
    ("", "AF_MAP", 1),
    ("", "AF_STREAMS", 1),
]


def digit(macro, place, most, whole):
    """The lines that define a digit; a leading 0 is no token at all."""
    name = f"{macro}_{10 ** place}"
    value = f"({macro}) / {10 ** place}" if place else f"({macro})"
    if most > 9:
        most, value = 9, f"{value} % 10"
    lines = []
    if whole >= 10 ** place and place > 0:
        lines += [f"#if ({macro}) < {10 ** place}", f"#define {name}"]
    for d in range(0, most + 1):
        if d == 0 and place > 0 and whole < 10 ** (place + 1):
            continue  # the leading digit of the largest number
        if d == most and lines:
            lines.append("#else")
        else:
            lines.append(f"#{'el' if lines else ''}if {value} == {d}")
        lines.append(f"#define {name} {d}")
    return lines + ["#endif"]


def wrapped(line):
    """A directive of at most 120 columns a line."""
    if len(line) <= 120:
        return line
    cut = line.rindex(" ", 0, 118)
    return line[:cut] + " \\\n" + wrapped("    " + line[cut + 1 :])


def main():
    print("// SPDX-License-Identifier: MIT")
    print("/// Decimal digits of the configuration's numbers, as tokens that names are made of: see af_names.h. Written by")
    print("/// test/vectors/make_digits.py. A digit is found by comparing, so a number may be any expression.")
    print("#ifndef AF_INNER_DIGITS_H\n#define AF_INNER_DIGITS_H\n\n// clang-format off\n")
    for letter, macro, most in NUMBERS:
        places = len(str(most))
        for place in range(places):
            print("\n".join(digit(macro, place, most // 10**place, most)))
        names = "".join(f", {macro}_{10 ** place}" for place in reversed(range(places)))
        if letter:
            print(wrapped(f"#define AF_TEXT_{macro[3:]} AF_JOIN{places}({letter}{names})"))
        print()
    longest = max(len(str(most)) for _, _, most in NUMBERS)
    for n in sorted({len(str(most)) for letter, _, most in NUMBERS if letter}):
        arguments = ", ".join("abcdefghijk"[:n])
        print(f"#define AF_JOIN{n}(l, {arguments}) AF_JOIN{n}_(l, {arguments})")
        print(f"#define AF_JOIN{n}_(l, {arguments}) l##{arguments.replace(', ', '##')}")
    assert longest == 10
    print("\n// clang-format on\n\n#endif")


if __name__ == "__main__":
    main()
