"""Programs as JAX has traced them: how long they are, what they draw, and the same in 64 bits."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import checkify
from jax.extend.core import jaxpr_as_fun

try:
    from jax import enable_x64
except ImportError:  # the old stack
    from jax.experimental import enable_x64  # type: ignore[no-redef, attr-defined]

from .comparing import is_floating
from .held import is_key
from .running import INSIDE, quick, quickly

BITS = {"random_bits", "threefry2x32", "rng_bit_generator", "rng_uniform", "random_gamma"}
"""The operations that make random numbers."""


class Recorded:
    """A function as JAX traces it once, for some arguments, with what it returns.

    `size` is how many operations it takes, and `loops` tells whether some of them are repeated.
    """

    def __init__(self, function: Callable, *args: Any) -> None:
        self.jaxpr, shape = jax.make_jaxpr(function, return_shape=True)(*args)
        self.tree, self.size = jax.tree.structure(shape), weight(self.jaxpr.jaxpr)
        names = {equation.primitive.name for equation in self.jaxpr.jaxpr.eqns}
        self.loops = bool(names & {"while", "cond", "scan"})

    def __call__(self, *args: Any) -> Any:
        """Return what the function returned, as traced."""
        leaves = jaxpr_as_fun(self.jaxpr)(*jax.tree.leaves(args))
        return jax.tree.unflatten(self.tree, leaves)

    def has(self, kind: str) -> bool:
        """Tell whether an operation of the program has such a name, also one inside another."""
        equations = self.jaxpr.jaxpr.eqns
        return any(
            any(within(equation, lambda inside: kind in inside.primitive.name))
            for equation in equations
        )

    def iterated(self) -> Any:
        """Tell of each part whether it depends on a loop that ends by a condition."""
        program, moved = self.jaxpr.jaxpr, set[Any]()
        for equation in program.eqns:
            if any(within(equation, repeats)) or moved & _variables(equation.invars):
                moved.update(equation.outvars)
        depends = [bool(_variables([part]) & moved) for part in program.outvars]
        return jax.tree.unflatten(self.tree, depends)


def inner(equation: Any) -> Iterator[Any]:
    """Yield the programs inside an operation, such as the body of a loop."""
    for value in equation.params.values():
        for part in value if isinstance(value, (list, tuple)) else [value]:
            part = getattr(part, "jaxpr", part)
            if hasattr(part, "eqns"):
                yield part


def within(equation: Any, asked: Callable[[Any], bool]) -> Iterator[Any]:
    """Yield an operation and those inside it, in loops and calls, of which something is told."""
    if asked(equation):
        yield equation
    for part in inner(equation):
        for inside in part.eqns:
            yield from within(inside, asked)


def repeats(equation: Any) -> bool:
    """Tell whether an operation is a loop that ends by a condition."""
    return equation.primitive.name == "while"


def reads(equation: Any) -> bool:
    """Tell whether an operation reads by indices that the program does not say to check."""
    promised = "PROMISE_IN_BOUNDS" in str(equation.params.get("mode"))
    return promised or equation.primitive.name == "dynamic_slice"


def outside(program: Recorded, *args: Any) -> tuple[str | None, tuple[str, int]]:
    """Return which index a program uses that is past the end, and the line where it may be.

    The first is "" where there is none, and None where nothing is read by an index, or JAX cannot
    tell.
    """
    reading = [equation for each in program.jaxpr.jaxpr.eqns for equation in within(each, reads)]
    if not reading:
        return None, ("", 0)
    try:
        checked = checkify.checkify(program, errors=checkify.index_checks)
        words = quick(lambda *given: checked(*given)[0], *args).get()
    except Exception:  # an operation that it does not know
        return None, ("", 0)
    places = {_place(equation) for equation in reading}
    if words:
        words = f"{words.split('. ')[0]}, and JAX reads the last element instead"
    return words or "", places.pop() if len(places) == 1 else ("", 0)


def reading_nothing(program: Recorded, negative: bool) -> Recorded:
    """Return a program that reads NaN where an index is outside of what it reads.

    Args:
        program: the program.
        negative: let an index below zero stay what it is, so that it is outside too.
    """
    new = copy.copy(program)
    new.jaxpr = program.jaxpr.replace(jaxpr=_reading_nothing(program.jaxpr.jaxpr, negative))
    return new


def _reading_nothing(jaxpr: Any, negative: bool) -> Any:
    counted, equations = (
        {},
        [],
    )  # the indices that are counted from the end, by where they come to be
    for equation in jaxpr.eqns:
        kind, params = equation.primitive.name, dict(equation.params)
        if kind == "add" and hasattr(equation.invars[1], "val"):
            counted[equation.outvars[0]] = equation.invars[0]
        if kind == "gather" and "PROMISE_IN_BOUNDS" in str(params["mode"]):
            fill = np.nan if is_floating(equation.outvars[0].aval) else 0
            params |= {"mode": jax.lax.GatherScatterMode.FILL_OR_DROP, "fill_value": fill}
        if kind == "select_n" and negative and len(equation.invars) == 3:
            which, index, from_end = equation.invars
            if not hasattr(from_end, "val") and counted.get(from_end) is index:
                equation = equation.replace(invars=[which, index, index])
        for name, value in params.items():
            params[name] = _each_program(value, negative)
        equation = equation.replace(params=params)
        equations += _slice_or_nothing(equation) if kind == "dynamic_slice" else [equation]
    return jaxpr.replace(eqns=equations)


def _slice_or_nothing(equation: Any) -> list[Any]:
    """Return the operations that read a slice, or NaN where it would begin outside."""
    sizes = equation.params["slice_sizes"]

    def read(x: jax.Array, *start: jax.Array) -> jax.Array:
        ends = zip(start, x.shape, sizes, strict=True)
        inside = [(at >= 0) & (at <= size - taken) for at, size, taken in ends]
        nothing = np.nan if is_floating(x) else 0
        return jnp.where(jnp.stack(inside).all(), jax.lax.dynamic_slice(x, start, sizes), nothing)

    given = [jax.ShapeDtypeStruct(each.aval.shape, each.aval.dtype) for each in equation.invars]
    new = jax.make_jaxpr(read)(*given).jaxpr
    outer = dict(
        zip([*new.invars, *new.outvars], [*equation.invars, *equation.outvars], strict=True)
    )

    def named(atoms: Any) -> list[Any]:
        return [atom if hasattr(atom, "val") else outer.get(atom, atom) for atom in atoms]

    return [each.replace(invars=named(each.invars), outvars=named(each.outvars))
            for each in new.eqns]  # fmt: skip


def _each_program(value: Any, negative: bool) -> Any:
    if isinstance(value, (list, tuple)) and any(hasattr(_bare(part), "eqns") for part in value):
        return type(value)(_each_program(part, negative) for part in value)
    if hasattr(value, "jaxpr") and hasattr(value.jaxpr, "eqns"):
        return value.replace(jaxpr=_reading_nothing(value.jaxpr, negative))
    return _reading_nothing(value, negative) if hasattr(value, "eqns") else value


def _bare(part: Any) -> Any:
    return getattr(part, "jaxpr", part)


def of_constants(program: Recorded, *args: Any) -> list[Any]:
    """Return what a program computes without its arguments, where these come into it."""
    jaxpr, fixed, met = program.jaxpr.jaxpr, list[Any](), list[Any]()
    moving = set(jaxpr.invars)
    for equation in jaxpr.eqns:
        if moving & _variables(equation.invars):
            moving.update(equation.outvars)
            met += [atom for atom in equation.invars if hasattr(atom, "val") or atom not in moving]
        else:
            fixed.append(equation)
    info = jaxpr.debug_info._replace(result_paths=None)
    new = program.jaxpr.replace(jaxpr=jaxpr.replace(eqns=fixed, outvars=met, debug_info=info))
    return jaxpr_as_fun(new)(*jax.tree.leaves(args))


def weight(jaxpr: Any) -> int:
    """Return the number of a program's operations, those of a loop once for each step."""
    total = 0
    for equation in jaxpr.eqns:
        times = equation.params.get("length", 1) if equation.primitive.name == "scan" else 1
        if equation.primitive.name == "while":
            times = 20  # nobody knows
        total += 1 + times * sum(map(weight, inner(equation)))
    return total


