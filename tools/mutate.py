"""Break the book in hundreds of small ways, and count what the suite notices: `make mutate`.

Each mutation changes one thing in a scratch copy: a number or a sign of a program, a cell, a
promise, a fix, a number, a word or a name in the prose, a record, a figure. Then the tests run that
look at it, in a fork of a process that has imported everything; a mutation counts as caught where
one of them fails. A program is executed, its page alone; what the stacks measured of it is not
asked, since whoever changes a program measures it again. What needs no execution is executed never.
`tests/mutants.toml` lists those that change nothing that a reader could see, each with the reason.

    python -m tools.mutate                     400 mutations, drawn with a seed that is printed
    python -m tools.mutate --number 60 --seed 3 --kind prose,record --jobs 1

The exit status is 1 where fewer than 98 of 100 of a kind were caught.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import functools
import importlib
import io
import json
import os
import queue
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import tokenize
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
BOOK = ROOT / "book"
LISTED = ROOT / "tests" / "mutants.toml"
# What looks at pages and records without executing anything.
TEXT = ["structure", "cases", "prose", "exercises"]
RECORDS = [*TEXT, "everyday", "triage", "symptoms"]
MEASURED = [*TEXT, "matrix", "everyday", "triage"]
AROUND = [*TEXT, "workshop", "published"]
SLOW = {"test_the_record_holds_when_a_row_is_measured_again"}  # and what asks for `beforehand`
SECONDS = 240
AIM = 0.98
FENCE = re.compile(
    r"^```\{code-cell\}[^\n]*\n(?P<options>---\n.*?^---\n|(?::[\w-]+:[^\n]*\n)*)(?P<code>.*?)^```$",
    re.M | re.S,
)
ANY_FENCE = re.compile(r"^(```+|~~~+).*?^\1\s*$", re.M | re.S)
SIGNS = {"+": "-", "-": "+", "*": "/", "<": ">", ">": "<", "==": "!=", "True": "False"}
SIGNS |= {"False": "True"}
WORDS = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelve", "twenty"]
WORDS += ["hundred", "thousand", "million", "twice", "half", "eleven", "thirty"]
Spots = Iterator[tuple[int, int, str]]


@dataclass(frozen=True)
class Mutation:
    """One change of one file: the text from `start` to `end` becomes `new`."""

    kind: str
    path: str
    start: int
    end: int
    new: str

    def apply(self, text: str) -> str:
        """Return the file's text with the change."""
        return text[: self.start] + self.new + text[self.end :]

    def place(self, text: str) -> str:
        """Return the file and the line."""
        return f"{self.path}:{text.count(chr(10), 0, self.start) + 1}"

    def describe(self, text: str) -> str:
        """Return the change in one line, with what stands around it."""
        before = text[: self.start].rsplit("\n", 1)[-1][-40:].lstrip()
        after = text[self.end :].split("\n", 1)[0][:40].rstrip()
        old, new = (" ".join(part.split()) for part in (text[self.start : self.end], self.new))
        return f"{before}[{old[:70]} -> {new[:70]}]{after}"


# --- what is broken -------------------------------------------------------------------------------


def cells_of(text: str) -> list[re.Match]:
    """Return the code cells of a page."""
    return list(FENCE.finditer(text))


def plain(code: str) -> str:
    """Return a cell's code with its magics as blanks."""
    return re.sub(r"^[ \t]*[%!].*$", lambda found: " " * len(found[0]), code, flags=re.M)


def tokens(text: str) -> Iterator[tuple[int, tokenize.TokenInfo]]:
    """Yield (position, token) of each code cell."""
    for found in cells_of(text):
        code = plain(found["code"])
        rows = [0]
        for row in code.splitlines(keepends=True):
            rows.append(rows[-1] + len(row))
        try:
            for token in tokenize.generate_tokens(io.StringIO(code).readline):
                start = found.start("code") + rows[token.start[0] - 1] + token.start[1]
                yield start, token
        except (tokenize.TokenError, IndentationError):
            continue


