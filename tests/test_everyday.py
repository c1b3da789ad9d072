"""The everyday errors: real programs, recorded on both stacks, told as what they are."""

import importlib
import re

import pytest

from bookkit import entries, publish
from evidence import engine, kinds
from tests.test_triage import RECORDINGS, reported
from tools import score
from trace_evidence import triage

ENTRIES = entries.errors()
WANTED = engine.wanted(kinds.WORDING)
RECORDED = entries.recorded()
EVERYTHING = "\n".join(row["text"] for row in RECORDED)
REPORTED = "\n".join(row["lines"] for part in score.PARTS for row in score.read(part))
SAID = " ".join([EVERYTHING, *(row["text"] for row in RECORDINGS), REPORTED])
SAID = " ".join(SAID.split())
every_entry = pytest.mark.parametrize("entry", ENTRIES.values(), ids=list(ENTRIES))


@every_entry
def test_an_entry_says_what_it_is_and_what_to_try_first(entry):
    assert entry.symptom.endswith(".") and entry.cure.endswith(".")
    assert len(entry.symptom) <= 260, "two sentences at most"
    assert set(entry.look) <= {*entries.chapters(), *entries.cases()}
    assert bool(entry.question) == bool(entry.look) or entry.name == "vmap-scalar"


@every_entry
def test_an_entry_has_a_program_that_was_run_as_it_stands(entry):
    rows = [row for row in RECORDED if row["about"] == entry.name]
    stacks = {entry.only} if entry.only else {"now", "then"}
    if not entry.program:
        assert not rows
        assert all(wording.source for wording in entry.wordings) or entry.name in REPORTED_ELSEWHERE
        return
    cure = "run `python -m evidence wording`"
    assert {row["stack"] for row in rows} == stacks, cure
    assert {row["of"] for row in rows} == {
        WANTED[row["program"], row["stack"]][1] for row in rows
    }, cure
    assert len(entry.program.splitlines()) <= 10
    assert max(map(len, entry.program.splitlines())) <= 100


# Recorded with frameworks.txt, since they need frameworks that the book's kernels lack.
REPORTED_ELSEWHERE = {"framework-key", "density-not-scalar", "nnx-data-in-static"}


@every_entry
def test_a_wording_is_recorded_or_says_what_it_rests_on(entry):
    own = [row["text"] for row in RECORDED if row["about"] == entry.name]
    own += [row["text"] for row in RECORDINGS if row["about"] == f"everyday.{entry.name}"]
    said = "\n".join(own)
    for wording in entry.wordings:
        assert wording.source in ("", "report", "documentation")
        if not wording.source and entry.name not in REPORTED_ELSEWHERE:
            # A weak wording is another error's, and recorded there.
            texts = said if wording.points >= triage.CLAIM else f"{EVERYTHING}\n{said}"
            assert re.search(wording.regex, texts, re.M), (
                f"no program says {wording.text!r}: mend it, take it out, or say its `source`"
            )
        if wording.source == "report":
            assert re.search(wording.regex, reported(), re.M), f"no report shows {wording.text!r}"
        said_there = [part.strip() in SAID for part in wording.text.split("…")]
        nothing = f"nothing recorded says {wording.text!r}: mend `text`"
        assert all(said_there) or wording.source, nothing


def test_a_name_that_is_not_yet_there_is_there_in_the_newest_releases():
    rows = [wording.pattern for wording in ENTRIES["name-not-yet-there"].wordings]
    found = [re.search(r"^'([\w.[\]]+)' has no attribute '\(([\w|]+)\)'", row) for row in rows]
    for row in filter(None, found):
        module = importlib.import_module(re.sub(r"\[(.)\]", r"\1", row[1]))
        gone = [name for name in row[2].split("|") if not hasattr(module, name)]
        assert not gone, f"{module.__name__} has lost {gone}: *removed-api* is the answer"
    assert len([*filter(None, found)]) > 10


def test_what_a_program_says_is_told_as_what_it_is_and_not_as_ours():
    for row in RECORDED:
        assert publish.message(row), f"{row['about']} is shown without a message"
        findings, which = triage.triage(row["text"]).findings, (row["about"], row["stack"])
        assert findings, f"{which} is not known"
        assert findings[0].id == row["about"], which
        assert {one.kind for one in findings} == {"everyday"}, which
