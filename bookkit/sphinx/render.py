"""How cells become HTML: tracebacks that show their last line, figures that follow the theme."""

import re
from dataclasses import replace
from difflib import SequenceMatcher

from docutils import nodes
from myst_nb.core.render import MimeData, NbElementRenderer
from nbformat import NotebookNode
from pygments.formatters import HtmlFormatter

from bookkit import frames
from bookkit.languages import say
from bookkit.outputs import (
    FEEDBACK,
    declared,
    releases,
    split_traceback,
    themed_svg,
    without_paths,
)
from trace_evidence import both, steps

LONG = 480  # characters of a message that a page shows
HALF = 38  # characters of a line that fit beside another outcome
WORD = re.compile(r"\s+|[\w.+-]+|[^\w\s]")
INDENT = re.compile(r"(?:<[^>]*>)*( +)")  # at the start of a line of coloured code
# Where a line of coloured code may break beside its blanks: after a bracket, a dot, an equals sign.
BREAK = re.compile(r'(<span class="(?:p|o)">[^<]*[(\[{.=])(?=</span>)')
FRAME = re.compile(r"^ *(?:File |Cell |<a cell>)", re.M)


def raw(text: str) -> nodes.raw:
    """Return HTML."""
    return nodes.raw("", text, format="html")


def fold(kind: str, words: str, *folded: nodes.Element) -> list[nodes.Element]:
    """Return a fold, with its class and the words that open it."""
    look = f' class="{kind}"' if kind else ""
    opening = f"<details{look}><summary>{words}</summary>"
    return [raw(opening), *folded, raw("</details>")]


def error_block(text: str) -> nodes.literal_block:
    """Return a block of an error's message."""
    return nodes.literal_block(text, text, language="text", classes=["error-message"])


def fold_message(blocks: list[nodes.Element], limit: int) -> list[nodes.Element]:
    """Fold what comes after the opening lines of a long message."""
    text = blocks[-1].astext()
    if len(text) <= limit * 5 // 4:
        return blocks
    # At the end of a line or a sentence near the limit, where there is one; not after a rule.
    ends = [end.end() for end in re.finditer(r"(?<!-)\n|\. ", text)]
    cut = min(ends, key=lambda end: abs(end - limit), default=0)
    if not limit * 3 // 4 <= cut <= limit * 5 // 4:
        cut = text.rfind(" ", 0, limit) + 1
    opening, rest = text[:cut].rstrip(), text[cut:].strip()
    folded = fold("message", say("The rest of the message"), error_block(rest))
    return [*blocks[:-1], error_block(opening), *folded]


class LineFormatter(HtmlFormatter):
    """Pygments' formatter, with an element for each line, which says how far it is indented."""

    def wrap(self, source):
        """Wrap the lines, then all of them."""
        return super().wrap(map(self.line, source))

    @staticmethod
    def line(part: tuple[int, str]) -> tuple[int, str]:
        """Return a line of code in its element."""
        is_code, text = part
        if is_code:
            indent = INDENT.match(text)
            style = f' style="--indent: {len(indent[1])}"' if indent else ""
            text = BREAK.sub(r"\1<wbr>", text)
            text = f'<span class="code-line"{style}>{text}</span>'
        return is_code, text


def differing(text: str, other: str) -> list[tuple[str, bool]]:
    """Return the parts of a text, each with whether another text has something else there.

    Texts with little in common have nothing to compare.
    """
    ours, theirs = WORD.findall(text), WORD.findall(other)
    matcher = SequenceMatcher(None, ours, theirs, autojunk=False)
    if matcher.ratio() < 0.5:
        return [(text, False)]
    parts = matcher.get_opcodes()
    pieces = [("".join(ours[i:j]), kind != "equal") for kind, i, j, _, _ in parts if i < j]
    return pieces


def mark_differences(sides: list[nodes.Element]) -> None:
    """Mark, in what two stacks printed, the words that differ."""
    printed = [
        [block for block in side.findall(nodes.literal_block) if "output" in block["classes"]]
        for side in sides
    ]
    if [len(blocks) for blocks in printed] != [1, 1]:
        return
    blocks = [blocks[0] for blocks in printed]
    texts = [block.astext() for block in blocks]
    if texts[0] == texts[1] or "\x1b" in "".join(texts):
        return
    for block, text, other in zip(blocks, texts, reversed(texts), strict=True):
        # A block whose text is not its source is written as it stands, without a lexer.
        block.rawsource = "marked"
        block.children = []
        for part, differs in differing(text, other):
            for word in re.split(r"(\s+)", part):
                marked = differs and word.strip()  # a blank that is underlined looks like `_`
                block += nodes.inline("", word, classes=["differs"]) if marked else nodes.Text(word)


def outcomes_side_by_side(sides: list[nodes.Element]) -> nodes.container:
    """Return two outcomes side by side, or below one another where a line needs the room."""
    mark_differences(sides)
    blocks = [block for side in sides for block in side.findall(nodes.literal_block)]
    wide = any(len(line) > HALF for block in blocks for line in block.astext().splitlines())
    return nodes.container("", *sides, classes=["both", *["both-wide"] * wide])


