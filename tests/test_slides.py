"""A deck takes executed cells by name, and asks before it answers."""

import pytest

from bookkit import decks, pages, taught


@pytest.mark.parametrize("page", taught.failures())
def test_a_deck_has_a_note_a_slide_and_answers_on_the_next_slide(page):
    parts = decks.slides(page)
    assert 15 <= len(parts) <= 20
    blocks = [decks.blocks(part) for part in parts]
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
