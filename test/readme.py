#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The numbers of the documents, for test/check_readme.sh.

    readme.py code MAP                      bytes of code and constants that a link took of lib/'s objects, by ld's map
    readme.py numbers PHRASES VALUES DOCUMENT... [update]
    readme.py rows DOCUMENT OUTPUT [update]     the document's sample of a comparison, against the table in OUTPUT
    readme.py measured DOCUMENT FILE [update]   the document's part between the markers of FILE, against FILE

PHRASES (test/readme.txt) holds what the documents say, with a {name} for each number; VALUES holds "name value" lines. A
number of a document that no phrase covers, a phrase that is not in one document, once, and a number that is not its value
are printed. `update` writes the values, the file between its markers and the rows that are shown into the documents instead.
"""
import re
import sys

NUMBER = r"[0-9]+(?:[,.][0-9]+)*"
COMMENT = r"<!--.*?-->"
BLANK = rf"(?:\s|{COMMENT})+"
# A figure is not part of a name such as M4F, C99, x86-64, 32-bit.
FIGURE = rf"(?<![A-Za-z0-9_-])(?<!x86-){NUMBER}(?![A-Za-z0-9_-])"
# What is code, not said: `words`, and the lines of a command up to its comment.
CODE = r"`[^`\n]+`|^    (?:   )?(?:build/|make |(?:LONG=1 )?test/|CORE=|arm-|    -Ilib)(?:(?! # ).)*"


def code(map_file):
    """Sections of af_*.o in the map's second part: the first one lists what was discarded."""
    text = open(map_file, encoding="utf-8").read().split("Linker script and memory map", 1)[1]
    kept = re.findall(r"^ (\.(?:text|rodata|constdata)\S*)\s+0x([0-9a-f]+)\s+0x([0-9a-f]+)\s+\S*af_\w+\.o$", text, re.M)
    print(sum(int(size, 16) for _, address, size in kept if int(address, 16) > 0))


def phrases(file):
    """Phrases and, as the second list, the words that hold digits and are names; blocks with checks of their own."""
    found, names, blocks = [], [], []
    for line in open(file, encoding="utf-8"):
        line = line.strip()
        if line.startswith("name "):
            names.append(line[5:])
        elif line.startswith("block "):
            blocks.append(line[6:])
        elif line and not line.startswith("#"):
            found.append(line)
    return found, names, blocks


def pattern(phrase):
    """The phrase as an expression: blanks may be line breaks or comments, each {name} is a number."""
    parts = re.split(r"\{([a-z0-9-]+)\}", phrase)
    text = ""
    for i, part in enumerate(parts):
        if i % 2 == 1:
            text += f"({NUMBER})"
        else:
            text += BLANK.join(re.escape(word) for word in re.split(" +", part))
    return re.compile(r"(?<![0-9])" + text, re.S), parts[1::2]


def blank_out(text, spans):
    for begin, end in spans:
        text = text[:begin] + re.sub(r"[^\n\0]", " ", text[begin:end]) + text[end:]
    return text


BETWEEN = "\0"  # no phrase and no block goes across it


def numbers(phrase_file, value_file, *documents):
    update = documents[-1] == "update"
    documents = documents[:-1] if update else documents
    texts = [open(name, encoding="utf-8").read() for name in documents]
    text = BETWEEN.join(texts)
    lines = (line.split() for line in open(value_file, encoding="utf-8"))
    values = {line[0]: line[1] for line in lines if len(line) == 2}
    wanted, names, blocks = phrases(phrase_file)
    covered, changes = [], []
    for phrase in wanted:
        expression, slots = pattern(phrase)
        matches = list(expression.finditer(text))
        if len(matches) != 1:
            print(f"{len(matches)} times in the documents: {phrase}")
            continue
        for i, name in enumerate(slots):
            span = matches[0].span(i + 1)
            covered.append(span)
            if name not in values:
                print(f"nothing gives a value for {name}")
            elif text[slice(*span)] != values[name]:
                changes.append((span, values[name]))
                if not update:
                    print(f"{text[slice(*span)]} instead of {values[name]}, {name}: {phrase}")
    if update:
        for (begin, end), value in sorted(changes, reverse=True):
            text = text[:begin] + value + text[end:]
        for name, content in zip(documents, text.split(BETWEEN)):
            open(name, "w", encoding="utf-8").write(content)
        return
    covered += [m.span() for m in re.finditer(COMMENT, text, re.S)]
    covered += [m.span() for m in re.finditer(CODE, text, re.M)]
    covered += [m.span() for m in re.finditer(r"<!-- measured: \S+ -->.*?<!-- /measured -->", text, re.S)]
    for block in blocks: # up to the next line that is not part of it
        found = list(re.finditer(r"\s+".join(map(re.escape, block.split())), text))
        if not found:
            print(f"not in the documents: block {block}")
        stop = re.compile(r"^```$" if block.startswith("#include") else r"^(?!\||    )", re.M)
        for match in found:
            begin = text.rfind("\n", 0, match.start()) + 1
            covered.append((begin, stop.search(text, begin).start()))
    rest = blank_out(text, covered)
    for name in names:
        if not re.search(name, rest):
            print(f"not in the documents: name {name}")
        rest = blank_out(rest, [m.span() for m in re.finditer(name, rest)])
    for name, content, left in zip(documents, texts, rest.split(BETWEEN)):
        for i, line in enumerate(left.split("\n")):
            for found in re.finditer(FIGURE, line):
                print(f"{name} line {i + 1}: nothing holds {found.group()} in: {content.split(chr(10))[i].strip()}")


