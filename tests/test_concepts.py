"""What is taught is asked, what is asked is taught, and the test measures what was learned.

That the key of an item is what its program shows is an item of `book/_test/items.md`, which the
chapter plugin collects as it does a page.
"""

import re
from collections import Counter

import pytest
from pypdf import PdfReader

from bookkit import concepts, exercises, pages, predictions, taught
from bookkit.formats import quiz
from tests import blind

KNOWN = concepts.by_name()
ELSEWHERE = KNOWN[concepts.ELSEWHERE]
TAUGHT = {name: concept for name, concept in KNOWN.items() if name != concepts.ELSEWHERE}
ITEMS = concepts.items()
PLANS = list(pages.data(taught.PLANS))
DECKS = sorted((pages.BOOK / "_slides").glob("*.md"))
VOTES = {deck.stem: concepts.votes(deck) for deck in DECKS}
NOTE = re.compile(r"^```\{notes\}\n(.*?)^```", re.M | re.S)
OPTION = re.compile(r"\*\*([A-D])\.\*\*")
# A word that one learns in the workshop gives an answer away if the right ones alone have it.
TRADE = re.compile(r"stand-in|record|trac|hash|static|structure|flatten", re.I)
RULES = blind.RULES | {"the words of the trade": blind.each(lambda s: len(TRADE.findall(s)))}
GUIDE = pages.BOOK / "workshop" / "instructor-guide.md"

each_concept = pytest.mark.parametrize("name", TAUGHT)
each_plan = pytest.mark.parametrize("plan", PLANS)
each_deck = pytest.mark.parametrize("deck", DECKS, ids=lambda deck: deck.stem)
each_item = pytest.mark.parametrize("item", ITEMS.values(), ids=list(ITEMS))


def in_plan(plan):
    """Return the pages of a plan, with the minutes of each."""
    found = Counter()
    for minutes, words in taught.schedule(plan):
        for page, section in re.findall(r"\(/(book/[\w/-]+)\.md(#exercises)?\)", words):
            found[page] += 0 if section else minutes
    return found


def is_why(concept):
    """Tell whether an item asks for a reason or for a cure, which another cell decides."""
    return concept.options["cell"].endswith("-why")


@pytest.mark.parametrize("kind", ["votes", "predictions", "exercises"])
def test_each_question_serves_one_concept(kind):
    asked = {
        "votes": [vote.label for votes in VOTES.values() for vote in votes],
        "predictions": list(predictions.of_book()),
        "exercises": [e.label for path in pages.find_notebooks() for e in exercises.find(path)],
    }[kind]
    listed = [label for concept in KNOWN.values() for label in getattr(concept, kind)]
    assert len(asked) >= 15
    assert sorted(listed) == sorted(asked)


@each_concept
def test_a_concept_is_taught_and_asked(name):
    concept = TAUGHT[name]
    assert concept.says and concept.aim
    page, _, section = concept.taught.partition("#")
    headings = re.findall("^##+ (.+)$", pages.path_of(page).read_text(), re.M)
    anchors = {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}
    assert not section or section in anchors
    assert concept.votes or concept.predictions or concept.exercises


@each_plan
def test_a_plan_teaches_and_votes_on_what_its_test_asks(plan):
    counts = in_plan(plan)
    voted = {vote.label for page in counts for vote in VOTES.get(page.rpartition("/")[2], ())}
    assert len(concepts.test(plan)) == len(set(concepts.test(plan))) == 8
    for name in concepts.test(plan):
        assert TAUGHT[name].taught.partition("#")[0] in counts, f"{name} is not taught"
        assert voted & set(TAUGHT[name].votes), f"the room does not vote on {name}"


@each_plan
def test_a_deck_fits_into_the_minutes_that_the_plan_has_for_it(plan):
    counts = in_plan(plan)
    decks = {
        page: deck for page in counts for deck in DECKS if deck.stem == page.rpartition("/")[2]
    }
    assert len(decks) >= 4
    for page, deck in decks.items():
        minutes = re.findall(r"^```\{notes\}\n\*(\d+) minute", deck.read_text(), re.M)
        assert sum(map(int, minutes)) <= counts[page], deck.stem


@each_plan
def test_the_two_forms_of_a_test_are_parallel(plan):
    assert taught.schedule(plan)[1][0] >= 12
    forms = {
        form: [ITEMS[f"{name}-{form}"] for name in concepts.test(plan)] for form in concepts.FORMS
    }
    one, other = forms.values()
    assert list(map(is_why, one)) == list(map(is_why, other))
    assert sum(map(is_why, one)) == 4
    for form in forms.values():
        right = Counter(item.options["right"] for item in form)
        assert set(right) == set(predictions.LETTERS) and max(right.values()) <= 3, right


def test_each_item_is_in_a_test():
    used = {f"{name}-{form}" for plan in PLANS for name in concepts.test(plan) for form in "ab"}
    assert used == set(ITEMS)


@each_item
def test_an_item_is_a_short_program_that_the_room_has_not_seen(item):
    rows = [line for line in concepts.program(item).splitlines() if line.strip()]
    assert len(rows) <= 8 and max(map(len, rows)) <= 80
    shown = "\n".join(path.read_text() for path in [*pages.find_notebooks(), *DECKS])
    new = [row for row in rows if row.strip() not in shown]
    assert len(new) >= len(rows) / 2, "it is on a page or a slide"
    assert not re.search(r"\b[Tt]hen\b.*\bnow\b|stack", " ".join(text for text, _ in item.answers))


