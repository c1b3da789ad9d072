"""The variations of failures and cures: which ones CI runs, and that a broken one is red."""

import subprocess
import sys

import pytest

from evidence import variation as variations
from tools import changes

PROGRAM = """
from evidence.variation import vary
vary("plain", {declared!r}, "holds")(lambda: (1.0, 2.0, 2.0))
"""
ENDLESS = PROGRAM + "while True: pass\n"


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """A repository of one commit, with a case that has variations."""
    for name in (
        "evidence/variations/one.py",
        "evidence/variations/two.py",
        "book/cases/one.md",
        "README.md",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("before\n")
    monkeypatch.setattr(variations, "ROOT", tmp_path)
    monkeypatch.setattr(changes.pages, "ROOT", tmp_path)
    monkeypatch.setattr(variations, "FOLDER", tmp_path / "evidence" / "variations")
    git(tmp_path, "init", "-q")
    commit(tmp_path)
    return tmp_path


def git(folder, *words):
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *who, *words], cwd=folder, check=True)


def commit(folder):
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "a change")


def test_the_pages_that_changed_are_known_from_main_or_the_commit_before(clone, capsys):
    assert variations.changed() == []
    assert "no earlier commit" in capsys.readouterr().out, "a clone that holds one commit"
    (clone / "book" / "cases" / "one.md").write_text("after\n")
    assert variations.changed() == ["one"], "what is not committed counts"
    commit(clone)
    (clone / "README.md").write_text("after\n")
    assert variations.changed() == ["one"], "the last commit changed it"
    commit(clone)
    assert variations.changed() == []
    git(clone, "update-ref", "refs/remotes/origin/main", "HEAD~2")
    assert variations.changed() == ["one"], "since `main`"


def test_of_pages_that_are_opened_in_turn_none_that_changed_is_left_out(clone, monkeypatch):
    monkeypatch.delenv("EVERYTHING", raising=False)
    names = [f"book/cases/{name}.html" for name in ("zero", "one", "two", "three", "four", "five")]
    (clone / "book" / "cases" / "one.md").write_text("after\n")
    some = changes.in_turn(names, 3)
    assert names[1] in some and 2 <= len(some) <= 3
    monkeypatch.setenv("EVERYTHING", "1")
    assert changes.in_turn(names, 3) == names


def test_a_draw_is_repeated_by_its_seed_and_leaves_out_what_ran():
    every = {file.stem for file in variations.FOLDER.glob("*.py")}
    one, two = (variations.drawn(seed, ["int32-sum"]) for seed in (1, 2))
    assert one == variations.drawn(1, ["int32-sum"]) != two
    assert {file.stem for file in one} == every - {"int32-sum"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "wrong", "words"),
    [
        (PROGRAM.format(declared="silent"), 0, "1 variations of 1 pages, 0 not"),
        (PROGRAM.format(declared="right"), 1, "silent / holds   declared right / holds"),
        (
            "import nowhere\n",
            1,
            "error: mend the page, its cure or what its variations declare: one",
        ),
        (ENDLESS.format(declared="silent"), 0, "ended at the limit"),
    ],
)
def test_what_is_not_as_declared_is_red_and_names_the_page(
    text, wrong, words, tmp_path, monkeypatch, capsys
):
    (tmp_path / "one.py").write_text(text)
    monkeypatch.setattr(variations, "FOLDER", tmp_path)
    monkeypatch.setattr(variations, "TRIED", {})
    monkeypatch.setattr(sys, "argv", ["variations", *(["--draw", "4"] if "while" in text else [])])
    assert variations.main() == wrong
    assert words in capsys.readouterr().out


def test_a_picture_that_changed_is_no_text_and_stops_nobody():
    assert "PNG" in changes.git("show", "HEAD:book/_static/card.png")
