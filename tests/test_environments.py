"""The environments, the commands and the workflows: what happens on other machines than this."""

import fcntl
import json
import re
import shutil
import subprocess
import sys
import threading
from unittest.mock import Mock

import pytest
import yaml

from tools import environments
from tools.environments import SetupError

ROOT = environments.ROOT
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


# --- finding a Python ------------------------------------------------------------------------


def fake(command, does):
    """Write a script that stands for a Python, and return its path."""
    command.parent.mkdir(parents=True, exist_ok=True)
    command.write_text(f"#!/bin/sh\n{does}\n")
    command.chmod(0o755)
    return str(command)


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """A machine without a Python; what is put into `bin` is found."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("PYTHON", raising=False)
    return tmp_path


@pytest.mark.parametrize(
    ("pythons", "found"),
    [
        ({"python3": "echo 3 11 cpython", "python": "echo 3 12 cpython"}, "python"),
        ({"python3.12": "exit 127", "python3": "echo 3 12 pypy"}, None),  # such as pyenv's shims
    ],
)
def test_python_3_12_is_taken_by_whatever_name_it_has_or_from_home(machine, pythons, found):
    for name, does in pythons.items():
        fake(machine / "bin" / name, does)
    places = ("data/uv/python/cpython-3.12.9-linux", "pyenv/versions/3.12.1")
    home = [fake(machine / place / "bin/python3.12", "echo 3 12 cpython") for place in places]
    assert environments.find_python() == (found or home[0])  # the newer of the two


def test_another_python_that_was_asked_for_is_refused_with_a_cure(machine, monkeypatch):
    for does, said in {"echo 3 11 cpython": "Python 3.11", "exit 1": "not a Python that"}.items():
        monkeypatch.setenv("PYTHON", fake(machine / "py", does))
        with pytest.raises(SetupError, match=rf"^PYTHON=\S+ is {said}.*Name a Python 3\.12[^\n]*$"):
            environments.find_python()


def test_make_takes_the_first_python_that_is_new_enough(tmp_path):
    for name in ("sh", "sed"):
        (tmp_path / name).symlink_to(shutil.which(name))
    for name, status in (("python3", 1), ("python3.12", 0)):
        fake(tmp_path / name, f'[ "$1" = -c ] && exit {status}\necho "$0 $*"')
    command = [shutil.which("make"), "-C", ROOT, "--no-print-directory", "environments"]
    quiet = {"env": {"PATH": str(tmp_path)}, "capture_output": True, "text": True}
    said = subprocess.run(command, **quiet).stdout
    assert said == f"{tmp_path}/python3.12 -m tools.environments\n"
    (tmp_path / "python3.12").unlink()
    assert subprocess.run(command, **quiet).stderr.startswith("error: no Python found: install")


# --- where there is no Python 3.12, another one fetches it ----------------------------------


@pytest.fixture
def checkout(monkeypatch, tmp_path):
    """A checkout in which nothing was installed."""
    for name, place in {"NOW": ".venv", "THEN": ".venv-then", "CACHE": ".cache"}.items():
        monkeypatch.setattr(environments, name, tmp_path / place)
    return tmp_path


def test_the_locked_uv_installs_on_every_python(checkout):
    text = environments.locked_uv().read_text()
    assert re.fullmatch(r"uv==[\d.]+ \\\n( +--hash=sha256:\w{64}( \\)?\n)+( +#.*\n)*", text)
    lock = environments.NOW_LOCK.read_text()
    assert all(line.strip() in lock for line in text.splitlines()[1:])


def test_a_machine_without_releases_is_told_in_one_line(monkeypatch):
    for system, said in {"win32": "WSL", "darwin": "Intel Mac"}.items():
        monkeypatch.setattr(sys, "platform", system)
        monkeypatch.setattr(environments.platform, "machine", lambda: "x86_64")
        with pytest.raises(SetupError, match=rf"^[^\n]*{said}[^\n]*$"):
            environments.check_machine()
    monkeypatch.setattr(environments.platform, "machine", lambda: "arm64")
    environments.check_machine()


# --- running a step --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "cure"),
    [
        ("npm error self-signed certificate in the chain", r"[^\n]*SSL_CERT_FILE[^\n]*"),
        ("OSError: [Errno 28] No space left on device", r"The disk is full: free 4 GB [^\n]*"),
        ("why", r"do this\."),
    ],
)
def test_a_step_that_fails_shows_its_last_words_and_names_the_cure(said, cure, capsys):
    program = f"raise SystemExit({'line|' * 20 + said!r}.replace('|', chr(10)))"
    with pytest.raises(SetupError, match=f"^{cure}$"):
        environments.run(sys.executable, "-c", program, cure="do this.")
    assert capsys.readouterr().err.splitlines() == ["line"] * 7 + [said]


def test_whatever_stops_the_installation_is_one_line(monkeypatch):
    for error, said in (
        (OSError(30, "Read-only file system", "/a/b"), "/a/b cannot be written (Read-only file"),
        (OSError(28, "No space left on device", "/a/b"), "The disk is full"),
        (SetupError("do this."), "do this."),
    ):
        monkeypatch.setattr(environments, "main", Mock(side_effect=error))
        with pytest.raises(SystemExit, match=rf"^error: {re.escape(said)}[^\n]*$"):
            environments.run_main()


def test_an_environment_that_was_not_finished_or_lost_a_module_is_made_again(checkout, capsys):
    def broken():
        raise SetupError("no")

    home = checkout / ".venv"
    module = home / "lib" / "python3.12" / "site-packages" / "numpyro.py"
    record = module.parent / "numpyro-1.dist-info" / "RECORD"
    for file in (home / "bin" / "python", module, record):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("numpyro.py,sha256=x,1\n")
    made = []
    environments.ensure(home, "lock 1", lambda: made.append(1))
    environments.ensure(home, "lock 1", lambda: made.append(2))
    with pytest.raises(SetupError):
        environments.ensure(home, "lock 2", broken)
    environments.ensure(home, "lock 1", lambda: made.append(3))
    module.unlink()
    environments.ensure(home, "lock 1", lambda: made.append(4))
    assert made == [1, 3, 4]
    assert "has lost numpyro.py, and is made anew" in capsys.readouterr().out


# --- the workflows ---------------------------------------------------------------------------


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.stem)
def test_no_job_that_runs_packages_has_a_token_that_writes(file):
    """That it is not kept either, zizmor sees in `make lint`."""
    workflow = yaml.safe_load(file.read_text())
    for name, job in workflow["jobs"].items():
        rights = job.get("permissions", workflow.get("permissions"))
        assert isinstance(rights, dict), f"{name}: say what its token may do"
        steps = " ".join(step.get("run", "") for step in job.get("steps", []))
        if re.search(r"\bmake\b|\.ci/", steps):
            assert set(rights.values()) <= {"read"}, name
            assert "GH_TOKEN" not in json.dumps(job) + json.dumps(workflow.get("env", {}))


def test_the_links_to_this_checkout_are_relative_so_that_any_name_of_it_can_be_read():
    links = list(environments.NOW.glob("lib/python*/site-packages/*.pth"))
    assert links
    assert not [link.name for link in links if str(environments.ROOT) in link.read_text()]


def test_what_would_install_elsewhere_is_left_out(monkeypatch):
    names = ["PIP_TARGET", "PIP_USER", "UV_SYSTEM_PYTHON", "PIP_INDEX_URL"]
    for name in names:
        monkeypatch.setenv(name, "1")
    code = f"import os; print(*(name for name in {names} if name in os.environ))"
    assert environments.run(sys.executable, "-c", code, cure="") == "PIP_INDEX_URL\n"


def test_a_second_installation_waits_for_the_first(checkout, monkeypatch, capsys):
    monkeypatch.setattr(environments, "bring_up_to_date", lambda: print("done"))
    environments.CACHE.mkdir()
    first = (environments.CACHE / "environments.lock").open("w")
    fcntl.flock(first, fcntl.LOCK_EX)
    threading.Timer(0.5, first.close).start()
    environments.main()
    said = capsys.readouterr().out
    assert re.fullmatch(r"Waiting for another make.*\ndone\n", said)
