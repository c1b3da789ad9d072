"""`examine-model MODULE:MODEL`: the same report in a shell."""

from __future__ import annotations

import argparse
import ast
import contextlib
import importlib
import os
import sys
from operator import attrgetter
from typing import Any

from .report import NAMES, did_you_mean


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
        sys.path.insert(0, os.path.abspath(folder))
    elif "" not in sys.path and "." not in sys.path:
        sys.path.insert(0, "")
    try:
        loaded = importlib.import_module(module)
    except ImportError as error:
        cure = "run it where `import` finds the module, with its environment."
        raise CannotLoad(f"cannot import {module!r} ({error}): {cure}") from None
    except (Exception, SystemExit) as error:  # its own status would be taken for that of a report
        says = f"{module!r} raises {type(error).__name__} when it is imported"
        raise CannotLoad(f"{says} ({error}): guard what it runs by `__name__`.") from None
    try:
        return attrgetter(attribute)(loaded)
    except AttributeError:
        meant = did_you_mean(attribute, dir(loaded))
        raise CannotLoad(f"{module} has no {attribute!r}{meant}.") from None


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


ARGUMENTS = """what the model is called with: Python literals, MODULE:NAME, or NAME in the model's
    module; KEYWORD=ARGUMENT passes one by keyword"""


def parse(words: list[str] | None, program: str) -> argparse.Namespace:
    """Return what the command line asks for."""
    ends = (
        "The status is 0 where nothing was found, 1 where something was, 2 where something that "
        "was named cannot be loaded, 3 where most checks could not answer, or one of them with "
        "--strict, --ci or --format sarif. Known checks: " + ", ".join(NAMES) + "."
    )
    about = "Compute what a NumPyro model says in a second way, and say where the two differ."
    parser = argparse.ArgumentParser(prog=program, description=about, epilog=ends)
    add = parser.add_argument
    add("model", metavar="MODULE:MODEL", help="the model; also FILE.py:MODEL")
    add("arguments", nargs="*", help=ARGUMENTS)
    flag: dict[str, Any] = {"action": "store_true"}
    add("--function", **flag, help="compare a plain function of arrays, not a model")
    add("--checks", default="", help="run only these checks, with commas between")
    add("--ignore", default="", help="leave these out, ID or ID:SITE, with commas between")
    add("--guide", default="", metavar="MODULE:GUIDE", help="check this guide of the model too")
    add("--seed", type=int, default=0, help="the seed of all draws (default: 0)")
    add("--strict", **flag, help="end with status 3 where a check could not answer")
    add("--ci", **flag, help="as --strict, for a job that guards a branch")
    add(
        "--fail-on",
        choices=["findings", "hints"],
        default="findings",
        help="what ends with status 1",
    )
    add("--slow", **flag, help="run checks that may take minutes")
    add("--timeout", type=float, metavar="SECONDS", help="end after these")
    add("--format", choices=["text", "json", "sarif"], default="text")
    return parser.parse_args(words)


def main(words: list[str] | None = None, program: str = "examine-model", default: str = "") -> int:
    """Examine a model and print the report.

    Args:
        words: the command line; that of this process, if it is None.
        program: what the command is called.
        default: the module of a model that has no colon.

    Returns:
        The status, as `--help` says.
    """
    options = parse(words, program)
    try:
        from . import driver, formats, plain
    except ImportError as error:
        cure = "install it where the model runs."
        print(f"error: examine needs NumPyro ({error}): {cure}", file=sys.stderr)
        return 2
    module = options.model.rpartition(":")[0] or default
    common: dict[str, Any] = {
        "checks": options.checks.split(",") if options.checks else None,
        "ignore": options.ignore.split(",") if options.ignore else [], "timeout": options.timeout,
    }  # fmt: skip
    screen = sys.stdout if options.format == "text" else sys.stderr  # what the model prints
    try:
        with contextlib.redirect_stdout(screen):
            loaded = load(options.model, module)
            args, kwargs = split(options.arguments, module)
            if options.function:
                report = plain.examine(loaded, args, kwargs, **common)
            else:
                report = driver.examine(
                    loaded, args, kwargs, rng_key=options.seed, slow=options.slow,
                    guide=load(options.guide, module) if options.guide else None, **common,
                )  # fmt: skip
    except (CannotLoad, ValueError, TypeError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    forms: dict[str, Any] = {"json": formats.as_json, "sarif": formats.as_sarif, "text": str}
    print(forms[options.format](report))
    strict = options.strict or options.ci or options.format == "sarif"
    return report.status(strict, options.fail_on)
