"""Lay down a new case, one file that passes all but its own claims: `make case NAME=my-case`.

What is laid down, `new_case.md`, holds an example that really runs; replace it by your own.
"""

import re
import sys
from collections.abc import Collection
from pathlib import Path
from string import Template

from . import entries, pages

TEMPLATE = Path(__file__).with_suffix(".md")


CHOICES = {
    **entries.CHOICES,
    **{"see": dict.fromkeys(entries.SEE), "where": dict.fromkeys(entries.WHERE)},
}


def in_words(choices: Collection) -> str:
    """Return the choices of a key, with what each means where that is said."""
    meanings = (
        choices.items() if isinstance(choices, dict) else ((choice, None) for choice in choices)
    )
    return ", ".join(f"{choice} ({means})" if means else str(choice) for choice, means in meanings)


def lay_down(name: str) -> Path:
    """Write the page of a new case; return its file.

    Raises:
        PageError: the name cannot be a page's, or is taken.
    """
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)+", name):
        raise pages.PageError(
            f"NAME={name} is no name for a page: two words or more in small letters, joined by "
            "hyphens, as in NAME=leaf-order."
        )
    taken = [path for path in pages.BOOK.rglob("*.md") if path.stem == name]
    if taken:
        raise pages.PageError(f"{taken[0].relative_to(pages.ROOT)} is there already.")
    words = {"slug": name, "title": name.replace("-", " ").capitalize()}
    words["name"], words["family"] = name.replace("-", "_"), next(iter(entries.chapters()))
    words |= {key: in_words(choices) for key, choices in CHOICES.items()}
    families = entries.chapters() | entries.families()
    words["families"] = in_words({name: family.title for name, family in families.items()})
    file = pages.CASES / f"{name}.md"
    file.write_text(Template(TEMPLATE.read_text()).substitute(words))
    return file


if __name__ == "__main__":
    try:
        made = lay_down((*sys.argv[1:], "")[0])
    except pages.PageError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    name = made.stem
    print(f"{made.relative_to(pages.ROOT)}: replace the example by yours.")
    print(f"Then run `make page P={name}`.")
