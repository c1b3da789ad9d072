"""What the built site must hold. Run by `make check`, which builds the book first.

The first half reads the files, the second half opens them in a browser: each page wide and narrow,
light and dark.
"""

import gzip
import io
import json
import os
import posixpath
import re
import subprocess
import sys
from collections import defaultdict
from functools import lru_cache
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit
from urllib.request import urlopen

import pytest
from axe_playwright_python.sync_playwright import Axe
from bs4 import BeautifulSoup
from fontTools.ttLib import TTFont
from playwright.sync_api import expect
from pypdf import PdfReader
from sphinx.util.inventory import InventoryFile

from bookkit import casebook, catalogue, languages, records
from bookkit import pages as book
from bookkit.browser import SITE, public_address
from bookkit.sphinx import labels
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
FAILURES = list(catalogue.load().values())
ANCHORS = Path(__file__).with_name("anchors.txt")
ICON_FONTS = {"Font Awesome Free": "fa-solid-900.woff", "Font Awesome Brands": "fa-brands-400.woff"}
BYTES = 200_000
BYTES_WITH_FIGURES = 450_000

pages = pytest.mark.parametrize("path", HTML, ids=lambda path: str(path.relative_to(SITE)))


written = pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(SITE)))
failures = pytest.mark.parametrize("failure", FAILURES, ids=lambda failure: failure.id)


@lru_cache
def characters(font: str) -> set[int]:
    """Return the characters of one of the fonts that draw icons."""
    file = SITE / "_static" / "vendor" / "fontawesome" / "webfonts" / ICON_FONTS[font]
    return set(TTFont(file).getBestCmap())


@lru_cache
def soup(path: Path) -> BeautifulSoup:
    """Return a page, parsed."""
    return BeautifulSoup(path.read_text(), "html.parser")


def test_the_site_has_a_page_for_every_page_of_the_book():
    for page in book.BOOK.rglob("*.md"):
        assert (SITE / page.relative_to(book.ROOT)).with_suffix(".html").exists()


@lru_cache
def ids(path: Path) -> set[str]:
    """Return the ids in a page."""
    return {node["id"] for node in soup(path).select("[id]")}


@pages
def test_no_path_of_this_machine_is_in_a_page(path):
    text = path.read_text()
    for folder in (str(book.ROOT), os.path.expanduser("~"), "/ipykernel_"):
        assert folder not in text, f"{path.name} shows {folder}: extend PATHS in outputs.py"
    for folder in ("site-packages/", "ipykernel/", "<frozen runpy>"):
        assert folder not in soup(path).get_text(), f"{path.name} shows {folder}: see outputs.py"


@pages
def test_every_figure_has_a_label_and_no_id_stands_twice(path):
    page = soup(path)
    for figure in page.select("svg.figure"):
        assert len(figure["aria-label"].split()) >= 8, (
            f"{path.name}: a figure says too little to those who cannot see it: "
            f"{figure['aria-label']!r}; extend `mystnb: {{image: {{alt: …}}}}` of its cell"
        )
        assert figure["role"] == "img"
    for image in page.select("article img"):
        assert image.get("alt"), f"an image without alt text: {image.get('src')}"
    ids = [tag["id"] for tag in page.select(".figure [id]")]
    assert len(ids) == len(set(ids))


@pages
def test_every_error_shows_its_last_line_outside_the_folded_frames(path):
    for error in soup(path).select("div.cell.cell-raises"):
        last = error.select_one(".error-message")
        assert last is not None
        assert last.find_parent("details", class_="traceback") is None
        assert re.match(r"\w+(: |$)", last.get_text().strip())


@pages
def test_cells_of_the_old_stack_are_marked_and_highlighted(path):
    for cell in soup(path).select("div.cell_input"):
        source = cell.select_one("pre").get_text()
        if source.startswith("%%then") and not cell.find_parent("details", class_="asserts"):
            outer = cell.find_parent("div", class_="cell")
            assert "cell-then" in outer["class"]
            assert "then · August 2024" in outer.find_previous_sibling("p").get_text()
            assert cell.select_one(".o") is not None
            assert cell.select_one(".err") is None


def test_a_mark_names_the_library_that_decides():
    for name, library in {"tracer-hashing": "Equinox", "mvn-inside-scan": "NumPyro"}.items():
        page = soup(SITE / "book" / "failures" / f"{name}.html")
        marks = [mark.get_text() for mark in page.select("article .mark-then")]
        assert marks, f"{name} has no mark of the old stack"
        for mark in marks:
            assert re.search(rf"JAX [\d.]+ · {library} [\d.]+$", mark), (
                f"{name}: a mark says {mark!r}: see `releases` in bookkit/sphinx/render.py"
            )


