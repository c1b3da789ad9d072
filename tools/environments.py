"""Install the two environments of the book inside this checkout.

`.venv` holds the "now" stack (requirements.txt), `.venv-then` the stack of August 2024
(stacks/then.txt), registered in `.venv` as the Jupyter kernel `then`. An environment is built
from nothing and stamped when it is whole; a stamp that fits means there is nothing to do.

Runs on any Python from 3.8 on, with the standard library alone: it is what finds Python 3.12.

Usage: python tools/environments.py
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
NOW_LOCK = ROOT / "requirements.txt"
THEN_LOCK = ROOT / "stacks" / "then.txt"
WANTED = (3, 12)
CERTIFICATE = (
    "The network shows a certificate that is not known here, as a company's proxy does: "
    "set SSL_CERT_FILE to the company's certificates (a .pem file), then run make again."
)
SPACE = "The disk is full: free 4 GB where this folder and UV_CACHE_DIR are, then run make again."
LEAST = 1e8  # bytes: with fewer left, that is why a step failed
# With these, pip and uv would install elsewhere, or refuse.
ELSEWHERE = {
    *("PIP_TARGET", "PIP_USER", "PIP_PREFIX", "PIP_ROOT", "PIP_REQUIRE_VIRTUALENV"),
    *("UV_TARGET", "UV_PREFIX", "UV_SYSTEM_PYTHON", "UV_PYTHON_PREFERENCE"),
    "UV_PROJECT_ENVIRONMENT",
}
# What pip and uv say.
REFUSED = re.compile("certificate|UnknownIssuer", re.I)
FULL = re.compile("No space left|Disk quota exceeded|Errno (28|122)|os error (28|122)", re.I)


class SetupError(Exception):
    """A step failed; the message is one line that names the cure."""


def check_machine():
    """Raise `SetupError` where the libraries have no releases for this kind of machine."""
    if not sys.platform.startswith(("linux", "darwin")):
        raise SetupError(
            "The book runs on Linux and macOS; on Windows install WSL (`wsl --install`), "
            "and run make in its shell."
        )
    if sys.platform == "darwin" and platform.machine() == "x86_64":
        raise SetupError(
            "This Python is one for Intel Macs, for which JAX has no releases any more: on an "
            "Apple chip install a native Python 3.12, on an Intel Mac use another machine."
        )


def run(*command, cure):
    """Run a command and return what it prints; where it fails, show that and raise the cure."""
    env = {"UV_CACHE_DIR": str(CACHE / "uv"), "UV_PYTHON_INSTALL_DIR": str(CACHE / "python")}
    env["UV_SYSTEM_CERTS"] = "1"
    certificates = os.environ.get("SSL_CERT_FILE") or ssl.get_default_verify_paths().cafile
    if certificates:  # uv finds the system's, and pip and npm call them by other names
        env.update(dict.fromkeys(("PIP_CERT", "NODE_EXTRA_CA_CERTS"), certificates))
    env.update((name, value) for name, value in os.environ.items() if name not in ELSEWHERE)
    env.update(UV_NO_PROGRESS="1", VIRTUAL_ENV="")
    words = [str(part) for part in command]
    try:
        done = subprocess.run(words, env=env, capture_output=True, text=True)
    except OSError as error:
        raise SetupError(f"{words[0]} does not run ({error.strerror}). {cure}") from None
    if done.returncode:
        said = done.stdout + done.stderr
        print("\n".join(said.strip().splitlines()[-8:]), file=sys.stderr)
        if FULL.search(said) or shutil.disk_usage(ROOT).free < LEAST:  # not every program says so
            cure = SPACE
        elif REFUSED.search(said):
            cure = CERTIFICATE
        raise SetupError(cure)
    return done.stdout


def python_version(command):
    """Return (major, minor) of a command that is CPython, or None where it is not, or hangs."""
    code = "import sys; print(sys.version_info[0], sys.version_info[1], sys.implementation.name)"
    try:
        done = subprocess.run([command, "-c", code], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None
    words = done.stdout.split()
    known = done.returncode == 0 and len(words) == 3 and words[2] == "cpython"
    return (int(words[0]), int(words[1])) if known else None


def find_python(wanted=WANTED):
    """Return a command that is such a Python, or None; a PYTHON that is none is an error."""
    asked = os.environ.get("PYTHON")
    if asked and wanted == WANTED:
        found = python_version(asked)
        if found != WANTED:
            what = "Python {}.{}".format(*found) if found else "not a Python that runs"
            raise SetupError(
                f"PYTHON={asked} is {what}; the book runs on CPython 3.12. "
                "Name a Python 3.12, or leave PYTHON out and uv provides one."
            )
        return asked
    version = "{}.{}".format(*wanted)
    names = (f"python{version}", "python3", "python", *kept_pythons(version))
    return next((name for name in names if python_version(name) == wanted), None)


def kept_pythons(version):
    """Return the Pythons of a version that pyenv and uv keep in the reader's home, newest first."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    data = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    found = [*pyenv.glob(f"versions/{version}.*"), *data.glob(f"uv/python/cpython-{version}.*")]
    found.sort(key=lambda path: [int(part) for part in re.findall(r"\d+", path.name)], reverse=True)
    return [str(path / "bin" / f"python{version}") for path in found]


