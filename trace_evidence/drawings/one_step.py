"""One step of a loop, by hand: what an object holds, and what JAX sees of it."""

from collections.abc import Callable, Mapping
from typing import Any

import jax

from ..figures import children
from ..steps import MISSING, Panel, Steps

LINES = (
    "leaves, before = flatten(belief)",
    "inside = unflatten(before, leaves)",
    "inside.covariance_matrix",
    "leaves, after = flatten(inside)",
    "before == after",
)


def leaves_of(thing: Any) -> dict[str, str | None]:
    """Return what JAX finds under each name of an object: a leaf, or nothing."""
    named: list[tuple[str, Any]] = sorted(children(thing))
    return {name: child if child is None else f"leaf {list(child.shape)}" for name, child in named}


def listed(rows: Mapping[str, object]) -> str:
    """Return names and values in words."""
    return ", ".join(f"{name}: {'nothing' if v == MISSING else v}" for name, v in rows.items())


def draw(belief: Any, read: Callable[[Any], Any]) -> Steps:
    """Take an object apart and put it together again, as `scan` does, with a read between.

    Args:
        belief: a NumPyro distribution that was not read before.
        read: reads its covariance.
    """
    figure = Steps(
        "One step of `scan` on the old stack, by hand. Which line changes the structure that JAX "
        "sees?"
    )
    trees: dict[str, dict] = {}

    def frame(now: int, says: str, thing: Any) -> None:
        code, tree = Panel("one step of the loop"), Panel()
        code.code(LINES, now)
        code.height += 10
        code.say("the instance's own attributes", bold=True)
        held = {name: "array" if name in vars(thing) else MISSING for name in leaves_of(thing)}
        new = {"covariance_matrix"} - {name for name in held if held[name] == MISSING}
        code.rows(held, new)
        for title, shown in trees.items():
            leaves = {name for name in shown if shown[name]}
            top = tree.height
            tree.tree(type(thing).__name__, shown, new & leaves)
            tree.text(200, top + 16, title, bold=True)
            tree.height += 10
        drawn = ". ".join(f"The pytree that {title} has {listed(trees[title])}" for title in trees)
        alt = f"The line {LINES[now]} runs. The instance has {listed(held)}. {drawn}."
        figure.add(says, alt, code, tree)

    before: Any
    parts, before = jax.tree.flatten(belief)
    trees["goes in"] = leaves_of(belief)
    says = "NumPyro looks up four names and finds two in `__dict__`. A name that is missing "
    frame(0, says + "becomes `None`.", belief)
    inside = jax.tree.unflatten(before, parts)
    frame(1, "Your function gets a new belief, built from the leaves.", inside)
    read(inside)
    says = "The lazy property computes its value and keeps it in `__dict__`, so this read is a "
    frame(2, says + "write. Which names will JAX find at the end of the step?", inside)
    trees["comes out"] = leaves_of(inside)
    frame(
        3, "JAX asks for the same four names, and now finds three. The new one is a leaf.", inside
    )
    same = before == jax.tree.structure(inside)
    says = f"Are the structures equal? `{same}`. To JAX, `None` and an array are different "
    frame(4, says + "structures, so the loop is refused.", inside)
    return figure
