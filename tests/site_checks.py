"""What the built site must hold. Run by `make check`, which builds the book first.

The first half reads the files, the second half opens each page in a browser: wide and narrow,
light and dark.
"""

import gzip
import json
import os
import posixpath
import re
from functools import cache
from pathlib import Path
from urllib.parse import quote, unquote, urljoin, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from bs4 import BeautifulSoup, Tag
from playwright.sync_api import expect
from sphinx.util.inventory import InventoryFile

from bookkit import entries, languages, taught
from bookkit import pages as book
from bookkit.browser import SITE, file_at
from bookkit.formats import learner
from bookkit.pages import public_address
from tests.conftest import SCHEMES, WIDTHS
from tests.test_triage import DRIFT
from tools import changes, reading

OTHERS = sorted(language.address for language in languages.available().values() if language.address)
# Of the pages in other languages, these are looked at in a browser.
SAMPLE = [
    "book/index.html", "book/failures/lazy-pytree-drift.html", "book/cases/leaf-order.html",
    "book/cases/index.html", "book/reference/error-index.html", "book/reference/glossary.html",
]  # fmt: skip
HTML = sorted(
    path
    for path in SITE.rglob("*.html")
    if path != SITE / "index.html"
    and path.relative_to(SITE).parts[0] not in (*OTHERS, taught.IN_ROOM)
)
PAGES = [path for path in HTML if path.is_relative_to(SITE / "book")]
NOTEBOOKS = [SITE / f"{page}.html" for page in taught.with_cells()]
CASES = [path for path in NOTEBOOKS if path.parent.name == "cases"]
SCHEDULE = "book/workshop/schedule"
BARE = [*learner.files()]
FAILURES = list(entries.chapters().values())
ANCHORS = Path(__file__).with_name("anchors.txt")
WORDS = 2600  # of a chapter's core, with code and outputs: twenty minutes
BYTES = 200_000
HIGH = 12_000  # pixels of a page as one opens it, at 1280


def name_of(path: Path) -> str:
    """Return a page's path in the site."""
    return str(path.relative_to(SITE))


pages = pytest.mark.parametrize("path", HTML, ids=name_of)
written = pytest.mark.parametrize("path", PAGES, ids=name_of)
failures = pytest.mark.parametrize("failure", FAILURES, ids=lambda failure: failure.name)


@cache
def soup(path: Path) -> BeautifulSoup:
    """Return a page, parsed."""
    return BeautifulSoup(path.read_text(), "html.parser")


@cache
def ids(path: Path) -> dict[str, Tag]:
    """Return what has an id in a page."""
    return {node["id"]: node for node in soup(path).find_all(id=True)}


@pages
def test_no_path_of_this_machine_is_in_a_page(path):
    text = path.read_text()
    for folder in (str(book.ROOT), os.path.expanduser("~"), "/ipykernel_"):
        assert folder not in text, f"{path.name} shows {folder}: extend PATHS in outputs.py"
    if re.search("site-packages|ipykernel|runpy|forkserver", text):
        shown = soup(path).get_text()
        for folder in ("site-packages/", "ipykernel/", "<frozen runpy>", "/forkserver.py"):
            assert folder not in shown, f"{path.name} shows {folder}: see outputs.py"


@pages
def test_drawings_share_no_names_and_a_fold_says_what_it_holds(path):
    page = soup(path)
    drawn = [tag["id"] for tag in page.select(".figure [id]")]
    assert len(drawn) == len(set(drawn))
    for summary in page.select("article summary"):
        assert not summary.get("aria-label"), f"{summary}: read aloud, it has another name"
        words = " ".join(summary.get_text(" ", strip=True).split())
        assert len(words) > 5 and "code cell" not in words, f"{path.name}: {words!r} names nothing"


@pages
def test_errors_show_their_last_line_and_cells_of_the_old_stack_are_marked(path):
    page = soup(path)
    for error in page.select("div.cell.cell-raises"):
        last = error.select_one(".error-message")
        assert last is not None and last.find_parent("details", class_="traceback") is None
        assert re.match(r"\w+(: |$)", last.get_text().strip())
    for cell in page.select("div.cell-then"):
        assert "then · August 2024" in cell.find_previous_sibling("p").get_text()
    for program in page.select("div.cell_input pre"):
        assert not program.get_text().startswith(("%%then", "%%both"))
        assert program.select_one(".err") is None


