"""What assistants and editors read: `llms.txt`, and all entries as lines of JSON."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from bookkit import entries, languages, pages, publish

ENTRIES = "entries.jsonl"
ABOUT = """\
# Trace Evidence

> Failures of JAX, NumPyro and Equinox, reproduced, explained and fixed. Each claim is a program
> that is executed when the book is built, on the newest releases and on those of August 2024; each
> cure is measured, and says on which releases the failure occurs.

All entries, a line of JSON each: [{entries}]({site}{entries}). The keys are `name`, `kind`,
`title`, `symptom`, `see` and `where` (what one sees, and where it shows), `wordings`,
`cause`, `cure`, `question` (what tells look-alikes apart), `program`, `releases` and `page`.

To find an entry: match the error's text with `wordings`; without an error, choose by `see` and
`where`, and let `question` decide. Cite `page`.

## Pages

"""


def program(entry: entries.Entry) -> str:
    """Return the program of an entry that has one: it fails, or raises the error."""
    if entry.form != entries.CASE:
        return entry.program
    return "\n\n".join(cell["code"] for cell in entries.program(entry)["program"])


def records() -> Iterator[dict[str, Any]]:
    """Yield what the file has of each entry."""
    for name, published in publish.everything().items():
        entry = entries.by_name()[name]
        texts = {key: published[key] for key in ("kind", "title", "symptom", "see", "where")}
        texts |= {key: published[key] for key in ("cause", "cure", "question")}
        wordings = [f"{wording.type}: {wording.text}" for wording in entry.wordings if wording.text]
        page, mark, section = entry.place.partition("#")
        address = f"{pages.published(page)}{mark}{section}"
        measured = {"program": program(entry), "releases": published["versions"], "page": address}
        yield {"name": name, **texts, "wordings": wordings, **measured}


def write(app: Sphinx, error: Exception | None) -> None:
    """Write both files beside the English site."""
    if error or app.builder.format != "html" or languages.spoken().code != languages.ENGLISH:
        return
    lines = (json.dumps(record, ensure_ascii=False) for record in records())
    Path(app.outdir, ENTRIES).write_text("\n".join(lines) + "\n", encoding="utf-8")
    listed = []
    for entry in pages.contents():
        about = " ".join(pages.meta(entry.page).get("description", "").split())
        listed.append(f"- [{pages.title(entry.page)}]({pages.published(entry.page)}): {about}")
    text = ABOUT.format(entries=ENTRIES, site=pages.public_address()) + "\n".join(listed)
    Path(app.outdir, "llms.txt").write_text(text.replace("): \n", ")\n") + "\n", encoding="utf-8")


def setup(app: Sphinx) -> dict:
    """Connect with Sphinx."""
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "version": "1"}