@each_item
def test_the_answers_of_an_item_are_alike(item):
    lengths = [len(text) for text, _ in item.answers]
    assert len(lengths) == 4
    assert max(lengths) - min(lengths) <= 16
    assert len({text.endswith(".") for text, _ in item.answers}) == 1


@pytest.mark.parametrize("plan", [*PLANS, None])
def test_nobody_passes_a_test_who_reads_no_program(plan):
    names = concepts.test(plan) if plan else {label[:-2] for label in ITEMS}
    asked = [ITEMS[f"{name}-{form}"] for name in names for form in concepts.FORMS]
    limit = blind.chance(asked) + (0.15 if plan else 0.1)
    best = {name: round(blind.score(rule, asked), 3) for name, rule in RULES.items()}
    assert max(best.values()) <= limit, best


@each_deck
def test_a_deck_has_few_votes_with_their_answers_on_the_slide(deck):
    votes, text = VOTES[deck.stem], deck.read_text()
    assert (3 if (pages.FAILURES / deck.name).exists() else 2) <= len(votes) <= 5
    # A note that has a vote says its name and its key.
    assert len(re.findall(r"^\*\d+ minutes?,[^*]*\bvotes?\b", text, re.M)) == len(votes)
    assert len({vote.right for vote in votes}) >= min(3, len(votes))
    for vote in votes:
        letters = OPTION.findall(NOTE.sub("", vote.slide))
        assert letters == list(predictions.LETTERS[: len(letters)]) and len(letters) >= 3, vote
        assert vote.right in letters, vote.label
        (note,) = NOTE.findall(vote.slide)
        for share in ("*Under 30 %:*", "*30 to 80 %:*", "*Over 80 %:*"):
            assert share in " ".join(note.split()), f"{vote.label}: what if {share}"


@each_deck
def test_the_slide_after_a_vote_says_its_answer(deck):
    parts = re.split(r"^---$\n?", deck.read_text(), flags=re.M)
    for vote in VOTES[deck.stem]:
        after = parts[parts.index(vote.slide) + 1]
        said = re.findall(r"answer\s+is\s+([A-D])\b|^\*\*([A-D])\.\*\*", after, re.M)
        assert ["".join(letters) for letters in said] == [vote.right], vote.label


def test_no_letter_wins_the_votes():
    right = Counter(vote.right for votes in VOTES.values() for vote in votes)
    total = sum(right.values())
    assert max(right.values()) <= total / 3 and min(right.values()) >= total / 6, right


def test_nobody_wins_the_votes_who_reads_no_program():
    asked = []
    for vote in (vote for votes in VOTES.values() for vote in votes):
        texts = re.split(r"\*\*[A-D]\.\*\*", NOTE.sub("", vote.slide))[1:]
        texts = [re.split(r"\n\n|\n- |·", text.strip())[0].strip() for text in texts]
        pairs = [(text, "") for text in texts]
        asked.append(predictions.Prediction(vote.label, {"right": vote.right}, ["?"], pairs))
    best = max(blind.score(rule, asked) for rule in RULES.values())
    assert best <= blind.chance(asked) + 0.1, blind.table(asked)


@each_deck
def test_a_slide_has_the_minutes_that_its_words_and_its_vote_take(deck):
    """At 130 words a minute, and for a vote twice 45 seconds with 90 between the two."""
    voted = {vote.slide for vote in VOTES[deck.stem]}
    for number, slide in enumerate(re.split(r"^---$\n?", deck.read_text(), flags=re.M), 1):
        (note,) = NOTE.findall(slide)
        said = sum(len(text.split()) for text in re.findall(r'"([^"]*)"', note))
        needed = said / 130 + 3 * (slide in voted)
        declared = int(re.match(r"\*(\d+) minute", note)[1])
        assert needed <= declared + 0.5, f"slide {number} takes {needed:.1f} minutes"


def test_the_guide_names_the_concepts_that_a_test_asks_for():
    text = GUIDE.read_text()
    named = set(re.findall(r"`([a-z]+(?:-[a-z]+)+)`", text))
    assert {name for plan in PLANS for name in concepts.test(plan)} <= named
    assert named <= set(TAUGHT), "names of no concept"
    parts = re.split(r"^\*\*The misconception\.\*\* ", text, flags=re.M)[1:]
    assert len(parts) == len(DECKS)
    assert all(part.startswith("`") for part in parts), "it says a misconception without its name"


def test_a_form_is_one_sheet_without_a_key_and_the_key_has_it(tmp_path):
    quiz.make(tmp_path)
    for plan in PLANS:
        files = quiz.names(tmp_path, plan)
        told = {kind: PdfReader(file).pages for kind, file in files.items()}
        words = {
            kind: " ".join(" ".join(leaf.extract_text() for leaf in leaves).split())
            for kind, leaves in told.items()
        }
        for name in concepts.test(plan):
            assert name in words["key"] and name not in words["a"] + words["b"]
        for form in concepts.FORMS:
            assert len(told[form]) == 2, "print it on both sides"
            assert "Thinks that" not in words[form] and words[form].count("A.") >= 8
    assert "Code word" in PdfReader(tmp_path / "answers.pdf").pages[0].extract_text()
