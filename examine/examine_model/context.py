"""What the checks share: a model with its arguments, and the runs that several checks need."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import jax
import numpy as np
from numpyro import handlers, infer
from numpyro.distributions.distribution import validation_enabled
from numpyro.infer.initialization import init_to_uniform

from . import comparing, running
from .comparing import densities, is_real, is_smooth, measurable
from .held import Held, copied
from .programs import Drawing, Recorded, drawings
from .report import Finding
from .running import Run

COMPILED = 4_000
"""Operations up to which a model is compiled with its loops unrolled, which is faster at first."""
RESULT = "the model returns"
"""What the parts of a result are called among the numbers of a run."""
DRAWS = 8
"""Prior draws that are compared where one is too few."""
LARGE = 1_000
"""Elements of an array up to which XLA compiles a model as it does in every test of its own."""
GRADIENT_FREE = tuple(
    getattr(infer, name) for name in ("SA", "AIES", "ESS") if hasattr(infer, name)
)  # fmt: skip
"""The samplers that ask for no gradient."""
TRIES = 5
"""Starts that are tried where the first prior draw is invalid."""
UNROLLED = 20_000
"""Operations beyond which running without compiled programs is left to `slow=True`."""


class CannotRun(Exception):
    """A check has no answer; the message says why, and goes into the report."""


class NothingToCompare(CannotRun):
    """The model has nothing that a check compares."""


@contextlib.contextmanager
def refused(where: str) -> Iterator[None]:
    """Turn what is raised in the block into `CannotRun`, which says where: "under `jit`"."""
    try:
        yield
    except CannotRun:
        raise
    except Exception as error:
        raise CannotRun(running.blame(error, where)) from error


@dataclass
class Ways:
    """What one draw gives in several ways, each by name: see `numbers`.

    Attributes:
        drawn: the log densities at the draw itself.
        called: all numbers, as the model is called with the values handed in.
        under_jit: as `jit` traces it.
        anew: the same without any program that was compiled before, or None.
        why: why there is no `anew`.
    """

    drawn: dict
    called: dict
    under_jit: dict
    anew: dict | None
    why: str


@dataclass
class Draws:
    """Some prior draws, each along the first axis of all arrays; `Context.draw` is the first.

    Attributes:
        values: what the sites drew, as it is handed in.
        rows: the log densities by site, where the values are handed in; also: other numbers.
        inside: for each observed site, whether its rows lie in its support, and the support.
        slopes: the gradient of the sum of all rows by latent site; none where a loop has none.
        rows_at: a function of as many other values that returns their log densities by site.
    """

    values: dict
    rows: dict
    also: dict
    inside: dict
    slopes: dict
    rows_at: Callable[[dict], dict]

    def finite(self) -> bool:
        """Tell whether the log density of one draw is finite."""
        rows = [np.asarray(rows).reshape(DRAWS, -1) for rows in self.rows.values()]
        return bool(np.all([np.isfinite(densities).all(1) for densities in rows], axis=0).any())


def started(model: Callable, number: Any) -> Callable:
    """Return a model whose latents begin where those of NUTS begin, not at prior draws."""
    seeded = handlers.seed(model, jax.random.PRNGKey(number))
    return handlers.substitute(seeded, substitute_fn=init_to_uniform)


def supported(site: running.Site) -> tuple[Any, list]:
    """Return whether each observation of a site lies in its support, and the support's numbers."""
    try:
        support = site.fn.support
        ends = [leaf for leaf in jax.tree.leaves(support) if not callable(leaf)]
        return support(site.value), ends
    except Exception:
        return True, []  # a distribution that knows no support


