"""A chapter's slides: one HTML file that reveal.js shows, made from a deck.

A deck is Markdown, `book/_slides/NAME.md` for the chapter NAME. A line `---` begins a slide, and
what stands on it is shown as it stands, but for blocks of these kinds:

    ```{show} scan-fails     the chapter's executed cell of that name: its code, then its outcome
    ```{code} scan-fails     its code alone, as a question
    ```{given} scan-fails    the same, where the bare notebook has it and nobody types it
    ```{outcome} scan-fails  what came of it: outputs, an error, a figure; the code that the slide
                             before asked about stays above it, where there is room
    ```{drawing}             the chapter's drawing, as on its card
    ```{notes}               what is said; the speaker's view has it

A cell's name is `name:` in its metadata; its number among the code cells will do. After the name,
`then` or `now` shows one side alone of what ran on both stacks. Lines in the block are the first
words of what is shown (statements, lines of an output, captions of a figure); the rest is left out.
"""

import html
import re
from pathlib import Path
from string import Template
from typing import Any

from latex2mathml.converter import convert
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin
from nbformat import NotebookNode
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from bookkit import decks, illustrations, pages
from bookkit.expectations import SILENT
from bookkit.outputs import (
    SILENT_WORDS,
    declared,
    releases,
    split_traceback,
    themed_svg,
    without_paths,
)  # fmt: skip
from trace_evidence import both, steps

PAGE = Template(Path(__file__).with_suffix(".html").read_text())
STYLE = Path(__file__).with_suffix(".css").read_text()
CODE_STYLE = "a11y-high-contrast-light"  # the site's
LINES = 14  # of an output, at most


def reader() -> MarkdownIt:
    """Return what reads a deck; formulas become MathML, which browsers draw by themselves."""
    parser = MarkdownIt("commonmark", {"html": True}).enable("table")
    return parser.use(dollarmath_plugin, renderer=lambda formula, _: convert(formula))


def program(cell: NotebookNode, words: tuple[str, ...] = ()) -> str:
    """Return a cell's code, without its last assertions and the magic that its marks say."""
    source, _ = pages.split_asserts(cell.source)
    source = re.sub(r"\A%%(then|both)\n", "", source).strip("\n")
    if words:
        source = "\n".join(
            text.strip("\n") for start, text in decks.statements(source) if start.startswith(words)
        )
    if not re.sub(r"^#.*$", "", source, flags=re.M).strip():
        return ""
    shown = highlight(source, PythonLexer(), HtmlFormatter(nowrap=True)).strip()
    kind = "code then" if cell.source.startswith("%%then") else "code"
    lines = "\n".join(f'<span class="row">{line}</span>' for line in shown.splitlines())
    return f'<pre class="{kind}">{lines}</pre>'


def marks(pairs: list[tuple[str, str]]) -> str:
    """Return marks in words: what stack this is, how it fails."""
    spans = "".join(f'<span class="mark-{kind}">{html.escape(text)}</span>' for kind, text in pairs)
    return f'<p class="marks">{spans}</p>' * bool(pairs)


def output_text(output: dict, words: tuple[str, ...] = ()) -> str:
    """Return what a program printed or raised: its opening lines, or those with the words."""
    if output["output_type"] == "error":
        kind, (_, text) = "error", split_traceback(output["traceback"], output["evalue"])
    else:
        kind = "warns" if output.get("name") == "stderr" else "output"
        text = without_paths(output.get("text") or output.get("data", {}).get("text/plain", ""))
    lines = text.strip().splitlines()
    chosen = [line for line in lines if line.strip().startswith(words)]
    shown = "\n".join(chosen if words else lines[:LINES] + ["…"] * (len(lines) > LINES))
    return f'<pre class="{kind}">{html.escape(shown)}</pre>' * bool(shown)


def sides(data: dict, expect: dict, page: str, only: str, words: tuple[str, ...]) -> str:
    """Return the outcomes of a program, side by side, each under its marks; or only one."""
    columns = []
    for name in [only] if only else both.SIDES:
        side = data[name]
        body = "".join(output_text(output, words) for output in side["outputs"])
        body = body or '<p class="nothing">nothing to show</p>'
        where = (name, name + releases(page, side["versions"]))
        heading = marks([where, *declared(expect.get(name, {}))])
        columns.append(f'<div class="half">{heading}{body}</div>')
    return columns[0] if only else f'<div class="both">{"".join(columns)}</div>'


