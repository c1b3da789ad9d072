"""What the built site must hold. Run by `make check`, which builds the book first.

The first half reads the files, the second half opens each page in a browser: wide and narrow,
light and dark.
"""

import gzip
import io
import json
import os
import posixpath
import re
from functools import lru_cache
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit
from urllib.request import urlopen

import pytest
from axe_playwright_python.sync_playwright import Axe
from bs4 import BeautifulSoup, Tag
from fontTools.ttLib import TTFont
from playwright.sync_api import expect
from pypdf import PdfReader
from sphinx.util.inventory import InventoryFile

from bookkit import casebook, catalogue, languages, records
from bookkit import pages as book
from bookkit.browser import SITE, public_address
from bookkit.taught import colab_address
from tests.site_plugin import SCHEMES, WIDTHS
from tests.test_triage import DRIFT

OTHERS = {one.address for one in languages.known().values() if one.address}
HTML = sorted(
    path
    for path in SITE.rglob("*.html")
    if path != SITE / "index.html" and path.relative_to(SITE).parts[0] not in OTHERS
)
PAGES = [path for path in HTML if path.is_relative_to(SITE / "book")]
NOTEBOOKS = [path for path in PAGES if path.parent.name in ("cases", "failures", "foundations")]
NOTEBOOKS.remove(SITE / "book" / "cases" / "index.html")
CASES = [path for path in NOTEBOOKS if path.parent.name == "cases"]
FAILURES = list(catalogue.load().values())
ANCHORS = Path(__file__).with_name("anchors.txt")
ICON_FONTS = {"Font Awesome Free": "fa-solid-900.woff", "Font Awesome Brands": "fa-brands-400.woff"}
BYTES = 200_000
HIGH = 12_000  # pixels of a page as one opens it, at 1280
BYTES_WITH_FIGURES = 450_000


def name_of(path: Path) -> str:
    """Return a page's path in the site."""
    return str(path.relative_to(SITE))


pages = pytest.mark.parametrize("path", HTML, ids=name_of)
written = pytest.mark.parametrize("path", PAGES, ids=name_of)
failures = pytest.mark.parametrize("failure", FAILURES, ids=lambda failure: failure.id)


@lru_cache
def soup(path: Path) -> BeautifulSoup:
    """Return a page, parsed."""
    return BeautifulSoup(path.read_text(), "html.parser")


@lru_cache
def ids(path: Path) -> dict[str, Tag]:
    """Return what has an id in a page."""
    return {node["id"]: node for node in soup(path).find_all(id=True)}


def test_the_site_has_a_page_for_every_page_of_the_book():
    for page in book.BOOK.rglob("*.md"):
        assert (SITE / page.relative_to(book.ROOT)).with_suffix(".html").exists()


@pages
def test_no_path_of_this_machine_is_in_a_page(path):
    text = path.read_text()
    for folder in (str(book.ROOT), os.path.expanduser("~"), "/ipykernel_"):
        assert folder not in text, f"{path.name} shows {folder}: extend PATHS in outputs.py"
    for folder in ("site-packages/", "ipykernel/", "<frozen runpy>"):
        shown = folder in text and folder in soup(path).get_text()
        assert not shown, f"{path.name} shows {folder}: see outputs.py"


@pages
def test_what_is_drawn_or_folded_says_what_it_is(path):
    page = soup(path)
    for figure in page.select("svg.figure"):
        assert len(figure["aria-label"].split()) >= 8, (
            f"{path.name}: a figure says too little to those who cannot see it: "
            f"{figure['aria-label']!r}; extend `mystnb: {{image: {{alt: …}}}}` of its cell"
        )
        assert figure["role"] == "img"
    for image in page.select("article img"):
        assert image.get("alt"), f"an image without alt text: {image.get('src')}"
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
    for cell in page.select("div.cell_input"):
        source = cell.select_one("pre").get_text()
        if source.startswith("%%then") and not cell.find_parent("details", class_="asserts"):
            outer = cell.find_parent("div", class_="cell")
            assert "cell-then" in outer["class"]
            assert "then · August 2024" in outer.find_previous_sibling("p").get_text()
            assert cell.select_one(".n") is not None and cell.select_one(".err") is None


