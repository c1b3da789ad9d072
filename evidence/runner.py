"""Run the programs of cases on the stack of this Python, and print a verdict for each.

`python runner.py programs.json` reads `{slug: program}`, as `bookkit.entries.program` makes it,
and prints one line of JSON a case: `{"case": …, "reproduce": verdict, "fix": verdict}`. The
libraries are imported once, and each case runs in a fork of its own, in an empty folder.

Verdicts: `fails` (the exception of the case, in a wording that its record knows), `wrong` (`got`
is not `expected`), `warns`, `ok`, and `cannot run` (another exception: this stack has no such
program).
It runs on Pythons and stacks old and new, so it imports nothing but the libraries.
"""

import contextlib
import json
import os
import re
import signal
import sys
import tempfile
import traceback
import types
import warnings

SECONDS = 120
MEANING = 1  # raise it when a verdict means something else, and all are measured again


def prepare():
    """Import the libraries once, and give old releases the names that the programs use."""
    import jax
    import numpyro
    import numpyro.infer

    with contextlib.suppress(Exception):
        import equinox  # noqa: F401
    release = tuple(int(part) for part in numpyro.__version__.split(".")[:2])
    if not hasattr(jax.random, "key") or release < (0, 14):
        jax.random.key = jax.random.PRNGKey
    if not hasattr(jax, "tree"):
        names = ("all", "flatten", "leaves", "map", "reduce", "structure", "transpose", "unflatten")
        found = {name: getattr(jax.tree_util, "tree_" + name) for name in names}
        jax.tree = types.SimpleNamespace(**found)


def first_line(text):
    """Return the first line of a text that says something."""
    return (str(text).strip().splitlines() or [""])[0].strip()[:300]


def to_pattern(text):
    """Return a wording as a regular expression; `…` stands for what varies."""
    return r"\s+".join(re.escape(word) for word in text.split()).replace("…", "(.|\n)*?")


def is_known(case, cell, kind, text):
    """Tell whether an exception or a warning is that of the case."""
    if kind in (cell.get("raises"), cell.get("warns")) and re.search(cell["match"], text):
        return True
    for name, wording in case["wordings"]:
        try:
            literal = re.search(wording, text)
        except re.error:
            literal = None
        if kind == name and (literal or re.search(to_pattern(wording), text)):
            return True
    return False


def agree(one, other, tolerance):
    """Tell whether two answers are the same, leaf by leaf."""
    import jax
    import numpy as np

    left, right = jax.tree.leaves(one), jax.tree.leaves(other)
    return len(left) == len(right) and all(
        a == b
        if isinstance(a, str) or isinstance(b, str)
        else np.shape(a) == np.shape(b) and np.allclose(a, b, rtol=tolerance, atol=tolerance)
        for a, b in zip(left, right, strict=True)
    )


def shown(value):
    """Return an answer in a few words."""
    import jax
    import numpy as np

    if isinstance(value, str):
        return value
    try:
        rounded = jax.tree.map(lambda leaf: np.round(np.asarray(leaf), 3).tolist(), value)
    except Exception:
        rounded = value
    text = str(rounded)
    return text if len(text) <= 120 else text[:119] + "…"


def run_cells(case, cells, space):
    """Run cells one after the other; return the verdict of one that stopped or warned, or None."""
    for cell in cells:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                exec(compile(cell["code"], "<case>", "exec"), space)
            except Exception as error:
                kind, text = type(error).__name__, str(error)
                known = is_known(case, cell, kind, text)
                if not known:
                    traceback.print_exc()
                verdict = "fails" if known else "cannot run"
                return {"verdict": verdict, "type": kind, "message": first_line(text)}
        for warning in caught:
            kind, text = warning.category.__name__, str(warning.message)
            if "warns" in cell and is_known(case, cell, kind, text):
                return {"verdict": "warns", "type": kind, "message": first_line(text)}
    return None


def judge(case):
    """Return the verdicts on one case's program and on its cure."""
    space = {"__name__": "__main__"}
    tolerance = case["tolerance"]
    said = run_cells(case, case["program"], space)
    answered = said is None and "got" in space and "expected" in space
    if answered and not agree(space["got"], space["expected"], tolerance):
        words = f"got {shown(space['got'])}, expected {shown(space['expected'])}"
        said = {"verdict": "wrong", "message": words}
    fix = run_cells(case, case["cure"], space)
    if fix is None:
        missing = [name for name in ("cured", "expected") if name not in space]
        if missing:
            fix = {"verdict": "cannot run", "message": f"no `{missing[0]}` was computed"}
        elif not agree(space["cured"], space["expected"], tolerance):
            words = f"cured {shown(space['cured'])}, expected {shown(space['expected'])}"
            fix = {"verdict": "wrong", "message": words}
    return {"reproduce": said or {"verdict": "ok"}, "fix": fix or {"verdict": "ok"}}


def in_fork(case):
    """Run `judge` in a process of its own; one that dies or hangs is a verdict too."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        os.dup2(2, 1)  # what the programs print
        signal.alarm(SECONDS)
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                answer = judge(case)
            except BaseException as error:
                traceback.print_exc()
                kind = type(error).__name__
                said = {"verdict": "cannot run", "type": kind, "message": first_line(error)}
                answer = {"reproduce": said, "fix": said}
        with os.fdopen(write, "w") as pipe:
            json.dump(answer, pipe)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        text = pipe.read()
    _, status = os.waitpid(child, 0)
    if text:
        return json.loads(text)
    why = f"no answer within {SECONDS} s"
    if not (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM):
        why = f"the process ended with status {status}"
    said = {"verdict": "cannot run", "message": why}
    return {"reproduce": said, "fix": said}


def main():
    """Print one line for each case."""
    with open(sys.argv[1]) as file:
        programs = json.load(file)
    prepare()
    for name, case in programs.items():
        print(json.dumps({"case": name, **in_fork(case)}), flush=True)


if __name__ == "__main__":
    main()
