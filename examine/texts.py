"""Copy into the package what the book says of findings and cases: `python examine/texts.py`.

The book is the one place where these texts are written; a test says when the copy is old.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
COPY = HERE / "examine_model" / "texts.json"
FINDINGS = HERE.parent / "book" / "examine" / "findings.md"
HEADING = re.compile(r"^### `([\w-]+)`$", re.MULTILINE)


def findings() -> dict[str, str]:
    """Return the cause and the cure that the page of findings gives for each id, as plain text."""
    page = re.sub(r"^## .*$", "", FINDINGS.read_text("utf-8"), flags=re.MULTILINE)
    rows = HEADING.split(page)
    return dict(zip(rows[1::2], map(plain, rows[2::2]), strict=True))


def plain(text: str) -> str:
    """Return the first paragraph of a text without its marks, and without what makes it a hint."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text.strip().split("\n\n")[0])
    return " ".join(text.replace("`", "").split()).split(" It is a hint")[0]


def cases() -> dict[str, tuple[str, str, str]]:
    """Return title, address and cure of each case of the book that a check may name."""
    from examine_model import known

    source = "".join(path.read_text("utf-8") for path in COPY.parent.rglob("*.py"))
    named = set(re.findall(r"\"([\w-]+)\"", source))
    rows = known.book().data()["explain"].items()
    return {name: (row["title"], known.book().address(row["page"]), row["cure"])
            for name, row in rows if name in named}  # fmt: skip


def texts() -> dict[str, Any]:
    """Return all of it."""
    return json.loads(json.dumps({"findings": findings(), "cases": cases()}))


if __name__ == "__main__":
    COPY.write_text(json.dumps(texts(), indent=1, ensure_ascii=False) + "\n", "utf-8")
