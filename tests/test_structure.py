"""Every page has the form that the book promises, before anything is executed.

A failure chapter says first who is hit today and who reads it, has a program of twelve lines that
fails on the newest stack, at most 800 lines, of which it folds a quarter of its code and shows 260
lines, and is read in 20 minutes: 2,600 words, as `make run M="tools.reading PAGE"` counts them.
What the library changed, costs and history stand on a page behind it, `book/behind/NAME-fix.md`.
"""

import re

import pytest

from bookkit import exercises, expectations, versions
from bookkit import pages as book

SECTIONS = [
    "Reproduce it",
    "The same today",
    "What went wrong",
    "Fix it",
    "Catch it early",
    "Still failing",
    "Exercises",
    "Key points",
    "Behind the fix",
]
MINUTES, VISIBLE, SOURCE, TODAY = 20, 260, 800, 12
HIDDEN = {"hide-input", "hide-cell", "remove-input", "remove-cell"}
FAILURES = sorted((book.BOOK / "failures").glob("*.md"))
PAGES = book.sources()
NOTEBOOKS = book.find_notebooks()
COLUMNS = 100
LINES = 25

failure_chapters = pytest.mark.parametrize("path", FAILURES, ids=lambda path: path.stem)
pages = pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
notebooks = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def without_cells(text):
    """Return a page's text without its fenced blocks."""
    return book.FENCE.sub("", text)


@failure_chapters
def test_a_failure_chapter_has_the_sections_in_their_order(path):
    matches = re.findall(r"^## (.+)$", without_cells(path.read_text()), re.M)
    assert matches == SECTIONS, "the sections of a failure chapter are fixed; see CONTRIBUTING"


@failure_chapters
def test_a_chapter_says_first_who_is_hit_today_and_who_reads_it(path):
    _, opening, readers, *_ = without_cells(path.read_text()).split("\n# ")[1].split("\n\n")
    assert opening.startswith("**Who is hit today.** ") and readers.startswith("**For whom.** ")
    assert opening.count("\n") < 3, f"{path.stem}: say in three lines who is hit"


@failure_chapters
def test_what_fails_today_is_a_program_of_twelve_lines(path):
    cells = [c.node for c in book.code_cells(path) if c.section == "The same today"]
    assert cells and not any(cell.source.startswith("%%") for cell in cells)
    assert sum(map(visible_lines, cells)) <= TODAY
    tags = {tag for cell in cells for tag in cell.metadata.get("tags", [])}
    assert tags & {"raises-exception", "silent-failure"}, "it fails on the newest stack"


@failure_chapters
def test_a_page_behind_a_chapter_has_the_rest(path):
    behind = book.path_of(f"book/behind/{path.stem}-fix")
    rows = {row.page: row.above for row in book.contents()}
    assert rows[book.page_name(behind)] == book.page_name(path)
    assert f"](/{book.page_name(behind)}.md" in path.read_text().split("## Behind the fix")[1]


@failure_chapters
def test_a_chapter_has_its_card_and_its_cases_and_is_measured(path):
    card, text = book.front_matter(path)["chapter"], path.read_text()
    assert len(card["objectives"]) == 3
    assert set(card["minutes"]) == {"reading", "teaching", "exercises"}
    assert card["minutes"]["reading"] <= MINUTES, f"{path.stem} takes too long to read; cut it"
    assert all((book.BOOK / f"{need['page']}.md").exists() for need in card["prerequisites"])
    assert text.count("```{front-card}") == 1
    assert f"```{{case-table}} {path.stem}\n```" in text
    assert path.stem in versions.matrix()["failures"], "measure it: run `make measure`"


def visible_lines(cell):
    """Return how many lines of a cell's source a reader sees."""
    if HIDDEN & set(cell.metadata.get("tags", [])):
        return 0
    shown, _ = book.split_asserts(cell.source)
    return sum(bool(line.strip()) for line in shown.splitlines())


