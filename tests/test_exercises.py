"""Every exercise holds: an empty answer and a tempting one are refused, the solution passes.

That it is so is shown by the pages themselves: what a check says of the empty answer is among
the page's outputs, of a wrong one in the exercise's own file, of the right one in `expect`.
"""

import ast
import re

import pytest

from bookkit import exercises, kept_outputs, pages
from tests.cells import ABSENT, LOAD, printed_by
from trace_evidence import exercises as checked

FAILURES = sorted((pages.BOOK / "failures").glob("*.md"))
EXERCISES = [exercise for path in FAILURES for exercise in exercises.find(path)]

each_exercise = pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.label)


def tagged(cells, tag):
    """Return the cells that carry a tag."""
    return [cell for cell in cells if tag in cell.metadata.get("tags", [])]


def verdict(cell):
    """Return what a cell says that its check prints."""
    return str(cell.metadata.get("expect", {}).get("stdout", "")).strip()


def said_of_nothing(exercise):
    """Return what the page shows that the check says before there is an answer."""
    page = pages.BOOK / "failures" / f"{exercise.label.rpartition('-')[0]}.md"
    check = kept_outputs.Shown(f"%check {exercise.label}", ()).text()
    return next(cell for cell in kept_outputs.read(page) if cell.startswith(check)).splitlines()[-1]


def test_each_chapter_has_three_exercises():
    labels = [exercise.label for exercise in EXERCISES]
    kinds = ("predict", "repair", "transfer")
    assert labels == [f"{path.stem}-{kind}" for path in FAILURES for kind in kinds]
    assert {file.stem for file in checked.FOLDER.glob("*.md")} == set(labels)


@each_exercise
def test_the_given_code_fails_as_its_cell_says(exercise):
    if exercise.label.endswith("-predict"):
        return  # a prediction does not print its answer
    tags = [tag for cell in exercise.given for tag in cell.metadata.get("tags", [])]
    assert {"raises-exception", "silent-failure"} & set(tags), (
        f"{exercise.label}: a cell of the exercise must fail, and say so in its tags"
    )


@each_exercise
def test_an_exercise_has_a_place_for_the_answer_and_then_a_check_that_refuses_it(exercise):
    (answer,), (check,) = tagged(exercise.given, "answer"), tagged(exercise.given, "check")
    assert exercise.given.index(answer) < exercise.given.index(check)
    assert answer.source not in [cell.source for cell in exercise.solution]
    assert check.source == f"%check {exercise.label}"
    assert said_of_nothing(exercise).startswith("Not yet: ")


@each_exercise
def test_a_tempting_answer_is_refused_with_a_hint_of_its_own_and_the_solution_passes(exercise):
    (tempting,) = tagged(exercise.solution, "tempting")
    assert tempting is exercise.solution[0]
    assert tempting.source == f"%check {exercise.label} refused"
    refused = checked.load(exercise.label).refused
    assert refused, f"{exercise.label}: list the tempting answer, with its hint, under *Refused*"
    hint = said_of_nothing(exercise).removeprefix("Not yet: ")
    assert refused[0][1] != hint, f"{exercise.label}: the hint must name what is wrong"
    passed = [c for c in exercise.solution if c.source.endswith(f"%check {exercise.label}")]
    assert passed[-1] is exercise.solution[-1]
    assert all(verdict(cell).startswith("Correct") for cell in passed), (
        f"{exercise.label}: say why in `why`, in one sentence that begins with Correct"
    )


def literal(message):
    """Return the longest part of a hint that does not vary."""
    parts = [node.value for node in ast.walk(message) if isinstance(node, ast.Constant)]
    return max((part for part in parts if isinstance(part, str)), key=len)


@each_exercise
def test_each_hint_of_a_check_is_drawn_out_by_a_listed_wrong_answer(exercise):
    nodes = ast.walk(ast.parse(checked.load(exercise.label).check))
    hints = [node.msg for node in nodes if isinstance(node, ast.Assert)]
    assert hints and all(hints), f"{exercise.label}: give each assert a message"
    told = [said_of_nothing(exercise)]
    told += [reply for _, reply in checked.load(exercise.label).refused]
    said = " ".join(" ".join(told).split())
    missing = [part for part in map(literal, hints) if " ".join(part.split()) not in said]
    assert not missing, f"{exercise.label}: no listed answer is told {missing}"


def laid_down(folder):
    """Write exercises of their own, and return the cell that makes `%check` look for them there."""
    check = "```python\nassert answer == truth, 'the answer is wrong'\n```\n\n"
    (folder / "sum.md").write_text(f"Answer: `answer`\n\n{check}")
    refused = "```python\nanswer = 4\n```\n\n> nothing of the kind\n"
    (folder / "wrongly.md").write_text(f"{check}{refused}")
    (folder / "other.md").write_text("```python\nscratch = 1\n1 / 0\n```\n")
    (folder / "old.md").write_text("Kernel: `then`\n\n```python\nassert a, 'never'\n```\n")
    return f"from trace_evidence import exercises as e\ne.FOLDER = type(e.FOLDER)('{folder}')"


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """What checks print before their cells, after them, and without the kernel `then`."""
    folder = tmp_path_factory.mktemp("exercises")
    return printed_by(
        folder,
        f"{LOAD}\n{laid_down(folder)}",
        "%check nothing",
        "%check sum",
        "answer = {'a': ...}",
        "%check sum",
        "answer = 4",
        "%check sum",
        "truth = 5",
        "%check sum",
        "answer = 5",
        "%check sum",
        "%check other",
        "scratch",
        "%check wrongly refused",
        "print(answer)",
        ABSENT,
        "%check old",
    )


@pytest.mark.slow
def test_a_check_says_what_is_missing_whatever_was_run_before_it(printed):
    assert "%check needs the label of an exercise, and got 'nothing'." in printed[1]
    assert printed[2].startswith("Not yet: name 'answer' is not defined. It is made in a cell")
    assert "Run All Above Selected Cell" in printed[2]
    assert printed[4].startswith("Not yet: replace each ... in `answer`")
    assert printed[6].startswith("Not yet: name 'truth' is not defined.")
    assert printed[8] == "Not yet: the answer is wrong"
    assert printed[10] == checked.PASSED
    assert printed[11] == "Not yet: your code stops with ZeroDivisionError: division by zero"
    assert re.match(r"name 'scratch' is not defined.*Run All Above", printed[12], re.S)
    assert printed[16].startswith("Not yet: this exercise cannot be checked here. The kernel")
    assert "make environments" in printed[16]


@pytest.mark.slow
def test_a_refused_answer_is_held_to_what_the_check_says_and_stays_out_of_the_notebook(printed):
    """The pages show them, with what the check says."""
    assert "is told 'Not yet: the answer is wrong', and not 'nothing of the kind'" in printed[13]
    assert printed[14] == "5", "a refused answer stays out of the notebook's variables"


@pytest.mark.slow
def test_a_then_cell_out_of_order_says_which_cells_to_run(tmp_path):
    load = f"{LOAD}\n{laid_down(tmp_path)}"
    printed = printed_by(tmp_path, load, "%%then\nbelief", "%check old")
    assert "the %%then cells have their own variables" in printed[1]
    assert "Run All Above Selected Cell" in printed[1]
    assert printed[2].startswith("Not yet: name 'a' is not defined.")