def stepped(data: dict, words: tuple[str, ...]) -> str:
    """Return the frames of a step-through figure, one instead of the other."""
    frames = [
        frame for frame in data["frames"] if f"{frame['where']}. {frame['says']}".startswith(words)
    ]
    shown = []
    for number, frame in enumerate(frames):
        says = f"**{frame['where']}.** " * bool(frame["where"]) + frame["says"]
        look = "fragment fade-in-then-out" if number else "fragment fade-out"
        look = "fragment" if number and number == len(frames) - 1 else look
        index = f' data-fragment-index="{max(number - 1, 0)}"'
        text = reader().renderInline(says)
        shown.append(f'<div class="step {look}"{index}>{frame["html"]}<p>{text}</p></div>')
    return f'<div class="r-stack steps">{"".join(shown)}</div>'


def outcome(cell: NotebookNode, page: str, only: str = "", words: tuple[str, ...] = ()) -> str:
    """Return what came of a cell: its outputs, an error, figures, under its marks."""
    tags, expect = cell.metadata.get("tags", []), cell.metadata.get("expect", {})
    alt = cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "")
    parts = []
    for number, output in enumerate(cell.outputs):
        data = output.get("data", {})
        if both.MIME in data:
            parts.append(sides(data[both.MIME], expect, page, only, words))
        elif steps.MIME in data:
            parts.append(stepped(data[steps.MIME], words or ("",)))
        elif "image/svg+xml" in data:
            svg = themed_svg(data["image/svg+xml"], alt, f"{cell.id}-{number}-")
            parts.append(f'<div class="drawing">{svg}</div>')
        else:
            parts.append(output_text(output, words))
    if not any(parts):
        return ""
    shown_marks = [("then", "then · August 2024")] * cell.source.startswith("%%then")
    shown_marks += declared(expect) + [("silent", SILENT_WORDS)] * (SILENT in tags)
    return marks(shown_marks) + "".join(parts)


def drawn(cell: NotebookNode, page: str, kind: str, only: str, body: str) -> str:
    """Return what a block of a deck shows of a cell.

    Raises:
        PageError: nothing of the cell begins with a line of the block.
    """
    words = tuple(body.splitlines())
    code = program(cell, words) if kind in ("show", "code", "given") else ""
    came = outcome(cell, page, only, words) if kind in ("show", "outcome") else ""
    shown = html.unescape(re.sub(r"<[^>]+>", "", code + came))
    for word in words:
        if word.replace("`", "") not in shown:
            raise pages.PageError(f"{Path(page).name}.md: nothing there begins with {word!r}.")
    return code + (f'<div class="fragment">{came}</div>' if code and came else came)


def make(notebook: NotebookNode, page: str) -> list[str]:
    """Turn a chapter's deck into slides, as HTML.

    Args:
        notebook: the chapter, executed.
        page: the chapter's name, as the table of contents has it.

    Raises:
        PageError: the deck names a cell that the chapter does not have.
    """
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    by_name = {str(number): cell for number, cell in enumerate(cells, start=1)}
    by_name |= {cell.metadata["name"]: cell for cell in cells if "name" in cell.metadata}
    file, markdown = decks.deck(page), reader()
    asked: dict[str, str] = {}

    def block(renderer: RendererHTML, tokens: list[Token], place: int, *others: Any) -> str:
        match, body = decks.BLOCK.fullmatch(tokens[place].info), tokens[place].content
        if not match:
            return renderer.fence(tokens, place, *others)
        kind, name, only = match.groups()
        if kind == "notes":
            return f'<aside class="notes">{reader().render(body)}</aside>'
        if kind == "drawing":
            return f'<div class="drawing">{illustrations.inline(file.stem)}</div>'
        if name not in by_name:
            cure = "name one with `name:` in the cell's metadata, or its number."
            raise pages.PageError(f"{file.name}: there is no cell {name!r}; {cure}")
        shown = drawn(by_name[name], page, kind, only, body)
        if kind in ("code", "given"):
            asked[name] = asked.get(name, "") + shown
        if kind == "outcome" and name in asked:
            return f'<div class="kept" hidden>{asked.pop(name)}</div>{shown}'
        return shown

    markdown.add_render_rule("fence", block)
    return [markdown.render(text) for text in decks.slides(page)]


def as_html(title: str, slides: list[str], address: str) -> str:
    """Return a deck as one page beside the folder ``reveal.js``."""
    return PAGE.substitute(
        title=html.escape(title),
        address=html.escape(address),
        colours=HtmlFormatter(style=CODE_STYLE).get_style_defs(".code"),
        style=STYLE,
        sections="\n".join(f'<section class="page">{slide}</section>' for slide in slides),
    )