@written
def test_no_link_begins_with_a_blank_which_would_be_underlined(path):
    for link in soup(path).select("article a:not(:has(svg))"):
        assert not link.get_text().startswith(" "), (
            f"{path.name}: {link.get_text()!r}: see `free_blanks` in bookkit/sphinx/labels.py"
        )


def test_internal_links_lead_to_a_page_and_an_anchor_that_exist():
    broken, elsewhere = [], defaultdict(set)
    for path in HTML:
        place = str(path.relative_to(SITE))
        for link in soup(path).select("a[href], link[rel=next], link[rel=prev]"):
            target = urlsplit(urljoin(public_address() + place, link["href"]))
            if not target.geturl().startswith(public_address()):
                elsewhere[target.geturl()].add(place)
                continue
            file = SITE / unquote(target.path.removeprefix(urlsplit(public_address()).path))
            found = file.is_file() and (
                target.fragment in ("", "top") or unquote(target.fragment) in ids(file)
            )
            if not found:
                broken.append(f"{place}: {link['href']} ({link.get_text(' ', strip=True)})")
    listed = {url: sorted(places) for url, places in sorted(elsewhere.items())}
    (SITE.parent / "links.json").write_text(json.dumps(listed, indent=1) + "\n")
    assert not broken, "links that lead nowhere:\n" + "\n".join(broken)


def test_anchors_that_others_may_link_to_stay():
    found = set()
    for path in PAGES:
        place = path.relative_to(SITE)
        sections = soup(path).select(
            "article section[id], article dt[id], article div.exercise[id]"
        )
        names = {section["id"] for section in sections} - {"solution-content", "exercise-content"}
        found |= {f"{place}#{name}" for name in names}
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


@pages
def test_what_is_folded_is_named_for_what_it_holds(path):
    for summary in soup(path).select("article summary"):
        assert not summary.get("aria-label"), f"{summary}: read aloud, it has another name"
        words = " ".join(summary.get_text(" ", strip=True).split())
        assert len(words) > 5 and "code cell" not in words, f"{path.name}: {words!r} names nothing"


@written
def test_a_page_can_be_found_and_shared(path):
    page, place = soup(path), str(path.relative_to(SITE))
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
    assert card["og:url"] == address
    assert card["og:site_name"] == "Trace Evidence"
    picture = SITE / card["og:image"].removeprefix(public_address())
    assert picture.is_file(), f"{place}: the picture of its card is not there: {picture.name}"
    assert f"<loc>{address}</loc>" in (SITE / "sitemap.xml").read_text(), (
        f"{place} is not in sitemap.xml: see sitemap_excludes in _config.yml"
    )
    assert page.find("link", rel="icon"), f"{place} has no icon: see html_favicon"
    assert page.select_one(".prev-next-footer a"), f"{place} has no previous and next page"


def test_titles_and_descriptions_differ_from_page_to_page():
    for read in (
        lambda page: page.title.get_text(),
        lambda page: page.find("meta", attrs={"name": "description"})["content"],
    ):
        texts = [read(soup(path)) for path in PAGES]
        assert len(set(texts)) == len(texts)


@failures
def test_the_title_of_a_chapter_holds_the_message_that_people_search_for(failure):
    title = soup(SITE / "book" / "failures" / f"{failure.id}.html").title.get_text()
    assert failure.title in title
    assert failure.message in title


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_chapter_can_be_downloaded_and_run_in_binder(path):
    place = path.relative_to(SITE).with_suffix("")
    links = {link["href"] for link in soup(path).select(".article-header-buttons a[href]")}
    binder = [link for link in links if link.startswith("https://mybinder.org/v2/gh/")]
    assert [link.split("?")[1] for link in binder] == [f"urlpath=lab/tree/{place}.md"]
    saved = {link.rpartition(".")[2] for link in links if "_sources/" in link}
    assert saved == {"md", "ipynb"}
    notebook = json.loads((SITE / "_sources" / place.with_suffix(".ipynb")).read_text())
    assert any(cell["cell_type"] == "code" for cell in notebook["cells"])


