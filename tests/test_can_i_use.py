"""*Can I use it?*: the record is whole, programs are Python, and cells are as recorded."""

import json
import subprocess
import sys

import pytest

from bookkit import records
from can_i_use import record
from trace_evidence import can_i_use, triage

NEWEST = record.stacks()[-1]
ROWS = record.table(NEWEST)
EXECUTED = [
    ("Normal", "jit_argument", "r"), ("Normal", "vmap_inside", "r"), ("Beta", "validated", "W"),
    ("FoldedDistribution", "scan_plate", "X"), ("FoldedDistribution", "scan_plate_equal", "W"),
]  # fmt: skip


def test_each_row_has_a_letter_for_each_construct():
    for name, row in record.load().items():
        for letters in row["on"].values():
            assert len(letters) == len(record.constructs()), name
            assert set(letters) <= {*can_i_use.VERDICTS}, name
        compile(row["made"], name, "eval")


def test_each_red_cell_says_what_it_said_and_no_other_does():
    for name, letters in ROWS.items():
        red = {construct for construct, letter in letters.items() if letter in "WX"}
        assert red == record.load()[name]["said"].keys(), name


def test_each_cause_names_a_case_or_says_why_it_is_none_and_explains_a_cell():
    for one in record.causes():
        assert one.get("case") in records.load() or one.get("note"), one
        explained = [
            row
            for row, letters in ROWS.items()
            for construct, letter in letters.items()
            # A cell that nobody has measured yet may turn out so.
            for told in {"W": "W", "X": "X", "?": "WX"}.get(letter, "")
            if can_i_use.cause(record.causes(), row, construct, told) is one
        ]
        assert explained, f"no red cell can have this cause: {one}"


@pytest.mark.parametrize("construct", record.constructs())
def test_the_program_of_a_cell_is_python_and_defines_what_it_uses(construct):
    text = can_i_use.program(triage.data()["can_i_use"], "Normal", construct)
    compile(text, construct, "exec")
    assert "def law(" in text and "def right(" in text


def test_a_cell_is_printed_with_its_program():
    text, known = can_i_use.answer("HurdlePoisson", "scan")
    assert known and "HurdlePoisson scan: right" in text and "def law(" in text
    assert not can_i_use.answer("Unit", "scan")[1]


@pytest.mark.kept("can_i_use")
def test_some_cells_are_as_the_record_has_them():
    cells = {
        name: (record.load()[name]["made"], [c for n, c, _ in EXECUTED if n == name])
        for name, _, _ in EXECUTED
    }
    command = [sys.executable, "-m", "can_i_use", "--here", json.dumps(cells)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=record.FOLDER.parent)
    found = dict(map(json.loads, done.stdout.splitlines()))
    assert [(n, c, found[n][c][0]) for n, c, _ in EXECUTED] == EXECUTED, done.stderr
