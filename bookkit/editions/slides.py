"""A chapter's slides: one HTML file that reveal.js shows.

A slide is 1280 by 720 pixels, its code is 24 pixels high, and nothing on it scrolls: what does not
fit goes on to the next slide. So heights are reckoned here, from lines and columns, and
`tests/workshop_checks.py` measures every slide in a browser. Outputs come after their code, with
the next press of a key.
"""

from __future__ import annotations

import html
import json
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path

from latex2mathml.converter import convert
from markdown_it import MarkdownIt
from nbformat import NotebookNode
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from bookkit import load
from bookkit.editions.notebooks import SOLUTION
from bookkit.expectations import SILENT
from bookkit.sphinx import render
from trace_evidence import both

LEFT_OUT = {"check", "hide-cell", "wrong", "tempting"}  # tags of cells that are on no slide
SAID = ("Behind the fix", "Further reading")  # sections for whoever reads the chapter
SHORT = 220  # characters: a paragraph that may stand on a slide
HEIGHT = 628  # pixels that a slide has below the name of its section
COLUMNS, HALF, WORDS = 80, 37, 94  # characters in a line of code, of half a slide, of text
LINE, PADDING = 29, 31  # pixels: a line of code, and what surrounds a block of it
MESSAGE_LINES, OUTPUT_LINES = 6, 12
STEPS = "application/vnd.trace-evidence.steps+json"
FENCE = re.compile(r"(^```.*?^```$)", re.M | re.S)
MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable("table")
FORMAT = HtmlFormatter(nowrap=True, style="tango")


@dataclass
class Item:
    """Something on a slide: its HTML, and how high it is in pixels."""

    html: str
    height: float
    code: bool = False


@dataclass
class Slide:
    """What one slide shows, and what is said to it."""

    kicker: str
    first: bool = False
    headings: list[str] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def height(self) -> float:
        """Return how high its items are together."""
        return sum(item.height for item in self.items)

    def has_code(self) -> bool:
        """Tell whether code is on it already."""
        return any(item.code for item in self.items)


def blocks(text: str) -> list[str]:
    """Split Markdown into its blocks, with fenced blocks whole."""
    found = []
    for part in FENCE.split(text):
        found += [part] if part.startswith("```") else re.split(r"\n\s*\n", part)
    return [part.strip() for part in found if part.strip()]


def wrapped(text: str, columns: int) -> int:
    """Return how many lines a text takes where lines are broken at so many characters."""
    return sum(max(1, ceil(len(row) / columns)) for row in text.splitlines()) or 1


def clipped(text: str, lines: int, columns: int) -> str:
    """Return the opening lines of a text, as a slide of so many columns breaks them."""
    rows = [
        part for row in text.strip().splitlines() for part in textwrap.wrap(row, columns) or [""]
    ]
    return "\n".join([*rows[:lines], *(["…"] if len(rows) > lines else [])])


def mathml(text: str) -> str:
    """Write the formulas of a text as MathML, which browsers draw by themselves."""
    parts = re.split(r"(```.*?```|`[^`]*`)", text, flags=re.S)
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"\$([^$\n]+)\$", lambda found: convert(found[1]), parts[i])
    return "".join(parts)


