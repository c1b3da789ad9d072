"""`examine`: compute what a model says in a second way, and name the case where the two differ.

`checks` has one module a check, and each check one idea. `running` runs a model and records it,
`comparing` compares what two runs say, `held` notes what the model holds and puts it back,
`context` shares runs between checks, and `driver` runs them all and writes the `report`. `known`
says what the book knows of the cases that are named. `plain` examines a function without NumPyro.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .report import Report

__version__ = "0.1.0"


def examine(
    model: Callable, *args: Any, rng_key: Any = None, checks: Iterable[str] | None = None,
    guide: Any = None, slow: bool = False, ignore: Iterable[str] = (),
    timeout: float | None = None, **kwargs: Any,
) -> Report:  # fmt: skip
    """Compute what a NumPyro model says in a second way, and name the case where the two differ.

    The model is run a few times on the arguments given, without inference. Nothing that it holds,
    no handler and no global setting is changed afterwards; iterators are named in the report.

    Args:
        model: a model, as you hand it to `MCMC` or `SVI`; or an `MCMC` that has run.
        *args: the model's arguments, of any shapes.
        rng_key: the key that all draws come from, or a number to make it of; 0 if it is None.
        checks: names of checks, instead of all; `examine_model.report.NAMES` has them.
        guide: a guide of the model, used before or new, to be looked at too.
        slow: whether a check may take long; without, it is named as not run.
        ignore: ids of findings that are meant, such as "same-key", or "same-key:noise" for one
            site. A comment `# examine: ignore[same-key]` on the site's line does the same.
        timeout: seconds after which the checks that are left do not answer.
        **kwargs: the model's keyword arguments. One that is called as one of the six above goes
            into a `functools.partial` of the model.

    Returns:
        A report: `print` it, or ask `report.ok` in a test.

    Raises:
        ValueError: a check is not known.
        TypeError: the model cannot be called.
        ImportError: NumPyro is not installed.
    """
    from . import driver

    return driver.examine(
        model, args, kwargs, rng_key=rng_key, checks=checks, guide=guide, slow=slow,
        ignore=ignore, timeout=timeout,
    )  # fmt: skip


def function(
    function: Callable, *args: Any, checks: Iterable[str] | None = None,
    ignore: Iterable[str] = (), timeout: float | None = None, **kwargs: Any,
) -> Report:  # fmt: skip
    """Compute what a function of JAX returns in a second way; it is called `examine.function`.

    The function is called with its arguments as they are, under `jit`, without compiled programs,
    with 64 bits, on other data, and on copies of what it is given. It need not use NumPyro.

    Args:
        function: a function of arrays, or an Equinox module; what it returns is any pytree.
        *args: its arguments. Arrays and floats are traced, everything else is static.
        checks: names of checks, instead of all: "state", "static", "jit", "precision", "pytree".
        ignore: ids of findings that are meant.
        timeout: seconds after which the checks that are left do not answer.
        **kwargs: its keyword arguments.

    Returns:
        A report, as `examine` does.

    Raises:
        ValueError: a check is not known.
        TypeError: the function cannot be called.
    """
    from . import plain

    return plain.examine(function, args, kwargs, checks=checks, ignore=ignore, timeout=timeout)


examine.function = function  # type: ignore[attr-defined]


def load_ipython_extension(ipython: Any) -> None:
    """Add `%examine MODEL ARGUMENTS` to a notebook; it takes the options of the command.

    Names that have no module are the notebook's.
    """
    from contextlib import suppress
    from shlex import split

    from .shell import main

    def magic(line: str) -> None:
        with suppress(SystemExit):  # of `--help`
            main(split(line), "%examine", "__main__")

    ipython.register_magic_function(magic, magic_name="examine")
