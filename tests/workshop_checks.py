"""What the made workshop edition must hold. Run by `make check-workshop`, which makes it first."""

import re
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import nbformat
import pytest

from bookkit import execute, exercises, pages
from bookkit.editions import notebooks
from trace_evidence import grading

OUT = pages.ROOT / "_build" / "workshop"
DECKS = sorted((OUT / "slides").glob("*.html"))
FILES = sorted(file for file in OUT.glob("*/*.*") if file.is_file())
NAMES = [page.rpartition("/")[2] for page in notebooks.failures()]


class Quiet(SimpleHTTPRequestHandler):
    """Serves a folder and prints nothing."""

    def log_message(self, *_):
        """Print nothing."""


@pytest.fixture(scope="module")
def address():
    """Serve the slides on loopback; give their address."""
    folder = partial(Quiet, directory=OUT / "slides")
    with ThreadingHTTPServer(("127.0.0.1", 0), folder) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def test_there_is_a_file_of_each_kind_for_each_chapter():
    for folder, ending in (("student", "ipynb"), ("instructor", "ipynb"), ("slides", "html")):
        assert {file.stem for file in (OUT / folder).glob(f"*.{ending}")} >= set(NAMES)
    assert {file.stem for file in (OUT / "handouts").glob("*.pdf")} == set(NAMES)


@pytest.mark.parametrize("deck", DECKS, ids=lambda deck: deck.stem)
def test_a_deck_opens_without_a_network_and_every_slide_can_be_reached(browser, address, deck):
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    requests, errors = [], []
    page.on("request", lambda request: requests.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("requestfailed", lambda request: errors.append(request.url))
    page.goto(address + deck.name)
    page.wait_for_function("window.Reveal && Reveal.isReady()")
    total = page.evaluate("Reveal.getTotalSlides()")
    seen = set()
    for _ in range(total):
        seen.add(page.evaluate("JSON.stringify(Reveal.getIndices())"))
        page.evaluate("Reveal.next()")
    notes = page.evaluate("document.querySelectorAll('aside.notes').length")
    page.close()
    assert not [url for url in requests if not url.startswith((address, "data:"))]
    assert not errors
    assert len(seen) == total > 30
    assert notes > 3


@pytest.mark.parametrize("name", NAMES)
def test_a_handout_is_one_page(name):
    pdf = (OUT / "handouts" / f"{name}.pdf").read_bytes()
    assert pdf.startswith(b"%PDF")
    assert len(re.findall(rb"/Type */Page\b", pdf)) == 1


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_no_path_of_this_machine_is_in_a_file(file):
    if file.suffix != ".pdf":
        assert str(pages.ROOT) not in file.read_text()


def test_a_student_who_answers_nothing_runs_to_the_end_and_passes_no_check():
    name = NAMES[0]
    notebook = nbformat.read(OUT / "student" / f"{name}.ipynb", as_version=4)
    execution = execute.run_chapter(OUT / "student" / name, notebook)
    assert not execution.reason
    cells = [c for c in notebook.cells if "check" in c.metadata.get("tags", [])]
    said = ["".join(out.get("text", "") for out in cell.outputs) for cell in cells]
    assert len(said) == len(exercises.find(pages.BOOK / "failures" / f"{name}.md"))
    assert all(text.startswith("Not yet: ") for text in said)
    assert grading.PASSED not in "".join(said)
