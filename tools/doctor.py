"""See whether this machine is ready for the book: `make doctor`. It changes nothing.

It needs no more than a Python 3.8, since it may be what finds out that there is no better one.
"""

import os
import platform
import re
import shutil
import socket
import subprocess
import sys
from functools import partial
from pathlib import Path

from tools import environments

MEMORY_GB, DISK_GB = 2.0, 4.0
PORTS = {8888: "make lab takes the next free port", 8000: "use make serve PORT=8001"}
# Run by the environment's own Python: start a kernel, run a line, print what it answers.
ASK = """
import sys
from jupyter_client.manager import run_kernel
said = []
hook = lambda message: said.append(message["content"].get("text", ""))
with run_kernel(kernel_name=sys.argv[1], startup_timeout=90) as client:
    client.execute_interactive(
        "import jax, numpyro; print('JAX', jax.__version__, 'NumPyro', numpyro.__version__)",
        timeout=90, output_hook=hook)
print("".join(said).strip())
"""


def check_python():
    """Return what Python there is for the book, and a cure where there is none."""
    try:
        environments.check_machine()
        found = environments.find_python()
    except environments.SetupError as error:
        return "the book does not run here", str(error)
    where = f"Python 3.12 ({found})" if found else "no Python 3.12; make book fetches one"
    return f"{platform.system()} {platform.machine()}, {where}", ""


def check_kernel(name):
    """Return what a kernel answers when asked for its versions, and a cure where it does not."""
    python = environments.NOW / "bin" / "python"
    if not python.exists():
        return "the environments are not installed", "run make lab once, or make book"
    env = dict(os.environ, JUPYTER_RUNTIME_DIR=str(environments.CACHE / "runtime"))
    try:
        done = subprocess.run(
            [str(python), "-c", ASK, name], env=env, capture_output=True, text=True, timeout=240
        )
    except subprocess.TimeoutExpired:
        return "it did not answer in four minutes", "close other programs, and try again"
    if done.returncode == 0 and re.match(r"JAX \S+ NumPyro \S+$", done.stdout.strip()):
        return done.stdout.strip(), ""
    last = (done.stdout.strip() or done.stderr.strip() or "no answer").splitlines()[-1]
    return last, "run make book; if that does not help, make clean, then make book"


def check_releases():
    """Return whether a release of the environment computes wrong numbers, and its cure."""
    ask = "from trace_evidence import avoid; print(*avoid.known_bad())"
    python = shutil.which(str(environments.NOW / "bin" / "python"))
    if python is None:
        return "not asked, for the environments are not installed", ""
    said = subprocess.run([python, "-c", ask], stdout=subprocess.PIPE).stdout.decode().strip()
    return "wrong numbers" if said else "none whose wrong numbers another release mends", said


def check_memory():
    """Return how much memory is free, and a cure where it is too little."""
    try:
        (kilobytes,) = re.findall(r"MemAvailable: +(\d+)", Path("/proc/meminfo").read_text())
        free = int(kilobytes) / 1e6
        words = f"{free:.1f} GB of memory free"
    except (OSError, ValueError):  # macOS: what is installed, since most of it can be freed
        free = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
        words = f"{free:.1f} GB of memory"
    cure = f"close other programs: both kernels together need {MEMORY_GB:.0f} GB"
    return words, "" if free >= MEMORY_GB else cure


def check_disk():
    """Return how much disk is free, and a cure where the environments would not fit."""
    free = shutil.disk_usage(str(environments.ROOT)).free / 1e9
    there = (environments.THEN / "complete").exists()
    needed = 0.5 if there else DISK_GB
    cure = f"free {needed:.1f} GB on this disk"
    return f"{free:.0f} GB of disk free", "" if free >= needed else cure


def check_port(number, cure):
    """Return whether a port is free on loopback, and what to do where it is not."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", number))
        except OSError:
            return f"port {number} is taken", cure
    return f"port {number} is free", ""


def main():
    """Print a line for each finding; return 0 where nothing stands in the way."""
    print("Looking at this machine (the kernels take a moment) …", flush=True)
    checks = [
        ("releases", check_releases, True),
        ("python", check_python, True),
        ("kernel now", lambda: check_kernel("python3"), True),
        ("kernel then", lambda: check_kernel("then"), True),
        ("memory", check_memory, True),
        ("disk", check_disk, True),
    ]
    for number, cure in PORTS.items():
        checks.append(("port", partial(check_port, number, cure), False))
    bad = 0
    for name, check, needed in checks:
        words, cure = check()
        mark = "ok" if not cure else "cure" if needed else "note"
        bad += mark == "cure"
        print("{:5} {:12} {}{}".format(mark, name, words, "; " + cure if cure else ""), flush=True)
    print("Ready." if not bad else f"Not ready: {bad} to mend, as the lines above say.")
    return int(bad > 0)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:  # who reads has seen enough, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
