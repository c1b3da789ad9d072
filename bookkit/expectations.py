"""What a cell says must happen, and whether it did.

A cell states it in its metadata, under ``expect``; see CONTRIBUTING. Each check returns a list of
`Problem`, empty when all is well.
"""

import re
from dataclasses import dataclass

import nbformat
from nbformat import NotebookNode

from trace_evidence import steps
from trace_evidence.both import MIME, SIDES

COMPARED = {"tolerance", "varies"}  # how what is shown is compared with what was kept
KEYS = {"raises", "warns", "match", "stdout", "figure", "steps", "was", *COMPARED}
BOTH = "%%both"
IMAGES = ("image/svg+xml", "image/png")
TAG = "raises-exception"
SILENT = "silent-failure"


@dataclass
class Problem:
    """One way in which a cell is not as it says."""

    expected: str  # what the cell says must happen
    happened: str  # what did
    cure: str  # what to change, for someone who is new here


def check(cell: NotebookNode) -> list[Problem]:
    """Check an executed code cell, or each side of a ``%%both`` cell, against its metadata."""
    problems = check_form(cell)
    for side, half in outcomes(cell).items() if not problems else ():
        wrong = check_outcome(half)
        error = next((out for out in half.outputs if out.output_type == "error"), None)
        if side and error and "raises" not in half.metadata["expect"]:
            cure = f"Mend the cell; if it is meant to fail there, say so: `expect: {{{side}: …}}`."
            wrong.append(Problem("the cell runs", f"{error.ename}: {error.evalue}", cure))
        for problem in wrong:
            where = f"on `{side}`: " if side else ""
            problems.append(Problem(where + problem.expected, problem.happened, problem.cure))
    return problems


def check_outcome(cell: NotebookNode) -> list[Problem]:
    """Check what came of a cell, or of one side of it, whose ``expect`` is well formed."""
    expect = cell.metadata.get("expect", {})
    problems = check_error(cell, expect) + check_figure(cell, expect) + check_steps(cell, expect)
    if "warns" in expect:
        problems += check_warning(cell, expect)
    printed = stream(cell, "stdout")
    if "stdout" in expect and str(expect["stdout"]).strip() != printed.strip():
        cure = "If the new output is right, put it into `expect`; else mend the cell."
        problems.append(Problem(f"stdout {expect['stdout']!r}", f"stdout {printed!r}", cure))
    return problems


def is_both(cell: NotebookNode) -> bool:
    """Tell whether a cell runs on both kernels."""
    return cell.source.lstrip().startswith(BOTH)


def outcomes(cell: NotebookNode) -> dict[str, NotebookNode]:
    """Return the two sides of a ``%%both`` cell, each as a cell with its own outputs.

    A side that shows nothing, or is not there, has no outputs. Its metadata are the cell's, with
    what `expect` says of this side, and the tag of a cell that raises where it says so. Any other
    cell is its only side, without a name.
    """
    if not is_both(cell):
        return {"": cell}
    shown: dict = next((out.data[MIME] for out in cell.outputs if MIME in out.get("data", {})), {})
    expect, sides = cell.metadata.get("expect", {}), {}
    for side in SIDES:
        outputs = shown.get(side, {}).get("outputs", [])
        # That a side is silently wrong is asserted in a later cell.
        wanted = {key: value for key, value in expect.get(side, {}).items() if key != "silent"}
        metadata = {**cell.metadata, "expect": wanted, "tags": [TAG] * ("raises" in wanted)}
        source = cell.source.replace(BOTH, "", 1)
        half = {"cell_type": "code", "source": source, "metadata": metadata, "outputs": outputs}
        sides[side] = nbformat.from_dict(half)
    return sides


