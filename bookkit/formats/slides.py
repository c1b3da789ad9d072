"""A chapter's slides: one HTML file that reveal.js shows.

A slide is 1280 by 720 pixels, its code is 24 pixels high, and nothing on it scrolls: what does not
fit goes on to the next slide. So heights are reckoned here, from lines and columns, and
`tests/workshop_checks.py` measures every slide in a browser. Outputs come after their code, with
the next press of a key. Where a section is parted is weighed for the whole section (`parted`), so
that no slide is nearly empty where its neighbor has room.
"""

from __future__ import annotations

import html
import json
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count, groupby, pairwise
from math import ceil, inf
from pathlib import Path

from latex2mathml.converter import convert
from markdown_it import MarkdownIt
from nbformat import NotebookNode
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from bookkit import reading_time
from bookkit.expectations import SILENT
from bookkit.formats.notebooks import SOLUTION
from bookkit.sphinx import render
from trace_evidence import both

LEFT_OUT = {"check", "hide-cell", "wrong", "tempting"}  # tags of cells that are on no slide
SAID = ("Behind the fix", "Further reading")  # sections for whoever reads the chapter
SHORT = (220, 270, 320)  # characters: a paragraph that may stand on a slide; more in a short deck
FEWEST = 30  # slides: a deck with fewer is short
HEIGHT = 628  # pixels that a slide has below the name of its section
KICKER = 30  # pixels that the name of the section takes
PRICE = 0.3  # of one more slide, in the units of `cost_of` and `break_cost`
FULL = 0.45  # of a slide: what is less looks thin
COLUMNS, HALF, WORDS = 80, 37, 94  # characters in a line of code, of half a slide, of text
LINE, PADDING = 29, 31  # pixels: a line of code, and what surrounds a block of it
MESSAGE_LINES, OUTPUT_LINES = 6, 12
STEPS = "application/vnd.trace-evidence.steps+json"
FENCE = re.compile(r"(^```.*?^```$)", re.M | re.S)
MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable("table")
FORMAT = HtmlFormatter(nowrap=True, style="tango")


@dataclass
class Item:
    """Something on a slide, and how high it is in pixels.

    Items of the same `part` belong together: pieces of a program, rows of a table. What surrounds
    them, `frame` pixels, is there once on a slide. `html` is their source until they are drawn.
    """

    html: str
    height: float
    kind: str = "text"
    part: int = 0
    frame: float = 0
    head: str = ""
    later: bool = False
    notes: list[str] = field(default_factory=list)


@dataclass
class Slide:
    """What one slide shows, and what is said to it."""

    kicker: str
    first: bool
    html: str
    notes: list[str]


parts = count(1)


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
    """Return a paragraph, the points of a list, or the rows of a table."""
    shown = MARKDOWN.render(mathml(markdown))
    if markdown.startswith("|"):
        return list(table_rows(markdown))
    if re.match(r"- |\d+\. ", markdown):
        points = re.split(r"\n(?=- |\d+\. )", markdown)
        heights = [
            37 * wrapped(" ".join(words_of(point).split()), WORDS - 4) + 8 for point in points
        ]
        return [
            Item(MARKDOWN.render(mathml(point)), height, "point")
            for point, height in zip(points, heights, strict=True)
        ]
    if markdown.startswith("```"):
        body = markdown.partition("\n")[2].rpartition("\n")[0]
        # Of a docstring a slide has the first line.
        body = re.sub(r'("""[^\n]*?)\.?\n(?:(?!""").)*"""', r'\1."""', body, flags=re.S)
        return list(pieces(body))
    return [Item(shown, 37 * wrapped(" ".join(words_of(markdown).split()), WORDS) + 18)]


def table_rows(markdown: str) -> Iterator[Item]:
    """Yield the rows of a table; each slide that has some of them has the header."""
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

    part, frame = next(parts), 14 + (height(grid[0]) if any(grid[0]) else 4)
    for row, texts in zip(rows, grid[1:], strict=True):
        yield Item(row, height(texts), "row", part, frame, f"{head}\n{rule}")


def folded(source: str) -> str:
    """Break the lines of a program that are too long for a slide, and indent what follows."""
    rows = []
    for row in source.splitlines():
        indent = " " * (len(row) - len(row.lstrip()) + 8)
        while len(row) > COLUMNS:
            ends = [found.start() for found in re.finditer(r"(?<=\S) ", row[: COLUMNS + 1])]
            outside = [end for end in ends if row[:end].count('"') % 2 == 0]
            after = [end for end in outside if row[end - 1] == ","]
            cut = max(after or outside or ends, default=COLUMNS)
            if cut <= len(indent):
                break
            rows.append(row[:cut])
            row = indent + row[cut:].strip()
        rows.append(row)
    return "\n".join(rows)


