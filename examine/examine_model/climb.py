"""Climb from a point to a maximum, without leaving a box."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

import numpy as np

TRIED = 50
"""Points at which the slope is computed, at most."""
PAIRS = 8
"""Steps by which the curvature is known."""
FARTHEST = 2.0
"""By how much one step changes a coordinate, at most."""
SHORTEST = 1e-3
"""The part of a step below which no shorter one is tried."""
GAIN = 0.01
"""The height that a step has to gain, or the climb ends."""

Slope = Callable[[np.ndarray], tuple[float, np.ndarray]]
"""A function of a point that returns its height and its gradient, of the point's shape."""


def climb(slope: Slope, start: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray | None:
    """Return the highest point that L-BFGS finds, or None if it finds none above the start.

    SciPy has the same, but its import takes as long as a whole check. A point whose height or
    gradient is not finite is not gone to, so a climb without an end stops at the box.

    Args:
        slope: the height and the gradient of a point.
        start: a point, of shape (n,).
        low: the least that each coordinate may be, of the same shape.
        high: the most.
    """
    point, (height, gradient) = start, slope(start)
    steps = deque[tuple[np.ndarray, np.ndarray]](maxlen=PAIRS)
    left, length = TRIED - 1, 1.0
    while left and length > SHORTEST and np.isfinite(gradient).all():
        inside = ~((point <= low) & (gradient < 0) | (point >= high) & (gradient > 0))
        ahead = np.where(inside, direction(np.where(inside, gradient, 0.0), steps), 0.0)
        ahead *= min(1.0, FARTHEST / max(np.abs(ahead).max(initial=0.0), 1e-30))
        length = 1.0
        while left and length > SHORTEST:
            left -= 1
            there = np.clip(point + length * ahead, low, high)
            above, turned = slope(there)
            if np.isfinite(turned).all() and above > height + 1e-4 * gradient @ (there - point):
                break
            length *= 0.3
        else:
            break
        steps.append((there - point, gradient - turned))
        gained = above - height
        point, height, gradient = there, above, turned
        if gained < GAIN:
            break
    return None if point is start else point


def direction(gradient: np.ndarray, steps: Sequence[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """Return where to go: the gradient, times the inverse of the curvature that steps have shown.

    Args:
        gradient: the gradient, of shape (n,).
        steps: how the point and the gradient have changed, the latest last.
    """
    curved = [(moved, change) for moved, change in steps if moved @ change > 0]
    if not curved:
        return gradient / max(np.abs(gradient).max(initial=0.0), 1e-30)
    ahead, parts = gradient.copy(), []
    for moved, change in reversed(curved):
        part = moved @ ahead / (moved @ change)
        ahead -= part * change
        parts.append(part)
    moved, change = curved[-1]
    ahead *= moved @ change / (change @ change)
    for (moved, change), part in zip(curved, reversed(parts), strict=True):
        ahead += (part - change @ ahead / (moved @ change)) * moved
    return ahead
