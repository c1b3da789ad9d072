"""The pages ask, and what they call right is what their cells show.

That each answer marked right is borne out by its cell is an item of the page itself, which the
chapter plugin collects; `test_chapter_plugin.py` sees that item red.
"""

import pytest

from bookkit import pages, predictions
from bookkit.formats import notebooks
from tests import blind

ASKED = {path: predictions.find(path.read_text()) for path in pages.find_notebooks()}
ALL = [one for found in ASKED.values() for one in found]
FOLD = "<details><summary>If you answered "
each_page = pytest.mark.parametrize("path", [path for path in ASKED if ASKED[path]])


def test_chapters_ask_three_to_five_times_and_foundations_once():
    bounds = {"failures": (3, 5), "foundations": (1, 5), "closing": (0, 12)}
    for path, found in ASKED.items():
        least, most = bounds.get(path.parent.name, (0, 5))
        assert least <= len(found) <= most, f"{path.stem} asks {len(found)} times"
    assert len(ALL) >= 25


def test_each_question_has_three_or_four_answers_with_a_reply_to_each():
    assert len({prediction.label for prediction in ALL}) == len(ALL)
    for prediction in ALL:
        assert 3 <= len(prediction.answers) <= 4, prediction.label
        assert all(answer and reply for answer, reply in prediction.answers), prediction.label
        assert "?" in " ".join(prediction.question), prediction.label


def test_nobody_answers_by_a_rule_who_has_read_no_program():
    assert len(blind.RULES) >= 20
    limit = blind.chance(ALL) + 0.1
    best = max(blind.score(rule, ALL) for rule in blind.RULES.values())
    assert best <= limit, f"at most {limit:.3f} by a rule:\n{blind.table(ALL)}"


def test_the_rules_find_what_gives_an_answer_away():
    """As the book had it: the right answer alone is bare, or has both stacks."""
    texts = "1 and 1, as the text is the same.", "1 and 4.", "4 and 4: they differ."
    answers = [(text, "") for text in texts]
    leaky = predictions.Prediction("leaky", {"right": "B"}, ["?"], answers)
    for name in ("the shortest", "no reason", "no reason, else the shortest", "B"):
        assert blind.score(blind.RULES[name], [leaky]) == 1
    assert blind.score(blind.RULES["the longest"], [leaky]) == 0


@pytest.mark.parametrize("prediction", ALL, ids=lambda prediction: prediction.label)
def test_every_answer_carries_a_reason_or_none_does(prediction):
    found = [bool(blind.REASON.search(text)) for text, _ in prediction.answers]
    assert len(set(found)) == 1, prediction.label


def test_each_letter_is_right_about_as_often_as_the_others():
    right = [prediction.options["right"] for prediction in ALL]
    assert min(map(right.count, "ABCD")) >= len(ALL) / 5


@each_page
def test_a_question_that_goes_before_an_output_stands_above_its_cell(path):
    """Else the site leaves it where it is, below the answer or far from the program."""
    text = path.read_text()
    for prediction in ASKED[path]:
        if "before" in prediction.options:
            after = text.split(f"{{predict}} {prediction.label}\n")[1].split("\n:::\n\n")[1]
            header = after.split("```")[1].split("\n\n")[0]
            assert f"name: {prediction.options['before']}\n" in header, prediction.label


@each_page
def test_replies_are_folded_in_a_notebook(path):
    text = notebooks.plain(path.read_text(), pages.page_name(path))
    assert "{predict}" not in text
    assert text.count(FOLD) == sum(len(prediction.answers) for prediction in ASKED[path])
    for prediction in ASKED[path]:
        shown, *folds = predictions.as_markdown(prediction).split(FOLD)
        assert all(answer in shown for answer, _ in prediction.answers)
        for letter, fold, (_, reply) in zip("ABCD", folds, prediction.answers, strict=False):
            assert fold.startswith(f"{letter}<") and reply in fold and reply not in shown
            assert ("Right. " in fold) == (letter == prediction.options["right"])