@pages
def test_a_page_is_painted_after_one_sheet_and_its_scripts_wait(path):
    page = soup(path)
    sheets = [tag for tag in page.select("link[rel=stylesheet]") if not tag.find_parent("noscript")]
    assert len(sheets) == 1, "see bookkit/sphinx/sheets.py"
    waits = {tag["src"]: tag.has_attr("defer") for tag in page.select("script[src]")}
    assert all(waits.values()), f"see `deferred` in the templates: {waits}"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_how_a_program_fails_is_said_where_its_outcome_is(path):
    for output in soup(path).select("div.cell:is(.cell-raises, .cell-silent) > .cell_output"):
        assert "cell-marks" in output.find_previous_sibling()["class"]


@pytest.mark.parametrize("page", taught.failures())
def test_a_chapter_is_read_in_the_minutes_of_its_card(page):
    seen = reading.words(SITE / f"{page}.html")
    assert seen <= WORDS, f"{page}: {seen} words; cut, fold, or move to the page behind it"
    said = book.meta(page)["chapter"]["minutes"]["reading"]
    assert said == reading.minutes(SITE / f"{page}.html"), f"{page}: {seen} words"


def test_internal_links_lead_to_a_page_and_an_anchor_that_exist():
    broken = []
    for path in HTML:
        for link in soup(path).select("a[href], link[rel=next], link[rel=prev]"):
            target = urlsplit(urljoin(public_address() + name_of(path), link["href"]))
            if not target.geturl().startswith(public_address()):
                continue
            file = file_at(target.geturl())
            asked = target.fragment.startswith("/?")  # what a script answers: see asked.js
            found = file.is_file() and (
                asked or target.fragment in ("", "top") or unquote(target.fragment) in ids(file)
            )
            if not found:
                broken.append(f"{name_of(path)}: {link['href']} ({link.get_text(' ', strip=True)})")
    assert not broken, "links that lead nowhere:\n" + "\n".join(broken)


def test_anchors_of_the_last_release_stay():
    """Readers may have bookmarked them; a release renews the list."""
    held = set(ANCHORS.read_text().split())
    found = {
        f"{name_of(path)}#{name}"
        for path in PAGES
        for name, tag in ids(path).items()
        if (tag.name in ("section", "dt") and not name.endswith("-content"))
        or "exercise" in tag.get("class", [])
    }
    (SITE.parent / "anchors.txt").write_text("\n".join(sorted(held | found)) + "\n")
    gone = [row for row in held if row.split("#")[1] not in ids(SITE / row.split("#")[0])]
    assert not gone, (
        f"anchors that readers may have bookmarked are gone: {sorted(gone)}. Keep an old name by "
        "putting `(old-name)=` above the heading that took its place; drop it from "
        "tests/anchors.txt only where nothing took its place"
    )


@written
def test_a_page_can_be_found_and_shared(path):
    page, place = soup(path), name_of(path)
    address = public_address() + place
    assert page.find("link", rel="canonical")["href"] == address, "see html_baseurl"
    description = page.find("meta", attrs={"name": "description"})
    assert description and 50 <= len(description["content"]) <= 300, (
        f"{place}: write `description:` in the page's front matter, in 50 to 300 characters"
    )
    card = {tag["property"]: tag["content"] for tag in page.select("meta[property]")}
    assert (card["og:url"], card["og:site_name"]) == (address, "Trace Evidence")
    assert (SITE / card["og:image"].removeprefix(public_address())).is_file(), "see ogp_image"
    assert f"<loc>{address}</loc>" in (SITE / "sitemap.xml").read_text(), "see sitemap_excludes"
    assert page.find("link", rel="icon"), "see html_favicon"
    assert page.select_one(".prev-next-footer a")


def test_titles_and_descriptions_differ_and_a_chapters_title_holds_its_message():
    heads = [(soup(path).title.get_text(), soup(path).find("meta", attrs={"name": "description"}))
             for path in PAGES]  # fmt: skip
    assert len({title for title, _ in heads}) == len({str(what) for _, what in heads}) == len(PAGES)
    for failure in FAILURES:
        title = soup(SITE / "book" / "failures" / f"{failure.name}.html").title.get_text()
        assert failure.title in title and failure.message in title


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_page_can_be_downloaded_and_run_in_binder_or_colab(path):
    place = path.relative_to(SITE).with_suffix("")
    links = {link["href"] for link in soup(path).select(".article-header-buttons a[href]")}
    binder = [link for link in links if link.startswith("https://mybinder.org/v2/gh/")]
    assert binder == [taught.binder_address(str(place))]
    (saved,) = [link for link in links if "_sources/" in link]
    in_words = [link["href"] for link in soup(path).select("h1 + .handed-out a")]
    assert in_words[:2] == [*binder, saved] and in_words[-1] == "#cite"
    text = (path.parent / saved).read_text()
    notebook = json.loads(text)
    assert any(cell["cell_type"] == "code" for cell in notebook["cells"])
    assert ":right:" not in text and "{predict}" not in text, "the source, with the key"
    assert not any(cell.get("outputs") for cell in notebook["cells"]), "it answers the questions"
    offered = [link for link in links if link.startswith("https://colab.research.google.com/")]
    one_kernel = path.parent.name == "foundations"
    assert offered == ([taught.colab_address(str(place))] if one_kernel else [])


