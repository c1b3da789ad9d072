"""The triage box, in a browser: the same answers as Python's, for whoever uses it and however.

Run by `make check-site`, which builds the site first.
"""

import json

import pytest

from tests.test_triage import DISGUISES, DRIFT, LEAK, RECORDINGS, read
from trace_evidence import triage

PAGE = "book/reference/error-index.html"
ANSWERS = """texts => {
  const rules = JSON.parse(document.getElementById("triage-rules").textContent);
  return texts.map(text => {
    const {findings, other, cases} = traceEvidence.triage(text, rules);
    const rows = findings.map(f => [f.id, f.score, f.number, f.line, f.because, f.section]);
    return [rows, other && other.id, cases.map(c => [c.id, c.number, c.line])];
  });
}"""
TEXTS = {
    **{f"tuning: {report['url']}": report["lines"] for report in read("tuning")},
    **{f"held-out: {report['url']}": report["lines"] for report in read("held-out")},
    **{f"{row['stack']}: {row['program']}": row["text"] for row in RECORDINGS},
    **{f"in {name}": change(LEAK) + change(DRIFT) for name, change in DISGUISES.items()},
    "beyond the basic plane": "🙂" * 50 + LEAK.replace("\n", "🙂\n"),
    "other line ends": LEAK.replace("\n", "\u2028") + "\x0b" + DRIFT,
    "nothing": "",
}


def in_python(text):
    """Return the answer that Python gives, in the form of the one from the browser."""
    findings, other, cases = triage.triage(text)
    rows = [[f.id, f.score, f.number, f.line, f.because, f.fix.partition("#")[2]] for f in findings]
    return [rows, other and other["id"], [[c.id, c.number, c.line] for c in cases]]


def test_the_browser_gives_the_same_answers_as_python(open_page):
    found = open_page(PAGE).page.evaluate(ANSWERS, list(TEXTS.values()))
    differ = [
        name
        for (name, text), answer in zip(TEXTS.items(), found, strict=True)
        if answer != json.loads(json.dumps(in_python(text)))
    ]
    assert not differ, "mend book/_static/triage.js, or triage.py: they answer differently"


def test_a_paste_is_answered_at_once_and_nothing_leaves_the_page(open_page):
    view = open_page(PAGE)
    view.settle()
    before = len(view.requests), len(view.errors)
    view.page.get_by_label("Paste the traceback").fill(LEAK)
    view.page.get_by_role("status").filter(has_text="This looks like").wait_for()
    first = view.page.locator("#triage-findings > li").first
    for words in ("Parallel TruncatedNormal", "line 3", "UnexpectedTracerError", "0.15.3", "?"):
        assert words in first.inner_text()
    assert (len(view.requests), len(view.errors)) == before


def test_the_links_of_an_answer_lead_to_the_chapter_and_its_cure(open_page):
    view = open_page(PAGE)
    view.page.get_by_label("Paste the traceback").fill(DRIFT)
    view.page.get_by_role("link", name="what to change").click()
    view.page.wait_for_url("**/lazy-pytree-drift.html#fix-it")
    assert view.page.locator("#fix-it").count() == 1
    assert not view.failed


def test_it_works_from_the_keyboard_alone(open_page):
    view = open_page(PAGE)
    view.page.get_by_label("Paste the traceback").focus()
    view.page.keyboard.type("No module named 'jax'")
    view.page.keyboard.press("Tab")
    view.page.keyboard.press("Enter")
    status = view.page.get_by_role("status")
    assert status.inner_text().startswith("None of the five failures.")
    assert status.get_by_role("link").get_attribute("href").endswith("version-matrix.html")
    view.page.keyboard.press("Tab")
    view.page.keyboard.press("Enter")
    assert status.inner_text() == ""


def test_what_is_pasted_is_text_and_never_markup(open_page):
    view = open_page(PAGE)
    bad = "<img src=x onerror='window.ran = 1'><script>window.ran = 1</script>"
    view.page.get_by_label("Paste the traceback").fill(f"{bad} {DRIFT}")
    view.page.get_by_role("status").filter(has_text="This looks like").wait_for()
    assert view.page.locator("#triage img, #triage script").count() == 0
    assert view.page.evaluate("window.ran") is None


def test_without_scripts_the_table_remains_and_no_dead_box(open_page):
    page = open_page(PAGE, java_script_enabled=False).page
    assert not page.locator("#triage").is_visible()
    assert page.get_by_role("link", name="Tracer hashing").count() > 5


@pytest.mark.parametrize("name", ["book/reference/error-index", "book/reference/version-matrix"])
def test_the_pages_fit_a_phone(open_page, name):
    page = open_page(f"{name}.html", width=390).page
    page.evaluate("document.querySelector('#triage-text')?.focus()")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
