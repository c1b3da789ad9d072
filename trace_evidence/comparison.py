"""The picture of a silent failure: a wrong answer drawn over the right one.

It is a module of its own, so that a change of it executes only the pages that draw. The page swaps
`SILENT`, as it does the other two colours of `figures`.
"""

import numpy as np

from .figures import GREY, INK

SILENT = "#7a2a6b"
LOOKS = {
    "got": {"color": SILENT, "lw": 2.4, "marker": "o", "ms": 5, "zorder": 3},
    "expected": {"color": INK, "lw": 1.3, "ls": "--", "marker": "o", "ms": 9, "mfc": "none"},
}
GIVEN = {"color": GREY, "lw": 1.3, "marker": "o", "ms": 4}
# What the height is in a drawing of a distribution; of a posterior it is known up to a factor.
HEIGHTS = {"density": "density", "hist": "density", "posterior": "density / peak"}


def compare(got, expected, kind="path", x=None, names=("", ""), **given) -> None:
    """Draw a wrong answer with the right one; each word is a name of the program.

    Args:
        got: the wrong numbers, drawn full, in the color of silent failures.
        expected: the right numbers, drawn hollow or thin, in the page's ink.
        kind: "path", "points", "curve", "density"; "posterior", which takes log densities; "pairs"
            for rows of two; "hist" for draws; "grid" for tables side by side.
        x: where the numbers stand; without it they are counted from 0.
        names: of the axes.
        given: other numbers by their name, in grey; with a density they are ticks.

    Raises:
        ValueError: the two answers are the same, so that the picture would show no failure.
    """
    import matplotlib.pyplot as plt

    rows = {**given, "expected": expected, "got": got}
    rows = {name: np.asarray(row, float) for name, row in rows.items()}
    if np.array_equal(rows["got"], rows["expected"], equal_nan=True):
        raise ValueError("`got` and `expected` are the same: there is nothing to compare")
    tables = len(rows) if kind == "grid" else 1
    # Of many wide tables two stand side by side: their numbers would be too small to read.
    across = 2 if kind == "grid" and tables * rows["got"].shape[1] > 12 else tables
    down = -(-tables // across)
    figure, axes = plt.subplots(down, across, figsize=(4.4, 2.3 * down), squeeze=False)
    axes[-1, 0].set_xlabel(names[0], family="monospace")
    if names[1]:
        axes[0, 0].set_ylabel(names[1], family="monospace")
    else:
        axes[0, 0].set_ylabel(HEIGHTS.get(kind, ""))  # which is no name of the program
    if kind == "hist":
        x = np.histogram_bin_edges(np.concatenate(list(rows.values())), 40)
    for place, (name, row) in enumerate(rows.items()):
        look = {"label": name, **LOOKS.get(name, GIVEN)}
        if kind == "grid":
            scale = row if name in given else np.append(rows["expected"], rows["got"])
            _draw_table(axes.flat[place], row, look, scale)
        else:
            _draw_row(axes[0, 0], kind, np.arange(len(row)) if x is None else x, row, look)
    for empty in axes.flat[tables:]:
        empty.remove()
    if kind != "grid":
        figure.legend(loc="outside upper left", ncols=3, prop={"family": "monospace"})
        if x is None:
            axes[0, 0].locator_params(axis="x", integer=True)
    plt.show()


def _draw_row(ax, kind, x, row, look) -> None:
    """Draw numbers as dots, a path, a curve, ticks, or the outline of draws."""
    if kind in HEIGHTS:
        ax.locator_params(axis="y", nbins=4)
        if look["color"] == GREY:
            kind, x, row, look = "points", row, 0 * row, {**look, "marker": "|", "ms": 14, "mew": 2}
    if kind == "posterior":
        row = np.exp(row - row.max())  # each with its peak at one
    if kind == "hist":
        row, x = np.histogram(row, x, density=True)[0], (x[1:] + x[:-1]) / 2
        look["drawstyle"] = "steps-mid"
    if kind == "pairs":
        kind, (x, row) = "points", row.T
        ax.set_aspect("equal")
    ax.plot(x, row, **look | {"points": {"ls": ""}, "path": {}}.get(kind, {"marker": ""}))


def _draw_table(ax, rows, look, scale) -> None:
    """Draw a table of numbers: the larger one is among those of `scale`, the darker its place."""
    ax.set_title(look["label"], family="monospace")
    ax.set(aspect="equal", xticks=[], yticks=[], xlim=(0, rows.shape[1]), ylim=(len(rows), 0))
    shades = 0.05 + 0.4 * (rows - scale.min()) / (scale.max() - scale.min())
    for (y, x), value in np.ndenumerate(rows):
        ax.fill_between((x, x + 1), y, y + 1, color=look["color"], alpha=shades[y, x], lw=0)
        ax.text(x + 0.5, y + 0.5, f"{value:.1f}", ha="center", va="center", size=11)
