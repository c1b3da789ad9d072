"""The magic ``%%check``: tell a learner whether an exercise is solved, and what is still wrong.

The body of a ``%%check`` cell is a handful of ``assert`` statements, each with a hint, and a
sentence `why` that says why the right answer is right. It runs in a copy of the notebook's
variables, or on the other kernel where its first line is ``%%then``.
"""

from __future__ import annotations

import ast

from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.magic import Magics, line_cell_magic, magics_class

from .then import MISSING, NOT_ABOVE

NEWLINE = "\n"
PASSED = "That is it."
EMPTY = "replace each ... in `{}` by your answer, and run that cell"
# Runs before the asserts, on whichever kernel they run.
NOT_EMPTY = "assert 'Ellipsis' not in repr({0}), {1!r}\n"


def hint(name: str, message: str) -> str:
    """Return what a learner is told when a check, or the code that it calls, raises.

    Args:
        name: the class name of the exception.
        message: its text.
    """
    first = next(iter(message.strip().splitlines()), "")
    if name == "AssertionError":
        return first or "the check failed"
    if name in ("NameError", "UnboundLocalError"):
        return f"{first}. {NOT_ABOVE}"
    return f"your code stops with {name}: {first}"


@magics_class
class CheckMagics(Magics):
    """Holds the checks of the page that have been run, by the label of their exercise."""

    shell: InteractiveShell
    known: dict[str, str] | None = None

    @line_cell_magic
    def check(self, line: str, cell: str | None = None):
        """Check an exercise: ``%%check LABEL NAMES`` with its asserts, later ``%check LABEL``.

        The names are those that the learner fills in; one that still holds a ``...`` is refused.
        """
        label, *names = line.split() or [""]
        self.known = self.known or {}
        if cell is not None:
            if not label:
                raise UsageError("%%check needs the label of its exercise.")
            empty = "".join(NOT_EMPTY.format(name, EMPTY.format(name)) for name in names)
            first, _, rest = cell.lstrip().partition("\n")
            then = first.strip() == "%%then"
            self.known[label] = f"%%then\n{empty}{rest}" if then else empty + cell
        elif label not in self.known:
            print(f"Not yet: run the check cell of the exercise {label!r} first.")
            return
        problem, why = self.run(self.known[label])
        print(f"Not yet: {problem}" if problem else why or PASSED)

    def run(self, code: str) -> tuple[str, str]:
        """Run a check's code; return what is wrong, or an empty string, and why it is right."""
        try:
            if not code.startswith("%%then"):
                space = dict(self.shell.user_ns, why="")
                exec(compile(code, "<check>", "exec"), space)
                return "", space["why"]
            kernel = self.shell.magics_manager.registry["ThenMagics"].started()
            if kernel is None:
                return f"this exercise cannot be checked here. {MISSING}", ""
            said = kernel.run(f"why = ''\n{code.partition(NEWLINE)[2]}\nwhy")
            return "", ast.literal_eval(said.data["text/plain"])
        except Exception as error:
            return hint(type(error).__name__, str(error)), ""
