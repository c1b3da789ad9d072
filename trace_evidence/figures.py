"""The look of the figures, and the few drawings that several pages share.

Figures are SVG with three sentinel colours, `INK`, `PAPER` and `SILENT`. The page swaps them for
its own colours of text, background and silent failures, so that one drawing serves light, dark and
print.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

STYLE = Path(__file__).with_name("book.mplstyle")
INK, PAPER = "#1b1f24", "#ffffff"
GREY = "#8a8f98"
BLUE = "#0072b2"
SILENT = "#7a2a6b"
LOOKS = {
    "got": {"color": SILENT, "lw": 2.4, "marker": "o", "ms": 5, "zorder": 3},
    "expected": {"color": INK, "lw": 1.3, "ls": "--", "marker": "o", "ms": 9, "mfc": "none"},
}
GIVEN = {"color": GREY, "lw": 1.3, "marker": "o", "ms": 4}


def use_style(shell) -> None:
    """Apply the style to a notebook's figures, and make them SVG without a date."""
    import matplotlib.pyplot as plt
    from matplotlib_inline.backend_inline import set_matplotlib_formats

    plt.style.use(STYLE)
    set_matplotlib_formats("svg", metadata={"Date": None})


def field_names(node) -> list[str] | None:
    """Return the names of a NumPyro distribution's children, in the order of its leaves."""
    gather = getattr(type(node), "gather_pytree_data_fields", None)
    return list(gather()) if gather else None


def children(node, names: Callable) -> list[tuple[str, object]]:
    """Return the (edge label, child) pairs one level below a node; none for a leaf."""
    import jax

    pairs, _ = jax.tree_util.tree_flatten_with_path(node, is_leaf=lambda x: x is not node)
    if len(pairs) == 1 and not pairs[0][0]:
        return []
    labels = names(node) or [jax.tree_util.keystr(path) for path, _ in pairs]
    return [(label, child) for label, (_, child) in zip(labels, pairs, strict=True)]


def draw_pytree(ax, tree, names: Callable = field_names) -> None:
    """Draw a pytree as JAX sees it: nodes, leaves with their shapes, and empty places.

    Args:
        ax: the matplotlib axes to draw into.
        tree: any pytree. None is drawn as an empty place, for that is what it is to JAX.
        names: gives the edge labels below a node, or None for JAX's own key path.
    """
    import jax.numpy as jnp

    ax.set_axis_off()
    width = 0

    def box(x, y, text, color, style):
        look = {"boxstyle": "round,pad=0.35", "facecolor": PAPER, "edgecolor": color}
        look |= {"linestyle": style, "linewidth": 1.6}
        ax.text(x, y, text, ha="center", va="center", bbox=look, color=INK, zorder=3)

    def draw(node, depth):
        nonlocal width
        below = children(node, names) if node is not None else []
        places = [(label, draw(child, depth + 1)) for label, child in below]
        if places:
            x = sum(place for _, place in places) / len(places)
        else:
            x, width = width, width + 1
        for label, place in places:
            ax.plot([x, place], [-depth, -depth - 1], color=GREY, lw=1.2, zorder=1)
            ax.text(
                place,
                -depth - 0.58,
                label,
                ha="center",
                fontsize=10,
                zorder=2,
                bbox={"facecolor": PAPER, "edgecolor": "none", "pad": 1.5},
            )
        if places:
            box(x, -depth, type(node).__name__, INK, "solid")
        elif node is None:
            box(x, -depth, "None", GREY, "dashed")
        else:
            shape = ",".join(map(str, jnp.shape(node)))
            box(x, -depth, f"leaf\n[{shape}]", BLUE, "solid")
        return x

    draw(tree, 0)
    ax.set_xlim(-0.6, width - 0.4)
    ax.margins(y=0.1)


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
    """
    import matplotlib.pyplot as plt

    rows = {**given, "expected": expected, "got": got}
    rows = {name: np.asarray(row, float) for name, row in rows.items()}
    across = {"grid": len(rows)}.get(kind, 1)
    figure, axes = plt.subplots(1, across, figsize=(4.4, 2.3), squeeze=False)
    axes[0, 0].set_xlabel(names[0], family="monospace")
    axes[0, 0].set_ylabel(names[1], family="monospace")
    if kind == "hist":
        x = np.histogram_bin_edges(np.concatenate(list(rows.values())), 40)
    for place, (name, row) in enumerate(rows.items()):
        look = {"label": name, **LOOKS.get(name, GIVEN)}
        if kind == "grid":
            _draw_table(axes[0, place], row, look)
        else:
            _draw_row(axes[0, 0], kind, np.arange(len(row)) if x is None else x, row, look)
    if kind != "grid":
        figure.legend(loc="outside upper left", ncols=3, prop={"family": "monospace"})
        if x is None:
            axes[0, 0].locator_params(axis="x", integer=True)
    plt.show()


def _draw_row(ax, kind, x, row, look) -> None:
    """Draw numbers as dots, a path, a curve, ticks, or the outline of draws."""
    if kind in ("density", "posterior", "hist"):
        ax.spines["left"].set_visible(False)
        ax.set_yticks([])
        if look["color"] == GREY:
            kind, x, row, look = "points", row, 0 * row, {**look, "marker": "|", "ms": 14}
    if kind == "posterior":
        row = np.exp(row - row.max())  # each with its peak at one
    if kind == "hist":
        row, x = np.histogram(row, x, density=True)[0], (x[1:] + x[:-1]) / 2
        look["drawstyle"] = "steps-mid"
    if kind == "pairs":
        kind, x, row = "points", *row.T
        ax.set_aspect("equal")
    ax.plot(x, row, **look | {"points": {"ls": ""}, "path": {}}.get(kind, {"marker": ""}))


def _draw_table(ax, rows, look) -> None:
    """Draw a table of numbers: the larger one is, the darker its place."""
    ax.set_title(look["label"], family="monospace")
    ax.set(aspect="equal", xticks=[], yticks=[], xlim=(0, rows.shape[1]), ylim=(len(rows), 0))
    shades = 0.05 + 0.5 * (rows - rows.min()) / (rows.max() - rows.min())
    for (y, x), value in np.ndenumerate(rows):
        ax.fill_between((x, x + 1), y, y + 1, color=look["color"], alpha=shades[y, x], lw=0)
        ax.text(x + 0.5, y + 0.5, f"{value:.1f}", ha="center", va="center", size=9)
