"""The version matrix: its record is whole and current, its reader right, its runner resumable."""

import contextlib
import itertools
import os
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from bookkit import entries, pages, versions
from evidence import engine, kinds, stacks
from evidence.runner import judge
from tools import environments

ROOT = Path(__file__).resolve().parents[1]
ROWS = versions.stack_names()
WANTED = engine.wanted(kinds.CASE)
FAILURES = sorted(kinds.cases())
OWN = sorted(kinds.chapters())  # the chapters' own programs; the others are cases
CASES = sorted(set(FAILURES) - set(OWN))


# --- the record ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def record() -> dict:
    return versions.matrix()


def test_the_record_has_every_row_oldest_release_first(record):
    assert [row["name"] for row in record["stacks"]] == ROWS
    assert len(versions.stacks()) >= 16


def test_a_verdict_is_whole_and_about_the_program_and_the_stack_that_there_are(record):
    kinds_of_verdict = {*versions.BAD, "ok", "cannot run"}
    for key, row in engine.read(kinds.CASE).items():
        assert key in WANTED and engine.is_known(row, *WANTED[key][1:]), (
            f"{key[0]}: its verdicts are of an older program: make page P={key[0]}"
        )
        for said in (row, row["cure"]):
            assert said["verdict"] in kinds_of_verdict
            assert (said["verdict"] == "ok") == ("message" not in said)


@pytest.mark.parametrize("stack", [*ROWS, *stacks.OPEN])
def test_a_lock_holds_its_pins_with_hashes(stack):
    lock = (stacks.FOLDER / f"{stack}.txt").read_text()
    asked = versions.pins_of((stacks.FOLDER / f"{stack}.in").read_text())
    assert asked.items() <= versions.pins_of(lock).items()
    assert versions.python_of(stack)
    for block in re.split(r"^(?=\S)", lock, flags=re.MULTILINE)[1:]:
        assert "--hash=sha256:" in block
    assert "://" not in lock


def test_binder_installs_releases_of_the_books_lock():
    names = ("requirements.txt", "binder/requirements.txt")
    book, binder = (versions.pins_of((ROOT / name).read_text()).items() for name in names)
    assert binder <= book, "make lock"


def test_every_cure_holds_wherever_its_program_goes_wrong_or_its_page_says_until_when(record):
    """A stack may know neither: it cannot run the cure, or raises for both."""
    by_name, fallen = entries.cases(), {}
    for row in record["stacks"]:
        for name, parts in row["verdicts"].items():
            seen, fix = parts["verdict"], parts["cure"]["verdict"]
            if seen in ("fails", "wrong", "warns"):
                allowed = {"ok"} if name in OWN else {"ok", "cannot run"}
                allowed |= {"fails"} if name in CASES and seen == "fails" else set()
                if fix not in allowed:
                    fallen[name] = row["pins"]
    for name, pins in fallen.items():
        text = " ".join(pages.path_of(by_name[name].page).read_text().split())
        last = [f"{versions.TITLES[one]} {pins[one]}" for one in versions.decided_by(name)]
        assert any(words in text for words in last), f"{name}: say that its cure fails in {last}"


@pytest.mark.parametrize("failure", OWN)
def test_for_each_boundary_two_rows_differ_in_the_deciding_library_alone(record, failure):
    for library in versions.decided_by(failure):
        for release, *change in versions.changes(failure, library):
            pairs = [
                pair
                for pair in itertools.product(record["stacks"], repeat=2)
                if pair[1]["pins"][library] == release
                and [n for n in versions.STACK if pair[0]["pins"][n] != pair[1]["pins"][n]]
                == [library]
            ]
            kinds = [[versions.verdict(row, failure)["verdict"] for row in pair] for pair in pairs]
            assert change in kinds, (release, change)


# --- two rows, measured again ----------------------------------------------------------------

