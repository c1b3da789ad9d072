"""What all directives of a book share."""

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

Nodes = list[nodes.Node]
GENERATED = "generated"
"""Marks, in what Sphinx keeps of a page, that it shows what other pages say."""


class Written(SphinxDirective):
    """A directive with Markdown in it."""

    def blocks(self, text: str) -> Nodes:
        """Parse Markdown as if it stood in the page."""
        parent = nodes.Element()
        lines = StringList(text.splitlines(), source=self.env.docname)
        self.state.nested_parse(lines, self.content_offset, parent)
        return parent.children