FOUNDATIONS = [path for path in NOTEBOOKS if path.parent.name == "foundations"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_page_without_a_second_kernel_opens_in_colab_too(path):
    links = [link["href"] for link in soup(path).select(".article-header-buttons a[href]")]
    page = str(path.relative_to(SITE).with_suffix(""))
    offered = [link for link in links if link.startswith("https://colab.research.google.com/")]
    assert offered == ([colab_address(page)] if path in FOUNDATIONS else [])


NEIGHBOUR = """\
A neighbour
===========

* :external+trace-evidence:ref:`leaf-order`
* :external+trace-evidence:ref:`its cure <leaf-order:cure>`
* :external+trace-evidence:ref:`lazy-pytree-drift`
* :external+trace-evidence:ref:`lazy-pytree-drift-repair`
"""


def test_documentation_of_others_links_here_by_name(tmp_path):
    """A second Sphinx project, with warnings as errors, and the book's inventory from a file."""
    mapping = {"trace-evidence": (public_address(), str(SITE / "objects.inv"))}
    (tmp_path / "conf.py").write_text(
        f'extensions = ["sphinx.ext.intersphinx"]\nintersphinx_mapping = {mapping!r}\n'
    )
    (tmp_path / "index.rst").write_text(NEIGHBOUR)
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-W",
        "-n",
        "-q",
        str(tmp_path),
        str(tmp_path / "out"),
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    page = BeautifulSoup((tmp_path / "out" / "index.html").read_text(), "html.parser")
    links = {link["href"]: link for link in page.select("a.reference.external")}
    case, chapter = "book/cases/leaf-order.html", "book/failures/lazy-pytree-drift.html"
    wanted = [case, f"{case}#cure", chapter, f"{chapter}#lazy-pytree-drift-repair"]
    assert list(links) == [public_address() + place for place in wanted]
    assert links[public_address() + case].get_text() == records.load()["leaf-order"].title
    assert links[public_address() + case]["title"] == f"(in Trace Evidence v{labels.release()})"


def test_every_failure_case_and_section_has_a_label_that_leads_to_it():
    with (SITE / "objects.inv").open("rb") as file:
        found = InventoryFile.load(file, "", posixpath.join)["std:label"]
    names = {name: entry[2] for name, entry in found.items()}
    for slug in [*catalogue.load(), *records.load()]:
        assert names[slug].endswith(f"/{slug}.html")
    for name, address in names.items():
        place, _, anchor = address.partition("#")
        assert not anchor or anchor in ids(SITE / place), f"{name} leads nowhere"
        assert (SITE / place).is_file(), f"{name} leads nowhere"
    places = {address for name, address in names.items() if ":" in name}
    for row in ANCHORS.read_text().split():
        place, _, anchor = row.partition("#")
        title = soup(SITE / place).find(id=anchor)
        if title and title.name == "section" and title.parent.name != "article":
            assert row in places, f"{row} has no label"


# What follows opens the pages in a browser. A page is opened once for each size and scheme, and
# the checks that only look share it. The last of them asks what the page requested meanwhile.

SIZES = [(width, scheme) for width in WIDTHS for scheme in SCHEMES]
CASES = [path for path in NOTEBOOKS if path.parent.name == "cases"]


def views():
    """Return each page with its views: all four, and of a case one, in turn.

    The cases are laid out alike. With `ALL_VIEWS=1` each of them is opened in all four as well.
    """
    for path in HTML:
        turn = CASES.index(path) % len(SIZES) if path in CASES else None
        for place, size in enumerate(SIZES):
            if turn in (None, place) or os.environ.get("ALL_VIEWS"):
                yield path, *size


VIEWS = list(views())


@pytest.fixture(scope="module")
def windows(opener):
    """Give a window for each size and scheme, in which one page follows the other."""
    windows = {
        (width, scheme): opener("search.html", width, scheme)
        for width in WIDTHS
        for scheme in SCHEMES
    }
    yield windows
    for view in windows.values():
        view.page.context.close()


@pytest.fixture(
    scope="module",
    params=VIEWS,
    ids=lambda view: f"{view[0].relative_to(SITE)}-{view[1]}-{view[2]}",
)
def view(request, windows):
    """Open a page in one size and scheme."""
    path, *window = request.param
    view = windows[tuple(window)]
    view.visit(str(path.relative_to(SITE)))
    return view


def test_the_page_does_not_scroll_sideways(view):
    widest = view.page.evaluate(
        """() => {
          if (document.documentElement.scrollWidth <= innerWidth) return null;
          const right = e => e.getBoundingClientRect().right;
          return [...document.querySelectorAll("article *")]
            .sort((a, b) => right(b) - right(a))[0].outerHTML.slice(0, 120);
        }"""
    )
    assert not widest, f"{view.path} is wider than {view.width} pixels because of {widest}"


def test_the_message_of_each_error_is_in_sight(view):
    hidden = view.page.evaluate(
        """() => [...document.querySelectorAll(".error-message pre")].filter(pre => {
          const folded = pre.closest(".toggle-hidden, .tag_hide-output, details:not([open])");
          return !folded && (!pre.checkVisibility() || pre.scrollWidth > pre.clientWidth + 1
                            || pre.scrollHeight > pre.clientHeight + 1);
        }).map(pre => pre.textContent.slice(0, 80))"""
    )
    assert not hidden, f"{view.path}: cut off or folded away: {hidden}"


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
    unmarked: [...cut, ...wide].filter(e => !e.classList.contains("more-right")).length,
    links: [...new Set(links.map(e => getComputedStyle(e).color))],
  };
}"""


def test_code_can_be_read_and_is_not_cut_off(view):
    look = view.page.evaluate(LOOK)
    for size, line in look["sizes"]:
        assert 13.6 <= size <= 14 and line >= 1.45 * size, f"{view.path}: code is {size}/{line} px"
    if view.width == 1280:
        assert look["width"] is None or 760 <= look["width"] <= 800, look["width"]
        assert not look["cut"], f"{view.path}: cut off at 1280: {look['cut']}"
    assert len(look["cut"]) <= look["blocks"] / 10, f"{view.path}: cut off: {look['cut']}"
    assert not look["unmarked"], f"{view.path}: a block or a table goes on, and nothing shows it"
    assert len(look["links"]) <= 1, f"{view.path}: links of several colours: {look['links']}"


# Contrast takes axe seconds for each thousand words of code, so each kind of word in a block of
# code is looked at once a page, and each kind of text: one colour, size and weight on one ground.
ONE_WORD_OF_EACH_KIND = """() => {
  const seen = new Set();
  for (const word of document.querySelectorAll(".highlight pre span")) {
    const kind = word.className + " in " + word.closest(".highlight").parentElement.className;
    if (word.children.length) continue;
    if (seen.has(kind)) word.replaceWith(word.textContent); else seen.add(kind);
  }
  document.querySelectorAll(".highlight pre").forEach(pre => pre.normalize());
}"""
ONE_TEXT_OF_EACH_KIND = """() => {
  const seen = new Set(), grounds = new Map([[null, ""]]);
  const ground = e => {
    if (!grounds.has(e)) {
      const s = getComputedStyle(e), flows = s.position == "static" || s.position == "relative";
      const look = [s.backgroundColor, s.backgroundImage, s.opacity, s.filter, s.textShadow];
      grounds.set(e, look + (flows ? "" : e.outerHTML) + ground(e.parentElement));
    }
    return grounds.get(e);
  };
  return [...document.querySelectorAll("body *")].filter(e => {
    const text = [...e.childNodes].some(n => n.nodeType == Node.TEXT_NODE && n.data.trim());
    if (!text && !e.matches("input, textarea, select")) return false;
    if (!e.checkVisibility({visibilityProperty: true})) return false;
    const s = getComputedStyle(e);
    const kind = [s.color, s.fontSize, s.fontWeight, ground(e)].join();
    return !seen.has(kind) && seen.add(kind);
  }).map((e, i) => { e.dataset.look = i; return [`[data-look="${i}"]`]; });
}"""


# A newer axe than the one that is installed: `AXE=axe.min.js make check`.
AXE = Axe.from_file(os.environ["AXE"]) if os.environ.get("AXE") else Axe()
# A rule that later versions of axe ask by default.
NEWER = {"label-content-name-mismatch": {"enabled": True}}


def objections(page, context=None, **how) -> list[dict]:
    """Return what axe objects to in a page as it stands."""
    options = {"resultTypes": ["violations"], "preload": False, **how}
    return AXE.run(page, context, options).response["violations"]


def say(view, found: list[dict]) -> str:
    """Return axe's objections, one line for each element."""
    return "\n".join(
        f"{view.path} ({view.width}, {view.scheme}): {rule['help']}: "
        f"{node['html'][:160]} at {node['target']}"
        for rule in found
        for node in rule["nodes"]
    )


