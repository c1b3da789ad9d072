"""What the checks share: a model with its arguments, and the runs that several checks need."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

try:
    from jax.extend.core import jaxpr_as_fun
except ImportError:  # the old stack
    jaxpr_as_fun = jax.core.jaxpr_as_fun  # type: ignore[attr-defined]

from . import running
from .held import Held
from .report import Finding
from .running import Run

COMPILED = 1_500
"""Operations up to which a model is compiled with its loops unrolled, which is faster at first."""
LARGE = 1_000
"""Elements of an array up to which XLA compiles a model as it does in every test of its own."""
UNROLLED = 20_000
"""Operations beyond which running without compiled programs is left to `slow=True`."""


class CannotRun(Exception):
    """A check has no answer; the message says why, and goes into the report."""


class NothingToCompare(CannotRun):
    """The model has nothing that a check compares."""


@dataclass
class Ways:
    """What one draw's sites say in several ways: (log density, sum of magnitudes) by site.

    Attributes:
        drawn: at the draw itself.
        back: where the same values are handed in.
        also: the other numbers of that run: deterministic sites and the result.
        under_jit: densities and other numbers, as `jit` traces them.
        anew: the same without any program that was compiled before, or None.
        slopes: the gradient of the sum by latent site, in the shape of its value.
        why: why there is no `anew`.
    """

    drawn: dict
    back: dict
    also: dict
    under_jit: tuple[dict, dict]
    anew: tuple[dict, dict] | None
    slopes: dict
    why: str


@dataclass
class Context:
    """A model that is examined.

    Attributes:
        model: the model; args, kwargs: what it is called with.
        rng_key: the key of what is drawn; all other keys come from it.
        guide: a guide to look at, or None.
        mcmc: an `MCMC` that has run, or None.
        slow: whether checks may take as long as they like.
        left: where the first run left tracers; changed: where it changed what the model holds.
        findings: where checks put what they find; hints: and what is odd.
    """

    model: Callable
    args: tuple
    kwargs: dict
    rng_key: Any
    guide: Any = None
    mcmc: Any = None
    slow: bool = False
    left: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    hints: list[Finding] = field(default_factory=list)

    @cached_property
    def held(self) -> Held:
        """What the model holds, noted before its first run."""
        return Held(self.model, self.args, self.kwargs, self.guide)

    def key(self, number: int) -> Any:
        """Return one of the keys of this examination."""
        return jax.random.fold_in(self.rng_key, number)

    def run(self, rng_key: Any, values: dict | None = None, spy: bool = False) -> Run:
        """Run the model, and see to it that nothing that it holds has changed afterwards."""
        held = self.held
        try:
            return running.run(self.model, self.args, self.kwargs, rng_key, values, spy)
        finally:
            held.restore()

    @cached_property
    def draw(self) -> Run:
        """One draw, outside any trace: the model's first run here."""
        held = self.held
        try:
            return running.run(self.model, self.args, self.kwargs, self.key(0))
        finally:
            self.left, self.changed = held.tracers(), held.changed()
            held.restore()

    @cached_property
    def back(self) -> Run:
        """A run that is handed the values of `draw`, under another key."""
        return self.run(self.key(1), self.values)

    @cached_property
    def values(self) -> dict[str, Any]:
        """The values of `draw`, as they are handed in."""
        return self.draw.handed()

    @cached_property
    def names(self) -> list[str]:
        """The sample sites whose density can be computed and compared between runs."""
        other = set(running.measurable(self.back))
        return [name for name in running.measurable(self.draw) if name in other]

    @cached_property
    def largest(self) -> int:
        """The number of elements of the largest array that the model is given, holds or samples."""
        held = [thing for thing, _, _ in self.held.noted.values()]
        seen = [self.args, self.kwargs, [site.value for site in self.draw.sites], held]
        leaves = (leaf for leaf in jax.tree.leaves(seen) if hasattr(leaf, "shape"))
        return max((int(np.prod(np.shape(leaf))) for leaf in leaves), default=0)

    @cached_property
    def ways(self) -> Ways:
        """The densities of one draw, computed in all the ways that are compared, in one compile.

        Raises:
            CannotRun: the model does not run under `jit`.
        """
        names, key = self.names, self.key(1)  # read now: inside a trace they would keep its tracers
        free = {name: value for name, value in self.values.items() if is_smooth(value)}
        rest = {name: value for name, value in self.values.items() if name not in free}

        def measured(free: dict, rest: dict) -> Any:
            found = self.run(key, {**rest, **free})
            by_site = running.densities(found, names)
            self.held.restore()  # a density may keep what it computes
            return by_site, numbers(found)

        try:
            traced, size = recorded(measured, free, rest)
        except Exception as error:
            raise CannotRun(running.blame(error, "under `jit`")) from error
        fresh, why = self._without_programs(measured, free, rest, size)
        drawn, back = self.draw, self.back

        def all_ways(free: dict, rest: dict, gradient: bool = True) -> Any:
            def total(free: dict) -> Any:
                by_site, also = traced(free, rest)
                return sum((row[0] for row in by_site.values()), start=0.0), (by_site, also)

            if gradient:
                (_, under_jit), slopes = jax.value_and_grad(total, has_aux=True)(free)
            else:
                (_, under_jit), slopes = total(free), {}
            outside = [running.densities(run, names) for run in (drawn, back)]
            return under_jit, slopes, outside, fresh(free, rest) if callable(fresh) else None

        without_gradient = partial(all_ways, gradient=False)
        try:
            try:
                under_jit, slopes, outside, anew = running.quick(all_ways, free, rest)
            except Exception:  # a loop that cannot be differentiated, with all else in order
                under_jit, slopes, outside, anew = running.quick(without_gradient, free, rest)
        except Exception as error:
            raise CannotRun(f"compiled, it fails with {running.brief(error)}") from error
        anew = fresh if anew is None else anew
        return Ways(outside[0], outside[1], numbers(back), under_jit, anew, slopes, why)

    @cached_property
    def stepwise(self) -> dict[str, tuple[Any, Any]]:
        """The densities of one draw, one operation after another, so that no compiler had a say."""
        with jax.disable_jit():
            return running.densities(self.run(self.key(1), self.values), self.names)

    def _without_programs(
        self, measured: Callable, free: dict, rest: dict, size: int
    ) -> tuple[Any, str]:
        """Return the densities without programs compiled before, or a function that traces them.

        Where none are to be had the second of the two says why.
        """
        if size > UNROLLED and not self.slow:
            why = f"without compiled programs it takes some {size:,} operations: try `slow=True`"
            return None, why
        try:
            with jax.disable_jit():
                if size <= COMPILED:
                    anew, _ = recorded(measured, free, rest)
                    if not anew.loops:
                        return anew, ""
                return measured(free, rest), ""
        except Exception as error:
            return None, running.blame(error, "under `jax.disable_jit()`")

    def find(self, check: str, says: str, site: str = "", cases: Iterable[str] = ()) -> None:
        """Add a finding."""
        self.findings.append(Finding(check, says, site, tuple(cases)))

    def hint(self, check: str, says: str, site: str = "", cases: Iterable[str] = ()) -> None:
        """Add a hint."""
        self.hints.append(Finding(check, says, site, tuple(cases)))