@pages
def test_every_link_to_binder_leads_to_a_notebook_that_is_made(path):
    links = [link["href"] for link in soup(path).select("a[href*='mybinder.org/v2']")]
    made = {taught.in_lab(page) for page in taught.with_cells()}
    made.add(f"lab/tree/{taught.NOTEBOOKS}/index.md")
    made |= {f"lab/tree/{taught.NOTEBOOKS}/{taught.IN_ROOM}/{name}" for name in BARE}
    dead = [link for link in links if link.partition("?urlpath=")[2] not in made]
    assert not dead, f"postBuild does not write {dead}"


@pytest.mark.parametrize("page", taught.taught())
def test_a_page_that_is_taught_and_the_schedule_lead_to_what_is_handed_out(page):
    files = {kind: f"{taught.IN_ROOM}/{file}" for kind, file in taught.handed_out(page).items()}
    assert {"learner", "instructor"} <= files.keys()
    for where, kinds in ((page, files.keys() - {"instructor"}), (SCHEDULE, files.keys())):
        up = "../" * where.count("/")
        found = {link["href"] for link in soup(SITE / f"{where}.html").select("a[href]")}
        assert {up + files[kind] for kind in kinds} <= found
        assert all((SITE / files[kind]).is_file() for kind in kinds)


def test_the_site_has_what_a_workshop_needs_and_no_key_of_a_test_beside_it():
    folder = SITE / taught.IN_ROOM
    names = {"learner.zip", "instructor.zip", "learner", "instructor", "slides", "handouts", "test"}
    assert names <= {path.name for path in folder.iterdir()}
    assert list((folder / "test").glob("*-form-?.pdf"))
    assert not list(folder.rglob("*key*.pdf"))


def test_every_failure_and_case_and_its_sections_have_labels_that_lead_to_them():
    """What intersphinx reads, when the documentation of others links here by name."""
    with (SITE / "objects.inv").open("rb") as file:
        found = InventoryFile.load(file, "", posixpath.join)
    cures = {f"book/failures/{name}": "fix it" for name in entries.chapters()}
    cures |= {case.page: "cure" for case in entries.cases().values()}
    for page, heading in cures.items():
        assert found["std:doc"][page][2] == f"{page}.html"
        place, _, anchor = found["std:label"][f"{page}:{heading}"][2].partition("#")
        assert place == f"{page}.html" and anchor in ids(SITE / place)


# --- each page, looked at in a browser ------------------------------------------------------------

# A page is loaded once for a width, and everything is measured in that load. Pages that a change
# touches are opened in both widths, a third of the others in one, in turn. Cases are laid out
# alike, and so are everyday errors: of those that are as they were, one in six is opened.
ALIKE = [*CASES, *(path for path in HTML if path.parent.name == "errors")]
# With EVERYTHING=1, as once a week, nothing is left out.
EVERYTHING = bool(os.environ.get("EVERYTHING"))
TOUCHED = {SITE / name.replace(".md", ".html") for name in changes.few(changes.touched())}
TURN = int(changes.git("rev-parse", "HEAD")[:8] or "0", 16)
LOOKED_AT = [*HTML, *(SITE / other / name for other in OTHERS for name in SAMPLE)]
VIEWS = [
    (path, width, scheme)
    for number, path in enumerate(LOOKED_AT)
    for place, (width, scheme) in enumerate(zip(WIDTHS, SCHEMES, strict=True))
    if EVERYTHING
    or path in TOUCHED
    or (number + TURN) % (12 if path in ALIKE else 6) == (6 if path in ALIKE else 3) * place
]

SIDEWAYS = """() => {
  if (document.documentElement.scrollWidth <= innerWidth) return [];
  const right = e => e.getBoundingClientRect().right;
  return [[...document.querySelectorAll("article *")]
    .sort((a, b) => right(b) - right(a))[0].outerHTML.slice(0, 120)];
}"""
# What comes of a program that a prediction asks about is hidden until a reader asks for it.
SHOW_OUTCOMES = """() => document.querySelectorAll(".predict-bar [type=button]").forEach(
  button => button.click())"""
