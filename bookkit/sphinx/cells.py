"""The Sphinx side of cells, in any book: marks, folds, formulas, a fresh cache."""

import re

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.highlighting import PygmentsBridge

from bookkit import entries, execute, outputs, pages, taught
from bookkit.expectations import SILENT
from bookkit.languages import say

from . import render

SCRIPTS = {
    '<form id="': "asked.js",  # before those that ask it
    'id="case-filter"': "casebook.js",
    'id="narrow"': "narrow.js",
    'id="cell-filter"': "can-i-use.js",
    'class="steps"': "steps.js",
    'class="predict"': "predict.js",
}
THEN_PINS = pages.ROOT / "evidence" / "stacks" / "then.in"


def source_of(cell: nodes.container) -> nodes.literal_block | None:
    """Return the block that holds a code cell's source, or None where it is removed."""
    for part in cell.children:
        if part.get("nb_element") == "cell_code_source":
            return next(part.findall(nodes.literal_block), None)
    return None


def is_folded(node: nodes.Node | None) -> bool:
    """Tell whether a node is a code cell whose source is folded."""
    if not isinstance(node, nodes.container) or node.get("nb_element") != "cell_code":
        return False
    return node.get("hide_mode") == "input"


def merge_folded(doctree: nodes.document) -> None:
    """Put folded cells that follow one another, and show nothing so far, behind one line."""
    for cell in list(doctree.findall(is_folded)):
        after = cell.next_node(siblings=True, descend=False)
        if is_folded(after) and len(cell.children) == 1:
            after.children[0].insert(0, cell.children[0].children)
            cell.parent.remove(cell)


def prompts(source: str, metadata: dict, folded: str, shows: bool) -> tuple[str, str]:
    """Return what the folded part of a cell is announced by, closed and open.

    Args:
        source: the cell's code.
        metadata: its metadata.
        folded: "input", "output", or "all" of it.
        shows: whether anything comes of it.
    """
    if folded == "output":
        return say("Show the output"), say("Hide the output")
    if {"figure", "steps"} & set(metadata.get("expect", {})):
        return say("Show how the figure is drawn"), say("Hide how the figure is drawn")
    if re.match(r"(%%both\n)?(%load_ext|import|from) ", source):
        return say("Show the imports"), say("Hide the imports")
    if "laboratory" in metadata.get("tags", []):
        return say("The laboratory"), say("The laboratory")
    if "replies" in metadata.get("tags", []):
        return say("Show what the replies rest on"), say("Hide what the replies rest on")
    if shows and folded == "all":
        return say("Show one more program"), say("Hide the program")
    if shows:
        return say("Show how this is computed"), say("Hide how this is computed")
    if re.search(r"^assert\b", source, re.M):
        return say("Show what is checked"), say("Hide what is checked")
    return say("Show how it is cleared away"), say("Hide how it is cleared away")


def hide_magic(block: nodes.literal_block) -> None:
    """Leave out the line that says on which stack a cell runs: its marks say so."""
    text = re.sub(r"\A%%(then|both)\n", "", block.astext())
    if text != block.astext():
        block.rawsource, block.children = text, []
        block += nodes.Text(text)


def fold_asserts(block: nodes.literal_block) -> None:
    """Fold the assertions that end a cell behind a line that counts them."""
    shown, held = pages.split_asserts(block.astext())
    if not held:
        return
    count = len(re.findall(r"^assert\b", held, re.M))
    words = say("Checked here: {count} assertions", count=count)
    if count == 1:
        words = say("Checked here: 1 assertion")
    parts = []
    for text in filter(str.strip, (shown, held)):
        parts.append(block.copy())
        parts[-1].rawsource = text
        parts[-1] += nodes.Text(text)
    place = block.parent.index(block)
    block.parent[place : place + 1] = [*parts[:-1], *render.fold("asserts", words, parts[-1])]