OPEN_ALL = """() => {
  const closed = document.querySelectorAll("article .toggle-button[aria-expanded=false]");
  closed.forEach(button => button.click());
  document.querySelectorAll("article details").forEach(details => { details.open = true; });
}"""


def test_axe_finds_nothing_to_object_to_with_all_that_folds_open(view):
    view.page.evaluate(OPEN_ALL)
    view.page.evaluate(ONE_WORD_OF_EACH_KIND)
    texts = view.page.evaluate(ONE_TEXT_OF_EACH_KIND)
    assert texts
    found = objections(view.page, {"include": texts}, runOnly=["color-contrast"])
    if view.scheme == "light":  # a scheme changes colours, and nothing else that axe looks at
        found += objections(view.page, rules={"color-contrast": {"enabled": False}, **NEWER})
    assert not found, say(view, found)


@pytest.mark.parametrize(("width", "scheme"), SIZES)
def test_axe_finds_nothing_to_object_to_in_what_opens(width, scheme, open_page):
    view = open_page("book/failures/lazy-pytree-drift.html", width, scheme)
    page = view.page

    def look(state: str) -> None:
        found = objections(page, rules=NEWER)
        assert not found, f"{state}: {say(view, found)}"

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
    index = open_page("book/reference/error-index.html", width, scheme)
    index.page.get_by_label("Paste the traceback").fill(DRIFT)
    index.page.get_by_role("status").filter(has_text="This looks like").wait_for()
    assert not (found := objections(index.page, "#triage", rules=NEWER)), say(index, found)