@failure_chapters
def test_a_chapter_outside_its_exercises_shows_260_lines_of_code(path):
    cells = exercises.walk(book.read_notebook(path).cells)
    code = [cell for part, _, cell in cells if not part and cell.cell_type == "code"]
    found = sum(map(visible_lines, code))
    assert found <= VISIBLE, f"{path.stem}: {found} visible lines of code; fold or cut"


@failure_chapters
def test_a_chapters_source_is_short_and_three_quarters_of_its_code_are_shown(path):
    lines = len(path.read_text().partition("\n---\n")[2].splitlines())
    assert lines <= SOURCE, f"{path.stem}: {lines} lines; cut what repeats, move what nobody reads"
    cells = [cell.node for cell in book.code_cells(path)]
    whole = sum(bool(line.strip()) for cell in cells for line in cell.source.splitlines())
    folded = 1 - sum(map(visible_lines, cells)) / whole
    assert folded <= 0.25, (
        f"{path.stem}: {folded:.0%} of the code is folded; show it, cut it, or move it: figures to "
        "trace_evidence/drawings, wrong answers to trace_evidence/exercises"
    )


@notebooks
def test_cells_can_be_read_and_stage_nothing(path):
    for _, line, _, cell in book.code_cells(path):
        where, expect = f"{path.name}:{line}", cell.metadata.get("expect", {})
        rows = [line for line in cell.source.splitlines() if line.strip()]
        assert len(rows) <= LINES, f"{where}: a cell of {len(rows)} lines; split it"
        wide = [row for row in rows if len(row) > COLUMNS]
        assert not wide, f"{where}: wider than {COLUMNS} columns: {wide}"
        staged = re.search(r"^\s*raise \w", cell.source, re.M)
        assert not staged, f"{where}: raises an error of its own; show the library's"
        told = not expect.get("figure") or len(expectations.alt_text(cell).split()) >= 8
        assert told, f"{where}: write alt text that says what the figure shows"


@pages
def test_every_page_is_in_the_table_of_contents_with_one_title(path):
    """Links that lead nowhere, and levels of headings that are left out, stop the build."""
    assert book.page_name(path) in {row.page for row in book.contents()}
    assert len(re.findall(r"^# ", without_cells(path.read_text()), re.M)) == 1


# What each folder of code neither imports nor starts. The rooms of `bookkit`: its own modules, the
# site (`sphinx`), all other `formats`, of which the site offers some.
UPPER = {"evidence", "tests", "tools", "trials"}
ABOVE = {
    "examine/examine_model": UPPER | {"bookkit", "trace_evidence"},
    "trace_evidence": UPPER | {"bookkit"},
    "bookkit": UPPER | {"bookkit.formats", "bookkit.sphinx"},
    "evidence": {"tests", "trials"},
    "tools": {"tests"},
}
MAKES_DATA = "bookkit.publish"  # which the package starts in a checkout, where its data are old


@pytest.mark.parametrize("folder", ABOVE)
def test_code_imports_and_starts_nothing_above_it(folder):
    for path in (book.ROOT / folder).rglob("*.py"):
        above = ABOVE[folder] - {f"bookkit.{path.parent.name}"}
        above -= {"bookkit.formats"} if path.parent.name == "sphinx" else set()
        starts = r"""^ *(?:from|import) ([\w.]+)|"-m", "([\w.]+)"|import_module\("([\w.]+)"""
        names = ["".join(matches) for matches in re.findall(starts, path.read_text(), re.M)]
        names = [f"{folder}{name}" if name.startswith(".") else name for name in names]
        wrong = [name for name in names for upper in above if f"{name}.".startswith(f"{upper}.")]
        wrong = [name for name in wrong if (path.stem, name) != ("checkout", MAKES_DATA)]
        assert not wrong, f"{path.relative_to(book.ROOT)} needs {wrong}"
