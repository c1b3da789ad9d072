"""The command line: ``python -m trace_evidence execute`` runs the chapters for the book."""

from __future__ import annotations

import argparse
import functools
import os
import sys
from pathlib import Path

from . import chapters, expectations


def execute(paths: list[Path]) -> int:
    """Execute the chapters that are not in the cache, and check what their cells declare.

    Returns:
        0 when each chapter did what it says, else 1.
    """
    wrong = 0
    cache = chapters.open_cache()
    report = functools.partial(print, flush=True)
    for path, execution in chapters.execute_chapters(paths, cache, report):
        if isinstance(execution, chapters.ChapterError):
            print(f"error: {execution}", file=sys.stderr)
            wrong += 1
            continue
        cells = [cell for cell in execution.notebook.cells if cell.cell_type == "code"]
        bad = sum(bool(expectations.check(cell)) for cell in cells)
        if bad or execution.stopped_at is not None:
            message = f"error: {path.stem}: cells are not as declared; `make test` says which"
            print(message, file=sys.stderr)
            wrong += 1
    print(f"{len(paths) - wrong} of {len(paths)} chapters are ready.")
    return int(wrong > 0)


def main() -> int:
    """Parse the command line and run the command."""
    parser = argparse.ArgumentParser(prog="python -m trace_evidence")
    commands = parser.add_subparsers(required=True, dest="command")
    command = commands.add_parser("execute", help="execute the chapters into the book's cache")
    command.add_argument("chapters", nargs="*", type=Path, help="all of them, if none is named")
    arguments = parser.parse_args()
    return execute([path.resolve() for path in arguments.chapters] or chapters.find_chapters())


if __name__ == "__main__":
    try:
        status = main()
    except KeyboardInterrupt:
        print("\nInterrupted: finished chapters are kept, the others run again.", file=sys.stderr)
        status = 130
        sys.stderr.flush()
        os._exit(status)  # the kernels end by themselves once this process is gone
    sys.exit(status)
