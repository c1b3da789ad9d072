"""Find the functions whose program is out of date, and what they read that JAX does not compare.

No model of other people's showed one, since their programs begin anew each time. The search stays
because a quarter of the book's cases that a model can show end in one finding, `stale-program`:
only the function's name and the case say what to mend. It runs where that is found. Each case that
it names has a program in `tests/test_causes.py`, which fails without the lines that find it.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import inspect
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from .. import comparing
from ..context import returned
from ..held import Held, copied, is_key, is_library
from ..running import code_of, codes_of, innermost, tracer_name

MOST = 50
"""What a function reads is moved so many times at most."""
NUMBERS: tuple[Any, ...] = (int, float, complex, np.ndarray, np.number, jax.Array)
Change = Callable[[Any], Any]


class Twin:
    """A callable of the model with the plain function in it, and how it is called.

    Attributes:
        thing: a function, under `jit` or handed to a loop, or an object that is called.
        jitted: whether it is under `jax.jit` or `eqx.filter_jit`.
        plain: what it runs while it is traced.
        call: the arguments and keyword arguments of its last call.
    """

    def __init__(self, thing: Any) -> None:
        self.call: tuple[tuple, dict] | None
        self.thing, self.call = thing, None
        self.jitted = hasattr(thing, "lower") and hasattr(thing, "__wrapped__")
        self.plain = thing.__wrapped__ if self.jitted else thing

    @functools.cached_property
    def stand_in(self) -> Callable:
        """A function that JAX has not met, in the place of the callable."""

        def call(*args: Any, **kwargs: Any) -> Any:
            if not tracer_name((args, kwargs)):
                self.call = args, kwargs
            return self.plain(*args, **kwargs)

        return functools.update_wrapper(call, self.thing, (), ("__dict__",))

    def answer(self, call: tuple[tuple, dict] | None) -> dict[str, Any]:
        """Return what it computes in a call without any program; nothing if it raises."""
        args, kwargs = call or ((), {})
        with contextlib.suppress(Exception), jax.disable_jit():
            return returned(self.plain(*args, **kwargs))
        return {}

    def says(self) -> str:
        """Return what it is called and where it is."""
        code = code_of(self.thing)
        name = code.co_name if self.jitted else getattr(self.thing, "__name__", "")
        name = name or type(self.thing).__name__
        file, line = Path(code.co_filename), code.co_firstlineno
        place = f"{file.name}:{line}" if file.is_file() else f"line {line} of its cell"
        return f"{name} ({place})"


def old_program(held: Held, run: Callable[[Change], dict], fresh: dict) -> tuple[str, list[str]]:
    """Return in words whose program is old, and the cases that fit it.

    In the place of each callable whose code JAX skips stands another that it has not met. Where
    all but one are replaced and the answer is not the fresh one, the program of that one is old.

    Args:
        held: what the model or the function holds.
        run: its numbers, as it is called; what it is given is changed by the function in it.
        fresh: its numbers without any program.
    """
    twins = {id(thing): Twin(thing) for thing in skipped(held, run)}

    def differs(left: Any = None) -> bool:
        def replaced(value: Any) -> Any:
            if isinstance(value, staticmethod):
                inner = replaced(value.__func__)
                return value if inner is value.__func__ else staticmethod(inner)
            if id(value) in twins and value is not left:
                return twins[id(value)].stand_in
            return copied(value)

        with held.replaced(replaced):
            return apart(run(replaced), fresh)

    try:
        with jax.disable_jit():  # so that the arguments that are noted are no tracers
            differs()
        if differs():
            return UNKNOWN, []
        old = [twin for twin in twins.values() if differs(twin.thing)]
        arrays = [thing for thing, _, _ in held.noted.values() if isinstance(thing, np.ndarray)]
        cases = ["numpy-array-in-place"] if any(map(is_kept, arrays)) else []
        cases += [case for twin in old for case in fitting(twin)]
    except Exception:  # the model does not take what stands there
        return UNKNOWN, []
    says = f"; the program of {', '.join(twin.says() for twin in old)} is old" if old else ""
    return says if cases else says + UNKNOWN, list(dict.fromkeys(cases))


UNKNOWN = "; a program compiled before is used, and none of the book's cases fits what can be seen"


def apart(left: dict, right: dict) -> bool:
    """Tell whether numbers of one name differ, or some are not there."""
    return left.keys() != right.keys() or any(
        comparing.apart(left[name], right[name]) for name in left
    )


def skipped(held: Held, run: Callable[[Change], dict]) -> list[Any]:
    """Return the callables whose code runs only without the programs that JAX has."""
    with jax.disable_jit():
        codes = codes_of(lambda: run(copied))
    codes -= codes_of(lambda: run(lambda value: value))
    codes = {code for code in codes if not is_library(code.co_filename)}
    callables = [entry[0] for entry in held.noted.values() if callable(entry[0])]
    return [thing for thing in callables if code_of(thing) in codes]


def fitting(twin: Twin) -> Iterator[str]:
    """Yield the cases that fit a callable whose program is old.

    Where an equal argument gives what the old program gives, that argument is the cause. Else each
    number that it reads is moved, and those on which its answer depends are.
    """
    if not twin.call:
        return
    args, kwargs = twin.call
    given = {**dict(enumerate(args)), **kwargs}
    for place, value in given.items() if twin.jitted else [(None, twin.thing)]:
        for case, other in equals(twin, value):
            new = {**given, place: other}
            changed = tuple(map(new.get, range(len(args)))), {key: new[key] for key in kwargs}
            if not twin.jitted or not apart(twin.answer(changed), old_answer(twin)):
                yield case
                return
    wrapped = inspect.unwrap(twin.plain)
    owner = getattr(wrapped, "__self__", None)
    if owner is None and args and any(twin.thing is part for part in vars(type(args[0])).values()):
        owner = args[0]
    static = [leaf for leaf in jax.tree.leaves(list(given.values())) if leaf is not owner]
    roots = [(leaf, "mutable-key") for leaf in static if twin.jitted]
    of_owner = "jitted-method" if twin.jitted else "callable-attribute-changed"
    function = getattr(wrapped, "__func__", innermost(wrapped))
    roots += [(function, "callable-global-changed"), (owner, of_owner)]
    if not hasattr(wrapped, "__code__") and owner is None:
        roots.append((wrapped, of_owner))
    for root, case in roots:
        for value in read(twin, root):
            key = hasattr(value, "dtype") and is_key(value)
            yield "noise-layer" if key and case == of_owner else case


def old_answer(twin: Twin) -> dict[str, Any]:
    """Return what the program that is kept gives."""
    args, kwargs = twin.call or ((), {})
    return returned(twin.thing(*args, **kwargs))


def equals(twin: Twin, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield what JAX takes for a static value though it differs, with the case of it."""
    if type(value) in (int, float, bool) and type(twin.thing).__module__.startswith("equinox"):
        others = (kind(value) for kind in (int, float, bool))
        yield from (("filter-jit-equal-number", other) for other in others
                    if other == value and type(other) is not type(value))  # fmt: skip
    if not is_static(value):
        return
    for other in gc.get_objects():
        with contextlib.suppress(Exception):
            if type(other) is type(value) and other is not value and other == value:
                same = all(np.array_equal(part, vars(value)[name]) for name, part
                           in vars(other).items())  # fmt: skip
                if not same or repr(vars(other)) != repr(vars(value)):
                    yield "equal-other-type" if same else "hash-omits-field", other


