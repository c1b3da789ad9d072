"""`examine-model MODULE:MODEL`: the same report in a shell."""

from __future__ import annotations

import argparse
import ast
import importlib
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

PATIENCE = 2.0
"""Seconds after which a line says which check runs."""


class CannotLoad(Exception):
    """What was named on the command line cannot be found; the message says what to do."""


def load(name: str, default: str = "") -> Any:
    """Return the object that `MODULE:NAME` stands for.

    Args:
        name: the module as Python imports it, or a file that ends with ".py", a colon, and a name
            in it, with dots for attributes.
        default: the module of a name that has no colon.

    Raises:
        CannotLoad: there is no such module, or no such name in it.
    """
    module, colon, attribute = name.rpartition(":")
    if not colon:
        module, attribute = default, name
    if not module:
        raise CannotLoad(f"{name!r} names no module: write MODULE:MODEL, as in tank:model.")
    if module.endswith(".py"):
        folder, module = os.path.split(module.removesuffix(".py"))
        sys.path.insert(0, folder or ".")
    elif "" not in sys.path and "." not in sys.path:
        sys.path.insert(0, "")
    try:
        found = importlib.import_module(module)
    except ImportError as error:
        cure = "run it where `import` finds the module, with its environment."
        raise CannotLoad(f"cannot import {module!r} ({error}): {cure}") from None
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise CannotLoad(f"{module} has no {attribute!r}.")
        found = getattr(found, part)
    return found


def argument(text: str, module: str) -> Any:
    """Return an argument of the model: a Python literal, or a name in a module."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return load(text, module)


def split(words: list[str], module: str) -> tuple[tuple, dict[str, Any]]:
    """Return the positional and the keyword arguments that words such as `y=tank:data` mean."""
    args, kwargs = [], {}
    for word in words:
        name, equals, text = word.partition("=")
        if equals and name.isidentifier():
            kwargs[name] = argument(text, module)
        else:
            args.append(argument(word, module))
    return tuple(args), kwargs


class Progress:
    """One line on standard error that names the running check, from two seconds on."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self.begun, self.check, self.done = time.monotonic(), "", threading.Event()
        self.patience = patience
        self.thread = threading.Thread(target=self._tell, daemon=True)

    def __enter__(self) -> Callable[[str], None]:
        self.thread.start()
        return self._begin

    def __exit__(self, *error: object) -> None:
        self.done.set()
        self.thread.join()

    def _begin(self, check: str) -> None:
        self.check = check

    def _tell(self) -> None:
        told = ""
        while not self.done.wait(0.1):
            late = time.monotonic() - self.begun > self.patience
            if late and self.check and self.check != told:
                told = self.check
                print(f"{told} …", file=sys.stderr, flush=True)


def parse(words: list[str] | None, program: str) -> argparse.Namespace:
    """Return what the command line asks for."""
    ends = (
        "The status is 0 where nothing was found, 1 where something was or no check could answer, "
        "2 where something that was named cannot be loaded."
    )
    about = "Compute what a NumPyro model says in a second way, and say where the two differ."
    parser = argparse.ArgumentParser(prog=program, description=about, epilog=ends)
    parser.add_argument("model", metavar="MODULE:MODEL", help="or FILE.py:MODEL")
    parser.add_argument("arguments", nargs="*", help="literals, MODULE:NAME, or NAME in the "
                        "model's module, each maybe after KEYWORD=")  # fmt: skip
    parser.add_argument("--checks", default="", help="some checks only, by commas")
    parser.add_argument("--guide", default="", metavar="MODULE:GUIDE", help="look at a guide too")
    parser.add_argument("--seed", type=int, default=0, help="the key of what is drawn")
    parser.add_argument("--strict", action="store_true", help="fail where a check could not answer")
    parser.add_argument("--slow", action="store_true", help="also what may take long")
    return parser.parse_args(words)


def main(words: list[str] | None = None, program: str = "examine-model") -> int:
    """Examine a model and print the report.

    Args:
        words: the command line; that of this process, if it is None.
        program: what the command is called.

    Returns:
        0 if nothing was found, 1 if something was or no check could answer, 2 where something that
        was named could not be loaded.
    """
    options = parse(words, program)
    try:
        import jax

        from . import driver
    except ImportError as error:
        cure = "install it where the model runs."
        print(f"error: examine needs NumPyro ({error}): {cure}", file=sys.stderr)
        return 2
    module = options.model.rpartition(":")[0]
    try:
        found = load(options.model)
        args, kwargs = split(options.arguments, module)
        guide = load(options.guide, module) if options.guide else None
    except CannotLoad as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    with Progress() as progress:
        try:
            report = driver.examine(
                found, args, kwargs, rng_key=jax.random.PRNGKey(options.seed), guide=guide,
                checks=options.checks.split(",") if options.checks else None,
                slow=options.slow, progress=progress,
            )  # fmt: skip
        except (ValueError, TypeError) as error:
            print(f"error: {error}", file=sys.stderr)
            return 2
    print(report)
    return 0 if (report.strict if options.strict else report.ok) else 1
