"""Log densities row by row, and whether two ways of computing them agree."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from .running import Run, Site, of_the_model

STEPS = 8
"""Rounding errors by which values and data are moved, to see what rounding alone may change."""
NOISY = 8
"""How many times the change that rounding makes, as it was measured, a difference may have."""


def density(site: Site) -> jax.Array:
    """Return the log density of a sample site, scaled, as many numbers as it has rows."""
    with of_the_model():
        rows = site.fn.log_prob(site.value)
    if site.scale is not None:
        rows = site.scale * rows
    rows = jnp.asarray(rows)
    floating = jnp.issubdtype(rows.dtype, jnp.floating)
    return rows if floating else rows.astype(jnp.result_type(float))


def densities(run: Run, names: Iterable[str]) -> dict[str, jax.Array]:
    """Return the log density of some sample sites of a run by name."""
    samples = run.samples()
    return {name: density(samples[name]) for name in names if name in samples}


def measurable(run: Run) -> list[str]:
    """Return the names of the sample sites of a run outside any trace that have a density."""
    samples = run.samples().items()
    return [name for name, site in samples if not site.traced and hasattr(site.fn, "log_prob")]


@dataclass
class Apart:
    """Two ways to compute a log density that give different rows.

    Attributes:
        here: the rows as computed in the first way; there: in the second.
        rows: the indices of those that differ, the largest difference first.
    """

    here: np.ndarray
    there: np.ndarray
    rows: np.ndarray

    def says(self, first: str, second: str, returns: str = "") -> str:
        """Return in words what each way gives, of a log density if it is not said of what."""
        what = returns or "its log density is"
        if returns and self.here.size > 1:
            what = f"{returns}, in sum,"
        text = f"{what} {show(self.here.sum())} {first}, and {show(self.there.sum())}"
        text = f"{text} {second}".strip()
        if self.here.size == 1:
            return text
        index = self.rows[0]
        text += f": {self.rows.size:,} of {self.here.size:,} rows differ"
        return f"{text}, most {show(self.here[index])} and {show(self.there[index])}"

    def gap(self) -> float:
        """Return by how much the sums differ."""
        return float(self.here.sum() - self.there.sum())

    def finite(self) -> bool:
        """Tell whether all rows that differ are numbers in both ways."""
        return bool(np.isfinite([self.here[self.rows], self.there[self.rows]]).all())


def apart(here: Any, there: Any, size: Any = 1.0, noise: float = 0.0) -> Apart | None:
    """Return which rows of two log densities differ by more than arithmetic explains.

    Each row is compared by itself, and may differ by the root of its type's rounding error: a part
    in 3,000 of 32 bits. So an error that is small beside the sum of 100,000 rows is seen.

    Args:
        here: the rows of one.
        there: those of the other; where their number is another, the sums are compared.
        size: the magnitude of which a row is the sum, if that is larger.
        noise: how much of itself a row changes by rounding, as it was measured.
    """
    a, b = np.asarray(here), np.asarray(there)
    eps = max(float(jnp.finfo(rows.dtype).eps) for rows in (a, b) if is_floating(rows))
    a, b, size = (np.asarray(rows, dtype=float) for rows in (a, b, size))
    if a.size != b.size:
        sums = np.abs(a[np.isfinite(a)]).sum(), a.sum(), b.sum()
        size, a, b = map(np.asarray, sums)
    a, b, size = a.ravel(), b.ravel(), size.ravel()
    with np.errstate(invalid="ignore"):
        gap = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0.0, np.abs(a - b))
        allowed = max(eps**0.5, NOISY * noise) * scale(a, b, size)
    gap = np.where(np.isnan(gap), np.inf, gap)
    order = np.argsort(-gap, kind="stable")
    differing = order[(gap > allowed)[order]]
    return Apart(a, b, differing) if differing.size else None


def scale(first: np.ndarray, second: np.ndarray, size: Any = 1.0) -> np.ndarray:
    """Return the magnitude of each row, one at least; that of an infinite row is one."""
    parts = [np.where(np.isfinite(part), np.abs(part), 1.0) for part in (first, second)]
    return np.maximum(np.maximum(*parts), np.maximum(size, 1.0))


def rounding(here: Any, moved: Any) -> float:
    """Return by how much of itself a row changes at most where its inputs are rounded otherwise."""
    a, b = (np.asarray(rows, dtype=float).ravel() for rows in (here, moved))
    if a.size != b.size:
        return 0.0
    with np.errstate(invalid="ignore"):
        change = np.abs(a - b) / scale(a, b)
    return float(np.max(change, initial=0.0, where=np.isfinite(change)))


def shaken(tree: Any) -> Any:
    """Return a pytree whose arrays are moved by some rounding errors, up or down by chance."""
    way = STEPS * float(jnp.finfo(jnp.result_type(float)).eps)
    chance = np.random.default_rng(0)

    def moved(leaf: Any) -> Any:
        if not hasattr(leaf, "dtype") or not is_floating(leaf):
            return leaf
        return (leaf * (1 + chance.choice([-way, way], np.shape(leaf)))).astype(leaf.dtype)

    return jax.tree.map(moved, tree)


def same(here: Any, there: Any, tolerance: float = 1e-3) -> bool:
    """Tell whether two pytrees hold the same numbers; what are no numbers is not compared."""
    first, second = _numbers(here), _numbers(there)
    if [np.shape(a) for a in first] != [np.shape(b) for b in second]:
        return len(first) != len(second)  # a structure that varies says nothing about numbers
    for a, b in zip(first, second, strict=True):
        size = np.max(np.abs(a), initial=1.0, where=np.isfinite(a))
        if not np.allclose(a, b, rtol=tolerance, atol=tolerance * size, equal_nan=True):
            return False
    return True


def _numbers(tree: Any) -> list[np.ndarray]:
    arrays = []
    for leaf in jax.tree.leaves(tree):
        if isinstance(leaf, jax.core.Tracer):
            continue
        with contextlib.suppress(Exception):
            array = np.asarray(leaf)
            if array.dtype.kind in "fiub":
                arrays.append(array.astype(float))
    return arrays


def show(value: Any, most: int = 4) -> str:
    """Return a number or the first numbers of an array in a few characters."""
    array = np.asarray(value)
    if array.ndim == 0:
        return f"{float(array):.5g}" if array.dtype.kind in "fc" else str(array)
    first = ", ".join(f"{float(number):.4g}" for number in array.ravel()[:most])
    return f"[{first}{', …' if array.size > most else ''}]"


def is_smooth(value: Any) -> bool:
    """Tell whether a pytree holds floating-point arrays only, one at least."""
    leaves = jax.tree.leaves(value)
    return bool(leaves) and all(map(is_floating, leaves))


def is_real(leaf: Any) -> bool:
    """Tell whether a leaf is an array of floating-point or of whole numbers, or such a number."""
    kind: Any = leaf.dtype if hasattr(leaf, "dtype") else np.asarray(leaf).dtype
    return any(jnp.issubdtype(kind, real) for real in (np.floating, np.integer, np.bool_))


def is_floating(leaf: Any) -> bool:
    """Tell whether a leaf is an array of floating-point numbers, or such a number."""
    kind: Any = leaf.dtype if hasattr(leaf, "dtype") else np.asarray(leaf).dtype
    return jnp.issubdtype(kind, jnp.floating)