def how_to_answer(page: str) -> nodes.raw:
    """Return the line that says how an exercise is done, whose cells run nowhere on a page."""
    source = "../" * page.count("/") + f"_sources/{page}.ipynb"
    text = say(
        "To answer, open this page {binder}, or {download} and open it in JupyterLab. Run the "
        "cells above, fill in the next one, and run it with its check.",
        binder=f'<a href="{taught.binder_address(page)}">{say("in Binder")}</a>',
        download=f'<a href="{source}" download>{say("download it")}</a>',
    )
    return render.raw(f'<p class="how-to">{text}</p>')


def mark_cells(app: Sphinx, doctree: nodes.document) -> None:
    """Mark cells that run on ``then``, that raise, and that fail silently, in words."""
    merge_folded(doctree)
    for cell in list(doctree.findall(nodes.container)):
        if cell.get("nb_element") != "cell_code":
            continue
        metadata = cell["cell_metadata"]
        tags = metadata.get("tags", [])
        marks: list[tuple[str, str]] = []
        came: list[tuple[str, str]] = []  # what is marked where the outcome is, below a question
        source = source_of(cell)
        text = source.astext() if source is not None else ""
        for block in cell.findall(nodes.literal_block):
            hide_magic(block)
        if text.startswith("%%then"):
            pins = dict(re.findall(r"^(\w+)==(\S+)", THEN_PINS.read_text(), re.M))
            words = say("then · August 2024") + outputs.releases(app.env.docname, pins)
            marks.append(("then", words))
        if cell.get("hide_mode"):
            cell["prompt_show"], cell["prompt_hide"] = prompts(
                text, metadata, cell["hide_mode"], len(cell.children) > 1
            )
        elif source is not None:
            fold_asserts(source)
        # Where the output is folded away, the reader is to guess it.
        if not {"hide-output", "laboratory"} & set(tags):
            came += outputs.declared(metadata.get("expect", {}))
        if SILENT in tags:
            case = entries.cases().get(app.env.docname.removeprefix("book/cases/"))
            wasteful = "wasteful" in tags or (case is not None and case.wasteful)
            words = outputs.WASTEFUL_WORDS if wasteful else outputs.SILENT_WORDS
            came.append(("silent", say(words)))
        cell["classes"] += [f"cell-{kind}" for kind, _ in (*marks, *came)]
        if "check" in tags:
            cell.children = cell.children[:1]  # what it says of an empty answer
        if "answer" in tags:
            cell.parent.insert(cell.parent.index(cell), how_to_answer(app.env.docname))
        elements = [part.get("nb_element") for part in cell.children]
        if came and "cell_code_output" in elements and cell.get("hide_mode") in (None, "input"):
            cell.insert(elements.index("cell_code_output"), render.mark_line(came))
        else:
            marks += came
        if marks:
            cell.parent.insert(cell.parent.index(cell), render.mark_line(marks))


def write_math(translator, node: nodes.math | nodes.math_block) -> None:
    """Write a formula as MathML, which browsers draw by themselves."""
    if isinstance(node, nodes.math):
        translator.body.append(convert(node.astext()))
    else:
        translator.body.append(f'<div class="math">{convert(node.astext(), display="block")}</div>')
    raise nodes.SkipNode


def prepare(app: Sphinx, config) -> None:
    """Have myst-nb draw cells by `Renderer`, from the pages that this stack executed."""
    config.nb_render_plugin = "bookkit"  # an entry point
    config.nb_execution_cache_path = str(execute.open_cache().path)


def add_scripts(app: Sphinx, page: str, template: str, context: dict, doctree) -> None:
    """Load a script on the pages that need it."""
    for mark, script in SCRIPTS.items():
        if mark in context.get("body", ""):
            app.add_js_file(script, loading_method="defer")


def setup(app: Sphinx) -> dict:
    """Register what cells need with Sphinx."""
    PygmentsBridge.html_formatter = render.LineFormatter  # Sphinx looks for none elsewhere
    app.add_html_math_renderer("mathml", (write_math, None), (write_math, None))
    app.connect("html-page-context", add_scripts)
    app.connect("config-inited", prepare)
    app.connect("doctree-read", mark_cells)
    return {"parallel_read_safe": True, "version": "1"}
