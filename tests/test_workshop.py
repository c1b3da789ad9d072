"""The workshop edition comes from the chapters, and the room's machines from measurements."""

import builtins
import json
import re
import zipfile

import pytest

from bookkit import decks, entries, exercises, kept_outputs, pages, predictions, taught
from bookkit.formats import learner, notebooks
from tests import room
from trace_evidence import both, names

GUIDE_PARTS = ["Say first", "The misconception", "Ask the room", "Where people get stuck"]
GUIDE_PARTS += ["Cases to show", "Cut when late"]

each_page = pytest.mark.parametrize("page", taught.taught())
each_failure = pytest.mark.parametrize("page", taught.failures())


@each_page
def test_a_readers_notebook_has_no_solutions_no_outputs_and_no_expectations(page):
    notebook = notebooks.reader(page)
    for cell in notebook.cells:
        assert not cell.get("outputs")
        assert "expect" not in cell.metadata
        assert "solution" not in cell.metadata.get("tags", [])
    for exercise in exercises.find(pages.ROOT / f"{page}.md"):
        sources = {cell.source for cell in notebook.cells}
        given = {cell.source for cell in exercise.given}
        assert given <= sources, f"{exercise.label}: a given cell is missing"
        # A line that runs the check again is no solution.
        sources_of = (cell.source for cell in exercise.solution)
        solution = {source for source in sources_of if not source.startswith("%check")}
        assert not solution & sources, f"{exercise.label}: the solution is in it"


@each_failure
def test_an_instructors_notebook_has_solutions_notes_and_says_what_is_meant_to_fail(page):
    source = pages.read_notebook(pages.ROOT / f"{page}.md")
    notebook = notebooks.instructor(page, source)
    shown = "\n".join(cell.source for cell in notebook.cells)
    assert all(f"**{part}.**" in shown for part in GUIDE_PARTS)
    assert shown.count("#### Solution") == 3
    raising = [c for c in source.cells if "raises" in c.metadata.get("expect", {})]
    assert shown.count("this cell is meant to raise") == len(raising)


@pytest.mark.parametrize(
    ("name", "chapters_taught", "hours"), [("half-day", 2, 4), ("full-day", 4, 8)]
)
def test_a_plan_fits_its_day_and_nobody_sits_for_more_than_ninety_minutes(
    name, chapters_taught, hours
):
    rows = taught.schedule(name)
    assert sum("#exercises" in what for _, what in rows) == chapters_taught
    assert sum(took for took, _ in rows) <= 60 * hours
    sat = [0]
    for took, what in rows:
        sat += [0] if what in ("Break", "Lunch") else [sat.pop() + took]
    assert max(sat) <= 90


def words_of(page):
    """Yield what no learner may read before the room has run a page's programs, with its place.

    That is each sentence of a reply, of a solution, of the notes, of a chapter's entry, of its key
    points and of what is behind the fix, and each line that a program asked about prints or raises.
    """
    path = pages.path_of(page)
    text = path.read_text()
    prose = {
        f"replies to {prediction.label}": " ".join(r for _, r in prediction.answers)
        for prediction in predictions.find(text)
    }
    ends = re.findall(r"^## (Key points|Behind the fix)\n(.*?)(?=^## |\Z)", text, re.M | re.S)
    prose |= {title: told for _, title, told in notebooks.FOLD.findall(text)}
    notes = notebooks.guide().get(pages.title(page), "")
    prose |= {"notes": notes, **dict(ends)}
    if page in taught.failures():
        entry = entries.chapters()[path.stem]
        prose["entry"] = " ".join((entry.symptom, entry.cause, entry.cure))
    solved = "".join(
        re.findall(r"^```\{solution-start\}.*?^```\{solution-end\}", text, re.M | re.S)
    )
    prose["solutions"] = pages.FENCE.sub("", solved)
    for place, words in prose.items():
        for sentence in re.split(r"(?<=[.?!])\s+", " ".join(words.split())):
            if len(sentence.split()) >= 5:
                yield place, sentence
    for number, cell in enumerate(
        cell for exercise in exercises.find(path) for cell in exercise.solution
    ):
        if not cell.source.startswith("%check"):
            yield f"solution {number}", cell.source
    kept = re.split(r"^=== ", kept_outputs.file_of(path).read_text(), flags=re.M)[1:]
    asked = {*(program.name for program in decks.programs(page))}
    asked |= {*(prediction.options["cell"] for prediction in predictions.find(text))}
    for (_, _, _, cell), shown in zip(pages.code_cells(path), kept, strict=True):
        if cell.metadata.get("name") in asked:
            for line in shown.splitlines()[1:]:
                if (
                    len(line.split()) >= 3
                    and not line.startswith("--- ")
                    and line not in cell.source
                ):
                    yield f"outcome of {cell.metadata['name']}", line