def numbers(text: str) -> Spots:
    """A number in a program is another.

    Two kinds of number are left out. A bound of an assertion (`rtol`, `atol`): a wider one shows
    the same page, and whether the assertion is sharp is what the kind `value` asks. A place in a
    drawing (`places`): it says where a word or a mark stands, and not what it says.
    """
    drawn = places(text)
    for position, token in tokens(text):
        slack = text.endswith(("rtol=", "atol="), 0, position)
        if token.type == tokenize.NUMBER and not slack:
            if any(start <= position < end for start, end in drawn):
                continue
            value = token.string
            new = f"{float(value) * 1.5 + 1:.6g}" if "." in value or "e" in value else "7"
            yield position, position + len(value), "5" if value == new else new


def is_drawing(found: re.Match) -> bool:
    """Tell whether a cell shows a figure."""
    return bool(re.search(r"figure: true|steps: \d", found["options"]))


# The parts of a drawing that are given their place or size, and names that stand for one.
DRAWN = {"box", "chip", "gap", "grid", "line", "rows", "shapes", "text", "annotate", "subplots"}
PLACES = {"x", "y", "height", "wide", "titles", "figsize", "size"}


def places(text: str) -> list[tuple[int, int]]:
    """Return what gives parts of a drawing their places and sizes, in cells that draw.

    That is the numbers which stand as such among the arguments of a part, or in a sum or product of
    them; what it shows (strings, and what calls and lists of rows compute) stays in.
    """
    found = []
    for cell in cells_of(text):
        if not re.search(r"\bPanel\(|\bax\.|subplots\(", cell["code"]):
            continue
        code, rows = plain(cell["code"]), [0]
        for row in code.splitlines(keepends=True):
            rows.append(rows[-1] + len(row))
        with contextlib.suppress(SyntaxError):
            for node in ast.walk(ast.parse(code)):
                for part in laid_out(node):
                    first = rows[part.lineno - 1] + part.col_offset
                    last = rows[(part.end_lineno or 1) - 1] + (part.end_col_offset or 0)
                    found.append((cell.start("code") + first, cell.start("code") + last))
    return found


def laid_out(node: ast.AST) -> list[ast.expr]:
    """Return the parts of a node of a program that are places or sizes."""
    if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in DRAWN:
        kinds = ast.Constant | ast.BinOp | ast.List | ast.Tuple | ast.Name | ast.UnaryOp
        named = [key.value for key in node.keywords]
        return [part for part in [*node.args, *named] if isinstance(part, kinds)]
    if isinstance(node, ast.For | ast.comprehension):
        names = {n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)}
        return [node.iter] if names & PLACES else []
    if isinstance(node, ast.Assign):
        named_ = {getattr(n, "id", getattr(n, "attr", "")) for n in ast.walk(node.targets[0])}
        return [node.value] if named_ & PLACES else []
    return []


def signs(text: str) -> Spots:
    """A sign, a comparison or a truth value in a program is another, but in no place of a drawing.

    Where a part of a drawing stands says nothing else; see `numbers`.
    """
    drawn = places(text)
    for position, token in tokens(text):
        if token.string in SIGNS:
            if any(start <= position < end for start, end in drawn):
                continue
            yield position, position + len(token.string), SIGNS[token.string]


def cells(text: str) -> Spots:
    """A code cell is gone."""
    for found in cells_of(text):
        yield found.start(), found.end(), ""


def promises(text: str) -> Spots:
    """What a cell promises is another message, type or output."""
    for found in cells_of(text):
        pattern = r"(?:match|here|raises|stdout|warns|result): ['\"]?(\w{3,})"
        for key in re.finditer(pattern, found["options"]):
            start = found.start("options") + key.start(1)
            yield start, start + len(key[1]), "Another" + key[1]


def nodes(found: re.Match, *kinds: type[ast.stmt]) -> Iterator[tuple[int, int, ast.stmt]]:
    """Yield (start, end, node) of the statements of some kinds at the top level of a cell."""
    code = plain(found["code"])
    rows = [0]
    for row in code.splitlines(keepends=True):
        rows.append(rows[-1] + len(row))
    with contextlib.suppress(SyntaxError):
        for node in ast.parse(code).body:
            if isinstance(node, kinds):
                decorators = getattr(node, "decorator_list", [])
                first = decorators[0].lineno if decorators else node.lineno
                end = rows[(node.end_lineno or 1) - 1] + (node.end_col_offset or 0)
                yield found.start("code") + rows[first - 1], found.start("code") + end, node


