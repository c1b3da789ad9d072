"""`%%both` runs one program on both stacks, and each outcome is held to its own expectation."""

from importlib import metadata

import nbformat
import pytest

from bookkit import expectations
from tests.cells import LOAD, run_cells
from trace_evidence.both import MIME

pytestmark = pytest.mark.kept


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The outputs of one page's cells, after the first."""
    sources = [
        LOAD,
        "%%both\nimport sys, jax\nx = 20",
        "%%both\nprint('JAX', jax.__version__)\nprint('err', file=sys.stderr)\nx + 1",
        "%%both\nassert int(jax.__version__.split('.')[1]) > 4, 'too old'\nprint('new')",
        "%%both\n1 / 0",
        "%%both\nimport matplotlib.pyplot as plt\nplt.plot([1, 2]);",
        "x",
        "%%then\nx",
    ]
    return run_cells(tmp_path_factory.mktemp("page"), *sources)[1:]


def sides(outputs):
    """Return both outcomes of a cell, each as a list of outputs."""
    (shown,) = [out.data[MIME] for out in outputs if MIME in out.get("data", {})]
    return {name: side["outputs"] for name, side in shown.items()}


def test_each_side_has_its_own_streams_result_figure_and_variables(page):
    assert page[0] == []
    for name, version in (("then", "0.4.31"), ("now", metadata.version("jax"))):
        texts = {out.get("name", "result"): out for out in sides(page[1])[name]}
        assert texts["stdout"]["text"] == f"JAX {version}\n"
        assert texts["stderr"]["text"] == "err\n"
        assert texts["result"]["data"]["text/plain"] == "21"
        (figure,) = [out for out in sides(page[4])[name] if "image/svg+xml" in out.get("data", {})]
        assert "#1b1f24" in figure["data"]["image/svg+xml"]
    assert page[5][0].data["text/plain"] == page[6][0].data["text/plain"] == "20"


def test_an_error_of_one_side_stops_neither_the_other_nor_the_page(page):
    found = sides(page[2])
    assert (found["then"][0]["ename"], found["then"][0]["evalue"]) == ("AssertionError", "too old")
    assert found["now"] == [{"output_type": "stream", "name": "stdout", "text": "new\n"}]
    (shown,) = page[2]
    assert "then · August 2024 · JAX 0.4.31" in shown.data["text/html"]
    assert "AssertionError: too old" in shown.data["text/plain"]
    assert [side[0]["ename"] for side in sides(page[3]).values()] == ["ZeroDivisionError"] * 2


# --- what each half promises -----------------------------------------------------------------


def cell(then=(), now=(), expect=None):
    """Make an executed `%%both` cell from the outputs of its sides."""
    data = {MIME: {"then": {"outputs": list(then)}, "now": {"outputs": list(now)}}}
    output = {"output_type": "display_data", "data": data, "metadata": {}}
    found = nbformat.v4.new_code_cell("%%both\n1", outputs=[output])
    found.metadata["expect"] = expect or {}
    return nbformat.from_dict(found)


ERROR = {"output_type": "error", "ename": "TypeError", "evalue": "no", "traceback": []}
PRINTED = {"output_type": "stream", "name": "stdout", "text": "4\n"}


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (cell(then=[ERROR]), "on `then`: the cell runs"),
        (cell(now=[ERROR]), "on `now`: the cell runs"),
        (cell(expect={"then": {"raises": "TypeError", "match": "no"}}), "on `then`: TypeError"),
        (cell([ERROR], expect={"then": {"raises": "ValueError", "match": "no"}}), "ValueError"),
        (cell([ERROR], expect={"then": {"raises": "TypeError", "match": "yes"}}), "'yes'"),
        (cell(now=[PRINTED], expect={"now": {"stdout": "5"}}), "on `now`: stdout '5'"),
        (cell(expect={"old": {"stdout": "5"}}), "keys among then, now"),
        (cell(expect={"now": {"stdot": "5"}}), "a mapping with keys among"),
    ],
)
def test_a_half_that_is_not_as_it_says_is_told_with_its_side(made, words):
    problems = expectations.check(made)
    assert any(words in problem.expected for problem in problems), problems


def test_halves_that_are_as_they_say_pass():
    expect = {"then": {"raises": "TypeError", "match": "^no$"}, "now": {"stdout": "4"}}
    assert expectations.check(cell([ERROR], [PRINTED], expect)) == []