HIDDEN_MESSAGES = """() => [...document.querySelectorAll(".error-message pre")].filter(pre => {
  const folded = pre.closest(".toggle-hidden, .tag_hide-output, details:not([open])");
  return !folded && (!pre.checkVisibility() || pre.scrollWidth > pre.clientWidth + 1
                    || pre.scrollHeight > pre.clientHeight + 1);
}).map(pre => pre.textContent.slice(0, 80))"""
# How wide the text is, and what of the code is cut off.
LOOK = """() => {
  const blocks = [...document.querySelectorAll("article pre")].filter(e => e.checkVisibility());
  const article = document.querySelector("article"), s = article && getComputedStyle(article);
  const cut = blocks.filter(e => e.scrollWidth > e.clientWidth + 1);
  const wide = [...document.querySelectorAll(".pst-scrollable-table-container, .matrix-scroll")]
    .filter(e => e.scrollWidth > e.clientWidth + 2);
  return {
    width: article && article.clientWidth - parseFloat(s.paddingLeft) - parseFloat(s.paddingRight),
    blocks: blocks.length, cut: cut.map(e => e.textContent.trim().slice(0, 60)),
    unmarked: [...cut, ...wide].filter(e => !e.classList.contains("more-right"))
      .map(e => e.textContent.trim().slice(0, 60)),
  };
}"""
CUT_ON_PAPER = """() => [...document.querySelectorAll("article :is(pre, table, svg.figure, img)")]
  .filter(e => e.checkVisibility())
  .filter(e => e.getBoundingClientRect().right > 681
    || (e.tagName == "PRE" && e.scrollWidth > e.clientWidth + 1))
  .map(e => e.tagName + ": " + e.textContent.trim().slice(0, 80))"""
OPEN_ALL = """() => {
  const closed = document.querySelectorAll("article .toggle-button[aria-expanded=false]");
  closed.forEach(button => button.click());
  document.querySelectorAll("article details").forEach(details => { details.open = true; });
}"""
# Contrast takes axe seconds for each thousand words of code, so each kind of word in a block of
# code is looked at once a page.
ONE_WORD_OF_EACH_KIND = """() => {
  const seen = new Set();
  for (const word of document.querySelectorAll(".highlight pre span")) {
    const kind = word.className + " in " + word.closest(".highlight").parentElement.className;
    if (word.children.length) continue;
    if (seen.has(kind)) word.replaceWith(word.textContent); else seen.add(kind);
  }
  document.querySelectorAll(".highlight pre").forEach(pre => pre.normalize());
}"""
AXE = Axe()
# A rule that later versions of axe ask by default.
NEWER = {"label-content-name-mismatch": {"enabled": True}}


def objections(page, context=None, **how) -> list[str]:
    """Return what axe objects to in a page as it stands, a line for each element."""
    options = {"resultTypes": ["violations"], "preload": False, **how}
    return [
        f"{rule['help']}: {node['html'][:160]} at {node['target']}"
        for rule in AXE.run(page, context, options).response["violations"]
        for node in rule["nodes"]
    ]


def wrong_in_layout(view) -> list[str]:
    """Return what is cut off, out of sight, or of a size or colour of its own."""
    look = view.page.evaluate(LOOK)
    found = [f"wider than {view.width} pixels: {part}" for part in view.page.evaluate(SIDEWAYS)]
    found += [f"cut off or folded away: {part}" for part in view.page.evaluate(HIDDEN_MESSAGES)]
    if view.width == 1280:
        found += [f"cut off: {part}" for part in look["cut"]]
        if not (look["width"] is None or 760 <= look["width"] <= 800):
            found.append(f"the text is {look['width']} px wide")
    if len(look["cut"]) > look["blocks"] / 10:
        found.append(f"more than a tenth of the code is cut off: {look['cut']}")
    return found + [f"goes on, and nothing shows it: {part}" for part in look["unmarked"]]


@cache
def weight(address: str) -> int:
    """Return the size of a file as a server sends it, gzipped where that is smaller."""
    content = file_at(address).read_bytes() if address.startswith(public_address()) else b""
    return min(len(content), len(gzip.compress(content, 6)))


def too_heavy(view) -> list[str]:
    """Return by how much a page is too heavy, with all that it loads."""
    whole = sum(map(weight, view.requests))
    return [f"{whole} bytes, {BYTES} at most"] * (whole > BYTES)


