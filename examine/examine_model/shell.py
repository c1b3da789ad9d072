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
        found = importlib.import_module(module)
    except ImportError as error:
        cure = "run it where `import` finds the module, with its environment."
        raise CannotLoad(f"cannot import {module!r} ({error}): {cure}") from None
    except (Exception, SystemExit) as error:  # its own status would be taken for that of a report
        says = f"{module!r} raises {type(error).__name__} when it is imported"
        raise CannotLoad(f"{says} ({error}): guard what it runs by `__name__`.") from None
    try:
        return attrgetter(attribute)(found)
    except AttributeError:
        meant = did_you_mean(attribute, dir(found))
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


def parse(words: list[str] | None, program: str) -> argparse.Namespace:
    """Return what the command line asks for."""
    ends = (
        "The status is 0 where nothing was found, 1 where something was, 2 where something that "
        "was named cannot be loaded, 3 where most checks could not answer, or one of them with "
        "--strict, --ci or --format sarif. Known checks: " + ", ".join(NAMES) + "."
    )
    about = "Compute what a NumPyro model says in a second way, and say where the two differ."
    parser = argparse.ArgumentParser(prog=program, description=about, epilog=ends)
    parser.add_argument("model", metavar="MODULE:MODEL", help="or FILE.py:MODEL")
    parser.add_argument("arguments", nargs="*", help="literals, MODULE:NAME, or NAME in the "
                        "model's module, each maybe after KEYWORD=")  # fmt: skip
    parser.add_argument("--function", action="store_true", help="it is a function, and no model")
    parser.add_argument("--checks", default="", help="some checks only, by commas")
    parser.add_argument("--ignore", default="", help="ids that are meant, or ID:SITE, by commas")
    parser.add_argument("--guide", default="", metavar="MODULE:GUIDE", help="look at a guide too")
    parser.add_argument("--seed", type=int, default=0, help="the key of what is drawn")
    parser.add_argument("--strict", action="store_true", help="fail where a check could not answer")
    parser.add_argument("--ci", action="store_true", help="the same, for a job that is a gate")
    parser.add_argument("--fail-on", choices=["findings", "hints"], default="findings",
                        help="whether a hint fails, too")  # fmt: skip
    parser.add_argument("--slow", action="store_true", help="also what may take long")
    parser.add_argument("--timeout", type=float, metavar="SECONDS", help="stop after so many")
    parser.add_argument("--format", choices=["text", "json", "sarif"], default="text")
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
            found = load(options.model, module)
            args, kwargs = split(options.arguments, module)
            if options.function:
                report = plain.examine(found, args, kwargs, **common)
            else:
                report = driver.examine(
                    found, args, kwargs, rng_key=options.seed, slow=options.slow,
                    guide=load(options.guide, module) if options.guide else None, **common,
                )  # fmt: skip
    except (CannotLoad, ValueError, TypeError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    forms: dict[str, Any] = {"json": formats.as_json, "sarif": formats.as_sarif, "text": str}
    print(forms[options.format](report))
    strict = options.strict or options.ci or options.format == "sarif"
    return report.status(strict, options.fail_on)