def squeezed(text):
    """Return a text with single blanks, as it is compared."""
    return " ".join(text.split())


@each_page
@pytest.mark.parametrize("filled", [False, True], ids=["bare", "with programs"])
def test_a_bare_notebook_says_nothing_of_what_a_program_does(page, filled):
    notebook = learner.bare(page, filled)
    shown = squeezed("\n".join(cell.source for cell in notebook.cells))
    found = list(words_of(page))
    assert len(found) > 5
    wrong = [f"{place}: {text}" for place, text in found if squeezed(text) in shown]
    assert not wrong, wrong
    assert not any(cell.get("outputs") for cell in notebook.cells)
    assert {tag for cell in notebook.cells for tag in cell.metadata.get("tags", [])} <= {
        "raises-exception"
    }


@each_page
def test_a_bare_notebook_leaves_empty_what_the_room_votes_on_types_or_copies(page):
    cells = {
        c.node.metadata.get("name"): c.node.source for c in pages.code_cells(pages.path_of(page))
    }
    given = {
        cell.source for exercise in exercises.find(pages.path_of(page)) for cell in exercise.given
    }
    bare = squeezed("\n".join(cell.source for cell in learner.bare(page).cells))
    full = squeezed("\n".join(cell.source for cell in learner.bare(page, filled=True).cells))
    for name in learner.asked(page):
        body = squeezed(learner.HEAD.sub("", pages.split_asserts(cells[name])[0], count=1))
        assert body in full and body not in bare, name
    programs = decks.programs(page)
    runs = {row for one in programs if one.kind == "run" for row in statements(cells, one)}
    opened = {row for one in programs if one.kind != "run" for row in statements(cells, one)}
    assert len(opened & runs) <= 1, "typed on one slide, and shown again on another"
    for one in programs:
        for row in statements(cells, one):
            assert row in full, one
            if cells[one.name] not in given and row not in runs:
                assert row not in bare, one
            if one.kind == "run" and row not in opened:
                assert row in bare, one


def statements(cells, program):
    """Return the statements that a program of a slide shows, as they are compared."""
    rows = decks.statements(pages.split_asserts(cells[program.name])[0])
    return [
        squeezed(text) for row, text in rows if not program.words or row.startswith(program.words)
    ]


@each_page
@pytest.mark.parametrize("way", ["typed", "with programs"])
def test_who_types_what_the_slides_show_has_each_name_before_a_cell_reads_it(page, way):
    if not decks.deck(page).exists():
        return
    filled = way == "with programs"
    shown = {} if filled else room.shown_by_deck(page)
    notebook = learner.bare(page, filled) if filled else room.filled_in(page, shown)
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    assert not any(map(room.OPEN.fullmatch, code))
    known = {side: {*dir(builtins)} for side in both.SIDES}
    for source in code:
        stacks = {"%%then": ["then"], "%%both": [*both.SIDES]}
        for side in stacks.get(source.partition("\n")[0], ["now"]):
            if not source.startswith("%check"):
                missing = learner.read_by(source, inside=False) - known[side]
                assert not missing, f"{source}\nreads {missing} on {side}"
            known[side] |= names.made_by(source)