def cut_on_paper(view) -> list[str]:
    """Return what is cut off at the edge of the paper."""
    view.page.set_viewport_size({"width": 680, "height": 900})  # A4 between its margins
    view.page.emulate_media(media="print", color_scheme=view.scheme)
    found = view.page.evaluate(CUT_ON_PAPER)
    view.page.emulate_media(media="screen", color_scheme=view.scheme)
    view.page.set_viewport_size({"width": view.width, "height": 900})
    return [f"cut off on paper, see @media print in book.css: {part}" for part in found]


def wrong_requests(view) -> list[str]:
    """Return what a page asked for elsewhere or in vain, and what its scripts complained about."""
    view.settle()
    assert view.requests
    elsewhere = [url for url in view.requests if not url.startswith((view.site, "data:"))]
    return [*(f"it asks elsewhere for {url}" for url in elsewhere), *view.failed, *view.errors]


@pytest.fixture(scope="module")
def windows(opener):
    """Give a window for each width, in which one page follows the other."""
    windows = {width: opener("search.html", width, scheme)
               for width, scheme in zip(WIDTHS, SCHEMES, strict=True)}  # fmt: skip
    yield windows
    for view in windows.values():
        view.page.context.close()


@pytest.mark.parametrize(
    ("path", "width", "scheme"), VIEWS, ids=lambda part: getattr(part, "stem", part)
)
def test_a_page_is_sound(path, width, scheme, windows):
    view = windows[width]
    view.page.emulate_media(color_scheme=scheme)
    view.visit(name_of(path))
    high = view.page.evaluate("document.documentElement.scrollHeight")
    view.page.evaluate(SHOW_OUTCOMES)
    problems = wrong_in_layout(view)
    if width == 1280 and high > HIGH:
        problems.append(f"{high} pixels high, {HIGH} at most")
    once = width == 1280 or (path, WIDTHS[0], SCHEMES[0]) not in VIEWS
    if path in PAGES and once:
        problems += cut_on_paper(view)
    problems += wrong_requests(view)
    if path in PAGES and once:
        problems += too_heavy(view)
    view.page.evaluate(OPEN_ALL)
    view.page.evaluate(ONE_WORD_OF_EACH_KIND)
    problems += objections(view.page, rules=NEWER)
    assert not problems, f"{view.path} at {width} pixels:\n" + "\n".join(problems)


# --- what answers to a reader ---------------------------------------------------------------------


@pytest.mark.parametrize(("width", "scheme"), list(zip(WIDTHS, SCHEMES, strict=True)))
def test_axe_finds_nothing_to_object_to_in_what_opens(width, scheme, open_page):
    page = open_page("book/failures/lazy-pytree-drift.html", width, scheme).page
    menu = page.locator("button[aria-label*='Launch']")
    menu.click()
    assert not (found := objections(page, ".dropdown-menu.show", rules=NEWER)), found
    menu.click()
    page.keyboard.press("Control+k")
    page.locator("dialog input[name=q]").fill("tracer")
    assert not (found := objections(page, "dialog", rules=NEWER)), found
    page.keyboard.press("Escape")
    for toggle in ("primary", "secondary") if width < 600 else ():
        page.locator(f"button.{toggle}-toggle:visible").click()
        page.wait_for_timeout(300)
        assert not (found := objections(page, "dialog[open]", rules=NEWER)), f"{toggle}: {found}"
        page.keyboard.press("Escape")
    page = open_page("book/reference/error-index.html", width, scheme).page
    page.get_by_label("Paste an error").fill(DRIFT)
    page.get_by_role("status").filter(has_text="This looks like").wait_for()
    assert not (found := objections(page, "#triage", rules=NEWER)), found


def first_lines(failure: entries.Entry) -> list[str]:
    """Return what a reader may paste: how each error and warning of *Reproduce it* begins."""
    section = soup(SITE / "book" / "failures" / f"{failure.name}.html").select_one("#reproduce-it")
    outputs = section.select(".error-message:not(details.message *), .stderr")
    return [output.get_text().strip().splitlines()[0] for output in outputs]


@failures
def test_the_search_finds_the_chapter_by_its_message(failure, open_page):
    view = open_page("search.html")
    lines = first_lines(failure)
    assert lines
    for line in dict.fromkeys([failure.message, *lines]):
        view.visit(f"search.html?q={quote(line)}")
        link = view.page.locator(f"#search-results a[href*='failures/{failure.name}.html']").first
        expect(link, f"the search does not find {line!r}").to_be_visible()


