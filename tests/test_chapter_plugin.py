"""The chapter plugin turns red where a chapter is wrong, and says what is wrong with it."""

import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from bookkit import execute, pages

pytestmark = pytest.mark.slow

FRONT = """---
jupytext: {text_representation: {extension: .md, format_name: myst}}
kernelspec: {display_name: now, language: python, name: KERNEL}
---

# A chapter
"""
SHOW = "from IPython.display import display; display({'image/svg+xml': '<svg></svg>'}, raw=True)"
FRAMES = (
    "from IPython.display import display; from trace_evidence import steps\n"
    "display({steps.MIME: {'frames': [{'alt': 'a box'}, {'alt': 'a box'}]}}, raw=True)"
)

# Chapters of one cell after another: (metadata, source). The comment says what is wrong.
RAISES = "tags: [raises-exception]\nexpect: {raises: %s, match: %s}"
WRONG_CELLS = {
    "nothing was raised": (RAISES % ("ValueError", "x"), "%load_ext trace_evidence"),
    "another type": (RAISES % ("ValueError", "division"), "1 / 0"),
    "another message": (RAISES % ("ZeroDivisionError", "by a hair"), "1 / 0"),
    "a `match` that is not empty": (RAISES % ("ZeroDivisionError", "''"), "1 / 0"),
    "`expect` with `raises`": ("tags: [raises-exception]", "1 / 0"),
    "the tag raises-exception beside `raises`": ("expect: {raises: ValueError, match: x}", "1"),
    "`raises` or `warns` beside `match`": ("expect: {match: x}", "1"),
    "a valid regular expression": ("expect: {warns: UserWarning, match: '('}", "1"),
    "a mapping with keys among": ("expect: {raise: ValueError}", "1"),
    "stdout 'one'": ("expect: {stdout: one}", "print('two')"),
    "no warning": ("expect: {warns: UserWarning, match: mind the gap}", "1"),
    "no image among the outputs": ("expect: {figure: true}\nmystnb: {image: {alt: a line}}", "1"),
    "alt text for the figure": ("expect: {figure: true}", SHOW),
    "an `assert` in a cell tagged silent-failure": ("tags: [silent-failure]", "1"),
    "happened: 2 frames": ("expect: {steps: 3}", FRAMES),
    "happened: twice: 'a box'": ("expect: {steps: 2}", FRAMES),
    "on `then`: the cell runs": ("", "%%both\nimport jax\njax.set_mesh"),
    "on `now`: the cell runs": ("", "%%both\nimport jax\njax.tree_map"),
    "on `then`: TypeError": ("expect: {then: {raises: TypeError, match: odd}}", "%%both\n1"),
    "on `now`: stdout '5'": ("expect: {now: {stdout: '5'}}", "%%both\n1"),
    "keys among then, now": ("expect: {old: {stdout: '5'}}", "%%both\n1"),
}
NO_THEN = "import trace_evidence.then\ntrace_evidence.then.KERNEL_NAME = 'absent'"
CHAPTERS = {
    "right": [("expect: {figure: true}\nmystnb: {image: {alt: a line}}", SHOW)],
    "wrong": list(WRONG_CELLS.values()),
    "undeclared": [("", "1"), ("", "1 / 0"), ("", "2")],
    "bare-assert": [("", "print('one half is', 0.5)\nassert 1 < 2\nassert 1 / 2 == 0")],
    "then-assert": [("", "%load_ext trace_evidence"), ("", "%%then\na = 1\nassert a == 2")],
    "slow": [("", "import time; time.sleep(99)")],
    "dead": [("", "import os; os._exit(1)"), ("", "1")],
    "no-then": [("", f"%load_ext trace_evidence\n{NO_THEN}"), ("", "%%then\n1")],
    "then-died": [("", "%load_ext trace_evidence"), ("", "%%then\nimport os; os._exit(1)")],
    "no-kernel": [("", "1")],
    "bad-cell": [("expect: {raises: [", "1")],
    "of-the-shell": [
        ("", "import jax; assert str(jax.numpy.ones(1).dtype) == 'float32'"),
        ("", "import matplotlib.pyplot as plt; plt.figure()"),
        ("", "%load_ext trace_evidence"),
        ("", "%%then\nimport matplotlib.pyplot as plt; plt.figure()"),
    ],
    "wide": [("", "print('x' * 3_000_000)")],
}
# A shell of somebody's own: with each of these a page would show something else, or nothing.
SHELL = {
    "JAX_ENABLE_X64": "1", "JAX_PLATFORMS": "abacus", "XLA_FLAGS": "--no-such-flag",
    "MPLBACKEND": "TkAgg", "NPY_PROMOTION_STATE": "legacy",
}  # fmt: skip

# The cell bears out B: the first question says so, the second does not, the third cannot tell.
ASKS = """
```{code-cell} ipython3
:name: shown
print("two")
```
""" + "".join(
    f"""
:::{{predict}} {label}
:cell: shown
:keys: {keys}
:right: {right}

How many?

- One.

  No.
- Two.

  Yes.
- Three.

  No.
:::
"""
    for label, keys, right in (
        ("right", "one; two; three", "B"),
        ("wrong", "one; two; three", "A"),
        ("twice", "two; two; three", "A"),
    )
)


# Another cache than the book's, and less time for a cell.
CONFTEST = """
from pathlib import Path
from bookkit import execute
execute.CACHE, execute.CELL_SECONDS = Path("cache").resolve(), 20
"""


