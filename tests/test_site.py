"""What the site's look is made of: style sheets, colours of code, folds, marks on what differs."""

from docutils import nodes
from pygments.token import Comment, Generic

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


def tokens(lexer, text):
    """Return the kinds of token in a text, each with what it is given to."""
    return [(kind, value) for _, kind, value in lexer.get_tokens_unprocessed(text)]


def test_a_comment_in_a_terminal_is_no_command():
    found = tokens(cells.ConsoleLexer(), "# A case, or not\n$ explain case\nshown\n")
    assert found[0] == (Comment, "# A case, or not\n")
    assert (Generic.Prompt, "$ ") in found and found[-1] == (Generic.Output, "shown\n")


def test_a_magic_is_told_from_the_code_below_it():
    assert tokens(cells.ThenLexer(), "%%both\nx = 1\n")[0] == (Comment.Preproc, "%%both\n")


def test_a_fold_says_what_it_holds():
    said = {
        cells.prompts("x = 1", {}, "input", shows=True)[0],
        cells.prompts("x = 1", {}, "all", shows=True)[0],
        cells.prompts("x = 1\nassert x", {}, "input", shows=False)[0],
        cells.prompts("folder.cleanup()", {}, "input", shows=False)[0],
    }
    assert len(said) == 4 and "Show the code" not in said


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
