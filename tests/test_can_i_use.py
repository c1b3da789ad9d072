"""*Can I use it?*: the record is whole, programs are Python, and cells are as recorded."""

import inspect
import os
import random
import sys
from datetime import date

import numpy as np
import pytest

from bookkit import can_i_use_record as record
from bookkit import entries
from trace_evidence import can_i_use, triage

NEWEST = record.stacks()[-1]
ROWS = record.letters_on(NEWEST)


def test_each_row_has_a_letter_for_each_construct():
    for name, row in record.cells().items():
        for letters in row["on"].values():
            assert len(letters) == len(record.CONSTRUCTS), name
            assert set(letters) <= {*can_i_use.VERDICTS}, name
        compile(row["made"], name, "eval")


def test_each_construct_has_a_head_in_words_or_goes_wrong_whatever_the_distribution_is():
    heads = [name for head in record.HEADS for name in head["words"]]
    apart = [*record.INSTANCES["of_the_construct"]]
    assert sorted(heads + apart) == sorted(record.CONSTRUCTS)
    said = [(head["name"], words) for head in record.HEADS for words in head["words"].values()]
    assert len(said) == len({*said}), "two columns have one name"


@pytest.mark.slow
def test_each_distribution_of_numpyro_is_in_the_table_or_is_left_out_with_a_reason():
    import numpyro.distributions as dist

    classes = {name for name, kind in vars(dist).items() if inspect.isclass(kind)}
    found = {name for name in classes if issubclass(getattr(dist, name), dist.Distribution)}
    in_table = {row.partition("[")[0].partition("(")[0] for row in ROWS}
    assert not found - in_table - record.INSTANCES["left_out"].keys()


def test_each_measured_cell_says_what_it_said_and_no_other_does():
    for name, letters in ROWS.items():
        measured = {construct for construct, letter in letters.items() if letter in "rWX"}
        assert measured == record.cells()[name]["said"].keys(), name


def test_no_cell_is_red_because_the_second_way_failed():
    unknown = [name for name, letters in ROWS.items() if "?" in letters.values()]
    assert not unknown, "mend the second way in evidence/can_i_use/constructs.py"
    # Both once were: a draw that is a Python number, a value that is no index.
    assert ROWS["Delta"]["validated"] in "r-"
    assert ROWS["CategoricalProbs"]["validated"] == "W"


def test_each_red_cell_has_a_cause_which_is_a_case_or_says_why_it_is_none():
    explained = []
    for row, letters in ROWS.items():
        for construct in (name for name, letter in letters.items() if letter in "WX"):
            why = can_i_use.cause(record.CAUSES, row, construct, letters[construct])
            assert why.get("case") in entries.cases() or why.get("note"), (row, construct)
            explained.append(why)
    assert [one for one in record.CAUSES if one not in explained] == [], "they explain no cell"


def test_the_program_of_a_cell_is_python_and_is_printed_with_it():
    for construct in record.CONSTRUCTS:
        text = can_i_use.program(triage.data()["can_i_use"], "Normal", construct)
        compile(text, construct, "exec")
        assert "def law(" in text and "def right(" in text, construct
    text, is_known = can_i_use.answer("hurdle-poisson", "scan")
    assert is_known and "HurdlePoisson scan: right (" in text and "def law(" not in text
    assert "HurdlePoisson scan_first_axis: raises (" in text
    text, is_known = can_i_use.answer("HurdlePoisson", "scan_first_axis")
    assert is_known and text.index("raises (") < text.index("def law(")
    for heads in (head["words"] for head in record.HEADS):
        for name, words in heads.items():
            assert f"Normal {name}:" in can_i_use.answer("Normal", words)[0], "a head of the table"
    for row, construct in ("mvn", "lax.scan"), ("student-t", "NUTS"):
        assert can_i_use.answer(row, construct)[1], (row, construct)
    assert not can_i_use.answer("Unit", "scan")[1]


@pytest.mark.slow
def test_cells_are_as_the_record_has_them():
    from evidence.cells import run

    cells = [(name, construct) for name, letters in ROWS.items() for construct in letters]
    if not os.environ.get("EVERYTHING"):
        cells = random.Random(date.today().toordinal()).sample(cells, 8)
    by_name = record.cells()
    wanted = {
        name: (by_name[name]["made"], [c for n, c in cells if n == name]) for name, _ in cells
    }
    found = dict(run(sys.executable, wanted))
    assert found.keys() == wanted.keys()
    changed = {
        (name, construct): (ROWS[name][construct], *found[name][construct])
        for name, construct in cells
        if found[name][construct][0] != ROWS[name][construct]
    }
    assert not changed, "on record, and now"


@pytest.mark.slow
@pytest.mark.parametrize(("name", "construct", "verdict"), [
    ("SoftLaplace", "vmap_inside", "r"), ("Exponential", "jit_result", "r"),
    ("TwoSidedTruncatedGamma", "auto_delta", "r"), ("Gumbel", "potential", "r"),
    ("HurdleProbs", "jit_result", "r"), ("NegativeBinomial2", "own_guide", "r"),
    ("Weibull", "scan_plate", "r"), ("RelaxedBernoulliLogits", "scan_all_axes", "r"),
    ("ProjectedNormal", "float32", "r"), ("Gamma", "scan_latent_reverse", "W"),
])  # fmt: skip
def test_a_cell_that_somebody_else_computed_is_as_on_record(name, construct, verdict):
    from tests import ten_cells

    assert ROWS[name][construct] == verdict
    got, expected = map(np.asarray, getattr(ten_cells, name)())
    assert np.allclose(got, expected, 2e-3, 1e-3) == (verdict == "r"), (got, expected)
