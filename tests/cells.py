"""Run a few cells as a page does; for the tests of the magics."""

from pathlib import Path

import nbformat
from nbformat import NotebookNode

from bookkit import execute

LOAD = "%load_ext trace_evidence"
# What makes a page's kernel one where `then` is not installed, as a reader's may be.
ABSENT = (
    "import os, trace_evidence.then as then\nthen.KERNEL_NAME = 'absent'\n"
    f"del os.environ[{execute.REQUIRED_VARIABLE!r}]"
)


def run_cells(folder: Path, *sources: str) -> list[list[NotebookNode]]:
    """Execute cells on one fresh kernel, going on after errors; return each one's outputs."""
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    for cell in cells:
        cell.metadata["tags"] = ["raises-exception"]
    kernel = {"name": "python3", "display_name": "now", "language": "python"}
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    execution = execute.run_chapter(folder / "page.md", notebook)
    assert not execution.reason
    return [cell.outputs for cell in notebook.cells]


def printed_by(folder: Path, *sources: str) -> list[str]:
    """Return what each of a few cells printed, or the message that it stopped with."""
    texts = [
        [out.get("text") or out.get("evalue", "") for out in outputs]
        for outputs in run_cells(folder, *sources)
    ]
    return ["".join(parts).strip() for parts in texts]