@each_page
def test_each_cell_of_a_bare_notebook_says_what_is_done_and_the_first_only_imports(page):
    if not decks.deck(page).exists():
        return
    cells = learner.bare(page).cells
    titles = [cell.source.partition(".**")[0] for cell in cells if cell.source.startswith("**Sl")]
    assert len(titles) == len({*titles}) > 2
    (first, *_) = (cell.source for cell in cells if cell.cell_type == "code")
    assert "# Slide" not in first and re.fullmatch(r"(?:(?:%|import|from).*\n?|\n)+", first)
    votes = {program.slide for program in decks.programs(page) if program.voted}
    first = {int(re.findall(r"\d+", c.source)[0]) for c in cells if "** Vote first." in c.source}
    assert first == votes


@each_page
def test_a_bare_notebook_has_the_exercises_of_its_page_with_their_checks(page):
    bare = [cell.source for cell in learner.bare(page).cells]
    for exercise in exercises.find(pages.path_of(page)):
        for cell in exercise.given:
            assert pages.split_asserts(cell.source)[0] in bare, exercise.label
        assert f"%check {exercise.label}" in bare


def test_the_zip_holds_what_its_notebooks_need_and_nothing_of_the_page(tmp_path):
    file = tmp_path / "a.zip"
    learner.write_zip(file)
    before = file.read_bytes()
    learner.write_zip(file)
    assert file.read_bytes() == before, "made again from the same pages, it is the same"
    with zipfile.ZipFile(file) as packed:
        texts = {name.partition("/")[2]: packed.read(name) for name in packed.namelist()}
    there = {*texts}
    assert {"requirements.txt", "requirements-then.txt", "trace_evidence/then.py"} <= there
    assert {f"{page.rpartition('/')[2]}.ipynb" for page in taught.taught()} <= there
    assert "(ready.ipynb)" in texts["index.md"].decode() and "ready.ipynb" in there
    # What `examine` says of a finding, in `examine_model`, stays: it is what that tool prints.
    told = b"".join(text for name, text in texts.items() if not name.startswith("examine_model/"))
    for name, entry in entries.chapters().items():
        check = f"trace_evidence/exercises/{name}-repair.md"
        assert b"```python" in texts[check] and b"Refused" not in texts[check]
        assert json.dumps(entry.cause)[1:-1].encode() not in told, name
        assert json.dumps(entry.cure)[1:-1].encode() not in told, name
    assert file.stat().st_size < 2_000_000
    said = (pages.BOOK / "workshop" / "set-up.md").read_text()
    commands = [line.strip() for line in learner.INSTALL.splitlines() if line.startswith("    ")]
    assert commands and all(f"$ {line}\n" in said for line in commands), "the set-up page says it"


def test_only_what_can_be_made_is_offered(monkeypatch):
    page = taught.failures()[0]
    monkeypatch.setattr("bookkit.execute.executed", lambda path: None)
    assert taught.handed_out(page).keys() == {"learner", "handout"}
    monkeypatch.setattr(taught, "find_spec", lambda name: None)
    assert taught.handed_out(page) == {}
    assert taught.handed_out("book/cases/leaf-order") == {}


def test_the_workshop_is_of_the_chapters_what_they_need_and_what_a_plan_names():
    plans = " ".join(str(plan["rows"]) for plan in pages.data(taught.PLANS).values())
    named = {page for page in taught.with_cells() if f"/{page}.md" in plans}
    assert {*taught.failures(), *named} <= {*taught.taught()}
    assert "book/cases/leaf-order" not in taught.taught()
    for page in {*taught.taught()} - {*taught.failures(), *named}:
        needs = [pages.meta(one)["chapter"]["prerequisites"] for one in taught.failures()]
        assert any(page.endswith(need["page"]) for some in needs for need in some), page