def is_static(value: Any) -> bool:
    """Tell whether JAX takes a value as it is; what is in a pytree is traced."""
    return hasattr(value, "__dict__") and jax.tree_util.all_leaves([value])


def read(twin: Twin, root: Any) -> Iterator[Any]:
    """Yield the numbers in a root on which the answer of a callable depends."""
    if not is_static(root):
        return
    held, before = Held(root), twin.answer(twin.call)
    values = [value for thing, contents, _ in held.noted.values()
              for value in (contents.values() if isinstance(contents, dict)
                            else contents if isinstance(contents, list) else [])]  # fmt: skip
    for value in islice(values, MOST):
        other = moved(value)
        if other is value:
            continue
        with held.replaced(swapped(value, other)):
            if apart(twin.answer(twin.call), before):
                yield value


def swapped(value: Any, other: Any) -> Change:
    """Return what puts one thing in the place of another."""
    return lambda part: other if part is value else part


def is_kept(value: Any) -> bool:
    """Tell whether JAX keeps an old copy of an array of NumPy."""
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "fiu":
        return False
    now = np.asarray(jnp.asarray(value))
    return not np.array_equal(now, value.astype(now.dtype), equal_nan=True)


def moved(value: Any) -> Any:
    """Return another value of the same type, or the value itself if it is no number."""
    if isinstance(value, (jax.Array, np.ndarray)) and is_key(value):
        return jax.random.fold_in(value, 1)
    if isinstance(value, tuple):
        return tuple(map(moved, value))
    if isinstance(value, bool):
        return not value
    if isinstance(value, NUMBERS):
        return value * 2 + 1
    return value