def check_form(cell: NotebookNode) -> list[Problem]:
    """Check that ``expect`` itself is well formed and goes with the cell's tags."""
    tags, expect = cell.metadata.get("tags", []), cell.metadata.get("expect", {})
    if is_both(cell):
        wanted = "a mapping with keys among then, now, each with a mapping"
        sides = expect if isinstance(expect, dict) else {"": expect}
        sides = {key: value for key, value in sides.items() if key not in COMPARED}
        if set(sides) - set(SIDES) or not all(isinstance(side, dict) for side in sides.values()):
            return [Problem(wanted, f"expect: {expect}", "Mend the cell's `expect`.")]
        return [problem for half in outcomes(cell).values() for problem in check_form(half)]
    wanted = f"a mapping with keys among {', '.join(sorted(KEYS))}"
    if not isinstance(expect, dict) or set(expect) - KEYS:
        return [Problem(wanted, f"expect: {expect}", "Mend the cell's `expect`.")]
    match, raises = str(expect.get("match") or ""), "raises" in expect
    kinds = {"raises", "warns"} & set(expect)
    rules = [
        (TAG in tags and not raises, "`expect` with `raises`", f"only the tag {TAG}",
         "Add `expect: {raises: TypeName, match: …}`, so that the test knows which error."),
        (raises and TAG not in tags, f"the tag {TAG} beside `raises`", f"tags {tags}",
         f"Add `tags: [{TAG}]`, so that the book's build goes on after the error."),
        (kinds and not match.strip(), "a `match` that is not empty", f"match {match!r}",
         "Write a regular expression that only the intended message matches."),
        ("match" in expect and not kinds, "`raises` or `warns` beside `match`", "only `match`",
         "Say which type: add `raises` or `warns`."),
        (SILENT in tags and not re.search(r"^\s*assert\b", cell.source, re.M),
         f"an `assert` in a cell tagged {SILENT}", "no `assert`",
         "Assert in the cell that the wrong number appears."),
    ]  # fmt: skip
    problems = [Problem(*parts) for wrong, *parts in rules if wrong]
    try:
        re.compile(match)
    except re.error as error:
        cure = "Escape what is meant literally, or quote the pattern in single quotes."
        problems.append(Problem("a valid regular expression in `match`", str(error), cure))
    return problems


def check_error(cell: NotebookNode, expect: dict) -> list[Problem]:
    """Check the type and the message of the exception that ended the cell."""
    error = next((out for out in cell.outputs if out.output_type == "error"), None)
    if "raises" not in expect:
        return []
    expected = f"{expect['raises']} matching {expect['match']!r}"
    cure = "The libraries' behaviour changed, or the cell did: re-measure, then mend the page."
    if error is None:
        return [Problem(expected, "nothing was raised", cure)]
    if error.ename != expect["raises"]:
        return [Problem(expected, f"another type: {error.ename}: {error.evalue}", cure)]
    if not re.search(str(expect["match"]), error.evalue):
        return [Problem(expected, f"another message: {error.ename}: {error.evalue}", cure)]
    return []


def check_warning(cell: NotebookNode, expect: dict) -> list[Problem]:
    """Check that a warning of the category was printed, with a message that matches."""
    printed = stream(cell, "stderr")
    messages = re.findall(rf"\b{re.escape(expect['warns'])}: (.*)", printed)
    if any(re.search(expect["match"], message) for message in messages):
        return []
    expected = f"{expect['warns']} matching {expect['match']!r}"
    cure = "The libraries' behaviour changed, or the cell did: re-measure, then mend the page."
    return [Problem(expected, f"stderr {printed!r}" if printed else "no warning", cure)]


def check_figure(cell: NotebookNode, expect: dict) -> list[Problem]:
    """Check that a promised figure is there, and that every figure has alt text."""
    shown = [out for out in cell.outputs if any(kind in out.get("data", {}) for kind in IMAGES)]
    if expect.get("figure") and not shown:
        cure = "End the cell with the figure, or take `figure` out of `expect`."
        return [Problem("a figure", "no image among the outputs", cure)]
    if shown and not alt_text(cell):
        cure = "Add `mystnb: {image: {alt: …}}` to the cell: what does the figure show?"
        return [Problem("alt text for the figure", "none", cure)]
    return []


def check_steps(cell: NotebookNode, expect: dict) -> list[Problem]:
    """Check that all frames are there that a cell promises, each with alt text of its own.

    The frames are those of its step-through figures; see `trace_evidence.steps`.
    """
    shown = (out.get("data", {}).get(steps.MIME) for out in cell.outputs)
    alts = [frame["alt"] for figure in shown if figure for frame in figure["frames"]]
    if len(alts) != expect.get("steps", 0):
        cure = "End the cell with its `Steps`, and write the number of its frames into `steps`."
        return [Problem(f"{expect.get('steps', 0)} frames", f"{len(alts)} frames", cure)]
    twice = sorted({alt for alt in alts if alts.count(alt) > 1})
    if twice:
        cure = "Say in each frame's alt text what is drawn in it, and not in the others."
        return [Problem("alt text of its own for each frame", f"twice: {twice[0]!r}", cure)]
    return []


def alt_text(cell: NotebookNode) -> str:
    """Return the alt text of a cell's figure, or an empty string."""
    return str(cell.metadata.get("mystnb", {}).get("image", {}).get("alt") or "").strip()


def stream(cell: NotebookNode, name: str) -> str:
    """Return what a cell printed to ``stdout`` or ``stderr``."""
    outputs = cell.outputs
    return "".join(out.text for out in outputs if out.output_type == "stream" and out.name == name)
