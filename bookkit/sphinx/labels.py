"""Stable labels for whoever links to the book from documentation of their own.

A page's label is the last part of its name, a section's is the page's label, a colon and the
section's anchor. So a project with the book in its `intersphinx_mapping` writes
``{external+trace-evidence:ref}`leaf-order` `` or ``…`leaf-order:cure` ``. The anchors are those
that `tests/anchors.txt` keeps; the inventory, `objects.inv`, is Sphinx's.
"""

from __future__ import annotations

import re
import tomllib
from typing import cast

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.domains.std import StandardDomain
from sphinx.util import logging

from bookkit import pages

NUMBERED = re.compile(r"id\d+$|section-\d+$")  # ids that docutils counts up, and may change


def label(docname: str) -> str:
    """Return the label of a page: the last part of its name, or of its folder's for an index."""
    folder, _, name = docname.rpartition("/")
    return folder.rpartition("/")[2] if name == "index" else name


def release() -> str:
    """Return the version of the book, as `pyproject.toml` has it."""
    return tomllib.loads((pages.ROOT / "pyproject.toml").read_text())["project"]["version"]


def set_version(app: Sphinx, config: Config) -> None:
    """Tell Sphinx the version, which the inventory names."""
    config.version = config.release = release()


def standard(app: Sphinx) -> StandardDomain:
    """Return the domain that holds the labels."""
    return cast(StandardDomain, app.env.get_domain("std"))


def drop_indices(app: Sphinx) -> None:
    """Drop Sphinx's labels of pages that this book has not."""
    domain = standard(app)
    for name in ("genindex", "modindex", "py-modindex"):
        domain.labels.pop(name, None)
        domain.anonlabels.pop(name, None)


def add_labels(app: Sphinx, doctree: nodes.document) -> None:
    """Label a page and its sections, and give exercises the titles that readers see."""
    page, domain = app.env.docname, standard(app)

    def add(name: str, anchor: str, title: str) -> None:
        there = domain.labels.get(name)
        if there and there[0] != page:
            logging.getLogger(__name__).warning(
                "the label %r is also one of %s: rename one of the two files", name, there[0],
                location=page,
            )  # fmt: skip
        domain.anonlabels[name] = page, anchor
        domain.labels[name] = page, anchor, title

    add(label(page), "", app.env.titles[page].astext())
    for section in doctree.findall(nodes.section):
        title = section.next_node()
        # The page's own section goes by the page's label; one without a title is an exercise's.
        if section.parent is not doctree and isinstance(title, nodes.title):
            for anchor in section["ids"]:
                if not NUMBERED.match(anchor):
                    add(f"{label(page)}:{anchor}", anchor, title.astext())
    for name, exercise in getattr(app.env, "sphinx_exercise_registry", {}).items():
        if exercise["docname"] != page:
            continue
        subtitle = exercise["node"].next_node(nodes.subtitle)
        if subtitle:
            add(name, name, subtitle.astext())
        else:  # a solution, which is only counted
            domain.labels.pop(name, None)
            domain.anonlabels.pop(name, None)


def free_blanks(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Take the blank of "Solution to Exercise 1" out of its link, which would be underlined."""
    for link in doctree.findall(nodes.reference):
        words = link.next_node(nodes.Text)
        if words is not None and link.astext().startswith(" "):
            words.parent.replace(words, nodes.Text(words.lstrip()))
            link.parent.insert(link.parent.index(link), nodes.Text(" "))


def setup(app: Sphinx) -> dict:
    """Register the labels with Sphinx."""
    app.connect("doctree-resolved", free_blanks)
    app.connect("config-inited", set_version)
    app.connect("builder-inited", drop_indices)
    app.connect("doctree-read", add_labels, priority=900)
    return {"parallel_read_safe": True, "version": "1"}
