"""What a model holds on to: a note of it, the way back, and the tracers in it."""

from __future__ import annotations

import contextlib
import contextvars
import functools
import math
import random
import re
import sys
import sysconfig
import types
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import jax
import numpy as np

MOST = 20_000
"""Objects that are looked at, at most."""
COPIED = 1_000_000
"""Elements of a NumPy array that is noted with its contents, at most."""
ROOTS = ("model", "args", "kwargs", "guide")
LEAVES = (str, bytes, int, float, complex, bool, type(None), jax.Array, np.generic, range)
LIBRARIES = tuple(str(Path(sysconfig.get_path(name))) for name in ("stdlib", "purelib", "platlib"))


class Global:
    """A name in the globals of a module, in the form of a closure's cell."""

    def __init__(self, space: dict[str, Any], name: str) -> None:
        self.space, self.name = space, name

    @property
    def cell_contents(self) -> Any:
        """What the name stands for."""
        return self.space[self.name]

    @cell_contents.setter
    def cell_contents(self, value: Any) -> None:
        self.space[self.name] = value


class Space:
    """The plain attributes of a class or a module of the user's, without its functions."""

    def __init__(self, of: Any) -> None:
        self.of = of
        self.__name__ = of.__name__

    def attributes(self) -> dict[str, Any]:
        """Return the attributes by name."""
        attributes = list(vars(self.of).items())
        return {name: value for name, value in attributes if not _is_code(name, value)}

    def put_back(self, before: dict[str, Any]) -> None:
        """Give it the attributes that it had."""
        now = self.attributes()
        for name in now.keys() - before.keys():
            delattr(self.of, name)
        for name, value in before.items():
            if name not in now or now[name] is not value:
                setattr(self.of, name, value)


CELLS = (types.CellType, Global)
CODE = (
    types.FunctionType, types.ModuleType, type, property, staticmethod, classmethod,
    functools.cached_property, types.MemberDescriptorType, types.GetSetDescriptorType,
)  # fmt: skip
"""What in a class or a module is no state."""
UNSEEN = ("builtins", "itertools")
"""The modules of iterators, which run on by themselves and cannot be set back."""


