"""What a page folds away, and where a long message is broken."""

from docutils import nodes, utils

from bookkit.sphinx.cells import merge_folded
from bookkit.sphinx.render import fold_message


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


def test_cells_in_a_row_become_one_and_what_shows_something_or_stands_apart_stays():
    assert merged(cell("a"), cell("b"), cell("c", shows=True)) == [["a", "b", "c"]]
    assert merged(cell("a", shows=True), cell("b")) == [["a"], ["b"]]
    assert merged(cell("a"), nodes.paragraph("", "words"), cell("b")) == [["a"], ["b"]]
    assert merged(cell("a"), cell("%%then\nb")) == [["a"], ["%%then\nb"]]


def folded(message, limit=40):
    """Return what a page shows of a message, and what it folds."""
    parts = fold_message([nodes.literal_block(message, message)], limit)
    return [part.astext() for part in parts if isinstance(part, nodes.literal_block)]


def test_a_long_message_is_folded_where_a_sentence_or_a_line_ends():
    assert folded("short enough to be shown") == ["short enough to be shown"]
    first, rest = "A sentence of thirty-five characters.", "And another one, with more words."
    assert folded(f"{first} {rest}") == folded(f"{first}\n{rest}") == [first, rest]
    assert folded(f"{first}\n------\n{rest}") == [first, f"------\n{rest}"]


def test_a_message_of_one_sentence_is_folded_between_two_words():
    first, rest = "one sentence that goes on and on without", "an end in sight or a break"
    assert folded(f"{first} {rest}", limit=len(first) + 1) == [first, rest]
