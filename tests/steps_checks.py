"""Figures that are read step by step, in a browser: by keyboard and mouse, on paper, unscripted.

Run by `make check`, which builds the site first.
"""

import pytest

from tests.site_checks import PAGES, SITE, soup
from tools import changes

WITH = [str(path.relative_to(SITE)) for path in PAGES if soup(path).select("figure.steps")]
SLIDERS = "book/failures/mvn-inside-scan.html"
TURNED = "book/failures/lazy-pytree-drift.html"
with_steps = pytest.mark.parametrize("path", changes.in_turn(WITH, 3))
LABELS = '[...document.querySelectorAll("figure.steps svg text, .drawing svg text")]'
BROKEN = f"""() => {LABELS}.filter(text => {{
  const box = text.getBoundingClientRect();
  const all = text.closest("svg").getBoundingClientRect();
  return box.right > all.right + 1 || box.bottom > all.bottom + 1 || box.left < all.left - 1;
}}).map(text => text.textContent)"""
SMALL = f"""() => {LABELS}.map(text =>
  parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a)
  .filter(size => size < (innerWidth > 600 ? 13 : 12))"""


def shown(figure):
    """Return the places, among all frames, of those that can be seen."""
    frames = figure.locator(".steps-frame")
    return [i for i in range(frames.count()) if frames.nth(i).is_visible()]


def ask_for_figures(page):
    """Show the figures that wait for the answer to a question."""
    waiting = page.get_by_role("button", name="Show what happens")
    while waiting.count():  # a button that was pressed goes
        waiting.first.click()


@with_steps
def test_all_frames_can_be_seen_without_scripts_and_on_paper_one_with_them(path, open_page):
    page = open_page(path, java_script_enabled=False).page
    for figure in page.locator("figure.steps").all():
        assert len(shown(figure)) == figure.locator(".steps-frame").count() > 0
        assert figure.locator("button, input").count() == 0
    page = open_page(path).page
    ask_for_figures(page)
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate(BROKEN) == [], "words leave their drawing"
        assert page.evaluate(SMALL) == [], "words too small to read"
    figures = page.locator("figure.steps").all()
    assert [shown(figure) for figure in figures] == [[0]] * len(figures)
    page.emulate_media(media="print")
    for figure in figures:
        sliders = figure.locator(".steps-slider").count()  # of these, two neighbours are printed
        printed = 2 if sliders else figure.locator(".steps-frame").count()
        assert len(shown(figure)) == printed
        assert not figure.locator(".steps-bar").is_visible()


def test_arrow_keys_home_and_end_turn_the_frames(open_page):
    page = open_page(TURNED).page
    ask_for_figures(page)
    figure = page.locator("figure.steps").first
    last = figure.locator(".steps-frame").count() - 1
    height = figure.bounding_box()["height"]
    drawings = figure.locator(".steps-panels")
    assert len({drawn.bounding_box()["y"] for drawn in drawings.all()}) == 1, "a drawing jumps"
    button, scrubber = figure.get_by_role("button", name="Next"), figure.get_by_label("Step")
    turns = [("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", last), ("Home", 0)]
    for focus in (drawings.first.click, scrubber.focus, button.focus):
        focus()
        for key, place in [*turns, ("ArrowLeft", 0)]:
            page.keyboard.press(key)
            assert shown(figure) == [place], f"after {key}"
            assert scrubber.get_attribute("aria-valuetext") == f"{place + 1} of {last + 1}"
            assert figure.bounding_box()["height"] == height, "what is below moves"
    page.keyboard.press("Enter")
    assert shown(figure) == [1]
    says = figure.locator(".steps-now .steps-says").bounding_box()
    assert button.bounding_box()["y"] < says["y"] < drawings.nth(1).bounding_box()["y"]
    assert figure.get_by_role("button", name="Previous").get_attribute("aria-disabled") == "false"


def test_sliders_lead_through_the_grid_by_keyboard(open_page):
    figure = (page := open_page(SLIDERS).page).locator("figure.steps").first
    days, animals = figure.locator(".steps-slider input").all()
    seen = set()
    for _ in range(3):
        animals.focus()
        page.keyboard.press("Home")
        for _ in range(3):
            (place,) = shown(figure)
            seen.add(place)
            values = [
                slider.get_attribute("aria-valuetext").split()[0] for slider in (days, animals)
            ]
            said = figure.locator(".steps-frame").nth(place).locator(".steps-says").inner_text()
            assert said.startswith("Silent") == (values[0] == values[1]), (values, said)
            page.keyboard.press("ArrowRight")
        days.focus()
        page.keyboard.press("ArrowRight")
    assert len(seen) == 9


def test_a_choice_shows_its_own_frames_at_the_same_place(open_page):
    page = open_page("book/failures/parallel-truncated-normal.html").page
    figure = page.locator("figure.steps").first
    figure.get_by_role("button", name="Next").click()
    assert shown(figure) == [1]
    figure.get_by_role("radio", name="one").focus()
    page.keyboard.press("Space")
    assert shown(figure) == [6]
    page.keyboard.press("ArrowLeft")
    assert shown(figure) == [1]
