"""Figures that are read step by step: frames that a cell draws from live objects.

A cell makes `Steps`, adds frames, and ends with it. A frame is one or two `Panel`, a line that says
what happens, and alt text. As HTML all frames stand one below the other, which is what a notebook,
paper and a page without scripts show; `steps.js` shows one at a time. The frames are also published
as data (`MIME`), from which slides are made and which the suite looks at.
"""

import html
import json
import re
from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Any

MIME = "application/vnd.trace-evidence.steps+json"
# The page gives these variables a colour for light and one for dark; elsewhere the second holds.
INK = "currentColor"
ACCENT = "var(--steps-accent,#d55e00)"
BLUE = "var(--steps-blue,#0072b2)"
GREEN = "var(--steps-green,#009e73)"
WIDTH, MARGIN, LINE, SIZE = 340, 8, 20, 14
ROW = "display:flex;flex-wrap:wrap;gap:0 1.5em;justify-content:center;align-items:start"
MISSING = "\u2013"
MONO = 0.605  # the width of a character of code, in sizes of the font


def marked_up(text: str) -> str:
    """Return a line of text as HTML, with `code` between backticks."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text, quote=False))


class Panel:
    """One drawing of a frame, which grows downwards as parts are added.

    Lengths are in pixels of a drawing that is as wide as a phone.

    Args:
        title: words above the drawing.
    """

    width = WIDTH

    def __init__(self, title: str = ""):
        self.height = float(MARGIN)
        self.parts: list[str] = []
        if title:
            self.text(MARGIN, self.height + 12, title, bold=True)
            self.height += 24

    def text(self, x: float, y: float, words: object, **look: Any) -> None:
        """Write words with their baseline at `y`.

        Args:
            x: the start of the words, or their middle with `middle`.
            y: the baseline.
            words: anything; its `str` is written.
            look: `mono`, `bold`, `middle` and `faint` as flags; `color`.
        """
        given = [f'x="{x:g}" y="{y:g}" fill="{look.get("color", INK)}"']
        given += ['font-family="monospace"'] * look.get("mono", False)
        given += ['font-weight="600"'] * look.get("bold", False)
        given += ['text-anchor="middle"'] * look.get("middle", False)
        given += ['opacity=".7"'] * look.get("faint", False)
        spaced = html.escape(str(words), quote=False).replace(" ", "\u00a0")
        self.parts.append(f"<text {' '.join(given)}>{spaced}</text>")

    def box(self, x: float, y: float, wide: float, high: float, **look: Any) -> None:
        """Draw a box; `color`, and `dashed`, `tinted` and `bare` (without a border) as flags."""
        color = look.get("color", INK)
        given = f'x="{x:g}" y="{y:g}" width="{wide:g}" height="{high:g}" rx="4"'
        fill = f' fill="{color}" fill-opacity=".16"' if look.get("tinted") else ' fill="none"'
        stroke = "" if look.get("bare") else f' stroke="{color}" stroke-width="1.5"'
        dashes = ' stroke-dasharray="4 3"' if look.get("dashed") else ""
        self.parts.append(f"<rect {given}{fill}{stroke}{dashes}/>")

    def line(self, points: Sequence[tuple[float, float]], **look: Any) -> None:
        """Draw a line through points; `color`, and `arrow` (at its end) as a flag."""
        color = look.get("color", INK)
        path = "M" + "L".join(f"{x:g} {y:g}" for x, y in points)
        if look.get("arrow"):
            (x0, y0), (x1, y1) = points[-2:]
            far = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5 or 1.0
            dx, dy = 6 * (x1 - x0) / far, 6 * (y1 - y0) / far
            for side in (1, -1):
                path += f"M{x1 - dx - side * dy * 0.6:.4g} {y1 - dy + side * dx * 0.6:.4g}"
                path += f"L{x1:g} {y1:g}"
        self.parts.append(f'<path d="{path}" fill="none" stroke="{color}" stroke-width="1.5"/>')

    def chip(self, x: float, y: float, words: object, **look: Any) -> float:
        """Draw a word in a box of its own, with the box's top at `y`; return its right end.

        What is no code, but words that other languages have their own for, has the flag `text`.
        """
        shown = str(words)
        wide = max(26.0, len(shown) * SIZE * MONO + 8)
        self.box(x, y, wide, 20, **look)
        self.text(x + wide / 2, y + 15, shown, mono=not look.get("text"), middle=True)
        return x + wide

    def say(self, words: object, **look: Any) -> None:
        """Write a line of words below what is there."""
        self.text(MARGIN, self.height + 13, words, **look)
        self.height += LINE

    def code(self, lines: Iterable[str], now: int | None = None) -> None:
        """Write lines of code, the one that runs now in the accent colour's shade."""
        for number, line in enumerate(lines):
            if number == now:
                wide = self.width - MARGIN
                self.box(4, self.height, wide, LINE, color=ACCENT, tinted=True, bare=True)
            look = {"bold": number == now, "faint": now is not None and number > now}
            self.text(MARGIN, self.height + 15, line, mono=True, **look)
            self.height += LINE

    def rows(
        self,
        rows: Mapping[str, object],
        hot: Container[str] = (),
        indent: int = 0,
        words: bool | Container[str] = False,
    ) -> None:
        """Write names with their values in boxes; None and `MISSING` have a dashed one.

        Args:
            rows: name to value.
            hot: the names that are drawn in the accent colour.
            indent: how far to the right the rows stand.
            words: whether names and values are words, not code; see `chip`. Or the names whose
                values are, of rows whose names all are.
        """
        right = max((len(name) for name in rows), default=0) * SIZE * MONO + MARGIN + indent + 8
        for name, value in rows.items():
            self.text(MARGIN + indent, self.height + 16, name, mono=not words)
            look = {"color": ACCENT, "tinted": True} if name in hot else {}
            is_text = words if isinstance(words, bool) else name in words
            look |= {"dashed": value in (None, MISSING), "text": is_text}
            self.chip(right, self.height + 1, value, **look)
            self.height += 22

    def tree(self, root: str, children: Mapping[str, object], hot: Container[str] = ()) -> None:
        """Draw a node with its children below it, each with its name; see `rows`."""
        wide = len(root) * SIZE * MONO + 14
        self.box(MARGIN, self.height, wide, 22)
        self.text(MARGIN + wide / 2, self.height + 16, root, mono=True, middle=True)
        self.height += 28
        top = self.height - 6
        for place in range(len(children)):
            y = self.height + 11 + 22 * place
            self.line([(MARGIN + 10, top), (MARGIN + 10, y), (MARGIN + 17, y)])
        self.rows(children, hot, indent=20)

    def shapes(
        self, rows: Mapping[str, Sequence[int | None]], hot: Container[str], wide: int
    ) -> None:
        """Draw shapes one under the other, aligned at the right as broadcasting aligns them.

        Args:
            rows: label to shape; an axis of None is an empty place.
            hot: the labels of the rows that are drawn in the accent colour.
            wide: how wide an axis is drawn.
        """
        for label, shape in rows.items():
            color = ACCENT if label in hot else INK
            self.text(MARGIN, self.height + 15, label)
            for place, size in enumerate(reversed(shape)):
                x = self.width - (wide + 6) * (place + 1)
                look = {"dashed": True} if size is None else {"tinted": label in hot}
                self.box(x, self.height, wide, 22, color=color, **look)
                if size is not None:
                    self.text(x + wide / 2, self.height + 15.5, size, mono=True, middle=True)
            if not shape:
                self.text(self.width - 28, self.height + 15.5, "()", mono=True, color=color)
            self.height += 28

    def svg(self, height: float) -> str:
        """Return the drawing, as high as is asked for."""
        size = f'width="{self.width}" height="{height + MARGIN:g}"'
        box = f'viewBox="0 0 {self.width} {height + MARGIN:g}"'
        style = f'style="max-width:100%;height:auto" font-size="{SIZE}"'
        return f"<svg {size} {box} {style}>{''.join(self.parts)}</svg>"