class Held:
    """A note of what is reachable from some objects: attributes, closures, globals, containers.

    Args:
        roots: what to begin with; the code of libraries is entered only where a root is theirs.

    Attributes:
        whole: False if there was more than is looked at.
        unseen: where there are generators and iterators, which cannot be looked at nor set back.
        largest: the number of elements of the largest array among it.
        rewinds: what sets each generator of random numbers back to where it was. It is not put
            back with the rest: what it draws is another number in the next run, as in inference.
    """

    def __init__(self, *roots: Any) -> None:
        self.noted: dict[int, tuple[Any, Any, str]] = {}
        self.whole, self.largest = True, 0
        self.rewinds: list[Callable[[], None]] = []
        self._roots, self._traced = roots, dict[str, bool]()
        self._globals: dict[tuple[int, str], Global] = {}
        self._classes = set[type]()
        self.unseen: list[str] = []
        self._names = set[str]()
        self._spaces: dict[int, Space] = {}
        self._own = {_package(root) for root in map(_function, roots)} - {""}
        names = (*ROOTS, *["args"] * len(roots))
        # The last is looked at first: what the model and its guide share is the model's.
        self._walk([*zip(roots, names, strict=False)][::-1])

    def _walk(self, waiting: list[tuple[Any, str]]) -> None:
        while waiting:
            thing, path = waiting.pop()
            self.largest = max(self.largest, _size(thing))
            if isinstance(thing, jax.core.Tracer):
                self._traced[path] = is_key(thing)
            if isinstance(thing, (type, types.ModuleType)):
                thing = self._space(thing)
            if thing is None or isinstance(thing, (*LEAVES, jax.core.Tracer)):
                continue
            if id(thing) in self.noted:
                continue
            unset = isinstance(thing, contextvars.ContextVar) and not _contents(thing)
            runs = hasattr(type(thing), "__next__") and type(thing).__module__ in UNSEEN
            if runs or unset:
                self.unseen.append(path)
                continue
            if rewind := _rewind(thing):
                self.noted[id(thing)] = (thing, None, path)
                self.rewinds.append(rewind)
                continue
            if len(self.noted) >= MOST:
                self.whole = False
                return
            try:
                contents, inside = _contents(thing), list(self._inside(thing))
            except Exception:
                continue  # a proxy that does not let itself be looked at
            self.noted[id(thing)] = (thing, contents, path)
            waiting += [(inner, f"{path}{name}") for name, inner in inside]

    def _inside(self, thing: Any) -> Iterator[tuple[str, Any]]:
        if isinstance(thing, dict):
            yield from ((f"[{key!r}]", value) for key, value in list(thing.items()))
        elif isinstance(thing, (list, tuple, set, frozenset, deque)):
            yield from ((f"[{index}]", value) for index, value in enumerate(thing))
        elif isinstance(thing, functools.partial):
            yield from (("", part) for part in (thing.func, thing.args, thing.keywords))
        elif isinstance(thing, types.MethodType):
            yield from (("", thing.__func__), ("", thing.__self__))
        elif isinstance(thing, types.FunctionType):
            yield from self._of_function(thing)
        elif isinstance(thing, (*CELLS, contextvars.ContextVar)):
            yield from (("", value) for value in (_contents(thing) or {}).values())
            return
        elif isinstance(thing, Space):
            yield from ((f".{name}", value) for name, value in thing.attributes().items())
            return
        elif isinstance(thing, np.ndarray):
            return
        yield "", getattr(thing, "__wrapped__", None)
        for name, value in _attributes(thing).items():
            yield f".{name}", value
        cls = type(thing)
        if not _in_library(cls.__module__, self._own):
            self._classes.add(cls)
            yield "", cls
            for name, value in list(vars(cls).items()):
                if not name.startswith("__") or name == "__call__":
                    yield f".{name}", value

    def _space(self, thing: Any) -> Space | None:
        """Return the attributes of a class or a module of the user's; None of a library's."""
        name = thing.__name__ if isinstance(thing, types.ModuleType) else thing.__module__
        if name == __name__ or _in_library(name, self._own):
            return None
        return self._spaces.setdefault(id(thing), Space(thing))

    def _of_function(self, function: types.FunctionType) -> Iterator[tuple[str, Any]]:
        yield "", function.__defaults__
        yield "", function.__kwdefaults__
        code, space = function.__code__, function.__globals__
        for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
            yield f" → {name}", cell
        if is_library(code.co_filename) and _package(function) not in self._own:
            return
        self._names |= _names(code)
        for name in _names(code) & space.keys():
            yield f" → {name}", self._globals.setdefault((id(space), name), Global(space, name))

    def tracers(self) -> dict[str, bool]:
        """Return the places where a tracer is held now, the shortest first: is it a random key?"""
        places = Held(*self._roots)._traced
        return {place: places[place] for place in _shortest_first(places)}

    def keeper(self, place: str) -> tuple[Any, str, str]:
        """Return what holds a place now: the object, its attribute, and the rest of the place.

        The object is None where a global, a closure or a container of either holds it.
        """
        around = [(path, thing) for thing, _, path in Held(*self._roots).noted.values()
                  if place.startswith(path)]  # fmt: skip
        for path, thing in sorted(around, key=lambda pair: -len(pair[0])):
            match = re.match(r"\.(\w+)((?!.* → ).*)", place[len(path) :])
            if match and hasattr(thing, "__dict__") and not isinstance(thing, CELLS):
                return thing, match[1], match[2]
        return None, "", ""

    def caches(self) -> bool:
        """Tell whether an `lru_cache` holds more than was noted."""
        return any(isinstance(entry[0], functools._lru_cache_wrapper) for entry in self._others())

    def uses(self, things: Iterable[Any]) -> bool:
        """Tell whether a function of the model uses the name of a thing, or has it under another.

        A name that is another's too is taken for that of the thing.
        """
        names, ids = {thing.__name__ for thing in things}, {*map(id, things)}
        globals_ = (cell.cell_contents for cell in self._globals.values())
        return bool(names & self._names) or any(id(value) in ids for value in globals_)

    def changed(self) -> list[str]:
        """Return the places whose contents are other objects than were noted."""
        places = []
        for thing, before, path in self._others():
            old, new = dict(_named(before)), _named(_contents(thing))
            names = [name for name, _ in new if name not in old]
            names += [name for name, value in new if old.get(name, value) is not value]
            place = f"{path}{names[0]}".removesuffix(".") if names else path  # a cell names nothing
            places.append(f"global {thing.name}" if isinstance(thing, Global) else place)
        return _shortest_first(places)

    @contextlib.contextmanager
    def restoring(self) -> Iterator[None]:
        """Put everything back after the block."""
        try:
            yield
        finally:
            self.restore()

    @contextlib.contextmanager
    def replaced(self, change: Callable[[Any], Any]) -> Iterator[None]:
        """Have other things stand in the place of some in the block, until it puts them back.

        Args:
            change: what stands for a thing; the thing itself where nothing shall.
        """
        methods = [(cls, *method) for cls in self._classes for method in list(vars(cls).items())]
        changed = [entry for entry in methods if change(entry[2]) is not entry[2]]
        with self.restoring():
            try:
                for cls, name, method in changed:
                    setattr(cls, name, change(method))
                for thing, contents, _ in self.noted.values():
                    if isinstance(contents, list):
                        _put_back(thing, [change(value) for value in contents])
                    elif isinstance(contents, dict):
                        new = {name: change(value) for name, value in contents.items()}
                        if any(new[name] is not contents[name] for name in new):
                            _put_back(thing, new)
                yield
            finally:
                for cls, name, method in changed:
                    setattr(cls, name, method)

    def copied(self) -> contextlib.AbstractContextManager[None]:
        """Have copies stand in the place of arrays of NumPy in the block."""
        return self.replaced(copied)

    def restore(self) -> None:
        """Put everything back as it was noted."""
        for thing, before, _ in self._others():
            _put_back(thing, before)

    def _others(self) -> Iterator[tuple[Any, Any, str]]:
        """Yield what has changed since it was noted, with what it was and where."""
        for thing, before, path in self.noted.values():
            now = _contents(thing)
            if before is not None and now is not None and not _unchanged(before, now):
                yield thing, before, path


