"""What the chapters of *Trace Evidence* cannot show as plain code.

``%load_ext trace_evidence`` in a notebook gives it the cell magic ``%%then`` and the book's
figure style.
"""

__version__ = "0.1.0"


def load_ipython_extension(shell) -> None:
    """Register ``%%then`` and set the figure style; called by ``%load_ext trace_evidence``."""
    from . import figures, then

    shell.register_magics(then.ThenMagics)
    figures.use_style(shell)
