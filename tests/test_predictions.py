"""The pages ask, and what they call right is what their cells show.

That each answer marked right is borne out by its cell is an item of the page itself, which the
chapter plugin collects; `test_chapter_plugin.py` sees that item red.
"""

from collections import Counter

import nbformat
import pytest
from bs4 import BeautifulSoup
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace, patch_docutils

from bookkit import pages, predictions, reading_time, translations
from bookkit.formats import notebooks
from bookkit.sphinx import predict

ASKED = {path: predictions.find(path.read_text()) for path in pages.find_notebooks()}
ALL = [one for found in ASKED.values() for one in found]
TEXT = """\
Before it.

:::{predict} sum
:cell: add
:reads: 'sum: (\\d)'
:keys: 3; 4; 5
:right: B

Two and two.
What is the sum?

```python
2 + 2
```

- Three,
  or less.

  One is missing.
- Four.

  It is.

  Count.
- Five.

  One too many.
:::

After it.
"""

each_page = pytest.mark.parametrize("path", [path for path in ASKED if ASKED[path]])


def test_chapters_ask_three_to_five_times_and_foundations_once():
    bounds = {"failures": (3, 5), "foundations": (1, 3), "closing": (0, 8)}
    for path, found in ASKED.items():
        least, most = bounds.get(path.parent.name, (0, 5))
        assert least <= len(found) <= most, f"{path.stem} asks {len(found)} times"
    assert len(ALL) >= 25


def test_each_question_has_three_or_four_answers_with_a_reply_to_each():
    assert len({one.label for one in ALL}) == len(ALL)
    for one in ALL:
        assert 3 <= len(one.answers) <= 4, one.label
        assert all(answer and reply for answer, reply in one.answers), one.label
        assert "?" in " ".join(one.question), one.label


def test_no_letter_is_the_one_to_bet_on():
    right = Counter(one.options["right"] for one in ALL)
    assert set(right) >= {"A", "B", "C"}
    assert max(right.values()) < len(ALL) / 2


@each_page
def test_a_question_that_goes_before_an_output_stands_above_its_cell(path):
    """Else the site leaves it where it is, below the answer or far from the program."""
    text = path.read_text()
    for one in ASKED[path]:
        if "before" in one.options:
            after = text.split(f"{{predict}} {one.label}\n")[1].split("\n:::\n\n")[1]
            header = after.split("```")[1].split("\n\n")[0]
            assert f"name: {one.options['before']}\n" in header, one.label


def test_a_block_is_taken_apart():
    (one,) = predictions.find(TEXT)
    assert (one.label, one.options["right"]) == ("sum", "B")
    assert one.question == ["Two and two.\nWhat is the sum?", "```python\n2 + 2\n```"]
    assert one.answers == [
        ("Three,\nor less.", "One is missing."), ("Four.", "It is.\n\nCount."),
        ("Five.", "One too many."),
    ]  # fmt: skip


def test_replies_are_folded_in_a_notebook_and_take_no_time_to_read():
    text = notebooks.plain(TEXT, "book/failures/page")
    shown, folded = text.split("<details><summary>Replies to the answers</summary>")
    assert "- **B.** Four." in shown
    assert "It is." not in shown
    assert "**B.** Right. It is." in folded
    assert "{predict}" not in text
    seen = "Before it. Two and two. What is the sum? A. Three, or less. B. Four. C. Five. After it."
    assert reading_time.prose_words(TEXT) == reading_time.prose_words(seen)


def cell(source, *outputs):
    """Return an executed cell that is called `add`."""
    made = [nbformat.v4.new_output(kind, **data) for kind, data in outputs]
    return nbformat.v4.new_code_cell(source, outputs=made, metadata={"name": "add"})


@pytest.mark.parametrize(
    ("shown", "problem"),
    [
        ("sum: 4", ""),
        ("sum: 5", "the cell 'add' shows '5', which bears out C and not B"),
        ("sum: 7", "the cell 'add' shows '7', which bears out no answer and not B"),
    ],
)
def test_the_cell_decides_which_answer_is_right(shown, problem):
    page = nbformat.v4.new_notebook(cells=[cell("", ("stream", {"text": shown}))])
    assert predictions.find(TEXT)[0].problem(page) == problem


def test_answers_without_a_key_each_are_refused():
    (one,) = predictions.find(TEXT.replace("3; 4; 5", "3; 4; 4"))
    assert "3 answers need as many different keys" in one.problem(nbformat.v4.new_notebook())


def test_both_sides_and_errors_are_read():
    error = {"output_type": "error", "ename": "TypeError", "evalue": "no", "traceback": []}
    sides = {"then": {"outputs": [error]}, "now": {"outputs": [
        {"output_type": "stream", "name": "stdout", "text": "it runs"}]}}  # fmt: skip
    data = {predictions.expectations.MIME: sides}
    made = cell("%%both\n2 + 2", ("display_data", {"data": data}))
    page = nbformat.v4.new_notebook(cells=[made])
    assert predictions.reading(page, "add", r"^\w+Error|runs") == "TypeError / runs"
    assert predictions.reading(page, "other", ".") == "no cell of this name"


def test_an_item_of_the_workshop_test_has_the_programs_that_it_needs():
    path, one = predictions.of_book()["lazy-programs"]
    asked, *programs = predict.item(path, one, "with score")
    assert [asked] == one.question
    assert ["def make_belief" in text for text in programs] == [True, False]
    assert not any("%%" in text or "assert" in text for text in programs)
    assert predict.item(path, one, "in words") == one.question


PO = """
msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\\n"

msgid "Two and two. What is the sum?"
msgstr "Zwei und *zwei*?"

msgid "Four."
msgstr "Vier."

msgid "One too many."
msgstr "Eins zu viel."
"""


def test_questions_answers_and_replies_are_translated(tmp_path):
    (tmp_path / "index.md").write_text(f"# A page\n\n{TEXT}")
    catalogue = tmp_path / "locale" / "de" / "LC_MESSAGES" / "index.po"
    catalogue.parent.mkdir(parents=True)
    catalogue.write_text(PO)
    settings = {
        "extensions": ["myst_parser", "bookkit.sphinx.predict"],
        "myst_enable_extensions": ["colon_fence"],
        "language": "de",
        "locale_dirs": [str(tmp_path / "locale")],
        "html_theme": "basic",
    }
    with patch_docutils(None), docutils_namespace():
        app = Sphinx(
            tmp_path, None, tmp_path / "out", tmp_path / "trees", "html", settings,
            status=None, warningiserror=True,
        )  # fmt: skip
        app.build()
    page = BeautifulSoup((tmp_path / "out" / "index.html").read_text(), "html.parser")
    form = page.select_one("form.predict fieldset").parent
    assert str(form.legend.select_one(".predict-words")) == (
        '<span class="predict-words">Zwei und <em>zwei</em>?</span>'
    )
    labels = [label.get_text().split() for label in form.select("label:has(input[type=radio])")]
    assert labels == [["A", "Three,", "or", "less."], ["B", "Vier."], ["C", "Five."]]
    replies = [" ".join(one.get_text().split()) for one in form.select("details .predict-reply")]
    assert replies[1:] == ["B. Right. It is. Count.", "C. Not so. Eins zu viel."]
    assert [one.get_text().strip() for one in form.select("fieldset pre")] == ["2 + 2"]


def test_what_the_form_says_itself_can_be_translated():
    said = {text for _, text in translations.interface_texts(["bookkit", "book/_static"])}
    assert said >= {"Predict", "Right.", "Not so.", "Replies to the answers"}
    assert said >= {"Answer", "Show what happens", "Show what the replies rest on"}
