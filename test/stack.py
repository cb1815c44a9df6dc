#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Worst-case stack of functions, from the call graphs that gcc writes with -fcallgraph-info=su.

usage: stack.py GRAPH.ci... -- FUNCTION...     prints "FUNCTION BYTES" and the deepest path, for each function

Fails, with a sentence, on recursion, on a frame whose size is not constant, and on a call through a pointer whose targets
are not known by the rules of Graph.pointed_at(). Functions that no graph has (libgcc's arithmetic) and the storage of
struct af_storage count EXTERNAL bytes.
"""
import re
import sys

EXTERNAL = 64


def fail(text):
    sys.exit("stack.py: " + text)


def plain(title):
    """A function's name without what gcc appends to copies and parts of it."""
    return re.sub(r"\.(constprop|isra|part|cold)\b.*", "", title)


class Graph:
    def __init__(self, files):
        self.frame = {}  # function: bytes
        self.calls = {}  # function: set of (callee, "file:line:column")
        self.depth = {}  # function: (bytes, path)
        self.source = {}  # file: lines
        for name in files:
            with open(name, encoding="utf-8") as file:
                for line in file:
                    self.take(line)

    def take(self, line):
        """One line of a graph. Names that carry the configuration (lib/af_names.h) are the plain ones."""
        line = re.sub(r"\*?(af_\w+?)_V\d+_T\d+_D\d+_\w+_C\d+", r"\1", line)
        node = re.match(r'node: \{ title: "([^"]*)"', line)
        if node:
            size = re.search(r"(\d+) bytes \(([a-z,]+)\)", line)
            if size and size.group(2) != "static":
                fail(f"the frame of {node.group(1)} is {size.group(2)}")
            if size:
                self.frame[node.group(1)] = int(size.group(1))
        edge = re.match(r'edge: \{ sourcename: "([^"]*)" targetname: "([^"]*)"(?: label: "([^"]*)")?', line)
        if edge:
            caller, callee, place = edge.groups()
            self.calls.setdefault(caller, set()).add((callee, place))
            path = place.rsplit(":", 2)[0] if place else None
            if path and path not in self.source:
                with open(path, encoding="utf-8") as file:
                    self.source[path] = file.read().split("\n")

    def lines_from(self, place):
        """The text of a file from a place in it on."""
        path, line, column = place.rsplit(":", 2)
        lines = self.source[path][int(line) - 1 :]
        return [lines[0][int(column) - 1 :]] + lines[1:]

    def text_at(self, place):
        return self.lines_from(place)[0]

    def pointed_at(self, place):
        """Who is called through a pointer, by the text at the place of the call."""
        text = self.text_at(place)
        other = re.match(r": (\w+)\)\(", text)
        if other:  # (condition ? one : other)(...); the calls of both are at the colon
            one = re.search(r"\? (\w+) " + re.escape(text), self.lines_from(re.sub(r"\d+$", "1", place))[0]).group(1)
            return rf":({one}|{other.group(1)})$"
        name = re.match(r"(?:\w+(?:\([^()]*\))?(?:->|\.))*(\w+)(?:\[[^]]*\])?\(", text)
        if not name:
            fail(f"the call at {place} cannot be read: {text}")
        name = name.group(1)
        if name == "tile_of_rows":
            return r"af_tile\.c:tile_\d+$"
        if name in ("ask", "liberties"):
            return r"^af_liberties_\w+$|af_tile\.c:liberties$"
        if name == "trial_of":
            return r"af_check_model\.c:try_\w+$"
        # a member of struct af_kernels: a function of that name in one of the tables' files, or af_NAME itself
        return rf"/af_(kernels|tile)\.c:{name}$|^af_{name}$"

    def run_of(self, runner, piece):
        """What is called where a piece is given to af_run(): that, and the piece. A runner of the port that takes its
        place runs pieces on stacks of its own."""
        title = f"{runner}({piece})"
        self.frame[title] = self.frame[runner]
        self.calls[title] = {(piece, None)}
        return title

    def callees(self, caller):
        for callee, place in self.calls.get(caller, ()):
            runner = re.match("af_run$", callee)
            if runner and place:
                given = re.match(r"[^;]*", "\n".join(self.lines_from(place))).group(0).split("(", 1)[1]
                for piece in [f for f in self.frame if plain(f).split(":")[-1] in re.findall(r"\w+", given)]:
                    yield self.run_of(runner.group(0), piece)
            elif callee != "__indirect_call":
                yield callee
            elif re.match(r"(runner->run|(w->)?piece)\(", self.text_at(place)):
                pass  # counted where the piece is given
            elif re.match(r"storage->(read|program|erase|sync)\(", self.text_at(place)):
                yield "the board's storage"
            else:
                found = [f for f in self.frame if re.search(self.pointed_at(place), plain(f))]
                if not found:
                    fail(f"{caller} calls through a pointer at {place}: whom?")
                yield from found

    def worst(self, function, path=()):
        """Bytes of the deepest path from a function, and that path."""
        if function in path:
            fail("recursion: " + " -> ".join(path + (function,)))
        if function not in self.depth:
            below = [self.worst(callee, path + (function,)) for callee in self.callees(function)]
            size, names = max(below, default=(0, ()))
            self.depth[function] = (self.frame.get(function, EXTERNAL) + size, (function,) + names)
        return self.depth[function]


def main(arguments):
    if "--" not in arguments:
        fail("usage: stack.py GRAPH.ci... -- FUNCTION...")
    split = arguments.index("--")
    graph = Graph(arguments[:split])
    for function in arguments[split + 1 :]:
        if function not in graph.frame:
            fail(f"{function} is in none of the graphs")
        size, path = graph.worst(function)
        print(function, size, " ".join(f"{plain(f).split('/')[-1]}:{graph.frame.get(f, EXTERNAL)}" for f in path))


if __name__ == "__main__":
    main(sys.argv[1:])
