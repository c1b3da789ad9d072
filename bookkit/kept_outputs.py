"""What a page shows, as text that can be kept and compared.

One readable file a page, below `tests/outputs`, holds what its cells showed when somebody last
looked at it: what they printed, the errors, and of each figure its caption, alt text and words, how
many marks it draws in each colour, and where those lie that are data. The suite compares it with
what they show now. Numbers may differ by a thousandth, or by the `tolerance` of the cell's
`expect`, and places by `NEAR`; what matches its `varies`, a regular expression, is not compared.
"""

import itertools
import math
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from nbformat import NotebookNode

from bookkit import pages
from bookkit.expectations import alt_text, outcomes
from bookkit.outputs import strip_ansi, without_paths
from trace_evidence import steps

FOLDER = pages.ROOT / "tests" / "outputs"
TOLERANCE = 1e-3
CELL = "=== "
PART = "--- "
HEADING = re.compile(rf"^(?=\\*({CELL}|{PART}))", re.M)  # what a cell shows, and is no heading
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w])")
# What no run repeats: addresses in memory, numbers of processes, folders for temporary files.
PASSING = re.compile(
    r"0x[0-9a-f]{6,}|(?<=ipykernel_)\d+|/tmp/[\w./-]+|(?<=\bid=)\d{9,}|\b\d{12,}(?=>)"
)
LINES_OF_ERROR = 12
PLACES = re.compile(r"^places in (.*): (.*)$", re.M)
SAMPLES = 9  # places of one line, and of all marks in a colour
NEAR = 3.0  # by how much a place may differ, in percent of its axes: other fonts, other rounding
SVG = "{http://www.w3.org/2000/svg}"
HREF = "{http://www.w3.org/1999/xlink}href"
BOX = ("x", "y", "width", "height")
SHAPES = {"path", "use", "rect", "circle", "ellipse", "line", "polygon", "polyline"}


@dataclass(frozen=True)
class Shown:
    """What one cell shows: its first line of code, and each part with its heading."""

    first_line: str
    parts: tuple[tuple[str, str], ...]
    tolerance: float = TOLERANCE

    def text(self) -> str:
        """Return what the file says of the cell."""
        lines = [CELL + self.first_line]
        for heading, body in self.parts:
            lines += [PART + heading, HEADING.sub(r"\\", body)]
        return "\n".join(lines) + "\n"


def file_of(page: Path) -> Path:
    """Return the file that holds what a page shows."""
    return (FOLDER / page.relative_to(pages.BOOK)).with_suffix(".txt")


def first_line(source: str) -> str:
    """Return a cell's first line that is neither magic nor empty, or its first."""
    lines = [line.strip() for line in source.splitlines() if line.strip()]
    return next((line for line in lines if not line.startswith("%")), lines[0] if lines else "")


def of_cell(cell: NotebookNode) -> Shown:
    """Return what an executed code cell shows, both sides of a ``%%both`` cell one by one."""
    expect = cell.metadata.get("expect", {})
    expect = expect if isinstance(expect, dict) else {}
    varies = str(expect.get("varies", ""))
    sides = outcomes(cell).items()
    parts = [(f"{side} {name}".strip(), text) for side, half in sides for name, text in of(half)]
    tidied = ((name, tidy(text, varies)) for name, text in parts)
    clean = tuple((name, text) for name, text in tidied if text)
    tolerance = float(expect.get("tolerance", TOLERANCE))
    return Shown(first_line(cell.source), clean, tolerance)