PRIVATE_CHARACTERS = """() => [...document.querySelectorAll("*:not(pre *)")].flatMap(
  e => ["::before", "::after"].map(place => {
    const s = getComputedStyle(e, place);
    return s.display == "none" || !e.checkVisibility() ? ["", ""] : [s.content, s.fontFamily];
  })
).filter(([content]) => /[\ue000-\uf8ff]/.test(content))"""


def check_icons(view):
    """See that each icon of a page is in the font that draws it."""
    for content, family in {tuple(icon) for icon in view.page.evaluate(PRIVATE_CHARACTERS)}:
        name = re.sub(r'"| 6', "", family).split(",")[0]
        assert name in ICON_FONTS, f"{view.path} shows the icon {content!a} in {family}"
        assert ord(content.strip('"')) in characters(name), (
            f"{view.path} shows the icon {content!a}, which is not in {name}: hide it in "
            "book.css, or keep it in `lighten` in trace_evidence/site.py"
        )


def test_every_icon_is_in_its_font(view):
    check_icons(view)


@lru_cache
def sent(address: str) -> bytes:
    """Return what stands at an address; the browser does not keep what it had already."""
    with urlopen(address) as answer:
        return answer.read()


@lru_cache
def zipped(content: bytes) -> int:
    """Return the size of a file as a server sends it: gzipped, where that is smaller."""
    return min(len(content), len(gzip.compress(content, 6)))


def test_a_page_is_light(view):
    if view.path not in {str(path.relative_to(SITE)) for path in PAGES}:
        return
    light = whole = 0
    for answer in filter(lambda answer: answer.ok, view.answers):
        kind, body = answer.request.resource_type, sent(answer.url)
        whole += zipped(body)
        if kind == "document":
            text = BeautifulSoup(body, "html.parser")
            for part in text.select(".cell_output, div.figure, svg.figure"):
                part.decompose()
            light += zipped(str(text).encode())
        elif kind in ("stylesheet", "script", "font"):
            light += zipped(body)
    assert light <= BYTES, f"{view.path}: {light} bytes without figures, {BYTES} at most"
    assert whole <= BYTES_WITH_FIGURES, f"{view.path}: {whole} bytes, {BYTES_WITH_FIGURES} at most"


def test_a_page_asks_for_nothing_from_elsewhere_and_for_nothing_that_fails(view, site):
    view.settle()
    assert view.requests
    elsewhere = [url for url in view.requests if not url.startswith((site, "data:"))]
    assert not elsewhere, f"{view.path} asks elsewhere for {elsewhere}"
    assert not view.failed, f"{view.path} asks for what fails: {view.failed}"
    assert not view.errors, f"{view.path}: the console shows {view.errors}"


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


def test_a_page_opened_from_a_search_marks_the_words(open_page):
    view = open_page("book/foundations/tracing.html?highlight=tracer")
    expect(view.page.get_by_role("link", name="Hide Search Matches")).to_be_visible()
    expect(view.page.locator("article span.highlighted").first).to_be_visible()
    check_icons(view)


def test_a_search_in_vain_leads_to_the_error_index(open_page):
    view = open_page("search.html?q=PyTreeDef+MyOwnClass")
    expect(view.page.locator("#search-results")).to_contain_text("did not match")
    view.page.locator("main").get_by_role("link", name="error index").click()
    view.page.wait_for_url("**/error-index.html")