def stamp(*texts):
    """Return what an environment in this folder depends on, as one hash."""
    return hashlib.sha256("\n".join((str(ROOT), *texts)).encode()).hexdigest()


def lost(environment):
    """Return a module that was installed into an environment and is not there, or None."""
    records = list(environment.glob("lib/python*/site-packages/*.dist-info/RECORD"))
    for record in records:
        names = (line.partition(",")[0] for line in record.read_text().splitlines())
        folder = record.parent.parent
        for name in names:
            if name.endswith((".py", ".so")) and not os.path.exists(f"{folder}/{name}"):
                return name
    return None if records else "all that was installed"


def is_whole(environment, wanted):
    """Tell whether an environment was finished, for the same lock, and has all its modules."""
    mark = environment / "complete"
    python = environment / "bin" / "python"
    if not (mark.is_file() and mark.read_text() == wanted and python.exists()):
        return False
    gone = lost(environment)
    if gone:
        print(f"{environment.name} has lost {gone}, and is made anew.", flush=True)
    return not gone


def locked_uv():
    """Write uv's own lines of the lock to a file of their own, and return its path.

    The lock is for Python 3.12, and what fetches that one is another: the marker goes.
    """
    (lines,) = re.findall(r"^uv==.*?(?=^\S)", NOW_LOCK.read_text() + "\nend", re.M | re.S)
    path = CACHE / "uv.txt"
    path.parent.mkdir(exist_ok=True)
    path.write_text(re.sub(r" *;.*?(?= *\\$)", "", lines, count=1, flags=re.M))
    return path


def make_uv():
    """Create `.venv`, and uv in it.

    Where the machine has no Python 3.12, uv goes into `.cache/bootstrap` and provides one.
    """
    offline = "No package index answers: check the network or proxy, then run make again."
    python = find_python()
    version = "3.12" if python else "3"
    no_venv = f"This Python makes no environments: on Debian, `apt install python{version}-venv`."
    home = NOW if python else CACHE / "bootstrap"
    run(python or sys.executable, "-m", "venv", "--clear", home, cure=no_venv)
    pip = [home / "bin" / "python", "-m", "pip", "install", "-q", "--no-cache-dir"]
    run(*pip, "--disable-pip-version-check", "--require-hashes", "-r", locked_uv(), cure=offline)
    uv = home / "bin" / "uv"
    if python is None:
        print("No Python 3.12 on this machine: uv fetches one.", flush=True)
        cure = (
            "Python 3.12 is not on this machine and could not be fetched: install it "
            "(python3.12, with your system's packages, pyenv or python.org), then run make again."
        )
        run(uv, "venv", "--clear", "--python", "3.12", NOW, cure=cure)


def install(environment, *what, cure):
    """Have uv install something into an environment: names, files, options of `uv pip install`."""
    python = environment / "bin" / "python"
    run(find_uv(), "pip", "install", "--python", python, *what, cure=cure)


def create(environment, python, *what, cure):
    """Make an environment anew, and install something into it."""
    run(find_uv(), "venv", "-q", "--clear", "--python", python, environment, cure=cure)
    install(environment, *what, cure=cure)