def of(cell: NotebookNode) -> list[tuple[str, str]]:
    """Return (heading, text) of each output of a cell."""
    outputs: list[tuple[str, str]] = []
    for output in cell.outputs:
        data = output.get("data", {})
        if output.output_type == "stream":
            outputs.append((output.name, output.text))
        elif output.output_type == "error":
            message = "\n".join(output.evalue.splitlines()[:LINES_OF_ERROR])
            outputs.append(("error", f"{output.ename}: {message}"))
        elif "image/svg+xml" in data:
            outputs.append(("figure", f"{alt_text(cell)}\n{of_figure(data['image/svg+xml'])}"))
        elif steps.MIME in data:
            outputs.append(("steps", data[steps.MIME]["caption"]))
            for frame in data[steps.MIME]["frames"]:
                where = ", ".join(filter(None, (frame["where"], frame["part"])))
                text = f"{frame['says']}\n{frame['alt']}\n{of_figure(frame['html'])}"
                outputs.append((f"frame {where}".strip(), text))
        elif "text/plain" in data:
            outputs.append((output.output_type.split("_")[-1], data["text/plain"]))
    return outputs


def tidy(text: str, varies: str = "") -> str:
    """Return a text without colours, trailing blanks and what varies from run to run."""
    text = PASSING.sub("…", without_paths(strip_ansi(text)))
    if varies:
        text = re.sub(varies, "…", text)
    lines = [line.split("\r")[-1].rstrip() for line in text.splitlines()]
    return "\n".join(line for line in lines if line)


def of_figure(svg: str) -> str:
    """Return a figure's words, how many marks it draws in each colour, and where data lie.

    Raises:
        xml.etree.ElementTree.ParseError: it is not SVG.
    """
    words = []
    marks: Counter[str] = Counter()
    root = ElementTree.fromstring(svg)
    in_definitions = {id(part) for defs in root.iter(f"{SVG}defs") for part in defs.iter()}
    for part in root.iter():
        name = part.tag.removeprefix(SVG)
        if id(part) in in_definitions:
            continue
        if name == "text":
            words.append(" ".join("".join(part.itertext()).split()))
        elif name in SHAPES:
            marks[_colour(part)] += 1
    drawn = [f"{count} in {colour}" for colour, count in sorted(marks.items()) if colour]
    lie = [
        f"places in {colour}: {' '.join(f'{x:.0f},{y:.0f}' for x, y in sampled(points))}"
        for colour, points in sorted(places(root).items())
    ]
    return "\n".join(
        [f"words: {' · '.join(filter(None, words))}", f"marks: {', '.join(drawn)}", *lie]
    )


Points = list[tuple[float, float]]


def places(root: ElementTree.Element) -> dict[str, Points]:
    """Return where a figure's data lie, by colour, in percent of their axes, in their order.

    Matplotlib cuts off at the frame of the axes what is data, and neither words nor ticks.
    """
    named = {f"url(#{part.get('id')})": part for part in root.iter() if part.get("id")}
    shapes = {f"#{part.get('id')}": part.get("d", "") for part in root.iter(f"{SVG}path")}
    by_colour: dict[str, Points] = {}
    for part in root.iter():
        frame = next(iter(named.get(part.get("clip-path", ""), ())), None)
        if frame is None:
            continue
        left, top, width, height = (float(frame.get(key, 0)) for key in BOX)
        for mark in part.iter():
            points = [] if mark.tag == f"{SVG}g" else along(mark.get("d", ""))
            if mark.tag == f"{SVG}use":
                x, y = float(mark.get("x", 0)), float(mark.get("y", 0))
                inside = along(shapes.get(mark.get(HREF, ""), ""))
                middle = [sum(axis) / len(inside) for axis in zip(*inside, strict=True)] or [0, 0]
                points = [(x + middle[0], y + middle[1])]
            by_colour.setdefault(_colour(mark), []).extend(
                (100 * (x - left) / width, 100 * (1 - (y - top) / height)) for x, y in points
            )
    return {colour: points for colour, points in by_colour.items() if points}


