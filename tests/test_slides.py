"""A deck takes executed cells by name, and asks before it answers."""

import re
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from bookkit import pages, taught
from bookkit.formats import slides

PAGE = "book/failures/leaks"


@pytest.fixture
def chapter():
    """A chapter of two programs, the second of which fails."""
    fails = new_output("error", ename="TypeError", evalue="no", traceback=["TypeError: no"])
    printed = new_output("stream", name="stdout", text="3\n")
    expect = {"raises": "TypeError", "match": "no"}
    return new_notebook(
        cells=[
            new_markdown_cell("# Leaks\n\nA short text.\n\n" + "A long one. " * 30),
            new_code_cell("x = 3\n\nprint(x)\nassert x == 3", outputs=[printed]),
            new_markdown_cell("## Fix it"),
            new_code_cell(
                "%%then\nx + None", outputs=[fails], metadata={"expect": expect, "name": "fails"}
            ),
            new_markdown_cell("## Further reading\n\nNothing of this."),
        ]
    )


def test_a_deck_shows_code_before_its_outcome_and_says_its_notes(chapter, monkeypatch, tmp_path):
    monkeypatch.setattr(slides, "DECKS", tmp_path)
    deck = "# What fails?\n\n```{code} fails\n```\n\n```{notes}\nLet them guess.\n```\n---\n"
    (tmp_path / "leaks.md").write_text(deck + "```{outcome} fails\n```\n\n---\n```{show} 1\n```\n")
    question, answer, shown = slides.make(chapter, PAGE)
    assert "<h1>What fails?</h1>" in question and "%%then" not in question
    assert "TypeError" not in question
    assert question.endswith('<aside class="notes"><p>Let them guess.</p>\n</aside>')
    assert re.search(r"mark-then.*mark-raises.*TypeError: no", answer)
    assert re.search(r'class="code".*\n\n.*class="fragment"', shown, re.S)
    assert "assert" not in shown
    assert slides.as_html("Leaks", [question, answer, shown], "").count("<section") == 3


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