def test_internal_links_lead_to_a_page_and_an_anchor_that_exist():
    broken = []
    for path in HTML:
        for link in soup(path).select("a[href], link[rel=next], link[rel=prev]"):
            target = urlsplit(urljoin(public_address() + name_of(path), link["href"]))
            if not target.geturl().startswith(public_address()):
                continue
            file = SITE / unquote(target.path.removeprefix(urlsplit(public_address()).path))
            found = file.is_file() and (
                target.fragment in ("", "top") or unquote(target.fragment) in ids(file)
            )
            if not found:
                broken.append(f"{name_of(path)}: {link['href']} ({link.get_text(' ', strip=True)})")
    assert not broken, "links that lead nowhere:\n" + "\n".join(broken)


def test_anchors_that_others_may_link_to_stay():
    found = set()
    for path in PAGES:
        sections = soup(path).select(
            "article section[id], article dt[id], article div.exercise[id]"
        )
        names = {section["id"] for section in sections} - {"solution-content", "exercise-content"}
        found |= {f"{name_of(path)}#{name}" for name in names}
    held = set(ANCHORS.read_text().split())
    (SITE.parent / "anchors.txt").write_text("\n".join(sorted(held | found)) + "\n")
    gone = {
        anchor
        for anchor in held - found
        if anchor.split("#")[1] not in ids(SITE / anchor.split("#")[0])
    }
    assert not gone, (
        f"anchors that readers may have bookmarked are gone: {sorted(gone)}. Keep an old name by "
        "putting `(old-name)=` above the heading that took its place; drop it from "
        "tests/anchors.txt only where nothing took its place"
    )
    assert found <= held, (
        f"new anchors: {sorted(found - held)}. They are kept from now on: read them, then "
        "`cp _build/anchors.txt tests/anchors.txt`"
    )


@written
def test_a_page_can_be_found_and_shared(path):
    page, place = soup(path), name_of(path)
    address = public_address() + place
    canonical = page.find("link", rel="canonical")
    assert canonical and canonical["href"] == address, (
        f"{place}: its canonical address is {canonical}, not {address}: see html_baseurl"
    )
    description = page.find("meta", attrs={"name": "description"})
    assert description and 50 <= len(description["content"]) <= 300, (
        f"{place}: write `description:` in the page's front matter, in 50 to 300 characters"
    )
    card = {tag["property"]: tag["content"] for tag in page.select("meta[property]")}
    assert {"og:url", "og:site_name", "og:image"} <= set(card), (
        f"{place}: its Open Graph card has only {sorted(card)}: see ogp_* in _config.yml"
    )
    assert (card["og:url"], card["og:site_name"]) == (address, "Trace Evidence")
    picture = SITE / card["og:image"].removeprefix(public_address())
    assert picture.is_file(), f"{place}: the picture of its card is not there: {picture.name}"
    assert f"<loc>{address}</loc>" in (SITE / "sitemap.xml").read_text(), (
        f"{place} is not in sitemap.xml: see sitemap_excludes in _config.yml"
    )
    assert page.find("link", rel="icon"), f"{place} has no icon: see html_favicon"
    assert page.select_one(".prev-next-footer a"), f"{place} has no previous and next page"


def test_titles_and_descriptions_differ_and_a_chapters_title_holds_its_message():
    heads = [(soup(path).title.get_text(), soup(path).find("meta", attrs={"name": "description"}))
             for path in PAGES]  # fmt: skip
    assert len({title for title, _ in heads}) == len({str(what) for _, what in heads}) == len(PAGES)
    for failure in FAILURES:
        title = soup(SITE / "book" / "failures" / f"{failure.id}.html").title.get_text()
        assert failure.title in title and failure.message in title


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_page_can_be_downloaded_and_run_in_binder_or_colab(path):
    place = path.relative_to(SITE).with_suffix("")
    links = {link["href"] for link in soup(path).select(".article-header-buttons a[href]")}
    binder = [link for link in links if link.startswith("https://mybinder.org/v2/gh/")]
    assert [link.split("?")[1] for link in binder] == [f"urlpath=lab/tree/{place}.md"]
    saved = {link.rpartition(".")[2] for link in links if "_sources/" in link}
    assert saved == {"md", "ipynb"}
    notebook = json.loads((SITE / "_sources" / place.with_suffix(".ipynb")).read_text())
    assert any(cell["cell_type"] == "code" for cell in notebook["cells"])
    offered = [link for link in links if link.startswith("https://colab.research.google.com/")]
    one_kernel = path.parent.name == "foundations"
    assert offered == ([colab_address(str(place))] if one_kernel else [])


