"""What the chapters of *Trace Evidence* cannot show as plain code.

``%load_ext trace_evidence`` in a notebook gives it the cell magics ``%%then``, ``%%both`` and
``%%check``, the line magic ``%triage`` and the book's figure style.
"""

__version__ = "0.1.0"


def load_ipython_extension(shell) -> None:
    """Register the magics and set the figure style; called by ``%load_ext trace_evidence``."""
    from . import both, figures, grading, then, tracebacks, triage

    shell.register_magics(then.ThenMagics, both.BothMagics, grading.CheckMagics)
    shell.register_magic_function(triage.magic(shell), magic_name="triage")
    shell.set_custom_exc((NameError,), then.show_missing_name)
    figures.use_style(shell)
    tracebacks.load_ipython_extension(shell)
