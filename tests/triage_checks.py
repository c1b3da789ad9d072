"""The triage box, in a browser: the same answers as Python's, for whoever uses it and however.

Run by `make check`, which builds the site first.
"""

import json
import re
from pathlib import Path

import pytest

from bookkit import entries
from tests.test_triage import DISGUISES, DRIFT, LEAK, RECORDINGS
from tools import score
from trace_evidence import narrowing, triage

PAGE = "book/reference/error-index.html"
ANSWERS = """async texts => {
  const { triage: rules } = await traceEvidence.data();
  return texts.map(text => {
    const {findings, releases} = traceEvidence.triage(text, rules);
    const rows = findings.map(f => [
      f.rule.kind, f.id, f.score, f.number, f.line, f.because, f.section, f.occurs, f.versions,
    ]);
    return [rows, releases];
  });
}"""
TEXTS = {
    **{f"{part}: {row['url']}": row["lines"] for part in score.PARTS for row in score.read(part)},
    **{f"{row['stack']}: {row['program']}": row["text"] for row in RECORDINGS},
    **{f"{row['stack']}: {row['about']}": row["text"] for row in entries.recorded()},
    **{f"in {name}": change(LEAK) + change(DRIFT) for name, change in DISGUISES.items()},
    "beyond the basic plane": "🙂" * 50 + LEAK.replace("\n", "🙂\n"),
    "other line ends": LEAK.replace("\n", "\u2028") + "\x0b" + DRIFT,
    "an old release": f"numpyro==0.15.2\n{LEAK}",
    "a new release": f"numpyro==0.22.0 jax==0.10.2\n{LEAK}{DRIFT}",
    "far down": "step 1 loss 0.1\r\n" * 60_000 + DRIFT,
    "one long word": "x" * 400_000,
    "nothing": "",
}


def in_python(text):
    """Return the answer that Python gives, in the form of the one from the browser."""
    answer = triage.triage(text)
    rows = []
    for f in answer.findings:
        section = "" if f.kind == "everyday" else f.page.partition("#")[2]
        matched = f.score, f.number, f.line, f.because
        rows.append([f.kind, f.id, *matched, section, f.occurs, f.versions])
    return [rows, answer.releases]


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
    view.page.get_by_label("Paste an error").focus()  # what the box knows is loaded now
    view.page.wait_for_function("() => traceEvidence.known")
    view.settle()
    before = len(view.requests), len(view.errors)
    view.page.get_by_label("Paste an error").fill(f"numpyro==0.15.2\n{LEAK}")
    view.page.get_by_role("status").filter(has_text="This looks like").wait_for()
    first = view.page.locator("#triage-findings > li").first
    for words in ("Parallel TruncatedNormal", "line 4", "UnexpectedTracerError", "0.15.2", "?"):
        assert words in first.inner_text()
    assert "`" not in view.page.locator("#triage-findings").inner_text()
    assert (len(view.requests), len(view.errors)) == before


def test_an_answer_leads_to_the_cure_or_to_the_cases(open_page):
    view = open_page(PAGE)
    box = view.page.get_by_label("Paste an error")
    box.fill(DRIFT)
    link = view.page.locator("#triage-findings a").first
    link.filter(has_text="Lazy pytree drift").wait_for()
    assert link.get_attribute("href").endswith("lazy-pytree-drift.html#cases")
    box.fill(f"numpyro==0.16.1\n{DRIFT}")
    view.page.get_by_text("occurs with NumPyro 0.16.1").wait_for()
    link.click()
    view.page.wait_for_url("**/lazy-pytree-drift.html#fix-it")
    assert view.page.locator("#fix-it").count() == 1
    assert not view.failed


@pytest.mark.parametrize("path", [PAGE, "book/index.html"])
def test_one_box_takes_errors_and_words(open_page, path):
    page = open_page(path).page
    box, first = page.get_by_label("Paste an error"), page.locator("#triage-findings a").first
    box.fill("same samples after new data")
    page.get_by_role("status").filter(has_text="some of the words").wait_for()
    assert "/cases/" in first.get_attribute("href")
    box.fill("No module named 'jax'")
    page.get_by_role("status").filter(has_text="A package is missing").wait_for()
    assert "errors/jax-installation.html#" in first.get_attribute("href")
    box.fill("qwertz yxcv")
    page.get_by_role("status").filter(has_text="ot known here").wait_for()


QUERIES = [
    row.split(" = ") for row in (Path(__file__).parent / "queries.txt").read_text().splitlines()
]
SEARCH = """async queries => {
  const { documents } = await traceEvidence.data();
  const first = words => traceEvidence.search(words, documents).slice(0, 2);
  return queries.map(words => first(words).map(one => one.href));
}"""


