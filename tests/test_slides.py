"""A deck takes executed cells by name; a chapter without one gets its outline."""

import re

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from bookkit import pages
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
    question, answer, shown = slides.make(chapter, "Say first", PAGE)
    assert "<h1>What fails?</h1>" in question.html and "%%then" not in question.html
    assert "TypeError" not in question.html
    assert question.notes == ["Say first", "Let them guess.\n"]
    assert re.search(r"mark-then.*mark-raises.*TypeError: no", answer.html)
    assert re.search(r'class="code".*\n\n.*class="fragment"', shown.html, re.S)
    assert "assert" not in shown.html
    assert slides.as_html("Leaks", [question, answer, shown], "").count("<section") == 3


def test_a_deck_that_names_no_cell_of_the_chapter_is_refused(chapter, monkeypatch, tmp_path):
    monkeypatch.setattr(slides, "DECKS", tmp_path)
    (tmp_path / "leaks.md").write_text("```{show} absent\n```\n")
    with pytest.raises(pages.PageError, match=r"leaks.md: there is no cell 'absent'; name one"):
        slides.make(chapter, "", PAGE)


def test_a_chapter_without_a_deck_shows_one_program_a_slide(chapter):
    made = slides.make(chapter, "", PAGE)
    assert len(made) == 4
    assert "A short text." in made[0].html and "A long one." not in made[0].html
    assert "A long one." in "".join(made[0].notes)
    assert all(slide.html.count('class="code"') <= 1 for slide in made)
    assert "Nothing of this" not in "".join(slide.html for slide in made)
