"""Break the book in hundreds of small ways, and count what the suite notices: `make mutate`.

Each mutation changes one thing on one page of a scratch copy: a number, a sign or a name in a
program, a cell, a promise, a number or a span of code in the prose, a word of the record. A batch
breaks several pages at once, each in one way; then the tests run that look at these pages, and a
mutation counts as caught where one of them fails and names its page. `tests/mutants.toml` lists
those that change nothing that a reader could see, each with the reason.

    python -m tools.mutate                     400 mutations, drawn with a seed that is printed
    python -m tools.mutate --number 60 --seed 3 --kinds prose,record

The exit status is 1 where fewer than 98 of 100 of a kind were caught.
"""

from __future__ import annotations

import argparse
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
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from tools import environments

ROOT = environments.ROOT
LISTED = ROOT / "tests" / "mutants.toml"
TESTS = ["test_structure", "test_cases", "test_prose", "test_exercises", "test_triage"]
BATCH = 12
AIM = 0.98
FENCE = re.compile(
    r"^```\{code-cell\}[^\n]*\n(?P<options>---\n.*?^---\n)?(?P<code>.*?)^```$", re.M | re.S
)
ANY_FENCE = re.compile(r"^(```+|~~~+).*?^\1\s*$", re.M | re.S)
SIGNS = {"+": "-", "-": "+", "*": "/", "<": ">", ">": "<", "==": "!=", "True": "False"}
SIGNS |= {"False": "True"}


@dataclass(frozen=True)
class Mutation:
    """One change of one page: the text from `start` to `end` becomes `new`."""

    kind: str
    page: Path
    start: int
    end: int
    new: str

    def apply(self, text: str) -> str:
        """Return the page's text with the change."""
        return text[: self.start] + self.new + text[self.end :]

    def describe(self, text: str) -> str:
        """Return the place and the change in one line."""
        line = text.count("\n", 0, self.start) + 1
        old = " ".join(text[self.start : self.end].split())[:60]
        new = " ".join(self.new.split())[:60]
        return f"{self.page.relative_to(ROOT)}:{line}: {old!r} -> {new!r}"


def code_of(text: str) -> Iterator[tuple[int, str]]:
    """Yield (position, source) of each code cell."""
    for found in FENCE.finditer(text):
        yield found.start("code"), found["code"]


def tokens(text: str) -> Iterator[tuple[int, tokenize.TokenInfo]]:
    """Yield (position, token) of each code cell, magics left out."""
    for start, code in code_of(text):
        plain = re.sub(r"^[ \t]*[%!].*$", lambda found: " " * len(found[0]), code, flags=re.M)
        rows = [0]
        for row in plain.splitlines(keepends=True):
            rows.append(rows[-1] + len(row))
        try:
            for token in tokenize.generate_tokens(io.StringIO(plain).readline):
                yield start + rows[token.start[0] - 1] + token.start[1], token
        except (tokenize.TokenError, IndentationError):
            continue


def numbers(text: str, page: Path) -> Iterator[tuple[int, int, str]]:
    """A number in a program is another."""
    for position, token in tokens(text):
        if token.type == tokenize.NUMBER:
            value = token.string
            new = f"{float(value) * 1.5 + 1:.6g}" if "." in value or "e" in value else "7"
            if value == "7":
                new = "5"
            yield position, position + len(value), new


def signs(text: str, page: Path) -> Iterator[tuple[int, int, str]]:
    """A sign, a comparison or a truth value in a program is another."""
    for position, token in tokens(text):
        if token.string in SIGNS:
            yield position, position + len(token.string), SIGNS[token.string]


def cells(text: str, page: Path) -> Iterator[tuple[int, int, str]]:
    """A code cell is gone."""
    for found in FENCE.finditer(text):
        yield found.start(), found.end(), ""


def promises(text: str, page: Path) -> Iterator[tuple[int, int, str]]:
    """What a cell promises is another message, type or output."""
    for found in FENCE.finditer(text):
        for key in re.finditer(
            r"(?:match|raises|stdout|warns): ['\"]?(\w{3,})", found["options"] or ""
        ):
            start = found.start("options") + key.start(1)
            yield start, start + len(key[1]), "Another" + key[1]


