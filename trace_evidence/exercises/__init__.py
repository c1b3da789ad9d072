"""The magic ``%check``: tell a learner whether an exercise is solved, and what is still wrong.

An exercise has a file of its own here, `LABEL.md`. It says what an answer defines, and on
which kernel it runs where that is `then`. Its first block of code is the check: a handful of
``assert`` statements, each with a hint, and a sentence `why` that says why the right answer is
right. The other blocks are answers that the check refuses, each above what the check says to it.
A check runs in a copy of the notebook's variables.
"""

import ast
import re
from dataclasses import dataclass
from pathlib import Path

from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.magic import Magics, line_magic, magics_class

from .. import names
from ..then import MISSING

FOLDER = Path(__file__).parent
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n((?:> [^\n]*\n)+))?", re.M | re.S)
PASSED = "That is it."
EMPTY = "replace each ... in `{}` by your answer, and run that cell"
# Runs before the asserts, on whichever kernel they run.
NOT_EMPTY = "assert 'Ellipsis' not in repr({0}), {1!r}\n"
ON_THEN = "_space = dict(globals(), why='')\nexec({0!r}, _space)\n_space['why']"


@dataclass(frozen=True)
class Exercise:
    """What an exercise's own file says.

    Attributes:
        names: what an answer defines, and may not hold a ``...`` any more.
        check: the code that judges an answer.
        then: whether it runs on the kernel `then`.
        refused: wrong answers, each with the hint that it draws out.
    """

    names: tuple[str, ...]
    check: str
    then: bool
    refused: tuple[tuple[str, str], ...]


def load(label: str) -> Exercise:
    """Read an exercise's own file.

    Raises:
        UsageError: there is none of this label.
    """
    file = FOLDER / f"{label}.md"
    if not label or not file.exists():
        raise UsageError(f"%check needs the label of an exercise, and got {label!r}.")
    text = file.read_text()
    head = text.partition("```")[0]
    answer = re.search(r"^Answer: (.+)$", head, re.M)
    names = re.findall(r"`(\w+)`", answer[1]) if answer else []
    (check, _), *refused = BLOCK.findall(text)
    quotes = [(code, re.sub("^> ", "", reply, flags=re.M)) for code, reply in refused]
    replies = tuple((code, " ".join(reply.split())) for code, reply in quotes)
    return Exercise(tuple(names), check, "Kernel: `then`" in head, replies)


def hint(name: str, message: str, advice: str = "") -> str:
    """Return what a learner is told when a check, or the code that it calls, raises.

    Args:
        name: the class name of the exception.
        message: its text.
        advice: what to do about a name that is not defined.
    """
    first = next(iter(message.strip().splitlines()), "")
    if name == "AssertionError":
        return first or "the check failed"
    if name == "NameError":
        return f"{first}. {advice}"
    return f"your code stops with {name}: {first}"


@magics_class
class CheckMagics(Magics):
    """Judges the exercises of a page."""

    shell: InteractiveShell

    @line_magic
    def check(self, line: str) -> None:
        """Check an exercise: ``%check LABEL``; ``%check LABEL refused`` shows what it refuses.

        Raises:
            AssertionError: a refused answer is told something else than its file says.
        """
        label, _, which = line.partition(" ")
        exercise = load(label)
        if which.strip() != "refused":
            print(self.verdict(exercise))
            return
        for answer, reply in exercise.refused:
            shown = self.verdict(exercise, answer)
            if " ".join(shown.split()) != f"Not yet: {reply}":
                raise AssertionError(f"{answer}is told {shown!r}, and not {reply!r}")
            print(f"{answer}{shown}\n")

    def verdict(self, exercise: Exercise, answer: str = "") -> str:
        """Return what a check says of an answer, or of the one that the page holds."""
        empty = [NOT_EMPTY.format(name, EMPTY.format(name)) for name in exercise.names]
        try:
            why = self.run("".join([answer, *empty, exercise.check]), exercise.then)
        except Exception as error:
            advice = self.about(exercise, names.undefined(str(error)))
            return f"Not yet: {hint(type(error).__name__, str(error), advice)}"
        return why or PASSED

    def about(self, exercise: Exercise, name: str) -> str:
        """Return what to do about a name that is not defined; an answer's own is made above."""
        made = names.made_in_notebook(self.shell, exercise.then)
        if name in exercise.names:
            made = {**(made or {}), name: names.ABOVE}
        return names.advice(name, () if exercise.then else self.shell.user_ns, made)

    def run(self, code: str, then: bool) -> str:
        """Run a check's code, and return why the answer is right."""
        if not then:
            space = dict(self.shell.user_ns, why="")
            exec(compile(code, "<check>", "exec"), space)
            return space["why"]
        kernel = self.shell.magics_manager.registry["ThenMagics"].started()
        if kernel is None:
            return f"Not yet: this exercise cannot be checked here. {MISSING}"
        return ast.literal_eval(kernel.run(ON_THEN.format(code)).data["text/plain"])