def write_chapter(folder: Path, name: str) -> None:
    """Write a chapter of the table above as MyST."""
    text = FRONT.replace("KERNEL", "absent" if name == "no-kernel" else "python3")
    for metadata, source in CHAPTERS[name]:
        block = f"---\n{metadata}\n---\n" if metadata else ""
        text += f"\n```{{code-cell}} ipython3\n{block}{source}\n```\n"
    (folder / f"{name}.md").write_text(text)


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    """What pytest, as a process of its own with the plugin, says of all chapters of the table."""
    folder = tmp_path_factory.mktemp("chapters")
    for name in CHAPTERS:
        write_chapter(folder, name)
    (folder / "asks.md").write_text(FRONT.replace("KERNEL", "python3") + ASKS)
    (folder / "bad-front.md").write_text("---\nkernelspec: [python3\n---\n# x\n")
    (folder / "latin-1.md").write_bytes("---\n# x\n---\nÜber\n".encode("latin-1"))
    temporary = folder / ("a-folder-for-what-is-temporary" * 4)
    temporary.mkdir()
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "conftest.py").write_text(CONFTEST)
    command = [sys.executable, "-m", "pytest", "-c", "pytest.ini"]
    command += ["--rootdir=.", "-p", "no:cacheprovider", "--continue-on-collection-errors"]
    command += ["--junitxml=report.xml", "."]
    own = {"COLUMNS": "200", "PYTHONPATH": str(pages.ROOT), "TMPDIR": str(temporary)}
    env = {**os.environ, **SHELL, **own}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
    cases = ET.parse(folder / "report.xml").iter("testcase")
    return done, [(case, "".join(part.text or "" for part in case)) for case in cases]


def of_chapter(cases, name):
    """Return the (case, text) pairs of one chapter."""
    return [(case, text) for case, text in cases if case.get("classname", "").startswith(name)]


@pytest.mark.parametrize(("number", "words"), list(enumerate(WRONG_CELLS)))
def test_each_wrong_cell_is_red_with_its_own_message(outcome, number, words):
    case, text = of_chapter(outcome[1], "wrong")[number]
    assert case.find("failure") is not None
    assert words in text
    assert f"wrong.md, line {case.get('name').removeprefix('line-')}" in text
    assert all(part in text for part in ("expected: ", "happened: ", "cure: "))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("undeclared", "ZeroDivisionError that the cell does not declare: division by zero"),
        ("bare-assert", "stopped:  assert 1 / 2 == 0\nprinted:  one half is 0.5"),
        ("then-assert", "stopped:  assert a == 2"),
        ("slow", "the cell ran past its limit of 20 s"),
        ("dead", "the kernel died in this cell"),
        ("no-then", "The kernel `then` (the stack of August 2024) is not installed"),
        ("then-died", "The kernel `then` died while it ran this cell"),
        ("no-kernel", "no kernel 'absent' is installed"),
    ],
)
def test_a_chapter_that_stops_says_where_and_why(outcome, name, words):
    cases = of_chapter(outcome[1], name)
    (failed,) = [text for case, text in cases if case.find("failure") is not None]
    assert words in failed
    skipped = [case.find("skipped") for case, _ in cases if case.find("skipped") is not None]
    if name == "undeclared":
        assert f"not run: an earlier cell of {name}" in skipped[-1].get("message")


@pytest.mark.parametrize("name", ["of-the-shell", "wide"])
def test_neither_the_readers_shell_nor_a_wide_line_changes_a_page(outcome, name):
    cases = of_chapter(outcome[1], name)
    assert len(cases) == len(CHAPTERS[name])
    assert not [text for case, text in cases if case.find("failure") is not None]


def test_an_answer_that_the_cell_does_not_bear_out_is_red(outcome):
    (_, cell), (_, right), (_, wrong), (_, twice) = of_chapter(outcome[1], "asks")
    assert not cell and not right
    assert "prediction wrong:\nexpected: A is right" in wrong
    assert "happened: the cell 'shown' shows 'two', which bears out B and not A" in wrong
    assert "3 answers need as many different keys" in twice


def test_invalid_front_matter_and_cell_metadata_give_one_line_with_the_cure(outcome):
    printed = outcome[0].stdout
    assert "bad-front.md:2: invalid front matter" in printed
    assert "bad-cell.md: a cell's metadata is invalid" in printed
    assert "latin-1.md:4: this is not UTF-8; save the page in UTF-8." in printed
    assert printed.count("it is the YAML between the two `---` lines") >= 2


def executed(folder, stack="now"):
    """Execute what a stack's cache does not hold; return the pages that a kernel ran for."""
    said = []
    cache = execute.open_cache(folder / "cache" / stack)
    list(execute.execute_chapters(pages.find_notebooks(folder), cache, said.append))
    return {line.split()[1] for line in said if line.startswith("executing")}


def test_a_second_run_executes_only_what_stopped_or_was_left_half_made(tmp_path):
    write_chapter(tmp_path, "right")
    write_chapter(tmp_path, "undeclared")
    assert executed(tmp_path) == {"right", "undeclared"}
    assert executed(tmp_path) == {"undeclared"}
    for notebook in (tmp_path / "cache").rglob("base.ipynb"):
        notebook.unlink()
    assert executed(tmp_path) == {"right", "undeclared"}
    assert executed(tmp_path, "another") == {"right", "undeclared"}


def test_an_index_of_the_cache_that_is_empty_or_damaged_is_made_anew(tmp_path):
    index = execute.open_cache(tmp_path).path / "global.db"
    index.write_bytes(b"")
    assert execute.open_cache(tmp_path).list_cache_records() == []
    index.write_bytes(b"\x07" * 8192)
    assert execute.open_cache(tmp_path).list_cache_records() == []
