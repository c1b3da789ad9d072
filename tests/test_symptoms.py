"""The second door: from plain words to the case."""

import json

import pytest

from bookkit import records
from tools import score
from trace_evidence import __main__ as command_line
from trace_evidence import symptoms, triage

CASES = records.load()


@pytest.mark.parametrize("held_out", [False, True])
def test_nine_of_ten_phrasings_find_their_case_among_the_first_three(held_out):
    rows = score.phrasings(held_out)
    missed = [row["says"] for row in rows if not score.found(row)]
    assert len(rows) >= 25
    assert len(missed) <= len(rows) / 10, missed


def test_each_case_is_found_by_its_own_phrases():
    missed = {
        (slug, phrase)
        for slug, case in CASES.items()
        if case.kind == "silent"
        for phrase in case.phrases
        if slug not in {row.id for row in symptoms.search(phrase)[:3]}
    }
    assert len(missed) <= len(CASES) / 20, missed


@pytest.mark.parametrize(
    ("words", "same"),
    [("swapped swaps swapping swap", "swap"), ("Parameters, parameter!", "parameter"),
     ("copies copy", "copy"), ("recompiles compiling", "compil")],
)  # fmt: skip
def test_forms_of_a_word_have_one_stem(words, same):
    known = triage.data()["symptoms"]
    assert set(symptoms.stems(words, known["same"] | {"copy": "copy"}, known["dull"])) == {same}


def test_words_are_only_data():
    for words in ("hasOwnProperty", "__proto__ toString", "", "!!!", "zzz"):
        assert symptoms.search(words) == []


def test_the_command_lists_the_table_and_ranks_words(capsys):
    assert command_line.main(["symptoms"]) == 0
    everything = capsys.readouterr().out
    for words, slugs in symptoms.table():
        assert words in everything
        assert all(slug in everything for slug in slugs)
    assert command_line.main(["symptoms", "memory", "grows"]) == 0
    assert capsys.readouterr().out.startswith("1. Functions passed as static arguments")
    assert command_line.main(["symptoms", "zzz"]) == 1
    capsys.readouterr()
    assert command_line.main(["symptoms", "--json", "memory", "grows"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["format"] == command_line.FORMAT
    assert found["cases"][0]["id"] == "static-callables-pile-up"
    assert set(found["cases"][0]) == {"id", "title", "score", "symptom", "cure", "page"}
