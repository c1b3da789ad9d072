"""What the site's look is made of: style sheets, colours of code, folds, marks on what differs."""

from docutils import nodes

from bookkit.sphinx import cells, render, site

SHEET = """/* a note */ .used,.unused:hover,.a:not(.unused){color:red}
@media print{.unused{color:blue}.used .unused{margin:0}}
@font-face{font-family:x}html[data-theme="dark"] body{color:white}"""


def test_a_sheet_keeps_what_the_site_can_show():
    kept = site.used_rules(SHEET, {"used", "a"})
    assert kept == (
        " .used,.a:not(.unused){color:red}\n@media print{}\n"
        '@font-face{font-family:x}html[data-theme="dark"] body{color:white}'
    )


def test_rules_for_paper_are_no_colours_of_the_screen():
    sheet = "a{b:c}@media print { p{d:e} html[data-theme=dark]{font-size:9pt} }i{f:g}"
    assert site.ON_PAPER.sub("", sheet) == "a{b:c}i{f:g}"


def test_a_fold_says_what_it_holds():
    said = {
        cells.prompts("x = 1", {}, "input", shows=True)[0],
        cells.prompts("x = 1", {}, "all", shows=True)[0],
        cells.prompts("x = 1\nassert x", {}, "input", shows=False)[0],
        cells.prompts("folder.cleanup()", {}, "input", shows=False)[0],
    }
    assert len(said) == 4 and "Show the code" not in said


def folded(message, limit=40):
    """Return what a page shows of a message, and what it folds."""
    parts = render.fold_message([nodes.literal_block(message, message)], limit)
    return [part.astext() for part in parts if isinstance(part, nodes.literal_block)]


def test_a_long_message_is_folded_where_a_sentence_or_a_line_ends():
    assert folded("short enough to be shown") == ["short enough to be shown"]
    first, rest = "A sentence of thirty-five characters.", "And another one, with more words."
    assert folded(f"{first} {rest}") == folded(f"{first}\n{rest}") == [first, rest]
    assert folded(f"{first}\n------\n{rest}") == [first, f"------\n{rest}"]


def test_a_message_of_one_sentence_is_folded_between_two_words():
    first, rest = "one sentence that goes on and on without", "an end in sight or a break"
    assert folded(f"{first} {rest}", limit=len(first) + 1) == [first, rest]


def sides(*texts):
    """Return what two stacks printed, as `render_both` has it."""
    return [nodes.container("", nodes.literal_block(t, t, classes=["output"])) for t in texts]


def marked(*texts):
    """Return the words of each side that are marked."""
    found = sides(*texts)
    render.mark_differences(found)
    assert [side.astext() for side in found] == list(texts)
    blocks = [block for side in found for block in side.findall(nodes.literal_block)]
    # Sphinx writes a block as it stands where it has a source, and another one than its text.
    assert all(block.rawsource for block in blocks)
    return [[part.astext() for part in side.findall(nodes.inline)] for side in found]


def test_words_that_differ_between_the_stacks_are_marked():
    assert marked("leaves in: 2\nleaves out: 3", "leaves in: 2\nleaves out: 2") == [["3"], ["2"]]
    assert marked("the same", "the same") == [[], []]
    assert marked("nothing in common", "-1.5 [2 2]") == [[], []]


def test_outcomes_stand_below_one_another_where_a_line_is_long():
    def is_wide(text):
        return "both-wide" in render.outcomes_side_by_side(sides(text, "short"))["classes"]

    assert not is_wide("short\nlines") and is_wide("a line of more than thirty-eight characters")
