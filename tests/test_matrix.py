"""The version matrix: its record is whole and current, its reader right, its runner resumable."""

import itertools
import json
import os
import re
from pathlib import Path

import pytest

from bookkit import pages, records, versions
from stacks import measure as runner
from stacks.runner import judge
from tools import environments

ROOT = Path(__file__).resolve().parents[1]
ROWS = runner.row_names()
FAILURES = sorted(runner.failures())
OWN = sorted(runner.chapters())  # the chapters' own programs; the others are cases
CASES = sorted(set(FAILURES) - set(OWN))


# --- the record ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def record() -> dict:
    return versions.load()


def test_the_record_has_every_row_oldest_release_first(record):
    assert [row["row"] for row in record["rows"]] == ROWS
    assert len(versions.rows()) >= 16


def test_a_verdict_is_whole_and_about_the_program_that_there_is(record):
    kinds, now = {*versions.BAD, "ok", "cannot run"}, runner.digests()
    for row in record["rows"]:
        for name, parts in row["verdicts"].items():
            assert parts["program"] == now.get(name), (
                f"{name}: its verdicts are of an older program: make page P={name}"
            )
            for said in (parts["reproduce"], parts["fix"]):
                assert said["verdict"] in kinds
                assert (said["verdict"] == "ok") == ("message" not in said)


@pytest.mark.parametrize("row", ROWS)
def test_a_row_was_measured_with_its_lock_which_holds_its_pins_with_hashes(record, row):
    (found,) = (one for one in record["rows"] if one["row"] == row)
    lock = (runner.STACKS / f"{row}.txt").read_text()
    asked = runner.pins_of((runner.STACKS / f"{row}.in").read_text())
    assert asked.items() <= runner.pins_of(lock).items() == found["pins"].items()
    assert found["python"] == "{}.{}".format(*runner.python_of(row))
    for block in re.split(r"^(?=\S)", lock, flags=re.MULTILINE)[1:]:
        assert "--hash=sha256:" in block
    assert "://" not in lock


def test_the_recordings_were_made_with_the_books_stacks():
    found = json.loads((ROOT / "stacks" / "everyday.json").read_text())["versions"]
    for side, lock in (("then", "stacks/then.txt"), ("now", "requirements.txt")):
        pins = runner.pins_of((ROOT / lock).read_text())
        assert found[side] == {name: pins[name] for name in found[side]}, (
            "run python -m stacks.recordings"
        )


def test_every_cure_holds_wherever_its_program_goes_wrong_or_its_page_says_until_when(record):
    """A stack may know neither: it cannot run the cure, or raises for both."""
    known, fallen = records.load(), {}
    for row in record["rows"]:
        for name, parts in row["verdicts"].items():
            seen, fix = (parts[part]["verdict"] for part in ("reproduce", "fix"))
            if seen in ("fails", "wrong", "warns"):
                allowed = {"ok"} if name in OWN else {"ok", "cannot run"}
                allowed |= {"fails"} if name in CASES and seen == "fails" else set()
                if fix not in allowed:
                    fallen[name] = row["pins"]
    for name, pins in fallen.items():
        text = " ".join(pages.path_of(known[name].page).read_text().split())
        last = [f"{versions.TITLES[one]} {pins[one]}" for one in versions.decided_by(name)]
        assert any(words in text for words in last), f"{name}: say that its cure fails in {last}"


@pytest.mark.parametrize("failure", OWN)
def test_for_each_boundary_two_rows_differ_in_the_deciding_library_alone(record, failure):
    for library in versions.decided_by(failure):
        for change in versions.changes(failure, library):
            pairs = [
                pair
                for pair in itertools.product(record["rows"], repeat=2)
                if pair[1]["pins"][library] == change.release
                and [n for n in versions.STACK if pair[0]["pins"][n] != pair[1]["pins"][n]]
                == [library]
            ]
            kinds = [[versions.verdict(row, failure)["verdict"] for row in pair] for pair in pairs]
            assert [change.before, change.after] in kinds, change


# --- two rows, measured again ----------------------------------------------------------------