def fixes(text: str) -> Spots:
    """A function or class that a later cell defines anew is the earlier one: the fix is undone."""
    known: dict[str, str] = {}
    for found in cells_of(text):
        for start, end, node in nodes(found, ast.FunctionDef, ast.ClassDef):
            name = getattr(node, "name", "")
            if name in known and known[name] != text[start:end]:
                yield start, end, known[name]
            known[name] = text[start:end]


PERTURB = (
    "{0} = __import__('jax').tree.map(lambda leaf: leaf + ' ' if isinstance(leaf, str) else "
    "not leaf if isinstance(leaf, bool) else leaf + 1 if hasattr(leaf, 'dtype') or "
    "isinstance(leaf, (int, float)) else leaf, {0})\n"
)


def values(text: str) -> Spots:
    """A value that an assertion compares is another."""
    for found in cells_of(text):
        made = set()
        for _, _, node in nodes(found, ast.Assign, ast.Assert):
            if isinstance(node, ast.Assign):
                whole = not isinstance(node.value, ast.Lambda)
                made |= {t.id for t in node.targets if isinstance(t, ast.Name) and whole}
            elif isinstance(node, ast.Assert):
                rows = found["code"].splitlines(keepends=True)[: node.lineno - 1]
                start = found.start("code") + sum(map(len, rows))
                compared = [n for n in ast.walk(node) if isinstance(n, ast.Compare)]
                sides = [side for n in compared for side in (n.left, *n.comparators)]
                for name in sorted({n.id for n in sides if isinstance(n, ast.Name)} & made):
                    yield start, start, PERTURB.format(name)


def checks(text: str) -> Spots:
    """An exercise's check asserts one thing less."""
    for found in cells_of(text):
        if found["code"].startswith("%%check"):
            for start, end, _ in nodes(found, ast.Assert):
                yield start, end, "pass"


def figures(text: str) -> Spots:
    """A word in a figure is another, or something is not drawn."""
    for found in cells_of(text):
        if not is_drawing(found):
            continue
        start, code = found.start("code"), found["code"]
        for word in re.finditer(r"[\"'][^\"'\n{}]*?([A-Za-z]{4,})[^\"'\n]*[\"']", code):
            yield start + word.start(1), start + word.end(1), word[1][::-1]
        draws = r"^( *)[\w.]+\.(?:plot|scatter|bar|imshow|axhline|text|draw\w*|fill\w*|add)\(.*\)$"
        for call in re.finditer(draws, code, re.M):
            yield start + call.start(), start + call.end(), f"{call[1]}pass"


def alts(text: str) -> Spots:
    """A figure has no alt text, or another word in it: in the options of a cell, or in its code."""
    for found in cells_of(text):
        for alt in re.finditer(r"alt: (?:>-\n((?: {6,}.*\n)+)|(.*))", found["options"]):
            start = found.start("options")
            yield start + alt.start(), start + alt.end(), "alt: ''\n"
            yield from words_of(text, start + alt.start() + 5, start + alt.end())
        for start, end in alts_in_code(found):
            yield start, end, '""'
            for string in re.finditer(r'"[^"\n]*"', text[start:end]):
                yield from words_of(text, start + string.start(), start + string.end())


def words_of(text: str, start: int, end: int) -> Spots:
    """Turn words around, one at a time; what stands in braces of a string is code."""
    bare = re.sub(r"\{[^}]*\}", lambda braces: " " * len(braces[0]), text[start:end])
    for word in re.finditer(r"[A-Za-z]{4,}", bare):
        if word[0] != word[0][::-1]:
            yield start + word.start(), start + word.end(), word[0][::-1]