# The book's own environments hold the stacks of these rows, so nothing is installed for it.
ENVIRONMENTS = {"0.15.2": ".venv-then", stacks.newest()[-1]: ".venv"}
LOCKS = {".venv-then": "evidence/stacks/then.txt", ".venv": "requirements.txt"}
# What was measured changes with a program or a stack alone, and the record names both.
weekly = pytest.mark.skipif(not os.environ.get("EVERYTHING"), reason="once a week: EVERYTHING=1")


@pytest.mark.parametrize("row", ENVIRONMENTS)
def test_the_books_own_stacks_are_rows_of_the_matrix(record, row):
    (found,) = (stack for stack in record["stacks"] if stack["name"] == row)
    pins = versions.pins_of((ROOT / LOCKS[ENVIRONMENTS[row]]).read_text())
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
    assert f"on up to {len(record['stacks'])} released stacks" in text


@weekly
@pytest.mark.parametrize("row", ENVIRONMENTS)
def test_the_record_holds_when_a_row_is_measured_again(record, row):
    (found,) = (stack for stack in record["stacks"] if stack["name"] == row)
    python = ROOT / ENVIRONMENTS[row] / "bin" / "python"
    for name, now in kinds.run_cases(python, kinds.chapters()):
        was = found["verdicts"][name]
        for before, after in ((was, now), (was["cure"], now["cure"])):
            said = [(one["verdict"], one.get("type")) for one in (before, after)]
            assert said[0] == said[1], f"run python -m evidence case: was {was}, is {now}"


@weekly
def test_cures_hold_where_jax_has_forgotten_what_it_traced_for_the_programs():
    """Else an old trace of a program's own function may answer in the place of the cure."""
    programs = kinds.cases()
    for program in programs.values():
        program["cure"].insert(0, {"code": "import jax\njax.clear_caches()"})
    said = kinds.run_cases(ROOT / ".venv" / "bin" / "python", programs)
    wrong = {case: row["cure"] for case, row in said if row["cure"]["verdict"] != "ok"}
    assert not wrong


# --- what the book says of it ----------------------------------------------------------------


def test_every_boundary_that_was_measured_is_explained_and_no_other(record):
    measured = {
        (failure, library, release)
        for failure in OWN
        for library in versions.decided_by(failure)
        for release, _, _ in versions.changes(failure, library)
    }
    chapters = entries.chapters().values()
    rows = [(one.name, row) for one in chapters for row in one.moved_by]
    said = [(name, row["library"], row["release"]) for name, row in rows]
    assert sorted(said) == sorted(measured), "mend moved_by in the chapter's entry"
    for _, row in rows:
        assert re.fullmatch(r"https://github\.com/[\w.-]+/[\w.-]+/pull/\d+", row["pull"])


# --- the reader ------------------------------------------------------------------------------


def test_a_row_goes_wrong_just_where_the_ranges_of_all_deciding_libraries_say(record):
    def inside(row, name, library):
        release, order = row["pins"][library], versions.version_order
        ranges = versions.boundaries(name, library)
        return any(order(first) <= order(release) <= order(last) for first, last in ranges)

    for name in FAILURES:
        for row in record["stacks"]:
            kind = versions.verdict(row, name)["verdict"]
            if not kind.startswith(("cannot", versions.UNKNOWN)):
                expected = all(inside(row, name, one) for one in versions.decided_by(name))
                assert expected == (kind in versions.BAD), (name, row["name"])


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
    assert (found["verdict"], found.get("type"), found.get("message")) == (verdict, type, message)
    assert found["cure"] == {"verdict": "wrong", "message": "cured 2, expected 1"}


# --- the engine ------------------------------------------------------------------------------


@pytest.fixture
def kind(monkeypatch, tmp_path):
    """A kind of two programs on two stacks, whose record is elsewhere."""
    monkeypatch.setattr(engine, "ROWS", tmp_path)
    monkeypatch.setattr(stacks, "WORK", tmp_path / "work")
    return engine.Kind(
        "test", lambda: {"one": {"code": 1}, "two": {"code": 2}},
        lambda name, program: ["then", "now"],
        lambda python, programs: [(name, {"said": row["code"]}) for name, row in programs.items()],
        lambda row: str(row.get("said")),
    )  # fmt: skip


