"""Run programs where this file's interpreter lives: `runner.py KIND programs.json`.

Each program runs in a fork of its own, in an empty folder, and one line of JSON is printed for
each, its name and what was found. A `case` gets a verdict on its program, and one on its cure:
`fails` (the exception of the case, in a wording that its entry knows), `wrong` (`got` is not
`expected`), `warns`, `ok`, and `cannot run` (another exception: this stack has no such program). Of
a `wording` the type and the text of its error are found.
It runs on Pythons and stacks old and new, so it imports nothing but the libraries.
"""

import contextlib
import io
import json
import linecache
import os
import re
import resource
import signal
import sys
import tempfile
import traceback
import types
import warnings

SECONDS = 120  # of CPU, which a busy machine does not use up
HANGS = 1200  # of waiting
FRAME_LINES, MESSAGE_LINES = 8, 20  # of a traceback, at most
IMPORTS = """\
import jax, jax.numpy as jnp, numpy as np
import numpyro, numpyro.distributions as dist
import equinox as eqx
import diffrax
from jax import lax, random
from numpyro.handlers import seed
from numpyro.infer import MCMC, NUTS, SVI, Predictive, Trace_ELBO
from numpyro.infer.autoguide import AutoNormal
"""


def import_libraries():
    """Import the libraries once, for all forks."""
    import numpyro.infer  # noqa: F401

    with contextlib.suppress(Exception):
        import equinox  # noqa: F401


def supply_names():
    """Give old releases the names that the cases use."""
    import jax
    import numpyro

    release = tuple(int(part) for part in numpyro.__version__.split(".")[:2])
    if not hasattr(jax.random, "key") or release < (0, 14):
        jax.random.key = jax.random.PRNGKey
    if not hasattr(jax, "tree"):
        names = ("all", "flatten", "leaves", "map", "reduce", "structure", "transpose", "unflatten")
        supplied = {name: getattr(jax.tree_util, "tree_" + name) for name in names}
        jax.tree = types.SimpleNamespace(**supplied)


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


def agree(first, second, tolerance):
    """Tell whether two answers are the same, leaf by leaf."""
    import jax
    import numpy as np

    left, right = jax.tree.leaves(first), jax.tree.leaves(second)
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
                is_expected = is_known(case, cell, kind, text)
                if not is_expected:
                    traceback.print_exc()
                verdict = "fails" if is_expected else "cannot run"
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
    program = run_cells(case, case["program"], space)
    answered = program is None and "got" in space and "expected" in space
    if answered and not agree(space["got"], space["expected"], tolerance):
        words = f"got {shown(space['got'])}, expected {shown(space['expected'])}"
        program = {"verdict": "wrong", "message": words}
    fix = run_cells(case, case["cure"], space)
    if fix is None:
        missing = [name for name in ("cured", "expected") if name not in space]
        if missing:
            fix = {"verdict": "cannot run", "message": f"no `{missing[0]}` was computed"}
        elif not agree(space["cured"], space["expected"], tolerance):
            words = f"cured {shown(space['cured'])}, expected {shown(space['expected'])}"
            fix = {"verdict": "wrong", "message": words}
    return {**(program or {"verdict": "ok"}), "cure": fix or {"verdict": "ok"}}


def tidy(lines):
    """Return lines as one text, without this machine's paths and addresses."""
    text = "\n".join(line[:400] for line in lines if not re.fullmatch(r"[ ~^]*", line))
    text = re.sub(r"[^\s\"']*/(?:site-packages|lib/python[\d.]+)/", "site-packages/", text)
    text = re.sub(r"\b1[34]\d{13}\b", "140", text)  # an address as well, such as id() returns
    return re.sub(r"0x[0-9a-f]{6,}", "0x7f", text)


def traceback_of(error):
    """Return an exception as a screen shows it, cut to its innermost frames.

    Of one that quotes a stack, only what it says after the stack is kept.
    """
    frames = traceback.format_tb(error.__traceback__.tb_next)  # without the frame of this file
    frames = "".join(frames).splitlines()[-FRAME_LINES:]
    message = "".join(traceback.format_exception_only(type(error), error)).splitlines()
    quoted = re.search(r"^[\w.]+Error: .*?(?=\n-{5}|\Z)", str(error), re.M | re.S)
    if "stack outside of JIT" in str(error) and quoted:
        frames, message = [], quoted[0].strip().splitlines()
    text = tidy(["Traceback:", *frames, *message[:MESSAGE_LINES]])
    return {"type": type(error).__name__, "text": text}


def say(name, program):
    """Run one program; return type and text of its error, or of its last warning."""
    code = program["code"]
    space = {"__name__": "__main__"}
    for line in IMPORTS.splitlines():
        with contextlib.suppress(ImportError):  # an old stack, or one without all libraries
            exec(line, space)
    file = f"<{name.rpartition('.')[2]}>"
    linecache.cache[file] = len(code), None, code.splitlines(keepends=True), file
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            with contextlib.redirect_stderr(io.StringIO()):
                exec(compile(code, file, "exec"), space)
        except Exception as error:
            return traceback_of(error)
    for warning in reversed(caught):
        kind = warning.category.__name__
        if kind in ("UserWarning", "FutureWarning"):
            return {"type": kind, "text": tidy([f"{kind}: {warning.message}"])}
    return {"type": "", "text": ""}


def in_fork(find, name, program):
    """Find out about a program in a process of its own; one that dies or hangs is a verdict too."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        os.dup2(2, 1)  # what the programs print
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, hard))
        signal.alarm(HANGS)
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                answer = find(name, program)
            except BaseException as error:
                traceback.print_exc()
                kind = type(error).__name__
                answer = {"verdict": "cannot run", "type": kind, "message": first_line(error)}
        with os.fdopen(write, "w") as pipe:
            json.dump(answer, pipe)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        text = pipe.read()
    _, status = os.waitpid(child, 0)
    if text:
        return json.loads(text)
    why = f"the process ended with status {status}"
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGALRM, signal.SIGXCPU):
        why = "no answer in time"
    return {"verdict": "cannot run", "message": why}


KINDS = {"case": lambda name, case: judge(case), "wording": say}


def main():
    """Print one line for each program."""
    kind = sys.argv[1]
    with open(sys.argv[2]) as file:
        programs = json.load(file)
    import_libraries()
    if kind == "case":
        supply_names()
    for name, program in programs.items():
        print(json.dumps([name, in_fork(KINDS[kind], name, program)]), flush=True)


if __name__ == "__main__":
    main()
