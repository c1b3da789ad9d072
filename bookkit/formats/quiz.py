"""Make the sheets of the tests before and after a workshop: forms, answers, keys with a tally.

`python -m bookkit.formats.quiz` writes them into `_build/workshop/test`. The key is a file of its
own, so that it does not get into the hands of those who take the test.
"""

from pathlib import Path
from typing import Any

from bookkit import concepts, pages, predictions, taught

from . import notebooks, pdf, workshop

PAGE = "book/workshop/test"
SHORT = 20  # characters of an answer, of which four stand in a line
LIMITS = "What twenty people can show, and what they cannot"  # a section of the page


def names(out: Path, plan: str) -> dict[str, Path]:
    """Return the files of a plan's test: the forms `a` and `b`, and the key."""
    files = {form: out / f"{plan}-form-{form}.pdf" for form in concepts.FORMS}
    return {**files, "key": out / f"{plan}-key.pdf"}


def asked(item: predictions.Prediction) -> dict[str, Any]:
    """Return an item as its form shows it."""
    return {
        "program": concepts.program(item).strip(),
        "question": workshop.runs(" ".join(item.question)),
        "answers": [workshop.runs(answer) for answer, _ in item.answers],
        "short": all(len(answer) < SHORT for answer, _ in item.answers),
    }


def solved(name: str, concept: concepts.Concept) -> dict[str, Any]:
    """Return a concept as the key shows it, with its items."""
    page, all_items = concept.taught.partition("#")[0], concepts.items()
    items = [all_items[f"{name}-{form}"] for form in concepts.FORMS]
    return {
        "name": name,
        "says": workshop.runs(concept.says),
        "aim": workshop.runs(concept.aim),
        "page": pages.title(page).replace("`", ""),
        "address": pages.published(page),
        "items": [
            {
                "right": item.options["right"],
                "shows": [
                    (letter, workshop.runs(reply))
                    for letter, (_, reply) in zip(predictions.LETTERS, item.answers, strict=True)
                ],
            }
            for item in items
        ],
    }


def write(file: Path, kind: str, title: str, **data: Any) -> None:
    """Write a sheet."""
    data |= {"fonts": pdf.LATIN, "address": pages.published(PAGE), "kind": kind, "title": title}
    notebooks.write(file, pdf.compose("quiz.typ", **data))


def make(out: Path) -> None:
    """Write the sheets of all plans, and the one for the answers."""
    all_concepts, items = concepts.by_name(), concepts.items()
    for plan in filter(concepts.test, pages.data(taught.PLANS)):
        files, test = names(out, plan), concepts.test(plan)
        title = f"Test, {plan.replace('-', ' ')}"
        for form in concepts.FORMS:
            asked_items = [asked(items[f"{name}-{form}"]) for name in test]
            write(files[form], "form", f"{title}: form {form.upper()}", items=asked_items)
        solutions = [solved(name, all_concepts[name]) for name in test]
        limits = workshop.points(PAGE, LIMITS)
        write(files["key"], "key", f"{title}: key", concepts=solutions, limits=limits)
        write(out / "answers.pdf", "answers", "Test: answers", count=len(test))


if __name__ == "__main__":
    make(workshop.OUT / "test")
