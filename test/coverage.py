#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Lines, branches and MC/DC of lib/ over several builds: what one of them reaches is reached.

    coverage.py [--brief] TABLE FOLDER...

A folder holds what llvm-cov says of one build: coverage.json, coverage.lcov, coverage.show. Everything is counted once for its
place in the source, however many builds and functions hold it. A condition that is a constant in one build is no
condition there; one that is a constant in all of them is none at all. The table lists what is excluded, and why. With --brief, of
a part of the tests, at least 99 % of each have to be reached.
"""
import json
import os
import re
import sys

MOST_EXCLUSIONS = 5
LEAST_BRIEF = 0.99


class Union:
    """What the builds have reached, by place: (file, line, column, end line, end column)."""

    def __init__(self):
        self.line = {}  # (file, line): executions
        self.branch = {}  # place: [times true, times false]
        self.decision = {}  # (place of a decision, its conditions, which are constants): vectors that were executed

    def add_lines(self, path):
        with open(path, encoding="utf-8") as lines:
            for text in lines:
                if text.startswith("SF:"):
                    file = of_lib(text[3:].strip())
                elif text.startswith("DA:") and file:
                    number, count = text[3:].strip().split(",")[:2]
                    key = (file, int(number))
                    if not is_code(*key):
                        continue
                    self.line[key] = self.line.get(key, 0) + int(count)

    def add_branches(self, path):
        """Constants are not among llvm-cov's branches."""
        with open(path, encoding="utf-8") as text:
            functions = json.load(text)["data"][0]["functions"]
        for function in functions:
            for *place, n_true, n_false, number, _, _ in function["branches"]:
                file = of_lib(function["filenames"][number])
                if file:
                    counts = self.branch.setdefault((file, *place), [0, 0])
                    counts[0] += n_true
                    counts[1] += n_false

    def add_decisions(self, path):
        """The vectors of conditions and outcomes that were executed. Only llvm-cov's text says which conditions are constants;
        builds in which other conditions are constants have another decision there."""
        file = None
        with open(path, encoding="utf-8") as lines:
            for text in lines:
                if text.startswith("/") and text.endswith(":\n"):
                    file = of_lib(text[:-2])
                elif m := re.search(r"MC/DC Decision Region \((\d+):(\d+)\)", text):
                    place, conditions, vectors, constants = (file, int(m[1]), int(m[2])), [], set(), set()
                elif m := re.search(r"Condition C\d+ --> \((\d+):(\d+)\)", text):
                    conditions.append((int(m[1]), int(m[2])))
                elif m := re.search(r"\{ (.*)= (.) ", text):
                    vectors.add((tuple(c.strip() for c in m[1].split(",")), m[2]))
                elif m := re.search(r"C(\d+)-Pair: constant folded", text):
                    constants.add(int(m[1]) - 1)
                elif "MC/DC Coverage for" in text and file:
                    key = (place, tuple(conditions), tuple(sorted(constants)))
                    self.decision.setdefault(key, set()).update(vectors)

    def conditions(self):
        """{(file, line, column): whether it was shown to decide alone, in one of the decisions that builds have there}"""
        shown = {}
        for ((file, *_), conditions, constants), vectors in self.decision.items():
            alone = set()
            for a, outcome_a in vectors:
                for b, outcome_b in vectors:
                    differ = [i for i, (x, y) in enumerate(zip(a, b)) if x != y and "-" not in (x, y)]
                    if outcome_a != outcome_b and len(differ) == 1:
                        alone.add(differ[0])
            for i, place in enumerate(conditions):
                if i not in constants:
                    shown[file, *place] = shown.get((file, *place), False) or i in alone
        return shown


def of_lib(path):
    """lib/NAME, or None for a file elsewhere."""
    path = os.path.relpath(path)
    return path if path.startswith("lib" + os.sep) else None


def read_table(path):
    """Rows | file | `lines` as they are in the source, with <br> between | what is not reached | why |."""
    rows = []
    with open(path, encoding="utf-8") as lines:
        for text in lines:
            cells = [c.strip() for c in text.strip().strip("|").split(" | ")]
            if text.startswith("| `lib/"):
                rows.append([cells[0].strip("`"), re.findall(r"`(.*?)`(?:<br>|$)", cells[1].replace("\\|", "|")), *cells[2:]])
    return rows


def is_code(file, number):
    """Not a comment or a directive that stands within a function, nor a brace alone."""
    text = source_line(file, number)
    return file.endswith((".c", ".h")) and not text.startswith(("#", "//")) and not text.endswith("\\") and text not in ("", "}", "};")


def source_line(file, number, cache={}):
    if file not in cache:
        with open(file, encoding="utf-8") as lines:
            cache[file] = lines.read().split("\n")
    return cache[file][number - 1].strip()


def main():
    is_brief = sys.argv[1] == "--brief"
    table, *folders = sys.argv[1 + is_brief :]
    table = read_table(table)
    union = Union()
    for folder in folders:
        union.add_lines(os.path.join(folder, "coverage.lcov"))
        union.add_branches(os.path.join(folder, "coverage.json"))
        union.add_decisions(os.path.join(folder, "coverage.show"))

    missed = {"line": [], "branch": [], "condition": []}
    for (file, number), count in union.line.items():
        if count == 0:
            missed["line"].append((file, number, "not executed"))
    for (file, line, column, *_), (n_true, n_false) in union.branch.items():
        for count, outcome in ((n_true, "true"), (n_false, "false")):
            if count == 0:
                missed["branch"].append((file, line, f"column {column} never {outcome}"))
    conditions = union.conditions()
    for (file, line, column), is_shown in conditions.items():
        if not is_shown:
            missed["condition"].append((file, line, f"column {column} not shown to decide alone"))
    total = {
        "line": len(union.line),
        "branch": 2 * len(union.branch),
        "condition": len(conditions),
    }

    is_missing = False
    is_used = [False] * len(table)
    for what, names in (("line", "lines"), ("branch", "branches"), ("condition", "conditions (MC/DC)")):
        excluded, left = [], []
        for file, number, why in sorted(missed[what]):
            rows = [i for i, r in enumerate(table) if r[0] == file and source_line(file, number) in r[1] and what in r[2].split()]
            for row in rows:
                is_used[row] = True
            (excluded if rows else left).append((file, number, why))
        n, n_good = total[what] - len(excluded), total[what] - len(missed[what])
        figures = f"{n_good} of {n} {names}, {len(excluded)} excluded"
        is_short = n == 0 or n_good < LEAST_BRIEF * n if is_brief else n == 0 or bool(left)
        print(f"FAIL {what}: {figures}" if is_short else f"ok {what}: {figures}")
        is_missing = is_missing or is_short
        for file, number, why in left:
            print(f"    {file}:{number}: {why}: {source_line(file, number)}")
    if is_brief:  # what the whole reaches decides about the table
        sys.exit(1 if is_missing else 0)
    bad = [r for r, used in zip(table, is_used) if not used or len(r) != 4 or not r[3]]
    for row in bad:
        print(f"    not needed, or without a reason: {row}")
    print("FAIL exclusions: test/coverage.md" if bad or len(table) > MOST_EXCLUSIONS else f"ok exclusions: {len(table)}, each with a reason")
    sys.exit(1 if bad or is_missing or len(table) > MOST_EXCLUSIONS else 0)


if __name__ == "__main__":
    main()
