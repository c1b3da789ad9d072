"""Examine a function of JAX, without a model: the same result in several ways."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, partial
from typing import Any

import jax
import numpy as np

from . import comparing, known, programs, running
from .checks.precision import as_real
from .checks.stale import old_program
from .checks.state import after_and_fresh, leaks, leaves_a_tracer, tidy
from .context import CannotRun, Context, NothingToCompare, refused, returned
from .driver import chosen_of, name_of, run_checks
from .report import Report


class Call(Context):
    """A function with its arguments; `traceable` are the numbers that `jit` traces.

    `donated` tells whether a call has deleted an array that it was given.
    """

    def __init__(self, function: Callable, args: tuple, kwargs: dict) -> None:
        super().__init__(function, args, kwargs, rng_key=None)
        self.leaves, self.tree = jax.tree.flatten((function, args, kwargs))
        self.traceable = [leaf for leaf in self.leaves if is_number(leaf)]
        self.donated = False

    def __call__(self, numbers: list) -> dict[str, Any]:
        """Return the result for some numbers, and put back what the call changes."""
        with self.held.restoring():
            return returned(self.called(numbers))

    def called(self, numbers: list) -> Any:
        """Call the function with some numbers, and leave what it changes."""
        waiting = iter(numbers)
        return self.of([next(waiting) if is_number(leaf) else leaf for leaf in self.leaves])

    def of(self, leaves: list) -> Any:
        """Call the function with all that it is given put together of copies of some leaves."""
        arrays = {index: leaf.copy() for index, leaf in enumerate(leaves) if is_array(leaf)}
        copies = [arrays.get(index, leaf) for index, leaf in enumerate(leaves)]
        function, args, kwargs = jax.tree.unflatten(self.tree, copies)
        try:
            with running.of_the_model():
                return function(*args, **kwargs)
        finally:
            self.donated |= any(array.is_deleted() for array in arrays.values())

    @cached_property
    def result(self) -> dict[str, Any]:
        """What the function returns as it is called, on copies of what is a pytree."""
        with running.printed(*self.screen):
            return self(self.traceable)

    @cached_property
    def noise(self) -> dict[str, float]:
        """By how much of itself each array of the result changes where the numbers are rounded."""
        moved = self(comparing.shaken(self.traceable))
        return {name: comparing.rounding(rows, moved[name]) for name, rows in self.result.items()}

    def changed_by(self, change: Callable[[Any], Any]) -> dict[str, Any]:
        """Return the result for all that is given, changed, and put back what the call changes."""
        with self.held.restoring():
            return returned(self.of([change(leaf) for leaf in self.leaves]))

    def compare(
        self, other: dict[str, Any], kind: str, second: str, first: str = "as it is called",
        causes: Callable[[], tuple[str, list[str]]] = lambda: ("", []),
    ) -> bool:  # fmt: skip
        """Add a finding for the first array in which another result differs; `kind` is its id."""
        for name, rows in self.result.items():
            if apart := self.apart(name, rows, other[name]):
                more, cases = causes()
                self.find(kind, apart.says(first, second, "it returns") + more, cases=cases)
                return True
        return False


def is_number(leaf: Any) -> bool:
    """Tell whether a leaf is traced."""
    return isinstance(leaf, (float, complex, jax.Array, np.ndarray))


def is_array(leaf: Any) -> bool:
    """Tell whether a leaf is an array of JAX, which a function may have been told to delete."""
    return isinstance(leaf, jax.Array) and not isinstance(leaf, jax.core.Tracer)


def state(call: Call) -> None:
    """Trace the function, then call it on other data before and after it has seen these."""
    call.held.restore()
    leaked = leaves_a_tracer(
        lambda: jax.make_jaxpr(lambda numbers: call.called(numbers))(call.traceable)
    )
    places = call.held.tracers()
    cases = leaks(call.held, places)
    call.held.restore()
    if places or leaked:
        place = tidy(next(iter(places), "a place that is out of sight"))
        says = f"a trace of it leaves a tracer in {place}; the next use fails"
        call.find("tracer-kept", says, cases=cases)
        return
    if not comparing.same(call(call.traceable), call(call.traceable)):
        raise CannotRun("it returns another result at each call")
    call.called(call.traceable)
    changed = call.held.changed()
    call.held.restore()
    answers = list(after_and_fresh(call.held, call.called, call.traceable))
    if not all(comparing.same(*both) for both in answers):
        says = "on other data it returns another result after these"
        says += f"; {tidy(changed[0])} was kept" if changed else ""
        call.find("data-kept", says, cases=["kept-in-model"])
    elif changed and not answers:
        raise CannotRun(f"{tidy(changed[0])} is kept, and it takes no other data made of these")


def static(call: Call) -> None:
    """Change each number of a static argument, and see whether JAX would take it for the old one.

    Raises:
        NothingToCompare: no static argument has attributes.
    """
    things = [leaf for leaf in call.leaves if not is_number(leaf) and vars_of(leaf)]
    if not things:
        raise NothingToCompare("no static argument has attributes")
    for thing in things:
        for name, other in variants(thing):
            try:
                taken = other == thing and hash(other) == hash(thing)
            except TypeError:
                continue  # it has no hash, and JAX refuses it
            leaves = [other if leaf is thing else leaf for leaf in call.leaves]
            if taken:
                with jax.disable_jit(), call.held.restoring():  # under `jit` one would be the other
                    results = returned(call.of(leaves)), returned(call.of(call.leaves))
                if not comparing.same(*results):
                    kind = type(thing).__name__
                    says = f"two of {kind} that differ in {name!r} are equal, and JAX takes the "
                    says += "program of one for the other, though the result differs"
                    cases = ["hash-omits-field", "mutable-key"]
                    call.find("equal-but-different", says, cases=cases)


def vars_of(thing: Any) -> dict[str, Any]:
    """Return the attributes of an object that is neither a class nor a function."""
    plain = isinstance(thing, type) or hasattr(thing, "__code__")
    return {} if plain else dict(getattr(thing, "__dict__", None) or {})


def variants(thing: Any) -> Iterator[tuple[str, Any]]:
    """Yield copies of an object, each with one number changed."""
    for name, value in vars_of(thing).items():
        if is_number(value) or type(value) is int:
            other = copy.copy(thing)
            vars(other)[name] = value * 2 + 1
            yield name, other


def jit(call: Call) -> None:
    """Compare the call with that under `jit`, and with one without any compiled program.

    Raises:
        CannotRun: it does not run under `jit`.
    """
    with jax.disable_jit():
        anew = call(call.traceable)
    causes = partial(old_program, call.held, call.changed_by, anew)
    if call.compare(anew, "stale-program", "without compiled programs", causes=causes):
        return
    with refused("under `jit`"):
        under = jax.jit(call)(call.traceable)
    call.compare(under, "jit-differs", "under `jit`")


def precision(call: Call) -> None:
    """Compare the call with one with 64 bits.

    Raises:
        NothingToCompare: JAX computes with 64 bits already, or the function draws.
        CannotRun: it does not run with 64 bits, or a program is out of date.
    """
    if jax.config.jax_enable_x64:
        raise NothingToCompare("JAX computes with 64 bits already")
    with refused("under `jit`"):
        drawn = programs.drawings(jax.make_jaxpr(call)(call.traceable).jaxpr)
    if drawn:
        raise NothingToCompare("it draws, and draws are other numbers in 64 bits")
    with refused("with 64 bits"):
        try:
            numbers = programs.widened(call.traceable, whole=True)
            wide = programs.in_64_bits(call, numbers)
        except Exception:  # a function that wants its whole numbers as they are
            numbers = programs.widened(call.traceable)
            wide = programs.in_64_bits(call, numbers)
        shaken = programs.in_64_bits(call, comparing.shaken(numbers))
    if any(finding.id in ("stale-program", "data-kept") for finding in call.findings):
        raise CannotRun("it returns another result when it is traced anew")
    for name, rows in wide.items():
        noise = comparing.rounding(rows, shaken[name])
        if apart := comparing.apart(call.result[name], rows, noise=noise):
            says = apart.says("as it is called", "with 64 bits", "it returns")
            with refused("with 64 bits"):
                real = programs.in_64_bits(call, call.traceable)[name]
            if comparing.apart(call.result[name], real, noise=noise) and not right_as_real(
                call, name, rows, noise
            ):
                call.find("float32", says)
            else:
                says += "; it is whole numbers that need the 64, among the arguments"
                call.find("int32", says, cases=["int32-sum"])
            return


def right_as_real(call: Call, name: str, wide: Any, noise: float) -> bool:
    """Tell whether a result of whole numbers is right where one array of them is real.

    With 64 bits JAX sums whole numbers of 32 bits in 64, so the sum is right without widening them.
    """
    for leaves in as_real(call.leaves):
        with contextlib.suppress(Exception), call.held.restoring():  # those that have to be whole
            if not comparing.apart(returned(call.of(leaves))[name], wide, noise=noise):
                return True
    return False


def index(call: Call) -> None:
    """Compare the indices of the call with the lengths of what they read.

    Raises:
        NothingToCompare: nothing is read by an index, or JAX's `checkify` does not take it.
        CannotRun: it does not run under `jit`.
    """
    with refused("under `jit`"):
        program = programs.Recorded(call, call.traceable)
    says, place = programs.outside(program, call.traceable)
    if says:
        call.hint("index-outside", says, cases=["index-past-the-end"], place=place)
    elif says is None:
        raise NothingToCompare("nothing is read by an index")


def pytree(call: Call) -> None:
    """Compare the function's result with that on copies of what it is given, as JAX makes them.

    Raises:
        NothingToCompare: it deletes what it is given, so that it may be given copies only.
    """
    if call.result is not None and call.donated:
        raise NothingToCompare("it deletes what it is given, so that it is given copies only")
    with call.held.restoring(), running.of_the_model():
        original = returned(call.model(*call.args, **call.kwargs))
    call.compare(original, "copy-differs", "as it is called", "on copies, as JAX makes them")


CHECKS: dict[str, Callable[[Call], None]] = {
    "state": state, "static": static, "index": index, "jit": jit, "precision": precision,
    "pytree": pytree,
}  # fmt: skip
"""The checks by name, in the order in which they run."""


def examine(
    function: Any, args: tuple, kwargs: dict, *, checks: Iterable[str] | None = None,
    ignore: Iterable[str] = (), timeout: float | None = None,
) -> Report:  # fmt: skip
    """Examine a function; see `examine_model.function`, which has the same arguments.

    Raises:
        ValueError: a check is not known.
        TypeError: the function cannot be called.
    """
    chosen = chosen_of(CHECKS, checks)
    if not callable(function):
        raise TypeError(f"a function is a callable, and this is of type {type(function).__name__}.")
    report = Report(name_of(function), releases=known.known_bad(known.installed()))
    call = Call(function, args, kwargs)
    call.findings, call.hints = report.findings, report.hints
    run_checks({name: CHECKS[name] for name in chosen}, call, report, timeout)
    report.ignore(ignore)
    return report
