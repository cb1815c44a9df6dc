# SPDX-License-Identifier: MIT
"""Can each row of a comparison differ? Runs a command that writes the comparison as HTML or as text columns, once as it
is and once for each flip, and prints the rows that have to be equal and differ for none of them, and flips that change
nothing.

    can_differ.py FLIP,FLIP,... COMMAND...     FLIP is put into the environment
"""
import html
import os
import re
import subprocess
import sys


def rows_of(command, flip):
    """The verdicts by row: where, statement and the how manieth of that name."""
    run = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "FLIP": flip}, timeout=60)
    verdict = {}
    for line in run.stdout.splitlines():
        cell = [html.unescape(c) for c in re.findall(r"<td>(.*?)</td>", line)]
        if len(cell) == 5:
            number = sum(1 for key in verdict if key[:2] == (cell[0], cell[1]))
            verdict[cell[0], cell[1], number] = cell[4]
    return run.returncode, verdict


def has_to_be_equal(verdict):
    return verdict.startswith(("exact", "stable", "cannot match"))


flips, command = sys.argv[1].split(","), sys.argv[2:]
status, plain = rows_of(command, "")
rows = {key for key, verdict in plain.items() if has_to_be_equal(verdict)}
if status != 0 or len(rows) < 10:
    print(f"without a flip the status is {status}, and {len(rows)} rows have to be equal")
never = set(rows)
for flip in flips:
    status, flipped = rows_of(command, flip)
    differ = {key for key, verdict in flipped.items() if verdict.startswith("DIFFERS: ")}
    if status != 1 or not differ & rows:
        print(f"flip {flip}: status {status}, {len(differ)} rows differ")
    never -= differ
for key in sorted(never):
    print(f"never differs: {key[0]}, {key[1]}")
