"""The look of the figures, and the few drawings that several chapters share.

Figures are SVG with two sentinel colours, `INK` and `PAPER`. The page swaps them for its own
text and background colours, so that one drawing serves light, dark and print.
"""

from __future__ import annotations

INK = "#1b1f24"
PAPER = "#ffffff"
# Okabe and Ito's colour-blind safe palette, the ones that stand out on white and on black alike.
BLUE, ORANGE, GREEN, RED, PURPLE = "#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7"

STYLE = {
    "figure.figsize": (7.2, 3.2),
    "figure.facecolor": PAPER,
    "axes.facecolor": PAPER,
    "savefig.facecolor": PAPER,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "text.color": INK,
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.prop_cycle": f"cycler('color', {[BLUE, RED, GREEN, ORANGE, PURPLE]})",
    "font.size": 11,
    "axes.titlesize": 12,
    "figure.constrained_layout.use": True,
    "svg.fonttype": "path",
    "svg.hashsalt": "trace-evidence",
}


def use_style(shell=None) -> None:
    """Apply the style to matplotlib; in a notebook, make its figures SVG."""
    import matplotlib.pyplot as plt

    plt.rcParams.update(STYLE)
    if shell is not None:
        from matplotlib_inline.backend_inline import set_matplotlib_formats

        set_matplotlib_formats("svg", metadata={"Date": None})