def prose_spots(text: str, pattern: str) -> Iterator[re.Match]:
    """Yield what matches in the prose of a page."""
    hidden = [found.span() for found in ANY_FENCE.finditer(text)]
    head = text.find("\n---", 3) + 4
    for found in re.finditer(pattern, text):
        if found.start() > head and not any(a <= found.start() < b for a, b in hidden):
            yield found


def prose_numbers(text: str, page: Path) -> Iterator[tuple[int, int, str]]:
    """A number, version or count of the prose is another."""
    for found in prose_spots(text, r"(?<![\w.(=/#-])\d[\d.]*\d|(?<![\w.(=/#-])\d(?![\w.])"):
        value = found[0]
        digit = str((int(value[-1]) + 3) % 10)
        yield found.start(), found.end(), value[:-1] + digit


def prose_code(text: str, page: Path) -> Iterator[tuple[int, int, str]]:
    """A name in code of the prose is another."""
    for found in prose_spots(text, r"(?<!`)`(\w*[A-Za-z_]{4,}\w*)`(?!`)"):
        yield found.start(1), found.end(1), found[1][:-1] + "qx"


def references(text: str, page: Path) -> Iterator[tuple[int, int, str]]:
    """The number of a thread is another."""
    for found in re.finditer(r"github\.com/[\w-]+/[\w-]+/(?:issues|pull)/(\d+)", text):
        yield found.start(1), found.end(1), str(int(found[1]) + 1)


def record(text: str, page: Path) -> Iterator[tuple[int, int, str]]:
    """A word of the record's cause, cure or symptom is gone."""
    head = text[: text.find("\n---", 3)]
    for found in re.finditer(r"^  (?:cause|cure|symptom): .*\n(?:    .*\n)*", head, re.M):
        words = list(re.finditer(r"(?<= )[a-z]{4,}(?= )", found[0]))
        for word in words[:3]:
            start = found.start() + word.start()
            yield start, start + len(word[0]) + 1, ""


def labels(text: str, page: Path) -> Iterator[tuple[int, int, str]]:
    """A word in a figure is another, or a mark is not drawn."""
    for start, code in code_of(text):
        for found in re.finditer(
            r"(?:set_\w*label|set_title|text|annotate)\([^\n]*?\"(\w{3,})", code
        ):
            yield start + found.start(1), start + found.end(1), found[1][::-1]
        for found in re.finditer(
            r"^( *)\w+\.(?:plot|scatter|bar|imshow|axhline)\(.*\)$", code, re.M
        ):
            yield start + found.start(), start + found.end(), f"{found[1]}pass"


KINDS: dict[str, Callable[[str, Path], Iterator[tuple[int, int, str]]]] = {
    "number": numbers,
    "sign": signs,
    "cell": cells,
    "promise": promises,
    "prose": prose_numbers,
    "code in prose": prose_code,
    "reference": references,
    "record": record,
    "figure": labels,
}


def draw(kinds: list[str], count: int, seed: int) -> list[Mutation]:
    """Draw mutations, as many of each kind as there are, up to an equal share."""
    random_ = random.Random(seed)
    pages = [
        path for path in sorted((ROOT / "book").rglob("*.md")) if "{code-cell}" in path.read_text()
    ]
    drawn: list[Mutation] = []
    for number, kind in enumerate(kinds):
        share = (count - len(drawn)) // (len(kinds) - number)
        all_of_kind = [
            Mutation(kind, page, *spot)
            for page in pages
            for spot in KINDS[kind](page.read_text(), page)
        ]
        drawn += random_.sample(all_of_kind, min(share, len(all_of_kind)))
    random_.shuffle(drawn)
    return drawn


def batches(mutations: list[Mutation]) -> list[list[Mutation]]:
    """Put mutations together, no page twice in a batch."""
    found: list[list[Mutation]] = []
    for mutation in mutations:
        for batch in found:
            if len(batch) < BATCH and all(other.page != mutation.page for other in batch):
                batch.append(mutation)
                break
        else:
            found.append([mutation])
    return found


