"""Install the two environments of the book inside this checkout.

`.venv` holds the "now" stack (requirements.txt), `.venv-then` the stack of August 2024
(evidence/stacks/then.txt), registered in `.venv` as the Jupyter kernel `then`. uv makes both, and
fetches Python 3.12 where there is none. An environment is built from nothing and stamped when it is
whole; a stamp that fits means there is nothing to do.

Runs on any Python from 3.8 on, with the standard library alone: it is what installs uv.

Usage: python -m tools.environments
"""

import fcntl
import hashlib
import json
import os
import platform
import re
import shutil
import ssl
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NOW = ROOT / ".venv"
THEN = ROOT / ".venv-then"
CACHE = ROOT / ".cache"
BOOTSTRAP = CACHE / "bootstrap"  # the environment of uv
NOW_LOCK = ROOT / "requirements.txt"
THEN_LOCK = ROOT / "evidence" / "stacks" / "then.txt"
WANTED = "3.12"
LINKED = ("examine", "bookkit")  # packages beside the reader's
CURE = (
    "The lines above say why. Check the network (behind a company's proxy, SSL_CERT_FILE names its "
    "certificates) and the free space, of which 4 GB are needed; then run make again."
)


class SetupError(Exception):
    """A step failed; the message is one line that names the cure."""


def run(*command, cure=CURE):
    """Run a command and return what it prints; where it fails, show that and raise the cure."""
    env = {"UV_CACHE_DIR": str(CACHE / "uv"), "UV_PYTHON_INSTALL_DIR": str(CACHE / "python")}
    env["UV_SYSTEM_CERTS"] = "1"
    certificates = os.environ.get("SSL_CERT_FILE") or ssl.get_default_verify_paths().cafile
    if certificates:  # uv finds the system's, and pip calls them by another name
        env["PIP_CERT"] = certificates
    env.update(os.environ, UV_NO_PROGRESS="1", VIRTUAL_ENV="")
    words = [str(part) for part in command]
    try:
        done = subprocess.run(words, env=env, capture_output=True, text=True)
    except OSError as error:
        raise SetupError(f"{words[0]} does not run ({error.strerror}). {cure}") from None
    if done.returncode:
        lines = (done.stdout + done.stderr).strip().splitlines()
        print("\n".join(lines[-8:]), file=sys.stderr)
        raise SetupError(cure)
    return done.stdout


def find_python(version):
    """Return a Python of a version that runs: this one, on the path, or in pyenv's folder.

    Where there is none, the version itself is returned, which uv fetches.
    """
    if "{}.{}".format(*sys.version_info) == version:
        return sys.executable
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    names = [f"python{version}", *map(str, pyenv.glob(f"versions/{version}.*/bin/python"))]
    for name in filter(shutil.which, names):
        if subprocess.run([name, "-c", ""], stderr=subprocess.DEVNULL).returncode == 0:
            return name
    return version


# --- uv, and what it does -------------------------------------------------------------------------


def locked_uv():
    """Write uv's own lines of the lock to a file of their own, and return its path.

    The lock is for Python 3.12, and what installs uv may be another: the marker goes.
    """
    (lines,) = re.findall(r"^uv==.*?(?=^\S)", NOW_LOCK.read_text() + "\nend", re.M | re.S)
    path = CACHE / "uv.txt"
    path.write_text(re.sub(r" *;.*?(?= *\\$)", "", lines, count=1, flags=re.M))
    return path


def install_uv():
    """Install the locked uv with pip, into an environment of its own."""
    version = "{}.{}".format(*sys.version_info)
    no_venv = f"This Python makes no environments: on Debian, `apt install python{version}-venv`."
    run(sys.executable, "-m", "venv", "--clear", BOOTSTRAP, cure=no_venv)
    pip = [BOOTSTRAP / "bin" / "python", "-m", "pip", "install", "-q", "--no-cache-dir"]
    run(*pip, "--disable-pip-version-check", "--require-hashes", "-r", locked_uv())


def find_uv():
    """Return the path of uv: of its own environment, of `.venv`, or beside this Python."""
    for folder in (BOOTSTRAP / "bin", NOW / "bin", Path(sys.executable).parent):
        if (folder / "uv").exists():
            return folder / "uv"
    raise SetupError("uv is not there: run `make environments` once, which installs it.")


def install(environment, *what):
    """Have uv install something into an environment: names, files, options of `uv pip install`."""
    run(find_uv(), "pip", "install", "--python", environment / "bin" / "python", *what)


def create(environment, python, *what):
    """Make an environment anew, and install something into it.

    The Python is one that `find_python` returned, or the one of an environment.
    """
    run(find_uv(), "venv", "-q", "--clear", "--python", python, environment)
    install(environment, *what)


def versions(environment):
    """Return the releases in an environment by the names of their packages."""
    python = environment / "bin" / "python"
    listed = run(find_uv(), "pip", "list", "--format", "json", "--python", python)
    return {package["name"]: package["version"] for package in json.loads(listed)}