def pieces(source: str) -> Iterator[Item]:
    """Yield a program in the pieces between which it may be parted: at its empty lines."""
    part, limit = next(parts), int((HEIGHT - PADDING) // LINE)
    for piece in re.findall(r"(?:.*\S.*\n)+\n*", folded(source.strip("\n")) + "\n"):
        rows = piece.splitlines()
        for start in range(0, len(rows), limit):
            cut = rows[start : start + limit]
            high = LINE * sum(wrapped(row, COLUMNS) for row in cut)
            yield Item("\n".join(cut), high, "code", part, PADDING)


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


def halves(data: dict, expect: dict, page: str) -> Item:
    """Return the two outcomes of a program, side by side, each under its marks."""
    columns, heights = [], []
    for name in both.SIDES:
        side = data[name]
        texts = [text_of(output, HALF) for output in side["outputs"]]
        body = "".join(block(kind, text) for kind, text in texts if text)
        pairs = [
            (name, name + render.releases(page, side["versions"])),
            *declared(expect.get(name, {})),
        ]
        heading = marks(pairs)
        empty = "" if body else '<p class="nothing">nothing to show</p>'
        columns.append(f'<div class="half">{heading}{body}{empty}</div>')
        lines = sum(text.count("\n") + 1 for _, text in texts if text)
        above = 48 if sum(len(text) + 4 for _, text in pairs) < 54 else 84
        heights.append(LINE * lines + PADDING * max(1, len(texts)) + above)
    return Item(f'<div class="both">{"".join(columns)}</div>', max(heights) + 6, "outcome")


def stepped(data: dict) -> Item:
    """Return the frames of a step-through figure, one in the place of the other."""
    frames = data["frames"]
    known = list(dict.fromkeys(json.dumps(frame["at"]) for frame in frames))
    if len(known) > 4:  # of a grid, one row
        row = json.loads(known[len(known) // 2])[0]
        frames = [frame for frame in frames if frame["at"][0] == row]
    shown, heights = [], []
    for number, frame in enumerate(frames):
        place = f"**{frame['where']}.** " if frame["where"] else ""
        says = render_line(place + frame["says"])
        last = number == len(frames) - 1
        look = "fragment fade-in-then-out" if number and not last else "fragment"
        if not number:
            look = "" if last else "fragment fade-out"
        index = f' data-fragment-index="{max(number - 1, 0)}"' * bool(look)
        shown.append(f'<div class="step {look}"{index}>{frame["html"]}<p>{says}</p></div>')
        heights.append(drawn(frame["html"]) + 37 * wrapped(words_of(place + frame["says"]), WORDS))
    return Item(f'<div class="r-stack steps">{"".join(shown)}</div>', max(heights) + 24, "figure")


def drawn(panels: str) -> float:
    """Return how high the panels of a frame are, side by side, by the sizes in slides.css."""
    sizes = re.findall(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', panels)
    room = min(800, (1200 - 42 * (len(sizes) - 1)) / len(sizes))
    return max(min(480, room * float(high) / float(wide)) for wide, high in sizes)


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
            yield Item(f'<div class="drawing">{svg}</div>', 500, "outcome")


def shown_cell(cell: NotebookNode, page: str) -> tuple[list[Item], list[Item]]:
    """Return the code of a page's cell and what came of it."""
    tags, expect = cell.metadata.get("tags", []), cell.metadata.get("expect", {})
    source, held = reading_time.split_asserts(cell.source)
    if held and not re.sub(r"^(%%.*|#.*)$", "", source, flags=re.M).strip():
        return [], []  # assertions alone
    then = source.startswith("%%then")
    code = []
    if "hide-input" not in tags:
        code = list(pieces(without_magic(source)))
    outcome: list[Item] = list(drawings(cell))
    if "hide-output" in tags:
        return code, []
    for output in cell.outputs:
        data = output.get("data", {})
        if both.MIME in data:
            outcome.append(halves(data[both.MIME], expect, page))
        elif STEPS not in data and "image/svg+xml" not in data:
            kind, text = text_of(output, COLUMNS)
            if text:
                height = LINE * (text.count("\n") + 1) + PADDING
                outcome.append(Item(block(kind, text), height, "outcome"))
    said = declared(expect) + [("silent", render.SILENT_WORDS)] * (SILENT in tags)
    if then:
        said.insert(0, ("then", "then · August 2024"))
    if said and outcome:
        outcome[0].html, outcome[0].height = marks(said) + outcome[0].html, outcome[0].height + 42
    return code, outcome


def divide(block: str, whole: bool, short: int) -> tuple[str, str]:
    """Return what of a block of Markdown is shown, and what is said."""
    bold = re.match(r"\*\*(?:(?!\*\*).)+\*\*", block, re.S)
    if whole or re.match(r"[-|>]|\d+\. |```", block):
        return block, ""
    if bold and len(block) > short:
        return bold[0], block
    return (block, "") if len(block) <= short else ("", block)


def opening(text: str, short: int) -> str:
    """Return as many of a paragraph's first sentences as a slide takes."""
    sentences = re.split(r"(?<=[.?!]) (?=[A-Z`*])", " ".join(text.split()))
    lengths = [len(" ".join(sentences[: n + 1])) for n in range(len(sentences))]
    return " ".join(sentences[: max(1, sum(length <= short for length in lengths))])


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
    items = list(pieces(without_magic(right[-1].source))) if right else []
    return [*items, *(item for text in said[-1:] for item in words(text))]


def _is_check(cell: NotebookNode) -> bool:
    return cell.cell_type == "code" and cell.source.startswith(("%check", "%%check"))


def height(items: list[Item]) -> float:
    """Return how high items are together on one slide."""
    frames = {(item.part, item.kind): item.frame for item in items}
    return sum(item.height for item in items) + sum(frames.values())


def headings(items: list[Item]) -> int:
    """Return how many headings items begin with."""
    return next((n for n, item in enumerate(items) if item.kind != "heading"), len(items))


def small(items: list[Item]) -> bool:
    """Tell whether the headings have to become one small line, so that the rest fits."""
    above = KICKER if items[0].html.startswith(("<h1", "<h2")) else 0
    return bool(headings(items)) and height(items) > HEIGHT + above


def cost_of(items: list[Item]) -> float:
    """Return what speaks against a slide: it is thin, or it has much that has to be explained."""
    top = headings(items)
    shown = items[top:] if small(items) else items
    limit = HEIGHT + KICKER * (top > 0 and not small(items))
    if top == len(items) or height(shown) > limit:
        return inf
    programs = {item.part for item in items if item.kind == "code"}
    inside = sum(item.kind == "heading" for item in items[top:])
    thin = 30 * max(0.0, FULL - height(shown) / 720) ** 2
    return PRICE + thin + 2 * max(0, len(programs) - 1) + 0.4 * small(items) + 2.5 * inside


def break_cost(before: Item, after: Item) -> float:
    """Return what speaks against a new slide between two items."""
    if before.kind == "heading":
        return inf
    if before.part and before.part == after.part:
        if after.kind == "row":
            return 0.4
        return 1 if not after.html.startswith(" ") else 2.5
    if after.kind == "outcome":
        return 1.5
    if before.kind == "text" and after.kind in ("code", "figure", "point", "row"):
        return 2.5 if ":</p>" in before.html else 0.5
    return 0.4 if before.kind == after.kind == "point" else 0


def parted(items: list[Item]) -> list[list[Item]]:
    """Part the items of a section among slides at the least cost."""
    best: list[tuple[float, list[int]]] = [(0, [])]
    for end in range(1, len(items) + 1):
        options = []
        for start in range(end):
            total = cost_of(items[start:end]) if best[start][0] < inf else inf
            if start and total < inf:
                total += break_cost(items[start - 1], items[start])
            options.append((best[start][0] + total, [*best[start][1], start]))
        best.append(min(options))
    starts = [*best[-1][1], len(items)]
    return [items[start:end] for start, end in pairwise(starts)]


def drawn_together(items: list[Item]) -> str:
    """Return the HTML of a slide's items. What came of a program comes later, and what follows."""
    shown: list[str] = []
    coded = revealed = False
    for (kind, part, head), group in groupby(items, lambda item: (item.kind, item.part, item.head)):
        found = list(group)
        for item in [found] if part else [[one] for one in found]:
            body = "\n".join(one.html for one in item)
            if kind == "code":
                code = highlight(body.rstrip(), PythonLexer(), FORMAT)
                body = f'<pre class="code"><code>{code}</code></pre>'
            elif kind == "row":
                body = MARKDOWN.render(mathml(f"{head}\n{body}"))
            if revealed and not item[0].later and kind in ("text", "point", "outcome"):
                shown[-1] = shown[-1].removesuffix("</div>") + body + "</div>"
            elif revealed or item[0].later or (coded and kind in ("outcome", "figure")):
                shown.append(f'<div class="fragment">{body}</div>')
                revealed = True
            else:
                shown.append(body)
            coded = coded or kind == "code"
    return "".join(shown)


class Deck:
    """The items of one chapter, a list for each section, with its name."""

    def __init__(self) -> None:
        self.sections: list[tuple[str, list[Item]]] = []
        self.section = ""

    @property
    def items(self) -> list[Item]:
        """Return the items of the section that is being filled."""
        return self.sections[-1][1]

    def begin(self, heading: str, level: int) -> None:
        """Begin a section, or a part of one."""
        if level <= 2:
            self.section = heading
            self.sections.append((heading, []))
        tag, size = f"h{level}", 76 if level <= 2 else 62
        self.items.append(Item(f"<{tag}>{render_line(heading)}</{tag}>", size, "heading"))

    def end(self, short: int) -> None:
        """Where nothing is shown below a heading, show how the part opens."""
        last = self.items[-1] if self.sections else None
        if last and last.kind == "heading" and last.notes:
            self.items.extend(words(opening(last.notes[0], short)))

    def slides(self) -> list[Slide]:
        """Part all sections among slides."""
        made = []
        for name, items in self.sections:
            for number, part in enumerate(parted(items)):
                notes = [note for item in part for note in item.notes]
                kicker = "" if part[0].html.startswith(("<h1", "<h2")) else render_line(name)
                if small(part):
                    top = headings(part)
                    texts = [re.sub("</?h.>", "", item.html) for item in part[:top]]
                    kicker, part = " · ".join([kicker, *texts] if kicker else texts), part[top:]
                made.append(Slide(kicker, not number, drawn_together(part), notes))
        return made


def make(notebook: NotebookNode, notes: str, page: str) -> list[Slide]:
    """Turn an executed chapter into slides.

    Headings, code, outputs, lists, tables, short paragraphs and bold statements are shown. The
    other paragraphs are the speaker's notes. Of an exercise the question and the right answer are
    shown; what is tempting and wrong is in the instructor's notebook.
    """
    for short in SHORT:
        slides = filled(notebook, notes, short, page).slides()
        if len(slides) >= FEWEST:
            break
    return slides


def filled(notebook: NotebookNode, notes: str, short: int, page: str) -> Deck:
    """Return what of a chapter is shown, with what is said to it."""
    deck = Deck()
    answer: list[NotebookNode] = []

    def close() -> None:
        if answer:
            deck.begin("Solution", 3)
            for item in solution(answer):
                item.later = True
                deck.items.append(item)
            texts = [cell.source for cell in answer if cell.cell_type == "markdown"][1:]
            deck.items[-1].notes += texts
            answer.clear()

    for cell in notebook.cells:
        tags = set(cell.metadata.get("tags", []))
        if SOLUTION in tags or cell.source == "#### Solution":
            answer.append(cell)
            continue
        close()
        if cell.cell_type == "code":
            if not LEFT_OUT & tags and not is_imports(cell) and deck.section not in SAID:
                code, outcome = shown_cell(cell, page)
                deck.items.extend([*code, *outcome])
            continue
        for block in blocks(cell.source):
            heading = re.match(r"(#+) +(.*)", block)
            if heading:
                deck.end(short)
                level = len(heading[1])
                if level == 2 and heading[2] in SAID:
                    deck.section = heading[2]
                elif level <= 2 or deck.section not in SAID:
                    deck.begin(heading[2], min(level, 3))
                continue
            if deck.section in SAID:
                deck.items[-1].notes.append(block)
                continue
            shown, said = divide(block, deck.section == "Exercises", short)
            if said:
                deck.items[-1].notes.append(said)
            deck.items.extend(words(shown) if shown else [])
    close()
    deck.sections[0][1][0].notes.append(notes)
    return deck


def as_html(title: str, slides: list[Slide], address: str) -> str:
    """Return a deck as one page beside the folder ``reveal.js``."""
    groups: list[list[str]] = []
    for slide in slides:
        kicker = f'<p class="kicker">{slide.kicker}</p>' * bool(slide.kicker)
        said = MARKDOWN.render(mathml("\n\n".join(slide.notes))) if slide.notes else ""
        aside = f'<aside class="notes">{said}</aside>' * bool(said)
        shown = f'<section class="page">{kicker}{slide.html}{aside}</section>'
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
