"""How long a page takes to read, counted and not guessed.

A reader takes 200 words of prose, 15 lines of visible code and 400 words of output a minute. What
is folded away does not count, nor do the replies of a prediction, nor exercises with their
solutions, which have minutes of their own.
"""

import ast
import re
from dataclasses import dataclass
from pathlib import Path

from nbformat import NotebookNode

from . import execute, exercises, expectations, pages, predictions

WORDS, LINES, OUTPUT_WORDS = 200, 15, 400
HIDDEN = {"hide-input", "hide-cell", "remove-input", "remove-cell"}


@dataclass(frozen=True)
class Load:
    """What a page holds: words of prose, lines of visible code, words of output."""

    words: int
    lines: int
    output_words: int

    @property
    def minutes(self) -> float:
        """Return the minutes that it takes to read."""
        return self.words / WORDS + self.lines / LINES + self.output_words / OUTPUT_WORDS


def split_asserts(source: str) -> tuple[str, str]:
    """Split a cell's source into what is shown and the assertions at its end."""
    magics = re.match(r"(%%?\w[^\n]*\n)+", source)
    head = magics[0] if magics else ""
    body = source[len(head) :]
    try:
        nodes = ast.parse(body).body
    except SyntaxError:
        return source, ""
    first = len(nodes)
    while first and isinstance(nodes[first - 1], ast.Assert):
        first -= 1
    if first == len(nodes):
        return source, ""
    rows = body.splitlines()
    begin = nodes[first].lineno - 1
    # A comment above the assertions belongs to them.
    while begin and rows[begin - 1].lstrip().startswith("#"):
        begin -= 1
    if not "".join(rows[:begin]).strip():
        return "", source  # a magic alone is nothing to show
    return head + "\n".join(rows[:begin]).rstrip(), "\n".join(rows[begin:])


def visible_lines(cell: NotebookNode) -> int:
    """Return how many lines of a cell's source a reader sees."""
    tags = set(cell.metadata.get("tags", []))
    if HIDDEN & tags:
        return 0
    shown, _ = split_asserts(cell.source)
    return sum(bool(row.strip()) for row in shown.splitlines())


def shown_words(cell: NotebookNode) -> int:
    """Return how many words of output a reader sees: of an error, its message."""
    if {"hide-output", "remove-output", "hide-cell", "remove-cell"} & set(
        cell.metadata.get("tags", [])
    ):
        return 0
    count = 0
    for output in (out for half in expectations.outcomes(cell).values() for out in half.outputs):
        if output.output_type == "stream":
            count += len(output.text.split())
        elif output.output_type == "error":
            count += len(output.evalue.split()) + 1
        elif not any(kind in output.data for kind in expectations.IMAGES):
            count += len(output.data.get("text/plain", "").split())
    return count


def prose_words(text: str) -> int:
    """Return the words of a Markdown text, without directives, options and addresses."""
    text = pages.FENCE.sub("", predictions.written(text, predictions.shown))
    text = re.sub(r"<[^>]+>", "", text)
    text = re.sub(r"^:{3,}.*$|^\(\S+\)=$", "", text, flags=re.M)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    return len(re.findall(r"\w[\w'.-]*", text))


def measure(notebook: NotebookNode) -> Load:
    """Return the load of a page with its outputs."""
    cells = [cell for part, _, cell in exercises.walk(notebook.cells) if not part]
    code = [cell for cell in cells if cell.cell_type == "code"]
    prose = "\n".join(cell.source for cell in cells if cell.cell_type != "code")
    return Load(
        words=prose_words(prose),
        lines=sum(map(visible_lines, code)),
        output_words=sum(map(shown_words, code)),
    )


def of_page(path: Path) -> Load:
    """Return the load of a page, with its outputs where it has been executed."""
    return measure(execute.executed(path) or pages.read_notebook(path))
