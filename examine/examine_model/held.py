"""What a model holds on to: a note of it, the way back, and the tracers in it."""

from __future__ import annotations

import functools
import sys
import sysconfig
import types
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jax
import numpy as np

MOST = 20_000
"""Objects that are looked at, at most."""
COPIED = 1_000_000
"""Elements of a NumPy array that is noted with its contents, at most."""
ROOTS = ("model", "args", "kwargs", "guide")
LEAVES = (str, bytes, int, float, complex, bool, type(None), jax.Array, np.generic, type, range)
LIBRARIES = tuple(str(Path(sysconfig.get_path(name))) for name in ("stdlib", "purelib", "platlib"))


class Held:
    """A note of what is reachable from some objects: attributes, closures, globals, containers.

    Args:
        roots: what to begin with; the code of libraries is entered only where a root is theirs.

    Attributes:
        whole: False if there was more than is looked at.
    """

    def __init__(self, *roots: Any) -> None:
        self.noted: dict[int, tuple[Any, Any, str]] = {}
        self.whole = True
        self._globals: dict[tuple[int, str], tuple[dict, str, Any]] = {}
        self._own = {_package(root) for root in map(_function, roots)} - {""}
        names = (*ROOTS, *["args"] * len(roots))
        self._walk([(root, name) for root, name in zip(roots, names, strict=False)])

    def _walk(self, waiting: list[tuple[Any, str]]) -> None:
        while waiting:
            thing, path = waiting.pop()
            if isinstance(thing, (*LEAVES, types.ModuleType)):
                continue
            if id(thing) in self.noted or isinstance(thing, jax.core.Tracer):
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
        elif isinstance(thing, np.ndarray):
            return
        wrapped = getattr(type(thing), "__wrapped__", None) or _wrapped(thing)
        if wrapped is not None:
            yield "", wrapped
        for name, value in (_attributes(thing) or {}).items():
            yield f".{name}", value
        cls = type(thing)
        if not _in_library(sys.modules.get(cls.__module__), self._own):
            for name, value in list(vars(cls).items()):
                if not name.startswith("__") or name == "__call__":
                    yield f".{name}", value

    def _of_function(self, function: types.FunctionType) -> Iterator[tuple[str, Any]]:
        yield "", function.__defaults__
        yield "", function.__kwdefaults__
        code = function.__code__
        for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
            try:
                yield f" → {name}", cell.cell_contents
            except ValueError:
                continue  # a cell that is still empty
        if _is_library(code.co_filename) and _package(function) not in self._own:
            return
        for name in _names(code):
            if name in function.__globals__:
                value = function.__globals__[name]
                key = id(function.__globals__), name
                self._globals.setdefault(key, (function.__globals__, name, value))
                yield f" → {name}", value

    def tracers(self) -> list[str]:
        """Return the places where a tracer is held now, the shortest name first."""
        found = set()
        for thing, _, path in Held._again(self).noted.values():
            for name, value in _now(thing):
                if isinstance(value, jax.core.Tracer):
                    found.add(f"{path}{name}")
        found |= {name for space, name, _ in self._globals.values()
                  if isinstance(space.get(name), jax.core.Tracer)}  # fmt: skip
        return sorted(found, key=lambda place: (len(place), place))

    @staticmethod
    def _again(held: Held) -> Held:
        new = Held.__new__(Held)
        new.noted, new.whole, new._own, new._globals = {}, True, held._own, {}
        new._walk([(thing, path) for thing, _, path in reversed(list(held.noted.values()))])
        return new

    def changed(self) -> list[str]:
        """Return the places whose contents are other objects than were noted."""
        places = []
        for thing, before, path in self.noted.values():
            now = _contents(thing)
            if before is None or now is None or _unchanged(before, now):
                continue
            old, new = dict(_named(before)), _named(now)
            names = [name for name, _ in new if name not in old]
            names += [name for name, value in new if old.get(name, value) is not value]
            places.append(f"{path}{names[0]}" if names else path)
        rebound = [f"global {name}" for space, name, value in self._globals.values()
                   if space.get(name, value) is not value]  # fmt: skip
        return sorted({*places, *rebound}, key=lambda place: (len(place), place))

    def restore(self) -> None:
        """Put everything back as it was noted."""
        for thing, before, _ in self.noted.values():
            now = _contents(thing)
            if before is None or now is None or _unchanged(before, now):
                continue
            _put_back(thing, before)
        for space, name, value in self._globals.values():
            if space.get(name, value) is not value:
                space[name] = value


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


