"""Find the exercises of a chapter: what is given, and what belongs to the solution.

An exercise stands between `exercise-start` and `exercise-end`: code that fails, a cell tagged
`answer` with a `...` to replace, and one tagged `check`, which is `%check LABEL`. The check is the
first block of `trace_evidence/exercises/LABEL.md`. Each `assert` has a hint that says what is
wrong, not what is right. Below it stand wrong answers, the tempting one first, each with the hint
that it draws out. The solution begins with `%check LABEL refused`, which shows them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

from bookkit import pages

GATE = re.compile(r"^```\{(exercise|solution)-(start|end)\} *(.*)$")
LABEL = re.compile(r"^:label: *(\S+)$", re.M)
PARTS = {"exercise": "given", "solution": "solution"}


@dataclass
class Exercise:
    """One exercise."""

    title: str  # as the page shows it
    label: str  # what its check is called by
    # The code cells before the solution: the failing code, the answer, the check.
    given: list[NotebookNode] = field(default_factory=list)
    solution: list[NotebookNode] = field(default_factory=list)


def walk(cells: list[NotebookNode]) -> Iterator[tuple[str, str, NotebookNode]]:
    """Yield (part, title, cell) of a page's cells; text is taken apart where a part begins or ends.

    The part is `given` in an exercise, `solution` in a solution, and nothing elsewhere.
    """
    part = title = ""
    for cell in cells:
        if cell.cell_type == "code":
            yield part, title, cell
            continue
        lines: list[str] = []
        for line in cell.source.splitlines():
            gate = GATE.match(line)
            if not gate:
                lines.append(line)
                continue
            yield part, title, new_markdown_cell("\n".join(lines))
            part = PARTS[gate[1]] if gate[2] == "start" else ""
            title, lines = gate[3], []
        yield part, title, new_markdown_cell("\n".join(lines))


def find(path: Path) -> list[Exercise]:
    """Return the exercises of a page, in its order."""
    exercises: list[Exercise] = []
    for part, title, cell in walk(pages.read_notebook(path).cells):
        if part and cell.cell_type == "code":
            getattr(exercises[-1], part).append(cell)
        elif part == "given" and [last.title for last in exercises[-1:]] != [title]:
            (label,) = LABEL.findall(cell.source)
            exercises.append(Exercise(title, label))
    return exercises