def test_every_failure_case_and_section_has_a_label_that_leads_to_it():
    """What intersphinx reads, when the documentation of others links here by name."""
    with (SITE / "objects.inv").open("rb") as file:
        found = InventoryFile.load(file, "", posixpath.join)["std:label"]
    names = {name: entry[2] for name, entry in found.items()}
    for slug in [*catalogue.load(), *records.load()]:
        assert names[slug].endswith(f"/{slug}.html")
    assert found["leaf-order"][3] == records.load()["leaf-order"].title
    for name, address in names.items():
        place, _, anchor = address.partition("#")
        assert (SITE / place).is_file(), f"{name} leads nowhere"
        assert not anchor or anchor in ids(SITE / place), f"{name} leads nowhere"
    places = {address for name, address in names.items() if ":" in name}
    for row in ANCHORS.read_text().split():
        place, _, anchor = row.partition("#")
        title = ids(SITE / place).get(anchor)
        if title is not None and title.name == "section" and title.parent.name != "article":
            assert row in places, f"{row} has no label"


# --- each page, looked at in a browser ------------------------------------------------------------

# A page is loaded once for each width, and everything is measured in that load. Cases are laid out
# alike, and so are everyday errors: each is opened in one width; axe reads one in five.
ALIKE = [*CASES, *(path for path in HTML if path.parent.name == "errors")]
# With EVERYTHING=1, as once a week, nothing is left out.
EVERYTHING = bool(os.environ.get("EVERYTHING"))
SAMPLE = ALIKE if EVERYTHING else ALIKE[::5]
VIEWS = [
    (path, width, scheme)
    for path in HTML
    for place, (width, scheme) in enumerate(zip(WIDTHS, SCHEMES, strict=True))
    if EVERYTHING or path not in ALIKE or ALIKE.index(path) % 2 == place
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
# How large code is, how wide the text, what of the code is cut off, what colour links have.
LOOK = """() => {
  const blocks = [...document.querySelectorAll("article pre")].filter(e => e.checkVisibility());
  const code = [...document.querySelectorAll("article :is(.cell_input, .both) pre")]
    .filter(e => !e.closest(".traceback")).map(e => getComputedStyle(e));
  const article = document.querySelector("article"), s = article && getComputedStyle(article);
  const cut = blocks.filter(e => e.scrollWidth > e.clientWidth + 1);
  const wide = [...document.querySelectorAll(".pst-scrollable-table-container, .matrix-scroll")]
    .filter(e => e.scrollWidth > e.clientWidth + 2);
  const links = [...document.querySelectorAll("article a[href]:not(.headerlink)")]
    .filter(e => e.textContent.trim() && e.checkVisibility());
  return {
    sizes: code.map(s => [s.fontSize, s.lineHeight].map(parseFloat)),
    width: article && article.clientWidth - parseFloat(s.paddingLeft) - parseFloat(s.paddingRight),
    blocks: blocks.length, cut: cut.map(e => e.textContent.trim().slice(0, 60)),
    unmarked: [...cut, ...wide].filter(e => !e.classList.contains("more-right"))
      .map(e => e.textContent.trim().slice(0, 60)),
    links: [...new Set(links.map(e => getComputedStyle(e).color))],
  };
}"""
CUT_ON_PAPER = """() => [...document.querySelectorAll("article :is(pre, table, svg.figure, img)")]
  .filter(e => e.checkVisibility())
  .filter(e => e.getBoundingClientRect().right > 681
    || (e.tagName == "PRE" && e.scrollWidth > e.clientWidth + 1))
  .map(e => e.tagName + ": " + e.textContent.trim().slice(0, 80))"""
PRIVATE_CHARACTERS = """() => [...document.querySelectorAll("*:not(pre *)")].flatMap(
  e => ["::before", "::after"].map(place => {
    const s = getComputedStyle(e, place);
    return s.display == "none" || !e.checkVisibility() ? ["", ""] : [s.content, s.fontFamily];
  })
).filter(([content]) => /[\ue000-\uf8ff]/.test(content))"""
OPEN_ALL = """() => {
  const closed = document.querySelectorAll("article .toggle-button[aria-expanded=false]");
  closed.forEach(button => button.click());
  document.querySelectorAll("article details").forEach(details => { details.open = true; });
}"""
# Contrast takes axe seconds for each thousand words of code, so each kind of word in a block of
# code is looked at once a page, and each kind of text once: one colour, size and weight on one
# ground.
ONE_WORD_OF_EACH_KIND = """() => {
  const seen = new Set();
  for (const word of document.querySelectorAll(".highlight pre span")) {
    const kind = word.className + " in " + word.closest(".highlight").parentElement.className;
    if (word.children.length) continue;
    if (seen.has(kind)) word.replaceWith(word.textContent); else seen.add(kind);
  }
  document.querySelectorAll(".highlight pre").forEach(pre => pre.normalize());
}"""
ONE_TEXT_OF_EACH_KIND = """known => {
  const seen = new Set(known), kinds = [], grounds = new Map([[null, ""]]);
  document.querySelectorAll("[data-look]").forEach(e => { delete e.dataset.look; });
  const ground = e => {
    if (!grounds.has(e)) {
      const s = getComputedStyle(e), flows = s.position == "static" || s.position == "relative";
      const look = [s.backgroundColor, s.backgroundImage, s.opacity, s.filter, s.textShadow];
      grounds.set(e, look + (flows ? "" : e.outerHTML) + ground(e.parentElement));
    }
    return grounds.get(e);
  };
  for (const e of document.querySelectorAll("body *")) {
    const text = [...e.childNodes].some(n => n.nodeType == Node.TEXT_NODE && n.data.trim());
    if (!text && !e.matches("input, textarea, select")) continue;
    if (!e.checkVisibility({visibilityProperty: true})) continue;
    const s = getComputedStyle(e);
    const kind = [s.color, s.fontSize, s.fontWeight, ground(e)].join();
    if (seen.has(kind)) continue;
    seen.add(kind);
    e.dataset.look = kinds.length;
    kinds.push(kind);
  }
  return kinds;
}"""
# What a page weighs without its outputs and figures.
BARE = """async () => {
  const text = await (await fetch(location)).text();
  const page = new DOMParser().parseFromString(text, "text/html");
  page.querySelectorAll(".cell_output, div.figure, svg.figure").forEach(part => part.remove());
  return page.documentElement.outerHTML;
}"""
# A newer axe than the one that is installed: `AXE=axe.min.js make check`.
AXE = Axe.from_file(os.environ["AXE"]) if os.environ.get("AXE") else Axe()
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


def too_faint(page, known: set[str]) -> list[str]:
    """Return what axe says of the contrast of each kind of text that is not `known` yet."""
    kinds = page.evaluate(ONE_TEXT_OF_EACH_KIND, list(known))
    known |= set(kinds)
    texts = [f'[data-look="{place}"]' for place in range(len(kinds))]
    return objections(page, {"include": texts}, runOnly=["color-contrast"]) if texts else []


def wrong_in_layout(view) -> list[str]:
    """Return what is cut off, out of sight, or of a size or colour of its own."""
    look = view.page.evaluate(LOOK)
    found = [f"wider than {view.width} pixels: {part}" for part in view.page.evaluate(SIDEWAYS)]
    found += [f"cut off or folded away: {part}" for part in view.page.evaluate(HIDDEN_MESSAGES)]
    for size, line in look["sizes"]:
        if not (13.6 <= size <= 14 and line >= 1.45 * size):
            found.append(f"code is {size}/{line} px")
    if view.width == 1280:
        found += [f"cut off: {part}" for part in look["cut"]]
        if not (look["width"] is None or 760 <= look["width"] <= 800):
            found.append(f"the text is {look['width']} px wide")
    if len(look["cut"]) > look["blocks"] / 10:
        found.append(f"more than a tenth of the code is cut off: {look['cut']}")
    found += [f"goes on, and nothing shows it: {part}" for part in look["unmarked"]]
    if len(look["links"]) > 1:
        found.append(f"links of several colours: {look['links']}")
    return found


@lru_cache
def characters(font: str) -> set[int]:
    """Return the characters of one of the fonts that draw icons."""
    file = SITE / "_static" / "vendor" / "fontawesome" / "webfonts" / ICON_FONTS[font]
    return set(TTFont(file).getBestCmap())


def missing_icons(view) -> list[str]:
    """Return the icons of a page that are not in the font that draws them."""
    found = []
    for content, family in {tuple(icon) for icon in view.page.evaluate(PRIVATE_CHARACTERS)}:
        name = re.sub(r'"| 6', "", family).split(",")[0]
        if name not in ICON_FONTS or ord(content.strip('"')) not in characters(name):
            found.append(f"the icon {content!a} is not in {family}: hide it in book.css, or keep "
                         "it in `lighten` in bookkit/sphinx/site.py")  # fmt: skip
    return found


@lru_cache
def weight(address: str) -> int:
    """Return the size of a file as a server sends it; the browser does not ask twice for it."""
    with urlopen(address) as answer:
        return zipped(answer.read())


def zipped(content: bytes) -> int:
    """Return the size of a file, gzipped where that is smaller."""
    return min(len(content), len(gzip.compress(content, 6)))


def too_heavy(view) -> list[str]:
    """Return by how much a page is too heavy, with figures and without."""
    answers = [answer for answer in view.answers if answer.ok]
    whole = sum(weight(answer.url) for answer in answers)
    kinds = ("stylesheet", "script", "font")
    light = sum(weight(one.url) for one in answers if one.request.resource_type in kinds)
    light += zipped(view.page.evaluate(BARE).encode())
    most = BYTES if "/failures/" in view.path else BYTES_WITH_FIGURES
    found = [f"{light} bytes without figures, {BYTES} at most"] * (light > BYTES)
    return found + [f"{whole} bytes, {most} at most"] * (whole > most)


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
    """Give a window for each width, in which one page follows the other, and the kinds of text."""
    windows = {width: opener("search.html", width, scheme)
               for width, scheme in zip(WIDTHS, SCHEMES, strict=True)}  # fmt: skip
    yield windows, {scheme: set() for scheme in SCHEMES}
    for view in windows.values():
        view.page.context.close()


@pytest.mark.parametrize(
    ("path", "width", "scheme"), VIEWS, ids=lambda part: getattr(part, "stem", part)
)
def test_a_page_is_sound(path, width, scheme, windows):
    view, known = windows[0][width], windows[1]
    view.page.emulate_media(color_scheme=scheme)
    view.visit(name_of(path))
    high = view.page.evaluate("document.documentElement.scrollHeight")
    view.page.evaluate(SHOW_OUTCOMES)
    found = wrong_in_layout(view) + missing_icons(view)
    if width == 1280 and high > HIGH:
        found.append(f"{high} pixels high, {HIGH} at most")
    once = path in ALIKE or width == 1280
    if path in PAGES and once:
        found += cut_on_paper(view)
    found += wrong_requests(view)  # before `too_heavy`, which asks once more
    if path in PAGES and once:
        found += too_heavy(view)
    view.page.evaluate(OPEN_ALL)
    view.page.evaluate(ONE_WORD_OF_EACH_KIND)
    if path in SAMPLE if path in ALIKE else width == 390:
        found += objections(view.page, rules={"color-contrast": {"enabled": False}, **NEWER})
    found += too_faint(view.page, known[scheme])
    assert not found, f"{view.path} at {width} pixels:\n" + "\n".join(found)


# --- what answers to a reader ---------------------------------------------------------------------


@pytest.mark.parametrize(("width", "scheme"), list(zip(WIDTHS, SCHEMES, strict=True)))
def test_axe_finds_nothing_to_object_to_in_what_opens(width, scheme, open_page):
    view = open_page("book/failures/lazy-pytree-drift.html", width, scheme)
    page = view.page

    def look(state: str) -> None:
        assert not (found := objections(page, rules=NEWER)), f"{state}: {found}"

    page.evaluate(ONE_WORD_OF_EACH_KIND)
    for menu in ("Launch", "Download"):
        button = page.locator(f"button[aria-label*='{menu}']")
        button.click()
        look(menu)
        button.click()
    page.keyboard.press("Control+k")
    page.locator("dialog input[name=q]").fill("tracer")
    look("search")
    page.keyboard.press("Escape")
    for toggle in ("primary", "secondary") if width < 600 else ():
        page.locator(f"button.{toggle}-toggle:visible").click()
        page.wait_for_timeout(300)
        look(toggle)
        page.keyboard.press("Escape")
    page = open_page("book/reference/error-index.html", width, scheme).page
    page.get_by_label("Paste an error").fill(DRIFT)
    page.get_by_role("status").filter(has_text="This looks like").wait_for()
    assert not (found := objections(page, "#triage", rules=NEWER)), found


def first_lines(failure: catalogue.Failure) -> list[str]:
    """Return what a reader may paste: how each error and warning of *Reproduce it* begins."""
    section = soup(SITE / "book" / "failures" / f"{failure.id}.html").select_one("#reproduce-it")
    outputs = section.select(".error-message:not(details.message *), .stderr")
    return [output.get_text().strip().splitlines()[0] for output in outputs]


@failures
def test_the_search_finds_the_chapter_by_its_message(failure, open_page):
    view = open_page("search.html")
    lines = first_lines(failure)
    assert lines
    for line in dict.fromkeys([failure.message, *lines]):
        view.visit("search.html")
        view.page.locator("main input[name=q]").fill(line)
        view.page.keyboard.press("Enter")
        link = view.page.locator(f"#search-results a[href*='failures/{failure.id}.html']").first
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


def test_copy_buttons_copy_the_code_alone_and_are_one_stop_of_the_tab_key(open_page):
    page = open_page("book/failures/lazy-pytree-drift.html", permissions=["clipboard-read"]).page
    cells = [c for c in page.locator("div.cell_input").all() if c.is_visible()]
    for cell in cells[:2]:
        cell.hover()
        cell.locator("button.copybtn").click()
        page.wait_for_timeout(100)
        copied = page.evaluate("navigator.clipboard.readText()")
        code = re.sub(r"\A%%both\n", "", cell.locator("pre").text_content())
        assert copied.strip() == code.strip()
    assert cells[1].locator("pre").text_content().startswith("%%both")
    assert page.locator(".cell_output button.copybtn").count() == 0
    stops = page.locator("button.copybtn:not([tabindex='-1'])")
    assert stops.count() == 1
    stops.focus()
    before = page.evaluate("document.activeElement.dataset.clipboardTarget")
    page.keyboard.press("ArrowDown")
    after = page.evaluate("document.activeElement.dataset.clipboardTarget")
    assert after != before and stops.count() == 1
    assert page.evaluate("document.activeElement.matches('.copybtn')")
    page.goto(page.url.replace("failures/lazy-pytree-drift", "reference/error-index"))
    page.locator("div.highlight-console button.copybtn").first.click()
    page.wait_for_timeout(100)
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("python ") and not re.search(r"^[$#]", copied, re.M)


def test_the_filter_of_the_casebook_stands_in_the_address_and_knows_latest(open_page):
    page = open_page("book/cases/index.html").page
    count = page.locator("#case-count")
    page.get_by_label("JAX", exact=True).fill("latest")
    shown = int(count.inner_text().split()[0])
    assert len(CASES) / 2 < shown < len(CASES)
    page.get_by_label("Kind").select_option("loud")
    asked = count.inner_text()
    assert page.url.endswith("#/?kind=loud&jax=latest")
    page.locator("table.case-index tr:not([hidden]) a").first.click()
    page.wait_for_url("**/cases/*.html")
    page.go_back()
    expect(count).to_have_text(asked)
    expect(page.get_by_label("JAX", exact=True)).to_have_value("latest")


def test_the_other_language_opens_at_the_same_section(open_page):
    page = open_page("book/failures/lazy-pytree-drift.html#fix-it").page
    link = page.locator("nav.editions a")
    if not link.count():
        pytest.skip("the site is built in one language")
    link.click()
    page.wait_for_url("**/zh-cn/book/failures/lazy-pytree-drift.html#fix-it")


# What moves without the reader's doing, as a browser sums it up.
SHIFTS = """() => { window.shifts = 0; new PerformanceObserver(list => {
  for (const one of list.getEntries()) window.shifts += one.value;
}).observe({type: "layout-shift", buffered: true}); }"""


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", [
    *("index", "cases/index", "reference/error-index"),
    *("failures/lazy-pytree-drift", "failures/mvn-inside-scan"),
])  # fmt: skip
def test_nothing_jumps_while_a_page_loads(name, width, open_page):
    view = open_page(f"book/{name}.html", width)
    view.page.evaluate(SHIFTS)
    view.settle()
    assert view.page.evaluate("window.shifts") < 0.05