def alts_in_code(found: re.Match) -> Iterator[tuple[int, int]]:
    """Yield where a cell has the alt text of a frame: the second argument of `figure.add`."""
    code, rows = plain(found["code"]), [0]
    for row in code.splitlines(keepends=True):
        rows.append(rows[-1] + len(row))
    with contextlib.suppress(SyntaxError):
        tree = list(ast.walk(ast.parse(code)))
        given: list[ast.expr] = []
        for node in tree:
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "figure.add":
                given.append(node.args[1])
        named = {node.id for node in given if isinstance(node, ast.Name)}
        for node in tree:
            if isinstance(node, ast.Assign | ast.AugAssign):
                target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                if isinstance(target, ast.Name) and target.id in named:
                    given.append(node.value)
        for node in given:
            if not isinstance(node, ast.Name):
                first = found.start("code") + rows[node.lineno - 1] + node.col_offset
                last = rows[(node.end_lineno or 1) - 1] + (node.end_col_offset or 0)
                yield first, found.start("code") + last


def prose(text: str, pattern: str) -> Iterator[re.Match]:
    """Yield what matches in the prose of a page, its fenced blocks and front matter left out."""
    hidden = [found.span() for found in ANY_FENCE.finditer(text)]
    head = text.find("\n---", 3) + 4 if text.startswith("---") else 0
    for found in re.finditer(pattern, text):
        if found.start() > head and not any(a <= found.start() < b for a, b in hidden):
            yield found


def other(value: str) -> str:
    """Return a number with another last digit."""
    return value[:-1] + str((int(value[-1]) + 3) % 10)


def prose_numbers(text: str) -> Spots:
    """A number of the prose is another.

    Code, the numbers of threads in links, and releases are kinds of their own. The browser counts
    the rows of a list, whatever number stands before them.
    """
    number = r"(?<![\w./#-])(?:\d[\d,]*\.)?\d+(?![\w.]*\d)(?!\w)"
    for found in prose(text, rf"(?m)`[^`\n]+`|\[[^\]]*\]\([^)]*\)|^\d+\. |<\S+>|{number}"):
        if found[0][-1].isdigit():
            yield found.start(), found.end(), other(found[0])


def counts(text: str) -> Spots:
    """A count in words is another; a word that is part of another is no count (`one-by-two`)."""
    for found in prose(text, rf"(?i)(?<![\w-])(?:{'|'.join(WORDS)})\b(?!-)"):
        new = WORDS[(WORDS.index(found[0].lower()) + 1) % len(WORDS)]
        yield found.start(), found.end(), new.capitalize() if found[0][0].isupper() else new


def releases(text: str) -> Spots:
    """A release that the prose names is another."""
    for found in prose(text, r"(?<![\w.-])\d+\.\d+\.\d+(?![\w.]*\d)"):
        yield found.start(), found.end(), other(found[0])


def prose_code(text: str) -> Spots:
    """A name in code of the prose is another."""
    for found in prose(text, r"(?<!`)`([^`\n]*?)(\d+|[A-Za-z_]{2,})([^`\n]*)`(?!`)"):
        new = other(found[2]) if found[2].isdigit() else found[2][:-1] + "zq"
        yield found.start(2), found.end(2), new


def quotes(text: str) -> Spots:
    """A quoted message has another word; one word in italics is emphasis, and no quotation."""
    for found in prose(text, r"\*(?=[^*\n]* )[a-z][^*\n]{9,}?\*(?!\*)|“[^”]{9,}”"):
        word = re.search(r"[a-z]{4,}", found[0])
        if word:
            start = found.start() + word.start()
            yield start, start + len(word[0]), word[0][::-1]


def formulas(text: str) -> Spots:
    """A formula has another sign or number."""
    for found in prose(text, r"\$(?=[^\s$])[^$\n]+\$"):
        for part in re.finditer(r"\d|[-+]|\\(?:bar|sqrt|sigma|mu)", found[0]):
            new = {"+": "-", "-": "+"}.get(part[0]) or (other(part[0]) if part[0].isdigit() else "")
            yield found.start() + part.start(), found.start() + part.end(), new


