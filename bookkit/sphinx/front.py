"""What only the first page has: the matrix as a drawing, cards, one program twice."""

from __future__ import annotations

import html
import os
import re

from docutils import nodes

from bookkit import casebook, catalogue, drawings, execute, pages, records, versions
from bookkit.languages import say
from bookkit.outputs import releases, split_traceback
from trace_evidence import both, steps

from .directives import MATRIX, Generated, Nodes, directive, programs
from .render import outcomes_side_by_side, side

STEP_X, STEP_Y = 10, 8
SHAPES = {  # told apart without color
    "fails": "M{x} {y}h6v6h-6z",
    "wrong": "M{x} {y}m3 -1l4 4l-4 4l-4-4z",
    "warns": "M{x} {y}m3 0l3 6h-6z",
    "ok": "M{x} {y}m2 3h2",
}
CARD = """\
<li><a class="chapter-card" href="{href}">{picture}<strong>{title}</strong></a>
<p>{text}</p>{more}</li>"""


@directive("matrix-emblem")
def matrix_emblem(here: Generated) -> str:
    """Return the version matrix as one small drawing: a column leads to the page of its program.

    Programs stand in columns, old stacks above new ones.
    """
    rows = versions.rows()
    paths: dict[str, str] = dict.fromkeys(SHAPES, "")
    links = ""
    for column, (slug, (title, page)) in enumerate(programs().items()):
        x = column * STEP_X
        for row, stack in enumerate(rows):
            kind = versions.verdict(stack, slug)["verdict"]
            if kind in SHAPES:
                paths[kind] += SHAPES[kind].format(x=x, y=row * STEP_Y)
        words = html.escape(say(title).replace("`", "") + say(": ") + casebook.occurs_in(slug))
        area = f'<rect x="{x - 2}" width="{STEP_X}" height="{len(rows) * STEP_Y}"/>'
        href = here.address(page)
        links += f'<a href="{href}" tabindex="-1"><title>{words}</title>{area}</a>'
    drawn = "".join(f'<path class="emblem-{kind}" d="{d}"/>' for kind, d in paths.items() if d)
    width, height = len(programs()) * STEP_X, len(rows) * STEP_Y
    words = say(
        "{programs} programs on {stacks} stacks of releases, oldest above. Squares raise, "
        "diamonds give a wrong answer without an error, triangles warn, dashes are right; "
        "blank: not measured.",
        programs=len(programs()), stacks=len(rows),
    )  # fmt: skip
    words = html.escape(words)
    return (
        f'<figure class="emblem"><svg viewBox="-2 -2 {width + 4} {height + 4}" role="group" '
        f'aria-label="{words}">{drawn}{links}</svg><figcaption>{words} '
        f'<a href="{here.address(MATRIX)}">{say("The version matrix")}</a></figcaption></figure>'
    )


@directive("chapter-cards")
def chapter_cards(here: Generated) -> str:
    """Return a card for each chapter, with picture, symptom and message, and the casebook's."""
    cards = [
        CARD.format(
            href=here.address(f"book/failures/{failure.id}"),
            picture=drawings.inline(failure.id, decorative=True),
            title=html.escape(failure.title),
            text=steps.marked_up(failure.symptom),
            more=f"<code>{html.escape(failure.message, quote=False)}</code>",
        )
        for failure in catalogue.load().values()
    ]
    cases = records.load().values()
    about = say(
        "{count} cases, each on a page of its own. {silent} of them are silent: "
        "no error is raised, and the answer is wrong, or time or memory is lost.",
        count=len(cases), silent=sum(case.kind == "silent" for case in cases),
    )  # fmt: skip
    cards.append(
        CARD.format(
            href=here.address("book/cases/index"),
            picture=f'<span class="card-count" aria-hidden="true">{len(cases)}</span>',
            title=say("The casebook"), text=about, more="",
        )
    )  # fmt: skip
    listed = "\n".join(cards)
    return f'<ul class="chapter-cards">{listed}</ul>'


@directive("then-and-now")
def then_and_now(here: Generated, page: str) -> Nodes:
    """Return the program of a chapter that fails on the old stack, with both executed outcomes."""
    path = pages.path_of(page)
    here.env.note_dependency(str(path))
    notebook = execute.executed(path)
    if notebook is None and os.environ.get(execute.PREVIEW):
        return []
    if notebook is None:
        raise here.error(f"{path.name} is not executed: run `make book`.")
    for cell in notebook.cells:
        if "raises" in cell.metadata.get("expect", {}).get("then", {}):
            program = re.sub(r"\A%%both\n", "", cell.source)
            block = nodes.literal_block(program, program, language="python3")
            row = outcomes_side_by_side(outcomes(page, cell))
            return [nodes.container("", block, row, classes=["then-and-now"])]
    raise here.error(f"{path.name} has no %%both cell that raises on the old stack.")


def outcomes(page: str, cell) -> list[nodes.container]:
    """Return the two outcomes of a cell; of an error its first line."""
    data = next(o.data[both.MIME] for o in cell.outputs if both.MIME in o.get("data", {}))
    sides = []
    for name in both.SIDES:
        half, shown = data[name], []
        for output in half["outputs"]:
            failed = output["output_type"] == "error"
            if failed:
                _, text = split_traceback(output["traceback"], output["evalue"])
                text = text.splitlines()[0].rstrip(":") + " …"
            else:
                text = output.get("text") or output["data"]["text/plain"]
            look = "error-message" if failed else "output"
            shown.append(nodes.literal_block(text, text, language="text", classes=[look]))
        words = say(both.SIDES[name]) + releases(page, half["versions"])
        sides.append(side(name, [(name, words)], shown))
    return sides
