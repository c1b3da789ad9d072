"""Compare the gradient with the density: along a path, it adds up to what the density changes."""

from __future__ import annotations

import copy
from typing import Any

import jax
import numpy as np

from ..context import DRAWS, Context, NothingToCompare
from ..wide import Wide, row_of

PART, WHOLE = 0.2, 1.0
"""How far a path goes from one prior draw towards the next; where a jump is looked for, to it."""
NODES, WEIGHTS = np.polynomial.legendre.leggauss(8)
"""Where a path is first looked at: for a smooth density the sum is right to many digits."""
SUSPICIOUS = 1e-3
"""The part of the change by which the sum may miss it before the path is looked at closely."""
WRONG = 0.05
"""The part of the change that has to be missing then, which is never rounding in 64 bits."""
NATS = 0.05
"""A change of the density that is worth no look."""
NARROW = 2.0**-30
"""The part of a path that a jump is narrowed down to: the steepest healthy slope is wider."""
LOOKS = 200
"""How many parts of a path are halved at most."""
ASIDE = range(4)
"""At so many such parts before a jump, and after it, the density is the same."""
BEYOND = 2.0**-20
"""The part of a path that one latent goes alone, to cross a jump."""
COARSE, FINE = 64, 512
"""Steps of a close look: what only more steps can tell is not judged."""
ENOUGH = 2
"""Paths on which a gradient has to be wrong: one may cross a kink."""


def check(context: Context) -> None:
    """Follow some paths between prior draws, in 64 bits and in the space in which NUTS moves.

    First all latents move at once. Only where the gradient misses what the density changes by does
    each latent move alone. Where a few steps hold the whole difference, the density jumps there.
    One jump may lie anywhere between two draws, so it is looked for all the way.

    Raises:
        NothingToCompare: there is no gradient, or the sampler of an `MCMC` asks for none.
        CannotRun: the model does not run with 64 bits.
    """
    context.asks_for_a_gradient()
    model = context.wide
    if not model.ways:
        raise NothingToCompare("no continuous latent has a gradient")
    if any(finding.id == "index-outside" for finding in context.findings):
        return  # JAX drops the gradient of what it reads past the end, and `index` says so
    chance = np.random.default_rng(0)
    odd = [
        start for start in range(DRAWS - 1)
        if misses(Path(model, start, towards(model, start, chance)))
    ]  # fmt: skip
    for name in model.ways if len(odd) >= ENOUGH else ():
        judged = [closely(Path(model, start, towards(model, start, chance, name))) for start in odd]
        wrong = [pair for pair in judged if pair]
        if len(wrong) >= ENOUGH:
            tell(context, name, wrong, len(odd))
            return
    for start in range(DRAWS - 1):
        path = Path(model, start, towards(model, start, chance, part=WHOLE))
        if jump := jump_on(path):
            says = f"between two prior draws the log density jumps by {jump[1]:.4g}"
            context.find("jumps", f"{says}, and no gradient shows it", moved_by(path, *jump))
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

    def here(self, part: float) -> dict[str, np.ndarray]:
        """Return the point at a part of the way."""
        return {name: x + part * self.way.get(name, 0.0) for name, x in self.point.items()}

    def at(self, part: float) -> tuple[float, float]:
        """Return the log density at a part of the way, and its slope along it."""
        (height, _), slopes = self.model.program(self.values, self.here(part), np.bool_(True))
        along = sum(float(np.sum(slopes[name] * way)) for name, way in self.way.items())
        return float(height), along

    def densities(self, part: float) -> dict[str, float]:
        """Return the log density of each site at a part of the way."""
        (_, (rows, *_)), _ = self.model.program(self.values, self.here(part), np.bool_(True))
        return {name: float(np.sum(each)) for name, each in rows.items()}

    def change(self, low: float = 0.0, high: float = 1.0) -> float:
        """Return by how much the log density changes between two parts of it."""
        with np.errstate(invalid="ignore"):
            return self.at(high)[0] - self.at(low)[0]

    def alone(self, name: str, part: float) -> Path:
        """Return a way from a part of this one, on which one latent moves."""
        path = copy.copy(self)
        path.point = self.here(part)
        path.way = {name: self.way[name]}
        return path


def towards(
    model: Wide, start: int, chance: Any, only: str = "", part: float = PART
) -> dict[str, np.ndarray]:
    """Return a part of the way to the next draw; where two are equal, of a way by chance."""

    def way(rows: np.ndarray) -> np.ndarray:
        there = rows[start + 1] - rows[start]
        return part * np.where(there == 0.0, chance.normal(size=np.shape(there)), there)

    ways = jax.tree.map(way, model.points)
    return {only: ways[only]} if only else ways


def missed(path: Path, low: float = 0.0, high: float = 1.0) -> tuple[float, float]:
    """Return how much of a change on a path the gradient at some points misses, and its size."""
    if not np.isfinite(change := path.change(low, high)):
        return 0.0, 0.0
    half = 0.5 * (high - low)
    slopes = half * np.array([path.at(low + half + half * node)[1] for node in NODES])
    size = max(NATS, abs(change), 2.0 * float(np.abs(slopes).mean()))
    return abs(change - float(WEIGHTS @ slopes)), size


def misses(path: Path) -> bool:
    """Tell whether it is worth a close look."""
    missing, size = missed(path)
    return missing > SUSPICIOUS * size


def jump_on(path: Path) -> tuple[float, float] | None:
    """Return after which part of a path the density jumps, and by how much, or None.

    Halved again and again, a kink or a steep slope comes to nothing, and a jump is as high as ever.
    """
    parts = [(NATS, 0.0, 1.0)]
    for _ in range(LOOKS):
        if not parts:
            break
        _, low, high = parts.pop()
        if high - low > NARROW:
            middle = 0.5 * (low + high)
            halves = [(missed(path, *ends)[0], *ends) for ends in ((low, middle), (middle, high))]
            parts += sorted(half for half in halves if half[0] > NATS)
            continue
        before = [path.at(low - aside * NARROW)[0] for aside in ASIDE]
        after = [path.at(high + aside * NARROW)[0] for aside in ASIDE]
        change = float(np.mean(after) - np.mean(before))
        level = np.ptp(before) + np.ptp(after) < WRONG * abs(change)
        if level and not is_penalty(path, low, high, change):
            return low, change
    return None


def is_penalty(path: Path, low: float, high: float, change: float) -> bool:
    """Tell whether all that jumps is exactly zero on one side, as a factor that forbids values."""
    before, after = path.densities(low), path.densities(high)
    jumped = [name for name in before if abs(after[name] - before[name]) > WRONG * abs(change)]
    return bool(jumped) and all(0.0 in (before[name], after[name]) for name in jumped)


def moved_by(path: Path, part: float, change: float) -> str:
    """Return which latent is behind a jump after a part of a path, if one is by itself."""
    for name in path.way:
        alone = path.alone(name, part)
        if abs(alone.change(0.0, BEYOND)) > 0.5 * abs(change):
            return name
    return ""


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
