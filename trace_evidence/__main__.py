"""The command line: ``triage`` names the chapter for an error, ``execute`` runs the chapters."""

from __future__ import annotations

import argparse
import functools
import json
import os
import sys
from pathlib import Path


def execute(paths: list[Path]) -> int:
    """Execute the chapters that are not in the cache, and check what their cells declare.

    Returns:
        0 when each chapter did what it says, else 1.
    """
    from . import chapters, expectations

    wrong = 0
    paths = paths or chapters.find_chapters()
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


def triage(file: str, as_json: bool) -> int:
    """Say which chapter explains an error.

    Args:
        file: where the error stands; "-" is standard input.
        as_json: print the ranked list as JSON, empty when no failure matches.

    Returns:
        0, whatever was found; 2 when the file cannot be read.
    """
    from . import triage

    if file == "-":
        if sys.stdin.isatty():
            print("Paste the traceback, then press Ctrl-D on a line of its own.", file=sys.stderr)
        text = sys.stdin.buffer.read().decode(errors="replace")
    else:
        try:
            text = Path(file).read_bytes().decode(errors="replace")
        except OSError as error:
            print(f"error: cannot read {file}: {error.strerror}", file=sys.stderr)
            return 2
    answer = triage.triage(text)
    if as_json:
        print(json.dumps([finding._asdict() for finding in answer.findings], indent=1))
    else:
        print(triage.describe(answer))
    return 0


def main() -> int:
    """Parse the command line and run the command."""
    parser = argparse.ArgumentParser(prog="python -m trace_evidence")
    commands = parser.add_subparsers(required=True, dest="command")
    command = commands.add_parser("execute", help="execute the chapters into the book's cache")
    command.add_argument("chapters", nargs="*", type=Path, help="all of them, if none is named")
    command = commands.add_parser("triage", help="name the chapter that explains an error")
    command.add_argument("file", nargs="?", default="-", help="standard input, if none is named")
    command.add_argument("--json", action="store_true", help="print the ranked list as JSON")
    arguments = parser.parse_args()
    if arguments.command == "triage":
        return triage(arguments.file, arguments.json)
    return execute([path.resolve() for path in arguments.chapters])


if __name__ == "__main__":
    try:
        status = main()
    except KeyboardInterrupt:
        kept = ": finished chapters are kept, the others run again" * ("execute" in sys.argv)
        print(f"\nInterrupted{kept}.", file=sys.stderr)
        status = 130
        sys.stderr.flush()
        os._exit(status)  # the kernels end by themselves once this process is gone
    sys.exit(status)