def copy_of(folder: Path) -> Path:
    """Make a scratch copy of what git tracks, with the executed pages and both environments."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    shutil.copytree(ROOT / "_build" / ".jupyter_cache", folder / "_build" / ".jupyter_cache")
    for name in (".venv", ".venv-then"):
        (folder / name).symlink_to(ROOT / name)
    return folder


def run(folder: Path, batch: list[Mutation]) -> set[Mutation]:
    """Run the tests on a batch; return the mutations that a failing test names."""
    report = folder / "report.xml"
    report.unlink(missing_ok=True)
    for mutation in batch:
        target = folder / mutation.page.relative_to(ROOT)
        target.write_text(mutation.apply(mutation.page.read_text()))
    names = " or ".join(mutation.page.stem for mutation in batch)
    command = [sys.executable, "-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider"]
    command += [str(mutation.page.relative_to(ROOT)) for mutation in batch]
    command += [f"tests/{name}.py" for name in TESTS]
    command += ["-k", f"{names} or readers_install or thread", f"--junitxml={report}"]
    env = {**os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
    said = [done.stderr] if not report.exists() else []
    for case in ElementTree.parse(report).iter("testcase") if report.exists() else ():
        if case.find("failure") is not None or case.find("error") is not None:
            texts = " ".join(f"{part.get('message')} {part.text}" for part in case)
            said.append(f"{case.get('classname')} {case.get('name')} {texts}")
    for mutation in batch:
        shutil.copy2(mutation.page, folder / mutation.page.relative_to(ROOT))
    text = "\n".join(said)
    threads = re.findall(r"https://github\.com/[\w./-]+", text)
    return {
        mutation
        for mutation in batch
        if re.search(rf"(?<![\w-]){re.escape(mutation.page.stem)}(?![\w-])", text)
        or any(thread.endswith(f"/{mutation.new}") for thread in threads if mutation.new)
    }


def listed() -> dict[str, str]:
    """Return {change: reason} of the mutations that nobody could see."""
    return tomllib.loads(LISTED.read_text())["equivalent"] if LISTED.exists() else {}


def main() -> int:
    """Draw, break, count; return 0 where each kind reaches the aim."""
    parser = argparse.ArgumentParser(prog="python -m tools.mutate", description="Break the book.")
    parser.add_argument("--number", type=int, default=400, help="how many mutations")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="what draws them")
    parser.add_argument("--kinds", default=",".join(KINDS), help=f"of {', '.join(KINDS)}")
    options = parser.parse_args()
    kinds = options.kinds.split(",")
    drawn = draw(kinds, options.number, options.seed)
    print(f"{len(drawn)} mutations, drawn with --seed {options.seed}", flush=True)
    equivalent = listed()
    caught: dict[str, int] = defaultdict(int)
    injected: dict[str, int] = defaultdict(int)
    survivors: list[tuple[str, str]] = []
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="mutate-") as name:
        folder = copy_of(Path(name) / "book")
        groups = batches(drawn)
        for number, batch in enumerate(groups, 1):
            found = run(folder, batch)
            for mutation in batch:
                place = mutation.describe(mutation.page.read_text())
                if mutation not in found and place.split(": ", 1)[1] in equivalent:
                    continue
                injected[mutation.kind] += 1
                caught[mutation.kind] += mutation in found
                if mutation not in found:
                    survivors.append((mutation.kind, place))
            minutes = (time.monotonic() - begin) / 60
            print(f"batch {number} of {len(groups)}, {minutes:.1f} min", flush=True)
    print(f"\n{'kind':16}{'injected':>10}{'caught':>8}")
    for kind in kinds:
        print(f"{kind:16}{injected[kind]:10}{caught[kind]:8}")
    for kind, place in sorted(survivors):
        print(f"survived: {kind}: {place}")
    return int(any(caught[kind] < AIM * injected[kind] for kind in kinds))


if __name__ == "__main__":
    sys.exit(main())
