"""What the book on paper must hold. Run by `make check-pdf`, which prints the book first."""

from collections.abc import Iterator

import pytest
from bs4 import BeautifulSoup
from pypdf import PdfReader

from bookkit import pages
from bookkit.browser import SITE
from bookkit.editions.pdf import PDF, outline_items

PAGES = [SITE / f"{row.page}.html" for row in pages.contents()]


@pytest.fixture(scope="module")
def book() -> PdfReader:
    return PdfReader(PDF)


@pytest.fixture(scope="module")
def texts(book) -> list[str]:
    return [" ".join(page.extract_text().split()) for page in book.pages]


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


def test_every_leaf_has_its_number(texts):
    assert len(texts) > len(PAGES)
    for number, text in enumerate(texts, start=1):
        assert text.endswith(f" {number}"), (
            f"page {number} has no number, it ends with {text[-40:]!r}: see FOOTER in tools/pdf.py"
        )


def test_the_outline_has_every_page_of_the_book_in_its_order(book, soups):
    titles = [item["/Title"] for item in outline_items(book.trailer["/Root"]["/Outlines"])]
    headings = [page.select_one("article h1").get_text().removesuffix("#") for page in soups]
    missing = [heading for heading in headings if heading not in titles]
    assert not missing, f"pages that are not in the outline: {missing}"
    found = list(dict.fromkeys(title for title in titles if title in headings))
    assert found == headings, f"the outline has another order than _toc.yml: {found}"


def test_every_figure_is_there_with_its_alt_text(book, soups):
    alts = {figure["aria-label"] for page in soups for figure in page.select("svg.figure")}
    found = {
        node["/Alt"] for node in marked(book.trailer["/Root"]["/StructTreeRoot"]) if "/Alt" in node
    }
    assert alts
    assert not alts - found, f"figures that are not in the PDF: {alts - found}"


def test_what_belongs_to_the_screen_is_not_on_paper(texts):
    for words in ("Skip to main", "Previous Next", "Back to top", "code cell source", "Click to"):
        leaves = [number for number, text in enumerate(texts, start=1) if words in text]
        assert not leaves, f"{words!r} is on the pages {leaves}: hide it in book.css, @media print"


def test_links_lead_inside_or_to_a_public_address(book):
    links = [link.get_object() for page in book.pages for link in page.get("/Annots", [])]
    inside = {link["/Dest"] for link in links if "/Dest" in link}
    assert len(inside) > len(PAGES), "hardly any link leads from page to page"
    broken = inside - set(book.trailer["/Root"]["/Dests"])
    assert not broken, f"links that lead nowhere in the PDF: {broken}"
    away = {link["/A"]["/URI"] for link in links if "/A" in link}
    strange = {url for url in away if not url.startswith("http") or "127.0.0.1" in url}
    assert not strange, f"links that work on this machine only: {strange}"