def references(text: str) -> Spots:
    """The number of a thread is another."""
    for found in re.finditer(r"github\.com/[\w-]+/[\w-]+/(?:issues|pull)/(\d+)", text):
        yield found.start(1), found.end(1), str(int(found[1]) + 1)


def head_of(text: str) -> str:
    """Return the front matter of a page."""
    return text[: text.find("\n---", 3)] if text.startswith("---") else ""


def records(text: str) -> Spots:
    """A word of a record's title, cause, cure or symptom is another, or a phrase is gone.

    Of each text the first three words: one comparison holds all of them.
    """
    head = head_of(text)
    keys = r"^  (?:title|short|cause|cure|symptom|question): .*\n(?:    .*\n)*"
    for found in re.finditer(keys, head, re.M):
        for word in list(re.finditer(r"(?<= )[a-z]{4,}(?= )", found[0]))[:3]:
            start = found.start() + word.start()
            yield start, start + len(word[0]), word[0][::-1]
    for found in re.finditer(r"^    - .*\n|^  (?:kind|whose|library|family): .*\n", head, re.M):
        yield found.start(), found.end(), ""
    for found in re.finditer(r"teaching: (\d+)|exercises: (\d+)|need: (\w+)", head):
        group = found.lastindex or 0
        new = "helpful" if found[group] == "necessary" else "necessary"
        new = other(found[group]) if found[group].isdigit() else new
        yield found.start(group), found.end(group), new


def catalogue(text: str) -> Spots:
    """The catalogue says something else; of each text the first two words."""
    for found in re.finditer(r"^(?:symptom|message|cause|cure|question) = .*$", text, re.M):
        for word in list(re.finditer(r"(?<= )[a-z]{4,}(?= )", found[0]))[:2]:
            start = found.start() + word.start()
            yield start, start + len(word[0]), word[0][::-1]
    for found in re.finditer(r"points = (-?\d+)", text):
        yield found.start(1), found.end(1), str(int(found[1]) + 3)
    for found in re.finditer(r"^  \{ (?:type|pattern) = .*\},\n", text, re.M):
        yield found.start(), found.end(), ""
    for found in re.finditer(r"section = \"([\w-]+)\"", text):
        yield found.start(1), found.end(1), "reproduce-it"
    for found in re.finditer(r"(?:text|says|first|title) = \"[^\"\n]*?(\w{5,})", text):
        yield found.start(1), found.end(1), found[1][::-1]


def measured(text: str) -> Spots:
    """A record of what was measured says something else."""
    for found in re.finditer(r"\"verdict\": \"(\w+)\"", text):
        yield found.start(1), found.end(1), "fails" if found[1] == "ok" else "ok"
    for found in re.finditer(r"\"(?:numpyro|jax|equinox|ename|type)\": \"([\w.]+)\"", text):
        yield found.start(1), found.end(1), found[1][:-1] + ("7" if found[1][-1] != "7" else "8")
    for found in re.finditer(r"(?:release|pull|library|failure) = \"[^\"]*?(\w)\"", text):
        new = other(found[1]) if found[1].isdigit() else "q"
        yield found.start(1), found.end(1), new


def around(text: str) -> Spots:
    """The contents, a plan, the glossary, the bibliography or the guide says something else."""
    for found in re.finditer(r"^\s*- (?:file|glob): (.+)\n", text, re.M):
        yield found.start(), found.end(), ""
    for found in re.finditer(r"\[(\d+), \"|\"begins\": \"(\d+)", text):
        group = found.lastindex or 0
        yield found.start(group), found.end(group), str(int(found[group]) + 5)
    for found in re.finditer(r"^  (?:url|year) = \{([^}]+)\}", text, re.M):
        yield found.start(1), found.end(1), found[1][:-1] + ("7" if found[1][-1] != "7" else "8")
    for found in re.finditer(r"^(\w[\w ]+)\n  [A-Z]", text, re.M):
        yield found.start(1), found.end(1), found[1][::-1]


# All but the instructor's guide, which retells the chapters.
PROSE = tuple(f"book/{part}.md" for part in ("*", "[!w]*/*", "workshop/[!i]*"))


