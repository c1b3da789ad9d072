"""The pages of the book: where they are, what is in the table of contents, how one is read.

This is the one place that knows the folders of the repository, the contents and front matter.
"""

from __future__ import annotations

import ast
import json
import pickle
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml

from . import shell

if TYPE_CHECKING:
    from nbformat import NotebookNode

ROOT = shell.ROOT
BOOK = ROOT / "book" if (ROOT / "book").is_dir() else ROOT
BUILD = ROOT / "_build"
CONFIG = ROOT / "_config.yml"
TOC = ROOT / "_toc.yml"
FAILURES = BOOK / "failures"
CASES = BOOK / "cases"
UNPUBLISHED = BOOK / "_test"  # notebooks that are executed as pages are, and stand on no site
FENCE = re.compile(r"^(`{3,}|~{3,}).*?^\1\s*$", re.M | re.S)
"""A fenced block of a page: a cell, a directive or code."""
CELL = re.compile(
    r"^```\{code-cell\}[^\n]*\n(?P<options>---\n.*?^---\n|(?::[\w-]+:[^\n]*\n)*)(?P<code>.*?)^```$",
    re.M | re.S,
)
"""A code cell in the text of a page, with its options and its code."""
_CURE = "it is the YAML between the two `---` lines at the top of the file."
_IN_CELL = "it is the YAML between the two `---` lines at the top of the cell."


class PageError(Exception):
    """A page cannot be read; the message names the file, the reason and the cure."""


@dataclass(frozen=True)
class Entry:
    """One row of the table of contents: the page, the part it stands in, the page above it."""

    page: str
    part: str
    above: str = ""


def read(path: Path) -> str:
    """Return the text of a page.

    Raises:
        PageError: it is not in UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        name = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
        raise PageError(f"{name}:{line}: this is not UTF-8; save the page in UTF-8.") from None


def page_name(path: Path) -> str:
    """Return a page's name, as the table of contents has it: its path without the suffix."""
    return str(path.relative_to(ROOT).with_suffix(""))


def path_of(page: str) -> Path:
    """Return the file of a page by its name."""
    return ROOT / f"{page}.md"


@cache
def config() -> dict[str, Any]:
    """Return `_config.yml`."""
    return parse(CONFIG.read_text())


def public_address() -> str:
    """Return where the site is published, from `_config.yml`; it ends with a slash."""
    return config()["html"]["baseurl"]


def published(page: str) -> str:
    """Return where a page is published."""
    return f"{public_address()}{page}.html"


class OnceLoader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """A loader to which a key that stands twice is an error; YAML's own keeps the last."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict:
        """Return a mapping whose keys are all different."""
        seen: set[Any] = set()
        for key, _ in node.value:
            if key.value in seen:
                problem = f"the key `{key.value}` stands twice"
                raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
            seen |= {key.value} if isinstance(key, yaml.ScalarNode) else set()
        return super().construct_mapping(node, deep)


@cache
def parse(text: str) -> Any:
    """Return the value of a text in YAML: the same object each time, which nobody changes."""
    return yaml.load(text, OnceLoader)


@cache
def data(name: str) -> Any:
    """Return what a file of TOML, YAML, JSON or lines of JSON holds; nobody changes it.

    Args:
        name: the file, from the root of the repository.
    """
    text = (ROOT / name).read_text(encoding="utf-8")
    if name.endswith(".jsonl"):
        return [json.loads(line) for line in text.splitlines()]
    if name.endswith(".yml"):
        return parse(text)
    return tomllib.loads(text) if name.endswith(".toml") else json.loads(text)


def source(name: str) -> str:
    """Return where the repository shows a file or a folder."""
    repository = config()["repository"]
    return f"{repository['url']}/blob/{repository['branch']}/{name}"


def contents() -> list[Entry]:
    """Return the pages of the table of contents in the order of the book, the first page first."""
    toc = parse(TOC.read_text())
    entries = [Entry(toc["root"], "")]

    def add(items: list[dict], part: str, above: str) -> None:
        for item in items:
            files = sorted(ROOT.glob(f"{item.get('glob', item.get('file'))}.md"))
            for name in map(page_name, files):
                if any(name == entry.page for entry in entries):
                    continue  # a page that stands above those of its `glob`
                entries.append(Entry(name, part, above))
                add(item.get("sections", []), part, name)

    for part in toc["parts"]:
        add(part["chapters"], part.get("caption", ""), "")
    return entries


def sources(folder: Path = BOOK) -> list[Path]:
    """Return the files of pages below a folder; one such as `_slides` or `.venv` has none."""
    files = folder.rglob("*.md")
    return sorted(path for path in files if not re.search("/[_.]", f"/{path.relative_to(folder)}"))


def find_notebooks(folder: Path = BOOK) -> list[Path]:
    """Return the pages below a folder that hold cells, that is MyST notebooks, sorted by name."""
    return [page for page in sources(folder) if has_kernel(page)]


def has_kernel(path: Path) -> bool:
    """Tell whether a page is a notebook; a page whose front matter is broken counts as one."""
    try:
        return read(path).startswith("---") and "kernelspec" in front_matter(path)
    except PageError:
        return True


def front_matter(path: Path) -> dict[str, Any]:
    """Return a page's front matter as a dictionary.

    Raises:
        PageError: it is not there, or not YAML.
    """
    parts = read(path).split("\n---", 1)
    if len(parts) != 2 or not parts[0].startswith("---"):
        raise PageError(f"{path.name}: there is no front matter; {_CURE}")
    try:
        front = parse(parts[0][3:])
    except yaml.YAMLError as error:
        where = getattr(error, "context_mark", None) or getattr(error, "problem_mark", None)
        line = f":{where.line + 1}" if where else ""
        reason = getattr(error, "problem", error)
        raise PageError(f"{path.name}{line}: invalid front matter ({reason}); {_CURE}") from None
    if not isinstance(front, dict):
        raise PageError(f"{path.name}: the front matter is not a mapping; {_CURE}")
    return front


def meta(page: str) -> dict[str, Any]:
    """Return the front matter of a page by its name; empty where it has none."""
    path = path_of(page)
    return front_matter(path) if read(path).startswith("---") else {}


def title(page: str) -> str:
    """Return a page's title: its first heading."""
    heading = re.search(r"^# (.+)$", read(path_of(page)), re.M)
    if not heading:
        raise PageError(f"{page}.md: there is no title; begin the text with `# Title`.")
    return heading[1].strip()


