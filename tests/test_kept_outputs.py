"""What a page shows is compared with what was kept: a word, a number, a sign, a mark, a cell."""

import nbformat
import pytest

from bookkit import kept_outputs as shown
from bookkit import pages

SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg"><defs><path style="fill: #ff0000"/></defs>'
    '<text>axis label</text><path style="fill: #d55e00; stroke: none"/>'
    "<text>a <tspan>day</tspan></text>"
    '<path style="fill: none; stroke: #1b1f24"/><path style="fill: none; stroke: #1b1f24"/></svg>'
)


def cell(source="draw()", text="", expect=None, svg="", alt="A line."):
    """Make an executed cell that printed a text or showed a figure."""
    outputs = [nbformat.v4.new_output("stream", name="stdout", text=text)] if text else []
    if svg:
        outputs.append(nbformat.v4.new_output("display_data", data={"image/svg+xml": svg}))
    found = nbformat.v4.new_code_cell(source, outputs=outputs)
    found.metadata["expect"] = expect or {}
    found.metadata["mystnb"] = {"image": {"alt": alt}}
    return found


@pytest.fixture
def page(tmp_path, monkeypatch):
    """A page of two cells whose outputs are kept."""
    monkeypatch.setattr(pages, "BOOK", tmp_path / "book")
    monkeypatch.setattr(pages, "ROOT", tmp_path)
    monkeypatch.setattr(shown, "FOLDER", tmp_path / "tests" / "outputs")
    path = tmp_path / "book" / "cases" / "one.md"
    shown.write(path, [shown.of_cell(each) for each in KEPT])
    return path


KEPT = [cell("%%time\nx = 1", "mean 2.000, 12 draws\n"), cell(svg=SVG), cell("y = 2")]


def test_what_was_kept_is_found_again(page):
    assert shown.difference(page, [shown.of_cell(each) for each in KEPT]) is None
    assert shown.file_of(page).read_text().startswith("=== x = 1\n--- stdout\nmean 2.000")


ONE_LINE_LESS = SVG.replace('<path style="fill: none; stroke: #1b1f24"/>', "", 1)


def test_lines_that_look_like_headings_are_kept_as_what_a_cell_shows(page):
    odd = [cell("x", "a\n=== totals\n--- stdout\n\\=== b\n"), KEPT[1]]
    now = [shown.of_cell(each) for each in odd]
    shown.write(page, now)
    assert shown.difference(page, now) is None
    other = cell("x", odd[0].outputs[0].text.replace("totals", "sums"))
    assert shown.difference(page, [shown.of_cell(other), now[1]])


CHANGED = {
    "a number": [cell("x = 1", "mean 2.010, 12 draws\n"), *KEPT[1:]],
    "a word": [cell("x = 1", "mode 2.000, 12 draws\n"), *KEPT[1:]],
    "nothing printed": [cell("x = 1", ""), *KEPT[1:]],
    "a label": [KEPT[0], cell(svg=SVG.replace("axis label", "label of an axis")), KEPT[2]],
    "alt text": [KEPT[0], cell(svg=SVG, alt="A curve."), KEPT[2]],
    "a mark is gone": [KEPT[0], cell(svg=ONE_LINE_LESS), KEPT[2]],
    "another colour": [KEPT[0], cell(svg=SVG.replace("#d55e00", "#1b1f24")), KEPT[2]],
    "the last cell is gone": KEPT[:2],
    "another cell": [*KEPT[:2], cell("z = 2")],
}


@pytest.mark.parametrize("now", CHANGED.values(), ids=CHANGED)
def test_what_changed_is_seen(page, now):
    assert shown.difference(page, [shown.of_cell(each) for each in now])


LINES = {"up": "M 0 90 \nL 50 40 \nL 100 10", "down": "M 0 10 \nL 50 40 \nL 100 90"}


def figure(got, expected, shift=0.0):
    """Draw two lines in axes of 100 points, each with a marker at its beginning."""
    paths = "".join(
        f'<path clip-path="url(#axes)" d="{LINES[name]}" style="fill: none; stroke: {colour}"/>'
        f'<g clip-path="url(#axes)"><use xlink:href="#dot" x="{10 * (name == "up")}" y="5"/></g>'
        for name, colour in {got: "#7a2a6b", expected: "#1b1f24"}.items()
    )
    axes = f'<rect x="{shift}" y="0" width="100" height="100"/>'
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">'
        f'<defs><clipPath id="axes">{axes}</clipPath><path id="dot" d="M -1 0 L 1 0"/></defs>'
        f'<path d="M 0 0 L 5 5" style="stroke: #1b1f24"/>{paths}</svg>'
    )


def test_answers_that_change_places_in_a_figure_are_seen_and_a_shift_by_a_point_is_not(page):
    now = [shown.of_cell(cell(svg=figure("up", "down")))]
    shown.write(page, now)
    assert "places in #7a2a6b: 0,10" in shown.file_of(page).read_text()
    assert shown.difference(page, now) is None
    near, other = (figure("up", "down", shift=1), figure("down", "up"))
    assert shown.difference(page, [shown.of_cell(cell(svg=near))]) is None
    assert shown.difference(page, [shown.of_cell(cell(svg=other))])
    marker = figure("up", "down").replace('x="10"', 'x="20"')
    assert shown.difference(page, [shown.of_cell(cell(svg=marker))])
    loose = cell(svg=marker, expect={"tolerance": 0.1})
    assert shown.difference(page, [shown.of_cell(loose)]) is None


def test_a_number_may_differ_by_as_much_as_its_cell_says(page):
    near = cell("x = 1", "mean 2.010, 12 draws\n", {"tolerance": 0.01})
    assert shown.difference(page, [shown.of_cell(each) for each in (near, *KEPT[1:])]) is None
    almost = cell("x = 1", "mean 2.001, 12 draws\n")
    assert shown.difference(page, [shown.of_cell(each) for each in (almost, *KEPT[1:])]) is None


def test_what_varies_is_not_kept():
    one, two = (cell("x", f"ran {n} s, id 0x7f00{n}abc\n", {"varies": r"\d+ s"}) for n in (3, 4))
    assert shown.of_cell(one).text() == shown.of_cell(two).text()


def test_no_file_is_left_of_a_page_that_is_gone():
    found = pages.find_notebooks() + pages.find_notebooks(pages.UNPUBLISHED)
    there = {shown.file_of(page) for page in found}
    left = sorted(
        str(file.relative_to(pages.ROOT)) for file in set(shown.FOLDER.rglob("*.txt")) - there
    )
    assert not left, f"these pages are gone: git rm {' '.join(left)}"
