"""Short tracebacks, on both kernels: one line of code a frame, and no frames of JAX's own.

JAX marks its own frames, most of a traceback. IPython's default format parses the whole source of
every frame's file, which took a fifth of a page's time; its plain format does not.
"""

import traceback
from types import TracebackType

MARK = "__tracebackhide__"


def visible_frames(trace: TracebackType) -> traceback.StackSummary:
    """Return the frames of a traceback that are not marked, and the first in any case."""
    first, *others = traceback.walk_tb(trace)
    visible = [frame for frame in others if MARK not in frame[0].f_locals]
    return traceback.StackSummary.extract([first, *visible])


def load_ipython_extension(shell) -> None:
    """Let a notebook show its exceptions as Python does, without the frames that are marked."""
    formatter = shell.InteractiveTB
    formatter.set_mode("Plain")
    formatter._extract_tb = visible_frames
