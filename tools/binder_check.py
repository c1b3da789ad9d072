"""Do what Binder does, without Docker: `make check-binder`.

repo2docker installs `binder/requirements.txt` with pip into an environment of its own, runs
`binder/postBuild`, and starts JupyterLab. So does this, in an empty folder and with an empty home.
Then it executes a chapter from its `.md` and a workshop notebook over JupyterLab's API, and says
what the image would hold and how long a reader waits.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from importlib.metadata import distributions
from pathlib import Path

from tools import lab_client

ROOT = Path(__file__).resolve().parent.parent
HOME = ROOT / ".cache" / "binder"
PAGES = ["book/failures/lazy-pytree-drift.md", "_build/workshop/student/pytrees.ipynb"]
NOT_FOR_READERS = {"jupyter-book", "sphinx", "myst-nb", "pytest", "ruff", "playwright", "typst"}
LARGEST = 8


def megabytes(folder: Path) -> float:
    """Return the size of a folder's files in MB, each counted once."""
    seen = {}
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink():
            status = path.stat()
            seen[status.st_ino] = status.st_size
    return sum(seen.values()) / 1e6


def parts(environment: Path) -> list[tuple[str, float]]:
    """Return the packages of an environment with their sizes in MB, the largest first."""
    site = next(environment.glob("lib/python3.*/site-packages"))
    sizes = {}
    for package in distributions(path=[str(site)]):
        files = [site / file for file in package.files or []]
        sizes[package.name] = sum(f.stat().st_size for f in files if f.is_file()) / 1e6
    return sorted(sizes.items(), key=lambda item: -item[1])


def build(repository: Path, environment: Path, env: dict) -> None:
    """Do the steps of repo2docker's build, one after the other."""
    python = shutil.which("python3.12") or sys.executable
    steps: list[list] = [
        [python, "-m", "venv", environment],
        ["python", "-m", "pip", "install", "-q", "--no-cache-dir", "-r", "binder/requirements.txt"],
        ["bash", "binder/postBuild"],
    ]
    for step in steps:
        words = " ".join(Path(str(word)).name for word in step)
        print(f"{words} …", flush=True)
        begin = time.monotonic()
        done = subprocess.run(
            [str(word) for word in step],
            cwd=repository, env=env, capture_output=True, text=True,
        )  # fmt: skip
        if done.returncode:
            print(done.stdout[-2000:], done.stderr[-3000:], sep="\n", file=sys.stderr)
            raise SystemExit(f"error: this step of the Binder build failed: {words}")
        print(f"  {time.monotonic() - begin:.0f} s", flush=True)


def main() -> int:
    """Build, start JupyterLab, execute, report; return 0 where a reader could work."""
    shutil.rmtree(HOME, ignore_errors=True)
    repository, environment, home = HOME / "repository", HOME / "environment", HOME / "home"
    home.mkdir(parents=True)
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split("\0")
    for name in filter(None, listed):
        (repository / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, repository / name)
    # A container knows none of the variables of this checkout.
    keep = {
        k: v for k, v in os.environ.items() if k.startswith(("PIP_", "UV_INDEX", "SSL_", "LANG"))
    }
    keep |= {k: v for k, v in os.environ.items() if k.lower().endswith("_proxy")}
    env = keep | {"HOME": str(home), "PATH": f"{environment}/bin:/usr/local/bin:/usr/bin:/bin"}
    build(repository, environment, env)

    then = repository / ".venv-then"
    print("What the image holds, in MB:")
    rest = megabytes(repository) - megabytes(then)
    for name, folder in (("now", environment), ("then", then)):
        largest = ", ".join(f"{package} {size:.0f}" for package, size in parts(folder)[:LARGEST])
        print(f"  {name:5} {megabytes(folder):5.0f}  {largest}")
    print(f"  {'book':5} {rest:5.0f}\n  {'home':5} {megabytes(home):5.0f}")
    names = {name.lower() for folder in (environment, then) for name, _ in parts(folder)}
    wrong = [f"{name} is installed, and no reader needs it" for name in names & NOT_FOR_READERS]

    runtime = HOME / "runtime"
    runtime.mkdir()
    command = [environment / "bin" / "jupyter", "lab", "--ip=127.0.0.1", "--port=0", "--no-browser"]
    with subprocess.Popen(
        [*map(str, command), "--allow-root"],
        cwd=repository,
        env=env | {"JUPYTER_RUNTIME_DIR": str(runtime)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as server:
        try:
            ready = lambda: next(runtime.glob("jpserver-*.json"), None)  # noqa: E731
            found = json.loads(lab_client.wait_until(ready, 120, "JupyterLab's start").read_text())
            base, headers = found["url"].rstrip("/"), {"Authorization": f"token {found['token']}"}
            base = base.replace("localhost", "127.0.0.1")
            lab_client.wait_until(
                lambda: lab_client.fetch(f"{base}/api/status", headers), 60, "JupyterLab's answer"
            )
            for page in PAGES:
                run = lab_client.run_chapter(base, headers, page)
                print(
                    f"{page}: {run.cells} cells in {run.seconds:.0f} s, first output after "
                    f"{run.first:.1f} s, {len(run.failed)} not as declared"
                )
                wrong += [f"{page}: {line}" for line in run.failed]
        finally:
            server.terminate()
    for line in wrong:
        print(f"error: {line}", file=sys.stderr)
    return int(bool(wrong))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("\nInterrupted: run make check-binder again; it begins anew.")
    finally:
        shutil.rmtree(HOME, ignore_errors=True)