class Kind(NamedTuple):
    """How a kind is drawn, where, and which tests look at it, with the page executed or not."""

    spots: Callable[[str], Spots]
    where: tuple[str, ...] = ("book/**/*.md",)
    tests: list[str] = TEXT
    executed: bool = False


KINDS = {
    "promise": Kind(promises, executed=True),
    "fix": Kind(fixes, executed=True),
    "number": Kind(numbers, executed=True),
    "sign": Kind(signs, executed=True),
    "value": Kind(values, executed=True),
    "cell": Kind(cells, executed=True),
    "check": Kind(checks, executed=True),
    "figure": Kind(figures, executed=True),
    "alt": Kind(alts, executed=True),
    "prose": Kind(prose_numbers, PROSE),
    "count": Kind(counts, PROSE),
    "version": Kind(releases, tests=MEASURED),
    "code in prose": Kind(prose_code),
    "quote": Kind(quotes),
    "formula": Kind(formulas),
    "reference": Kind(references),
    "record": Kind(records),
    "catalogue": Kind(catalogue, ("book/catalogue.toml", "book/everyday.toml"), RECORDS),
    "measured": Kind(
        measured,
        (
            *("stacks/matrix.json", "stacks/boundaries.toml", "stacks/hash-history.json"),
            *("stacks/recordings.json", "stacks/everyday.json"),
        ),
        MEASURED,
    ),
    "around": Kind(
        around,
        ("_toc.yml", "book/workshop/plans.json", "book/reference/*.md", "book/references.bib"),
        AROUND,
    ),
}


def draw(kinds: list[str], count: int, seed: int) -> list[Mutation]:
    """Draw mutations, as many of each kind as there are, up to an equal share."""
    random_ = random.Random(seed)
    drawn: list[Mutation] = []
    found: dict[str, list[Mutation]] = {}
    for name in kinds:
        files = [file for pattern in KINDS[name].where for file in sorted(ROOT.glob(pattern))]
        if KINDS[name].executed:
            files = [file for file in files if "{code-cell}" in file.read_text()]
        found[name] = [
            Mutation(name, str(file.relative_to(ROOT)), *spot)
            for file in files
            for spot in KINDS[name].spots(file.read_text())
        ]
    ordered = sorted(kinds, key=lambda name: len(found[name]))  # what the rare lack, others have
    for number, name in enumerate(ordered):
        share = (count - len(drawn)) // (len(kinds) - number)
        drawn += random_.sample(found[name], min(share, len(found[name])))
    random_.shuffle(drawn)
    return drawn


# --- a scratch copy, and a process that breaks it -------------------------------------------------


