"""The mutation run draws what it says, and a verdict of a fork is that of its tests."""

import itertools
import os
import re
import time

import pytest

from tools import mutate


@pytest.mark.parametrize("name", mutate.KINDS)
def test_each_kind_finds_something_in_the_book_and_changes_it(name):
    kind = mutate.KINDS[name]
    files = [file for pattern in kind.where for file in sorted(mutate.ROOT.glob(pattern))]
    found = 0
    for file in files:
        text = file.read_text()
        for spot in itertools.islice(kind.spots(text), 2):
            found += 1
            mutation = mutate.Mutation(name, str(file), *spot)
            assert mutation.apply(text) != text
            assert mutation.describe(text)
    assert found


def test_what_is_drawn_depends_on_the_seed_alone_and_each_kind_has_its_share():
    drawn = mutate.draw(["promise", "fix", "quote"], 30, seed=3)
    assert drawn == mutate.draw(["promise", "fix", "quote"], 30, seed=3)
    assert drawn != mutate.draw(["promise", "fix", "quote"], 30, seed=4)
    assert sorted(m.kind for m in drawn) == ["fix"] * 10 + ["promise"] * 10 + ["quote"] * 10


def test_a_fix_is_undone_by_the_earlier_definition():
    text = "".join(
        f"```{{code-cell}} ipython3\ndef f(x):\n    return {body}\n```\n" for body in ("x", "-x")
    )
    ((start, end, new),) = mutate.fixes(text)
    assert mutate.Mutation("fix", "", start, end, new).apply(text).count("return x") == 2


DRAWING = """\
```{code-cell} ipython3
---
expect: {steps: 1}
mystnb: {image: {alt: A line}}
---
panel = Panel()
panel.box(8 + 18 * 2, 32, 324, 26, dashed=depth > 3)
panel.height = 150
alt = f"The panel of {rows[4]} rows"
figure.add("Says", alt, panel)
assert np.isclose(rows[5], 6.0, rtol=1e-3)
```
"""


def test_of_the_numbers_of_a_drawing_only_places_are_left_out():
    drawn = [DRAWING[start:end] for start, end, _ in mutate.numbers(DRAWING)]
    assert drawn == ["3", "5", "6.0"]
    assert [DRAWING[start:end] for start, end, _ in mutate.signs(DRAWING)] == [">"]


def test_alt_texts_are_drawn_from_options_and_from_code():
    drawn = {DRAWING[start:end]: new for start, end, new in mutate.alts(DRAWING)}
    assert drawn['f"The panel of {rows[4]} rows"'] == '""'
    assert drawn["panel"] == "lenap"
    assert drawn["rows"] == "swor"
    assert drawn["line"] == "enil"
    assert "alt: A line}}" in drawn


def test_a_fork_says_what_its_work_returned_and_may_break_what_it_likes():
    assert mutate.forked(lambda: "") == ""
    assert mutate.forked(lambda: "tests/test_a.py::test_b") == "tests/test_a.py::test_b"
    assert mutate.forked(lambda: str(1 / 0)) == "the tests could not be run"
    assert "more than 1 s" in mutate.forked(lambda: time.sleep(30) or "", 1)
    before = os.getcwd()
    mutate.forked(lambda: os.chdir("/") or "")
    assert os.getcwd() == before


@pytest.mark.parametrize(
    ("name", "looks"),
    [
        ("leaf-order", True),
        ("leaf-order-repair", True),
        ("x-leaf-order", False),
        ("leaf-order-compile-cache", False),
    ],
)
def test_a_test_of_another_page_is_not_asked(name, looks):
    assert bool(re.search(mutate.Judge("leaf-order").mine, name)) == looks