def test_a_search_in_vain_leads_to_the_error_index(open_page):
    view = open_page("search.html?q=PyTreeDef+MyOwnClass")
    expect(view.page.locator("#search-results")).to_contain_text("did not match")
    view.page.locator("main").get_by_role("link", name="error index").click()
    view.page.wait_for_url("**/error-index.html")


def test_the_sites_address_leads_to_the_front_page_and_a_wrong_one_to_a_search(open_page):
    view = open_page("")
    view.page.wait_for_url("**/book/index.html")
    view.page.wait_for_load_state("networkidle")  # what is under way would count as failed
    assert not view.failed
    view.visit("book/old/address.html")
    assert [row.rpartition(": ")[2] for row in view.failed] == ["404"]
    assert "not in the book" in view.page.title()
    view.page.locator("article input[name=q]").fill("lazy_property")
    view.page.keyboard.press("Enter")
    expect(view.page.locator("#search-results a").first).to_be_visible()


KINDS = (
    *("book/failures/lazy-pytree-drift", "book/cases/leaf-order", "book/cases/index"),
    *("search", "404"),
)
INTRUDE = """() => {
  const code = "globalThis.intruded = true";
  document.body.append(Object.assign(document.createElement("script"), {textContent: code}));
  return [document.documentElement.dataset.theme, globalThis.intruded];
}"""


def test_a_page_runs_its_own_scripts_and_no_other_also_from_a_disk(open_page):
    assert all("Content-Security-Policy" in path.read_text() for path in HTML)
    view = open_page("404.html")
    for name in KINDS:
        for address in (view.site, f"{SITE.as_uri()}/"):
            view.errors.clear()
            view.page.goto(f"{address}{name}.html")
            refused = [error for error in view.errors if "Content Security" in error]
            assert not refused, f"{address}{name}: {refused}"
            assert view.page.evaluate(INTRUDE) == ["light", None], f"{address}{name}"


def test_copy_buttons_copy_the_code_alone_and_are_one_stop_of_the_tab_key(open_page):
    page = open_page("book/failures/lazy-pytree-drift.html", permissions=["clipboard-read"]).page
    cells = [c for c in page.locator("div.cell_input").all() if c.is_visible()]
    for cell in cells[:2]:
        cell.hover()
        cell.locator("button.copybtn").click()
        page.wait_for_timeout(100)
        copied = page.evaluate("navigator.clipboard.readText()")
        assert copied.strip() == cell.locator("pre").text_content().strip()
    assert page.locator(".cell_output button.copybtn").count() == 0
    stops = page.locator("button.copybtn:not([tabindex='-1'])")
    assert stops.count() == 1
    stops.focus()
    before = page.evaluate("document.activeElement.dataset.clipboardTarget")
    page.keyboard.press("ArrowDown")
    after = page.evaluate("document.activeElement.dataset.clipboardTarget")
    assert after != before and stops.count() == 1
    assert page.evaluate("document.activeElement.matches('.copybtn')")


def test_the_filter_of_the_casebook_stands_in_the_address_and_knows_latest(open_page):
    page = open_page("book/cases/index.html").page
    count = page.locator("#case-count")
    page.get_by_label("JAX", exact=True).fill("latest")
    shown = int(count.inner_text().split()[0])
    assert len(CASES) / 2 < shown < len(CASES)
    page.get_by_label("Kind").select_option("loud")
    asked = count.inner_text()
    assert page.url.endswith("#/?kind=loud&jax=latest")
    page.get_by_label("Costs").select_option("1")
    assert count.inner_text().startswith("0 "), "an error costs no wrong result"
    page.get_by_label("Costs").select_option("")
    page.locator("table.case-index tr:not([hidden]) a").first.click()
    page.wait_for_url("**/cases/*.html")
    page.go_back()
    expect(count).to_have_text(asked)
    expect(page.get_by_label("JAX", exact=True)).to_have_value("latest")


