"""The directive of a prediction: a form that answers in the browser, and a fold without scripts."""

import re
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from bookkit import predictions
from bookkit.languages import say
from bookkit.predictions import LETTERS

from .render import fold, raw
from .written import Nodes, Written


class Predict(Written):
    """A question with its answers, and a reply to each; see `bookkit.predictions`."""

    required_arguments = 1
    has_content = True
    option_spec: ClassVar[dict] = dict.fromkeys(
        ("cell", "before", "reads", "keys", "right", "shows"), directives.unchanged_required
    )

    def run(self) -> Nodes:
        """Return the form, in a container that knows which cell it asks about."""
        label, body = self.arguments[0], "\n".join(self.content)
        prediction = predictions.take_apart(label, self.options, body)
        question, *rest = prediction.question
        about = self.options.get("before", self.options["cell"])
        place = nodes.container(classes=["prediction"], asks_about=about)
        place["answered_by"] = self.options["cell"]
        legend = f'<form class="predict" id="predict-{label}"><fieldset><legend><b>'
        place += [raw(f"{legend}{say('Predict')}</b> "), self.line(question), raw("</legend>")]
        place += self.blocks("\n\n".join(rest))
        replies: Nodes = []
        for letter, (answer, reply) in zip(LETTERS, prediction.answers, strict=False):
            field = f'<input type="radio" name="predict-{label}" value="{letter}">'
            place += raw(f'<div class="predict-answer"><label>{field} <b>{letter}</b> ')
            place += [self.line(answer), raw("</label></div>")]
            right = letter == self.options["right"]
            kind, word = ("right", f" {say('Right.')}") if right else ("wrong", "")
            replies += [raw(f'<div class="predict-reply" data-{kind}><b>{letter}.{word}</b> ')]
            replies += self.blocks(reply)
            if "shows" in self.options:  # filled in when the page has its outputs
                replies += [nodes.container(shows=self.options["shows"].replace("LETTER", letter))]
            replies += [raw("</div>")]
        place += [raw("</fieldset>"), *fold("", say("Replies to the answers"), *replies)]
        place += raw("</form>")
        return [place]

    def line(self, text: str) -> nodes.inline:
        """Parse a paragraph of Markdown, to stand in a line."""
        (paragraph,) = self.blocks(text)
        made = nodes.inline(paragraph.rawsource, "", *paragraph.children, translatable=True)
        made.source, made.line = paragraph.source, paragraph.line
        # Sphinx takes out what marks a text as translatable, and puts the text last in its parent.
        return nodes.inline("", "", made, classes=["predict-words"])


class Reveal(SphinxDirective):
    """Where what a question hides ends, if not at the next program or the end of the section."""

    def run(self) -> Nodes:
        """Return a mark without words; `predict.js` looks for it."""
        return [raw('<div class="predict-end"></div>')]


def put_outputs_into_replies(app: Sphinx, doctree: nodes.document) -> None:
    """Put into each reply the lines of its own that the question's cell printed."""
    cells = {
        cell["cell_metadata"].get("name"): cell
        for cell in doctree.findall(nodes.container)
        if cell.get("nb_element") == "cell_code"
    }
    for place in doctree.findall(nodes.container):
        for reply in place.findall(nodes.container) if "asks_about" in place else ():
            if "shows" in reply:
                blocks = cells[place["answered_by"]].findall(nodes.literal_block)
                printed = [b.astext() for b in blocks if "output" in b["classes"]]
                text = "\n".join(re.findall(reply["shows"], "\n".join(printed), re.M))
                reply += nodes.literal_block(text, text, language="text", classes=["output"])


def put_before_output(app: Sphinx, doctree: nodes.document) -> None:
    """Put a question that stands before its cell between the cell's code and its output."""
    for place in list(doctree.findall(nodes.container)):
        cell = place.next_node(siblings=True, descend=False)
        if "asks_about" not in place or not isinstance(cell, nodes.container):
            continue
        named = cell.get("cell_metadata", {}).get("name")
        seen = cell.get("hide_mode") in (None, "", "input") and len(cell.children) > 1
        if named == place["asks_about"] and seen:
            place.parent.remove(place)
            cell.insert(1, place)


def setup(app: Sphinx) -> dict:
    """Register the directive; cells are marked after questions have found their place."""
    app.add_directive("predict", Predict)
    app.add_directive("reveal", Reveal)
    app.connect("doctree-read", put_outputs_into_replies, priority=300)
    app.connect("doctree-read", put_before_output, priority=400)
    return {"parallel_read_safe": True, "version": "1"}