@dataclass
class Drawing:
    """One operation that draws, and on which what a program returns depends.

    Attributes:
        by_key: whether it depends on the program's first argument, the key.
        place: the file and the line that it comes from.
        keys: the variables of the keys that it draws with as they are, without a split.
    """

    by_key: bool
    place: tuple[str, int]
    keys: set[Any]


def drawings(jaxpr: Any) -> list[Drawing]:
    """Return what a program draws of what it returns; its first argument is its key."""
    moving = set(jaxpr.invars[:1])
    for equation in jaxpr.eqns:
        if moving & _variables(equation.invars):
            moving.update(equation.outvars)
    needed, drawn = _variables(jaxpr.outvars), []
    for equation in reversed(jaxpr.eqns):
        if not needed & set(equation.outvars):
            continue
        read = _variables(equation.invars)
        needed |= read
        if any(within(equation, _draws)):
            keys = consumed(equation) if read & moving else set()
            drawn.append(Drawing(bool(read & moving), _place(equation), _wrapped(jaxpr, keys)))
    return drawn


def consumed(equation: Any) -> set[Any]:
    """Return the variables of the keys with which an operation draws, also in calls inside it."""
    if _draws(equation):
        return {atom for atom in _variables(equation.invars) if is_key(atom.aval)}
    variables = set()
    for part in inner(equation):
        used = _wrapped(part, {atom for inside in part.eqns for atom in consumed(inside)})
        if len(part.invars) == len(equation.invars):
            pairs = zip(part.invars, equation.invars, strict=True)
            variables |= _variables(outer for own, outer in pairs if own in used)
    return variables


