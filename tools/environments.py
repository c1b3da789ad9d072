"""Install the two environments of the book inside this checkout.

`.venv` holds the "now" stack (requirements.txt), `.venv-then` the stack of August 2024
(stacks/then.txt), registered in `.venv` as the Jupyter kernel `then`. An environment is built
from nothing and stamped when it is whole; a stamp that fits means there is nothing to do.

Runs on any Python from 3.8 on, with the standard library alone: it is what finds Python 3.11.

Usage: python tools/environments.py
"""

import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NOW = ROOT / ".venv"
THEN = ROOT / ".venv-then"
CACHE = ROOT / ".cache"
NOW_LOCK = ROOT / "requirements.txt"
THEN_LOCK = ROOT / "stacks" / "then.txt"
WANTED = (3, 11)


class SetupError(Exception):
    """A step failed; the message is one line that names the cure."""


def run(*command, cure):
    """Run a command; on failure, show what it printed and raise `SetupError` with the cure."""
    env = {"UV_CACHE_DIR": str(CACHE / "uv"), "UV_PYTHON_INSTALL_DIR": str(CACHE / "python")}
    env.update(os.environ, UV_NO_PROGRESS="1", VIRTUAL_ENV="")
    done = subprocess.run(
        [str(part) for part in command],
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode:
        print("\n".join(done.stdout.strip().splitlines()[-8:]), file=sys.stderr)
        raise SetupError(cure)
    return done.stdout


def python_version(command):
    """Return (major, minor) of a Python command, or None where it does not run."""
    code = "import sys; print(sys.version_info[0], sys.version_info[1], sys.implementation.name)"
    try:
        done = subprocess.run([command, "-c", code], capture_output=True, text=True, timeout=60)
    except OSError:
        return None
    words = done.stdout.split()
    return (int(words[0]), int(words[1])) if done.returncode == 0 and len(words) == 3 else None


def find_python():
    """Return a command that is Python 3.11, or None; a PYTHON of another version is an error."""
    asked = os.environ.get("PYTHON")
    if asked:
        found = python_version(asked)
        if found != WANTED:
            what = "Python {}.{}".format(*found) if found else "not a Python that runs"
            raise SetupError(
                f"PYTHON={asked} is {what}; the book runs on CPython 3.11. "
                "Name a Python 3.11, or leave PYTHON out and uv provides one."
            )
        return asked
    names = ("python3.11", "python3", "python")
    return next((name for name in names if python_version(name) == WANTED), None)


def stamp(*texts):
    """Return what an environment in this folder depends on, as one hash."""
    return hashlib.sha256("\n".join((str(ROOT), *texts)).encode()).hexdigest()


def is_whole(environment, wanted):
    """Tell whether an environment was finished, and for the same lock."""
    mark = environment / "complete"
    python = environment / "bin" / "python"
    return mark.is_file() and mark.read_text() == wanted and python.exists()


def locked_uv():
    """Write uv's own lines of the lock to a file of their own, and return its path."""
    lines = re.search(r"^uv==.*?(?=^\S)", NOW_LOCK.read_text() + "\nend", re.M | re.S)
    path = CACHE / "uv.txt"
    path.parent.mkdir(exist_ok=True)
    path.write_text(lines.group())
    return path


def make_uv():
    """Create `.venv` with uv in it, and return the path of uv.

    Where the machine has no Python 3.11, uv goes into `.cache/bootstrap` and provides one.
    """
    offline = "No package index answers: check the network or proxy, then run make again."
    no_venv = "This Python cannot make environments: on Debian, `apt install python3-venv`."
    python = find_python()
    home = NOW if python else CACHE / "bootstrap"
    run(python or sys.executable, "-m", "venv", "--clear", home, cure=no_venv)
    pip = [home / "bin" / "python", "-m", "pip", "install", "-q", "--no-cache-dir"]
    run(*pip, "--disable-pip-version-check", "--require-hashes", "-r", locked_uv(), cure=offline)
    uv = home / "bin" / "uv"
    if python is None:
        print("No Python 3.11 on this machine: uv fetches one.", flush=True)
        cure = "uv could not fetch Python 3.11: install it (python3.11), then run make again."
        run(uv, "venv", "--clear", "--python", "3.11", NOW, cure=cure)
    return uv


def install(uv, environment, lock):
    """Install a hashed lock into an environment."""
    cure = (
        f"{lock.relative_to(ROOT)} could not be installed (the lines above say why): "
        "check the network and the free space, then run make again."
    )
    python = environment / "bin" / "python"
    run(uv, "pip", "install", "--python", python, "--require-hashes", "-r", lock, cure=cure)


def make_now():
    """Build `.venv` from the lock."""
    print("Installing the now stack into .venv (about 320 MB to download) …", flush=True)
    install(make_uv(), NOW, NOW_LOCK)


def link():
    """Link the reader's package and the book's machinery into `.venv`, where they are not yet.

    What they ask for is in the lock; their names and entry points are in `pyproject.toml`.
    """
    project, _, _tools = (ROOT / "pyproject.toml").read_text().partition("[tool.")
    mark, wanted = NOW / "linked", stamp(project)
    if mark.is_file() and mark.read_text() == wanted:
        return
    cure = "The helper package could not be linked: `make clean`, then run make again."
    flags = ["--no-deps", "--no-build-isolation", "--offline"]
    python = NOW / "bin" / "python"
    run(find_uv(), "pip", "install", "--python", python, *flags, "-e", ROOT, cure=cure)
    mark.write_text(wanted)


def find_uv():
    """Return uv: that of `.venv`, that of the bootstrap, or the one on the path."""
    folders = (NOW, CACHE / "bootstrap")
    found = (folder / "bin" / "uv" for folder in folders)
    return next((uv for uv in found if uv.exists()), "uv")


def make_then(uv, python):
    """Build `.venv-then` with a Python 3.11."""
    print("Installing the then stack into .venv-then (about 180 MB to download) …", flush=True)
    cure = "The second environment could not be made: `make clean`, then run make again."
    run(uv, "venv", "-q", "--clear", "--python", python, THEN, cure=cure)
    install(uv, THEN, THEN_LOCK)


def register(environment):
    """Tell the "now" stack of the kernel `then`, and JupyterLab that chapters are notebooks.

    JupyterLab is also told not to ask for news, and not to look for language servers: the look
    starts programs of the reader's, which write into the reader's home.

    Args:
        environment: the folder whose Jupyter shall know.
    """
    kernel = {
        "argv": [f"{THEN}/bin/python", "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        "display_name": "Python 3 (then: August 2024)",
        "language": "python",
        "metadata": {"debugger": False},
    }
    viewers = {"markdown": "Jupytext Notebook", "myst": "Jupytext Notebook"}
    settings = {
        "@jupyterlab/docmanager-extension:plugin": {"defaultViewers": viewers},
        "@jupyterlab/apputils-extension:notification": {
            "checkForUpdates": False,
            "fetchNews": "false",
        },
    }
    server = {"LanguageServerManager": {"autodetect": False}}
    for name, content in (
        ("share/jupyter/kernels/then/kernel.json", kernel),
        ("etc/jupyter/labconfig/default_setting_overrides.json", settings),
        ("etc/jupyter/jupyter_server_config.json", server),
    ):
        file = environment / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(content, indent=1) + "\n")


def ensure(environment, wanted, make):
    """Make an environment, unless it is there and whole; stamp it when it is done."""
    if not is_whole(environment, wanted):
        (environment / "complete").unlink(missing_ok=True)
        make()
        (environment / "complete").write_text(wanted)


def main():
    """Bring both environments up to date; do nothing where they are.

    With `--reader`, this Python's own environment is the "now" stack, as in Binder.
    """
    now = stamp(NOW_LOCK.read_text())
    home = Path(sys.prefix) if "--reader" in sys.argv else NOW
    if home == NOW:
        ensure(NOW, now, make_now)
        link()
    then = stamp(now, THEN_LOCK.read_text())
    ensure(THEN, then, lambda: make_then(find_uv(), home / "bin" / "python"))
    register(home)


if __name__ == "__main__":
    try:
        main()
    except SetupError as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        sys.exit("\nInterrupted: nothing half-made is kept; run make again to go on.")
