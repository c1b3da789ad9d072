"""Bring the catalogues up to date with the English texts, and count: `make translations`.

Sphinx extracts the texts of the pages, Babel those of directives, templates and scripts, and
`record_texts` those of the records. A message whose English changed is marked `fuzzy` and stays
English on the site until somebody looks at it; one that stands in another catalogue already is
taken from there. `python -m bookkit.translations de` lays down a new language too.
"""

import ast
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import Any, BinaryIO

from babel import Locale
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import write_po
from nbformat import NotebookNode

from trace_evidence import steps
from trace_evidence.words import translatable

from . import (
    execute,
    frames,
    illustrations,
    languages,
    outputs,
    pages,
    publish,
    taught,
)  # fmt: skip


def calls_of_say(
    file: BinaryIO, keywords: Any, tags: Any, options: Any
) -> Iterator[tuple[int, str, str, list[str]]]:
    """Return the texts of the calls of `say` and `translatable` in a module, for Babel."""
    tree = ast.parse(file.read())
    for node in (part for part in ast.walk(tree) if isinstance(part, ast.Call) and part.args):
        name = getattr(node.func, "id", "")
        if name in ("say", "translatable"):
            yield from ((node.lineno, "say", text, []) for text in constants(node.args[0]))


def constants(node: ast.expr) -> Iterator[str]:
    """Return the texts of a literal: of a tuple its items, of a table its values."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    inner = node.values if isinstance(node, ast.Dict) else getattr(node, "elts", ())
    for part in [node.value] if isinstance(node, ast.Starred) else inner:
        yield from constants(part)


EXTRACTED = pages.BUILD / "gettext"

# What Sphinx and the theme say, and have in no catalogue of theirs, or not as one says it.
THEME = translatable(
    (
        *(
            "Color mode",
            "Launch interactive content",
            "Launch on Binder",
            "Launch on Colab",
            "logo",
        ),
        *("Link to this heading", "Link to this term", "Main", "Page", "Print to PDF"),
        *("Source repositories", "System Settings"),
        *("Toggle primary sidebar", "Toggle secondary sidebar"),
    )
)
SUMMARY = re.compile(r"<details[^>]*>\s*<summary>([^<]+)</summary>")
"""How a page writes the opening of a fold that no cell makes."""
SOURCES: dict[str, list[tuple[str, Any]]] = {
    "bookkit": [("**.py", "say")],
    "trace_evidence": [("*.py", "say")],
    "book/_static": [("**.js", "javascript")],
    "book/_templates": [("**.html", "jinja2.ext:babel_extract")],
}
# The keys of records whose texts are translated, and those of the pages' front matter.
RECORDS = {
    "_toc.yml": {"caption"},
    "evidence/can_i_use/causes.toml": {"note"},
    "evidence/can_i_use/instances.toml": {
        *("constructs", "of_the_construct", "left_out", "head.name", "head.words"),
    },
    "evidence/releases.toml": {"symptom", "spoiled", "cure"},
    "evidence/upstream/index.toml": {"title", "state"},
    "examine/trials/about.toml": {"not_applicable", "alarms.why"},
}
FRONT = {
    *("title", "symptom", "cause", "cure", "question", "costs", "phrases", "note", "means"),
    *(
        "upstream.text",
        "upstream.says",
        "moved_by.says",
        "objectives",
        "need",
        "description",
        "headline",
    ),
}
# Babel writes when a file was made, and by whom; that is Git's to know.
HEADER = re.compile(
    r'^"(?:POT?-(?:Creation|Revision)-Date|Report-Msgid-Bugs-To|Last-Translator|Language-Team'
    r'|Generated-By|Project-Id-Version|Plural-Forms)[^\n]*\n', re.M
)  # fmt: skip


def page_texts() -> dict[str, Catalog]:
    """Return the messages of the pages by page, as Sphinx extracts them."""
    trees = pages.BUILD / ".doctrees-gettext"
    shutil.rmtree(trees, ignore_errors=True)  # Sphinx does not see what the machinery changes
    command = ["-m", "bookkit.localized", languages.ENGLISH, str(EXTRACTED), str(trees), "gettext"]
    subprocess.run([sys.executable, *command], check=True, cwd=pages.ROOT)
    files = {entry.page: EXTRACTED / f"{entry.page}.pot" for entry in pages.contents()}
    return {page: languages.read(file) for page, file in files.items() if file.exists()}


def interface_texts(folders: Iterable[str] = tuple(SOURCES)) -> Iterator[tuple[str, str]]:
    """Return what directives, templates and scripts say, each with its file."""
    for folder in folders:
        methods = SOURCES[folder]
        messages = extract_from_dir(
            pages.ROOT / folder, methods, keywords={"say": None}, strip_comment_tags=True
        )
        for name, _, message, *_ in sorted(messages, key=lambda message: message[:2]):
            yield f"{folder}/{name}", str(message)


def under(value: Any, keys: set[str], above: str = "") -> Iterator[str]:
    """Return the texts of a record under some keys, however deep; `a.b` is a `b` below an `a`."""
    for part in value if isinstance(value, list) else []:
        yield from under(part, keys, above)
    for key, inner in value.items() if isinstance(value, dict) else []:
        if keys & {key, f"{above}.{key}"}:
            texts = inner.values() if isinstance(inner, dict) else inner
            yield from [inner] if isinstance(inner, str) else texts
        else:
            yield from under(inner, keys, key)


def record_texts() -> Iterator[tuple[str, str]]:
    """Return the texts of the records, each with its file, or that of the page that it is for."""
    yield from (("trace_evidence/triage.py", text) for text in publish.terminal())
    for file in illustrations.files():
        name = f"book/_static/illustrations/{file.name}"
        yield from ((name, text) for text in illustrations.words(file))
    for name, keys in RECORDS.items():
        yield from ((name, text) for text in under(pages.data(name), keys))
    for plan in pages.data(taught.PLANS).values():
        yield from ((taught.PLANS, row[1]) for row in plan["rows"] if not isinstance(row, str))
    for entry in pages.contents():
        name = f"{entry.page}.md"
        yield from ((name, text) for text in under(pages.meta(entry.page), FRONT))
        if "entry" in pages.meta(entry.page):
            yield name, pages.title(entry.page)
        text = pages.path_of(entry.page).read_text()
        for title in re.findall(r"^`{3,}\{exercise-start\} *(.+)$", text, re.M):
            yield name, title
        yield from ((name, words) for words in SUMMARY.findall(text))
        if pages.has_kernel(pages.path_of(entry.page)):
            for cell in pages.read_notebook(pages.path_of(entry.page)).cells:
                yield from ((name, text) for text in under(cell.metadata, {"image.alt"}))
            notebook = execute.executed(pages.path_of(entry.page))
            for cell in notebook.cells if notebook else ():
                yield from ((name, text) for text in output_texts(cell))


def output_texts(cell: NotebookNode) -> Iterator[str]:
    """Return what the figures of an executed cell say, and what its check said."""
    for output in cell.get("outputs", ()):
        if steps.MIME in output.get("data", {}):
            yield from frames.words(output["data"][steps.MIME])
        if "check" not in cell.metadata.get("tags", ()):  # there it is taken away
            yield from outputs.FEEDBACK.findall(output.get("text", ""))


def collected(pairs: Iterable[tuple[str, str]]) -> Catalog:
    """Return texts as a catalogue, in their order, each with the file that has it first."""
    catalogue = Catalog()
    for where, text in pairs:
        text = " ".join(text.split())
        if text and text not in catalogue:
            catalogue.add(text, auto_comments=[where])
    return catalogue


def by_page(pairs: Iterable[tuple[str, str]]) -> dict[str, Catalog]:
    """Return the catalogues of texts of records: of each page its own, and of the rest together."""
    pairs = [(where, " ".join(text.split())) for where, text in pairs]
    places: dict[str, set[str]] = {}
    for where, text in pairs:
        places.setdefault(text, set()).add(where)
    by_catalogue: dict[str, list[tuple[str, str]]] = {}
    for where, text in pairs:
        alone = where.endswith(".md") and len(places[text]) == 1
        name = where.removesuffix(".md") if alone else "shared"
        by_catalogue.setdefault(f"records/{name}", []).append((where, text))
    return {name: collected(some) for name, some in by_catalogue.items()}


def texts() -> dict[str, Catalog]:
    """Return all messages of the book in English, by catalogue."""
    interface = {"interface": collected(interface_texts())}
    return interface | by_page(record_texts()) | page_texts()


def one_line(message: Message) -> str:
    """Return the English text of a message, on one line."""
    return " ".join(str(message.id).split())


def updated(old: Catalog, new: Catalog, translated: dict[str, str], code: str) -> Catalog:
    """Return a catalogue with the messages of another, and what is known of them."""
    old.update(new)
    made = Catalog(locale=code, fuzzy=False)
    for message in filter(lambda message: message.id, old):
        string, flags = message.string, message.flags & {"fuzzy"}
        if (not string or flags) and one_line(message) in translated:
            string, flags = translated[one_line(message)], set()
        made.add(message.id, string, flags=flags, auto_comments=message.auto_comments)
    return made


def written(catalogue: Catalog) -> str:
    """Return a catalogue as text, the same for the same messages."""
    for message in catalogue:
        message.flags &= {"fuzzy"}  # Babel adds what it takes for a format of Python's
    into = BytesIO()
    write_po(into, catalogue, width=0, omit_header=False, ignore_obsolete=True)
    text = into.getvalue().decode()
    return HEADER.sub("", text[text.index("msgid") :])


def update(code: str, wanted: dict[str, Catalog]) -> dict[str, list[int]]:
    """Write the catalogues of a language.

    Returns:
        By catalogue: translated, fuzzy and missing messages, and words of English.
    """
    there = {file: languages.read(file) for file in sorted((languages.FOLDER / code).rglob("*.po"))}
    translated = {
        one_line(message): str(message.string)
        for old in there.values()
        for message in old
        if message.id and message.string and not message.fuzzy
    }
    counts = {}
    for name, new in wanted.items():
        file = languages.catalogue(code, name)
        made = updated(there.pop(file, Catalog()), new, translated, code)
        messages = [message for message in made if message.id]
        if messages:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(written(made))
            fuzzy = sum(bool(message.fuzzy) for message in messages)
            missing = sum(not message.string for message in messages)
            words = sum(len(one_line(message).split()) for message in messages)
            counts[name] = [len(messages) - fuzzy - missing, fuzzy, missing, words]
    for file in there:  # of a page that is gone
        file.unlink()
    return counts


def lay_down(code: str) -> None:
    """Make the folder of a new language."""
    file = languages.FOLDER / code / "language.toml"
    if not file.exists():
        name = Locale.parse(code).get_display_name(code)
        address = code.lower().replace("_", "-")
        file.parent.mkdir(parents=True)
        file.write_text(f'name = "{name}"\naddress = "{address}"  # its folder on the site\n')
        languages.available.cache_clear()


def main(codes: list[str]) -> int:
    """Update the languages, and print a table of the catalogues in which something is missing."""
    for code in codes:
        lay_down(code)
    print("reading the English texts …", flush=True)
    wanted = texts()
    for code in [code for code in languages.available() if code != languages.ENGLISH]:
        counts = update(code, wanted)
        total = [sum(numbers) for numbers in zip(*counts.values(), strict=True)]
        print(f"{code:56}translated  fuzzy  missing  words")
        unfinished = {name: numbers for name, numbers in counts.items() if numbers[1] or numbers[2]}
        for name, numbers in {**unfinished, "all of them": total}.items():
            print(f"{name:56}{numbers[0]:10}{numbers[1]:7}{numbers[2]:9}{numbers[3]:7}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (languages.LanguageError, pages.PageError, subprocess.CalledProcessError) as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(1)