def copy_to(folder: Path) -> None:
    """Make a scratch copy of what git tracks, with the executed pages and both environments."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT,
                            capture_output=True, text=True)  # fmt: skip
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    for name in ("_build/.jupyter_cache", "_build/matrix"):
        if (ROOT / name).exists():
            shutil.copytree(ROOT / name, folder / name)
    for name in (".venv", ".venv-then"):
        (folder / name).symlink_to(ROOT / name)


class Judge:
    """A plugin of pytest that keeps the tests which look at a page, and notes the first to fail."""

    def __init__(self, stem: str):
        self.stem = stem
        self.failed = ""
        self.BEFOREHAND: list = []

    def pytest_collection_modifyitems(self, items):
        """Leave out what looks at another page alone, and what is slow."""

        def concerns(item) -> bool:
            test, bracket, name = item.name.partition("[")
            slow = test in SLOW or "beforehand" in getattr(item, "fixturenames", ())
            other_page = self.stem and bracket and not re.search(self.mine, name)
            return not (slow or other_page)

        items[:] = [item for item in items if concerns(item)]
        for item in items:  # what runs kernels beside the tests is for those that are left out
            getattr(item, "module", self).BEFOREHAND = []

    @property
    def mine(self) -> str:
        """Return a pattern for the ids of tests of this page."""
        return rf"(?<![\w-]){re.escape(self.stem)}(?:-(?:predict|repair|transfer))?(?![\w-])"

    def pytest_runtest_logreport(self, report):
        """Note what failed."""
        if report.failed and not self.failed:
            self.failed = report.nodeid

    def pytest_collectreport(self, report):
        """Note what could not be collected."""
        if report.failed and not self.failed:
            self.failed = f"collecting {report.nodeid}"


def judge(kind: Kind, *paths: str) -> str:
    """Run the tests that look at a file, or at several; return the first that fails, or nothing."""
    import pytest

    page = len(paths) == 1 and paths[0].startswith("book/") and paths[0].endswith(".md")
    tests = [f"tests/test_{name}.py" for name in kind.tests]
    for names in ([*paths], tests) if kind.executed else (tests,):  # most are caught by the page
        plugin = Judge(Path(paths[0]).stem if page else "")
        words = [*names, "-q", "-x", "--no-header", "--tb=no", "-p", "no:cacheprovider"]
        status = pytest.main([*words, "--cell-seconds", "60"], plugins=[plugin])
        if plugin.failed or status:
            return plugin.failed or f"pytest ended with {int(status)}"
    return ""


def forked(work: Callable[[], str], seconds: int = SECONDS) -> str:
    """Return what a function says in a forked process, which may break whatever it likes."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.setsid()
        with open(os.devnull, "w") as nothing:
            os.dup2(nothing.fileno(), 1)
            os.dup2(nothing.fileno(), 2)
        said = "the tests could not be run"
        try:
            said = work()
        finally:
            os.write(writer, f":{said[:4000]}\n".encode())
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as stream:
        timer = threading.Timer(seconds, os.killpg, (child, signal.SIGKILL))
        timer.start()
        said = stream.readline().strip()
        timer.cancel()
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # and what it started
    os.waitpid(child, 0)
    return said[1:] if said else f"it ran for more than {seconds} s"


def serve() -> None:
    """Judge mutations, one a line of standard input, in the scratch copy that this runs in."""
    for name in ("pytest", "jupytext", "myst_nb.core.read", "nbclient", "jupyter_cache", "yaml"):
        importlib.import_module(name)
    for name in ("execute", "casebook", "publish", "paper", "shown", "reading_time", "exercises"):
        importlib.import_module(f"bookkit.{name}")
    for name in ("notebooks", "slides", "handouts"):
        with contextlib.suppress(ImportError):
            importlib.import_module(f"bookkit.formats.{name}")
    sources = importlib.import_module("tests.sources")
    sources.identifiers()
    from bookkit import kernels

    executes = json.loads(sys.stdin.readline())
    if executes and sys.platform == "linux":
        server = kernels._server(sys.executable, dict(os.environ))
        server.poll = lambda: None  # type: ignore[method-assign]  # a fork is not its parent
    for line in sys.stdin:
        asked = json.loads(line)
        if isinstance(asked, list):  # nothing is broken: the kind, and all the files
            kind, *paths = asked
            said = forked(functools.partial(judge, KINDS[kind], *paths), SECONDS * len(paths))
        else:
            mutation = Mutation(**asked)
            target = ROOT / mutation.path
            before = target.read_text()
            target.write_text(mutation.apply(before))
            try:
                said = forked(functools.partial(judge, KINDS[mutation.kind], mutation.path))
            finally:
                target.write_text(before)
        print("said " + json.dumps(said), flush=True)


class Copy:
    """A scratch copy, and the process that breaks it."""

    def __init__(self, folder: Path, executes: bool):
        copy_to(folder)
        env = {**os.environ, "PYTHONPATH": str(folder)}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tools.mutate", "--serve"], cwd=folder, env=env, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        print(json.dumps(executes), file=self.process.stdin, flush=True)

    def ask(self, mutation: Mutation | list[str]) -> str:
        """Return the first test that fails on a mutation, or nothing.

        A list of a kind and files asks for what fails there before anything is broken.
        """
        assert self.process.stdout
        asked = mutation if isinstance(mutation, list) else asdict(mutation)
        print(json.dumps(asked), file=self.process.stdin, flush=True)
        for line in self.process.stdout:
            if line.startswith("said "):
                return json.loads(line.removeprefix("said "))
        raise SystemExit("error: the process that runs the tests ended: run make test first.")

    def end(self) -> None:
        """End the process."""
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait()


