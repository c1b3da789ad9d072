"""Lifetimes as bars, from left to right in time, and what goes from one into another."""

from typing import Any

from ..steps import ACCENT, INK, MARGIN, Panel

TOP, ROW, HIGH = 40, 48, 28
"""Where the first row begins, how far apart rows are, and how high a bar is."""


class Timeline(Panel):
    """A drawing whose bars are lifetimes. Times are from 0 at its left edge to 100 at its right.

    Args:
        rows: how many rows of bars there are.
        title: words above the drawing.
    """

    def __init__(self, rows: int, title: str):
        super().__init__(title)
        self.height = TOP + ROW * rows

    def at(self, time: float) -> float:
        """Return where a time is."""
        return MARGIN + (self.width - 2 * MARGIN) * time / 100

    def bar(self, row: int, begin: float, end: float, words: str, **look: Any) -> None:
        """Draw a lifetime with words in it; `look` is that of a box."""
        x, y = self.at(begin), TOP + ROW * row
        self.box(x, y, self.at(end) - x, HIGH, **look)
        self.text(x + 7, y + 19, words)

    def value(self, row: int, time: float, words: str, **look: Any) -> None:
        """Draw what an object keeps, in its bar, from when it was kept."""
        self.chip(self.at(time), TOP + ROW * row + 4, words, **look)

    def moves(self, time: float, start: int, end: int, color: str = INK) -> None:
        """Draw an arrow from a bar of one row to that of another."""
        down = start < end
        y = TOP + ROW * start + HIGH * down, TOP + ROW * end + HIGH * (not down)
        self.line([(self.at(time), y[0]), (self.at(time), y[1])], color=color, arrow=True)

    def now(self, time: float) -> None:
        """Draw the axis of time below all rows, with a mark."""
        x, y = self.at(time), self.height + 2
        self.line([(self.at(0), y), (self.at(100), y)], arrow=True)
        self.box(x - 4, y - 4, 8, 8, color=ACCENT, tinted=True)
        self.text(x, y + 18, "now", middle=True)
        self.height += 22
