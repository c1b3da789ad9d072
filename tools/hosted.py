"""Run the book as its two hosts do: `python -m tools.hosted binder`, or `colab`.

**Binder.** repo2docker installs `binder/requirements.txt` with pip into an environment of its own
and runs `binder/postBuild`. So does this, in a copy of the repository and with an empty home; then
it executes a chapter there.

**Colab** brings Python 3.12 with IPython 7 and its kernel 6.17. So does this; the notebooks of the
foundations are executed from their first cell on, which installs the book's releases. Only the
package is taken from this checkout.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tools import environments, latest

ROOT = environments.ROOT
WORK = environments.CACHE / "hosted"
PAGE = "book/failures/lazy-pytree-drift.md"
OF_COLAB = ("ipython==7.34.0", "ipykernel==6.17.1", "matplotlib<3.11", "numpy<2.1", "pip")


def binder() -> list[str]:
    """Build and execute as Binder does; return what is wrong."""
    repository, environment, home = (WORK / name for name in ("repository", "venv", "home"))
    home.mkdir(parents=True)
    environments.copy_sources(repository)
    # A container knows none of the variables of this checkout.
    passed = ("PIP_", "UV_INDEX", "SSL_", "LANG")
    env = {
        key: value
        for key, value in os.environ.items()
        if key.startswith(passed) or key.lower().endswith("_proxy")
    }
    env |= {"HOME": str(home), "PATH": f"{environment}/bin:/usr/local/bin:/usr/bin:/bin"}
    python = (repository / "binder" / "runtime.txt").read_text().strip().replace("-", "")
    notebook = str(home / "page.ipynb")
    steps = [
        [shutil.which(python) or sys.executable, "-m", "venv", str(environment)],
        ["python", "-m", "pip", "install", "-q", "--no-cache-dir", "-r", "binder/requirements.txt"],
        ["bash", "binder/postBuild"],
        ["jupytext", "--from", "md:myst", "--to", "ipynb", "-o", notebook, PAGE],
        ["jupyter", "execute", "--timeout=600", notebook],  # a cell that raises untagged ends it
    ]
    for step in steps:
        print(f"{' '.join(step)} …", flush=True)
        done = subprocess.run(step, cwd=repository, env=env, capture_output=True, text=True)
        if done.returncode:
            return [f"this step failed: {step}\n{done.stdout[-2000:]}{done.stderr[-3000:]}"]
    return []


def colab_kernel() -> None:
    """Make an environment as Colab has it, and register its kernel for this process."""
    cure = "It could not be installed: check the network, and that Python 3.12 can be fetched."
    environments.create(WORK / "venv", "3.12", *OF_COLAB, cure=cure)
    environments.register_kernel(WORK / "jupyter" / "kernels" / "python3", WORK / "venv", "Colab")
    os.environ |= {"JUPYTER_PATH": str(WORK / "jupyter"), "TRACE_EVIDENCE_ORDINARY_KERNELS": "1"}


def colab() -> list[str]:
    """Execute the foundations as Colab does; return what is not as their pages declare it."""
    print("installing what Colab has …", flush=True)
    colab_kernel()
    # Here and not above: Jupyter reads its folders from the variable when it is imported.
    from bookkit import execute, pages, taught
    from bookkit.formats import colab as made

    wrong = []
    for page in taught.foundations():
        print(f"{Path(page).name} …", flush=True)
        notebook = made.notebook(page)
        install = next(cell for cell in notebook.cells if cell.id == "install")
        install.source = install.source.replace(made.package(), f"trace-evidence @ file://{ROOT}")
        execution = execute.run_chapter(WORK / "page.ipynb", notebook, 600)
        wrong += latest.findings(pages.path_of(page), execution)
    return wrong


def main() -> int:
    """Run one of them; return 0 where a reader could work there."""
    hosts = {"binder": binder, "colab": colab}
    if len(sys.argv) != 2 or sys.argv[1] not in hosts:
        print("usage: python -m tools.hosted binder|colab", file=sys.stderr)
        return 2
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    try:
        wrong = hosts[sys.argv[1]]()
    finally:
        shutil.rmtree(WORK, ignore_errors=True)
    print("\n".join(f"error: {line}" for line in wrong), file=sys.stderr)
    return int(bool(wrong))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except environments.SetupError as error:
        sys.exit(f"error: {error}")
