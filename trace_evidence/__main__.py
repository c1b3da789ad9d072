"""The command line of the reader's package: ``triage``, ``narrow``, ``explain``, ``examine``.

The first three need nothing but the standard library, so they run wherever the error happened.
"""

from __future__ import annotations

import argparse
import codecs
import io
import json
import os
import sys
import traceback
from pathlib import Path
from typing import Any

from . import EXAMINE, __version__, avoid, can_i_use, checkout, explain, narrowing
from . import triage as rules

Entry = dict[str, Any]
FORMAT = 1
"""The version of the form that ``--json`` prints; the error index describes it."""
MAY_USE = "is a distribution right in a construct"
ENDS = (
    "The status is 0 where something was found, 1 where not, 2 where a file cannot be read, and 3 "
    "where the command itself failed; `examine` has its own."
)


def triage(file: str, as_json: bool) -> int:
    """Say what an error is, and which page explains it.

    Args:
        file: where the error stands; "-" is standard input.
        as_json: print the answer as JSON.

    Returns:
        0 where something was found, 1 where nothing was, 2 when the file cannot be read.
    """
    if file == "-" and sys.stdin is None:
        print("error: standard input is closed: name a file.", file=sys.stderr)
        return 2
    if file == "-" and sys.stdin.isatty():
        print("Paste the traceback, then press Ctrl-D on a line of its own.", file=sys.stderr)
    try:
        text = decoded(sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes())
    except OSError as error:
        print(f"error: cannot read {file}: {error.strerror}", file=sys.stderr)
        return 2
    answer = rules.triage(text, rules.installed())
    avoid.warn(answer.releases if answer.source == "text" else None)
    if as_json:
        print(json.dumps(as_data(answer), indent=1))
    else:
        print(rules.describe(answer, rules.language(text)))
    return 0 if answer.findings else 1


def decoded(read: bytes) -> str:
    """Return what a file says, in UTF-8 or in the UTF-16 that PowerShell writes."""
    marked = read.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return read.decode("utf-16" if marked else "utf-8", errors="replace")


def as_data(answer: rules.Answer) -> Entry:
    """Return an answer in the form that ``--json`` prints."""
    keys = ("id", "title", "page")
    findings = [
        {**finding._asdict(), "look": [dict(zip(keys, link)) for link in finding.look]}
        for finding in answer.findings
    ]
    releases = {"releases": answer.releases, "releases_from": answer.source}
    return {"format": FORMAT, **releases, "findings": findings}


def narrow(see: str | None, where: str | None, library: str) -> int:
    """Print the failures that show what is asked; ask for what is not given.

    Returns:
        0, or 1 when nothing shows it.
    """
    entries, spoken = narrowing.silent(), rules.language()
    libraries = sorted({entry["library"] for entry in entries.values()} - {""})
    if library and library not in libraries:
        with_entries = ", ".join(libraries)
        print(f"No failure of {library} is listed, but of {with_entries}.", file=sys.stderr)
    if not see and not where:
        say, seen = rules.words(spoken), narrowing.counted(entries, "see")
        see = narrowing.ask(narrowing.ASK_SEE, seen, narrowing.SEE, say)
        places = narrowing.counted(entries, "where", see)
        where = narrowing.ask(narrowing.ASK_WHERE, places, narrowing.WHERE, say)
    if not see and not where:
        how = narrowing.HOW.replace("%narrow stale mcmc", "--see stale --where mcmc")
        print(f"\nerror: neither was chosen. {how}", file=sys.stderr)
        print(*narrowing.labels(), sep="\n", file=sys.stderr)
        return 1
    names = narrowing.rank(entries, see or "", where or "", library)
    print(narrowing.described(names, entries, spoken))
    return 0 if names else 1


def parse(arguments: list[str]) -> argparse.Namespace:
    """Return what the command line asks for; its `run` does it, and returns a status."""
    parser = argparse.ArgumentParser(prog="trace-evidence", epilog=ENDS)
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(required=True, dest="command")
    command = commands.add_parser("triage", help="say what an error is", epilog=ENDS)
    command.add_argument("file", nargs="?", default="-", help="standard input, if none is named")
    command.add_argument("--json", action="store_true", help="print the answer as JSON")
    command.set_defaults(run=lambda asked: triage(asked.file, asked.json))
    command = commands.add_parser(
        "narrow", help="no error: what do you see, and where", epilog=ENDS
    )
    seen = [label for label in narrowing.SEE if label != narrowing.ERROR]
    command.add_argument("--see", choices=seen)
    command.add_argument("--where", choices=[*narrowing.WHERE])
    command.add_argument("--library", default="", help="jax, numpyro, equinox …; it only ranks")
    command.set_defaults(run=lambda asked: narrow(asked.see, asked.where, asked.library))
    says = "say what a failure is, and its cure"
    command = commands.add_parser("explain", help=says, epilog=ENDS)
    command.add_argument("name", nargs="?", help="without one, chapters and cases are listed")
    command.set_defaults(run=lambda asked: explain.explain(asked.name))
    command = commands.add_parser("can-i-use", help=MAY_USE, epilog=ENDS)
    command.add_argument("row", nargs="?", default="", help="such as Normal")
    command.add_argument("construct", nargs="*", help="such as scan, or missing data")
    command.set_defaults(run=lambda asked: may_use(asked.row, " ".join(asked.construct)))
    commands.add_parser("examine", help="compute what a NumPyro model says a second way")
    return parser.parse_args(arguments)


def may_use(distribution: str, construct: str) -> int:
    """Print what the record has of a distribution; return 1 where it has nothing."""
    text, is_known = can_i_use.answer(distribution, construct)
    print(text)
    return int(not is_known)


def examine(words: list[str]) -> int:
    """Run the command of the package `examine_model`, or say in a line that it is not there."""
    try:
        from examine_model import shell
    except ImportError as error:
        print(f"error: {error}: {EXAMINE}", file=sys.stderr)
        return 2
    return shell.main(words, "trace-evidence examine")


def main(arguments: list[str] | None = None) -> int:
    """Run the command, and return its status, as `ENDS` has it."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that knows no arrows gets "?"
    words = sys.argv[1:] if arguments is None else arguments
    try:
        if words[:1] == ["examine"]:
            return examine(words[1:])
        asked = parse(words)
        status = asked.run(asked)
        print(end="", flush=True)
    except checkout.DataError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # who reads has seen enough, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130
    except OSError as error:  # a full disk, a folder that nobody may read
        print(f"error: {error.strerror}: {error.filename or 'the output'}", file=sys.stderr)
        return 3
    except Exception:
        traceback.print_exc()
        return 3
    return status


if __name__ == "__main__":
    sys.exit(main())