def _rewind(thing: Any) -> Callable[[], None] | None:
    """Return what sets a generator of random numbers back to where it is now; None of others."""
    if isinstance(thing, np.random.Generator):
        bits = thing.bit_generator
        return functools.partial(setattr, bits, "state", bits.state)
    if isinstance(thing, np.random.RandomState):
        return functools.partial(thing.set_state, thing.get_state())
    if isinstance(thing, random.Random):
        return functools.partial(thing.setstate, thing.getstate())
    return None


def copied(value: Any) -> Any:
    """Return a copy of an array of NumPy, also in a `functools.partial`, and anything else itself.

    JAX remembers with how many bits it took an array, also where it should now take more.
    """
    if type(value) is functools.partial:
        keywords = {name: copied(part) for name, part in value.keywords.items()}
        return functools.partial(value.func, *map(copied, value.args), **keywords)
    return value.copy() if isinstance(value, np.ndarray) else value


def _size(thing: Any) -> int:
    """Return the number of elements of an array or a table; 0 of anything else."""
    try:
        return int(math.prod(thing.shape))
    except Exception:
        return 0


def is_key(value: Any) -> bool:
    """Tell whether a value is a random key, or several, in the new form or the old."""
    old = value.dtype == np.uint32 and value.shape[-1:] == (2,)
    return old or jax.dtypes.issubdtype(value.dtype, jax.dtypes.prng_key)


def _shortest_first(places: Iterable[str]) -> list[str]:
    return sorted(set(places), key=lambda place: (len(place), place))


def _function(thing: Any) -> Any:
    while True:
        if isinstance(thing, functools.partial):
            thing = thing.func
        elif isinstance(getattr(thing, "fn", None), Callable):  # type: ignore[arg-type]
            thing = thing.fn  # a handler of NumPyro
        else:
            return thing


def _package(thing: Any) -> str:
    name = getattr(thing, "__module__", None) or type(thing).__module__ or ""
    root = name.partition(".")[0]
    return "" if root in {"numpyro", "jax", "builtins", "functools"} else root


