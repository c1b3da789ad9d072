"""The kinds of programs that the engine runs, and how each is run.

A `case` is a program of a page with its cure, a `wording` a program that raises one error, a
`release` one that counts wrong numbers on a release to avoid. The cells of *Can I use it?* and the
patches for libraries are kinds in folders of their own.
"""

import ast
import json
import os
import re
import subprocess
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bookkit import avoid, entries, pages, versions
from evidence import stacks
from evidence.engine import Kind, Row

FOLDER = pages.ROOT / "evidence"
RUNNER = FOLDER / "runner.py"
CHAPTERS = FOLDER / "chapters"
RELEASES = FOLDER / "releases"
WORDINGS = FOLDER / "wordings.toml"
TIME_LIMIT = 600.0  # seconds for each program, on average


def code_of(path: Path) -> str:
    """Return the lines of a file that are no comments."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return "\n".join(line for line in lines if line.strip() and not line.lstrip().startswith("#"))


def in_runner(
    kind: str, python: Path, programs: dict[str, Any], env: dict[str, str] | None = None
) -> Iterator[tuple[str, Row]]:
    """Run programs by `runner.py`, in one process that forks for each; yield what it found.

    Of a program that it found nothing of, the verdict is `cannot run`, with its last words.
    """
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(programs, file)
        file.flush()
        try:
            done = subprocess.run(
                [python, RUNNER, kind, file.name], capture_output=True, text=True,
                env=env or stacks.environment(), cwd=pages.ROOT,
                timeout=TIME_LIMIT * len(programs),
            )  # fmt: skip
            lines, why = done.stdout.splitlines(), done.stderr.strip().splitlines()[-1:]
        except subprocess.TimeoutExpired:
            lines, why = [], ["no answer in time"]
    outcomes = dict(json.loads(line.replace(str(pages.ROOT), ".")) for line in lines)
    nothing = {"verdict": "cannot run", "message": " ".join(why) or "the runner ended early"}
    for name in programs:
        yield name, outcomes.get(name, nothing)


def constants(path: Path) -> dict[str, Any]:
    """Return what a module assigns literally to names in capitals; it is not imported."""
    return {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        if node.targets[0].id in ("EXPECT", "TOLERANCE")
    }


# --- cases -----------------------------------------------------------------------------------


def chapters() -> dict[str, dict[str, Any]]:
    """Return the chapters' own programs by name.

    A file says what it expects to be raised, computes `expected`, and its functions `program` and
    `cure` return what a case calls `got` and `cured`. The cure runs in functions made anew, since
    JAX may reuse an old trace.
    """
    programs = {}
    for path in sorted(CHAPTERS.glob("*.py")):
        code, space = code_of(path), constants(path)
        programs[path.stem] = {
            "program": [{"code": f"{code}\ngot = program()", **space["EXPECT"]}],
            "cure": [{"code": f"{code}\ncured = cure()"}],
            "tolerance": space["TOLERANCE"],
            "wordings": [],
        }
    return programs


def cases() -> dict[str, dict[str, Any]]:
    """Return the chapters' programs, and those of the cases, by name."""
    return chapters() | {slug: entries.program(case) for slug, case in entries.cases().items()}


def run_cases(
    python: Path, programs: dict[str, Any], env: dict[str, str] | None = None
) -> Iterator[tuple[str, Row]]:
    """Run programs and their cures; of a process that died both have its verdict."""
    for name, row in in_runner("case", python, programs, env):
        yield name, row if "cure" in row else {**row, "cure": dict(row)}


def verdicts(row: Row) -> str:
    """Return the verdicts on a program and on its cure in brief."""
    cure = row.get("cure", {}).get("verdict", "")
    words = f"{row.get('verdict', '')} {row.get('type', '')}".strip()
    return words if cure in ("", "ok") else f"{words}, its cure {cure}"


# --- wordings --------------------------------------------------------------------------------