def test_only_what_is_new_or_changed_is_measured(kind, capsys):
    assert kind.update() == 0
    before = engine.read(kind)
    assert len(before) == 4 and before["one", "now"]["said"] == 1
    assert "measuring 2 programs on 2 stacks" in capsys.readouterr().out
    assert kind.update() == 0
    assert "measuring" not in capsys.readouterr().out
    other = replace(kind, programs=lambda: {"one": {"code": 1}, "two": {"code": 3}})
    assert other.update(["now"]) == 0
    assert "measuring 1 programs on 1 stacks" in capsys.readouterr().out
    after = engine.read(kind)
    assert after["one", "then"] == before["one", "then"]
    assert after["two", "now"]["said"] == 3 and ("two", "then") not in after
    assert replace(kind, meaning=2).update(names=["one"]) == 0
    assert "measuring 1 programs on 2 stacks" in capsys.readouterr().out


def test_a_name_that_is_not_there_is_told_with_those_that_are_near(kind, capsys):
    assert kind.update(names=["tow"]) == 2
    assert kind.update(only=["new"]) == 2
    printed = capsys.readouterr().err
    assert "'tow': did you mean two" in printed and "'new': did you mean now" in printed


def test_a_stack_of_other_releases_is_measured_anew(kind, monkeypatch, capsys):
    kind.update()
    monkeypatch.setattr(stacks, "contents", lambda stack: {"jax": stack})
    kind.update(["now"])
    assert "measuring 2 programs on 1 stacks" in capsys.readouterr().out


def test_where_no_stack_can_be_installed_the_record_stays_and_the_status_says_so(
    kind, monkeypatch, capsys
):
    @contextlib.contextmanager
    def refuse(stack):
        raise environments.SetupError(f"{stack} cannot be installed")
        yield

    kind.update()
    before = engine.read(kind)
    monkeypatch.setattr(stacks, "installed", refuse)
    assert kind.update() == 0, "there is nothing to measure"
    other = replace(kind, meaning=2)
    assert other.update() == 2
    assert "nothing was measured" in capsys.readouterr().err
    assert engine.read(kind) == before


def test_what_differs_on_the_newest_stack_and_what_wants_attention_is_told(kind, capsys):
    told = replace(
        kind, attention=lambda name, row: [f"{name} of {row['stack']}"] * (name == "one"),
        run=lambda python, programs: [(name, {"said": str(python)}) for name in programs],
    )  # fmt: skip
    assert told.update() == 1
    printed = capsys.readouterr().out
    assert "one: was " in printed and " on now" in printed and printed.count("read one of now") == 1


def test_a_stack_with_other_releases_is_compared_with_itself_as_it_was(kind, monkeypatch, capsys):
    kind.update()
    capsys.readouterr()
    monkeypatch.setattr(stacks, "contents", lambda stack: {"jax": stack})
    kind.update(["now"])
    assert " was " not in capsys.readouterr().out
    other = replace(
        kind, meaning=2, run=lambda python, programs: [(name, {"said": 9}) for name in programs]
    )
    other.update(["now"])
    assert "one: was 1, is 9 on now" in capsys.readouterr().out


def test_a_verdict_is_of_the_program_that_runs_and_not_of_comments(tmp_path):
    for name, text in {"one": "x = 1\n", "two": "# why\nx = 1\n", "three": "x = 2\n"}.items():
        (tmp_path / name).write_text(text)
    one, two, three = (kinds.code_of(tmp_path / name) for name in ("one", "two", "three"))
    assert one == two != three


def test_a_process_that_dies_is_a_verdict_on_program_and_cure(monkeypatch, tmp_path):
    monkeypatch.setattr(kinds, "RUNNER", tmp_path / "runner.py")
    kinds.RUNNER.write_text("import sys; sys.exit('no such library')")
    ((_, row),) = kinds.run_cases(Path(sys.executable), {"one": {}})
    assert row["verdict"] == row["cure"]["verdict"] == "cannot run"
    assert row["message"] == "no such library"
