"""The version matrix: its record is whole and current, its reader right, its runner resumable."""

import itertools
import json
import os
import re
from pathlib import Path

import pytest

from bookkit import entries, pages, versions
from evidence import measure as runner
from evidence.runner import judge
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
    assert found["python"] == runner.python_of(row)
    for block in re.split(r"^(?=\S)", lock, flags=re.MULTILINE)[1:]:
        assert "--hash=sha256:" in block
    assert "://" not in lock


def test_binder_installs_releases_of_the_books_lock():
    names = ("requirements.txt", "binder/requirements.txt")
    book, binder = (runner.pins_of((ROOT / name).read_text()).items() for name in names)
    assert binder <= book, "make lock"


def test_the_recordings_were_made_with_the_books_stacks():
    found = json.loads((ROOT / "evidence" / "everyday.json").read_text())["versions"]
    for side, lock in (("then", "evidence/stacks/then.txt"), ("now", "requirements.txt")):
        pins = runner.pins_of((ROOT / lock).read_text())
        assert found[side] == {name: pins[name] for name in found[side]}, (
            "run python -m evidence.recordings"
        )


def test_every_cure_holds_wherever_its_program_goes_wrong_or_its_page_says_until_when(record):
    """A stack may know neither: it cannot run the cure, or raises for both."""
    known, fallen = entries.cases(), {}
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
        for release, *change in versions.changes(failure, library):
            pairs = [
                pair
                for pair in itertools.product(record["rows"], repeat=2)
                if pair[1]["pins"][library] == release
                and [n for n in versions.STACK if pair[0]["pins"][n] != pair[1]["pins"][n]]
                == [library]
            ]
            kinds = [[versions.verdict(row, failure)["verdict"] for row in pair] for pair in pairs]
            assert change in kinds, (release, change)


# --- two rows, measured again ----------------------------------------------------------------

# The book's own environments hold the stacks of these rows, so nothing is installed for it.
ENVIRONMENTS = {"0.15.2": ".venv-then", runner.newest_rows()[-1]: ".venv"}
LOCKS = {".venv-then": "evidence/stacks/then.txt", ".venv": "requirements.txt"}
# What was measured changes with a program or a stack alone, and the record names both.
weekly = pytest.mark.skipif(not os.environ.get("EVERYTHING"), reason="once a week: EVERYTHING=1")


@pytest.mark.parametrize("row", ENVIRONMENTS)
def test_the_books_own_stacks_are_rows_of_the_matrix(record, row):
    (found,) = (one for one in record["rows"] if one["row"] == row)
    pins = runner.pins_of((ROOT / LOCKS[ENVIRONMENTS[row]]).read_text())
    for library in (*versions.STACK, "jaxlib", "numpy", "scipy"):
        assert pins[library] == found["pins"][library], (
            f"the book runs {library} {pins[library]}, the row {row} has "
            f"{found['pins'][library]}: `make upgrade` adds the row"
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
        assert kinds[0] == kinds[1], f"run python -m evidence.measure: was {was}, is {now}"


@weekly
def test_cures_hold_where_jax_has_forgotten_what_it_traced_for_the_programs():
    """Else an old trace of a program's own function may answer in the place of the cure."""
    programs = runner.programs()
    for program in programs.values():
        program["cure"].insert(0, {"code": "import jax\njax.clear_caches()"})
    said = runner.run_programs(ROOT / ".venv" / "bin" / "python", programs)
    wrong = {case: row["fix"] for case, row in said.items() if row["fix"]["verdict"] != "ok"}
    assert not wrong


# --- what the book says of it ----------------------------------------------------------------


def test_every_boundary_that_was_measured_is_explained_and_no_other(record):
    measured = {
        (failure, library, release)
        for failure in OWN
        for library in versions.decided_by(failure)
        for release, _, _ in versions.changes(failure, library)
    }
    said = [(row["failure"], row["library"], row["release"]) for row in versions.moved_by()]
    assert sorted(said) == sorted(measured), "mend evidence/boundaries.toml"
    for row in versions.moved_by():
        assert re.fullmatch(r"https://github\.com/[\w.-]+/[\w.-]+/pull/\d+", row["pull"])


# --- the reader ------------------------------------------------------------------------------


def test_a_row_goes_wrong_just_where_the_ranges_of_all_deciding_libraries_say(record):
    def inside(row, name, library):
        release, order = row["pins"][library], versions.version_order
        ranges = versions.boundaries(name, library)
        return any(order(first) <= order(release) <= order(last) for first, last in ranges)

    for name in FAILURES:
        for row in record["rows"]:
            kind = versions.verdict(row, name)["verdict"]
            if not kind.startswith(("cannot", versions.UNKNOWN)):
                expected = all(inside(row, name, one) for one in versions.decided_by(name))
                assert expected == (kind in versions.BAD), (name, row["row"])


def test_a_sentence_says_where_a_failure_begins_and_ends_and_what_was_measured():
    for name, words in {
        "lazy-pytree-drift": "fails in NumPyro 0.13.0 to 0.16.1, fixed in 0.17.0",
        "tracer-hashing": "warns in Equinox 0.11.3 (the oldest that runs the program) to 0.11.4 "
        "with JAX 0.4.30 to 0.4.33, fixed in Equinox 0.11.5",
    }.items():
        assert versions.sentence(name) == words


# --- the verdict on one program --------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "verdict", "type", "message"),
    [
        ("got = 1", "ok", None, None),
        ("got = 3", "wrong", None, "got 3, expected 1"),
        ("raise ValueError('bad shape\\nmore')", "fails", "ValueError", "bad shape"),
        ("raise ValueError('other')", "cannot run", "ValueError", "other"),
        ("import warnings as w\nw.warn('a bad shape')", "warns", "UserWarning", "a bad shape"),
    ],
)
def test_a_verdict_tells_the_failure_from_every_other_exception(body, verdict, type, message):
    expect = {"raises": "ValueError", "warns": "UserWarning", "match": "bad shape"}
    program = [{"code": f"expected = 1\n{body}", **expect}]
    cure = [{"code": "expected = 1\ncured = 2"}]
    found = judge({"program": program, "cure": cure, "tolerance": 0.1, "wordings": []})
    said = found["reproduce"]
    assert (said["verdict"], said.get("type"), said.get("message")) == (verdict, type, message)
    assert found["fix"] == {"verdict": "wrong", "message": "cured 2, expected 1"}


