"""The command line of the reader's package: ``triage`` names the chapter for an error."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path


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
    parser = argparse.ArgumentParser(prog="trace-evidence")
    commands = parser.add_subparsers(required=True, dest="command")
    command = commands.add_parser("triage", help="name the chapter that explains an error")
    command.add_argument("file", nargs="?", default="-", help="standard input, if none is named")
    command.add_argument("--json", action="store_true", help="print the ranked list as JSON")
    arguments = parser.parse_args()
    return triage(arguments.file, arguments.json)


if __name__ == "__main__":
    sys.exit(main())