# The book's own environments hold the stacks of these rows, so nothing is installed for it.
ENVIRONMENTS = {"0.15.2": ".venv-then", runner.newest_rows()[-1]: ".venv"}
LOCKS = {".venv-then": "stacks/then.txt", ".venv": "requirements.txt"}
# What was measured changes with a program or a stack alone, and the record names both.
weekly = pytest.mark.skipif(not os.environ.get("EVERYTHING"), reason="once a week: EVERYTHING=1")


@pytest.mark.parametrize("row", ENVIRONMENTS)
def test_the_books_own_stacks_are_rows_of_the_matrix(record, row):
    (found,) = (one for one in record["rows"] if one["row"] == row)
    pins = runner.pins_of((ROOT / LOCKS[ENVIRONMENTS[row]]).read_text())
    for library in (*versions.STACK, "jaxlib", "numpy", "scipy"):
        assert pins[library] == found["pins"][library], (
            f"the book runs {library} {pins[library]}, the row {row} has "
            f"{found['pins'][library]}: python -m tools.upgrade adds the row"
        )


def test_the_readme_names_the_releases_that_are_newest(record):
    pins = versions.newest()["pins"]
    said = f"(JAX {pins['jax']}, NumPyro {pins['numpyro']})"
    text = (ROOT / "README.md").read_text()
    assert said in text, f"say {said} in README.md"
    assert f"on up to {len(record['rows'])} released stacks" in text


@weekly
@pytest.mark.parametrize("row", ENVIRONMENTS)
def test_the_record_holds_when_a_row_is_measured_again(record, row):
    (found,) = (one for one in record["rows"] if one["row"] == row)
    own = {name: runner.programs()[name] for name in OWN}
    measured = runner.run_programs(ROOT / ENVIRONMENTS[row] / "bin" / "python", own)
    for name, part in itertools.product(OWN, runner.PARTS):
        was, now = found["verdicts"][name][part], measured[name][part]
        kinds = [(said["verdict"], said.get("type")) for said in (was, now)]
        assert kinds[0] == kinds[1], f"run python -m stacks.measure: was {was}, is {now}"


FORGET = {"code": "import jax\njax.clear_caches()"}


@weekly
def test_cures_hold_where_jax_has_forgotten_what_it_traced_for_the_programs():
    """Else an old trace of a program's own function may answer in the place of the cure."""
    programs = runner.programs()
    for program in programs.values():
        program["cure"].insert(0, FORGET)
    said = runner.run_programs(ROOT / ".venv" / "bin" / "python", programs)
    wrong = {case: row["fix"] for case, row in said.items() if row["fix"]["verdict"] != "ok"}
    assert not wrong


# --- what the book says of it ----------------------------------------------------------------


def test_every_boundary_that_was_measured_is_explained_and_no_other(record):
    measured = {
        (failure, library, change.release)
        for failure in OWN
        for library in versions.decided_by(failure)
        for change in versions.changes(failure, library)
    }
    said = [(row["failure"], row["library"], row["release"]) for row in versions.moved_by()]
    assert sorted(said) == sorted(measured), "mend stacks/boundaries.toml"
    for row in versions.moved_by():
        assert re.fullmatch(r"https://github\.com/[\w.-]+/[\w.-]+/pull/\d+", row["pull"])


# --- the reader, on a matrix made up for it --------------------------------------------------


def made_up(decided: tuple[str, ...], *stacks: tuple[str, str, str, str]) -> dict:
    """A record from (NumPyro, JAX, Equinox, verdict); a repeated NumPyro release is a control."""
    rows, seen = [], set()
    for numpyro, jax, equinox, verdict in stacks:
        name = numpyro if numpyro not in seen else f"{numpyro}-jax-{jax}"
        seen.add(numpyro)
        pins = {"numpyro": numpyro, "jax": jax, "equinox": equinox, "diffrax": "0.1.0"}
        verdicts = {"drift": {"reproduce": {"verdict": verdict}, "fix": {"verdict": "ok"}}}
        rows.append({"row": name, "measured": "2026-11-23", "pins": pins, "verdicts": verdicts})
    return {"failures": {"drift": {"decided_by": list(decided)}}, "rows": rows}


