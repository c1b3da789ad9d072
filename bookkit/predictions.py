"""Predictions: a question before its answer, and which answer the page's own cells bear out.

A page asks in a block `:::{predict} LABEL` above the cell that answers, as
`book/foundations/pytrees.md` does. The site puts it between the cell's code and what comes of it,
and hides all below it up to the next program, or to a `{reveal}`, until it is answered. Options:

- `cell` names the cell that answers, and `before` the one that is asked about, where it is another;
- `reads` is a pattern for what that cell prints or raises. Of a ``%%both`` cell, what is found on
  `then` and on `now` is put together with ` / `;
- `keys` are what would be found were each answer right, and `right` is the letter of the one that
  is: the suite is red where the cell bears out another;
- `shows` is a pattern in which LETTER stands for the answer's letter: a reply then shows its own
  lines of what the cell printed.

Each reply says what speaks for its answer, and what shows otherwise. Each answer carries a reason
or none does, and `tests/blind.py` has rules that must not find the right one.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from nbformat import NotebookNode

from . import expectations, kept_outputs, pages
from .outputs import strip_ansi

BLOCK = re.compile(r"^(:{3,})\{predict\} *(\S+)\n(.*?)^\1$\n?", re.M | re.S)
OPTION = re.compile(r"^:([a-z]+): (.*)\n", re.M)
LETTERS = "ABCD"


@dataclass(frozen=True)
class Prediction:
    """One question."""

    label: str  # what it is called by, once in the book
    # `cell`, `keys`, `right`, and perhaps `reads`; `before`, the cell that is asked about, where it
    # is another one; `shows`, a pattern for what the cell printed of LETTER, which its reply shows.
    options: dict[str, str]
    question: list[str]  # as Markdown, in its paragraphs and programs
    answers: list[tuple[str, str]]  # each with its reply, as Markdown

    def problem(self, notebook: NotebookNode) -> str:
        """Say in what the executed page disagrees with the answer marked right, if in anything."""
        keys = [key.strip() for key in self.options["keys"].split(";")]
        if len(keys) != len(self.answers) or len(set(keys)) != len(keys):
            return f"{len(self.answers)} answers need as many different keys, and not {keys}"
        shown = reading(notebook, self.options["cell"], self.options.get("reads", ".+"))
        bears_out = dict(zip(keys, LETTERS, strict=False)).get(shown, "no answer")
        if bears_out != self.options["right"]:
            return (
                f"the cell {self.options['cell']!r} shows {shown!r}, which bears out {bears_out}"
                f" and not {self.options['right']}"
            )
        return ""


def take_apart(label: str, options: dict[str, str], body: str) -> Prediction:
    """Return a prediction, from the text of its block."""
    question, *items = re.split(r"^- ", body.strip() + "\n", flags=re.M)
    answers = []
    for item in items:
        answer, _, reply = re.sub(r"^  ", "", item, flags=re.M).strip().partition("\n\n")
        answers.append((answer, reply.strip()))
    return Prediction(label, options, question.strip().split("\n\n"), answers)


def find(text: str) -> list[Prediction]:
    """Return the predictions of a page, in its order, from its text."""
    predictions = []
    for _, label, body in BLOCK.findall(text):
        written = "".join(f"{name}: {value}\n" for name, value in OPTION.findall(body))
        options = {name: str(value) for name, value in pages.parse(written).items()}
        predictions.append(take_apart(label, options, OPTION.sub("", body)))
    return predictions


def reading(notebook: NotebookNode, name: str, pattern: str) -> str:
    """Return what is found in the outcome of a page's executed cell, both sides of it."""
    cells = [cell for cell in notebook.cells if cell.metadata.get("name") == name]
    if not cells:
        return "no cell of this name"
    halves = expectations.outcomes(cells[0]).values()
    return " / ".join(" ".join(re.findall(pattern, outcome(half), re.M)) for half in halves)


def outcome(cell: NotebookNode) -> str:
    """Return what a cell printed, gave and raised, as text."""
    kinds = ("stdout", "result", "error")
    return strip_ansi("\n".join(text for name, text in kept_outputs.of(cell) if name in kinds))


def of_book() -> dict[str, tuple[Path, Prediction]]:
    """Return all predictions of the book by their labels, each with its page."""
    paths = pages.find_notebooks()
    return {
        prediction.label: (path, prediction)
        for path in paths
        for prediction in find(path.read_text())
    }


def written(text: str, write: Callable[[Prediction], str]) -> str:
    """Return a page's text with its predictions as a function writes them."""
    return BLOCK.sub(lambda block: write(find(block[0])[0]), text)


def listed(texts: Iterable[str]) -> list[str]:
    """Return the points of a list in Markdown, each with its letter."""
    return [f"- **{letter}.** {text}" for letter, text in zip(LETTERS, texts, strict=False)]


def as_markdown(prediction: Prediction) -> str:
    """Return a prediction for a notebook, where the reply to each answer is folded below it."""
    answers = "\n".join(listed(answer for answer, _ in prediction.answers))
    folds = [
        f"<details><summary>If you answered {letter}</summary>\n\n"
        f"{'Right. ' if letter == prediction.options['right'] else ''}{reply}\n\n</details>"
        for letter, (_, reply) in zip(LETTERS, prediction.answers, strict=False)
    ]
    question, *rest = prediction.question
    return "\n\n".join([f"**Predict.** {question}", *rest, answers, *folds]) + "\n"