def test_what_the_theme_and_a_chapter_offer_works(open_page):
    page = open_page("book/failures/lazy-pytree-drift.html").page
    card = page.locator(".front-card")
    card.get_by_text("Show cause, cure and reports").click()
    card.get_by_role("link", name="Jump to Fix it").click()
    expect(page.locator("#fix-it > h2")).to_be_in_viewport()
    for _ in range(2):  # auto, light, dark: one of the steps shows the other scheme
        page.locator("button.theme-switch-button:visible").click()
    assert page.evaluate("localStorage.getItem('mode')") != "auto"
    page.evaluate("localStorage.clear()")
    page.evaluate(SHOW_OUTCOMES)
    page.locator("button[aria-label*='Launch']").click()
    expect(page.get_by_role("link", name="Binder logo Binder")).to_be_visible()
    page.keyboard.press("Escape")
    solution = page.locator(".solution").first
    expect(solution.locator("div.cell").first).not_to_be_visible()
    solution.locator("button.toggle-button").click()
    expect(solution.locator("div.cell").first).to_be_visible()
    traceback = page.locator("details.traceback").first
    traceback.locator("summary").click()
    expect(traceback.locator("pre")).to_be_visible()
    narrow = open_page("book/index.html", 390).page
    narrow.locator("button.primary-toggle:visible").click()
    expect(narrow.locator("dialog[open]").get_by_role("link", name="Pytrees")).to_be_visible()