FIXED = made_up(
    ("numpyro",),
    ("0.9.0", "0.4.1", "0.1.0", "ok"),
    ("0.10.0", "0.4.2", "0.1.0", "fails"),
    ("0.11.0", "0.4.3", "0.1.0", "fails"),
    ("0.11.0", "0.4.4", "0.1.0", "fails"),
    ("0.12.0", "0.4.4", "0.1.0", "ok"),
)
TWO = made_up(
    ("equinox", "jax"),
    ("0.9.0", "0.4.1", "0.1.0", "ok"),
    ("0.10.0", "0.4.2", "0.1.0", "warns"),
    ("0.11.0", "0.4.3", "0.1.0", "warns"),
    ("0.11.0", "0.4.4", "0.1.0", "cannot run"),
    ("0.12.0", "0.4.3", "0.2.0", "ok"),
    ("0.13.0", "0.4.5", "0.2.0", "ok"),
)


@pytest.fixture
def lend(monkeypatch):
    """Let the reader read a matrix that was made up."""
    return lambda record: monkeypatch.setattr(versions, "load", lambda: record)


def test_boundaries_and_changes(lend):
    lend(FIXED)
    assert versions.boundaries("drift") == [("0.10.0", "0.11.0")]
    assert versions.spans("drift")[0] == ("ok", "0.9.0", "0.9.0")
    assert versions.changes("drift") == [("0.10.0", "ok", "fails"), ("0.12.0", "fails", "ok")]


@pytest.mark.parametrize(
    ("verdicts", "ranges", "said"),
    [
        (
            ["fails", "wrong"],
            [("0.0.0", "0.1.0")],
            "fails in NumPyro 0.0.0 (oldest measured), is silently wrong in 0.1.0 (the newest",
        ),
        (["ok"], [], "was met in no measured release of NumPyro"),
        (["ok", "fails", "ok"], [("0.1.0", "0.1.0")], "fails in NumPyro 0.1.0, fixed in 0.2.0"),
        (["fails", "ok", "warns", "ok"], [("0.0.0", "0.0.0"), ("0.2.0", "0.2.0")], ""),
    ],
)
def test_a_sentence_says_where_it_fails_and_owns_up_to_the_ends(lend, verdicts, ranges, said):
    stacks = [(f"0.{i}.0", "0.4.1", "0.1.0", verdict) for i, verdict in enumerate(verdicts)]
    lend(made_up(("numpyro",), *stacks))
    assert versions.boundaries("drift") == ranges
    assert said in versions.sentence("drift")


def test_where_two_libraries_decide_each_has_its_own_boundary(lend):
    lend(TWO)
    assert versions.boundaries("drift") == [("0.1.0", "0.1.0")]
    assert versions.boundaries("drift", "jax") == [("0.4.2", "0.4.3")]
    assert versions.sentence("drift") == (
        "warns in Equinox 0.1.0 (oldest measured) with JAX 0.4.2 to 0.4.3, fixed in Equinox 0.2.0"
    )


# --- the verdict on one program --------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("got = 1", {"verdict": "ok"}),
        ("got = 3", {"verdict": "wrong", "message": "got 3, expected 1"}),
        (
            "raise ValueError('bad shape\\nmore')",
            {"verdict": "fails", "type": "ValueError", "message": "bad shape"},
        ),
        (
            "raise ValueError('something else')",
            {"verdict": "cannot run", "type": "ValueError", "message": "something else"},
        ),
        (
            "import warnings\nwarnings.warn('soon a bad shape', FutureWarning)",
            {"verdict": "warns", "type": "FutureWarning", "message": "soon a bad shape"},
        ),
    ],
)
def test_a_verdict_tells_the_failure_from_every_other_exception(body, said):
    expect = {"raises": "ValueError", "warns": "FutureWarning", "match": "bad shape"}
    program = [{"code": f"expected = 1\n{body}", **expect}]
    cure = [{"code": "expected = 1\ncured = 2"}]
    found = judge({"program": program, "cure": cure, "tolerance": 0.1, "wordings": []})
    assert found["reproduce"] == said
    assert found["fix"] == {"verdict": "wrong", "message": "cured 2, expected 1"}