def _is_library(file: str) -> bool:
    return file.startswith(LIBRARIES) or "site-packages" in file or file.startswith("<frozen")


def _in_library(module: types.ModuleType | None, own: set[str]) -> bool:
    if module is None:
        return True
    if module.__name__.partition(".")[0] in own:
        return False
    file = getattr(module, "__file__", None)
    return module.__name__ != "__main__" and (file is None or _is_library(file))


def _names(code: types.CodeType) -> set[str]:
    found = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found |= _names(constant)
    return found


def _wrapped(thing: Any) -> Any:
    wrapped = (_attributes(thing) or {}).get("__wrapped__")
    return wrapped if wrapped is not None else getattr(thing, "__wrapped__", None)


def _attributes(thing: Any) -> dict[str, Any] | None:
    found = getattr(thing, "__dict__", None)
    return dict(found) if isinstance(found, dict) else None


def _contents(thing: Any) -> Any:
    """Return a shallow copy of what may change in a thing, or None."""
    if isinstance(thing, dict):
        return dict(thing)
    if isinstance(thing, (list, set, deque)):
        return list(thing)
    if isinstance(thing, functools._lru_cache_wrapper):
        return {"cache": thing.cache_info().currsize > 0}
    if isinstance(thing, np.ndarray):
        return thing.copy() if thing.size <= COPIED and thing.dtype != object else None
    if isinstance(thing, types.FunctionType):
        cells = []
        for cell in thing.__closure__ or ():
            try:
                cells.append(cell.cell_contents)
            except ValueError:
                return None
        return {"": cells, **vars(thing)}
    return _attributes(thing)


def _named(contents: Any) -> list[tuple[str, Any]]:
    if isinstance(contents, dict):
        return [(f".{key}" if isinstance(key, str) else f"[{key!r}]", contents[key])
                for key in contents]  # fmt: skip
    if isinstance(contents, list):
        return [(f"[{index}]", value) for index, value in enumerate(contents)]
    return []


def _now(thing: Any) -> list[tuple[str, Any]]:
    if isinstance(thing, tuple):
        return [(f"[{index}]", value) for index, value in enumerate(thing)]
    return _named(_contents(thing))


def _unchanged(before: Any, now: Any) -> bool:
    if isinstance(before, np.ndarray):
        return before.shape == now.shape and before.tobytes() == now.tobytes()
    if isinstance(before, dict):
        return before.keys() == now.keys() and all(
            _identical(before[key], now[key]) for key in before
        )
    return len(before) == len(now) and all(map(_identical, before, now))


def _identical(one: Any, other: Any) -> bool:
    if isinstance(one, list) and isinstance(other, list):  # cells of a function
        return len(one) == len(other) and all(a is b for a, b in zip(one, other, strict=True))
    return one is other


def _put_back(thing: Any, before: Any) -> None:
    if isinstance(thing, (dict, list, set, deque)):
        thing.clear()
        (thing.extend if isinstance(thing, (list, deque)) else thing.update)(before)
    elif isinstance(thing, functools._lru_cache_wrapper):
        if not before["cache"]:  # it was empty, so it can be put back
            thing.cache_clear()
    elif isinstance(thing, np.ndarray):
        if thing.flags.writeable and thing.shape == before.shape:
            thing[...] = before
    elif isinstance(thing, types.FunctionType):
        for cell, value in zip(thing.__closure__ or (), before[""], strict=True):
            if cell.cell_contents is not value:
                cell.cell_contents = value
        attributes = {key: value for key, value in before.items() if key}
        vars(thing).clear()
        vars(thing).update(attributes)
    else:
        vars(thing).clear()
        vars(thing).update(before)
