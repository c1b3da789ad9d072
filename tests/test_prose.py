"""The code, files, lines and releases of a library that the prose names are there.

A span of code on a page with cells stands in these, in what they show, in the page's record, or in
the sources of the libraries. What none of these holds is listed in `prose.toml`, with the reason.
"""

import functools
import json
import re
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

from bookkit import avoid, entries, kept_outputs, pages, versions

LISTED = tomllib.loads((Path(__file__).parent / "prose.toml").read_text())
LIBRARIES = ("numpyro", "equinox", "jax/_src", "jax/experimental", "diffrax", "flax", "optax")
LINK = re.compile(r"\]\(([^)]*)\)|<(https?:[^>]*)>")
RELEASE = re.compile(r"(NumPyro|JAX|Equinox|Diffrax)\b|(?<![\w.-])(\d+\.\d+\.\d+)(?![\w.]*\d)")
THREAD = re.compile(r"\b(issue|pull request|discussion) #?(\d+)$")
SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
NOTEBOOKS = pages.find_notebooks()
PAGES = pages.sources()
TEXTS = [
    *PAGES,
    *sorted(pages.ROOT.glob("*.md")),
    *sorted(pages.ROOT.glob("paper/*.md")),
    *sorted(pages.ROOT.glob("evidence/upstream/**/*.md")),
]


@cache
def sources():
    """Return {file: text} of the libraries on both stacks, and of Python's own `functools`."""
    found = {"functools.py": Path(functools.__file__).read_text()}
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for environment in (".venv-then", ".venv"):
        root = pages.ROOT / environment / "lib" / version / "site-packages"
        for library in LIBRARIES:
            for file in sorted((root / library).rglob("*.py")):
                name = str(file.relative_to(root))
                found[name] = found.get(name, "") + file.read_text()
    for package in ("trace_evidence", "examine/examine_model"):
        for file in sorted((pages.ROOT / package).rglob("*.py")):
            found[str(file.relative_to(pages.ROOT))] = file.read_text()
    return found


@cache
def everything():
    """Return the sources as one text, each run of blanks as one."""
    return squeeze("\n".join(sources().values()))


def squeeze(text):
    """Return a text with each run of blanks as one blank."""
    return " ".join(text.split())


def prose(path):
    """Return a page's text without its front matter, its fenced blocks and its links' addresses."""
    text = path.read_text()
    text = text.split("\n---", 1)[-1] if text.startswith("---") else text
    return LINK.sub("]", pages.FENCE.sub("", text))


def held(path):
    """Return what a page with cells holds itself: its record, its cells and what they show."""
    text = path.read_text()
    fences = "\n".join(found[0] for found in pages.FENCE.finditer(text))
    return "\n".join([text.split("\n---", 1)[0], fences, kept_outputs.file_of(path).read_text()])


def is_held(span, here):
    """Tell whether a page or the libraries hold a span: a file, a line, or each of its names."""
    if span.endswith(".py"):
        return any(file == span or file.endswith(f"/{span}") for file in sources())
    if span in here or squeeze(span) in everything():
        return True
    names = re.findall(r"[A-Za-z_]\w+", span)
    return all(name in here or name in everything() for name in names)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_code_in_the_prose_is_code_of_the_page_or_of_a_library(path):
    here = held(path)
    missing = [
        span
        for span in dict.fromkeys(SPAN.findall(prose(path)))
        if span not in LISTED["code"] and not is_held(span, here)
    ]
    assert not missing, (
        f"{path.name} names code that neither its cells, nor what they show, nor the libraries "
        f"hold: {missing}. Mend the text, or list it in tests/prose.toml with the reason."
    )


@cache
def measured():
    """Return the (library, release) of what was measured; of those to avoid, of any library."""
    folder = pages.ROOT / "evidence" / "rows"
    rows = versions.matrix()["stacks"]
    found = {(versions.TITLES[name], row["pins"][name]) for row in rows for name in versions.STACK}
    history = json.loads((folder / "hash-history.json").read_text())["releases"]
    found |= {("JAX", row["jax"]) for row in history}
    avoided = avoid.tables()
    every = {release for row in avoided for release in row["measure"]}
    return found | {(library, one) for library in ("", *versions.TITLES.values()) for one in every}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_release_that_the_prose_names_was_measured(path):
    library = ""
    for match in RELEASE.finditer(prose(path)):
        library = match[1] or library  # a release is of the library that was named last
        assert not match[2] or (library, match[2]) in measured(), (
            f"{path.name}: {library} {match[2]} was not measured: let a cell print it"
        )


def threads(path):
    """Return what a text and its record say of issues and pull requests that they link."""
    links = re.findall(r"\[([^\[\]]+)\]\((https:[^()\s]+)\)", path.read_text())
    if path.stem in entries.by_name():
        upstream = entries.by_name()[path.stem].upstream
        links += [(row["text"], row["url"]) for row in upstream if "url" in row]
    named = [(THREAD.search(" ".join(text.split())), address) for text, address in links]
    return [(found, address) for found, address in named if found]


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_a_link_that_names_an_issue_or_a_pull_request_leads_to_it(path):
    for found, address in threads(path):
        kind, number = found.groups()
        wanted = f"/{'pull' if kind == 'pull request' else f'{kind}s'}/{number}"
        assert re.fullmatch(rf"https://github\.com/[\w.-]+/[\w.-]+{wanted}(#.*)?", address), (
            f"{path.name}: {found.string} leads to {address}"
        )


def test_threads_are_found_in_texts_and_in_records():
    assert sum(map(len, map(threads, TEXTS))) > 150


def test_every_exception_is_needed():
    texts = [path.read_text() for path in NOTEBOOKS]
    for span, why in LISTED["code"].items():
        assert any(f"`{span}`" in text for text in texts), f"prose.toml: not needed: {span}"
        assert why.strip()