def install_package(environment):
    """Link the reader's package, `examine` and the book's machinery into an environment.

    What they ask for is in its lock; the network is left alone.
    """
    flags = ("--no-deps", "--no-build-isolation", "--offline")
    install(environment, *flags, "-e", ROOT, "-e", ROOT / "examine", "-e", ROOT / "bookkit")
    for file in environment.glob("lib/python*/site-packages/*.pth"):
        linked = Path(file.read_text(encoding="utf-8").strip())
        if linked in (ROOT, ROOT / "examine"):  # with LC_ALL=C, Python reads no "ü" there
            file.write_text(os.path.relpath(linked, file.parent) + "\n")


# --- the two environments -------------------------------------------------------------------------


def stamp(*texts):
    """Return what an environment in this folder depends on, as one hash."""
    return hashlib.sha256("\n".join((str(ROOT), *texts)).encode()).hexdigest()


def missing(environment):
    """Return a file that a package in an environment has lost, or None where all are there."""
    for record in environment.glob("lib/python*/site-packages/*.dist-info/RECORD"):
        home = str(record.parent.parent)
        for line in record.read_text(encoding="utf-8").splitlines():
            name = line.rsplit(",", 2)[0].strip('"')
            if not name.endswith(".pyc") and not os.path.exists(os.path.join(home, name)):
                return name
    return None


def ensure(folder, wanted, make, proof="bin/python"):
    """Make something in a folder, unless it is there and whole; stamp it when it is done.

    `proof` is a file in it without which it is not there.
    """
    mark = folder / "complete"
    if mark.is_file() and mark.read_text() == wanted and (folder / proof).exists():
        lost = missing(folder)
        if lost is None:
            return
        print(f"{folder.name} is damaged ({lost} is missing): it is made anew.", flush=True)
    mark.unlink(missing_ok=True)
    make()
    mark.write_text(wanted)


def make_now():
    """Build `.venv` from the lock, and link the packages into it."""
    print("Installing the now stack into .venv (about 320 MB to download) …", flush=True)
    install_uv()
    create(NOW, find_python(WANTED), "--require-hashes", "-r", NOW_LOCK)
    install_package(NOW)


def make_then(python):
    """Build `.venv-then` with a Python 3.12."""
    print("Installing the then stack into .venv-then (about 180 MB to download) …", flush=True)
    create(THEN, python, "--require-hashes", "-r", THEN_LOCK)


def write_json(file, content):
    """Write a file of settings, and the folders above it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(content, indent=1) + "\n")


def register_kernel(folder, environment, title):
    """Describe the kernel of an environment in a folder of Jupyter's, named as the kernel is."""
    python = str(environment / "bin" / "python")
    kernel = {
        "argv": [python, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        "display_name": title,
        "language": "python",
        "metadata": {"debugger": False},
    }
    write_json(folder / "kernel.json", kernel)


def register(environment):
    """Tell the "now" stack of the kernel `then`, and JupyterLab to show the list of notebooks.

    JupyterLab is also told not to ask for news, and not to look for language servers: the look
    starts programs of the reader's, which write into the reader's home.
    """
    kernels = environment / "share" / "jupyter" / "kernels"
    register_kernel(kernels / "then", THEN, "Python 3 (then: August 2024)")
    viewers = {"markdown": "Markdown Preview"}
    settings = {
        "@jupyterlab/docmanager-extension:plugin": {"defaultViewers": viewers},
        "@jupyterlab/apputils-extension:notification": {
            "checkForUpdates": False,
            "fetchNews": "false",
        },
    }
    server = {"LanguageServerManager": {"autodetect": False}}
    write_json(environment / "etc/jupyter/labconfig/default_setting_overrides.json", settings)
    write_json(environment / "etc/jupyter/jupyter_server_config.json", server)


def copy_sources(folder):
    """Copy what git tracks of the checkout, or would, as it is now."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout.decode()
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)


def main():
    """Bring both environments up to date; do nothing where they are.

    With `--reader`, this Python's own environment is the "now" stack, as in Binder.
    """
    if sys.platform == "darwin" and platform.machine() == "x86_64":
        raise SetupError(
            "JAX has no releases for Intel Macs any more: use Binder there; on an Apple chip, "
            "install a native Python 3.12."
        )
    CACHE.mkdir(exist_ok=True)
    with (CACHE / "environments.lock").open("w") as lock:  # it is free again when this process ends
        fcntl.flock(lock, fcntl.LOCK_EX)
        now = NOW_LOCK.read_text()
        home = Path(sys.prefix) if "--reader" in sys.argv else NOW
        if home == NOW:
            project, _, _tools = (ROOT / "pyproject.toml").read_text().partition("[tool.")
            packages = [(ROOT / name / "pyproject.toml").read_text() for name in LINKED]
            ensure(NOW, stamp(now, project, *packages), make_now)
        then = stamp(stamp(now), THEN_LOCK.read_text())
        ensure(THEN, then, lambda: make_then(home / "bin" / "python"))
        register(home)


if __name__ == "__main__":
    try:
        main()
    except SetupError as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        sys.exit("\nInterrupted: nothing half-made is kept; run make again to go on.")
