"""Run the checks on one model, and collect what they say."""

from __future__ import annotations

import contextlib
import contextvars
import functools
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import Any

import jax
from numpyro.infer import MCMC

from . import known, running
from .checks import pytree, state
from .context import CannotRun, Context, NothingToCompare
from .report import NAMES, NotRun, Report, did_you_mean

CHECKS: dict[str, Callable[[Context], None]] = {
    name: import_module(f"{__package__}.checks.{name}").check for name in NAMES
}
"""The checks by name, in the order in which they run."""


TABLES = {"pandas", "xarray", "polars"}
"""Packages whose tables JAX does not take."""
PATIENCE = 2.0
"""Seconds after which a terminal is told which check runs."""


def examine(
    model: Any, args: tuple, kwargs: dict, *, rng_key: Any = None,
    checks: Iterable[str] | None = None, guide: Any = None, slow: bool = False,
    ignore: Iterable[str] = (), timeout: float | None = None,
) -> Report:  # fmt: skip
    """Examine a model; see `examine_model.examine`, which has the same arguments.

    Those of the model come as a tuple and a dictionary, so that they may have any name.

    Raises:
        ValueError: a check is not known.
        TypeError: the model cannot be called.
    """
    chosen = chosen_of(CHECKS, checks)
    mcmc = model if isinstance(model, MCMC) else None
    model = mcmc.sampler.model if mcmc is not None else model
    if mcmc is not None and model is None:
        raise TypeError("this `MCMC` was made from a `potential_fn`: there is no model to examine.")
    # The arguments of a partial are data like the others; a guide does not take them.
    while isinstance(model, functools.partial) and guide is None:
        args, kwargs = (*model.args, *args), {**model.keywords, **kwargs}
        model = model.func
    if not callable(model):
        raise TypeError(f"a model is a callable, and this is of type {type(model).__name__}.")
    if rng_key is None or isinstance(rng_key, int):
        rng_key = jax.random.PRNGKey(rng_key or 0)
    report = Report(name_of(model), releases=known.known_bad(known.installed()))
    context = Context(model, tuple(args), dict(kwargs), rng_key, guide, mcmc, slow)
    context.findings, context.hints = report.findings, report.hints
    # Most models come alone; what else came is looked at, and all that is asked for by name.
    laws = [*pytree.given(args, kwargs), *pytree.laws_held(context)]
    came = {"pytree": laws != [], "guide": guide is not None, "mcmc": mcmc is not None}
    run_checks({
        name: CHECKS[name] if name in came else sampled(CHECKS[name]) for name in chosen
        if checks is not None or came.get(name, True)
    }, context, report, timeout)  # fmt: skip
    for leaf in jax.tree.leaves((args, kwargs)) if report.not_run else []:
        if type(leaf).__module__.partition(".")[0] in TABLES:
            kind = f"{type(leaf).__module__.partition('.')[0]} {type(leaf).__name__}"
            says = f"the model is given a {kind}, which JAX does not take: hand over its values"
            report.not_run.append(NotRun("arguments", f"{says}, by `.to_numpy()` or `.values`"))
            break
    if context.refusal and "draw" in vars(context):
        says = f"of a prior draw {running.blame(context.refusal)}"
        report.not_run.append(NotRun("draws", says))
    report.ignore(ignore)
    return report


def sampled(check: Callable[[Context], None]) -> Callable[[Context], None]:
    """Return a check that has nothing to compare where the model samples nothing."""

    def checked(context: Context) -> None:
        if not context.draw.samples():
            raise NothingToCompare("the model has no sample site")
        check(context)

    return checked


def chosen_of(names: Iterable[str], checks: Iterable[str] | None) -> list[str]:
    """Return the names of the checks that are asked for, in their order; all where none are.

    Raises:
        ValueError: one is not known.
    """
    names = list(names)
    wanted = names if checks is None else [checks] if isinstance(checks, str) else list(checks)
    for name in wanted:
        if name not in names:
            meant = did_you_mean(name, names)
            raise ValueError(f"unknown check {name!r}{meant}: known are {', '.join(names)}.")
    return [name for name in names if name in wanted]


def run_checks(
    checks: dict[str, Callable], thing: Any, report: Report, timeout: float | None = None
) -> None:
    """Run some checks on a model or a function, and note what each of them cannot do.

    Args:
        checks: the checks by name.
        thing: what each is called with; it has `held`, and is told the `check` that runs.
        report: where the outcome goes.
        timeout: seconds after which the checks that are left do not answer.
    """
    ends = None if timeout is None else time.monotonic() + timeout

    def one_by_one() -> None:
        for name, check in checks.items():
            thing.check = name
            try:
                with running.limited(None if ends is None else ends - time.monotonic()):
                    _one(name, check, thing, report)
            except running.TimeUp:
                report.not_run.append(NotRun(name, f"the {timeout:g} seconds are over"))

    with telling(thing), running.apart(), thing.held.restoring():
        contextvars.copy_context().run(one_by_one)  # what a model sets there is forgotten
    for rewind in thing.held.rewinds:
        rewind()
    for place in thing.held.unseen:
        says = f"{state.tidy(place)} is an iterator, or is not set: where it stands cannot be seen"
        report.not_run.append(NotRun("state", says))
    if not thing.held.whole:
        report.not_run.append(NotRun("state", "there are more objects than are looked at"))


@contextlib.contextmanager
def telling(thing: Any) -> Iterator[None]:
    """Have a terminal told which check runs, from some seconds on."""
    screen, over = sys.stderr, threading.Event()
    if not screen.isatty():
        yield
        return

    def tell() -> None:
        while not over.wait(PATIENCE):
            screen.write(f"\r\x1b[Kexamine: {thing.check} …")
            screen.flush()

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield
    finally:
        over.set()
        teller.join()
        screen.write("\r\x1b[K")


def _one(name: str, check: Callable, thing: Any, report: Report) -> None:
    """Run one check; what it cannot do goes into the report."""
    begun, before = time.process_time(), len(report.findings)
    try:
        check(thing)
        report.ran.append(name)
    except NothingToCompare as reason:
        report.nothing.append(NotRun(name, str(reason)))
    except CannotRun as reason:
        report.not_run.append(NotRun(name, str(reason)))
        report.raised = report.raised or running.lines_of(reason.__cause__)
        if len(report.findings) > before:
            report.ran.append(name)
    except (Exception, SystemExit) as error:
        report.not_run.append(NotRun(name, running.blame(error)))
        report.raised = report.raised or running.lines_of(error)
    finally:
        thing.held.restore()
        report.seconds[name] = time.process_time() - begun


def name_of(model: Any) -> str:
    """Return what a model is called."""
    inner = model if hasattr(model, "__name__") else running.innermost(model)
    name = getattr(inner, "__name__", "__call__")
    return type(model).__name__ if name == "__call__" else name
