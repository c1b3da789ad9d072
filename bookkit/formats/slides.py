"""A chapter's slides: one HTML file that reveal.js shows, made from a deck.

A deck is Markdown, `slides/NAME.md` for the chapter NAME. A line `---` begins a slide, and
what stands on it is shown as it stands, but for blocks of these kinds:

    ```{show} scan-fails     the chapter's executed cell of that name: its code, then its outcome
    ```{code} scan-fails     its code alone, as a question
    ```{outcome} scan-fails  what came of it: outputs, an error, a figure
    ```{notes}               what is said; the speaker's view has it

A cell's name is `name:` in its metadata; its number among the code cells will do. A chapter that
has no deck gets one from its headings, one program a slide (`outline`).
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from latex2mathml.converter import convert
from markdown_it import MarkdownIt
from nbformat import NotebookNode
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from bookkit import pages, reading_time
from bookkit.expectations import SILENT
from bookkit.outputs import (
    SILENT_WORDS,
    releases,
    split_traceback,
    themed_svg,
    without_paths,
)  # fmt: skip
from trace_evidence import both, steps

DECKS = pages.ROOT / "slides"
LEFT_OUT = {"check", "hide-cell", "wrong", "tempting"}  # tags of cells that an outline passes over
SAID = ("Behind the fix", "Further reading")  # sections for whoever reads the chapter
SHORT = 220  # characters of a paragraph that an outline shows; a longer one is said
LINES = 14  # of an output, at most
BLOCK = re.compile(r"^```\{(show|code|outcome|notes)\} *(\S*)\n(.*?)^```$", re.M | re.S)
FENCE = re.compile(r"(^```.*?^```$)", re.M | re.S)
MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable("table")


@dataclass
class Slide:
    """What one slide shows, as HTML, and what is said to it, as Markdown."""

    html: str
    notes: list[str] = field(default_factory=list)


def mathml(text: str) -> str:
    """Write the formulas of a text as MathML, which browsers draw by themselves."""
    parts = re.split(r"(```.*?```|`[^`]*`)", text, flags=re.S)
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"\$([^$\n]+)\$", lambda found: convert(found[1]), parts[i])
    return "".join(parts)


def program(cell: NotebookNode) -> str:
    """Return a cell's code, without its last assertions and the magic that its marks say."""
    source, _ = reading_time.split_asserts(cell.source)
    source = re.sub(r"\A%%(then|both)\n", "", source).strip("\n")
    if not re.sub(r"^#.*$", "", source, flags=re.M).strip():
        return ""
    shown = highlight(source, PythonLexer(), HtmlFormatter(nowrap=True, style="tango"))
    return f'<pre class="code">{shown.strip()}</pre>'


def marks(pairs: list[tuple[str, str]]) -> str:
    """Return marks in words: what stack this is, how it fails."""
    spans = "".join(f'<span class="mark-{kind}">{html.escape(text)}</span>' for kind, text in pairs)
    return f'<p class="marks">{spans}</p>' * bool(pairs)


def declared(expect: dict) -> list[tuple[str, str]]:
    """Return the marks of what a program, or one side of it, is declared to do."""
    found = [(key, f"{key} {expect[key]}") for key in ("raises", "warns") if key in expect]
    return [*found, ("silent", SILENT_WORDS)] if expect.get("silent") else found


def output_text(output: dict) -> str:
    """Return what a program printed or raised, its opening lines."""
    if output["output_type"] == "error":
        kind, (_, text) = "error", split_traceback(output["traceback"], output["evalue"])
    else:
        kind = "warns" if output.get("name") == "stderr" else "output"
        text = without_paths(output.get("text") or output.get("data", {}).get("text/plain", ""))
    rows = text.strip().splitlines()
    shown = "\n".join(rows[:LINES] + ["…"] * (len(rows) > LINES))
    return f'<pre class="{kind}">{html.escape(shown)}</pre>' * bool(shown)


def sides(data: dict, expect: dict, page: str) -> str:
    """Return the two outcomes of a program, side by side, each under its marks."""
    columns = []
    for name in both.SIDES:
        side = data[name]
        body = (
            "".join(map(output_text, side["outputs"])) or '<p class="nothing">nothing to show</p>'
        )
        where = (name, name + releases(page, side["versions"]))
        heading = marks([where, *declared(expect.get(name, {}))])
        columns.append(f'<div class="half">{heading}{body}</div>')
    return f'<div class="both">{"".join(columns)}</div>'


