"""Break the programs of the book in small ways, and count what is noticed.

Each mutation changes one thing of an executed page in a scratch copy: a number or a sign of a
program, a cure, or a value that is asserted. Then the page is executed there, with the tests that
look at pages; a mutation counts as caught where a cell or a test fails. What the stacks of the
matrix measured is not asked, since whoever changes a program measures it again.

Some mutations change nothing that a reader could see, so the exit status is 1 where fewer than 95
of 100 of a kind were caught, or the book has none of it.
"""

import argparse
import ast
import contextlib
import io
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tokenize
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from bookkit.pages import CELL
from tools import environments

ROOT = Path(__file__).resolve().parent.parent
TESTS = ("structure", "cases", "exercises")
SECONDS = 900  # more than the limit of a cell, which then fails; and a machine may be busy
JOBS = 2  # at a time
AIM = 0.95
DRAWS = re.compile(r"\bPanel\(|\bax\.|subplots\(")
SIGNS = {"+": "-", "-": "+", "*": "/", "<": ">", ">": "<", "==": "!=", "True": "False"}
SIGNS |= {"False": "True"}
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
        """Return the change in one line."""
        old, new = (" ".join(part.split()) for part in (text[self.start : self.end], self.new))
        return f"{old[:70]} -> {new[:70]}"


# --- what is broken -------------------------------------------------------------------------------


def plain(code: str) -> str:
    """Return a cell's code with its magics as blanks."""
    return re.sub(r"^[ \t]*[%!].*$", lambda found: " " * len(found[0]), code, flags=re.M)


def lines_of(code: str) -> list[int]:
    """Return the position of each line of a text."""
    found = [0]
    for row in code.splitlines(keepends=True):
        found.append(found[-1] + len(row))
    return found


def tokens(text: str) -> Iterator[tuple[int, tokenize.TokenInfo]]:
    """Yield (position, token) of each cell that draws nothing."""
    for found in CELL.finditer(text):
        code = plain(found["code"])
        rows = lines_of(code)
        if DRAWS.search(code):
            continue
        with contextlib.suppress(tokenize.TokenError, IndentationError):
            for token in tokenize.generate_tokens(io.StringIO(code).readline):
                yield found.start("code") + rows[token.start[0] - 1] + token.start[1], token


def programs(text: str) -> Spots:
    """A number or a sign of a program is another, but for the bounds of an assertion."""
    for position, token in tokens(text):
        value = token.string
        slack = text.endswith(("rtol=", "atol="), 0, position)
        if value in SIGNS:
            yield position, position + len(value), SIGNS[value]
        elif token.type == tokenize.NUMBER and not slack:
            new = f"{float(value) * 1.5 + 1:.6g}" if "." in value or "e" in value else "7"
            yield position, position + len(value), "5" if value == new else new


def nodes(found: re.Match, *kinds: type[ast.stmt]) -> Iterator[tuple[int, int, ast.stmt]]:
    """Yield (start, end, node) of the statements of some kinds at the top level of a cell."""
    code = plain(found["code"])
    rows = lines_of(code)
    with contextlib.suppress(SyntaxError):
        for node in ast.parse(code).body:
            if isinstance(node, kinds):
                decorators = getattr(node, "decorator_list", [])
                first = decorators[0].lineno if decorators else node.lineno
                end = rows[(node.end_lineno or 1) - 1] + (node.end_col_offset or 0)
                yield found.start("code") + rows[first - 1], found.start("code") + end, node


def cures(text: str) -> Spots:
    """A function or class that a later cell defines anew is the earlier one: the cure is undone."""
    known: dict[str, str] = {}
    for found in CELL.finditer(text):
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
    for found in CELL.finditer(text):
        made = set()
        for _, _, node in nodes(found, ast.Assign, ast.Assert):
            if isinstance(node, ast.Assign):
                whole = not isinstance(node.value, ast.Lambda)
                made |= {t.id for t in node.targets if isinstance(t, ast.Name) and whole}
            elif isinstance(node, ast.Assert):
                start = found.start("code") + lines_of(found["code"])[node.lineno - 1]
                compared = [n for n in ast.walk(node) if isinstance(n, ast.Compare)]
                sides = [side for n in compared for side in (n.left, *n.comparators)]
                for name in sorted({n.id for n in sides if isinstance(n, ast.Name)} & made):
                    yield start, start, PERTURB.format(name)


KINDS: dict[str, Callable[[str], Spots]] = {
    "cure": cures,
    "program": programs,
    "value": values,
}


