"""The Sphinx side of this book alone: directives and roles that show what it knows."""

from docutils import nodes
from sphinx.application import Sphinx

from bookkit import versions
from bookkit.languages import say

from . import error_index, front, narrow, triage_box  # noqa: F401 - registers their directives
from .directives import DIRECTIVES, forget, note, outdated


def inline_mark(name, rawtext, text, lineno, inliner, options=None, content=None):
    """Return a mark that stands in a line of text; the role's text is `kind: words`."""
    kind, _, words = text.partition(": ")
    return [nodes.inline("", words, classes=["inline-mark", f"mark-{kind}"])], []


def searched(name, rawtext, text, lineno, inliner, options=None, content=None):
    """Return the words that a tracker was searched for, without result, in small print."""
    shown = " · ".join(part.strip() for part in text.split(";"))
    words = nodes.inline("", say(" (searched for: {words})", words=shown), classes=["searched"])
    return [nodes.Text(say("We found no report")), words], []


def newest(name, rawtext, text, lineno, inliner, options=None, content=None):
    """Return the newest stack that the matrix has, with its date."""
    return [nodes.Text(versions.newest_stack())], []


def setup(app: Sphinx) -> dict:
    """Register them with Sphinx."""
    app.add_role("inline-mark", inline_mark)
    app.add_role("searched", searched)
    app.add_role("newest", newest)
    for name, directive in DIRECTIVES.items():
        app.add_directive(name, directive)
    app.connect("env-get-outdated", outdated)
    app.connect("source-read", forget)
    app.connect("doctree-read", note)
    return {"parallel_read_safe": True, "version": "1"}
