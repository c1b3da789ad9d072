"""The triage box, in a browser: the same answers as Python's, for whoever uses it and however.

Run by `make check`, which builds the site first.
"""

import gzip
import json
import re
from pathlib import Path

import pytest

from bookkit import browser as site_browser
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
    **{f"{entry['stack']}: {entry['about']}": entry["text"] for entry in entries.recorded()},
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
    view.requests.clear()
    view.page.get_by_label("Paste an error").fill(f"numpyro==0.15.2\n{LEAK}")
    view.page.get_by_role("status").filter(has_text="This looks like").wait_for()
    first = view.page.locator("#triage-findings > li").first
    for words in ("Parallel TruncatedNormal", "line 4", "UnexpectedTracerError", "0.15.2", "?"):
        assert words in first.inner_text()
    assert "`" not in view.page.locator("#triage-findings").inner_text()
    # A browser looks for the icon again when a page writes its address.
    assert not [url for url in view.requests if not url.endswith("favicon.svg")]
    assert not view.errors


ANSWERING = ["words", "words-data", "asked", "doors", "doors-data", "search", "triage", "narrow"]


@pytest.mark.parametrize("path", ["book/index.html", "zh-cn/book/index.html"])
def test_what_a_page_loads_to_answer_weighs_at_most_150_kilobytes(open_page, path):
    view = open_page(path)
    view.page.locator("#triage-text").focus()
    view.page.wait_for_function("() => traceEvidence.known")
    files = map(site_browser.file_at, view.requests)
    parts = {file.stem: file.read_bytes() for file in files if file.stem in ANSWERING}
    parts["data"] = view.page.locator("#narrow-data").text_content().encode()
    assert {"doors-data", "triage", "search", "narrow", "asked"} <= {*parts}
    packed = {name: len(gzip.compress(part)) for name, part in parts.items()}
    assert sum(packed.values()) <= 150_000, packed


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
    # A line break or the word Error makes no error of a doubt.
    for words in ("same samples after new data", "no Error, only the same\nsamples after new data"):
        box.fill(words)
        page.get_by_role("status").filter(has_text="come closest").wait_for()
        assert "/cases/" in first.get_attribute("href")
    box.fill("No module named 'jax'")
    page.get_by_role("status").filter(has_text="A package is missing").wait_for()
    assert "errors/jax-installation.html#" in first.get_attribute("href")
    box.fill("qwertz yxcv")
    page.get_by_role("status").filter(has_text="ot known here").wait_for()


QUERIES = [
    line.split(" = ") for line in (Path(__file__).parent / "queries.txt").read_text().splitlines()
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
    assert not missed, "give the page's entry the words that people type, as one of its `phrases`"
    assert len(QUERIES) > 120


@pytest.mark.parametrize(
    ("see", "where"), [("wrong", "loop"), ("stale", "mcmc"), ("same", "random")]
)
@pytest.mark.parametrize("path", ["book/index.html", "book/cases/index.html"])
def test_the_page_narrows_as_python_does_and_keeps_the_choice(open_page, path, see, where):
    page = open_page(path).page
    page.locator(f"#narrow button[value={see}]").click()
    page.locator(f"#narrow button[value={where}]").click()
    links = page.locator("#narrow-found a").evaluate_all("links => links.map(one => one.href)")
    rows = narrowing.silent()
    right = narrowing.rank(rows, see, where)[: narrowing.MOST]
    assert [href.partition("/book/")[2].replace(".html", "") for href in links] == [
        rows[name]["page"].removeprefix("book/") for name in right
    ]
    page.locator("#narrow-found a").first.click()
    page.wait_for_url("**/cases/*.html")
    page.go_back()
    assert page.locator("#narrow-found a").count() == narrowing.MOST
    assert page.locator("#narrow button[aria-pressed=true]").count() == 2


DOORS = ["book/index.html", PAGE]
CARDS = "cards => cards.map(card => card.innerText.replace(/^Matched\\n.*\\n+/m, ''))"


@pytest.mark.parametrize("path", DOORS)
@pytest.mark.parametrize(
    ("text", "asked"),
    [(f"numpyro==0.15.2\n{LEAK}", "#/?error=parallel-truncated-normal+"),
     ("same samples after new data", "#/?q=same+samples+after+new+data")],
)  # fmt: skip
def test_back_brings_question_and_answer_back_and_their_address_can_be_sent(
    open_page, path, text, asked
):
    view = open_page(path)
    page, answers = view.page, view.page.locator("#triage-findings li")
    page.get_by_label("Paste an error").fill(text)
    answers.first.wait_for()
    page.wait_for_function("() => location.hash")
    assert page.evaluate("location.hash").startswith(asked)
    sent, shown = page.url, answers.evaluate_all(CARDS)
    answers.first.locator("a").first.click()
    page.wait_for_load_state()
    page.go_back()
    answers.first.wait_for()
    assert page.get_by_label("Paste an error").input_value() == text
    assert answers.evaluate_all(CARDS) == shown
    # Who is sent the address sees the same answer, and of a paste nothing but that.
    view.visit("404.html")
    view.visit(sent.removeprefix(view.site))
    answers.first.wait_for()
    assert answers.evaluate_all(CARDS) == shown
    assert page.get_by_label("Paste an error").input_value() == ("" if "error" in asked else text)
    assert not any("?" in url for url in view.requests if "_static" not in url)
    page.get_by_role("button", name="Clear").click()
    assert not page.evaluate("location.hash") and not answers.count()


COPIED = "navigator.clipboard.readText()"


def test_an_answer_is_copied_with_title_link_cure_and_releases(open_page):
    view = open_page(PAGE, permissions=["clipboard-read", "clipboard-write"])
    view.page.get_by_label("Paste an error").fill(f"numpyro==0.15.2\n{LEAK}")
    copy = view.page.locator(".triage-card").get_by_role("button", name="Copy as Markdown").first
    copy.click()
    view.page.get_by_role("button", name="Copied").wait_for()
    said = view.page.evaluate(COPIED)
    findings = triage.triage(f"numpyro==0.15.2\n{LEAK}").findings[0]
    assert said.startswith(f"**[{findings.title}]({findings.page})**\n\n")
    for words in (findings.cure, "NumPyro 0.15.2", f"({view.site}{PAGE}#/?error=parallel"):
        assert words in said
    view.visit("book/index.html#/?see=stale&where=mcmc")
    view.page.locator("#narrow-found button").first.click()
    view.page.get_by_role("button", name="Copied").wait_for()
    rows = narrowing.silent()
    first = rows[narrowing.rank(rows, "stale", "mcmc")[0]]
    said = view.page.evaluate(COPIED)
    assert said.startswith(f"**[{first['title']}]({triage.address(first['page'])})**\n\n")
    assert first["cure"] in said and first["occurs"] in said and "#/?see=stale&where=mcmc" in said


def test_where_the_clipboard_is_forbidden_the_text_stands_there_to_be_copied(open_page):
    page = open_page("book/index.html#/?see=nan").page
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error()); }")
    page.locator("#narrow-found button").first.click()
    box = page.locator("#narrow-found textarea")
    assert box.input_value().startswith("**[")
    assert page.evaluate("getSelection().toString()") == box.input_value()


