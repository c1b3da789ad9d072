"""Do what Colab does with the foundations, in an environment of its own: `make check-colab`.

Colab runs Python 3.12 with IPython 7 and its kernel 6.17. The notebooks are executed from the first
cell on, which installs the book's releases; only the package is taken from this checkout.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from pathlib import Path

from tools import environments

ROOT = environments.ROOT
WORK = environments.CACHE / "colab"
PYTHON = WORK / "venv" / "bin" / "python"
OF_COLAB = ("ipython==7.34.0", "ipykernel==6.17.1", "matplotlib<3.11", "numpy<2.1", "pip")


def make_kernel() -> None:
    """Make an environment as Colab has it, and register its kernel for this process."""
    shutil.rmtree(WORK, ignore_errors=True)
    cure = "It could not be installed: check the network, and that Python 3.12 can be fetched."
    environments.create(WORK / "venv", "3.12", *OF_COLAB, cure=cure)
    folder = WORK / "jupyter" / "kernels" / "python3"
    folder.mkdir(parents=True)
    argv = [str(PYTHON), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    spec = {"argv": argv, "display_name": "Colab", "language": "python"}
    (folder / "kernel.json").write_text(json.dumps(spec))
    os.environ["JUPYTER_PATH"] = str(folder.parent.parent)


def run(page: str) -> list[str]:
    """Execute a page's notebook, and return what is not as the page declares it."""
    from nbclient import NotebookClient

    from bookkit import expectations, pages
    from bookkit.editions import colab

    notebook = colab.notebook(page)
    install = next(cell for cell in notebook.cells if cell.id == "install")
    install.source = install.source.replace(colab.package(), f"trace-evidence @ file://{ROOT}")
    NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(WORK)}}).execute()
    done = [cell for cell in notebook.cells if cell.cell_type == "code"][1:]
    wrong = []
    for (line, cell), ran in zip(pages.code_cells(pages.path_of(page)), done, strict=True):
        cell.outputs = ran.outputs
        for problem in expectations.check(cell):
            happened = f"expected {problem.expected}, happened {problem.happened}"
            wrong.append(f"{page}.md, line {line}: {happened}")
    return wrong


def main() -> int:
    """Execute all of them; return 0 where each does what its page declares."""
    print("installing what Colab has …", flush=True)
    try:
        make_kernel()
    except environments.SetupError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    # Here and not above: Jupyter reads its folders from the variable when it is imported.
    from nbclient.exceptions import CellExecutionError

    from bookkit.editions import colab

    wrong = []
    for page in colab.foundations():
        begin = time.monotonic()
        try:
            found = run(page)
        except CellExecutionError as error:
            found = [f"{page}.md: {str(error).strip().splitlines()[-1]}"]
        print(f"{Path(page).name}: {time.monotonic() - begin:.0f} s, {len(found)} not as declared")
        wrong += found
    for line in wrong:
        print(f"error: {line}", file=sys.stderr)
    return int(bool(wrong))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("\nInterrupted: run make check-colab again; it begins anew.")
    finally:
        shutil.rmtree(WORK, ignore_errors=True)
