"""What spares a build the work that Sphinx and its extensions do over and over. No page changes.

What is read is kept until it is numbered; what every translated message asks for is made once; and
the sidebar is made of the pages that it lists.
"""

from __future__ import annotations

import gc
from functools import cache
from typing import Any

from docutils import nodes
from docutils.frontend import get_default_settings
from docutils.parsers.rst import Parser
from docutils.utils import new_document
from myst_parser.mdit_to_docutils import base
from myst_parser.parsers import sphinx_ as messages
from sphinx.addnodes import toctree
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.environment.adapters import toctree as sidebar
from sphinx.util.matching import Matcher

INDEX = "book/cases/index"
OBJECTS = 100_000
"""After how many new objects Python looks for rings among them; pages are made of such rings."""

_settings = cache(get_default_settings)
_matcher = cache(lambda patterns: Matcher(list(patterns)))
_make_parser = messages.create_md_parser
_parser: list[Any] = [None, None]


def document(source_path: str = "notset", parser_cls: type = Parser) -> nodes.document:
    """Return an empty document, whose settings docutils would take from 70 options each time."""
    return new_document(source_path, settings=_settings(parser_cls).copy())


def matcher(patterns: Any) -> Matcher:
    """Return what tells whether a page is left out; the sidebar of each page asks 16 times."""
    return _matcher(tuple(patterns))


def parser(config: Any, renderer: Any) -> Any:
    """Return a parser of Markdown; the messages of a page, one after the other, share it."""
    if _parser[0] is not config:
        _parser[:] = config, _make_parser(config, renderer)
    return _parser[1]


def lend_pages(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Hand out the pages that were just read, where Sphinx would load them to number figures."""
    load, read = env.get_doctree, getattr(env, "_write_doc_doctree_cache", {})
    vars(env)["get_doctree"] = lambda page: read[page] if page in read else load(page)
    return []


def take_back(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Let Sphinx load pages again."""
    del vars(env)["get_doctree"]
    return []


def list_one_case(app: Sphinx, page: str, template: str, context: dict, doctree: Any) -> None:
    """Let the contents have one case, that of the page, for the sidebar shows no other.

    On other pages that is the first one: `site.without_cases` takes it out.
    """
    for node in app.env.tocs[INDEX].findall(toctree) if INDEX in app.env.tocs else ():
        every = node.setdefault("every", node["entries"])
        node["entries"] = [row for row in every if row[1] == page] or every[:1]


def setup(app: Sphinx) -> dict[str, Any]:
    """Register it with Sphinx."""
    gc.set_threshold(OBJECTS, 20, 100)
    base.make_document = document
    sidebar.Matcher = matcher  # type: ignore[assignment,misc]
    messages.create_md_parser = parser
    app.connect("env-get-updated", lend_pages, priority=1)
    app.connect("env-get-updated", take_back, priority=999)
    app.connect("html-page-context", list_one_case, priority=1)
    return {"parallel_read_safe": True, "version": "1"}
