"""A bare notebook as the room fills it in: what a slide shows is typed, or copied."""

import re

from bookkit import decks, pages
from bookkit.formats import learner

OPEN = re.compile(r"((?:%%\w+\n)?)# (Slide (\d+)(?:, (\w+) program)?)")


def shown_by_deck(page):
    """Return what each program of a deck shows, by its slide and its place there."""
    cells = {
        cell.node.metadata.get("name"): pages.split_asserts(cell.node.source)[0]
        for cell in pages.code_cells(pages.path_of(page))
    }
    opened = {}
    for program in decks.programs(page):
        rows = decks.statements(cells[program.name])
        text = [text for row, text in rows if not program.words or row.startswith(program.words)]
        opened[program.slide, program.place[0]] = "\n".join(text)
    return opened


def filled_in(page, shown):
    """Return a bare notebook without an empty cell, from what its slides show."""
    copied = {
        title.source.partition("**")[2].partition(".**")[0]: cell.source
        for title, cell in pairs(learner.bare(page, filled=True))
    }
    notebook = learner.bare(page)
    for title, cell in pairs(notebook):
        found = OPEN.fullmatch(cell.source)
        if found and re.search(r"\bcopy\b", title.source, re.I):
            cell.source = copied[found[2]]
        elif found:
            place = learner.PLACES.index(found[4]) + 1 if found[4] else 1
            cell.source = found[1] + shown[int(found[3]), place]
    return notebook


def pairs(notebook):
    """Return the pairs of a text and the code cell below it."""
    both = zip(notebook.cells, notebook.cells[1:], strict=False)
    return [pair for pair in both if [cell.cell_type for cell in pair] == ["markdown", "code"]]