def read_notebook(path: Path) -> NotebookNode:
    """Read a page as the book build reads it; `metadata.source_map` has the cells' lines.

    Raises:
        PageError: the front matter or a cell's metadata is not valid, or there is no code cell.
    """
    front_matter(path)
    try:
        notebook = pickle.loads(_read_once(read(path)))
    except Exception as error:
        reason = " ".join(str(error).split())
        raise PageError(
            f"{path.name}: a cell's metadata is invalid ({reason}); {_IN_CELL}"
        ) from None
    if not any(cell.cell_type == "code" for cell in notebook.cells):
        raise PageError(
            f"{path.name}: the front matter names a kernel, but there is no code cell; add one, "
            "or take `kernelspec` out."
        )
    return notebook


@cache
def _read_once(text: str) -> bytes:
    """Parse a page once in a process, and anew when its text is another.

    What a reader installs has no myst-nb, so this finds the cells by their fences. The suite
    compares what it finds with what myst-nb does.
    """
    from nbformat import from_dict
    from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

    head = re.match(r"---\n(.*?)^---\n", text, re.M | re.S)
    metadata: dict[str, Any] = parse(head[1]) if head else {}
    cells, starts, place = [], [], head.end() if head else 0

    def line(index: int) -> int:
        return text.count("\n", 0, index)

    def add_words(end: int) -> None:
        if words := text[place:end].rstrip().lstrip("\n"):
            cells.append(new_markdown_cell(words))
            starts.append(line(place))

    for fence in CELL.finditer(text, place):
        add_words(fence.start())
        lines = fence["options"].splitlines()
        written = lines[1:-1] if lines[:1] == ["---"] else [option[1:] for option in lines]
        options = parse("\n".join(written)) or {}
        if not isinstance(options, dict):
            raise ValueError(f"line {line(fence.start()) + 1}: not a mapping")
        code = fence["code"].removesuffix("\n")
        cells.append(new_code_cell(code.removeprefix("\n"), metadata=from_dict(options)))
        starts.append(line(fence.start()) + 1)
        place = fence.end() + 1
    add_words(len(text))
    notebook = new_notebook(cells=cells, metadata=from_dict(metadata | {"source_map": starts}))
    return pickle.dumps(notebook)


class Cell(NamedTuple):
    """One code cell of a page: the section that it stands in, its line, its place, and itself."""

    section: str
    line: int
    place: int
    node: NotebookNode


def code_cells(path: Path) -> list[Cell]:
    """Return the code cells of a page; the place counts its cells of text too."""
    notebook, section, cells = read_notebook(path), "", []
    for place, cell in enumerate(notebook.cells):
        if cell.cell_type == "code":
            cells.append(Cell(section, notebook.metadata.source_map[place] + 1, place, cell))
        else:
            section = (re.findall(r"^## (.+)$", cell.source, re.M) or [section])[-1].strip()
    return cells


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
    lines = body.splitlines()
    begin = nodes[first].lineno - 1
    # A comment above the assertions belongs to them.
    while begin and lines[begin - 1].lstrip().startswith("#"):
        begin -= 1
    if not "".join(lines[:begin]).strip():
        return "", source  # a magic alone is nothing to show
    return head + "\n".join(lines[:begin]).rstrip(), "\n".join(lines[begin:])
