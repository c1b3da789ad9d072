"""What the site's look is made of: style sheets, folds, marks on what differs, drawings."""

import re

import pytest
from bs4 import BeautifulSoup
from docutils import nodes

from bookkit import entries, illustrations
from bookkit.sphinx import render, sheets, site
from bookkit.sphinx.directives import bar
from trace_evidence.steps import Panel, Steps

SHEET = """/* a note */ .used,.unused:hover,.a:not(.unused){color:red}
@media print{.unused{color:blue}.used .unused{margin:0}}
@font-face{font-family:x}html[data-theme="dark"] body{color:white}"""


def test_a_sheet_keeps_what_the_site_can_show():
    kept = sheets.used_rules(SHEET, {"used", "a"})
    assert kept == (
        " .used,.a:not(.unused){color:red}\n@media print{}\n"
        '@font-face{font-family:x}html[data-theme="dark"] body{color:white}'
    )


def test_sheets_become_one_with_their_imports_and_addresses(tmp_path):
    (tmp_path / "styles").mkdir()
    (tmp_path / "styles" / "theme.css").write_text(
        '@charset "UTF-8";@import "../basic.css";a{b:url(../fonts/a.woff)}i{b:url("data:x,(y)")}'
    )
    (tmp_path / "basic.css").write_text("p{b:url(file.png)}")
    one = sheets.read(tmp_path, "styles/theme.css")
    assert one == 'p{b:url(file.png)}a{b:url(fonts/a.woff)}i{b:url("data:x,(y)")}'
    page = (
        '<link href="../_static/styles/theme.css?digest=1" rel="stylesheet" />\n'
        '<link rel="stylesheet" type="text/css" href="../_static/book.css?v=2" />\n'
        '<noscript><link rel="stylesheet" href="../_static/no-scripts.css"></noscript>'
    )
    matches = sheets.LINK.findall(sheets.LINKS.search(page)[0])
    assert matches == [("../_static/", "styles/theme.css"), ("../_static/", "book.css")]


def test_a_long_message_is_folded_where_a_sentence_or_a_line_or_a_word_ends():
    def folded(message, limit=40):
        parts = render.fold_message([nodes.literal_block(message, message)], limit)
        return [part.astext() for part in parts if isinstance(part, nodes.literal_block)]

    assert folded("short enough to be shown") == ["short enough to be shown"]
    first, rest = "A sentence of thirty-five characters.", "And another one, with more words."
    assert folded(f"{first} {rest}") == folded(f"{first}\n{rest}") == [first, rest]
    assert folded("one sentence that goes on and on", 13) == ["one sentence", "that goes on and on"]


def test_words_that_differ_between_the_stacks_are_marked_and_long_lines_stand_below_another():
    def outcomes(*texts):
        sides = [nodes.container("", nodes.literal_block(t, t, classes=["output"])) for t in texts]
        shown = render.outcomes_side_by_side(sides)
        assert [side.astext() for side in sides] == list(texts)
        marks = [[part.astext() for part in side.findall(nodes.inline)] for side in sides]
        return marks, "both-wide" in shown["classes"]

    assert outcomes("in: 2\nout: 3", "in: 2\nout: 2") == ([["3"], ["2"]], False)
    marked = outcomes("position dist 5 4 | 2", "position dist   4 | 2")[0]
    assert marked == [["5"], []], "a blank that is underlined"
    assert outcomes("nothing in common", "-1.5 [2 2]") == ([[], []], False)
    assert outcomes("a line of more than thirty-eight characters", "short")[1]


def test_an_alt_text_that_says_too_little_is_refused():
    with pytest.raises(ValueError, match="too short"):
        Steps("What `x` does.").add("Step 1.", "too short", Panel("a title"))


@pytest.mark.parametrize("name", ["cause-1", "cause-2", "cause-3", "map", *entries.chapters()])
def test_each_chapter_and_the_common_cause_have_a_drawing_that_says_what_it_shows(name):
    drawn = BeautifulSoup(illustrations.inline(name), "html.parser").svg
    assert drawn["role"] == "img"
    assert len(drawn["aria-label"].split()) >= 8
    assert not re.search(r'(fill|stroke)="#', illustrations.inline(name)), "a colour of one theme"
    assert "aria-label" not in illustrations.inline(name, decorative=True)


def test_exercises_are_counted_by_the_page_in_any_language():
    head, link = (
        '<span class="caption-number">{} </span>',
        '<a class="reference internal" href="#a">{}</a>',
    )
    body = (
        head.format("Exercise 13") + link.format("Exercise 13 (one)") + head.format("Exercise 14")
    )
    made = site.number_exercises(body)
    assert re.findall(r"Exercise \d+", made) == ["Exercise 1", "Exercise 1", "Exercise 2"]
    assert "练习 1 " in site.number_exercises(head.format("练习 7"))
    assert site.number_exercises(link.format("JAX 13 ")) == link.format("JAX 13 ")


def test_stacks_with_one_verdict_are_a_bar_that_says_its_releases():
    wide = BeautifulSoup(bar("wrong", ["0.13.0", "0.14.0", "0.15.0", "0.16.0"]), "html.parser")
    assert wide.td["colspan"] == "4" and "0.13.0 to 0.16.0" in wide.small.get_text()
    narrow = BeautifulSoup(bar("wrong", ["0.13.0"]), "html.parser")
    assert narrow.small is None and narrow.select_one(".verdict")["title"].startswith("0.13.0: ")
