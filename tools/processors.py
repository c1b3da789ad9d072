"""Execute pages as other processors would, and compare what they show with what is kept.

    python -m tools.processors                 all pages, on each processor that can be played
    python -m tools.processors sse4 --sample   the pages that a change touches, and a few others

`bookkit/shell.py` says how a processor is played: XLA, NumPy and OpenBLAS are held to its
instructions. The old stack's XLA cannot be held; its NumPy and OpenBLAS are. `one-core` is this
processor with all work on one of its cores.
"""

import argparse
import os
import subprocess
import sys

from bookkit import pages, shell

from . import changes

ONE_CORE = "one-core"
NAMES = (*shell.PROCESSORS, ONE_CORE)
ALL = ["-m", "", "book", "tests/test_can_i_use.py", "tests/test_matrix.py"]
FOLDER = pages.BUILD / "processors"  # what is executed here is nobody else's


def on(processor: str, wanted: list[str]) -> int:
    """Execute pages on a processor, and run their cells' tests; return the number that are red."""
    print(f"{processor}: {len(wanted) or 'all'} pages …", flush=True)
    folder = str(FOLDER / processor)
    command = [sys.executable, "-m", "pytest", "-q", "--executed", folder, *(wanted or ALL)]
    env = {**os.environ, shell.PROCESSOR: processor} | ({} if wanted else {"EVERYTHING": "1"})
    if processor == ONE_CORE:
        command = ["taskset", "-c", "0", *command]
    done = subprocess.run(command, cwd=pages.ROOT, env=env, stdout=subprocess.PIPE, text=True)
    lines = done.stdout.splitlines()
    red = [line for line in lines if line.startswith(("FAILED", "ERROR"))]
    print(*(lines if red else lines[-1:]), sep="\n", flush=True)
    return len(red) or int(done.returncode != 0)


def main() -> int:
    """Print a table of processors and red cells; return 0 where none is red."""
    parser = argparse.ArgumentParser(prog="python -m tools.processors")
    parser.add_argument("processors", nargs="*", choices=[*NAMES, []], help="all, if none is named")
    parser.add_argument("--sample", action="store_true", help="only what a change touches")
    asked = parser.parse_args()
    wanted = changes.sample() if asked.sample else []
    differences = {name: on(name, wanted) for name in asked.processors or NAMES}
    print(*(f"{name:10} {red} red" for name, red in differences.items()), sep="\n")
    return int(any(differences.values()))


if __name__ == "__main__":
    sys.exit(main())