def test_what_is_not_there_offers_a_search_that_works(open_page):
    view = open_page("book/old/address.html")
    assert [row.rpartition(": ")[2] for row in view.failed] == ["404"]
    assert "not in the book" in view.page.title()
    view.page.locator("article input[name=q]").fill("lazy_property")
    view.page.keyboard.press("Enter")
    expect(view.page.locator("#search-results a").first).to_be_visible()


def test_the_address_of_the_site_leads_to_the_front_page(open_page):
    view = open_page("")
    view.page.wait_for_url("**/book/index.html")
    assert not view.failed


def test_the_copy_button_copies_the_code_and_nothing_else(open_page):
    view = open_page("book/failures/lazy-pytree-drift.html", permissions=["clipboard-read"])
    cells = [c for c in view.page.locator("div.cell_input").all() if c.is_visible()]
    for cell in cells[:2]:
        cell.hover()
        cell.locator("button.copybtn").click()
        view.page.wait_for_timeout(100)
        copied = view.page.evaluate("navigator.clipboard.readText()")
        assert copied.strip() == cell.locator("pre").inner_text().strip()
    assert copied.startswith("%%both")
    assert view.page.locator(".cell_output button.copybtn").count() == 0


def test_the_front_card_jumps_to_the_fix(open_page):
    view = open_page("book/index.html", 390)
    for failure in FAILURES:
        view.visit(f"book/failures/{failure.id}.html")
        card = view.page.locator(".front-card")
        assert not card.get_by_role("link", name="Jump to Fix it").is_visible()
        card.get_by_text("Show cause, cure and reports").click()
        card.get_by_role("link", name="Jump to Fix it").click()
        expect(view.page.locator("#fix-it > h2")).to_be_in_viewport()


def test_what_the_theme_offers_works(open_page):
    view = open_page("book/failures/lazy-pytree-drift.html")
    page = view.page
    before = page.evaluate("document.documentElement.dataset.theme")
    for _ in range(2):  # auto, light, dark: one of the steps shows the other scheme
        page.locator("button.theme-switch-button:visible").click()
    assert page.evaluate("localStorage.getItem('mode')") != "auto"
    page.evaluate("localStorage.clear()")
    assert before == "light"
    page.locator("button[aria-label*='Launch']").click()
    expect(page.get_by_role("link", name="Binder")).to_be_visible()
    page.keyboard.press("Escape")
    solution = page.locator(".solution").first
    expect(solution.locator("div.cell").first).not_to_be_visible()
    solution.locator("button.toggle-button").click()
    expect(solution.locator("div.cell").first).to_be_visible()
    traceback = page.locator("details.traceback").first
    traceback.locator("summary").click()
    expect(traceback.locator("pre")).to_be_visible()
    page.keyboard.press("Control+k")
    expect(page.locator("dialog input[name=q]")).to_be_focused()
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
  )].filter(e => e.checkVisibility({visibilityProperty: true}) && !e.disabled);
  const last = all.findLastIndex(e => e.dataset.reached);
  return all.slice(0, last).filter(e => !e.dataset.reached).map(e => e.outerHTML.slice(0, 120));
}"""


PASTE = "(box, text) => { box.value = text; box.dispatchEvent(new Event('input')); }"


@pytest.mark.parametrize(
    ("path", "kinds"),
    [
        ("book/failures/lazy-pytree-drift.html", {"A", "BUTTON", "SUMMARY"}),
        ("book/foundations/tracing.html", {"A", "BUTTON"}),
        ("book/index.html", {"A", "BUTTON"}),
        ("book/reference/error-index.html", {"A", "BUTTON", "TEXTAREA"}),
        ("book/reference/version-matrix.html", {"A", "BUTTON", "DIV"}),
        ("search.html?q=tracer", {"A", "BUTTON", "INPUT"}),
        ("404.html", {"A", "BUTTON", "INPUT"}),
    ],
    ids=lambda given: given if isinstance(given, str) else "",
)
def test_the_tab_key_leads_everywhere_and_focus_shows(path, kinds, open_page):
    page = open_page(path, 390).page  # where code scrolls
    if "search" in path:
        page.locator("#search-results a").first.wait_for()
    if "error-index" in path:
        page.locator("#triage-text").evaluate(PASTE, DRIFT)
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


def test_a_chapter_prints_clean_and_whole_and_light(open_page):
    page = open_page("book/failures/lazy-pytree-drift.html", scheme="dark").page
    page.evaluate(
        """addEventListener("beforeprint", () => {
          window.printed = getComputedStyle(document.querySelector("article p")).color;
        })"""
    )
    pages = PdfReader(io.BytesIO(page.pdf(format="A4"))).pages
    text = " ".join(" ".join(leaf.extract_text() for leaf in pages).split())
    assert sum(map(int, re.findall(r"\d+", page.evaluate("printed"))[:3])) < 200, (
        "the text is light, and the paper white: see `beforeprint` in layout.html"
    )
    for navigation in (
        "Search",
        "Skip to main",
        "Effect handlers and plates",  # stands in the side bar only
        "Previous",
        "Copyright",
        "Back to top",
        "Show the ",
        "Checked here",
        "Click to",
    ):
        assert navigation not in text, (
            f"{navigation!r} belongs to the screen: hide it in book.css, @media print"
        )
    solution = page.locator(".solution pre").last.text_content().split()
    for words in (
        solution[-1],
        "Further reading",
        "https://github.com/pyro-ppl/numpyro/issues/1928",
    ):
        assert words in text.replace("- ", "-"), f"{words!r} is not on paper"


def test_nothing_is_cut_off_at_the_edge_of_the_paper(open_page):
    view = open_page("book/index.html", 680)  # A4 between its margins
    view.page.emulate_media(media="print")
    for path in PAGES:
        view.visit(str(path.relative_to(SITE)))
        cut = view.page.evaluate(
            """() => [...document.querySelectorAll("article :is(pre, table, svg.figure, img)")]
              .filter(e => e.checkVisibility())
              .filter(e => e.getBoundingClientRect().right > 681
                || (e.tagName == "PRE" && e.scrollWidth > e.clientWidth + 1))
              .map(e => e.tagName + ": " + e.textContent.trim().slice(0, 80))"""
        )
        assert not cut, f"{path.stem}: cut off on paper, see @media print in book.css: {cut}"


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
    if (!text || e.closest("script, style, noscript")) continue;
    if (!e.checkVisibility({visibilityProperty: true})) {
      const folded = e.closest("details:not([open]), form[hidden], thead, .on-phone");
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
  return {faint, hidden: cut, dark: light(body) < 0.2, kinds: seen.size};
}"""
PLAIN_PAGES = [path for path in PAGES if path not in CASES] + CASES[::8]