# --- the run --------------------------------------------------------------------------------------


def listed() -> dict[str, dict[str, str]]:
    """Return {file: {change: reason}} of the mutations that nobody could see."""
    return tomllib.loads(LISTED.read_text()) if LISTED.exists() else {}


def sound(copy: Copy, drawn: list[Mutation]) -> None:
    """See that the tests pass on what is not broken, or nothing that follows would mean anything.

    Raises:
        SystemExit: one of them fails.
    """
    files: dict[tuple[bool, tuple[str, ...]], list[str]] = {}
    for mutation in drawn:
        kind = KINDS[mutation.kind]
        asked = files.setdefault((kind.executed, tuple(kind.tests)), [mutation.kind])
        if mutation.path not in asked:
            asked.append(mutation.path)
    for asked in files.values():
        said = copy.ask(asked)
        if said:
            raise SystemExit(f"error: before anything is broken, {said} fails: mend it first.")


def main() -> int:
    """Draw, break, count; return 0 where each kind reaches the aim."""
    parser = argparse.ArgumentParser(prog="python -m tools.mutate", description="Break the book.")
    parser.add_argument("--number", type=int, default=400, help="how many mutations")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="what draws them")
    parser.add_argument("--kind", default=",".join(KINDS), help=f"of {', '.join(KINDS)}")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time")
    parser.add_argument("--each", action="store_true", help="name the test that caught each")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve()
        return 0
    kinds = options.kind.split(",")
    unknown = set(kinds) - set(KINDS)
    if unknown:
        parser.error(f"no kind {', '.join(sorted(unknown))}; there are {', '.join(KINDS)}")
    drawn = draw(kinds, options.number, options.seed)
    print(f"{len(drawn)} mutations, drawn with --seed {options.seed}", flush=True)
    equivalent = listed()
    left: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])  # injected, caught, equivalent
    survivors: list[tuple[str, str, str]] = []
    waiting: queue.SimpleQueue[Mutation] = queue.SimpleQueue()
    for mutation in drawn:
        waiting.put(mutation)
    begin = time.monotonic()
    done = 0
    lock = threading.Lock()

    def work(copy: Copy) -> None:
        nonlocal done
        while True:
            try:
                mutation = waiting.get_nowait()
            except queue.Empty:
                return
            said = copy.ask(mutation)
            text = (ROOT / mutation.path).read_text()
            place, change = mutation.place(text), mutation.describe(text)
            with lock:
                row = left[mutation.kind]
                same = not said and change in equivalent.get(mutation.path, {})
                row[0] += not same
                row[1] += bool(said)
                row[2] += same
                if not said and not same:
                    survivors.append((mutation.kind, place, change))
                done += 1
                if options.each:
                    print(f"{mutation.kind}: {place}: {change}: {said or 'survived'}", flush=True)
                if done % 20 == 0 or done == len(drawn):
                    minutes = (time.monotonic() - begin) / 60
                    print(f"{done} of {len(drawn)}, {minutes:.1f} min", flush=True)

    with tempfile.TemporaryDirectory(prefix="mutate-") as name:
        executes = any(KINDS[kind].executed for kind in kinds)
        jobs = range(min(options.jobs, len(drawn)))
        copies = [Copy(Path(name) / str(number), executes) for number in jobs]
        try:
            sound(copies[0], drawn)
            threads = [threading.Thread(target=work, args=(copy,)) for copy in copies]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        finally:
            for copy in copies:
                copy.end()
    print(f"\n{'kind':16}{'injected':>10}{'caught':>8}{'equivalent':>12}")
    for kind in kinds:
        injected, caught, same = left[kind]
        print(f"{kind:16}{injected:10}{caught:8}{same:12}")
    for kind, place, change in sorted(survivors):
        print(f"survived: {kind}: {place}: {change}")
    return int(any(left[kind][1] < AIM * left[kind][0] for kind in kinds))


if __name__ == "__main__":
    sys.exit(main())
