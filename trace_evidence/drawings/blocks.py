"""Axes of a batch as blocks: a box for each draw, with a cell for each of its numbers."""

from typing import Any

import numpy as np

from ..steps import ACCENT, GREEN, INK, MARGIN, Panel, Steps

AXIS, CELL, HIGH, APART = 56, 28, 22, 82
"""How wide an axis of a shape and a cell are, how high a row is, how far apart columns are."""
STEPS, MEMBERS, EVENT = "steps", "members", "event"


def panel_of(rows: dict, hot: str = "", border: int | None = None) -> Panel:
    """Draw shapes under one another, with the names of their axes.

    Args:
        rows: label to shape.
        hot: the label of the row that does not fit.
        border: how many axes are at the right of the border between batch and event.
    """
    panel = Panel()
    names = (STEPS, MEMBERS, EVENT) if border is None else ("", "rows", "columns")
    for place, name in enumerate(reversed(names)):
        x = panel.width - (AXIS + 6) * (place + 0.5)
        panel.text(x, 18, name, middle=True)
    panel.height = 28
    panel.shapes(rows, [hot], wide=AXIS)
    if border is not None:
        x = panel.width - (AXIS + 6) * border - 3
        panel.line([(x, 24), (x, 54)], color=GREEN)
        panel.text(x - 46, 72, "border", color=GREEN)
    panel.height = 92
    return panel


def blocks(panel: Panel, columns: int, rows: int, size: int, joined: bool, out: int) -> None:
    """Draw columns of rows of cells, the cells of a row in one box where they are `joined`.

    The last `out` rows are those that are not there.
    """
    for column, row in np.ndindex(columns, rows + out):
        x, y = MARGIN + APART * column, panel.height + (HIGH + 6) * row
        gone = row >= rows
        color = ACCENT if gone else INK
        for cell in range(size):
            at = x + 4 + (CELL + 4) * cell
            panel.box(at, y + 3, CELL, HIGH - 6, color=color, tinted=not gone, bare=joined)
        if joined:
            panel.box(x, y, (CELL + 4) * size + 4, HIGH, color=color, dashed=gone)
    panel.height += (HIGH + 6) * (rows + out)


def draw(ten: Any, pairs: Any, fewer: Any, value: Any) -> Steps:
    """Draw how the border moves, and which shapes fit.

    Args:
        ten: independent normals, with two batch axes.
        pairs: the same with the last of them as its event.
        fewer: pairs, one less of them.
        value: what `pairs` are broadcast to.
    """
    steps, members, size = value.shape
    few = fewer.batch_shape[0]
    assert ten.batch_shape == (members, size) and pairs.event_shape == (size,)
    assert np.broadcast_shapes(pairs.batch_shape, (steps, members)) == (steps, members)
    figure = Steps("Normals, pairs and a value. What does the border do, and which pairs fit?")

    def frame(
        says: str, alt: str, panel: Panel, wide: int, high: int, joined: bool = True, out: int = 0
    ) -> None:
        blocks(panel, wide, high, size, joined, out)
        figure.add(says, alt, panel)

    frame(
        "Ten normals. Both axes belong to the batch, so each cell is a draw of its own, and "
        "`log_prob` gives ten numbers.",
        f"The shape {members} by {size}, with the border at its right. Below, ten single cells.",
        panel_of({"ten normals": ten.batch_shape}, border=len(ten.event_shape)), 1, members,
        joined=False,
    )  # fmt: skip
    frame(
        "`to_event(1)` moves the border past the last axis. The two cells of a row are now one "
        "draw: five pairs, and five numbers from `log_prob`.",
        f"The border stands between {members} and {size}. Below, five boxes of two cells.",
        panel_of({"five pairs": ten.batch_shape}, border=len(pairs.event_shape)), 1, members,
    )  # fmt: skip
    rows = {"a value": value.shape}
    frame(
        "A value with four steps. Aligned at the right, members meet members. The pairs have no "
        "axis for the steps.",
        f"The value has {steps} steps, {members} members and {size} numbers; the pairs have "
        f"{members} members and {size} numbers, and an empty place under the steps.",
        panel_of(rows | {"five pairs": (None, members, size)}), 1, members,
    )  # fmt: skip
    frame(
        "Broadcasting repeats the pairs along the missing axis, once for each step. They fit.",
        f"The pairs have {steps} steps now, as the value has. Below, the column of five boxes "
        f"stands there {steps} times.",
        panel_of(rows | {"five pairs": value.shape}), steps, members,
    )  # fmt: skip
    frame(
        "Four pairs do not fit: four meets five, and neither of them is one. Which pair would the "
        "fifth member have?",
        f"The row of the four pairs is marked: {few} stands under {members}. Below, four boxes, "
        "and a dashed one in the place of a fifth.",
        panel_of(rows | {"four pairs": (None, few, size)}, "four pairs"), 1, few,
        out=members - few,
    )  # fmt: skip
    return figure
