"""What the workshop edition must hold. Run by `make check PART=print`, which makes it first."""

import json
import re
import zipfile

import nbformat
import pytest
from bs4 import BeautifulSoup
from pypdf import PdfReader

from bookkit import decks, execute, exercises, illustrations, pages, taught
from bookkit.formats import learner, notebooks
from tests import room
from tests.conftest import View
from tests.pdf_checks import marked
from tools import changes
from trace_evidence.exercises import PASSED

OUT = pages.ROOT / "_build" / "workshop"
DECKS = sorted((OUT / "slides").glob("*.html"))
FILES = sorted(file for file in OUT.glob("*/*.*") if file.is_file())
NAMES = [page.rpartition("/")[2] for page in taught.failures()]


def test_there_is_a_file_of_each_kind_for_each_chapter():
    for folder, ending in (("learner", "ipynb"), ("instructor", "ipynb"), ("slides", "html")):
        assert {file.stem for file in (OUT / folder).glob(f"*.{ending}")} >= set(NAMES)
    assert {file.stem for file in (OUT / "handouts").glob("*.pdf")} == {*NAMES, "questions"}
    for page in taught.taught():
        assert all((OUT / file).is_file() for file in taught.handed_out(page).values())


def test_the_instructors_zip_is_enough_to_teach_from_without_a_network():
    with zipfile.ZipFile(OUT / "instructor.zip") as packed:
        names = {name.partition("/")[2]: packed.read(name) for name in packed.namelist()}
    written = {f"{path.stem}.md" for path in (pages.BOOK / "workshop").glob("*.md")}
    assert {"README.md", *written, "requirements.txt", "trace_evidence/then.py"} <= names.keys()
    assert b"| 9:00 |" in names["schedule.md"], "it has no hours"
    for name in ["README.md", *written]:
        assert not re.search(r"^```\{|\]\(/book", names[name].decode(), re.M), name
    assert b"Refused" in names["trace_evidence/exercises/lazy-pytree-drift-repair.md"]
    assert {file.name for file in (OUT / "test").iterdir()} == {
        name.rpartition("/")[2] for name in names if name.startswith("test/")
    }


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
  const kept = [...slide.querySelectorAll(".kept")].map(e => e.checkVisibility());
  return {kept, at: JSON.stringify(Reveal.getIndices()), tall: slide.scrollHeight > innerHeight,
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
    kept = [one for look in looks for one in look["kept"]]
    assert sum(kept) >= len(kept) / 2 > 0, "a program goes where what came of it is shown"
    for number, look in enumerate(looks, start=1):
        where = f"slide {number} of {deck.stem}"
        assert not look["out"], f"{where}: past the edge: {look['out']}"
        assert not look["tall"], f"{where} is higher than the screen"
        assert not look["small"], f"{where}: smaller than 24 pixels: {look['small']}"
        assert not look["empty"], f"{where} is empty"


@pytest.mark.parametrize("name", NAMES)
def test_a_slide_that_asks_shows_a_program_alone_and_others_what_came_of_it(name):
    page = BeautifulSoup((OUT / "slides" / f"{name}.html").read_text(), "html.parser")
    texts = decks.slides(name)
    for text, slide in zip(texts, page.select("section.page"), strict=True):
        kinds = {found[0] for found in decks.blocks(text)}
        for program in slide.select("pre.code"):
            assert not re.search("^(assert|%%)", program.get_text(), re.M)
        came = slide.select("pre.output, pre.error, pre.warns, .half, .step")
        if kinds & {"code", "show"} and "outcome" not in kinds:
            assert bool(came) == ("show" in kinds), f"{name}: {text[:60]}"
            assert all(one.find_parent(class_="fragment") for one in came), "it comes at a click"
    assert page.select(".marks .mark-raises, .marks .mark-silent")


def sizes(page):
    """Return the sizes of the letters on a page of a PDF, in points."""
    found = set()

    def note(text, _, matrix, font, size):
        if text.strip():
            found.add(size * abs(matrix[3]))

    page.extract_text(visitor_text=note)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_a_handout_has_a_figure_its_address_and_its_check_in_letters_that_can_be_read(name):
    pdf = PdfReader(OUT / "handouts" / f"{name}.pdf")
    assert 1 <= len(pdf.pages) <= 2
    text = "\n".join(page.extract_text() for page in pdf.pages)
    assert min(size for page in pdf.pages for size in sizes(page)) >= 9
    assert f"failures/{name}.html" in text.replace("\n", ""), "it has no address"
    for file in notebooks.INCLUDED.findall(pages.path_of(f"book/failures/{name}").read_text()):
        for line in re.findall(r"^(?:def|import|from) [\w.]+", notebooks.source(file), re.M):
            assert line in text, f"{line!r} is not on it"
    links = {note.get_object()["/A"]["/URI"] for note in pdf.pages[0]["/Annots"]}
    assert links == {f"{pages.public_address()}book/failures/{name}.html"}
    tree = pdf.trailer["/Root"]["/StructTreeRoot"]
    assert illustrations.for_paper(name)["alt"] in {node.get("/Alt") for node in marked(tree)}


def test_the_questions_stand_on_one_sheet():
    (questions,) = PdfReader(OUT / "handouts" / "questions.pdf").pages
    assert len(questions.extract_text().split()) > 100


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_no_path_of_this_machine_is_in_a_file(file):
    if file.suffix != ".pdf":
        assert str(pages.ROOT) not in file.read_text()


def run(notebook):
    """Execute a notebook; return the output of each code cell as text, by its source."""
    execution = execute.run_chapter(OUT / "learner" / "a.ipynb", notebook)
    assert not execution.reason
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return {cell.source: json.dumps(cell.outputs) for cell in cells}


def test_a_learner_who_answers_nothing_runs_to_the_end_and_passes_no_check():
    name = NAMES[0]
    printed = run(nbformat.read(OUT / "learner" / f"{name}.ipynb", as_version=4))
    checks = [text for source, text in printed.items() if source.startswith("%check")]
    assert len(checks) == len(exercises.find(pages.BOOK / "failures" / f"{name}.md"))
    assert all("Not yet: " in text for text in checks)
    assert PASSED not in "".join(checks)


def shown_by(page):
    """Return the programs on the slides of a deck as it was built, by the slide and their place."""
    deck = BeautifulSoup(
        (OUT / "slides" / f"{page.rpartition('/')[2]}.html").read_text(), "html.parser"
    )
    return {
        (number, place): program.get_text()
        for number, slide in enumerate(deck.select("section.page"), start=1)
        for place, program in enumerate(
            (one for one in slide.select("pre.code") if not one.find_parent(class_="kept")), start=1
        )
    }


@pytest.mark.parametrize("page", changes.in_turn(taught.taught(), 4))
def test_a_learner_who_types_every_slide_and_answers_every_exercise_lacks_nothing(page):
    has_deck = decks.deck(page).exists()
    notebook = room.filled_in(page, shown_by(page)) if has_deck else learner.bare(page, filled=True)
    for exercise in exercises.find(pages.path_of(page)):
        left_out = {"tempting", "raises-exception"}
        written = [c for c in exercise.solution if not left_out & {*c.metadata.get("tags", [])}]
        code = re.sub("^%check.*$", "", "\n".join(cell.source for cell in written), flags=re.M)
        sources = [cell.source for cell in notebook.cells]
        notebook.cells[sources.index(f"%check {exercise.label}") - 1].source = code
    printed = run(notebook)
    assert not [source for source, text in printed.items() if "is not defined" in text]
    checks = [text for source, text in printed.items() if source.startswith("%check")]
    assert all("Correct, " in text for text in checks), checks
