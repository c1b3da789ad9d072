"""The mutation run draws what it says."""

import pytest

from bookkit import pages
from tools import mutate

FILES = [*pages.find_notebooks(), *(pages.ROOT / mutate.EXERCISES).glob("*.md")]
TEXTS = [path.read_text() for path in FILES]


@pytest.mark.parametrize("name", mutate.KINDS)
def test_each_kind_finds_something_in_the_book_and_changes_it(name):
    found = [(text, spot) for text in TEXTS for spot in mutate.KINDS[name](text)]
    assert len(found) >= 20
    assert all(text[start:end] != new for text, (start, end, new) in found)


def test_what_is_drawn_depends_on_the_seed_alone_and_each_kind_has_its_share():
    drawn = mutate.draw(["promise", "cure", "check"], 30, seed=3)
    assert drawn == mutate.draw(["promise", "cure", "check"], 30, seed=3)
    assert drawn != mutate.draw(["promise", "cure", "check"], 30, seed=4)
    assert sorted(m.kind for m in drawn) == ["check"] * 10 + ["cure"] * 10 + ["promise"] * 10


def test_a_cure_is_undone_by_the_earlier_definition():
    text = "".join(
        f"```{{code-cell}} ipython3\ndef f(x):\n    return {body}\n```\n" for body in ("x", "-x")
    )
    ((start, end, new),) = mutate.cures(text)
    assert mutate.Mutation("cure", "", start, end, new).apply(text).count("return x") == 2
