"""What the workshop edition must hold. Run by `make check PART=print`, which makes it first."""

import io
import re

import nbformat
import pytest
from pypdf import PdfReader

from bookkit import execute, exercises, illustrations, pages, taught
from bookkit.formats import notebooks
from tests.pdf_checks import marked
from trace_evidence.exercises import PASSED

OUT = pages.ROOT / "_build" / "workshop"
DECKS = sorted((OUT / "slides").glob("*.html"))
FILES = sorted(file for file in OUT.glob("*/*.*") if file.is_file())
NAMES = [page.rpartition("/")[2] for page in taught.failures()]


def test_there_is_a_file_of_each_kind_for_each_chapter():
    for folder, ending in (("student", "ipynb"), ("instructor", "ipynb"), ("slides", "html")):
        assert {file.stem for file in (OUT / folder).glob(f"*.{ending}")} >= set(NAMES)
    assert {file.stem for file in (OUT / "handouts").glob("*.pdf")} == set(NAMES)


# What is on the slide that is shown, with all its fragments: what leaves it, how large code is.
SLIDE = """async place => {
  const slide = Reveal.getSlides()[place], at = Reveal.getIndices(slide);
  Reveal.slide(at.h, at.v, 100);
  await new Promise(requestAnimationFrame);
  const parts = [...slide.querySelectorAll("*")].filter(e => !e.closest("aside")
    && (e.localName == "svg" || !e.closest("svg")) && e.checkVisibility());
  const out = parts.filter(e => {
    const box = e.getBoundingClientRect();
    return box.width && (box.right > innerWidth + 1 || box.left < -1
      || (e.localName == "pre" && e.scrollWidth > e.clientWidth + 1));
  });
  const scale = e => e.ownerSVGElement ? e.getScreenCTM().a : 1;
  const words = [...slide.querySelectorAll("pre, .marks, td, th, li, p, svg text")].filter(
    e => !e.closest("aside") && e.textContent.trim());
  const sizes = words.map(e => parseFloat(getComputedStyle(e).fontSize) * scale(e));
  return {at: JSON.stringify(Reveal.getIndices()), tall: slide.scrollHeight > innerHeight,
    small: words.filter((e, at) => sizes[at] < 23.9).map(e => e.textContent.slice(0, 40)),
    out: out.map(e => e.outerHTML.slice(0, 100)), empty: !parts.some(e => e.textContent.trim())};
}"""


@pytest.mark.parametrize("deck", DECKS, ids=lambda deck: deck.stem)
def test_every_slide_of_a_deck_can_be_read_from_the_back(browser, deck):
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    requests, errors = [], []
    page.on("request", lambda request: requests.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("requestfailed", lambda request: errors.append(request.url))
    page.goto(deck.as_uri())  # as one who opens the file
    page.wait_for_function("window.Reveal && Reveal.isReady()")
    total = page.evaluate("Reveal.getTotalSlides()")
    looks = [page.evaluate(SLIDE, place) for place in range(total)]
    notes = page.evaluate("document.querySelectorAll('aside.notes').length")
    page.close()
    assert not [url for url in requests if not url.startswith((deck.parent.as_uri(), "data:"))]
    assert not errors
    assert len({look["at"] for look in looks}) == total
    assert notes == total
    for number, look in enumerate(looks, start=1):
        where = f"slide {number} of {deck.stem}"
        assert not look["out"], f"{where}: past the edge: {look['out']}"
        assert not look["tall"], f"{where} is higher than the screen"
        assert not look["small"], f"{where}: smaller than 24 pixels: {look['small']}"
        assert not look["empty"], f"{where} is empty"


@pytest.mark.parametrize("name", NAMES)
def test_a_handout_has_a_figure_its_address_and_on_its_back_what_to_ask(name):
    pdf = (OUT / "handouts" / f"{name}.pdf").read_bytes()
    assert pdf.startswith(b"%PDF")
    page, back = PdfReader(io.BytesIO(pdf)).pages
    asked = " ".join(back.extract_text().split())
    assert "7. What would be left if this process ended now?" in asked
    assert "Advice to distrust" in asked
    assert f"failures/{name}.html" in page.extract_text().replace("\n", ""), "it has no address"
    for file in notebooks.INCLUDED.findall(pages.path_of(f"book/failures/{name}").read_text()):
        for line in re.findall(r"^(?:def|import|from) [\w.]+", notebooks.source(file), re.M):
            assert line in page.extract_text(), f"{line!r} is not on it"
    links = {note.get_object()["/A"]["/URI"] for note in page["/Annots"]}
    assert links == {f"{pages.public_address()}book/failures/{name}.html"}
    tree = PdfReader(io.BytesIO(pdf)).trailer["/Root"]["/StructTreeRoot"]
    assert illustrations.for_paper(name)["alt"] in {node.get("/Alt") for node in marked(tree)}


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
    assert PASSED not in "".join(said)
