"""Try failures and cures on variations: `python -m tools.variations [NAME …]`.

A file of `variations/` belongs to the case or chapter of its name. It holds plain programs, such as
a reader would make of the page's own, each marked by `vary` with what was seen when somebody last
looked. A program returns what the library gives, the same computed another way, and what the cure
gives (None if there is no cure to try); each a value, or a function of no argument that may raise.
"""

import argparse
import json
import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "variations"
FOUND: list[tuple[str, tuple[str, str], dict, Callable]] = []


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


def agree(one: Any, other: Any) -> bool:
    """Tell whether two answers are the same, to one in a thousand."""
    import numpy as np

    same = one.shape == other.shape
    return same and bool(np.allclose(one, other, rtol=1e-3, atol=1e-4, equal_nan=True))


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
    sys.modules["tools.variations"] = sys.modules[__name__]
    runpy.run_path(str(path))
    for title, usual, elsewhere, program in FOUND[: 1 if quick else None]:
        declared = tuple(elsewhere.get(stack, usual))
        print(json.dumps([title, declared, verdicts(program)]), flush=True)


def main() -> int:
    """Run the variations of some pages, or of all; return 0 where each did what it declares."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--quick", action="store_true", help="only the first of each file")
    parser.add_argument("--python", default=sys.executable, help="the Python of another stack")
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.inside:
        run_inside(args.inside, args.quick)
        return 0
    files = [FOLDER / f"{Path(name).stem}.py" for name in args.names] or FOLDER.glob("*.py")
    wrong = tried = 0
    for file in (files := sorted(files)):
        if not file.exists():
            wrong += not args.quick  # `make page` also builds pages that need none
            print(f"{file.stem:28} has no file in variations/")
            continue
        words = [args.python, "-m", "tools.variations", "--inside", str(file)]
        words += ["--quick"] if args.quick else []
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
        rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]
        tried += len(rows)
        for title, declared, found in rows:
            wrong += declared != found
            note = "" if declared == found else f"   declared {' / '.join(declared)}"
            print(f"{file.stem:28} {title:44} {' / '.join(found)}{note}")
        if done.returncode:
            wrong += 1
            print(f"{file.stem}: {done.stderr.strip()[-600:]}", file=sys.stderr)
    print(f"{tried} variations of {len(files)} pages, {wrong} not as declared")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