def test_what_can_i_use_is_asked_stands_in_the_address_and_rows_are_judged_by_it(open_page):
    page = open_page("book/reference/can-i-use.html").page
    heads = page.locator("table.cells thead tr:last-child th:visible")
    names, verdict = page.locator(".red-names").first, page.locator("#cell-verdict")
    assert not any("_latent" in head or "scan_" in head for head in heads.all_inner_texts())
    every = heads.count()
    page.get_by_label("Construct", exact=True).fill("lax.scan")
    asked = verdict.inner_text()
    assert 0 < heads.count() < every and page.locator("thead [scope=colgroup]:visible").count() == 1
    bad = page.locator("tbody tr:has(td:visible .verdict)").count()
    rows = page.locator("table.cells tbody tr")
    told = page.locator("table.cells td.range", has_text=re.compile(r"^(wrong|raises): "))
    assert bad == told.count() and asked.startswith(f"{rows.count() - bad} of {rows.count()} ")
    expect(names).not_to_be_visible()
    page.get_by_label("only what is not right").check()
    assert page.locator("table.cells tbody tr:visible").count() == bad < rows.count()
    page.reload()
    expect(verdict).to_have_text(asked)
    assert page.locator("table.cells tbody tr:visible").count() == bad
    page.get_by_label("Construct", exact=True).fill("nonsense")
    expect(verdict).to_have_text("No such distribution or construct.")
    page.get_by_label("Construct", exact=True).fill("scan_first_axis")
    assert heads.count() == 1


def test_on_a_phone_a_row_names_what_is_red_and_leads_to_its_case(open_page):
    page = open_page("book/reference/can-i-use.html?column=scan", 390).page
    link = page.locator(".red-names a:visible").first
    expect(link).to_have_text(re.compile("^In scan: "))
    link.hover()
    assert link.bounding_box()["height"] >= 24
    link.click()
    page.wait_for_url("**/cases/*.html")


def test_the_filter_of_the_error_index_stands_in_the_address(open_page):
    page = open_page("book/reference/error-index.html").page
    page.locator("#index-words").fill("leaked")
    asked = page.locator("#index-count").inner_text()
    assert page.url.endswith("#/?words=leaked") and not asked.startswith("0 ")
    page.reload()
    expect(page.locator("#index-count")).to_have_text(asked)


def test_the_second_press_of_tab_leads_past_the_text_to_the_contents_of_the_page(open_page):
    page = open_page("book/cases/nan-gradient.html").page
    for key in ("Tab", "Tab", "Enter", "Tab"):
        page.keyboard.press(key)
    assert page.evaluate("Boolean(document.activeElement.closest('.bd-sidebar-secondary'))")


# What moves without the reader's doing, as a browser sums it up.
SHIFTS = """() => { window.shifts = 0; new PerformanceObserver(list => {
  for (const one of list.getEntries()) window.shifts += one.value;
}).observe({type: "layout-shift", buffered: true}); }"""


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", [
    *("book/index.html", "book/cases/index.html", "book/reference/error-index.html"),
    *("book/failures/lazy-pytree-drift.html", "book/failures/mvn-inside-scan.html"),
    "search.html?q=one+chain+works+two+chains+fail",
])  # fmt: skip
def test_nothing_jumps_while_a_page_loads(name, width, open_page):
    def shifts():
        view = open_page(name, width)
        view.page.evaluate(SHIFTS)
        view.settle()
        return view.page.evaluate("window.shifts")

    # A machine that is busy paints once too often; what the page does, it does each time.
    assert any(shifts() < 0.05 for _ in range(3))


def test_what_a_chapter_folds_opens_and_its_card_leads_to_the_cure(open_page):
    page = open_page("book/failures/lazy-pytree-drift.html").page
    card = page.locator(".front-card")
    card.get_by_text("Show cause, cure and reports").click()
    card.get_by_role("link", name="Jump to Fix it").click()
    expect(page.locator("#fix-it > h2")).to_be_in_viewport()
    page.evaluate(SHOW_OUTCOMES)
    solution = page.locator(".solution").first
    expect(solution.locator("div.cell").first).not_to_be_visible()
    solution.locator("button.toggle-button").click()
    expect(solution.locator("div.cell").first).to_be_visible()
    traceback = page.locator("details.traceback").first
    traceback.locator("summary").click()
    expect(traceback.locator("pre")).to_be_visible()


MARK_FOCUS = """() => {
  const e = document.activeElement, s = getComputedStyle(e);
  const outlined = s.outlineStyle != "none" && parseFloat(s.outlineWidth) > 0;
  const again = e == document.body || e.dataset.reached;
  e.dataset.reached = true;
  return [again, outlined || s.boxShadow != "none", e.outerHTML.slice(0, 120)];
}"""
# What the keyboard has to reach, up to the last element that it did reach.
PASSED_OVER = """() => {
  const all = [...document.querySelectorAll(
    ":is(a[href], button, input, textarea, select, summary, [tabindex='0']):not([tabindex='-1'])"
  )].filter(e => e.checkVisibility({visibilityProperty: true}) && !e.disabled
    && !(e.type == "radio" && document.querySelector(`[name="${e.name}"][data-reached]`)));
  const last = all.findLastIndex(e => e.dataset.reached);
  return all.slice(0, last).filter(e => !e.dataset.reached).map(e => e.outerHTML.slice(0, 120));
}"""