MARK_FOCUS = """() => {
  const e = document.activeElement, s = getComputedStyle(e);
  const outlined = s.outlineStyle != "none" && parseFloat(s.outlineWidth) > 0;
  const again = e == document.body || e.dataset.reached;
  e.dataset.reached = true;
  return [again, outlined || s.boxShadow != "none", e.outerHTML.slice(0, 120), e.tagName];
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
    ("path", "kinds"),
    [
        ("book/failures/lazy-pytree-drift.html", {"A", "BUTTON", "SUMMARY"}),
        ("book/index.html", {"A", "BUTTON", "TEXTAREA"}),
        ("book/reference/error-index.html", {"A", "BUTTON", "TEXTAREA"}),
        ("book/reference/version-matrix.html", {"A", "BUTTON", "DIV"}),
        ("search.html?q=tracer", {"A", "BUTTON", "INPUT"}),
    ],
    ids=lambda given: given if isinstance(given, str) else "",
)
def test_the_tab_key_leads_everywhere_and_focus_shows(path, kinds, open_page):
    page = open_page(path, 390).page  # where code scrolls
    if "search" in path:
        page.locator("#search-results a").first.wait_for()
    if "error-index" in path:
        page.locator("#triage-text").evaluate(PASTE, DRIFT)  # which leaves the focus where it is
        page.locator("#triage-findings a").first.wait_for()
    reached = set()
    for _ in range(120):
        page.keyboard.press("Tab")
        again, shows, element, tag = page.evaluate(MARK_FOCUS)
        if again:
            break
        assert shows, f"{path}: focus cannot be seen on {element}"
        reached.add(tag)
    assert kinds <= reached, f"{path}: the Tab key reaches only {reached}"
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


def test_who_reads_in_the_dark_prints_dark_text_with_solutions(open_page):
    page = open_page("book/failures/lazy-pytree-drift.html", scheme="dark").page
    page.evaluate(
        """addEventListener("beforeprint", () => {
          window.printed = getComputedStyle(document.querySelector("article p")).color;
        })"""
    )
    pages = PdfReader(io.BytesIO(page.pdf(format="A4"))).pages
    assert sum(map(int, re.findall(r"\d+", page.evaluate("printed"))[:3])) < 200, (
        "the text is light, and the paper white: see `beforeprint` in layout.html"
    )
    text = " ".join(" ".join(leaf.extract_text() for leaf in pages[-8:]).split())
    assert page.locator(".solution pre").last.text_content().split()[-1] in text


# Without scripts. The contrast of each kind of text, and what cannot be seen.
PLAIN = """() => {
  const light = c => {
    const [r, g, b] = c.map(v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const parts = colour => colour.match(/[\\d.]+/g).map(Number);
  const ground = e => {
    for (; e; e = e.parentElement) {
      const c = parts(getComputedStyle(e).backgroundColor);
      if (c.length < 4 || c[3] > 0.5) return c.slice(0, 3);
    }
    return [255, 255, 255];
  };
  const seen = new Set(), faint = [], hidden = [];
  for (const e of document.querySelectorAll("article *, .bd-sidebar-primary *")) {
    const text = [...e.childNodes].some(n => n.nodeType == Node.TEXT_NODE && n.data.trim());
    if (!text || e.closest("script, style, noscript, svg title")) continue;
    if (!e.checkVisibility({visibilityProperty: true})) {
      const folded = e.closest(
        "details:not([open]), form:not(.predict), thead, .on-phone, .red-names");
      if (!folded && e.closest("article") && !e.matches(".headerlink")) hidden.push(e.outerHTML);
      continue;
    }
    const ink = parts(getComputedStyle(e).color).slice(0, 3), paper = ground(e);
    const kind = ink + "/" + paper;
    if (seen.has(kind)) continue;
    seen.add(kind);
    const [a, b] = [light(ink), light(paper)].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.45) faint.push(kind + ": " + e.outerHTML.slice(0, 90));
  }
  const body = ground(document.querySelector("article"));
  const cut = hidden.map(h => h.slice(0, 120));
  const size = getComputedStyle(document.documentElement).fontSize;
  return {faint, hidden: cut, dark: light(body) < 0.2, kinds: seen.size, size};
}"""
PLAIN_PAGES = [path for path in PAGES if path not in CASES] + CASES[::8]


@pytest.mark.parametrize(("width", "scheme"), [(1280, "dark"), (390, "light")])
def test_without_scripts_all_that_is_read_can_be_read(width, scheme, open_page):
    view = open_page("book/index.html", width, scheme, java_script_enabled=False)
    for path in PLAIN_PAGES[width < 600 :: 2]:
        view.visit(name_of(path))
        look = view.page.evaluate(PLAIN)
        assert look["dark"] == (scheme == "dark"), f"{view.path}: its ground is not {scheme}"
        assert look["kinds"] > 2
        assert look["size"] == "16px", f"{view.path}: it is set as on paper"
        assert not look["faint"], f"{view.path} ({scheme}): too faint: {look['faint']}"
        assert not look["hidden"], f"{view.path}: not in sight: {look['hidden']}"
        expect(view.page.locator("p.no-scripts")).to_be_visible()
        sidebar = view.page.locator(".bd-sidebar-primary")
        expect(sidebar.get_by_text("Tracer hashing")).to_be_visible()


def test_a_card_shows_its_row_of_the_matrix_and_leads_there():
    matrix = soup(SITE / "book" / "reference" / "version-matrix.html")
    for slug in records.load():
        strip = soup(SITE / "book" / "cases" / f"{slug}.html").select_one("a.matrix-strip")
        if strip is None:
            assert not casebook.is_measured(slug)
            continue
        page, _, row = strip["href"].partition("#")
        assert page == "../reference/version-matrix.html"
        marks = [mark["class"] for mark in matrix.find(id=row).select(".verdict")]
        shown = strip.select(".verdict")
        assert [mark["class"] for mark in shown] == marks, slug
        assert all(re.match(r"NumPyro \d.*: \w", mark["title"]) for mark in shown)
        assert strip.get_text().startswith("Version matrix: ")