@pytest.mark.parametrize(("width", "scheme"), [(1280, "dark"), (390, "light")])
def test_without_scripts_all_that_is_read_can_be_read(width, scheme, open_page):
    view = open_page("book/index.html", width, scheme, java_script_enabled=False)
    for path in PLAIN_PAGES:
        view.visit(str(path.relative_to(SITE)))
        look = view.page.evaluate(PLAIN)
        assert look["dark"] == (scheme == "dark"), f"{view.path}: its ground is not {scheme}"
        assert look["kinds"] > 2
        assert not look["faint"], (
            f"{view.path} ({scheme}): too faint without scripts: {look['faint']}"
        )
        assert not look["hidden"], f"{view.path}: not in sight without scripts: {look['hidden']}"
        expect(view.page.locator("p.no-scripts")).to_be_visible()
        expect(
            view.page.locator(".bd-sidebar-primary").get_by_text("Tracer hashing")
        ).to_be_visible()


def test_title_and_search_stay_in_view(open_page):
    view = open_page("book/start/how-to-use.html")
    for path in ("book/reference/bibliography.html", "book/failures/tracer-hashing.html"):
        sidebar = view.page.locator(".bd-sidebar-primary")
        sidebar.evaluate("e => { e.scrollTop = e.scrollHeight; }")
        for words in ("Trace Evidence", "Search"):
            shown = sidebar.get_by_text(words, exact=True).first
            expect(shown).to_be_in_viewport(ratio=1)
            box = shown.bounding_box()
            top = view.page.evaluate(
                "([x, y]) => document.elementFromPoint(x, y).textContent",
                [box["x"] + 4, box["y"] + box["height"] / 2],
            )
            assert words in top, f"{words!r} is covered by {top!r}"
        view.visit(path)
        expect(view.page.locator(".bd-docs-nav .current.active > a").last).to_be_in_viewport()