def along(path: str) -> Points:
    """Return points of a path that lie equally far from each other, along it."""
    pairs = re.findall(r"(-?[\d.]+) (-?[\d.]+)", path)
    points = [(float(x), float(y)) for x, y in pairs]
    ends = [0.0, *itertools.accumulate(itertools.starmap(math.dist, itertools.pairwise(points)))]
    sampled_points = []
    for wanted in (ends[-1] * n / (SAMPLES - 1) for n in range(SAMPLES if points else 0)):
        after = next((n for n, end in enumerate(ends) if end >= wanted), len(ends) - 1)
        first, second = points[max(after - 1, 0)], points[after]
        part = (ends[after] - wanted) / (math.dist(first, second) or 1)
        sampled_points.append(
            (second[0] + part * (first[0] - second[0]), second[1] + part * (first[1] - second[1]))
        )
    return sampled_points


def sampled(points: Points) -> Points:
    """Return some of the points, the first and the last among them."""
    if len(points) <= SAMPLES:
        return points
    return [points[round(n * (len(points) - 1) / (SAMPLES - 1))] for n in range(SAMPLES)]


def _colour(part: ElementTree.Element) -> str:
    """Return the colours that a shape is drawn in, its filling first."""
    style = dict(re.findall(r"([\w-]+):\s*([^;]+)", part.get("style", "")))
    colours = [style.get(key) or part.get(key) or "" for key in ("fill", "stroke")]
    return " and ".join(colour for colour in colours if colour and colour != "none")


def of_page(notebook: NotebookNode) -> list[Shown]:
    """Return what each code cell of an executed page shows."""
    return [of_cell(cell) for cell in notebook.cells if cell.cell_type == "code"]


def write(page: Path, shown: list[Shown]) -> None:
    """Keep what a page shows."""
    file = file_of(page)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(cell.text() for cell in shown))


def read(page: Path) -> list[str] | None:
    """Return what was kept of each cell of a page, or None where nothing was."""
    file = file_of(page)
    if not file.exists():
        return None
    return [CELL + part.strip("\n") for part in ("\n" + file.read_text()).split("\n" + CELL)[1:]]


def same(kept: str, now: str, tolerance: float = TOLERANCE) -> bool:
    """Tell whether two texts agree, their numbers to within a tolerance.

    Args:
        kept: the text that was kept.
        now: the text as it is.
        tolerance: by how much a number may differ, relative to its size; also its absolute size
            below which it counts as nothing, in millionths of it.
    """
    if NUMBER.sub("#", kept) != NUMBER.sub("#", now):
        return False
    return all(
        a == b or math.isclose(float(a), float(b), rel_tol=tolerance, abs_tol=1e-6 * tolerance)
        for a, b in zip(NUMBER.findall(kept), NUMBER.findall(now), strict=True)
    )


def near(kept: str, now: str, tolerance: float = TOLERANCE) -> bool:
    """Tell whether the data of figures lie where they lay, as two texts have it."""
    before, after = PLACES.findall(kept), PLACES.findall(now)
    if [colour for colour, _ in before] != [colour for colour, _ in after]:
        return False
    numbers = (
        [float(n) for _, points in marks for n in re.split("[ ,]", points)]
        for marks in (before, after)
    )
    apart = max(NEAR, 100 * tolerance)
    return all(abs(a - b) <= apart for a, b in itertools.zip_longest(*numbers, fillvalue=math.inf))


def alike(kept: str, now: str, tolerance: float) -> bool:
    """Tell whether two cells show the same, the data of their figures in about the same places."""
    was, is_now = PLACES.sub("", kept), PLACES.sub("", now)
    return same(was, is_now, tolerance) and near(kept, now, tolerance)


def difference(page: Path, shown: list[Shown]) -> tuple[str, str] | None:
    """Return the first (kept, now) that disagree on a page, or None where all is as it was."""
    before = read(page)
    if before is None:
        return "a file of what it shows", f"{file_of(page).relative_to(pages.ROOT)} is not there"
    for was, cell in itertools.zip_longest(before, shown):
        now = cell.text().strip("\n") if cell else "no such cell"
        if was is None or cell is None or not alike(was, now, cell.tolerance):
            return was or "no more cells", now
    return None