@dataclass(eq=False)
class Context:
    """A model that is examined.

    Attributes:
        model: the model; args, kwargs: what it is called with.
        rng_key: the key of what is drawn; all other keys come from it.
        guide: a guide to look at, or None.
        mcmc: an `MCMC` that has run, or None.
        slow: whether checks may take as long as they like.
        left: where the first run left tracers, and whether they are keys.
        changed: where it changed what the model holds.
        findings: where checks put what they find; hints: and what is odd.
        check: the check that runs now.
        screen: where the first run prints; no other prints.
        refusal: what the model raised at a prior draw, if it takes the points where NUTS begins.
    """

    model: Callable
    args: tuple
    kwargs: dict
    rng_key: Any
    guide: Any = None
    mcmc: Any = None
    slow: bool = False
    left: dict[str, bool] = field(default_factory=dict)
    changed: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    hints: list[Finding] = field(default_factory=list)
    check: str = ""
    screen: Any = field(default_factory=lambda: (sys.stdout, sys.stderr))
    refusal: ValueError | None = None

    @cached_property
    def held(self) -> Held:
        """What the model holds, noted before its first run."""
        return Held(self.model, self.args, self.kwargs, self.guide)

    def key(self, number: Any) -> Any:
        """Return one of the keys of this examination."""
        return jax.random.fold_in(self.rng_key, number)

    def run(
        self, rng_key: Any, values: dict | None = None, spy: bool = False, model: Any = None
    ) -> Run:
        """Run the model, or the guide, and see to it that nothing that it holds is changed."""
        with self.held.restoring():
            return running.run(model or self.model, self.args, self.kwargs, rng_key, values, spy)

    def measuring(
        self, given: tuple[tuple, dict] | None = None, model: Any = None
    ) -> Callable[[Any, dict], Run]:
        """Return a function of a key and of values: a run with its numbers, as it may be traced.

        What it needs of other runs is read here: inside a trace they would keep its tracers.

        Args:
            given: arguments and keyword arguments, instead of the model's own.
            model: what is run, instead of the model.
        """
        names, computed, held = self.names, self.computed, self.held
        args, kwargs = given or (self.args, self.kwargs)

        def measured(rng_key: Any, values: dict) -> Run:
            with held.restoring():  # a density may keep what it computes, too
                run = running.run(model or self.model, args, kwargs, rng_key, values)
                run.rows, run.also = densities(run, names), numbers(run, computed)
                return run

        return measured

    def changed_by(self, change: Callable[[Any], Any]) -> dict[str, Any]:
        """Return the numbers of a run where each thing that the model is given is changed."""
        return self.measuring_changed(change)(self.key(1), self.values).numbers()

    def measuring_changed(self, change: Callable[[Any], Any]) -> Callable[[Any, dict], Run]:
        """Return what `measuring` does, where each thing that the model is given is changed."""
        model, args, kwargs = self.given_changed(change)
        return self.measuring((args, kwargs), model)

    def given_changed(self, change: Callable[[Any], Any]) -> tuple[Callable, tuple, dict]:
        """Return the model and what it is given, where each thing of that is changed."""
        given = self.model, self.args, self.kwargs
        return jax.tree.map(
            change, given, is_leaf=lambda leaf: type(leaf) not in (dict, list, tuple)
        )

    @cached_property
    def draw(self) -> Run:
        """One draw, outside any trace: the model's first run here."""
        held = self.held
        try:
            with running.printed(*self.screen):
                return running.run(self.model, self.args, self.kwargs, self.key(0))
        except ValueError as error:  # a parameter that this draw makes invalid
            self.refusal = error
            for number in range(TRIES):
                model = started(self.model, number)
                with contextlib.suppress(ValueError):
                    return running.run(model, self.args, self.kwargs, self.key(0))
            raise
        finally:
            self.left, self.changed = held.tracers(), held.changed()
            held.restore()

    def asks_for_a_gradient(self) -> None:
        """Do nothing, unless there is an `MCMC` whose sampler asks for no gradient.

        Raises:
            NothingToCompare: there is one.
        """
        if isinstance(getattr(self.mcmc, "sampler", None), GRADIENT_FREE):
            name = type(self.mcmc.sampler).__name__
            raise NothingToCompare(f"its sampler, {name}, asks for no gradient")

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
        other = set(measurable(self.back))
        return [name for name in measurable(self.draw) if name in other]

    @cached_property
    def computed(self) -> list[str]:
        """The deterministic sites outside of loops and maps."""
        return [s.name for s in self.back.sites if s.kind == "deterministic" and not s.traced]

    @cached_property
    def noise(self) -> dict[str, float] | None:
        """By how much of itself each number of a run changes where values and data are rounded so.

        None where the model gives other numbers in each run.
        """
        measured, key = self.measuring(), self.key(1)
        once, again = (measured(key, self.values).numbers() for _ in range(2))
        if any(comparing.apart(rows, again[name]) for name, rows in once.items()):
            return None
        args, kwargs, values = comparing.shaken((self.args, self.kwargs, self.values))
        try:
            moved = self.measuring((args, kwargs))(key, values).numbers()
        except Exception:  # a model that refuses such data
            moved = measured(key, values).numbers()
        return {name: comparing.rounding(rows, moved[name]) for name, rows in once.items()}

    def apart(self, name: str, here: Any, there: Any) -> comparing.Apart | None:
        """Return where two ways to compute the numbers of one name differ beyond rounding."""
        apart = comparing.apart(here, there)
        if apart is None or not apart.finite():
            return apart
        return comparing.apart(here, there, noise=(self.noise or {}).get(name, 0.0))

    @cached_property
    def largest(self) -> int:
        """The number of elements of the largest array that the model is given, holds or samples."""
        leaves = jax.tree.leaves([site.value for site in self.draw.sites])
        return max([self.held.largest, *map(np.size, leaves)])

    @cached_property
    def ways(self) -> Ways:
        """The densities of one draw, computed in all the ways that are compared.

        Raises:
            CannotRun: the model does not run under `jit`.
        """
        names, drawn, back = self.names, self.draw, self.back
        under_jit = self.draws.rows | self.draws.also
        anew, why = self.without_programs()

        def other_ways(*given: Any) -> Any:
            called = densities(drawn, names), densities(back, names)
            return *called, anew(*given) if callable(anew) else None

        with refused("compiled"):
            first, called, compiled = running.quick(other_ways, self.key(1), self.values)
        called |= numbers(back, self.computed)
        under_jit = {name: np.asarray(rows)[0] for name, rows in under_jit.items()}
        return Ways(first, called, under_jit, compiled or anew, why)

    @cached_property
    def traced(self) -> Recorded:
        """The numbers of a run, as JAX traces them for a key and for the values of the draw.

        Raises:
            CannotRun: the model does not run under `jit`.
        """
        measured = self.measuring()
        with refused("under `jit`"):
            return Recorded(lambda *given: measured(*given).numbers(), self.key(1), self.values)

    @cached_property
    def draws(self) -> Draws:
        """Some prior draws, from one program.

        Raises:
            CannotRun: the model does not run under `jit`.
        """
        latents, seen, key, measured = (
            set(self.values),
            self.draw.samples(),
            self.key(1),
            self.measuring(),
        )
        observed = [name for name in self.names if seen[name].has_data]

        def drawn(number: Any, model: Any = None) -> dict:
            sites = self.run(self.key(number), model=model).sites
            return {site.name: site.value for site in sites if site.name in latents}

        def begun(number: Any) -> dict:
            return drawn(number, started(self.model, number))

        def valid(number: Any) -> dict:
            try:
                return drawn(number)
            except ValueError as error:  # which inference does not see, under `jit`
                self.refusal = self.refusal or error
                with validation_enabled(False):
                    return drawn(number)

        def densities_of(values: dict) -> tuple:
            run = measured(key, values)
            laws = run.samples()
            return run.rows, run.also, {name: supported(laws[name]) for name in observed}

        def with_slopes(values: dict) -> tuple:
            free = {name: value for name, value in values.items() if is_smooth(value)}

            def total(free: dict) -> Any:
                densities = densities_of({**values, **free})
                return sum((rows.sum() for rows in densities[0].values()), start=0.0), densities

            (_, densities), slopes = jax.value_and_grad(total, has_aux=True)(free)
            return *densities, slopes

        def at_draws(values: dict, measured: Callable, without: tuple = ()) -> Draws:
            draws = np.arange(DRAWS), values  # numbered, since there may be no value
            every = partial(jax.lax.map, lambda draw: measured(draw[1]))
            program = running.quickly(every, draws)
            rows_at = lambda values: program((draws[0], values))[0]  # noqa: E731
            rows, also, inside, slopes = tuple(program(draws)) + without
            return Draws(values, rows, also, inside, slopes, rows_at)

        loops, others = self.traced.loops, np.arange(10, 9 + DRAWS)
        with refused("under `jit`"):
            if loops:
                values = running.quick(partial(jax.lax.map, drawn), others)
                values = jax.tree.map(np.asarray, values)
            else:  # what its first run has compiled is all that this needs
                values = jax.tree.map(lambda *values: np.stack(values), *map(valid, others))
        values = jax.tree.map(lambda first, others: np.stack([first, *others]), self.values, values)

        def at_all(values: dict) -> Draws:
            with contextlib.suppress(Exception):
                return at_draws(values, with_slopes)
            with refused("under `jit`"):  # with a loop that cannot be differentiated
                return at_draws(values, densities_of, without=({},))

        prior = at_all(values)
        if values and not prior.finite():
            with contextlib.suppress(Exception):
                start = running.quick(partial(jax.lax.map, begun), np.arange(10, 10 + DRAWS))
                there = at_all(jax.tree.map(np.asarray, start))
                return there if there.finite() else prior
        return prior

    @cached_property
    def wide(self) -> Any:
        """The model in 64 bits, a `Wide`.

        Raises:
            CannotRun: the model does not run with 64 bits.
        """
        from .wide import in_64_bits

        return in_64_bits(self)

    @cached_property
    def own_draws(self) -> list[Drawing]:
        """What the model draws beside its sites, where these take their values.

        Raises:
            CannotRun: the model does not run under `jit`.
        """
        return drawings(self.traced.jaxpr.jaxpr)

    def without_programs(self, change: Callable[[Any], Any] = copied) -> tuple[Any, str]:
        """Return the numbers without programs compiled before, or a function that computes them.

        Where none are to be had the second of the two says why.

        Args:
            change: what stands in the place of each thing that the model is given or holds.
        """
        size = self.traced.size
        if size > UNROLLED and not self.slow:
            why = f"without compiled programs it takes some {size:,} operations: try `slow=True`"
            return None, why
        measured, given = self.measuring_changed(change), (self.key(1), self.values)
        try:
            with jax.disable_jit(), self.held.replaced(change):
                if size <= COMPILED:
                    anew = Recorded(lambda *given: measured(*given).numbers(), *given)
                    if not anew.loops:
                        return anew, ""
                return measured(*given).numbers(), ""
        except Exception as error:
            return None, running.blame(error, "under `jax.disable_jit()`")

    def find(
        self, name: str, says: str, site: str = "", cases: Iterable[str] = (),
        place: tuple[str, int] = ("", 0),
    ) -> None:  # fmt: skip
        """Add a finding; `name` is its id."""
        self.findings.append(self._finding(name, says, site, cases, place))

    def hint(
        self, name: str, says: str, site: str = "", cases: Iterable[str] = (),
        place: tuple[str, int] = ("", 0),
    ) -> None:  # fmt: skip
        """Add a hint; `name` is its id."""
        self.hints.append(self._finding(name, says, site, cases, place))

    def _finding(
        self, name: str, says: str, site: str, cases: Iterable[str],
        place: tuple[str, int] = ("", 0),
    ) -> Finding:  # fmt: skip
        site_found = self.draw.samples().get(site) if "draw" in vars(self) else None
        if not place[1]:
            place = site_found.place if site_found else running.place_of(self.model)
        return Finding(self.check, name, says, site, tuple(cases), *place)


def numbers(run: Run, names: Iterable[str]) -> dict[str, Any]:
    """Return the numbers of a run that are no density: those of some sites, and of the result."""
    wanted = set(names)
    also = {site.name: site.value for site in run.sites if site.name in wanted}
    also = {name: 1.0 * value for name, value in also.items() if is_real(value)}
    return also | returned(run.result)


def returned(result: Any) -> dict[str, Any]:
    """Return the numbers of a result, each array under a name of its own."""
    leaves = enumerate(jax.tree.leaves(result))
    return {f"{RESULT} {index}": 1.0 * leaf for index, leaf in leaves if is_real(leaf)}
