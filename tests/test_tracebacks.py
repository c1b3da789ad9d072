"""Tracebacks are made from the frames that a notebook shows, and from no others."""

import re
import traceback

import pytest
from IPython.core.interactiveshell import InteractiveShell

from trace_evidence import tracebacks


def hidden(function):
    __tracebackhide__ = True  # as JAX marks its own frames
    return function()


def shown():
    return 1 / 0


def test_marked_frames_are_left_out_and_the_others_keep_their_order():
    with pytest.raises(ZeroDivisionError) as caught:
        hidden(lambda: hidden(shown))
    kept = tracebacks.without_hidden_frames(caught.value.__traceback__)
    names = [frame.name for frame in traceback.extract_tb(kept)]
    assert names[1:] == ["<lambda>", "shown"]


def test_the_first_frame_stays_even_if_it_is_marked():
    with pytest.raises(ZeroDivisionError) as caught:
        hidden(shown)
    inner = caught.value.__traceback__.tb_next
    kept = tracebacks.without_hidden_frames(inner)
    assert [frame.name for frame in traceback.extract_tb(kept)] == ["hidden", "shown"]


def test_a_notebook_shows_one_line_a_frame_and_no_marked_frame(capsys):
    shell = InteractiveShell()
    tracebacks.load_ipython_extension(shell)
    shell.push({"hidden": hidden, "shown": shown})
    shell.run_cell("hidden(shown)")
    printed = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out)
    assert "in shown\n    return 1 / 0" in printed
    assert "in hidden" not in printed, "IPython no longer reads frames with `_extract_tb`"
    assert printed.rstrip().endswith("ZeroDivisionError: division by zero")
