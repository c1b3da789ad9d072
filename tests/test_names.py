"""A name that is not defined: a typo is called a typo, and a cell that has not run is not."""

import json
import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from trace_evidence import names

CELLS = {
    "imports": "import jax.numpy as jnp",
    "then": "%%then\nold = 1",
    "both": "%%both\nshared = 1",
    "here": "start = jnp.zeros(2)",
    "runs": "strat",
    "below": "later = 1",
}


@pytest.mark.parametrize(
    ("name", "known", "made", "says"),
    [
        ("zeroes", ["zeros"], None, "Did you mean `zeros`? Or the cell that makes it has not"),
        ("pirnt", [], None, "Did you mean `print`? Or"),
        ("start", ["_start"], None, "It is misspelled, or the cell that makes it has not run"),
        ("start", ["strat"], {"start": names.ABOVE}, "It is made in a cell further up that has"),
        ("start", [], {"start": names.BELOW}, "It is made in this cell or further down"),
        ("start", [], {"start": names.OTHER}, "A cell makes it, but on the other stack"),
        ("zeroes", ["zeros"], {}, "Did you mean `zeros`? No cell of the notebook"),
        ("strat", [], {"start": names.ABOVE}, "Did you mean `start`? No cell of the notebook"),
        ("strat", [], {"start": names.OTHER}, "No cell of the notebook"),
    ],
)
def test_a_name_that_no_cell_makes_is_a_typo_and_of_others_it_is_said_where_they_are_made(
    name, known, made, says
):
    assert names.advice(name, known, made).startswith(says)


@pytest.mark.parametrize(
    ("code", "made"),
    [
        ("%%then\nimport numpy as np, os.path\nfrom jax import lax as l", "np os l"),
        ("a, (b, *c) = 1, (2, 3)\nd += 1\nfor e in a: pass", "a b c d e"),
        ("def f(x):\n    y = x\n    return y\nclass G:\n    z = 1", "f G"),
        ("with open(p) as q:\n    [r for r in q]\nif (s := q): pass", "q s"),
        ("print(t)\nt.u = 1\nt[0] = 1", ""),
        ("%load_ext trace_evidence\nv = 1\n!ls", "v"),
        ("if so:", ""),
    ],
)
def test_a_cell_makes_what_it_binds_and_not_what_its_functions_do(code, made):
    assert names.made_by(code) == set(made.split())


@pytest.fixture
def shell(tmp_path, monkeypatch):
    """A shell whose front end says which cell of which saved notebook runs."""
    cells = [{"id": "words", "cell_type": "markdown", "source": ["title = 1"]}]
    cells += [{"id": k, "cell_type": "code", "source": [code]} for k, code in CELLS.items()]
    file = tmp_path / "a.ipynb"
    file.write_text(json.dumps({"cells": cells}))
    monkeypatch.setenv("JPY_SESSION_NAME", str(file))
    parent = {"metadata": {"cellId": "runs"}}
    return SimpleNamespace(user_ns={}, kernel=SimpleNamespace(get_parent=lambda: parent))


def test_a_name_is_made_above_or_below_in_the_saved_notebook_or_on_the_other_stack(shell):
    above, below, other = names.ABOVE, names.BELOW, names.OTHER
    here = {"jnp": above, "old": other, "shared": above, "start": above, "later": below}
    assert names.made_in_notebook(shell) == here
    there = {"jnp": other, "old": above, "shared": above, "start": other, "later": other}
    assert names.made_in_notebook(shell, there=True) == there


def test_nothing_is_known_where_a_cell_imports_all_names(shell):
    file = Path(os.environ["JPY_SESSION_NAME"])
    file.write_text(file.read_text().replace(CELLS["imports"], "from jax.numpy import *"))
    assert names.made_in_notebook(shell) is None


@pytest.mark.parametrize("lacks", ["notebook", "cell", "front end", "id"])
def test_nothing_is_said_to_be_above_where_the_front_end_does_not_say(shell, lacks, monkeypatch):
    if lacks == "notebook":
        monkeypatch.setenv("JPY_SESSION_NAME", "/nowhere/a.ipynb")
    elif lacks == "cell":
        shell.kernel.get_parent()["metadata"]["cellId"] = "not saved yet"
    elif lacks == "id":
        shell.kernel.get_parent().clear()
    else:
        monkeypatch.delenv("JPY_SESSION_NAME")
    assert names.made_in_notebook(shell) is None