def test_each_query_finds_its_page_first_or_second(open_page):
    found = []
    for site, chinese in ((PAGE, False), (f"zh-cn/{PAGE}", True)):
        rows = [row for row in QUERIES if bool(re.search("[\u3400-\u9fff]", row[0])) == chinese]
        hits = open_page(site).page.evaluate(SEARCH, [words for words, _ in rows])
        found += zip(rows, hits, strict=True)
    missed = [
        (words, hits)
        for (words, right), hits in found
        if not any(f"/{name}.html" in hit or hit.endswith(f"#{name}") for hit in hits
                   for name in right.split("|"))
    ]  # fmt: skip
    # Not every way to say it can be foreseen: one in twenty may stand third.
    cure = "give the page's entry the words that people type, as one of its `phrases`"
    assert len(missed) <= len(QUERIES) / 20, (missed, cure)


@pytest.mark.parametrize(
    ("see", "where"), [("wrong", "loop"), ("stale", "mcmc"), ("same", "random")]
)
@pytest.mark.parametrize("path", ["book/index.html", "book/cases/index.html"])
def test_the_page_narrows_as_python_does_and_keeps_the_choice(open_page, path, see, where):
    page = open_page(path).page
    page.locator(f"#narrow button[value={see}]").click()
    page.locator(f"#narrow button[value={where}]").click()
    found = page.locator("#narrow-found a").evaluate_all("links => links.map(one => one.href)")
    rows = narrowing.silent()
    right = narrowing.rank(rows, see, where)[: narrowing.MOST]
    assert [href.partition("/book/")[2].replace(".html", "") for href in found] == [
        rows[name]["page"].removeprefix("book/") for name in right
    ]
    page.locator("#narrow-found a").first.click()
    page.wait_for_url("**/cases/*.html")
    page.go_back()
    assert page.locator("#narrow-found a").count() == narrowing.MOST
    assert page.locator("#narrow button[aria-pressed=true]").count() == 2


def test_the_filter_answers_as_one_types(open_page):
    view = open_page(PAGE)
    entries = view.page.locator("li.everyday:visible")
    everything = entries.count()
    view.page.get_by_label("Show only what has").fill("broadcast plate")
    assert 0 < entries.count() < everything / 10
    assert view.page.locator("#plate-does-not-fit").is_visible()
    view.page.evaluate("location.hash = 'python-if'")
    view.page.locator("#python-if").wait_for()
    assert entries.count() == everything


@pytest.mark.parametrize(
    ("asked", "right"),
    [("distribution comes back with loc and scale swapped", "cases/leaf-order.html"),
     ("unhashable type: 'DynamicJaxprTracer'", "failures/tracer-hashing.html")],
)  # fmt: skip
def test_above_the_sites_search_both_doors_answer(asked, right, open_page):
    view = open_page(f"search.html?q={asked}")
    links = view.page.locator("#search-answers a")
    links.first.wait_for()
    assert any(right in link.get_attribute("href") for link in links.all())


def test_a_search_leads_to_the_first_of_equal_sections_and_loads_what_is_seen(open_page):
    view = open_page("search.html?q=escape")
    view.page.locator("#search-results li a[data-led][href*='#']").first.wait_for()
    view.settle()
    assert not view.failed
    results = view.page.locator("#search-results li").count()
    loaded = [url for url in view.requests if "/book/" in url and url.endswith(".html")]
    assert 0 < len(loaded) < 10 < results
    view.visit("search.html?q=lru_cache")
    case = view.page.locator("#search-results li").first
    case.locator("a[data-led][href$='cases/lru-cache.html']").wait_for()
    assert "lru_cache" in case.locator("p.context").inner_text()


def test_what_is_pasted_is_text_and_never_markup(open_page):
    view = open_page(PAGE)
    bad = "<img src=x onerror='window.ran = 1'><script>window.ran = 1</script>"
    view.page.get_by_label("Paste an error").fill(f"{bad} {DRIFT}")
    view.page.get_by_role("status").filter(has_text="This looks like").wait_for()
    assert view.page.locator("#triage img, #triage script").count() == 0
    assert view.page.evaluate("window.ran") is None


def test_without_scripts_the_table_remains_and_no_dead_box(open_page):
    page = open_page(PAGE, java_script_enabled=False).page
    assert not page.locator("#triage").is_visible()
    assert not page.locator("#index-filter").is_visible()
    assert page.get_by_role("link", name="error index").count() > 0
    assert page.locator("li.everyday:visible").count() >= 80
