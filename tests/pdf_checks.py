"""What the book on paper must hold. Run by `make check PART=print`, which prints the book first."""

import re
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context

import pytest
from bs4 import BeautifulSoup
from pypdf import PdfReader

from bookkit import pages
from bookkit.browser import SITE
from bookkit.formats.pdf import PDF, first_leaves, outline_items, plain_title

PAGES = [SITE / f"{item.page}.html" for item in pages.contents()]


@cache
def open_book() -> PdfReader:
    """Return the printed book, opened once in a process."""
    return PdfReader(PDF)


def read(number: int) -> str:
    """Return the text of a leaf."""
    return " ".join(open_book().pages[number].extract_text().split())


@pytest.fixture(scope="module")
def book() -> PdfReader:
    return open_book()


@pytest.fixture(scope="module")
def texts(book) -> list[str]:
    """Return the text of each leaf; a process for each core reads them."""
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        return list(pool.map(read, range(len(book.pages)), chunksize=16))


@pytest.fixture(scope="module")
def soups() -> list[BeautifulSoup]:
    return [BeautifulSoup(page.read_text(), "html.parser") for page in PAGES]


def marked(node) -> Iterator:
    """Yield the elements of a PDF's structure, which screen readers follow."""
    node = node.get_object()
    for child in node if isinstance(node, list) else [node.get("/K")] if "/K" in node else []:
        child = child.get_object()
        if isinstance(child, list):
            yield from marked(child)
        elif isinstance(child, dict):
            yield child
            yield from marked(child)


def leaves_in_front(texts: list[str]) -> int:
    """Return how many leaves stand before page 1: the cover and the contents."""
    return next(n for n, text in enumerate(texts) if text.endswith(" 1") and "Contents" not in text)


def test_every_leaf_after_the_contents_has_its_number_and_a_running_head(book, texts):
    front, starts = leaves_in_front(texts), first_leaves(book)
    assert 2 <= front < 8
    assert len(texts) > len(PAGES)
    titles = [plain_title(item.page) for item in pages.contents()]
    for number, text in enumerate(texts[front:], start=1):
        assert text.endswith(f" {number}"), f"page {number} has no number, but {text[-40:]!r}"
        leaf = front + number - 1
        if leaf not in starts:
            page = max(n for n, start in enumerate(starts) if start < leaf)
            assert f"{titles[page]} Trace Evidence" in text, f"page {number} has no running head"


def test_cover_and_contents_stand_in_front_and_lead_to_the_pages(book, texts, soups):
    front, starts = leaves_in_front(texts), first_leaves(book)
    assert "Trace Evidence" in texts[0] and pages.public_address() in texts[0]
    listed = " ".join(texts[1:front])
    assert listed.startswith("Contents")
    for row, start in zip(pages.contents(), starts, strict=True):
        line = rf"{re.escape(plain_title(row.page))} [. ]+{start - front + 1}\b"
        assert re.search(line, listed), f"the contents do not say where {row.page} begins"
    numbers = {page.indirect_reference.idnum: n for n, page in enumerate(book.pages)}
    led = {
        numbers[link.get_object()["/Dest"][0].idnum]
        for page in book.pages[1:front]
        for link in page["/Annots"]
    }
    assert led == set(starts)


def test_the_outline_has_every_page_of_the_book_in_its_order(book, soups):
    titles = [item["/Title"] for item in outline_items(book.trailer["/Root"]["/Outlines"])]
    headings = [page.select_one("article h1").get_text().removesuffix("#") for page in soups]
    missing = [heading for heading in headings if heading not in titles]
    assert not missing, f"pages that are not in the outline: {missing}"
    found = list(dict.fromkeys(title for title in titles if title in headings))
    assert found == headings, f"the outline has another order than _toc.yml: {found}"
    solved = [page for page in soups if page.select(".solution")]
    assert titles.count("Solutions") == len(solved) > 0, "solutions stand under their exercises"


def test_every_figure_is_there_with_its_alt_text(book, soups):
    drawn = "svg.figure, .steps-panels, .drawing svg"
    alts = {figure["aria-label"] for page in soups for figure in page.select(drawn)}
    found = {
        node["/Alt"] for node in marked(book.trailer["/Root"]["/StructTreeRoot"]) if "/Alt" in node
    }
    sliders = "figure.steps[data-choices*='[3'] .steps-panels"  # two of these frames are printed
    some = {figure["aria-label"] for page in soups for figure in page.select(sliders)}
    assert alts - some and len(found & some) == 2
    assert not alts - found - some, f"figures that are not in the PDF: {alts - found - some}"


def test_what_belongs_to_the_screen_is_not_on_paper(texts):
    for words in ("Skip to main", "Previous Next", "Back to top", "code cell source", "Click to"):
        leaves = [number for number, text in enumerate(texts, start=1) if words in text]
        assert not leaves, f"{words!r} is on the pages {leaves}: hide it in book.css, @media print"


def test_links_lead_inside_or_to_a_public_address(book):
    links = [link.get_object() for page in book.pages for link in page.get("/Annots", [])]
    inside = {link["/Dest"] for link in links if isinstance(link.get("/Dest"), str)}
    assert len(inside) > len(PAGES), "hardly any link leads from page to page"
    broken = inside - set(book.trailer["/Root"]["/Dests"])
    assert not broken, f"links that lead nowhere in the PDF: {broken}"
    away = {link["/A"]["/URI"] for link in links if "/A" in link}
    strange = {url for url in away if not url.startswith("http") or "127.0.0.1" in url}
    assert not strange, f"links that work on this machine only: {strange}"
