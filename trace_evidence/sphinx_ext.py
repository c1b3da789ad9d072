"""The Sphinx side of the book: front cards, the marks on cells, and a cache that is never stale."""

from __future__ import annotations

import re

from docutils import nodes
from docutils.statemachine import StringList
from ipython_pygments_lexers import IPython3Lexer
from latex2mathml.converter import convert
from pygments.lexer import bygroups, using
from pygments.lexers import Python3Lexer
from pygments.token import Operator, Text
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from . import catalogue, chapters, matrix
from .expectations import SILENT

THEN_PINS = chapters.ROOT / "stacks" / "then.in"


class ThenLexer(IPython3Lexer):
    """IPython's lexer, which also reads the body of a ``%%then`` cell as Python."""

    name = "IPython with %%then"
    aliases = ("ipython3-then",)
    tokens = {  # noqa: RUF012 - Pygments' own protocol
        **IPython3Lexer.tokens,
        "root": [
            (r"(?s)(%%then)([^\n]*\n)(.*)", bygroups(Operator, Text, using(Python3Lexer))),
            *IPython3Lexer.tokens["root"],
        ],
    }


class Generated(SphinxDirective):
    """A directive whose content is MyST Markdown that the catalogue provides."""

    def parse(self, text: str) -> list[nodes.Node]:
        """Parse Markdown as if it stood in the page."""
        parent = nodes.Element()
        self.env.note_dependency(str(catalogue.FILE))
        self.state.nested_parse(StringList(text.splitlines(), source="catalogue"), 0, parent)
        return parent.children


class FrontCard(Generated):
    """The card at the top of a failure chapter, from the catalogue and the front matter."""

    def run(self) -> list[nodes.Node]:
        """Return the card."""
        meta = chapters.front_matter(chapters.Path(self.env.doc2path(self.env.docname)))["failure"]
        failure = catalogue.load()[meta["id"]]
        self.env.note_dependency(str(matrix.FILE))
        minutes, versions = meta["minutes"], matrix.sentence(failure.id)
        prerequisites = ", ".join(
            f"[](/book/{need['page']}.md) ({need['need']})" for need in meta["prerequisites"]
        )
        rows = {
            "Symptom": failure.symptom,
            "Message": f"`{failure.message}`",
            "Cure": f"{failure.cure} [Jump to *Fix it*](#fix-it).",
            "Versions": f"{versions[0].upper()}{versions[1:]}.",
            "Upstream": ", ".join(f"[{text}]({url})" for text, url in failure.upstream),
            "Time": f"reading {minutes['reading']} min, teaching {minutes['teaching']} min, "
            f"exercises {minutes['exercises']} min",
            "Needs": prerequisites,
        }
        lines = [f"{key}\n: {value}\n" for key, value in rows.items()]
        goals = [f"- {goal}" for goal in meta["objectives"]]
        card = [":::::{div} front-card", *lines, "After this chapter you can\n", *goals, ":::::"]
        return self.parse("\n".join(card))


class FailureTable(Generated):
    """The failures at a glance: one row each, linked to its chapter."""

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        rows = ["| Failure | What you see | What cures it |", "|---|---|---|"]
        for failure in catalogue.load().values():
            link = f"[{failure.title}](/book/failures/{failure.id}.md)"
            rows.append(f"| {link} | {failure.symptom} | {failure.cure} |")
        return self.parse("\n".join(rows))


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
            if source.astext().startswith("%%then"):
                source["language"] = ThenLexer.aliases[0]
                marks.append(("then", then_label()))
            break
        for kind in ("raises", "warns"):
            if kind in metadata.get("expect", {}):
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
        chapters.open_cache(chapters.Path(config.nb_execution_cache_path or chapters.CACHE))


def setup(app: Sphinx) -> dict:
    """Register what the book needs with Sphinx."""
    app.add_lexer(ThenLexer.aliases[0], ThenLexer)
    app.add_html_math_renderer("mathml", (write_math, None), (write_math_block, None))
    app.add_directive("front-card", FrontCard)
    app.add_directive("failure-table", FailureTable)
    app.connect("config-inited", refresh_cache)
    app.connect("doctree-read", mark_cells)
    return {"parallel_read_safe": True, "version": "1"}
