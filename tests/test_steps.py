"""Figures that are read step by step: all frames are there, each says what it shows."""

import re

import nbformat
import pytest
from bs4 import BeautifulSoup

from bookkit import catalogue, expectations, illustrations
from trace_evidence.steps import MISSING, Panel, Steps

ALT = "A box that is alone on the page, number"


def figure():
    """Return a figure with a choice of two, of two frames and of one."""
    made = Steps("What `x` does.", {"chains": ["two", "one"]})
    for number, at in enumerate(("two", "two", "one")):
        panel = Panel("a title")
        panel.rows({"x": number, "y": MISSING}, ["x"] if number else [])
        made.add(f"Step {number} of `x` < 3.", f"{ALT} {number}", panel, at=[at])
    return made


def cell(made, **expect):
    """Return a cell that shows a figure."""
    shown = made._repr_mimebundle_()
    output = nbformat.v4.new_output("display_data", data=shown)
    return nbformat.v4.new_code_cell("figure", metadata={"expect": expect}, outputs=[output])


def test_an_alt_text_that_says_too_little_is_refused():
    with pytest.raises(ValueError, match="too short"):
        figure().add("x", "too short", at=["two"])


def test_a_cell_is_held_to_the_number_of_its_frames_and_to_their_alt_text():
    assert not expectations.check(cell(figure(), steps=3))
    (fewer,) = expectations.check(cell(figure(), steps=4))
    assert (fewer.expected, fewer.happened) == ("4 frames", "3 frames")
    (undeclared,) = expectations.check(cell(figure()))
    assert undeclared.happened == "3 frames"
    twice = figure()
    twice.add("Once more.", f"{ALT} 2", at=["one"])
    (same,) = expectations.check(cell(twice, steps=4))
    assert "twice" in same.happened


@pytest.mark.parametrize("name", ["cause-1", "cause-2", "cause-3", "map", *catalogue.load()])
def test_each_chapter_and_the_common_cause_have_a_drawing_that_says_what_it_shows(name):
    drawn = BeautifulSoup(illustrations.inline(name), "html.parser").svg
    assert drawn["role"] == "img"
    assert len(drawn["aria-label"].split()) >= 8
    assert not re.search(r'(fill|stroke)="#', illustrations.inline(name)), "a colour of one theme"
    assert "aria-label" not in illustrations.inline(name, decorative=True)
