"""Compare the gradient with the density: along a path, it adds up to what the density changes."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from ..context import DRAWS, Context, NothingToCompare
from ..wide import Wide, row_of

PART = 0.2
"""How far a path goes from one prior draw towards the next."""
NODES, WEIGHTS = np.polynomial.legendre.leggauss(8)
"""Where a path is first looked at: for a smooth density the sum is right to many digits."""
SUSPICIOUS = 1e-3
"""The part of the change by which the sum may miss it before the path is looked at closely."""
WRONG = 0.05
"""The part of the change that has to be missing then, which is never rounding in 64 bits."""
NATS = 0.05
"""A change of the density that is worth no look."""
COARSE, FINE = 64, 512
"""Steps of a close look: what only more steps can tell is not judged."""
ENOUGH = 2
"""Paths on which a gradient has to be wrong: one may cross a kink."""


def check(context: Context) -> None:
    """Follow some paths between prior draws, in 64 bits and in the space in which NUTS moves.

    First all latents move at once. Only where the gradient misses what the density changes by does
    each latent move alone. Where a few steps hold the whole difference, the density jumps there.

    Raises:
        NothingToCompare: there is no gradient, or the sampler of an `MCMC` asks for none.
        CannotRun: the model does not run with 64 bits.
    """
    context.asks_for_a_gradient()
    model = context.wide
    if not model.ways:
        raise NothingToCompare("no continuous latent has a gradient")
    chance = np.random.default_rng(0)
    odd = [
        start for start in range(DRAWS - 1)
        if misses(Path(model, start, towards(model, start, chance)))
    ]  # fmt: skip
    if len(odd) < ENOUGH or any(finding.id == "index-outside" for finding in context.findings):
        return  # JAX drops the gradient of what it reads past the end, and `index` says so
    for name in model.ways:
        judged = [closely(Path(model, start, towards(model, start, chance, name))) for start in odd]
        wrong = [pair for pair in judged if pair]
        if len(wrong) >= ENOUGH:
            tell(context, name, wrong, len(odd))
            return


def tell(context: Context, name: str, wrong: list[tuple[float, float, bool]], of: int) -> None:
    """Add the finding for one latent; a jump is one where most of the paths that are wrong jump."""
    change, slope, _ = max(wrong, key=lambda pair: abs(pair[0] - pair[1]))
    says = (
        f"on {len(wrong)} of {of} short paths on which it moves, the gradient does not add up to "
        f"what the log density changes by: to {slope:.4g} where that is {change:.4g}"
    )
    if 2 * sum(jumps for *_, jumps in wrong) > len(wrong):
        context.find("jumps", f"{says}; the density jumps, and no gradient shows it", name)
    else:
        own = context.traced.has("custom_vjp")
        says += "; the model has a derivative of its own" * own
        context.find("wrong-gradient", says, name, ["custom-vjp-none"] * own)


class Path:
    """A straight way from the point of one prior draw, in unconstrained space."""

    def __init__(self, model: Wide, start: int, way: dict[str, np.ndarray]) -> None:
        self.model, self.way = model, way
        self.values, self.point = row_of(model.drawn, start), row_of(model.points, start)

    def at(self, part: float) -> tuple[float, float]:
        """Return the log density at a part of the way, and its slope along it."""
        here = {name: point + part * self.way.get(name, 0.0) for name, point in self.point.items()}
        (height, _), slopes = self.model.program(self.values, here, np.bool_(True))
        along = sum(float(np.sum(slopes[name] * way)) for name, way in self.way.items())
        return float(height), along

    def change(self) -> float:
        """Return by how much the log density changes on it."""
        with np.errstate(invalid="ignore"):
            return self.at(1.0)[0] - self.at(0.0)[0]


def towards(model: Wide, start: int, chance: Any, only: str = "") -> dict[str, np.ndarray]:
    """Return a part of the way to the next draw; where two are equal, of a way by chance."""

    def way(rows: np.ndarray) -> np.ndarray:
        there = rows[start + 1] - rows[start]
        return PART * np.where(there == 0.0, chance.normal(size=np.shape(there)), there)

    ways = jax.tree.map(way, model.points)
    return {only: ways[only]} if only else ways


def misses(path: Path) -> bool:
    """Tell whether the gradient at some points of a path misses what the density changes by."""
    change = path.change()
    if not np.isfinite(change):
        return False
    slopes = np.array([path.at(0.5 + 0.5 * node)[1] for node in NODES])
    size = max(NATS, abs(change), float(np.abs(slopes).mean()))
    return bool(abs(change - 0.5 * WEIGHTS @ slopes) > SUSPICIOUS * size)


def closely(path: Path) -> tuple[float, float, bool] | None:
    """Return what the density changes by, what the gradient adds up to, and whether it jumps.

    None where the two agree, or where more steps bring them together.
    """
    gaps = []
    for steps in (COARSE, FINE):
        middles = np.array([path.at((step + 0.5) / steps)[1] for step in range(steps)]) / steps
        change, slope = path.change(), middles.sum()
        size = max(NATS, abs(change), float(np.abs(middles).sum()))
        if not np.isfinite([change, slope]).all() or abs(change - slope) <= WRONG * size:
            return None
        gaps.append(abs(change - slope))
    if gaps[1] < 0.5 * gaps[0]:
        return None
    heights = np.array([path.at(step / FINE)[0] for step in range(FINE + 1)])
    missing = np.sort(np.abs(np.diff(heights) - middles))[::-1]
    return change, float(slope), bool(missing[: FINE // 16].sum() > 0.9 * missing.sum())
