"""A deck takes executed cells by name, and asks before it answers."""

import re
from pathlib import Path

import pytest

from bookkit import pages, taught
from bookkit.formats import slides


@pytest.mark.parametrize("page", taught.failures())
def test_a_deck_has_a_note_a_slide_and_answers_on_the_next_slide(page):
    parts = re.split(r"^---$\n?", (slides.DECKS / f"{Path(page).name}.md").read_text(), flags=re.M)
    assert 15 <= len(parts) <= 20
    blocks = [re.findall(f"^```{slides.BLOCK.pattern}$", part, re.M) for part in parts]
    assert [kind for found in blocks for kind, *_ in found].count("notes") == len(parts)
    names = {cell.metadata.get("name") for cell in pages.read_notebook(pages.path_of(page)).cells}
    asked = {}
    for place, found in enumerate(blocks):
        for kind, name, _ in found:
            assert kind in ("notes", "drawing") or name in names, f"there is no cell {name!r}"
            if kind == "code":
                asked[name] = place
            elif kind == "outcome":
                assert asked.get(name, place - 1) == place - 1, f"{name}: asked, and not answered"