# --- the runner ------------------------------------------------------------------------------


@pytest.fixture
def scratch(tmp_path, monkeypatch) -> list[str]:
    """A runner with three rows that runs nothing; the list names the programs it was asked for."""
    stacks, reproducers = tmp_path / "stacks", tmp_path / "reproducers"
    stacks.mkdir()
    reproducers.mkdir()
    (reproducers / "drift.py").write_text(PROGRAM.format("It drifts."))
    for row in ("0.9.0", "0.10.0+jax-0.5.0", "0.10.0-jax-0.4.4"):
        (stacks / f"{row}.in").write_text("# Python 3.12\nnumpyro==0.9.0\n")
        (stacks / f"{row}.txt").write_text("numpyro==0.9.0\n")
    for name, value in {
        "STACKS": stacks,
        "REPRODUCERS": reproducers,
        "RECORD": tmp_path / "matrix.json",
        "WORK": tmp_path / "work",
        "install": Path,
    }.items():
        monkeypatch.setattr(runner, name, value)
    monkeypatch.setattr(records, "load", dict)
    asked: list[str] = []

    def run_programs(python: Path, wanted: dict) -> dict:
        asked.extend(f"{python} {name}" for name in wanted)
        return {name: dict.fromkeys(runner.PARTS, OK) for name in wanted}

    monkeypatch.setattr(runner, "run_programs", run_programs)
    return asked


OK = {"verdict": "ok"}
PROGRAM = '"""{}"""\nDECIDED_BY = ("numpyro",)\nEXPECT = {{}}\nTOLERANCE = 0.1\n'


def test_only_what_is_new_or_changed_runs_and_the_record_is_in_order(scratch):
    for _ in range(2):
        runner.main([])
    assert sorted(scratch) == ["0.10.0+jax-0.5.0 drift", "0.10.0-jax-0.4.4 drift", "0.9.0 drift"]
    assert list(runner.read()) == ["0.9.0", "0.10.0+jax-0.5.0", "0.10.0-jax-0.4.4"]
    scratch.clear()
    (runner.STACKS / "0.9.0.txt").write_text("numpyro==0.9.0\nscipy==1.0\n")
    added = runner.REPRODUCERS / "leak.py"
    for comment in ("", "# so it does\n"):
        added.write_text(f"{comment}{PROGRAM.format('It leaks.')}")
        runner.main(["--rows", "0.9.0"])
    assert scratch == ["0.9.0 drift", "0.9.0 leak"]
    assert [len(row["verdicts"]) for row in runner.read().values()] == [2, 1, 1]
    added.write_text(PROGRAM.format("It leaks, and how."))
    runner.main(["--rows", "0.10.0+jax-0.5.0"])
    assert list(runner.read()["0.9.0"]["verdicts"]) == ["drift"]  # no stale one


def test_a_run_that_stopped_goes_on_and_a_row_that_is_not_installed_is_left_out(
    scratch, monkeypatch, capsys
):
    def stopped(row: str):
        if row == "0.10.0-jax-0.4.4":
            raise environments.SetupError("no Python for it")
        if row != "0.9.0":
            raise KeyboardInterrupt
        return Path(row)

    with monkeypatch.context() as patch:
        patch.setattr(runner, "install", stopped)
        patch.setattr(runner, "JOBS", 1)
        with pytest.raises(KeyboardInterrupt):
            runner.main([])
    assert list(runner.read()) == ["0.9.0"]
    with monkeypatch.context() as patch:
        patch.setattr(runner, "install", stopped)
        runner.main(["--rows", "0.9.0,0.10.0-jax-0.4.4"])
    assert "no Python for it" in capsys.readouterr().out
    assert list(runner.read()) == ["0.9.0"]
    runner.main([])
    assert scratch.count("0.9.0 drift") == 1
    assert len(runner.read()) == 3