def draw(kinds: list[str], count: int, seed: int) -> list[Mutation]:
    """Draw mutations, as many of each kind as there are, up to an equal share."""
    texts = {path: path.read_text() for path in sorted(ROOT.glob("book/**/*.md"))}
    found = {
        name: [
            Mutation(name, str(path.relative_to(ROOT)), *spot)
            for path, text in texts.items()
            for spot in KINDS[name](text)
        ]
        for name in kinds
    }
    random_, drawn = random.Random(seed), list[Mutation]()
    ordered = sorted(kinds, key=lambda name: len(found[name]))  # what the rare lack, others have
    for number, name in enumerate(ordered):
        share = (count - len(drawn)) // (len(kinds) - number)
        drawn += random_.sample(found[name], min(share, len(found[name])))
    random_.shuffle(drawn)
    return drawn


# --- the run --------------------------------------------------------------------------------------


def copy_to(folder: Path) -> Path:
    """Make a scratch copy of what git tracks, with the executed pages and both environments."""
    environments.copy_sources(folder)
    if (ROOT / "_build" / ".jupyter_cache").exists():
        shutil.copytree(ROOT / "_build" / ".jupyter_cache", folder / "_build" / ".jupyter_cache")
    for name in (".venv", ".venv-then"):
        (folder / name).symlink_to(ROOT / name)
    return folder


def failing(folder: Path, *pages: str) -> str:
    """Return the first cell or test that fails on some pages in a scratch copy, or nothing."""
    tests = [f"tests/test_{name}.py" for name in TESTS]
    words = [*pages, *tests, "-x", "-q", "--no-header", "--tb=no"]
    words += ["-k", Path(pages[0]).stem] if len(pages) == 1 else []
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *words], cwd=folder, text=True, capture_output=True,
            env={**os.environ, "PYTHONPATH": str(folder)}, timeout=SECONDS * len(pages),
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"it ran for more than {SECONDS} s"
    first = re.search(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.M)
    return first[1] if first else f"pytest ended with {done.returncode}" if done.returncode else ""


def judge(folder: Path, mutation: Mutation) -> str:
    """Return what fails in a scratch copy under a mutation, or nothing."""
    file = folder / mutation.path
    before = file.read_text()
    file.write_text(mutation.apply(before))
    try:
        return failing(folder, mutation.path)
    finally:
        file.write_text(before)


def main() -> int:
    """Draw, break, count; return 0 where each kind reaches the aim."""
    parser = argparse.ArgumentParser(prog="python -m tools.mutate", description="Break the book.")
    parser.add_argument("--number", type=int, default=160, help="how many mutations")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="what draws them")
    parser.add_argument("--kind", default=",".join(KINDS), help=f"of {', '.join(KINDS)}")
    options = parser.parse_args()
    kinds = options.kind.split(",")
    if unknown := set(kinds) - set(KINDS):
        parser.error(f"no kind {', '.join(sorted(unknown))}; there are {', '.join(KINDS)}")
    drawn = draw(kinds, options.number, options.seed)
    print(f"{len(drawn)} mutations, drawn with --seed {options.seed}", flush=True)
    counted: dict[str, list[int]] = defaultdict(lambda: [0, 0])  # injected, caught

    def work(folder: Path, share: list[Mutation]) -> None:
        for mutation in share:
            said, text = judge(folder, mutation), (ROOT / mutation.path).read_text()
            counted[mutation.kind][0] += 1
            counted[mutation.kind][1] += bool(said)
            what = f"{mutation.place(text)}: {mutation.describe(text)}"
            print(f"{mutation.kind}: {what}: {said or 'survived'}", flush=True)

    with tempfile.TemporaryDirectory(prefix="mutate-") as name:
        copies = [copy_to(Path(name) / str(number)) for number in range(JOBS)]
        whole = failing(copies[0], *sorted({one.path for one in drawn}))
        if whole:
            raise SystemExit(f"error: before anything is broken, {whole} fails: mend it first.")
        with ThreadPoolExecutor(JOBS) as pool:
            list(pool.map(work, copies, [drawn[number::JOBS] for number in range(JOBS)]))
    print(f"\n{'kind':16}{'injected':>10}{'caught':>8}")
    for kind in kinds:
        print(f"{kind:16}{counted[kind][0]:10}{counted[kind][1]:8}")
    return int(any(counted[kind][1] < AIM * max(1, counted[kind][0]) for kind in kinds))


if __name__ == "__main__":
    sys.exit(main())