def mark_line(marks: list[tuple[str, str]]) -> nodes.paragraph:
    """Return a line of marks: for each its kind and its words."""
    words = [nodes.inline("", text, classes=[f"mark-{kind}"]) for kind, text in marks]
    return nodes.paragraph("", "", *words, classes=["cell-marks"], translatable=False)


def side(name: str, marks: list[tuple[str, str]], shown: list[nodes.Element]) -> nodes.container:
    """Return what came of a program on one stack, under its marks."""
    return nodes.container("", mark_line(marks), *shown, classes=["both-side", f"both-{name}"])


def in_order(data: dict) -> dict:
    """Return the data of a step-through figure with its choices in the order of its frames' `at`.

    The cache of executed pages sorts the keys of mappings.
    """
    left, ordered = dict(data["choices"]), {}
    for values in zip(*(frame["at"] for frame in data["frames"]), strict=True):
        name = next(name for name, choice in left.items() if set(choice) == set(values))
        ordered[name] = left.pop(name)
    return {**data, "choices": ordered}


class Renderer(NbElementRenderer):
    """myst-nb's renderer, with the book's tracebacks, figures and warnings."""

    def render_stdout(self, output, cell_metadata, cell_index, source_line):
        """Render what was printed, without this machine's paths; verdicts are translated."""
        text = FEEDBACK.sub(lambda line: say(line[0]), without_paths(output["text"]))
        output = {**output, "text": text}
        return super().render_stdout(output, cell_metadata, cell_index, source_line)

    def render_stderr(self, output, cell_metadata, cell_index, source_line):
        """Render warnings, without this machine's paths."""
        output = {**output, "text": without_paths(output["text"])}
        return super().render_stderr(output, cell_metadata, cell_index, source_line)

    def render_text_plain(self, data: MimeData):
        """Render a result, without this machine's paths."""
        data.content = without_paths(data.string)
        return super().render_text_plain(data)

    def render_error(self, output, cell_metadata, cell_index, source_line):
        """Render the frames in a block that opens on demand, and the message below it."""
        return fold_message(self.error_nodes(output, source_line), LONG)

    def error_nodes(self, output: dict, source_line: int | None) -> list[nodes.Element]:
        """Return the frames of an error, folded, and its message."""
        frames, message = split_traceback(output["traceback"], output["evalue"])
        last = error_block(message)
        count = len(FRAME.findall(frames))
        if not count:
            return [last]
        block = self.renderer.create_highlighted_code_block(
            frames, "ipythontb", source=self.source, line=source_line
        )
        block["classes"] += ["output", "traceback"]
        single = say("Traceback, 1 frame")
        words = say("Traceback, {count} frames", count=count) if count > 1 else single
        return [*fold("traceback", words, block), last]

    def render_mime_type(self, data: MimeData):
        """Render outcomes of ``%%both``, frames of `steps`, and all else as myst-nb does."""
        if data.mime_type == both.MIME:
            return [self.render_both(data)]
        if data.mime_type == steps.MIME:
            translated = frames.changed(in_order(data.content), say)
            return [raw(frames.as_html(translated))]
        return super().render_mime_type(data)

    def render_both(self, data: MimeData) -> nodes.container:
        """Render two outcomes, each under its mark."""
        sides = []
        expect = data.cell_metadata.get("expect", {})
        for name in both.SIDES:
            half = data.content[name]
            words = [(name, say(name) + releases(self.source, half["versions"]))]
            words += declared(expect.get(name, {}))
            shown: list[nodes.Element] = []
            for number, output in enumerate(half["outputs"]):
                shown += self.render_half(output, data, f"{name}-{number}")
            nothing = nodes.paragraph("", say("nothing to show"), translatable=False)
            nothing["classes"].append("both-nothing")
            sides.append(side(name, words, shown or [nothing]))
        return outcomes_side_by_side(sides)

    def render_half(self, output: dict, data: MimeData, place: str) -> list[nodes.Element]:
        """Render one output of one side, as if it stood alone."""
        where = data.cell_metadata, data.cell_index, data.line
        if output["output_type"] == "stream":
            render = self.render_stdout if output["name"] == "stdout" else self.render_stderr
            return render(NotebookNode(output), *where)
        if output["output_type"] == "error":
            return fold_message(self.error_nodes(output, data.line), LONG)
        kind = next(kind for kind in ("image/svg+xml", "text/plain") if kind in output["data"])
        inner = replace(data, mime_type=kind, content=output["data"][kind], output_index=place)
        return super().render_mime_type(inner)

    def render_image(self, data: MimeData):
        """Render an SVG inside the page, where it can take the page's colours."""
        if data.mime_type != "image/svg+xml":
            return super().render_image(data)
        options = self.renderer.get_cell_level_config(
            "render_image_options", data.cell_metadata, line=data.line
        )
        prefix = f"f{data.cell_index}-{data.output_index}-"
        svg = themed_svg(data.string, say(options.get("alt", "")), prefix)
        # The theme makes what has this class reachable by keyboard where it scrolls.
        box = "figure pst-scrollable-table-container"
        return [raw(f'<div class="{box}">{svg}</div>')]