def wordings() -> dict[str, dict[str, str]]:
    """Return the programs that raise one error each, by name, with what each is `about`.

    Those of `wordings.toml` come first; an everyday error's own is called by its name.
    """
    tables = tomllib.loads(WORDINGS.read_text(encoding="utf-8"))
    define = tables.pop("define", {})
    programs = {}
    for name, table in tables.items():
        parts = [define.get(table.get("uses"), ""), table.get("program", "")]
        code = "\n".join(part.strip("\n") for part in parts if part)
        programs[name] = {"about": table["about"], "code": code}
    for name, entry in entries.errors().items():
        if entry.program:
            programs[f"everyday.{name}"] = {"about": f"everyday.{name}", "code": entry.program}
    return programs


def stacks_of_wording(name: str, program: dict[str, str]) -> list[str]:
    """Return where a wording is recorded: an everyday error's own on the book's two stacks."""
    if name != program["about"]:
        return stacks.wordings()
    only = entries.errors()[name.removeprefix("everyday.")].only
    return [only] if only else ["then", "now"]


def run_wordings(python: Path, programs: dict[str, Any]) -> Iterator[tuple[str, Row]]:
    """Run programs on a stack with two devices."""
    two_devices = {"XLA_FLAGS": "--xla_force_host_platform_device_count=2"}
    for name, row in in_runner("wording", python, programs, stacks.environment() | two_devices):
        yield name, {"about": programs[name]["about"], **row}


# --- releases to avoid -----------------------------------------------------------------------


def releases() -> dict[str, dict[str, Any]]:
    """Return the programs that some releases compute wrongly, with the table that names each."""
    return {
        table["program"]: {
            "code": code_of(RELEASES / f"{table['program']}.py"),
            "flag": table["flag"],
        }
        for table in (*avoid.tables(), *avoid.tables("mended"))
    }


def stacks_of_release(name: str, program: dict[str, str]) -> list[str]:
    """Return the releases on which a program is counted, as pip would install each."""
    tables = (*avoid.tables(), *avoid.tables("mended"))
    (table,) = (row for row in tables if row["program"] == name)
    library, wanted = table["library"], list(table["measure"])
    if not table["until"] or not table["cure"]:  # the newest: still wrong, or said to be right
        wanted.append(versions.pins_of((pages.ROOT / "requirements.txt").read_text())[library])
    besides = ["jax=={0}"] if library == "jaxlib" else ["numpy"]
    words = [f"{library}=={{0}}", *besides, *table.get("with", [])]
    return [" ".join(words).format(release) for release in dict.fromkeys(wanted)]


def count(python: Path, code: str, flag: str = "") -> list[int]:
    """Run a program; return how many of its numbers are wrong, and of how many."""
    env = {**os.environ, "JAX_PLATFORMS": "cpu", "XLA_FLAGS": flag}
    command = [str(python), "-c", code]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=TIME_LIMIT)
    counts = re.fullmatch(r"(\d+) of (\d+)", done.stdout.strip())
    if not counts:
        raise RuntimeError(f"with {python}: {(done.stderr or done.stdout).strip()[-500:]}")
    return [int(number) for number in counts.groups()]


def run_releases(python: Path, programs: dict[str, Any]) -> Iterator[tuple[str, Row]]:
    """Count wrong numbers, and again with the flag that is said to help where there are some."""
    for name, program in programs.items():
        row = {"counted": count(python, program["code"])}
        if row["counted"][0] and program["flag"]:
            row["with_flag"] = count(python, program["code"], program["flag"])
        yield name, row


CASE = Kind(
    "case", cases, lambda name, program: versions.stack_names(), run_cases, verdicts,
)  # fmt: skip
WORDING = Kind("wording", wordings, stacks_of_wording, run_wordings, entries.message)
RELEASE = Kind(
    "release", releases, stacks_of_release, run_releases,
    lambda row: "{} of {} wrong".format(*row.get("counted", "--")),
)  # fmt: skip
