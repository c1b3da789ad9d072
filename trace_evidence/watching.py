"""Name the page of a failure where it happens.

`trace_evidence.watch()` does so in a program or a notebook, and `pytest -p
trace_evidence.watching` under a test that fails. What the book does not know is left alone.
"""

import functools
import sys
import traceback
from typing import Any

from . import triage

DIVERGED = "book/cases/divergences-unsaid"


def line_of(error: BaseException) -> str:
    """Return one line with the page of what an exception shows, or nothing."""
    text = "".join(traceback.format_exception(error))
    findings = triage.triage(text, triage.installed()).findings
    return f"trace-evidence: {findings[0].title}: {findings[0].page}" if findings else ""


def tell(line: str) -> None:
    """Print a line beside the traceback, if there is one to print."""
    if line:
        print(line, file=sys.stderr)


def diverged(mcmc: Any) -> str:
    """Return one line with the number of transitions that diverged, or nothing."""
    import jax

    diverging = mcmc.get_extra_fields().get("diverging")
    if diverging is None or isinstance(diverging, jax.core.Tracer) or not diverging.any():
        return ""
    page = triage.address(DIVERGED)
    return (
        f"trace-evidence: {int(diverging.sum())} of {diverging.size} transitions diverged: {page}"
    )


def watch() -> None:
    """From now on, name the page of each failure that the book knows.

    An exception that ends the program or a notebook's cell is followed by one line with its page,
    and so is a run of `numpyro.infer.MCMC` in which transitions diverged.
    """
    from numpyro.infer import MCMC

    run, hook = MCMC.run, sys.excepthook
    if hasattr(run, "__wrapped__"):
        return  # it watches already

    @functools.wraps(run)
    def watched(self: Any, *args: Any, **options: Any) -> None:
        run(self, *args, **options)
        tell(diverged(self))

    def show(kind: type, error: BaseException, trace: Any) -> None:
        hook(kind, error, trace)
        tell(line_of(error))

    MCMC.run, sys.excepthook = watched, show
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell:
        shell.events.register("post_run_cell", tell_of_cell)


def tell_of_cell(result: Any) -> None:
    """Print the page of what stopped a cell."""
    if result.error_in_exec:
        tell(line_of(result.error_in_exec))


def pytest_exception_interact(node: Any, call: Any, report: Any) -> None:
    """Add the page to the report of a test that fails."""
    line = line_of(call.excinfo.value)
    if line:
        report.sections.append(("trace-evidence", line))
