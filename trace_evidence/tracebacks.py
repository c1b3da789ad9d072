"""Short tracebacks, on both kernels: one line of code a frame, and no frames of JAX's own.

JAX marks its own frames, most of a traceback. IPython's default format parses the whole source of
every frame's file, which took a fifth of a page's time; its plain format does not.
"""

from types import TracebackType

MARK = "__tracebackhide__"


def without_hidden_frames(traceback: TracebackType | None) -> TracebackType | None:
    """Return a copy of a traceback without the frames that are marked, but for the first."""
    entries = []
    while traceback is not None:
        entries.append(traceback)
        traceback = traceback.tb_next
    for place, entry in reversed(list(enumerate(entries))):
        if place == 0 or MARK not in entry.tb_frame.f_locals:
            frame = entry.tb_frame
            traceback = TracebackType(traceback, frame, entry.tb_lasti, entry.tb_lineno)
    return traceback


def load_ipython_extension(shell) -> None:
    """Let a notebook show its exceptions as Python does, without the frames that are marked."""
    formatter = shell.InteractiveTB
    formatter.set_mode("Plain")
    extract = formatter._extract_tb
    formatter._extract_tb = lambda traceback: extract(without_hidden_frames(traceback))
