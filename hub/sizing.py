"""What a JupyterHub for a room needs, from what the load script measured."""

from __future__ import annotations

import json
import statistics
from pathlib import Path

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
    cells = f"its first {record['cells']} code cells" if record["cells"] else "all its cells"
    name = Path(record["chapter"]).stem
    lines = [
        f"Measured on {record['date']} on one machine with {record['cores']} cores and "
        f"{record['memory_gb']:.0f} GB, which did other work as well. All learners open "
        f"[](/book/failures/{name}.md) at once, and execute {cells}.",
        "",
        "| Learners | Completed | Failed | Server, s | First output, s | Chapter, s "
        "| Memory each, GB | CPU each, s |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in record["rows"]:
        lines.append(
            f"| {row['learners']} | {row['completed']} | {row['failed']} "
            f"| {row['seconds_to_server']:.0f} | {row['seconds_to_first_output']:.0f} "
            f"| {row['seconds_for_chapter']:.0f} | {row['memory_gb'] / row['learners']:.2f} "
            f"| {row['cpu_seconds']:.0f} |"
        )
    lines += ["", f"One more learner takes {slope(record):.2f} GB. The accidents:", ""]
    said = {True: "no file lost, and work goes on", False: "**not survived**"}
    lines += [f"- {accident}: {said[fine]}" for accident, fine in record["survived"].items()]
    return "\n".join(lines)


def sizing_table(record: dict) -> str:
    """Return what rooms need as Markdown, with the measured slope beside it."""
    lines = [
        "| Learners | Memory, GB | Measured slope | Cores, if all press *Run All* | Limit |",
        "|---|---|---|---|---|",
    ]
    for learners in ROOMS:
        limit = "memory" if memory(record, learners) > 4 * cores(record, learners) else "cores"
        lines.append(
            f"| {learners} | {memory(record, learners):.0f} | {slope(record):.2f} GB each "
            f"| {cores(record, learners):.0f} | {limit} |"
        )
    return "\n".join(lines)
