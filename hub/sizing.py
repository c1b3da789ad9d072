"""What a JupyterHub for a room needs, from what the load script measured."""

from __future__ import annotations

import json
import math
import statistics
from pathlib import Path

from bookkit.languages import say

FILE = Path(__file__).with_name("measured.json")
ROOMS = (30, 200)
HEADROOM = 1.25  # on memory: open tabs, a second notebook, a large array
SYSTEM_GB = 2.0  # the hub, its proxy, and the system below them
PATIENCE = 300  # seconds in which everybody's Run All should be over


def load(file: Path = FILE) -> dict:
    """Return what was measured."""
    return json.loads(file.read_text())


def slope(record: dict) -> float:
    """Return the memory that one more learner takes, in GB, by least squares."""
    rows = [row for row in record["rows"] if not row["failed"]]
    learners = [row["learners"] for row in rows]
    return statistics.linear_regression(learners, [row["memory_gb"] for row in rows]).slope


def memory(record: dict, learners: int) -> float:
    """Return the memory for a number of learners, in GB."""
    return SYSTEM_GB + HEADROOM * slope(record) * learners


def cores(record: dict, learners: int) -> float:
    """Return the cores with which everybody's Run All is over in `PATIENCE`."""
    work = statistics.mean(row["cpu_seconds"] for row in record["rows"] if not row["failed"])
    return learners * work / PATIENCE


def measured_table(record: dict) -> str:
    """Return what was measured as Markdown."""
    count = record["cells"]
    cells = say("its first {count} code cells", count=count) if count else say("all its cells")
    name = Path(record["chapter"]).stem
    lines = [
        say(
            "Measured on {date} on one machine with {cores} cores and {memory:.0f} GB, which did "
            "other work as well. All learners open [](/book/failures/{name}.md) at once, and "
            "execute {cells}.",
            date=record["date"],
            cores=record["cores"],
            memory=record["memory_gb"],
            name=name,
            cells=cells,
        ),
        "",
        say(
            "| Learners | Completed | Failed | Server, s | First output, s | Chapter, s "
            "| Memory each, GB | CPU each, s |"
        ),
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in record["rows"]:
        lines.append(
            f"| {row['learners']} | {row['completed']} | {row['failed']} "
            f"| {row['seconds_to_server']:.0f} | {row['seconds_to_first_output']:.0f} "
            f"| {row['seconds_for_chapter']:.0f} | {row['memory_gb'] / row['learners']:.2f} "
            f"| {row['cpu_seconds']:.0f} |"
        )
    words = say(
        "One more learner takes {gb:.2f} GB. These accidents were caused on purpose:",
        gb=slope(record),
    )
    lines += ["", words, ""]
    said = {True: say("no file lost, and work goes on"), False: say("**not survived**")}
    lines += [f"- {say(accident)}: {said[fine]}" for accident, fine in record["survived"].items()]
    return "\n".join(lines)


def sizing_table(record: dict) -> str:
    """Return what rooms need as Markdown, with the measured slope beside it."""
    lines = [
        say("| Learners | Memory, GB | Measured slope | Cores, if all press *Run All* | Limit |"),
        "|---|---|---|---|---|",
    ]
    for learners in ROOMS:
        limit = "memory" if memory(record, learners) > 4 * cores(record, learners) else "cores"
        lines.append(
            f"| {learners} | {memory(record, learners):.0f} "
            f"| {say('{gb:.2f} GB each', gb=slope(record))} "
            f"| {math.ceil(cores(record, learners))} | {say(limit)} |"
        )
    return "\n".join(lines)
