"""The look of the figures, and the few drawings that several pages share.

Figures are SVG with two sentinel colours, `INK` and `PAPER`. The page swaps them for its own
text and background colours, so that one drawing serves light, dark and print.
"""

from pathlib import Path

STYLE = Path(__file__).with_name("book.mplstyle")
INK, PAPER = "#1b1f24", "#ffffff"
GREY = "#8a8f98"
BLUE = "#0072b2"


def use_style(shell) -> None:
    """Apply the style to a notebook's figures, and make them SVG without a date."""
    import matplotlib.pyplot as plt
    from matplotlib_inline.backend_inline import set_matplotlib_formats

    plt.style.use(STYLE)
    set_matplotlib_formats("svg", metadata={"Date": None})


def children(node) -> list[tuple[str, object]]:
    """Return the (edge label, child) pairs one level below a node; none for a leaf.

    The children of a NumPyro distribution have the names of its fields.
    """
    import jax

    pairs, _ = jax.tree_util.tree_flatten_with_path(node, is_leaf=lambda x: x is not node)
    if len(pairs) == 1 and not pairs[0][0]:
        return []
    labels = [jax.tree_util.keystr(path) for path, _ in pairs]
    if gather := getattr(type(node), "gather_pytree_data_fields", None):
        labels = gather()
    return [(label, child) for label, (_, child) in zip(labels, pairs, strict=True)]


def draw_pytree(ax, tree) -> None:
    """Draw a pytree as JAX sees it: nodes, leaves with their shapes, and empty places.

    Args:
        ax: the matplotlib axes to draw into.
        tree: any pytree. None is drawn as an empty place, for that is what it is to JAX.
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
        below = children(node) if node is not None else []
        places = [(label, draw(child, depth + 1)) for label, child in below]
        if places:
            x = sum(place for _, place in places) / len(places)
        else:
            x, width = width, width + 1
        for label, place in places:
            ax.plot([x, place], [-depth, -depth - 1], color=GREY, lw=1.2, zorder=1)
            blank = {"facecolor": PAPER, "edgecolor": "none", "pad": 1.5}
            where = place, -depth - 0.58
            ax.text(*where, label, ha="center", fontsize=11, zorder=2, bbox=blank)
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
