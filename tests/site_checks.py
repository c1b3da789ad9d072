"""What the built site must hold. Run by `make check-site`, which builds the book first."""

import os
import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from trace_evidence import chapters

SITE = chapters.ROOT / "_build" / "html"
HTML = sorted(SITE.rglob("*.html"))
# Text after `src=` and the like that makes a browser fetch something from elsewhere.
LOADS = {"script": "src", "img": "src", "iframe": "src", "source": "src", "audio": "src"}

pages = pytest.mark.parametrize("path", HTML, ids=lambda path: str(path.relative_to(SITE)))


def soup(path: Path) -> BeautifulSoup:
    """Return a page, parsed."""
    return BeautifulSoup(path.read_text(), "html.parser")


def test_the_site_has_a_page_for_every_page_of_the_book():
    for page in chapters.BOOK.rglob("*.md"):
        assert (SITE / page.relative_to(chapters.ROOT)).with_suffix(".html").exists()


@pages
def test_nothing_is_fetched_from_elsewhere(path):
    page = soup(path)
    found = [tag.get(key) for name, key in LOADS.items() for tag in page.find_all(name)]
    fetched = {"stylesheet", "preload", "icon", "preconnect", "prefetch", "modulepreload"}
    links = page.find_all("link")
    found += [tag.get("href") for tag in links if fetched & set(tag.get("rel", []))]
    assert not [url for url in found if url and re.match(r"(https?:)?//", url)]


@pages
def test_no_path_of_this_machine_is_in_a_page(path):
    text = path.read_text()
    for folder in (str(chapters.ROOT), os.path.expanduser("~"), "/ipykernel_"):
        assert folder not in text, f"{path.name} shows {folder}: extend PATHS in render.py"
    assert "site-packages/" not in soup(path).get_text()


@pages
def test_every_figure_has_a_label_and_no_id_stands_twice(path):
    page = soup(path)
    for figure in page.select("svg.figure"):
        assert len(figure["aria-label"].split()) >= 8
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
        assert re.match(r"\w+: ", last.get_text().strip())


@pages
def test_cells_of_the_old_stack_are_marked_and_highlighted(path):
    for cell in soup(path).select("div.cell_input"):
        source = cell.select_one("pre").get_text()
        if source.startswith("%%then"):
            outer = cell.find_parent("div", class_="cell")
            assert "cell-then" in outer["class"]
            assert "then · August 2024" in outer.find_previous_sibling("p").get_text()
            assert cell.select_one(".o") is not None
            assert cell.select_one(".err") is None


def test_the_front_page_opens_in_the_browser(open_page):
    view = open_page("book/index.html")
    assert view.page.title()
    assert not view.failed