def cells(lines):
    """Rows of a printed table, whose heading says where columns begin: a cell may go on in the next line."""
    starts = [m.start() for m in re.finditer(r"\S+(?: \S+)*", lines[0])]
    found = []
    for line in lines[1:]:
        if not line.strip() or set(line.strip()) == {"-"}:
            continue
        parts = [line[a:b].strip() for a, b in zip(starts, starts[1:] + [None])]
        if parts[0]:
            found.append(parts)
        elif found:
            found[-1] = [" ".join(filter(None, pair)) for pair in zip(found[-1], parts)]
    return found


def rows(readme, output, update=False):
    lines = open(readme, encoding="utf-8").read().splitlines()
    blocks = [i for i, line in enumerate(lines) if line.startswith("    where  statement")]
    first = blocks[0] if len(blocks) == 1 else None
    printed = open(output, encoding="utf-8").read().splitlines()
    table = next((printed[i:] for i, line in enumerate(printed) if line.startswith("where  statement")), None)
    if first is None or table is None:
        print(f"{readme} has {len(blocks)} tables, not one" if first is None else f"{output} has no table")
        return
    end = first
    while lines[end].startswith("    "):
        end += 1
    block = [line[4:] for line in lines[first:end]]
    shown = cells(block)
    title = re.split(r" {2,}", table[0].strip())
    ours = {" ".join(row[:2]): row for row in cells(table)}
    chosen = [title]
    for row in shown:
        if " ".join(row[:2]) not in ours:
            print(f"not printed: {' '.join(row)}")
            return
        chosen.append(ours[" ".join(row[:2])])
        if row != chosen[-1] and not update:
            print(f"'{' '.join(row)}' instead of '{' '.join(chosen[-1])}'")
    if update:
        widths = [max(map(len, column)) for column in zip(*chosen)]
        lines[first:end] = ["    " + "  ".join(map(str.ljust, row, widths)).rstrip() for row in chosen]
        open(readme, "w", encoding="utf-8").write("\n".join(lines) + "\n")


def measured(readme, file, update=False):
    text = open(readme, encoding="utf-8").read()
    begin, end = f"<!-- measured: {file} -->\n", "<!-- /measured -->"
    content = "".join(line for line in open(file, encoding="utf-8") if not line.startswith("<!--"))
    if text.count(begin) != 1 or text.count(end) != 1:
        print(f"{readme} has no part for {file}")
        return
    a, b = text.index(begin) + len(begin), text.index(end)
    if update:
        open(readme, "w", encoding="utf-8").write(text[:a] + content + text[b:])
    elif text[a:b] != content:
        print(f"{readme}'s part is not {file}")
    if not re.search(r"^Measured on .*`make bench`", content, re.S):
        print(f"{file} does not say on what it was measured, and by which command")
    table = [[cell.strip() for cell in line.strip("|\n").split("|")] for line in content.splitlines() if line.startswith("|")]
    ms = {row[0]: float(row[1]) for row in table[2:]}
    peers = [next((ms[name] for name in ms if name.startswith("PyTorch, " + which)), None) for which in ("all", "the first")]
    for row in table[2:]:
        for peer, ratio in zip(peers, row[3:5]):
            if ratio and (not peer or abs(peer / ms[row[0]] / float(ratio) - 1) > 0.02):
                print(f"{file}, {row[0]}: {ratio} is not the ratio of {peer} and {ms[row[0]]}")


if __name__ == "__main__":
    command = {"code": code, "numbers": numbers, "rows": rows, "measured": measured}
    command[sys.argv[1]](*sys.argv[2:])