def is_library(file: str) -> bool:
    """Tell whether a file belongs to Python or to an installed package."""
    return file.startswith(LIBRARIES) or "site-packages" in file or file.startswith("<frozen")


def _in_library(name: str, own: set[str]) -> bool:
    if name.partition(".")[0] in own:
        return False
    file = getattr(sys.modules.get(name), "__file__", None)
    return name != "__main__" and (file is None or is_library(file))


def _names(code: types.CodeType) -> set[str]:
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _names(constant)
    return names


def _attributes(thing: Any) -> dict[str, Any]:
    if isinstance(thing, Space):
        return thing.attributes()
    attributes = getattr(thing, "__dict__", None)
    return _slots(thing) | (dict(attributes) if isinstance(attributes, dict) else {})


def _slots(thing: Any) -> dict[str, Any]:
    """Return what stands in the slots of an object of Python."""
    values = {}
    for cls in type(thing).__mro__:
        if "__slots__" not in vars(cls):
            continue
        for name, slot in vars(cls).items():
            if isinstance(slot, types.MemberDescriptorType):
                with contextlib.suppress(AttributeError):  # it is empty
                    values[name] = slot.__get__(thing)
    return values


def _is_code(name: str, value: Any) -> bool:
    """Tell whether an attribute of a class or a module is no state, such as a function."""
    return name.startswith("__") or isinstance(value, CODE)


def _contents(thing: Any) -> Any:
    """Return a shallow copy of what may change in a thing, or None."""
    if isinstance(thing, (list, set, deque)):
        return list(thing)
    if isinstance(thing, np.ndarray):
        return thing.copy() if thing.size <= COPIED and thing.dtype != object else None
    if isinstance(thing, dict):
        return dict(thing)
    if isinstance(thing, functools._lru_cache_wrapper):
        return {"cache": thing.cache_info().currsize > 0}
    if isinstance(thing, CELLS):
        try:
            return {"": thing.cell_contents}
        except (ValueError, KeyError):  # it is empty
            return None
    if isinstance(thing, contextvars.ContextVar):
        try:
            return {"": thing.get()}
        except LookupError:  # it is not set
            return {}
    return _attributes(thing)


def _named(contents: Any) -> list[tuple[str, Any]]:
    if isinstance(contents, dict):
        return [(f".{key}" if isinstance(key, str) else f"[{key!r}]", contents[key])
                for key in contents]  # fmt: skip
    if isinstance(contents, list):
        return [(f"[{index}]", value) for index, value in enumerate(contents)]
    return []


def _unchanged(before: Any, now: Any) -> bool:
    if isinstance(before, np.ndarray):
        return before.shape == now.shape and before.tobytes() == now.tobytes()
    if isinstance(before, dict):
        return before.keys() == now.keys() and all(now[key] is before[key] for key in before)
    return len(before) == len(now) and all(a is b for a, b in zip(before, now, strict=True))


def _put_back(thing: Any, before: Any) -> None:
    if isinstance(thing, functools._lru_cache_wrapper):
        if not before["cache"]:  # it was empty, so it can be put back
            thing.cache_clear()
    elif isinstance(thing, CELLS):
        thing.cell_contents = before[""]
    elif isinstance(thing, contextvars.ContextVar):
        if before:  # one that was not set cannot be so again, and is told as unseen
            thing.set(before[""])
    elif isinstance(thing, Space):
        thing.put_back(before)
    elif isinstance(thing, np.ndarray):
        if thing.flags.writeable and thing.shape == before.shape:
            thing[...] = before
    elif isinstance(thing, (list, deque)):
        thing.clear()
        thing.extend(before)
    elif isinstance(thing, (dict, set)):
        thing.clear()
        thing.update(before)
    else:
        slots = _slots(thing)
        for name in slots.keys() - before.keys():
            getattr(type(thing), name).__delete__(thing)
        attributes = getattr(thing, "__dict__", {})
        for name in [name for name in attributes if name not in before]:
            del attributes[name]
        for name, value in before.items():
            slot = getattr(type(thing), name, None)
            if isinstance(slot, types.MemberDescriptorType):
                slot.__set__(thing, value)
            else:
                attributes[name] = value