# --- the runner ------------------------------------------------------------------------------


def test_a_row_of_which_a_part_is_measured_anew_keeps_the_date_of_the_whole(monkeypatch, tmp_path):
    def measure(row, wanted):
        said = {"program": wanted[OWN[0]], **{key: {"verdict": "ok"} for key in runner.PARTS}}
        return recorded[row] | {"measured": "2100-01-01", "seconds": 1, "verdicts": {OWN[0]: said}}

    recorded, now = runner.read(), runner.digests()
    record = tmp_path / "matrix.json"
    record.write_text(runner.RECORD.read_text())
    for name, value in (("RECORD", record), ("measure", measure)):
        monkeypatch.setattr(runner, name, value)
    monkeypatch.setattr(runner, "digests", lambda: now | {OWN[0]: "another"})
    row = ROWS[-1]
    assert runner.main(["--rows", row]) == 0
    after = runner.read()[row]
    assert after["measured"] == recorded[row]["measured"]
    assert after["verdicts"][OWN[0]]["program"] == "another"
    assert len(after["verdicts"]) == len(recorded[row]["verdicts"])


def test_a_verdict_is_of_the_program_that_runs_and_not_of_the_runners_text(monkeypatch, tmp_path):
    now = runner.digests()
    text = runner.RUNNER.read_text() + "\nUNUSED = 1\n"
    monkeypatch.setattr(runner, "RUNNER", tmp_path / "runner.py")
    runner.RUNNER.write_text(text)
    assert runner.digests() == now
    monkeypatch.setattr(runner.runner, "MEANING", runner.runner.MEANING + 1)
    assert not now.items() & runner.digests().items()


def test_where_no_stack_can_be_installed_the_record_stays_and_the_status_says_so(
    monkeypatch, tmp_path, capsys
):
    def refuse(row):
        raise environments.SetupError(f"{row} cannot be installed")

    before = runner.RECORD.read_text()
    monkeypatch.setattr(runner, "RECORD", tmp_path / "matrix.json")
    monkeypatch.setattr(runner, "WORK", tmp_path / "work")
    monkeypatch.setattr(runner, "install", refuse)
    runner.RECORD.write_text(before)
    assert runner.main(["--newest"]) == 0, "there is nothing to measure"
    assert runner.RECORD.read_text() == before, "what is written is what was read"
    monkeypatch.setattr(runner, "digests", lambda: {CASES[0]: "another"})
    assert runner.main(["--newest"]) == 1
    assert "no stack was measured" in capsys.readouterr().err
    assert runner.RECORD.read_text() == before


def test_a_verdict_is_known_while_its_program_and_the_lock_are_as_they_were(record, tmp_path):
    row, now = record["rows"][0], runner.digests()
    whole = runner.known(row["row"], row, now)
    assert whole == {name: said for name, said in row["verdicts"].items() if name in now}
    assert OWN[0] in whole
    assert OWN[0] not in runner.known(row["row"], row, now | {OWN[0]: "another"})
    assert runner.known(row["row"], {**row, "pins": {}}, now) == {}
    for name, text in {"one": "x = 1\n", "two": "# why\nx = 1\n", "three": "x = 2\n"}.items():
        (tmp_path / name).write_text(text)
    one, two, three = (runner._code(tmp_path / name) for name in ("one", "two", "three"))
    assert one == two != three, "comments do not count"