PASTE = "(box, text) => { box.value = text; box.dispatchEvent(new Event('input')); }"


@pytest.mark.parametrize(
    "path",
    [
        "book/failures/lazy-pytree-drift.html",
        "book/index.html",
        "book/reference/error-index.html",
        "book/reference/version-matrix.html",
        "search.html?q=tracer",
    ],
)
def test_the_tab_key_leads_everywhere_and_focus_shows(path, open_page):
    page = open_page(path, 390).page  # where code scrolls
    if "search" in path:
        page.locator("#search-results a").first.wait_for()
    if "error-index" in path:
        page.locator("#triage-text").evaluate(PASTE, DRIFT)  # which leaves the focus where it is
        page.locator("#triage-findings a").first.wait_for()
    reached = []
    for _ in range(120):
        page.keyboard.press("Tab")
        again, shows, element = page.evaluate(MARK_FOCUS)
        if again:
            break
        assert shows, f"{path}: focus cannot be seen on {element}"
        reached.append(element)
    assert len(reached) > 15, f"{path}: the Tab key reaches only {reached}"
    missed = page.evaluate(PASSED_OVER)
    assert not missed, f"{path}: the Tab key passes over {missed}"


def test_who_asks_for_less_motion_gets_none(open_page):
    page = open_page("book/failures/lazy-pytree-drift.html", reduced_motion="reduce").page
    moving = page.evaluate(
        """() => [...document.querySelectorAll("*")].filter(e => {
          const s = getComputedStyle(e);
          return parseFloat(s.transitionDuration) || s.animationName != "none"
            || s.scrollBehavior == "smooth"; }).map(e => e.outerHTML.slice(0, 80))"""
    )
    assert not moving


def test_who_reads_in_the_dark_prints_dark_text(open_page):
    page = open_page("book/cases/leaf-order.html", scheme="dark").page
    page.evaluate(
        """addEventListener("beforeprint", () => {
          window.printed = getComputedStyle(document.querySelector("#what-you-see p")).color;
        })"""
    )
    page.pdf()
    assert sum(map(int, re.findall(r"\d+", page.evaluate("printed"))[:3])) < 200, (
        "the text is light, and the paper white: see `beforeprint` in layout.html"
    )


# Without scripts: the text that cannot be seen, and what ground and size the rest has.
PLAIN = """() => {
  const hidden = [...document.querySelectorAll("article *")].filter(e => {
    const text = [...e.childNodes].some(n => n.nodeType == Node.TEXT_NODE && n.data.trim());
    return text && !e.checkVisibility({visibilityProperty: true})
      && !e.matches(".headerlink") && !e.closest("script, style, noscript, svg title")
      && !e.closest("details:not([open]), form:not(.predict), thead, .on-phone, .red-names")
      && !(innerWidth < 761 && e.closest("table.cells td, .matrix-key:has(+ * > .cells)"));
  });
  const ground = getComputedStyle(document.body).backgroundColor;
  const size = getComputedStyle(document.documentElement).fontSize;
  return {hidden: hidden.map(e => e.outerHTML.slice(0, 120)), ground, size};
}"""
PLAIN_PAGES = PAGES if EVERYTHING else PAGES[::8]


@pytest.mark.parametrize(("width", "scheme"), [(1280, "dark"), (390, "light")])
def test_without_scripts_all_that_is_read_can_be_read(width, scheme, open_page):
    view = open_page("book/index.html", width, scheme, java_script_enabled=False)
    for path in PLAIN_PAGES[width < 600 :: 2]:
        view.visit(name_of(path))
        look = view.page.evaluate(PLAIN)
        dark = sum(map(int, re.findall(r"\d+", look["ground"])[:3])) < 150
        assert dark == (scheme == "dark"), f"{view.path}: its ground is not {scheme}"
        assert look["size"] == "16px", f"{view.path}: it is set as on paper"
        assert not look["hidden"], f"{view.path}: not in sight: {look['hidden']}"
        expect(view.page.locator("p.no-scripts")).to_be_visible()
        sidebar = view.page.locator(".bd-sidebar-primary")
        expect(sidebar.get_by_text("Tracer hashing")).to_be_visible()
