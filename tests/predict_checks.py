"""Predictions in a browser: by mouse and keyboard, on a phone, on paper, and without scripts.

Run by `make check`, which builds the site first.
"""

import pytest

from bookkit import pages, predictions
from tests.site_checks import PAGES, SITE, soup
from tools import changes

WITH = [str(path.relative_to(SITE)) for path in PAGES if soup(path).select("form.predict")]
PAGE = "book/failures/lazy-pytree-drift.html"
assert len(WITH) >= 10
with_forms = pytest.mark.parametrize("path", changes.in_turn(WITH, 3))


def replies(form):
    """Return the texts of the replies that can be seen."""
    return [one.inner_text() for one in form.locator(".predict-reply").all() if one.is_visible()]


@with_forms
def test_on_paper_all_replies_are_listed_and_on_the_screen_that_of_each_try(path, open_page):
    width = 390 if WITH.index(path) % 2 else 1280
    view = open_page(path, width=width)
    view.page.emulate_media(media="print")
    for form in view.page.locator("form.predict").all():
        assert len(replies(form)) == form.locator(".predict-answer").count()
        assert not form.locator("button").first.is_visible()
    for output in view.page.locator(".cell:has(> .prediction) > .cell_output").all():
        assert output.is_visible()
    view.page.emulate_media(media="screen")
    source = (pages.ROOT / path).with_suffix(".md")
    wanted = predictions.find(source.read_text())
    for cell in soup(SITE / path).select(".cell:has(> .prediction)"):
        parts = [part["class"] for part in cell.find_all(recursive=False)]
        assert "prediction" in parts[1] and "cell_output" in parts[-1], "between both"
    forms = soup(SITE / path).select("form.predict")
    assert [form["id"] for form in forms] == [
        f"predict-{prediction.label}" for prediction in wanted
    ]
    for prediction in wanted:
        view.page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
        form = view.page.locator(f"#predict-{prediction.label}")
        assert replies(form) == []
        for number, letter in enumerate("ABCD"[: len(prediction.answers)]):
            form.locator(".predict-answer label").nth(number).click()
            (said,) = replies(form)
            assert said.startswith(f"{letter}. ")
            assert ("Right." in said.split("\n")[0]) == (letter == prediction.options["right"])
            assert form.locator(".predict-answer").nth(number).locator(".predict-reply").count()
        assert form.bounding_box()["width"] <= width
    assert not view.errors


def test_a_reply_to_a_repair_shows_what_came_of_it():
    asked = {
        name: one for name, (_, one) in predictions.of_book().items() if "shows" in one.options
    }
    forms = [form for path in WITH for form in soup(SITE / path).select("form.predict")]
    found = {form["id"].removeprefix("predict-"): form for form in forms}
    assert len(asked) >= 5
    for name, prediction in asked.items():
        shown = [reply.select("pre") for reply in found[name].select(".predict-reply")]
        printed = ["".join(block.get_text() for block in blocks) for blocks in shown]
        assert [text[:1] for text in printed] == list("ABCD"[: len(prediction.answers)]), name
        assert all("\n" not in text.strip() for text in printed), name


def test_by_keyboard_the_choice_moves_and_enter_answers(open_page):
    page = open_page(PAGE).page
    form = page.locator("#predict-lazy-reads")
    form.locator("input").first.focus()
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    assert form.locator("input").nth(1).is_checked()
    assert replies(form) == []
    page.keyboard.press("Enter")
    (said,) = replies(form)
    assert said.startswith("B. ") and "Right." not in said
    assert form.locator("[aria-live=polite] .predict-reply").count() == 1
    page.keyboard.press("ArrowDown")
    assert replies(form) == [], "the reply to the choice before"
    assert form.get_by_role("radio").count() == 4
    assert form.get_by_role("group", name="On the old stack JAX refuses this loop").count() == 1


def test_the_output_waits_for_an_answer_or_for_the_button(open_page):
    page = open_page(PAGE).page
    form = page.locator("#predict-lazy-reads")
    output = page.locator(".cell:has(> .prediction > #predict-lazy-reads) > .cell_output")
    told = page.get_by_text("JAX advises you to return")
    assert not output.is_visible() and not told.is_visible()
    form.get_by_role("button", name="Show what happens").click()
    assert output.is_visible() and told.is_visible()
    other = page.locator("#predict-lazy-leaves")
    shown = page.locator(".cell:has(> .prediction > #predict-lazy-leaves) > .cell_output")
    assert not shown.is_visible()
    other.locator("label").first.click()
    assert shown.is_visible()


BELOW = """form => {
  const own = node => node.matches(".cell-marks") && node.nextElementSibling?.matches(".cell");
  const shown = node => node.checkVisibility() && !node.closest("summary, .how-to") && !own(node);
  const kinds = "article :is(.cell, p, li, pre, figure, svg, .drawing)";
  const after = [...document.querySelectorAll(kinds)]
    .filter(node => form.compareDocumentPosition(node) & 4 && !form.contains(node) && shown(node));
  const next = after.findIndex(node => node.matches(".cell") && !node.contains(form));
  const part = form.closest("article > section > section");
  const near = next < 0 ? after.filter(node => part.contains(node)) : after.slice(0, next);
  return near.map(node => node.textContent.trim() || node.nodeName);
}"""
WORDS = 40  # that introduce the next program


@with_forms
def test_nothing_stands_open_between_a_question_and_the_next_program(path, open_page):
    """Words that tell what came, outputs, figures, and what is marked of a program wait.

    The marks above the next program may be seen.
    """
    for form in open_page(path).page.locator("form.predict").all():
        if not form.is_visible():
            continue
        seen = form.evaluate(BELOW)
        said = sum(len(text.split()) for text in seen)
        figures = {"svg", "FIGURE", "DIV", "PRE"} & set(seen)
        assert said <= WORDS and not figures, f"{form.get_attribute('id')}: {seen}"
        marked = [text for text in seen if text.startswith(("silent:", "raises "))]
        assert not marked, f"{form.get_attribute('id')}: {marked}"


@with_forms
def test_without_scripts_the_replies_are_folded_and_nothing_is_hidden(path, open_page):
    page = open_page(path, java_script_enabled=False).page
    for form in page.locator("form.predict:not(details:not([open]) form)").all():
        assert replies(form) == []
        assert not form.locator("input").first.is_visible()
        assert form.locator("button").count() == 0
        form.locator("summary").click()
        assert len(replies(form)) == form.locator(".predict-answer").count()
    assert page.locator(".predict-hidden").count() == 0
