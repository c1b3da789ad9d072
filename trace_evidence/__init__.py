"""What the chapters of *Trace Evidence* cannot show as plain code.

``%load_ext trace_evidence`` in a notebook gives it the cell magics ``%%then``, ``%%both`` and
``%%check``, the line magic ``%triage`` and the book's figure style.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .examination.report import Report

__version__ = "0.1.0"


def examine(
    model: Callable, *args: Any, rng_key: Any = None, checks: Iterable[str] | None = None,
    guide: Any = None, slow: bool = False, **kwargs: Any,
) -> Report:  # fmt: skip
    """Compute what a NumPyro model says in a second way, and name the case where the two differ.

    The model is run a few times on the arguments given, without inference. Nothing that it holds,
    no handler and no global setting is changed afterwards.

    Args:
        model: a model, as you hand it to `MCMC` or `SVI`; or an `MCMC` that has run.
        *args: the model's arguments, of any shapes.
        rng_key: the key that all draws come from; `jax.random.PRNGKey(0)` if it is None.
        checks: names of checks, instead of all: "state", "keys", "round_trip", "shapes", "scan",
            "jit", "pytree", "guide", "mcmc".
        guide: a guide of the model, used before or new, to be looked at too.
        slow: whether a check may take long; without, it is named as not run.
        **kwargs: the model's keyword arguments. One that is called as one of the four above goes
            into a `functools.partial` of the model.

    Returns:
        A report: `print` it, or ask `report.ok` in a test.

    Raises:
        ValueError: a check is not known.
        TypeError: the model cannot be called.
        ImportError: NumPyro is not installed.
    """
    from .examination import driver

    return driver.examine(
        model, args, kwargs, rng_key=rng_key, checks=checks, guide=guide, slow=slow
    )


def load_ipython_extension(shell) -> None:
    """Register the magics and set the figure style; called by ``%load_ext trace_evidence``."""
    from . import avoid, both, figures, grading, then, tracebacks, triage

    avoid.warn()
    shell.register_magics(then.ThenMagics, both.BothMagics, grading.CheckMagics)
    shell.register_magic_function(triage.magic(shell), magic_name="triage")
    shell.set_custom_exc((NameError,), then.show_missing_name)
    figures.use_style(shell)
    tracebacks.load_ipython_extension(shell)
