"""Run the checks on one model, and collect what they say."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

import jax
from numpyro.infer import MCMC

from . import known, running
from .checks import compiled, guide, jit, keys, mcmc, pytree, round_trip, scan, shapes, state
from .context import CannotRun, Context, NothingToCompare
from .report import Finding, NotRun, Report

MODULES = (state, keys, round_trip, shapes, scan, jit, compiled, pytree, guide, mcmc)
CHECKS: dict[str, Callable[[Context], None]] = {module.NAME: module.check for module in MODULES}
"""The checks by name, in the order in which they run."""
OF_MORE = ("pytree", "guide", "mcmc")
"""The checks of something that comes with the model; most models come alone."""


def examine(
    model: Any, args: tuple, kwargs: dict, *, rng_key: Any = None,
    checks: Iterable[str] | None = None, guide: Any = None, slow: bool = False,
    progress: Callable[[str], None] | None = None,
) -> Report:  # fmt: skip
    """Examine a model; see `examine_model.examine`, which has the same arguments.

    Args:
        model: the model, or an `MCMC` that has run.
        args: the model's arguments.
        kwargs: its keyword arguments.
        rng_key: the key that all draws come from.
        checks: names of checks.
        guide: a guide of the model.
        slow: whether a check may take long.
        progress: called with the name of each check before it runs.

    Raises:
        ValueError: a check is not known.
        TypeError: the model cannot be called.
    """
    chosen = _chosen(checks)
    mcmc = model if isinstance(model, MCMC) else None
    model = mcmc.sampler.model if mcmc is not None else model
    if mcmc is not None and model is None:
        raise TypeError("this `MCMC` was made from a `potential_fn`: there is no model to examine.")
    if not callable(model):
        raise TypeError(f"a model is a callable, and this is of type {type(model).__name__}.")
    rng_key = jax.random.PRNGKey(0) if rng_key is None else rng_key
    report = Report(name_of(model), releases=known.known_bad(known.installed()))
    context = Context(model, tuple(args), dict(kwargs), rng_key, guide, mcmc, slow)
    context.findings, context.hints = report.findings, report.hints
    with running.apart():
        held = context.held
        try:
            for name in chosen:
                if progress is not None:
                    progress(name)
                _one(name, context, report, asked=checks is not None)
        finally:
            held.restore()
    if not held.whole:
        report.not_run.append(NotRun("state", "the model holds more objects than are looked at"))
    return report


def _chosen(checks: Iterable[str] | None) -> list[str]:
    if checks is None:
        return list(CHECKS)
    wanted = [checks] if isinstance(checks, str) else list(checks)
    for name in wanted:
        if name not in CHECKS:
            raise ValueError(f"unknown check {name!r}: known are {', '.join(CHECKS)}.")
    return [name for name in CHECKS if name in wanted]


def _one(name: str, context: Context, report: Report, asked: bool) -> None:
    """Run one check; what it cannot do goes into the report."""
    begun = time.process_time()
    before = len(report.findings)
    try:
        if name not in OF_MORE and not context.draw.samples():
            raise NothingToCompare("the model has no sample site")
        CHECKS[name](context)
        report.ran.append(name)
    except NothingToCompare as reason:
        if asked or name not in OF_MORE:
            report.nothing.append(NotRun(name, str(reason)))
    except CannotRun as reason:
        report.not_run.append(NotRun(name, str(reason)))
        if len(report.findings) > before:
            report.ran.append(name)
    except Exception as error:
        page = known.explained(error)
        why = running.blame(error) + (f"; see {page}" if page else "")
        report.not_run.append(NotRun(name, why))
    finally:
        context.held.restore()
        report.seconds[name] = time.process_time() - begun


def name_of(model: Any) -> str:
    """Return what a model is called."""
    inner = model
    while not hasattr(inner, "__name__"):
        inner = getattr(inner, "func", None) or getattr(inner, "fn", None)
        if inner is None:
            return type(model).__name__
    return inner.__name__


__all__ = ["CHECKS", "Finding", "examine"]