def test_contents_marks_the_section_that_is_read(open_page):
    page = open_page("book/failures/lazy-pytree-drift.html").page
    page.mouse.move(640, 450)
    marked = set()
    for _ in range(60):
        page.mouse.wheel(0, 400)
        page.wait_for_timeout(60)
        read = page.evaluate(
            """() => {
              const links = [...document.querySelectorAll("#pst-page-toc-nav a")];
              const listed = links.map(link => link.hash.slice(1));
              // Between two sections one reads the upper one: go up to what holds text.
              let line = innerHeight / 4, at = document.elementFromPoint(640, line);
              while (at.matches("section") && line > 0) {
                at = document.elementFromPoint(640, line -= 8);
              }
              let place = at.closest("section[id]");
              while (place && !listed.includes(place.id)) {
                place = place.parentElement.closest("section[id]");
              }
              return place?.id ?? "";
            }"""
        )
        end = page.evaluate("innerHeight + scrollY >= document.documentElement.scrollHeight - 2")
        shown = page.locator("#pst-page-toc-nav a[aria-current]")
        now = [link.get_attribute("href")[1:] for link in shown.all()]
        if read:
            assert now == [read], f"one reads {read!r}, and Contents marks {now}"
            expect(shown).to_be_visible()
            marked.add(read)
        if end:
            break
    assert len(marked) >= 6, f"hardly a section was marked: {marked}"


@pytest.mark.parametrize("width", WIDTHS)
def test_the_search_dialog_overlaps_nothing(width, open_page):
    page = open_page("book/index.html", width).page
    page.keyboard.press("Control+k")
    field = page.locator("dialog input[name=q]")
    field.fill("a text that is searched for")
    page.wait_for_timeout(250)
    look = field.evaluate(
        """e => {
          const s = getComputedStyle(e), icon = e.form.querySelector(".fa-magnifying-glass");
          const text = e.getBoundingClientRect().x + parseFloat(s.paddingLeft);
          const rings = [e, e.form].filter(one => {
            const look = getComputedStyle(one);
            return look.boxShadow != "none"
              || (look.outlineStyle != "none" && parseFloat(look.outlineWidth));
          });
          const lens = icon.getBoundingClientRect();
          return {gap: text - lens.right, inside: lens.x - e.form.getBoundingClientRect().x,
                  rings: rings.length};
        }"""
    )
    assert look["gap"] >= 4, f"the text lies on the magnifying glass: {look}"
    assert look["inside"] >= 4 and look["rings"] == 1, look


def test_copy_buttons_are_one_stop_of_the_tab_key(open_page):
    page = open_page("book/failures/lazy-pytree-drift.html").page
    stops = page.locator("button.copybtn:not([tabindex='-1'])")
    assert page.locator("button.copybtn").count() > 20
    assert stops.count() == 1
    stops.focus()
    before = page.evaluate("document.activeElement.dataset.clipboardTarget")
    page.keyboard.press("ArrowDown")
    after = page.evaluate("document.activeElement.dataset.clipboardTarget")
    assert after != before and stops.count() == 1
    assert page.evaluate("document.activeElement.matches('.copybtn')")


def test_the_first_page_has_a_card_for_each_chapter_with_picture_and_message(open_page):
    cards = soup(SITE / "book" / "index.html").select("ul.chapter-cards > li")
    assert len(cards) == len(FAILURES) + 1
    for card, failure in zip(cards, FAILURES, strict=False):
        assert card.select_one("svg") and failure.message in card.get_text()
    assert soup(SITE / "book" / "index.html").select_one(".cause svg[aria-label]")
    row = open_page("book/index.html").page.locator(".then-and-now .both-side")
    then, now = (side.bounding_box() for side in row.all())
    assert then["y"] == now["y"] and then["x"] < now["x"]
    narrow = open_page("book/index.html", 390).page
    wide = narrow.locator("ul.chapter-cards > li").first.bounding_box()["width"]
    assert wide > 300


@pytest.mark.parametrize("slug", records.load())
def test_a_card_shows_its_row_of_the_matrix_and_leads_there(slug):
    strip = soup(SITE / "book" / "cases" / f"{slug}.html").select_one("a.matrix-strip")
    if strip is None:
        assert not casebook.is_measured(slug)
        return
    page, _, row = strip["href"].partition("#")
    assert page == "../reference/version-matrix.html"
    matrix = soup(SITE / "book" / "reference" / "version-matrix.html")
    marks = [mark["class"] for mark in matrix.find(id=row).select(".verdict")]
    shown = strip.select(".verdict")
    assert [mark["class"] for mark in shown] == marks
    assert all(re.match(r"NumPyro \d.*: \w", mark["title"]) for mark in shown)
    assert re.search(r"\d", strip["aria-label"])
