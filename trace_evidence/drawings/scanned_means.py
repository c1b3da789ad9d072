"""The shapes of a scanned `MultivariateNormal` on the old stack, for any days and animals."""

from collections.abc import Callable
from itertools import product
from typing import Any

import jax.numpy as jnp
import numpy as np
from numpyro import handlers
from numpyro.distributions.batch_util import promote_batch_shape

from ..steps import ACCENT, INK, Panel, Steps

OLD_RULE = "off again: the old rule"
SIDE = 23
"""How wide and high a cell of a table is."""


def shapes_of(
    model: Callable, stack: Callable, days: int, animals: int
) -> tuple[dict[str, tuple], Any, str]:
    """Return the shapes on the way, the means in use, and the log density or the error's name.

    Args:
        model: takes days and a number of animals; its site `position` is scanned.
        stack: stacks the distributions of as many days, as `scan` does, from a mean's shape.
        days: how many days there are.
        animals: how many animals there are.
    """
    steps = 1.0 + jnp.arange(days)
    at_mean = jnp.ones((days, animals, 2)) * steps[:, None, None]
    given = handlers.substitute(model, data={"position": at_mean})
    fn = handlers.trace(handlers.seed(given, 0)).get_trace(steps, animals)["position"]["fn"]
    stacked, loc = stack(float(days), (2,)), np.asarray(fn.base_dist.loc)
    shapes = {
        "means, stacked by scan": stacked.loc.shape,
        "event axis off": stacked.loc.shape[:-1],
        OLD_RULE: promote_batch_shape(stacked).batch_shape,
        "means, with an axis for animals": loc.shape[:-1],
        "positions: days, animals": (days, animals),
    }
    try:
        density = f"{fn.log_prob(at_mean).sum():.2f}"
    except (TypeError, ValueError) as error:
        density = type(error).__name__
    return shapes, loc[..., 0].astype(int), density


def table(panel: Panel, x: float, title: str, cells: np.ndarray, hot: bool) -> None:
    """Draw a table of small cells with its title, from `x` on; empty ones are dashed."""
    panel.text(x + 1, panel.height + 12, title)
    for (row, column), value in np.ndenumerate(cells):
        left, top = x + SIDE * column, panel.height + 18 + SIDE * row
        look = {"color": ACCENT if hot else INK, "tinted": hot, "dashed": value == " "}
        panel.box(left + 1.5, top + 1.5, SIDE - 3, SIDE - 3, **look)
        if value != " ":
            panel.text(left + SIDE / 2, top + SIDE / 2 + 5, value, middle=True)


def draw(model: Callable, stack: Callable, at_mode: float) -> Steps:
    """Draw which mean each position gets, for a few numbers of days and animals.

    Args:
        model: as `shapes_of` takes it.
        stack: as `shapes_of` takes it.
        at_mode: the log density of one position at its mean.
    """
    choices = {"days": [3, 4, 5], "animals": [4, 5, 6]}
    figure = Steps(
        "The mean in the density of each position, on the old stack. For which sizes is it the "
        "mean that was meant, and who is told when it is not?",
        choices,
    )
    for at in product(*choices.values()):
        days, animals = at
        shapes, loc, density = shapes_of(model, stack, days, animals)
        silent = not density.endswith("Error")
        left = Panel("the shapes of current")
        left.shapes(shapes, {OLD_RULE}, wide=26)
        right = Panel("each position's mean, a row a day")
        meant = np.broadcast_to(1 + np.arange(days)[:, None], at)
        used = np.broadcast_to(loc if silent else " ", at)
        table(right, 8, "meant", meant, hot=False)
        table(right, 190, "used", used, hot=silent)
        right.height += 24 + SIDE * days
        says = f"Loud: `{loc.shape}` meets `{at}`, which raises a `{density}`."
        if silent:
            exact = days * animals * at_mode
            says = f"Silent: log density {density}, but {exact:.2f} is right."
        drawn = ", ".join(f"{label} {shape}" for label, shape in shapes.items())
        figure.add(says, f"Shapes: {drawn}. {says}", left, right, at=at)
    return figure