def test_the_doors_work_from_a_file(open_page):
    page = open_page("404.html").page
    file = (site_browser.SITE / "book" / "index.html").as_uri()
    page.goto(f"{file}#/?see=stale&where=mcmc")
    assert page.locator("#narrow-found a").count() == narrowing.MOST
    answers = page.locator("#triage-findings li")
    for text, key in (("nan gradient", "q="), (DRIFT, "error=lazy-pytree-drift")):
        page.get_by_label("Paste an error").fill(text)
        page.wait_for_function("key => location.hash.includes(key)", arg=key)
    assert page.url.startswith(f"{file}#/?see=stale&where=mcmc&error=")
    answers.first.locator("a").first.click()
    page.wait_for_load_state()
    page.go_back()
    answers.first.wait_for()
    assert page.get_by_label("Paste an error").input_value() == DRIFT


def test_a_filter_and_the_narrowing_share_the_address_of_the_casebook(open_page):
    page = open_page("book/cases/index.html#/?kind=loud&see=stale").page
    page.locator("#narrow button[value=mcmc]").click()
    page.locator("#case-filter [name=words]").fill("scan")
    asked = page.evaluate("location.hash").removeprefix("#/?").split("&")
    assert {*asked} == {"kind=loud", "see=stale", "where=mcmc", "words=scan"}
    assert page.locator("#narrow button[aria-pressed=true]").count() == 2


def test_the_words_of_a_filter_come_back(open_page):
    page = open_page(PAGE).page
    page.get_by_label("Show only what has").fill("broadcast plate")
    page.locator("li.everyday:visible a").first.click()
    page.wait_for_load_state()
    page.go_back()
    page.get_by_text(re.compile(r"^\d+ of \d+ entries")).wait_for()
    assert page.get_by_label("Show only what has").input_value() == "broadcast plate"


@pytest.mark.parametrize("paper", [False, True])
def test_without_scripts_and_on_paper_the_narrowing_is_nested_lists(open_page, paper):
    path = "book/cases/index.html" if paper else "book/index.html"
    page = open_page(path, width=390, java_script_enabled=paper).page
    if paper:
        page.emulate_media(media="print")
    else:
        page.locator(".narrow-lists summary").filter(has_text="NaN").click()
    assert not page.locator("#narrow").is_visible()
    listed = page.locator(".narrow-lists details").filter(has_text="NaN or infinity")
    seen = [name for name, row in narrowing.silent().items() if "nan" in row["see"]]
    assert listed.locator("li li a:visible").count() == len(seen)
    places = listed.locator("ul > li:has(> ul)")
    assert 0 < places.count() <= len(seen) and places.first.is_visible()


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
