"""Find the exercises of a chapter: what is given, and what belongs to the solution."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from nbformat import NotebookNode

from bookkit import pages

GATE = re.compile(r"^```\{(exercise|solution)-(start|end)\} *(.*)$")
LABEL = re.compile(r"^:label: *(\S+)$")


@dataclass
class Exercise:
    """One exercise.

    Attributes:
        title: as the page shows it.
        label: what its check is called by.
        given: its code cells before the solution: the failing code, the answer, the check.
        solution: the solution's code cells.
    """

    title: str
    label: str = ""
    given: list[NotebookNode] = field(default_factory=list)
    solution: list[NotebookNode] = field(default_factory=list)


def find(path: Path) -> list[Exercise]:
    """Return the exercises of a page, in its order."""
    found: list[Exercise] = []
    part = ""
    for cell in pages.read_source(path).cells:
        if cell.cell_type == "code":
            if part:
                getattr(found[-1], part).append(cell)
            continue
        for line in cell.source.splitlines():
            gate, label = GATE.match(line), LABEL.match(line)
            if gate:
                kind, where, title = gate.groups()
                part = {"exercise": "given", "solution": "solution"}[kind] * (where == "start")
                if (kind, where) == ("exercise", "start"):
                    found.append(Exercise(title))
            elif label and part == "given":
                found[-1].label = label[1]
    return found