def stepped(data: dict) -> str:
    """Return the frames of a step-through figure, one instead of the other; of a grid, one row."""
    frames = data["frames"]
    known = list(dict.fromkeys(json.dumps(frame["at"]) for frame in frames))
    if len(known) > 4:
        row = json.loads(known[len(known) // 2])[0]
        frames = [frame for frame in frames if frame["at"][0] == row]
    shown = []
    for number, frame in enumerate(frames):
        says = f"**{frame['where']}.** " * bool(frame["where"]) + frame["says"]
        look = "fragment fade-in-then-out" if number else "fragment fade-out"
        look = "fragment" if number and number == len(frames) - 1 else look
        index = f' data-fragment-index="{max(number - 1, 0)}"'
        text = MARKDOWN.renderInline(mathml(says))
        shown.append(f'<div class="step {look}"{index}>{frame["html"]}<p>{text}</p></div>')
    return f'<div class="r-stack steps">{"".join(shown)}</div>'


def outcome(cell: NotebookNode, page: str) -> str:
    """Return what came of a cell: its outputs, an error, figures, under its marks."""
    tags, expect = cell.metadata.get("tags", []), cell.metadata.get("expect", {})
    alt = cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "")
    found = []
    for number, output in enumerate(cell.outputs):
        data = output.get("data", {})
        if both.MIME in data:
            found.append(sides(data[both.MIME], expect, page))
        elif steps.MIME in data:
            found.append(stepped(data[steps.MIME]))
        elif "image/svg+xml" in data:
            svg = themed_svg(data["image/svg+xml"], alt, f"{cell.id}-{number}-")
            found.append(f'<div class="drawing">{svg}</div>')
        else:
            found.append(output_text(output))
    if not any(found):
        return ""
    said = [("then", "then · August 2024")] * cell.source.startswith("%%then")
    said += declared(expect) + [("silent", SILENT_WORDS)] * (SILENT in tags)
    return marks(said) + "".join(found)


def blocks(text: str) -> list[str]:
    """Split Markdown into its blocks, with fenced blocks whole."""
    found = []
    for part in FENCE.split(text):
        found += [part] if part.startswith("```") else re.split(r"\n\s*\n", part)
    return [part.strip() for part in found if part.strip()]


def outline(notebook: NotebookNode) -> str:
    """Return a deck for a chapter that has none: headings, short texts, one program a slide."""
    return "\n\n".join(_outlined(notebook))


def _outlined(notebook: NotebookNode) -> Iterator[str]:
    section, number = "", 0
    for cell in notebook.cells:
        if cell.cell_type == "code":
            number += 1
            tags = set(cell.metadata.get("tags", []))
            if not tags & LEFT_OUT and section not in SAID and (program(cell) or cell.outputs):
                kind = "outcome" if "hide-input" in tags else "show"
                kind = "code" if "hide-output" in tags else kind
                yield f"---\n\n```{{{kind}}} {number}\n```"
            continue
        for block in blocks(cell.source):
            heading = re.match(r"(#+) +(.*)", block)
            section = heading[2] if heading and len(heading[1]) == 2 else section
            if section in SAID:
                continue
            if heading:
                yield f"---\n\n{block}" * (len(heading[1]) > 1) or block
            elif re.match(r"[-|>]|\d+\. |```", block) or len(block) <= SHORT:
                yield block
            else:
                yield f"```{{notes}}\n{block}\n```"


def make(notebook: NotebookNode, notes: str, page: str) -> list[Slide]:
    """Turn a chapter's deck into slides.

    Args:
        notebook: the chapter, executed.
        notes: what is said to the first slide.
        page: the chapter's name, as the table of contents has it.

    Raises:
        PageError: the deck names a cell that the chapter does not have.
    """
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    known = {str(number): cell for number, cell in enumerate(cells, start=1)}
    known |= {cell.metadata["name"]: cell for cell in cells if "name" in cell.metadata}
    file = DECKS / f"{Path(page).name}.md"
    deck = file.read_text() if file.exists() else outline(notebook)
    made = []
    for text in re.split(r"^---$\n?", deck, flags=re.M):
        notes_here, drawn = [], []
        for kind, name, body in BLOCK.findall(text):
            if kind == "notes":
                notes_here.append(body)
            elif name not in known:
                cure = "name one with `name:` in the cell's metadata, or its number."
                raise pages.PageError(f"{file.name}: there is no cell {name!r}; {cure}")
            code = program(known[name]) if kind in ("show", "code") else ""
            came = outcome(known[name], page) if kind in ("show", "outcome") else ""
            drawn.append(code + (f'<div class="fragment">{came}</div>' if code and came else came))
        # Markdown leaves a comment where it is; HTML with empty lines it would take apart.
        text = BLOCK.sub(lambda found: "" if found[1] == "notes" else "<!--block-->", text)
        shown = MARKDOWN.render(mathml(text))
        for block in drawn:
            shown = shown.replace("<!--block-->", block, 1)
        if shown.strip():
            made.append(Slide(shown, notes_here))
        elif made:
            made[-1].notes += notes_here
    made[0].notes.insert(0, notes)
    return made


def as_html(title: str, slides: list[Slide], address: str) -> str:
    """Return a deck as one page beside the folder ``reveal.js``."""
    sections = []
    for slide in slides:
        said = MARKDOWN.render(mathml("\n\n".join(slide.notes))) if any(slide.notes) else ""
        aside = f'<aside class="notes">{said}</aside>' * bool(said)
        sections.append(f'<section class="page">{slide.html}{aside}</section>')
    return PAGE.format(
        title=html.escape(title),
        address=html.escape(address),
        colours=HtmlFormatter(style="tango").get_style_defs(".code"),
        style=STYLE,
        sections="\n".join(sections),
    )


STYLE = Path(__file__).with_suffix(".css").read_text()
PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="stylesheet" href="reveal.js/dist/reset.css">
<link rel="stylesheet" href="reveal.js/dist/reveal.css">
<link rel="stylesheet" href="reveal.js/dist/theme/white.css">
<style>
{colours}
{style}</style>
</head>
<body>
<div class="reveal"><div class="slides">
{sections}
</div><div class="address">{address}</div></div>
<script src="reveal.js/dist/reveal.js"></script>
<script src="reveal.js/plugin/notes/notes.js"></script>
<script>
Reveal.initialize({{
  controls: true, progress: true, hash: true, slideNumber: "c/t", transition: "none", margin: 0,
  width: 1280, height: 720, center: false, plugins: [RevealNotes],
}});
</script>
</body>
</html>
"""
