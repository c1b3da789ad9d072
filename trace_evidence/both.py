"""The cell magic ``%%both``: run one program on both stacks, and show its two outcomes together.

An outcome is what the cell printed, showed or raised there. An error of one side does not stop the
other, nor the notebook. The outcomes are published as one output: HTML for a notebook, and the
outputs themselves as data (`MIME`), from which the book's pages are made.
"""

import html
import re
from typing import Any

from IPython.core.interactiveshell import InteractiveShell
from IPython.core.magic import Magics, cell_magic, magics_class
from IPython.display import publish_display_data
from IPython.utils.capture import capture_output

from .then import MISSING, ThenKernel
from .triage import installed
from .words import translatable

MIME = "application/vnd.trace-evidence.both+json"
SIDES = translatable({"then": "then · August 2024", "now": "now"})
LIBRARIES = {"jax": "JAX", "numpyro": "NumPyro", "equinox": "Equinox"}
ANSI = re.compile(r"\x1b\[[0-9;]*m")
VERSIONS = (
    "from importlib.metadata import version\n"
    f"print(*[version(name) for name in {list(LIBRARIES)!r}])"
)


def label(side: str, versions: dict[str, str]) -> str:
    """Return the words above an outcome: the side, and the versions that it ran on."""
    releases = [f"{LIBRARIES[name]} {number}" for name, number in versions.items()]
    return " · ".join([SIDES[side], *releases])


def run_here(shell, code: str) -> list[dict[str, Any]]:
    """Run a cell in this kernel; return its outputs in nbformat's form."""
    errors = []

    def keep(kind, value, lines):
        error = {"ename": kind.__name__, "evalue": str(value), "traceback": list(lines)}
        errors.append({"output_type": "error", **error})

    before = shell._showtraceback
    shell._showtraceback = keep
    try:
        with capture_output() as captured:
            shell.run_cell(code, store_history=False)
    finally:
        shell._showtraceback = before
    outputs: list[dict[str, Any]] = []
    for name in ("stdout", "stderr"):
        if text := getattr(captured, name):
            outputs.append({"output_type": "stream", "name": name, "text": text})
    for shown in captured.outputs:
        data, metadata = shown.data, shown.metadata or {}
        outputs.append({"output_type": "display_data", "data": data, "metadata": metadata})
    return outputs + errors


def run_there(kernel: ThenKernel, code: str, shell) -> list[dict[str, Any]]:
    """Run a cell in the other kernel; return its outputs in nbformat's form.

    As in `run_here`, what it printed comes first and its warnings second: the other kernel sends
    its two streams when their buffers are flushed, so their order says nothing.
    """
    outputs: list[dict[str, Any]] = []
    printed = {"stdout": "", "stderr": ""}
    for kind, content in kernel.messages(code):
        if kind == "stream":
            printed[content["name"]] += content["text"]
        elif kind in ("display_data", "execute_result"):
            shown = {"data": content["data"], "metadata": content["metadata"]}
            outputs.append({"output_type": "display_data", **shown})
        elif kind == "error":
            keys = ("ename", "evalue", "traceback")
            outputs.append({"output_type": "error"} | {key: content[key] for key in keys})
    for error in [output for output in outputs if output.get("ename") == "NameError"]:
        advice = kernel.advice(shell, error["evalue"])
        printed["stdout"] += f"The kernel `then` has its own variables. {advice}\n"
    streams = [
        {"output_type": "stream", "name": name, "text": text}
        for name, text in printed.items()
        if text
    ]
    return streams + outputs


def block(output: dict[str, Any]) -> str:
    """Return one output as HTML that stands in a notebook."""
    pre = '<pre style="white-space: pre-wrap; overflow-wrap: anywhere; margin: 0.3em 0;">'
    if output["output_type"] == "stream":
        return f"{pre}{html.escape(ANSI.sub('', output['text']))}</pre>"
    if output["output_type"] == "error":
        frames = html.escape(ANSI.sub("", "\n".join(output["traceback"])))
        last = html.escape(f"{output['ename']}: {output['evalue']}")
        opening = "<details><summary>Traceback</summary>"
        return f"{opening}{pre}{frames}</pre></details>{pre}<b>{last}</b></pre>"
    data = output["data"]
    if "image/svg+xml" in data:
        svg = data["image/svg+xml"]
        return svg[svg.index("<svg") :]
    return f"{pre}{html.escape(data.get('text/plain', ''))}</pre>"


def as_html(sides: dict[str, dict[str, Any]]) -> str:
    """Return both outcomes side by side, one under the other where the window is narrow."""
    columns = []
    for name, side in sides.items():
        body = "".join(map(block, side["outputs"])) or "<p><em>nothing to show</em></p>"
        style = "flex: 1 1 20em; min-width: 0; border-top: 2px solid; padding-top: 0.3em;"
        words = html.escape(label(name, side["versions"]))
        columns.append(f'<section style="{style}"><small>{words}</small>{body}</section>')
    style_of_row = "display: flex; flex-wrap: wrap; gap: 1em; align-items: flex-start;"
    return f'<div style="{style_of_row}">{"".join(columns)}</div>'


@magics_class
class BothMagics(Magics):
    """Runs a cell on both kernels; the other one is that of ``%%then``."""

    shell: InteractiveShell
    there: dict[str, str] | None = None

    @cell_magic
    def both(self, line: str, cell: str):
        """Run the cell on the stack of August 2024 and on this one, and show both outcomes."""
        if line.strip():
            raise ValueError(f"%%both takes no arguments; it got {line.strip()!r}.")
        kernel = self.shell.magics_manager.registry["ThenMagics"].started()
        if kernel is None:
            missing = {"output_type": "stream", "name": "stdout", "text": MISSING}
            then: dict[str, Any] = {"versions": {}, "outputs": [missing]}
        else:
            outputs = run_there(kernel, cell, self.shell)
            then = {"versions": self.versions(kernel), "outputs": outputs}
        releases = installed()
        here = {name: releases[name] for name in LIBRARIES if name in releases}
        now = {"versions": here, "outputs": run_here(self.shell, cell)}
        sides = {"then": then, "now": now}
        if any(side["outputs"] for side in sides.values()):
            text = "Two outcomes, which a notebook shows side by side."
            publish_display_data({MIME: sides, "text/html": as_html(sides), "text/plain": text})

    def versions(self, kernel: ThenKernel) -> dict[str, str]:
        """Return the versions of the libraries on the other kernel; asked for once."""
        if self.there is None:
            printed = "".join(
                out["text"] for out in run_there(kernel, VERSIONS, self.shell) if "text" in out
            )
            self.there = dict(zip(LIBRARIES, printed.split(), strict=False))
        return self.there
