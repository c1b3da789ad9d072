"""Tracebacks are made from the frames that a notebook shows, and from no others."""

import re

import pytest
from IPython.core.interactiveshell import InteractiveShell

from trace_evidence import tracebacks


def hidden(function):
    __tracebackhide__ = True  # as JAX marks its own frames
    return function()


def shown():
    return 1 / 0


@pytest.mark.slow
def test_a_notebook_shows_one_line_a_frame_and_no_marked_frame(capsys):
    shell = InteractiveShell()
    tracebacks.load_ipython_extension(shell)
    shell.push({"hidden": hidden, "shown": shown})
    shell.run_cell("hidden(lambda: hidden(shown))")
    printed = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out)
    assert "in shown\n    return 1 / 0" in printed
    assert "in <lambda>" in printed
    assert "in hidden" not in printed, "IPython no longer reads frames with `_extract_tb`"
    assert printed.rstrip().endswith("ZeroDivisionError: division by zero")