def _wrapped(jaxpr: Any, keys: set[Any]) -> set[Any]:
    """Return the variables of keys, those in the old form of what was made new of them."""
    old = {equation.outvars[0]: equation.invars[0] for equation in jaxpr.eqns
           if equation.primitive.name == "random_wrap"}  # fmt: skip
    return {old.get(key, key) for key in keys}


def _variables(atoms: Any) -> set[Any]:
    return {atom for atom in atoms if not hasattr(atom, "val")}


def _draws(equation: Any) -> bool:
    return equation.primitive.name in BITS


def _place(equation: Any) -> tuple[str, int]:
    """Return the innermost line outside of the libraries that an operation comes from."""
    trace = getattr(equation.source_info, "traceback", None)
    for frame in trace.frames if trace else ():
        parts = frame.file_name.replace("\\", "/").split("/")
        if not INSIDE & set(parts):
            return frame.file_name, frame.line_num
    return "", 0


def compiled_in_64_bits(function: Callable, *args: Any) -> Callable:
    """Return the program of a function where JAX computes with 64 bits; it returns NumPy arrays.

    Its arguments are arrays; those of floating-point numbers are widened.
    """
    with enable_x64(True):
        program = quickly(function, *widened(args))

    def run(*args: Any) -> Any:
        with enable_x64(True):
            return jax.tree.map(np.asarray, program(*widened(args)))

    return run


def in_64_bits(function: Callable, *args: Any) -> Any:
    """Return what a function returns under `jit` where JAX computes with 64 bits, as NumPy arrays.

    Its arguments are arrays; those of floating-point numbers are widened.
    """
    return compiled_in_64_bits(function, *args)(*args)


def widened(tree: Any, whole: bool = False) -> Any:
    """Return a pytree with its arrays of floating-point numbers in 64 bits.

    With `whole`, those of whole numbers with a sign too.
    """

    def widen(leaf: Any) -> Any:
        if not (hasattr(leaf, "dtype") and hasattr(leaf, "shape")):
            return leaf
        signed = whole and jax.dtypes.issubdtype(leaf.dtype, np.signedinteger)
        if not (signed or is_floating(leaf)):
            return leaf
        kind: Any = np.int64 if signed else float
        wide = np.array(leaf, dtype=kind)  # a copy: JAX may know the array itself with 32 bits
        with enable_x64(True):  # an array of NumPy takes no index that is traced
            return jnp.asarray(wide) if isinstance(leaf, jax.Array) else wide

    return jax.tree.map(widen, tree)
