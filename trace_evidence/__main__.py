"""The command line of the reader's package: ``triage``, ``explain`` and ``examine``.

The first two need nothing but the standard library, so they run wherever the error happened.
"""

from __future__ import annotations

import argparse
import difflib
import io
import json
import os
import shutil
import sys
import textwrap
from pathlib import Path
from typing import Any

from . import triage as rules

Entry = dict[str, Any]


def triage(file: str, as_json: bool) -> int:
    """Say which chapter explains an error.

    Args:
        file: where the error stands; "-" is standard input.
        as_json: print the ranked list as JSON, empty when no failure matches.

    Returns:
        0, whatever was found; 2 when the file cannot be read.
    """
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
    answer = rules.triage(text)
    if as_json:
        print(json.dumps([finding._asdict() for finding in answer.findings], indent=1))
    else:
        print(rules.describe(answer))
    return 0


def explain(slug: str | None) -> int:
    """Print what the book says of a failure or a case, or without a name the list of all.

    Returns:
        0, or 1 when nothing has that name.
    """
    known = rules.data().get("explain", {})
    if slug is None:
        print(listed(known))
    elif slug in known:
        print(described(known[slug]))
    else:
        meant = ", ".join(near(slug, known))
        hint = f"did you mean {meant}?" if meant else "without a name, explain lists all."
        print(f"error: nothing is called {slug!r}: {hint}", file=sys.stderr)
        return 1
    return 0


def near(slug: str, known: dict[str, Entry]) -> list[str]:
    """Return the names that a mistyped one may stand for, at most four."""
    typed = slug.lower().replace("_", "-").replace(" ", "-")
    alike = difflib.get_close_matches(typed, known, n=4, cutoff=0.6)
    parts = [name for name in known if typed in name]
    return list(dict.fromkeys([*alike, *parts]))[:4]


def listed(known: dict[str, Entry]) -> str:
    """Return all names with their titles, each case under the chapter of its family."""
    families: dict[str, list[str]] = {}
    for slug, entry in known.items():
        families.setdefault(entry.get("family") or slug, []).append(slug)
    wide = max(map(len, known), default=0)
    blocks = []
    for family, slugs in families.items():
        slugs.sort(key=lambda slug: slug != family)
        rows = [
            f"{'' if slug == family else '  '}{slug:<{wide}}  {known[slug]['title']}"
            for slug in slugs
        ]
        blocks.append("\n".join(rows))
    return "\n\n".join([*blocks, "trace-evidence explain NAME prints one of them."])


def described(entry: Entry) -> str:
    """Return one failure or case in words: in short, where the page is, and its text."""
    width = min(shutil.get_terminal_size().columns, 100)
    kind = f" ({entry['kind']})" if entry.get("kind") else ""
    rows = []
    for key in ("symptom", "cause", "cure", "versions"):
        if entry.get(key):
            text = f"{key:<10}{entry[key]}"
            rows += textwrap.wrap(
                text, width, subsequent_indent=" " * 10,
                break_long_words=False, break_on_hyphens=False,
            )  # fmt: skip
    rows.append(f"{'page':<10}{rules.address(entry['page'])}")
    parts = [entry["title"] + kind, "\n".join(rows), entry.get("text", "").strip()]
    return "\n\n".join(part for part in parts if part)


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Return what the command line asks for."""
    parser = argparse.ArgumentParser(prog="trace-evidence")
    commands = parser.add_subparsers(required=True, dest="command")
    command = commands.add_parser("triage", help="name the chapter that explains an error")
    command.add_argument("file", nargs="?", default="-", help="standard input, if none is named")
    command.add_argument("--json", action="store_true", help="print the ranked list as JSON")
    command = commands.add_parser("explain", help="say what a failure or a case is, and its cure")
    command.add_argument("name", nargs="?", help="without one, all names are listed")
    command = commands.add_parser("examine", help="compute what a NumPyro model says a second way")
    command.add_argument("model", metavar="MODULE:MODEL", help="or FILE.py:MODEL")
    command.add_argument("arguments", nargs="*", help="literals, MODULE:NAME, or NAME, each maybe "
                         "after KEYWORD=")  # fmt: skip
    command.add_argument("--checks", default="", help="some checks only, by commas")
    command.add_argument("--guide", default="", metavar="MODULE:GUIDE", help="look at a guide too")
    command.add_argument("--seed", type=int, default=0, help="the key of what is drawn")
    command.add_argument("--slow", action="store_true", help="also what may take long")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    """Run the command; the status is 2 where a file, or the package's own data, is unreadable."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that knows no arrows gets "?"
    options = parse(arguments)
    try:
        if options.command == "explain":
            status = explain(options.name)
        elif options.command == "examine":
            from .examination import shell

            chosen = options.checks, options.guide, options.seed, options.slow
            status = shell.examine(options.model, options.arguments, *chosen)
        else:
            status = triage(options.file, options.json)
        sys.stdout.flush()
    except rules.DataError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # who reads has seen enough, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130
    return status


if __name__ == "__main__":
    sys.exit(main())
