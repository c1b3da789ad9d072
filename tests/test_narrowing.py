"""The narrowing: two choices lead to each failure without an error, and nothing is claimed."""

import io
import json
import tomllib
from pathlib import Path

import pytest

from trace_evidence import __main__ as command_line
from trace_evidence import narrowing

ROWS = narrowing.silent()


@pytest.fixture(autouse=True)
def english(monkeypatch):
    """Whoever runs the tests may read another language."""
    monkeypatch.setenv("LC_ALL", "C")


@pytest.mark.parametrize("name", ROWS)
def test_one_see_and_one_where_show_an_entry_among_six(name):
    row = ROWS[name]
    found = [narrowing.rank(ROWS, see, place) for see in row["see"] for place in row["where"]]
    assert any(name in names[: narrowing.MOST] for names in found), (
        "its labels are those of too many others: let `where` begin with what tells it from them"
    )


def test_the_library_ranks_and_never_leaves_out():
    first = {}
    for library in ("jax", "equinox"):
        found = narrowing.rank(ROWS, "wrong", "jit", library)
        assert {*found} == {*narrowing.rank(ROWS, "wrong", "jit")}
        first[library] = ROWS[found[0]]["library"]
    assert first == {library: library for library in first}


def test_each_silent_case_shows_what_its_program_prints():
    mute = [name for name, row in ROWS.items() if row["kind"] == "case" and not row["shows"]]
    assert mute == ["leak-checker-blind"]  # it prints nothing: that is its failure


def test_the_command_lists_six_and_says_what_to_do_where_it_is_none(capsys):
    assert command_line.main(["narrow", "--see", "stale", "--where", "mcmc"]) == 0
    printed = capsys.readouterr().out
    assert (
        "6. " in printed
        and "7. " not in printed
        and " ".join(printed.split()).endswith(narrowing.NONE)
    )
    assert printed.startswith("1. ") and "second-mcmc-run" in printed


def test_the_command_speaks_chinese_where_the_terminal_does(capsys, monkeypatch):
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    assert command_line.main(["narrow", "--see", "stale", "--where", "mcmc"]) == 0
    printed = capsys.readouterr().out
    assert (
        "/zh-cn/book/cases/" in printed and "都不是" in printed and "None of these" not in printed
    )


def test_the_command_asks_at_a_terminal(capsys, monkeypatch):
    answers = iter(["7\n", "\n"])
    monkeypatch.setattr("sys.stdin", type("Terminal", (), {"readline": lambda _: next(answers)})())
    assert command_line.main(["narrow"]) == 0
    asked = capsys.readouterr()
    assert "What do you see?" in asked.err and "1. " in asked.out
    json.dumps(ROWS)  # what the page gets is plain


def test_who_answers_neither_question_is_told_how_to_say_it(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert command_line.main(["narrow"]) == 1
    printed = capsys.readouterr()
    assert (
        "--see stale --where mcmc" in printed.err
        and "predictive" in printed.err
        and not printed.out
    )


def test_strangers_reports_find_their_entry():
    """See *How the narrowing was counted* in tests/reports/README.md: 12 of 16 were found."""
    reports = tomllib.loads(Path("tests/reports/silent.toml").read_text())["report"]

    def found(report):
        pairs = [(see, place) for see in report["see"] for place in report["where"]]
        ranked = [narrowing.rank(ROWS, *pair, report["library"]) for pair in pairs]
        return any(report["answer"] in names[: narrowing.MOST] for names in ranked)

    assert {label for report in reports for label in report["see"]} <= {*narrowing.SEE}
    assert {label for report in reports for label in report["where"]} <= {*narrowing.WHERE}
    missed = [report["url"] for report in reports if report["answer"] and not found(report)]
    assert len(missed) <= 16 - 12 + 1, missed
