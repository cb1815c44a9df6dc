#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Mutants of lib/: small mistakes, one at a time, which the tests have to notice.

    mutate.py run N         makes N of them, prints how many are killed and which survive; 95 % have to be killed
    mutate.py short N       the same by the programs alone that make test runs
    mutate.py only TEXT     the first N_LONG of those whose name (FILE:LINE KIND) contains TEXT

Which mutants are made depends on their text alone: an edit elsewhere changes none of them. Each is compiled into objects
that are there already, and the quick programs below run until one fails. A mutant that does not compile or link, or that
changes no object of any program, is none, and another takes its place. Those that change nothing that anybody could
notice stand in mutants.md with a reason; they are counted apart.

The programs are suites of suites.sh, by name. BUILD is the folder of the build; JOBS, how many mutants are looked at at a
time (one).
"""
import collections
import glob
import hashlib
import multiprocessing
import os
import re
import resource
import shlex
import shutil
import subprocess
import sys

SEED = "1"
N_LONG = 520
LEAST_PER_FILE = 4
LEAST_SCORE = 0.95
LIST = "test/mutants.md"
JOBS = int(os.environ.get("JOBS", "1"))
OUT = os.path.abspath(os.path.join(os.environ.get("BUILD", "build"), "check", "mutants"))
COMPILE = "gcc -std=gnu99 -ffp-contract=off -fno-math-errno -O1 -w"
# Quick ones, of every configuration that has code of its own.
PROGRAMS = """train-small-gcc ops layers gradients streams streams-double normals map map-inference seal-small
    checkpoint-tiny-gcc gradients-queries-no-mask gradients-post-norm-block train-small-recompute gradients-no-mask-block
    decode-narrow decode-one-block decode-post-norm train-tile-small notebook7 kernels-gcc-narrow kernels-queries
    gradients-two-pieces variant-no-mask-plain train-narrow map-one-block math-float math-double layers-clang-sanitized
    map-clang-sanitized checkpoint-tiny-sanitized decode-clang-sanitized""".split()
# What they are called with, if it is not CRITERION.
CRITERION = ["-j1", "--fail-fast"]
ARGUMENTS = {
    "variant-no-mask-plain": [*CRITERION, "--filter", "variants/decoding*"],
    "math-float": ["all", "20011"],
    "math-double": ["3000"],
}
MOST_SECONDS = 20  # of the processor, for a program that takes less than 4

Mutant = collections.namedtuple("Mutant", "file line before after kind")


# ---------------------------------------------------------------------------------------------------------- mutations

SWAPS = [
    (" + ", " - "), (" - ", " + "), (" * ", " / "), (" / ", " * "), (" % ", " / "), (" < ", " <= "), (" <= ", " < "),
    (" > ", " >= "), (" >= ", " > "), (" == ", " != "), (" != ", " == "), (" && ", " || "), (" || ", " && "),
    (" << ", " >> "), (" >> ", " << "), (" & ", " | "), (" | ", " & "), (" ^ ", " | "), (" += ", " -= "), (" -= ", " += "),
    (" *= ", " += "), (" |= ", " &= "), ("true", "false"), ("false", "true"),
]


def mutations(text):
    """(kind, other text) for every mutation of a line of code."""
    code = re.sub(r"//.*|/\*.*?\*/", lambda m: " " * len(m[0]), text)
    code = re.sub(r'"[^"]*"|\'[^\']*\'', lambda m: "_" * len(m[0]), code)
    for old, new in SWAPS:
        for m in re.finditer(rf"\b{old}\b" if old[0] != " " else re.escape(old), code):
            yield "swap", text[: m.start()] + new + text[m.end() :]
    for m in re.finditer(r"(?<![\w.])(\d+)(?=[uUlL]*\b)(?![\w.]*\.)", code):
        for step in (1, -1):
            is_room = step > 0 and re.match(r"\s*(static |const |volatile |struct )*\w+ \w+\[\d+\](;| =)", code)
            if int(m[1]) + step >= 0 and not is_room:  # more room than needed is no mistake
                yield "constant", text[: m.start()] + str(int(m[1]) + step) + text[m.end() :]
    if m := re.match(r"(\s*(?:\} else )?(?:if|while) )\((.*)\) \{$", code):
        yield "negate", text[: m.start(2)] + "!(" + text[m.start(2) : m.end(2)] + ")" + text[m.end(2) :]
    if re.match(r"    +[\w>.\[\]()*-]+(\(.*\)| [-+*/|&^]?= .*);$", code) and not re.match(r"\s+(return|const|static) ?", code):
        yield "drop", re.match(r"\s*", text)[0] + ";"
    for m in re.finditer(r"(\w+)\(([^(),]+), ([^(),]+)(?=[,)])", code):
        if m[2] != m[3]:
            yield "arguments", f"{text[:m.start(2)]}{text[m.start(3):m.end(3)]}, {text[m.start(2):m.end(2)]}{text[m.end(3):]}"


def candidates():
    """All mutants, in an order that depends on nothing but their text; first some of every file."""
    found = []
    for file in sorted(glob.glob("lib/*.[ch]")):
        of_file, is_macro, n_seen = [], False, collections.Counter()
        with open(file, encoding="utf-8") as lines:
            for number, text in enumerate(lines.read().split("\n"), 1):
                is_macro, was_macro = text.endswith("\\"), is_macro
                if was_macro or text.startswith(("#", "/", "typedef", "extern")):
                    continue
                is_prototype = file.endswith(".h") and not text.startswith((" ", "static", "}"))
                for kind, other in mutations(text):
                    if kind == "arguments" and is_prototype:
                        continue  # other names for parameters
                    mutant = Mutant(file, number, text, other, kind)
                    key = (file, text, other)
                    n_seen[key] += 1  # the same text elsewhere in the file
                    order = hashlib.sha256("\0".join((SEED, *key, str(n_seen[key]))).encode()).hexdigest()
                    of_file.append((order, mutant))
        of_file.sort()
        found += [(i >= LEAST_PER_FILE, order, mutant) for i, (order, mutant) in enumerate(of_file)]
    return [mutant for _, _, mutant in sorted(found)]


# ----------------------------------------------------------------------------------------------------------- programs

def suites(with_long):
    """{name: words of options and sources} of suites, as suites.sh has them: those of `make test`, or all."""
    script = ". test/options.sh; best_tile=af_kernels_tile; list_suites"
    said = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True).stdout
    rows = [line.split("\t") for line in said.splitlines()]
    found = {name: words for name, speed, kind, words, _ in rows if kind == "program" and (with_long or speed != "long")}
    found["math-float"] = "test/exhaustive_math.c"
    found["math-double"] = "-DAF_REAL=double test/mpfr_math.c"
    return found


def mutant_of(path):
    """What a mutant has in place of a file or folder; each process has its own."""
    return f"{path}.mutant{os.getpid()}"


class Configuration:
    """lib/ compiled with some options: objects, and which headers each depends on."""

    def __init__(self, options):
        self.options = options
        self.folder = os.path.join(OUT, hashlib.sha256(options.encode()).hexdigest()[:8])
        os.makedirs(self.folder)
        self.units = {}  # object: (source, options, files it depends on)
        for source in sorted(glob.glob("lib/*.c")):
            self.add(source, "")
        if "af_host.h" in options:
            for level in ("v3", "v4"):  # in name only: what differs is the compiler's options
                self.add("lib/af_tile.c", f"-DAF_TILE_TABLE=af_kernels_tile_{level} -DAF_TILE_NAME='\"tile {level}\"'", level)

    def command(self, source, options, lib="lib"):
        return shlex.split(f"{COMPILE} {self.options} {options} -I{lib} -Itest -Iport -Iexamples/notebook7") + ["-c", source]

    def add(self, source, options, name=""):
        target = os.path.join(self.folder, f"{source.replace('/', '-')}{name}.o")
        subprocess.run(self.command(source, options) + ["-MMD", "-MF", target + ".d", "-o", target], check=True)
        with open(target + ".d", encoding="utf-8") as text:
            depends = {os.path.normpath(word) for word in text.read().replace("\\\n", " ").split()[1:]}
        self.units[target] = (source, options, depends)
        return target


class Program:
    def __init__(self, name, words, configurations):
        self.name = name
        words = [w for w in words.split() if not re.match(r"-O|-g$|-march", w)]
        self.sanitizers = [w for w in words if w.startswith(("-fsanitize", "-fno-sanitize"))]
        if not name.endswith("sanitized"):  # one that is here for its configuration
            words, self.sanitizers = [w for w in words if w not in self.sanitizers], []
        sources = [s for w in words if w.endswith(".c") for s in sorted(glob.glob(w))]
        is_of_lib = lambda w: re.match(r"-DAF_|-Iport/host|-fsanitize|-fno-sanitize", w)
        of_lib = " ".join(shlex.quote(w) for w in words if is_of_lib(w))
        others = " ".join(shlex.quote(w) for w in words if not w.endswith(".c") and not is_of_lib(w))
        self.configuration = configurations.setdefault(of_lib, None) or Configuration(of_lib)
        configurations[of_lib] = self.configuration
        self.lib = [u for u in self.configuration.units if u not in getattr(self.configuration, "tests", [])]
        before = set(self.configuration.units)
        self.own = [self.configuration.add(s, others, "." + name) for s in sources]
        self.configuration.tests = getattr(self.configuration, "tests", []) + [u for u in self.configuration.units if u not in before]
        self.path = os.path.join(self.configuration.folder, name)
        self.is_math = name.startswith("math")
        self.arguments = ARGUMENTS.get(name, CRITERION)
        self.seconds = MOST_SECONDS
        start = resource.getrusage(resource.RUSAGE_CHILDREN)
        if not self.passes({}):
            sys.exit(f"mutate.py: {name} does not pass as it is; again: {self.path} {' '.join(self.arguments)}")
        end = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.cost = end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime
        self.seconds = max(4, 5 * int(self.cost))

    def passes(self, changed):
        """Links it with `changed` objects {object: in its place} and runs it."""
        objects = [changed.get(u, u) for u in self.own + self.lib]
        program = mutant_of(self.path) if changed else self.path
        link = subprocess.run(["gcc", *self.sanitizers, *objects, "-lcriterion", "-lmpfr", "-lgmp", "-lm", "-lpthread", "-o", program], capture_output=True)
        if link.returncode != 0:
            if changed:
                raise NotAMutant
            sys.exit(link.stderr.decode())
        limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (self.seconds, self.seconds + 1))
        try:
            run = subprocess.run(
                [program, *self.arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=limit, timeout=20 * self.seconds
            )
        except subprocess.TimeoutExpired:
            return False
        return run.returncode == 0


# ------------------------------------------------------------------------------------------------------------ a mutant

class NotAMutant(Exception):
    """It does not compile or link, or no object changes."""


def changed_objects(mutant, configurations, lib):
    """{object: mutated object} of every configuration, those that differ only."""
    changed = {}
    for configuration in configurations.values():
        for unit, (source, options, depends) in configuration.units.items():
            if mutant.file not in depends:
                continue
            target = mutant_of(unit)
            mutated = source.replace("lib/", lib + "/") if source.startswith("lib/") else source
            if subprocess.run(configuration.command(mutated, options, lib) + ["-o", target], capture_output=True).returncode != 0:
                raise NotAMutant
            with open(unit, "rb") as before, open(target, "rb") as after:
                if before.read() != after.read():
                    changed[unit] = target
    return changed


def killer(mutant, programs, configurations, history):
    """The name of the program that notices, or None."""
    lib = mutant_of(os.path.join(OUT, "lib"))
    if not os.path.isdir(lib):
        shutil.copytree("lib", lib)
    with open(mutant.file, encoding="utf-8") as text:
        lines = text.read().split("\n")
    assert lines[mutant.line - 1] == mutant.before
    lines[mutant.line - 1] = mutant.after
    path = os.path.join(lib, os.path.basename(mutant.file))
    try:
        with open(path, "w", encoding="utf-8") as text:
            text.write("\n".join(lines))
        is_changed = False
        order = sorted(programs, key=lambda p: (bool(p.sanitizers), -history[mutant.file, p.name], p.cost))
        compiled = {}
        for program in order:
            if program.name.startswith("kernels") and not re.search("tile|kernels|attention", mutant.file):
                continue  # slow, and about nothing else
            if program.sanitizers and not is_changed:
                raise NotAMutant  # sanitizers look into code, too, that is never executed
            key = program.configuration.options
            if key not in compiled:
                compiled[key] = changed_objects(mutant, {key: program.configuration}, lib)
            mine = {u: t for u, t in compiled[key].items() if u in program.own or (u in program.lib and not program.is_math)}
            if not mine:
                continue
            is_changed = True
            if not program.passes(mine):
                history[mutant.file, program.name] += 1
                return program.name
        if not is_changed:
            raise NotAMutant
        return None
    finally:
        shutil.copy(mutant.file, path)


def look(mutant):
    """(mutant, whether it is one, the name of the program that notices or None), in a process of the pool."""
    try:
        return mutant, True, killer(mutant, *look.context)
    except NotAMutant:
        return mutant, False, None


def read_list():
    """{(file, line, mutated line)} that nobody could notice."""
    listed = set()
    with open(LIST, encoding="utf-8") as lines:
        for text in lines:
            if m := re.match(r"\| (lib/\S+) \| `(.*?)` \| `(.*?)` \| (\S.*) \|$", text):
                listed.add((m[1], m[2], m[3]))
    return listed


def name_of(mutant):
    return f"{mutant.file}:{mutant.line} {mutant.kind}"


def tally(results, listed, n):
    """Counts the first n mutants among the results: (killed, survived, used rows of the list, none)."""
    killed, survived, used, n_none = 0, [], set(), 0
    for mutant, is_one, by in results:
        key = (mutant.file, mutant.before.strip(), mutant.after.strip())
        if not is_one:
            n_none += 1
        elif by:
            killed += 1
            print(f"killed by {by}: {name_of(mutant)}: {key[2]}", flush=True)
        elif key in listed:
            used.add(key)
        else:
            survived.append(key)
            print(f"SURVIVED: {name_of(mutant)}\n    - {key[1]}\n    + {key[2]}", flush=True)
        if killed + len(survived) + len(used) == n:
            break
    return killed, survived, used, n_none


def main():
    is_right = len(sys.argv) == 3 and (sys.argv[1] == "only" or (sys.argv[1] in ("run", "short") and re.fullmatch("[1-9][0-9]*", sys.argv[2])))
    if not is_right:
        sys.stderr.write("usage: mutate.py run N | short N | only TEXT\n")
        sys.exit(2)
    n = N_LONG if sys.argv[1] == "only" else int(sys.argv[2])
    text = sys.argv[2] if sys.argv[1] == "only" else ""
    shutil.rmtree(OUT, ignore_errors=True)
    os.makedirs(OUT)
    known, configurations = suites(sys.argv[1] != "short"), {}
    programs = [Program(name, known[name], configurations) for name in PROGRAMS if name in known or sys.argv[1] != "short"]
    print(f"{len(programs)} programs, {len(configurations)} configurations", flush=True)
    look.context = programs, configurations, collections.Counter()
    listed = read_list()
    with multiprocessing.get_context("fork").Pool(JOBS) as pool:  # its processes have what was built; results in order
        killed, survived, used, n_none = tally(pool.imap(look, [m for m in candidates() if text in name_of(m)]), listed, n)
    n_counted = killed + len(survived)
    score = killed / n_counted if n_counted else 0
    figures = f"{killed} of {n_counted} mutants killed ({100 * score:.1f} %), {len(used)} that change nothing, {n_none} that are none"
    print(f"ok mutants: {figures}" if score >= LEAST_SCORE else f"FAIL mutants: {figures}")
    if n >= N_LONG and not text:
        for key in sorted(listed - used):
            print(f"FAIL {LIST}: not needed: {key}")
    sys.exit(0 if score >= LEAST_SCORE and (n < N_LONG or text or not listed - used) else 1)


if __name__ == "__main__":
    main()
