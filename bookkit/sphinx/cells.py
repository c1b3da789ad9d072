"""The Sphinx side of the book: directives, marks on cells, formulas, a fresh cache."""

from __future__ import annotations

import re
from pathlib import Path

from docutils import nodes
from ipython_pygments_lexers import IPython3Lexer
from latex2mathml.converter import convert
from pygments.lexer import bygroups, using
from pygments.lexers import Python3Lexer
from pygments.token import Operator, Text
from sphinx.application import Sphinx

from bookkit import execute, pages
from bookkit.expectations import SILENT

from .directives import DIRECTIVES

TRIAGE_PAGE = "book/reference/error-index"
THEN_PINS = pages.ROOT / "stacks" / "then.in"


class ThenLexer(IPython3Lexer):
    """IPython's lexer, which also reads the body of a ``%%then`` or ``%%check`` cell."""

    name = "IPython with %%then"
    aliases = ("ipython3-then",)
    tokens = {  # noqa: RUF012 - Pygments' own protocol
        **IPython3Lexer.tokens,
        "root": [
            (
                r"(?s)(%%(?:then|check))([^\n]*\n)(.*)",
                bygroups(Operator, Text, using(Python3Lexer)),
            ),
            *IPython3Lexer.tokens["root"],
        ],
    }


def then_label() -> str:
    """Return what a ``%%then`` cell is marked with: the versions that it runs on."""
    pins = dict(re.findall(r"^(\w+)==(\S+)", THEN_PINS.read_text(), re.M))
    return f"then · August 2024 · JAX {pins['jax']} · NumPyro {pins['numpyro']}"


def mark_cells(app: Sphinx, doctree: nodes.document) -> None:
    """Mark cells that run on ``then``, that raise, and that fail silently, in words."""
    for cell in list(doctree.findall(nodes.container)):
        if cell.get("nb_element") != "cell_code":
            continue
        metadata = cell["cell_metadata"]
        marks = []
        for source in cell.findall(nodes.literal_block):
            if source.astext().startswith(("%%then", "%%check")):
                source["language"] = ThenLexer.aliases[0]
            if source.astext().startswith("%%then"):
                marks.append(("then", then_label()))
            break
        for kind in ("raises", "warns"):
            # Where the output is folded away, the reader is to guess it.
            if kind in metadata.get("expect", {}) and "hide-output" not in metadata.get("tags", []):
                marks.append((kind, f"{kind} {metadata['expect'][kind]}"))
        if SILENT in metadata.get("tags", []):
            marks.append(("silent", "silent: wrong, without an error"))
        if marks:
            cell["classes"] += [f"cell-{kind}" for kind, _ in marks]
            words = [nodes.inline("", text, classes=[f"mark-{kind}"]) for kind, text in marks]
            marks_line = nodes.paragraph("", "", *words, classes=["cell-marks"])
            cell.parent.insert(cell.parent.index(cell), marks_line)


def write_math(translator, node: nodes.math) -> None:
    """Write a formula as MathML, which browsers draw by themselves."""
    translator.body.append(convert(node.astext()))
    raise nodes.SkipNode


def write_math_block(translator, node: nodes.math_block) -> None:
    """Write a displayed formula as MathML."""
    translator.body.append(f'<div class="math">{convert(node.astext(), display="block")}</div>')
    raise nodes.SkipNode


def refresh_cache(app: Sphinx, config) -> None:
    """Throw away executed chapters that another stack produced."""
    if config.nb_execution_mode == "cache":
        execute.open_cache(Path(config.nb_execution_cache_path or execute.CACHE))


def add_triage(app: Sphinx, page: str, template: str, context: dict, doctree) -> None:
    """Load the script of the triage box on the page that has one."""
    if page == TRIAGE_PAGE:
        app.add_js_file("triage.js")


def setup(app: Sphinx) -> dict:
    """Register what the book needs with Sphinx."""
    app.add_lexer(ThenLexer.aliases[0], ThenLexer)
    app.add_html_math_renderer("mathml", (write_math, None), (write_math_block, None))
    for name, directive in DIRECTIVES.items():
        app.add_directive(name, directive)
    app.connect("html-page-context", add_triage)
    app.connect("config-inited", refresh_cache)
    app.connect("doctree-read", mark_cells)
    return {"parallel_read_safe": True, "version": "1"}
