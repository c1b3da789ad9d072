"""What the workshop edition must hold. Run by `make check PART=print`, which makes it first."""

import io
import re

import nbformat
import pytest
from bs4 import BeautifulSoup
from pypdf import PdfReader

from bookkit import execute, exercises, illustrations, pages, taught
from bookkit.formats import notebooks, slides
from tests.conftest import View
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
    view = View(page, 1280, "light")
    page.goto(deck.as_uri())  # as one who opens the file
    page.wait_for_function("window.Reveal && Reveal.isReady()")
    total = page.evaluate("Reveal.getTotalSlides()")
    looks = [page.evaluate(SLIDE, place) for place in range(total)]
    notes = page.evaluate("document.querySelectorAll('aside.notes').length")
    page.close()
    assert not [url for url in view.requests if not url.startswith((deck.parent.as_uri(), "data:"))]
    assert not view.failed and not view.errors
    assert len({look["at"] for look in looks}) == total
    assert notes == total
    for number, look in enumerate(looks, start=1):
        where = f"slide {number} of {deck.stem}"
        assert not look["out"], f"{where}: past the edge: {look['out']}"
        assert not look["tall"], f"{where} is higher than the screen"
        assert not look["small"], f"{where}: smaller than 24 pixels: {look['small']}"
        assert not look["empty"], f"{where} is empty"


@pytest.mark.parametrize("name", NAMES)
def test_a_slide_that_asks_shows_a_program_alone_and_others_what_came_of_it(name):
    page = BeautifulSoup((OUT / "slides" / f"{name}.html").read_text(), "html.parser")
    texts = re.split(r"^---$\n?", (slides.DECKS / f"{name}.md").read_text(), flags=re.M)
    for text, slide in zip(texts, page.select("section.page"), strict=True):
        kinds = {found[0] for found in re.findall(f"^```{slides.BLOCK.pattern}$", text, re.M)}
        for program in slide.select("pre.code"):
            assert not re.search("^(assert|%%)", program.get_text(), re.M)
        came = slide.select("pre.output, pre.error, pre.warns, .half, .step")
        if kinds & {"code", "show"} and "outcome" not in kinds:
            assert bool(came) == ("show" in kinds), f"{name}: {text[:60]}"
            assert all(one.find_parent(class_="fragment") for one in came), "it comes at a click"
    assert page.select(".marks .mark-raises, .marks .mark-silent")


@pytest.mark.parametrize("name", NAMES)
def test_a_handout_has_a_figure_its_address_and_on_its_back_what_to_ask(name):
    pdf = (OUT / "handouts" / f"{name}.pdf").read_bytes()
    assert pdf.startswith(b"%PDF")
    page, back = PdfReader(io.BytesIO(pdf)).pages
    assert len(back.extract_text().split()) > 100
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
