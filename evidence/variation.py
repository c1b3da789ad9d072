"""Try failures and cures on variations: `python -m evidence variation`.

A file of `evidence/variations` belongs to the case or chapter of its name. It holds plain programs,
such as a reader would make of the page's own, each marked by `vary` with what was seen when
somebody last looked. A program returns what the library gives, the same computed another way, and
what the cure gives (None if there is no cure to try); each a value, or a function of no argument
that may raise. No row is kept of one: what it must do stands beside it.

`python -m evidence.variation [NAME …]` has options for a few of them, which CI and `make page` use.
"""

import argparse
import json
import random
import re
import resource
import runpy
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "evidence" / "variations"
FOUND: list[tuple[str, tuple[str, str], dict, Callable]] = []
TRIED: dict[str, int] = {}  # how many variations of a page ran


def vary(title: str, failure: str, cure: str = "-", **elsewhere: tuple[str, str]) -> Callable:
    """Mark a program as a variation: what is varied, and what was seen.

    The failure is `silent`, `right`, or the name of an error; the cure `holds`, `falls`, `-`, or is
    one. Where the stack of 2024 does something else, `then=(failure, cure)` says so.
    """

    def mark(program: Callable) -> Callable:
        FOUND.append((title, (failure, cure), elsewhere, program))
        return program

    return mark


def value_of(thing: Any) -> Any:
    """Return a value, computed if it is a function; of an error, the name of its class."""
    import numpy as np

    try:
        thing = thing() if callable(thing) else thing
        return None if thing is None else np.asarray(thing)
    except Exception as error:
        return error


def agree(first: Any, second: Any) -> bool:
    """Tell whether two answers are the same, to one in a thousand."""
    import numpy as np

    same = first.shape == second.shape
    return same and bool(np.allclose(first, second, rtol=1e-3, atol=1e-4, equal_nan=True))


def verdicts(program: Callable) -> tuple[str, str]:
    """Run a variation; return what became of the failure, and of the cure."""
    got, expected, cured = map(value_of, program())
    if isinstance(expected, Exception):
        raise expected
    named = [type(part).__name__ if isinstance(part, Exception) else "" for part in (got, cured)]
    failure = named[0] or ("right" if agree(got, expected) else "silent")
    cure = "-" if cured is None else named[1] or ("holds" if agree(cured, expected) else "falls")
    return failure, cure


def run_inside(path: Path, quick: bool) -> None:
    """Run a file in this process, and print one line of JSON for each of its variations."""
    import jax

    stack = "then" if jax.__version_info__ < (0, 5) else "now"
    # The file asks this module for `vary`, under its name as a module.
    sys.modules["evidence.variation"] = sys.modules[__name__]
    runpy.run_path(str(path))
    for title, usual, elsewhere, program in FOUND[: 1 if quick else None]:
        declared = tuple(elsewhere.get(stack, usual))
        print(json.dumps([title, declared, verdicts(program)]), flush=True)


def changed() -> list[str]:
    """Return the pages whose text or variations a change touches; see `changes`."""
    from tools import changes

    rooms = (FOLDER, ROOT / "book" / "cases", ROOT / "book" / "failures")
    stems = {Path(name).stem for name in changes.touched() if (ROOT / name).parent in rooms}
    return changes.few(sorted(stem for stem in stems if (FOLDER / f"{stem}.py").exists()))


def drawn(seed: int, without: list[str]) -> list[Path]:
    """Return all files but some in the order of a seed."""
    files = [file for file in sorted(FOLDER.glob("*.py")) if file.stem not in without]
    random.Random(seed).shuffle(files)
    return files


def used() -> float:
    """Return the seconds of CPU that the processes started from here have used."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def run_file(file: Path, python: str, quick: bool, seconds: float = 0.0) -> int:
    """Run a file's variations on a stack, within seconds of CPU if given; print and count them.

    Returns:
        How many did not do what they declare; one more if the file itself failed.
    """
    words = [python, "-m", "evidence.variation", "--inside", str(file)]
    words += ["--quick"] if quick else []
    if seconds:
        words = ["bash", "-c", 'ulimit -t "$1" && exec "${@:2}"', "-", f"{seconds:.0f}", *words]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    variations = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]
    TRIED.update({file.stem: len(variations)})
    wrong = 0
    for title, declared, happened in variations:
        wrong += declared != happened
        note = "" if declared == happened else f"   declared {' / '.join(declared)}"
        print(f"{file.stem:28} {title:44} {' / '.join(happened)}{note}", flush=True)
    lacks = re.search(r"^ModuleNotFoundError: (No module named '\w+')$", done.stderr, re.M)
    if lacks and python != sys.executable:  # the stack of 2024 has no optimizers, and no Flax
        print(f"{file.stem:28} not run: {lacks[1]}")
    elif seconds and done.returncode in (-signal.SIGKILL, -signal.SIGXCPU):
        print(f"{file.stem:28} ended at the limit")
    elif done.returncode:
        wrong += 1
        print(f"{file.stem}: {done.stderr.strip()[-600:]}", file=sys.stderr)
    return wrong


class Variation:
    """The kind; it runs on the book's two stacks."""

    @staticmethod
    def update(only: Iterable[str] = (), names: Iterable[str] = ()) -> int:
        """Run programs on some stacks, or on both; return 0 where each did what it declares."""
        chosen = [stack for stack in ("now", "then") if stack in (only or [stack])]
        return max((main([*names, "--stack", stack]) for stack in chosen), default=0)


def python_of(stack: str) -> str:
    """Return the Python of one of the book's stacks."""
    return sys.executable if stack == "now" else str(ROOT / ".venv-then" / "bin" / "python")


def main(words: Sequence[str] | None = None) -> int:
    """Run the variations of some pages, or of all; return 0 where each did what it declares."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--quick", action="store_true", help="only the first of each file")
    parser.add_argument("--changed", action="store_true", help="those of the pages that changed")
    parser.add_argument("--draw", type=float, help="and drawn ones, for so many seconds of CPU")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="of the draw")
    parser.add_argument("--stack", default="now", choices=["now", "then"])
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args(words)
    if args.inside:
        run_inside(args.inside, args.quick)
        return 0
    python, names = python_of(args.stack), [*args.names, *(changed() if args.changed else ())]
    files = [FOLDER / f"{Path(name).stem}.py" for name in names]
    if not (args.names or args.changed or args.draw):
        files = sorted(FOLDER.glob("*.py"))
    wrong: dict[str, int] = {}
    for file in files:
        if file.exists() or args.quick:  # `make page` also builds pages that have none
            wrong[file.stem] = file.exists() and run_file(file, python, args.quick)
        else:
            wrong[file.stem] = 1
            print(f"{file.stem:28} has no file in evidence/variations/")
    if args.draw:
        print(f"drawn with --seed {args.seed}:")
        begun = used()
        for file in drawn(args.seed, names):
            left = args.draw - (used() - begun)
            if left < 1:
                break
            wrong[file.stem] = run_file(file, python, args.quick, left)
    bad = [name for name, count in wrong.items() if count]
    if TRIED or bad or not args.quick:
        total = f"{sum(TRIED.values())} variations of {len(wrong)} pages"
        print(f"{total}, {sum(wrong.values())} not as declared")
    if bad:
        print(f"error: mend the page, its cure or what its variations declare: {', '.join(bad)}")
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(main())
