"""Figures read step by step, and those that no cell makes: each says what it shows."""

import re

import pytest
from bs4 import BeautifulSoup

from bookkit import catalogue, illustrations
from trace_evidence.steps import Panel, Steps


def test_an_alt_text_that_says_too_little_is_refused():
    with pytest.raises(ValueError, match="too short"):
        Steps("What `x` does.").add("Step 1.", "too short", Panel("a title"))


@pytest.mark.parametrize("name", ["cause-1", "cause-2", "cause-3", "map", *catalogue.load()])
def test_each_chapter_and_the_common_cause_have_a_drawing_that_says_what_it_shows(name):
    drawn = BeautifulSoup(illustrations.inline(name), "html.parser").svg
    assert drawn["role"] == "img"
    assert len(drawn["aria-label"].split()) >= 8
    assert not re.search(r'(fill|stroke)="#', illustrations.inline(name)), "a colour of one theme"
    assert "aria-label" not in illustrations.inline(name, decorative=True)
