"""The workshop edition comes from the chapters, and the room's machines from measurements."""

import pytest

from bookkit import exercises, pages, taught
from bookkit.formats import notebooks

GUIDE_PARTS = ["Say first", "The misconception", "Ask the room", "Where people get stuck"]
GUIDE_PARTS += ["Cases to show", "Cut when late"]

each_page = pytest.mark.parametrize("page", taught.taught())
each_failure = pytest.mark.parametrize("page", taught.failures())


@each_page
def test_a_students_notebook_has_no_solutions_no_outputs_and_no_expectations(page):
    notebook = notebooks.student(page)
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
