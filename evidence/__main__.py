"""Measure what is new or changed: `python -m evidence [KIND …]`, or `make measure`.

python -m evidence                               all kinds, on all their stacks
python -m evidence case --newest                 the pages' programs, on the newest stacks
python -m evidence case --stacks 0.15.2,now      on some stacks
python -m evidence wording --only removed-api    some programs
"""

import argparse
import sys

from bookkit import execute
from evidence import KINDS, stacks
from tools import environments


def main() -> int:
    """Return 0, 1 where a row wants attention, or 2 where something could not be measured."""
    parser = argparse.ArgumentParser(prog="python -m evidence")
    parser.add_argument(
        "kinds", nargs="*", choices=[*KINDS, []], help="all that keep rows, if none is named"
    )
    parser.add_argument("--stacks", default="", help="names of stacks, separated by commas")
    parser.add_argument("--newest", action="store_true", help=f"the newest {stacks.NEWEST} stacks")
    parser.add_argument("--only", default="", help="names of programs, separated by commas")
    parser.add_argument("--lock", action="store_true", help="bring open pins up to date first")
    asked = parser.parse_args()
    only = (
        stacks.newest() if asked.newest else [stack for stack in asked.stacks.split(",") if stack]
    )
    names = [name for name in asked.only.split(",") if name]
    for stack in stacks.OPEN if asked.lock else ():
        stacks.lock(stack)
    with execute.alone(stacks.WORK, does="measures"):
        with_rows = [kind for kind in KINDS if kind != "variation"]  # of which no row is kept
        return max(KINDS[kind]().update(only, names) for kind in asked.kinds or with_rows)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except environments.SetupError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("stopped; the next run goes on from here", file=sys.stderr)
        sys.exit(130)
