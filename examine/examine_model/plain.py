"""Examine a function of JAX, without a model: the same result in several ways."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from . import comparing, known, programs, running
from .checks.state import after_and_fresh, leaks
from .context import CannotRun, NothingToCompare, refused
from .driver import chosen_of, name_of, run_checks
from .held import Held
from .report import Finding, Report


class Call:
    """A function with its arguments; `numbers` are those that `jit` traces."""

    def __init__(self, function: Callable, args: tuple, kwargs: dict) -> None:
        self.function, self.args, self.kwargs = function, args, kwargs
        self.leaves, self.tree = jax.tree.flatten((function, args, kwargs))
        self.numbers = [leaf for leaf in self.leaves if is_number(leaf)]
        self.held = Held(function, args, kwargs)
        self.check = ""
        self.findings: list[Finding] = []

    def __call__(self, numbers: list) -> Any:
        """Call the function with some numbers, and put back what it changes of what it holds."""
        with self.held.kept():
            return self.kept(numbers)

    def kept(self, numbers: list) -> Any:
        """Call the function with some numbers, and leave what it changes."""
        waiting = iter(numbers)
        return self.of([next(waiting) if is_number(leaf) else leaf for leaf in self.leaves])

    def of(self, leaves: list) -> Any:
        """Call the function with all that it is given put together of some leaves."""
        function, args, kwargs = jax.tree.unflatten(self.tree, leaves)
        with running.of_the_model():
            return function(*args, **kwargs)

    @cached_property
    def result(self) -> Any:
        """What the function returns as it is called, on copies of what is a pytree."""
        return self(self.numbers)

    @cached_property
    def noise(self) -> list[float]:
        """By how much of itself each array of the result changes where the numbers are rounded."""
        return roundings(self.result, self(comparing.shaken(self.numbers)))

    def compare(
        self, here: Any, there: Any, kind: str, second: str, noise: list[float] | None = None
    ) -> bool:
        """Add a finding for the first array in which two results differ; `kind` is its id."""
        one, other = arrays(here), arrays(there)
        if [part.shape for part in one] != [part.shape for part in other]:
            shapes = [[part.shape for part in parts] for parts in (one, other)]
            self.find(kind, f"it returns arrays of {shapes[0]}, and of {shapes[1]} {second}")
            return True
        for number, (a, b) in enumerate(zip(one, other, strict=True)):
            if np.array_equal(a, b):
                continue
            level = (self.noise if noise is None else noise)[number]
            found = comparing.apart(a.astype(wide(a)), b.astype(wide(b)), noise=level)
            if found:
                row = found.rows[0]
                first, last = map(comparing.show, (found.here[row], found.there[row]))
                many = f"{found.rows.size:,} of {a.size:,} numbers that it returns differ, most"
                says = "it returns" if a.size == 1 else many
                self.find(kind, f"{says} {first} as called and {last} {second}")
                return True
        return False

    def find(self, kind: str, says: str, cases: Iterable[str] = ()) -> None:
        """Add a finding; `kind` is its id."""
        place = running.place_of(self.function)
        self.findings.append(Finding(self.check, kind, says, "", tuple(cases), *place))


def is_number(leaf: Any) -> bool:
    """Tell whether a leaf is traced."""
    return isinstance(leaf, (float, complex, jax.Array, np.ndarray))


def is_key(leaf: Any) -> bool:
    """Tell whether a leaf is a key of the new form, which NumPy does not read."""
    return jax.dtypes.issubdtype(getattr(leaf, "dtype", float), jax.dtypes.extended)


def arrays(tree: Any) -> list[np.ndarray]:
    """Return the numbers of a result."""
    found = [np.asarray(leaf) for leaf in jax.tree.leaves(tree) if not is_key(leaf)]
    return [part for part in found if part.dtype.kind in "fiub"]


def roundings(here: Any, there: Any) -> list[float]:
    """Return by how much of itself each array of a result changes from one to the other."""
    return [comparing.rounding(*pair) for pair in zip(arrays(here), arrays(there), strict=True)]


def wide(part: np.ndarray) -> Any:
    """Return the type in which an array is compared: its own, or that of floats."""
    return part.dtype if part.dtype.kind == "f" else jnp.result_type(float)


def state(call: Call) -> None:
    """Trace the function, then call it on other data before and after it has seen these."""
    call.held.restore()
    try:
        jax.make_jaxpr(call.kept)(call.numbers)
    except Exception:
        call.held.restore()  # `jit` says so
    places = call.held.tracers()
    call.held.restore()
    if places:
        says = f"a trace of it leaves a tracer in {next(iter(places))}; the next use fails"
        call.find("tracer-kept", says, leaks(places))
        return
    call.kept(call.numbers)
    changed = call.held.changed()
    call.held.restore()
    answers = after_and_fresh(call.held, call.kept, call.numbers)
    if answers and not comparing.same(*answers):
        says = "on other data it returns another result after these"
        says += f"; {changed[0]} was kept" if changed else ""
        call.find("data-kept", says, ["kept-in-model"])
    elif changed and not answers:
        raise CannotRun(f"{changed[0]} is kept, and it takes no other data made of these")


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
                result = call.of(leaves)
                call.held.restore()
                if not comparing.same(result, call.result):
                    kind = type(thing).__name__
                    says = f"two of {kind} that differ in {name!r} are equal, and JAX takes the "
                    says += "program of one for the other, though the result differs"
                    call.find("equal-but-different", says, ["hash-omits-field", "mutable-key"])


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
        anew = call(call.numbers)
    if call.compare(call.result, anew, "stale-program", "without compiled programs"):
        return
    with refused("under `jit`"):
        under = jax.jit(call)(call.numbers)
    call.compare(call.result, under, "jit-differs", "under `jit`")


def precision(call: Call) -> None:
    """Compare the call with one with 64 bits.

    Raises:
        NothingToCompare: JAX computes with 64 bits already, or the function draws.
        CannotRun: it does not run with 64 bits, or a program is out of date.
    """
    if jax.config.jax_enable_x64:
        raise NothingToCompare("JAX computes with 64 bits already")
    try:
        drawn = programs.drawings(jax.make_jaxpr(call)(call.numbers).jaxpr)
        both = [call.numbers, comparing.shaken(programs.widened(call.numbers))]
        wide, shaken = ([] if drawn else programs.in_64_bits(call, row) for row in both)
    except Exception as error:
        raise CannotRun(f"with 64 bits it fails with {running.brief(error)}") from error
    if drawn:
        raise NothingToCompare("it draws, and draws are other numbers in 64 bits")
    if any(found.id in ("stale-program", "data-kept") for found in call.findings):
        raise CannotRun("it returns another result when it is traced anew")
    call.compare(call.result, wide, "float32", "with 64 bits", roundings(wide, shaken))


def pytree(call: Call) -> None:
    """Compare the function's result with that on copies of what it is given, as JAX makes them."""
    with call.held.kept(), running.of_the_model():
        original = call.function(*call.args, **call.kwargs)
    call.compare(original, call.result, "copy-differs", "on copies, as JAX makes them")


CHECKS: dict[str, Callable[[Call], None]] = {
    "state": state, "static": static, "jit": jit, "precision": precision, "pytree": pytree,
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
    call.findings = report.findings
    run_checks({name: CHECKS[name] for name in chosen}, call, report, timeout)
    report.ignore(ignore)
    return report
