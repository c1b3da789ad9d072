"""Lay down a new case or chapter that passes all but its own claims: `make case NAME=my-case`.

A new case is one file. A new chapter is a page, a program for the matrix, a module for its check, a
part of the instructor guide, and a row in the table of contents and in the catalogue. What is laid
down holds an example that really runs; replace it by your own.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from string import Template

from . import catalogue, pages

FOLDER = Path(__file__).with_name("templates")


class ScaffoldError(Exception):
    """Nothing was laid down; the message says why, and what to do."""


def check_name(name: str) -> None:
    """Refuse what cannot be a slug, or is taken.

    Raises:
        ScaffoldError: the message names the cure.
    """
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)+", name):
        raise ScaffoldError(
            f"NAME={name} is no name for a page: two words or more in small letters, joined by "
            "hyphens, as in NAME=leaf-order."
        )
    taken = [path for path in pages.BOOK.rglob("*.md") if path.stem == name]
    if taken:
        raise ScaffoldError(f"{taken[0].relative_to(pages.ROOT)} is there already.")


def fill(template: str, name: str) -> str:
    """Return a template with a page's names in it."""
    words = name.replace("-", " ")
    names = {"slug": name, "title": words.capitalize(), "name": name.replace("-", "_")}
    names["family"] = next(iter(catalogue.load()))
    return Template((FOLDER / template).read_text()).substitute(names)


def write(path: Path, text: str) -> Path:
    """Write a file that is not there yet."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("x") as file:
        file.write(text)
    return path


def insert(path: Path, before: str, text: str) -> Path:
    """Put a text into a file, before a line that begins in a certain way."""
    old = path.read_text()
    place = old.index(before)
    path.write_text(old[:place] + text + old[place:])
    return path


def add_case(name: str) -> list[Path]:
    """Lay down a case; return the files."""
    check_name(name)
    return [write(pages.CASES / f"{name}.md", fill("case.md", name))]


def add_chapter(name: str) -> list[Path]:
    """Lay down a chapter; return the files."""
    check_name(name)
    root = pages.ROOT
    guide = root / "book" / "workshop" / "instructor-guide.md"
    module = root / "trace_evidence" / "checks" / f"{name.replace('-', '_')}.py"
    made = [
        write(pages.FAILURES / f"{name}.md", fill("chapter.md", name)),
        write(root / "stacks" / "reproducers" / f"{name}.py", fill("reproducer.txt", name)),
        write(module, fill("check.txt", name)),
    ]
    row = f"      - file: book/failures/{name}\n"
    changed = [
        insert(pages.TOC, "  - caption: Casebook", row),
        insert(catalogue.FILE, "[others.", fill("catalogue.toml", name)),
    ]
    guide.write_text(guide.read_text().rstrip() + "\n\n" + fill("guide.md", name))
    return [*made, *changed, guide]


def main() -> int:
    """Run the program; the status is 2 where nothing was laid down."""
    kind, name = (*sys.argv[1:], "", "")[:2]
    try:
        files = {"case": add_case, "chapter": add_chapter}[kind](name)
    except ScaffoldError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    for file in files:
        print(file.relative_to(pages.ROOT))
    print(f"Replace the example by yours, then `make page P={name}`, and `make matrix`.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