class Steps:
    """A figure of several frames; the last expression of its cell.

    Args:
        caption: what the figure shows.
        choices: the name of each choice that a reader has, to its values. Numbers become a slider,
            words become buttons. Without a choice all frames follow one another.
    """

    def __init__(self, caption: str, choices: Mapping[str, Sequence] | None = None):
        self.caption, self.choices = caption, dict(choices or {})
        self.frames: dict[tuple, list[tuple[str, str, tuple[Panel, ...]]]] = {}

    def add(self, says: str, alt: str, *panels: Panel, at: Sequence = ()) -> None:
        """Add a frame.

        Args:
            says: what happens in it, with `code` between backticks.
            alt: what is drawn, for those who cannot see it.
            panels: the drawings, side by side where there is room.
            at: a value of each choice.

        Raises:
            ValueError: the alt text says too little.
        """
        if len(alt.split()) < 8:
            raise ValueError(f"the alt text {alt!r} says too little: say what is drawn.")
        self.frames.setdefault(tuple(at), []).append((says, alt, panels))

    def data(self) -> dict[str, Any]:
        """Return the frames as data: `at`, `part`, `says` and `alt` as text, `html` the drawing."""
        drawings = [panels for frames in self.frames.values() for _, _, panels in frames]
        columns = zip_longest(*drawings)  # a drawing is as high in each frame
        heights = [max(panel.height for panel in column if panel) for column in columns]
        figures = []
        for at, frames in self.frames.items():
            where = in_words(self.choices, at)
            for number, (says, alt, panels) in enumerate(frames, start=1):
                drawn = "".join(map(Panel.svg, panels, heights))
                label = html.escape(alt, quote=True)
                picture = f'<div class="steps-panels" role="img" aria-label="{label}" '
                picture += f'style="{ROW}">{drawn}</div>'
                part = f"{number} of {len(frames)}" if len(frames) > 1 else ""
                frame = {"at": list(at), "where": where, "part": part, "says": says}
                figures.append({**frame, "alt": alt, "html": picture})
        return {"caption": self.caption, "choices": self.choices, "frames": figures}

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict[str, Any]:
        data = self.data()
        return {MIME: data, "text/html": as_html(data), "text/plain": self.caption}


