"""What the chapters of *Trace Evidence* cannot show as plain code.

``%load_ext trace_evidence`` in a notebook gives it the cell magics ``%%then`` and ``%%both``,
the line magics ``%check``, ``%triage`` and ``%narrow``, and the book's figure style.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from examine_model import examine as examine

__version__ = "0.1.0"
EXAMINE = (
    'install it with pip install "git+https://github.com/trace-evidence/trace-evidence'
    '#subdirectory=examine", where the model runs.'
)


def watch() -> None:
    """From now on, name the page of each failure that the book knows. See `watching.py`."""
    from . import watching

    watching.watch()


def __getattr__(name: str) -> Any:
    """Return `examine`, which is a package of its own, `examine_model`."""
    if name != "examine":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        from examine_model import examine
    except ImportError as error:
        raise ImportError(f"{error}: {EXAMINE}") from None
    return examine


def load_ipython_extension(shell) -> None:
    """Register the magics and set the figure style; called by ``%load_ext trace_evidence``."""
    from . import avoid, both, exercises, figures, narrowing, then, tracebacks, triage

    avoid.warn()
    shell.register_magics(then.ThenMagics, both.BothMagics, exercises.CheckMagics)
    shell.register_magic_function(triage.show_last, magic_name="triage")
    shell.register_magic_function(narrowing.show, magic_name="narrow")
    shell.set_custom_exc((NameError,), then.show_missing_name)
    figures.use_style(shell)
    tracebacks.load_ipython_extension(shell)
