"""What only the first page has: a figure of a chapter, cards, one program twice."""

import html
import re

from docutils import nodes

from bookkit import entries, execute, frames, illustrations, pages
from bookkit.languages import say
from bookkit.outputs import releases, split_traceback
from trace_evidence import both, steps

from .directives import Generated, directive
from .render import in_order, outcomes_side_by_side, side
from .written import Nodes

CARD = """\
<li><a class="chapter-card" href="{href}">{picture}<strong>{title}</strong></a>
<p>{text}</p>{more}</li>"""


@directive("figure-of", arguments=2)
def figure_of(here: Generated, page: str, name: str) -> str:
    """Return the figure that a cell of another page draws step by step, a silent frame first."""
    path = pages.path_of(page)
    here.env.note_dependency(str(path))
    notebook = execute.executed(path)
    if notebook is None:  # as in a fresh clone; the next build looks again
        here.env.note_reread()
        return ""
    for cell in notebook.cells:
        for output in cell.get("outputs", ()) if cell.metadata.get("name") == name else ():
            data = in_order(output["data"][steps.MIME])
            first = next(frame for frame in data["frames"] if frame["says"].startswith("Silent"))
            data["frames"].sort(key=lambda frame: frame is not first)
            figure = frames.as_html(frames.changed(data, say))
            return f'<div class="front-figure">{figure}</div>'
    raise here.error(f"{path.name} has no cell {name!r} with a figure.")


@directive("chapter-cards")
def chapter_cards(here: Generated) -> str:
    """Return a card for each chapter, with picture, symptom and message, and the casebook's."""
    cards = [
        CARD.format(
            href=here.address(f"book/failures/{failure.name}"),
            picture=illustrations.inline(failure.name, decorative=True),
            title=html.escape(failure.title),
            text=steps.marked_up(failure.symptom),
            more=f"<code>{html.escape(failure.message, quote=False)}</code>",
        )
        for failure in entries.chapters().values()
    ]
    cases = entries.cases().values()
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


@directive("then-and-now", arguments=1)
def then_and_now(here: Generated, page: str) -> Nodes:
    """Return the program of a chapter that fails on the old stack, with both executed outcomes."""
    path = pages.path_of(page)
    here.env.note_dependency(str(path))
    notebook = execute.executed(path)
    if notebook is None:  # as in a fresh clone; the next build looks again
        here.env.note_reread()
        return []
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