class Recorded:
    """A function as JAX has traced it once, with what it returns."""

    def __init__(self, jaxpr: Any, tree: Any) -> None:
        self.jaxpr, self.tree = jaxpr, tree
        names = {equation.primitive.name for equation in jaxpr.jaxpr.eqns}
        self.loops = bool(names & {"while", "cond", "scan"})

    def __call__(self, *args: Any) -> Any:
        """Return what the function returned, as traced."""
        leaves = jaxpr_as_fun(self.jaxpr)(*jax.tree.leaves(args))
        return jax.tree.unflatten(self.tree, leaves)


def recorded(function: Callable, *args: Any) -> tuple[Recorded, int]:
    """Return a function as traced for some arguments, and how many operations it takes."""
    jaxpr, shape = jax.make_jaxpr(function, return_shape=True)(*args)
    return Recorded(jaxpr, jax.tree.structure(shape)), weight(jaxpr.jaxpr)


def weight(jaxpr: Any) -> int:
    """Return the number of a program's operations, those of a loop once for each step."""
    total = 0
    for equation in jaxpr.eqns:
        times = equation.params.get("length", 1) if equation.primitive.name == "scan" else 1
        if equation.primitive.name == "while":
            times = 20  # nobody knows
        inner = 0
        for value in equation.params.values():
            for part in value if isinstance(value, (list, tuple)) else [value]:
                part = getattr(part, "jaxpr", part)
                if hasattr(part, "eqns"):
                    inner += weight(part)
        total += 1 + times * inner
    return total


def is_smooth(value: Any) -> bool:
    """Tell whether a pytree holds floating-point arrays only, one at least."""
    leaves = jax.tree.leaves(value)
    return bool(leaves) and all(
        jnp.issubdtype(getattr(leaf, "dtype", np.asarray(leaf).dtype), jnp.floating)
        for leaf in leaves
    )


def numbers(found: Run) -> dict[str, Any]:
    """Return the numbers of a run that are no sample site's: deterministic ones and the result."""
    also: dict[str, Any] = {
        site.name: site.value
        for site in found.sites
        if site.kind == "deterministic" and not site.traced
    }
    result = []
    for leaf in jax.tree.leaves(found.result):
        if isinstance(leaf, (jax.Array, np.ndarray, float, int)) and not isinstance(leaf, bool):
            result.append(leaf)
    return {"deterministic": also, "result": result}
