"""The environments: what `make` does first, on this machine and on others."""

import shutil
import subprocess
import sys

import pytest

from tools import environments
from tools.environments import SetupError


def test_make_takes_the_first_python_that_is_new_enough(tmp_path):
    for name in ("sh", "sed"):
        (tmp_path / name).symlink_to(shutil.which(name))
    for name, status in (("python3", 1), ("python3.12", 0)):
        (tmp_path / name).write_text(f'#!/bin/sh\n[ "$1" = -c ] && exit {status}\necho "$0 $*"\n')
        (tmp_path / name).chmod(0o755)
    command = [
        shutil.which("make"),
        "-C",
        environments.ROOT,
        "--no-print-directory",
        "environments",
    ]
    quiet = {"env": {"PATH": str(tmp_path)}, "capture_output": True, "text": True}
    printed = subprocess.run(command, **quiet).stdout
    assert printed == f"{tmp_path}/python3.12 -m tools.environments\n"
    (tmp_path / "python3.12").unlink()
    assert subprocess.run(command, **quiet).stderr.startswith("error: no Python found: install")


def test_a_step_that_fails_shows_its_last_words_and_names_the_cure(capsys):
    program = f"raise SystemExit({'line|' * 20 + 'why'!r}.replace('|', chr(10)))"
    with pytest.raises(SetupError, match=r"^do this\.$"):
        environments.run(sys.executable, "-c", program, cure="do this.")
    assert capsys.readouterr().err.splitlines() == ["line"] * 7 + ["why"]


def test_an_environment_that_was_not_finished_is_made_again(tmp_path):
    def broken():
        raise SetupError("no")

    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").touch()
    made = []
    environments.ensure(tmp_path, "lock 1", lambda: made.append(1))
    environments.ensure(tmp_path, "lock 1", lambda: made.append(2))
    with pytest.raises(SetupError):
        environments.ensure(tmp_path, "lock 2", broken)
    environments.ensure(tmp_path, "lock 1", lambda: made.append(3))
    assert made == [1, 3]


def test_an_environment_that_lost_a_file_is_made_again(tmp_path, capsys):
    packages = tmp_path / ".venv" / "lib" / "python3.12" / "site-packages"
    (packages / "pyyaml-6.dist-info").mkdir(parents=True)
    (packages / "pyyaml-6.dist-info" / "RECORD").write_text(
        "yaml/__init__.py,sha256=a,9\na.pyc,,\n"
    )
    (packages / "yaml").mkdir()
    python, made = packages / "yaml" / "__init__.py", []
    for _ in range(3):
        make = lambda: (python.touch(), made.append(1))  # noqa: E731
        environments.ensure(tmp_path / ".venv", "lock", make, proof="lib")
    assert made == [1]
    python.unlink()
    environments.ensure(tmp_path / ".venv", "lock", make, proof="lib")
    assert made == [1, 1]
    assert capsys.readouterr().out == (
        ".venv is damaged (yaml/__init__.py is missing): it is made anew.\n"
    )


def test_the_links_to_this_checkout_are_relative_so_that_any_name_of_it_can_be_read():
    links = list(environments.NOW.glob("lib/python*/site-packages/*.pth"))
    assert links
    assert not [link.name for link in links if str(environments.ROOT) in link.read_text()]