def words_of(markdown: str) -> str:
    """Return about what of Markdown is seen."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", markdown)
    return re.sub(r"[*`]", "", text)


def words(markdown: str) -> list[Item]:
    """Return a paragraph, a list or a table; a long list or table in parts."""
    shown = MARKDOWN.render(mathml(markdown))
    if markdown.startswith("|"):
        return list(table_parts(markdown))
    if re.match(r"- |\d+\. ", markdown):
        points = re.split(r"\n(?=- |\d+\. )", markdown)
        heights = [
            37 * wrapped(" ".join(words_of(point).split()), WORDS - 4) + 8 for point in points
        ]
        return [
            Item(MARKDOWN.render(mathml(point)), height)
            for point, height in zip(points, heights, strict=True)
        ]
    if markdown.startswith("```"):
        body = markdown.partition("\n")[2].rpartition("\n")[0]
        # Of a docstring a slide has the first line.
        body = re.sub(r'("""[^\n]*?)\.?\n(?:(?!""").)*"""', r'\1."""', body, flags=re.S)
        return list(code_parts(body))
    return [Item(shown, 37 * wrapped(" ".join(words_of(markdown).split()), WORDS) + 18)]


def table_parts(markdown: str) -> Iterator[Item]:
    """Yield a table in parts that fit a slide, each with the header."""
    head, rule, *rows = markdown.splitlines()

    def cells(row: str) -> list[str]:
        return [words_of(cell).strip() for cell in re.split(r"(?<!\\)\|", row.strip().strip("|"))]

    grid = [cells(row) for row in [head, *rows]]
    columns = [max(len(row[i]) for row in grid if i < len(row)) for i in range(len(grid[0]))]
    while sum(columns) > WORDS - 2 * len(columns):
        columns[columns.index(max(columns))] -= 1

    def height(row: list[str]) -> float:
        lines = [wrapped(text, width or 1) for text, width in zip(row, columns, strict=False)]
        return 31 * max(lines, default=1) + 13

    part: list[str] = []
    total = first = height(grid[0]) if any(grid[0]) else 4
    for row, texts in zip(rows, grid[1:], strict=True):
        if part and total + height(texts) > HEIGHT - 20:
            yield Item(MARKDOWN.render(mathml("\n".join([head, rule, *part]))), total + 14)
            part, total = [], first
        part.append(row)
        total += height(texts)
    yield Item(MARKDOWN.render(mathml("\n".join([head, rule, *part]))), total + 14)


def code_parts(source: str) -> Iterator[Item]:
    """Yield a program in parts that fit a slide, parted at an empty line where there is one."""
    rows, limit = source.strip("\n").splitlines(), (HEIGHT - PADDING) // LINE - 1
    while rows:
        cut, lines = 0, 0
        while cut < len(rows) and lines + wrapped(rows[cut], COLUMNS) <= limit:
            lines += wrapped(rows[cut], COLUMNS)
            cut += 1
        if cut < len(rows):
            empty = [i for i in range(cut // 3, cut) if not rows[i].strip()]
            cut = empty[-1] + 1 if empty else cut
        part, rows = "\n".join(rows[:cut]).rstrip(), rows[cut:]
        shown = highlight(part, PythonLexer(), FORMAT)
        height = LINE * wrapped(part, COLUMNS) + PADDING
        yield Item(f'<pre class="code"><code>{shown}</code></pre>', height, code=True)


def without_magic(source: str) -> str:
    """Return a program without the magic that says where it runs; its marks say that."""
    return re.sub(r"\A%%(then|both)\n", "", source)


def marks(pairs: list[tuple[str, str]]) -> str:
    """Return marks in words: what stack this is, how it fails."""
    spans = "".join(f'<span class="mark-{kind}">{html.escape(text)}</span>' for kind, text in pairs)
    return f'<p class="marks">{spans}</p>'


def text_of(output: dict, columns: int) -> tuple[str, str]:
    """Return an output's kind and what of it a slide shows."""
    if output["output_type"] == "error":
        _, message = render.split_traceback(output["traceback"], output["evalue"])
        lines = MESSAGE_LINES if columns == COLUMNS else MESSAGE_LINES + 2
        return "error", clipped(message, lines, columns)
    text = output.get("text") or output.get("data", {}).get("text/plain", "")
    kind = "warns" if output.get("name") == "stderr" else "output"
    return kind, clipped(render.without_paths(text), OUTPUT_LINES, columns)


def block(kind: str, text: str) -> str:
    """Return a text that a program printed or raised."""
    return f'<pre class="{kind}">{html.escape(text)}</pre>'


def declared(expect: dict) -> list[tuple[str, str]]:
    """Return the marks of what a program, or one side of it, is declared to do."""
    found = [(key, f"{key} {expect[key]}") for key in ("raises", "warns") if key in expect]
    return [*found, ("silent", render.SILENT_WORDS)] if expect.get("silent") else found


def halves(data: dict, expect: dict) -> Item:
    """Return the two outcomes of a program, side by side, each under its marks."""
    columns, heights = [], []
    for name in both.SIDES:
        side = data[name]
        shown = {key: side["versions"][key] for key in render.SHOWN if key in side["versions"]}
        label = both.label(name, shown).replace("August 2024 · ", "")
        texts = [text_of(output, HALF) for output in side["outputs"]]
        body = "".join(block(kind, text) for kind, text in texts if text)
        pairs = [(name, label), *declared(expect.get(name, {}))]
        heading = marks(pairs)
        empty = "" if body else '<p class="nothing">nothing to show</p>'
        columns.append(f'<div class="half">{heading}{body}{empty}</div>')
        lines = sum(text.count("\n") + 1 for _, text in texts if text)
        above = 48 if sum(len(text) + 4 for _, text in pairs) < 54 else 84
        heights.append(LINE * lines + PADDING * max(1, len(texts)) + above)
    return Item(f'<div class="both">{"".join(columns)}</div>', max(heights) + 6)


def stepped(data: dict) -> Item:
    """Return the frames of a step-through figure, one in the place of the other."""
    frames = data["frames"]
    known = list(dict.fromkeys(json.dumps(frame["at"]) for frame in frames))
    if len(known) > 4:  # of a grid, one row
        row = json.loads(known[len(known) // 2])[0]
        frames = [frame for frame in frames if frame["at"][0] == row]
    parts = []
    for number, frame in enumerate(frames):
        place = f"**{frame['where']}.** " if frame["where"] else ""
        says = render_line(place + frame["says"])
        last = number == len(frames) - 1
        look = "fragment fade-in-then-out" if number and not last else "fragment"
        if not number:
            look = "" if last else "fragment fade-out"
        index = f' data-fragment-index="{max(number - 1, 0)}"' * bool(look)
        parts.append(f'<div class="step {look}"{index}>{frame["html"]}<p>{says}</p></div>')
    return Item(f'<div class="r-stack steps">{"".join(parts)}</div>', 540, code=True)


def render_line(text: str) -> str:
    """Return a line of Markdown as HTML."""
    return MARKDOWN.renderInline(mathml(text))


def drawings(cell: NotebookNode) -> Iterator[Item]:
    """Yield the figures of a cell, with their alt texts."""
    alt = cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "")
    for number, output in enumerate(cell.outputs):
        data = output.get("data", {})
        if STEPS in data:
            yield stepped(data[STEPS])
        elif "image/svg+xml" in data:
            svg = render.themed_svg(data["image/svg+xml"], alt, f"{cell.id}-{number}-")
            yield Item(f'<div class="drawing">{svg}</div>', 500)


def shown_cell(cell: NotebookNode) -> tuple[list[Item], list[Item]]:
    """Return the code of a cell and what came of it."""
    tags, expect = cell.metadata.get("tags", []), cell.metadata.get("expect", {})
    source, held = load.split_asserts(cell.source)
    if held and not re.sub(r"^(%%.*|#.*)$", "", source, flags=re.M).strip():
        return [], []  # assertions alone
    then = source.startswith("%%then")
    code = []
    if "hide-input" not in tags:
        code = list(code_parts(without_magic(source)))
    outcome: list[Item] = list(drawings(cell))
    if "hide-output" in tags:
        return code, []
    for output in cell.outputs:
        data = output.get("data", {})
        if both.MIME in data:
            outcome.append(halves(data[both.MIME], expect))
        elif STEPS not in data and "image/svg+xml" not in data:
            kind, text = text_of(output, COLUMNS)
            if text:
                outcome.append(Item(block(kind, text), LINE * (text.count("\n") + 1) + PADDING))
    said = declared(expect) + [("silent", render.SILENT_WORDS)] * (SILENT in tags)
    if then:
        said.insert(0, ("then", "then · August 2024"))
    if said and outcome:
        outcome[0] = Item(marks(said) + outcome[0].html, outcome[0].height + 42)
    return code, outcome


def divide(block: str, whole: bool) -> tuple[str, str]:
    """Return what of a block of Markdown is shown, and what is said."""
    bold = re.match(r"\*\*(?:(?!\*\*).)+\*\*", block, re.S)
    if whole or re.match(r"[-|>]|\d+\. |```", block):
        return block, ""
    if bold and len(block) > SHORT:
        return bold[0], block
    return (block, "") if len(block) <= SHORT else ("", block)


def is_imports(cell: NotebookNode) -> bool:
    """Tell whether a cell holds a page's imports."""
    imports = re.match(r"(%%both\n)?(%load_ext|import|from) ", cell.source)
    return bool(imports) and not cell.outputs


def solution(cells: list[NotebookNode]) -> list[Item]:
    """Return the right answer of an exercise, and the sentence that its check says to it."""
    code = [cell for cell in cells if cell.cell_type == "code" and not _is_check(cell)]
    right = [cell for cell in code if not LEFT_OUT & set(cell.metadata.get("tags", []))]
    said = [
        output.text.strip()
        for cell in cells
        if _is_check(cell)
        for output in cell.outputs
        if output.get("text", "").startswith("Correct")
    ]
    items = list(code_parts(without_magic(right[-1].source))) if right else []
    return [*items, *(item for text in said[-1:] for item in words(text))]


def _is_check(cell: NotebookNode) -> bool:
    return cell.cell_type == "code" and cell.source.startswith(("%check", "%%check"))


class Deck:
    """The slides of one chapter, as they are filled from its cells."""

    def __init__(self) -> None:
        self.slides: list[Slide] = []
        self.section = ""

    def begin(self, heading: str = "", level: int = 3) -> None:
        """Begin a slide, with a heading or as the next of its section."""
        last = self.slides[-1] if self.slides else Slide("")
        bare = bool(last.headings) and len(last.items) == len(last.headings)
        if level <= 2:
            self.section = heading
        if bare and not heading:  # what follows needs the room: the headings become one small line
            last.kicker, last.items = " · ".join(last.headings), []
            return
        if level <= 2 or not (bare and last.first):
            self.slides.append(Slide(self.section, first=level <= 2 or not self.slides))
        if heading:
            tag = f"h{level}"
            height = 76 if level <= 2 else 62
            self.slides[-1].headings.append(heading)
            self.slides[-1].items.append(Item(f"<{tag}>{render_line(heading)}</{tag}>", height))

    def add(self, item: Item, later: bool = False) -> None:
        """Put an item on the slide, or on the next where it does not fit."""
        current = self.slides[-1]
        if current.items and current.height + item.height > HEIGHT:
            self.begin()
        elif later:
            item = Item(f'<div class="fragment">{item.html}</div>', item.height, item.code)
        self.slides[-1].items.append(item)

    def add_cell(self, cell: NotebookNode) -> None:
        """Show a cell: its code, then what came of it."""
        code, outcome = shown_cell(cell)
        if not code and not outcome:
            return
        room = HEIGHT - self.slides[-1].height
        if self.slides[-1].has_code() or (code and code[0].height > room):
            self.begin()
        for number, item in enumerate(code):
            if number:
                self.begin()
            self.add(item)
        for item in outcome:
            self.add(item, later=bool(code))


def make(notebook: NotebookNode, notes: str) -> list[Slide]:
    """Turn an executed chapter into slides.

    Headings, code, outputs, lists, tables, short paragraphs and bold statements are shown. The
    other paragraphs are the speaker's notes. Of an exercise the question and the right answer are
    shown; what is tempting and wrong is in the instructor's notebook.
    """
    deck = Deck()
    answer: list[NotebookNode] = []

    def close() -> None:
        if answer:
            deck.begin("Solution")
            for item in solution(answer):
                deck.add(item, later=True)
            texts = [cell.source for cell in answer if cell.cell_type == "markdown"][1:]
            deck.slides[-1].notes += texts
            answer.clear()

    for cell in notebook.cells:
        tags = set(cell.metadata.get("tags", []))
        if SOLUTION in tags or cell.source == "#### Solution":
            answer.append(cell)
            continue
        close()
        if cell.cell_type == "code":
            if not LEFT_OUT & tags and not is_imports(cell) and deck.section not in SAID:
                deck.add_cell(cell)
            continue
        for block in blocks(cell.source):
            heading = re.match(r"(#+) +(.*)", block)
            if heading:
                level = len(heading[1])
                if level == 2 and heading[2] in SAID:
                    deck.section = heading[2]
                elif level <= 2 or deck.section not in SAID:
                    deck.begin(heading[2], min(level, 3))
                continue
            if deck.section in SAID:
                deck.slides[-1].notes.append(block)
                continue
            shown, said = divide(block, whole=deck.section == "Exercises")
            if said:
                deck.slides[-1].notes.append(said)
            for item in words(shown) if shown else []:
                deck.add(item)
    close()
    deck.slides[0].notes.append(notes)
    return [slide for slide in deck.slides if slide.items]


def as_html(title: str, slides: list[Slide], address: str) -> str:
    """Return a deck as one page beside the folder ``reveal.js``."""
    groups: list[list[str]] = []
    for slide in slides:
        headed = slide.items[0].html.startswith("<h") and slide.first
        kicker = "" if headed else f'<p class="kicker">{render_line(slide.kicker)}</p>'
        said = MARKDOWN.render(mathml("\n\n".join(slide.notes))) if slide.notes else ""
        aside = f'<aside class="notes">{said}</aside>' * bool(said)
        body = "".join(item.html for item in slide.items)
        shown = f'<section class="page">{kicker}{body}{aside}</section>'
        if slide.first:
            groups.append([])
        groups[-1].append(shown)
    sections = "\n".join(f"<section>{''.join(group)}</section>" for group in groups)
    return PAGE.format(
        title=html.escape(title),
        address=html.escape(address),
        colours=HtmlFormatter(style="tango").get_style_defs(".code"),
        style=STYLE,
        sections=sections,
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