def versions(environment):
    """Return the releases in an environment by the names of their packages."""
    python = environment / "bin" / "python"
    command = [find_uv(), "pip", "list", "--format", "json", "--python", python]
    listed = json.loads(run(*command, cure=f"{environment} is broken: make it anew."))
    return {row["name"]: row["version"] for row in listed}


def install_lock(environment, lock, python=None):
    """Install a hashed lock into an environment, which a Python makes anew where one is given."""
    cure = (
        f"{lock.relative_to(ROOT)} could not be installed (the lines above say why): "
        "check the network and the free space, then run make again."
    )
    what = ("--require-hashes", "-r", lock)
    if python:
        create(environment, python, *what, cure=cure)
    else:
        install(environment, *what, cure=cure)


def install_package(environment):
    """Link the reader's package, `examine` and the book's machinery into an environment.

    What they ask for is in its lock; the network is left alone.
    """
    cure = "The helper package could not be linked: `make clean`, then run make again."
    flags = ("--no-deps", "--no-build-isolation", "--offline")
    install(environment, *flags, "-e", ROOT, "-e", ROOT / "examine", cure=cure)
    for file in environment.glob("lib/python*/site-packages/*.pth"):
        linked = Path(file.read_text(encoding="utf-8").strip())
        if linked in (ROOT, ROOT / "examine"):  # with LC_ALL=C, Python reads no "ü" there
            file.write_text(os.path.relpath(linked, file.parent) + "\n")


def make_now():
    """Build `.venv` from the lock, and link the package into it."""
    print("Installing the now stack into .venv (about 320 MB to download) …", flush=True)
    make_uv()
    install_lock(NOW, NOW_LOCK)
    install_package(NOW)


def find_uv():
    """Return the path of uv: of `.venv`, the bootstrap, beside this Python, or on the path."""
    folders = (NOW / "bin", CACHE / "bootstrap" / "bin", Path(sys.executable).parent)
    for folder in folders:
        if (folder / "uv").exists():
            return folder / "uv"
    found = shutil.which("uv")
    if found is None:
        raise SetupError("uv is not there: run `make environments` once, which installs it.")
    return Path(found)


def make_then(python):
    """Build `.venv-then` with a Python 3.12."""
    print("Installing the then stack into .venv-then (about 180 MB to download) …", flush=True)
    install_lock(THEN, THEN_LOCK, python)


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
    """Tell the "now" stack of the kernel `then`, and JupyterLab that chapters are notebooks.

    JupyterLab is also told not to ask for news, and not to look for language servers: the look
    starts programs of the reader's, which write into the reader's home.
    """
    kernels = environment / "share" / "jupyter" / "kernels"
    register_kernel(kernels / "then", THEN, "Python 3 (then: August 2024)")
    viewers = {"markdown": "Jupytext Notebook", "myst": "Jupytext Notebook"}
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
    check_machine()
    CACHE.mkdir(exist_ok=True)
    with (CACHE / "environments.lock").open("w") as lock:  # it is free again when this process ends
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("Waiting for another make, which installs the environments …", flush=True)
            fcntl.flock(lock, fcntl.LOCK_EX)
        bring_up_to_date()


def bring_up_to_date():
    """Make what is missing."""
    lock = NOW_LOCK.read_text()
    home = Path(sys.prefix) if "--reader" in sys.argv else NOW
    if home == NOW:
        project, _, _tools = (ROOT / "pyproject.toml").read_text().partition("[tool.")
        packages = project, (ROOT / "examine" / "pyproject.toml").read_text()
        ensure(NOW, stamp(lock, *packages), make_now)
    then = stamp(stamp(lock), THEN_LOCK.read_text())
    ensure(THEN, then, lambda: make_then(home / "bin" / "python"))
    register(home)


def run_main():
    """Run `main`, and end with one line where something stops it."""
    try:
        main()
    except SetupError as error:
        sys.exit(f"error: {error}")
    except OSError as error:  # a file of ours could not be written
        what = f"{error.filename} cannot be written ({error.strerror}): mend that, then run make"
        sys.exit(f"error: {SPACE if FULL.search(str(error)) else what + ' again.'}")
    except KeyboardInterrupt:
        sys.exit("\nInterrupted: nothing half-made is kept; run make again to go on.")


if __name__ == "__main__":
    run_main()
