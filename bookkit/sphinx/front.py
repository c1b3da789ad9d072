"""What only the first page has: the matrix as a drawing, cards, one program twice."""

import html
import re

from docutils import nodes

from bookkit import casebook, entries, execute, illustrations, pages, versions
from bookkit.languages import say
from bookkit.outputs import releases, split_traceback
from trace_evidence import both, steps

from .directives import MATRIX, Generated, directive, programs
from .render import outcomes_side_by_side, side
from .written import Nodes

STEP = 8
SHAPES = {  # told apart without color
    "fails": "M0 {y}h6v6h-6z",
    "wrong": "M3 {y}m0 -1l4 4l-4 4l-4-4z",
    "warns": "M3 {y}l3 6h-6z",
    "ok": "M1 {y}m0 3h4",
}
CARD = """\
<li><a class="chapter-card" href="{href}">{picture}<strong>{title}</strong></a>
<p>{text}</p>{more}</li>"""


@directive("matrix-emblem")
def matrix_emblem(here: Generated) -> str:
    """Return the version matrix as one small drawing: programs in columns, old stacks above.

    A phone shows of each column its end, the newest stack.
    """
    columns = "".join(column(here, slug, *about) for slug, about in programs().items())
    all_of_it = say(
        "{programs} programs on {stacks} stacks of releases, oldest above.",
        programs=len(programs()), stacks=len(versions.rows()),
    )  # fmt: skip
    newest = say("{programs} programs on the newest stack of releases.", programs=len(programs()))
    legend = say(
        "Squares raise, diamonds give a wrong answer without an error, triangles warn, dashes "
        "are right; blank: not measured."
    )
    return (
        f'<figure class="emblem"><div role="group" aria-label="{html.escape(all_of_it)}">'
        f'{columns}</div><figcaption><span class="on-desk">{all_of_it}</span>'
        f'<span class="on-phone">{newest}</span> {legend} '
        f'<a href="{here.address(MATRIX)}">{say("The version matrix")}</a></figcaption></figure>'
    )


def column(here: Generated, slug: str, title: str, page: str) -> str:
    """Return the drawing of a program's verdicts, which leads to its page."""
    paths: dict[str, str] = {}
    for row, stack in enumerate(versions.rows()):
        kind = versions.verdict(stack, slug)["verdict"]
        place = SHAPES.get(kind, "").format(y=row * STEP)
        paths[kind] = paths.get(kind, "") + place
    drawn = "".join(f'<path class="emblem-{kind}" d="{d}"/>' for kind, d in paths.items() if d)
    words = say(title).replace("`", "") + say(": ") + casebook.occurs_in(slug)
    return (
        f'<a href="{here.address(page)}" tabindex="-1" title="{html.escape(words)}"><svg '
        f'aria-hidden="true" viewBox="-2 -1 10 {len(versions.rows()) * STEP}">{drawn}</svg></a>'
    )


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