def in_words(choices: Iterable[str], at: Iterable) -> str:
    """Return a choice in words: `4 days, 5 animals`."""
    pairs = zip(choices, at, strict=True)
    return ", ".join(
        f"{value} {name}" if isinstance(value, int) else f"{name}: {value}" for name, value in pairs
    )


def as_html(data: Mapping[str, Any], stop: str = "{part}.") -> str:
    """Return a figure with all its frames in order, for a page or a notebook.

    Args:
        data: the figure, as `Steps.data` returns it.
        stop: how a frame's place ends; another language has another full stop.
    """
    body, before = [], None
    for frame in data["frames"]:
        if frame["where"] and frame["where"] != before:
            body.append(f'<p class="steps-where"><b>{html.escape(frame["where"])}</b></p>')
        before = frame["where"]
        part = f"<b>{stop.format(part=frame['part'])}</b> " if frame["part"] else ""
        says = f'<p class="steps-says">{part}{marked_up(frame["says"])}</p>' * bool(frame["says"])
        at = html.escape(json.dumps(frame["at"]), quote=True)
        body.append(f'<div class="steps-frame" data-at="{at}">{says}{frame["html"]}</div>')
    choices = html.escape(json.dumps(data["choices"]), quote=True)
    caption = f"<figcaption>{marked_up(data['caption'])}</figcaption>"
    opening = f'<figure class="steps" data-choices="{choices}">'
    return f'{opening}<div class="steps-frames">{"".join(body)}</div>{caption}</figure>'
