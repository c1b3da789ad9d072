"""Folded cells that draw one figure stand behind one line."""

from docutils import nodes, utils

from bookkit.sphinx.cells import merge_folded


def cell(*sources, hide="input", shows=False):
    """Return a code cell as myst-nb makes it."""
    source = nodes.container(nb_element="cell_code_source")
    source += [nodes.literal_block(text, text) for text in sources]
    made = nodes.container("", source, nb_element="cell_code", hide_mode=hide)
    if shows:
        made += nodes.container(nb_element="cell_code_output")
    return made


def merged(*parts):
    """Return the sources of each cell that is left."""
    page = utils.new_document("page")
    page += list(parts)
    merge_folded(page)
    cells = [one for one in page.children if one.get("nb_element") == "cell_code"]
    return [[block.astext() for block in one.findall(nodes.literal_block)] for one in cells]


def test_cells_in_a_row_become_one_in_their_order():
    assert merged(cell("a"), cell("b"), cell("c", shows=True)) == [["a", "b", "c"]]


def test_what_shows_something_stays_and_so_does_what_stands_apart():
    assert merged(cell("a", shows=True), cell("b")) == [["a"], ["b"]]
    assert merged(cell("a"), nodes.paragraph("", "words"), cell("b")) == [["a"], ["b"]]
    assert merged(cell("a", hide="all"), cell("b")) == [["a"], ["b"]]
    assert merged(cell("a"), cell("%%then\nb")) == [["a"], ["%%then\nb"]]
